"""Plans with contacts beside Crocoddyl: `python -m bench.contact_plans PYTHON [times|minima|replays|walks|humanoid]`.

It writes CONTACT_PLANS.md, or one part. PYTHON is the interpreter of an environment with `pip install
crocoddyl==3.2.1 pin==4.0`. Both solve the same problems from the same first plan, on one thread each.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

import revolute
from bench.optimal import PANDA, SOLO, TALOS, Pair, bounded, legged, panda
from bench.robots import Array
from bench.tables import machine, table
from bench.timing import only_cores
from bench.whole_body import mujoco_world
from revolute import Contact, Plane
from revolute.dynamics.optimal.holding import DAMPING, SHARED, axes_of
from revolute.optimal import (
    ConeCost,
    ContactForceCost,
    ContactSchedule,
    Cost,
    OptimalControl,
    Phase,
    StateCost,
    SwingHeightCost,
    TorqueCost,
    TouchDownCost,
    gait,
)
from revolute.optimal.fddp import RUNNING
from revolute.optimal.first_plan import first_plan
from tools.gallery import trot

PAGE, PEER = Path(__file__).with_name("CONTACT_PLANS.md"), Path(__file__).with_name("contact_plans_peer.py")
LEGS = trot.LEGS
SOLES = ("left_sole_link", "right_sole_link")
MOST, TURNS, WINDOW = 20, 5, 30
"""Iterations that are timed, and how often; steps of predictive control of a humanoid."""
PUSHES = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0)
STIFF = ", solref of 2 ms, impratio=100"
WORLDS: dict[str, dict[str, Any]] = {
    "": {}, ", noslip_iterations=10": {"noslip": 10}, ", impratio=100": {"impratio": 100},
    ", solref of 5 ms, impratio=100": {"solref": 0.005, "impratio": 100}, ", solref of 2 ms": {"solref": 0.002},
    STIFF: {"solref": 0.002, "impratio": 100},
}  # fmt: skip
"""Settings of MuJoCo's contacts. Two steps of a simulation are the least of solref."""
TOUCHES = 1e-4
"""Height of a foot that touches the ground [m]."""
REPLAYS = """A plan's forces, corrected by its gains, in a simulation with steps of 1 ms. Slip is the largest distance
that a foot moves along the ground while it is planned to stand, from its touch-down on. MuJoCo's contacts are springs
with the time constant solref, 20 ms by default: light feet sink by millimetres, and slide while they sink. Distances
from planned places are errors of the plan's own steps, of 20 ms for the trot and 10 ms for the jump.

"""


