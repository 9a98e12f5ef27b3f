"""Methods of `Robot`: derivatives with respect to the state, and to the geometry for calibration."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.dynamics import driven
from revolute.dynamics import inverse_dynamics_partials as recursion
from revolute.dynamics.placement_partials import inverse_dynamics_placement_partials
from revolute.machine.declare import by_kernel, declared
from revolute.machine.function import WithDrives
from revolute.machine.functions import derivatives as functions
from revolute.machine.functions import drives
from revolute.machine.functions.joint_space import check_kind
from revolute.machine.functions.kinematics import POINT, check
from revolute.machine.robot.base import Array, Group, LinkWrenches, Out, Point, Shared, Threads
from revolute.model.reduce import reduced


class Derivatives(Shared):
    """Derivatives with respect to the state."""

    @declared(
        recursion.inverse_dynamics_partials, "q qd qdd -> dtau_dq: nv nv; dtau_dqd: nv nv; M: nv nv", on=reduced,
        driven=WithDrives(driven.driven_inverse_dynamics_partials, smooth=True),
    )
    def inverse_dynamics_partials(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, wrenches: LinkWrenches = None,
        out: tuple[Array, Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of joint forces with respect to positions, velocities, accelerations. BP 7.2.1-7.2.3; GOA 18-24.

            dtau = dtau_dq dq + dtau_dqd dqd + M dqdd

        These are the sensitivity matrices P, V and D of BP 7.3.1-7.3.10.

        `dtau_dq` is the derivative along joint velocities, at constant components qd and qdd. The columns of a free
        joint belong to small motions (w, v) of its body, expressed in the body frame: rotation vector, then
        translation, q -> q exp(w, v). It has nv columns, not nq, and no singularity. All derivatives are those of
        `inverse_dynamics` for a base at rest, with wrenches that rotate with their links.

        Args:
            out: three arrays for the results. A batch of these matrices is large: reusing memory saves half the time.

        Returns:
            dtau_dq, dtau_dqd and M, each (..., nv, nv): element [i, j] is the derivative of force i with respect to
            coordinate j. M is the mass matrix.

        Example:
            >>> pendulum = revolute.robots.planar(1)
            >>> dq, dqd, M = pendulum.inverse_dynamics_partials([1.5708], [0.0], [0.0])
            >>> dq.round(3), M.round(3)
            (array([[-4.905]]), array([[0.333]]))
        """

    @by_kernel
    @declared(
        functions.inverse_dynamics_differential, "q qd qdd dq dqd dqdd -> dtau: nv",
        driven=WithDrives(drives.inverse_dynamics_differential, smooth=True),
    )
    def inverse_dynamics_differential(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, dq: ArrayLike, dqd: ArrayLike, dqdd: ArrayLike, *,
        out: Out = None, threads: Threads = None,
    ) -> Array:
        """The change of the joint forces for a small change of the motion, without matrices. BP 7.2.2.

            dtau = dtau/dq dq + dtau/dqd dqd + M dqdd

        The operation count is proportional to the number of joints: about three times that of `inverse_dynamics`,
        whereas that of `inverse_dynamics_partials` grows with the square.

        Args:
            dq: (..., nv) change of positions along joint velocities: see `inverse_dynamics_partials`.
            dqd, dqdd: (..., nv) changes of the components of qd and qdd.

        Returns:
            (..., nv) changes of the joint forces.

        Example:
            >>> pendulum, zero = revolute.robots.planar(1), [0.0]
            >>> differential = pendulum.kernel("inverse_dynamics_differential")
            >>> differential([1.5708], zero, zero, [0.1], zero, [3.0]).round(4)
            array([0.5095])
        """

    @by_kernel
    @declared(functions.gravity_forces_partials, "q -> dg_dq: nv nv", of_links="weight alone")
    def gravity_forces_partials(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Derivatives of the gravity forces with respect to positions: the stiffness of the robot at rest. GOA 24d.

        Small motions of a free joint's body are defined as in `inverse_dynamics_partials`. They do not commute, so the
        free joint's own 6 x 6 block is not symmetric; all other entries are.

        Returns:
            (..., nv, nv) matrices: [i, j] is the derivative of force i along joint velocity j.

        Example:
            >>> revolute.robots.planar(1).kernel("gravity_forces_partials")([1.5708]).round(3)
            array([[-4.905]])
        """

    @declared(functions.mass_matrix_partials, "q -> dM_dq: nv nv nv", of_links="I_a is constant")
    def mass_matrix_partials(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Derivatives of the mass matrix with respect to positions. GOA 24a; JIN 41.

        Returns:
            (..., nv, nv, nv) numbers: [i, j, k] is the derivative of M[i, j] along joint
            velocity k; zero for a free joint that carries the whole robot.

        Example:
            >>> revolute.robots.planar(2).mass_matrix_partials([0.0, 1.5708])[:, :, 1].round(3)
            array([[-1. , -0.5],
                   [-0.5,  0. ]])
        """

    @by_kernel
    @declared(
        functions.coriolis_matrix_partials, "q qd -> dC_dq: nv nv nv; dC_dqd: nv nv nv", check=check_kind,
        of_links="I_a is constant",
    )
    def coriolis_matrix_partials(
        self, q: ArrayLike, qd: ArrayLike, *, kind: str = "christoffel", out: tuple[Array, Array] | None = None,
        threads: Threads = None,
    ) -> tuple[Array, Array]:
        """Derivatives of the Coriolis matrix with respect to q and qd. JIN 45; GOA 24b-24c for kind="goa".

        C is linear in qd, so dC/dqd does not depend on qd: for Christoffel's C, it consists of the Christoffel symbols.

        Returns:
            dC_dq and dC_dqd, each (..., nv, nv, nv): [i, j, k] is the derivative of C[i, j]
            along joint velocity k, and with respect to qd[k].

        Example:
            >>> partials = revolute.robots.planar(2).kernel("coriolis_matrix_partials")
            >>> dq, dqd = partials([0.0, 0.0], [1.0, 2.0])
            >>> dq[:, :, 1].round(3) + 0.0
            array([[-1. , -1.5],
                   [ 0.5,  0. ]])
        """

    @declared(functions.jacobian_partials, "q -> dJ_dq: 6 nv nv", check=check, **POINT, of_links=True)
    def jacobian_partials(
        self, q: ArrayLike, frame: str, reference: str = "body", *, point: Point = None,
        out: Out = None, threads: Threads = None,
    ) -> Array:
        """Derivatives of a link's Jacobian with respect to positions. GOA 30-31.

            dJ_dq[i, j, k] = dJ_ij/dq_k,    dJ/dt = sum_k dJ_dq[:, :, k] qd_k

        Derivatives are along joint velocities, for a free joint along its body's twist.

        Returns:
            (..., 6, nv, nv) derivatives.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> arm.jacobian_partials([0.0, 0.0], "tip", "aligned").round(3)[3]
            array([[-2., -1.],
                   [-1., -1.]])
        """

    @by_kernel
    @declared(
        functions.jacobian_rate_partials, "q qd -> dJd_dq: 6 nv nv; dJd_dqd: 6 nv nv", check=check, **POINT,
        of_links=True
    )
    def jacobian_rate_partials(
        self, q: ArrayLike, qd: ArrayLike, frame: str, reference: str = "body", *, point: Point = None,
        out: tuple[Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """Derivatives of a link's `jacobian_rate` with respect to positions and velocities. GOA 32, 33, Remark 7.

        Returns:
            derivatives along q and with respect to qd, each (..., 6, nv, nv): [i, j, k] is the derivative of entry [i,
            j] along joint velocity k, and with respect to qd[k]. The second is `jacobian_partials`, because dJ/dt is
            linear in qd.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> partials = arm.kernel("jacobian_rate_partials", frame="tip", reference="aligned")
            >>> by_q, by_qd = partials([0.0, 0.0], [1.0, 0.0])
            >>> by_q.round(3)[4]
            array([[-2., -1.],
                   [-1., -1.]])
        """

    @by_kernel
    @declared(functions.jacobian_third_rate, "q qd qdd qddd -> Jddd: 6 nv", check=check, **POINT, of_links=True)
    def jacobian_third_rate(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike, frame: str, reference: str = "body", *,
        point: Point = None, out: Out = None, threads: Threads = None,
    ) -> Array:
        """Third time derivative of a link's Jacobian, along the motion. GOA V.

        The time derivative of `jacobian_second_rate`, where qddd is the derivative of qdd.

        Returns:
            (..., 6, nv) matrices.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> rate = arm.kernel("jacobian_third_rate", frame="tip", reference="aligned")
            >>> rate([0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(3)[3]
            array([2., 1.])
        """

    @by_kernel
    @declared(
        functions.inverse_dynamics_second_partials,
        "q qd qdd -> d2tau_dq_dq: nv nv nv; d2tau_dq_dqd: nv nv nv; d2tau_dqd_dqd: nv nv nv; dM_dq: nv nv nv",
        driven=WithDrives(drives.second_partials_at_joints, at_joints=True, smooth=True),
    )
    def inverse_dynamics_second_partials(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: tuple[Array, Array, Array, Array] | None = None,
        threads: Threads = None,
    ) -> tuple[Array, Array, Array, Array]:
        """Second derivatives of the joint forces with respect to positions, velocities and accelerations.

        Derivatives with respect to qdd twice, and to qd and qdd, vanish and are omitted. Small motions are defined as
        in `inverse_dynamics_partials`: [i, j, k] of `d2tau_dq_dq` is the derivative along joint velocity k of
        dtau_i/dq_j. It is symmetric in j and k except in a free joint's own block, where small motions do not commute.

        Returns:
            d2tau_dq_dq, d2tau_dq_dqd, d2tau_dqd_dqd and dM_dq, each (..., nv, nv, nv). Entry [i, j, k] of the second is
            d2tau_i / dq_j dqd_k, and of the last dM_ij/dq_k = d2tau_i / dqdd_j dq_k.

        Example:
            >>> partials = revolute.robots.planar(1).kernel("inverse_dynamics_second_partials")
            >>> partials([0.0], [1.0], [0.0])[0].round(3)
            array([[[-4.905]]])
        """


class Calibration(Group):
    """Derivatives with respect to the geometry.

    The geometry is the placement of every joint in its parent's link, six parameters each: small
    displacements (rotation vector, then translation), expressed in the joint frame, which is fixed to the parent.
    For Denavit-Hartenberg tables, `DHTable.placement_partials` returns the displacements per parameter; the
    chain rule is a product of matrices.
    """

    @by_kernel
    @declared(functions.placement_jacobian, "q -> J: 6 6n+6", check=check)
    def placement_jacobian(
        self, q: ArrayLike, frame: str, reference: str = "body", *, out: Out = None, threads: Threads = None
    ) -> Array:
        """The identification Jacobian: displacement of a link frame per displacement of each joint. Khalil & Dombre 11.

            dx = J (d_1, ..., d_n, d_frame)

        These are small displacements (rotation vector, then translation) [rad, m]. dx displaces the link frame, and is
        expressed like its twist in `jacobian`; d_i displaces joint i, in the joint's frame, which is parallel to its
        body's frame at q = 0; d_frame displaces the link frame's placement, in the link frame. To displace only a screw
        axis, without the links beyond it, use d_i = Ad(X) d, d_i+1 = -d, with d in the frame of joint i + 1 and X its
        pose in the frame of joint i, at q_i = 0.

        Returns:
            (..., 6, 6 n + 6) matrices for n bodies; columns of joints that do not carry the link are zero.

        Example:
            >>> # links of 1 m; the second joint is displaced along its x and y
            >>> arm = revolute.robots.planar(2)
            >>> jacobian = arm.kernel("placement_jacobian", frame="tip", reference="aligned")
            >>> jacobian([1.5708, 0.0])[3:5, 9:11].round(3) + 0.0
            array([[ 0., -1.],
                   [ 1.,  0.]])
        """

    @by_kernel
    @declared(inverse_dynamics_placement_partials, "q qd qdd -> dtau: nv 6n")
    def inverse_dynamics_placement_partials(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """Derivatives of the joint forces with respect to displacements of each joint. BP 7.2.1, for locked joints.

        For displacements see `placement_jacobian`. Links keep their inertias in their own frames, and move with
        their joints.

        Returns:
            (..., nv, 6 n) matrices for n bodies.

        Example:
            >>> # rods of 1 kg, outstretched; the second joint further out
            >>> arm = revolute.robots.planar(2)
            >>> still = [0.0, 0.0]
            >>> partials = arm.kernel("inverse_dynamics_placement_partials")
            >>> partials(still, still, still)[:, 9].round(3)
            array([9.81, 0.  ])
        """
