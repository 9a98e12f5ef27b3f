"""Forward dynamics by articulated bodies, on the whole tree, for any scalar type."""

from __future__ import annotations

import math

from revolute.dynamics.articulated_inertia import ArticulatedInertia, along
from revolute.dynamics.kinematics import in_child
from revolute.dynamics.newton_euler import outward
from revolute.model.model import Model
from revolute.spatial import ZERO, Scalar, Scalars, Twist, Vector, Wrench, Wrenches


def articulated_body(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None, armature: Scalars | None = None,
    base_twist: Scalars = (0, 0, 0, 0, 0, 0), base_acceleration: Scalars = (0, 0, 0, 0, 0, 0),
) -> list[Scalar]:
    """Forward dynamics: the accelerations that joint forces produce. LP 9.1-9.2, 9.89; BP 6.1.1, section 6.1; RBDA 7.3.

        qdd = M(q)^-1 (tau - C(q, qd) qd - g(q) + sum_i J_i(q)^T wrench_i)

    Newton-Euler's outward pass with qdd = 0 computes the wrenches pA due to velocities and gravity. The rest is linear:
    a body's wrench is F = IA A + pA, where A is its acceleration due to qdd only. For each column S of its joint, from
    last to first,

        U = IA S,   D = S . U,   u = tau - S . pA
        IA <- IA - U U^T / D,    pA <- pA + U u / D             (so S . pA becomes tau)

    and then both are transmitted to the parent. From base to tips, qdd = (u - U . A) / D and
    A <- A + S qdd. Featherstone's Coriolis terms c and IA c do not appear. A free joint
    has six columns, and their elimination is an L D L^T factorisation.

    An armature I_a, one of the nv joint inertias, is added only to the D of its joint. Then IA and pA keep components
    along S: RBDA 9.6.
    """
    X, pA = outward(model, q, qd, (0,) * model.nv, wrenches, base_twist, base_acceleration)
    IA = [ArticulatedInertia.of(body.inertia) for body in model.bodies]
    solved: list[tuple[Twist, Wrench, Scalar]] = []  # S, U / D and u / D of each joint column
    for i in range(len(model.bodies) - 1, 0, -1):
        body, joint = model.bodies[i], model.bodies[i].joint
        at = model.v_index[i]
        I_as = armature[at] if armature else (0,) * joint.nv
        for S, force, I_a in reversed([*zip(joint.columns(), tau[at], I_as, strict=True)]):
            U = IA[i] @ S
            share = inverse(S.power(U) + I_a if I_a != 0 else S.power(U))
            free = S if I_a == 0 else Twist(ZERO, ZERO)  # IA becomes zero along S, and pA becomes tau
            UD, uD = over(U, share, free), (force - S.power(pA[i])) * share
            IA[i] = IA[i].less(free, U, UD)
            pA[i] = _with(pA[i] + Wrench(U.ang * uD, U.lin * uD), free, force)
            solved.append((S, UD, uD))
        if body.parent > 0:
            IA[body.parent] += IA[i].moved(X[i])
            pA[body.parent] += X[i] @ pA[i]

    A = [Twist(ZERO, ZERO)] * len(model.bodies)
    qdd: list[Scalar] = []
    for i, body in enumerate(model.bodies[1:], 1):
        A[i] = in_child(X[i], A[body.parent])
        for _ in range(body.joint.nv):
            S, UD, uD = solved.pop()
            qdd.append(uD - A[i].power(UD))
            A[i] += S * qdd[-1]
    return qdd


def inverse(D: Scalar) -> Scalar:
    """1 / D; for a joint that moves no mass it is infinite, as in floating-point arithmetic."""
    return math.inf if isinstance(D, (int, float)) and D == 0 else 1 / D


def over(U: Wrench, share: Scalar, S: Twist) -> Wrench:
    """U / D; its component along a coordinate axis S is exactly one."""
    return _with(Wrench(U.ang * share, U.lin * share), S, 1)


def _with(F: Wrench, S: Twist, value: Scalar) -> Wrench:
    """F with its component along S replaced by `value` if S is a coordinate axis; otherwise F."""
    turns, slides = along(S)

    def replaced(f: Vector, axis: Vector, whole: list[bool]) -> Vector:
        return Vector(value * s if is_axis else x for x, s, is_axis in zip(f, axis, whole, strict=True))

    return Wrench(replaced(F.ang, S.ang, turns), replaced(F.lin, S.lin, slides))
