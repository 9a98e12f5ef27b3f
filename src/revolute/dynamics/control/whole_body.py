"""The quadratic program of whole-body control, for any scalar type. Del Prete et al. 2016; Herzog et al. 2016.

    least  sum_i w_i (J_i vd + Jd_i v - a_i)^2 / 2 + r_v |vd|^2 / 2 + r_f |f|^2 / 2    over    vd, f

    M vd + h = S^T tau + J_c^T f        f within friction pyramids, tau within effort limits
    J_c vd + Jd_c v = a_c               of contacts that act, loops and hard tasks;  vd within a box

H is diagonal: a task's row with several nonzero entries adds an error y = sqrt(w) (J vd + Jd v - a) with weight 1 to
the unknowns. Active-set solvers first form A H^-1/2, which then takes n m instead of n^2 m products.

Forces f are those of the environment on the robot, along normal and tangents of each contact. The forces tau of motors
are eliminated: rows without a motor are equalities, rows with one are bounds. A contact that does not act has zero
columns and rows, so that its forces are zero at the minimum.
"""

from collections.abc import Sequence
from functools import reduce

from revolute.dynamics.active_set import most
from revolute.dynamics.contacts import Touch, drift
from revolute.dynamics.frame_motion import frame_acceleration
from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.mobility import dot
from revolute.dynamics.pose_error import screw_error
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial.dual import TINY
from revolute.spatial.scalar import Rows, Scalar, Scalars, between, select, sqrt
from revolute.spatial.vectors import Vector
from revolute.spatial.vectors import dot as dot_of_vectors

HUGE = 1e30
"""Value for a missing bound, which solvers treat as infinity."""

DEPENDENT = 1e-4
"""A row is redundant if its part that is independent of earlier rows is below this, relative to the longest row."""


@dataclass(frozen=True)
class Rowed:
    """Rows J vd = a, with optional weights."""

    J: Rows
    a: Scalars
    weights: Scalars = ()


def wanted(J: Rows, jd_v: Scalars, v: Scalars, e: Scalars, k: Scalar) -> list[Scalar]:
    """a = -Jd v - 2 k J v - k^2 e: errors decay critically damped, as exp(-k t)."""
    rates = (dot(row, v) for row in J)
    return [-(drifts + 2 * k * rate + k * k * x) for drifts, rate, x in zip(jd_v, rates, e, strict=True)]


def place(model: Model, q: Scalars, x: Touch) -> Vector:
    """The point of contact of the first link, in the base frame."""
    point: Vector = frame_pose(model, q, x.sides[0].link).p + x.sides[0].arm
    return point


def held(model: Model, q: Scalars, v: Scalars, own: Sequence[Touch], link: str, anchor: Scalars, k: Scalar) -> Rowed:
    """Rows that keep a link with contacts where it touched down: its pose, or the point of a single contact.

    Only displacements along the surface and rotations about the normal are errors: soft ground determines the depth and
    tilt of a foot. A single sphere may roll, so its displacements are not errors.
    """
    x = own[0]
    if len(own) > 1:
        J = [[*row] for row in zip(*((*x.ang, *x.lin) for x in jacobian(model, q, link)), strict=True)]
        A = frame_acceleration(model, q, v, [0] * model.nv, link)
        n, e = frame_pose(model, q, link).R.T @ x.axes[0], screw_error(model, q, anchor, link)
        turn, slip = Vector(e[:3]), Vector(e[3:])
        slips = [*n * dot_of_vectors(n, turn), *(slip - n * dot_of_vectors(n, slip))]
        return Rowed(J, wanted(J, [*A.ang, *A.lin], v, slips, k))
    slip, arm = place(model, q, x) - Vector(anchor), x.sides[0].arm - x.sides[0].center
    rolls = len(x.sides) > 1 or dot_of_vectors(arm, arm) > 0
    slips = [0, *(select(rolls, 0.0, dot_of_vectors(axis, slip)) for axis in x.axes[1:])]
    J, rates = x.rows(model, q), drift(model, q, v, x)
    return Rowed(J, wanted(J, [dot_of_vectors(axis, rates) for axis in x.axes], v, slips, k))


