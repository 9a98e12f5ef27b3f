"""Whether a log fits its robot: units, signs, order of joints, clocks, holes. What does not is told by name."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from revolute.errors import InputError, warn_caller
from revolute.identification.checks.clocks import late
from revolute.identification.checks.contacts import contact_doubts
from revolute.identification.checks.exchanged_columns import exchanged
from revolute.identification.checks.finding import Doubt
from revolute.identification.checks.force_sizes import strange_sizes
from revolute.identification.checks.joint_limits import beyond_limits
from revolute.identification.checks.missing_data import gaps, with_all_forces
from revolute.identification.checks.signs import reversed_signs
from revolute.identification.fit.equations import check_samples
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.log import Log
from revolute.identification.samples import Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["beginning", "check_logs", "doubts", "first_blocks", "warn_of_doubts"]

MOST = 100_000
"""Samples at the beginning of a long log that doubts are about."""

LEAST = 50
"""Fewest of them that say something."""

LOOKED_AT = 400
"""Samples that are looked at for signs and exchanges."""


def doubts(robot: Robot | DrivenRobot, log: Log | Samples, model: ForceModel | None = None) -> tuple[Doubt, ...]:
    """What in a log does not look like this robot: nothing, if all is well.

    A wrong unit or order of columns gives a fit too, and a bad model. So these are looked for:

    - positions beyond limits; degrees;
    - forces that friction drives, not brakes: a sign is reversed;
    - joints whose columns are exchanged: a rigid body then explains much less of the forces;
    - forces of another size than those of the description: currents, or torques of motors;
    - forces that are late;
    - a floating base that needs forces of which the log does not tell;
    - holes, empty columns, joints that stand still, logs that are too short.

    Args:
        robot: that moved. Its masses tell sizes and signs; where it has none, statistics alone do.
        log: what `read_log` gives, or samples.
        model: that is fitted; by default links, rotors, friction and offsets.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import Samples, doubts
        >>> arm, t = revolute.robots.planar(2), np.arange(1000) / 100
        >>> phase = np.stack([2.0 * t, 3.1 * t], axis=1)
        >>> motion = np.sin(phase), [2.0, 3.1] * np.cos(phase), [-4.0, -9.61] * np.sin(phase)
        >>> tau = arm.inverse_dynamics(*motion) + 0.1 * np.random.default_rng(1).normal(
        ...     size=(1000, 2)
        ... )
        >>> doubts(arm, Samples(t, *motion, tau))
        ()
        >>> doubts(arm, Samples(t, *motion, tau / 50))[0].kind
        'size of forces'
    """
    model = model or ForceModel(robot, drives=("armature", "damping", "friction"))
    samples = beginning(log) if isinstance(log, Log) else log
    if samples.tau.shape[1] != model.robot.nv:
        raise InputError(
            f"doubts: the log is of {samples.tau.shape[1]} coordinates, and the robot has {model.robot.nv}"
        )
    found = gaps(model, log, samples)
    if any(doubt.kind == "short" for doubt in found):
        return tuple(found)
    found += beyond_limits(model, samples)
    if any(doubt.kind == "degrees" for doubt in found):
        return tuple(found)  # all else would be wrong, too
    few = samples[np.unique(np.linspace(0, len(samples) - 1, LOOKED_AT).astype(int))]
    found += contact_doubts(model, few)
    few = with_all_forces(few, [name for doubt in found if doubt.kind == "empty" for name in doubt.names], model)
    if len(few) < LEAST:  # hardly an instant has all forces
        return tuple(found)
    found += exchanged(model, few)
    if not any(doubt.kind in ("swapped", "degrees") for doubt in found):
        signs = reversed_signs(model, few)
        told = {name for doubt in signs for name in doubt.names}
        sizes = strange_sizes(log, model, few)
        found += [*signs, *(x for x in sizes if x.kind != "reversed" or not told & {*x.names})]
        found += late(model, samples, log.delay if isinstance(log, Log) else 0.0)
    return tuple(found)


def warn_of_doubts(
    robot: Robot | DrivenRobot, log: Log | Samples, model: ForceModel | None = None
) -> tuple[Doubt, ...]:
    """The `doubts`, each issued as a `ModelWarning` as well."""
    found = doubts(robot, log, model)
    name = log.name if isinstance(log, Log) else "samples"
    for doubt in found:
        warn_caller(f"{name}: {doubt.text}")
    return found


def beginning(log: Log) -> Samples:
    """Samples of the log, of its beginning if it is long."""
    parts = first_blocks(log.blocks(every=1))
    return Samples.joined(parts) if parts else log.samples(every=1)


def first_blocks(blocks: Iterable[Samples]) -> list[Samples]:
    """Blocks, until they have `MOST` samples."""
    parts: list[Samples] = []
    for block in blocks:
        parts.append(block)
        if sum(map(len, parts)) >= MOST:
            break
    return parts


def check_logs(sources: list[Log | Samples] | Iterable[Samples], model: ForceModel) -> None:
    """Warn of each doubt about the sources of a fit.

    Samples of a list are parts of one log, so they are looked at together, and so are blocks.

    Args:
        sources: of `sources_of`.
        model: that is fitted.

    Raises:
        InputError, ShapeError: samples of another robot.
    """
    logs = [each for each in sources if isinstance(each, Log)] if isinstance(sources, list) else []
    for log in logs:
        warn_of_doubts(model.robot, log, model)
    blocks = [each for each in sources if not isinstance(each, Log)] if isinstance(sources, list) else sources
    beginning = first_blocks(blocks)
    for block in beginning:
        check_samples(model, block)
    if beginning and any(map(len, beginning)):
        warn_of_doubts(model.robot, Samples.joined(beginning), model)
