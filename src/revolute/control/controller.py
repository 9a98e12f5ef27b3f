"""Controllers whose law is a compiled function of a robot, and steppers that call these laws in real-time loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy, positive
from revolute.compiler.kernel import Kernel
from revolute.control.checks import gains, machine
from revolute.control.reference import Reference, Sampled, as_row, needed
from revolute.errors import InputError, ShapeError
from revolute.machine.robot import Robot
from revolute.simulate import Controller, Law
from revolute.simulate.feedback import Feedback, Plant
from revolute.simulate.torque import in_batch
from revolute.spatial import Transform

__all__ = ["Array", "Controller", "GainKinds", "LawStepper", "RobotController"]

GainKinds = Mapping[str, str]
"""{field: kind}; kinds: "positive", "zero or more", "full" (positive, or a matrix if the field `full` is set)."""


class RobotController(Law):
    """A controller whose law is a compiled function of a robot, its model.

    The controlled robot may differ from the model, but must have the same number of coordinates. Gains and other arrays
    may have the leading axes of a batch of states. A controller is immutable; `stepper` creates an object with a state.
    """

    _law: ClassVar[str]
    """Name of the robot's function that evaluates the control law."""

    _gains: ClassVar[GainKinds] = {}
    """Gain fields that are inputs of the control law, and their kinds."""

    _order: ClassVar[int] = 3
    """Number of reference arrays of the control law: 1 for q_ref, 2 for q_ref and qd_ref, 3 for qdd_ref as well."""

    robot: Robot
    reference: Any

    def _set(self, **values: Any) -> None:
        """Set fields of a frozen class; arrays become read-only."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def _name(self) -> str:
        return type(self).__name__

    def _sizes(self) -> tuple[int, int, int]:
        """Sizes of q_ref, qd_ref and qdd_ref; for a frame, sizes of pose, twist and the twist's time derivative."""
        return self.robot.nq, self.robot.nv, self.robot.nv

    def _entries(self) -> list[str]:
        """Names of the coordinates, for messages."""
        return [f"joint '{x}'" for x in machine(self._name, self.robot, Robot).coordinate_names]

    def _check_gains(self, entries: Mapping[str, Sequence[str]]) -> None:
        """Check and set the gains. `entries` names the last axis of each field; "" is the key for all other fields."""
        for name, kind in self._gains.items():
            own, full = entries.get(name, entries[""]), kind == "full" and bool(getattr(self, "full", False))
            checked = gains(f"{self._name}: {name}", getattr(self, name), own, full=full, zero=kind == "zero or more")
            self._set(**{name: checked})

    def _options(self) -> Mapping[str, Any]:
        """Options of the robot's function that computes the law."""
        return {}

    def _numbers(self) -> Mapping[str, Array]:
        """Constant inputs of the law by name; leading axes are those of a batch."""
        return {name: np.asarray(getattr(self, name)) for name in self._gains}

    def _state(self) -> Mapping[str, Array]:
        """The initial state of the law, by output name."""
        return {}

    def _advice(self) -> str:
        """Advice in error messages about motions with infinite or NaN forces."""
        return ""

    def _check_steps(self, steps: Array) -> None:
        """Raise an error if the time steps make the closed loop unstable."""

    def _require_short(self, steps: Array, top: float) -> None:
        """Raise `InputError` if the time steps are too long for the largest velocity gain [1/s]."""
        if steps.size and float(steps.max()) * top >= 2:
            raise InputError(
                f"{self._name}: steps of {steps.max():g} s are too long for a velocity gain of {top:g} 1/s: the closed "
                f"loop is unstable from {2 / top:.3g} s on; use shorter steps or smaller gains"
            )

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled law: a function of the state, the reference and all other inputs."""
        return self.robot.kernel(self._law, **self._options())

    @cached_property
    def _followed(self) -> Reference:
        return Reference(self._name, self.reference, self._sizes())

    @cached_property
    def _arguments(self) -> list[Array]:
        """Inputs of the kernel after the state and the reference; the time step h is zero."""
        given = {**self._numbers(), **self._state(), "h": np.zeros(())}
        return [given[x.name] for x in self.kernel.inputs[2 + self._order :]]

    def torque(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., nv) joint forces of the law for a state [N m, N]. An adaptive law uses its initial parameters.

        Args:
            t: time at which the reference is evaluated [s].
            q, qd: (..., nq), (..., nv) the state [rad, m; rad/s, m/s].

        Raises:
            ShapeError, DtypeError: an array does not fit.
            SimulationError: the reference is a function that raises an error, or returns numbers that are not finite.
        """
        results = self.kernel(q, qd, *self._followed.at(t)[: self._order], *self._arguments)
        return results[0] if self._state() else results  # type: ignore[no-any-return]

    def stepper(self, dt: float) -> LawStepper:
        """The law for a real-time loop: it works in place and allocates no arrays.

        Args:
            dt: period of the loop: time between two calls [s].

        Raises:
            InputError: dt is not a positive number, or too long for these gains.
        """
        h = positive(f"{self._name}: dt", dt, "number [s]")
        self._check_steps(np.array([h]))
        given = {**self._numbers(), "h": np.array(h)}
        return LawStepper(self._name, self.kernel, self._order, given, self._state())

    def _feedback(self, plant: Plant) -> Feedback:
        robot, name = self.robot, self._name
        if (plant.n, plant.nq, plant.nv) != (robot.nv, robot.nq, robot.nv):
            raise InputError(
                f"simulate: {name} of robot '{robot.name}' is for {robot.nq} positions, {robot.nv} velocities and as "
                f"many forces, but {plant.owner} has {plant.nq}, {plant.nv} and {plant.n}"
            )
        self._check_steps(np.diff(plant.t))
        reference = self._followed.over(plant.t)[: self._order]
        names = [x.name for x in self.kernel.inputs[2 : 2 + self._order]]
        tables = {
            label: Sampled(plant.table(f"{name}: {label}", rows, rows.shape[-1]).rows, plant.t, self._followed, part)
            for part, (label, rows) in enumerate(zip(names, reference, strict=True))
        }
        sizes = {x.name: x.shape for x in self.kernel.inputs}

        def in_rows(label: str, x: Array) -> Array:
            return in_batch(f"{name}: {label}", x, len(sizes[label]), plant.batch)

        numbers = {label: in_rows(label, x) for label, x in self._numbers().items()}
        first = {
            label: np.broadcast_to(in_rows(label, x), (*plant.batch, *sizes[label]))
            for label, x in self._state().items()
        }
        return Feedback(name, self.kernel.form, {**tables, **numbers}, self.kernel, plant, first, self._advice())

    def __repr__(self) -> str:
        return f"<{self._name} of robot '{self.robot.name}'>"


