"""Methods of robots: inverse kinematics, manipulability, and the points that links reach."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
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
from revolute.machine.workspace import Workspace, sampled
from revolute.model.reduce import aligned

if TYPE_CHECKING:
    from revolute.machine.inverse_kinematics import PoseSolutions
    from revolute.machine.inverse_kinematics.plan import Plan
    from revolute.spatial import Transform

_NEEDED = ("frames", "rows")
_OF_FRAMES: dict[str, Any] = {"options": _NEEDED, "needed": frozenset(_NEEDED), "on": aligned, "check": functions.check}


class LinkPoses:
    """Inverse kinematics: joint positions at which links have given poses."""

    def inverse_kinematics(
        self, pose: ArrayLike | Transform | Sequence[Transform] | Mapping[str, Any], frame: str | None = None,
        q0: ArrayLike | None = None, limits: bool | tuple[ArrayLike, ArrayLike] = True, *,
        rows: str | Sequence[int] | Mapping[str, Any] | None = None, posture: ArrayLike | str | None = None,
        path: bool | ArrayLike = False, wrap: bool = False, restarts: int = 100, tolerance: float = 1e-6,
        rng: np.random.Generator | int | None = 0, threads: Threads = None,
        all: bool = False, turns: bool = False, branch: bool = False, hold: Mapping[str, ArrayLike] | None = None,
    ) -> PoseSolutions:
        """Joint positions at which link frames reach poses. Levenberg 1944; Marquardt 1963; Sugihara 2011.

            e(q) = (log(R^T R_d), R^T (p_d - p))
            (J^T J + damping 1) d = J^T e,    damping ~ |e|^2

        From a start, steps d are repeated until |e| is within the tolerance. If progress is slow, a new start is used:
        random positions, the nearest to the pose first. Joints stop at their limits. A pose out of reach raises no
        error: `converged` is False, and q are the nearest positions found, by |e|, in which a metre counts as a radian.

        Of several solutions, q is the first one found, usually near `q0`; `all=True` returns all, from about `restarts`
        starts. All poses of a batch use the same random starts, so results do not depend on other poses. Solutions of a
        robot with closed loops also close the loops; the number of `rows` must not exceed its mobility. With elastic
        joints, q are positions of links, which motors hold at theta = q + g(q) / K.

        Args:
            pose: (..., 4, 4) poses of the frame in the base frame, a `Transform` or a sequence of them; or {link:
                poses} for several frames at once. With rows="linear" also (..., 3) positions [m].
            frame: name of the link: see `link_names`.
            q0: (..., nq) start, moved into the limits; random if None. It broadcasts with the poses.
            limits: True for `lower_limits` and `upper_limits`, False for none; or a pair of (nq,) arrays [rad, m],
                infinite where a joint has no limit. Quaternions have no limits.
            rows: components (wx, wy, wz, vx, vy, vz) of the error in the frame that must vanish: "all" (None), "linear"
                for only the position, "angular", or numbers 0 ... 5; {link: rows} for several frames. Without row 2 the
                frame may rotate about its z axis.
            posture: (nq,) desired positions of redundant joints, or "middle" of their limits. The solution moves in the
                null space of the task (Liegeois 1977), to the minimum distance |posture - q|.
            path: whether the poses (..., T, 4, 4) are a path: each search then starts at the previous solution, and
                only the first has random starts. The path stops before a joint jumps: later poses do not converge, and
                `stop` names the place. A jump is a step of more than 0.5 [rad, m]. A number or (nv,) numbers in place
                of True set another bound, such as velocity limits times the time from pose to pose.
            wrap: whether differences of continuous joints are within -pi ... pi. These joints then rotate the shortest
                way to `posture`; solutions are nearest, modulo 2 pi, to `q0`, or to `posture` without q0; along a path
                each is nearest to the previous one. See `difference`.
            restarts: maximum number of random starts after the first; with `all` their approximate number, and more for
                poses for which the signs of det J show that a solution is missing.
            tolerance: maximum length of the selected rows of e [rad, m].
            rng: a NumPy generator for random starts, or a seed for one.
            threads: see `Robot.inverse_dynamics`.
            all: whether to return all solutions of each pose, sorted by |q - q0|, with q0 = `neutral()` if None. Of
                solutions that differ by whole turns of q, only the one nearest to q0 within the limits is returned.
                With drives whose ratios are not whole numbers, solutions that differ by turns of joints may count as
                different. Of a family of solutions at a singular position, the members that are locally nearest to q0
                are returned, often several; near a singular position, other members may be returned, too. If joints are
                redundant, `hold` some.
            turns: with `all`, also return solutions that differ by whole turns, within the limits.
            branch: with `all`, return only solutions on q0's branch: the line from q0 to them crosses no singular
                position. So calls with the previous solution as q0 stay on one branch; beyond its end, there is no
                solution.
            hold: with `all`, {joint: positions} of held joints, each (...) or one number [rad, m].

        Returns:
            q, error, converged, iterations and restarts: a `revolute.machine.inverse_kinematics.PoseSolutions`. With
            `all`, q is (K, nq) for one pose, and (..., K, nq) for a batch, with NaN where a pose has fewer solutions.

        Raises:
            UnknownNameError: no link has that name.
            InputError: a matrix is not a pose, numbers are not finite, no position satisfies the limits, a row does not
                exist, `wrap` is given without `q0` or `posture`, joints are redundant with `all`, or another argument
                is invalid.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> robot = revolute.robots.ur5()
            >>> pose = revolute.Transform.from_rpy((0.4, 0.2, 0.5), (0, 3.1, 0))
            >>> found = robot.inverse_kinematics(pose, "tool0", q0=[0, -1.5, 1.5, 0, 1, 0])
            >>> bool(found.converged), bool(abs(found.error).max() < 1e-6)
            (True, True)
            >>> robot.inverse_kinematics(pose, "tool0", all=True).q.shape
            (8, 6)
        """
        options = frame, q0, limits, rows, posture, path, wrap, restarts, tolerance, rng, threads
        return self._solved(pose, *options, (all, turns, branch, hold))

    @cached_property
    def _plans(self) -> dict[Any, Plan]:
        """Recent plans, cached by frames and options."""
        return {}

    @abstractmethod
    def _solved(self, pose: Any, *options: Any) -> PoseSolutions:
        """Solutions for the arguments of `inverse_kinematics`, in their order."""


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
        """Manipulability w = sqrt(det(J J^T)) of a link frame: a measure of distance from singularity. Yoshikawa 1985.

        J consists of some rows of the frame's `jacobian`; for square J, w is |det J|. Twists for joint velocities with
        |qd| <= 1 fill an ellipsoid whose volume is proportional to w. If rows have different units, w depends on the
        unit of length.

        w is 0 in singular configurations, and everywhere if the robot has fewer degrees of freedom than rows, or
        cannot move along one of them: select the rows of the task, for a planar arm two linear rows.

        Args:
            frame, reference: see `jacobian`. "body" and "aligned" yield the same w unless rows are a tuple.
            rows: None or "all" for the twist; "angular" or "linear" for its three rows; or a tuple of some
                of 0 ... 5, for wx, wy, wz, vx, vy, vz.

        Returns:
            (...) manipulabilities [m per linear row].

        Example:
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

        Projected onto the null space of J and added to the joint velocities of a redundant robot, it leads away from
        singular configurations. There, w has no derivative: the result is finite, and 0 where a row vanishes exactly.

        Args:
            frame, reference, rows: see `manipulability`.

        Returns:
            (..., nv) derivatives of w; for a free joint along small motions of its body: see
            `inverse_dynamics_partials`.

        Example:
            >>> arm = revolute.robots.planar(2)  # w = l1 l2 |sin q2|
            >>> arm.manipulability_gradient([0.3, 1.0472], "tip", rows=(3, 4)).round(3) + 0.0
            array([0. , 0.5])
        """


class InverseKinematics(LinkPoses, Kinematics, Manipulability, Configurations):
    """Workspaces: points that link frames reach."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal("pose_error", functions.pose_error, functions.error_arrays, **_OF_FRAMES, of_links=True),
        internal("chord_error", functions.chord_error, functions.jacobian_arrays, **_OF_FRAMES, of_links=True),
    )

    def _solved(self, pose: Any, *options: Any) -> PoseSolutions:
        from revolute.machine.inverse_kinematics import solve

        return solve(self, pose, *options)

    def workspace(
        self, frame: str, count: int = 10_000, *, manipulability_rows: str | Sequence[int] = "linear",
        rng: np.random.Generator | int | None = 0,
    ) -> Workspace:
        """Points that a link frame reaches within the joint limits, with its manipulability. Yoshikawa 1985.

        Positions are drawn by `random_configuration`: points are dense where many positions lead to nearby points.

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
            >>> arm = revolute.robots.planar(2)
            >>> low, high = arm.workspace("tip", 1000, manipulability_rows=(3, 4)).bounds
            >>> bool(abs(low).max() < 2.0 and high.max() < 2.0)  # links of 1 m
            True
        """
        return sampled(self, frame, count, manipulability_rows, rng)
