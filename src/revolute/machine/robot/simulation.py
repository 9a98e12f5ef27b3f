"""Methods of `Robot`: motions under given forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance
from revolute.dynamics.steps import METHODS
from revolute.errors import InputError
from revolute.machine.declare import internal
from revolute.machine.function import Function, WithDrives
from revolute.machine.functions import drives
from revolute.machine.functions.parametric import regrouped_parameters, without_inertias
from revolute.machine.functions.simulation import sensitivity_rate, state_rate, step
from revolute.machine.machine import Array, Threads
from revolute.machine.robot.contacts import Contacts
from revolute.machine.robot.energy import Energy
from revolute.machine.robot.regressors import Regressors
from revolute.machine.stepper import Stepper, stepper
from revolute.machine.touched import Stops
from revolute.model.contact import Contact
from revolute.model.parameters import checked_parameters

if TYPE_CHECKING:
    from revolute.simulate import MotionOwner, Sensitivities, Simulation

_OPTIONS = ("damping", "wrenches")


class Simulations(Energy, Regressors, Contacts):
    """Motions under given forces."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal(
            "regrouped_parameters", regrouped_parameters, "inertial_parameters[n,10] -> regrouped_parameters: n 10",
            on=without_inertias,
        ),
        internal(
            "state_rate", state_rate, "q qd tau -> dq/dt: nq; qdd: nv", options=(*_OPTIONS, "parameters"), inverts=True,
            driven=WithDrives(drives.state_rate, smooth=True),
        ),
        internal(
            "sensitivity_rate", sensitivity_rate, "q qd tau -> dq/dt: nq; qdd: nv; A: 2nv 2nv; dqdd_dpi: nv 10n",
            options=_OPTIONS, inverts=True, driven=WithDrives(drives.sensitivity_rate, smooth=True),
        ),
        *(
            internal(
                f"{name}_step", step(method), "q qd tau h[] -> q: nq; qd: nv", options=(*_OPTIONS, "parameters"),
                inverts=True, driven=WithDrives(drives.step(method), smooth=True, options=("sticking",)),
            )
            for name, method in METHODS.items()
        ),
    )

    @cached_property
    def _owner(self) -> MotionOwner:
        from revolute.simulate import MotionOwner

        return MotionOwner.of(self, self._space)

    def _in_joints(self, q: Array) -> Array:
        """Positions of the joints of the model `_links` when the positions of this machine are q."""
        return q

    def _acting(self, what: str, joint_damping: bool, sticking: bool) -> dict[str, bool]:
        """Kernel options of a motion: damping, if requested. Raise `InputError` for `sticking`, which needs drives."""
        if sticking:
            raise InputError(f"{what}: '{self.name}' has no friction that can stick; use robot.with_drives()")
        return {"damping": True} if instance(f"{what}: joint_damping", joint_damping, (bool, np.bool_)) else {}

    def _moved_parameters(self, what: str, given: ArrayLike, sticking: bool) -> Array:
        """A checked copy of the parameters for a simulation."""
        return checked_parameters(f"{what}: parameters", self._links, given)

    def simulate(
        self, q0: ArrayLike, qd0: ArrayLike, torque: Any, t: ArrayLike, method: str | None = None, *,
        contacts: Sequence[Contact] = (), stops: Stops = False, joint_damping: bool = False, sticking: bool = False,
        wrenches: Mapping[str, Any] | None = None, parameters: ArrayLike | None = None, rtol: float = 1e-9,
        atol: float = 1e-11, threads: Threads = None, events: Sequence[Any] = (), stop_at_limits: bool = False,
        every: int = 1, progress: bool | None = None,
    ) -> Simulation:
        """The motion from q0, qd0 under joint forces, by forward dynamics. LP Euler integration; BP section 6.1.

        Surfaces and limits exert forces only with `contacts` and `stops`; steps are then those of `contact_step`. A
        robot `with_drives` moves with Coulomb friction, springs, rotors and couplings. Smoothed friction is stiff: use
        steps shorter than smoothing times inertia divided by friction, or "Radau".

        Args:
            q0, qd0: (..., nq), (..., nv) joint positions [rad, m] and velocities [rad/s, m/s] at `t[0]`.
            torque: joint forces [N m, N]: None for zero; (nv,) constant; (..., T, nv), of which each row is held from
                its time to the next; a controller of `revolute.control` or a `revolute.StateFeedback`; a function of
                (t, q, qd) that returns (..., nv), or an object with such a method `torque`. Functions and objects run
                in Python, once per step for all rows of a batch, and may return arrays of JAX or tensors of PyTorch.
            t: (T,) increasing times [s], with one step from each to the next in fixed-step methods; or a duration [s],
                in steps of one millisecond.
            method: fixed-step, with forces held during steps: "explicit_euler", "semi_implicit_euler", "runge_kutta_4",
                "runge_kutta_munthe_kaas_4", "implicit_midpoint" for stiff forces, "variational_midpoint"; or SciPy's
                adaptive methods: "RK45", "DOP853", "Radau", "BDF", "LSODA". See the page on integrators. By default
                "runge_kutta_4"; with contacts, stops or sticking "semi_implicit_euler", the only one that supports
                them.
            contacts, stops: as in `impact`; `motion.contact_forces` and `motion.stop_forces` contain their forces.
            joint_damping: apply the viscous friction of `robot.drives.damping`. With drives, all friction always acts.
            sticking: for robots with drives: each step decides which joints slip and which stick, as for contacts. A
                joint at rest sticks while its Coulomb and Stribeck friction can hold it.
            wrenches: {link name: wrench (m, f) [N m, N]} from the environment, in the link's frame: each (6,), (..., T,
                6) or a function of (t, q, qd).
            parameters: (..., n, 10) `inertial_parameters` of the robot that moves, such as one for each row of a batch;
                None for its own. For a robot with drives: (..., 10 n + d) values of its `parameters`; not available if
                rotors are modelled as bodies.
            rtol, atol: tolerances of the adaptive methods.
            threads: see `inverse_dynamics`.
            events: events that stop a single motion (a batch raises an error): functions of (t, q, qd) when their sign
                changes, a `revolute.Event`, or a `revolute.Contact` when it reaches its surface. `motion.event` is the
                one that occurred; its time is located to within 1e-12 s.
            stop_at_limits: also stop when a position reaches its limit.
            every: store only one state in `every`, to save memory in long motions.
            progress: whether to show a progress bar on stderr: True on any terminal, None only in interactive sessions.

        Returns:
            times, states, accelerations, forces and energies: a `revolute.simulate.Simulation`.

        Raises:
            InputError, ShapeError: the arguments do not fit, dry friction has neither `smoothing` nor `sticking`, or a
                rigid contact is more than 1 cm inside its surface.
            SimulationError: forces are not finite, their function raises an exception, the motion diverges, or a step
                cannot be solved. The message names the time, the joint and a suitable step; `partial` is the motion up
                to that time.
            SimulationInterrupt: Ctrl-C was pressed; `partial` is the motion up to that time.

        Example:
            >>> pendulum = revolute.robots.planar(1)
            >>> motion = pendulum.simulate([0.0], [0.0], None, np.linspace(0, 1, 101))
            >>> bool(np.ptp(motion.energy) < 1e-6)
            True
            >>> floor = revolute.Plane(normal=(0, 1, 0), offset=-0.5)
            >>> tip = revolute.Contact("tip", friction=0.0, surface=floor)
            >>> motion = pendulum.simulate([0.0], [0.0], None, 2.0, contacts=[tip])
            >>> motion.contact_forces[-1].round(3) + 0.0  # on the contacts, in the base frame
            array([[0.   , 4.905, 0.   ]])
        """
        from revolute.machine.motion_loop import simulated

        touching, method = self._touched_motion("simulate", contacts, stops, sticking, method)
        acting = self._acting("simulate", joint_damping, sticking)
        if parameters is not None:
            parameters = self._moved_parameters("simulate", parameters, sticking)
        options = events, stop_at_limits, every, progress, threads, parameters, touching
        return simulated(self, acting, q0, qd0, torque, t, method, wrenches, rtol, atol, *options)

    def stepper(
        self, dt: float, method: str | None = None, *, contacts: Sequence[Contact] = (), stops: Stops = False,
        joint_damping: bool = False, sticking: bool = False, wrench_links: Sequence[str] = (), threads: Threads = None,
    ) -> Stepper:
        """Steps of fixed length, in place: for learning and control loops. LP Euler integration.

        `stepper.step(q, qd, tau)` changes q and qd, the arrays of one state or of a batch, and returns them.

        Args:
            dt: length of a step [s].
            method: a fixed-step method: see `simulate`. "semi_implicit_euler" needs a quarter of the time of
                "runge_kutta_4". A state whose equations "implicit_midpoint" or "variational_midpoint" cannot solve
                becomes NaN.
            contacts, stops: see `simulate`; `step` then returns a `revolute.machine.stepper.ContactState`, with their
                forces. A contact inside its surface, at any depth, is moved out.
            joint_damping, sticking: see `simulate`.
            wrench_links: names of links on which wrenches act: `step` accepts a wrench (..., 6) for each, after tau.
            threads: see `inverse_dynamics`.

        Raises:
            InputError: the method does not exist, or dt is not a positive number.
            UnknownNameError: a link does not exist.
            ModelError: the mass matrix has no inverse in any state.

        Example:
            >>> arm = revolute.robots.planar(1)
            >>> stepper, q, qd, tau = arm.stepper(1e-3), np.zeros(1), np.zeros(1), np.zeros(1)
            >>> for _ in range(100):
            ...     state = stepper.step(q, qd, tau)  # q and qd themselves
            >>> motion = arm.simulate([0.0], [0.0], None, np.arange(101) / 1000)
            >>> bool(abs(q - motion.q[-1]).max() < 1e-12)
            True
        """
        touching, method = self._touched_motion("stepper", contacts, stops, sticking, method)
        acting = self._acting("stepper", joint_damping, sticking)
        if touching and not touching.arrays:
            acting, touching = {**acting, **touching.options}, None
        return stepper(self, dt, method, acting, wrench_links, threads, touching=touching)

    def simulate_sensitivities(
        self, q0: ArrayLike, qd0: ArrayLike, torque: Any, t: ArrayLike, method: str = "runge_kutta_4", *,
        columns: Sequence[int] | None = None, joint_damping: bool = False, wrenches: Mapping[str, Any] | None = None,
        rtol: float = 1e-9, atol: float = 1e-11,
    ) -> Sensitivities:
        """A motion and its derivatives with respect to the inertial parameters pi. BP section 7.2; GOA 13.

            S' = A S + B,    S = d(q, qd)/dpi,    B = (0, -M^-1 Y(q, qd, qdd))

        A is a result of `linearize`, and Y is the `regressor`. S is zero at t[0]. Fitting a model to a measured motion
        requires S.

        Args:
            q0, qd0, t, rtol, atol, joint_damping: see `simulate`; tolerances also apply to the derivatives.
            torque: None, (nv,) constant, or (..., T, nv): see `simulate`. Functions are rejected, because they might
                depend on the state.
            method: "runge_kutta_4", or one of SciPy's: see `simulate`.
            columns: indices of the parameters in `inertial_parameters.ravel()`, with drives in `parameters`, such as
                those of `base_parameters().columns`; all by default.
            wrenches: {link name: (6,) or (..., T, 6)}: see `simulate`.

        Returns:
            t, q, qd, dq_dpi and dqd_dpi (..., T, nv, k): a `revolute.simulate.Sensitivities`. For a free joint dq_dpi
            is a small motion (w, v) in the body frame: see `linearize`.

        Raises:
            InputError, ShapeError: the arguments do not fit.
            SimulationError: the motion diverges; see `simulate`.

        Example:
            >>> pendulum, t = revolute.robots.planar(1), np.linspace(0, 1, 101)
            >>> swing = pendulum.simulate_sensitivities([0.0], [0.0], None, t, columns=[1, 6])
            >>> # of the first moment [rad / (kg m)], and of the moment of inertia
            >>> swing.dq_dpi[-1].round(3)
            array([[ 0.49 , -0.736]])
        """
        from revolute.machine.motion_loop import sensitivities

        acting = self._acting("simulate_sensitivities", joint_damping, False)
        return sensitivities(self, acting, columns, q0, qd0, torque, t, method, wrenches, rtol, atol)
