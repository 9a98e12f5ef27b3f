"""Methods of `Robot`: manipulability."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.machine.declare import declared
from revolute.machine.function import WithDrives
from revolute.machine.functions import drives
from revolute.machine.functions import manipulability as functions
from revolute.machine.robot.base import Array, Out, Shared, Threads
from revolute.model.reduce import aligned

__all__ = ["Manipulability"]


class Manipulability(Shared):
    """Manipulability."""

    @declared(
        functions.manipulability, "q -> w", on=aligned, check=functions.check, driven=WithDrives(drives.manipulability)
    )
    def manipulability(
        self, q: ArrayLike, frame: str, reference: str = "body", *, rows: str | tuple[int, ...] | None = None,
        out: Out = None, threads: Threads = None,
    ) -> Array:
        """The manipulability of a link frame, w = sqrt(det(J J^T)): its distance from singularity. Yoshikawa 1985.

        J consists of some rows of the frame's `jacobian`; for square J, w is |det J|. Twists for joint velocities with
        |qd| <= 1 fill an ellipsoid whose volume is proportional to w. If rows have different units, w depends on the
        unit of length.

        w is 0 in singular configurations, and everywhere if the robot has fewer degrees of freedom than rows, or
        cannot move along one of them: select the rows of the task. A planar arm has two linear rows.

        Args:
            frame, reference: see `jacobian`. "body" and "aligned" yield the same w unless rows are a tuple.
            rows: None or "all" for the twist; "angular" or "linear" for its three rows; or a tuple of some
                of 0 ... 5, for wx, wy, wz, vx, vy, vz.

        Returns:
            (...) manipulabilities [m per linear row].

        Raises:
            InputError: the reference or a row does not exist.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)  # links of 1 m: w = l1 l2 |sin q2|
            >>> print(arm.manipulability([0.3, 0.5236], "tip", rows=(3, 4)).round(3))
            0.5
        """

    @declared(
        functions.manipulability_gradient, "q -> dw_dq: nv", on=aligned, check=functions.check,
        driven=WithDrives(drives.manipulability_gradient),
    )
    def manipulability_gradient(
        self, q: ArrayLike, frame: str, reference: str = "body", *, rows: str | tuple[int, ...] | None = None,
        out: Out = None, threads: Threads = None,
    ) -> Array:
        """The gradient of `manipulability` along joint velocities. Yoshikawa 1985.

            dw/dt = (dw/dq)^T qd

        Added to the joint velocities of a redundant robot, in the null space of J, it leads away from singular
        configurations. There w has no derivative: the result is finite, and 0 where a row vanishes exactly.

        Args:
            frame, reference, rows: see `manipulability`.

        Returns:
            (..., nv) derivatives of w; for a free joint along small motions of its body: see
            `inverse_dynamics_partials`.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)  # w = l1 l2 |sin q2|
            >>> arm.manipulability_gradient([0.3, 1.0472], "tip", rows=(3, 4)).round(3) + 0.0
            array([0. , 0.5])
        """
