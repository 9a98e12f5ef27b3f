"""Contacts that hold during a step of a plan: accelerations, forces and their derivatives, for any scalar type.

    M (v+ - v) / h = tau - bias + J^T f
    J v+ / h + k_p e + mu f = 0    for active contacts,    f = 0 for others

This is the step of Moreau 1988 with given sticking contacts: a foot that touches down comes to rest within one step, by
a plastic impact whose impulse is part of f h. v+ is expressed in the axes of the start; e is the distance of a point
from its place. The small term mu f divides forces between redundant rows; derivatives of forces remain exact. With
`gains`, rows are J a + dJ/dt v + k_d J v + k_p e + mu f = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from revolute.dynamics.constrained import Constraints
from revolute.dynamics.contacts import tangents
from revolute.dynamics.coordinate_rates import parent_axes_rates
from revolute.dynamics.frame_motion import frame_acceleration, frame_velocity
from revolute.dynamics.jacobian import NONE, jacobian
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.mobility import dot
from revolute.dynamics.optimal.places import pull_slopes, pulls, spread
from revolute.dynamics.optimal.products import plus_product, sparse_product
from revolute.dynamics.optimal.riccati import eliminated, policy
from revolute.dynamics.positive_definite import triangular
from revolute.dynamics.sparse_factorization import factors_of, filled, is_zero
from revolute.model.contact import Contact, Plane
from revolute.records import dataclass
from revolute.spatial import Rotation, Twist
from revolute.spatial.scalar import Rows, Scalar, Scalars, mirrored, transposed
from revolute.spatial.vectors import ZERO, Vector, cross
from revolute.spatial.vectors import dot as along

if TYPE_CHECKING:
    from revolute.dynamics.optimal.stepping import Dynamics

NUMBERS = 7
"""Number of parameters of a contact at a node: 1 if active, else 0; then three k_p and the place, along its axes. k_d
precedes the parameters of all contacts."""

DAMPING, SHARED = 1e-10, 1e-7
"""mu times the robot's mass: for a contact that is the only one of its body, and for one of several."""


def plane_of(contact: Contact) -> Plane:
    """The surface of a contact of a plan, which is a plane."""
    assert isinstance(contact.surface, Plane)
    return contact.surface


def axes_of(contact: Contact) -> tuple[Vector, ...]:
    """The normal of a contact's plane and two tangents."""
    normal = Vector(plane_of(contact).normal)
    return normal, *tangents(normal)


@dataclass(frozen=True)
class Point:
    """The point of a contact at positions q: its place, the orientation of its link, the axes of its rows; and for each
    joint velocity the angular velocity of the link and the velocity of the point."""

    place: Vector
    R: Rotation
    axes: tuple[Vector, ...]
    columns: Sequence[Twist]

    @cached_property
    def moving(self) -> list[int]:
        """Indices of the joint velocities that move the point."""
        return [k for k, V in enumerate(self.columns) if V is not NONE]


