"""Contacts, joint stops and dry friction of a machine as rows of one system, for any scalar type.

    u = A p + b,    A = J P J^T

J contains three rows for the normal and tangents of every contact, then a row for every stop, then one for every joint
whose dry friction sticks. P is M^-1, restricted to the velocities that keep all closures closed: closures are solved
first, so J has no rows for them. For impulses p see `revolute.dynamics.cones`. Moreau 1988; Jean & Moreau 1992.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from revolute.dynamics.constrained import Constraints
from revolute.dynamics.contacts import Contacts, Touch, on_shared_links, touch
from revolute.dynamics.coupling import Coupling, Dense, Factored
from revolute.dynamics.drive_forces import dry_friction_bounds
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.jacobian import NONE, jacobian
from revolute.dynamics.mobility import dot
from revolute.dynamics.positive_definite import triangular
from revolute.dynamics.sparse_factorization import is_zero
from revolute.model import Model, aligned
from revolute.model.contact import NUMBERS, STOP_NUMBERS, check_stops
from revolute.records import dataclass
from revolute.spatial import Rows, Scalar, Scalars, Wrenches, mapped, mirrored, sqrt, transposed
from revolute.spatial.dual import TINY

MANY = 144
"""Number of rows times the size of the largest group of rows with equal zeros, from which loops form the products."""

SEVERAL = 3  # contacts of a link from which its twist has fewer rows
ROUNDING = 1e-14  # least pivot of the mobility, relative to the mean of its diagonal
Names = tuple[str, ...]


@dataclass(frozen=True)
class Linkage:
    """A machine with contacts, joint stops or dry friction."""

    tree: Model  # its links and joints
    # function of (q, qd, tau, wrenches): qdd under all forces except those of rows
    accelerations: Callable[[Scalars, Scalars, Scalars, Wrenches], list[Scalar]]
    # function of q: closures that always hold, perhaps none, and the factors of the mass matrix
    held: Callable[[Scalars], Constraints]
    # how the joints of the tree follow the coordinates q; None if they are the coordinates
    drives: Drivetrain | None = None
    sticks: bool = False  # whether dry friction of the drives is in rows
    # function of (q, v, h): the nearest velocity at the end of a step that closing or driven closures allow; None:
    # closures always hold, so that all velocities are allowed
    allowed: Callable[[Scalars, Scalars, Scalar], list[Scalar]] | None = None
    # function of the state (q, qd) after a step, and h: the nearest state with closures closed; None: every state
    settled: Callable[[Scalars, Scalars, Scalar], tuple[Scalars, Scalars]] | None = None

    @property
    def space(self) -> Model:
        """A model whose joints have the coordinates q."""
        return self.drives.space if self.drives else self.tree

    def of_joints(self, q: Scalars, qd: Scalars) -> tuple[Scalars, Scalars]:
        """Positions and velocities of the joints of the tree."""
        return (self.drives.positions(self.tree, q), self.drives.rates(qd)) if self.drives else (q, qd)

    def row(self, of_joints: Scalars) -> list[Scalar]:
        """A row that multiplies qd, from one that multiplies the velocities of the tree's joints."""
        return self.drives.projected(of_joints) if self.drives else list(of_joints)


@dataclass(frozen=True)
class DryFriction:
    """The friction of a joint that sticks: a row of J, the minimum and maximum force that it exerts, and whether
    these are equal in both directions."""

    row: list[Scalar]
    least: Scalar
    most: Scalar
    even: bool

    @property
    def mean(self) -> Scalar:
        """The mean of both forces; structurally zero if friction is equal in both directions."""
        return 0 if self.even else (self.least + self.most) / 2

    @property
    def reach(self) -> Scalar:
        """The largest distance of the force from the mean."""
        return self.most if self.even else (self.most - self.least) / 2

    @property
    def coordinate(self) -> int | None:
        """The coordinate that stands still while the friction sticks; None if the row contains several."""
        moving = [k for k, x in enumerate(self.row) if not is_zero(x)]
        return moving[0] if len(moving) == 1 else None


