"""Whole-body control: accelerations, contact forces and torques in each step, by a quadratic program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy, instances, nearest, positive, whole_number
from revolute.control.checks import UNMET, effort_bounds, motors, open_tree, position_bounds
from revolute.control.quadratic_program import solver_named
from revolute.control.tasks import Task
from revolute.control.whole_body_form import ProgramForm, Stand
from revolute.control.whole_body_stepper import WholeBodyStepper
from revolute.dynamics.control.whole_body import HUGE
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.errors import InputError, UnknownNameError
from revolute.model.contact import Contact, check_contacts
from revolute.model.model import Model
from revolute.trajectory.limits import LimitsLike, given_limits

Targets = Mapping[str, Any]
"""{name of a task: target, or a tuple of target, rate and acceleration}."""


BRAKING = 20.0
"""Largest gain of joint limits [1/s]: see `acceleration_box`."""


class WholeBody:
    """Computes accelerations, contact forces and joint forces in each step, by a quadratic program.

        least  sum_i w_i (e_i'' + 2 k e_i' + k^2 e_i)^2  +  small weights of vd and f
        M vd + h = S^T tau + J_c^T f
        f within friction pyramids, or cones;  contacts stand;  joints within limits

    where e_i are the errors of the tasks. For tasks in `hard`, the bracket is zero. Errors of contacts and distances
    from joint limits also decay with critical damping. A kernel writes the program; DAQP starts with the previous
    active set. Active contacts, targets, weights, friction and limits may change without another compilation.

    `simulate` calls the controller once per step. From touchdown on, a link with several contacts holds its pose, and a
    link with one contact holds the contact point.

    Attributes:
        robot, tasks, contacts, hard, unmet: the arguments.
        actuated: names of the coordinates with a motor.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.control import PointTask, PostureTask, WholeBody
        >>> arm, q = revolute.robots.ur5(), np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3])
        >>> goal = arm.forward_kinematics(q, "tool0")[:3, 3] + [0.05, 0, 0]
        >>> tasks = [PointTask("tool0", gain=5.0), PostureTask(weight=1e-3, gain=1.0)]
        >>> law = WholeBody(arm, tasks, targets={"point of tool0": goal, "posture": q})
        >>> motion = arm.simulate(q, np.zeros(6), law, np.linspace(0, 2, 2001))
        >>> tip = arm.forward_kinematics(motion.q[-1], "tool0")[:3, 3]
        >>> bool(np.abs(tip - goal).max() < 1e-3)
        True
    """

    def __init__(
        self, robot: Any, tasks: Sequence[Task], contacts: Sequence[Contact] = (), *,
        targets: Targets | Callable[[float], Targets] | None = None,
        active: ArrayLike | Callable[[float], ArrayLike] | None = None, hard: Sequence[str] = (),
        actuated: Sequence[str] | None = None, effort_limits: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
        acceleration_limits: LimitsLike = None, contact_gain: float = 20.0, cones: bool = False,
        solver: str | None = None, unmet: str = "raise",
    ) -> None:
        """Check the arguments; the kernel is compiled for the first stepper or simulation.

        Args:
            robot: a `Robot`, `DrivenRobot` or `ConstrainedRobot`, whose loops stay closed.
            tasks: the tasks, with their `weight` and their `gain` for accelerations: see `Task`.
            contacts: points and spheres of links, which stick while they are active. Only their point, radius, friction
                and surface are used.
            targets: for `simulate`: {name of a task: target}, or a function of time that returns this. A target may be
                a tuple (target, rate, acceleration); the last two have the components of the task's error.
            active: for `simulate`: (contacts,) which contacts act, or a function of time that returns this.
            hard: names of the tasks that are equality constraints.
            actuated: names of the coordinates with a motor; by default all except those of free joints.
            effort_limits: maximum forces of the motors, (nv,) [N m, N], or a tuple (lower, upper); by default the
                robot's.
            acceleration_limits: maximum accelerations of the joints: one number, (nv,), or {joint: number}
                [rad/s^2, m/s^2]; None: no limits.
            contact_gain: gain k of the errors of contacts [1/s].
            cones: whether to use exact friction cones, solved by Clarabel, instead of pyramids inside the cones.
            solver: "daqp" or "clarabel"; by default DAQP, if it is installed.
            unmet: what to do if limits, contacts and hard tasks contradict each other: "raise" an error; or, with a
                warning, return the forces with the least violations, "slack", or those of the last step, "last", at
                first zero. `WholeBodyStepper.violations` reports them. Friction and dynamics always hold.

        Raises:
            InputError: an argument is invalid, a link has several contacts with another link, or friction is zero.
            UnknownNameError: a link, joint or task does not exist.
        """
        what = "WholeBody"
        self.robot = robot
        self._tree, model, drives, closures = open_tree(what, robot)
        self.tasks, self.contacts = instances(f"{what}: tasks", tasks, Task), tuple(contacts)
        self.hard = instances(f"{what}: hard", hard, str)
        dynamics = Dynamics(model, drives)
        rows = self._rows(what, dynamics)
        at = motors(what, self._tree, actuated)
        self.actuated = tuple(self._tree.coordinate_names[k] for k in at)
        links = _checked_contacts(what, model, self.contacts)
        stands = _stands(what, model, links)
        self._form = ProgramForm(dynamics, self.tasks, rows, self.hard, links, stands, tuple(at), closures)
        own = self._tree.effort_limits if effort_limits is None else effort_limits
        self._efforts = np.clip(effort_bounds(what, own, self._tree, at), -HUGE, HUGE)
        self._limits = self._joint_limits(what, acceleration_limits)
        self._gain = positive(f"{what}: contact_gain", contact_gain, "number [1/s]")
        self._targets, self._active, self._cones = targets, active, bool(cones)
        self._solver = solver_named(what, solver, self._cones)
        if unmet not in UNMET:
            raise InputError(f"{what}: unmet must be one of {', '.join(UNMET)}, not {unmet!r}")
        self.unmet, self._time = unmet, np.inf
        self._simulated: WholeBodyStepper | None = None

    def _rows(self, what: str, dynamics: Dynamics) -> tuple[tuple[int, ...], ...]:
        """The rows of each task with a weight above zero; raise an error unless the tasks fit the robot."""
        names, rows = [task.called() for task in self.tasks], []
        for task in self.tasks:
            model = dynamics.space if task.of_coordinates else dynamics.model
            task.check(model)
            rows.append(tuple(np.flatnonzero(task.weights(model)).tolist()))
            positive(f"{what}: the gain of '{task.called()}'", task.gain, "number [1/s]")
        if len(set(names)) < len(names):
            raise InputError(f"{what}: several tasks have the same name, among {', '.join(names)}; set name='...'")
        for name in self.hard:
            if name not in names:
                raise UnknownNameError(f"{what}: hard: no task '{name}'; {nearest(name, names)}")
        return tuple(rows)

    def _joint_limits(self, what: str, accelerations: LimitsLike) -> Array:
        """(nv, 5) lower and upper positions, velocities, accelerations and gains of coordinates."""
        space = self._form.dynamics.space
        limits = np.full((space.nv, 5), BRAKING)
        limits[:, :2] = position_bounds(space)[0].T
        limits[:, 2] = given_limits(what, space, "velocity", None)
        strongest = given_limits(f"{what}: acceleration_limits", space, "acceleration", accelerations)
        limits[:, 3] = np.minimum(strongest, HUGE)
        fast = np.isfinite(limits[:, 2])
        limits[fast, 4] = np.minimum(BRAKING, 2 * limits[fast, 3] / limits[fast, 2])  # braking takes 0.37 k v
        return limits

    def stepper(self, batch: tuple[int, ...] = ()) -> WholeBodyStepper:
        """The controller for a real-time loop: an object with targets, active contacts and the solver's state.

        Args:
            batch: leading axes of the states of a batch. One kernel call writes all programs. They are solved one by
                one, as accurately as for single states, and each solution starts with its previous active set.

        Raises:
            MissingExtraError: the solver is not installed.
            InputError: batch is not a tuple of sizes.
        """
        what = "WholeBody: batch"
        sizes = instances(what, batch, (int, np.integer))
        return WholeBodyStepper(self, tuple(whole_number(what, n, 0) for n in sizes))

    def torque(self, t: float, q: Array, qd: Array) -> Array:
        """(..., nv) joint forces at a time [s] and states, for `simulate`.

        A call at a time that is not after that of the last call starts a new motion.

        Raises:
            InputError: a state is not finite; or, with unmet="raise", no forces satisfy all limits.
            ShapeError: an array does not fit.
        """
        if self._simulated is None or t <= self._time:
            q = q if isinstance(q, np.ndarray) else float_copy("WholeBody: q", q)
            self._simulated = self.stepper(q.shape[:-1])
        self._time = t
        targets = self._targets(t) if callable(self._targets) else self._targets
        active = self._active(t) if callable(self._active) else self._active
        return self._simulated.step(q, qd, targets, active)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_simulated": None, "_time": np.inf}

    def __repr__(self) -> str:
        return f"<WholeBody of robot '{self._tree.name}': {len(self.tasks)} tasks, {len(self.contacts)} contacts>"


def _checked_contacts(what: str, model: Model, contacts: Sequence[Contact]) -> tuple[Any, ...]:
    """The links of the contacts; raise an error if a contact is invalid."""
    if not contacts:
        return ()
    links = tuple(contact.links for contact in instances(f"{what}: contacts", contacts, Contact))
    check_contacts(model, links)
    for contact in contacts:
        if not contact.friction > 0:
            raise InputError(f"{what}: the contact of '{contact.link}' needs friction to stand, such as friction=0.8")
    return links


def _stands(what: str, model: Model, contacts: Sequence[Any]) -> tuple[Stand, ...]:
    """The contacts, grouped by the link, or the pair of links, that they hold."""
    groups: dict[Any, list[int]] = {}
    for k, links in enumerate(contacts):
        first, *other = (links,) if isinstance(links, str) else links
        ends = [model.frame(x).body for x in (first, *other) if isinstance(x, str)]
        groups.setdefault(tuple(ends), []).append(k)
    for ends, at in groups.items():
        if len(ends) > 1 and len(at) > 1:
            raise InputError(f"{what}: {len(at)} contacts between two links, {contacts[at[0]]}; give one")
    of = [links if isinstance(links, str) else links[0] for links in contacts]
    return tuple(Stand(of[at[0]], tuple(at)) for at in groups.values())
