"""Partial derivatives of inverse dynamics, on the whole tree, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from revolute.robot import Robot
from revolute.scalar import Scalar
from revolute.spatial import Force, Inertia, Motion, Transform
from revolute.vectors import ZERO, Matrix, Vector, cross, dot, tilde

__all__ = ["inverse_dynamics_partials"]

Rows = list[list[Scalar]]


def inverse_dynamics_partials(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[Rows, Rows, Rows]:
    """dtau/dq, dtau/dqd and M = dtau/dqdd. BP 7.2.1-7.2.3; GOA 18-24; closed form as in
    Carpentier & Mansard, RSS 2018, and Singh, Russell & Wensing, RA-L 2022.

    With S_j a column of joint j's motion, p its parent, and I, B, F those of all that hangs
    on joint i, for every j on the way from i to the base:

        dtau_i/dq_j  = S_i . (I S''_j + 2 B S'_j)      dtau_j/dq_i  = S_j . (I S''_i + 2 B S'_i + S_i x* F)
        dtau_i/dqd_j = S_i . (I (S'_j + dS_j) + 2 B S_j),      the same with i and j exchanged,

        S'_j = V_p x S_j,    S''_j = A_p x S_j + V_p x S'_j,    dS_j = V_j x S_j

    2 B S is the wrench of the accelerations 2 ang(S) x xd of all mass points x. So it does
    not see linear parts, and with D = sum xd x^T dm, P = sum xd dm

        2 B (a, b) = 2 ((tr(D) 1 - D) a, a x P),    2 B^T (a, b) = 2 ((tr(D) 1 - D^T) a + P x b, 0)

    Four wrenches travel from joint i to the base, in body frames where columns have one
    number: I S_i, the couple 2 B^T S_i, and those that S_j meets in the derivatives of tau_j.

    Columns are derivatives along joint velocities: those of a free joint along a twist
    (w, v) in the body's axes, q -> q exp(twist), with the numbers qd and qdd held.

    Args:
        robot: kinematic tree.
        q: (nq,) joint positions [rad, m].
        qd: (nv,) joint velocities [rad/s, m/s].
        qdd: (nv,) joint accelerations [rad/s^2, m/s^2].

    Returns:
        dtau/dq, dtau/dqd and M, each nv rows of nv scalars.
    """
    X, columns, carried = _outward(robot, q, qd, qdd)
    by_q, by_qd, M = ([[0] * robot.nv for _ in range(robot.nv)] for _ in range(3))
    for i in range(len(robot.bodies) - 1, 0, -1):
        load, parent = carried[i], robot.bodies[i].parent
        for S in columns[i]:
            k = S.place
            f, c = load.inertial(S.now), load.coriolis_transposed(S.now)
            f_q = load.inertial(S.second) + load.coriolis(S.first)
            f_qd = load.inertial(S.both) + load.coriolis(S.now)
            for T in columns[i]:
                by_q[T.place][k], by_qd[T.place][k] = _power(T.now, f_q), _power(T.now, f_qd)
                M[k][T.place] = M[T.place][k] = _power(T.now, f)
            f_q += _turned(S.now, load.F)
            j = i
            while (above := robot.bodies[j].parent) > 0:
                f, f_q, f_qd, c = X[j] @ f, X[j] @ f_q, X[j] @ f_qd, X[j].R @ c
                j = above
                for T in columns[j]:
                    by_q[T.place][k], by_qd[T.place][k] = _power(T.now, f_q), _power(T.now, f_qd)
                    by_q[k][T.place] = _power(T.second, f) + dot(T.first.ang, c)
                    by_qd[k][T.place] = _power(T.both, f) + dot(T.now.ang, c)
                    M[k][T.place] = M[T.place][k] = _power(T.now, f)
        if parent > 0:
            carried[parent] = carried[parent] + load.seen(X[i])
    return by_q, by_qd, M


@dataclass(frozen=True)
class _Column:
    """A column of a joint's motion, in its body's frame: S, S', S'' and S' + dS."""

    place: int
    now: Motion
    first: Motion
    second: Motion
    both: Motion


@dataclass(frozen=True)
class _Load:
    """What a joint carries: inertia, 2 sum xd x^T dm, 2 sum xd dm, and the wrench that it takes."""

    inertia: Inertia
    D2: Matrix
    P2: Vector
    F: Force

    def __add__(self, other: _Load) -> _Load:
        return _Load(self.inertia + other.inertia, self.D2 + other.D2, self.P2 + other.P2, self.F + other.F)

    def seen(self, X: Transform) -> _Load:
        """The same load from the parent's frame."""
        P2, p = X.R @ self.P2, X.p
        return _Load(X @ self.inertia, X.R.conjugate(self.D2) + _outer(P2, p), P2, X @ self.F)

    def inertial(self, S: Motion) -> Force:
        """I S."""
        I = self.inertia
        return Force(I.I @ S.ang + cross(I.h, S.lin), S.lin * I.m - cross(I.h, S.ang))

    def coriolis(self, S: Motion) -> Force:
        """2 B S."""
        return Force(S.ang * self._trace - self.D2 @ S.ang, cross(S.ang, self.P2))

    def coriolis_transposed(self, S: Motion) -> Vector:
        """2 B^T S, a couple."""
        couple: Vector = S.ang * self._trace - self.D2.T @ S.ang + cross(self.P2, S.lin)
        return couple

    @property
    def _trace(self) -> Scalar:
        return self.D2[0][0] + self.D2[1][1] + self.D2[2][2]


def _outward(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[list[Transform], list[list[_Column]], list[_Load]]:
    """Poses in the parents, columns, and the bodies' own loads: see `newton_euler`."""
    n = len(robot.bodies)
    X = [Transform()] * n
    w, v, wd, a = [ZERO] * n, [ZERO] * n, [ZERO] * n, [-robot.gravity] * n
    Omega = [tilde(ZERO)] * n
    columns: list[list[_Column]] = [[] for _ in range(n)]
    loads = [_Load(robot.bodies[0].inertia, tilde(ZERO), ZERO, Force(ZERO, ZERO))] * n
    for i, body in enumerate(robot.bodies[1:], 1):
        p, at, joint = body.parent, robot.v_index[i], body.joint
        V, A = joint.velocity(qd[at]), joint.acceleration(qd[at], qdd[at])
        X[i] = body.placement @ joint.transform(q[robot.q_index[i]])
        RT, x = X[i].R.T, X[i].p
        before = Motion(RT @ w[p], RT @ (v[p] + cross(w[p], x)))
        wd_before, a_before = RT @ wd[p], RT @ (a[p] + Omega[p] @ x)
        Omega_before = tilde(wd_before) + tilde(before.ang) @ tilde(before.ang)
        w[i], v[i] = before.ang + V.ang, before.lin + V.lin
        wd[i] = wd_before + cross(before.ang, V.ang) + A.ang
        a[i] = a_before + cross(before.ang * 2 + V.ang, V.lin) + A.lin
        Omega[i] = tilde(wd[i]) + tilde(w[i]) @ tilde(w[i])
        for k in range(joint.nv):
            S = joint.velocity([int(k == other) for other in range(joint.nv)])
            first = _rate(before, S)
            # A_p x S + V_p x S', with the acceleration of the origin for the spatial one
            second = Motion(
                Omega_before @ S.ang,
                Omega_before @ S.lin + cross(a_before, S.ang) + cross(before.lin, first.ang) * 2,
            )
            both = first * 2 if joint.nv == 1 else first + _rate(Motion(w[i], v[i]), S)
            columns[i].append(_Column(at.start + k, S, first, second, both))
        loads[i] = _load(body.inertia, w[i], v[i], body.inertia.momentum_rate(Omega[i], a[i]))
    return X, columns, loads


def _load(inertia: Inertia, w: Vector, v: Vector, F: Force) -> _Load:
    I, h2 = inertia.I, inertia.h * 2
    trace = I[0][0] + I[1][1] + I[2][2]
    K2 = Matrix(tuple((trace if r == c else 0) - 2 * I[r][c] for c in range(3)) for r in range(3))
    return _Load(inertia, tilde(w) @ K2 + _outer(v, h2), v * (2 * inertia.m) + cross(w, h2), F)


def _rate(V: Motion, S: Motion) -> Motion:
    """V x S."""
    return Motion(cross(V.ang, S.ang), cross(V.ang, S.lin) + cross(V.lin, S.ang))


def _turned(S: Motion, F: Force) -> Force:
    """S x* F."""
    return Force(cross(S.ang, F.ang) + cross(S.lin, F.lin), cross(S.ang, F.lin))


def _power(S: Motion, F: Force) -> Scalar:
    """S . F."""
    return dot(S.ang, F.ang) + dot(S.lin, F.lin)


def _outer(a: Vector, b: Vector) -> Matrix:
    return Matrix(tuple(x * y for y in b) for x in a)
