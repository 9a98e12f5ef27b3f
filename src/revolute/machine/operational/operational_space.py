"""A robot in coordinates x = h(q) of a task."""

from typing import Any, NamedTuple, Self

from numpy.typing import ArrayLike

from revolute.machine.declare import has_kernel
from revolute.machine.functions import operational_space as functions
from revolute.machine.machine import Array, Threads
from revolute.machine.operational.loads import CHECKS, DAMPED, Loads


class OperationalEquations(NamedTuple):
    """F = D xdd + C xd + G. BP 7.4.2, 7.4.4.

    Attributes:
        D: (..., m, m) inertia Lambda, symmetric.
        C: (..., m, m) matrix with dD/dt - 2 C skew-symmetric.
        G: (..., m) forces of gravity.
        singular: (...) whether the undamped D does not exist in this state.
    """

    D: Array
    C: Array
    G: Array
    singular: Array


class OperationalSpace(Loads):
    """A robot in task coordinates x = h(q), created by `Robot.operational_space`. BP 7.4.1-7.4.5; LP 9.90-9.99.

        F = Lambda(q) xdd + eta(q, qd),    tau = J^T F,    xd = J(q) qd

    J = dh/dq is the analytic Jacobian. Without damping, Lambda = (J M^-1 J^T)^-1 does not exist in singular states:
    there, the rate of a coordinate is zero, or depends on the rates of the others. Euler angles have further singular
    states. A single singular state raises a `SingularityError`; in a batch only its results are NaN, and `singular` is
    True for it.

    A quaternion has four numbers for three degrees of freedom. Its Lambda is the pseudo-inverse (J M^-1 J^T)^+, of rank
    six, and F has no component along the quaternion.

    Attributes:
        robot: the robot.
        definition: definition of the coordinates x.
        names: names of the m coordinates.
    """

    def with_inertial_parameters(self, parameters: Any, *, implausible: str = "warn") -> Self:
        """The same coordinates of the robot with other inertial parameters: see `Robot.with_inertial_parameters`."""
        return type(self)(self.robot.with_inertial_parameters(parameters, implausible=implausible), self.definition)

    @has_kernel(functions.coordinates, "q -> x: m; regularity")
    def coordinates(self, q: ArrayLike, *, threads: Threads = None) -> Array:
        """The coordinates x = h(q). BP 7.4.1.

        Returns:
            (..., m) Euler angles [rad], or a quaternion (x, y, z, w) with w >= 0, then the position of the link
            frame [m]; or the user's coordinates. NaN for singular Euler angles of a batch.

        Raises:
            SingularityError: the Euler angles of a single state are singular.

        Example:
            >>> space = revolute.robots.planar(2).operational_space("tip", "ZYX")
            >>> space.coordinates([0.3, 0.4]).round(3)
            array([0.7 , 0.  , 0.  , 1.72, 0.94, 0.  ])
        """
        return self._kinematic("coordinates", (q,), threads)

    @has_kernel(functions.jacobian, "q -> J: m nv; regularity")
    def jacobian(self, q: ArrayLike, *, threads: Threads = None) -> Array:
        """The analytic Jacobian, J = dh/dq: xd = J qd. BP 7.4.7.

        Returns:
            (..., m, nv) matrices; NaN for singular Euler angles of a batch. Columns belong to joint velocities.

        Raises:
            SingularityError: as in `coordinates`.

        Example:
            >>> space = revolute.robots.planar(2).operational_space("tip", "ZYX", rows=(0, 3))
            >>> space.jacobian([0.0, 1.5708]).round(3)
            array([[ 1.,  1.],
                   [-1., -1.]])
        """
        return self._kinematic("jacobian", (q,), threads)

    @has_kernel(functions.jacobian_rate, "q qd -> Jd: m nv; regularity")
    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike, *, threads: Threads = None) -> Array:
        """The time derivative of the analytic Jacobian, dJ/dt: xdd = J qdd + Jd qd. BP 7.4.9.

        Returns:
            (..., m, nv) matrices; NaN for singular Euler angles of a batch.

        Raises:
            SingularityError: as in `coordinates`.

        Example:
            >>> # x = cos(q)
            >>> space = revolute.robots.planar(1).operational_space("tip", rows=(3,))
            >>> space.jacobian_rate([0.0], [2.0])
            array([[-2.]])
        """
        return self._kinematic("jacobian_rate", (q, qd), threads)

    @has_kernel(functions.mass_matrix, f"q -> Lambda: m m; {CHECKS}", inverts=True, **DAMPED)
    def mass_matrix(self, q: ArrayLike, *, singularity_damping: ArrayLike = 0.0, threads: Threads = None) -> Array:
        """The inertia Lambda = (J M^-1 J^T)^-1: T = xd^T Lambda xd / 2 for motions qd = Jbar xd. LP 9.98; BP 7.4.4.

        Args:
            singularity_damping: (...) lambda >= 0, for (J M^-1 J^T + lambda^2 1)^-1: see `Robot.task_space_dynamics`.

        Returns:
            (..., m, m) matrices; NaN for singular states of a batch.

        Example:
            >>> arm = revolute.robots.planar(2)  # rods of 1 kg and 1 m
            >>> position = arm.operational_space("tip", rows=(3, 4))
            >>> position.mass_matrix([0.0, 1.5708]).round(2) + 0.0
            array([[0.33, 0.  ],
                   [0.  , 1.33]])
        """
        return self._dynamic("mass_matrix", (q,), singularity_damping, None, threads)[0][0]

    @has_kernel(functions.gravity_forces, f"q -> p: m; {CHECKS}", inverts=True, **DAMPED)
    def gravity_forces(self, q: ArrayLike, *, singularity_damping: ArrayLike = 0.0, threads: Threads = None) -> Array:
        """The forces p = Lambda J M^-1 g of gravity: J^-T g for square J. BP 7.4.4.

        Arguments and errors: see `mass_matrix`.

        Returns:
            (..., m) forces; NaN for singular states of a batch.

        Example:
            >>> position = revolute.robots.planar(2).operational_space("tip", rows=(3, 4))
            >>> position.gravity_forces([0.0, 1.5708]).round(2) + 0.0
            array([ 0.  , 14.72])
        """
        return self._dynamic("gravity_forces", (q,), singularity_damping, None, threads)[0][0]

    @has_kernel(functions.equations_of_motion, f"q qd -> D: m m; C: m m; G: m; {CHECKS}", inverts=True, **DAMPED)
    def equations_of_motion(
        self, q: ArrayLike, qd: ArrayLike, *, singularity_damping: ArrayLike = 0.0, threads: Threads = None
    ) -> OperationalEquations:
        """D, C and G of F = D xdd + C xd + G. BP 7.4.2, 7.4.4.

            C = Jbar^T C_q Jbar - D Jd Jbar,    Jbar = M^-1 J^T D

        with C_q of `Robot.equations_of_motion`, so that dD/dt - 2 C is skew-symmetric. BP's C_chi is the vector C xd.
        For a redundant robot, the equation holds while qd = Jbar xd; otherwise mu of `dynamics` has additional terms.

        Returns:
            D (..., m, m), C (..., m, m), G (..., m) and singular: a
            `revolute.machine.operational.OperationalEquations`.

        Example:
            >>> angle = revolute.robots.planar(1).operational_space("tip", rows=(0,))
            >>> D, C, G, singular = angle.equations_of_motion([0.0], [2.0])
            >>> D.round(3), C.round(3) + 0.0, G.round(3)
            (array([[0.333]]), array([[0.]]), array([4.905]))
        """
        (D, C, G), singular = self._dynamic("equations_of_motion", (q, qd), singularity_damping, None, threads)
        return OperationalEquations(D, C, G, singular)

    @has_kernel(functions.dynamically_consistent_inverse, f"q -> Jbar: nv m; {CHECKS}", inverts=True, **DAMPED)
    def dynamically_consistent_inverse(
        self, q: ArrayLike, *, singularity_damping: ArrayLike = 0.0, threads: Threads = None
    ) -> Array:
        """Jbar = M^-1 J^T Lambda: joint velocities Jbar xd have minimum kinetic energy. Khatib 1987.

        Arguments and errors: see `mass_matrix`.

        Returns:
            (..., nv, m) matrices, which are J^-1 for square J. NaN for singular states of a batch.

        Example:
            >>> height = revolute.robots.planar(3).operational_space("tip", rows=(4,))
            >>> height.dynamically_consistent_inverse([0.3, 0.4, 0.5]).shape
            (3, 1)
        """
        return self._dynamic("dynamically_consistent_inverse", (q,), singularity_damping, None, threads)[0][0]
