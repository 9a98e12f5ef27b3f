"""Differential inverse kinematics: joint velocities that move tasks to their targets, within limits."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_array, float_copy, instance, instances, nearest, number, positive
from revolute.bridges.jax import JaxFunction
from revolute.bridges.source import BridgeSource
from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.control.checks import UNMET, open_tree, position_bounds
from revolute.control.tasks import Task
from revolute.dynamics.differential_ik import VelocityLimits, velocities
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.errors import InputError, ShapeError, UnknownNameError
from revolute.graph import Input
from revolute.machine.inverse_kinematics.arguments import checked_poses
from revolute.model import Closure, Contact, Model, Plane, aligned, check_contacts, exact_text
from revolute.simulate.torque import row_of_batch
from revolute.spatial import Transform
from revolute.trajectory.limits import LimitsLike, given_limits, model_of

ALLOWED = 1e-6  # amount by which a row of limits may be missed [m/s, rad/s]
INPUTS = ("q", "qd", "dt", "parameters")  # of the kernel, before the targets


class DifferentialIK:
    """Velocities that move tasks to their targets, within limits: one call of a compiled function per step.

        least    sum_i w_i |J_i v + k_i e_i|^2 + lambda |v|^2
        lambda = c (h sum_i w_i |e_i|^2)^1/2
        within   limits of joints, and rows of other limits

    where h is the mean of the diagonal of sum_i w_i J_i^T J_i. The damping lambda vanishes at the targets; if targets
    are out of reach, the robot comes to rest. Fan & Yuan 2005. A free base has no limits; closed loops stay closed.

    Attributes:
        robot, tasks: the arguments.
        parameters: weights, gains and limits, an input of the kernel: changes need no compilation.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.control import DifferentialIK, PoseTask, PostureTask
        >>> robot = revolute.robots.panda()
        >>> ik = DifferentialIK(robot, [PoseTask("panda_link8"), PostureTask(weight=1e-4)])
        >>> q, dt = robot.home(), 0.01
        >>> goal = robot.forward_kinematics(q, "panda_link8")
        >>> goal[:3, 3] += [0.1, -0.1, 0.1]
        >>> ik.set_targets({"pose of panda_link8": goal, "posture": q})
        >>> for _ in range(200):
        ...     q = robot.integrate(q, dt * ik.step(q, dt))
        >>> bool(np.abs(robot.forward_kinematics(q, "panda_link8") - goal).max() < 1e-3)
        True
    """

    def __init__(
        self, robot: Any, tasks: Sequence[Task], *, position: bool = True, velocity: LimitsLike = None,
        acceleration: LimitsLike = None, limits: Sequence[Contact | Plane | Closure] = (), limit_gain: float = 10.0,
        damping: float = 0.12,
    ) -> None:
        """Check the problem; its function is compiled at the first step.

        Args:
            robot: a `Robot`, `DrivenRobot` or `ConstrainedRobot`.
            tasks: at least one.
            position: whether positions of joints with one coordinate stay within the robot's limits.
            velocity: maximum speeds: one number, (nv,), or {joint: number} [rad/s, m/s]; by default the robot's.
            acceleration: maximum accelerations [rad/s^2, m/s^2], none by default; they make joints brake before limits.
            limits: a `Contact` keeps a point or sphere of a link on the free side of its surface; a `Plane` keeps the
                centre of mass on its free side; a `Closure` keeps its error at zero.
            limit_gain: rate k [1/s]: the distance to one of these limits decreases at most as fast as exp(-k t).
            damping: c, zero or more.

        Raises:
            InputError: a number is invalid, or tasks have the same name.
            UnknownNameError: a link or joint does not exist.
        """
        what = "DifferentialIK"
        self.robot = robot
        tree, model, drives, closures = open_tree(what, robot)
        self._dynamics, self._content = Dynamics(aligned(model), drives), model.digest
        self._space = model_of(what, tree)
        self.tasks = instances(f"{what}: tasks", tasks, Task)
        names = [task.called() for task in self.tasks]
        if not names or len({*names, *INPUTS}) < len(names) + len(INPUTS):
            raise InputError(f"{what}: give at least one task, and different names: name='...', not {names}")
        numbers: list[float] = []
        self._targets: dict[str, Array] = {}
        for name, task in zip(names, self.tasks, strict=True):
            model = self._space if task.of_coordinates else self._dynamics.model
            task.check(model)
            numbers += [*task.weights(model), _rate(f"{what}: the gain of '{name}'", task.gain)]
            self._targets[name] = np.full(task.target_shape(model), math.nan)
        self._shapes = {name: x.shape for name, x in self._targets.items()}
        if not 0 <= number(f"{what}: damping", damping) < math.inf:
            raise InputError(f"{what}: damping must be finite, and zero or more, not {damping!r}")
        boxed, box = _boxed(self._space, instance(f"{what}: position", position, bool), velocity, acceleration)
        self._box = box
        self._limits, more, self._row_names = _rows(self._dynamics.model, boxed, closures, limits)
        self.parameters = np.array([*numbers, damping, _rate(f"{what}: limit_gain", limit_gain), *box.ravel(), *more])
        self._rest = None if np.isfinite(box[3]).any() else np.zeros(self._space.nv)
        self._dt, self._h = 0.0, np.zeros(())

    @property
    def targets(self) -> Mapping[str, Array]:
        """{name of a task: its target}; these arrays may be changed in place."""
        return MappingProxyType(self._targets)

    def set_targets(self, targets: Mapping[str, Any]) -> None:
        """Set the targets of some tasks, by name; the other targets stay unchanged.

        Args:
            targets: arrays, or `Transform` for poses; leading axes are those of a batch.

        Raises:
            UnknownNameError, ShapeError, DtypeError: no task has this name, or an array does not fit.
        """
        for name, x in instance("targets", targets, (dict, Mapping)).items():
            if name not in self._targets:
                raise UnknownNameError(f"targets: there is no task '{name}'; {nearest(str(name), self._targets)}")
            if type(x) is not np.ndarray or x.dtype != np.float64:
                x = float_copy(f"the target of '{name}'", x.matrix() if isinstance(x, Transform) else x)
            core = self._shapes[name]
            if x.shape[max(x.ndim - len(core), 0) :] != core:
                raise ShapeError(f"the target of '{name}' has shape {x.shape}, but its last axes must be {core}")
            self._targets[name] = x

    def step(
        self, q: ArrayLike, dt: float, targets: Mapping[str, Any] | None = None, *, qd: ArrayLike | None = None,
        unmet: str = "raise",
    ) -> Array:
        """Compute the velocities of one control step.

        Args:
            q: (..., nq) positions [rad, m].
            dt: length of the step [s].
            targets: new targets of some tasks: see `set_targets`.
            qd: (..., nv) velocities of the last step; needed with limits of acceleration, and for unmet="last".
            unmet: what to do if limits contradict each other: "raise" an error; violate them as little as possible,
                "slack"; or return the velocities of the last step, "last".

        Returns:
            (..., nv) velocities [rad/s, m/s]; `robot.integrate(q, dt * v)` moves the robot.

        Raises:
            InputError: a number is not finite, a target is not a pose, or a limit cannot be kept; the message names it.
            ShapeError, DtypeError, UnknownNameError: an array does not fit, or no task has this name.
        """
        if targets:
            self.set_targets(targets)
        if unmet not in UNMET or (unmet == "last" and qd is None):
            raise InputError(f"step: unmet must be 'raise', 'slack', or 'last' with qd, not {unmet!r}")
        if isinstance(dt, np.ndarray) or dt != self._dt:
            self._dt = positive("step: dt", dt, "time [s]")
            self._h = np.array(self._dt)
        last: Any = self._rest if qd is None else qd
        if last is None:
            raise InputError("step: limits of acceleration need qd, the velocities of the last step; at rest: zeros")
        v: Array
        v, missed = self.kernel(q, last, self._h, self.parameters, *self._targets.values())
        if not (missed.item(0) <= ALLOWED if missed.ndim == 1 else (missed[..., 0] <= ALLOWED).all()):
            self._check(q, last, missed)
            v = self._unmet(q, v, last, missed, unmet)
        return v

    def solve(
        self, q: ArrayLike, dt: float, targets: Mapping[str, ArrayLike], *, unmet: str = "raise"
    ) -> tuple[Array, Array]:
        """Follow targets over time, from a start or a batch of starts at rest.

        Args:
            q: (..., nq) starts [rad, m].
            dt: length of the steps [s].
            targets: {name of a task: (steps, ..., *shape)}: a target for each step. Other tasks keep their targets.
            unmet: see `step`, also for errors.

        Returns:
            q: (steps + 1, ..., nq) positions.
            v: (steps, ..., nv) velocities.
        """
        paths = {name: np.atleast_1d(x) for name, x in instance("solve: targets", targets, Mapping).items()}
        if len({len(x) for x in paths.values()}) != 1:
            raise ShapeError("solve: the first axes of all targets, over the steps, must have the same length")
        qs = [finite_array("solve: q", q)]
        vs = [np.zeros((*qs[0].shape[:-1], self._space.nv))]
        for values in zip(*paths.values(), strict=True):
            vs.append(self.step(qs[-1], dt, dict(zip(paths, values, strict=True)), qd=vs[-1], unmet=unmet))
            qs.append(self.robot.integrate(qs[-1], dt * vs[-1]))
        return np.stack(np.broadcast_arrays(*qs)), np.array(vs[1:])

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled step: it maps q, qd, dt, parameters and targets to v and `missed`. `Robot.to_c` writes it as C.

        `missed` contains the largest violation of a row, or infinity if a number is not finite; then all violations.
        """
        return compiled("robot", self._space.name, self._form, np.float64, self._identity, partial(_kernel_of, self))

    @cached_property
    def jax(self) -> JaxFunction:
        """`kernel` for JAX: see `Machine.jax`."""
        source = BridgeSource("robot", self._space.name, self._form, self._identity, again=partial(_kernel_of, self))
        return JaxFunction(source, True)

    @property
    def _form(self) -> Signature:
        sizes = (self._space.nq,), (self._space.nv,), (), self.parameters.shape
        inputs = [Input(*x) for x in (*zip(INPUTS, sizes, strict=True), *self._shapes.items())]
        outputs = ("v", (self._space.nv,)), ("missed", (1 + len(self._row_names),))
        body = partial(velocities, self._dynamics, tasks=self.tasks, limits=self._limits)
        return Signature("differential_ik", tuple(inputs), outputs, body)

    @property
    def _identity(self) -> str | None:
        """The exact text of all data that determine the kernel; None if user code is part of them."""
        names = tuple(self._shapes)
        return self._content and exact_text((self._content, self._dynamics.drives, self.tasks, self._limits, names))

    def _check(self, q: Any, qd: Any, missed: Array) -> None:
        """Raise an error that names the argument that is not finite, or not a pose."""
        if np.isfinite(missed).all():
            return
        finite_array("step: q", q)
        finite_array("step: qd", qd)
        for name, x in self._targets.items():
            if np.isnan(x).all():
                raise InputError(f"step: the target of '{name}' is missing; set it with set_targets")
            finite_array(f"step: the target of '{name}'", x)
            if self._shapes[name] == (4, 4):
                checked_poses(f"step: the target of '{name}'", x)
        raise InputError("step: velocities are not finite; a closure or a surface may be singular here")

    def _unmet(self, q: Any, v: Array, last: Any, missed: Array, unmet: str) -> Array:
        """The velocities of a step that violates a limit; or an error that names this limit and those in conflict."""
        if unmet == "raise":
            at, lead = np.unravel_index(int(np.argmax(missed[..., 0])), missed.shape[:-1]), missed.shape[:-1]
            own, row = missed[at][1:], int(np.argmax(missed[at][1:]))
            others = self._at_limits(*(np.broadcast_to(x, (*lead, np.shape(x)[-1]))[at] for x in (q, v, last)))
            others += [f"'{name}'" for k, name in enumerate(self._row_names) if k != row and own[k] > ALLOWED]
            raise InputError(
                f"step: '{self._row_names[row]}' violates its limit by {own[row]:.3g} m/s or rad/s{row_of_batch(at)}, "
                f"against {', '.join(others) or 'other limits'}; relax one, or use unmet='slack' or unmet='last'"
            )
        return v if unmet == "slack" else np.where(missed[..., :1] <= ALLOWED, v, last)

    def _at_limits(self, q: Array, v: Array, last: Array) -> list[str]:
        """Names of the coordinate limits that the velocities reach."""
        found = []
        for (at, place), (lower, upper, fastest, a) in zip(self._limits.boxed, self._box.T, strict=True):
            after, change = q[place] + self._dt * v[at], abs(v[at] - last[at])
            left = {"position": min(after - lower, upper - after), "velocity": fastest - abs(v[at])}
            left["acceleration"] = a * self._dt - change
            found += [f"the {kind} of '{self._space.coordinate_names[at]}'" for kind, x in left.items() if x < ALLOWED]
        return found

    def __getstate__(self) -> dict[str, Any]:
        """All attributes except compiled functions, which the next call compiles again."""
        return {name: x for name, x in vars(self).items() if name not in ("kernel", "jax")}

    def __repr__(self) -> str:
        return f"<DifferentialIK of '{self._space.name}': {', '.join(self._targets)}>"