def dry_friction(linkage: Linkage, qd: Scalars) -> list[DryFriction]:
    """The dry friction of all joints; joints that follow one coordinate are combined.

    The Stribeck term is evaluated at the velocity qd; at rest it has its full value.
    """
    drives = linkage.drives
    if drives is None or not linkage.sticks:
        return []
    tree, found = linkage.tree, dict[int, DryFriction]()
    even = [not body.drive.friction_backward for body in tree.bodies for _ in range(body.joint.nv)]
    sizes = zip(*dry_friction_bounds(tree, drives.rates(qd)), even, strict=True)
    for joint, (row, (forward, backward, same)) in enumerate(zip(drives.A, sizes, strict=True), len(qd)):
        if is_zero(forward) and is_zero(backward):
            continue
        place = joint
        if len(row) == 1:  # of the coordinate: its share
            ((place, f),) = row
            forward, backward = (abs(f) * x for x in ((forward, backward) if f > 0 else (backward, forward)))
            row = ((place, 1),)
        least, most = -forward, backward
        if place in found:
            least, most = least + found[place].least, most + found[place].most
            same = same and found[place].even
        factors = dict(row)
        found[place] = DryFriction([factors.get(k, 0) for k in range(len(qd))], least, most, same)
    return [*found.values()]


class Stop(NamedTuple):
    """The stops of a joint in a state: lower limit - q, upper limit - q, and the parameters of their law."""

    low: Scalar
    high: Scalar
    restitution: Scalar
    compliance: Scalar
    damping: Scalar


