"""Methods of `Robot`: inverse dynamics and its parts."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.dynamics import driven
from revolute.dynamics import joint_wrenches as wrenches_of
from revolute.dynamics.newton_euler import bias_forces, gravity_forces, newton_euler
from revolute.machine.declare import declared
from revolute.machine.function import WithDrives
from revolute.machine.functions.kinematics import POINT, check
from revolute.machine.robot.base import BASE, Array, LinkWrenches, Out, Point, Shared, Threads
from revolute.model.reduce import aligned, reduced


class InverseDynamics(Shared):
    """Joint forces of given motions."""

    @declared(
        newton_euler, "q qd qdd -> tau: nv", on=reduced, optional=BASE, parametric=True,
        driven=WithDrives(driven.driven_inverse_dynamics),
    )
    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, wrenches: LinkWrenches = None,
        base_twist: ArrayLike | None = None, base_acceleration: ArrayLike | None = None, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """Joint forces that produce the accelerations `qdd`. LP 9.53-9.57; BP Alg. 5.6-5.7.

        See also LP 9.1, 9.12, 9.43, 9.81, 9.85, 9.90; BP 5.1.1, 5.4.10-5.4.11, 6.2.1-6.2.3; SHV 6.61, 6.65-6.66; JIN
        40; GOA 4-5; with drives JIN Generalized forces, 50.

            tau = M(q) qdd + C(q, qd) qd + g(q) - sum_i J_i(q)^T wrench_i

        Friction, springs, rotors and couplings are included only in a robot with drives: see `with_drives`.

        Args:
            q: (..., nq) joint positions [rad, m]; a free joint has its position [m] in the
                base frame and its quaternion (x, y, z, w).
            qd: (..., nv) joint velocities [rad/s, m/s]; for a free joint its twist (w, v) in the body frame, which is
                not the time derivative of q.
            wrenches: {link name: (..., 6)} wrenches (m, f) [N m, N] that the environment
                applies to the robot, about the link frame's origin and expressed in the link frame.
            base_twist: (..., 6) velocity (w, v) of the base in the base frame; zero by default.
            base_acceleration: (..., 6) time derivatives of the components of `base_twist`; zero by default. Gravity is
                added automatically.
            out: array for the result.
            threads: number of threads for a large batch; by default all cores if that is faster.

        Returns:
            (..., nv) joint forces [N m, N]; for a free joint the wrench (m, f) on its body.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(3)
            array([19.62 ,  4.905])
        """

    @declared(
        wrenches_of.joint_wrenches, "q qd qdd -> F: n 6", check=wrenches_of.check_axes, optional=BASE,
        of_links="drives act within joints",
    )
    def joint_wrenches(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, reference: str = "body", *,
        wrenches: LinkWrenches = None, base_twist: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None, out: Out = None, threads: Threads = None,
    ) -> Array:
        """The wrench (m, f) that each joint transmits from parent body to child body. LP 9.42, 9.56; SHV 6.146-6.149.

        See also LP 9.43; BP 5.3.6, 5.3.37-5.3.38, 5.4.2, 5.4.10-5.4.17, 5.4.19-5.4.20. Its component along the joint
        is the result of `Robot.inverse_dynamics`; bearings carry the rest. For a robot with drives it includes the
        force of the transmission and the friction between the two bodies.

        Args:
            reference: "body" for the frame of the body that the joint carries; "aligned" for axes of the base. Moments
                are about the origin of the body's frame in both cases.

        Returns:
            (..., n, 6) moments [N m] and forces [N] on the bodies 1 ... n, in the order of `joint_names`.

        Example:
            >>> arm = revolute.robots.planar(2)  # rods of 1 kg and 1 m, stretched out level
            >>> # moments, forces up
            >>> arm.joint_wrenches([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(3)[:, [2, 4]]
            array([[19.62 , 19.62 ],
                   [ 4.905,  9.81 ]])
        """

    @declared(wrenches_of.base_wrench, "q qd qdd -> F: 6", optional=BASE, of_links="drives act within joints")
    def base_wrench(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, wrenches: LinkWrenches = None,
        base_twist: ArrayLike | None = None, base_acceleration: ArrayLike | None = None, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """The wrench (m, f) of the ground on the base, including the base's own weight. LP 9.56.

        Returns:
            (..., 6) moment about the origin of the base frame [N m] and force [N], expressed in the base frame. Zero
            for a floating robot if the motion needs no wrench at its free joint.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> arm.base_wrench([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(3)[[2, 4]]
            array([19.62, 19.62])
        """

    @declared(wrenches_of.link_wrench, "q wrench[6] -> F: 6", on=aligned, check=check, **POINT, of_links=True)
    def link_wrench(
        self, q: ArrayLike, wrench: ArrayLike, frame: str, reference: str = "body", *,
        point: Point = None, out: Out = None, threads: Threads = None,
    ) -> Array:
        """A wrench in the form of `wrenches={link: ...}`: about the link's origin, in the link frame. LP section 3.4.

        Use it for forces that are given in the base frame, or that act at a point of the link.

        Args:
            wrench: (..., 6) moment about the point [N m], then force [N].
            reference: "body" for components in the link frame; "aligned" in the base frame; "world" in the base frame,
                with the moment about the base's origin instead of the point.
            point: (..., 3) the point in the link's frame [m], or "com" for the centre of mass of the link's
                body; the frame's origin if None.

        Returns:
            (..., 6) moment about the link frame's origin and force, expressed in the link frame [N m, N].

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> # 10 N down
            >>> q, still, load = [0.0, 1.5708], [0.0, 0.0], [0, 0, 0, 0, -10.0, 0]
            >>> pull = arm.link_wrench(q, load, "tip", "aligned")
            >>> tau = arm.inverse_dynamics(q, still, still, wrenches={"tip": pull})
            >>> (tau - arm.gravity_forces(q)).round(3) + 0.0
            array([10.,  0.])
        """

    @declared(
        gravity_forces, "q -> tau: nv", on=reduced, parametric=True, driven=WithDrives(driven.driven_gravity_forces)
    )
    def gravity_forces(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Joint forces that hold the robot at rest against gravity, g(q). LP 9.84; GOA 6.

        See also BP A.7, A.10; JIN 42; GOA Remark 3; SHV 6.63-6.68. They are the gradient of the potential energy,
        opposite in sign to the forces that gravity exerts.

        Returns:
            (..., nv) joint forces [N m, N].

        Example:
            >>> revolute.robots.planar(1).gravity_forces([0.0]).round(3)
            array([4.905])
        """

    @declared(bias_forces, "q qd -> tau: nv", on=reduced, parametric=True, driven=WithDrives(driven.driven_bias_forces))
    def bias_forces(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Joint forces at zero acceleration, h(q, qd) = C(q, qd) qd + g(q). LP 9.83, 9.84; BP 6.2.3; JIN 39.

        With drives they include friction and springs.

        Returns:
            (..., nv) joint forces [N m, N].

        Example:
            >>> revolute.robots.planar(2).bias_forces([0.0, 1.5708], [0.0, 2.0]).round(3) + 0.0
            array([12.715,  0.   ])
        """
