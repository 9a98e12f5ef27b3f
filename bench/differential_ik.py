"""Differential inverse kinematics beside pink and mink: `python -m bench.differential_ik pink=PYTHON mink=PYTHON`.

It writes DIFFERENTIAL_IK.md. Each PYTHON is the interpreter of an environment with `pip install pin-pink daqp`, or
`pip install mink daqp`. Times are taken in turns, from Python, on one core. `targets=200` moves to fewer than 1,000.
Time to compile is that without a cache: set REVOLUTE_CACHE_DIR to an empty folder.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import revolute
from bench.robots import Array, Case
from bench.tables import machine, table
from bench.timing import only_cores
from revolute import Contact, Plane
from revolute.control import DifferentialIK, PointTask, PoseTask, PostureTask

__all__ = ["targets"]

PAGE, PEER = Path(__file__).with_name("DIFFERENTIAL_IK.md"), Path(__file__).with_name("differential_ik_peer.py")
FRAME, POINT, DT, TICKS, REST, CLOSE = "panda_link8", "panda_link4", 0.01, 600, 1e-6, 1e-3
TURNS, CALLS, ROWS = 9, 300, 1024
ROW = ", a row"
POSE = f"pose of {FRAME}"

ABOUT = f"""# Differential inverse kinematics beside pink and mink

Written by `python -m bench.differential_ik pink=PYTHON mink=PYTHON`.