def _kernel_of(problem: DifferentialIK, dtype: Any = np.float64) -> Kernel:
    return problem.kernel


def _rate(what: str, k: Any) -> float:
    """A positive number, which may be infinite."""
    if not number(what, k) > 0:
        raise InputError(f"{what} must be positive [1/s], not {k!r}")
    return float(k)


def _boxed(
    space: Model, position: bool, velocity: LimitsLike, acceleration: LimitsLike
) -> tuple[tuple[tuple[int, int], ...], Array]:
    """Indices in v and q of coordinates with limits; and rows: lower and upper positions, speeds, accelerations."""
    what, wide = "DifferentialIK", np.full(space.nv, math.inf)
    kinds, (bounds, places) = (("velocity", velocity), ("acceleration", acceleration)), position_bounds(space)
    sides = bounds if position else (-wide, wide)
    rows = np.array([*sides, *(given_limits(what, space, *kind) for kind in kinds)])
    chosen = np.flatnonzero(np.isfinite(rows).any(axis=0)).tolist()
    return tuple((k, int(places[k])) for k in chosen), rows[:, chosen]


def _rows(
    tree: Model, boxed: tuple[tuple[int, int], ...], closures: Sequence[Closure],
    limits: Sequence[Contact | Plane | Closure],
) -> tuple[VelocityLimits, list[float], list[str]]:
    """The limits, their parameters, and the names of their rows."""
    given = instances("DifferentialIK: limits", limits, (Contact, Plane, Closure))
    contacts, planes = [x for x in given if isinstance(x, Contact)], [x for x in given if isinstance(x, Plane)]
    closed = (*closures, *(x for x in given if isinstance(x, Closure)))
    links = tuple(contact.links for contact in contacts)
    if links:
        check_contacts(tree, links)
    for closure in closed:
        if not closure.jacobian(tree, [x for body in tree.bodies for x in body.joint.neutral()]):
            raise InputError(f"DifferentialIK: {type(closure).__name__} needs a method `jacobian`")
    names = [f"distance of {x}" if isinstance(x, str) else f"distance of {x[0]} and {x[1]}" for x in links]
    names += ["center of mass"] * len(planes) + [name for closure in closed for name in closure.row_names()]
    numbers = [x for contact in contacts for x in contact.numbers]
    numbers += [x for plane in planes for x in (*plane.normal, plane.offset)]
    return VelocityLimits(boxed, links, len(planes), closed), numbers, names
