"""Motions: `Robot.simulate` beside `mujoco.rollout`, the same steps of the same robots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco  # type: ignore[import-untyped]
import numpy as np
from mujoco import rollout

import revolute
from bench.mujoco_peer import MuJoCo
from bench.robots import Case
from bench.timing import Contestant

__all__ = ["LEAST", "ROBOTS", "STEPS", "contest"]

ROBOTS, STEPS, H, DAMPING = 1024, 200, 1e-3, 2.0
LEAST = 40.0


def contest(case: Case) -> list[Contestant]:
    """Both libraries' motions: robots fall under gravity and damping by semi-implicit Euler's method."""
    damped = _damped(case.robot)
    states = case.states(ROBOTS)
    t = np.arange(STEPS + 1) * H
    peer = MuJoCo(_with_robot(case, damped))
    model = peer.model
    model.opt.timestep, model.opt.integrator = H, mujoco.mjtIntegrator.mjINT_EULER
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)  # damping is explicit in ours, too
    model.dof_damping[:] = DAMPING
    theirs = peer.states(states)
    start = np.hstack([np.zeros((ROBOTS, 1)), theirs.q, theirs.qd])
    names: dict[str, Any] = {
        "robot": damped, "q0": states.q, "qd0": states.qd, "t": t,
        "rollout": rollout, "model": model, "data": peer.data, "start": start, "steps": STEPS,
    }
    ours = "robot.simulate(q0, qd0, None, t, 'semi_implicit_euler', joint_damping=True)"
    peers = "rollout.rollout(model, [data], start, nstep=steps)"
    motion = eval(ours, dict(names))
    found, _ = eval(peers, dict(names))
    assert np.abs(motion.q[:, -1] - found[:, -1, 1 : 1 + model.nq]).max() < 1e-12
    return [Contestant("Revolute", ours, names, ROBOTS), Contestant("MuJoCo", peers, names, ROBOTS)]


def _damped(robot: revolute.Robot) -> revolute.Robot:
    base, *moving = robot.bodies
    bodies = (replace(body, drive=replace(body.drive, damping=(DAMPING,) * body.joint.nv)) for body in moving)
    return replace(robot, bodies=(base, *bodies))


def _with_robot(case: Case, robot: revolute.Robot) -> Case:
    other = replace(case)
    other.__dict__["robot"] = robot
    return other
