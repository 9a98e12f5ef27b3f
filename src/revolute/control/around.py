"""Controllers that wrap another controller: friction compensation, force limits, measurement errors."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance, number
from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.control.checks import gains
from revolute.control.controller import Array, RobotController
from revolute.dynamics.drive_forces import friction_forces
from revolute.errors import InputError
from revolute.graph import Input
from revolute.model.model import Model
from revolute.simulate.feedback import Feedback, Plant
from revolute.spatial.scalar import select


class _Around(RobotController):
    """A controller that modifies the state or the forces of another controller."""

    controller: Any

    def __post_init__(self) -> None:
        inner: RobotController = instance(f"{self._name}: controller", self.controller, RobotController)
        taken = ("robot", "reference", "_order", "_sizes", "_state", "_advice", "_check_steps")
        self._set(**{name: getattr(inner, name) for name in taken})

    @abstractmethod
    def _body(self, inner: Signature) -> Callable[..., Any]:
        """The body of the law, a function of the inner law's inputs, then of `_own`. Equal laws have equal bodies."""

    @abstractmethod
    def _own(self) -> Mapping[str, Array]:
        """Inputs of this controller itself, by name; their last axis has length nv."""

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled law: see `RobotController.kernel`."""
        inner = self.controller.kernel.form
        extra = tuple(Input(name, (self.robot.nv,)) for name in self._own())
        form = replace(inner, inputs=(*inner.inputs, *extra), body=self._body(inner))
        return _compiled(form, self.robot.name)

    def _numbers(self) -> Mapping[str, Array]:
        return {**self.controller._numbers(), **self._own()}

    def __getstate__(self) -> dict[str, Any]:
        """All attributes except the compiled law, which the next call compiles again."""
        return {name: x for name, x in vars(self).items() if name != "kernel"}

    def __repr__(self) -> str:
        return f"<{self._name} around {self.controller!r}>"


@lru_cache(maxsize=64)
def _compiled(form: Signature, owner: str) -> Kernel:
    return compiled("robot", owner, form, np.float64, None, partial(_compiled, form, owner))


@dataclass(frozen=True, eq=False, repr=False)
class FrictionCompensation(_Around):
    """Adds the friction of the robot's drives to the forces of another controller. Armstrong-Helouvry 1991.

        tau = tau_controller + share (D v + (F_c + F_s exp(-(v/v_s)^2)) tanh(v / smoothing))

    The coefficients come from the robot's drives: `damping`, `friction`, `stribeck`; see `revolute.Drive`.

    Stability: with v = qd_ref, the compensation depends on time only and changes no eigenvalue. With the measured qd,
        it is positive feedback: choose a share below 1, because overcompensated friction causes limit cycles.

    Attributes:
        controller: any other controller of this package.
        share: compensated fraction of the friction, a number or (..., nv), zero or more.
        smoothing: width of the smoothed sign change of v [rad/s, m/s].
        measured: if true, v is qd; otherwise v is qd_ref, and the controller must have a velocity reference.

    Raises:
        InputError, ShapeError: the arguments do not fit.

    Example:
        >>> import numpy as np, revolute
        >>> arm = revolute.robots.planar(1).with_drives(
        ...     {"joint1": revolute.Drive(friction=(2.0,))}, smoothing=0.01
        ... )
        >>> def swing(t):
        ...     return (
        ...         np.full(1, np.sin(3 * t)),
        ...         np.full(1, 3 * np.cos(3 * t)),
        ...         np.full(1, -9 * np.sin(3 * t)),
        ...     )
        >>> plain = revolute.control.ComputedTorque(arm.robot, swing, 100.0)
        >>> better = revolute.control.FrictionCompensation(plain)
        >>> t = np.linspace(0, 2, 2001)
        >>> motions = [arm.simulate([0.0], [3.0], law, t) for law in (plain, better)]
        >>> [bool(np.abs(motion.q[:, 0] - np.sin(3 * t)).max() < 0.01) for motion in motions]
        [False, True]
    """

    controller: Any
    share: ArrayLike = 1.0
    smoothing: float = 0.01
    measured: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        checked = gains(f"{self._name}: share", self.share, self._entries(), zero=True)
        smoothing = number(f"{self._name}: smoothing", self.smoothing)
        if not 1e-9 <= smoothing < np.inf:
            raise InputError(f"{self._name}: smoothing must be a speed of at least 1e-9, not {smoothing:g}")
        if not self.measured and self._sizes()[0] != self.robot.nq:
            raise InputError(f"{self._name}: {self.controller!r} has no qd_ref; use measured=True")
        self._set(share=checked, smoothing=smoothing)

    def _own(self) -> Mapping[str, Array]:
        return {"share of friction": np.asarray(self.share)}

    def _body(self, inner: Signature) -> Callable[..., Any]:
        return _WithFriction(inner, self.robot, self.smoothing, 1 if self.measured else 3)


@dataclass(frozen=True)
class _WithFriction:
    inner: Signature
    model: Model
    smoothing: float
    place: int

    def __call__(self, *arrays: Any) -> Any:
        friction = friction_forces(self.model, arrays[self.place], self.smoothing)
        return _changed(
            self.inner, arrays[:-1], lambda tau: [f + s * x for f, s, x in zip(tau, arrays[-1], friction, strict=True)]
        )


@dataclass(frozen=True, eq=False, repr=False)
class Limited(_Around):
    """Clips each force of another controller to -limit ... limit, as drives do.

    Stability: as without limits while no limit is reached; at the limits there is no general guarantee.

    Attributes:
        controller: any other controller of this package.
        limit: maximum absolute forces, a number or (..., nv) [N m, N]; None: the robot's `effort_limits`.

    Raises:
        InputError, ShapeError: the arguments do not fit.

    Example:
        >>> import numpy as np, revolute
        >>> arm = revolute.robots.planar(1)
        >>> law = revolute.control.Limited(
        ...     revolute.control.PDWithGravity(arm, [1.0], 100.0, 20.0), 30.0
        ... )
        >>> law.torque(0.0, [0.0], [0.0])
        array([30.])
    """

    controller: Any
    limit: ArrayLike | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        limit = np.minimum(self.robot.effort_limits, 1e300) if self.limit is None else self.limit
        self._set(limit=gains(f"{self._name}: limit", limit, self._entries()))

    def _own(self) -> Mapping[str, Array]:
        return {"limit": np.asarray(self.limit)}

    def _body(self, inner: Signature) -> Callable[..., Any]:
        return _Within(inner)


@dataclass(frozen=True)
class _Within:
    inner: Signature

    def __call__(self, *arrays: Any) -> Any:
        def within(tau: Sequence[Any]) -> list[Any]:
            pairs = zip(tau, arrays[-1], strict=True)
            return [select(x < -most, -most, select(most < x, most, x)) for x, most in pairs]

        return _changed(self.inner, arrays[:-1], within)


@dataclass(frozen=True, eq=False, repr=False)
class Measured(_Around):
    """Adds sensor noise or bias to the state that another controller measures. For simulations.

        q_seen = q + q_error, on the group for quaternions
        qd_seen = qd + qd_error

    Stability: as without errors; K_p q_error + K_d qd_error acts as a disturbance.

    Attributes:
        controller: any other controller of this package.
        q_error: (nv,) constant position error, or (..., T, nv) one for each time, as tangent vectors [rad, m].
        qd_error: (nv,) or (..., T, nv) velocity error [rad/s, m/s].

    Raises:
        ShapeError, DtypeError, InputError: in `simulate`: an array does not fit, or is not finite.

    Example:
        >>> import numpy as np, revolute
        >>> arm, t = revolute.robots.planar(1), np.linspace(0, 3, 3001)
        >>> law = revolute.control.ComputedTorque(arm, [1.0], 100.0)
        >>> noise = 0.01 * np.random.default_rng(0).standard_normal((200, len(t), 1))
        >>> motion = arm.simulate(
        ...     np.zeros((200, 1)), [0.0], revolute.control.Measured(law, noise), t
        ... )
        >>> bool(motion.q[:, -1].std() < 0.002)
        True
    """

    controller: Any
    q_error: ArrayLike = 0.0
    qd_error: ArrayLike = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("q_error", "qd_error"):
            x = np.array(getattr(self, name), dtype=float)
            self._set(**{name: np.full(self.robot.nv, float(x)) if x.ndim == 0 else x})

    def _own(self) -> Mapping[str, Array]:
        """Errors by name; zero if they are tables, which apply only in `simulate`."""
        errors = {name: np.asarray(getattr(self, name)) for name in ("q_error", "qd_error")}
        return {name: x if x.ndim == 1 else np.zeros(self.robot.nv) for name, x in errors.items()}

    def _feedback(self, plant: Plant) -> Feedback:
        found = super()._feedback(plant)
        for name in ("q_error", "qd_error"):
            found.arrays[name] = plant.table(f"{self._name}: {name}", getattr(self, name), self.robot.nv)
        return found

    def _body(self, inner: Signature) -> Callable[..., Any]:
        return _Seen(inner, self.robot)


@dataclass(frozen=True)
class _Seen:
    inner: Signature
    model: Model

    def __call__(self, q: Any, qd: Any, *arrays: Any) -> Any:
        *others, q_error, qd_error = arrays
        joints = zip(self.model.bodies, self.model.q_index, self.model.v_index, strict=True)
        seen = [x for body, at, to in joints for x in body.joint.integrate(q[at], q_error[to])]
        return self.inner.body(seen, [x + y for x, y in zip(qd, qd_error, strict=True)], *others)


def _changed(inner: Signature, arrays: Sequence[Any], change: Callable[[Sequence[Any]], Sequence[Any]]) -> Any:
    """The results of a law, with its forces modified by `change`."""
    results = inner.body(*arrays)
    return change(results) if len(inner.outputs) == 1 else [change(results[0]), *results[1:]]