@dataclass(frozen=True)
class Problem:
    """A problem for both.

    Attributes:
        label: in tables.
        robot: makes the robot.
        bent: {joint: position} of the posture.
        contacts: of the robot.
        phases: of the feet, by name and place.
        dt: length of a step [s].
        ratio: how many times faster an iteration has to be.
        weights: of base rotation, base position, joints, and their velocities.
        effort, height, cone, force: other weights.
        goal_force: force (3,) on the contact [N].
        start: changes of joints at the start [rad].
    """

    label: str
    robot: Callable[[], revolute.Robot]
    bent: dict[str, float]
    contacts: Sequence[Contact]
    phases: Callable[[dict[str, Array]], list[Phase]]
    dt: float
    ratio: float
    weights: tuple[float, ...] = (10, 100, 1, 1, 10, 0.02)
    effort: float = 1.0
    height: float = 1e4
    cone: float = 1.0
    force: float = 0.0
    goal_force: tuple[float, ...] = (0.0, 0.0, 0.0)
    start: dict[str, float] = field(default_factory=dict)
    step_height: float = 0.05
    lowest: str | None = None

    @cached_property
    def model(self) -> revolute.Robot:
        """The robot."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", revolute.ModelWarning)
            return self.robot()

    @cached_property
    def free(self) -> bool:
        """Whether the base moves."""
        return isinstance(self.model.bodies[1].joint, revolute.Free)

    def posture(self, joints: dict[str, float]) -> Array:
        """A configuration whose lowest foot is on the ground."""
        q = np.array(self.model.configuration(joints))
        if self.free:
            q[2] -= self.model.forward_kinematics(q, self.contacts[0].link)[2, 3]
        return q

    @cached_property
    def schedule(self) -> ContactSchedule:
        """Of the contacts."""
        q = self.posture(self.bent)
        feet = ContactSchedule.feet(self.model, self.contacts, q)
        return ContactSchedule.of(
            self.model, self.contacts, self.phases(feet), q, dt=self.dt, step_height=self.step_height
        )

    @cached_property
    def state_weights(self) -> Array:
        """(2 nv,) weights of the state."""
        n, w = self.model.nv, self.weights
        joints = n - 6 * self.free
        base = [[w[0]] * 3 + [w[1]] * 3, [w[3]] * 3 + [w[4]] * 3] if self.free else [[], []]
        return np.array([*base[0], *[w[2]] * joints, *base[1], *[w[5]] * joints], float)

    @property
    def soles(self) -> bool:
        """Whether a link has several contacts."""
        return len({contact.link for contact in self.contacts}) < len(self.contacts)

    @cached_property
    def ours(self) -> OptimalControl:
        """The problem for Revolute, with the contacts of Crocoddyl."""
        return self.with_costs(contact_gains=(0, 1 / self.dt))

    def with_costs(self, *more: Cost, **options: Any) -> OptimalControl:
        """The problem for Revolute with more costs."""
        effort = [0.0] * 6 * self.free + [self.effort] * (self.model.nv - 6 * self.free)
        state, found = StateCost(self.state_weights), list[Cost]([TorqueCost(effort)])
        if self.height:
            found.append(SwingHeightCost(self.height))
        if self.cone:
            found.append(ConeCost(self.cone, facets=4))
        if self.force:
            found.append(ContactForceCost(self.force))
        given = {"steps": len(self.schedule.active), "dt": self.dt, "contacts": self.contacts} | options
        return OptimalControl(self.model, [state, *found, *more], terminal=[state], **given)

    @property
    def goal(self) -> dict[str, Any]:
        """Goals by the names of costs."""
        found: dict[str, Any] = {"state": self.schedule.states}
        if self.height:
            found["swing height"] = self.schedule.heights
        return found | ({"contact forces": np.array([self.goal_force])} if self.force else {})

    @cached_property
    def first(self) -> tuple[Array, Array]:
        """The first plan: states and forces."""
        q = self.posture(self.bent | self.start)
        x = np.tile(np.append(q, np.zeros(self.model.nv)), (len(self.schedule.t), 1))
        robot, J = self.model, []
        tau = robot.gravity_forces(q)
        if self.free:
            for contact in self.contacts:
                R = robot.forward_kinematics(q, contact.link)[:3, :3]
                columns = robot.jacobian(q, contact.link, "aligned")
                J.append(columns[3:] + np.cross(columns[:3], R @ contact.point, axisa=0, axisc=0))
            rows = np.vstack(J)
            tau = tau - rows.T @ np.linalg.lstsq(rows[:, :6].T, tau[:6], rcond=None)[0]
            tau[:6] = 0
        return x, np.tile(tau, (len(x) - 1, 1))

    def job(self, **more: Any) -> dict[str, Any]:
        """The problem for Crocoddyl."""
        plan, (x, tau) = self.schedule, self.first
        off = 1 - np.vstack([plan.active, 1 + 0 * plan.active[-1:]])  # there is no such cost at the end
        normal, *along = ([*axis] for axis in axes_of(self.contacts[0]))
        return {
            "urdf": bounded(self.model.to_urdf()), "nodes": len(plan.active), "dt": self.dt, "free": int(self.free),
            "joints": self.model.joint_names[self.free :],
            "contacts": [(contact.link, contact.point) for contact in self.contacts],
            "active": plan.active.tolist(), "places": plan.places.tolist(), "heights": plan.heights.tolist(),
            "height_weights": (self.height * off).tolist(), "states": plan.states.tolist(),
            "state_weights": self.state_weights.tolist(), "end_weights": self.state_weights.tolist(),
            "effort_weight": self.effort, "cone_weight": self.cone, "force_weight": self.force,
            "force": self.goal_force, "friction": self.contacts[0].friction,
            "axes": np.transpose([*along, normal]).tolist(), "gains": [0.0, 1 / self.dt],
            "damping": (SHARED if self.soles else DAMPING) / self.model.mass, "soles": int(self.soles),
            "x": x.tolist(), "tau": tau.tolist(), "repeats": TURNS, "most": MOST, "sharp": 0,
        } | more  # fmt: skip


def trots(feet: dict[str, Array]) -> list[Phase]:
    """Two seconds."""
    trot = gait("trot", feet, period=0.4, cycles=4, velocity=(0.4, 0, 0))
    return [Phase("stand", 0.2, [*feet]), *trot, Phase("stand", 0.2, [*feet])]


def jumps(feet: dict[str, Array]) -> list[Phase]:
    """One second."""
    ahead = (0.5, 0, 0)
    return [Phase("stand", 0.4, [*feet]), Phase("flight", 0.2, (), ahead), Phase("land", 0.4, [*feet])]


def stands(feet: dict[str, Array]) -> list[Phase]:
    """1.2 s on two feet."""
    return [Phase("stand up", 1.2, [*feet])]


def steps(feet: dict[str, Array]) -> list[Phase]:
    """A step of 1.2 s."""
    return [Phase("shift", 0.4, [*feet]), Phase("step", 0.4, [SOLES[0]], (0.3, 0, 0)), Phase("stand", 0.4, [*feet])]


CROUCH = trot.CROUCH
KNEES = {f"leg_{side}_{k}_joint": x for side in ("left", "right") for k, x in ((3, -0.45), (4, 0.9), (5, -0.45))}
DEEP = {f"leg_{side}_{k}_joint": x for side in ("left", "right") for k, x in ((3, -0.75), (4, 1.5), (5, -0.75))}
POINTS = [Contact(f"{leg}_FOOT", friction=0.7) for leg in LEGS]
CORNERS = [Contact(foot, (x, y, 0), friction=0.6) for foot in SOLES for x in (0.1, -0.1) for y in (0.06, -0.06)]
WALL = [Contact("panda_link8", friction=0.8, surface=Plane((-1, 0, 0), -0.55))]
PROBLEMS = (
    Problem("Solo12 trots, 100 nodes", partial(legged, SOLO), CROUCH, POINTS, trots, 0.02, 5),
    Problem("Solo12 jumps, 100 nodes", partial(legged, SOLO), CROUCH, POINTS, jumps, 0.01, 5, height=0),
    Problem("Talos stands up, 60 nodes", partial(legged, TALOS), KNEES, CORNERS, stands, 0.02, 4, effort=1e-3,
            cone=0, start=DEEP),
    Problem("Talos steps, 60 nodes", partial(legged, TALOS), KNEES, CORNERS, steps, 0.02, 4, effort=1e-3, cone=0),
    Problem("Panda pushes on a wall, 50 nodes", panda, dict(zip([f"panda_joint{k}" for k in range(1, 8)], PANDA,
            strict=True)), WALL, lambda feet: [Phase("push", 0.5, [*feet])], 0.01, 7, height=0, effort=1e-3, force=1e-2,
            goal_force=(-30, 0, 0)),
)  # fmt: skip


def iterations_of(problem: Problem) -> Callable[[], float]:
    """Mean time of the first iterations from the first plan, as Crocoddyl's `solve(xs, us)` has them [s]."""
    ours, (x, tau), nq = problem.ours, problem.first, problem.model.nq
    nodes = ours._shooting(1)
    ours._goals.fill(nodes.p[:, 0], (), problem.goal, None)
    ours._contacts.fill(nodes.p[:, 0], (), problem.schedule.active, None)
    first = first_plan(ours, (x[:, :nq], x[:, nq:], tau), x[0], ())

    def run() -> float:
        before = time.thread_time()
        nodes.x[:, 0], nodes.tau[:-1, 0] = first
        nodes.fields["count"][0] = 0
        nodes.start([0], MOST, 1e-9)
        while nodes.fields["state"][0] == RUNNING:
            nodes.iterate()
        return (time.thread_time() - before) / float(nodes.fields["count"][0])

    return run


