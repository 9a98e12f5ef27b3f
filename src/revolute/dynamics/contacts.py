"""Contacts of links with planes and each other, and joint stops: impacts, forces, time steps, for any scalar type.

Rows J are the normal and two tangents of every contact, then a row for every stop. Impulses are those of
`revolute.dynamics.cones`. Moreau 1988; Jean & Moreau 1992.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.cones import TINY, Bounds, most, solve
from revolute.dynamics.constrained import Constraints
from revolute.dynamics.coordinate_rates import euler_step, parent_axes_rates
from revolute.dynamics.frame_motion import frame_acceleration, frame_velocity
from revolute.dynamics.jacobian import NONE, jacobian
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.mobility import dot as sparse_dot
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.sparse_factorization import is_zero
from revolute.model.body import Frame
from revolute.model.contact import NUMBERS, Distance, Links, check_stops
from revolute.model.model import Model
from revolute.model.reduce import aligned, reduced
from revolute.records import dataclass
from revolute.spatial.dual import moving, unit_gradient
from revolute.spatial.loop import Tree, mapped
from revolute.spatial.scalar import Rows, Scalar, Scalars, Wrenches, mirrored, select, sqrt
from revolute.spatial.vectors import Vector, cross, dot

FAR = 1e9
"""Velocity [m/s, rad/s] that no row reaches, for rows that do not act."""

SLOW = 1e-6
"""Speed [m/s, rad/s] up to which a contact sticks, and up to which a contact or stop does not separate."""

CLOSED = 1e-12
"""Gap of a rigid contact that counts as none [m]: divided by h, rounding would press feet on one plane sideways."""

MANY = 144
"""Rows times rows with the same zeros from which products are computed in loops: straight code compiles slowly."""

Names = tuple[str, ...]
Contacts = tuple[Links, ...]


@dataclass(frozen=True)
class Side:
    """A link that touches: the centre of its sphere and the point that touches, from the origin of the link."""

    link: str
    center: Vector
    arm: Vector

    def rows(self, model: Model, q: Scalars, axes: Sequence[Vector]) -> Rows:
        """Rows of J for velocities of the point along the axes."""
        columns = jacobian(model, q, self.link, "aligned")
        return [
            [0 if V is NONE else dot(x, V.lin) + dot(cross(self.arm, x), V.ang) for V in columns] for x in axes
        ]


@dataclass(frozen=True)
class Touch:
    """A contact in a state: its `sides`, one or two; the `gap`, negative inside; `axes`, the normal and two tangents;
    `rows` of J for velocities along the axes, of the first side relative to the second; the function of the surface."""

    sides: Sequence[Side]
    gap: Scalar
    axes: Sequence[Vector]
    rows: Rows
    surface: Distance | None
    friction: Scalar
    restitution: Scalar
    compliance: Scalar
    damping: Scalar


def _on_shared_links(
    model: Model, contacts: Contacts, numbers: Iterable[Scalars]
) -> Iterator[tuple[Links, Scalars]]:
    """Contacts with their points in the first of all links of a body that touch, whose Jacobian they share."""
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
    """The contact of a link with a plane, the sphere of another link, or a surface, with its numbers."""
    point, radius, *law = Vector(numbers[:3]), *numbers[3:8]
    given, size = Vector(numbers[8:11]), numbers[11]
    link, *others = (links,) if isinstance(links, str) else links
    pose = frame_pose(model, q, link)
    center = pose.R @ point
    surface = others.pop() if others and not isinstance(others[0], str) else None
    if surface:
        distance, *n = unit_gradient(surface, pose.p + center)
        normal, gap = Vector(n), distance - radius
    elif others:
        pose_b = frame_pose(model, q, others[0])
        center_b = pose_b.R @ given
        apart = pose.p + center - pose_b.p - center_b
        square = dot(apart, apart)
        distance = sqrt(select(square > TINY, square, TINY))
        normal, gap = apart * (1 / distance), distance - size - radius
        normal = Vector((*normal[:2], select(square > TINY, normal[2], 1.0)))  # of equal centres, up
    else:
        normal, gap = given, dot(given, pose.p + center) - size - radius
    axes = (normal, *_tangents(normal))
    sides = [Side(link, center, center - normal * radius)]
    rows = sides[0].rows(model, q, axes)
    if others:
        sides.append(Side(others[0], center_b, center_b + normal * size))
        pairs = zip(rows, sides[1].rows(model, q, axes), strict=True)
        rows = [[x if is_zero(y) else x - y for x, y in zip(*pair, strict=True)] for pair in pairs]
    return Touch(sides, gap, axes, rows, surface, *law)


def _tangents(n: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors perpendicular to a unit vector and to each other. Duff et al. 2017."""
    sign = select(n[2] < 0, -1.0, 1.0)
    a = -1 / (sign + n[2])
    b = n[0] * n[1] * a
    return Vector((1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0])), Vector((b, sign + n[1] * n[1] * a, -n[1]))


