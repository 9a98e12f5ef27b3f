"""Controllers with a sliding variable: passivity-based, robust and adaptive."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy
from revolute.control.controller import Array, GainKinds
from revolute.control.joint_space import JointController
from revolute.errors import InputError, ShapeError


@dataclass(frozen=True, eq=False, repr=False)
class _Sliding(JointController):
    """A law with a sliding variable: the slope of its sliding surface, and its gains."""

    robot: Any
    reference: Any
    slope: ArrayLike
    gains: ArrayLike

    full: bool = False
    wrap: bool = field(default=False, kw_only=True)

    _gains: ClassVar[GainKinds] = {"slope": "positive", "gains": "full"}


@dataclass(frozen=True, eq=False, repr=False)
class PassivityBased(_Sliding):
    """Control that preserves the robot's passivity. Slotine & Li 1987; SHV (2006) section 8.4; Ortega & Spong 1989.

        v = qd_ref - L e,    a = dv/dt,    s = qd - v
        tau = M(q) a + C(q, qd) v + g(q) - K s      so that      M sd + C s + K s = 0

    Stability: with V = s^T M s / 2, dV/dt = -s^T K s, because Md - 2 C is skew-symmetric. So s decays exponentially for
        all positive definite K, and then e for all L > 0, globally without quaternions. Unlike in `ComputedTorque`,
        model errors do not change the sign of the feedback.

    Attributes:
        robot, reference, full, wrap, and errors: see `PDWithGravity`.
        slope: L, a number or (..., nv) [1/s].
        gains: K, a number, (..., nv), or with `full` (..., nv, nv) [N m s/rad, N s/m].
        parameters: (..., n, 10) inertial parameters of the model; None: those of `robot`.

    Example:
        >>> import numpy as np, revolute
        >>> robot, t = revolute.robots.ur5(), np.linspace(0, 2, 2001)
        >>> law = revolute.control.PassivityBased(
        ...     robot, robot.home(), slope=10.0, gains=[40, 40, 20, 2, 2, 1]
        ... )
        >>> motion = robot.simulate(robot.home() + 0.1, np.zeros(6), law, t)
        >>> bool(np.abs(motion.q[-1] - robot.home()).max() < 1e-3)
        True
    """

    parameters: ArrayLike | None = None

    _law = "passivity_based"


@dataclass(frozen=True, eq=False, repr=False)
class SlidingMode(PassivityBased):
    """Robust control: a sliding term with a boundary layer. Slotine & Li 1991, 9.1; SHV (2006) section 8.4; Spong 1992.

        tau = M(q) a + C(q, qd) v + g(q) - K s - rho sat(s / phi)

    with the v, a and s of `PassivityBased`; sat limits each entry to -1 ... 1.

    Stability: if rho is larger than the model error |dM a + dC v + dg + disturbance| of each joint, s reaches the
    layer |s| <= phi in finite time and stays there; then |e| falls below phi / L. In the layer, the term is linear,
    with gain rho / phi; the forces chatter if phi is small relative to the change of s in a step.

    Attributes:
        robot, reference, slope, gains, full, parameters, wrap, and errors: see `PassivityBased`.
        bound: rho, amplitude of the sliding term, a number or (..., nv), zero or more [N m, N].
        boundary: phi, width of the boundary layer, a number or (..., nv) [rad/s, m/s].

    Example:
        >>> import numpy as np, revolute
        >>> robot, t = revolute.robots.planar(2), np.linspace(0, 2, 2001)
        >>> loaded = robot.with_payload("tip", revolute.Inertia.sphere(0.5, 0.05))
        >>> law = revolute.control.SlidingMode(
        ...     robot, [1.0, 0.5], 10.0, 5.0, bound=20.0, boundary=0.05
        ... )
        >>> motion = loaded.simulate([0.0, 0.0], [0.0, 0.0], law, t)
        >>> bool(np.abs(motion.q[-1] - [1.0, 0.5]).max() <= 0.05 / 10.0)
        True
    """

    bound: ArrayLike = 0.0
    boundary: ArrayLike = 0.01

    _law = "sliding_mode"
    _gains: ClassVar[GainKinds] = {**PassivityBased._gains, "bound": "zero or more", "boundary": "positive"}


@dataclass(frozen=True, eq=False, repr=False)
class Adaptive(_Sliding):
    """Adaptive control with online estimation of inertial parameters. Slotine & Li 1987; Slotine & Li 1991, 9.2.

        tau = Y(q, qd, v, a) pi - K s,    dpi/dt = -Gamma Y^T s,    pi within bounds

    with the v, a and s of `PassivityBased` and the regressor of `Robot.slotine_li_regressor`.

    Stability: with V = (s^T M s + (pi - pi*)^T Gamma^-1 (pi - pi*)) / 2 and pi* the true parameters, dV/dt = -s^T K s:
    the error goes to zero for all positive definite K and L, Gamma > 0, globally without quaternions. Projection onto
    bounds that contain pi* can only reduce V. The estimates converge to pi* under persistent excitation. Steps h must
    be short: the estimates are integrated by explicit Euler steps.

    The estimates are a state of the controller: `simulate` needs steps of fixed length, and returns the estimates as
    `motion.controller["estimates"]`, (..., T, n, 10).

    Attributes:
        robot, reference, slope, gains, full: see `PassivityBased`.
        rates: adaptation gains, the diagonal of Gamma: a number, or (..., n, 10); zero for known parameters.
        estimates: (..., n, 10) initial parameters; None: those of `robot`.
        lower, upper: (..., n, 10) bounds of the parameters, or None.

    Raises:
        InputError: see `PDWithGravity`; or initial parameters are outside the bounds.
        ShapeError, DtypeError: an array does not fit.

    Example:
        >>> import numpy as np, revolute
        >>> arm, t = revolute.robots.planar(2), np.linspace(0, 10, 10_001)
        >>> def swing(t):
        ...     return np.full(2, np.sin(t)), np.full(2, np.cos(t)), np.full(2, -np.sin(t))
        >>> half = arm.inertial_parameters / 2
        >>> law = revolute.control.Adaptive(
        ...     arm, swing, slope=5.0, gains=10.0, rates=1.0, estimates=half
        ... )
        >>> motion = arm.simulate([0.0, 0.0], [1.0, 1.0], law, t)
        >>> error = np.abs(motion.q - np.sin(t)[:, None]).max(axis=-1)
        >>> bool(error[:2000].max() > 0.01), bool(error[-1000:].max() < 0.001)
        (True, True)
    """

    rates: ArrayLike = 1.0
    estimates: ArrayLike | None = None
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None

    _law = "adaptive"

    def _check(self) -> None:
        first = self.robot.inertial_parameters if self.estimates is None else self.estimates
        core = (self.robot.n_joints, 10)
        rates = float_copy(f"{self._name}: rates", self.rates)
        rates = np.full(core, float(rates)) if rates.ndim == 0 else rates
        values = {"rates": rates, "estimates": first}
        values["lower"] = np.full(core, -np.inf) if self.lower is None else self.lower
        values["upper"] = np.full(core, np.inf) if self.upper is None else self.upper
        for name, given in values.items():
            array = float_copy(f"{self._name}: {name}", given)
            if array.shape[-2:] != core:
                raise ShapeError(f"{self._name}: {name} has shape {array.shape}, but (..., {core[0]}, 10) is needed")
            if np.isnan(array).any() or (name in ("rates", "estimates") and np.isinf(array).any()):
                raise InputError(f"{self._name}: {name} is not finite")
            self._set(**{name: array})
        if (np.asarray(self.rates) < 0).any():
            raise InputError(f"{self._name}: rates must be zero or more: otherwise the estimates would diverge")
        if (np.asarray(self.estimates) < self.lower).any() or (np.asarray(self.estimates) > self.upper).any():
            raise InputError(f"{self._name}: initial estimates must lie between lower and upper")

    def _numbers(self) -> Mapping[str, Array]:
        return {**super()._numbers(), **{x: np.asarray(getattr(self, x)) for x in ("rates", "lower", "upper")}}

    def _state(self) -> Mapping[str, Array]:
        return {"estimates": np.asarray(self.estimates)}
