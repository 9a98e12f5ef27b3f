"""Partial derivatives of inverse dynamics, gravity forces and the mass matrix of a tree, for any scalar type."""

from __future__ import annotations

from revolute.dynamics.kinematics import poses_in_parents
from revolute.dynamics.moving_load import MovingLoad
from revolute.dynamics.newton_euler import relieve
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import IDENTITY, ZERO, Inertia, Matrix, Transform, Twist, Vector, Wrench, cross, dot, tilde
from revolute.spatial.scalar import Cube, Rows, Scalars, Wrenches


def inverse_dynamics_partials(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows]:
    """dtau/dq, dtau/dqd and M = dtau/dqdd. BP 7.2.1-7.2.3; GOA 18-24; closed form as in
    Carpentier & Mansard, RSS 2018, and Singh, Russell & Wensing, RA-L 2022.

    With S_j a column of joint j, p the parent of its body, and I, B, F of the load of
    joint i, for every j on the path from i to the base:

        dtau_i/dq_j  = S_i . (I S''_j + 2 B S'_j)      dtau_j/dq_i  = S_j . (I S''_i + 2 B S'_i + S_i x* F)
        dtau_i/dqd_j = S_i . (I (S'_j + dS_j) + 2 B S_j),      the same with i and j exchanged,

        S'_j = V_p x S_j,    S''_j = A_p x S_j + V_p x S'_j,    dS_j = V_j x S_j

    2 B S is the wrench of the accelerations 2 ang(S) x xd of all mass points: see `MovingLoad`.
    Four wrenches are passed from joint i to the base: I S_i, the couple 2 B^T S_i, and the two factors of S_j in the
    derivatives of tau_j. They are expressed in body frames, where S_j has one nonzero component.

    Columns are derivatives along joint velocities. For a free joint, that is along a twist (w, v) in the body frame, q
    -> q exp(twist), at constant components of qd and qdd.
    """
    X, columns, carried, F = moving_columns(model, q, qd, qdd)
    relieve(model, F, wrenches)
    by_q, by_qd, M = ([[0] * model.nv for _ in range(model.nv)] for _ in range(3))
    for i in range(len(model.bodies) - 1, 0, -1):
        load, parent = carried[i], model.bodies[i].parent
        for S in columns[i]:
            k = S.place
            f, c = load.inertia.momentum(S.now), load.couple(S.now)
            f_q = load.inertia.momentum(S.second) + load.wrench(S.first)
            f_qd = load.inertia.momentum(S.both) + load.wrench(S.now)
            # the diagonal block of this joint
            for T in columns[i]:
                by_q[T.place][k], by_qd[T.place][k] = T.now.power(f_q), T.now.power(f_qd)
                M[k][T.place] = M[T.place][k] = T.now.power(f)
            # propagate the wrenches to the base, and project them on the axes of each joint passed
            f_q += S.now.cross_force(F[i])
            j = i
            while (above := model.bodies[j].parent) > 0:
                f, f_q, f_qd, c = X[j] @ f, X[j] @ f_q, X[j] @ f_qd, X[j].R @ c
                j = above
                for T in columns[j]:
                    by_q[T.place][k], by_qd[T.place][k] = T.now.power(f_q), T.now.power(f_qd)
                    by_q[k][T.place] = T.second.power(f) + dot(T.first.ang, c)
                    by_qd[k][T.place] = T.both.power(f) + dot(T.now.ang, c)
                    M[k][T.place] = M[T.place][k] = T.now.power(f)
        if parent > 0:
            carried[parent] += load.seen(X[i])
            F[parent] += X[i] @ F[i]
    return by_q, by_qd, M


@dataclass(frozen=True)
class MovingColumn:
    """A column S of a joint with S', S'' and S' + dS, expressed in the frame of the joint's body."""

    place: int
    now: Twist
    first: Twist
    second: Twist
    both: Twist


def moving_columns(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars
) -> tuple[list[Transform], list[list[MovingColumn]], list[MovingLoad], list[Wrench]]:
    """For every body: pose in its parent, joint columns, load and wrench of the body alone. See `newton_euler`."""
    n = len(model.bodies)
    X = [Transform()] * n
    w, v, wd, a = [ZERO] * n, [ZERO] * n, [ZERO] * n, [-model.gravity] * n
    Omega = [tilde(ZERO)] * n
    columns: list[list[MovingColumn]] = [[] for _ in range(n)]
    loads, F = [MovingLoad()] * n, [Wrench(ZERO, ZERO)] * n
    for i, body in enumerate(model.bodies[1:], 1):
        p, at, joint = body.parent, model.v_index[i], body.joint
        V, A = joint.velocity(qd[at]), joint.acceleration(qd[at], qdd[at])
        X[i] = body.placement @ joint.transform(q[model.q_index[i]])
        RT, x = X[i].R.T, X[i].p
        before = Twist(RT @ w[p], RT @ (v[p] + cross(w[p], x)))
        wd_before, a_before = RT @ wd[p], RT @ (a[p] + Omega[p] @ x)
        Omega_before = tilde(wd_before) + tilde(before.ang) @ tilde(before.ang)
        w[i], v[i] = before.ang + V.ang, before.lin + V.lin
        wd[i] = wd_before + cross(before.ang, V.ang) + A.ang
        a[i] = a_before + cross(before.ang * 2 + V.ang, V.lin) + A.lin
        Omega[i] = tilde(wd[i]) + tilde(w[i]) @ tilde(w[i])
        for place, S in enumerate(joint.columns(), at.start):
            first = before.cross(S)
            # A_p x S + V_p x S', computed from the acceleration of the origin instead of the spatial acceleration
            second = Twist(
                Omega_before @ S.ang, Omega_before @ S.lin + cross(a_before, S.ang) + cross(before.lin, first.ang) * 2
            )
            both = first * 2 if joint.nv == 1 else first + Twist(w[i], v[i]).cross(S)
            columns[i].append(MovingColumn(place, S, first, second, both))
        loads[i] = MovingLoad.of(body.inertia, Twist(w[i], v[i]), times=2)
        F[i] = body.inertia.momentum_rate(Omega[i], a[i])
    return X, columns, loads, F


