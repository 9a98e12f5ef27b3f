"""Crocoddyl on problems of `bench.optimal`: run in an interpreter that has it, one thread.

A problem comes as a line of JSON on the standard input, the answer goes as a line to the standard output.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import crocoddyl
import numpy as np
import pinocchio as pin  # after Crocoddyl: both bring libraries of the same name
from optimal_step import Step


def places(job: dict[str, Any], model: Any) -> tuple[Any, Any]:
    """Indices of Revolute's positions and velocities in those of Pinocchio, which sorts joints by name."""
    joints = [model.joints[model.getJointId(name)] for name in job["joints"]]
    q, v = ([getattr(joint, name) for joint in joints] for name in ("idx_q", "idx_v"))
    free = job["free"]
    return np.array([*range(7)] * free + q), np.array([3, 4, 5, 0, 1, 2] * free + v)


def shooting(job: dict[str, Any], action: str) -> Any:
    """The problem, with Crocoddyl's action of forward or of inverse dynamics, or with Revolute's step."""
    free = [pin.JointModelFreeFlyer()] * job["free"]
    model = pin.buildModelFromXML(job["urdf"], *free)
    state, n = crocoddyl.StateMultibody(model), model.nv
    to_q, to_v = places(job, model)
    weights = np.zeros(2 * n)
    weights[np.r_[to_v, n + to_v]] = job["state_weights"]
    actuation = (crocoddyl.ActuationModelFloatingBase if free else crocoddyl.ActuationModelFull)(state)
    residual, inverse = crocoddyl.CostModelResidual, action == "inverse"

    def node(weight: float, dt: float) -> Any:
        costs = crocoddyl.CostModelSum(state, actuation.nu)
        size = costs.nu
        if "pose" in job:
            place = pin.SE3(np.array(job["pose"])[:3, :3], np.array(job["pose"])[:3, 3])
            frame = model.getFrameId(job["frames"][0])
            costs.addCost(
                "pose", residual(state, crocoddyl.ResidualModelFramePlacement(state, frame, place, size)), weight
            )
            free = [1e9] * n
            bounds = crocoddyl.ActivationBounds(
                np.array([*job["lower"], *(-x for x in free)]), np.array([*job["upper"], *free])
            )
            barrier = crocoddyl.ActivationModelQuadraticBarrier(bounds)
            costs.addCost(
                "limits", residual(state, barrier, crocoddyl.ResidualModelState(state, size)), job["limit_weight"]
            )
        else:
            for k, (frame, goal) in enumerate(zip(job["frames"], job["goals"], strict=True)):
                point = crocoddyl.ResidualModelFrameTranslation(state, model.getFrameId(frame), np.array(goal), size)
                costs.addCost(f"point{k}", residual(state, point), weight)
        squares = crocoddyl.ActivationModelWeightedQuad(weights)
        costs.addCost("state", residual(state, squares, crocoddyl.ResidualModelState(state, size)), 1.0)
        if inverse:
            effort = crocoddyl.ResidualModelJointEffort(state, crocoddyl.ActuationModelFull(state), np.zeros(n), size)
        else:
            effort = crocoddyl.ResidualModelControl(state, size)
        costs.addCost("effort", residual(state, effort), job["effort_weight"] if dt else 0.0)
        dynamics = (
            crocoddyl.DifferentialActionModelFreeInvDynamics
            if inverse
            else crocoddyl.DifferentialActionModelFreeFwdDynamics
        )
        inner = dynamics(state, actuation, costs)
        made = Step(inner, dt) if action == "step" else crocoddyl.IntegratedActionModelEuler(inner, dt)
        if job.get("box"):
            made.u_lb, made.u_ub = -np.array(job["box"]), np.array(job["box"])
        return made

    start = np.zeros(model.nq + n)
    start[to_q] = job["q0"]
    problem = crocoddyl.ShootingProblem(start, [node(1.0, job["dt"])] * job["nodes"], node(job["end_weight"], 0.0))
    problem.nthreads = 1
    return problem


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """Iterations, the least cost and its motion, and microseconds of an iteration."""
    problem = shooting(job, "forward")
    solver = (crocoddyl.SolverBoxFDDP if job.get("box") else crocoddyl.SolverFDDP)(problem)
    model = problem.runningModels[0].state.pinocchio
    (to_q, to_v), first = places(job, model), np.zeros(model.nv)
    first[to_v] = job["tau0"]
    xs, us = [problem.x0] * (job["nodes"] + 1), [first[6 * job["free"] :]] * job["nodes"]
    if "starts" in job:
        before, costs, count = time.thread_time(), [], 0
        for q in job["starts"]:
            problem.x0 = np.r_[q, np.zeros(len(q))]
            solver.solve([problem.x0] * (job["nodes"] + 1), us, job["most"], False)
            costs.append(solver.cost)
            count += solver.iter + 1
        return {"seconds": time.thread_time() - before, "costs": costs, "iterations": count}
    times = []
    for _ in range(job["repeats"]):
        before = time.thread_time()
        solver.solve(xs, us, job["most"], False)
        times.append((time.thread_time() - before) / (solver.iter + 1))
    iterations, most = solver.iter + 1, 1000
    if job["free"]:
        solver, most = crocoddyl.SolverFDDP(shooting(job, "step")), 150
    solver.th_stop = 1e-16
    solver.solve(xs, us, most, False)
    x = np.array(solver.xs)[:, np.r_[to_q, model.nq + to_v]]
    found = {"iterations": iterations, "seconds": times, "cost": solver.cost, "x": x.tolist()}
    if not job.get("box") and not job["free"]:
        found["inverse"] = _inverse(job)
    return found


def _inverse(job: dict[str, Any]) -> list[float] | None:
    """Seconds of an iteration with the action of inverse dynamics; None where Crocoddyl has no such action."""
    if not hasattr(crocoddyl, "DifferentialActionModelFreeInvDynamics"):
        return None
    problem = shooting(job, "inverse")
    solver, times = crocoddyl.SolverFDDP(problem), []
    xs, us = [problem.x0] * (job["nodes"] + 1), [np.zeros(len(job["q0"]))] * job["nodes"]  # accelerations
    for _ in range(job["repeats"]):
        before = time.thread_time()
        solver.solve(xs, us, job["most"], False)
        times.append((time.thread_time() - before) / (solver.iter + 1))
    return times


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