POSE = (7,)  # shape of an array with a position and a quaternion


class LawStepper:
    """A control law with a period, created by a controller's `stepper`. Each loop needs its own instance.

    Attributes:
        state: {name: array} the state of the law; every call updates it.
    """

    def __init__(
        self, name: str, kernel: Kernel, order: int, numbers: Mapping[str, Array], state: Mapping[str, Array]
    ) -> None:
        self._name, self._kernel, self._order = name, kernel, order
        self._numbers = dict(numbers)
        self.state = {label: np.array(x) for label, x in state.items()}
        self._next = {label: np.empty_like(x) for label, x in self.state.items()}
        given = {**self._numbers, **self.state}
        self._poses = kernel.inputs[2].shape == POSE
        self._still = [np.zeros(x.shape) for x in kernel.inputs[2 : 2 + order]]
        self._constants = [given[x.name] for x in kernel.inputs[2 + order :]]
        self._places = [[x.name for x in kernel.inputs[2 + order :]].index(label) for label in self.state]

    def step(self, q: Array, qd: Array, *reference: Any, out: Array) -> Array:
        """Compute the forces of a state, advance the law's own state by one step, and return `out`.

        With float64 arrays a call takes a fraction of a microsecond and allocates no memory.

        Args:
            q, qd: (nq,), (nv,) the state [rad, m; rad/s, m/s].
            *reference: q_ref, qd_ref and qdd_ref, as many as the law uses; omitted ones are zero. For a link frame they
                are pose, twist and the twist's time derivative; the pose is (7,) position [m] and quaternion x y z w,
                which is fastest, a `Transform`, or a (4, 4) matrix.
            out: (nv,) array for the forces [N m, N].

        Raises:
            InputError: there are too few or too many references, or a matrix is not a pose.
            ShapeError, DtypeError: an array does not fit.
        """
        if len(reference) != self._order:
            reference = self._completed(reference)
        if self._poses and getattr(reference[0], "shape", None) != POSE:
            reference = (self._row(reference[0]), *reference[1:])
        if not self.state:
            self._kernel(q, qd, *reference, *self._constants, out=out)
            return out
        following = self._next
        self._kernel(q, qd, *reference, *self._constants, out=(out, *following.values()))
        self.state, self._next = following, self.state
        for place, x in zip(self._places, following.values(), strict=True):
            self._constants[place] = x
        return out

    def _completed(self, reference: tuple[Any, ...]) -> tuple[Any, ...]:
        """The reference, with zeros for omitted velocities and accelerations."""
        if not 1 <= len(reference) <= self._order:
            names = ", ".join(x.name for x in self._kernel.inputs[2 : 2 + self._order])
            raise InputError(f"{self._name}: step takes {names} after q and qd, not {len(reference)} arrays")
        return (*reference, *self._still[len(reference) :])

    def _row(self, pose: Any) -> Any:
        """A pose as seven numbers; raise `ShapeError` if it is not a pose."""
        what = f"{self._name}: reference"
        row = as_row(what, pose if isinstance(pose, Transform) else float_copy(what, pose), *POSE)
        if np.shape(row)[-1:] != POSE:
            raise ShapeError(f"{what} has shape {np.shape(row)}, but {needed(*POSE)}")
        return row

    def __repr__(self) -> str:
        return f"<LawStepper: {self._name} of '{self._kernel.robot_name}'>"
