"""Methods of `ElasticRobot`: positions of its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.machine.elastic.base import ElasticGroup, Threads

if TYPE_CHECKING:
    from revolute.machine.inverse_kinematics import PoseSolutions
    from revolute.spatial import Transform

__all__ = ["ElasticLinkPoses"]


class ElasticLinkPoses(ElasticGroup):
    """Positions at which links are where they should be."""

    def inverse_kinematics(
        self, pose: ArrayLike | Transform | Sequence[Transform] | Mapping[str, Any], frame: str | None = None,
        q0: ArrayLike | None = None, limits: bool | tuple[ArrayLike, ArrayLike] = True, *,
        rows: str | Sequence[int] | Mapping[str, Any] | None = None, rest: ArrayLike | str | None = None,
        path: bool = False, wrap: bool = False, restarts: int = 100, tolerance: float = 1e-6,
        rng: np.random.Generator | int | None = 0, threads: Threads = None,
    ) -> PoseSolutions:
        """Positions q of the links at which link frames reach poses: see `Robot.inverse_kinematics`.

        Poses depend on links alone. Motors hold them there, at rest, at theta = q + g(q) / K.

        Args:
            pose, frame, q0, limits, rows, rest, path, wrap, restarts, tolerance, rng, threads: see
                `Robot.inverse_kinematics`.

        Returns:
            q, error, converged, iterations and restarts: a `revolute.machine.inverse_kinematics.PoseSolutions`.

        Raises:
            UnknownNameError, InputError, ShapeError, DtypeError: see `Robot.inverse_kinematics`.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2).with_elastic_joints(1000.0, rotor_inertia=0.1)
            >>> found = arm.inverse_kinematics([1.0, 1.0, 0.0], "tip", rows=(3, 4))
            >>> bool(found.converged)
            True
        """
        return self.robot.inverse_kinematics(
            pose, frame, q0, limits, rows=rows, rest=rest, path=path, wrap=wrap, restarts=restarts, tolerance=tolerance,
            rng=rng, threads=threads,
        )  # fmt: skip
