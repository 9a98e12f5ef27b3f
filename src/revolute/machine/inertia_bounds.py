"""Bounds of the mass matrix over all configurations, by search and by proof. SHV 6.120-6.121."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from revolute.arguments import whole_number
from revolute.errors import InputError
from revolute.machine.machine import Array
from revolute.machine.robot import Robot

_STARTS = 8
_STEPS = 60


@dataclass(frozen=True, eq=False)
class InertiaBounds:
    """Bounds of the eigenvalues of M: lambda_m 1 <= M(q) <= lambda_M 1.

    Attributes:
        lowest, highest: smallest and largest eigenvalues found: lambda_m <= lowest, highest <= lambda_M.
        q_lowest, q_highest: (nq,) configurations in which M has these eigenvalues [rad, m].
        floor: proved lower bound of all eigenvalues, also beyond limits if all joints are revolute or prismatic; 0 if
            no bound is found, as for massless links; -inf if a link has a negative mass or principal moment.
        ceiling: proved upper bound of all eigenvalues, up to rounding; inf if a prismatic joint has no limits.
        samples: number of random configurations.
    """

    lowest: float
    highest: float
    q_lowest: Array
    q_highest: Array
    floor: float
    ceiling: float
    samples: int


def inertia_bounds(robot: Robot, samples: int, rng: np.random.Generator | int | None) -> InertiaBounds:
    """See `Robot.inertia_bounds`."""
    samples = whole_number("inertia_bounds: samples", samples, 1)
    if robot.nv == 0:
        raise InputError(f"inertia_bounds: robot '{robot.name}' has no moving joint, and so no mass matrix")
    q = robot.random_configuration(samples, rng=rng)
    eigenvalues = np.linalg.eigvalsh(robot.mass_matrix(q))
    low = _search(robot, q[np.argsort(eigenvalues[:, 0])[:_STARTS]], -1)
    high = _search(robot, q[np.argsort(-eigenvalues[:, -1])[:_STARTS]], 1)
    return InertiaBounds(low[0], high[0], low[1], high[1], floor(robot), ceiling(robot), samples)


def _search(robot: Robot, q: Array, sign: int) -> tuple[float, Array]:
    """Maximize (or minimize) an eigenvalue along its gradient v^T dM/dq v; return the best value and configuration."""
    # Steps without improvement are undone and halved. Joints stay within their limits; prismatic joints without limits,
    # and joints with several coordinates, do not move.
    movable = [
        (at.start, rate.start)
        for k, (body, at, rate) in enumerate(zip(robot.bodies, robot.q_index, robot.v_index, strict=True))
        if body.joint.nv == 1 and math.isfinite(reach(robot, k))
    ]
    places, rates = ([pair[k] for pair in movable] for k in (0, 1))
    value, gradient = _eigenvalue(robot, q, sign)
    step = np.full((len(q), 1), 0.3)
    for _ in range(_STEPS):
        direction = sign * gradient[:, rates]
        size = np.abs(direction).max(axis=-1, initial=0, keepdims=True)
        trial = q.copy()
        trial[:, places] += step * np.divide(direction, size, out=np.zeros_like(direction), where=size > 0)
        trial = np.clip(trial, robot.lower_limits, robot.upper_limits)
        trial_value, trial_gradient = _eigenvalue(robot, trial, sign)
        better = sign * (trial_value - value) > 0
        q = np.where(better[:, None], trial, q)
        gradient = np.where(better[:, None], trial_gradient, gradient)
        value = np.where(better, trial_value, value)
        step = np.where(better[:, None], np.minimum(step * 1.5, 1.0), step / 2)
    best = int(np.argmax(sign * value))
    return float(value[best]), q[best]


def _eigenvalue(robot: Robot, q: Array, sign: int) -> tuple[Array, Array]:
    """The largest (or smallest) eigenvalue of M, and its derivatives along the joint velocities."""
    values, vectors = np.linalg.eigh(robot.mass_matrix(q))
    v = vectors[..., -1 if sign > 0 else 0]
    gradient: Array = np.einsum("bi,bijk,bj->bk", v, robot.mass_matrix_partials(q), v)
    return values[..., -1 if sign > 0 else 0], gradient


ROUNDING = 1e-12
"""Principal moment, relative to the largest one, or component of a unit vector, below which it counts as zero."""


def ceiling(robot: Robot) -> float:
    """An upper bound of the trace of M, and so of its eigenvalues, over all configurations within limits.

    M_jj is the inertia of all bodies i beyond joint j. About a revolute axis body i adds at most lambda(I_i) + m_i
    rho_ij^2: lambda is the greatest eigenvalue of I_i about its centre of mass, rho_ij the length of the path from
    joint j to this centre, through all joints between. Along a prismatic axis it adds m_i. A free joint has three axes
    of each kind. For a screw of pitch h it adds at most (sqrt(lambda(I_i) + m_i rho_ij^2) + |h| sqrt(m_i))^2.
    """
    return float(sum(sum(_largest_inertias(robot, i).values()) for i in range(1, len(robot.bodies))))


def floor(robot: Robot) -> float:
    """A lower bound of the eigenvalues of M, over all configurations within limits.

    qd^T M qd is the sum of E_i = V_i^T G_i V_i, twice the kinetic energies of the bodies. The following inequalities
    give a constant matrix T with |qd| <= T sqrt(E): qd_i is the velocity of joint i (for several coordinates a vector),
    sqrt(E) is the column of all sqrt(E_i), and <= holds row by row. So |qd|^2 <= |T|^2 qd^T M qd in the spectral norm:

        M(q) >= 1 / |T|^2 1.

    Each row follows from one of two inequalities for the joint i between a body and its parent p:

    1. For a joint with one axis a. If S^T F = 1 for a wrench F, then qd_i = F.(V_i - V_p), and |F.V| <=
       sqrt(F^T G^-1 F) sqrt(E) by the Cauchy-Schwarz inequality. If F is a moment a about a revolute or screw axis,
       F^T G^-1 F = a^T Ic^-1 a for both bodies. If F is a force a along a prismatic axis, through the body's centre of
       mass, F^T G^-1 F is 1/m for the body, and 1/m + b^T Ic^-1 b with m and Ic of the parent, where b = r x a, and r
       joins the centres of mass. The joint turns about a, or changes r along a, so that all these terms are constant,
       even without joint limits. Ic is the inertia about the centre of mass.

           |qd_i| <= sqrt(F^T G_i^-1 F) sqrt(E_i) + sqrt(F^T G_p^-1 F) sqrt(E_p)

    2. For any joint. V_i is the sum of S_j qd_j over joint i and the joints j that carry it. By the triangle inequality
       in the norm sqrt(V^T G_i V), with h_i the least eigenvalue of S_i^T G_i S_i, and a_ij the bounds of `ceiling`:

           sqrt(h_i) |qd_i| <= sqrt(E_i) + sum_j sqrt(a_ij) |qd_j|

    The first is used where its constants are finite and the parent is not the base, otherwise the second. Together,
    |qd| <= N |qd| + B sqrt(E). N is not negative and strictly lower triangular. So (1 - N)^-1 is not negative either,
    may multiply the inequality, and T = (1 - N)^-1 B.

    Returns:
        the bound; 0 if a row has no finite constants, -inf if some G_i is indefinite, so that E_i may be negative.
    """
    bodies = robot.bodies
    if not all(_is_semidefinite(robot, i) for i in range(1, len(bodies))):
        return -math.inf
    N, B = np.zeros((2, len(bodies), len(bodies)))
    for i, body in enumerate(bodies[1:], 1):
        if body.joint.nv == 0:
            continue
        pair = _compliances(robot, i) if body.parent and body.joint.nv == 1 else (math.inf, math.inf)
        if math.isfinite(sum(pair)):
            B[i, i], B[i, body.parent] = np.sqrt(pair)
            continue
        h = _least_inertia(robot, i)
        carried = _largest_inertias(robot, i)
        if h <= 0 or not math.isfinite(sum(carried.values())):
            return 0.0
        B[i, i] = 1 / math.sqrt(h)
        for j in carried.keys() - {i}:
            N[i, j] = math.sqrt(max(carried[j], 0) / h)
    T = np.linalg.solve(np.eye(len(bodies)) - N, B)
    return float(1 / np.linalg.norm(T, 2) ** 2)


def reach(robot: Robot, j: int) -> float:
    """Largest distance by which joint j can move the origin of its body, within the limits of the joint."""
    at = robot.q_index[j]
    return robot.bodies[j].joint.reach(robot.lower_limits[at].tolist(), robot.upper_limits[at].tolist())


def _largest_inertias(robot: Robot, i: int) -> dict[int, float]:
    """{j: bound of body i's share in the trace of joint j's block of M} for joint i and all joints j that carry it."""
    m, Ic, com = _about_com(robot, i)
    principal = np.linalg.eigvalsh(Ic).tolist()
    distance, j = float(np.linalg.norm(com)), i
    largest = {}
    while j > 0:
        body = robot.bodies[j]
        largest[j] = body.joint.largest_inertia(m, principal, distance)
        distance += float(np.linalg.norm(np.array(body.placement.p, dtype=float))) + reach(robot, j)
        j = body.parent
    return largest


def _least_inertia(robot: Robot, i: int) -> float:
    """h_i, the least eigenvalue of S_i^T G_i S_i; 0 if it is within rounding of 0."""
    S = robot.bodies[i].joint.columns()
    momenta = [robot.bodies[i].inertia.momentum(column) for column in S]
    block = np.array([[column.power(F) for F in momenta] for column in S], dtype=float)
    values = np.linalg.eigvalsh(block)
    return float(values[0]) if values[0] > ROUNDING * values[-1] else 0.0


def _compliances(robot: Robot, i: int) -> tuple[float, float]:
    """F^T G^-1 F for body i and for its parent, where F is the wrench along joint i's axis: see `floor`."""
    body = robot.bodies[i]
    (m, Ic, com), (m_parent, Ic_parent, com_parent) = _about_com(robot, i), _about_com(robot, body.parent)
    R, p = np.array(body.placement.R.matrix(), dtype=float), np.array(body.placement.p, dtype=float)
    (S,) = body.joint.columns()
    a = np.array(S.ang, dtype=float)
    if a.any():
        return _inverse(Ic, a), _inverse(Ic_parent, R @ a)
    a = np.array(S.lin, dtype=float)
    if not (m > 0 and m_parent > 0):
        return math.inf, math.inf
    return 1 / m, 1 / m_parent + _inverse(Ic_parent, np.cross(p + R @ com - com_parent, R @ a))


def _inverse(Ic: Array, a: Array) -> float:
    """a^T Ic^-1 a; inf if a has a component along a principal axis without inertia."""
    values, vectors = np.linalg.eigh(Ic)
    parts = vectors.T @ a
    held = values > ROUNDING * values[-1]
    if np.linalg.norm(parts[~held]) > ROUNDING * max(1.0, float(np.linalg.norm(a))):
        return math.inf
    return float(np.sum(parts[held] ** 2 / values[held]))


def _about_com(robot: Robot, i: int) -> tuple[float, Array, Array]:
    """Mass of body i, its inertia about its centre of mass, and its centre of mass."""
    inertia = robot.bodies[i].inertia
    return float(inertia.m), np.array(inertia.about_com(), dtype=float), np.array(inertia.com(), dtype=float)


def _is_semidefinite(robot: Robot, i: int) -> bool:
    m, Ic, _ = _about_com(robot, i)
    principal = np.linalg.eigvalsh(Ic)
    massless = m == 0 and not any(float(x) for x in robot.bodies[i].inertia.h)
    return (m > 0 or massless) and bool(principal[0] >= -ROUNDING * abs(principal[-1]))