@dataclass(frozen=True)
class Touching:
    """All contacts and stops of a robot in a state; `gaps` of stops are lower limit - q and upper limit - q."""

    touches: Sequence[Touch]
    gaps: Bounds
    constraints: Constraints

    @classmethod
    def of(
        cls, model: Model, q: Scalars, contacts: Contacts, numbers: Scalars, stops: Names, limits: Scalars
    ) -> Touching:
        same, size = aligned(model), NUMBERS
        given = (numbers[k * size : (k + 1) * size] for k in range(len(contacts)))
        touches = [touch(same, q, link, own) for link, own in _on_shared_links(same, contacts, given)]
        bodies = check_stops(model, stops)
        rows = [[int(k == model.v_index[i].start) for k in range(model.nv)] for i in bodies]
        angles = [q[model.q_index[i].start] for i in bodies]
        gaps = [(limits[2 * k] - x, limits[2 * k + 1] - x) for k, x in enumerate(angles)]
        J = [*(row for x in touches for row in x.rows), *rows]
        return cls(touches, gaps, Constraints(J, mass_matrix_factors(reduced(model), q)))

    @cached_property
    def A(self) -> Rows:
        """J M^-1 J^T. For many rows, in loops over rows with the same structural zeros, as those of one foot."""
        swept, inverse_D = self.constraints.swept, self.constraints.factors.inverse_D
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, row in enumerate(swept):
            groups.setdefault(tuple(k for k, x in enumerate(row) if not is_zero(x)), []).append(i)
        if sum(map(len, groups.values())) * max(map(len, groups.values()), default=0) < MANY:
            return mirrored(self.constraints.mobility)
        A: Rows = [[] for _ in swept]
        for nonzero, own in groups.items():

            def products(row: Scalars, nonzero: tuple[int, ...] = nonzero) -> list[Scalar]:
                scaled = {k: x * inverse_D[k] for k, x in zip(nonzero, row, strict=True)}
                return [sum(x * other[k] for k, x in scaled.items() if not is_zero(other[k])) for other in swept]

            inputs = [[swept[i][k] for k in nonzero] for i in own]
            for i, row in zip(own, mapped(products, inputs), strict=True):
                A[i] = row
        return mirrored(A)

    @property
    def friction(self) -> list[Scalar]:
        return [x.friction for x in self.touches]

    def speeds(self, qd: Scalars) -> list[Scalar]:
        """J qd."""
        return [sparse_dot(row, qd) for row in self.constraints.J]

    def moved(self, p: Scalars) -> list[Scalar]:
        """M^-1 J^T p."""
        factors, swept = self.constraints.factors, self.constraints.swept
        loads = [sparse_dot([row[k] for row in swept], p) for k in range(len(factors.L))]
        return factors.finished([x * share for x, share in zip(loads, factors.inverse_D, strict=True)])

    def struck(self, u: Scalars, acts: Scalars, within: Scalar) -> tuple[Any, Scalar]:
        """Impulses (1 + s e) p of an impact at velocities u, and the residual. p ends the velocities.

        Contacts take part where `acts` is 1, stops within a distance. s = 1 if all contacts have one restitution e.
        Other coefficients, contact by contact, could add kinetic energy: s is the largest share up to 1 that does not.
        """
        b = list(u)
        for k, act in enumerate(acts):
            b[3 * k] = select(act > 0, u[3 * k], FAR)
        bounds = [(select(-low <= within, 0.0, -FAR), select(high <= within, 0.0, FAR)) for low, high in self.gaps]
        p, residual = solve(self.A, b, self.friction, bounds)
        more = [x.restitution * part for k, x in enumerate(self.touches) for part in p[3 * k : 3 * k + 3]]
        more += [0] * len(self.gaps)
        after = [a + sparse_dot(p, row) for a, row in zip(u, self.A, strict=True)]
        work = sparse_dot(p, _sum(u, after)) / 2
        slope, bend = sparse_dot(more, after), sparse_dot(more, [sparse_dot(more, row) for row in self.A])
        root = sqrt(most(slope * slope - 2 * bend * work, 0.0))
        share = select(work + slope + bend / 2 > 0, (root - slope) / (bend + TINY), 1.0)
        share = select(share < 1, share, 1.0)
        return [a + share * b for a, b in zip(p, more, strict=True)], residual

    def results(self, p: Scalars) -> list[list[Scalar]]:
        """Impulses on the links, in the base frame, and those of the stops, if there are stops."""
        vectors = []
        for k, x in enumerate(self.touches):
            a, b, c = (axis * part for axis, part in zip(x.axes, p[3 * k : 3 * k + 3], strict=True))
            vectors += [*(a + b + c)]
        return [vectors, list(p[3 * len(self.touches) :])] if self.gaps else [vectors]


