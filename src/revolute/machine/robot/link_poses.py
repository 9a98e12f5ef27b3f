"""`LinkPoses`: inverse kinematics, the same method of robots of all kinds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.machine.machine import Threads

if TYPE_CHECKING:
    from revolute.machine.inverse_kinematics import PoseSolutions
    from revolute.spatial import Transform

__all__ = ["LinkPoses"]


class LinkPoses:
    """Inverse kinematics: joint positions at which links have given poses."""

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

        From a start, steps d are repeated until |e| is within the tolerance. If they become slow, a new start is used:
        random positions, the nearest to the pose first. Joints stop at their limits. A pose out of reach raises no
        error: `converged` is False, and q are the nearest positions found, by |e|, in which a metre counts as a radian.

        Of several solutions, q is the first one found, usually near `q0`. All poses of a batch use the same random
        starts, so results do not depend on other poses.

        Solutions of a robot with closed loops also close the loops; there must not be more `rows` than its mobility.
        With elastic joints, q are positions of links; motors hold them at theta = q + g(q) / K.

        Args:
            pose: (..., 4, 4) poses of the frame in the base frame, a `Transform` or a sequence of them; or {link:
                poses} for several frames at once. With rows="linear" also (..., 3) positions [m].
            frame: name of the link: see `link_names`.
            q0: (..., nq) start, moved into the limits; random if None. It broadcasts with the poses.
            limits: True for `lower_limits` and `upper_limits`, False for none; or a pair of (nq,) arrays [rad, m],
                infinite where a joint has no limit. Quaternions have none.
            rows: components (wx, wy, wz, vx, vy, vz) of the error in the frame that must vanish: "all" (None), "linear"
                for only the position, "angular", or numbers 0 ... 5; {link: rows} for several frames. Without 2 the
                frame may rotate about its z axis.
            rest: (nq,) desired positions of redundant joints, or "middle" of their limits. The solution moves in the
                null space of the poses (Liegeois 1977), to the minimum distance |rest - q|.
            path: the poses (..., T, 4, 4) are a path: each search starts at the previous solution, and only the first
                has random starts. Joints do not jump if the path allows it.
            wrap: differences of continuous joints are within -pi ... pi: these rotate the shortest way to `rest`, and
                solutions are nearest, modulo 2 pi, to `q0`, or without it to `rest`; along a path each to the previous
                one. See `difference`.
            restarts: maximum number of random starts after the first.
            tolerance: maximum length of the rows of e [rad, m].
            rng: a NumPy generator, or a seed for one, for random starts.
            threads: see `Robot.inverse_dynamics`.

        Returns:
            q, error, converged, iterations and restarts: a `revolute.machine.inverse_kinematics.PoseSolutions`.

        Raises:
            UnknownNameError: no link has that name.
            InputError: a matrix is not a pose, numbers are not finite, no position satisfies the limits, rows do not
                exist, `wrap` is given without `q0` or `rest`, or another argument is invalid.
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
        return self._solved(pose, frame, q0, limits, rows, rest, path, wrap, restarts, tolerance, rng, threads)

    @abstractmethod
    def _solved(self, pose: Any, *options: Any) -> PoseSolutions:
        """Solutions for the arguments of `inverse_kinematics`, in their order."""
