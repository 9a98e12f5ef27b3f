"""Sizes of positions and forces compared to the description: degrees, currents, motor torques, other units."""

from __future__ import annotations

import numpy as np

from revolute.errors import advice
from revolute.identification.checks.finding import LogFinding
from revolute.identification.checks.signs import sign_advice
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.log import Log
from revolute.identification.samples import Array, Samples
from revolute.io.plain import listed

BEYOND = 0.05
"""Distance beyond a limit from which it is reported [rad, m]."""


def beyond_limits(model: ForceModel, samples: Samples) -> list[LogFinding]:
    """Findings about units, zeros and signs of positions."""
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


FACTOR = 3.0
"""Maximum ratio to the forces of the description without a finding."""


def strange_sizes(log: Log | Samples, model: ForceModel, samples: Samples) -> list[LogFinding]:
    """Forces compared to those of the description, with fitted friction, offset and terms of the model."""
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
    mend = sign_advice(model, samples, wrong) if wrong else ""
    found = [
        LogFinding("reversed", (name,), f"forces of '{name}' are opposite to those of its description: a sign is "
                   f"reversed; {mend}")
        for name in wrong
    ]  # fmt: skip
    return found + _strange_factors(model, ratios)


def _strange_factors(model: ForceModel, ratios: dict[str, float]) -> list[LogFinding]:
    """Findings about sizes, from ratios of forces to those of the description, by coordinate."""
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