@dataclass(frozen=True)
class Touching:
    """All rows of a machine in a state: contacts, stops, dry friction."""

    touches: Sequence[Touch]  # contacts
    stops: Sequence[Stop]  # of joints
    dry: Sequence[DryFriction]  # dry friction that sticks
    basis: Rows  # rows of J, or of the twists of links with several contacts
    parts: Sequence[dict[int, Scalar]]  # {row of the basis: factor} of every row of J
    held: Constraints  # closures that hold, and the factors of the mass matrix

    @classmethod
    def of(
        cls, linkage: Linkage, q: Scalars, contacts: Contacts, numbers: Scalars, stops: Names, limits: Scalars,
        dry: Sequence[DryFriction] = (),
    ) -> Touching:
        tree = linkage.tree
        phi, _ = linkage.of_joints(q, (0,) * linkage.space.nv)
        same, size = aligned(tree), NUMBERS
        given = (numbers[k * size : (k + 1) * size] for k in range(len(contacts)))
        touches = [touch(same, phi, link, own) for link, own in on_shared_links(same, contacts, given)]
        bodies = check_stops(tree, stops)
        angles = [phi[tree.q_index[i].start] for i in bodies]
        laws = (limits[k * STOP_NUMBERS : (k + 1) * STOP_NUMBERS] for k in range(len(stops)))
        found = [Stop(low - x, high - x, *law) for x, (low, high, *law) in zip(angles, laws, strict=True)]
        basis, parts = _contact_rows(same, phi, touches)
        for i in bodies:
            parts.append({len(basis): 1})
            basis.append([int(k == tree.v_index[i].start) for k in range(tree.nv)])
        basis = [linkage.row(row) for row in basis] + [x.row for x in dry]
        parts += [{k: 1} for k in range(len(basis) - len(dry), len(basis))]
        return cls(touches, found, dry, basis, parts, linkage.held(q))

    @property
    def count(self) -> int:
        """Number of rows of contacts and stops, which come first."""
        return len(self.parts) - len(self.dry)

    @cached_property
    def swept(self) -> Rows:
        """L^-T J^T of the basis, one list per row, without the components along closures."""
        factors, closures = self.held.factors, self.held.swept
        swept = [factors.swept(row) for row in self.basis]
        if not closures:
            return swept
        scaled = [[x * share for x, share in zip(row, factors.inverse_D, strict=True)] for row in closures]
        forces = self.held.responses([[dot(white, row) for row in swept] for white in scaled])
        columns = transposed(closures)
        return [
            [x - dot(f, column) for x, column in zip(row, columns, strict=True)]
            for row, f in zip(swept, transposed(forces), strict=True)
        ]

    @cached_property
    def mobility(self) -> Rows:
        """J P J^T of the basis. For many rows, in loops over rows with the same structural zeros."""
        swept, inverse_D = self.swept, self.held.factors.inverse_D
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, row in enumerate(swept):
            groups.setdefault(tuple(k for k, x in enumerate(row) if not is_zero(x)), []).append(i)
        if sum(map(len, groups.values())) * max(map(len, groups.values()), default=0) < MANY:
            white = [[x * share for x, share in zip(row, inverse_D, strict=True)] for row in swept]
            return mirrored([[dot(a, b) for b in white[: i + 1]] for i, a in enumerate(swept)])
        A: Rows = [[] for _ in swept]
        for nonzero, own in groups.items():

            def products(row: Scalars, nonzero: tuple[int, ...] = nonzero) -> list[Scalar]:
                scaled = {k: x * inverse_D[k] for k, x in zip(nonzero, row, strict=True)}
                return [sum(x * other[k] for k, x in scaled.items() if not is_zero(other[k])) for other in swept]

            inputs = [[swept[i][k] for k in nonzero] for i in own]
            for i, row in zip(own, mapped(products, inputs), strict=True):
                A[i] = row
        return mirrored(A)

    def coupling(self, rows: Sequence[int], compliance: Scalars = ()) -> Coupling:
        """A of the given rows, with the compliance of each row added to the diagonal."""
        parts, E = [self.parts[i] for i in rows], compliance or [0] * len(rows)
        if all(len(part) == 1 for part in parts):
            B, places = self.mobility, [j for part in parts for j in part]
            A = [[B[i][j] for j in places] for i in places]
        else:
            R = [
                [sum(x * self.root[j][k] for j, x in part.items() if k <= j) for k in range(len(self.basis))]
                for part in parts
            ]
            if len(self.basis) < len(parts):
                return Factored(R, E)
            A = mirrored([[dot(a, b) for b in R[: i + 1]] for i, a in enumerate(R)])
        for i, e in enumerate(E):
            A[i][i] = A[i][i] if is_zero(e) else A[i][i] + e
        return Dense(A)

    @cached_property
    def root(self) -> Rows:
        """G of J P J^T = G G^T of the basis, a lower triangle with structural zeros above."""
        B = self.mobility
        least = sum(row[i] for i, row in enumerate(B)) * (ROUNDING / len(B)) + TINY
        factors = triangular(B, least)
        scales = [sqrt(x) for x in factors.D]
        return [
            [*(x * s for x, s in zip(row, scales, strict=False)), scales[i], *[0] * (len(B) - i - 1)]
            for i, row in enumerate(factors.L)
        ]

    @property
    def friction(self) -> list[Scalar]:
        return [x.friction for x in self.touches]

    def speeds(self, qd: Scalars) -> list[Scalar]:
        """The velocities J qd of all rows."""
        w = [dot(row, qd) for row in self.basis]
        return [sum(x * w[j] for j, x in part.items()) for part in self.parts]

    def moved(self, p: Scalars) -> list[Scalar]:
        """The change of velocity P J^T p, for impulses of all rows or of the first ones."""
        factors = self.held.factors
        f: list[Scalar] = [0] * len(self.basis)
        for part, x in zip(self.parts, p, strict=False):
            for j, a in part.items():
                f[j] = f[j] + a * x
        loads = [dot([row[k] for row in self.swept], f) for k in range(len(factors.L))]
        return factors.finished([x * share for x, share in zip(loads, factors.inverse_D, strict=True)])


def _contact_rows(model: Model, q: Scalars, touches: Sequence[Touch]) -> tuple[Rows, list[dict[int, Scalar]]]:
    """The basis, and factors of all rows of contacts. A link with several contacts has the six rows of its twist."""
    links = [x.sides[0].link if len(x.sides) == 1 else None for x in touches]
    basis, first = list[list[Scalar]](), dict[str, int]()
    parts = list[dict[int, Scalar]]()
    for link, x in zip(links, touches, strict=True):
        if link is None or links.count(link) < SEVERAL:
            parts += [{len(basis) + i: 1} for i in range(3)]
            basis += x.rows(model, q)
            continue
        if link not in first:
            first[link] = len(basis)
            columns = jacobian(model, q, link, "aligned")
            basis += transposed([0] * 6 if V is NONE else [*V.ang, *V.lin] for V in columns)
        parts += [dict(enumerate(row, first[link])) for row in x.twist_rows()]
    return basis, parts
