"""A robot with closed loops: constrained forward and inverse dynamics, projections, motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance, instances, number, whole_number
from revolute.dynamics.closures import Closure
from revolute.errors import InputError
from revolute.machine.constrained.least_squares import singular_values, solve
from revolute.machine.constrained.motion import simulate
from revolute.machine.constrained.results import Constrained, Driven, ReducedDynamics
from revolute.machine.declare import declared, internal
from revolute.machine.function import Function, Subject
from revolute.machine.functions import closures as functions
from revolute.machine.machine import Array, Machine
from revolute.machine.robot import Robot
from revolute.model.identity import exact_text
from revolute.simulate import Simulation
from revolute.simulate.run import start

__all__ = ["ConstrainedRobot"]

PRODUCED = 1e-6
"""Part of a state's joint forces, or accelerations, that may be missing before a motion counts as impossible."""

CLOSED = 1e-12
"""Errors [m, rad] at which a loop counts as closed."""


class ConstrainedRobot(Machine):
    """A tree robot whose links close loops: `Robot.with_closures` makes it. GOA remark; Featherstone, RBDA 8.

        M qdd + b = tau + J^T f,    J qdd = -Jd qd,    J qd = 0,    e(q) = 0

    With `drives` M and b have rotors, springs and friction in them, as `Robot.with_drives` has.
    Rows that are redundant, as out-of-plane rows of a planar linkage are, do no harm: the
    equations are solved for the motion that is unique, and forces of least length.

    Attributes:
        robot: the tree.
        closures: what closes its loops.
        drives: whether its drives are part of the dynamics, or the links alone.
        smoothing: of the drives' friction [rad/s, m/s].
        row_names: a name for every row of e.
        model: what has the dynamics of the open tree: the robot, or with `drives` the driven one.
    """

    _kind = "robot with closed loops"
    _elsewhere = ", drift. See `robot.kernel` for those of the tree"
    _parts = (internal("drift", functions.drift, "q qd -> Jd qd: rows"),)

    def __init__(
        self, robot: Robot, closures: Sequence[Closure], drives: bool = False, smoothing: float = 0.0
    ) -> None:
        instance("ConstrainedRobot: robot", robot, Robot)
        given = isinstance(closures, Sequence) and len(closures) > 0
        if not given or not all(isinstance(closure, Closure) for closure in closures):
            raise InputError(f"with_closures: '{robot.name}' needs one closure or more, such as PointClosure(...)")
        if number("with_closures: smoothing", smoothing) and not drives:
            raise InputError("with_closures: smoothing is of the friction of drives; ask for them too: drives=True")
        self.robot = robot
        self.closures = tuple(closures)
        self.row_names = tuple(name for closure in closures for name in closure.row_names())
        self._drift = self.kernel("drift")
        self.drives, self.smoothing = instance("with_closures: drives", drives, bool), smoothing
        self.model = _in_joints(robot).with_drives(smoothing=smoothing) if drives else robot

    def __reduce__(self) -> tuple[Any, ...]:
        return ConstrainedRobot, (self.robot, self.closures, self.drives, self.smoothing)

    def __repr__(self) -> str:
        return f"<ConstrainedRobot {self.robot.name!r}: nv={self.robot.nv}, {len(self.row_names)} constraint rows>"

    def _subject(self, function: Function, options: Mapping[str, Any]) -> Subject:
        model = self.robot
        sizes = {"nq": model.nq, "nv": model.nv, "rows": len(self.row_names)}
        content = exact_text((model.digest, self.closures)) if model.digest else None
        return Subject(model.name, (model, self.closures), sizes, content)

    @declared(functions.error, "q -> e: rows")
    def error(self, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """(..., m) how far the loops are from being closed [m, cosines]; q: (..., nq)."""

    @declared(functions.jacobian, "q -> J: rows nv")
    def jacobian(self, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """(..., m, nv) derivatives of `error` along joint velocities; q: (..., nq)."""

    def mobility(self, q: ArrayLike) -> Array:
        """(...) degrees of freedom at q: nv less the rank of the constraints."""
        J = self.jacobian(q)
        freedom: Array = self.robot.nv - solve(J, np.zeros(J.shape[:-1]))[1]
        return freedom

    # --- dynamics --------------------------------------------------------------------------

    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, stabilization: float = 0.0
    ) -> Constrained:
        """Accelerations and constraint forces, by the KKT equations.

        Args:
            q: (..., nq) joint positions [rad, m] that close the loops.
            qd: (..., nv) joint velocities [rad/s, m/s].
            tau: (..., nv) joint forces [N m, N].
            stabilization: Baumgarte's rate a [1/s]: errors are made to decay as
                edd + 2 a ed + a^2 e = 0 instead of edd = 0.

        Returns:
            accelerations, forces and rank: a `Constrained`.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)
            >>> pinned = arm.with_closures(revolute.PointClosure("tip", at_b=(1.0, 1.0, 0.0)))
            >>> motion = pinned.forward_dynamics([0.0, 1.5707963267948966], [0.0, 0.0], [0.0, 0.0])
            >>> abs(motion.qdd).round(6) + 0.0, int(motion.rank)
            (array([0., 0.]), 2)
        """
        _require_stabilization(stabilization)
        J, drift, e = self.jacobian(q), self._drift(q, qd), 0.0
        if stabilization:
            speed = np.einsum("...mn,...n->...m", J, np.asarray(qd, dtype=float))
            e = 2 * stabilization * speed + stabilization**2 * self.error(q)
        inverse_M = self.model.mass_matrix_inverse(q)
        free = self.model.forward_dynamics(q, qd, tau)
        wanted = -(drift + e) - np.einsum("...mn,...n->...m", J, free)
        forces, rank = self._impulse(J, inverse_M, wanted)
        return Constrained(free + np.einsum("...nk,...mk,...m->...n", inverse_M, J, forces), forces, rank)

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, motors: Sequence[str] | None = None
    ) -> Driven:
        """Joint forces of a motion that keeps the loops closed, by the motors that there are.

        Args:
            q, qd: as in `forward_dynamics`.
            qdd: (..., nv) joint accelerations, with J qdd = -Jd qd.
            motors: names of the coordinates that have a motor (see `coordinate_names`); all
                by default. More than needed: the joint forces of least length together with
                the constraint forces.

        Returns:
            joint forces, constraint forces and rank: a `Driven`.

        Raises:
            InputError: no such joint, or motors that cannot produce the motion.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
        """
        names = self.robot.coordinate_names
        wanted, J = self.model.inverse_dynamics(q, qd, qdd), self.jacobian(q)
        self._check_closed(J, self._drift(q, qd), np.asarray(qdd, dtype=float))
        driven = list(range(len(names))) if motors is None else self._coordinates(motors)
        select = np.broadcast_to(np.eye(self.robot.nv)[:, driven], (*J.shape[:-2], self.robot.nv, len(driven)))
        A = np.concatenate([select, np.swapaxes(J, -1, -2)], axis=-1)
        A = np.broadcast_to(A, (*wanted.shape, A.shape[-1]))
        found, _ = solve(A, wanted)
        missing = np.abs(np.einsum("...nk,...k->...n", A, found) - wanted).max(axis=-1, initial=0)
        if np.any(missing > PRODUCED * np.abs(wanted).max(axis=-1, initial=0)):
            raise InputError(
                f"inverse_dynamics: motors {', '.join(names[k] for k in driven)} of '{self.robot.name}' cannot produce "
                f"this motion (short by {missing.max():.3g}); add motors"
            )
        tau = np.zeros(wanted.shape)
        tau[..., driven] = found[..., : len(driven)]
        return Driven(tau, found[..., len(driven) :], solve(J, np.zeros(J.shape[:-1]))[1])

    def _check_closed(self, J: Array, drift: Array, qdd: Array) -> None:
        terms = [np.einsum("...mn,...n->...m", part(J), part(qdd)) for part in (np.asarray, np.abs)]
        apart, scale = np.abs(terms[0] + drift), (terms[1] + np.abs(drift)).max(axis=-1, keepdims=True, initial=0)
        if np.any(apart > PRODUCED * (scale + 1e-3)):
            name = self.row_names[int(np.argmax(apart.reshape(-1, len(self.row_names)).max(axis=0)))]
            raise InputError(
                f"inverse_dynamics: qdd opens the loops of '{self.robot.name}': '{name}' is accelerated by "
                f"{apart.max():.3g}; take qdd of `forward_dynamics`, or T ydd + drift of `reduced_dynamics`"
            )

    def reduced_dynamics(self, q: ArrayLike, qd: ArrayLike, independent: Sequence[str]) -> ReducedDynamics:
        """The equations of motion in independent coordinates: the constraint forces are projected out.

            qd = T yd,    M_y = T^T M T,    bias_y = T^T (M drift + b)

        Args:
            q, qd: (..., nq), (..., nv) a state that keeps the loops closed.
            independent: names of as many coordinates as the robot has mobility.

        Returns:
            a `ReducedDynamics`.

        Raises:
            InputError: no such joint, or coordinates that do not determine the others.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
        """
        robot, free = self.robot, self._coordinates(independent)
        held = [k for k in range(robot.nv) if k not in free]
        J, drift = self.jacobian(q), self._drift(q, qd)
        known = np.isfinite(J).all(axis=(-2, -1))  # a state that is no number spoils its own row alone
        ranks = [solve(part, np.zeros(J.shape[:-1]))[1] for part in (J[..., held], J)]
        if any(np.any(known & (rank != len(held))) for rank in ranks):
            raise InputError(
                f"reduced_dynamics: {', '.join(independent)} of '{robot.name}' do not determine the other joints: "
                f"the mobility is {robot.nv - int(np.max(ranks[1]))}, and some state may be singular"
            )
        T = np.zeros((*drift.shape[:-1], robot.nv, len(free)))
        T[..., free, range(len(free))] = 1.0
        for column, k in enumerate(free):
            T[..., held, column] = -solve(J[..., held], J[..., k])[0]
        gamma = np.zeros((*drift.shape[:-1], robot.nv))
        gamma[..., held] = -solve(np.broadcast_to(J[..., held], (*drift.shape, len(held))), drift)[0]
        M, bias = self.model.mass_matrix(q), self.model.inverse_dynamics(q, qd, gamma)
        return ReducedDynamics(
            np.einsum("...ni,...nk,...kj->...ij", T, M, T),
            np.einsum("...ni,...n->...i", T, bias),
            T,
            gamma,
            tuple(free),
        )

    # --- states that close the loops ---------------------------------------------------------

    def project(self, q: ArrayLike, qd: ArrayLike | None = None, *, most: int = 50) -> tuple[Array, Array]:
        """The nearest state that closes the loops, in the metric of the kinetic energy, by Newton's method.

        Args:
            q: (..., nq) joint positions near a closed state.
            qd: (..., nv) joint velocities; zero if not given.
            most: steps.

        Returns:
            q and qd with errors of `CLOSED` at most and J qd = 0.

        Raises:
            InputError: no closed state is found from there.
        """
        whole_number("project: most", most, 0)
        still = np.zeros(self.robot.nv)
        q, speed = start(self.robot, q, still if qd is None else qd, "project", ("q", "qd"))
        for _ in range(most + 1):
            e = self.error(q)
            if np.abs(e).max(initial=0) <= CLOSED:
                break
            J, inverse_M = self.jacobian(q), self.model.mass_matrix_inverse(q)
            q = self.robot.integrate(q, self._pull(J, inverse_M, -e))
        else:
            name = self.row_names[int(np.argmax(np.abs(e).reshape(-1, len(self.row_names)).max(axis=0)))]
            raise InputError(
                f"project: no state of '{self.robot.name}' that closes its loops is found from there; "
                f"'{name}' is left with {np.abs(e).max():.3g}; start nearer to a closed state"
            )
        J, inverse_M = self.jacobian(q), self.model.mass_matrix_inverse(q)
        return q, speed - self._pull(J, inverse_M, np.einsum("...mn,...n->...m", J, speed))

    def simulate(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        torque: Any,
        t: ArrayLike,
        method: str = "runge_kutta_4",
        *,
        stabilization: float = 0.0,
        projection: bool = True,
        rtol: float = 1e-10,
        atol: float = 1e-12,
    ) -> Simulation:
        """A motion whose every recorded state closes the loops.

        Args:
            q0, qd0: (..., nq), (..., nv) a state near a closed one: it is projected first.
            torque: joint forces; an array holds from one instant to the next: see
                `Robot.simulate`.
            t: (T,) increasing times [s].
            method: "runge_kutta_4", one step from instant to instant with the forces held, or
                one of SciPy's adaptive solvers: RK45, DOP853, Radau, BDF, LSODA.
            stabilization: Baumgarte's rate [1/s]: see `forward_dynamics`.
            projection: project the state at every instant, so that errors stay below 1e-12.
            rtol, atol: tolerances of an adaptive solver.

        Returns:
            a `Simulation`.

        Raises:
            InputError, ShapeError: arguments that do not fit.
            MissingExtraError: an adaptive method without SciPy.
            SimulationError: the motion diverges, or cannot be kept closed; with what went before. Where
                the closures are singular, as with links in line, it names their rows and joints.
        """
        _require_stabilization(stabilization)
        instance("simulate: projection", projection, (bool, np.bool_))
        return simulate(self, q0, qd0, torque, t, method, stabilization, projection, rtol, atol)

    def _impulse(self, J: Array, inverse_M: Array, wanted: Array) -> tuple[Array, Array]:
        """f with J M^-1 J^T f = wanted, and the rank of J, by the factor of M^-1: conditions are not squared."""
        whole = np.isfinite(inverse_M).all(axis=(-2, -1), keepdims=True)
        half = np.linalg.cholesky(np.where(whole, inverse_M, np.eye(self.robot.nv)))
        U, s, _ = singular_values(np.where(whole, J @ half, np.nan))
        forces = np.einsum("...mk,...k->...m", U, np.einsum("...mk,...m->...k", U, wanted) / s**2)
        return forces, np.isfinite(s).sum(axis=-1)

    def _pull(self, J: Array, inverse_M: Array, wanted: Array) -> Array:
        """The velocity of least kinetic energy with J v = wanted."""
        forces, _ = self._impulse(J, inverse_M, wanted)
        pulled: Array = np.einsum("...nk,...mk,...m->...n", inverse_M, J, forces)
        return pulled

    def _coordinates(self, names: Sequence[str]) -> list[int]:
        found = [self._coordinate(name) for name in instances("names of coordinates", names, str)]
        if len(set(found)) < len(found):
            raise InputError(f"a coordinate of '{self.robot.name}' is named twice: {', '.join(names)}")
        return found

    def _coordinate(self, name: str) -> int:
        names = self.robot.coordinate_names
        if name not in names:
            raise InputError(f"robot '{self.robot.name}' has no coordinate '{name}'; there are: {', '.join(names)}")
        return names.index(name)


def _require_stabilization(rate: float) -> None:
    """Baumgarte's rate, or `InputError`."""
    if not (isinstance(rate, (int, float)) and 0 <= rate < np.inf):
        raise InputError(f"stabilization must be a rate [1/s], zero or more, not {rate!r}")


def _in_joints(robot: Robot) -> Robot:
    """The robot with all its joints for coordinates: what they mimic is among the closures."""
    bodies = (replace(body, drive=replace(body.drive, mimic=None)) for body in robot.bodies)
    return replace(robot, bodies=tuple(bodies))
