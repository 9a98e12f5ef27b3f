"""A search for joint positions as a loop in machine code: one Levenberg-Marquardt step an instant, a lane a pose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from revolute.compiler.signature import Signature
from revolute.dynamics.coordinate_rates import retracted
from revolute.dynamics.damped_least_squares import damped_solution, mean_square, unforced_motion
from revolute.dynamics.mobility import dot
from revolute.graph import Input
from revolute.machine.functions.inverse_kinematics import Frames, Rows
from revolute.machine.robot.base import Shared
from revolute.model.identity import exact_text
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, select
from revolute.targets.llvm.recurrence import LoopForm, Recurrence, Stage, following

if TYPE_CHECKING:
    from revolute.compiler.recurrence import Loop

__all__ = ["BEGIN", "CONVERGED", "GOING", "MOST", "null_loop", "search_loop"]

Scalars = Sequence[Scalar]

GOING, CONVERGED, FAILED = 0.0, 1.0, 2.0
"""What has become of a search: its status."""

ENDLESS = 1e300
"""Stands for squared errors that are no finite numbers: states of loops must be finite."""

BEGIN = (ENDLESS, 0.0, GOING, 1.0)
"""The start of a search: squared error of the step before, steps, status, factor of the damping."""

MOST = 20
"""Steps from one start: a new start finds the pose sooner than more steps."""

DAMPING = 0.03
"""Damping by squared error, in units of the mean squared length of J's rows: the best of 0.003 ... 0.1 for the arms
UR5, Panda and xArm7."""

LARGEST = 1.0
"""Squared error from which on damping grows no more [rad^2, m^2]: far poses are approached too."""

LEAST = 1e-12
"""Least damping, in the same units: above rounding where J is singular."""

FARTHEST = 1e12
"""A squared step beyond which a search is given up. One that is not finite is beyond, too."""


def search_loop(machine: Shared, frames: Frames, rows: Rows) -> Loop:
    """States q and search, which begins with `BEGIN`; loads poses, lower, upper and tolerance."""
    return _kept(machine, "search", _search_step, frames, rows)


def null_loop(machine: Shared, frames: Frames, rows: Rows) -> Loop:
    """State z, a wish for a small motion, of which what poses feel is taken away; loads q, poses, lower and upper."""
    return _kept(machine, "null_motion", _null_motion, frames, rows)


def _search_step(space: Model, error: Signature) -> Signature:
    """The next step of searches. Levenberg 1944; Marquardt 1963; Sugihara 2011.

        (J^T J + damping 1) d = J^T e,    damping ~ |e|^2

    Damping by the squared error (Sugihara) needs no trial steps: far from the pose, and where it is out of reach, steps
    are short; near it they are those of Gauss and Newton. A step that enlarges the error is followed by shorter ones
    (Marquardt). Joints at a limit that e pushes them against are held
    (Bertsekas 1982); others stop at theirs. A search that has ended stays as it is.
    """
    n, poses = space.nq, error.inputs[1].shape

    def body(q: Scalars, search: Scalars, poses: Scalars, lower: Scalars, upper: Scalars, tolerance: Scalars) -> Any:
        squared, steps, status, factor = search
        e, J = _error(space, error, q, poses)
        now = select(dot(e, e) <= ENDLESS, dot(e, e), ENDLESS)
        J = _held(J, _free(space, q, [dot(column, e) for column in zip(*J, strict=True)], lower, upper))
        factor = select(now > squared, factor * 4, (factor * 0.5).maximum(1.0))
        d = damped_solution(J, e, (factor * DAMPING * now.minimum(LARGEST) + LEAST) * mean_square(J))
        moved = [x.maximum(a).minimum(b) for x, a, b in zip(retracted(space, q, d), lower, upper, strict=True)]
        ends = select(dot(d, d) <= FARTHEST, select(steps < MOST, GOING, FAILED), FAILED)
        ends = select(now <= tolerance[0] * tolerance[0], CONVERGED, ends)
        going = status <= GOING
        moves = select(going, ends, status) <= GOING
        return [
            [select(moves, new, old) for new, old in zip(moved, q, strict=True)],
            [select(going, now, squared), select(moves, steps + 1, steps), select(going, ends, status), factor],
        ]

    limits = Input("lower", (n,)), Input("upper", (n,))
    inputs = (Input("q", (n,)), Input("search", (len(BEGIN),)), Input("poses", poses), *limits, Input("tolerance", ()))
    return Signature("search_step", inputs, (("q", (n,)), ("search", (len(BEGIN),))), body)


def _null_motion(space: Model, error: Signature) -> Signature:
    """What poses do not feel of a small motion, with joints held at limits. Liegeois 1977."""
    n, nv, poses = space.nq, space.nv, error.inputs[1].shape

    def body(wish: Scalars, q: Scalars, poses: Scalars, lower: Scalars, upper: Scalars) -> Any:
        z = wish
        _, J = _error(space, error, q, poses)
        for _ in range(2):  # a joint may be pushed outwards by the wish, or only by what is left of it
            free = _free(space, q, z, lower, upper)
            J, wish = _held(J, free), [x * f for x, f in zip(wish, free, strict=True)]
            z = unforced_motion(J, wish, LEAST * mean_square(J))
        return z

    limits = Input("lower", (n,)), Input("upper", (n,))
    inputs = (Input("z", (nv,)), Input("q", (n,)), Input("poses", poses), *limits)
    return Signature("null_motion", inputs, (("z", (nv,)),), body)


def _error(space: Model, error: Signature, q: Scalars, poses: Scalars) -> tuple[list[Scalar], list[list[Scalar]]]:
    """e, and the rows of J."""
    e, J = error.body(q, poses)
    return list(e), [list(J[k * space.nv : (k + 1) * space.nv]) for k in range(len(e))]


def _free(space: Model, q: Scalars, push: Scalars, lower: Scalars, upper: Scalars) -> list[Scalar]:
    """1 for each velocity, but 0 for that of a joint of one axis that is pushed against its limit."""
    free: list[Scalar] = [1] * space.nv
    for body, at, to in zip(space.bodies, space.q_index, space.v_index, strict=True):
        if body.joint.nq == body.joint.nv == 1:
            k, j = at.start, to.start
            below = select(q[k] <= lower[k], select(push[j] < 0, 0.0, 1.0), 1.0)
            free[j] = select(q[k] >= upper[k], select(push[j] > 0, 0.0, below), below)
    return free


def _held(J: list[list[Scalar]], free: Sequence[Scalar]) -> list[list[Scalar]]:
    """J without the columns of joints that are not free."""
    return [[x * f for x, f in zip(row, free, strict=True)] for row in J]


def _kept(machine: Shared, name: str, make: Callable[..., Signature], frames: Frames, rows: Rows) -> Loop:
    """A loop of a machine, made once; it has one stage, whose first outputs are the next states."""
    key = (name, frames, rows)
    if key not in machine._loops:
        from revolute.compiler.recurrence import Loop

        error, identity, owner = machine._identified("chord_error", {"frames": frames, "rows": rows})
        step = make(machine._space, error)
        shapes = {x.name: x.shape for x in step.inputs}
        states = {x: shapes.pop(x) for x, _ in step.outputs}
        form = LoopForm(states, shapes, {})
        trace = partial(_traced, form, step)
        machine._loops[key] = Loop(name, owner, identity and exact_text((identity, name)), form, trace)
    loop: Loop = machine._loops[key]
    return loop


def _traced(form: LoopForm, step: Signature) -> Recurrence:
    inputs = tuple(x.name for x in step.inputs)
    return Recurrence(form, (Stage(step.graph(), inputs, tuple(map(following, form.states))),))
