"""A whole-body controller in a real-time loop."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_array, mapping, nearest, require_out
from revolute.control.checks import table
from revolute.control.quadratic_program import SOLVERS, QuadraticProgram
from revolute.errors import InputError, ShapeError, SimulationWarning, UnknownNameError
from revolute.model.contact import contact_arrays
from revolute.simulate.torque import all_finite

if TYPE_CHECKING:
    from revolute.control.whole_body import WholeBody

REGULARIZATION = 1e-4, 0.1
"""Weights of squared accelerations, and of squared forces divided by the robot's mass."""

VIOLATED, TOLERABLE = 0.01, 1e-3
"""Violations that are reported, relative to the largest; and the largest one [N m, N, rad/s^2, m/s^2] that is none."""


PARTS = "target", "rate", "acceleration"


class WholeBodyStepper:
    """A whole-body controller with its targets and active contacts, created by `WholeBody.stepper`.

    Attributes:
        violations: {name of a limit, contact or hard task: its violation} of the last step; empty if all hold.
    """

    def __init__(self, law: WholeBody) -> None:
        form = law._form
        self._law, self._form, self._kernel = law, form, form.kernel
        self._kernel.prepare()
        k, mass = len(law.contacts), sum(float(body.inertia.m) for body in form.model.bodies[1:]) or 1.0
        self._tasks = np.zeros(form.places[-1][-1].stop if form.tasks else 0)
        for task, (*_, w, gain) in zip(form.tasks, form.places, strict=True):
            self._tasks[w], self._tasks[gain] = task.weights(form.seen(task)), task.gain
        self._places = {x.called(): (x, at[: len(PARTS)]) for x, at in zip(form.tasks, form.places, strict=True)}
        self._missing = {*self._places}
        settings = np.array([law._gain, REGULARIZATION[0], REGULARIZATION[1] / mass**2])
        self._active, self._landing = np.ones(k), [*range(len(form.stands))]
        self._anchors = np.zeros(form.anchors[-1].stop if k else 0)
        given = [law._limits, law._efforts, settings, *[self._tasks] * bool(form.tasks)]
        numbers = contact_arrays(law.contacts)[1] if k else np.zeros((0, 12))
        self._given = tuple(given + [numbers, self._active, self._anchors] * bool(k))
        self._out = tuple(np.zeros(shape) for _, shape in self._kernel.outputs)
        self._kernel(form.dynamics.rest()[: law.robot.nq], np.zeros(law.robot.nv), *self._given, out=self._out)
        _, firm, equal = form.counts
        friction = numbers[:, 4] if law._cones else np.zeros(0)
        H, g, A, lower, upper = self._out[:5]
        self._program = QuadraticProgram(np.diag(H), g, A, lower, upper, firm, equal, 4 * k, friction, law.robot.nv)
        self._solver = SOLVERS[law._solver](self._program)
        self._shapes = (law.robot.nq,), (law.robot.nv,)
        self._motors, self._tau = np.array(form.motors, dtype=np.intp), np.zeros(law.robot.nv)
        self._rows = self._program.A[len(self._program.A) - len(self._motors) :]
        self._z, self._warned = np.zeros(form.counts[0]), False
        self.violations: Mapping[str, float] = {}

    def step(
        self, q: Array, qd: Array, targets: Mapping[str, Any] | None = None, active: ArrayLike | None = None, *,
        out: Array | None = None,
    ) -> Array:
        """Compute the joint forces of a state, and return `out`.

        Args:
            q, qd: (nq,), (nv,) the state [rad, m, s].
            targets: new targets of some tasks: see `WholeBody`; others stay as they are.
            active: (contacts,) which contacts act from now on: all, until it is given.
            out: (nv,) array for the forces [N m, N]; those without a motor are zero. None: a new array.

        Raises:
            InputError: a number is not finite, a target is missing; or nothing satisfies the limits, with
                unmet="raise".
            ShapeError: an array does not fit.
            UnknownNameError: no task has the name of a target.
        """
        if out is not None:
            require_out("WholeBody: out", out, self._tau.shape, np.float64)
        if targets is not None:
            self._aim(targets)
        if active is not None:
            self._switch(active)
        if self._missing:
            raise InputError(f"WholeBody: task '{min(self._missing)}' has no target; give targets={{its name: ...}}")
        if np.shape(q) != self._shapes[0] or np.shape(qd) != self._shapes[1]:
            raise ShapeError(f"WholeBody: q and qd have shapes {np.shape(q)} and {np.shape(qd)}, not {self._shapes}")
        if not all_finite(q, qd):
            raise InputError("WholeBody: q or qd is not finite")
        self._kernel(q, qd, *self._given, out=self._out)
        if self._landing:
            self._hold(q)
            self._kernel(q, qd, *self._given, out=self._out)
        z, self.violations = self._solver.solve(), {}
        z = self._violating() if z is None else z
        if z is not None:
            self._z, self._tau[self._motors] = z, self._rows @ z + self._out[5]
        if out is None:
            return self._tau.copy()
        out[:] = self._tau
        return out

    @property
    def qdd(self) -> Array:
        """(nv,) accelerations of the last step [rad/s^2, m/s^2]."""
        return self._z[: len(self._tau)].copy()

    @property
    def forces(self) -> Array:
        """(contacts, 3) forces of the environment on the links in the last step, in the base frame [N]."""
        n, k = len(self._tau), len(self._active)
        axes = self._out[6][:, 3:].reshape(k, 3, 3) if k else np.zeros((0, 3, 3))
        f = self._z[n : n + 3 * k].reshape(k, 3) * self._active[:, None]  # an interior point ends near zero
        found: Array = np.einsum("kij,ki->kj", axes, f)
        return found

    @property
    def points(self) -> Array:
        """(contacts, 3) points of the links that touch, in the base frame [m]."""
        return self._out[6][:, :3].copy() if len(self._active) else np.zeros((0, 3))

    def _hold(self, q: Array) -> None:
        """Set the anchors of links that touch down."""
        for j in self._landing:
            stand, at = self._form.stands[j], self._form.anchors[j]
            pose = len(stand.contacts) > 1
            anchor = self._law.robot.forward_kinematics(q, stand.link) if pose else self.points[stand.contacts[0]]
            self._anchors[at] = anchor.ravel()
        self._landing = []

    def _aim(self, targets: Mapping[str, Any]) -> None:
        """Set targets, rates and accelerations."""
        for name, target in mapping("WholeBody: targets", targets).items():
            if name not in self._places:
                raise UnknownNameError(f"WholeBody: targets: no task '{name}'; {nearest(name, self._places)}")
            task, places = self._places[name]
            model, values = self._form.seen(task), target if _has_rates(target) else (target,)
            if len(values) > len(PARTS):
                raise InputError(f"WholeBody: the target of '{name}' has {len(values)} parts; give {', '.join(PARTS)}")
            x = np.zeros(places[-1].stop - places[0].start)
            for part, place, value in zip(PARTS, places, values, strict=False):
                shape = task.target_shape(model) if part == "target" else (task.size(model),)
                converted = task.converted_target(value) if part == "target" else value
                numbers = table(f"WholeBody: {part} of '{name}'", converted, shape, self._law.robot.name)
                x[place.start - places[0].start : place.stop - places[0].start] = numbers.ravel()
            self._tasks[places[0].start : places[-1].stop] = x
            self._missing.discard(name)

    def _switch(self, active: ArrayLike) -> None:
        acts = finite_array("WholeBody: active", active)
        if acts.shape != self._active.shape:
            raise ShapeError(f"WholeBody: active has shape {acts.shape}, but {self._active.shape} is needed")
        stood = [self._active[list(x.contacts)].any() for x in self._form.stands]
        self._active[:] = acts != 0
        stands = [self._active[list(x.contacts)].any() for x in self._form.stands]
        self._landing = [j for j, now in enumerate(stands) if now and (not stood[j] or j in self._landing)]

    def _violating(self) -> Array | None:
        """z with the least violations; None if the forces of the step before remain. Name what cannot hold."""
        law, z = self._law, type(self._solver)(self._program.lenient()).solve()
        message = f"WholeBody of '{law.robot.name}': no forces; are velocities and targets too large?"
        if z is not None:
            z, errors = np.split(z, [len(self._z)])
            found = sorted(zip(np.abs(errors).tolist(), self._names(), strict=True))
            if found[-1][0] < TOLERABLE:
                return z
            largest = {name: x for x, name in found if x > VIOLATED * found[-1][0]}
            self.violations = dict(sorted(largest.items(), key=lambda pair: -pair[1]))
            worst = ", ".join(f"{name} by {x:.3g}" for name, x in [*self.violations.items()][:4])
            message = f"WholeBody of '{law.robot.name}': not all limits hold together; violated: {worst}"
        if law.unmet == "raise":
            raise InputError(message)
        if not self._warned:
            self._warned = True
            warnings.warn(f"{message}; `violations` has those of every step", SimulationWarning, stacklevel=3)
        return z if law.unmet == "slack" else None

    def _names(self) -> list[str]:
        """Names of the bounds that may be violated."""
        joints, motors = self._law.robot.coordinate_names, self._form.motors
        efforts = [f"effort of '{joints[k]}'" for k in motors]
        return [*self._form.constraints, *efforts, *(f"acceleration of '{x}'" for x in joints)]

    def __repr__(self) -> str:
        return f"<WholeBodyStepper of robot '{self._law.robot.name}'>"


def _has_rates(target: Any) -> bool:
    """Whether a target is a tuple (target, rate, acceleration), not the numbers of one."""
    return isinstance(target, tuple) and len(target) > 0 and not np.isscalar(target[0])
