"""Groups of methods of `ElasticRobot`: its data; mass, Coriolis and gravity terms, energies, linear models."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from revolute.compiler.bound import compiled
from revolute.dynamics import elastic
from revolute.dynamics.elastic import backlash, motor_places
from revolute.dynamics.invertible import require_invertible
from revolute.errors import InputError
from revolute.machine.declare import declared, has_kernel
from revolute.machine.function import Function, MachineData
from revolute.machine.linear_models import linear_model
from revolute.machine.machine import Array, LinkWrenches, Machine, Out, Threads
from revolute.machine.on_robot import OnRobot
from revolute.machine.robot import Robot
from revolute.model import Model, numeric, reduced
from revolute.model.scalars import by_name

__all__ = ["OWN", "Array", "ElasticGroup", "ElasticModels", "LinkWrenches", "Out", "Threads"]

OWN = ("stiffness", "damping", "rotor_inertia")
"""Arrays in declarations that belong to the robot, in the order in which kernels take them as inputs."""


class ElasticGroup(OnRobot, Machine):
    """A group of methods of `ElasticRobot`, with the robot's data."""

    _kind = "robot with elastic joints"
    _elsewhere = ". See `robot.kernel` for those of the rigid robot"

    robot: Robot
    stiffness: Array
    damping: Array
    rotor_inertia: Array

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Names of the joints with a motor and a spring: joints with one coordinate, in the order of theta.

        Example:
            >>> tree = revolute.robots.random_tree(2, rng=1, base="free")
            >>> tree.with_elastic_joints(100.0, rotor_inertia=0.1).motor_names
            ('joint1', 'joint2')
        """
        return tuple(self.robot.coordinate_names[k] for _, k in motor_places(self.robot))

    @property
    def symbols(self) -> tuple[Any, ...]:
        """The SymPy symbols of the robot, its springs and its rotors, by name."""
        entries = (*self.stiffness, *self.damping, *self.rotor_inertia)
        return by_name(set(self.robot.symbols).union(*(getattr(x, "free_symbols", ()) for x in entries)))

    def _labels(self) -> Mapping[str, Sequence[str]]:
        robot = self.robot
        return {"nq": robot.position_names, "nv": robot.coordinate_names, "motors": self.motor_names}

    def _machine_data(self, function: Function, options: Mapping[str, Any]) -> MachineData:
        model = self._numeric(function.name)
        if function.inverts:
            require_invertible(model)
        nq, nv, motors = model.nq, model.nv, len(self.stiffness)
        sizes = {"nq": nq, "nv": nv, "motors": motors, "nq+motors": nq + motors, "nv+motors": nv + motors}
        return MachineData(self.robot.name, (model,), {**sizes, "2(nv+motors)": 2 * (nv + motors)}, model.digest)

    def _require_no_backlash(self, what: str) -> None:
        """Raise `InputError` if a joint has backlash."""
        for name, gap in zip(self.motor_names, backlash(self.robot), strict=True):
            if gap != 0:
                raise InputError(
                    f"{what}: joint '{name}' of '{self.robot.name}' has backlash, which only motions, energies, spring "
                    "forces and forward dynamics include; give it a Drive without backlash"
                )

    def _numeric(self, what: str) -> Model:
        """The rigid robot. Raise `InputError` if the robot, its springs or its rotors have symbols."""
        no_equations = {"advice": ""} if any(gap != 0 for gap in backlash(self.robot)) else {}
        self._require_values(what, "springs", **no_equations)
        return numeric(self.robot, what)


class ElasticModels(ElasticGroup):
    """Mass, Coriolis and gravity terms of links and motors, energies, linear models."""

    @declared(
        elastic.elastic_mass_matrix, "q rotor_inertia -> M: nv+motors nv+motors", on=reduced, own=("rotor_inertia",)
    )
    def mass_matrix(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The mass matrix diag(M(q), B) of links and motors, x = (q, theta). Spong 1987; SHV ex. 6.2.

        Returns:
            (..., n, n) mass matrices with n = nv + motors [kg m^2, kg m, kg].

        Example:
            >>> arm = revolute.robots.planar(1, mass=3.0).with_elastic_joints(1000.0, 0.1)
            >>> arm.mass_matrix([0.0]).round(9)
            array([[1. , 0. ],
                   [0. , 0.1]])
        """

    @declared(elastic.elastic_coriolis_matrix, "q qd -> C: nv+motors nv+motors", on=reduced)
    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The Coriolis matrix diag(C(q, qd), 0) of Christoffel symbols: Mdot = C + C^T. SHV ex. 6.2.

        Returns:
            (..., n, n) Coriolis matrices with n = nv + motors.
        """

    @declared(elastic.elastic_gravity_forces, "q -> g: nv+motors", on=reduced)
    def gravity_forces(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The gravity forces (g(q), 0) of links and motors, for balanced motors. SHV ex. 6.2.

        Returns:
            (..., nv + motors) forces that hold the links against gravity [N m, N].
        """

    @declared(
        elastic.elastic_equations_of_motion,
        "q qd rotor_inertia -> M: nv+motors nv+motors; C: nv+motors nv+motors; g: nv+motors", on=reduced,
        own=("rotor_inertia",),
    )
    def equations_of_motion(
        self, q: ArrayLike, qd: ArrayLike, *, out: tuple[Array, Array, Array] | None = None, threads: Threads = None
    ) -> tuple[Array, Array, Array]:
        """M, C and g of links and motors, in one kernel. Spong 1987; SHV ex. 6.2.

            M xdd + C xd + g = (S s, tau - s),    x = (q, theta)

        where s are the `spring_forces`, and S s contains them at the joints with a motor, and zeros elsewhere.

        Returns:
            M and C (..., n, n), g (..., n) with n = nv + motors.

        Example:
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=0.1)
            >>> q, tau = [0.2], [3.0]
            >>> M, C, g = arm.equations_of_motion(q, [1.0])
            >>> s = arm.spring_forces(q, [0.21], [1.0], [0.5])
            >>> xdd = np.linalg.solve(M, np.concatenate([s, tau - s]) - C @ [1.0, 0.5] - g)
            >>> accelerations = arm.forward_dynamics(q, [0.21], [1.0], [0.5], tau)
            >>> np.allclose(xdd, np.concatenate(accelerations))
            True
        """

    @declared(elastic.elastic_kinetic_energy, "q qd thetad rotor_inertia -> T", own=("rotor_inertia",))
    def kinetic_energy(
        self, q: ArrayLike, qd: ArrayLike, thetad: ArrayLike, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """Kinetic energy of links and motors. SHV ex. 6.2.

        Returns:
            (...) energies [J].
        """

    @declared(elastic.elastic_potential_energy, "q theta stiffness -> U", own=("stiffness",))
    def potential_energy(self, q: ArrayLike, theta: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Potential energy of gravity and springs. SHV ex. 6.2.

        Returns:
            (...) energies [J].
        """

    @declared(
        elastic.elastic_energy, "q theta qd thetad stiffness rotor_inertia -> E", own=("stiffness", "rotor_inertia")
    )
    def total_energy(
        self, q: ArrayLike, theta: ArrayLike, qd: ArrayLike, thetad: ArrayLike, *, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """Energy of links, motors and springs: `kinetic_energy` plus `potential_energy`. SHV ex. 6.2.

        Returns:
            (...) energies [J].
        """

    @compiled
    @has_kernel(
        elastic.elastic_linearize,
        "q theta qd thetad tau[motors] stiffness damping[motors] rotor_inertia"
        " -> A: 2(nv+motors) 2(nv+motors); B: 2(nv+motors) motors",
        on=reduced,
        inverts=True,
        options=("wrenches",),
    )
    def linearize(
        self, q: ArrayLike, theta: ArrayLike, qd: ArrayLike, thetad: ArrayLike, tau: ArrayLike, *,
        step: ArrayLike | None = None, wrenches: LinkWrenches = None,
        out: tuple[Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """The linear model d/dt (dx, dxd) = A (dx, dxd) + B dtau about a state. BP 7.2.2, 7.2.3; SHV ex. 6.2.

        x = (q, theta) are positions of links and motors; dq is along joint velocities: see `Robot.linearize`.

        Args:
            tau: (..., motors) motor forces [N m, N].
            step: (...) length of a time step [s], for a discrete-time model: see `Robot.linearize`.

        Returns:
            A (..., 2 n, 2 n) and B (..., 2 n, motors) with n = nv + motors.

        Example:
            >>> rod = revolute.robots.planar(1, mass=3.0).with_gravity((0, 0, 0))
            >>> arm = rod.with_elastic_joints(8.0, rotor_inertia=0.5)
            >>> A, B = arm.linearize([0.0], [0.0], [0.0], [0.0], [0.0])
            >>> A.round(9)[2:] + 0.0, B.ravel()
            (array([[ -8.,   8.,   0.,   0.],
                   [ 16., -16.,   0.,   0.]]), array([0., 0., 0., 2.]))
        """
        own = (self.stiffness, self.damping, self.rotor_inertia)
        return linear_model(self, (q, theta, qd, thetad, tau), wrenches, step, out, threads, own)
