"""Solvers of inverse kinematics in other libraries, for one pose at a time, on the robots of the benchmark.

Each gets the joint limits, 100 restarts from random positions, and the same tolerance. Peers that are not installed are
left out.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

from bench.pinocchio_peer import Pinocchio
from bench.robots import Array, Case
from revolute.dynamics.kinematics import path_to
from revolute.model.reduce import aligned

__all__ = ["RESTARTS", "TOLERANCE", "Solver", "peers"]

RESTARTS, TOLERANCE = 100, 1e-6

Solver = Callable[[Array], Array]
"""(4, 4) pose to (nq,) positions in Revolute's order."""


def peers(case: Case, frame: str) -> Iterator[tuple[str, Solver, int]]:
    """Name, solver and number of poses that it is asked for."""
    yield "Pinocchio, damped loop in Python", pinocchio_loop(case, frame), 100
    if importlib.util.find_spec("roboticstoolbox"):
        yield "Robotics Toolbox, `ik_LM` in C", toolbox(case, frame), 2000
    if importlib.util.find_spec("pink") and importlib.util.find_spec("quadprog"):
        yield "pink, with quadprog", pink_loop(case, frame), 20


def pinocchio_loop(case: Case, frame: str, steps: int = 100) -> Solver:
    """The loop of Pinocchio's documentation, with damping 1e-6, whole steps, limits and restarts."""
    peer, rng = Pinocchio(case), np.random.default_rng(0)
    model, data, link = peer.model, peer.data, peer.model.getFrameId(frame)
    lower, upper = model.lowerPositionLimit, model.upperPositionLimit

    def solve(pose: Array) -> Array:
        goal = pin.SE3(pose)
        for _ in range(RESTARTS + 1):
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


def _places(peer: Pinocchio) -> Array:
    """Where Revolute's velocities stand in Pinocchio's order."""
    return np.argsort(peer.order)


def toolbox(case: Case, frame: str) -> Solver:
    """The same chain as elementary transforms."""
    from roboticstoolbox import ET, ETS  # type: ignore[import-not-found]

    robot = aligned(case.robot)
    path, link = path_to(robot, frame), robot.frame(frame)
    parts = []
    for i in path:
        body = robot.bodies[i]
        k = robot.q_index[i].start
        limits = [case.robot.lower_limits[k], case.robot.upper_limits[k]]
        axis = next(j for j, x in enumerate(body.joint.axis) if x)
        turn = (ET.Rx, ET.Ry, ET.Rz)[axis](flip=body.joint.axis[axis] < 0, qlim=limits)
        parts += [ET.SE3(body.placement.matrix()), turn]
    chain = ETS([*parts, ET.SE3(link.placement.matrix())])
    places, rest = [robot.q_index[i].start for i in path], case.robot.home()

    def solve(pose: Array) -> Array:
        found = chain.ik_LM(pose, ilimit=30, slimit=RESTARTS + 1, tol=TOLERANCE**2 / 2, joint_limits=True)
        q = rest.copy()
        q[places] = found.q if hasattr(found, "q") else found[0]
        return q

    return solve


def pink_loop(case: Case, frame: str, steps: int = 100) -> Solver:
    """Whole steps of `solve_ik` with one frame task, limits by quadprog, and restarts."""
    import pink  # type: ignore[import-not-found]

    peer, rng = Pinocchio(case), np.random.default_rng(0)
    model, lower, upper = peer.model, peer.model.lowerPositionLimit, peer.model.upperPositionLimit
    task = pink.FrameTask(frame, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)

    def solve(pose: Array) -> Array:
        task.set_target(pin.SE3(pose))
        for _ in range(RESTARTS + 1):
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