def times(pair: Pair) -> str:
    """The table of times."""
    rows = []
    for problem in PROBLEMS:
        run, kind = iterations_of(problem), "soles" if problem.soles else "points"
        run()
        before = [run() for _ in range(TURNS)]
        theirs = statistics.median(pair.ask(problem.job(kinds=[kind]))[kind])
        ours = statistics.median(before + [run() for _ in range(TURNS)])
        numbers = f"{ours * 1e3:.2f}", f"{theirs * 1e3:.2f}", f"{theirs / ours:.1f}", f"{problem.ratio:g}"
        rows.append([problem.label, kind, *numbers])
        print(rows[-1], file=sys.stderr)
    head = ["an iteration", "contacts of Crocoddyl", "Revolute, ms", "Crocoddyl, ms", "times faster", "target"]
    ticks = trot.walk(1.0, clock=time.thread_time).ticks[50:] * 1e3
    middle, late = np.percentile(ticks, [50, 99])
    return table(head, rows) + (
        f"\n\nPredictive control of Solo12, {trot.STEPS} steps of {trot.DT * 1e3:g} ms, called from "
        f"Python every {trot.TICK * 1e3:g} ms: half of the calls take at most {middle:.2f} ms, 99 % at most "
        f"{late:.2f} ms."
    )


