"""Methods of robots of all kinds: inverse kinematics, and the view in a browser."""

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
    from revolute.view import View
    from revolute.view.viewable import Movable

__all__ = ["LinkPoses", "Viewing"]


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


class Viewing:
    """The robot in three dimensions. Needs viser: the extra `view`."""

    def view(
        self, q: ArrayLike | None = None, t: ArrayLike | None = None, tau: ArrayLike | None = None, *,
        wrenches: Mapping[str, ArrayLike] | None = None, collisions: bool = False, host: str = "127.0.0.1",
        port: int = 8080,
    ) -> View:
        """Show the robot in a browser: meshes and primitives of its description, or capsules if it has none.

        Each joint has a slider, next to the joint forces at rest and the rated forces. Frames, centre of mass and
        ellipsoids of inertia can be switched on; a motion has a time slider. Only this machine can open the view,
        unless `host` says otherwise. `save` writes the scene and its motion as one HTML file, which needs no network. A
        mesh that cannot be shown is omitted with a warning; a very large one is shown with fewer triangles.

        Args:
            q: (..., nq) joint positions [rad, m]; `home` by default. A batch is shown at once, from faint to solid, at
                most 24 of its configurations. The sliders move the last one.
            t: (T,) times [s] of a motion, whose q is (..., T, nq).
            tau: (..., T, nv) joint forces [N m, N] to be written beside the motion, in place of those of gravity.
            wrenches: {link name: (6,) or (T, 6)} wrenches (m, f) [N m, N] that the environment applies to the robot,
                about the links' origins and along their axes: arrows, red for forces and violet for moments.
            collisions: show the collision shapes.
            host: address to listen on. Other addresses than this machine's own let others see the robot.
            port: to listen on; the next free one if it is taken.

        Returns:
            a `revolute.view.View`. A notebook shows it; a script calls its `wait`.

        Raises:
            ShapeError: q, tau or a wrench does not fit the robot or the times.
            InputError: numbers that are not finite, times that do not increase, a robot with symbols, or an address
                that cannot be used.
            UnknownNameError: a link does not exist.
            MissingExtraError: viser is not installed.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.ur5()
            >>> view = robot.view([0, -1.2, 1.3, -0.6, -1.57, 0.4])  # doctest: +SKIP
            >>> view.show(com=True).save("ur5.html")  # doctest: +SKIP
        """
        from revolute.view import view

        return view(self, q, t=t, tau=tau, wrenches=wrenches, collisions=collisions, host=host, port=port)

    @abstractmethod
    def _movable(self) -> Movable:
        """The robot's data for the view."""
