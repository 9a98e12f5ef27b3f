"""Implicit integration steps: the implicit midpoint rule and a variational integrator, over any scalar.

The unknown of both is the velocity u at the midpoint of the step. They are symmetric: a step of -h reverses it.
"""

from __future__ import annotations

from revolute.dynamics.coordinate_rates import normalized
from revolute.dynamics.mechanics import Mechanics
from revolute.dynamics.newton_iteration import converged_or_nan, newton
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars

__all__ = ["implicit_midpoint", "variational_midpoint"]


def implicit_midpoint(mechanics: Mechanics, q: Scalars, qd: Scalars, h: Scalar) -> tuple[Scalars, Scalars]:
    """The implicit midpoint rule, the one-stage Gauss method. Order 2, A-stable. Hairer, Lubich & Wanner II.1.

        ID(q_m, u, (qd1 - qd0)/h) = tau,    u = (qd0 + qd1)/2

    in the form of inverse dynamics; q_m is the midpoint from q0 to q1 = q0 + h u: see `Joint.midpoint`.
    """
    space = mechanics.space

    def residual(u: Scalars) -> Scalars:
        middle, _ = _midpoint(space, q, u, h)
        qdd = [(a - b) * (2 / h) for a, b in zip(u, qd, strict=True)]
        return [force * (h / 2) for force in mechanics.missing_forces(middle, u, qdd)]

    u, correction = newton(residual, qd)
    _, end = _midpoint(space, q, u, h)
    return _solved(normalized(space, end), [2 * a - b for a, b in zip(u, qd, strict=True)], u, qd, correction)


def variational_midpoint(mechanics: Mechanics, q: Scalars, qd: Scalars, h: Scalar) -> tuple[Scalars, Scalars]:
    """The variational integrator of the midpoint rule. Order 2, symplectic. Marsden & West 2001, 2.1, 2.6.

    The discrete Lagrangian is L_d(q0, q1) = h L(q_m, u), and forces act at the midpoint. Its discrete Legendre
    transforms give the momenta at both ends: `Joint.end_momenta`. u follows from the momentum at the start, M(q0) qd0;
    the new velocity from the momentum at the end, p1 = M(q1) qd1. Without joint forces L_d has the symmetries of L, so
    momenta of a free base are conserved, to the accuracy of the solution.
    """
    space = mechanics.space
    start, _ = mechanics.lagrangian_partials(q, qd)

    def ends(u: Scalars) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        middle, end = _midpoint(space, q, u, h)
        p, f = mechanics.lagrangian_partials(middle, u)
        first: list[Scalar] = []
        last: list[Scalar] = []
        for body, at in zip(space.bodies, space.v_index, strict=True):
            pair = body.joint.end_momenta([x * (h / 2) for x in u[at]], h, p[at], f[at])
            first.extend(pair[0])
            last.extend(pair[1])
        return first, last, end

    u, correction = newton(lambda u: [a - b for a, b in zip(ends(u)[0], start, strict=True)], qd)
    _, last, end = ends(u)
    end = normalized(space, end)
    return _solved(end, mechanics.velocities(end, last), u, qd, correction)


def _midpoint(space: Model, q: Scalars, u: Scalars, h: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """Positions at the midpoint and at the end of the step."""
    middle: list[Scalar] = []
    end: list[Scalar] = []
    for body, at, rate_at in zip(space.bodies, space.q_index, space.v_index, strict=True):
        pair = body.joint.midpoint(q[at], [x * (h / 2) for x in u[rate_at]])
        middle.extend(pair[0])
        end.extend(pair[1])
    return middle, end


def _solved(q: Scalars, qd1: Scalars, u: Scalars, qd0: Scalars, correction: Scalars) -> tuple[Scalars, Scalars]:
    """The new state; NaN if the equations were not solved, on the scale of the velocities and of their change."""
    measure = [*qd0, *(a - b for a, b in zip(u, qd0, strict=True))]
    whole = converged_or_nan([*q, *qd1], correction, measure)
    return whole[: len(q)], whole[len(q) :]