def minima(pair: Pair) -> str:
    """The table of minima over the same discrete dynamics."""
    rows = []
    for problem in PROBLEMS:
        x, nq = problem.first[0], problem.model.nq
        options = {"goal": problem.goal, "active": problem.schedule.active, "threads": 1, "iterations": 500}
        plan = problem.ours.solve(x[0, :nq], guess=(x[:, :nq], x[:, nq:], problem.first[1]), tolerance=1e-16, **options)
        answer = pair.ask(problem.job(kinds=[], sharp=300))
        cost = abs(float(plan.cost) / answer["cost"] - 1)
        apart = float(np.abs(np.concatenate([plan.q, plan.qd], axis=-1) - np.array(answer["x"])).max())
        found = f"{int(plan.iterations)} / {answer['iterations']}", f"{plan.cost:.6g}", f"{cost:.1e}", f"{apart:.1e}"
        rows.append([problem.label, *found])
        print(rows[-1], file=sys.stderr)
    return table(["minimum", "iterations, ours / theirs", "cost", "cost differs by a share of", "x differs by"], rows)


def worlds(*names: str, robot: Any, contacts: Sequence[Contact]) -> dict[str, Any]:
    """Steps of simulations, with contacts of these settings of MuJoCo."""
    made = {name: mujoco_world(robot, contacts, dt=trot.FINE, **WORLDS[name]) for name in names}
    return {"Revolute": trot.own_world(robot, contacts), **{f"MuJoCo{name}": x for name, x in made.items()}}


def slip(feet: Array, active: Array) -> float:
    """The largest distance that a foot moves along the ground while it is planned to hold, from its touch-down on [mm].

    Args:
        feet: (N, contacts, 3) at the steps of a simulation [m].
        active: (N, contacts) 1 where a foot is planned to hold. It touches from `TOUCHES` above the ground on, also
            before it is planned to.
    """
    far = [0.0]
    for path, plan in zip(feet.swapaxes(0, 1), active.T, strict=True):
        down, edges = path[:, 2] <= TOUCHES, np.diff(plan, prepend=0, append=0)
        for first, end in zip(np.flatnonzero(edges > 0), np.flatnonzero(edges < 0), strict=True):
            start = first + int(np.argmax(down[first:end]))
            while start and down[start - 1]:
                start -= 1
            far.append(1e3 * float(np.linalg.norm(path[start:end, :2] - path[start, :2], axis=1).max()))
    return max(far)


