"""The regressor of the parameters of links and drives, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.drive_forces import bells, drive_column, rotor_inertias, signs
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.regressor import regressor
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar

__all__ = ["drive_parameters", "driven_regressor"]

State = Sequence[Scalar]


def drive_parameters(model: Model, drives: Drivetrain) -> list[tuple[str, int, Scalar]]:
    """Kind, place in qd and value of the drives' parameters: forces are linear in them.

    Armature (with rotors that are no bodies), damping and friction of every coordinate;
    `stribeck` where it has a speed, `stiffness` where there is a spring; the inertia of every
    rotor that is a body.
    """
    kinds = {name: drive_column(model, name) for name in ("armature", "damping", "friction", "stribeck", "stiffness")}
    present = {"stribeck": drive_column(model, "stribeck_speed"), "stiffness": kinds["stiffness"]}
    joints = range(model.nv - len(drives.rotors))
    parameters = [
        (kind, k, values[k])
        for kind, values in {**kinds, "armature": rotor_inertias(model)}.items()
        for k in joints
        if kind not in present or present[kind][k] != 0
    ]
    for k, body in enumerate(model.bodies[len(model.bodies) - len(drives.rotors) :], len(joints)):
        parameters.append(("rotor_inertia", k, sum(body.inertia.I[i][i] for i in range(3))))
    return parameters


def driven_regressor(model: Model, drives: Drivetrain, p: State, pd: State, pdd: State) -> list[State]:
    """Y with tau = Y pi, where pi are the links' inertial parameters, then those of `drive_parameters`. GOA 15-16.

    Returns:
        a row for every independent coordinate.
    """
    q, qd, qdd = drives.positions(model, p), drives.rates(pd), drives.rates(pdd)
    width = 10 * (len(model.bodies) - 1)
    Y = regressor(model, q, qd, qd, qdd)
    rows = [Y[k * width : (k + 1) * width] for k in range(model.nv)]
    columns = [*zip(*rows, strict=True)][: width - 10 * len(drives.rotors)]
    rests = drive_column(model, "rest")
    factors = {
        "armature": qdd,
        "damping": qd,
        "friction": signs(qd, drives.smoothing),
        "stribeck": [b * s for b, s in zip(bells(model, qd), signs(qd, drives.smoothing), strict=True)],
    }
    for kind, k, _ in drive_parameters(model, drives):
        if kind == "rotor_inertia":
            columns.append(_rotor(model, drives, rows, k))
        else:
            x = q[_position(model, k)] - rests[k] if kind == "stiffness" else factors[kind][k]
            columns.append(tuple(x if i == k else 0 for i in range(model.nv)))
    return [*zip(*map(drives.projected, columns), strict=True)]


def _rotor(model: Model, drives: Drivetrain, rows: Sequence[State], k: int) -> tuple[Scalar, ...]:
    """The column of I_m: the rotor's inertia is I_m a a^T, subtracted from its carrier's if that includes it."""
    i = k - model.nv + len(model.bodies)
    rotor = model.bodies[i]
    axis = rotor.joint.columns()[0].ang
    terms = [(10 * (i - 1), axis, 1)]
    if drives.rotors[i - len(model.bodies)] and rotor.parent > 0:
        terms.append((10 * (rotor.parent - 1), rotor.placement.R @ axis, -1))
    column = []
    for row in rows:
        parts = (
            sign * s * row[at + n]
            for at, (x, y, z), sign in terms
            for n, s in enumerate((x * x, y * y, z * z, x * y, x * z, y * z), 4)
            if s != 0
        )
        column.append(sum(parts))
    return tuple(column)


def _position(model: Model, k: int) -> int:
    """The place in q of the coordinate with velocity k, of a one-axis joint."""
    start: int = model.q_index[[rate.start for rate in model.v_index].index(k, 1)].start
    return start
