"""Methods of `Robot`: poses of links and their rates."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.face.base import Array, Face

__all__ = ["Kinematics"]


class Kinematics(Face):
    """Where links are, and how they move."""

    def forward_kinematics(
        self, q: ArrayLike, frame: str | None = None, *, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """Pose of a link frame in the base frame, or of all, as homogeneous matrices. LP 9.49; GOA 26.

        Args:
            q: (..., nq) joint positions [rad, m].
            frame: name of a link: see `link_names`. All of them if None.
            out, threads: see `inverse_dynamics`.

        Returns:
            (..., 4, 4) matrices that take coordinates in the link's frame to the base frame;
            without `frame` (..., n_links, 4, 4), in the order of `link_names`.

        Raises:
            ShapeError, DtypeError: q does not fit the robot, or is not real numbers.
            UnknownNameError: no link of that name.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> robot.forward_kinematics([0.0, 0.0], "tip")[:3, 3].round(3)
            array([2., 0., 0.])
            >>> poses = robot.forward_kinematics([0.0, 0.0])
            >>> dict(zip(robot.link_names, poses[:, 0, 3].round(3).tolist()))
            {'base': 0.0, 'link1': 0.0, 'link2': 1.0, 'tip': 2.0}
        """
        options = {} if frame is None else {"frame": frame}
        pose: Array = self._run("forward_kinematics", (q,), out, threads, options)
        return pose

    def jacobian(
        self,
        q: ArrayLike,
        frame: str,
        reference: str = "body",
        *,
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        """The matrix J(q) that takes joint velocities to the twist of a link frame, V = J qd. GOA 27; JIN 35.

        The twist is that relative to the base frame, w before v, and is written in one of
        three frames of reference:

        | `reference` | origin | axes | |
        | --- | --- | --- | --- |
        | `"body"` | the link frame's | the link frame's | as all twists of links in Revolute |
        | `"aligned"` | the link frame's | the base frame's | v is the rate of the link's position |
        | `"world"` | the base frame's | the base frame's | v is the velocity of the link's point at the base's origin |

        Its transpose takes a wrench (m, f) of the environment on the link, in the same
        frame, to the joint forces that it amounts to.

        Args:
            q: (..., nq) joint positions [rad, m].
            frame: name of a link: see `link_names`.
            reference: "body", "aligned" or "world".
            out, threads: see `inverse_dynamics`.

        Returns:
            (..., 6, nv) matrices: three angular rows, then three linear ones. Columns of a
            free joint belong to its body's twist (w, v) along the body's axes.

        Raises:
            ShapeError, DtypeError: q does not fit the robot, or is not real numbers.
            UnknownNameError: no link of that name.
            InputError: no such reference.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> robot.jacobian([1.5707963267948966, 0.0], "tip", "aligned").round(3)[[2, 3, 4]] + 0.0
            array([[ 1.,  1.],
                   [-2., -1.],
                   [ 0.,  0.]])
        """
        J: Array = self._run("jacobian", (q,), out, threads, {"frame": frame, "reference": reference})
        return J

    def jacobian_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str,
        reference: str = "body",
        *,
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        """Time derivative of a link's Jacobian, along the motion: dJ/dt, so that dV/dt = J qdd + dJ/dt qd. GOA 28.

        It is the derivative of the numbers that `jacobian` gives with the same `reference`,
        while the robot moves by qd.

        Args:
            q: (..., nq) joint positions [rad, m].
            qd: (..., nv) joint velocities [rad/s, m/s].
            frame, reference: see `jacobian`.
            out, threads: see `inverse_dynamics`.

        Returns:
            (..., 6, nv) matrices.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            UnknownNameError: no link of that name.
            InputError: no such reference.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> robot.jacobian_rate([0.0, 0.0], [3.0, 0.0], "tip", "aligned").round(3)[3:5] + 0.0
            array([[-6., -3.],
                   [ 0.,  0.]])
        """
        options = {"frame": frame, "reference": reference}
        Jd: Array = self._run("jacobian_rate", (q, qd), out, threads, options)
        return Jd

    def jacobian_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str,
        reference: str = "body",
        *,
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        """Second time derivative of a link's Jacobian, along the motion. GOA 29.

        The derivative of what `jacobian_rate` gives, while q moves by qd and qd by qdd. With
        the rate qddd of qdd, the jerk of the link is J qddd + 2 dJ/dt qdd + d2J/dt2 qd.

        Args:
            q: (..., nq) joint positions [rad, m].
            qd: (..., nv) joint velocities [rad/s, m/s].
            qdd: (..., nv) joint accelerations [rad/s^2, m/s^2].
            frame, reference: see `jacobian`.
            out, threads: see `inverse_dynamics`.

        Returns:
            (..., 6, nv) matrices.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            UnknownNameError: no link of that name.
            InputError: no such reference.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> robot.jacobian_acceleration([0.0, 0.0], [3.0, 0.0], [5.0, 0.0], "tip", "aligned").round(3)[3:5]
            array([[-10.,  -5.],
                   [-18.,  -9.]])
        """
        options = {"frame": frame, "reference": reference}
        Jdd: Array = self._run("jacobian_acceleration", (q, qd, qdd), out, threads, options)
        return Jdd