def replays() -> str:
    """The table of plans that are replayed: their forces, corrected by their gains at each step of a simulation."""
    (walking, jumping, *_), soft = PROBLEMS, TouchDownCost(100.0)
    plans: dict[str, tuple[Problem, Sequence[Cost]]] = {
        "trot": (walking, [soft]), "trot, steps of 5 ms": (replace(walking, dt=0.005), [TouchDownCost(400.0)]),
        "trot, fast landings": (walking, []), "jump": (jumping, [soft]),
    }  # fmt: skip
    columns = {}
    for label, (problem, more) in plans.items():
        x, nq, robot = problem.first[0], problem.model.nq, problem.model
        guess, active = (x[:, :nq], x[:, nq:], problem.first[1]), problem.schedule.active
        plan = problem.with_costs(*more).solve(x[0, :nq], goal=problem.goal, guess=guess, active=active, threads=1)
        every, columns[label] = round(problem.dt / trot.FINE), {}
        for name, world in worlds(*WORLDS, robot=robot, contacts=problem.contacts).items():
            q, qd, path = plan.q[0].copy(), plan.qd[0].copy(), []
            for k in range(len(active) * every):
                path.append(q.copy())
                q, qd = world(q, qd, plan.torque(k * trot.FINE, q, qd), np.zeros(3))
            feet = [robot.forward_kinematics(np.array(path), foot)[:, :3, 3] for foot in trot.FEET]
            moved = slip(np.stack(feet, axis=1), np.repeat(active, every, axis=0))
            off = [
                np.linalg.norm((foot[::every] - robot.forward_kinematics(plan.q[:-1], link)[:, :3, 3])[:, :2], axis=1)
                for foot, link in zip(feet, trot.FEET, strict=True)
            ]
            columns[label][name] = f"{moved:.2f} / {1e3 * (np.transpose(off) * active).max():.0f}"
    names = [*next(iter(columns.values()))]
    head = ["slip / distance from planned places, mm, in the contacts of", *columns]
    return REPLAYS + table(head, [[name, *(x[name] for x in columns.values())] for name in names])


def walks() -> str:
    """The table of predictive control."""
    (robot, contacts, _), rows, every = trot.solo(), [], round(trot.DT / trot.FINE)
    for name, world in worlds("", STIFF, robot=robot, contacts=contacts).items():
        x = trot.walk(10.0, world=world)
        half, active = len(x.t) // 2, np.repeat(trot.trot(10.0, (0.5, 0, 0)).active, every, axis=0)[: len(x.t)]
        speed = (x.q[-1, 0] - x.q[half, 0]) / (x.t[-1] - x.t[half])
        feet = np.stack([robot.forward_kinematics(x.q, foot)[:, :3, 3] for foot in trot.FEET], axis=1)
        most = 0.0
        for push in PUSHES:
            if any(trot.walk(3.5, world=world, push=np.array([0.0, y, 0.0])).fallen for y in (push, -push)):
                break
            most = push
        numbers = f"{speed:.2f}", f"{abs(x.q[-1, 1]):.2f}", str(x.failures), f"{slip(feet, active):.1f}", f"{most:g}"
        rows.append([name, f"{x.t[-1]:.0f}{' (fell)' * x.fallen}", *numbers])
        print(rows[-1], file=sys.stderr)
    head = ["Solo12 in the contacts of", "trots for, s", "speed, m/s", "aside, m", "failures", "slip, mm"]
    return table([*head, "largest push of 0.2 s survived, to the left and right, N"], rows)


