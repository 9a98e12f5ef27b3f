"""Check signs and sizes of forces and positions: friction that accelerates; degrees, currents, motor torques."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from revolute.errors import advice
from revolute.identification.checks.unexplained_share import Explained, unexplained_share
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.finding import LogFinding
from revolute.identification.log.log import Log
from revolute.identification.samples import Array, Samples
from revolute.io.plain import listed

SURE, DISSIPATED = 8.0, 0.02
"""Minimum power added by friction that is reported: in standard errors, and as a fraction of the joint's power."""

CLEARLY = 0.8
"""Ratio of the residual with reversed positions to that with reversed forces, below which positions are reversed."""


def reversed_signs(model: ForceModel, samples: Samples) -> list[LogFinding]:
    """Report joints whose fitted friction adds power instead of braking: a sign is reversed."""
    measured = samples.measured
    if not len(measured):
        return []
    Y = model.regressor(samples)
    A, b = _scaled(Y, samples)
    explained, product = Explained(A.T @ A), A.T @ b
    values = explained.values(product)
    left = float(explained.shares(product[:, None], b @ b)[0] * (b @ b)) / max(len(b) - int(explained.rank), 1)
    wrong = [
        name
        for k, name in enumerate(model.robot.coordinate_names)
        if k in measured and _drives(model, samples, Y, k, values, left**0.5 * explained.root)
    ]
    if not wrong:
        return []
    text = f"friction of {listed(wrong, 8)} accelerates instead of braking: forces or positions have the wrong sign"
    return [LogFinding("reversed", tuple(wrong), f"{text}; {sign_advice(model, samples, wrong)}")]


def sign_advice(model: ForceModel, samples: Samples, names: list[str]) -> str:
    """Advice to reverse the forces or the positions of some coordinates, whichever gives the smaller residual."""
    single = all(body.joint.nq == body.joint.nv for body in model.robot.space.bodies)
    chosen = np.isin(model.robot.coordinate_names, names)
    signs = np.where(chosen, -1.0, 1.0)
    forces = replace(samples, tau=signs * samples.tau)
    reverse, prefix = "forces", ""
    if single:
        moved = replace(samples, q=signs * samples.q, qd=signs * samples.qd, qdd=signs * samples.qdd)
        shares = [unexplained_share(*_scaled(model.regressor(x), x)) for x in (moved, forces)]
        if shares[0] < CLEARLY * shares[1]:
            reverse, prefix = "positions", "q."
    every = set(names) == {model.robot.coordinate_names[k] for k in samples.measured}
    words = [prefix + "all"] if every else [prefix + name for name in names]
    how = advice(f"read_log(..., flip={words})", f"--flip {','.join(words)}")
    return f"the fit is best with {reverse} of the opposite sign: {how}"


def _scaled(Y: Array, samples: Samples) -> tuple[Array, Array]:
    """Rows of the regressor (T, nv, p) and measured forces, divided by the standard deviation of a joint's forces."""
    measured = samples.measured
    scale = samples.tau[:, measured].std(axis=0)
    A = (Y[:, measured] / scale[:, None]).reshape(-1, Y.shape[-1])
    return A, (samples.tau[:, measured] / scale).reshape(-1)


def _drives(model: ForceModel, samples: Samples, Y: Array, k: int, values: Array, spread: Array) -> bool:
    """Whether friction of a coordinate adds significant power; `spread` spread^T is the covariance of `values`."""
    frictions = [f"{model.robot.coordinate_names[k]}.{kind}" for kind in ("damping", "friction")]
    columns = [model.names.index(name) for name in frictions if name in model.names]
    power = (Y[:, k, columns] * samples.qd[:, k : k + 1]).mean(axis=0)  # power of each friction parameter equal to 1
    taken = float(power @ values[columns])
    error = float(np.linalg.norm(power @ spread[columns]))
    whole = float(samples.tau[:, k].std() * samples.qd[:, k].std())
    return bool(columns) and taken < -DISSIPATED * whole and taken < -SURE * error


