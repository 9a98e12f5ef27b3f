"""Control loops: a law in Python and compiled, the step of a real loop, thousands of loops at once."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import revolute
from bench.timing import Contestant

__all__ = ["ALONE", "LOOPS", "OwnLaw", "loops", "networks", "one_arm", "percentiles"]

LOOPS, STEPS, H = 4096, 1000, 1e-3
ALONE = 8
"""Robots of the loop over robots, whose time grows with their number."""


class OwnLaw:
    """Computed torque as a user writes it: Python around one call of the library."""

    def __init__(self, robot: revolute.Robot, wanted: Any, stiffness: float) -> None:
        self.robot, self.wanted = robot, wanted
        self.stiffness, self.damping = stiffness, 2 * stiffness**0.5

    def torque(self, t: float, q: Any, qd: Any) -> Any:
        """M (K_p (q_ref - q) - K_d qd) + C qd + g."""
        return self.robot.inverse_dynamics(q, qd, self.stiffness * (self.wanted - q) - self.damping * qd)


def one_arm(robot: revolute.Robot) -> list[Contestant]:
    """Ten seconds of computed torque at 1 kHz: the library's law, compiled, and one in Python."""
    home = robot.home()
    names = {
        "robot": robot,
        "q0": home + 0.1,
        "qd0": np.zeros(robot.nv),
        "t": np.arange(10 * STEPS + 1) * H,
        "law": revolute.control.ComputedTorque(robot, home, 100.0),
        "own": OwnLaw(robot, home, 100.0),
    }
    return [
        Contestant(x, f"robot.simulate(q0, qd0, {x}, t, 'semi_implicit_euler')", names, 10 * STEPS)
        for x in ("law", "own")
    ]


def loops(robot: revolute.Robot, every: int) -> Contestant:
    """Many closed loops of a robot whose gains and inertial parameters differ by row."""
    rng = np.random.default_rng(0)
    spread = rng.uniform(0.8, 1.2, (2, LOOPS, robot.nv))
    law = revolute.control.ComputedTorque(robot, np.zeros(robot.nq), 100.0 * spread[0], 20.0 * spread[1])
    names = {
        "robot": robot,
        "law": law,
        "t": np.arange(STEPS + 1) * H,
        "q0": rng.uniform(-0.5, 0.5, (LOOPS, robot.nq)),
        "qd0": np.zeros((LOOPS, robot.nv)),
        "pi": robot.inertial_parameters * rng.uniform(0.9, 1.1, (LOOPS, 1, 1)),
    }
    call = f"robot.simulate(q0, qd0, law, t, 'semi_implicit_euler', parameters=pi, every={every}, threads=1)"
    return Contestant(f"every {every}", call, names, LOOPS * STEPS)


def networks(robot: revolute.Robot, steps: int) -> list[Contestant]:
    """Robots under a network in NumPy, 64 hidden units, float32: a batch, one call a step; and one after the other."""
    rng = np.random.default_rng(0)
    first, last = (rng.normal(0, 0.2, shape).astype(np.float32) for shape in ((2 * robot.nv, 64), (64, robot.nv)))

    def network(t: float, q: Any, qd: Any) -> Any:
        return np.tanh(np.concatenate([q, qd], axis=-1, dtype=np.float32) @ first) @ last

    names = {
        "robot": robot, "network": network, "t": np.arange(steps + 1) * H, "qd0": np.zeros(robot.nv),
        "q0": robot.home() + rng.uniform(-0.1, 0.1, (LOOPS, robot.nq)),
    }
    call = f"robot.simulate({{}}, qd0, network, t, 'semi_implicit_euler', every={steps}, threads=1)"
    alone = f"[{call.format('q')} for q in q0[:{ALONE}]]"
    return [
        Contestant("batch", call.format("q0"), names, LOOPS * steps),
        Contestant("one by one", alone, names, ALONE * steps),
    ]


def percentiles(robot: revolute.Robot, calls: int) -> tuple[float, float]:
    """Median and 99th percentile of the time of a step of a real loop [s], clock included."""
    home, out = robot.home(), np.empty(robot.nv)
    step = revolute.control.ComputedTorque(robot, home, 100.0).stepper(H).step
    q, qd, still = home + 0.1, np.zeros(robot.nv), np.zeros(robot.nv)
    seconds = np.empty(calls)
    for k in range(calls):
        begin = time.perf_counter()
        step(q, qd, home, still, still, out=out)
        seconds[k] = time.perf_counter() - begin
    return float(np.median(seconds)), float(np.percentile(seconds, 99))
