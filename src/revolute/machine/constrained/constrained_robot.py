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
from revolute.machine.constrained.independent import ConstrainedLinkPoses
from revolute.machine.constrained.loops import STABILIZED, STRUCK, SWITCHED, LoopEquations, settled
from revolute.machine.constrained.motion import ConstrainedMotions
from revolute.machine.constrained.results import ConstrainedLinearModel, ReducedDynamics
from revolute.machine.declare import declared, has_kernel
from revolute.machine.functions import closures as functions
from revolute.machine.functions import constrained_partials as partials
from revolute.machine.linear_models import zero_order_hold
from revolute.machine.machine import Array, LinkWrenches, Out, Threads
from revolute.machine.robot import Robot
from revolute.machine.robot.pictures import Viewing

if TYPE_CHECKING:
    from revolute.view.motion import Movable

PRODUCED = 1e-6
"""Maximum relative error of the joint forces or accelerations of a feasible motion."""


class ConstrainedRobot(ConstrainedLinkPoses, ConstrainedMotions, LoopEquations, Viewing):
    """A tree robot with closed loops, created by `Robot.with_closures`. GOA remark; Featherstone, RBDA 8.

        M qdd + b = tau + J^T f,    J qdd = -Jd qd,    J qd = 0,    e(q) = 0

    With `drives` M and b include rotors, springs and friction, as in `Robot.with_drives`. Redundant rows, such as the
    out-of-plane rows of a planar linkage, are allowed: the motion is unique, and the forces have minimum norm.

    Attributes:
        robot: the tree.
        closures: constraints that close its loops.
        drives: whether the dynamics include the drives.
        smoothing: width of the smoothed sign change of the drives' friction [rad/s, m/s].
        row_names: a name for every row of e.
        model: the open tree, for its dynamics: the robot, or with `drives` the driven robot.
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

        A row whose singular value, in the metric of M, is below about 1e-4 of the largest acts as redundant: see
        `revolute.dynamics.constrained`. The state is taken as it is. Where loops are open by e [m, rad], redundant rows
        change accelerations by some 100 e of their size; `project` states that are open by more than 1e-5 first:
        `linearize` and `reduced_dynamics` refuse them.

        Args:
            q, qd, tau: (..., nq), (..., nv) a state that keeps the loops closed, and joint forces [N m, N].
            stabilization: (...) Baumgarte rate a [1/s]: errors decay as edd + 2 a ed + a^2 e = 0 instead of edd = 0.
            active: (..., closures) 1 for every closure that holds, 0 for every open one. All hold by default.
            target, target_rate, target_acceleration: (..., m) values that the errors e follow, such as the path of a
                hand that is led, and their time derivatives; zero by default. Without stabilization only the last acts.
            wrenches: {link name: (..., 6)} from the environment: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv) accelerations.

        Example:
            >>> import revolute
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
            (..., m) a multiplier for each row: the force [N] on link a, expressed in the base frame (opposite on link
            b), moments [N m] for rotations. Forces of redundant rows have minimum norm.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)  # rods of 1 kg, with gravity along -y
            >>> pinned = arm.with_closures(revolute.PointClosure("tip", at_b=(1.0, 1.0, 0.0)))
            >>> pinned.multipliers([0.0, 1.5707963], [0.0, 0.0], [0.0, 0.0]).round(3) + 0.0
            array([ 0.   , 14.715,  0.   ])
        """

    @declared(
        partials.forward_dynamics_partials, "q qd tau -> dqdd_dq: nv nv; dqdd_dqd: nv nv; dqdd_dtau: nv nv",
        inverts=True, smooth=True, optional=STABILIZED,
    )
    def forward_dynamics_partials(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, stabilization: ArrayLike | None = None,
        active: ArrayLike | None = None, target: ArrayLike | None = None, target_rate: ArrayLike | None = None,
        target_acceleration: ArrayLike | None = None, wrenches: LinkWrenches = None,
        out: tuple[Array, Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of `forward_dynamics` along joint velocities, with respect to velocities, and to forces.

        They are those of the equations, with wrenches that rotate with their links. If rows are redundant, they hold
        for changes of the state that keep the loops closed.

        Args:
            q, qd, tau, stabilization, active, target, target_rate, target_acceleration: as in `forward_dynamics`.

        Returns:
            dqdd_dq, dqdd_dqd and dqdd_dtau, each (..., nv, nv): see `Robot.forward_dynamics_partials`.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)
            >>> straight = arm.with_closures(revolute.JointClosure("joint2", None, (0.0,)))
            >>> q, still = [1.5708, 0.0], [0.0, 0.0]
            >>> slopes = straight.forward_dynamics_partials(q, still, still)
            >>> slopes[2].round(3) + 0.0  # one rod of 2 kg and 2 m
            array([[0.375, 0.   ],
                   [0.   , 0.   ]])
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
            motors: names of the actuated coordinates (see `coordinate_names`); all by default. If there are more than
                needed, joint and constraint forces together have minimum norm.

        Returns:
            (..., nv) joint forces [N m, N], zero without a motor; `multipliers` are the forces of the closures.

        Raises:
            InputError: a joint does not exist, the motors cannot produce the motion, or it opens the loops.

        Example:
            >>> import revolute
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
                f"cannot produce this motion (short by {missing.max():.3g}); add motors"
            )
        return np.asarray(tau)

    @declared(
        partials.inverse_dynamics_partials, "q qd qdd -> dtau_dq: nv nv; dtau_dqd: nv nv; dtau_dqdd: nv nv",
        smooth=True, check=functions.check_motors, several=("motors",), optional=SWITCHED,
    )
    def inverse_dynamics_partials(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, motors: Sequence[str] | None = None,
        active: ArrayLike | None = None, wrenches: LinkWrenches = None,
        out: tuple[Array, Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of `inverse_dynamics` along joint velocities, with respect to velocities, and to accelerations.

        They hold for changes of the motion that keep the loops closed, with wrenches that rotate with their links.

        Args:
            q, qd, qdd, motors, active: as in `inverse_dynamics`.

        Returns:
            dtau_dq, dtau_dqd and dtau_dqdd, each (..., nv, nv); rows without a motor are zero.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)
            >>> held = arm.with_closures(revolute.JointClosure("joint2", None, (0.0,)))
            >>> still = [0.0, 0.0]  # one rod of 2 kg and 2 m
            >>> slopes = held.inverse_dynamics_partials(still, still, still, motors=["joint1"])
            >>> slopes[2].round(3)[0, 0]
            np.float64(2.667)
        """

    @declared(partials.impulse, "q qd -> qd_after: nv; p: rows", inverts=True, optional=STRUCK)
    def impulse(
        self, q: ArrayLike, qd: ArrayLike, *, restitution: ArrayLike | None = None, active: ArrayLike | None = None,
        target_rate: ArrayLike | None = None, out: tuple[Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """Velocities after loops close suddenly, such as a foot that lands, and the impulses of the closures.

            M qd_after = M qd + J^T p,    J qd_after = -restitution J qd

        Args:
            q, qd: (..., nq), (..., nv) closed positions, and velocities before.
            restitution: (...) 0 for closures that hold, by default, to 1 for elastic ones.
            active: (..., closures) 1 for every closure that acts, 0 for every open one. All act by default.
            target_rate: (..., m) velocities of moving targets, from which J qd and J qd_after are measured.

        Returns:
            qd_after (..., nv), and p (..., m): as `multipliers`, in N s and N m s.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)
            >>> caught = arm.with_closures(revolute.JointClosure("joint2", None, (0.0,)))
            >>> qd, p = caught.impulse([0.0, 0.0], [0.0, 1.0])
            >>> qd.round(4), p.round(4)
            (array([0.3125, 0.    ]), array([-0.0729]))
        """

    @declared(partials.impulse_partials, "q qd -> dqd_dq: nv nv; dqd_dqd: nv nv", inverts=True, optional=STRUCK)
    def impulse_partials(
        self, q: ArrayLike, qd: ArrayLike, *, restitution: ArrayLike | None = None, active: ArrayLike | None = None,
        target_rate: ArrayLike | None = None, out: tuple[Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """Derivatives of the velocities after an impulse along joint velocities, and with respect to velocities before.

        Args:
            q, qd, restitution, active, target_rate: as in `impulse`.

        Returns:
            dqd_dq and dqd_dqd, each (..., nv, nv).

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)
            >>> caught = arm.with_closures(revolute.JointClosure("joint2", None, (0.0,)))
            >>> caught.impulse_partials([0.0, 0.0], [0.0, 1.0])[1].round(4) + 0.0
            array([[1.    , 0.3125],
                   [0.    , 0.    ]])
        """

    @has_kernel(
        partials.reduced_dynamics, partials.reduced_arrays, options=("independent", "wrenches"),
        check=functions.check_independent,
    )
    def reduced_dynamics(
        self, q: ArrayLike, qd: ArrayLike, independent: Sequence[str], *, wrenches: LinkWrenches = None
    ) -> ReducedDynamics:
        """The equations of motion in independent coordinates, without constraint forces.

            qd = T yd,    M_y = T^T M T,    bias_y = T^T (M drift + b)

        Args:
            q, qd: (..., nq), (..., nv) a state that keeps the loops closed.
            independent: names of coordinates, as many as the robot's mobility.
            wrenches: as in `forward_dynamics`; they are part of the bias.

        Raises:
            InputError: a joint does not exist, or the coordinates do not determine the others.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
        """
        (M, bias, T, drift), free = self._reduced("reduced_dynamics", (q, qd), independent, wrenches)
        return ReducedDynamics(M, bias, T, drift, free)

    def _reduced(
        self, name: str, state: tuple[ArrayLike, ...], independent: Sequence[str], wrenches: LinkWrenches
    ) -> tuple[Any, tuple[int, ...]]:
        """Results of a kernel in independent coordinates, of a closed state, and the indices of these coordinates."""
        free = self._coordinates(independent)
        self._require_closed(name, state[0])
        self._tangent(self.jacobian(state[0]), free, name)
        links, loads = wrenches_by_link(wrenches)
        options = {"independent": tuple(independent), **({"wrenches": links} if links else {})}
        return self._evaluate(name, (*state, *loads), None, options), tuple(free)

    @has_kernel(
        partials.linearize, partials.linear_arrays, options=("independent", "wrenches"),
        check=functions.check_independent, inverts=True, smooth=True,
    )
    def linearize(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, independent: Sequence[str], *, step: ArrayLike | None = None,
        wrenches: LinkWrenches = None,
    ) -> ConstrainedLinearModel:
        """The linear model d/dt x = A x + B dtau of small deviations that keep the loops closed. BP 7.2.2; RBDA 8.

            x = (dy, dyd),    (dq, dqd) = C x

        y are independent coordinates; dy is a tangent vector: see `Robot.linearize`. The model linearizes
        `forward_dynamics` at states that close the loops. Permanently redundant rows are allowed.

        Args:
            q, qd, tau: as in `forward_dynamics`.
            independent: names of coordinates, as many as the robot's mobility.
            step: (...) length of a time step [s], for a discrete-time model: see `Robot.linearize`.
            wrenches: {link name: (..., 6)} from the environment, which rotate with their links.

        Returns:
            A, B and C: a `ConstrainedLinearModel`.

        Raises:
            InputError: a coordinate does not exist, coordinates do not determine the others, a step is not positive, or
                drives have friction without `smoothing`.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> straight = revolute.JointClosure("joint2", None, (0.0,))
            >>> arm = revolute.robots.planar(2).with_closures(straight)
            >>> down = [-1.5708, 0.0]  # one rod of 2 m: A21 = -3 g / (2 * 2)
            >>> arm.linearize(down, [0.0, 0.0], [0.0, 0.0], ["joint1"]).A.round(4) + 0.0
            array([[ 0.    ,  1.    ],
                   [-7.3575,  0.    ]])
        """
        (A, B, C), free = self._reduced("linearize", (q, qd, tau), independent, wrenches)
        C = C.reshape(*C.shape[:-3], 2 * self.robot.nv, -1)
        if step is not None:
            A, B = zero_order_hold(A, B, step)
        return ConstrainedLinearModel(A, B, C, free)


def with_closures(robot: Robot, closures: Sequence[Any], drives: bool, smoothing: float) -> ConstrainedRobot:
    """See `Robot.with_closures`; the robot's own closures and mimics come first."""
    return ConstrainedRobot(robot, (*robot.closures, *mimics(robot), *closures), drives, smoothing)