BEYOND = 0.05  # minimum distance of a position beyond its limit that is reported [rad, m]


def beyond_limits(model: ForceModel, samples: Samples) -> list[LogFinding]:
    """Report positions beyond limits, with the likely cause: units, zero positions or signs."""
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
        text = f"{listed(names, 8)} are beyond their limits, but not if angles are in degrees: give units='deg'"
        return [LogFinding("degrees", names, text)]
    if (turns & angles & ~np.isfinite(high)).any():
        text = "angles reach more than four turns: if they are in degrees, give units='deg'"
        return [LogFinding("degrees", (), text)]
    if names:
        return [LogFinding("limits", names, f"{listed(names, 8)} are beyond their limits: check units, zero and signs")]
    return []


FACTOR = 3.0  # maximum ratio of the measured forces to the forces of the description that is not reported


def strange_sizes(
    log: Log | Samples, model: ForceModel, samples: Samples, known: Collection[str]
) -> list[LogFinding]:
    """Report forces much larger or smaller than those of the description plus fitted friction, offsets and terms.

    Also report forces of opposite sign, except for the coordinates in `known`, which are already reported.
    """
    if model.gains or (isinstance(log, Log) and log.amperes):
        return []
    described = model.robot.inverse_dynamics(samples.q, samples.qd, samples.qdd)
    sizes = described.std(axis=0)
    ratios = {}
    for k, name in enumerate(model.robot.coordinate_names):
        b = samples.tau[:, k]
        if not np.isfinite(b).all() or not b.any() or sizes[k] < 0.05 * sizes.max() or sizes[k] == 0:
            continue
        more = [term.column(samples)[:, k] for term in model.terms]
        own = np.stack([samples.qd[:, k], np.sign(samples.qd[:, k]), np.ones(len(b)), *more], axis=1)
        left, right = (x - own @ np.linalg.lstsq(own, x, rcond=None)[0] for x in (described[:, k], b))
        ratio, shared = left @ right / (left @ left), (left @ right) ** 2 / ((left @ left) * (right @ right))
        if shared > 0.5:
            ratios[name] = float(ratio)
    wrong = [name for name, ratio in ratios.items() if ratio < 0]
    sizes_found = _strange_factors(model, ratios)
    if not (new := tuple(name for name in wrong if name not in known)):
        return sizes_found
    text = f"forces of {listed(new, 8)} are opposite to those of the description: a sign is reversed"
    return [LogFinding("reversed", new, f"{text}; {sign_advice(model, samples, wrong)}"), *sizes_found]


def _strange_factors(model: ForceModel, ratios: dict[str, float]) -> list[LogFinding]:
    """Report all joints if their median ratio of measured to described forces is implausible; bases by coordinate."""
    of_base = {name for name, x in zip(model.robot.coordinate_names, model.floating, strict=True) if x}
    joints, found = {name: x for name, x in ratios.items() if name not in of_base}, []
    middle = float(np.median([abs(x) for x in joints.values()])) if joints else 1.0
    if not 1 / FACTOR <= middle <= FACTOR:
        shown = ", ".join(f"{name} {x:.2g}" for name, x in joints.items())
        text = (
            f"ratios of the forces to those of the description: {shown}; if they are currents or motor torques, give "
        ) + advice(
            "motor_side=MotorSide(ratios=..., gains=...), and units={'tau': 'A'} for currents",
            "--gains for currents, and ratios of [motor_side] in a file of --columns",
        )
        found.append(LogFinding("size of forces", tuple(joints), text))
    strange = {name: x for name, x in ratios.items() if name in of_base and not 1 / FACTOR <= abs(x) <= FACTOR}
    if strange:
        shown = ", ".join(f"{name} {x:.2g}" for name, x in strange.items())
        text = f"ratios of the wrenches to those of the description: {shown}. Are they in N and N m?"
        found.append(LogFinding("size of forces", tuple(strange), text))
    return found
