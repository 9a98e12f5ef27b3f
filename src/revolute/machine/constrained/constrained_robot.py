"""A robot with closed loops: constrained forward and inverse dynamics, projections, motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instances, wrenches_by_link
from revolute.dynamics.closures import mimics
from revolute.errors import InputError
from revolute.machine.constrained.derivatives import ConstrainedDerivatives
from revolute.machine.constrained.independent import ConstrainedLinkPoses
from revolute.machine.constrained.loops import STABILIZED, STRUCK, SWITCHED, LoopEquations, settled
from revolute.machine.constrained.motion import ConstrainedMotions
from revolute.machine.declare import declared, has_kernel
from revolute.machine.functions import closures as functions
from revolute.machine.functions import constrained_partials as partials
from revolute.machine.machine import Array, LinkWrenches, Out, Threads
from revolute.machine.robot import Robot
from revolute.machine.robot.pictures import Viewing

if TYPE_CHECKING:
    from revolute.view.motion import Movable

PRODUCED = 1e-6  # maximum relative error of the joint forces or accelerations of a feasible motion


class ConstrainedRobot(ConstrainedLinkPoses, ConstrainedMotions, ConstrainedDerivatives, LoopEquations, Viewing):
    """A tree robot with closed loops, created by `Robot.with_closures`. GOA remark; Featherstone, RBDA 8.

        M qdd + b = tau + J^T f,    J qdd = -Jd qd,    J qd = 0,    e(q) = 0

    With `drives` M and b include rotors, springs and friction, as in `Robot.with_drives`. Redundant rows, such as the
    out-of-plane rows of a planar linkage, are allowed: the motion is unique, and the forces have minimum norm.

    Attributes:
        robot: the tree.
        closures: constraints that close the loops.
        drives: whether the dynamics include the drives.
        smoothing: width of the smoothed sign change of the drives' friction [rad/s, m/s].
        row_names: a name for every row of e.
        model: the open tree, whose dynamics are used: the robot, or with `drives` the driven robot.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return ConstrainedRobot, (self.robot, self.closures, self.drives, self.smoothing)

    def __repr__(self) -> str:
        return f"<ConstrainedRobot {self.robot.name!r}: nv={self.robot.nv}, {len(self.row_names)} constraint rows>"

    def _movable(self) -> Movable:
        return replace(self.robot._movable(), settled=partial(settled, self))

    @declared(functions.forward_dynamics, "q qd tau -> qdd: nv", inverts=True, optional=STABILIZED)
    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, stabilization: ArrayLike | None = None,
        active: ArrayLike | None = None, target: ArrayLike | None = None, target_rate: ArrayLike | None = None,
        target_acceleration: ArrayLike | None = None, wrenches: LinkWrenches = None, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """Joint accelerations that keep the loops closed: see `multipliers` for the forces of the closures. RBDA 8.

        A row whose singular value, in the metric of M, is below about 1e-4 of the largest is treated as redundant: see
        `revolute.dynamics.constrained`. The state is not projected. If loops are open by e [m, rad], redundant rows
        cause relative acceleration errors of about 100 e. So first `project` states whose loops are open by more than
        1e-5: `linearize` and `reduced_dynamics` reject them.

        Args:
            q, qd, tau: (..., nq), (..., nv) a state that keeps the loops closed, and joint forces [N m, N].
            stabilization: (...) Baumgarte rate a [1/s]: errors decay as edd + 2 a ed + a^2 e = 0 instead of edd = 0.
            active: (..., closures) 1 for every closure that holds, 0 for every open one. All hold by default.
            target, target_rate, target_acceleration: (..., m) values that the errors e follow, such as the path of a
                guided hand, and their time derivatives; zero by default. Without stabilization only
                `target_acceleration` is used.
            wrenches: {link name: (..., 6)} wrenches of the environment: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv) accelerations.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> pinned = arm.with_closures(revolute.PointClosure("tip", at_b=(1.0, 1.0, 0.0)))
            >>> abs(pinned.forward_dynamics([0.0, 1.5708], [0.0, 0.0], [0.0, 0.0])).round(6)
            array([0., 0.])
        """

    @declared(functions.multipliers, "q qd tau -> f: rows", inverts=True, optional=STABILIZED)
    def multipliers(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, stabilization: ArrayLike | None = None,
        active: ArrayLike | None = None, target: ArrayLike | None = None, target_rate: ArrayLike | None = None,
        target_acceleration: ArrayLike | None = None, wrenches: LinkWrenches = None, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """Forces of the closures in the motion of `forward_dynamics`, which has the same arguments.

        Returns:
            (..., m) a multiplier for each row: first the force [N] on link a, opposite to that on link b, expressed in
            the frame of the last link that carries both; then moments [N m] on link a about axes of the closure's own
            frame: z, x, y for a `FrameClosure`, y, -x for an `AxisClosure`. Multipliers of redundant rows have minimum
            norm.

        Example:
            >>> arm = revolute.robots.planar(2)  # rods of 1 kg, with gravity along -y
            >>> pinned = arm.with_closures(revolute.PointClosure("tip", at_b=(1.0, 1.0, 0.0)))
            >>> pinned.multipliers([0.0, 1.5707963], [0.0, 0.0], [0.0, 0.0]).round(3) + 0.0
            array([ 0.   , 14.715,  0.   ])
        """

    @has_kernel(
        functions.inverse_dynamics, "q qd qdd -> tau: nv; wanted: nv; missing: nv; opening: rows; sizes: rows",
        options=("motors", "wrenches"), check=functions.check_motors, optional=SWITCHED,
    )
    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, motors: Sequence[str] | None = None,
        active: ArrayLike | None = None, wrenches: LinkWrenches = None, threads: Threads = None,
    ) -> Array:
        """Joint forces of the given motors for a motion that keeps the loops closed.

        Args:
            q, qd, active, wrenches: as in `forward_dynamics`.
            qdd: (..., nv) joint accelerations, with J qdd = -Jd qd.
            motors: names of the actuated coordinates (see `coordinate_names`); all by default. If there are more motors
                than needed, joint and constraint forces together have minimum norm.

        Returns:
            (..., nv) joint forces [N m, N], zero for coordinates without a motor; for closures see `multipliers`.

        Raises:
            InputError: a joint does not exist, the motors cannot produce the motion, or the motion opens the loops.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> held = arm.with_closures(revolute.JointClosure("joint2", None, (0.0,)))
            >>> held.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], motors=["joint1"])
            array([19.62,  0.  ])
        """
        links, loads = wrenches_by_link(wrenches)
        names = None if motors is None else instances("names of coordinates", motors, str)
        switches = () if active is None else (active,)
        given = {"motors": names, "wrenches": links or None, "switched": True if switches else None}
        options = {name: x for name, x in given.items() if x is not None}
        found = self._evaluate("inverse_dynamics", (q, qd, qdd, *loads, *switches), threads, options)
        tau, wanted, missing, opening, sizes = found
        missing, most = (np.abs(x).max(axis=-1, initial=0) for x in (missing, wanted))
        if np.any(np.abs(opening) > PRODUCED * (sizes.max(axis=-1, keepdims=True, initial=0) + 1e-3)):
            name = self.row_names[int(np.argmax(np.abs(opening).reshape(-1, len(self.row_names)).max(axis=0)))]
            raise InputError(
                f"inverse_dynamics: qdd opens the loops of '{self.robot.name}': '{name}' accelerates by "
                f"{np.abs(opening).max():.3g}; use qdd of `forward_dynamics`, or T ydd + drift of `reduced_dynamics`"
            )
        if np.any(missing > PRODUCED * most):
            raise InputError(
                f"inverse_dynamics: motors {', '.join(names or self.robot.coordinate_names)} of '{self.robot.name}' "
                f"cannot produce this motion (missing force: {missing.max():.3g}); add motors"
            )
        return np.asarray(tau)

    @declared(partials.impulse, "q qd -> qd_after: nv; p: rows", inverts=True, optional=STRUCK)
    def impulse(
        self, q: ArrayLike, qd: ArrayLike, *, restitution: ArrayLike | None = None, active: ArrayLike | None = None,
        target_rate: ArrayLike | None = None, out: tuple[Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """Velocities after loops close suddenly, as when a foot lands, and the impulses of the closures.

            M qd_after = M qd + J^T p,    J qd_after = -restitution J qd

        Args:
            q, qd: (..., nq), (..., nv) positions that close the loops, and velocities before the impact.
            restitution: (...) coefficient of restitution, from 0 (the closures hold; the default) to 1 (elastic).
            active: (..., closures) 1 for every closure that acts, 0 for every open one. All act by default.
            target_rate: (..., m) velocities of moving targets, relative to which J qd and J qd_after are measured.

        Returns:
            qd_after (..., nv), and impulses p (..., m) with signs and frames as in `multipliers` [N s, N m s].

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> caught = arm.with_closures(revolute.JointClosure("joint2", None, (0.0,)))
            >>> qd, p = caught.impulse([0.0, 0.0], [0.0, 1.0])
            >>> qd.round(4), p.round(4)
            (array([0.3125, 0.    ]), array([-0.0729]))
        """


def with_closures(robot: Robot, closures: Sequence[Any], drives: bool, smoothing: float) -> ConstrainedRobot:
    """See `Robot.with_closures`; the robot's own closures and mimics come first."""
    return ConstrainedRobot(robot, (*robot.closures, *mimics(robot), *closures), drives, smoothing)
