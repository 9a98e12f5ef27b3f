"""The samples of a log for estimators, in blocks for several passes: positions are filtered, forces are not."""

import contextlib
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from revolute.errors import InputError
from revolute.identification.log.decimation import decimation_factor
from revolute.identification.log.log import Log
from revolute.identification.log.read_log import read_log
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

LogSource = str | os.PathLike[str] | Log | Samples | Iterable[Samples | str | os.PathLike[str] | Log]


@dataclass(frozen=True)
class _Blocks:
    """The blocks of several logs and samples in sequence, for any number of passes."""

    sources: Iterable[Log | Samples]

    @property
    def has_forces(self) -> Array:
        """(nv,) whether any of these sources has forces of a coordinate."""
        found = [x.has_forces if isinstance(x, Log) else np.isfinite(x.tau).any(axis=0) for x in self.sources]
        return np.asarray(np.any(found, axis=0))

    def __iter__(self) -> Iterator[Samples]:
        for source in self.sources:
            yield from source.blocks(torque_cutoff=np.inf, every=1) if isinstance(source, Log) else [source]


def sources_of(robot: Robot | DrivenRobot, log: LogSource) -> list[Log | Samples] | Iterable[Any]:
    """The logs and samples of `log`: a path, which is opened, a `Log`, samples, several of these, or blocks."""
    parts: Iterable[Any] = [log] if isinstance(log, (str, os.PathLike, Log, Samples)) else log
    if not isinstance(parts, Iterable) or isinstance(parts, (bytes, Mapping, np.ndarray)):
        raise InputError(
            f"a log must be a file, a Log, Samples, or several of these, not {type(log).__name__}: read_log makes a "
            "Log from arrays, tables and dicts"
        )
    parts = _stored(parts) if isinstance(parts, Iterator) else parts
    if not isinstance(parts, Sequence):
        return parts
    for part in parts:
        if not isinstance(part, (str, os.PathLike, Log, Samples)):
            raise InputError(f"the parts of a log must be files, Logs or Samples, not {type(part).__name__}")
    if not parts:
        raise InputError("the log has no parts, so it has no samples")
    return [read_log(robot, part) if isinstance(part, (str, os.PathLike)) else part for part in parts]


def blocks_of(sources: list[Log | Samples] | Iterable[Any], decimate: int | None) -> tuple[Iterable[Samples], int]:
    """Samples of sources in blocks, and the factor of decimation: by default the advised one for logs, 1 for samples.

    Forces are not filtered here. A low-pass filter applied only to forces smooths the jumps of friction torques, which
    remain sharp in the regressor, and biases the parameters. Decimation filters both identically.
    """
    logs = [each for each in sources if isinstance(each, Log)] if isinstance(sources, list) else []
    if not logs:
        blocks: Iterable[Any] = sources
        return blocks, decimate or 1
    if decimate is None:
        decimate = min(map(advised_decimation, logs))
    return _Blocks(sources), decimate


def advised_decimation(log: Log, cutoff: float | None = None) -> int:
    """The decimation factor for the cut-off frequency of the filter of positions."""
    plan = log.preparation(cutoff, torque_cutoff=np.inf, every=1)
    return decimation_factor(plan.step, plan.cutoff)


T = TypeVar("T")

SAMPLES = 256 * 2**20
"""Maximum size of the samples kept in memory [bytes]: a million instants of an arm with seven joints."""


def _stored(blocks: Iterator[Any]) -> list[Any]:
    """The blocks of an iterator as a list, to be read several times; `InputError` if they are too large."""
    parts, size = list[Any](), 0
    for part in blocks:
        parts.append(part)
        size += _bytes(part)
        if size > SAMPLES:
            raise InputError(
                f"the log is an iterator, which can be read only once, and has more than {SAMPLES / 2**20:.0f} MB of "
                "samples, which this estimate reads several times: give a list, a file, or an object whose __iter__ "
                "starts again"
            )
    return parts


class Passes(Generic[T]):
    """Iterate over the items of a source in order, any number of times.

    The source is a function that returns an iterator for a pass. Up to `in_memory` bytes of items are kept in memory,
    and up to `in_file` bytes in a file, for which items must be named tuples of arrays. If there are more, each pass
    reads the source again.
    """

    def __init__(self, source: Callable[[], Iterator[T]], in_memory: float, in_file: float = 0) -> None:
        self._source, self._sizes = source, (in_memory, in_file)
        self._store: _Store[T] | None = None

    def __iter__(self) -> Iterator[T]:
        if self._store is not None:
            yield from self._store
        else:
            store = _Store[T](*self._sizes)  # local to this pass, as another pass may run concurrently
            for item in self._source():
                store.add(item)
                yield item
            if store.complete:
                self._store = store  # keep only the store of a complete pass


class _Store(Generic[T]):
    """Items in order: first those in a file, then `items` in memory. `complete`: whether all could be stored."""

    def __init__(self, in_memory: float, in_file: float) -> None:
        self.complete, self.items = True, list[Any]()
        self._in_memory, self._in_file, self._size = in_memory, in_file, 0
        self._places: list[tuple[int, Any]] = []  # positions in the file
        self._file: Any = None

    def add(self, item: Any) -> None:
        """Store another item."""
        if not self.complete:
            return
        self.items.append(item)
        self._size += _bytes(item)
        if self._size <= self._in_memory:
            return
        self.complete = self._size <= self._in_file
        if self.complete:
            try:
                self._write()
            except OSError:  # the disk is full
                self.complete = False
        self.items.clear()
        if not self.complete and self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="revolute-")  # noqa: SIM115 - it is open as long as this object
            weakref.finalize(self, self._file.close)
        for item in self.items:
            self._places.append((self._file.tell(), type(item)))
            for part in item:
                np.save(self._file, part)
        self._file.flush()  # a full disk raises OSError here, instead of in the next pass

    def __iter__(self) -> Iterator[T]:
        for place, kind in self._places:
            self._file.seek(place)
            yield kind(*(np.load(self._file) for _ in kind._fields))
        yield from self.items


def _bytes(item: Any) -> int:
    """The total size [bytes] of the arrays in a tuple, or in the attributes of an object."""
    parts = item if isinstance(item, tuple) else vars(item).values() if hasattr(item, "__dict__") else ()
    return sum(x.nbytes for x in parts if isinstance(x, np.ndarray))
