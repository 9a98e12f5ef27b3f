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
        floor: proved lower bound of all eigenvalues, also beyond limits if all joints turn or slide; 0 if none is
            found, as with massless links; -inf if a link has a negative mass or principal moment.
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
        raise InputError(f"inertia_bounds: robot '{robot.name}' has no moving joint, so no mass matrix to bound")
    q = robot.random_configuration(samples, rng=rng)
    eigenvalues = np.linalg.eigvalsh(robot.mass_matrix(q))
    low = _search(robot, q[np.argsort(eigenvalues[:, 0])[:_STARTS]], -1)
    high = _search(robot, q[np.argsort(-eigenvalues[:, -1])[:_STARTS]], 1)
    return InertiaBounds(low[0], high[0], low[1], high[1], floor(robot), ceiling(robot), samples)


def _search(robot: Robot, q: Array, sign: int) -> tuple[float, Array]:
    """Climb (or descend) along the gradient v^T dM/dq v of an eigenvalue, from several configurations."""
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
    """The largest (or smallest) eigenvalue of M and its derivatives along the velocities."""
    values, vectors = np.linalg.eigh(robot.mass_matrix(q))
    v = vectors[..., -1 if sign > 0 else 0]
    gradient: Array = np.einsum("bi,bijk,bj->bk", v, robot.mass_matrix_partials(q), v)
    return values[..., -1 if sign > 0 else 0], gradient


ROUNDING = 1e-12
"""Principal moment, relative to the largest one, or component of a unit vector, below which it counts as zero."""


def ceiling(robot: Robot) -> float:
    """A bound of the trace of M, and so of its eigenvalues, over all configurations within limits.

    M_jj is the inertia of all bodies i beyond joint j. About a revolute axis body i adds at most lambda(I_i) + m_i
    rho_ij^2: lambda is the greatest eigenvalue of I_i about its centre of mass, rho_ij the length of the path from the
    joint to that centre, over the joints between. Along a prismatic axis it adds m_i. A free joint has three axes of
    both kinds. A screw of pitch h has at most (sqrt(lambda(I_i) + m_i rho_ij^2) + |h| sqrt(m_i))^2.
    """
    return float(sum(sum(_largest_inertias(robot, i).values()) for i in range(1, len(robot.bodies))))


def floor(robot: Robot) -> float:
    """A lower bound of the eigenvalues of M, over all configurations within limits.

    qd^T M qd is the sum of E_i = V_i^T G_i V_i, twice the kinetic energies of the bodies. Below, |qd| <= T sqrt(E) for
    a constant matrix T: qd_i is the velocity of joint i (a vector, for joints with several), sqrt(E) the column of the
    sqrt(E_i), and <= holds row by row. Then |qd|^2 <= |T|^2 qd^T M qd with the spectral norm, so that

        M(q) >= 1 / |T|^2 1.

    Each row is one of two inequalities for the joint i between a body and its parent p:

    1. For an axis a. A wrench F with S^T F = 1 has qd_i = F.(V_i - V_p), and by Cauchy and Schwarz |F.V| <=
       sqrt(F^T G^-1 F) sqrt(E). A moment a about a turning axis (or a screw's) has F^T G^-1 F = a^T Ic^-1 a on both
       bodies. For a force a along a slide, through the body's centre of mass, F^T G^-1 F is 1/m for the body, and
       1/m + b^T Ic^-1 b with the parent's m and Ic, where b = r x a and r joins the centres of mass. The joint turns
       about a, or adds to r along a: all these are constants, whatever the limits are. Ic is about the centre of mass.

           |qd_i| <= sqrt(F^T G_i^-1 F) sqrt(E_i) + sqrt(F^T G_p^-1 F) sqrt(E_p)

    2. For any joint. V_i is the sum of S_j qd_j over joint i and the joints j that carry it. By the triangle inequality
       in the norm sqrt(V^T G_i V), with h_i the least eigenvalue of S_i^T G_i S_i, and a_ij the bounds of `ceiling`:

           sqrt(h_i) |qd_i| <= sqrt(E_i) + sum_j sqrt(a_ij) |qd_j|

    The first is taken where its constants are finite, but at the base the second, which has no sum there. Together,
    |qd| <= N |qd| + B sqrt(E). N is not negative and has entries below the diagonal alone, so T = (1 - N)^-1 B is not
    negative either, and may multiply an inequality.

    Returns:
        the bound; 0 where a row has no finite constants, -inf where some G_i is indefinite: then E_i may be negative.
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
    """Largest distance that joint j moves its body's origin, within its limits."""
    at = robot.q_index[j]
    return robot.bodies[j].joint.reach(robot.lower_limits[at].tolist(), robot.upper_limits[at].tolist())


def _largest_inertias(robot: Robot, i: int) -> dict[int, float]:
    """Bounds of body i's part in the trace of joint j's block of M, for joint i and all joints that carry it."""
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
    """a^T Ic^-1 a; inf if a turns about an axis without inertia."""
    values, vectors = np.linalg.eigh(Ic)
    parts = vectors.T @ a
    held = values > ROUNDING * values[-1]
    if np.linalg.norm(parts[~held]) > ROUNDING * max(1.0, float(np.linalg.norm(a))):
        return math.inf
    return float(np.sum(parts[held] ** 2 / values[held]))


def _about_com(robot: Robot, i: int) -> tuple[float, Array, Array]:
    """Mass, inertia about the centre of mass, and the centre of mass."""
    inertia = robot.bodies[i].inertia
    return float(inertia.m), np.array(inertia.about_com(), dtype=float), np.array(inertia.com(), dtype=float)


def _is_semidefinite(robot: Robot, i: int) -> bool:
    m, Ic, _ = _about_com(robot, i)
    principal = np.linalg.eigvalsh(Ic)
    massless = m == 0 and not any(float(x) for x in robot.bodies[i].inertia.h)
    return (m > 0 or massless) and bool(principal[0] >= -ROUNDING * abs(principal[-1]))
