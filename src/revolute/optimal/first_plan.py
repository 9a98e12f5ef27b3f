"""The initial plan of the iterations: at rest, or a user's guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.arguments import broadcasts_to, finite_rows
from revolute.errors import InputError, ShapeError
from revolute.machine.constrained import ConstrainedRobot
from revolute.machine.constrained.loops import OPEN, inverse
from revolute.optimal.costs.joints import LimitCost
from revolute.optimal.plan import OptimalPlan
from revolute.optimal.shooting import Array

if TYPE_CHECKING:
    from revolute.optimal.problem import OptimalControl


def first_plan(
    problem: OptimalControl, guess: Any, start: Array, batch: tuple[int, ...], tau0: Any = None
) -> tuple[Array, Array]:
    """A first plan from `start`, (*batch, nq + nv): (nodes + 1, *batch, states) states, (nodes, *batch, nv) forces.

    For `guess` and `tau0` see `OptimalControl.solve`.
    """
    T, robot = problem.steps, problem._tree
    nq, nv = robot.nq, robot.nv
    x, tau = np.zeros((T + 1, *batch, problem._setting.sizes[0])), np.empty((T, *batch, nv))
    holding = holding_forces(problem, start[..., :nq])
    if guess is None:
        x[..., :nq] = start[..., :nq]
        tau[:] = holding
    else:
        parts = (guess.q, guess.qd, guess.tau) if isinstance(guess, OptimalPlan) else guess
        if not isinstance(parts, tuple) or len(parts) not in (2, 3):
            raise InputError("solve: guess must be an OptimalPlan, or a tuple: positions, (velocities,) forces")
        sizes = [nq, *[nv] * (len(parts) - 1)]
        q, *rates, tau = (finite_rows("solve", "guess", a, n) for a, n in zip(parts, sizes, strict=True))
        for name, a, rows in (("positions", q, T + 1), ("forces", tau, T), *(("velocities", a, T + 1) for a in rates)):
            if a.shape[-2:-1] != (rows,):
                raise ShapeError(f"solve: guess: {name} have shape {a.shape}, but (..., {rows}, n) is needed")
            if not broadcasts_to(a.shape[:-2], batch):
                hint = "" if batch else "; select a plan: guess.row(k)"
                raise ShapeError(f"solve: guess has the batch {a.shape[:-2]}, but the states have {batch}{hint}")
        q = np.broadcast_to(q, (*batch, *q.shape[-2:]))
        if not rates:
            rates = [np.zeros((*batch, T + 1, nv))]
            rates[0][..., :-1, :] = robot.difference(q[..., :-1, :], q[..., 1:, :]) / problem._dt[:, None]
            rates[0][..., -1, :] = rates[0][..., -2, :]
        whole = np.concatenate([q, np.broadcast_to(rates[0], (*batch, T + 1, nv))], axis=-1)
        x[..., : nq + nv] = np.moveaxis(whole, -2, 0)
        tau = np.moveaxis(np.broadcast_to(tau, (*batch, T, nv)), -2, 0).copy()
    held = tau
    if problem._setting.motors is not None:
        held = np.zeros_like(tau)
        held[..., problem._motors] = np.clip(tau[..., problem._motors], *problem._bounds)
    x[0, ..., : nq + nv] = start
    if problem._setting.dynamics.remembers:
        x[1:, ..., nq + nv :] = held
        before = holding if tau0 is None else finite_rows("solve", "tau0", tau0, nv)
        if not broadcasts_to(before.shape[:-1], batch):
            raise ShapeError(f"solve: tau0 has the batch {before.shape[:-1]}, but the states have {batch}")
        x[0, ..., nq + nv :] = before
    return x, held


def holding_forces(problem: OptimalControl, q: Array) -> Array:
    """(..., nv) forces that hold the robot at rest; with closed loops, the smallest motor forces that do so.

    With the projection P = 1 - J^+ J onto motions that keep the loops closed, P_mm tau_m = (P g)_m.
    """
    robot, at = problem.robot, problem._motors
    rest = np.zeros((*q.shape[:-1], problem._tree.nv))
    tau: Array = problem._tree.inverse_dynamics(q, rest, rest)
    if isinstance(robot, ConstrainedRobot):
        J = robot.jacobian(q)
        P = (np.eye(J.shape[-1]) - inverse(J)[0] @ J)[..., at, :]
        needed, tau = P @ tau[..., None], rest
        tau[..., at] = (inverse(P[..., at])[0] @ needed)[..., 0]
    return tau


def require_start(problem: OptimalControl, start: Array, p: Array, violation: float) -> None:
    """Raise `InputError` unless the states close all loops, and exceed hard limits by at most `violation`."""
    setting, robot = problem._setting, problem._tree
    dynamics, nq = setting.dynamics, robot.nq
    if dynamics.closures and np.any((opened := np.abs(problem.robot.error(start[:, :nq]))) > OPEN):
        name = problem.robot.row_names[int(opened.max(axis=0).argmax())]
        opening = f"'{name}' by {opened.max():.3g}"
        raise InputError(f"solve: loops of '{robot.name}' are open at q0, {opening}; `project` the start first")
    for cost, place in zip(setting.costs, setting.places, strict=True):
        if not (cost.hard and isinstance(cost, LimitCost)):
            continue
        at = cost.joints(dynamics)
        values = start[:, [k + nq * (cost.kind == "velocity") for k in at]]
        low, high = np.split(p[0][:, place.goal], 2, axis=-1)
        beyond = np.maximum(values - high, low - values)
        if (beyond > violation).any():
            worst = at[int(np.argmax(beyond.max(axis=0)))]
            names = robot.position_names if cost.kind == "position" else robot.coordinate_names
            raise InputError(
                f"solve: the initial state exceeds the {cost.kind} limit of '{names[worst]}' by {beyond.max():.3g}; "
                "start within hard limits"
            )
