"""Partial derivatives of forward dynamics by articulated bodies, on the whole tree, for any scalar type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.articulated_load import ArticulatedLoad, FreedColumn
from revolute.dynamics.inverse_dynamics_partials import MovingColumn, moving_columns
from revolute.dynamics.kinematics import in_child
from revolute.dynamics.moving_load import MovingLoad
from revolute.dynamics.newton_euler import relieve
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import Transform, Twist, Wrench
from revolute.spatial.scalar import Rows, Scalar, Scalars, Wrenches
from revolute.spatial.vectors import ZERO, Vector, dot


def articulated_body_partials(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows]:
    """dqdd/dq, dqdd/dqd and M^-1 = dqdd/dtau, by differentiating the articulated-body algorithm. RBDA 7.3; GOA 18-24.

    With S', S'' and dS of `inverse_dynamics_partials`: a small motion of joint j adds the same rigid acceleration field
    to all outboard bodies, and their joints yield. The link that carries joint j must then supply, in addition,

        p_q = IA S'' + BA S' + S x* F,    p_qd = IA (S' + dS) + BA S,    p_tau = K = U / D,

    with IA and BA as seen through joint j: see `ArticulatedLoad`. Each joint on the path to the base yields as well, p
    <- p - K (S . p).

    Let k be the last link that carries both i and j, p the wrenches that j requires from it, and A its acceleration due
    to tau_i = -1. As M^-1 is symmetric,

        dqdd_i/dq_j = A . p_q,    dqdd_i/dqd_j = A . p_qd,    dqdd_i/dtau_j = A . K

    Joints i that j carries follow the rigid field too, which adds -(K_i . S'' + G_i . S') for q_j and
    -(K_i . (S' + dS) + G_i . S) for qd_j. There K_i and G_i = BA^T S_i / D_i are carried to joint j.

    So an entry needs six products, at any depth of the tree. Arguments and results are those of
    `forward_dynamics_partials`.
    """
    X, columns, loads, F = moving_columns(model, q, qd, articulated_body(model, q, qd, tau, wrenches))
    relieve(model, F, wrenches)
    for i in range(len(model.bodies) - 1, 0, -1):
        if (parent := model.bodies[i].parent) > 0:
            F[parent] += X[i] @ F[i]
    tree = _Tree(X, [*_paths(model)], *_freed(model, X, columns, loads))
    along = [_inward(tree, S, i, F[i]) for i, several in enumerate(columns) for S in several]
    for column in along:
        _outward(tree, column)
    return _entries(along)


@dataclass(frozen=True)
class _Tree:
    """A tree whose joints are free to move.

    Attributes, with one entry per body:
        X: pose in the frame of the parent.
        paths: indices of the bodies on the path from the base (excluded) to the body (included).
        freed: columns of the body's joint, last to first.
        loads: articulated load that the body's joint transmits to the parent.
    """

    X: list[Transform]
    paths: list[list[int]]
    freed: list[list[FreedColumn]]
    loads: list[ArticulatedLoad]


@dataclass(frozen=True)
class _Burden:
    """Wrenches p_q, p_qd and K that a link must supply for a motion along a column, and the column's G."""

    q: Wrench
    qd: Wrench
    K: Wrench
    G: Vector

    def moved(self, X: Transform) -> _Burden:
        return _Burden(X @ self.q, X @ self.qd, X @ self.K, X.R @ self.G)

    def through(self, joint: FreedColumn) -> tuple[_Burden, Scalar]:
        """The burden that a free joint transmits to its parent, and S . K, with S of the joint and K of the burden."""
        S, K = joint.S, joint.K
        s = S.power(self.K)
        q, qd = self.q - K * S.power(self.q), self.qd - K * S.power(self.qd)
        return _Burden(q, qd, self.K - K * s, self.G - joint.G * s), s


@dataclass(frozen=True)
class _Path:
    """A column and the links that carry it, including its own link.

    Attributes:
        S, body: the column and the index of its body.
        on, behind: {link: burden before and after the link's joint yields}, expressed in the link frame.
        forces: {velocity index: u / D due to tau = 1}, with u = tau - S . p.
        before, after: {link: acceleration due to tau = -1}, before and after that of the link's own joint is added.
        inverse: {velocity index: entry of M^-1}.
    """

    S: MovingColumn
    body: int
    on: dict[int, _Burden] = field(default_factory=dict)
    behind: dict[int, _Burden] = field(default_factory=dict)
    forces: dict[int, Scalar] = field(default_factory=dict)
    before: dict[int, Twist] = field(default_factory=dict)
    after: dict[int, Twist] = field(default_factory=dict)
    inverse: dict[int, Scalar] = field(default_factory=dict)


def _paths(model: Model) -> list[list[int]]:
    """For each body, the indices of the bodies on its path from the base (excluded)."""
    paths: list[list[int]] = [[]]
    for i, body in enumerate(model.bodies[1:], 1):
        paths.append([*paths[body.parent], i])
    return paths


def _freed(
    model: Model, X: list[Transform], columns: list[list[MovingColumn]], loads: list[MovingLoad]
) -> tuple[list[list[FreedColumn]], list[ArticulatedLoad]]:
    """`freed` and `loads` of `_Tree`, computed from the tips to the base."""
    carried = [ArticulatedLoad.of(load) for load in loads]
    freed: list[list[FreedColumn]] = [[] for _ in carried]
    for i in range(len(carried) - 1, 0, -1):
        for S in reversed(columns[i]):
            column, carried[i] = carried[i].freed(S.place, S.now)
            freed[i].append(column)
        if (parent := model.bodies[i].parent) > 0:
            carried[parent] += carried[i].moved(X[i])
    return freed, carried


def _inward(tree: _Tree, S: MovingColumn, body: int, F: Wrench) -> _Path:
    """The burdens of a column, from its own joint to the base."""
    path, load = _Path(S, body), tree.loads[body]
    q = load.wrench(S.second, S.first.ang) + S.now.cross_force(F)
    burden = _Burden(q, load.wrench(S.both, S.now.ang), *_own(tree, path))
    path.behind[body] = burden
    for below, k in zip(tree.paths[body][:0:-1], tree.paths[body][-2::-1], strict=True):
        path.on[k] = burden = burden.moved(tree.X[below])
        for joint in tree.freed[k]:
            burden, s = burden.through(joint)
            path.forces[joint.place] = -s * joint.share
        path.behind[k] = burden
    return path


def _own(tree: _Tree, path: _Path) -> tuple[Wrench, Vector]:
    """K and G of a column, as its own joint transmits them to the parent."""
    K, G = Wrench(), ZERO
    for joint in tree.freed[path.body]:
        u = 1 if joint.place == path.S.place else -joint.S.power(K)
        path.forces[joint.place] = u * joint.share
        K, G = K + joint.K * u, G + joint.G * u
    return K, G


def _outward(tree: _Tree, path: _Path) -> None:
    """Compute accelerations due to tau = -1, from the base to the column's body, and M^-1 of the joints on the path."""
    A = Twist()
    for k in tree.paths[path.body]:
        A = path.before[k] = in_child(tree.X[k], A)
        for joint in reversed(tree.freed[k]):
            path.inverse[joint.place] = qdd = A.power(joint.K) + path.forces[joint.place]
            A -= joint.S * qdd
        path.after[k] = A


def _entries(along: Sequence[_Path]) -> tuple[Rows, Rows, Rows]:
    """dqdd/dq, dqdd/dqd and M^-1; each entry is computed at the last link that two paths share."""
    n = len(along)
    by_q, by_qd, inverse = ([[0] * n for _ in range(n)] for _ in range(3))
    for i, row in enumerate(along):
        for j, column in enumerate(along):
            k = max(row.after.keys() & column.after.keys(), default=0)
            if k > 0:
                by_q[i][j], by_qd[i][j] = _partials(row, column, k)
            if k > 0 and j <= i:
                known = row.inverse.get(j)
                inverse[i][j] = inverse[j][i] = row.after[k].power(column.on[k].K) if known is None else known
    return by_q, by_qd, inverse


def _partials(row: _Path, column: _Path, k: int) -> tuple[Scalar, Scalar]:
    """An entry of dqdd/dq and of dqdd/dqd, computed at link k."""
    if k != column.body:
        A, p = row.after[k], column.on[k]
        return A.power(p.q), A.power(p.qd)
    A, p, S, moved = row.before[k], column.behind[k], column.S, row.behind[k]
    return (
        A.power(p.q) - S.second.power(moved.K) - dot(S.first.ang, moved.G),
        A.power(p.qd) - S.both.power(moved.K) - dot(S.now.ang, moved.G),
    )
