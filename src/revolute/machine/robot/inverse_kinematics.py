"""Methods of `Robot`: joint positions at which links are where they should be, and where they can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.machine.declare import internal
from revolute.machine.function import Function
from revolute.machine.functions import inverse_kinematics as functions
from revolute.machine.machine import Threads
from revolute.machine.robot.configurations import Configurations
from revolute.machine.robot.kinematics import Kinematics
from revolute.machine.robot.manipulability import Manipulability
from revolute.model.reduce import aligned

if TYPE_CHECKING:
    from revolute.machine.inverse_kinematics import PoseSolutions
    from revolute.machine.inverse_kinematics.plan import Plan
    from revolute.machine.workspace import Workspace
    from revolute.spatial import Transform

__all__ = ["InverseKinematics"]

_NEEDED = ("frames", "rows")
_OF_FRAMES: dict[str, Any] = {
    "options": _NEEDED, "needed": frozenset(_NEEDED), "on": aligned, "check": functions.check
}


class InverseKinematics(Kinematics, Manipulability, Configurations):
    """Joint positions at which links are where they should be, and where they can be."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal("pose_error", functions.pose_error, functions.error_arrays, **_OF_FRAMES, of_links=True),
        internal("chord_error", functions.chord_error, functions.jacobian_arrays, **_OF_FRAMES, of_links=True),
    )

    @cached_property
    def _plans(self) -> dict[Any, Plan]:
        """What inverse kinematics has prepared, by frames and options: the latest ones."""
        return {}

    def inverse_kinematics(
        self, pose: ArrayLike | Transform | Sequence[Transform] | Mapping[str, Any], frame: str | None = None,
        q0: ArrayLike | None = None, limits: bool | tuple[ArrayLike, ArrayLike] = True, *,
        rows: str | Sequence[int] | Mapping[str, Any] | None = None, rest: ArrayLike | str | None = None,
        path: bool = False, wrap: bool = False, restarts: int = 100, tolerance: float = 1e-6,
        rng: np.random.Generator | int | None = 0, threads: Threads = None,
    ) -> PoseSolutions:
        """Joint positions at which link frames reach poses. Levenberg 1944; Marquardt 1963; Sugihara 2011.

            e(q) = (log(R^T R_d), R^T (p_d - p))
            (J^T J + damping 1) d = J^T e,    damping ~ |e|^2

        Steps d are taken from a start until |e| is within the tolerance. If they get slow, another start is tried: of
        some random positions, the one whose frame is nearest to the pose first. All of this is machine code, a lane a
        pose. Joints stop at their limits, and are held there while e pushes them outwards. A pose that is out of reach
        is no error: `converged` is false, and q is the nearest position that was found, in the sense of |e|, where a
        metre counts as much as a radian.

        Of several solutions that is found to which the first successful start leads: with `q0` mostly one near it. All
        poses choose from the same random positions, so a result does not depend on other poses.

        Args:
            pose: (..., 4, 4) poses of the frame in the base frame, a `Transform` or a sequence of them; or
                {link: poses} for several frames at once. With rows="linear" also (..., 3) positions [m].
            frame: name of the link whose frame is to be there: see `link_names`.
            q0: (..., nq) where to begin, moved into the limits; random if None. It broadcasts with the poses.
            limits: keep `lower_limits` and `upper_limits`; or others: (nq,) arrays lower and upper [rad, m], with
                infinity for joints without one. Quaternions have none.
            rows: which of wx, wy, wz, vx, vy, vz of the error, along the frame's axes, are to vanish: "all" (None),
                "linear" for a position alone, "angular", or some of 0 ... 5; {link: rows} for several frames.
                Without 2 the frame may turn about its z axis.
            rest: (nq,) where joints should be as far as poses leave them free, or "middle" for the middle of their
                limits. Of a redundant robot the solution is moved along motions that no pose feels (Liegeois 1977),
                to a least distance |rest - q|; poses stay reached.
            path: the poses (..., T, 4, 4) follow each other: each search begins at the solution before, and only the
                first one has other starts. So joints do not jump, where the path allows that.
            wrap: differences of continuous joints are within -pi ... pi: these turn to `rest` the shortest way, and
                solutions are, by whole turns, the nearest to `q0`, or without it to `rest`; along a path each to the
                one before. See `difference`.
            restarts: how many random starts may follow the first one.
            tolerance: largest length of the rows of e [rad, m].
            rng: a NumPy generator, or a seed for one, for random starts.
            threads: see `inverse_dynamics`.

        Returns:
            q, error, converged, iterations and restarts: a `revolute.machine.inverse_kinematics.PoseSolutions`.

        Raises:
            UnknownNameError: no link of that name.
            InputError: a matrix that is no pose, numbers that are not finite, limits without a position between them,
                no such rows, `wrap` without `q0` or `rest`, or another argument that cannot be used.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.ur5()
            >>> pose = revolute.Transform.from_rpy((0.4, 0.2, 0.5), (0, 3.1, 0))
            >>> found = robot.inverse_kinematics(pose, "tool0", q0=[0, -1.5, 1.5, 0, 1, 0])
            >>> bool(found.converged)
            True
            >>> (robot.forward_kinematics(found.q, "tool0") - pose.matrix()).round(5).any()
            np.False_
        """
        from revolute.machine.inverse_kinematics import solve

        return solve(self, pose, frame, q0, limits, rows, rest, path, wrap, restarts, tolerance, rng, threads)

    def workspace(
        self, frame: str, count: int = 10_000, *, manipulability_rows: str | Sequence[int] = "linear",
        rng: np.random.Generator | int | None = 0,
    ) -> Workspace:
        """Points that a link frame reaches within the joint limits, and how well it moves there. Yoshikawa 1985.

        Positions are those of `random_configuration`: points are dense where many positions lead to.

        Args:
            frame: name of the link.
            count: number of points.
            manipulability_rows: of the Jacobian: see `manipulability`.
            rng: a NumPy generator, or a seed for one.

        Returns:
            q, points and manipulability, and a picture by `.plot()`: a `revolute.machine.workspace.Workspace`.

        Raises:
            UnknownNameError: no link of that name.
            InputError: limits without a position between them, or another argument that cannot be used.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)
            >>> low, high = arm.workspace("tip", 1000, manipulability_rows=(3, 4)).bounds
            >>> bool(abs(low).max() < 2.0 and high.max() < 2.0)  # links of 1 m
            True
        """
        from revolute.machine.workspace import sampled

        return sampled(self, frame, count, manipulability_rows, rng)
