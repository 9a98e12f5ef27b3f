"""Kinetic, potential and total energy, Lagrangian, Hamiltonian, power, and energy regressors, for any scalar type."""

from collections.abc import Sequence

from revolute.dynamics.hamilton import velocities
from revolute.dynamics.kinematics import poses_in_parents, twists
from revolute.dynamics.newton_euler import newton_euler
from revolute.model import Model, reduced
from revolute.spatial import ZERO, Matrix, Scalar, Scalars, Transform, Vector, cross, dot


def kinetic_energy(model: Model, q: Scalars, qd: Scalars) -> Scalar:
    """T = sum_i (m |v_c|^2 + w^T I_c w) / 2, about centres of mass. JIN 29-37; LP 9.24, 9.59."""
    T: Scalar = 0
    for body, V in zip(model.bodies[1:], twists(model, poses_in_parents(model, q), qd)[1:], strict=True):
        m, h, r = body.inertia.m, body.inertia.h, body.inertia.com()
        v = V.lin + cross(V.ang, r)
        T = T + dot(v, v) * (m / 2) + _quadratic(V.ang, body.inertia.about_com()) / 2
        if m == 0:  # a body with regrouped parameters may have a first moment but no mass
            T = T + dot(h, cross(V.lin, V.ang))
    return T


def potential_energy(model: Model, q: Scalars) -> Scalar:
    """U = -g . sum_i m_i r_i; it is zero if the centre of mass is at the base's origin. JIN 38.

    The base does not move, so its mass is excluded.
    """
    return -dot(model.gravity, first_moment(model, poses_in_parents(model, q))[1])


def first_moment(model: Model, X: Sequence[Transform]) -> tuple[Scalar, Vector]:
    """Mass [kg] and first moment [kg m] of bodies 1 ... n about the base's origin, expressed in the base frame.

    Subtrees are summed towards the base, whose mass is excluded. X contains the pose of each body in its parent.
    """
    m: list[Scalar] = [0, *(body.inertia.m for body in model.bodies[1:])]
    h = [ZERO, *(body.inertia.h for body in model.bodies[1:])]
    for i in range(len(X) - 1, 0, -1):
        parent = model.bodies[i].parent
        h[parent] += X[i].R @ h[i] + X[i].p * m[i]
        m[parent] += m[i]
    return m[0], h[0]


def lagrangian(model: Model, q: Scalars, qd: Scalars) -> Scalar:
    """The Lagrangian T - U."""
    return kinetic_energy(model, q, qd) - potential_energy(model, q)


def total_energy(model: Model, q: Scalars, qd: Scalars) -> Scalar:
    """The total energy T + U."""
    return kinetic_energy(model, q, qd) + potential_energy(model, q)


def hamiltonian(model: Model, q: Scalars, p: Scalars) -> Scalar:
    """The Hamiltonian p^T M^-1 p / 2 + U."""
    qd = velocities(reduced(model), q, p)
    return sum(a * b for a, b in zip(p, qd, strict=True)) / 2 + potential_energy(model, q)


def power(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> Scalar:
    """The power qd^T tau of the joint forces."""
    return sum(v * force for v, force in zip(qd, newton_euler(model, q, qd, qdd), strict=True))


def kinetic_energy_regressor(model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
    """10 n scalars whose product with the inertial parameters is the kinetic energy. GOA 8."""
    row: list[Scalar] = []
    for V in twists(model, poses_in_parents(model, q), qd)[1:]:
        (x, y, z), v = V.ang, V.lin
        row += [dot(v, v) / 2, *cross(v, V.ang), x * x / 2, y * y / 2, z * z / 2, x * y, x * z, y * z]
    return row


def potential_energy_regressor(model: Model, q: Scalars) -> list[Scalar]:
    """10 n scalars whose product with the inertial parameters is the potential energy."""
    g = [model.gravity] * len(model.bodies)  # in each body's frame
    height: list[Scalar] = [0] * len(model.bodies)  # energy of a unit mass at each body's origin
    row: list[Scalar] = []
    for i, body in enumerate(model.bodies[1:], 1):
        X = body.placement @ body.joint.transform(q[model.q_index[i]])
        height[i] = height[body.parent] - dot(g[body.parent], X.p)
        g[i] = X.R.T @ g[body.parent]
        row += [height[i], *-g[i], 0, 0, 0, 0, 0, 0]
    return row


def _quadratic(w: Vector, I: Matrix) -> Scalar:
    """w^T I w, in nine multiplications."""
    x, y, z = w
    return (
        x * (x * I[0][0] + y * (2 * I[0][1]) + z * (2 * I[0][2]))
        + y * (y * I[1][1] + z * (2 * I[1][2]))
        + z * (z * I[2][2])
    )
