"""Partial derivatives of C for large robots, computed in loops over joints, for any scalar type."""

from collections.abc import Sequence
from functools import partial

from revolute.dynamics.kinematics import poses_in_parents
from revolute.dynamics.large_regressors import paths
from revolute.dynamics.moving_load import MovingLoad
from revolute.model import Model, from_vector, to_vector
from revolute.spatial import Rotation, Transform, Twist, Wrench
from revolute.spatial.loop import Tree, mapped, repeated
from revolute.spatial.scalar import Cube, Scalar, Scalars
from revolute.spatial.vectors import ZERO, Matrix, Vector, cross, dot, outer, tilde


def coriolis_matrix_partials_in_loops(model: Model, q: Scalars, qd: Scalars) -> tuple[Cube, Cube]:
    """dC/dq and dC/dqd, the Christoffel symbols, for the C of `equations_of_motion`, as cubes [i][j][k].

    Twists and wrenches are expressed in the frame of the first body of their branch. Joints x and y carry joint o. I
    and B belong to the load of o; B_o is the operator of this load if it moves with S_o: see `MovingLoad`.

        dC_xo/dqd_y = dC_xy/dqd_o = S_x . B_o S_y
        dC_ox/dqd_y = -S_x . B_o S_y,    or -S_y . B_o S_x if x carries y
        dC_xo/dq_y  =  S_x . B_o S'_y,   plus S_x . (S_y x* f) if x carries y
        dC_ox/dq_y  = -S_x . B_o S'_y,   or -S'_y . B_o S_x + Sd_x . (S_y x* p) - S_x . (c x S_y) if x carries y
        dC_xy/dq_o  =  S_x . ((B_o + B_o^T) Sd_y + dB/dq_o S_y)

        p = I S_o,    f = I Sd_o + B S_o,    c = B^T S_o,    S'_y = V_p x S_y,    Sd_y = V_y x S_y

    A joint y that carries x moves the whole load with S_y, which changes scalar products only by its velocity S'_y.
    """
    by_q, by_qd = ([[[0] * model.nv for _ in range(model.nv)] for _ in range(model.nv)] for _ in range(2))
    columns, loads = repeated(_of_joint, (), _in_one_frame(model, q, qd))[1]
    last = [at.stop for at in model.v_index for _ in range(at.start, at.stop)]
    for path, at in zip(paths(model), model.v_index, strict=True):
        S, count = [columns[k] for k in path], len(path)
        for o in range(at.start, at.stop):
            wrenches = mapped(partial(_wrenches, loads[o]), S)
            for x, row in zip(path, mapped(partial(_products, wrenches), S), strict=True):
                terms = zip(*(row[k * count : (k + 1) * count] for k in range(8)), strict=True)
                for y, (e, minus_e, n, t, minus_t, u, z, g) in zip(path, terms, strict=True):
                    outside = y >= last[x]  # x carries y
                    if x != o:
                        by_qd[x][o][y], by_qd[o][x][y] = e, n if outside else minus_e
                        by_q[x][o][y], by_q[o][x][y] = (u, z) if outside else (t, minus_t)
                    if x < at.start > y:
                        by_qd[x][y][o], by_q[x][y][o] = e, g
    return by_q, by_qd


def _in_one_frame(model: Model, q: Scalars, qd: Scalars) -> list[list[Tree]]:
    """S, the twists before and after the joint, and I, D and P of its load, for each joint coordinate."""
    X = poses_in_parents(model, q)
    T, V = [Transform()], [Twist(ZERO, ZERO)]
    for i, body in enumerate(model.bodies[1:], 1):
        T.append((T[body.parent] @ X[i]).merged() if body.parent > 0 else Transform())
        V.append(V[body.parent] + T[i] @ body.joint.velocity(qd[model.v_index[i]]))
    parameters = [[*to_vector(body.inertia)] for body in model.bodies]
    loads = mapped(_load, [[*x.R.matrix()] for x in T], [x.p for x in T], [[x.ang, x.lin] for x in V], parameters)
    for i in range(len(model.bodies) - 1, 0, -1):
        p = model.bodies[i].parent
        loads[p] = [x + y for x, y in zip(loads[p], loads[i], strict=True)]
    found = [
        ([S.ang, S.lin], [V[body.parent].ang, V[body.parent].lin], [V[i].ang, V[i].lin], loads[i])
        for i, body in enumerate(model.bodies)
        for S in (T[i] @ column for column in body.joint.columns())
    ]
    return [*map(list, zip(*found, strict=True))]


