"""A robot as it is driven, in independent coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import instance, number
from revolute.dynamics.driven_regressor import drive_parameters
from revolute.dynamics.steps import METHODS
from revolute.errors import InputError
from revolute.machine.declare import declared, internal
from revolute.machine.driven.couplings import coupled, followed
from revolute.machine.driven.forces import DrivenForces
from revolute.machine.driven.models import DrivenModels
from revolute.machine.driven.rotors import Rotor, with_rotors
from revolute.machine.driven.values import substituted
from revolute.machine.functions import drives as functions
from revolute.machine.robot import Robot
from revolute.model.body import Drive
from revolute.model.reduce import reduced
from revolute.model.symbols import with_irregular_numbers
from revolute.simulate import Simulation, simulate

if TYPE_CHECKING:
    from revolute.symbolic import DrivenEquations

__all__ = ["DrivenRobot"]

Array = NDArray[Any]

SLOWEST, FASTEST = 1e-12, 1e300
"""Speeds [rad/s, m/s] between which friction can be smoothed: their reciprocals have to be numbers."""

ALLOWED = 1e-6
"""How far a joint may be from where its coupling has it [rad, m], beyond which `independent` refuses it."""

MEANINGS = {
    "armature": "inertia of rotors as {} feels it [kg m^2, kg]",
    "damping": "viscous friction of {} [N m s/rad, N s/m]",
    "friction": "Coulomb friction of {} [N m, N]",
    "stribeck": "friction at rest of {} beyond Coulomb friction [N m, N]",
    "stiffness": "stiffness of the spring at {} [N m/rad, N/m]",
    "rotor_inertia": "inertia of {} about its axis [kg m^2]",
}


_MOVED: dict[str, Any] = {"on": reduced, "inverts": True, "smooth": True}


class DrivenRobot(DrivenForces, DrivenModels):
    """A robot with its drives: `Robot.with_drives` makes it. SHV 6.4, ex. 6.1; JIN 48.

    Its joints follow independent coordinates p, q = A p + b: those of the joints that mimic
    none, or others by a coupling matrix. With the data of `Drive` at every joint,

        A^T (M qdd + C qd + g + I_a qdd + D qd + (F_c + F_s exp(-(qd/v_s)^2)) sgn(qd) + K (q - rest)) = tau

    where I_a = armature + gear_ratio^2 rotor_inertia: rotors feel only their own turning,
    which is what high gears make of them. Rotors that are bodies (`rotors=`) feel that of the
    links which carry them, too. tau are forces of the coordinates: motor forces times the
    speeds of the motors over those of the coordinates. A is constant, so that C stays the
    matrix of Christoffel's symbols.

    Arrays have the shapes (..., np) and (..., nv): joints of several coordinates keep their own
    positions and velocities, with np > nv where there are quaternions.

    Attributes:
        robot: whose drives these are.
        space: a robot without mass whose joints are the coordinates: for their names, limits,
            `neutral`, `random_configuration`, `integrate` and `difference`.
        tree: the robot with bodies for rotors.
        drives: how the joints of `tree` follow the coordinates.
    """

    _parts = (
        internal("state_rate", functions.state_rate, "p pd tau -> dp/dt: np; pdd: nv", **_MOVED),
        *(
            internal(f"{name}_step", functions.step(method), "p pd tau h[] -> p: np; pd: nv", **_MOVED)
            for name, method in METHODS.items()
        ),
    )

    def __init__(
        self,
        robot: Robot,
        data: Mapping[str, Drive] | None = None,
        *,
        rotors: bool | Sequence[Rotor] = False,
        coupling: Any = None,
        offset: Any = None,
        names: Sequence[str] | None = None,
        smoothing: float = 0.0,
    ) -> None:
        instance("DrivenRobot: robot", robot, Robot)
        smoothing = number("with_drives: smoothing", smoothing)
        if not (smoothing == 0 or SLOWEST <= smoothing <= FASTEST):
            raise InputError(
                f"with_drives: smoothing must be zero, or a speed from {SLOWEST:g} up [rad/s, m/s], not {smoothing!r}"
            )
        self._given = {"rotors": rotors, "coupling": coupling, "offset": offset, "names": names, "smoothing": smoothing}
        self.robot = robot = _with_data(robot, data)
        drives = coupled(robot, coupling, offset, names, smoothing)
        self.tree, self.drives = with_rotors(robot, drives, rotors)
        self.space = Robot.of(replace(self.drives.space, name=robot.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.robot, self._given)

    def __repr__(self) -> str:
        rotors = f", {len(self.drives.rotors)} rotors" if self.drives.rotors else ""
        return f"<DrivenRobot {self.robot.name!r}: {self.nv} coordinates of {self.robot.nv} joint velocities{rotors}>"

    # --- coordinates -----------------------------------------------------------------------

    @cached_property
    def coupling(self) -> Array:
        """(robot.nv, nv) matrix A of qd = A pd; joint forces act as A^T tau on the coordinates."""
        matrix = np.zeros((self.robot.nv, self.nv))
        for k, row in enumerate(self._numeric("coupling").A[: self.robot.nv]):
            for column, factor in row:
                matrix[k, column] = factor
        matrix.flags.writeable = False
        return matrix

    @declared(functions.positions, "p -> q: nq")
    def positions(self, p: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """The robot's joint positions q = A p + b, for its kinematics and its view.

        Args:
            p: (..., np) independent positions [rad, m].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nq) joint positions [rad, m].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.positions([0.5, 0.75])
            array([0.5 , 0.25])
        """

    @declared(functions.velocities, "pd -> qd: robot.nv")
    def velocities(self, pd: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """The robot's joint velocities qd = A pd, and accelerations of accelerations.

        Args:
            pd: (..., nv) independent velocities [rad/s, m/s].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., robot.nv) joint velocities [rad/s, m/s].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.velocities([1.0, 1.0])
            array([1., 0.])
        """

    def independent(self, q: ArrayLike) -> Array:
        """The independent positions p of joint positions that the couplings allow: the inverse of `positions`.

        Args:
            q: (..., nq) joint positions of the robot [rad, m].

        Returns:
            (..., np) independent positions [rad, m].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: the couplings do not allow q; it names the joint.

        Example:
            >>> import revolute
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.independent([0.5, 0.25]).round(9)
            array([0.5 , 0.75])
        """
        given = self.robot.normalize(q)
        b = np.array(self._numeric("independent").b[: self.robot.nv], dtype=float)
        p = followed(self.robot, self.space, self.coupling, b, given)
        apart = np.abs(self.positions(p) - given).max(axis=tuple(range(given.ndim - 1)), initial=0)
        if np.any(apart > ALLOWED * (1 + np.abs(given).max(initial=0))):
            names = [body.joint_name for body in self.robot.bodies for _ in range(body.joint.nq)]
            k = int(np.argmax(apart))
            raise InputError(
                f"independent: joint '{names[k]}' of '{self.robot.name}' is {apart[k]:.3g} away from where the "
                "couplings have it"
            )
        return p

    # --- parameters --------------------------------------------------------------------------

    @cached_property
    def parameters(self) -> Array:
        """(10 n + d,) the parameters pi of `regressor`, as they are.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(1).with_drives({"joint1": revolute.Drive(friction=(2.0,))})
            >>> arm.parameters[-3:]  # armature, damping, friction
            array([0., 0., 2.])
        """
        self._numeric("parameters")
        drives = [float(value) for _, _, value in drive_parameters(self.tree, self.drives)]
        column = np.concatenate([self.robot.inertial_parameters.ravel(), drives])
        column.flags.writeable = False
        return column

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """What each column of `regressor` belongs to: a symbol, and words.

        Example:
            >>> import revolute
            >>> print(revolute.robots.planar(1).with_drives().parameter_names[-1])
            joint1.friction: Coulomb friction of joint1 [N m, N]
        """
        names = self.tree.coordinate_names
        drives = (
            f"{names[k]}.{kind}: {MEANINGS[kind].format(names[k])}"
            for kind, k, _ in drive_parameters(self.tree, self.drives)
        )
        return (*self.robot.parameter_names, *drives)

    # --- motions -----------------------------------------------------------------------------

    def simulate(
        self,
        p0: ArrayLike,
        pd0: ArrayLike,
        torque: Any,
        t: ArrayLike,
        method: str = "runge_kutta_4",
        *,
        rtol: float = 1e-9,
        atol: float = 1e-11,
    ) -> Simulation:
        """The motion from a state under forces of the coordinates, with friction and springs: see `Robot.simulate`.

        Friction that is smoothed over a small speed is stiff: take steps shorter than
        smoothing times inertia over friction, or "Radau".

        Args:
            p0, pd0: (..., np), (..., nv) the first state.
            torque: forces of the coordinates: None, (nv,), (..., T, nv), or a function of (t, p, pd).
            t: (T,) increasing times [s].
            method, rtol, atol: see `Robot.simulate`.

        Returns:
            a `Simulation` whose q, qd, qdd are p, pd, pdd; its energies have rotors and springs,
            and fall by the work of `friction_forces`.

        Raises:
            InputError, ShapeError, SimulationError: see `Robot.simulate`; and Coulomb or
                Stribeck friction without `smoothing`.

        Example:
            >>> import numpy as np, revolute
            >>> arm = revolute.robots.planar(1).with_drives({"joint1": revolute.Drive(friction=(1.0,))}, smoothing=0.01)
            >>> motion = arm.simulate([0.0], [0.0], None, np.linspace(0, 1, 1001))
            >>> lost = np.trapezoid((motion.qd * arm.friction_forces(motion.qd)).sum(axis=-1), motion.t)
            >>> bool(abs(motion.energy[0] - motion.energy[-1] - lost) < 1e-4)
            True
        """
        self._require_smooth("simulate")
        return simulate(self, self.space, p0, pd0, torque, t, method, damping=False, rtol=rtol, atol=atol)

    # --- symbols -----------------------------------------------------------------------------

    def _countable(self) -> DrivenRobot:
        return with_irregular_numbers(self.symbols, self.subs) if self.symbols else self

    def subs(self, values: Mapping[Any, Any]) -> DrivenRobot:
        """The same with values for some or all of its symbols: see `Robot.subs`.

        Example:
            >>> import revolute, sympy
            >>> r = sympy.Symbol("r")
            >>> geared = revolute.robots.planar(1).with_drives(coupling=[[1 / r]])
            >>> geared.subs({r: 10}).gravity_forces([0.0]).round(4)  # at the motor
            array([0.4905])
        """
        return _made(*substituted(self.robot, self._given, self.symbols, values))

    def equations(self, budget: float = 20.0) -> DrivenEquations:
        """The equations of motion in SymPy: M ddp + C dp + g + springs + friction = tau. SHV 6.4.

        Args:
            budget: seconds for each quantity of the tree: see `Robot.equations`.

        Returns:
            M, C, g, springs, friction and tau, kinetic and potential: a
            `revolute.symbolic.DrivenEquations`.

        Raises:
            InputError: no budget, or a symbol that has the name of a coordinate.

        Example:
            >>> import revolute, sympy
            >>> r, I = sympy.symbols("r I_m")
            >>> drive = revolute.Drive(gear_ratio=(r,), rotor_inertia=(I,))
            >>> revolute.robots.planar(1, mass=3.0).with_drives({"joint1": drive}).equations().M
            Matrix([[I_m*r**2 + 1]])
        """
        from revolute.symbolic import DrivenEquations

        return DrivenEquations(self.robot.name, self.tree, self.drives, budget)


def _with_data(robot: Robot, data: Mapping[str, Drive] | None) -> Robot:
    """The robot with other drives at some joints."""
    if data is None:
        return robot
    if not isinstance(data, Mapping) or not all(isinstance(drive, Drive) for drive in data.values()):
        raise InputError(f"with_drives needs {{joint name: Drive(...)}}, not {data!r}")
    bodies = list(robot.bodies)
    for name, drive in data.items():
        i = robot.joint_index(name)
        bodies[i] = replace(bodies[i], drive=drive)
    return replace(robot, bodies=tuple(bodies))


def _made(robot: Robot, given: Mapping[str, Any]) -> DrivenRobot:
    return DrivenRobot(robot, **given)