@dataclass(frozen=True)
class Holding:
    """The contacts of a robot at positions q of a node; `numbers` are k_d and the parameters of the contacts."""

    dynamics: Dynamics
    q: Scalars
    numbers: Scalars

    @cached_property
    def joints(self) -> Scalars:
        """Positions of the tree's joints."""
        return self.dynamics.positions(self.q)

    @cached_property
    def points(self) -> list[Point]:
        """The points of all contacts."""
        found, tree = [], self.dynamics.tree
        for contact in self.dynamics.contacts:
            pose = frame_pose(tree, self.joints, contact.link)
            arm = pose.R @ Vector(contact.point)
            columns = [
                V if V is NONE else Twist(V.ang, V.lin + cross(V.ang, arm))
                for V in jacobian(tree, self.joints, contact.link, "aligned")
            ]
            found.append(Point(pose.p + arm, pose.R, axes_of(contact), columns))
        return found

    @cached_property
    def groups(self) -> list[list[int]]:
        """Indices of contacts, grouped by the body that they hold."""
        bodies = [self.dynamics.tree.frame(contact.link).body for contact in self.dynamics.contacts]
        return [[k for k, body in enumerate(bodies) if body == one] for one in dict.fromkeys(bodies)]

    def numbers_of(self, k: int) -> tuple[Scalar, Scalars, Scalars]:
        """1 if contact k is active, else 0; its three k_p; and its place, along the same axes."""
        active, *others = self.numbers[1 + NUMBERS * k : 1 + NUMBERS * (k + 1)]
        return active, others[:3], others[3:]

    @cached_property
    def rows(self) -> Rows:
        """J for velocities of the coordinates: three rows per contact, along its axes, zero if it is idle."""
        return self._rows([[V.lin for V in point.columns] for point in self.points])

    def _rows(self, columns: Sequence[Sequence[Vector]]) -> Rows:
        """Rows with the components of each contact's vectors, one per joint velocity, along its axes; zero if idle."""
        found = []
        for k, (point, vectors) in enumerate(zip(self.points, columns, strict=True)):
            active = self.numbers_of(k)[0]
            for axis in point.axes:
                row = [0 if V is NONE else active * along(axis, x) for V, x in zip(point.columns, vectors, strict=True)]
                found.append(self.dynamics.row(row))
        return found

    @cached_property
    def damping(self) -> list[Scalar]:
        """mu of each row. Rows of idle contacts are zero, so their forces are exactly zero."""
        mass = self.dynamics.mass
        mu = {k: (SHARED if len(group) > 1 else DAMPING) / mass for group in self.groups for k in group}
        return [mu[k] for k in range(len(self.points)) for _ in range(3)]

    def speeds(self, qd: Scalars, a: Scalars) -> list[Scalar]:
        """u in the equation J u + k_p e + mu f = 0."""
        damped = [x + self.numbers[0] * y for x, y in zip(a, qd, strict=True)]
        return damped if self.dynamics.gains else parent_axes_rates(self.dynamics.space, qd, damped)

    def drifts(self, qd: Scalars) -> list[Scalar]:
        """dJ/dt qd. For several contacts of a body, it is that of a rigid body that rotates about their mean.

        Otherwise accelerations w x (w x r) would contradict each other where a sole touches down: see `places`.
        """
        tree, rates, found = self.dynamics.tree, self.dynamics.rates(qd), dict[int, Vector]()
        for group in self.groups:
            contact, point = self.dynamics.contacts[group[0]], self.points[group[0]]
            w = frame_velocity(tree, self.joints, rates, contact.link, "aligned").ang
            A = frame_acceleration(tree, self.joints, rates, [0] * tree.nv, contact.link, "aligned", "classical")
            arms = spread(self, group)[0] if len(group) > 1 else {group[0]: ZERO}
            mean = point.R @ Vector(contact.point) - arms[group[0]]
            a = A.lin + cross(A.ang, mean) + cross(w, cross(w, mean))
            found |= {k: a + cross(A.ang, arm) for k, arm in arms.items()}
        return [
            self.numbers_of(k)[0] * along(axis, found[k]) for k, point in enumerate(self.points) for axis in point.axes
        ]

    def residuals(self, qd: Scalars, a: Scalars) -> list[Scalar]:
        """J u + k_p e of each row, and with `gains` plus dJ/dt qd; the term mu f is not included."""
        u, pairs = self.speeds(qd, a), zip(self.points, pulls(self), strict=True)
        pulled = [along(axis, pull) for point, pull in pairs for axis in point.axes]
        drifts = self.drifts(qd) if self.dynamics.gains else [0] * len(pulled)
        return [dot(row, u) + x + y for row, x, y in zip(self.rows, pulled, drifts, strict=True)]

    def accelerations(self, qd: Scalars, tau: Scalars) -> list[Scalar]:
        """a, then f: three forces of each contact, along its axes."""
        still = [0] * len(qd)
        factors = self.dynamics.factors(self.q)
        rows, bias = Constraints(self.rows, factors), self.dynamics.forces(self.q, qd, still)
        half = factors.halfway([x - y for x, y in zip(tau, bias, strict=True)])
        missing = [-x - dot(y, half) for x, y in zip(self.residuals(qd, still), rows.swept, strict=True)]
        f = triangular(_plus_diagonal(rows.mobility, self.damping)).solve(missing)
        pushed = [dot(column, f) for column in transposed(rows.swept)]
        half = [x + share * y for x, share, y in zip(half, factors.inverse_D, pushed, strict=True)]
        return [*factors.finished(half), *f]

    def changes(
        self, qd: Scalars, a: Scalars, f: Scalars, partials: tuple[Rows, Rows, Rows], motors: Sequence[int],
        drifts: Sequence[Scalars],
    ) -> tuple[Rows, Sequence[Scalars]]:
        """W and F of dw = W (dq, dqd, dc) and df = F (dq, dqd, dc), for forces c of motors.

            M dw - J^T df = dc - (P_q - d(J^T f)/dq) dq - P_v dqd
            J dw + mu df = -(d(J u)/dq + k_p de/dq) dq - k_d J dqd

        w is a in axes fixed to the parent: see `parent_axes_rates`. `partials` are P_q, P_v and M of inverse
        dynamics at constant w; `drifts` are rows of further terms in dq and dqd on the right. With L D L^T = J M^-1
        J^T + mu and Y = L^-1 J M^-1, a load and a right side b give dw = (M^-1 - Y^T D^-1 Y) load + Y^T D^-1 L^-1 b.
        For b = -k_d J dqd, dw is that of the load k_d M dqd, minus k_d dqd.
        """
        n, (by_q, by_v, M), kd = len(qd), partials, self.numbers[0]
        factors = factors_of(filled(M), M)
        G = factors.solve_columns(self.rows)
        A = [[dot(row, other) for other in G[: i + 1]] for i, row in enumerate(self.rows)]
        turned = self.dynamics.matrix(self._turned_forces(f))
        loads = [
            [*(y - x for x, y in zip(p, h, strict=True)), *(kd * z - x for x, z in zip(v, m, strict=True))]
            for p, h, v, m in zip(by_q, turned, by_v, M, strict=True)
        ]
        joints = self.dynamics.rates(self.speeds(qd, a))
        slopes = self._rows([self._slopes(point, joints) for point in self.points])
        pairs = zip(slopes, self._rows(pull_slopes(self)), strict=True)
        b = [[-(x + y) for x, y in zip(*pair, strict=True)] for pair in pairs]
        if drifts:
            more = [list(row) for row in drifts]
            b = [[*(x + y for x, y in zip(*pair, strict=False)), *pair[1][n:]] for pair in zip(b, more, strict=True)]
        used = [k for k, column in enumerate(transposed(b)) if not all(map(is_zero, column))]
        sides = [[*x, *(y[k] for k in used)] for x, y in zip(G, b, strict=True)]
        L, Y = eliminated(mirrored(_plus_diagonal(A, self.damping)), sides)
        YG, places = [row[:n] for row in Y], dict(zip(used, range(n, n + len(used)), strict=True))
        Yb = [[row[places[k]] if k in places else 0 for k in range(2 * n)] for row in Y]

        def scaled(rows: Sequence[Scalars], sign: float = 1) -> Rows:
            pairs = zip([sign * share for share in L.inverse_D], rows, strict=True)
            return [[0 if is_zero(x) else share * x for x in row] for share, row in pairs]

        free, down = plus_product(factors.inverse(), transposed(YG), scaled(YG, -1)), transposed(YG)
        moved = sparse_product([[*x, *y] for x, y in zip(free, down, strict=True)], [*loads, *scaled(Yb)])
        W = [[*row, *(mine[k] for k in motors)] for row, mine in zip(moved, free, strict=True)]
        for k, row in enumerate(W):
            row[n + k] = row[n + k] - kd
        Z = [
            [*(x - y for x, y in zip(row, more, strict=True)), *(mine[k] for k in motors)]
            for row, more, mine in zip(sparse_product(YG, loads), Yb, YG, strict=True)
        ]
        return W, policy([x for row in L.L for x in row], scaled(Z, -1), [0.0] * len(Z))[0]

    def _slopes(self, point: Point, u: Scalars) -> list[Vector]:
        """d(J u)/dq, where J u is the velocity of a point: column k is w x c_k + w_k x c.

        w is the angular velocity due to the joints before joint k, c the point's velocity due to all others.
        """
        found, before = [ZERO] * len(u), ZERO
        V = point.columns
        for at in self.dynamics.tree.v_index[1:]:
            own = [k for k in point.moving if at.start <= k < at.stop]
            beyond = sum((V[k].lin * u[k] for k in point.moving if k >= at.start), start=ZERO)
            for k in own:
                found[k] = cross(before, V[k].lin) + cross(V[k].ang, beyond)
            before = before + sum((V[k].ang * u[k] for k in own), start=ZERO)
        return found

    def _turned_forces(self, f: Scalars) -> Rows:
        """d(J^T f)/dq by velocities of the joints, for constant forces in the base frame.

        With phi_j = c_j x f, entry j, k is w_k . phi_j if joint k carries joint j, or is that joint; else w_j . phi_k.
        """
        tree = self.dynamics.tree
        H: Rows = [[0] * tree.nv for _ in range(tree.nv)]
        joint = [i for i, at in enumerate(tree.v_index) for _ in range(at.start, at.stop)]
        for group in self.groups:
            forces = [
                sum((axis * x for axis, x in zip(self.points[k].axes, f[3 * k : 3 * k + 3], strict=True)), start=ZERO)
                for k in group
            ]
            V, moving = self.points[group[0]].columns, self.points[group[0]].moving
            pairs = [(self.points[k].columns, x) for k, x in zip(group, forces, strict=True)]
            phi = {j: sum((cross(columns[j].lin, x) for columns, x in pairs), start=ZERO) for j in moving}
            for j in moving:
                for k in moving:
                    pair = (V[k].ang, phi[j]) if joint[k] <= joint[j] else (V[j].ang, phi[k])
                    H[j][k] = H[j][k] + along(*pair)
        return H


def _plus_diagonal(lower: Rows, more: Scalars) -> Rows:
    return [[*row[:-1], row[-1] + x] for row, x in zip(lower, more, strict=True)]