def _load(R: Sequence[Vector], p: Vector, V: Sequence[Vector], parameters: Scalars) -> list[Scalar]:
    load = MovingLoad.of(Transform(Rotation.from_matrix(R), p) @ from_vector(parameters), Twist(*V))
    return [*to_vector(load.inertia), *load.D[0], *load.D[1], *load.D[2], *load.P]


def _of_joint(_: Tree, S: Tree, before: Tree, after: Tree, load: Scalars) -> tuple[Tree, tuple[Tree, Tree]]:
    """The column S, Sd, S' of a joint, and B_o, dB/dq_o, f, p and c of its load."""
    S, before, inertia = Twist(*S), Twist(*before), from_vector(load[:10])
    D, P = Matrix((load[10:13], load[13:16], load[16:19])), Vector(load[19:])
    Sd, first = Twist(*after).cross(S), before.cross(S)
    with_S, with_first, moving = MovingLoad.of(inertia, S), MovingLoad.of(inertia, first), MovingLoad(inertia, D, P)
    w = tilde(S.ang)
    change = w @ D - D @ w + outer(P, S.lin) + with_first.D, cross(S.ang, P) + with_first.P
    p, f = inertia.momentum(S), inertia.momentum(Sd) + moving.wrench(S)
    column = [S.ang, S.lin, Sd.ang, Sd.lin, first.ang, first.lin]
    return (), (column, [with_S.D, with_S.P, *change, f.ang, f.lin, p.ang, p.lin, moving.couple(S)])


def _wrenches(load: Tree, column: Tree) -> list[Vector]:
    """The vectors of joint y, for the load of joint o, that `_products` multiplies by S_x and Sd_x."""
    (D, P, D_change, P_change, *forces, c), (S, Sd, first) = load, _twists(column)
    B, change, f, p = MovingLoad(D=D, P=P), MovingLoad(D=D_change, P=P_change), Wrench(*forces[:2]), Wrench(*forces[2:])
    E, T, z = B.wrench(S), B.wrench(first), S.cross_force(p)
    U = T + S.cross_force(f)
    G = B.wrench(Sd) + Wrench(B.couple(Sd), ZERO) + change.wrench(S)
    y = -(B.couple(first) + cross(c, S.ang))
    return [E.ang, E.lin, T.ang, T.lin, U.ang, U.lin, z.ang, z.lin, G.ang, G.lin, y, -B.couple(S)]


def _products(wrenches: Sequence[Tree], column: Tree) -> list[Scalar]:
    """For joint x, terms of `coriolis_matrix_partials_in_loops`: the first term for every y, then the second, etc."""
    S, Sd, _ = _twists(column)
    terms: list[tuple[Scalar, ...]] = []
    for *forces, y, N in wrenches:
        E, T, U, z, G = (Wrench(*forces[k : k + 2]) for k in range(0, 10, 2))
        e, t = S.power(E), S.power(T)
        terms.append((e, -e, dot(S.ang, N), t, -t, S.power(U), dot(S.ang, y) + Sd.power(z), S.power(G)))
    return [x for of_all in zip(*terms, strict=True) for x in of_all]


def _twists(column: Sequence[Vector]) -> list[Twist]:
    return [Twist(*column[k : k + 2]) for k in range(0, len(column), 2)]
