"""Whether a log fits its robot: units, signs, order of joints, clocks, holes. What does not is told by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError, warn_caller
from revolute.identification.contacts import contact_doubts
from revolute.identification.decimation import runs
from revolute.identification.delay import torque_delay
from revolute.identification.doubt import Doubt
from revolute.identification.exchanges import EXACT, exchanged, unexplained_share
from revolute.identification.force_model import ForceModel
from revolute.identification.log import Log
from revolute.identification.samples import Samples
from revolute.io.plain import listed
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.joints import Free

__all__ = ["doubts", "first_blocks", "warn_of_doubts"]

Array = NDArray[Any]

MOST = 100_000
"""Samples at the beginning of a long log that doubts are about."""

LEAST = 50
"""Fewest of them that say something."""

LOOKED_AT = 400
"""Samples that are looked at for signs and exchanges."""

BEYOND = 0.05
"""Distance beyond a limit, and least range of a joint that moves [rad, m]."""

INDEPENDENT = 3
"""Least number of independent forces for each parameter."""

SURE = 8.0
"""Standard errors by which a number must be negative."""

DISSIPATED = 0.02
"""Share of a joint's power that friction must take, or give, to tell a sign."""

FACTOR = 3.0
"""Forces whose size differs from that of the description by more than this are doubtful."""

SYNCHRONOUS = 0.8
"""A delay is told if it leaves less than this share of the squared residual."""

ROWS_OF_DELAY = 1000
"""Samples from which is seen whether a delay explains more."""

EXPLAINED = 0.01
"""Share of the forces that may be unexplained without a doubt about clocks."""


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
    samples = _beginning(log) if isinstance(log, Log) else log
    if samples.tau.shape[1] != model.robot.nv:
        raise InputError(
            f"doubts: the log is of {samples.tau.shape[1]} coordinates, and the robot has {model.robot.nv}"
        )
    found = [*_holes(log), *_too_few(model, log, samples), *_still(model, samples), *_empty(model, log, samples)]
    if any(doubt.kind == "short" for doubt in found):
        return tuple(found)
    found += _beyond_limits(model, samples)
    if any(doubt.kind == "degrees" for doubt in found):
        return tuple(found)  # all else would be wrong, too
    few = samples[np.unique(np.linspace(0, len(samples) - 1, LOOKED_AT).astype(int))]
    found += contact_doubts(model, few)
    few = _without(few, [name for doubt in found if doubt.kind == "empty" for name in doubt.names], model)
    if len(few) < LEAST:  # hardly an instant has all forces
        return tuple(found)
    found += exchanged(model, few)
    if not any(doubt.kind in ("swapped", "degrees") for doubt in found):
        signs = _reversed(model, few)
        told = {name for doubt in signs for name in doubt.names}
        sizes = _sizes(log, model, few)
        found += [*signs, *(x for x in sizes if x.kind != "reversed" or not told & {*x.names})]
        found += _late(model, samples)
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


def _beginning(log: Log) -> Samples:
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


def _holes(log: Log | Samples) -> list[Doubt]:
    if not isinstance(log, Log):
        return []
    found = []
    for name, share in log.missing.items():
        if 0 < share < 1:
            text = f"{100 * share:.3g} % of '{name}' are missing: short gaps are filled, longer ones left out"
            found.append(Doubt("missing", (name,), text))
    return found


def _too_few(model: ForceModel, log: Log | Samples, samples: Samples) -> list[Doubt]:
    """Twice the cut-off frequency times the duration are independent samples, whatever the sampling rate."""
    share = min(1.0, 2 * log.advised_cutoff * log.step) if isinstance(log, Log) else 1.0
    count, wanted = int(share * np.isfinite(samples.tau).sum()), INDEPENDENT * len(model.names)
    if count >= wanted:
        return []
    text = f"{count} independent forces are too few for {len(model.names)} parameters: record {wanted} or more"
    return [Doubt("short", (), text)]


def _still(model: ForceModel, samples: Samples) -> list[Doubt]:
    moving = [np.full(body.joint.nq, not isinstance(body.joint, Free)) for body in model.robot.space.bodies]
    still = (np.ptp(samples.q, axis=0) < BEYOND) & np.concatenate(moving)  # a base that floats may stand
    names = tuple(name for name, x in zip(model.robot.position_names, still, strict=True) if x)
    if not names:
        return []
    text = f"{listed(names, 8)} moved by less than {BEYOND} rad or m: parameters that only their motion shows are noise"
    hint = "; if all joints are in this list, angles may be in another unit" if still.all() else ""
    return [Doubt("unmoved", names, text + hint)]


