"""The samples of a log for estimators: filtered positions, forces as recorded; and the advised decimation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.errors import InputError
from revolute.identification.log.log import Log
from revolute.identification.log.passes import SAMPLES, Passes
from revolute.identification.log.read_log import read_log
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["LogSource", "advised_decimation", "blocks_of", "sources_of"]

LogSource = str | os.PathLike[str] | Log | Samples | Iterable[Samples | str | os.PathLike[str] | Log]


@dataclass(frozen=True)
class _Blocks:
    """The blocks of logs and samples in turn, for any number of passes."""

    sources: Iterable[Log | Samples]

    @property
    def has_forces(self) -> Array:
        """(nv,) whether any of them has forces of a coordinate."""
        found = [x.has_forces if isinstance(x, Log) else np.isfinite(x.tau).any(axis=0) for x in self.sources]
        return np.asarray(np.any(found, axis=0))

    def __iter__(self) -> Iterator[Samples]:
        for source in self.sources:
            yield from source.blocks(torque_cutoff=np.inf, every=1) if isinstance(source, Log) else [source]


def sources_of(robot: Robot | DrivenRobot, log: LogSource) -> list[Log | Samples] | Iterable[Any]:
    """The logs and samples of `log`, with files opened: a path, a `Log`, samples, several of these, or blocks."""
    parts: Any = [log] if isinstance(log, (str, os.PathLike, Log, Samples)) else log
    if not isinstance(parts, Iterable) or isinstance(parts, (bytes, Mapping, np.ndarray)):
        raise InputError(
            f"a log must be a file, a Log, Samples, or several of these, not {type(log).__name__}: read_log makes a "
            "Log of arrays, tables and dicts"
        )
    if not isinstance(parts, Sequence):
        return Passes(parts, SAMPLES) if isinstance(parts, Iterator) else parts
    for part in parts:
        if not isinstance(part, (str, os.PathLike, Log, Samples)):
            raise InputError(f"the parts of a log must be files, Logs or Samples, not {type(part).__name__}")
    if not parts:
        raise InputError("the log has no samples: it has no parts")
    return [read_log(robot, part) if isinstance(part, (str, os.PathLike)) else part for part in parts]


def blocks_of(sources: list[Log | Samples] | Iterable[Any], decimate: int | None) -> tuple[Iterable[Samples], int]:
    """Samples of sources in blocks, and the factor of decimation: by default the advised one of logs, and 1 of samples.

    Forces are not filtered here. A low-pass filter applied only to forces smooths the steps of friction, which are
    sharp in the regressor, and biases the parameters. Decimation filters both identically.
    """
    logs = [each for each in sources if isinstance(each, Log)] if isinstance(sources, list) else []
    if not logs:
        blocks: Iterable[Any] = sources
        return blocks, decimate or 1
    if decimate is None:
        decimate = min(map(advised_decimation, logs))
    return _Blocks(sources), decimate


def advised_decimation(log: Log, cutoff: float | None = None) -> int:
    """The decimation factor with the cut-off frequency of the positions' filter. Gautier & Poignet 2001.

    Decimation by n passes frequencies below 0.8 times the new Nyquist frequency.
    """
    plan = log.preparation(cutoff, torque_cutoff=np.inf, every=1)
    return max(1, int(0.8 / (2 * plan.step * plan.cutoff)))
