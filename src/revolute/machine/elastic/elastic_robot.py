"""A robot whose motors drive the links through springs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance
from revolute.dynamics.drive_forces import rotor_inertias
from revolute.dynamics.elastic import motor_places
from revolute.dynamics.steps import METHODS
from revolute.errors import ModelError
from revolute.machine.declare import internal
from revolute.machine.elastic.arguments import motor_column
from revolute.machine.elastic.forces import ElasticForces
from revolute.machine.elastic.models import ElasticModels
from revolute.machine.elastic.simulation import simulate
from revolute.machine.functions import elastic as functions
from revolute.machine.functions.contacts import check_motion, of_motions
from revolute.machine.machine import Array, LinkWrenches, Threads
from revolute.machine.robot import Robot
from revolute.machine.robot.contacts import ContactForces, Impact
from revolute.machine.robot.inverse_kinematics import LinkPoses
from revolute.machine.robot.pictures import Viewing
from revolute.machine.stepper import Stepper, stepper
from revolute.machine.touched import Stops, Touched
from revolute.model.contact import Contact
from revolute.model.symbols import substituted, values_of
from revolute.simulate import MotionOwner, Request, Simulation

if TYPE_CHECKING:
    from revolute.machine.inverse_kinematics import PoseSolutions
    from revolute.symbolic import ElasticEquations
    from revolute.view.motion import Movable

_INPUTS = "stiffness damping[motors] rotor_inertia x[nq+motors] xd[nv+motors] tau[motors]"
_STATE = "x: nq+motors; xd: nv+motors"
_MOVED: dict[str, Any] = {"options": ("wrenches",), "inverts": True}


class ElasticRobot(ElasticForces, ElasticModels, LinkPoses, Touched, Viewing):
    """A robot with elastic joints, by Spong's model; created by `Robot.with_elastic_joints`. Spong 1987; SHV ex. 6.2.

        M(q) qdd + C(q, qd) qd + g(q) = K (theta - q) + D (thetad - qd)
        B thetadd + K (theta - q) + D (thetad - qd) = tau

    Motors rotate about the axes of their joints. Their kinetic energy includes only this rotation, which is accurate
    for high gear ratios. Motor quantities are reflected through the gears.

    Attributes:
        robot: the rigid robot; its inertias include links and stators.
        stiffness: (motors,) spring stiffness K [N m/rad, N/m].
        damping: (motors,) spring damping D [N m s/rad, N s/m].
        rotor_inertia: (motors,) B, reflected through the gears [kg m^2, kg].
    """

    _parts = (
        internal("state_rate", functions.state_rate, f"{_INPUTS} -> dx/dt: nq+motors; xdd: nv+motors", **_MOVED),
        *(
            internal(f"{name}_step", functions.step(method), f"{_INPUTS} h[] -> {_STATE}", **_MOVED)
            for name, method in METHODS.items()
        ),
        internal(
            "touching_step", functions.touching_step, of_motions(f"{_INPUTS} h[]", f"{_STATE}; qdd: nv+motors"),
            options=("contacts", "stops", "bounces", "wrenches"), check=check_motion, inverts=True,
        ),
    )

    def __init__(
        self, robot: Robot, stiffness: ArrayLike, rotor_inertia: ArrayLike | None = None, damping: ArrayLike = 0.0
    ) -> None:
        self.robot = instance("ElasticRobot: robot", robot, Robot)
        if not self.motor_names:
            raise ModelError(f"'{robot.name}' has no joint with one coordinate; springs and motors need at least one")
        if rotor_inertia is None:
            inertias = rotor_inertias(robot)
            rotor_inertia = [inertias[k] for _, k in motor_places(robot)]
        motors, positive = self.motor_names, "greater than zero"
        self.stiffness = motor_column(robot, motors, "stiffness", stiffness, least=positive)
        self.rotor_inertia = motor_column(robot, motors, "rotor_inertia", rotor_inertia, least=positive)
        self.damping = motor_column(robot, motors, "damping", damping, least="zero or more")

    def __reduce__(self) -> tuple[Any, ...]:
        return ElasticRobot, (self.robot, self.stiffness, self.rotor_inertia, self.damping)

    def _movable(self) -> Movable:
        return self.robot._movable()

    def _solved(self, pose: Any, *options: Any) -> PoseSolutions:
        return self.robot._solved(pose, *options)

    def __repr__(self) -> str:
        return f"<ElasticRobot {self.robot.name!r}: {self.robot.n_joints} links, {len(self.stiffness)} motors>"

    @cached_property
    def _owner(self) -> MotionOwner:
        return MotionOwner.of(self, self.robot, self.motor_names, self.motor_names)

    def simulate(
        self, q0: ArrayLike, theta0: ArrayLike, qd0: ArrayLike, thetad0: ArrayLike, torque: Any, t: ArrayLike, *,
        method: str | None = None, contacts: Sequence[Contact] = (), stops: Stops = False,
        wrenches: Mapping[str, Any] | None = None, rtol: float = 1e-9, atol: float = 1e-11, threads: Threads = None,
        events: Sequence[Any] = (), stop_at_limits: bool = False, every: int = 1, progress: bool | None = None,
    ) -> Simulation:
        """Motions of links and motors from one initial state or a batch. LP Euler integration; BP section 6.1.

        Stiff springs need an implicit method, such as "Radau" or "implicit_midpoint".

        Args:
            q0, theta0: (..., nq), (..., motors) initial positions of links and motors [rad, m].
            qd0, thetad0: (..., nv), (..., motors) initial velocities.
            torque: motor forces: None, (motors,), (..., T, motors) held from each time to the next, or a
                function of (t, q, theta, qd, thetad). See `Robot.simulate`.
            method: a compiled fixed-step method, such as "runge_kutta_4", or "implicit_midpoint" for stiff springs: see
                `Robot.simulate`; or SciPy's RK45, DOP853, Radau, BDF or LSODA, with common steps for all states.
                "DOP853" by default. With contacts or stops only "semi_implicit_euler" is possible: steps must be
                shorter than 2 / omega, for the highest angular frequency omega of the springs.
            contacts, stops: contacts and stops of the links: see `Robot.simulate`.
            t, wrenches, rtol, atol, threads, events, stop_at_limits, every, progress: see `Robot.simulate`; functions
                take (t, q, theta, qd, thetad), and limits are those of the links.

        Returns:
            a `Simulation`, with theta, thetad and thetadd of the motors beside q, qd and qdd of the links.

        Raises:
            ShapeError, InputError, SimulationError, MissingExtraError: see `Robot.simulate` and `System.simulate`.

        Example:
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=0.1)
            >>> start, still = np.array([[0.0], [0.5], [1.0]]), np.zeros(1)
            >>> motion = arm.simulate(start, start, still, still, None, np.linspace(0, 0.1, 11))
            >>> motion.theta.shape, bool(np.ptp(motion.energy, axis=-1).max() < 1e-8)
            ((3, 11, 1), True)
        """
        touching, fixed = self._touched_motion("simulate", contacts, stops, False, method)
        method = fixed if touching or method is not None else "DOP853"
        options = events, stop_at_limits, every, progress, threads, None, touching
        request = Request(q0, qd0, torque, t, method, wrenches, rtol, atol, *options)
        return simulate(self, request, theta0, thetad0)

    def stepper(
        self, dt: float, method: str | None = None, *, contacts: Sequence[Contact] = (), stops: Stops = False,
        wrench_links: Sequence[str] = (), threads: Threads = None,
    ) -> Stepper:
        """Steps of fixed length, in place: for learning and control loops. LP Euler integration.

        The state is x = (q, theta) and xd = (qd, thetad), links before motors.
        `stepper.step(x, xd, tau)` changes x and xd, of one state or of a batch, in place and returns them.

        Arguments, result and errors: see `Robot.stepper`.

        Example:
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=0.1)
            >>> x, xd = np.zeros(2), np.zeros(2)
            >>> state = arm.stepper(1e-4).step(x, xd, np.array([5.0]))
            >>> bool(xd[0] < 0 < xd[1])  # the link falls; the force acts on the motor
            True
        """
        self._numeric("stepper")
        data = (self.stiffness, self.damping, self.rotor_inertia)
        touching, method = self._touched_motion("stepper", contacts, stops, False, method)
        return stepper(self, dt, method, {}, wrench_links, threads, data, touching)

    def impact(
        self, q: ArrayLike, qd: ArrayLike, contacts: Sequence[Contact], *, stops: Stops = False,
        within: ArrayLike = 1e-4, out: tuple[Array, ...] | None = None, threads: Threads = None,
    ) -> Impact:
        """Velocities of the links after an impact, and impulses: `Robot.impact` for the links.

        Springs transmit no impulses: the velocities of the motors do not change.

        Args:
            q, qd: (..., nq), (..., nv) positions and velocities of the links.
            contacts, stops, within, out: see `Robot.impact`.

        Example:
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=9.0)
            >>> tip = revolute.Contact("tip", surface=revolute.Plane(normal=(0, 1, 0)))
            >>> arm.impact([0.0], [-2.0], [tip]).impulses.round(9) + 0.0
            array([[0.        , 0.66666667, 0.        ]])
        """
        return self.robot.impact(q, qd, contacts, stops=stops, within=within, out=out, threads=threads)

    def contact_forces(
        self, q: ArrayLike, theta: ArrayLike, qd: ArrayLike, thetad: ArrayLike, contacts: Sequence[Contact], *,
        stops: Stops = False, within: ArrayLike = 1e-4, wrenches: LinkWrenches = None,
        out: tuple[Array, ...] | None = None, threads: Threads = None,
    ) -> ContactForces:
        """Accelerations under springs and contacts, contact and stop forces: `Robot.contact_forces` for the links.

        Motors act on links through springs only, so that no motor forces are needed.

        Args:
            q, theta, qd, thetad: the state of links and motors: see `spring_forces`.
            contacts, stops, within, wrenches, out: see `Robot.contact_forces`.

        Example:
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=9.0)
            >>> tip = revolute.Contact("tip", surface=revolute.Plane(normal=(0, 1, 0)))
            >>> state = [0.0], [0.001], [0.0], [0.0]  # the spring lifts by 1 N m
            >>> arm.contact_forces(*state, [tip]).forces.round(3) + 0.0
            array([[0.   , 3.905, 0.   ]])
        """
        springs = self.spring_forces(q, theta, qd, thetad, threads=threads)
        tau = np.zeros((*springs.shape[:-1], self.robot.nv), springs.dtype)
        tau[..., self._driven] = springs
        options: dict[str, Any] = {"within": within, "wrenches": wrenches, "out": out, "threads": threads}
        return self.robot.contact_forces(q, qd, tau, contacts, stops=stops, **options)

    def _of(self, robot: Robot) -> Self:
        return type(self)(robot, self.stiffness, self.rotor_inertia, self.damping)

    def _substituted(self, values: Mapping[Any, Any]) -> Self:
        table = values_of(f"'{self.robot.name}' with its springs", self.symbols, values)
        robot = substituted(self.robot, {key: x for key, x in table.items() if key in self.robot.symbols})
        columns = (self.stiffness, self.rotor_inertia, self.damping)
        return type(self)(robot, *([x.subs(table) if hasattr(x, "subs") else x for x in c] for c in columns))

    def equations(self, budget: float = 20.0) -> ElasticEquations:
        """The equations of motion in SymPy, of links and motors. Spong 1987; SHV ex. 6.2.

        Motor positions are theta1, theta2 ..., their time derivatives dtheta1 ... and ddtheta1 ....

        Returns:
            M, C, g, springs, tau, kinetic, potential and lagrangian: a `revolute.symbolic.ElasticEquations`. Arguments
            and errors: see `Robot.equations`.

        Example:
            >>> import sympy
            >>> k, J = sympy.symbols("k J_m")
            >>> arm = revolute.robots.planar(1, mass=3.0).with_elastic_joints(k, rotor_inertia=J)
            >>> arm.equations().tau
            Matrix([
            [ddq1 + k*(q1 - theta1) + 14.715*cos(q1)],
            [        J_m*ddtheta1 + k*(-q1 + theta1)]])
        """
        from revolute.symbolic import ElasticEquations

        self._require_no_backlash("equations")
        data = (self.stiffness, self.damping, self.rotor_inertia)
        return ElasticEquations(self.robot, tuple(column.tolist() for column in data), budget)
