"""Solvers of inverse kinematics in other libraries, for one pose at a time, on the robots of the benchmark.

Each gets the joint limits, restarts from random positions, and the same tolerance. Peers that are not installed are
left out.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

from bench.pinocchio_peer import Pinocchio
from bench.robots import Array, Case
from revolute.dynamics.kinematics import path_to
from revolute.model.reduce import aligned

__all__ = ["TOLERANCE", "Problem", "Solver", "peers"]

TOLERANCE = 1e-6

Solver = Callable[[Array], Array]
"""(4, 4) pose to (nq,) positions in Revolute's order."""


class Problem(NamedTuple):
    """Poses that a link is to reach within limits, (nq,) in Revolute's order, with so many restarts."""

    case: Case
    frame: str
    poses: Array
    lower: Array
    upper: Array
    restarts: int


def peers(problem: Problem) -> Iterator[tuple[str, Solver, int]]:
    """Name, solver and number of poses that it is asked for."""
    yield "Pinocchio, damped loop in Python", pinocchio_loop(problem), 100
    if importlib.util.find_spec("roboticstoolbox"):
        yield "Robotics Toolbox, `ik_LM` in C", toolbox(problem), 1000
    if importlib.util.find_spec("pink") and importlib.util.find_spec("quadprog"):
        yield "pink, with quadprog", pink_loop(problem), 20


def pinocchio_loop(problem: Problem, steps: int = 100) -> Solver:
    """The loop of Pinocchio's documentation, with damping 1e-6, whole steps, limits and restarts."""
    peer, rng = limited(problem), np.random.default_rng(0)
    model, data, link = peer.model, peer.data, peer.model.getFrameId(problem.frame)
    lower, upper = model.lowerPositionLimit, model.upperPositionLimit

    def solve(pose: Array) -> Array:
        goal = pin.SE3(pose)
        for _ in range(problem.restarts + 1):
            q = rng.uniform(lower, upper)
            for _ in range(steps):
                pin.framesForwardKinematics(model, data, q)
                way = data.oMf[link].actInv(goal)
                e = pin.log(way).vector
                if np.linalg.norm(e) <= TOLERANCE:
                    return np.asarray(q[_places(peer)])
                J = pin.Jlog6(way.inverse()) @ pin.computeFrameJacobian(model, data, q, link)
                d = J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), e)
                q = np.clip(pin.integrate(model, q, d), lower, upper)
        return np.asarray(q[_places(peer)])

    return solve


def limited(problem: Problem) -> Pinocchio:
    """Pinocchio's model with the problem's limits."""
    peer = Pinocchio(problem.case)
    peer.model.lowerPositionLimit = problem.lower[peer.order]
    peer.model.upperPositionLimit = problem.upper[peer.order]
    return peer


def _places(peer: Pinocchio) -> Array:
    """Where Revolute's velocities stand in Pinocchio's order."""
    return np.argsort(peer.order)


def toolbox(problem: Problem) -> Solver:
    """The same chain as elementary transforms."""
    from roboticstoolbox import ET, ETS  # type: ignore[import-not-found]

    robot = aligned(problem.case.robot)
    path, link = path_to(robot, problem.frame), robot.frame(problem.frame)
    parts = []
    for i in path:
        body = robot.bodies[i]
        k = robot.q_index[i].start
        limits = [problem.lower[k], problem.upper[k]]
        axis = next(j for j, x in enumerate(body.joint.axis) if x)
        turn = (ET.Rx, ET.Ry, ET.Rz)[axis](flip=body.joint.axis[axis] < 0, qlim=limits)
        parts += [ET.SE3(body.placement.matrix()), turn]
    chain = ETS([*parts, ET.SE3(link.placement.matrix())])
    places, rest = [robot.q_index[i].start for i in path], (problem.lower + problem.upper) / 2

    def solve(pose: Array) -> Array:
        searches = problem.restarts + 1
        found = chain.ik_LM(pose, ilimit=30, slimit=searches, tol=TOLERANCE**2 / 2, joint_limits=True)
        q = rest.copy()
        q[places] = found.q if hasattr(found, "q") else found[0]
        return q

    return solve


def pink_loop(problem: Problem, steps: int = 100) -> Solver:
    """Whole steps of `solve_ik` with one frame task, limits by quadprog, and restarts."""
    import pink  # type: ignore[import-not-found]

    peer, rng = limited(problem), np.random.default_rng(0)
    model, lower, upper = peer.model, peer.model.lowerPositionLimit, peer.model.upperPositionLimit
    task = pink.FrameTask(problem.frame, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)

    def solve(pose: Array) -> Array:
        task.set_target(pin.SE3(pose))
        for _ in range(problem.restarts + 1):
            configuration = pink.Configuration(model, peer.data, rng.uniform(lower, upper))
            for _ in range(steps):
                if np.linalg.norm(task.compute_error(configuration)) <= TOLERANCE:
                    break
                try:
                    velocity = pink.solve_ik(configuration, [task], 1.0, solver="quadprog", safety_break=False)
                except Exception:  # no solution within limits: the next start
                    break
                configuration.integrate_inplace(velocity, 1.0)
            if np.linalg.norm(task.compute_error(configuration)) <= TOLERANCE:
                break
        q: Any = configuration.q[_places(peer)]
        return np.asarray(q)

    return solve
