"""Contacts of links with surfaces and with each other: gaps, axes, rows of J and their rates, for any scalar type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from revolute.dynamics.frame_motion import frame_acceleration, frame_velocity
from revolute.dynamics.jacobian import NONE, jacobian
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.sparse_factorization import is_zero
from revolute.model import Frame, Model, aligned
from revolute.model.contact import Distance, Links
from revolute.records import dataclass
from revolute.spatial import Rows, Scalar, Scalars, Vector, cross, dot, select, sqrt
from revolute.spatial.dual import TINY, moving, unit_gradient

Contacts = tuple[Links, ...]
NEAR = 1e-4  # distance from a surface up to which points of a link with several contacts count as in it [m]


@dataclass(frozen=True)
class Side:
    """A link in contact: the centre of its sphere and the point of contact, from the link's origin, in base axes."""

    link: str
    center: Vector
    arm: Vector

    def rows(self, model: Model, q: Scalars, axes: Sequence[Vector]) -> Rows:
        """Rows of J for velocities of the point along the axes."""
        columns = jacobian(model, q, self.link, "aligned")
        return [[0 if V is NONE else dot(x, V.lin) + dot(cross(self.arm, x), V.ang) for V in columns] for x in axes]


@dataclass(frozen=True)
class Touch:
    """A contact at given positions: its `sides`, one or two links; the `gap`, negative in penetration; the `axes`, a
    normal and two tangents; the distance function of its `surface`, if it has one; and its parameters."""

    sides: Sequence[Side]
    gap: Scalar
    axes: Sequence[Vector]
    surface: Distance | None
    friction: Scalar
    restitution: Scalar
    compliance: Scalar
    damping: Scalar

    def rows(self, model: Model, q: Scalars) -> Rows:
        """Rows of J for velocities along the axes, of the first side relative to the second."""
        rows, *others = (side.rows(model, q, self.axes) for side in self.sides)
        for other in others:
            pairs = zip(rows, other, strict=True)
            rows = [[x if is_zero(y) else x - y for x, y in zip(*pair, strict=True)] for pair in pairs]
        return rows

    def twist_rows(self) -> Rows:
        """For each axis, the factors (m, n) whose product with the link's twist is the velocity along this axis.

        Friction acts in the surface, not at a point up to `NEAR` from it, so all points of a flat foot that tips onto
        the ground can stick exactly.
        """
        (side,), n = self.sides, self.axes[0]
        arm = side.arm - n * select(abs(self.gap) < NEAR, self.gap, 0.0)
        return [[*cross(arm, x), *x] for x in self.axes]


def on_shared_links(model: Model, contacts: Contacts, numbers: Iterable[Scalars]) -> Iterator[tuple[Links, Scalars]]:
    """Contacts with points expressed in the first touching link of their body, so that they share its Jacobian."""
    first: dict[int, Frame] = {}

    def shared(name: str, point: Scalars) -> tuple[str, Scalars]:
        frame = model.frame(name)
        link = first.setdefault(frame.body, frame)
        moved = link.placement.inverse() @ frame.placement
        return link.name, point if link is frame else [*(moved.R @ Vector(point) + moved.p)]

    for links, own in zip(contacts, numbers, strict=True):
        first_link, *others = (links,) if isinstance(links, str) else links
        link, point = shared(first_link, own[:3])
        if others and isinstance(others[0], str):
            other, center = shared(others[0], own[8:11])
            yield (link, other), (*point, *own[3:8], *center, own[11])
        else:
            yield ((link, others[0]) if others else link), (*point, *own[3:])


def touch(model: Model, q: Scalars, links: Links, numbers: Scalars) -> Touch:
    """The contact, with its parameters, of a link with a plane, the sphere of another link, or a surface."""
    point, radius, *law = Vector(numbers[:3]), *numbers[3:8]
    given, size = Vector(numbers[8:11]), numbers[11]
    link, other = (links, None) if isinstance(links, str) else links
    pose = frame_pose(model, q, link)
    center = pose.R @ point
    surface = None if isinstance(other, str) else other
    if surface:
        distance, *n = unit_gradient(surface, pose.p + center)
        normal, gap = Vector(n), distance - radius
    elif isinstance(other, str):
        pose_b = frame_pose(model, q, other)
        center_b = pose_b.R @ given
        apart = pose.p + center - pose_b.p - center_b
        square = dot(apart, apart)
        distance = sqrt(select(square > TINY, square, TINY))
        normal, gap = apart * (1 / distance), distance - size - radius
        normal = Vector((*normal[:2], select(square > TINY, normal[2], 1.0)))  # of equal centres, up
    else:
        normal, gap = given, dot(given, pose.p + center) - size - radius
    axes = (normal, *tangents(normal))
    sides = [Side(link, center, center - normal * radius)]
    if isinstance(other, str):
        sides.append(Side(other, center_b, center_b + normal * size))
    return Touch(sides, gap, axes, surface, *law)


def tangents(n: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors perpendicular to a unit vector and to each other. Duff et al. 2017."""
    sign = select(n[2] < 0, -1.0, 1.0)
    a = -1 / (sign + n[2])
    b = n[0] * n[1] * a
    return Vector((1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0])), Vector((b, sign + n[1] * n[1] * a, -n[1]))


def drift(model: Model, q: Scalars, qd: Scalars, x: Touch) -> Vector:
    """dJ/dt qd of the points of contact, the first relative to the second; points move along rolling spheres."""
    same, still, n = aligned(model), (0,) * model.nv, x.axes[0]
    motions = []
    between: Vector = Vector((0, 0, 0))
    for side, sign in zip(x.sides, (1, -1), strict=False):
        V = frame_velocity(same, q, qd, side.link, "aligned")
        A = frame_acceleration(same, q, qd, still, side.link, "aligned", "classical")
        motions.append((V.ang, A, side, sign))
        between = between + (V.lin + cross(V.ang, side.center)) * sign
    # the normal between two spheres turns with their centres
    reach = [dot(n, side.arm - side.center) for side in x.sides]
    if x.surface:
        near = frame_pose(same, q, x.sides[0].link).p + x.sides[0].center
        turn = Vector(moving(partial(unit_gradient, x.surface), near, between)[1:])
    else:
        turn = (between - n * dot(n, between)) * (1 / (x.gap + reach[1] - reach[0])) if len(reach) == 2 else n * 0
    total: Vector = Vector((0, 0, 0))
    for (w, A, side, sign), k in zip(motions, reach, strict=True):
        between = between + cross(w, n) * (k * sign)
        part = A.lin + cross(A.ang, side.arm) + cross(w, cross(w, side.center)) + cross(w, turn) * k
        total = total + part * sign
    total = total + n * dot(turn, between)
    return total