def _empty(model: ForceModel, log: Log | Samples, samples: Samples) -> list[Doubt]:
    """Forces that were missing, or 0 most of the time, before they were filtered."""
    zeros = log.zero_forces if isinstance(log, Log) else (samples.tau == 0).mean(axis=0)
    there = np.isfinite(samples.tau)
    constant = np.array([k.any() and np.ptp(x[k]) == 0 for x, k in zip(samples.tau.T, there.T, strict=True)])
    constant, zeros = constant & ~model.floating, np.where(model.floating, 0.0, zeros)  # as in flight
    names = model.robot.coordinate_names
    if isinstance(log, Log):  # those that were left out on purpose are no doubt
        constant |= np.array([name in log.unreadable for name in names])
    found = tuple(name for name, x in zip(names, constant | (zeros > 0.5), strict=True) if x)
    if not found:
        return []
    text = (
        f"forces of {listed(found, 8)} are missing, constant, or 0 most of the time: leave them out, by None in columns"
    )
    return [Doubt("empty", found, text)]


def _without(samples: Samples, names: list[str], model: ForceModel) -> Samples:
    """Samples without the forces of some coordinates, and rows without missing ones of the others."""
    tau = samples.tau.copy()
    named = np.array([name in names for name in model.robot.coordinate_names])
    empty = np.flatnonzero(named | np.isnan(tau).all(axis=0))
    tau[:, empty] = np.nan
    rest = np.delete(tau, empty, axis=1)
    return Samples(samples.t, samples.q, samples.qd, samples.qdd, tau)[np.flatnonzero(np.isfinite(rest).all(axis=1))]


def _beyond_limits(model: ForceModel, samples: Samples) -> list[Doubt]:
    space = model.robot.space
    angles = np.array([k in body.joint.angles for body in space.bodies for k in range(body.joint.nq)])
    low, high = (np.asarray(x, dtype=float) for x in (space.lower_limits, space.upper_limits))
    if len(low) != space.nq:
        return []

    def outside(q: Array) -> Array:
        return np.asarray(((q < low - BEYOND) | (q > high + BEYOND)).mean(axis=0))

    beyond = outside(samples.q) > 0.01
    turns = np.abs(samples.q).max(axis=0) > 8 * np.pi
    names = tuple(name for name, x in zip(space.position_names, beyond, strict=True) if x)
    smaller = np.where(angles, samples.q * (np.pi / 180), samples.q)
    if (beyond & angles).any() and not (outside(smaller) > 0.01).any() and np.abs(samples.q[:, angles]).max() > np.pi:
        return [Doubt("degrees", names, f"{listed(names, 8)} are beyond their limits, and not so if angles are in "
                      "degrees: say units='deg'")]  # fmt: skip
    if (turns & angles & ~np.isfinite(high)).any():
        return [Doubt("degrees", (), "angles reach more than four turns: if they are in degrees, say units='deg'")]
    if names:
        return [Doubt("limits", names, f"{listed(names, 8)} are beyond their limits: check units, zero and signs")]
    return []


def _reversed(model: ForceModel, samples: Samples) -> list[Doubt]:
    """Friction brakes. Where its fit drives, forces or positions have the wrong sign."""
    at = {name: k for k, name in enumerate(model.names)}
    measured = samples.measured
    if not len(measured):
        return []
    coordinates = model.robot.coordinate_names
    scale = samples.tau[:, measured].std(axis=0)
    Y = model.regressor(samples)
    A, b = Y[:, measured] / scale[:, None], (samples.tau[:, measured] / scale).reshape(-1)
    A = A.reshape(-1, A.shape[-1])
    lengths = np.linalg.norm(A, axis=0)
    lengths[lengths == 0] = 1
    U, s, V = np.linalg.svd(A / lengths, full_matrices=False)
    keep = s > 1e-9 * s[0]
    values = (V[keep].T @ ((U[:, keep].T @ b) / s[keep])) / lengths
    noise = float(np.sum((b - A @ values) ** 2)) / max(len(b) - int(keep.sum()), 1)
    spread = (V[keep].T / s[keep]) / lengths[:, None]
    found = []
    for k in measured:
        frictions = [f"{coordinates[k]}.{kind}" for kind in ("damping", "friction")]
        columns = [at[name] for name in frictions if name in at]
        power = (Y[:, k, columns] * samples.qd[:, k : k + 1]).mean(axis=0)  # of each of them, for a parameter of 1
        taken = float(power @ values[columns])
        error = float(np.linalg.norm(power @ spread[columns]) * noise**0.5)
        whole = float(samples.tau[:, k].std() * samples.qd[:, k].std())
        if columns and taken < -DISSIPATED * whole and taken < -SURE * error:
            found.append(coordinates[k])
    return [
        Doubt("reversed", (name,), f"friction of '{name}' drives it instead of braking it: its forces or its positions "
              "have the wrong sign")
        for name in found
    ]  # fmt: skip


