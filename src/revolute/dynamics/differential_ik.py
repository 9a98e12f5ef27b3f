"""Velocities that move tasks towards their targets within limits, for any scalar type. Whitney 1969; Fan & Yuan 2005.

    least    sum_i w_i (J_i v + k_i e_i)^2 + lambda |v|^2,    lambda = c (sum_i w_i e_i^2 tr H / n)^1/2
    within   low <= v <= high,    J_r v >= -k g_r of gaps g_r >= 0,    J_r v = -k e_r of closures

H = sum_i w_i J_i^T J_i. The damping lambda is proportional to the error, so it vanishes at targets, and a robot comes
to rest in front of targets that are out of reach.
"""

from collections.abc import Sequence
from functools import reduce
from math import inf
from typing import ClassVar, Protocol

from revolute.dynamics.active_set import most
from revolute.dynamics.center_of_mass import center_of_mass, com_jacobian
from revolute.dynamics.contacts import touch
from revolute.dynamics.mobility import dot
from revolute.dynamics.optimal.box import Box, bounded_minimum, clamped
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.dynamics.row_minimum import row_minimum
from revolute.dynamics.sparse_factorization import factors_of, filled, is_zero
from revolute.model.contact import NUMBERS, Links
from revolute.model.model import Closure, Model
from revolute.records import dataclass
from revolute.spatial.dual import TINY
from revolute.spatial.scalar import Rows, Scalar, Scalars, between, mirrored, select, sqrt
from revolute.spatial.vectors import Vector, cross
from revolute.spatial.vectors import dot as dot_3

FLOOR = 1e-6  # least damping, relative to the mean of the diagonal of H
ROUNDS = 30  # maximum number of rounds for limits of coordinates
SOFTNESS = 1e-9  # of rows, relative to the mean of the diagonal of H: those that contradict each other are missed a bit
FAR = 1e3  # bound of all speeds where rows are active [m/s, rad/s]
AWAY = 1e6  # distance beyond which limits have no effect [m, rad]
ENOUGH = 1e-12  # amount by which rows may be missed without a solution for them [m/s, rad/s]
SKEW = 1e-3  # deviation from a pose from which on a matrix is refused
RETURN = 10.0  # rate at which coordinates return that are beyond their limits [1/s]


class TargetedError(Protocol):
    """An error with a target: see `revolute.control.tasks`."""

    shape: ClassVar[tuple[int, ...]]
    of_rate: ClassVar[bool]
    of_coordinates: ClassVar[bool]

    def error(self, model: Model, q: Scalars, target: Scalars) -> list[Scalar]: ...
    def jacobian(self, model: Model, q: Scalars) -> Rows: ...


@dataclass(frozen=True)
class VelocityLimits:
    """Limits of velocities."""

    boxed: tuple[tuple[int, int], ...]  # indices in v and q of coordinates with limits
    contacts: tuple[Links, ...]  # links that keep off surfaces
    planes: int  # number of planes of which the centre of mass keeps to the free side
    closures: tuple[Closure, ...]  # loops that stay closed


def velocities(
    dynamics: Dynamics, q: Scalars, qd: Scalars, dt: Scalars, parameters: Scalars, *targets: Scalars,
    tasks: Sequence[TargetedError], limits: VelocityLimits,
) -> tuple[list[Scalar], list[Scalar]]:
    """v; the largest violation of a row, infinite if a number is not finite or a target is not a pose; all violations.

    Args:
        q, qd: positions, and velocities of the previous control step.
        dt: length of the control step [s].
        parameters: w and k of each task; c, and k of gaps and closures; lower and upper limits of boxed positions, and
            limits of their speeds and accelerations; parameters of contacts; normals and offsets of planes.
        targets: the targets of the tasks.
    """
    (h,), n, tree, phi = dt, len(qd), dynamics.model, dynamics.positions(q)
    H, g, E, at, sound = [[0] * (i + 1) for i in range(n)], [0] * n, 0.0, 0, 0.0
    for task, target in zip(tasks, targets, strict=True):
        model, x = (dynamics.space, q) if task.of_coordinates else (tree, phi)
        e, J = task.error(model, x, target), task.jacobian(model, x)
        if not task.of_coordinates:
            J = [dynamics.row(row) for row in J]
        w, k = parameters[at : at + len(e)], 1 if task.of_rate else _at_most(parameters[at + len(e)], 1 / h)
        at += len(e) + 1
        for row, error, weight in zip(J, e, w, strict=True):
            E = E if task.of_rate else E + weight * error * error
            _add(H, g, row, weight, k * error)
        if task.shape == (4, 4):
            sound = sound + _skew(target)
    mean = sum(H[i][i] for i in range(n)) * (1 / n)
    mean = select(mean > 0, mean, 1.0)  # if nothing is weighted or moves, v is zero
    (factor, rate), ends = parameters[at : at + 2], at + 2 + 4 * len(limits.boxed)
    damping = mean * (factor * sqrt(E / mean + TINY) + FLOOR)  # scales with the weights
    for i in range(n):
        H[i][i] = H[i][i] + damping
    rows, speeds = _rows(tree, phi, parameters[ends:], limits, _at_most(rate, 1 / h))
    rows = [dynamics.row(row) for row in rows]
    free = len(limits.contacts) + limits.planes
    box, boxed = _box(q, qd, h, parameters[at + 2 : ends], limits), [at for at, _ in limits.boxed]
    v, missed = _minimum(H, g, box, boxed, rows, speeds, free)
    worst, size = reduce(most, missed, 0.0), sum(abs(x) for x in v) + sum(missed) + E
    return v, [select(size < inf, select(sound < SKEW, worst, inf), inf), *missed]


