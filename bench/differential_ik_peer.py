"""Ticks of pink or mink for `bench.differential_ik`: `PYTHON differential_ik_peer.py pink`, where it is installed.

The first line of the standard input is the job. Each other line is a request, "time" or "loops", answered by a line.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Tick = Callable[..., Any]


def pink_tick(job: dict[str, Any], many: bool) -> Tick:
    """v of q and the target of the pose; many: of three tasks."""
    import pink  # type: ignore[import-not-found]
    import pinocchio as pin  # type: ignore[import-untyped]

    model = pin.buildModelFromXML(job["urdf"])
    data, home, dt = model.createData(), np.array(job["home"]), job["dt"]
    pose = pink.tasks.FrameTask(job["frame"], 1.0, 1.0, lm_damping=1e-6)
    posture = pink.tasks.PostureTask(cost=1e-2, gain=0.01)
    posture.set_target(home)
    tasks = [pose, posture]
    if many:
        point = pink.tasks.FrameTask(job["point"], position_cost=0.1, orientation_cost=0.0)
        point.set_target_from_configuration(pink.Configuration(model, data, home))
        tasks.append(point)

    def tick(q: Any, T: Any) -> Any:
        pose.set_target(pin.SE3(T[:3, :3], T[:3, 3]))
        configuration = pink.Configuration(model, data, q)
        return pink.solve_ik(configuration, tasks, dt, solver="daqp", damping=1e-6, safety_break=False)

    return tick


def mink_tick(job: dict[str, Any], many: bool) -> Tick:
    """The same of mink."""
    import mink  # type: ignore[import-not-found]
    import mujoco  # type: ignore[import-untyped]

    model = mujoco.MjModel.from_xml_string(job["mjcf"])
    configuration, dt = mink.Configuration(model), job["dt"]
    sites = [model.site(k).name for k in range(model.nsite)]

    def frame_task(name: str, *costs: float, **more: float) -> Any:
        return mink.FrameTask(name, "site" if name in sites else "body", *costs, **more)

    pose, posture = frame_task(job["frame"], 1.0, 1.0, lm_damping=1e-6), mink.PostureTask(model, 1e-2, gain=0.01)
    posture.set_target(np.array(job["home"]))
    tasks = [pose, posture]
    if many:
        configuration.update(np.array(job["home"]))
        point = frame_task(job["point"], 0.1, 0.0)
        point.set_target_from_configuration(configuration)
        tasks.append(point)
    speeds = {model.joint(k).name: x for k, x in enumerate(job["speeds"])}
    limits = [mink.ConfigurationLimit(model), mink.VelocityLimit(model, speeds)]

    def tick(q: Any, T: Any) -> Any:
        configuration.update(q)
        pose.set_target(mink.SE3.from_matrix(T))
        return mink.solve_ik(configuration, tasks, dt, "daqp", 1e-6, limits=limits)

    return tick


def main(which: str) -> None:
    """Answer requests."""
    job = json.loads(sys.stdin.readline())
    make = {"pink": pink_tick, "mink": mink_tick}[which]
    one, three = make(job, False), make(job, True)
    home, near = np.array(job["home"]), np.array(job["near"])
    for line in sys.stdin:
        if line.strip() == "time":
            began = time.perf_counter()
            for _ in range(job["calls"]):
                three(home, near)
            print((time.perf_counter() - began) / job["calls"] * 1e6, flush=True)
            continue
        for T in np.array(job["targets"]):
            q, qs, vs = home, [], []
            for _ in range(job["ticks"]):
                try:
                    v = one(q, T)
                except Exception:  # no solution within limits
                    break
                q = q + job["dt"] * v
                qs.append(q.tolist())
                vs.append(np.asarray(v).tolist())
                if np.abs(v).max() < job["rest"]:
                    break
            print(json.dumps([qs, vs]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