A Panda in ticks (control steps) of {DT} s, with three tasks: the pose of {FRAME}, the position of {POINT} and a
posture, within limits of position and velocity. All gains, except that of the posture, bring an error to zero in one
tick. Times are medians of calls from Python that take turns.
"""


def targets(robot: revolute.Robot, reachable: int = 800, beyond: int = 200) -> tuple[Array, Array]:
    """(n, 4, 4) poses of random positions within limits; and poses 0.3 m or more beyond what the arm reaches."""
    T = np.array(robot.forward_kinematics(robot.random_configuration(reachable, rng=4), FRAME))
    U = np.array(robot.forward_kinematics(robot.random_configuration(beyond, rng=5), FRAME))
    d = U[:, :3, 3] - [0, 0, 0.333]
    long = np.linalg.norm(d, axis=1)[:, None]
    U[:, :3, 3] += d / long * (0.3 + np.maximum(0, 0.9 - long))
    return T, U


class Peer:
    """Another library, in a process of its own."""

    def __init__(self, name: str, python: str, job: dict[str, Any]) -> None:
        self.name = name
        command = [python, str(PEER), name]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask(json.dumps(job))

    def ask(self, request: str) -> None:
        """Send a line."""
        assert self._process.stdin
        self._process.stdin.write(f"{request}\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        """The next line."""
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())

    def time(self) -> float:
        """Microseconds of a tick."""
        self.ask("time")
        return float(self.answer())

    def loops(self, count: int) -> Iterator[tuple[Array, Array]]:
        """Positions and velocities of the motions to all targets."""
        self.ask("loops")
        for _ in range(count):
            q, v = self.answer()
            yield np.array(q).reshape(-1, 7), np.array(v).reshape(-1, 7)

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


def problem(home: Array, many: bool = False, **options: Any) -> DifferentialIK:
    """The tasks of the peers: costs are square roots of weights, gains are by tick."""
    robot = _robot()
    tasks = [PoseTask(FRAME, gain=np.inf), PostureTask(weight=1e-4, gain=0.01 / DT)]
    more = [PointTask(POINT, weight=0.01, gain=np.inf)] if many else []
    ik = DifferentialIK(robot, [*tasks, *more], **options)
    ik.set_targets({"posture": home})
    if many:
        ik.set_targets({f"point of {POINT}": robot.forward_kinematics(home, POINT)[:3, 3].copy()})
    return ik


def _robot() -> revolute.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", revolute.ModelWarning)
        return revolute.robots.panda()


def ours(home: Array, T: Array) -> Iterator[tuple[Array, Array]]:
    """Positions and velocities of our motions to all targets, one after the other."""
    ik = problem(home)
    for target in T:
        q, qs, vs = home, [], []
        for _ in range(TICKS):
            v = ik.step(q, DT, {POSE: target})
            q = q + DT * v
            qs.append(q)
            vs.append(v)
            if np.abs(v).max() < REST:
                break
        yield np.array(qs), np.array(vs)


def judged(name: str, motions: Iterator[tuple[Array, Array]], T: Array, reachable: int) -> list[str]:
    """A row of the table of motions."""
    robot = _robot()
    reached, worst, speeds, ticks = 0, 0.0, [], []
    for k, (q, v) in enumerate(motions):
        beyond = (robot.lower_limits - q).max(), (q - robot.upper_limits).max(), (abs(v) - robot.velocity_limits).max()
        worst = max(worst, *beyond)
        if k < reachable:
            close = np.abs(robot.forward_kinematics(q, FRAME) - T[k]).max(axis=(-2, -1)) < CLOSE
            reached += bool(close.any())
            ticks += [int(close.argmax()) + 1] if close.any() else []
        else:
            speeds.append(np.abs(v[-1]).max())
    resting = np.mean(np.array(speeds) < 1e-3)
    cells = f"{reached / reachable:.1%}", f"{statistics.median(ticks):.0f}", f"{worst:.1e}", f"{resting:.1%}"
    return [name, *cells, f"{max(speeds):.2g}"]


def timed(contestants: dict[str, Callable[[], float]]) -> dict[str, float]:
    """Medians of turns."""
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(TURNS):
        for name, once in contestants.items():
            found[name].append(once())
    return {name: statistics.median(x) for name, x in found.items()}


def calls(f: Callable[[], Any], count: int = 10 * CALLS, rows: int = 1) -> Callable[[], float]:
    """Microseconds of a call, or of a row of it."""

    def once() -> float:
        began = time.perf_counter()
        for _ in range(count):
            f()
        return (time.perf_counter() - began) / count / rows * 1e6

    f()
    return once


def walls(home: Array, count: int) -> list[Contact]:
    """Planes at the hand, or at the elbow too, that their targets are behind."""
    robot, normals = _robot(), ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))
    places = [(link, robot.forward_kinematics(home, link)[:3, 3]) for link in (FRAME, POINT)]
    planes = [Contact(link, surface=Plane(n, float(np.dot(n, p)))) for link, p in places for n in normals]
    return planes[:count]


def active(ik: DifferentialIK, home: Array, planes: Sequence[Contact]) -> int:
    """Number of rows at their bounds: planes that the links do not leave, and coordinates at limits."""
    robot, v = _robot(), ik.step(home, DT)
    count = int((np.abs(np.abs(v) - robot.velocity_limits) < 1e-9).sum())
    for contact in planes:
        J = robot.jacobian(home, str(contact.links if isinstance(contact.links, str) else contact.links[0]), "aligned")
        count += bool(abs(np.dot(contact.surface.normal, J[3:] @ v)) < 1e-6)  # type: ignore[union-attr]
    return count


def contestants(home: Array, near: Array) -> dict[str, Callable[[], float]]:
    """Our ticks, one a call and in a batch of states close to it."""
    found: dict[str, Callable[[], float]] = {}
    q, T = home + 1e-3 * np.random.default_rng(1).standard_normal((ROWS, 7)), np.tile(near, (ROWS, 1, 1))
    close = np.array(_robot().forward_kinematics(home, FRAME))
    close[:3, 3] += 0.1 * (near - close)[:3, 3]
    free: dict[str, Any] = {"position": False, "velocity": np.inf}
    kinds = [("no limits", free, [], near), ("limits of joints", {}, [], close), ("limits of joints", {}, [], near)]
    kinds += [(f"limits of joints, {k} planes", {}, walls(home, k), near) for k in (3, 6)]
    for label, options, planes, target in kinds:
        ik = problem(home, True, limits=planes, **options)
        ik.kernel.prepare()
        ik.set_targets({POSE: target})
        name = f"Revolute, {label}, {0 if options else active(ik, home, planes)} active"
        found[name] = calls(lambda ik=ik: ik.step(home, DT))  # type: ignore[misc]
        T[:] = target
        arrays = [np.zeros(7), np.array(DT), ik.parameters, T.copy(), home, ik.targets[f"point of {POINT}"]]
        found[f"{name}{ROW}"] = calls(
            lambda k=ik.kernel, x=arrays: k(q, *x, threads=1), 3, ROWS  # type: ignore[misc]
        )
    return found


def humanoid() -> list[str]:
    """A row for a G1: time to compile, of a tick, in microseconds."""
    robot = Case("g1", "G1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", "free").robot
    frames, q = ("left_ankle_roll_link", "right_ankle_roll_link", "torso_link"), robot.neutral()
    tasks = [*(PoseTask(frame, gain=np.inf) for frame in frames), PostureTask(weight=1e-4)]
    ik = DifferentialIK(robot, tasks)
    began = time.process_time()
    ik.kernel.prepare()
    compiled = time.process_time() - began
    ik.set_targets({f"pose of {x}": np.array(robot.forward_kinematics(q, x)) + 0.01 * np.eye(4, k=3) for x in frames})
    ik.set_targets({"posture": q})
    own = timed({"tick": calls(lambda: ik.step(q, DT), CALLS)})["tick"]
    return ["G1, 35 coordinates, three poses, posture, limits", f"{compiled:.1f} s", f"{own:.1f}"]


def page(pythons: dict[str, str], count: int) -> str:
    """The report."""
    robot = _robot()
    home = np.clip([0, -0.785, 0, -2.356, 0, 1.571, 0.785], robot.lower_limits + 0.01, robot.upper_limits - 0.01)
    near = np.array(robot.forward_kinematics(home, FRAME))
    near[:3, 3] += [0.02, -0.01, 0.01]
    reachable, beyond = targets(robot, count * 4 // 5, count // 5)
    T = np.concatenate([reachable, beyond])
    job = {
        "urdf": robot.to_urdf(), "mjcf": robot.to_mjcf(), "frame": FRAME, "point": POINT, "home": home.tolist(),
        "dt": DT, "near": near.tolist(), "calls": CALLS, "targets": T.tolist(), "ticks": TICKS, "rest": REST,
        "speeds": robot.velocity_limits.tolist(),
    }  # fmt: skip
    peers = [Peer(name, python, job) for name, python in pythons.items()]
    times = timed({**{peer.name: peer.time for peer in peers}, **contestants(home, near)})
    rows = [judged("Revolute", ours(home, T), T, len(reachable))]
    rows += [judged(peer.name, peer.loops(len(T)), T, len(reachable)) for peer in peers]
    for peer in peers:
        peer.end()
    ticks = [
        [name, f"{x:.2f}", f"{times[name + ROW]:.2f}" if name + ROW in times else ""]
        for name, x in times.items()
        if not name.endswith(ROW)
    ]
    head = ["", "reached", "ticks", "largest violation", "at rest in front of others", "fastest of them, rad/s"]
    return "\n".join([
        ABOUT, table(["a tick", "µs", f"a row of {ROWS:,}, µs"], ticks), "",
        f"{len(reachable)} targets within reach (to {CLOSE} rad and m), {len(beyond)} out of reach, {TICKS} ticks:", "",
        table(head, rows), "", table(["", "compiled in", "µs"], [humanoid()]), "", machine(), "",
    ])  # fmt: skip


def main(arguments: Sequence[str]) -> None:
    """Write the page."""
    with only_cores(1):
        pythons = dict(x.split("=", 1) for x in arguments)
        count = int(pythons.pop("targets", "1000"))
        PAGE.write_text(page(pythons, count))


if __name__ == "__main__":
    main(sys.argv[1:])