def _add(H: Rows, g: list[Scalar], row: Scalars, weight: Scalar, pull: Scalar) -> None:
    """Add w row row^T to the lower triangle H, and w row pull to g."""
    places = [i for i, x in enumerate(row) if not is_zero(x)]
    for i in places:
        scaled = weight * row[i]
        g[i] = g[i] + scaled * pull
        for j in places:
            if j <= i:
                H[i][j] = H[i][j] + scaled * row[j]


def _rows(tree: Model, q: Scalars, numbers: Scalars, limits: VelocityLimits, k: Scalar) -> tuple[Rows, list[Scalar]]:
    """Rows of contacts, planes and closures, and their required speeds: minimum speeds, or exact ones for closures."""
    rows, values = Rows(), list[Scalar]()
    for at, links in enumerate(limits.contacts):
        one = touch(tree, q, links, numbers[at * NUMBERS : (at + 1) * NUMBERS])
        rows.append(one.rows(tree, q)[0])
        values.append(one.gap)
    for at in range(limits.planes):
        *normal, offset = numbers[len(limits.contacts) * NUMBERS + 4 * at :][:4]
        rows.append([dot_3(normal, column) for column in com_jacobian(tree, q)])
        values.append(dot_3(normal, center_of_mass(tree, q)[0]) - offset)
    for closure in limits.closures:
        rows += closure.jacobian(tree, q)
        values += closure.error(tree, q)
    return rows, [-k * x for x in values]


def _box(q: Scalars, qd: Scalars, h: Scalar, numbers: Scalars, limits: VelocityLimits) -> Box:
    """Minimum and maximum velocities of all coordinates."""
    # A speed u towards a limit at the distance d leaves enough distance to stop: u h + u^2 / 2a <= d. Beyond a limit
    # the coordinate returns. Acceleration limits take precedence if a state contradicts its limits.
    lows: list[Scalar] = [-inf] * len(qd)
    highs: list[Scalar] = [inf] * len(qd)
    size = len(limits.boxed)
    for k, (at, place) in enumerate(limits.boxed):
        lower, upper, speed, a = numbers[k::size]
        low = -between(_approach(q[place] - lower, a, h), -speed, speed)
        high = between(_approach(upper - q[place], a, h), -speed, speed)
        lows[at], highs[at] = (between(x, qd[at] - a * h, qd[at] + a * h) for x in (low, high))
    return Box(lows, highs)


def _approach(d: Scalar, a: Scalar, h: Scalar) -> Scalar:
    """The maximum speed towards a limit at the distance d: 2 d / (h + sqrt(h^2 + 2 d / a)); d / h for infinite a."""
    ahead = between(d, 0.0, AWAY)
    return select(d < 0, d * _at_most(RETURN, 1 / h), 2 * ahead / (h + sqrt(h * h + 2 * ahead / a)))


def _minimum(
    H: Rows, g: Scalars, box: Box, boxed: Sequence[int], rows: Rows, speeds: Scalars, free: int
) -> tuple[list[Scalar], list[Scalar]]:
    """The v that minimizes g^T v + v^T H v / 2 within bounds, for the lower triangle H; and each row's violation."""
    # The first `free` rows are inequalities, the others equations. Where the minimum in the box misses one, all are
    # solved by `row_minimum`, equations as stiff springs.
    if boxed:
        v, *_ = bounded_minimum(mirrored(H), g, box, clamped([0.0] * len(g), box), ROUNDS)
    else:
        v = factors_of(filled(H), H).solve([-x for x in g])
    missed = _missed(v, rows, speeds, free)
    if not rows:
        return v, missed
    mean = sum(row[-1] for row in H) * (1 / len(g))
    H, g = [list(row) for row in H], list(g)
    for row, speed in zip(rows[free:], speeds[free:], strict=True):
        _add(H, g, row, mean * (1 / SOFTNESS), -speed)
    A, upper = [[-x for x in row] for row in rows[:free]], [-x for x in speeds[:free]]
    for k in boxed:
        for sign, end in ((-1, box.lower[k]), (1, box.upper[k])):
            A.append([sign * int(i == k) for i in range(len(g))])
            upper.append(between(sign * end, -FAR, FAR))
    softness = [SOFTNESS] * free + [0.0] * (len(A) - free)
    share = 1 / mean
    scaled = [[x * share for x in row] for row in H], [x * share for x in g]
    v = clamped(row_minimum(*scaled, A, upper, softness, v, sum(missed) > ENOUGH), box)
    return v, _missed(v, rows, speeds, free)


def _missed(v: Scalars, rows: Rows, speeds: Scalars, free: int) -> list[Scalar]:
    """The violation of each row: how far its speed is below the minimum or, after `free` rows, off the exact speed."""
    short = [x - dot(row, v) for row, x in zip(rows, speeds, strict=True)]
    return [*(most(0.0, x) for x in short[:free]), *map(abs, short[free:])]


def _skew(T: Scalars) -> Scalar:
    """Deviation of a (4, 4) matrix from that of a pose: of its rotation, and of its last row."""
    x, y, z = Vector(T[:3]), Vector(T[4:7]), Vector(T[8:11])
    away = cross(x, y) - z
    turn = abs(dot_3(x, x) - 1) + abs(dot_3(y, y) - 1) + abs(dot_3(x, y)) + dot_3(away, away)
    return turn + sum(abs(a - b) for a, b in zip(T[12:], (0, 0, 0, 1), strict=True))


def _at_most(x: Scalar, largest: Scalar) -> Scalar:
    return select(x > largest, largest, x)
