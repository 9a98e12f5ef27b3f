"""Lynch and Park's Newton-Euler recursion in twists and wrenches, and its stacked matrices."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.formulations.matrices import Rows, adjoint, blocks, times, transpose
from revolute.formulations.serial import Arm, Link, serial
from revolute.robot import Robot
from revolute.scalar import Scalar
from revolute.spatial import Force, Motion, Transform
from revolute.vectors import IDENTITY, ZERO, Matrix, Vector, cross, tilde

__all__ = ["lynch_park", "lynch_park_stacked"]

_Z = Vector((0, 0, 1))


def lynch_park(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """Inverse dynamics in twists and wrenches, in frames at the centres of mass. LP 9.49-9.57.

    (LP starts with Vd_0 = (0, g); its own text asks for -g. LP 9.51 prints M_{i-1} for M_i.)

    Args:
        robot: serial arm on a fixed base.
        q, qd, qdd: (n,) positions, velocities, accelerations.

    Returns:
        n joint forces [N m, N].
    """
    arm = serial(robot, "lynch_park")
    n, links = arm.n, arm.links
    T = _poses(arm, q)
    A = [_screw(link) for link in links]
    V, Vd = [Motion(ZERO, ZERO)], [Motion(ZERO, -arm.gravity)]
    F = [Force(ZERO, ZERO)]
    for i in range(1, n + 1):
        V.append(_to_child(T[i], V[-1]) + A[i] * qd[i - 1])
        Vd.append(_to_child(T[i], Vd[-1]) + V[i].cross(A[i]) * qd[i - 1] + A[i] * qdd[i - 1])
        F.append(_inertia(links[i], Vd[i]) + V[i].cross_force(_inertia(links[i], V[i])))
    tau: list[Scalar] = [0] * n
    for i in range(n, 0, -1):
        if i < n:
            F[i] += T[i + 1] @ F[i + 1]
        tau[i - 1] = A[i].power(F[i])
    return tau


def lynch_park_stacked(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Inverse dynamics in closed form with the stacked matrices. LP 9.62-9.84.

        tau = A^T L^T (G L A qdd - (G L [ad_A qd] Gamma + [ad_V]^T G) L A qd + G L Vd_base)

    with L = (1 - Gamma)^-1 of the adjoints between all pairs of links, from right to left, so
    that only products of a matrix with a vector are formed. (LP 9.73, 9.78 and 9.83 print
    [ad_A qd] with a plus; LP 9.48 has [V, A qd] = -[ad_A qd] V.)

    Args:
        robot: serial arm on a fixed base.
        q, qd, qdd: (n,) positions, velocities, accelerations.

    Returns:
        n joint forces [N m, N].
    """
    arm = serial(robot, "lynch_park_stacked")
    n, links = arm.n, arm.links[1:]
    T = _poses(arm, q)
    L = [[_identity()] for _ in range(n)]  # row i: [Ad_{T_i1}, ..., 1]
    for i in range(1, n):
        pose = Transform()
        for j in range(i - 1, -1, -1):
            pose = T[j + 2] @ pose
            L[i].insert(0, adjoint(pose.inverse()))

    def gamma(x: Sequence[Scalar]) -> list[Scalar]:
        return [0] * 6 + [y for i in range(1, n) for y in times(L[i][i - 1], x[6 * i - 6 : 6 * i])]

    def l_times(x: Sequence[Scalar]) -> list[Scalar]:
        rows = [tuple(entry for block in L[i] for entry in block[k]) for i in range(n) for k in range(6)]
        return [y for row in rows for y in times((row,), x[: len(row)])]

    def l_transposed(x: Sequence[Scalar]) -> list[Scalar]:
        columns = [tuple(row[k] for i in range(j, n) for row in L[i][j]) for j in range(n) for k in range(6)]
        return [y for column in columns for y in times((column,), x[len(x) - len(column) :])]

    def each(matrices: Sequence[Rows], x: Sequence[Scalar]) -> list[Scalar]:
        return [y for i in range(n) for y in times(matrices[i], x[6 * i : 6 * i + 6])]

    A = [(*screw.ang, *screw.lin) for screw in map(_screw, links)]
    G = [blocks(link.I_c, tilde(ZERO), tilde(ZERO), IDENTITY * link.m) for link in links]
    A_qd = [a * qd[i] for i in range(n) for a in A[i]]
    A_qdd = [a * qdd[i] for i in range(n) for a in A[i]]
    base = [*times(adjoint(T[1].inverse()), (0, 0, 0, *-arm.gravity)), *[0] * (6 * n - 6)]

    V = l_times(A_qd)
    ad_A = [_ad(A_qd[6 * i : 6 * i + 6]) for i in range(n)]
    ad_V = [transpose(_ad(V[6 * i : 6 * i + 6])) for i in range(n)]
    inertial = each(G, l_times(A_qdd))
    driven, carried = each(G, l_times(each(ad_A, gamma(V)))), each(ad_V, each(G, V))
    weight = each(G, l_times(base))
    F = l_transposed([a - (b + c) + d for a, b, c, d in zip(inertial, driven, carried, weight, strict=True)])
    return [times((A[i],), F[6 * i : 6 * i + 6])[0] for i in range(n)]


def _screw(link: Link) -> Motion:
    """A_i: the joint's twist at unit rate, in the frame at the centre of mass. LP 9.51."""
    return Motion(_Z, cross(_Z, link.r)) if link.sigma else Motion(ZERO, _Z)


def _poses(arm: Arm, q: Sequence[Scalar]) -> list[Transform]:
    """T_{i-1,i} between frames at the centres of mass. LP 9.53; entry 0 is the base."""
    links = arm.links
    poses = [Transform()]
    for i in range(1, arm.n + 1):
        before = links[i - 1].r if i > 1 else ZERO
        poses.append(Transform(p=-before) @ links[i].pose(q[i - 1]) @ Transform(p=links[i].r))
    return poses


def _to_child(X: Transform, V: Motion) -> Motion:
    """Ad of the inverse pose: a twist of the parent's frame, seen in the child's."""
    return Motion(X.R.T @ V.ang, X.R.T @ (V.lin - cross(X.p, V.ang)))


def _inertia(link: Link, V: Motion) -> Force:
    """G V, in the frame at the centre of mass. LP 9.52."""
    return Force(link.I_c @ V.ang, V.lin * link.m)


def _ad(V: Sequence[Scalar]) -> Rows:
    """[ad_V]. LP 9.29, 9.66."""
    w, v = tilde(V[:3]), tilde(V[3:])
    return blocks(w, tilde(ZERO), v, w)


def _identity() -> Rows:
    zero: Matrix = tilde(ZERO)
    return blocks(IDENTITY, zero, zero, IDENTITY)
