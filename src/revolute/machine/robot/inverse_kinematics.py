"""Methods of `Robot`: manipulability, parts of inverse kinematics, and the points that links reach."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.machine.declare import declared, internal
from revolute.machine.function import Function, WithDrives
from revolute.machine.functions import drives
from revolute.machine.functions import inverse_kinematics as functions
from revolute.machine.functions import task_space as measures
from revolute.machine.robot.base import Array, Out, Shared, Threads
from revolute.machine.robot.configurations import Configurations
from revolute.machine.robot.kinematics import Kinematics
from revolute.machine.robot.link_poses import LinkPoses
from revolute.model.reduce import aligned

if TYPE_CHECKING:
    from revolute.machine.inverse_kinematics import PoseSolutions
    from revolute.machine.inverse_kinematics.plan import Plan
    from revolute.machine.workspace import Workspace

__all__ = ["InverseKinematics", "Manipulability"]

_NEEDED = ("frames", "rows")
_OF_FRAMES: dict[str, Any] = {"options": _NEEDED, "needed": frozenset(_NEEDED), "on": aligned, "check": functions.check}


class Manipulability(Shared):
    """Manipulability."""

    @declared(
        measures.manipulability, "q -> w", on=aligned, check=measures.check_rows,
        driven=WithDrives(drives.manipulability),
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
        measures.manipulability_gradient, "q -> dw_dq: nv", on=aligned, check=measures.check_rows,
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


class InverseKinematics(LinkPoses, Kinematics, Manipulability, Configurations):
    """Points that links reach."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal("pose_error", functions.pose_error, functions.error_arrays, **_OF_FRAMES, of_links=True),
        internal("chord_error", functions.chord_error, functions.jacobian_arrays, **_OF_FRAMES, of_links=True),
    )

    @cached_property
    def _plans(self) -> dict[Any, Plan]:
        """Cached plans of inverse kinematics, by frames and options: the latest ones."""
        return {}

    def _solved(self, pose: Any, *options: Any) -> PoseSolutions:
        from revolute.machine.inverse_kinematics import solve

        return solve(self, pose, *options)

    def workspace(
        self, frame: str, count: int = 10_000, *, manipulability_rows: str | Sequence[int] = "linear",
        rng: np.random.Generator | int | None = 0,
    ) -> Workspace:
        """Points that a link frame reaches within the joint limits, with its manipulability. Yoshikawa 1985.

        Positions are those of `random_configuration`: points are dense where many positions lead.

        Args:
            frame: name of the link.
            count: number of points.
            manipulability_rows: rows of the Jacobian: see `manipulability`.
            rng: a NumPy generator, or a seed for one.

        Returns:
            q, points and manipulability, and a picture by `.plot()`: a `revolute.machine.workspace.Workspace`.

        Raises:
            UnknownNameError: no link has that name.
            InputError: no position satisfies the limits, or another argument is invalid.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)
            >>> low, high = arm.workspace("tip", 1000, manipulability_rows=(3, 4)).bounds
            >>> bool(abs(low).max() < 2.0 and high.max() < 2.0)  # links of 1 m
            True
        """
        from revolute.machine.workspace import sampled

        return sampled(self, frame, count, manipulability_rows, rng)
