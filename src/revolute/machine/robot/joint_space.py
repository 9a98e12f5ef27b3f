"""Methods of `Robot`: mass, Coriolis and gravity terms in joint space."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from revolute.dynamics import christoffel_symbols as christoffel
from revolute.dynamics import driven
from revolute.dynamics.newton_euler import bias_forces
from revolute.machine.declare import by_kernel, declared
from revolute.machine.function import WithDrives
from revolute.machine.functions import drives
from revolute.machine.functions import joint_space as functions
from revolute.machine.functions.joint_space import check_kind
from revolute.machine.robot.base import Array, Out, Shared, Threads
from revolute.model.reduce import reduced
from revolute.spatial.vectors import ZERO


def _terms(mass_matrix_rate: bool = False, kind: str = "christoffel") -> str:
    return f"q qd -> M: nv nv; C: nv nv; g: nv{'; Md: nv nv' if mass_matrix_rate else ''}"


class JointSpace(Shared):
    """Mass, Coriolis and gravity terms in joint space."""

    @declared(
        functions.mass_matrix, "q -> M: nv nv", on=reduced, parametric=True,
        driven=WithDrives(driven.driven_mass_matrix),
    )
    def mass_matrix(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The mass matrix M of tau = M qdd + C qd + g and of the energy qd^T M qd / 2. LP 9.61, 9.82; BP section 6.2.

        See also LP 9.10; BP 6.3.35, 6.3.42-6.3.45; JIN 36-37; GOA 14; SHV 6.50-6.53, 6.120. It is symmetric, $M = M^T$,
        with both triangles filled, and positive definite if every joint moves mass. Row i is the force at joint i per
        acceleration of each joint; the six rows of a free joint belong to its twist (w, v). Entries of joints on
        different branches are zero. Only a robot with drives includes rotors, as A^T (M + I_a) A: see `with_drives`.

        Returns:
            (..., nv, nv) mass matrices [kg m^2, kg m, kg].

        Example:
            >>> robot = revolute.robots.planar(2)  # rods of 1 kg and 1 m
            >>> robot.mass_matrix([0.0, 0.0]).round(3)
            array([[2.667, 0.833],
                   [0.833, 0.333]])
        """

    @declared(
        lambda *state, **kind: functions.terms(*state, **kind)[1], "q qd -> C: nv nv", check=check_kind,
        parametric=True, driven=WithDrives(drives.coriolis_matrix),
    )
    def coriolis_matrix(
        self, q: ArrayLike, qd: ArrayLike, *, kind: str = "christoffel", out: Out = None, threads: Threads = None
    ) -> Array:
        r"""The Coriolis matrix C of tau = M qdd + C qd + g. LP 9.87; JIN 43-45; SHV 6.63-6.68; GOA 6b.

        See also LP Prop. 9.1; JIN Skew symmetry; GOA Remark 5; SHV Prop. 6.1, 6.112-6.114. Many matrices have the same
        product $C \dot q$. The default follows from the Christoffel symbols:

            C_ij = sum_k Gamma_ijk qd_k,    C(q, x) y = C(q, y) x,    Mdot = C + C^T

        The last identity makes Mdot - 2 C skew-symmetric. Passivity, momentum observers (C^T qd) and adaptive control
        require this: see the page "The Coriolis matrix". For robots with a free joint, whose velocities are not time
        derivatives of coordinates, C is the same sum over mass points: Mdot = C + C^T holds, and so does the second
        identity except in the free joint's own block.

        kind="goa" selects the closed form of Garofalo, Ott and Albu-Schaeffer,

            C = sum_k J_k^T ((Lambda_k adj_k - adj_k^T Lambda_k) J_k + Lambda_k Jd_k)

        with the bodies' Jacobians J_k and inertias Lambda_k. It yields the same C qd, and
        Mdot = C + C^T, but C(q, x) y is not C(q, y) x if three or more joints move a body. It depends on how mass is
        distributed among bodies, whereas Christoffel's C depends only on M.

        Returns:
            (..., nv, nv) matrices: C @ qd is `coriolis_forces`.

        Example:
            >>> robot = revolute.robots.planar(2)  # rods of 1 kg and 1 m
            >>> robot.coriolis_matrix([0.0, 1.5708], [1.0, 2.0]).round(3) + 0.0
            array([[-1. , -1.5],
                   [ 0.5,  0. ]])
        """

    @declared(
        lambda model, *state: bias_forces(replace(model, gravity=ZERO), *state), "q qd -> C qd: nv", on=reduced,
        parametric=True, of_links="I_a is constant",
    )
    def coriolis_forces(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Centrifugal and Coriolis forces C(q, qd) qd, without gravity. LP 9.83, 9.88.

        The Newton-Euler recursion computes them without the matrix. `bias_forces` adds gravity.

        Returns:
            (..., nv) joint forces [N m, N].

        Example:
            >>> revolute.robots.planar(2).coriolis_forces([0.0, 1.5708], [1.0, 2.0]).round(3)
            array([-4. ,  0.5])
        """

    @declared(
        christoffel.christoffel_symbols, "q -> Gamma: nv nv nv", on=reduced, parametric=True, of_links="I_a is constant"
    )
    def christoffel_symbols(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Christoffel symbols: C_ij = sum_k Gamma_ijk qd_k. LP 9.13, 9.86; BP 5.2.18; JIN 46; SHV 6.63-6.68.

            Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2 = Gamma_ikj

        These are also dC/dqd. The velocities of a free joint are not time derivatives of coordinates, so a term is
        added that preserves C_ij = sum_k Gamma_ijk qd_k, and the joint's own block is not symmetric in j and k.

        Returns:
            (..., nv, nv, nv) symbols [i, j, k].

        Example:
            >>> revolute.robots.planar(2).christoffel_symbols([0.0, 1.5708]).round(3)[0]
            array([[ 0. , -0.5],
                   [-0.5, -0.5]])
        """

    @by_kernel
    @declared(
        christoffel.quadratic_velocity_coefficients, "q -> h: nv nv nv", on=reduced, parametric=True,
        of_links="I_a is constant",
    )
    def quadratic_velocity_coefficients(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Coefficients h_ijk of the products of velocities, (C qd)_i = sum_jk h_ijk qd_j qd_k. JIN 41.

            h_ijk = dM_ij/dq_k - 1/2 dM_jk/dq_i

        The first term is the derivative of the momentum M qd, the second the gradient of the kinetic energy. h is not
        symmetric in j and k, and sum_k h_ijk qd_k is not `coriolis_matrix`: the Christoffel symbols are (h_ijk + h_ikj)
        / 2. The velocities of a free joint are not time derivatives of coordinates; a term added in the joint's own
        columns makes the sum equal to C qd there, too.

        Returns:
            (..., nv, nv, nv) coefficients [i, j, k].

        Example:
            >>> h = revolute.robots.planar(2).kernel("quadratic_velocity_coefficients")
            >>> h([0.0, 1.5708]).round(3)[0]
            array([[ 0. , -1. ],
                   [ 0. , -0.5]])
        """

    @by_kernel
    @declared(
        christoffel.centrifugal_and_coriolis_forces, "q qd -> centrifugal: nv; Coriolis: nv", on=reduced,
        parametric=True, driven=WithDrives(driven.driven_centrifugal_and_coriolis_forces),
    )
    def centrifugal_and_coriolis_forces(
        self, q: ArrayLike, qd: ArrayLike, *, out: tuple[Array, Array] | None = None, threads: Threads = None
    ) -> tuple[Array, Array]:
        """The two parts of `coriolis_forces`: terms in qd_j^2, and terms in qd_j qd_k of different joints. JIN 40.

            centrifugal_i = sum_j h_ijj qd_j^2,    Coriolis_i = sum_{j != k} h_ijk qd_j qd_k

        The split is unique for a choice of velocities, and depends on it: coupled coordinates have a different split.
        For a free joint the velocities are the components of its body twist (w, v).

        Returns:
            centrifugal and Coriolis forces, each (..., nv) [N m, N]. Their sum is `coriolis_forces`.

        Example:
            >>> arm = revolute.robots.planar(2)  # rods of 1 kg and 1 m
            >>> parts = arm.kernel("centrifugal_and_coriolis_forces")
            >>> centrifugal, coriolis = parts([0.0, 1.5708], [1.0, 2.0])
            >>> print(centrifugal.round(3), coriolis.round(3))
            [-2.   0.5] [-2.  0.]
        """

    @declared(
        functions.equations_of_motion, _terms, check=check_kind, parametric=True,
        driven=WithDrives(drives.equations_of_motion),
    )
    def equations_of_motion(
        self, q: ArrayLike, qd: ArrayLike, *, mass_matrix_rate: bool = False, kind: str = "christoffel",
        out: tuple[Array, ...] | None = None, threads: Threads = None,
    ) -> tuple[Array, ...]:
        """M, C, g of tau = M(q) qdd + C(q, qd) qd + g(q), in one kernel. LP 9.81-9.88; GOA 6, section VII; JIN 43-44.

        See also BP 5.2.8, 6.3.33, 7.4.3.

        All three share positions, velocities and composite inertias, and cost about a tenth more than
        `coriolis_matrix` alone. With drives, add `friction_forces` and `spring_forces`.

        Args:
            mass_matrix_rate: also return Mdot = C + C^T.

        Returns:
            M (..., nv, nv), C (..., nv, nv) and g (..., nv); then Mdot (..., nv, nv) on
            request. See `mass_matrix`, `coriolis_matrix`, `gravity_forces`.

        Example:
            >>> M, C, g = revolute.robots.planar(1).equations_of_motion([0.0], [1.0])
            >>> M.round(3), abs(C), g.round(3)
            (array([[0.333]]), array([[0.]]), array([4.905]))
        """