def humanoid() -> str:
    """The table of predictive control of Talos, which makes four steps."""
    problem, (left, right), stands = replace(PROBLEMS[3], dt=0.03), SOLES, partial(Phase, "stand", feet=SOLES)
    robot, q0, ahead, late = problem.model, problem.posture(problem.bent), (0.25, 0.0, 0.0), 10 * trot.FINE
    pair = [Phase("step", 0.4, [left], ahead), stands(0.3), Phase("step", 0.4, [right], ahead), stands(0.3)]
    phases = [stands(0.6), *pair, *pair, stands(1.0)]
    schedule = ContactSchedule.of(robot, problem.contacts, phases, q0, dt=problem.dt)
    options = {"contact_gains": (0, 1 / problem.dt), "steps": WINDOW}
    control, every, rows = problem.with_costs(TouchDownCost(100.0), **options), round(problem.dt / trot.FINE), []
    for name, world in worlds("", STIFF, robot=robot, contacts=problem.contacts).items():
        loop, q, qd, out = control.stepper(delay=late), q0.copy(), np.zeros(robot.nv), np.zeros(robot.nv)
        tau, path, ticks = out.copy(), [], []
        for k in range(len(schedule.active) * every):
            if k % 10 == 0:
                tau = out.copy()  # of the tick before, which had the time until now
                part, before = schedule.window((k + 10) // every, WINDOW), time.thread_time()
                goals = {"state": part.states, "swing height": part.heights}
                loop.step(q, qd, goals, out=out, elapsed=late, active=part.active)
                ticks.append(1e3 * (time.thread_time() - before))
            path.append(q.copy())
            q, qd = world(q, qd, tau, np.zeros(3))
        X = np.stack([robot.forward_kinematics(np.array(path), x.link) for x in problem.contacts], axis=1)
        points = (X[..., :3, :3] @ np.array([x.point for x in problem.contacts])[:, :, None])[..., 0] + X[..., :3, 3]
        soles = [robot.forward_kinematics(q, sole)[0, 3] for sole in SOLES]
        moved, times = slip(points, np.repeat(schedule.active, every, axis=0)), np.percentile(ticks[1:], [50, 99])
        numbers = " and ".join(f"{100 * x:.0f}" for x in soles), f"{min(x[2] for x in path):.2f}"
        rows.append([name, *numbers, f"{loop.failures} of {len(ticks)}", f"{moved:.0f}", *(f"{x:.1f}" for x in times)])
        print(rows[-1], file=sys.stderr)
    head = ["Talos in the contacts of", "soles are ahead, cm", "lowest base, m", "ticks failed", "slip of corners, mm"]
    return (
        f"Four steps under predictive control of {WINDOW} steps of {problem.dt * 1e3:g} ms, called every 10 ms. Forces "
        "act from the next call on (`delay=0.01`).\n\n"
    ) + table([*head, "half of the ticks take, ms", "99 % take, ms"], rows)


PARTS: dict[str, Callable[[Pair], str]] = {
    "times": times, "minima": minima, "replays": lambda pair: replays(), "walks": lambda pair: walks(),
    "humanoid": lambda pair: humanoid(),
}  # fmt: skip
ABOUT = """# Plans with contacts beside Crocoddyl

Written by `python -m bench.contact_plans PYTHON [times|minima|replays|walks|humanoid]`.

Crocoddyl 3.2.1, one thread, processor time. The time of an iteration is the mean of at most the first 20; solvers take
turns, and figures are medians. Times are those of Crocoddyl's C++ actions, with contacts of points or of whole
soles (6D) that satisfy J qdd + dJ/dt qd + J qd / dt = 0, and the same gains. Minima are compared over the same discrete
dynamics: Revolute's step as an action in Python. Crocoddyl's derivatives of redundant points have no correct digits;
such points have dynamics in Python, with dJ/dt qd of a rigid body that spins about the mean of its points, as in
Revolute. Rounding errors of their rows hide small changes, so for them Crocoddyl's search ends at an expected change of
1e-13, otherwise at 1e-16.
"""


def main(python: str, parts: Sequence[str]) -> None:
    """Write these parts of the page, by default all."""
    pair = Pair(python, PEER)
    with only_cores(1):
        new = {name: f"{name.capitalize()}\n\n{PARTS[name](pair)}" for name in parts or PARTS}
    pair.close()
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    known = {part.split()[0].lower(): part for part in text.split("\n## ")[1:]} | new
    found = [ABOUT, *(known[name] for name in PARTS if name in known), machine().removeprefix("## ")]
    PAGE.write_text("\n\n## ".join(x.strip() for x in found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
