"""Impacts, forces and time steps with contacts, joint stops and dry friction, for any scalar type.

Rows and their order are those of `revolute.dynamics.rows`. Moreau 1988; Jean & Moreau 1992.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.dynamics.cones import Bounds, most, solve
from revolute.dynamics.contacts import Contacts, drift
from revolute.dynamics.coordinate_rates import euler_step, parent_axes_rates
from revolute.dynamics.mobility import dot, plus
from revolute.dynamics.rows import DryFriction, Linkage, Names, Stop, Touching, dry_friction
from revolute.spatial import Scalar, Scalars, Tree, Wrenches, select, sqrt
from revolute.spatial.dual import TINY
from revolute.spatial.vectors import dot as dot_of_vectors

FAR = 1e9
"""Velocity [m/s, rad/s] that no row reaches: it serves as the bound of a row that does not act."""

SLOW = 1e-6
"""Speed [m/s, rad/s] up to which a contact sticks, and up to which a contact or stop does not separate."""

CLOSED = 1e-12
"""Gap [m] up to which a rigid contact is closed: rounding errors of gaps, divided by h, would push feet sideways."""


def impact(
    linkage: Linkage, q: Scalars, qd: Scalars, within: Scalars, numbers: Scalars, limits: Scalars = (), *,
    contacts: Contacts, stops: Names = (),
) -> Tree:
    """Velocities after an impact of all contacts and stops with gaps up to `within`; the impulses; the residual."""
    system = Touching.of(linkage, q, contacts, numbers, stops, limits)
    near = [select(x.gap <= within[0], 1.0, 0.0) for x in system.touches]
    ends = [_ends(-x.low <= within[0], x.high <= within[0]) for x in system.stops]
    p, residual = _struck(system, system.speeds(qd), near, ends)
    after = plus(qd, system.moved(p))
    return after, *_results(system, p), [_finite(residual, q, after)]


def contact_forces(
    linkage: Linkage, q: Scalars, qd: Scalars, tau: Scalars, within: Scalars, numbers: Scalars,
    limits: Scalars = (), *, contacts: Contacts, stops: Names = (), wrenches: Wrenches = None,
) -> Tree:
    """Accelerations, forces of contacts and stops with gaps up to `within` that do not separate, and the residual.

        J qdd + dJ/dt qd = A f + b

    This vector obeys the laws that `revolute.dynamics.cones` states for u. Friction of a sliding contact opposes its
    velocity, so the velocity, divided by a short time, is added to b. The normal force of a compliant contact is known:
    its row's diagonal entry is multiplied by `FAR`, so other forces hardly change it. Forces of compliant stops are
    known, too.
    """
    system = Touching.of(linkage, q, contacts, numbers, stops, limits)
    free, joints = linkage.accelerations(q, qd, tau, wrenches), linkage.of_joints(q, qd)
    u, rigid, known = system.speeds(qd), system.coupling(range(system.count)), [0] * (3 * len(contacts))
    for stop, speed in zip(system.stops, u[len(known) :], strict=True):
        soft, drag = stop.compliance > 0, stop.damping * speed
        share = 1 / select(soft, stop.compliance, 1.0)
        low = select(stop.low >= 0, most(stop.low * share - drag, 0.0), 0.0)
        high = select(stop.high <= 0, most(drag - stop.high * share, 0.0), 0.0)
        known.append(select(soft, low - high, 0.0))
    if stops:
        free = plus(free, system.moved(known))
    b, more = system.speeds(free), list[Scalar]([0] * system.count)
    for k, x in enumerate(system.touches):
        n, rows = 3 * k, range(3 * k, 3 * k + 3)
        rates = drift(linkage.tree, *joints, x)
        slides = select(u[n + 1] * u[n + 1] + u[n + 2] * u[n + 2] > SLOW * SLOW, FAR, 0.0)
        for i, axis in zip(rows, x.axes, strict=True):
            b[i] = b[i] + dot_of_vectors(axis, rates) + (slides * u[i] if i > n else 0)
        soft = x.compliance > 0
        pushes = most(-x.gap / select(soft, x.compliance, 1.0) - x.damping * u[n], 0.0)
        pushes = select(x.gap <= 0, pushes, 0.0)
        own = rigid.entry(n, n)
        more[n] = own * select(soft, FAR - 1, 0.0)
        touches = select(x.gap <= within[0], select(u[n] <= SLOW, b[n], FAR), FAR)
        b[n] = select(soft, -pushes * own * FAR, touches)
    bounds = []
    for stop, speed in zip(system.stops, u[3 * len(contacts) :], strict=True):
        lower, upper = _ends(-stop.low <= within[0], stop.high <= within[0], stop)
        bounds.append((select(speed <= SLOW, lower, -FAR), select(speed >= -SLOW, upper, FAR)))
    f, residual = solve(system.coupling(range(system.count), more), b, system.friction, bounds)
    qdd = plus(free, system.moved(f))
    return qdd, *_results(system, plus(f, known)), [_finite(residual, q, qdd)]


def contact_step(
    linkage: Linkage, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars, numbers: Scalars = (),
    limits: Scalars = (), *, contacts: Contacts = (), stops: Names = (), bounces: bool = False,
    wrenches: Wrenches = None,
) -> Tree:
    """Positions and velocities after a step of length h, impulses of contacts and stops, and the residual.

        qd+ = qd + h P (tau - bias) + P J^T p,    q+ = q + h (qd+ + w)

    with 0 <= u_n + gap / h for contacts and stops. w is the least velocity that ends penetrations; it is not part of
    qd, so it adds no kinetic energy. Compliant contacts and stops push by p_n = -h ((gap + h u_n) / compliance +
    damping u_n), with damping only if they would close in the step. With `bounces`, rigid contacts and stops that would
    close undergo an impact before the step: see `_struck`. The impulse of dry friction is at most h times its largest
    force. The velocity of a sticking coordinate is exactly zero if no other coordinate is in the row of its friction.
    """
    (h,), space = h, linkage.space
    dry = dry_friction(linkage, qd)
    system = Touching.of(linkage, q, contacts, numbers, stops, limits, dry)
    count, struck, first = system.count, [0] * system.count, 0.0
    free = parent_axes_rates(space, qd, linkage.accelerations(q, qd, tau, wrenches))
    v = [x + h * a for x, a in zip(qd, free, strict=True)]
    v = linkage.allowed(q, v, h) if linkage.allowed else v
    if bounces:
        u = system.speeds(linkage.allowed(q, qd, h) if linkage.allowed else qd)[:count]
        reached = [
            select(x.gap + h * speed < 0, select(x.compliance > 0, 0.0, 1.0), 0.0)
            for x, speed in zip(system.touches, u[: 3 * len(contacts) : 3], strict=True)
        ]
        moved = [h * speed for speed in u[3 * len(contacts) :]]
        passed = [_ends(stop.low > y, stop.high < y, stop) for stop, y in zip(system.stops, moved, strict=True)]
        struck, first = _struck(system, u, reached, passed)
        v = plus(v, system.moved(struck))
    b, soft = system.speeds(v), list[Scalar]([0] * len(system.parts))
    for k, x in enumerate(system.touches):
        lag = h + select(x.gap + h * b[3 * k] <= 0, x.compliance * x.damping, 0.0)
        gap = select(x.compliance > 0, x.gap, select(x.gap > CLOSED, x.gap, 0.0))
        b[3 * k] = b[3 * k] + gap / lag
        soft[3 * k] = x.compliance / (h * lag)
    bounds, ends = [], []
    for k, stop in enumerate(system.stops, 3 * len(contacts)):
        y, delay = h * b[k], stop.compliance * stop.damping
        lag = h + select(stop.low >= y, delay, select(stop.high <= y, delay, 0.0))
        low, high, yields = stop.low / lag, stop.high / lag, stop.compliance > 0
        soft[k] = stop.compliance / (h * lag)
        bounds.append((select(yields, low, -most(-low, 0.0)), select(yields, high, most(high, 0.0))))
        ends.append((select(yields, -FAR, low), select(yields, FAR, high)))
    means = [*[0] * count, *(h * x.mean for x in dry)]  # of bounds of dry friction: they act in any case
    A = system.coupling(range(len(b)), soft)
    p, second = solve(A, plus(b, A.product(means)), system.friction, bounds, [h * x.reach for x in dry])
    v = _at_rest(plus(v, system.moved(plus(p, means))), p[count:], dry, h)
    p = p[:count]
    if not count:
        return *_advanced(linkage, q, v, v, h), [_finite(second, q, v)]
    rows = [*range(0, 3 * len(contacts), 3), *range(3 * len(contacts), count)]
    deep = [(select(x.compliance > 0, -FAR, -x.gap / h), FAR) for x in system.touches]
    pulls, third = solve(system.coupling(rows), [0] * len(rows), (), [*deep, *ends])
    pulled = dict(zip(rows, pulls, strict=True))
    steady = plus(v, system.moved([pulled.get(i, 0) for i in range(count)]))
    following = _advanced(linkage, q, steady, v, h)
    residual = _finite(most(most(first, second), third), q, v)
    return *following, *_results(system, plus(p, struck)), [residual]


def _advanced(linkage: Linkage, q: Scalars, steady: Scalars, v: Scalars, h: Scalar) -> tuple[Scalars, Scalars]:
    """The state after a step: see `euler_step`."""
    following = euler_step(linkage.space, q, steady, v, h)
    return linkage.settled(*following, h) if linkage.settled else following


def _at_rest(v: Scalars, p: Scalars, dry: Sequence[DryFriction], h: Scalar) -> list[Scalar]:
    """Velocities v, exactly zero for coordinates that stick: their p, minus the mean impulse, is inside its bounds."""
    v = list(v)
    for x, part in zip(dry, p, strict=True):
        if x.coordinate is not None:
            v[x.coordinate] = select(abs(part) < h * x.reach, 0.0, v[x.coordinate])
    return v


def _ends(low: Any, high: Any, rigid: Stop | None = None) -> tuple[Scalar, Scalar]:
    """Bounds of a stop's velocity: 0 where `low` or `high` holds; elsewhere, or if the stop is compliant, +-`FAR`."""
    lower, upper = select(low, 0.0, -FAR), select(high, 0.0, FAR)
    if rigid is None:
        return lower, upper
    return select(rigid.compliance > 0, -FAR, lower), select(rigid.compliance > 0, FAR, upper)


