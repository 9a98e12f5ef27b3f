"""Methods of `Robot`: poses of links and their rates."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.face.base import Array, Face

__all__ = ["Kinematics"]


class Kinematics(Face):
    """Where links are."""

    def forward_kinematics(
        self, q: ArrayLike, frame: str, *, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """Pose of a link frame in the base frame, as a homogeneous matrix. LP 9.49; GOA 26.

        Args:
            q: (..., nq) joint positions [rad, m].
            frame: name of a link: see `link_names`.
            out, threads: see `inverse_dynamics`.

        Returns:
            (..., 4, 4) matrices that take coordinates in the link's frame to the base frame.

        Raises:
            UnknownNameError: no link of that name.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> robot.forward_kinematics([0.0, 0.0], "tip")[:3, 3].round(3)
            array([2., 0., 0.])
        """
        pose: Array = self._run("forward_kinematics", (q,), out, threads, {"frame": frame})
        return pose
