"""A robot with closed loops: constrained forward and inverse dynamics, projections, motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance
from revolute.dynamics.closures import mimics
from revolute.errors import InputError
from revolute.machine.constrained.independent import ConstrainedLinkPoses
from revolute.machine.constrained.loops import LoopEquations, settled, solve, solve_columns
from revolute.machine.constrained.motion import simulate
from revolute.machine.constrained.results import Constrained, ConstrainedLinearModel, Driven, ReducedDynamics
from revolute.machine.linear_models import zero_order_hold
from revolute.machine.machine import Array, LinkWrenches
from revolute.machine.robot import Robot
from revolute.machine.robot.pictures import Viewing
from revolute.simulate import MotionOwner, Request, Simulation

if TYPE_CHECKING:
    from revolute.view.motion import Movable

PRODUCED = 1e-6
"""Maximum relative error of the joint forces or accelerations of a feasible motion."""


class ConstrainedRobot(ConstrainedLinkPoses, LoopEquations, Viewing):
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

    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, stabilization: float = 0.0, wrenches: LinkWrenches = None
    ) -> Constrained:
        """Accelerations and constraint forces, by the KKT equations.

        Args:
            q, qd, tau: (..., nq), (..., nv) a state that keeps the loops closed, and joint forces [N m, N].
            stabilization: Baumgarte rate a [1/s]: errors decay as edd + 2 a ed + a^2 e = 0 instead of edd = 0.
            wrenches: {link name: (..., 6)} from the environment: see `Robot.inverse_dynamics`.

        Returns:
            accelerations, forces and rank: a `Constrained`.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            UnknownNameError: a wrench acts on a link that does not exist.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)
            >>> pinned = arm.with_closures(revolute.PointClosure("tip", at_b=(1.0, 1.0, 0.0)))
            >>> motion = pinned.forward_dynamics([0.0, 1.5708], [0.0, 0.0], [0.0, 0.0])
            >>> abs(motion.qdd).round(6) + 0.0, int(motion.rank)
            (array([0., 0.]), 2)
        """
        _require_stabilization(stabilization)
        J, factor, free, required = self._equations(q, qd, tau, stabilization, wrenches)
        forces, s = self._impulse(J, factor, required)
        return Constrained(free + self._moved_by(J, factor, forces), forces, np.isfinite(s).sum(axis=-1))

    def _equations(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, stabilization: float, wrenches: LinkWrenches
    ) -> tuple[Array, Array, Array, Array]:
        """J, a factor of M^-1, accelerations a of the open tree, and the required J (qdd - a)."""
        J, drift, baumgarte = self.jacobian(q), self.kernel("drift")(q, qd), 0.0
        if stabilization:
            speed = np.einsum("...mn,...n->...m", J, np.asarray(qd))
            baumgarte = 2 * stabilization * speed + stabilization**2 * self.error(q)
        free = self.model.forward_dynamics(q, qd, tau, wrenches=wrenches)
        return J, self._factor(q), free, -(drift + baumgarte) - np.einsum("...mn,...n->...m", J, free)

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, motors: Sequence[str] | None = None,
        wrenches: LinkWrenches = None,
    ) -> Driven:
        """Joint forces of the given motors for a motion that keeps the loops closed.

        Args:
            q, qd, wrenches: as in `forward_dynamics`.
            qdd: (..., nv) joint accelerations, with J qdd = -Jd qd.
            motors: names of the actuated coordinates (see `coordinate_names`); all by default. If there are more than
                needed, joint and constraint forces together have minimum norm.

        Returns:
            joint forces, constraint forces and rank: a `Driven`.

        Raises:
            InputError: a joint does not exist, or the motors cannot produce the motion.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
        """
        names = self.robot.coordinate_names
        required, J = self.model.inverse_dynamics(q, qd, qdd, wrenches=wrenches), self.jacobian(q)
        self._check_closed(J, self.kernel("drift")(q, qd), np.asarray(qdd, dtype=float))
        motored = list(range(len(names))) if motors is None else self._coordinates(motors)
        select = np.broadcast_to(np.eye(self.robot.nv)[:, motored], (*J.shape[:-2], self.robot.nv, len(motored)))
        A = np.concatenate([select, J.mT], axis=-1)
        A = np.broadcast_to(A, (*required.shape, A.shape[-1]))
        solution, _ = solve(A, required)
        missing = np.abs(np.einsum("...nk,...k->...n", A, solution) - required).max(axis=-1, initial=0)
        if np.any(missing > PRODUCED * np.abs(required).max(axis=-1, initial=0)):
            raise InputError(
                f"inverse_dynamics: motors {', '.join(names[k] for k in motored)} of '{self.robot.name}' cannot "
                f"produce this motion (short by {missing.max():.3g}); add motors"
            )
        tau = np.zeros(required.shape)
        tau[..., motored] = solution[..., : len(motored)]
        return Driven(tau, solution[..., len(motored) :], solve(J, np.zeros(J.shape[:-1]))[1])

    def _check_closed(self, J: Array, drift: Array, qdd: Array) -> None:
        """Raise `InputError` unless J qdd = -drift within rounding error."""
        terms = [np.einsum("...mn,...n->...m", part(J), part(qdd)) for part in (np.asarray, np.abs)]
        error, scale = np.abs(terms[0] + drift), (terms[1] + np.abs(drift)).max(axis=-1, keepdims=True, initial=0)
        if np.any(error > PRODUCED * (scale + 1e-3)):
            name = self.row_names[int(np.argmax(error.reshape(-1, len(self.row_names)).max(axis=0)))]
            raise InputError(
                f"inverse_dynamics: qdd opens the loops of '{self.robot.name}': '{name}' accelerates by "
                f"{error.max():.3g}; use qdd of `forward_dynamics`, or T ydd + drift of `reduced_dynamics`"
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
        robot, free = self.robot, self._coordinates(independent)
        dependent = self._dependent(free)
        J, drift = self.jacobian(q), self.kernel("drift")(q, qd)
        T = np.broadcast_to(self._tangent(J, free, "reduced_dynamics"), (*drift.shape[:-1], robot.nv, len(free)))
        gamma = np.zeros((*drift.shape[:-1], robot.nv))
        gamma[..., dependent] = -solve(np.broadcast_to(J[..., dependent], (*drift.shape, len(dependent))), drift)[0]
        M, bias = self.model.mass_matrix(q), self.model.inverse_dynamics(q, qd, gamma, wrenches=wrenches)
        return ReducedDynamics(
            np.einsum("...ni,...nk,...kj->...ij", T, M, T),
            np.einsum("...ni,...n->...i", T, bias),
            T,
            gamma,
            tuple(free),
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
            >>> arm.linearize(down, [0.0, 0.0], [0.0, 0.0], ["joint1"]).A.round(4)
            array([[ 0.    ,  1.    ],
                   [-7.3575,  0.    ]])
        """
        free = self._coordinates(independent)
        A, B, C = self._linearized(q, qd, tau, free, wrenches)
        if step is not None:
            A, B = zero_order_hold(A, B, step)
        return ConstrainedLinearModel(A, B, C, tuple(free))

    def _linearized(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, free: list[int], wrenches: LinkWrenches
    ) -> tuple[Array, Array, Array]:
        """A, B and C, by variation of the KKT equations, where ID is the tree's inverse dynamics at qdd and f.

            dq = T dy,    dqd = T dyd + W dy,    J W = -d(J qd)/dq T
            M dqdd - J^T df = dtau - (dID/dq - d(J^T f)/dq) dq - dID/dqd dqd
            J dqdd = -d(J qdd + Jd qd)/dq dq - d(Jd qd)/dqd dqd

        Redundant rows of J leave df undetermined, but not J^T df and dqdd.
        """
        motion, J = self.forward_dynamics(q, qd, tau, wrenches=wrenches), self.jacobian(q)
        T = self._tangent(J, free, "linearize")
        loads_q, speeds_q, rows_q, rows_qd, ad = self.kernel("closure_partials")(q, qd, motion.qdd, motion.forces)
        ID_q, ID_qd, _ = self.model.inverse_dynamics_partials(q, qd, motion.qdd, wrenches=wrenches)
        factor = self._factor(q)
        inverse_M = factor @ factor.mT
        batch, (nv, k) = motion.qdd.shape[:-1], T.shape[-2:]
        W, dependent = np.zeros((*batch, nv, k)), self._dependent(free)
        W[..., dependent, :] = -solve_columns(J[..., dependent], speeds_q @ T)
        T = np.broadcast_to(T, W.shape)
        nothing, forces = np.zeros_like(W), np.broadcast_to(np.eye(nv), (*batch, nv, nv))
        dq = np.concatenate([T, nothing, np.zeros_like(forces)], axis=-1)  # columns for dy, dyd, dtau
        dqd = np.concatenate([W, T, np.zeros_like(forces)], axis=-1)
        dtau = np.concatenate([nothing, nothing, forces], axis=-1)
        free_dqdd = inverse_M @ (dtau - (ID_q - loads_q) @ dq - ID_qd @ dqd)
        required = -(rows_q @ dq + rows_qd @ dqd) - J @ free_dqdd
        df = self._impulse(J[..., None, :, :], factor[..., None, :, :], required.mT)[0].mT
        dqdd = free_dqdd + inverse_M @ J.mT @ df
        A, B = np.zeros((*batch, 2 * k, 2 * k)), np.zeros((*batch, 2 * k, nv))
        A[..., :k, :k], A[..., :k, k:] = 0.0 - (ad @ T)[..., free, :], np.eye(k)
        A[..., k:, :], B[..., k:, :] = dqdd[..., free, : 2 * k], dqdd[..., free, 2 * k :]
        return A, B, np.concatenate([dq[..., : 2 * k], dqd[..., : 2 * k]], axis=-2)

    @cached_property
    def _owner(self) -> MotionOwner:
        return MotionOwner.of(self, self.robot)

    def simulate(
        self, q0: ArrayLike, qd0: ArrayLike, torque: Any, t: ArrayLike, method: str = "runge_kutta_4", *,
        stabilization: float = 0.0, projection: bool = True, wrenches: Mapping[str, Any] | None = None,
        rtol: float = 1e-9, atol: float = 1e-11, events: Sequence[Any] = (), stop_at_limits: bool = False,
        every: int = 1, progress: bool | None = None,
    ) -> Simulation:
        """A motion that closes the loops at every recorded state.

        At singular positions, where branches of the motion cross, it continues on the branch with continuous velocity.

        Args:
            q0, qd0: (..., nq), (..., nv) a state near a closed one: it is projected first.
            torque: joint forces; a row of an array applies from its instant until the next: see `Robot.simulate`.
            method: "runge_kutta_4", one step between instants with constant forces, or one of SciPy's adaptive solvers:
                RK45, DOP853, Radau, BDF, LSODA.
            stabilization: Baumgarte rate [1/s]: see `forward_dynamics`.
            projection: project the state at every instant, so that errors stay below 1e-12.
            t, wrenches, rtol, atol, events, stop_at_limits, every, progress: see `Robot.simulate`.

        Raises:
            InputError, ShapeError: the arguments do not fit.
            MissingExtraError: an adaptive method without SciPy.
            SimulationError: the motion diverges, or cannot be kept closed; its `partial` is the motion up to that time.
                For loops at rest in a singular position, such as collinear links, it names rows and joints.
        """
        _require_stabilization(stabilization)
        instance("simulate: projection", projection, (bool, np.bool_))
        request = Request(q0, qd0, torque, t, method, wrenches, rtol, atol, events, stop_at_limits, every, progress)
        return simulate(self, request, stabilization, projection)


def with_closures(robot: Robot, closures: Sequence[Any], drives: bool, smoothing: float) -> ConstrainedRobot:
    """See `Robot.with_closures`; the robot's own closures and mimics come first."""
    return ConstrainedRobot(robot, (*robot.closures, *mimics(robot), *closures), drives, smoothing)


def _require_stabilization(rate: float) -> None:
    """Raise `InputError` unless the Baumgarte rate is finite and not negative."""
    if not (isinstance(rate, (int, float)) and 0 <= rate < np.inf):
        raise InputError(f"stabilization must be a rate [1/s], zero or more, not {rate!r}")