def gravity_forces_partials(model: Model, q: Scalars) -> Rows:
    """dg/dq, the Hessian of the potential energy. GOA 24d.

    A small rotation of joint j changes the upward acceleration a = -g, expressed in the frame of its load, by a x
    ang(S_j). So the force of an outboard joint i changes by

        dg_i/dq_j = (m lin(S_i) + ang(S_i) x h) . (a x ang(S_j))

    with m and h of the load of joint i. The first factor is the momentum due to the velocity S_i; it only has to be
    rotated to the frame of joint j. Small motions of different joints commute, so dg_j/dq_i has the same value. Small
    motions of one free body do not, so its block is not symmetric. Columns are derivatives along joint velocities.
    """
    n, X, columns = len(model.bodies), poses_in_parents(model, q), numbered_columns(model)
    a = [-model.gravity] * n
    m, h = ([getattr(body.inertia, part) for body in model.bodies] for part in ("m", "h"))
    for i, body in enumerate(model.bodies[1:], 1):
        a[i] = X[i].R.T @ a[body.parent]

    partials: Rows = [[0] * model.nv for _ in range(model.nv)]
    for i in range(n - 1, 0, -1):
        for k, S in columns[i]:
            # dg_i/dq_j: the diagonal block of joint i, then the block of each joint j between body i and the base
            momentum: Vector = S.lin * m[i] + cross(S.ang, h[i])
            for place, T in columns[i]:
                partials[k][place] = dot(momentum, cross(a[i], T.ang))
            j = i
            while (above := model.bodies[j].parent) > 0:
                momentum, j = X[j].R @ momentum, above
                for place, T in columns[j]:
                    partials[k][place] = partials[place][k] = dot(momentum, cross(a[j], T.ang))
        parent = model.bodies[i].parent
        m[parent], h[parent] = m[parent] + m[i], h[parent] + X[i].R @ h[i] + X[i].p * m[i]
    return partials


def mass_matrix_partials(model: Model, q: Scalars) -> Cube:
    """dM_ij/dq_k as a cube [i][j][k], for Christoffel symbols. GOA 24a; JIN 39-46.

    M_ij = S_i . I_j S_j, with I_j the inertia of the load of joint j, and i on the path from j to the base. A rigid
    rotation of all these bodies does not change M_ij, so only two kinds of k contribute:

        k on the path from i to j, i excluded:  dM_ij/dq_k = S_i . (S_k x* I_j S_j)
        k further out than j:                   dM_ij/dq_k = S_i . (S_k x* I_k - I_k S_k x) S_j

    The bracket in the second line is the time derivative of an inertia, and has no mass.
    """
    n, nv, X, columns = len(model.bodies), model.nv, poses_in_parents(model, q), numbered_columns(model)
    inertia = [body.inertia for body in model.bodies]
    partials: Cube = [[[0] * nv for _ in range(nv)] for _ in range(nv)]

    def set_column(j: int, k: int, force: Wrench, at: int) -> None:
        """Set dM_ij/dq_k for every joint i from body `at` to the base; `force` is d(I_j S_j)/dq_k there."""
        while at > 0:
            for i, S in columns[at]:
                partials[i][j][k] = partials[j][i][k] = S.power(force)
            force, at = X[at] @ force, model.bodies[at].parent

    for carrier in range(n - 1, 0, -1):
        for k, S in columns[carrier]:
            # joint k is farther from the base than joint j
            change, at = _rate(inertia[carrier], S), carrier
            while (above := model.bodies[at].parent) > 0:
                change, at = X[at] @ change, above
                for j, T in columns[at]:
                    set_column(j, k, change.momentum(T), at)
            # joint `between` lies on the path from joint i to joint k
            momentum, at = inertia[carrier].momentum(S), carrier
            while (above := model.bodies[at].parent) > 0:
                for between, T in columns[at]:
                    set_column(k, between, X[at] @ T.cross_force(momentum), above)
                momentum, at = X[at] @ momentum, above
        inertia[model.bodies[carrier].parent] += X[carrier] @ inertia[carrier]
    return partials


def numbered_columns(model: Model) -> list[list[tuple[int, Twist]]]:
    """For every body, the columns of its joint with their indices in qd."""
    return [
        list(enumerate(body.joint.columns(), at.start)) for body, at in zip(model.bodies, model.v_index, strict=True)
    ]


def _rate(inertia: Inertia, S: Twist) -> Inertia:
    """S x* I - I S x: the time derivative of an inertia that moves with the twist S."""
    h, turn = inertia.h, tilde(S.ang) @ inertia.I
    shift = Matrix(tuple(S.lin[r] * h[c] for c in range(3)) for r in range(3))
    I = turn + turn.T - shift - shift.T + IDENTITY * (2 * dot(S.lin, h))
    return Inertia(0, cross(S.ang, h) + S.lin * inertia.m, I)
