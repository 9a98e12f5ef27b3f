"""Signs of forces and positions: friction must brake."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from revolute.errors import advice
from revolute.identification.checks.finding import LogFinding
from revolute.identification.checks.unexplained_share import Explained
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

__all__ = ["reversed_signs", "sign_advice"]

SURE = 8.0
"""Standard errors by which a number must be negative."""

DISSIPATED = 0.02
"""Share of a joint's power that friction must take, or give, to determine a sign."""

CLEARLY = 0.8
"""Positions are said to have the other sign if that leaves less than this share of what is left with other forces."""

def reversed_signs(model: ForceModel, samples: Samples) -> list[LogFinding]:
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
    mend = sign_advice(model, samples, wrong) if wrong else ""
    return [
        LogFinding("reversed", (name,), f"friction of '{name}' drives it instead of braking it: its forces or "
                   f"positions have the wrong sign; {mend}")
        for name in wrong
    ]  # fmt: skip


def sign_advice(model: ForceModel, samples: Samples, names: list[str]) -> str:
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