def impact(
    model: Model, q: Scalars, qd: Scalars, within: Scalars, numbers: Scalars, limits: Scalars = (), *,
    contacts: Contacts, stops: Names = (),
) -> Tree:
    """Velocities after the impact of contacts and stops within a distance, impulses, and the residual."""
    system = Touching.of(model, q, contacts, numbers, stops, limits)
    near = [select(x.gap <= within[0], 1.0, 0.0) for x in system.touches]
    p, residual = system.struck(system.speeds(qd), near, within[0])
    return _sum(qd, system.moved(p)), *system.results(p), [residual]


def contact_forces(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, within: Scalars, numbers: Scalars, limits: Scalars = (), *,
    contacts: Contacts, stops: Names = (), wrenches: Wrenches = None,
) -> Tree:
    """Accelerations, forces of contacts and stops within a distance that do not separate, and the residual.

        J qdd + dJ/dt qd = A f + b

    has the law of velocities. A contact that slides has friction against its velocity, so that this, over a short time,
    is added to b. The force of a compliant contact is known: its row gets a large compliance beside the motion's.
    """
    system = Touching.of(model, q, contacts, numbers, stops, limits)
    free = _accelerated(model, system, q, qd, tau, wrenches)
    u, b, A = system.speeds(qd), system.speeds(free), [list(row) for row in system.A]
    for k, x in enumerate(system.touches):
        n, rows = 3 * k, range(3 * k, 3 * k + 3)
        drift = _drift(model, q, qd, x)
        slides = select(u[n + 1] * u[n + 1] + u[n + 2] * u[n + 2] > SLOW * SLOW, FAR, 0.0)
        for i, axis in zip(rows, x.axes, strict=True):
            b[i] = b[i] + dot(axis, drift) + (slides * u[i] if i > n else 0)
        soft = x.compliance > 0
        pushes = most(-x.gap / select(soft, x.compliance, 1.0) - x.damping * u[n], 0.0)
        A[n][n] = A[n][n] * select(soft, FAR, 1.0)
        touches = select(x.gap <= within[0], select(u[n] <= SLOW, b[n], FAR), FAR)
        b[n] = select(soft, -pushes * A[n][n], touches)
    bounds = []
    for (low, high), speed in zip(system.gaps, u[3 * len(contacts) :], strict=True):
        lower = select(-low <= within[0], select(speed <= SLOW, 0.0, -FAR), -FAR)
        bounds.append((lower, select(high <= within[0], select(speed >= -SLOW, 0.0, FAR), FAR)))
    f, residual = solve(A, b, system.friction, bounds)
    return _sum(free, system.moved(f)), *system.results(f), [residual]


