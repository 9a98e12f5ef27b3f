"""Methods of `ConstrainedRobot`: limits, and inverse kinematics with closed loops."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from revolute.dynamics.closures import JointClosure
from revolute.machine.constrained.independent import IndependentCoordinates
from revolute.machine.constrained.loops import CLOSED
from revolute.machine.declare import internal
from revolute.machine.function import Function
from revolute.machine.functions import closures as functions
from revolute.machine.functions.inverse_kinematics import error_arrays
from revolute.machine.machine import Array
from revolute.machine.robot.link_poses import LinkPoses
from revolute.model.model import Model
from revolute.model.whole_turns import Turning

if TYPE_CHECKING:
    from revolute.machine.inverse_kinematics import PoseSolutions

__all__ = ["ConstrainedLinkPoses"]

_NEEDED = ("frames", "rows")
_OF_FRAMES: dict[str, Any] = {"options": _NEEDED, "needed": frozenset(_NEEDED), "check": functions.check}


class ConstrainedLinkPoses(LinkPoses, IndependentCoordinates):
    """Limits of the joints, and parts of inverse kinematics with closed loops."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal("pose_error", functions.pose_error, error_arrays, **_OF_FRAMES),
        internal("chord_error", functions.chord_error, functions.jacobian_arrays, **_OF_FRAMES),
    )

    @property
    def _space(self) -> Model:
        return self.robot

    @property
    def _continuous(self) -> tuple[Turning, ...]:
        """Continuous joints of the tree, except joints whose positions a loop couples."""
        names = {name for closure in self.closures if isinstance(closure, JointClosure) for name in closure.joints()}
        coupled = {self.robot.q_index[self.robot.joint_index(name)].start for name in names}
        return tuple(at for at in self.robot._continuous if at.q not in coupled)

    @property
    def lower_limits(self) -> Array:
        """(nq,) lowest positions [rad, m]; -inf without a limit."""
        return self.robot.lower_limits

    @property
    def upper_limits(self) -> Array:
        """(nq,) highest positions [rad, m]; inf without a limit."""
        return self.robot.upper_limits

    @property
    def coupled_limits(self) -> None:
        """Joints of loops are all positions of the tree: none follows others."""

    @cached_property
    def _plans(self) -> dict[Any, Any]:
        """Cached plans of inverse kinematics, by frames and options: the latest ones."""
        return {}

    def _solved(self, pose: Any, *options: Any) -> PoseSolutions:
        """Correct positions that reach the poses until loops and poses are accurate to `CLOSED`, if possible."""
        from revolute.machine.inverse_kinematics import PoseSolutions, solve

        frame, _, limits, rows, *_, tolerance, _, threads = options
        found = solve(self, pose, *options)
        few = min(CLOSED, tolerance), 0, threads
        exact = solve(self, pose, frame, found.q, limits, rows, None, False, False, 0, *few)
        better = exact.converged & found.converged
        q, error = (np.where(better[..., None], *pair) for pair in ((exact.q, found.q), (exact.error, found.error)))
        iterations = found.iterations + exact.iterations * better
        return PoseSolutions(q, error, found.converged, iterations, found.restarts).of_rows(found.rows)
