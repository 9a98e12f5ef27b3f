"""The closed loop of a log: its controller and reference."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from revolute.arguments import positive, whole_number
from revolute.control import MotionTable, RobotController
from revolute.control.reference import Reference
from revolute.errors import InputError, RevoluteError, ShapeError, SimulationError
from revolute.identification.samples import Array
from revolute.model.model import Model
from revolute.simulate import StateFeedback
from revolute.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """The controller and the reference of a log, which estimators need to simulate it.

    Attributes:
        controller: a controller for `Robot.simulate`; or a function that returns one for a reference, a
            `revolute.control.MotionTable`.
        reference: a `Trajectory`, `revolute.control.MotionTable`, or a function of log time that returns q, (q, qd) or
            (q, qd, qdd); None: the reference of the controller.
        step: time step of the controller, and maximum step of the simulation [s]. None: the step of the log, but at
            most 1 ms. Stiff friction may need shorter steps; then the controller acts more often.
        smoothing: speed over which dry friction is smoothed in the simulation [rad/s, m/s]; None: the robot's
            smoothing, or 0.01 if it has none.
        rescaled: whether to scale the gains with the inertias of each estimate, relative to the robot's description, so
            that the poles of the loop are unchanged (Gautier, Janot & Vandanjon 2013). Rescale if only the poles are
            known; if the gains are known, rescaling biases the estimate of "direct_inverse".
        start: (p,) parameters of the first simulation; None: those of the robot's description.
        tolerance: iterations end when the estimate changes by less than this fraction of its standard errors.
        iterations: maximum number of iterations.

    Example:
        >>> from revolute.identification import ClosedLoop, ForceModel, Samples, identify
        >>> arm, t = revolute.robots.planar(2), np.arange(1500) / 500
        >>> def swing(t):
        ...     return np.array([np.sin(3 * t), 1 - np.cos(5 * t)])
        >>> law = revolute.control.PDWithGravity(arm, swing, 400.0, 40.0)
        >>> motion = arm.simulate([0.0, 0.0], [0.0, 0.0], law, t)
        >>> tau = motion.tau + np.random.default_rng(1).normal(0, 0.1, (1500, 2))
        >>> log = Samples(t, motion.q, motion.qd, motion.qdd, tau)
        >>> model = ForceModel(arm, drives=[], offsets=False)
        >>> loop = ClosedLoop(law, start=0.8 * model.values)
        >>> fit = identify(model, log, estimator="direct_inverse", loop=loop)
        >>> error = np.abs(fit.values - fit.base.matrix @ model.values)
        >>> bool(np.all(error < 4 * fit.standard_errors))
        True
    """

    controller: Any
    reference: Any = None
    step: float | None = None
    smoothing: float | None = None
    rescaled: bool = False
    start: Any = None
    tolerance: float = 0.1
    iterations: int = 20

    def __post_init__(self) -> None:
        for name in ("step", "smoothing", "tolerance"):
            value = getattr(self, name)
            if value is not None:
                positive(f"closed loop: {name}", value)
        whole_number("closed loop: iterations", self.iterations, 1)
        followed = self.reference if self.reference is not None else getattr(self.controller, "reference", None)
        if self.controller is None:
            raise InputError(
                "closed loop: simulations of the log need its controller, such as "
                "revolute.control.PDWithGravity(robot, reference, 100.0, 20.0), or a function that returns it for a "
                "reference"
            )
        if followed is None:
            raise InputError(
                "closed loop: simulations of the log need the reference of its controller: reference=..., a "
                "trajectory, revolute.control.MotionTable of columns, or a function of time"
            )
        object.__setattr__(self, "reference", followed)

    def sampled(self, space: Model, t: Array) -> MotionTable:
        """The reference of all joints at times (T,)."""
        given = self.controller
        if isinstance(given, RobotController) and given._sizes() != (given.robot.nq, given.robot.nv, given.robot.nv):
            raise InputError(
                f"closed loop: {type(given).__name__} follows a frame; give a function that returns its forces as a "
                f"function of (t, q, qd), controller=lambda reference: law.torque, and the reference of the "
                f"{space.nq} joints"
            )
        try:
            rows = self._rows(space, t)
        except SimulationError as error:
            raise InputError(f"invalid reference of the log: {error}") from error
        for name, x, n in zip(("q", "qd", "qdd"), rows, (space.nq, space.nv, space.nv), strict=True):
            if x.shape not in ((n,), (len(t), n)):
                raise ShapeError(f"reference of the log: {name} has shape {x.shape}, not (T, {n})")
        return MotionTable(t, *(np.broadcast_to(x, (len(t), x.shape[-1])) for x in rows))

    def _rows(self, space: Model, t: Array) -> tuple[Array, ...]:
        given = self.reference
        if isinstance(given, MotionTable):
            times = np.asarray(given.t, dtype=float)
            if t[-1] > times[-1] + (1.5 * np.median(np.diff(times)) if len(times) > 1 else 0):
                raise InputError(f"the reference ends at t={times[-1]:g} s, and the log at t={t[-1]:g} s")
        if isinstance(given, Trajectory):
            return given(t)
        return Reference("reference", given, (space.nq, space.nv, space.nv)).over(t)

    def controlled(self, reference: MotionTable, scale: Array | None = None) -> Any:
        """The controller for a sampled reference, with gains multiplied by `scale` (nv,)."""
        given, made = self.controller, self.controller
        if isinstance(given, RobotController):
            made = replace(cast(Any, given), reference=reference)
        elif isinstance(given, StateFeedback):
            made = replace(given, q_ref=reference.q, qd_ref=reference.qd)
        elif callable(given) and not hasattr(given, "torque"):
            made = self._made(given, reference)
        return made if scale is None else _scaled(made, scale)

    def _made(self, make: Callable[[MotionTable], Any], reference: MotionTable) -> Any:
        try:
            made = make(reference)
        except RevoluteError:
            raise
        except Exception as error:
            raise InputError(
                f"controller(reference) raised {type(error).__name__}: {error}; it must return a controller for a "
                "revolute.control.MotionTable"
            ) from error
        if not callable(made) and not hasattr(made, "torque") and not hasattr(made, "_feedback"):
            raise InputError(f"controller(reference) must return a controller, not {type(made).__name__}")
        return made


def _scaled(controller: Any, scale: Array) -> Any:
    """The controller with gains times a factor per coordinate: for D = diag(scale), K becomes D^(1/2) K D^(1/2)."""
    if not hasattr(controller, "position_gains") or not hasattr(controller, "velocity_gains"):
        raise InputError(
            f"closed loop: rescaled=True requires a controller with position_gains and velocity_gains, but "
            f"{type(controller).__name__} has none"
        )
    root, full = np.sqrt(scale), getattr(controller, "full", False)
    gains = {}
    for name in ("position_gains", "velocity_gains"):
        K = np.asarray(getattr(controller, name), dtype=float)
        gains[name] = root[:, None] * K * root if full or K.ndim == 2 else K * scale
    return replace(controller, **gains)
