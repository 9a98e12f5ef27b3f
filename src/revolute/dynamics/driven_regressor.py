"""Regressors of the parameters of links and drives, for any scalar type."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from revolute.dynamics.drive_forces import PARAMETERS, energy_columns, force_columns, rotor_inertias
from revolute.dynamics.drive_terms import coordinates
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from revolute.dynamics.regressor import regressor
from revolute.model.body import is_parameter
from revolute.model.model import Model
from revolute.spatial import ZERO, Scalar, Scalars


def drive_parameters(model: Model, drives: Drivetrain) -> list[tuple[str, int, Scalar]]:
    """(kind, index in phid, value) of each drive parameter in which joint forces are linear.

    Kinds are armature (including rotors that are not bodies), damping and friction for every joint velocity;
    `friction_backward` where it is set, `stribeck` where its speed is set, `stiffness` where there is a spring; and
    `rotor_inertia` for every rotor that is a body.
    """
    drives_of, I_a = coordinates(model), rotor_inertias(model)
    own = [(body.drive, k) for body in model.bodies for k in range(body.joint.nv)]
    joints = range(model.nv - len(drives.rotors))
    parameters = [
        (name, k, I_a[k] if name == "armature" else drives_of[k][name])
        for name in PARAMETERS
        for k in joints
        if is_parameter(own[k][0], name, own[k][1])
    ]
    for k, body in enumerate(model.bodies[len(model.bodies) - len(drives.rotors) :], len(joints)):
        parameters.append(("rotor_inertia", k, sum(body.inertia.I[i][i] for i in range(3))))
    return parameters


def driven_regressor(model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalars]:
    """Y with tau = Y pi, where pi are inertial parameters, then `drive_parameters`. GOA 15-16."""
    return driven_slotine_li_regressor(model, drives, q, qd, qd, qdd)


def driven_slotine_li_regressor(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdr: Scalars, qddr: Scalars,
    slotine_li: Callable[..., list[Scalar]] = regressor,
) -> list[Scalars]:
    """Y with Y pi = M(q) qddr + C(q, qd) qdr + g(q) + friction(qd) + springs(q). GOA 15-16.

    C is the matrix of Christoffel symbols, or A^T C A with the tree's C of `slotine_li`: see `goa_regressor`.
    """
    phi, phid, phiddr = drives.positions(model, q), drives.rates(qd), drives.rates(qddr)
    Y = slotine_li(model, phi, phid, drives.rates(qdr), phiddr)
    factors = {"armature": phiddr, **force_columns(model, phi, phid, drives.smoothing)}
    return _of_forces(model, drives, Y, factors)


def driven_gravity_regressor(model: Model, drives: Drivetrain, q: Scalars) -> list[Scalars]:
    """Y with A^T g = Y pi. GOA 13c."""
    still = (0,) * model.nv
    return _of_forces(model, drives, regressor(model, drives.positions(model, q), still, still, still), {})


def driven_momentum_regressor(model: Model, drives: Drivetrain, q: Scalars, qd: Scalars) -> list[Scalars]:
    """Y with M qd = Y pi: the forces that produce accelerations qd at rest and without gravity. GOA 8, 14."""
    still, phid = (0,) * model.nv, drives.rates(qd)
    Y = regressor(replace(model, gravity=ZERO), drives.positions(model, q), still, still, phid)
    return _of_forces(model, drives, Y, {"armature": phid})


def driven_mass_matrix_regressor(model: Model, drives: Drivetrain, q: Scalars) -> list[Scalars]:
    """dM/dpi, row by row: column j is the momentum at unit velocity of coordinate j. GOA 13a."""
    columns = [driven_momentum_regressor(model, drives, q, e) for e in _units(drives.space.nv)]
    return [row for rows in zip(*columns, strict=True) for row in rows]


def driven_coriolis_matrix_regressor(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, slotine_li: Callable[..., list[Scalar]] = regressor
) -> list[Scalars]:
    """dC/dpi, row by row: column j is the force C e_j at unit reference velocity of coordinate j. GOA 13b.

    For `slotine_li` see `driven_slotine_li_regressor`.
    """
    floating, still = replace(model, gravity=ZERO), (0,) * model.nv
    phi, phid = drives.positions(model, q), drives.rates(qd)
    columns = [
        _of_forces(model, drives, slotine_li(floating, phi, phid, drives.rates(e), still), {})
        for e in _units(drives.space.nv)
    ]
    return [row for rows in zip(*columns, strict=True) for row in rows]


def driven_energy_regressor(model: Model, drives: Drivetrain, q: Scalars, qd: Scalars) -> tuple[Scalars, Scalars]:
    """Regressor rows of two energies: T of links and rotors, and U of gravity and springs."""
    phi, phid = drives.positions(model, q), drives.rates(qd)
    T, U = kinetic_energy_regressor(model, phi, phid), potential_energy_regressor(model, phi)
    return (
        _with_drives(model, drives, T, {"armature": [v * v * 0.5 for v in phid]}),
        _with_drives(model, drives, U, energy_columns(model, phi)),
    )


def _of_forces(model: Model, drives: Drivetrain, Y: Scalars, factors: Mapping[str, Scalars]) -> list[Scalars]:
    """Regressor rows of all coordinates, from a tree's regressor Y and the coefficients of each joint's own drive."""
    width = 10 * (len(model.bodies) - 1)
    rows = [
        _with_drives(
            model,
            drives,
            Y[k * width : (k + 1) * width],
            {kind: [x if i == k else 0 for i, x in enumerate(column)] for kind, column in factors.items()},
        )
        for k in range(model.nv)
    ]
    return [*zip(*map(drives.projected, zip(*rows, strict=True)), strict=True)]


def _with_drives(model: Model, drives: Drivetrain, row: Scalars, factors: Mapping[str, Scalars]) -> list[Scalar]:
    """A row of a tree's regressor, without rotors, followed by the coefficients of `drive_parameters`."""
    links = [*row[: len(row) - 10 * len(drives.rotors)]]
    nothing = (0,) * model.nv
    for kind, k, _ in drive_parameters(model, drives):
        links.append(_rotor(model, drives, row, k) if kind == "rotor_inertia" else factors.get(kind, nothing)[k])
    return links


def _units(n: int) -> list[list[int]]:
    return [[int(i == j) for i in range(n)] for j in range(n)]


def _rotor(model: Model, drives: Drivetrain, row: Scalars, k: int) -> Scalar:
    """The coefficient of a rotor's I_m; I_m a a^T is subtracted from a carrier's inertia that includes the rotor."""
    i = k - model.nv + len(model.bodies)
    rotor = model.bodies[i]
    axis = rotor.joint.columns()[0].ang
    terms = [(10 * (i - 1), axis, 1)]
    if drives.rotors[i - len(model.bodies)] and rotor.parent > 0:
        terms.append((10 * (rotor.parent - 1), rotor.placement.R @ axis, -1))
    return sum(
        sign * s * row[at + n]
        for at, (x, y, z), sign in terms
        for n, s in enumerate((x * x, y * y, z * z, x * y, x * z, y * z), 4)
        if s != 0
    )
