"""A whole-body controller in a real-time loop, also for a batch of states."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, broadcasts_to, finite_array, float_copy, mapping, nearest, require_out
from revolute.control.quadratic_program import SOLVERS, ActiveSet, InteriorPoint, QuadraticProgram
from revolute.errors import InputError, ShapeError, SimulationWarning, UnknownNameError
from revolute.machine.inverse_kinematics.arguments import checked_poses
from revolute.model.contact import contact_arrays
from revolute.simulate.torque import all_finite, row_of_batch

if TYPE_CHECKING:
    from revolute.control.whole_body import WholeBody

REGULARIZATION = 1e-4, 0.1
"""Weights of squared accelerations, and of squared forces divided by the robot's mass."""

VIOLATED, TOLERABLE = 0.01, 1e-3
"""Minimum violations that are reported: relative to the largest one, and absolute [N m, N, rad/s^2, m/s^2]."""

PARTS = "target", "rate", "acceleration"
FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class _Row:
    """A state of a batch: its index and solver; views of z, of A and bias in tau = A z + bias of motors, and of tau."""

    at: tuple[int, ...]
    solver: ActiveSet | InteriorPoint
    z: Array
    A: Array
    bias: Array
    tau: Array


class WholeBodyStepper:
    """A whole-body controller with its targets and active contacts, created by `WholeBody.stepper`.

    Attributes:
        violations: {name of a limit, contact or hard task: its violation} in the last step, the largest one of a batch;
            empty if all are satisfied.
    """

    def __init__(self, law: WholeBody, batch: tuple[int, ...] = ()) -> None:
        form, nv = law._form, law._tree.nv
        self._law, self._form, self._kernel, self._batch = law, form, form.kernel, batch
        self._kernel.prepare()
        k, mass = len(law.contacts), sum(float(body.inertia.m) for body in form.model.bodies[1:]) or 1.0
        self._tasks = np.zeros((*batch, form.places[-1][-1].stop if form.tasks else 0))
        for task, (*_, w, gain) in zip(form.tasks, form.places, strict=True):
            self._tasks[..., w], self._tasks[..., gain] = task.weights(form.seen(task)), task.gain
        self._places = {x.called(): (x, at[: len(PARTS)]) for x, at in zip(form.tasks, form.places, strict=True)}
        self._missing = {*self._places}
        settings = np.array([law._gain, REGULARIZATION[0], REGULARIZATION[1] / mass**2])
        self._active, self._landing = np.ones((*batch, k)), np.ones((*batch, len(form.stands)), bool)
        self._anchors = np.zeros((*batch, form.anchors[-1].stop if k else 0))
        given = [law._limits, law._efforts, settings, *[self._tasks] * bool(form.tasks)]
        numbers = contact_arrays(law.contacts)[1] if k else np.zeros((0, 12))
        self._given = tuple(given + [numbers, self._active, self._anchors] * bool(k))
        self._out = tuple(np.zeros((*batch, *shape)) for _, shape in self._kernel.outputs)
        self._shapes = (*batch, law._tree.nq), (*batch, nv)
        self._motors, self._tau = np.array(form.motors, dtype=np.intp), np.zeros((*batch, nv))
        self._kernel(form.dynamics.rest()[: law._tree.nq], self._tau, *self._given, out=self._out)
        _, firm, equal = form.counts
        friction = numbers[:, 4] if law._cones else np.zeros(0)
        self._z, self._warned, self._rows = np.zeros((*batch, form.counts[0])), False, list[_Row]()
        for at in np.ndindex(batch):
            H, g, A, lower, upper, bias = (x[at] for x in self._out[:6])
            program = QuadraticProgram(np.diag(H), g, A, lower, upper, firm, equal, 4 * k, friction, nv)
            parts = self._z[at], A[len(A) - len(self._motors) :], bias, self._tau[at]
            self._rows.append(_Row(at, SOLVERS[law._solver](program), *parts))
        self.violations: dict[str, float] = {}

    def step(
        self, q: Array, qd: Array, targets: Mapping[str, Any] | None = None, active: ArrayLike | None = None, *,
        out: Array | None = None,
    ) -> Array:
        """Compute the joint forces of a state, and return `out`.

        Args:
            q, qd: (..., nq), (..., nv) the states of the stepper's batch, one by default [rad, m; rad/s, m/s].
            targets: new targets of some tasks: see `WholeBody`. Other targets stay. Leading axes are those of a batch.
            active: (..., contacts) which contacts act from this step on; None: no change. At first, all contacts act.
            out: (..., nv) array for the forces [N m, N], zero for coordinates without a motor. None: a new array.

        Raises:
            InputError: a number is not finite, or a target is missing; or, with unmet="raise", no forces satisfy all
                limits.
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
        if type(q) is not np.ndarray or q.dtype != FLOAT64:
            q = float_copy("WholeBody: q", q)
        if type(qd) is not np.ndarray or qd.dtype != FLOAT64:
            qd = float_copy("WholeBody: qd", qd)
        if q.shape != self._shapes[0] or qd.shape != self._shapes[1]:
            raise ShapeError(f"WholeBody: q and qd have shapes {q.shape} and {qd.shape}, not {self._shapes}")
        if not all_finite(q, qd):
            finite_array("WholeBody: q", q)
            finite_array("WholeBody: qd", qd)
            raise InputError("WholeBody: q or qd is too large: squares are not finite")
        self._kernel(q, qd, *self._given, out=self._out)
        if self._landing.any():
            self._hold(q)
            self._kernel(q, qd, *self._given, out=self._out)
        self.violations = {}
        for row in self._rows:
            z = row.solver.solve()
            z = self._violating(row) if z is None else z
            if z is not None:
                row.z[:] = z
                row.tau[self._motors] = row.A @ z + row.bias
        if out is None:
            return self._tau.copy()
        out[:] = self._tau
        return out

    @property
    def qdd(self) -> Array:
        """(..., nv) accelerations of the last step [rad/s^2, m/s^2]."""
        return self._z[..., : self._tau.shape[-1]].copy()

    @property
    def forces(self) -> Array:
        """(..., contacts, 3) forces of the environment on the links in the last step, in the base frame [N]."""
        n, k = self._tau.shape[-1], self._active.shape[-1]
        axes = self._out[6][..., 3:].reshape(*self._batch, k, 3, 3) if k else np.zeros((*self._batch, 0, 3, 3))
        # an interior point ends near zero
        f = self._z[..., n : n + 3 * k].reshape(*self._batch, k, 3) * self._active[..., None]
        found: Array = np.einsum("...kij,...ki->...kj", axes, f)
        return found

    @property
    def multipliers(self) -> Array:
        """(..., rows) forces of closed loops in the last step: see `ConstrainedRobot.multipliers`."""
        first = self._tau.shape[-1] + 3 * self._active.shape[-1]
        return self._z[..., first : first + self._form.loop_rows].copy()

    @property
    def points(self) -> Array:
        """(..., contacts, 3) points at which the links touch, in the base frame [m]."""
        k = self._active.shape[-1]
        return self._out[6][..., :3].copy() if k else np.zeros((*self._batch, 0, 3))

    def _hold(self, q: Array) -> None:
        """Set the anchors of links that touch down."""
        for j, (stand, at) in enumerate(zip(self._form.stands, self._form.anchors, strict=True)):
            first, *others = stand.contacts
            anchor = self._law.robot.forward_kinematics(q, stand.link) if others else self.points[..., first, :]
            landed = self._landing[..., j, None]
            np.copyto(self._anchors[..., at], np.reshape(anchor, (*self._batch, -1)), where=landed)
        self._landing[:] = False

    def _aim(self, targets: Mapping[str, Any]) -> None:
        """Set targets, rates and accelerations."""
        for name, target in mapping("WholeBody: targets", targets).items():
            if name not in self._places:
                raise UnknownNameError(f"WholeBody: targets: no task '{name}'; {nearest(name, self._places)}")
            task, places = self._places[name]
            model, values = self._form.seen(task), target if _has_rates(target) else (target,)
            parts = PARTS[: 3 - task.of_rate]
            if len(values) > len(parts):
                raise InputError(f"WholeBody: the target of '{name}' has {len(values)} parts; give {', '.join(parts)}")
            first, last = places[0].start, places[-1].stop
            x = np.zeros((*self._batch, last - first))
            for part, place, value in zip(PARTS, places, values, strict=False):
                shape = task.target_shape(model) if part == "target" else (task.size(model),)
                if part == "target":
                    value = checked_poses(f"WholeBody: target of '{name}'", value) if shape == (4, 4) else value
                numbers = self._rowwise(f"{part} of '{name}'", value, shape)
                x[..., place.start - first : place.stop - first] = numbers
            self._tasks[..., first:last] = x
            self._missing.discard(name)

    def _rowwise(self, what: str, given: Any, shape: tuple[int, ...]) -> Array:
        """(..., size) finite entries of arrays of this shape, row by row; leading axes broadcast to the batch."""
        x = finite_array(f"WholeBody: {what}", given)
        lead = x.shape[: max(x.ndim - len(shape), 0)]
        if x.shape != (*lead, *shape) or not broadcasts_to(lead, self._batch):
            batch = f" after the axes of the batch {self._batch}" if self._batch else ""
            raise ShapeError(f"WholeBody: {what} has shape {x.shape}, but {shape} is needed{batch}")
        return x.reshape(*lead, -1)

    def _switch(self, active: ArrayLike) -> None:
        acts = self._rowwise("active", active, self._active.shape[-1:])
        stood = self._stands()
        self._active[:] = acts != 0
        self._landing[:] = self._stands() & (self._landing | ~stood)

    def _stands(self) -> Array:
        """(..., stands) which links have an active contact."""
        acts = [self._active[..., list(x.contacts)].any(axis=-1) for x in self._form.stands]
        return np.stack(acts, axis=-1) if acts else self._landing

    def _violating(self, row: _Row) -> Array | None:
        """z with the least violations; None to keep the forces of the last step. Report which bounds are violated."""
        law, z = self._law, type(row.solver)(row.solver.program.lenient()).solve()
        whose = f"WholeBody of '{law._tree.name}'{row_of_batch(row.at)}"
        message = f"{whose}: no forces; are velocities, targets or weights too large?"
        if z is not None:
            z, errors = np.split(z, [len(row.z)])
            found = sorted(zip(np.abs(errors).tolist(), self._names(), strict=True), reverse=True)
            if found[0][0] < TOLERABLE:
                return z
            largest: dict[str, float] = {}
            for x, name in found:
                if x > VIOLATED * found[0][0] and largest.setdefault(name, x) > self.violations.get(name, 0.0):
                    self.violations[name] = largest[name]
            worst = ", ".join(f"{name} by {x:.3g}" for name, x in [*largest.items()][:4])
            message = f"{whose}: not all limits hold together; violated: {worst}"
        if law.unmet == "raise":
            raise InputError(message)
        if not self._warned:
            self._warned = True
            warnings.warn(f"{message}; `violations` contains those of every step", SimulationWarning, stacklevel=3)
        return z if law.unmet == "slack" else None

    def _names(self) -> list[str]:
        """Names of the bounds that may be violated."""
        joints, motors = self._law._tree.coordinate_names, self._form.motors
        efforts = [f"effort of '{joints[k]}'" for k in motors]
        return [*self._form.constraints, *efforts, *(f"acceleration of '{x}'" for x in joints)]

    def __repr__(self) -> str:
        return f"<WholeBodyStepper of robot '{self._law._tree.name}'>"


def _has_rates(target: Any) -> bool:
    """Whether a target is a tuple (target, rate, acceleration), not a tuple of the target's numbers."""
    return isinstance(target, tuple) and len(target) > 0 and not np.isscalar(target[0])