def independent(J: Rows) -> list[Scalar]:
    """1 for each row that is linearly independent of the rows before it, to within `DEPENDENT`; 0 for the others."""
    longest, basis, kept = reduce(most, (dot(row, row) for row in J), TINY), Rows(), list[Scalar]()
    for row in J:
        for u in basis:
            share = dot(u, row)
            row = [x - share * y for x, y in zip(row, u, strict=True)]
        square = dot(row, row)
        kept.append(select(square > DEPENDENT * DEPENDENT * longest, 1.0, 0.0))
        scale = kept[-1] / sqrt(select(kept[-1] > 0, square, 1.0))
        basis.append([x * scale for x in row])
    return kept


def acceleration_box(x: Scalar, v: Scalar, limits: Scalars) -> list[Scalar]:
    """Minimum and maximum acceleration of a joint that respect limits of its position, velocity and acceleration.

        k (-fastest - v) <= k^2 (lower - x) - 2 k v <= vd <= k^2 (upper - x) - 2 k v <= k (fastest - v)

    A joint comes to rest at its position limits critically damped, also from beyond them, at a bounded velocity: where
    bounds conflict, those of the velocity take precedence. The box is never empty.

    Args:
        limits: lower and upper position, velocity, acceleration, k; infinite where there is no limit.
    """
    *sides, fastest, strongest, k = limits
    slowest, fastest = (k * (rate - v) for rate in (-fastest, fastest))
    bounds = (between(k * k * (side - x) - 2 * k * v, slowest, fastest) for side in sides)
    return [between(bound, -strongest, strongest) for bound in bounds]


@dataclass(frozen=True)
class Program:
    """The parts of the program, in coordinates of the robot.

    Attributes:
        M, h: mass matrix and bias forces.
        motors: coordinates with a motor.
        near: weighted rows of tasks with a single nonzero entry, 1.
        soft, hard: other weighted rows of tasks; rows of contacts, loops and hard tasks.
        J_c: three rows of each contact, zero if it does not act; then rows of loops.
        friction: mu of each contact.
        box, efforts: minimum and maximum accelerations of all coordinates, and forces of motors.
        regularization: r_v and r_f.
    """

    M: Rows
    h: Scalars
    motors: tuple[int, ...]
    near: Sequence[Rowed]
    soft: Sequence[Rowed]
    hard: Sequence[Rowed]
    J_c: Rows
    friction: Scalars
    box: Sequence[Scalars]
    efforts: Sequence[Scalars]
    regularization: Scalars

    def arrays(self) -> tuple[list[Scalar], list[Scalar], Rows, list[Scalar], list[Scalar]]:
        """The diagonal of H, g, A, and lower and upper bounds of (vd, A z), for z = (vd, f, y).

        Rows of A are equalities (coordinates without a motor; y; contacts and hard tasks), then pyramids and motors.
        """
        n, m = len(self.h), len(self.J_c)
        H, g = [self.regularization[0]] * n + [self.regularization[1]] * m, [0] * (n + m)
        for J, a, w in (x for task in self.near for x in zip(task.J, task.a, task.weights, strict=True)):
            k = J.index(1)
            H[k], g[k] = H[k] + w, g[k] - w * a
        soft = [(J, a, sqrt(w)) for x in self.soft for J, a, w in zip(x.J, x.a, x.weights, strict=True)]
        forces = [[*row, *(-J[i] for J in self.J_c)] for i, row in enumerate(self.M)]
        still = [i for i in range(n) if i not in self.motors]
        errors = [[*(x * w for x in J), *(0,) * (m + k), -1] for k, (J, _, w) in enumerate(soft)]
        A = [forces[i] for i in still] + errors + [row for x in self.hard for row in x.J]
        equal = [-self.h[i] for i in still] + [a * w for _, a, w in soft] + [a for x in self.hard for a in x.a]
        # pyramids within the friction cones; they imply f_n >= 0
        cones = [
            [*(0,) * (n + 3 * k), -mu * 0.5**0.5, *sides]
            for k, mu in enumerate(self.friction) for sides in ((1, 0), (-1, 0), (0, 1), (0, -1))
        ]  # fmt: skip
        A = [[*row, *(0,) * (n + m + len(soft) - len(row))] for row in A + cones + [forces[i] for i in self.motors]]
        lower, upper = ([e - self.h[i] for i, e in zip(self.motors, side, strict=True)] for side in self.efforts)
        low, high = zip(*self.box, strict=True)
        bounds = [*low, *equal, *(-HUGE,) * len(cones), *lower], [*high, *equal, *(0.0,) * len(cones), *upper]
        return H + [1] * len(soft), g + [0] * len(soft), A, *bounds
