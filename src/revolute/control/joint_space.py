"""Joint-space controllers: PD with gravity compensation, computed torque, feedforward with PD."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance
from revolute.control.checks import gains
from revolute.control.controller import Array, GainKinds, RobotController
from revolute.control.deviations import turning
from revolute.model.parameters import checked_parameters


class JointController(RobotController):
    """A joint-space law, with the fields `full`, `wrap` and `parameters`."""

    full: bool
    wrap: bool
    parameters: Any = None

    def __post_init__(self) -> None:
        self._check_gains({"": self._entries()})
        if self.parameters is not None:
            self._set(parameters=checked_parameters(f"{self._name}: parameters", self.robot, self.parameters))
        self._check()
        _ = self._followed, self._options()  # evaluate both properties to raise errors early

    def _check(self) -> None:
        """Check and set other fields."""

    def _options(self) -> Mapping[str, Any]:
        places = turning(self.robot, instance(f"{self._name}: wrap", self.wrap, bool))
        options: dict[str, Any] = {"full": True} if self.full else {}
        if places:
            options["wrap"] = tuple(at.q for at in places)
        if self.parameters is not None:
            options["parameters"] = "inertial"
        return options

    def _numbers(self) -> Mapping[str, Array]:
        numbers = super()._numbers()
        return numbers if self.parameters is None else {**numbers, "inertial_parameters": np.asarray(self.parameters)}


@dataclass(frozen=True, eq=False, repr=False)
class _PD(JointController):
    """A joint-space law with position and velocity gains."""

    robot: Any
    reference: Any
    position_gains: ArrayLike
    velocity_gains: ArrayLike
    full: bool = False
    parameters: ArrayLike | None = None
    wrap: bool = field(default=False, kw_only=True)

    _gains: ClassVar[GainKinds] = {"position_gains": "full", "velocity_gains": "full"}


class PDWithGravity(_PD):
    """PD control with gravity compensation. Takegaki & Arimoto 1981; SHV (2006) section 8.2; LP section 11.4.2.

        tau = g(q) - K_p e - K_d (qd - qd_ref)

    e is q - q_ref; for joints with a quaternion it is the rotation vector log(R_ref^T R).

    Stability: for a reference at rest, asymptotic for all positive definite K_p and K_d, and global without
    quaternions. An error dg of g causes an error of q of about K_p^-1 dg. Moving references cause tracking errors.

    Attributes:
        robot: the model.
        reference: (..., nq) a point; a `MotionTable`; a trajectory with methods q(t), qd(t), qdd(t); or a function of
            time that returns q, (q, qd) or (q, qd, qdd) [rad, m; rad/s, m/s; rad/s^2, m/s^2].
        position_gains: K_p, a number, (..., nv), or with `full` (..., nv, nv) [N m/rad, N/m].
        velocity_gains: K_d, in the same forms [N m s/rad, N s/m].
        full: whether gains are matrices.
        parameters: (..., n, 10) inertial parameters of the model; None for those of `robot`.
        wrap: errors of continuous joints are the shortest rotation, within -pi ... pi: see `Robot.difference`.

    Raises:
        InputError: gains are not positive (definite), or not finite.
        ShapeError, DtypeError: an array does not fit.

    Example:
        >>> import numpy as np, revolute
        >>> arm, goal = revolute.robots.planar(2), [0.5, -0.3]
        >>> law = revolute.control.PDWithGravity(arm, goal, 400.0, 80.0)
        >>> motion = arm.simulate(
        ...     [0.0, 0.0], [0.0, 0.0], law, np.linspace(0, 5, 5001), "semi_implicit_euler"
        ... )
        >>> bool(np.abs(motion.q[-1] - goal).max() < 1e-3)
        True
    """

    _law = "pd_with_gravity"
    _order = 2


class FeedforwardPD(_PD):
    """Inverse dynamics of the reference, with PD feedback. Kelly & Santibanez 2005, 12; LP section 11.4.1.

        tau = M(q_ref) qdd_ref + C(q_ref, qd_ref) qd_ref + g(q_ref)
              - K_p e - K_d (qd - qd_ref)

    The model terms can be computed before the motion.

    Stability: local and exponential for large enough gains: K_p must exceed the maximum derivative, with respect to q,
        of gravity and of the feedforward forces. Model errors cause tracking errors.

    Attributes and errors: see `PDWithGravity`.

    Example:
        >>> import numpy as np, revolute
        >>> arm, t = revolute.robots.planar(2), np.linspace(0, 2, 2001)
        >>> def swing(t):
        ...     return np.full(2, np.sin(t)), np.full(2, np.cos(t)), np.full(2, -np.sin(t))
        >>> law = revolute.control.FeedforwardPD(arm, swing, 100.0, 20.0)
        >>> motion = arm.simulate([0.0, 0.0], [1.0, 1.0], law, t)
        >>> bool(np.abs(motion.q - np.sin(t)[:, None]).max() < 1e-3)
        True
    """

    _law = "feedforward_pd"


@dataclass(frozen=True, eq=False, repr=False)
class ComputedTorque(_PD):
    """Computed torque, or inverse dynamics control. LP 11.35-11.37; SHV (2006) section 8.3; BP 5.1.1.

        tau = M(q) (qdd_ref - K_d ed - K_p e) + C(q, qd) qd + g(q)
        so that   edd + K_d ed + K_p e = 0

    Stability: with the correct model, global and exponential for all positive definite K_p and K_d. A model error acts
        as a disturbance M^-1 dtau. With forces constant during steps h, h K_d < 2 is required; otherwise an error is
        raised.

    Attributes:
        robot, reference, full, parameters, wrap, and errors: see `PDWithGravity`.
        position_gains: K_p, a number, (..., nv), or with `full` (..., nv, nv) [1/s^2].
        velocity_gains: K_d, in the same forms [1/s]; None: 2 sqrt(K_p), which is critically damped.

    Example:
        >>> import numpy as np, revolute
        >>> robot, t = revolute.robots.panda(), np.linspace(0, 1, 1001)
        >>> law = revolute.control.ComputedTorque(robot, robot.home(), 100.0)
        >>> motion = robot.simulate(robot.home() + 0.1, np.zeros(7), law, t)
        >>> wanted = 0.1 * np.exp(-10 * t) * (1 + 10 * t)
        >>> bool(np.allclose(motion.q - robot.home(), wanted[:, None], atol=1e-3))
        True
    """

    velocity_gains: ArrayLike | None = None  # type: ignore[assignment]

    _law = "computed_torque"

    def __post_init__(self) -> None:
        if self.velocity_gains is None:
            K_p = gains(f"{self._name}: position_gains", self.position_gains, self._entries(), full=self.full)
            if self.full:
                w, V = np.linalg.eigh((K_p + np.swapaxes(K_p, -1, -2)) / 2)
                self._set(velocity_gains=2 * (V * np.sqrt(w)[..., None, :]) @ np.swapaxes(V, -1, -2))
            else:
                self._set(velocity_gains=2 * np.sqrt(K_p))
        super().__post_init__()

    def _check_steps(self, steps: Array) -> None:
        K_d = np.asarray(self.velocity_gains)
        top = float(np.abs(np.linalg.eigvals(K_d)).max() if self.full else K_d.max())
        self._require_short(steps, top)
