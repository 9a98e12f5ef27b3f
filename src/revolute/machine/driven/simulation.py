"""Methods of `DrivenRobot`: motions under given forces."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy, instance
from revolute.dynamics.steps import METHODS
from revolute.errors import InputError, ShapeError
from revolute.machine.declare import internal
from revolute.machine.driven.parameters import DriveParameters
from revolute.machine.functions import drives as functions
from revolute.machine.functions.parametric import driven_regrouped_parameters
from revolute.machine.machine import Array
from revolute.machine.robot.energy import Energy
from revolute.machine.step_loops import StepLoops
from revolute.machine.stepper import Stepper, stepper
from revolute.model.reduce import reduced
from revolute.simulate import Course, Owner, Scene, Sensitivities, Simulation, simulate, simulate_sensitivities

__all__ = ["DrivenSimulations"]

_DRY = ("friction", "friction_backward", "stribeck")
_MOVED: dict[str, Any] = {"options": ("wrenches",), "inverts": True, "smooth": True}
_STUCK: dict[str, Any] = {**_MOVED, "options": ("wrenches", "sticking", "parameters"), "on": reduced}
_REGROUPED = "inertial_parameters[parameters] -> regrouped_parameters: parameters"


class DrivenSimulations(DriveParameters, Energy, StepLoops):
    """Motions of a robot with its drives under given forces."""

    _parts = (
        internal("regrouped_parameters", driven_regrouped_parameters, _REGROUPED),
        internal("state_rate", functions.state_rate, "q qd tau -> dq/dt: nq; qdd: nv", **_STUCK),
        internal(
            "sensitivity_rate",
            functions.sensitivity_rate,
            "q qd tau -> dq/dt: nq; qdd: nv; A: 2nv 2nv; dqdd_dpi: nv parameters",
            **_MOVED,
        ),
        *(
            internal(f"{name}_step", functions.step(method), "q qd tau h[] -> q: nq; qd: nv", **_STUCK)
            for name, method in METHODS.items()
        ),
    )

    @cached_property
    def _owner(self) -> Owner:
        """See `revolute.simulate.owner`."""
        return Owner.of(self, self.space)

    @abstractmethod
    def _scene(self) -> Scene:
        """See `revolute.simulate.events`."""

    def simulate(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        torque: Any,
        t: ArrayLike,
        method: str = "runge_kutta_4",
        *,
        sticking: bool = False,
        wrenches: Mapping[str, Any] | None = None,
        parameters: ArrayLike | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-11,
        threads: int | None = None,
        events: Sequence[Any] = (),
        stop_at_limits: bool = False,
        every: int = 1,
        progress: bool | None = None,
    ) -> Simulation:
        """The motion from a state under forces of the coordinates, with friction and springs: see `Robot.simulate`.

        Friction that is smoothed over a small speed is stiff: take steps shorter than
        smoothing times inertia over friction, or "Radau".

        Args:
            q0, qd0: (..., nq), (..., nv) the first state.
            torque: forces of the coordinates: None, (nv,), (..., T, nv), `StateFeedback`, or a function of (t, q, qd).
            t: (T,) increasing times [s]; or a number, a duration [s] with an instant each millisecond.
            sticking: take dry friction as it is, with the method "semi_implicit_euler": what slips and what
                sticks is decided in every step (Moreau 1988), and a joint at rest stays exactly while its
                Coulomb and Stribeck friction can hold it. `smoothing` does not count.
            parameters: (..., 10 n + d) parameters of the robot that moves, in the order of `parameters`, such as one
                set for each row of a batch; None for its own. Rotors must not be bodies.
            method, wrenches, rtol, atol, threads: see `Robot.simulate`.
            events, stop_at_limits, every, progress: see `Robot.simulate`; limits are those of all joints.

        Returns:
            a `Simulation`. Its energies include rotors and springs,
            and fall by the work of `friction_forces`.

        Raises:
            InputError, ShapeError, SimulationError: see `Robot.simulate`; and Coulomb or
                Stribeck friction with neither `smoothing` nor `sticking`.

        Example:
            >>> import numpy as np, revolute
            >>> arm = revolute.robots.planar(1).with_drives(
            ...     {"joint1": revolute.Drive(friction=(1.0,))}, smoothing=0.01
            ... )
            >>> motion = arm.simulate([0.0], [0.0], None, np.linspace(0, 1, 1001))
            >>> lost = np.trapezoid(
            ...     (motion.qd * arm.friction_forces(motion.qd)).sum(axis=-1), motion.t
            ... )
            >>> bool(abs(motion.energy[0] - motion.energy[-1] - lost) < 1e-4)
            True
            >>> t = np.linspace(0, 1, 1001)
            >>> sticks = {"method": "semi_implicit_euler", "sticking": True}
            >>> # gravity: 0.35 N m
            >>> bool(np.all(arm.simulate([-1.5], [0.0], None, t, **sticks).q == -1.5))
            True
        """
        if instance("simulate: sticking", sticking, (bool, np.bool_)):
            self._require_sticking("simulate", method)
        else:
            self._require_smooth("simulate")
        if parameters is not None:
            parameters = self._checked_parameters("simulate", parameters, sticking)
        return simulate(
            self,
            self.space,
            q0,
            qd0,
            torque,
            t,
            method,
            damping=False,
            sticking=bool(sticking),
            wrenches=wrenches,
            parameters=parameters,
            rtol=rtol,
            atol=atol,
            threads=threads,
            course=Course(events, stop_at_limits, every, progress),
            scene=self._scene,
        )

    def _checked_parameters(self, what: str, given: ArrayLike, sticking: bool) -> Array:
        """A copy of (..., 10 n + d) finite parameters whose dry friction is smooth, or sticks."""
        if self.drives.rotors:
            raise InputError(f"{what}: parameters as an input are not for rotors that are bodies, as '{self.name}' has")
        values, names = float_copy(f"{what}: parameters", given), self.parameter_names
        if values.shape[-1:] != (len(names),):
            raise ShapeError(
                f"{what}: parameters has shape {values.shape}, but '{self.name}' needs (..., {len(names)}): see "
                "robot.parameter_names"
            )
        if not np.isfinite(values).all():
            raise InputError(f"{what}: parameters is not finite")
        dry = [k for k, name in enumerate(names) if name.partition(":")[0].rpartition(".")[2] in _DRY]
        if not (sticking or self.drives.smoothing) and values[..., dry].any():
            first = dry[int(np.argwhere(values[..., dry] != 0)[0, -1])]
            raise InputError(
                f"{what}: parameters: {names[first].partition(':')[0]} is not zero, and such friction jumps where the "
                "joint turns round; smooth it over a small speed: with_drives(smoothing=0.01) or the like"
            )
        return values

    def stepper(
        self,
        dt: float,
        method: str = "semi_implicit_euler",
        *,
        sticking: bool = False,
        wrenches: Sequence[str] = (),
        threads: int | None = None,
    ) -> Stepper:
        """Steps of fixed length, in place: for learning and control loops. LP Euler integration.

        `stepper.step(q, qd, tau)` changes the arrays of the state, one or a batch, and returns them.

        Arguments, result and errors are those of `Robot.stepper`; `sticking` is that of `simulate`.

        Example:
            >>> import numpy as np, revolute
            >>> arm = revolute.robots.planar(1).with_drives(
            ...     {"joint1": revolute.Drive(armature=(0.3,))}
            ... )
            >>> q, qd = np.zeros(1), np.zeros(1)
            >>> state = arm.stepper(1e-3).step(q, qd, np.array([1.0]))
            >>> float(qd[0]) == float(1e-3 * arm.forward_dynamics([0.0], [0.0], [1.0])[0])
            True
        """
        if instance("stepper: sticking", sticking, (bool, np.bool_)):
            self._require_sticking("stepper", method)
            return stepper(self, dt, method, {"sticking": True}, wrenches, threads)
        self._require_smooth("stepper")
        return stepper(self, dt, method, {}, wrenches, threads)

    def simulate_sensitivities(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        torque: Any,
        t: ArrayLike,
        method: str = "runge_kutta_4",
        *,
        columns: Sequence[int] | None = None,
        wrenches: Mapping[str, Any] | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-11,
    ) -> Sensitivities:
        """A motion and its derivatives by `parameters`: see `Robot.simulate_sensitivities`. BP 7.2; GOA 8-16.

        The parameters are those of `regressor`: of links, then armature, damping, friction, stiffness ... of drives.

        Args:
            q0, qd0: (..., nq), (..., nv) the state at t[0].
            torque: forces of the coordinates: None, (nv,) constant, or (..., T, nv).
            t: (T,) increasing times [s]; or a number, a duration [s] with an instant each millisecond.
            columns: places of the chosen ones in `parameters`, such as those of `base_parameters().columns`; all by
                default.
            method, wrenches, rtol, atol: see `Robot.simulate_sensitivities`.

        Returns:
            t, q and qd, their derivatives dq_dpi and dqd_dpi (..., T, nv, k): a
            `revolute.simulate.Sensitivities`.

        Raises:
            InputError, ShapeError, SimulationError: see `Robot.simulate_sensitivities`; and Coulomb or
                Stribeck friction without `smoothing`.

        Example:
            >>> import numpy as np, revolute
            >>> pendulum = revolute.robots.planar(1).with_drives(
            ...     {"joint1": revolute.Drive(damping=(0.5,))}
            ... )
            >>> # the last parameters are armature, damping and Coulomb friction
            >>> t = np.linspace(0, 1, 101)
            >>> motion = pendulum.simulate_sensitivities([0.0], [0.0], None, t, columns=[11])
            >>> motion.dq_dpi[-1].round(3)
            array([[1.013]])
        """
        self._require_smooth("simulate_sensitivities")
        return simulate_sensitivities(
            self,
            self.space,
            q0,
            qd0,
            torque,
            t,
            method,
            parameters=len(self.parameter_names),
            columns=columns,
            damping=False,
            wrenches=wrenches,
            rtol=rtol,
            atol=atol,
        )
