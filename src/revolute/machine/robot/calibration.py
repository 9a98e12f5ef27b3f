"""Methods of `Robot`: derivatives with respect to the geometry, for calibration."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.machine.declare import by_kernel, declared
from revolute.machine.functions import derivatives as functions
from revolute.machine.functions.kinematics import check
from revolute.machine.robot.base import Array, Group, Out, Threads

__all__ = ["Calibration"]


class Calibration(Group):
    """Derivatives with respect to the geometry.

    The geometry is the placement of every joint in its parent's link, six parameters each: small
    displacements (rotation vector, then translation) expressed in the joint frame, in which the joint moves the link's
    frame. For Denavit-Hartenberg tables, `DHTable.placement_partials` returns the displacements per parameter; the
    chain rule is a product of matrices.
    """

    @by_kernel
    @declared(functions.placement_jacobian, "q -> J: 6 6n+6", check=check)
    def placement_jacobian(
        self, q: ArrayLike, frame: str, reference: str = "body", *, out: Out = None, threads: Threads = None
    ) -> Array:
        """The identification Jacobian: displacement of a link frame per displacement of each joint. Khalil & Dombre 11.

            dx = J (d_1, ..., d_n, d_frame)

        dx and all d are small displacements (rotation vector, then translation) [rad, m]: of the link frame in the
        reference, as its twist in `jacobian`; of joint i along the axes of its frame, which are
        those of its body at q = 0; of the link frame's own placement along its axes. Displacements of only a screw
        axis, without the links beyond it, are d_i = Ad(X) d, d_i+1 = -d, with d along the axes of joint i + 1 and X its
        pose in the frame of joint i, at q_i = 0.

        Returns:
            (..., 6, 6 n + 6) matrices for n bodies; columns of joints that do not carry the link are zero.

        Example:
            >>> import revolute
            >>> # links of 1 m; the second joint is displaced along its x and y
            >>> arm = revolute.robots.planar(2)
            >>> jacobian = arm.kernel("placement_jacobian", frame="tip", reference="aligned")
            >>> jacobian([1.5708, 0.0])[3:5, 9:11].round(3) + 0.0
            array([[ 0., -1.],
                   [ 1.,  0.]])
        """

    @by_kernel
    @declared(functions.inverse_dynamics_placement_partials, "q qd qdd -> dtau: nv 6n")
    def inverse_dynamics_placement_partials(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """Derivatives of the joint forces with respect to displacements of each joint. BP 7.2.1, for locked joints.

        Displacements are those of `placement_jacobian`. Links keep their inertias in their own frames, and move with
        their joints.

        Returns:
            (..., nv, 6 n) matrices for n bodies.

        Example:
            >>> import revolute
            >>> # rods of 1 kg, outstretched; the second joint further out
            >>> arm = revolute.robots.planar(2)
            >>> still = [0.0, 0.0]
            >>> partials = arm.kernel("inverse_dynamics_placement_partials")
            >>> partials(still, still, still)[:, 9].round(3)
            array([9.81, 0.  ])
        """