def _sizes(log: Log | Samples, model: ForceModel, samples: Samples) -> list[Doubt]:
    """Forces against those of the description, next to friction, an offset and terms of the model's."""
    if model.gains or (isinstance(log, Log) and log.amperes):
        return []
    told = model.robot.inverse_dynamics(samples.q, samples.qd, samples.qdd)
    sizes = told.std(axis=0)
    ratios = {}
    for k, name in enumerate(model.robot.coordinate_names):
        b = samples.tau[:, k]
        if not np.isfinite(b).all() or not b.any() or sizes[k] < 0.05 * sizes.max() or sizes[k] == 0:
            continue
        more = [model.column(term, samples)[:, k] for term in model.terms]
        own = np.stack([samples.qd[:, k], np.sign(samples.qd[:, k]), np.ones(len(b)), *more], axis=1)
        left, right = (x - own @ np.linalg.lstsq(own, x, rcond=None)[0] for x in (told[:, k], b))
        ratio, shared = left @ right / (left @ left), (left @ right) ** 2 / ((left @ left) * (right @ right))
        if shared > 0.5:
            ratios[name] = float(ratio)
    found = [
        Doubt("reversed", (name,), f"forces of '{name}' go against those of its description: a sign is reversed")
        for name, ratio in ratios.items()
        if ratio < 0
    ]
    of_base = {name for name, x in zip(model.robot.coordinate_names, model.floating, strict=True) if x}
    joints = {name: x for name, x in ratios.items() if name not in of_base}
    middle = float(np.median([abs(x) for x in joints.values()])) if joints else 1.0
    if not 1 / FACTOR <= middle <= FACTOR:
        shown = ", ".join(f"{name} {x:.2g}" for name, x in joints.items())
        text = (
            f"forces are not those of the description, but times: {shown}. Are they currents, or torques of motors? "
            "Give motor_side=MotorSide(ratios=..., gains=...), and units={'tau': 'A'} for currents"
        )
        found.append(Doubt("size of forces", tuple(joints), text))
    strange = {name: x for name, x in ratios.items() if name in of_base and not 1 / FACTOR <= abs(x) <= FACTOR}
    if strange:
        shown = ", ".join(f"{name} {x:.2g}" for name, x in strange.items())
        text = f"wrenches are not those of the description, but times: {shown}. Are they in N and N m?"
        found.append(Doubt("size of forces", tuple(strange), text))
    return found


def _late(model: ForceModel, samples: Samples) -> list[Doubt]:
    longest = max(runs(samples), key=len)
    try:
        delay = torque_delay(model, longest)
    except InputError:  # too short for it
        return []
    without, shifted, freedom = _at_whole_steps(model, longest, delay.seconds)
    if shifted > SYNCHRONOUS * without or without < EXPLAINED**2:
        return []
    if freedom * (without / shifted - 1) < SURE**2:  # by chance: one of many was tried
        return []
    return [Doubt("unsynchronised", (), f"{delay}: apply it by samples(delay={delay.seconds:.4g}), or read the "
                  "columns by one clock")]  # fmt: skip


def _at_whole_steps(model: ForceModel, samples: Samples, delay: float) -> tuple[float, float, int]:
    """Unexplained shares of squared forces, as recorded and some whole steps later; degrees of freedom.

    Forces between samples are interpolated, which takes noise out of them, and that is no sign of a delay.
    """
    k = round(delay / float(np.median(np.diff(samples.t))))
    rows = np.unique(np.linspace(abs(k), len(samples) - 1 - abs(k), ROWS_OF_DELAY).astype(int))
    measured = samples.measured
    scale = samples.tau[:, measured].std(axis=0)
    A = (model.regressor(samples[rows])[:, measured] / scale[:, None]).reshape(-1, len(model.names))
    shares = [unexplained_share(A, (samples.tau[rows + late][:, measured] / scale).reshape(-1)) for late in (0, k)]
    return shares[0], max(shares[1], EXACT), len(A) - A.shape[1]
