"""Methods of `DrivenRobot`: forces, matrices and energies."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from revolute.dynamics import driven
from revolute.machine.declare import declared
from revolute.machine.driven.base import Array, DrivenGroup
from revolute.machine.functions import drives as functions
from revolute.machine.functions.coriolis_kinds import check_kind
from revolute.machine.robot.base import BASE
from revolute.model.reduce import reduced

__all__ = ["DrivenForces"]


def _terms(mass_matrix_rate: bool = False, kind: str = "christoffel") -> str:
    return f"p pd -> M: nv nv; C: nv nv; g: nv{'; Md: nv nv' if mass_matrix_rate else ''}"


class DrivenForces(DrivenGroup):
    """Forces, matrices and energies of a robot with its drives."""

    @declared(driven.driven_inverse_dynamics, "p pd pdd -> tau: nv", on=reduced, optional=BASE)
    def inverse_dynamics(
        self,
        p: ArrayLike,
        pd: ArrayLike,
        pdd: ArrayLike,
        *,
        wrenches: Mapping[str, ArrayLike] | None = None,
        base_twist: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        """Forces of the coordinates that produce the accelerations `pdd`, drives included.

        See also JIN Generalized forces, 50.

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            pdd: (..., nv) rates of the components of `pd`.
            wrenches: {link name: (..., 6)} from the environment: see `Robot.inverse_dynamics`.
            base_twist, base_acceleration: (..., 6) of a base that is moved: see `Robot.inverse_dynamics`.
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv) forces [N m, N].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            UnknownNameError: no link of that name.
            InputError: the robot has symbols.

        Example:
            >>> import revolute
            >>> from revolute import Drive
            >>> arm = revolute.robots.planar(1)
            >>> motor = Drive(friction=(2.0,), gear_ratio=(100.0,), rotor_inertia=(1e-4,))
            >>> driven, motion = arm.with_drives({"joint1": motor}), ([0.0], [0.1], [3.0])
            >>> # 2 + 100^2 1e-4 3
            >>> (driven.inverse_dynamics(*motion) - arm.inverse_dynamics(*motion)).round(9)
            array([5.])
        """

    @declared(
        functions.forward_dynamics, "p pd tau -> pdd: nv", on=reduced, inverts=True, smooth=True, optional=BASE
    )
    def forward_dynamics(
        self,
        p: ArrayLike,
        pd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: Mapping[str, ArrayLike] | None = None,
        base_twist: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        """Accelerations that forces of the coordinates produce, by sparse factors of their mass matrix.

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            tau: (..., nv) forces of the coordinates [N m, N].
            wrenches: {link name: (..., 6)} from the environment: see `Robot.inverse_dynamics`.
            base_twist, base_acceleration: (..., 6) of a base that is moved: see `Robot.inverse_dynamics`.
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv) accelerations [rad/s^2, m/s^2].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: Coulomb or Stribeck friction without `smoothing`.

        Example:
            >>> import numpy as np, revolute
            >>> arm = revolute.robots.ur5().with_drives(
            ...     {"shoulder_pan_joint": revolute.Drive(armature=(2.0,))}
            ... )
            >>> p, pd, pdd = np.random.default_rng(0).standard_normal((3, 6))
            >>> np.allclose(arm.forward_dynamics(p, pd, arm.inverse_dynamics(p, pd, pdd)), pdd)
            True
        """

    @declared(driven.driven_mass_matrix, "p -> M: nv nv", on=reduced)
    def mass_matrix(self, p: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """A^T (M + I_a) A, with T = pd^T M pd / 2.

        Args:
            p: (..., np) independent positions [rad, m].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv, nv) symmetric matrices [kg m^2, kg m, kg].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.mass_matrix([0.0, 1.5707963267948966]).round(3)  # of absolute angles
            array([[1.333, 0.   ],
                   [0.   , 0.333]])
        """

    @declared(driven.driven_mass_matrix_inverse, "p -> inverse_M: nv nv", on=reduced, inverts=True)
    def mass_matrix_inverse(self, p: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """The inverse of `mass_matrix`, by its sparse factors.

        Args:
            p: (..., np) independent positions [rad, m].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv, nv) symmetric matrices.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            ModelError: the mass matrix is singular in every state.

        Example:
            >>> import revolute
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.mass_matrix_inverse([0.0, 1.5707963267948966]).round(3) + 0.0
            array([[0.75, 0.  ],
                   [0.  , 3.  ]])
        """

    @declared(functions.coriolis_matrix, "p pd -> C: nv nv", check=check_kind)
    def coriolis_matrix(
        self,
        p: ArrayLike,
        pd: ArrayLike,
        *,
        kind: str = "christoffel",
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        """A^T C A, of Christoffel's symbols of `mass_matrix` by default: Mdot = C + C^T. GOA 6b for kind="goa".

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            kind: of Coriolis matrix, "christoffel" or "goa": see `Robot.coriolis_matrix`.
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv, nv) matrices.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: no such kind.

        Example:
            >>> import revolute
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> # centrifugal forces alone
            >>> elbow.coriolis_matrix([0.0, 1.5707963267948966], [1.0, 2.0]).round(3) + 0.0
            array([[ 0. , -1. ],
                   [ 0.5,  0. ]])
        """

    @declared(driven.driven_gravity_forces, "p -> g: nv", on=reduced)
    def gravity_forces(self, p: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """A^T g: forces that hold the links still against gravity, without springs: see `spring_forces`.

        Args:
            p: (..., np) independent positions [rad, m].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv) forces [N m, N].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]]).gravity_forces(
            ...     [0.0, 0.0]
            ... ).round(3)
            array([14.715,  4.905])
        """

    @declared(driven.driven_spring_forces, "p -> springs: nv", on=reduced)
    def spring_forces(self, p: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """A^T K (q - rest): forces that hold the joint springs.

        Args:
            p: (..., np) independent positions [rad, m].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv) forces [N m, N].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> sprung = {"joint1": revolute.Drive(stiffness=(10.0,), rest=(0.5,))}
            >>> revolute.robots.planar(1).with_drives(sprung).spring_forces([0.7]).round(9)
            array([2.])
        """

    @declared(driven.driven_friction_forces, "pd -> friction: nv", on=reduced)
    def friction_forces(self, pd: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """A^T (D qd + (F_c + F_s exp(-(qd/v_s)^2)) sgn(qd)): forces that overcome friction.

        sgn(qd) is tanh(qd/smoothing), or the sign itself without smoothing. F_c is `Drive.friction`, or with a
        `friction_backward` the mean of both plus half of their difference times sgn(qd). The power that
        friction takes is pd . friction_forces(pd).

        Args:
            pd: (..., nv) independent velocities [rad/s, m/s].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv) forces [N m, N].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> drive = revolute.Drive(
            ...     damping=(0.5,), friction=(1.0,), stribeck=(0.2,), stribeck_speed=(0.1,)
            ... )
            >>> arm = revolute.robots.planar(1).with_drives({"joint1": drive})
            >>> arm.friction_forces([[-2.0], [0.0], [0.001], [2.0]]).round(3).ravel()
            array([-2. ,  0. ,  1.2,  2. ])
        """

    @declared(functions.equations_of_motion, _terms, check=check_kind)
    def equations_of_motion(
        self,
        p: ArrayLike,
        pd: ArrayLike,
        *,
        mass_matrix_rate: bool = False,
        kind: str = "christoffel",
        out: tuple[Array, ...] | None = None,
        threads: int | None = None,
    ) -> tuple[Array, ...]:
        """M, C and g of M pdd + C pd + g + friction_forces + spring_forces = tau, in one kernel.

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            mass_matrix_rate: return Mdot = C + C^T, too.
            kind: of Coriolis matrix, "christoffel" or "goa": see `Robot.coriolis_matrix`.
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            M and C, (..., nv, nv) each, and g, (..., nv); then Mdot (..., nv, nv) on request.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: no such kind.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.ur5().with_drives()
            >>> M, C, g = arm.equations_of_motion([0.1] * 6, [0.2] * 6)
            >>> M.shape, C.shape, g.shape
            ((6, 6), (6, 6), (6,))
        """

    @declared(driven.driven_kinetic_energy, "p pd -> T", parametric=True)
    def kinetic_energy(
        self, p: ArrayLike, pd: ArrayLike, *, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """Kinetic energy of links and rotors [J].

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (...) energies [J].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(1)
            >>> driven = arm.with_drives({"joint1": revolute.Drive(armature=(2.0,))})
            >>> (driven.kinetic_energy([0.0], [3.0]) - arm.kinetic_energy([0.0], [3.0])).round(9)
            np.float64(9.0)
        """

    @declared(driven.driven_potential_energy, "p -> U", parametric=True)
    def potential_energy(self, p: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """Potential energy of gravity and joint springs [J]; a slack spring has none.

        Args:
            p: (..., np) independent positions [rad, m].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (...) energies [J].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(1)
            >>> sprung = arm.with_drives({"joint1": revolute.Drive(stiffness=(2.0,))})
            >>> (sprung.potential_energy([0.5]) - arm.potential_energy([0.5])).round(9)
            np.float64(0.25)
        """
