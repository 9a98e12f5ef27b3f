"""Methods of `Robot`: time derivatives of the terms of the equations of motion."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.compiler.signature import flat
from revolute.machine.declare import by_kernel, declared
from revolute.machine.function import WithDrives
from revolute.machine.functions import derivatives, drives, joint_space
from revolute.machine.functions.joint_space import check_kind, terms, with_transpose
from revolute.machine.functions.traced import along_motion
from revolute.machine.robot.base import Array, Out, Shared, Threads


class Rates(Shared):
    """Time derivatives along a motion."""

    @declared(
        lambda *state: with_transpose(terms(*state)[1]), "q qd -> Md: nv nv", parametric=True,
        driven=WithDrives(lambda *state: with_transpose(drives.coriolis_matrix(*state))),
    )
    def mass_matrix_rate(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Time derivative of the mass matrix, Mdot = C + C^T. GOA 25a.

        See also LP Prop. 9.1; GOA Remark 5; JIN Skew symmetry; SHV Prop. 6.1, 6.112-6.114.

        Returns:
            (..., nv, nv) symmetric matrices, in the units of `mass_matrix` per second.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.mass_matrix_rate([0.0, 1.5708], [1.0, 2.0]).round(3) + 0.0
            array([[-2., -1.],
                   [-1.,  0.]])
        """

    @by_kernel
    @declared(
        lambda model, q, qd, qdd, **kind: along_motion(model, flat(terms(model, q, qd, **kind)[1]), q, qd, qdd),
        "q qd qdd -> Cd: nv nv", check=check_kind, parametric=True, of_links="I_a is constant",
    )
    def coriolis_matrix_rate(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, kind: str = "christoffel", out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """Time derivative of the Coriolis matrix along a motion. GOA 25b for kind="goa".

        Returns:
            (..., nv, nv) matrices, in the units of `coriolis_matrix` per second.

        Example:
            >>> rate = revolute.robots.planar(2).kernel("coriolis_matrix_rate")
            >>> rate([0.0, 0.0], [1.0, 2.0], [0.0, 0.0]).round(3) + 0.0
            array([[-2., -3.],
                   [ 1.,  0.]])
        """

    @by_kernel
    @declared(joint_space.gravity_forces_rate, "q qd -> gd: nv", parametric=True, of_links="weight alone")
    def gravity_forces_rate(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Time derivative of the gravity forces. GOA 25c.

        Returns:
            (..., nv) rates of the joint forces [N m/s, N/s].

        Example:
            >>> revolute.robots.planar(1).kernel("gravity_forces_rate")([1.5708], [2.0]).round(3)
            array([-9.81])
        """

    @by_kernel
    @declared(
        joint_space.equations_of_motion_rates, "q qd qdd -> M: nv nv; C: nv nv; g: nv; Md: nv nv; Cd: nv nv; gd: nv",
        check=check_kind, parametric=True, driven=WithDrives(drives.equations_of_motion_rates),
    )
    def equations_of_motion_rates(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, kind: str = "christoffel",
        out: tuple[Array, ...] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array, Array, Array, Array, Array]:
        """M, C, g and their rates along a motion, in one kernel. GOA 25a, 25c, section VII; 25b for kind="goa".

        Feedforward for elastic joints uses these rates: motor positions must lead link positions by the deflection
        of the springs.

        Returns:
            M, C, g, Mdot, Cdot, gdot: (..., nv, nv) matrices and (..., nv) forces.

        Example:
            >>> rates = revolute.robots.planar(1).kernel("equations_of_motion_rates")
            >>> M, C, g, Md, Cd, gd = rates([0.0], [1.0], [0.0])
            >>> M.round(3), g.round(3), abs(gd).round(3)
            (array([[0.333]]), array([4.905]), array([0.]))
        """

    @by_kernel
    @declared(
        joint_space.equations_of_motion_second_rates, "q qd qdd qddd -> Mdd: nv nv; Cdd: nv nv; gdd: nv",
        check=check_kind, of_links="I_a is constant",
    )
    def equations_of_motion_second_rates(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike, *, kind: str = "christoffel",
        out: tuple[Array, Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array, Array]:
        """Second time derivatives of M, C and g along a motion, in one kernel. GOA V.

        Returns:
            second derivatives of M and C, each (..., nv, nv), and of g, (..., nv).

        Example:
            >>> # g = 4.905 cos(q)
            >>> rates = revolute.robots.planar(1).kernel("equations_of_motion_second_rates")
            >>> rates([0.0], [2.0], [0.0], [0.0])[2].round(3)
            array([-19.62])
        """

    @declared(
        derivatives.inverse_dynamics_rates, "q qd qdd qddd qdddd -> tau: nv; taud: nv; taudd: nv", parametric=True,
        driven=WithDrives(drives.inverse_dynamics_rates, smooth=True),
    )
    def inverse_dynamics_rates(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike, qdddd: ArrayLike, *,
        out: tuple[Array, Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array, Array]:
        """Joint forces of a motion with their first and second time derivatives. GOA 25; De Luca & Book 2016.

        Feedforward for elastic joints needs them: see `with_elastic_joints`.

        Returns:
            tau, dtau/dt and d2tau/dt2, each (..., nv).

        Example:
            >>> pendulum, zero = revolute.robots.planar(1), [0.0]
            >>> motion = zero, [1.0], zero, zero, zero
            >>> tau, taud, taudd = pendulum.inverse_dynamics_rates(*motion)
            >>> tau.round(3), abs(taud).round(3), taudd.round(3)
            (array([4.905]), array([0.]), array([-4.905]))
        """
