"""Methods of `Robot`: parts of inverse kinematics, and the points that links reach."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from revolute.machine.declare import internal
from revolute.machine.function import Function
from revolute.machine.functions import inverse_kinematics as functions
from revolute.machine.robot.configurations import Configurations
from revolute.machine.robot.kinematics import Kinematics
from revolute.machine.robot.link_poses import LinkPoses
from revolute.machine.robot.manipulability import Manipulability
from revolute.model.reduce import aligned

if TYPE_CHECKING:
    from revolute.machine.inverse_kinematics import PoseSolutions
    from revolute.machine.inverse_kinematics.plan import Plan
    from revolute.machine.workspace import Workspace

__all__ = ["InverseKinematics"]

_NEEDED = ("frames", "rows")
_OF_FRAMES: dict[str, Any] = {"options": _NEEDED, "needed": frozenset(_NEEDED), "on": aligned, "check": functions.check}


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
