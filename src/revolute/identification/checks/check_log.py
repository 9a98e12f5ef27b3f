"""Check whether a log fits its robot: units, signs, order of joints, clocks, gaps."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from revolute.arguments import instance
from revolute.errors import InputError, warn_caller
from revolute.identification.checks.clocks import late
from revolute.identification.checks.contacts import unknown_contacts
from revolute.identification.checks.exchanged_columns import exchanged
from revolute.identification.checks.missing_data import gaps, with_all_forces
from revolute.identification.checks.signs_and_sizes import beyond_limits, reversed_signs, strange_sizes
from revolute.identification.fit.equations import checked
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.finding import LogFinding
from revolute.identification.log.log import Log, first_blocks
from revolute.identification.log.read_log import read_log
from revolute.identification.samples import Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

LEAST, LOOKED_AT = 50, 400
"""Minimum number of complete samples for checks of forces; and number of samples used to check signs and exchanges."""


@dataclass(frozen=True)
class _Looked:
    """The data of checks: the model to fit, the log, the samples at its beginning, and the findings so far."""

    model: ForceModel
    log: Log | Samples
    samples: Samples
    found: list[LogFinding]

    @cached_property
    def few(self) -> Samples:
        """A subset of the samples, for slow checks."""
        return self.samples[np.unique(np.linspace(0, len(self.samples) - 1, LOOKED_AT).astype(int))]

    @property
    def complete(self) -> Samples:
        """The samples of `few` that have all forces, except for coordinates without any force."""
        return with_all_forces(self.few, self.named("empty"), self.model)

    def named(self, kind: str) -> list[str]:
        """Names of joints or columns in the findings of a kind."""
        return [name for finding in self.found if finding.kind == kind for name in finding.names]


class _Check(NamedTuple):
    """A check, the kinds of its findings that make later checks meaningless, and whether it needs all forces."""

    find: Callable[[_Looked], list[LogFinding]]
    ends: tuple[str, ...] = ()
    of_complete: bool = False


CHECKS = (
    _Check(lambda x: gaps(x.model, x.log, x.samples), ("short",)),
    _Check(lambda x: beyond_limits(x.model, x.samples), ("degrees",)),
    _Check(lambda x: unknown_contacts(x.model, x.few)),
    _Check(lambda x: exchanged(x.model, x.complete), ("swapped", "degrees"), of_complete=True),
    _Check(lambda x: reversed_signs(x.model, x.complete), of_complete=True),
    _Check(lambda x: strange_sizes(x.log, x.model, x.complete, x.named("reversed")), of_complete=True),
    _Check(lambda x: late(x.model, x.log, x.samples), of_complete=True),
)
"""Checks of a log in the order in which they run: each one assumes that the log passed the preceding ones."""


def check_log(
    robot: Robot | DrivenRobot | ForceModel, log: str | os.PathLike[str] | Log | Samples, *, warn: bool = False
) -> tuple[LogFinding, ...]:
    """Find where a log does not fit its robot. Wrong units or columns can still be fitted, but the model is then wrong.

    - positions beyond limits, or in degrees;
    - reversed signs, with which friction accelerates instead of braking;
    - exchanged columns, with which a rigid-body model explains much less of the forces;
    - forces much larger or smaller than those of the description, such as currents or motor torques;
    - delayed forces;
    - a floating base whose motion requires forces that are missing in the log;
    - gaps, empty columns, joints at rest, too few rows.

    Args:
        robot: the robot that moved, whose links, rotors, friction and offsets are fitted; or the `ForceModel` to fit.
            If the robot has no masses, sizes of forces are not checked, and signs only by the fitted friction.
        log: a path, a `Log` or samples.
        warn: whether to issue each finding also as a `ModelWarning`.

    Returns:
        the findings; empty if the log fits.

    Example:
        >>> from revolute.identification import Samples, check_log
        >>> arm, t = revolute.robots.planar(2), np.arange(1000) / 100
        >>> phase = np.stack([2.0 * t, 3.1 * t], axis=1)
        >>> motion = np.sin(phase), [2.0, 3.1] * np.cos(phase), [-4.0, -9.61] * np.sin(phase)
        >>> tau = arm.inverse_dynamics(*motion) + 0.1 * np.random.default_rng(1).normal(
        ...     size=(1000, 2)
        ... )
        >>> check_log(arm, Samples(t, *motion, tau))
        ()
        >>> check_log(arm, Samples(t, *motion, tau / 50))[0].kind
        'size of forces'
    """
    model = robot if isinstance(robot, ForceModel) else ForceModel(robot, drives=("armature", "damping", "friction"))
    log = read_log(model.robot, log) if isinstance(log, (str, os.PathLike)) else log
    samples = log.beginning() if isinstance(log, Log) else instance("check_log: log", log, Samples)
    if samples.tau.shape[1] != model.robot.nv:
        raise InputError(f"check_log: the log has {samples.tau.shape[1]} coordinates, and the robot {model.robot.nv}")
    looked = _Looked(model, log, samples, [])
    for check in CHECKS:
        if check.of_complete and len(looked.complete) < LEAST:
            break  # hardly any sample has all forces
        found = check.find(looked)
        looked.found.extend(found)
        if any(finding.kind in check.ends for finding in found):
            break
    if warn:
        name = log.name if isinstance(log, Log) else "samples"
        for finding in looked.found:
            warn_caller(f"{name}: {finding.text}")
    return tuple(looked.found)


def check_logs(sources: list[Log | Samples] | Iterable[Samples], model: ForceModel) -> tuple[LogFinding, ...]:
    """Warn of findings in the sources of a fit, and return them. Samples are parts of one log: they are joined."""
    blocks: Any = sources
    found: tuple[LogFinding, ...] = ()
    if isinstance(sources, list):
        blocks = [each for each in sources if not isinstance(each, Log)]
        for log in (each for each in sources if isinstance(each, Log)):
            found += check_log(model, log, warn=True)
    beginning = first_blocks(checked(model, blocks))
    if any(map(len, beginning)):
        found += check_log(model, Samples.joined(beginning), warn=True)
    return found