def contact_step(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars, numbers: Scalars, limits: Scalars = (), *,
    contacts: Contacts, stops: Names = (), bounces: bool = False, wrenches: Wrenches = None,
) -> Tree:
    """Positions and velocities after a step of length h, impulses of contacts and stops, and the residual.

        qd+ = qd + h M^-1 (tau - bias) + M^-1 J^T p,    q+ = q + h (qd+ + w)

    with 0 <= u_n + gap / h of contacts and stops. w is the least motion that ends penetrations; it is no part of qd, so
    that it adds no kinetic energy. Compliant contacts push by p_n = -h ((gap + h u_n) / compliance + damping u_n). With
    `bounces` the contacts that the step reaches first strike by `struck`.
    """
    (h,) = h
    system, count = Touching.of(model, q, contacts, numbers, stops, limits), 3 * len(contacts)
    struck, first = [0] * len(system.A), 0.0
    free = parent_axes_rates(model, qd, _accelerated(model, system, q, qd, tau, wrenches))
    v = [x + h * a for x, a in zip(qd, free, strict=True)]
    if bounces:
        u = system.speeds(qd)
        ends = [x.gap + h * speed for x, speed in zip(system.touches, u[::3], strict=False)]
        rigid = [select(x.compliance > 0, 0.0, 1.0) for x in system.touches]
        reached = [select(end < 0, act, 0.0) for end, act in zip(ends, rigid, strict=True)]
        struck, first = system.struck(u, reached, -FAR)
        v = _sum(v, system.moved(struck))
    b, A = system.speeds(v), [list(row) for row in system.A]
    for k, x in enumerate(system.touches):
        lag = h + x.compliance * x.damping
        gap = select(x.compliance > 0, x.gap, select(x.gap > CLOSED, x.gap, 0.0))
        b[3 * k] = b[3 * k] + gap / lag
        A[3 * k][3 * k] = A[3 * k][3 * k] + x.compliance / (h * lag)
    ends = [(low / h, high / h) for low, high in system.gaps]
    bounds = [(-most(-low, 0.0), most(high, 0.0)) for low, high in ends]
    p, second = solve(A, b, system.friction, bounds)
    v = _sum(v, system.moved(p))
    rows = [*range(0, count, 3), *range(count, len(A))]
    deep = [(select(x.compliance > 0, -FAR, -x.gap / h), FAR) for x in system.touches]
    pulls, third = solve([[system.A[i][j] for j in rows] for i in rows], [0] * len(rows), (), [*deep, *ends])
    pulled = dict(zip(rows, pulls, strict=True))
    steady = _sum(v, system.moved([pulled.get(i, 0) for i in range(len(A))]))
    following = euler_step(model, q, steady, v, h)
    return *following, *system.results(_sum(p, struck)), [most(most(first, second), third)]


def _accelerated(
    model: Model, system: Touching, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches
) -> list[Scalar]:
    """Accelerations without contacts."""
    bias = newton_euler(reduced(model), q, qd, (0,) * model.nv, wrenches)
    return system.constraints.factors.solve([force - x for force, x in zip(tau, bias, strict=True)])


def _drift(model: Model, q: Scalars, qd: Scalars, x: Touch) -> Vector:
    """dJ/dt qd of the points that touch, of the first relative to the second; they move along spheres that roll."""
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
    drift: Vector = Vector((0, 0, 0))
    for (w, A, side, sign), k in zip(motions, reach, strict=True):
        between = between + cross(w, n) * (k * sign)
        part = A.lin + cross(A.ang, side.arm) + cross(w, cross(w, side.center)) + cross(w, turn) * k
        drift = drift + part * sign
    drift = drift + n * dot(turn, between)
    return drift


def _sum(a: Scalars, b: Scalars) -> list[Scalar]:
    return [x + y for x, y in zip(a, b, strict=True)]
