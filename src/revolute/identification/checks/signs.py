"""Signs of forces and positions: friction must brake."""

from dataclasses import replace

import numpy as np

from revolute.errors import advice
from revolute.identification.checks.finding import LogFinding
from revolute.identification.checks.unexplained_share import Explained, unexplained_share
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

SURE, DISSIPATED = 8.0, 0.02
"""Minimum negative power of friction for a finding: in standard errors, and as a fraction of a joint's power."""

CLEARLY = 0.8
"""Positions rather than forces are reversed if their residual is below this fraction of that of the forces."""


def reversed_signs(model: ForceModel, samples: Samples) -> list[LogFinding]:
    """Findings about joints where fitted friction drives instead of braking: a sign is reversed."""
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
    mend = sign_advice(model, samples, wrong) if wrong else ""
    return [
        LogFinding("reversed", (name,), f"friction of '{name}' accelerates it instead of braking it: its forces or "
                   f"positions have the wrong sign; {mend}")
        for name in wrong
    ]  # fmt: skip


def sign_advice(model: ForceModel, samples: Samples, names: list[str]) -> str:
    """Advice on reversing signs of some coordinates: of forces or of positions, by the smaller residual."""
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
    """Rows of the regressor (T, nv, p) and of the measured forces, each joint's divided by its standard deviation."""
    measured = samples.measured
    scale = samples.tau[:, measured].std(axis=0)
    A = (Y[:, measured] / scale[:, None]).reshape(-1, Y.shape[-1])
    return A, (samples.tau[:, measured] / scale).reshape(-1)


def _drives(model: ForceModel, samples: Samples, Y: Array, k: int, values: Array, spread: Array) -> bool:
    """Whether friction of a coordinate adds power, significantly; `spread` spread^T is the covariance of `values`."""
    frictions = [f"{model.robot.coordinate_names[k]}.{kind}" for kind in ("damping", "friction")]
    columns = [model.names.index(name) for name in frictions if name in model.names]
    power = (Y[:, k, columns] * samples.qd[:, k : k + 1]).mean(axis=0)  # power of each, for a parameter of 1
    taken = float(power @ values[columns])
    error = float(np.linalg.norm(power @ spread[columns]))
    whole = float(samples.tau[:, k].std() * samples.qd[:, k].std())
    return bool(columns) and taken < -DISSIPATED * whole and taken < -SURE * error
