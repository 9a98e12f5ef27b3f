"""Methods of `ConstrainedRobot`: positions at which its loops are closed and links are where they should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.dynamics.closures import JointClosure
from revolute.machine.constrained.independent import IndependentCoordinates
from revolute.machine.constrained.loops import CLOSED
from revolute.machine.declare import internal
from revolute.machine.function import Function
from revolute.machine.functions import closed_loop_poses as functions
from revolute.machine.functions.inverse_kinematics import error_arrays
from revolute.machine.machine import Array, Threads
from revolute.model.model import Model
from revolute.model.whole_turns import Turning

if TYPE_CHECKING:
    from revolute.machine.inverse_kinematics import PoseSolutions
    from revolute.spatial import Transform

__all__ = ["ConstrainedLinkPoses"]

_NEEDED = ("frames", "rows")
_OF_FRAMES: dict[str, Any] = {"options": _NEEDED, "needed": frozenset(_NEEDED), "check": functions.check}


class ConstrainedLinkPoses(IndependentCoordinates):
    """Positions at which the loops are closed, and links are where they should be."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal("pose_error", functions.pose_error, error_arrays, **_OF_FRAMES),
        internal("chord_error", functions.chord_error, functions.jacobian_arrays, **_OF_FRAMES),
    )

    @property
    def _space(self) -> Model:
        return self.robot

    @property
    def _continuous(self) -> tuple[Turning, ...]:
        """Those of the tree but joints that a loop couples by their positions."""
        names = {name for closure in self.closures if isinstance(closure, JointClosure) for name in closure.joints()}
        coupled = {self.robot.q_index[self.robot.joint_index(name)].start for name in names}
        return tuple(at for at in self.robot._continuous if at.q not in coupled)

    @property
    def lower_limits(self) -> Array:
        """(nq,) lowest positions [rad, m]; -inf where there is no limit."""
        return self.robot.lower_limits

    @property
    def upper_limits(self) -> Array:
        """(nq,) highest positions [rad, m]; inf where there is no limit."""
        return self.robot.upper_limits

    @property
    def coupled_limits(self) -> None:
        """Joints of loops are all positions of the tree: none follows others."""

    @cached_property
    def _plans(self) -> dict[Any, Any]:
        """What inverse kinematics has prepared, by frames and options: the latest ones."""
        return {}

    def inverse_kinematics(
        self, pose: ArrayLike | Transform | Sequence[Transform] | Mapping[str, Any], frame: str | None = None,
        q0: ArrayLike | None = None, limits: bool | tuple[ArrayLike, ArrayLike] = True, *,
        rows: str | Sequence[int] | Mapping[str, Any] | None = None, rest: ArrayLike | str | None = None,
        path: bool = False, wrap: bool = False, restarts: int = 100, tolerance: float = 1e-6,
        rng: np.random.Generator | int | None = 0, threads: Threads = None,
    ) -> PoseSolutions:
        """Joint positions that close the loops and at which link frames reach poses: see `Robot.inverse_kinematics`.

        The errors of the loops are more rows of e: Levenberg and Marquardt's steps close the loops while they lead to
        the poses. Positions that reach them are corrected until loops and poses are right to 1e-12, where limits and
        singular positions allow that. Of several ways to close the loops any may be found; with `q0` mostly that near
        it. A robot of mobility k needs `rows` of no more than k numbers.

        Args:
            pose, frame, q0, limits, rows, rest, path, wrap, restarts, tolerance, rng, threads: see
                `Robot.inverse_kinematics`; limits are those of all joints of the tree.

        Returns:
            q, error, converged, iterations and restarts: a `revolute.machine.inverse_kinematics.PoseSolutions`. `error`
            is that of the poses; where `converged`, the loops are closed too.

        Raises:
            UnknownNameError, InputError, ShapeError, DtypeError: see `Robot.inverse_kinematics`.

        Example:
            >>> import revolute
            >>> closure = revolute.PointClosure("tip", at_b=(2.0, 0.0, 0.0))
            >>> slider = revolute.robots.planar(4).with_closures(closure)
            >>> found = slider.inverse_kinematics([0.5, 1.2, 0.0], "link3", rows=(3, 4))
            >>> bool(found.converged), bool(abs(slider.error(found.q)).max() < 1e-9)
            (True, True)
        """
        from revolute.machine.inverse_kinematics import PoseSolutions, solve

        found = solve(self, pose, frame, q0, limits, rows, rest, path, wrap, restarts, tolerance, rng, threads)
        few = min(CLOSED, tolerance), 0, threads
        exact = solve(self, pose, frame, found.q, limits, rows, None, False, False, 0, *few)
        better = exact.converged & found.converged
        q, error = (np.where(better[..., None], *pair) for pair in ((exact.q, found.q), (exact.error, found.error)))
        iterations = found.iterations + exact.iterations * better
        return PoseSolutions(q, error, found.converged, iterations, found.restarts).of_rows(found.rows)
