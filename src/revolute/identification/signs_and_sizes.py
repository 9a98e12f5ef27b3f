"""Signs and sizes of forces: friction must brake, and a description tells how large forces are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import advice
from revolute.identification.doubt import Doubt
from revolute.identification.explained import Explained
from revolute.identification.force_model import ForceModel
from revolute.identification.log import Log
from revolute.identification.samples import Samples

__all__ = ["reversed_signs", "strange_sizes"]

Array = NDArray[Any]

SURE = 8.0
"""Standard errors by which a number must be negative."""

DISSIPATED = 0.02
"""Share of a joint's power that friction must take, or give, to tell a sign."""

CLEARLY = 0.8
"""Positions are said to have the other sign if that leaves less than this share of what is left with other forces."""

FACTOR = 3.0
"""Forces whose size differs from that of the description by more than this are doubtful."""


def reversed_signs(model: ForceModel, samples: Samples) -> list[Doubt]:
    """Friction brakes. Where its fit drives, forces or positions have the wrong sign."""
    measured = samples.measured
    if not len(measured):
        return []
    Y, scale = model.regressor(samples), samples.tau[:, measured].std(axis=0)
    A = (Y[:, measured] / scale[:, None]).reshape(-1, Y.shape[-1])
    b = (samples.tau[:, measured] / scale).reshape(-1)
    explained, product = Explained(A.T @ A), A.T @ b
    values = explained.values(product)
    left = float(explained.shares(product[:, None], b @ b)[0] * (b @ b)) / max(len(b) - int(explained.rank), 1)
    wrong = [
        name
        for k, name in enumerate(model.robot.coordinate_names)
        if k in measured and _drives(model, samples, Y, k, values, left**0.5 * explained.root)
    ]
    mend = _turned(model, samples, wrong) if wrong else ""
    return [
        Doubt("reversed", (name,), f"friction of '{name}' drives it instead of braking it: its forces or its positions "
              f"have the wrong sign; {mend}")
        for name in wrong
    ]  # fmt: skip


def _turned(model: ForceModel, samples: Samples, names: list[str]) -> str:
    """How to turn the signs of some coordinates: of their forces or of their positions, whichever explains more."""
    single = all(body.joint.nq == body.joint.nv for body in model.robot.space.bodies)
    chosen = np.isin(model.robot.coordinate_names, names)
    signs = np.where(chosen, -1.0, 1.0)
    forces = replace(samples, tau=signs * samples.tau)
    turned, prefix = "forces", ""
    if single:
        moved = replace(samples, q=signs * samples.q, qd=signs * samples.qd, qdd=signs * samples.qdd)
        if _unexplained(model, moved) < CLEARLY * _unexplained(model, forces):
            turned, prefix = "positions", "q."
    every = set(names) == {model.robot.coordinate_names[k] for k in samples.measured}
    words = [prefix + "all"] if every else [prefix + name for name in names]
    how = advice(f"read_log(..., flip={words})", f"--flip {','.join(words)}")
    return f"{turned} are explained best with the other sign: {how}"


def _unexplained(model: ForceModel, samples: Samples) -> float:
    """Share of the squared forces, each joint's by its own scale, that no parameters explain."""
    measured = samples.measured
    scale = samples.tau[:, measured].std(axis=0)
    A = (model.regressor(samples)[:, measured] / scale[:, None]).reshape(-1, len(model.names))
    b = (samples.tau[:, measured] / scale).reshape(-1)
    return float(Explained(A.T @ A).shares((A.T @ b)[:, None], b @ b)[0])


def _drives(model: ForceModel, samples: Samples, Y: Array, k: int, values: Array, spread: Array) -> bool:
    """Whether friction of a coordinate gives power, beyond errors; `spread` spread^T is the covariance of `values`."""
    frictions = [f"{model.robot.coordinate_names[k]}.{kind}" for kind in ("damping", "friction")]
    columns = [model.names.index(name) for name in frictions if name in model.names]
    power = (Y[:, k, columns] * samples.qd[:, k : k + 1]).mean(axis=0)  # of each of them, for a parameter of 1
    taken = float(power @ values[columns])
    error = float(np.linalg.norm(power @ spread[columns]))
    whole = float(samples.tau[:, k].std() * samples.qd[:, k].std())
    return bool(columns) and taken < -DISSIPATED * whole and taken < -SURE * error


def strange_sizes(log: Log | Samples, model: ForceModel, samples: Samples) -> list[Doubt]:
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
    wrong = [name for name, ratio in ratios.items() if ratio < 0]
    mend = _turned(model, samples, wrong) if wrong else ""
    found = [
        Doubt("reversed", (name,), f"forces of '{name}' go against those of its description: a sign is reversed; "
              f"{mend}")
        for name in wrong
    ]  # fmt: skip
    return found + _strange_factors(model, ratios)


def _strange_factors(model: ForceModel, ratios: dict[str, float]) -> list[Doubt]:
    """Doubts about sizes, from those of the log over those of the description, by coordinate."""
    of_base = {name for name, x in zip(model.robot.coordinate_names, model.floating, strict=True) if x}
    joints, found = {name: x for name, x in ratios.items() if name not in of_base}, []
    middle = float(np.median([abs(x) for x in joints.values()])) if joints else 1.0
    if not 1 / FACTOR <= middle <= FACTOR:
        shown = ", ".join(f"{name} {x:.2g}" for name, x in joints.items())
        text = (
            f"forces are not those of the description, but times: {shown}. Are they currents, or torques of motors? "
            "Give "
        ) + advice(
            "motor_side=MotorSide(ratios=..., gains=...), and units={'tau': 'A'} for currents",
            "--gains for currents, and ratios of [motor_side] in a file of --columns",
        )
        found.append(Doubt("size of forces", tuple(joints), text))
    strange = {name: x for name, x in ratios.items() if name in of_base and not 1 / FACTOR <= abs(x) <= FACTOR}
    if strange:
        shown = ", ".join(f"{name} {x:.2g}" for name, x in strange.items())
        text = f"wrenches are not those of the description, but times: {shown}. Are they in N and N m?"
        found.append(Doubt("size of forces", tuple(strange), text))
    return found
