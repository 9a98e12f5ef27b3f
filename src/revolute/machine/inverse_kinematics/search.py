"""Searches for joint positions in machine code: attempts by Levenberg-Marquardt steps, and their starts.

Each row of a batch is an attempt: a loop of steps that ends when the pose is reached, or progress is too slow.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.dynamics.coordinate_rates import retracted
from revolute.dynamics.damped_least_squares import damped_solution, mean_square
from revolute.dynamics.mobility import dot
from revolute.dynamics.pose_error import squared_distance
from revolute.graph import Input
from revolute.machine.functions.inverse_kinematics import Frames, Rows
from revolute.model import CoupledLimits, Model, exact_text
from revolute.model.configurations import angle_places
from revolute.spatial import Scalar, Scalars, converged, repeated, select

if TYPE_CHECKING:
    from revolute.machine.constrained.independent import ConstrainedLinkPoses
    from revolute.machine.robot.inverse_kinematics import InverseKinematics

GOING, CONVERGED, FAILED = 0.0, 1.0, 2.0  # status of an attempt: unfinished, converged, or failed
ENDLESS = 1e300  # number that replaces a squared error that is infinite or NaN
REACHED = -1.0  # rank of an attempt that reaches the pose
MOST = 9  # maximum number of steps of an attempt in one call, in which a row of a batch may wait for others

PATIENT, HASTY = 40, 8
"""Number of steps after which every step must reduce the squared error by the factor SLOW: for starts of the caller;
and for random starts, where a new start finds a pose sooner than more steps do. On the arms UR5, Panda and xArm7, 8
steps need four fifths of the total steps that 20 need."""

SLOW = 0.5  # maximum ratio of the squared errors after and before a step; above it, the attempt counts as too slow

DAMPING = 0.03
"""Ratio of damping to squared error, in units of the mean squared length of the rows of J: the best of 0.003 ... 0.1
for the arms UR5, Panda and xArm7."""

LARGEST = 1.0  # squared error [rad^2, m^2] above which the damping is constant, so that steps do not become small
LEAST = 1e-12  # minimum damping, in units of the mean squared length of the rows of J: above rounding errors of J^T J

STRICT = 10.0
"""Weight of the limits of joints that follow several positions. At these limits, an attempt misses a pose by less than
the tolerance / STRICT, times a lever arm."""

TURN = 2 * math.pi

FARTHEST = 1e12
"""Squared length of a step above which an attempt ends. A step that is infinite or NaN also ends the attempt."""


def begin(patience: float, loose: bool = False) -> tuple[float, ...]:
    """The start of an attempt: squared error of the previous step, step count, status, damping factor, patience, loose.

    A loose attempt ignores limits until its end: some poses are reached only by detours beyond limits. Angles beyond
    their limits are turned back by 2 pi if they then fit. Final positions outside the limits are rejected.
    """
    return ENDLESS, 0.0, GOING, 1.0, patience, float(loose)


RANK, STEPS, STATUS, NUMBER = -6, -5, -4, -1
"""Indices of the state of an attempt, after its positions: see `begin`. At its end, the rank is the squared error, or
REACHED. In the state of a search, the last number is that of earlier attempts."""


def attempts_of(machine: PosedMachine, frames: Frames, rows: Rows, coupled: CoupledLimits | None) -> Kernel:
    """The kernel of up to MOST steps of an attempt: (lower, upper, tolerance, poses, state) -> next state."""
    key = ("attempts", frames, rows, coupled is not None)
    if key not in machine._loops:
        error, identity, owner = machine._identified("chord_error", {"frames": frames, "rows": rows})
        identity = identity and exact_text((identity, rows, coupled, MOST))
        again = partial(attempts_of, machine, frames, rows, coupled)
        attempts = _attempts(machine._space, error, coupled)
        machine._loops[key] = compiled(machine._kind, owner, attempts, np.float64, identity, again)
    found: Kernel = machine._loops[key]
    return found


def _attempts(space: Model, error: Signature, coupled: CoupledLimits | None) -> Signature:
    """Steps of an attempt. Levenberg 1944; Marquardt 1963; Sugihara 2011.

        (J^T J + damping 1) d = J^T e,    damping ~ |e|^2

    Damping proportional to the squared error (Sugihara) needs no trial steps: far from the pose, and if it is out of
    reach, steps are short; near the pose they are Gauss-Newton steps. After a step that enlarges the error, steps are
    shorter (Marquardt). Joints at a limit against which e pushes them are held (Bertsekas 1982); other joints stop when
    they reach a limit.

    Violations of coupled limits, multiplied by STRICT, are part of e. These limits are narrowed by tolerance / STRICT,
    so that joints are within the original ones if |e| is within the tolerance.
    """
    n, poses = space.nq, error.inputs[1].shape
    angles = angle_places(space)

    def body(lower: Scalars, upper: Scalars, tolerance: Scalars, poses: Scalars, first: Scalars) -> Any:
        one = partial(step, lower, upper, tolerance, poses)
        return converged(one, list(first), most=MOST)[0]

    def step(lower: Scalars, upper: Scalars, tolerance: Scalars, poses: Scalars, state: Scalars, _: Any) -> Any:
        q, (squared, steps, _, factor, patience, loose) = state[:n], state[n:]
        low = [select(loose > 0, -ENDLESS, x) for x in lower]
        high = [select(loose > 0, ENDLESS, x) for x in upper]
        e, J = error_rows(space, error, q, poses)
        beyond: Scalar = 0.0
        if coupled is not None:
            strict = select(loose > 0, 0.0, 1.0)
            excess, columns = _excess(coupled, q, tolerance[0] / STRICT)
            strict *= STRICT
            e, J = [*e, *(-strict * x for x in excess)], [*J, *held(columns, [strict] * space.nv)]
            beyond = select(loose > 0, sum(map(abs, _excess(coupled, q, 0.0)[0])), 0.0)
        now = select(dot(e, e) <= ENDLESS, dot(e, e), ENDLESS)
        J = held(J, free_joints(space, q, [dot(column, e) for column in zip(*J, strict=True)], low, high))
        factor = select(now > squared, factor * 4, (factor * 0.5).maximum(1.0))
        d = damped_solution(J, e, (factor * DAMPING * now.minimum(LARGEST) + LEAST) * mean_square(J))
        moved = [x.maximum(a).minimum(b) for x, a, b in zip(retracted(space, q, d), low, high, strict=True)]
        for k in angles:  # only loose attempts may exceed the limits
            moved[k] = select(moved[k] > upper[k], _turned(moved[k], -TURN, lower[k] <= moved[k] - TURN), moved[k])
            moved[k] = select(moved[k] < lower[k], _turned(moved[k], TURN, moved[k] + TURN <= upper[k]), moved[k])
        outside = sum((a - x).maximum(x - b).maximum(0.0) for x, a, b in zip(q, lower, upper, strict=True)) + beyond
        pays = select(steps < patience, GOING, select(now <= SLOW * squared, GOING, FAILED))
        ends = select(dot(d, d) <= FARTHEST, pays, FAILED)
        ends = select(now <= tolerance[0] * tolerance[0], select(outside <= 0, CONVERGED, FAILED), ends)
        rank = select(ends >= FAILED, select(outside <= 0, now, ENDLESS), select(ends > GOING, REACHED, now))
        going = ends <= GOING
        q = [select(going, new, old) for new, old in zip(moved, q, strict=True)]
        return [*q, rank, select(going, steps + 1, steps), ends, factor, patience, loose], (), going

    limits = Input("lower", (n,)), Input("upper", (n,))
    inputs = (*limits, Input("tolerance", ()), Input("poses", poses), Input("state", (n + len(begin(0)),)))
    return Signature("attempts", inputs, (("state", inputs[-1].shape),), body)


def _excess(coupled: CoupledLimits, q: Scalars, margin: Scalar) -> tuple[list[Scalar], list[list[Scalar]]]:
    """Signed violations of the coupled limits, narrowed by a margin, and the rows of their Jacobian."""
    excess, columns = [], []
    for row, offset, lower, upper in zip(coupled.rows, coupled.offsets, coupled.lower, coupled.upper, strict=True):
        at = [(k, f) for k, f in zip(coupled.places, row, strict=True) if f]
        y = sum((q[k] * f for k, f in at), start=offset)
        room = select(margin < (upper - lower) / 2, margin, (upper - lower) / 2)
        high = (y - (upper - room)).maximum(0.0) if math.isfinite(upper) else 0.0
        low = ((lower + room) - y).maximum(0.0) if math.isfinite(lower) else 0.0
        active = select(high + low > 0, 1.0, 0.0)
        excess.append(high - low)
        columns.append([active * f for f in row])
    return excess, columns


def _turned(x: Scalar, turn: float, allowed: Scalar) -> Scalar:
    return select(allowed, x + turn, x)


def nearest_starts(rows: Rows, count: int, places: int) -> Kernel:
    """The kernel (places, poses) -> indices of the `count` places nearest to the poses, the nearest first."""
    # A place has the first 12 entries of each frame's pose, and a factor of the squared distance.
    size = 12 * len(rows) + 1

    def body(table: Scalars, poses: Scalars) -> Any:
        def insert(state: Any, some: Scalars) -> Any:
            nearest, number = state
            for at in range(0, len(some), size):
                *entries, factor = some[at : at + size]
                distance = factor * sum(
                    squared_distance(entries[12 * k :], poses[16 * k :], min(own) < 3, max(own) > 2)
                    for k, own in enumerate(rows)
                )
                distance, index, following = select(distance <= FARTHEST, distance, FARTHEST), number, []
                for d, j in nearest:
                    nearer = distance < d
                    following.append((select(nearer, distance, d), select(nearer, index, j)))
                    distance, index = select(nearer, d, distance), select(nearer, j, index)
                nearest, number = following, number + 1
            return (nearest, number), ()

        each = [table[k : k + 4 * size] for k in range(0, len(table), 4 * size)]  # loops of four places are faster
        nearest, _ = repeated(insert, ([(2 * FARTHEST, 0.0)] * count, 0.0), [each])[0]
        return [index for _, index in nearest]

    inputs = Input("places", (places, size)), Input("poses", (len(rows), 4, 4))
    form = Signature("nearest_starts", inputs, (("indices", (count,)),), body)
    again = partial(nearest_starts, rows, count, places)
    return compiled("robot", "any robot", form, np.float32, exact_text((rows, count, places)), again)


def error_rows(space: Model, error: Signature, q: Scalars, poses: Scalars) -> tuple[list[Scalar], list[list[Scalar]]]:
    """e and the rows of J, extended by -e and J of closed loops, so that steps d satisfy J d = e."""
    e, J, *loops = error.body(q, poses)
    if loops:
        e, J = [*e, *(-x for x in loops[0])], [*J, *loops[1]]
    return list(e), [list(J[k * space.nv : (k + 1) * space.nv]) for k in range(len(e))]


def free_joints(space: Model, q: Scalars, push: Scalars, lower: Scalars, upper: Scalars) -> list[Scalar]:
    """A factor for each velocity: 0 for a one-axis joint that is pushed against its limit, otherwise 1."""
    free: list[Scalar] = [1] * space.nv
    for body, at, to in zip(space.bodies, space.q_index, space.v_index, strict=True):
        if body.joint.nq == body.joint.nv == 1:
            k, j = at.start, to.start
            below = select(q[k] <= lower[k], select(push[j] < 0, 0.0, 1.0), 1.0)
            free[j] = select(q[k] >= upper[k], select(push[j] > 0, 0.0, below), below)
    return free


def held(J: list[list[Scalar]], free: Scalars) -> list[list[Scalar]]:
    """J with its columns multiplied by `free`, which is zero for held joints."""
    return [[x * f for x, f in zip(row, free, strict=True)] for row in J]


PosedMachine: TypeAlias = "InverseKinematics | ConstrainedLinkPoses"
"""A machine whose positions q determine poses of link frames, with the functions `pose_error` and `chord_error`."""
