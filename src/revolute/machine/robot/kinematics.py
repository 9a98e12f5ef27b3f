"""Methods of `Robot`: poses of links and their time derivatives; the centre of mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from revolute.machine.declare import declared
from revolute.machine.functions import kinematics as functions
from revolute.machine.robot.base import Array, Out, Point, Shared, Threads
from revolute.model.reduce import aligned

_FRAMES: dict[str, Any] = {"several": ("frame",), "on": aligned, "check": functions.check_frames, **functions.POINT}


class Kinematics(Shared):
    """Positions and motions of links and of the centre of mass."""

    @declared(
        functions.forward_kinematics, functions.pose_arrays, several=("frame",), check=functions.check_poses,
        **functions.POINT, of_links=True,
    )
    def forward_kinematics(
        self, q: ArrayLike, frame: str | Sequence[str] | None = None, *, point: Point = None,
        out: Out = None, threads: Threads = None,
    ) -> Array:
        """Poses of link frames, one, several or all, as matrices in the base frame. LP 9.36-9.38, 9.49; GOA Algorithm.

        See also BP 2.3.5-2.3.6; SHV 6.100-6.103.

        Args:
            frame: name of a link: see `link_names`; or a list of k names. All frames if None.
            point: (..., 3) a point of a single link in its frame's coordinates [m], to which the frame is translated;
                "com" for the centre of mass of the link and all links fixed to it.

        Returns:
            (..., 4, 4) matrices that map coordinates in the link frame to the base frame; for k names (..., k, 4, 4),
            in their order; without `frame` (..., n_links, 4, 4), in the order of `link_names`.

        Raises:
            InputError: the list is empty, or a point is given for several links.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.forward_kinematics([0.0, 0.0], "tip")[:3, 3].round(3)
            array([2., 0., 0.])
            >>> robot.forward_kinematics([0.0, 0.0], ["tip", "link2"])[:, :3, 3].round(3)
            array([[2., 0., 0.],
                   [1., 0., 0.]])
        """

    @declared(functions.jacobian, functions.matrix_arrays("q -> J"), **_FRAMES, of_links=True)
    def jacobian(
        self, q: ArrayLike, frame: str | Sequence[str], reference: str = "body", *,
        point: Point = None, out: Out = None, threads: Threads = None,
    ) -> Array:
        """The matrix J(q) that maps joint velocities to the twist of a link frame, V = J qd. GOA Algorithm, 27; JIN 35.

        See also LP 9.60-9.61, 9.91; BP 5.4.7; SHV 6.50-6.53, 6.69-6.72, 6.78-6.83, 6.104-6.105. The twist is relative
        to the base frame, w before v, in one of three reference frames:

        | `reference` | origin | axes | |
        | --- | --- | --- | --- |
        | `"body"` | the link frame's | the link frame's | as all twists of links in Revolute |
        | `"aligned"` | the link frame's | the base frame's | v is the time derivative of the link's position |
        | `"world"` | the base frame's | the base frame's | v is the velocity of the link's point at the base's origin |

        Its transpose maps a wrench (m, f) of the environment on the link, in the same reference frame, to the
        equivalent joint forces.

        Args:
            frame: name of a link: see `link_names`; or a list of k names.
            reference: "body", "aligned" or "world".
            point: point of the link, instead of its frame's origin: see `forward_kinematics`. SHV J_vc; JIN 35.

        Returns:
            (..., 6, nv) matrices: three angular rows, then three linear ones; for k names (..., 6 k, nv), stacked in
            their order. Columns of a free joint belong to its body's twist (w, v) in the body frame.

        Raises:
            InputError: the reference or point does not exist; the list is empty, or a point is given for several links.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.jacobian([1.5708, 0.0], "tip", "aligned").round(3)[[2, 3, 4]] + 0.0
            array([[ 1.,  1.],
                   [-2., -1.],
                   [ 0.,  0.]])
        """

    @declared(functions.jacobian_rate, functions.matrix_arrays("q qd -> Jd"), **_FRAMES, of_links=True)
    def jacobian_rate(
        self, q: ArrayLike, qd: ArrayLike, frame: str | Sequence[str], reference: str = "body", *,
        point: Point = None, out: Out = None, threads: Threads = None,
    ) -> Array:
        """Time derivative of a link's Jacobian, along the motion: dJ/dt, so that dV/dt = J qdd + dJ/dt qd. GOA 28.

        See also GOA Algorithm; LP 9.92. The derivative of `jacobian` with the same `reference`, while q changes at the
        velocity qd.

        Args:
            frame, reference, point: see `jacobian`.

        Returns:
            (..., 6, nv) matrices; for k names (..., 6 k, nv).

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.jacobian_rate([0.0, 0.0], [3.0, 0.0], "tip", "aligned").round(3)[3:5] + 0.0
            array([[-6., -3.],
                   [ 0.,  0.]])
        """

    @declared(functions.jacobian_second_rate, functions.matrix_arrays("q qd qdd -> Jdd"), **_FRAMES, of_links=True)
    def jacobian_second_rate(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str | Sequence[str], reference: str = "body", *,
        point: Point = None, out: Out = None, threads: Threads = None,
    ) -> Array:
        """Second time derivative of a link's Jacobian, along the motion. BP 7.4.10; GOA 29, Algorithm.

        The derivative of the result of `jacobian_rate`, while q changes at the velocity qd, and qd at the rate qdd.
        With the derivative qddd of qdd, the jerk of the link is J qddd + 2 dJ/dt qdd + d2J/dt2 qd.

        Args:
            frame, reference, point: see `jacobian`.

        Returns:
            (..., 6, nv) matrices; for k names (..., 6 k, nv).

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> motion = [0.0, 0.0], [3.0, 0.0], [5.0, 0.0]
            >>> robot.jacobian_second_rate(*motion, "tip", "aligned").round(3)[3:5]
            array([[-10.,  -5.],
                   [-18.,  -9.]])
        """

    @declared(functions.velocity, functions.motion_arrays("q qd -> w, v"), **_FRAMES, of_links=True)
    def velocity(
        self, q: ArrayLike, qd: ArrayLike, frame: str | Sequence[str], reference: str = "body", *,
        point: Point = None, out: Out = None, threads: Threads = None,
    ) -> Array:
        """Twist (w, v) of a link frame relative to the base frame, V = J qd. LP 9.44-9.46, 9.54; GOA 26.

        See also LP 9.91; BP 4.2.18-4.2.19, 4.2.23, 6.3.38-6.3.39, C.1; JIN 30; SHV 6.150, 6.156.

        Args:
            frame, reference, point: see `jacobian`.

        Returns:
            (..., 6) twists [rad/s, m/s]; for k names (..., k, 6).

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.velocity([1.5708, 0.0], [3.0, 0.0], "tip", "aligned").round(3) + 0.0
            array([ 0.,  0.,  3., -6.,  0.,  0.])
        """

    @declared(functions.acceleration, functions.motion_arrays("q qd qdd -> wd, a"), **_FRAMES, of_links=True)
    def acceleration(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str | Sequence[str], reference: str = "body",
        linear: str = "rate", *, point: Point = None, out: Out = None, threads: Threads = None,
    ) -> Array:
        """Acceleration of a link frame in the base frame, without gravity. LP 9.47-9.48, 9.55; GOA 28, Remark 2.

        See also LP 9.58, 9.92; BP 4.2.20, 4.2.24; SHV 6.153-6.158. Two quantities are called the linear acceleration of
        a rigid body. They differ by w x v:

        | `linear` | linear part |
        | --- | --- |
        | `"rate"` | the time derivative of the components of `velocity` in the same reference, J qdd + dJ/dt qd |
        | `"classical"` | the acceleration of the point with velocity v |
        | `"spatial"` | the time derivative of the twist in the body frame, transformed to the reference |

        With reference "body" and "world", "rate" is the spatial acceleration; with "aligned", the classical one. "The
        point" is the link's origin; with "world", it is the link's point at the base's origin. The angular part is the
        same in all of them.

        Args:
            frame, reference, point: see `jacobian`.
            linear: "rate", "classical" or "spatial".

        Returns:
            (..., 6) angular, then linear accelerations [rad/s^2, m/s^2]; for k names (..., k, 6).

        Raises:
            InputError: the reference or the linear part does not exist.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> state = [0.0, 0.0], [3.0, 0.0], [5.0, 0.0]
            >>> robot.acceleration(*state, "tip", "aligned").round(3) + 0.0
            array([  0.,   0.,   5., -18.,  10.,   0.])
        """

    @declared(functions.center_of_mass, "q -> c: 3", on=aligned, of_links="drives have no mass")
    def center_of_mass(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Centre of mass of all moving bodies, in the base frame. GOA 7.

        A fixed base is excluded; for a floating robot every body is included.

        Returns:
            (..., 3) positions in the base frame [m].

        Raises:
            ModelError: no moving body has mass.

        Example:
            >>> revolute.robots.planar(2).center_of_mass([0.0, 1.5708]).round(3)
            array([0.75, 0.25, 0.  ])
        """

    @declared(functions.center_of_mass, "q qd -> cd: 3", on=aligned, of_links="drives have no mass")
    def com_velocity(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Velocity of the centre of mass: momentum divided by mass, cd = com_jacobian qd. GOA 7.

        Returns:
            (..., 3) velocities in the base frame [m/s].

        Raises:
            ModelError: no moving body has mass.

        Example:
            >>> revolute.robots.planar(2).com_velocity([0.0, 1.5708], [1.0, 0.0]).round(3)
            array([-0.25,  0.75,  0.  ])
        """

    @declared(functions.center_of_mass, "q qd qdd -> cdd: 3", on=aligned, of_links="drives have no mass")
    def com_acceleration(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """Acceleration of the centre of mass: the total external force, weight included, divided by the mass.

        Returns:
            (..., 3) accelerations in the base frame [m/s^2].

        Raises:
            ModelError: no moving body has mass.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.com_acceleration([0.0, 1.5708], [2.0, 0.0], [0.0, 0.0]).round(3)
            array([-3., -1.,  0.])
        """

    @declared(functions.com_jacobian, "q -> J: 3 nv", on=aligned, of_links="drives have no mass")
    def com_jacobian(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The matrix J(q) that maps joint velocities to the velocity of the centre of mass. GOA 7.

        Multiplied by the mass of all moving bodies, it is the lower half of `centroidal_momentum_matrix`; its transpose
        maps the weight, m * gravity, to the forces that gravity exerts on joints.

        Returns:
            (..., 3, nv) matrices in the base frame. Columns of a free joint belong to its body's twist (w, v) in the
            body frame.

        Raises:
            ModelError: no moving body has mass.

        Example:
            >>> revolute.robots.planar(2).com_jacobian([0.0, 1.5708]).round(3) + 0.0
            array([[-0.25, -0.25],
                   [ 0.75,  0.  ],
                   [ 0.  ,  0.  ]])
        """