def _struck(system: Touching, u: Scalars, acts: Scalars, bounds: Bounds) -> tuple[Any, Scalar]:
    """Impulses (1 + s e) p of an impact at velocities u, where p is that of an inelastic impact; and the residual."""
    # Contacts take part where `acts` is 1, stops where bounds are 0. s = 1 if all have the same restitution e.
    # Different restitutions could add kinetic energy: s is the largest factor up to 1 that does not.
    b, A = list(u), system.coupling(range(system.count))
    for k, act in enumerate(acts):
        b[3 * k] = select(act > 0, u[3 * k], FAR)
    p, residual = solve(A, b, system.friction, bounds)
    more = [x.restitution * part for k, x in enumerate(system.touches) for part in p[3 * k : 3 * k + 3]]
    more += [x.restitution * part for x, part in zip(system.stops, p[len(more) :], strict=True)]
    after = plus(u, A.product(p))
    work = dot(p, plus(u, after)) / 2
    slope, bend = dot(more, after), dot(more, A.product(more))
    square = slope * slope - 2 * bend * work
    # the root has a derivative also where nothing is struck
    root = select(square > 0, sqrt(select(square > 0, square, 1.0)), 0.0)
    share = select(work + slope + bend / 2 > 0, (root - slope) / (bend + TINY), 1.0)
    share = select(share < 1, share, 1.0)
    return [a + share * b for a, b in zip(p, more, strict=True)], residual


def _results(system: Touching, p: Scalars) -> list[list[Scalar]]:
    """Impulses of the contacts, expressed in the base frame; and, if there are stops, those of the stops."""
    forces: list[Scalar] = []
    for k, x in enumerate(system.touches):
        a, b, c = (axis * part for axis, part in zip(x.axes, p[3 * k : 3 * k + 3], strict=True))
        forces += [*(a + b + c)]
    return [forces, list(p[3 * len(system.touches) :])] if system.stops else [forces]


def _finite(residual: Scalar, q: Scalars, rates: Scalars) -> Scalar:
    """The residual; but if the sum of positions and resulting rates is not finite, that sum."""
    total = sum(q) + sum(rates)
    return select(abs(total) < 1 / TINY, residual, total)
