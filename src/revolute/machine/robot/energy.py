"""Methods of `Robot`: energies and momenta."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from revolute.dynamics import driven, hamilton, momentum
from revolute.dynamics import energy as dynamics
from revolute.machine.declare import declared, internal
from revolute.machine.function import Function, WithDrives
from revolute.machine.functions import drives
from revolute.machine.functions.simulation import driven_momentum_observer_step, momentum_observer_step
from revolute.machine.robot.base import Array, Out, Shared, Threads
from revolute.model.reduce import reduced


class Energy(Shared):
    """Energies and momenta."""

    @declared(dynamics.kinetic_energy, "q qd -> T", parametric=True, driven=WithDrives(driven.driven_kinetic_energy))
    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Kinetic energy of all bodies, qd^T M(q) qd / 2. JIN 29, 31-36; LP 9.10, 9.24, 9.59-9.60; BP A.3; SHV 6.46.

        See also BP 5.2.2, 5.2.4, 6.3.34, 6.3.36-6.3.37, 6.3.40-6.3.41; SHV 6.51-6.52, 6.56. It is computed as a sum of
        squares, without regrouped inertias, so it is not negative for physically consistent bodies. Motor rotors are
        included only in a robot with drives.

        Returns:
            (...,) energies [J].

        Example:
            >>> robot = revolute.robots.planar(1)  # a rod of 1 kg and 1 m: I = 1/3 about its end
            >>> print(robot.kinetic_energy([0.0], [6.0]).round(6))
            6.0
        """

    @declared(dynamics.potential_energy, "q -> U", parametric=True, driven=WithDrives(driven.driven_potential_energy))
    def potential_energy(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Energy in the field of gravity, U = -sum_i m_i g . r_i. BP 5.2.5, A.4; JIN 38; SHV 6.54-6.55.

        It is zero if all mass is at the origin of the base frame. A fixed base is excluded; for a floating robot every
        body is included. `gravity_forces` is its gradient. With drives, joint springs add K (q - rest_position)^2 / 2.

        Returns:
            (...,) energies [J].

        Example:
            >>> print(revolute.robots.planar(1).potential_energy([1.5708]).round(6))  # upright
            4.905
        """

    @declared(dynamics.lagrangian, "q qd -> L", driven=WithDrives(drives.lagrangian))
    def lagrangian(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Kinetic minus potential energy, L = T - U. LP 9.9; BP 5.2.1, 6.3.31, A.1; JIN 27-28; SHV 6.6, 6.57.

        Returns:
            (...,) energies [J].

        Example:
            >>> print(revolute.robots.planar(1).lagrangian([1.5708], [6.0]).round(6))
            1.095
        """

    @declared(dynamics.total_energy, "q qd -> E", driven=WithDrives(drives.total_energy))
    def total_energy(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Kinetic and potential energy, E = T + U. SHV 6.115-6.119.

        Returns:
            (...,) energies [J].

        Example:
            >>> print(revolute.robots.planar(1).total_energy([1.5708], [6.0]).round(6))
            10.905
        """

    @declared(dynamics.hamiltonian, "q momentum -> H", inverts=True, driven=WithDrives(drives.hamiltonian))
    def hamiltonian(self, q: ArrayLike, momentum: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The energy as a function of momenta, H = p^T M(q)^-1 p / 2 + U(q). SHV Problems of ch. 6.

        H = p^T qd - L, where p = M qd is the `generalized_momentum`. A recursion over the bodies computes it without M.

        Args:
            momentum: (..., nv) momenta of the joints [N m s, N s], not velocities.

        Returns:
            (...,) energies [J].

        Example:
            >>> robot = revolute.robots.planar(1)
            >>> p = robot.generalized_momentum([1.5708], [6.0])
            >>> print(robot.hamiltonian([1.5708], p).round(6))
            10.905
        """

    @declared(
        hamilton.hamiltons_equations, "q momentum tau -> qd: nv; momentum_rate: nv", on=reduced, inverts=True,
        driven=WithDrives(drives.hamiltons_equations, smooth=True),
    )
    def hamiltons_equations(
        self, q: ArrayLike, momentum: ArrayLike, tau: ArrayLike, *, out: tuple[Array, Array] | None = None,
        threads: Threads = None,
    ) -> tuple[Array, Array]:
        """Time derivatives of coordinates and momenta, qd = dH/dp and pd = tau - dH/dq. SHV Problems of ch. 6.

        qd are joint velocities, as in all functions: those of a free, spherical or planar joint are not time
        derivatives of its coordinates, and its momenta are expressed in its body frame. pd is the derivative of
        `generalized_momentum` also for these joints: pd = tau - dH/dq + ad^T p, with dH/dq along joint velocities
        (Lie-Poisson equations).

        Args:
            momentum: (..., nv) momenta of the joints [N m s, N s].

        Returns:
            velocities (..., nv) [rad/s, m/s] and derivatives of momenta (..., nv) [N m, N].

        Example:
            >>> robot = revolute.robots.planar(1)  # a rod of 1 kg and 1 m: p = 1/3 qd
            >>> qd, pd = robot.hamiltons_equations([0.0], [2.0], [1.0])
            >>> qd.round(6), pd.round(6)
            (array([6.]), array([-3.905]))
        """

    @declared(dynamics.power, "q qd qdd -> P", on=reduced, parametric=True, driven=WithDrives(drives.power))
    def power(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Power qd^T tau of the joint forces: the derivative of `total_energy`. JIN 47-49; SHV 6.115-6.119.

        For a robot with drives it is the sum of this derivative and the dissipation by friction.

        Returns:
            (...,) powers [W]; for each joint separately use qd * inverse_dynamics(q, qd, qdd).

        Example:
            >>> print(revolute.robots.planar(1).power([0.0], [6.0], [0.0]).round(3))
            29.43
        """

    @declared(
        momentum.generalized_momentum, "q qd -> p: nv", on=reduced, parametric=True,
        driven=WithDrives(driven.driven_generalized_momentum),
    )
    def generalized_momentum(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Momenta of the joints, p = M(q) qd = dL/dqd. SHV 6.58, Problems of ch. 6.

        A recursion over the bodies computes them without M. With drives they include the rotors.

        Returns:
            (..., nv) momenta [N m s, N s]; for a free joint the robot's momentum about the body's origin, (angular,
            linear), in the body frame.

        Example:
            >>> revolute.robots.planar(1).generalized_momentum([0.0], [6.0]).round(6)
            array([2.])
        """

    @declared(momentum.centroidal_momentum, "q qd -> k, l: 6", of_links="rotors have no place")
    def centroidal_momentum(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Momentum of all moving bodies, about their centre of mass. Orin & Goswami 2008.

        A fixed base is excluded. Rotors are included only if they are bodies: see `rotors` of `with_drives`.

        Returns:
            (..., 6) angular momentum about the centre of mass [kg m^2/s], then linear
            momentum [kg m/s], both expressed in the base frame.

        Example:
            >>> robot = revolute.robots.planar(1)  # about its middle a rod has I = 1/12
            >>> robot.centroidal_momentum([0.0], [6.0]).round(6) + 0.0
            array([0. , 0. , 0.5, 0. , 3. , 0. ])
        """

    @declared(momentum.centroidal_momentum_matrix, "q -> A: 6 nv", of_links="rotors have no place")
    def centroidal_momentum_matrix(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The matrix A(q) that maps joint velocities to the centroidal momentum. Orin & Goswami 2008.

        Its last three rows are the Jacobian of the centre of mass, times the mass.

        Returns:
            (..., 6, nv) angular rows [kg m^2 and kg m], then linear rows [kg m and kg], expressed in the base frame.

        Example:
            >>> revolute.robots.planar(2).centroidal_momentum_matrix([0.0, 0.0]).shape
            (6, 2)
        """

    @declared(momentum.centroidal_momentum_rate, "q qd qdd -> kd, ld: 6", of_links="rotors have no place")
    def centroidal_momentum_rate(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """Time derivative of `centroidal_momentum`: the sum of all wrenches on the moving bodies.

        It includes the weight, which has no moment about the centre of mass. So the support of the robot (ground, base)
        applies this wrench minus (0, m g).

        Returns:
            (..., 6) moment about the centre of mass [N m], then force [N], both expressed in the base frame.

        Example:
            >>> robot = revolute.robots.planar(1)
            >>> robot.centroidal_momentum_rate([0.0], [2.0], [0.0])[3]  # towards the centre
            np.float64(-2.0)
        """

    _parts: ClassVar[tuple[Function, ...]] = (
        internal(
            "momentum_observer_step", momentum_observer_step,
            "q qd tau decay[nv] h[] p[nv] beta[nv] r[nv] -> p: nv; beta: nv; r: nv", options=("damping",),
            driven=WithDrives(driven_momentum_observer_step),
        ),
    )
