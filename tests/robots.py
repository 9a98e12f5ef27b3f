"""Robots to test with: random trees, the URDF files of example-robot-data, and Pinocchio's order of joints."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import revolute
from revolute import (
    Drive,
    Free,
    Helical,
    Inertia,
    Joint,
    Limits,
    Link,
    ModelWarning,
    Planar,
    Prismatic,
    Revolute,
    Robot,
    Spherical,
    Transform,
)
from revolute.compiler.signature import Signature
from revolute.dynamics.newton_euler import newton_euler
from revolute.graph import verify
from revolute.library.random_tree import TYPES
from revolute.machine.machine import Machine
from revolute.targets.numpy import evaluate

FILES: dict[str, Path] = {
    f"{path.parts[-3]}/{path.stem}": Path(str(path.locate()))
    for path in sorted(distribution("example_robot_data").files or ())
    if path.suffix == ".urdf"
}


class _Pinocchio:
    """Pinocchio. It has no wheels for Windows: tests that ask for it are skipped where it is not installed."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # which pytest asks of all that a module holds
            raise AttributeError(name)
        return getattr(pytest.importorskip("pinocchio"), name)


pin = _Pinocchio()

FEW_ARMS = ("ur_description/ur5_robot", "talos_data/talos_left_arm", "panda_description/panda")
"""Arms for tests that need some."""

NO_ROBOT = {"ur_description/ur3": "it has no links"}
"""Files that neither Pinocchio nor Revolute can load, with the reason that Revolute gives."""

LOADABLE = sorted(FILES.keys() - NO_ROBOT.keys())
"""All others."""

RELATIVES = {
    *("a1_description/a1", "b1_description/b1", "b1_description/b1-z1", "go1_description/go1"),
    *("alex_description/alex_sake_hands", "alex_description/alex_psyonic_hands"),
    *("allegro_hand_description/allegro_right_hand", "anymal_b_simple_description/anymal-kinova"),
    *("centauro_description/centauro", "g1_description/g1_29dof_with_hand_rev_1_0", "icub_description/icub"),
    *("romeo_description/romeo_laas_small", "romeo_description/romeo_small"),
    *("simple_humanoid_description/simple_humanoid_classical", "talos_data/talos_full_v2_box"),
    *("talos_data/talos_reduced_box", "talos_data/talos_reduced_corrected"),
    *("tiago_description/tiago", "tiago_description/tiago_dual", "tiago_pro_description/tiago_pro"),
}
"""Large robots that differ little from another file's, or that are made of two of them."""

EACH = [pytest.param(name, marks=pytest.mark.slow if name in RELATIVES else ()) for name in LOADABLE]
"""All robots, for the parameters of a test; relatives are left to `make test-all`."""

KINDS = {
    "hector_description/quadrotor_base": "no joints",
    "iris_description/iris": "many joints on the base",
    "double_pendulum_description/double_pendulum_continuous": "joints without limits",
    "hextilt_description/hextilt_flying_arm_5": "an arm",
    "kinova_description/kinova": "an arm, some of whose joints have no limits",
    "panda_description/panda": "sliders, one of which mimics the other",
    "so_arm_description/so100": "axes and frames at any angle",
    "allegro_hand_description/allegro_left_hand": "a hand",
    "solo_description/solo12": "four legs",
    "tiago_description/tiago_no_hand": "wheels, a lift and an arm",
    "talos_data/talos_reduced": "a humanoid",
    "romeo_description/romeo_laas_small": "a humanoid whose fingers have no mass",
}
"""A robot of each kind, and what makes it one."""

EACH_KIND = [pytest.param(name, marks=() if name in KINDS else pytest.mark.slow) for name in LOADABLE]
"""For the parameters of a test of what does not depend on how a file is read; others are left to `make test-all`."""

MASSLESS = {"romeo_description/romeo", "romeo_description/romeo_laas_small"}
"""Files with joints that move no mass, whose M is singular everywhere."""

NO_JOINTS = {"hector_description/quadrotor_base", "iris_description/iris_simple"}
"""Files without a joint that moves, but for a free base."""


BOX = Inertia.from_com(2.0, (0.1, 0.2, -0.3), np.diag([0.2, 0.3, 0.4]))


SEEDS = st.integers(0, 1000)


def every(*strategies: Any, examples: int = 12, **named: Any) -> Callable[..., Any]:
    """A test over so many examples that Hypothesis draws."""
    return lambda test: settings(max_examples=examples, deadline=None)(given(*strategies, **named)(test))


def signature(machine: Machine, name: str, options: dict[str, Any]) -> Signature:
    """A function of a machine, ready to be traced."""
    return machine._signature(name, options)


def traced(machine: Machine, name: str, *arrays: np.ndarray, **options: Any) -> list[np.ndarray]:
    """A function's graph, checked and evaluated by NumPy."""
    graph = verify(signature(machine, name, options).graph())
    found = evaluate(graph, {x.name: array for x, array in zip(graph.inputs, arrays, strict=True)})
    graph.forget()
    return list(found.values())


@st.composite
def trees(draw: st.DrawFn, most: int = 8, bases: tuple[str, ...] = ("fixed", "free")) -> Robot:
    """Random trees of revolute and prismatic joints about any axis; some of them, smaller, with all joint types.

    Hypothesis begins with the first of each choice: with three joints of the types that few trees have.
    """
    if "free" in bases and draw(st.integers(0, 4)) == 0:
        seed = draw(st.sampled_from((35, 13, 28, 20)))  # each of the types once
        return revolute.robots.random_tree(3, rng=seed, types=("helical", "planar", "spherical"))
    types = draw(st.sampled_from([(), tuple(TYPES)])) if "free" in bases else ()
    n = draw(st.integers(1, max(most // 3, 1) if types else most))
    return revolute.robots.random_tree(
        n, rng=draw(st.integers(0, 10_000)), base=draw(st.sampled_from(bases)), types=types
    )


def loaded(source: str | Path, base: str = "fixed") -> Robot:
    """A robot of a file or text, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return revolute.load(source, base)


@cache
def load(name: str, base: str = "fixed") -> Robot:
    """A robot of `FILES`."""
    return loaded(FILES[name], base)


@cache
def pair(name: str, base: str = "fixed") -> tuple[Robot, Any]:
    """A robot of `FILES`, and Pinocchio's model of the file."""
    free = () if base == "fixed" else (pin.JointModelFreeFlyer(),)
    return load(name, base), pin.buildModelFromUrdf(str(FILES[name]), *free)


@cache
def floating_tool() -> Robot:
    """A free joint that is not the first, between a revolute and a prismatic one."""
    return Robot.from_links(
        "floating tool",
        [Link("base"), *(Link(name, BOX) for name in ("arm", "tool", "tip"))],
        [
            Joint("hinge", "base", "arm", Revolute((1, 2, 0)), Transform(p=(0, 0.3, 0.1))),
            Joint("float", "arm", "tool", Free(), Transform(p=(0.5, 0, 0))),
            Joint("slide", "tool", "tip", Prismatic((0, 1, 1)), Transform(p=(0, 0, 0.4))),
        ],
    )


@st.composite
def trees_and_tools(draw: st.DrawFn, most: int = 8, bases: tuple[str, ...] = ("fixed", "free")) -> Robot:
    """Random trees of all joint types; and a free joint within a tree."""
    if "free" in bases and draw(st.integers(0, 9)) == 0:
        return floating_tool()
    return draw(trees(most, bases))


def every_joint() -> Robot:
    """A chain of all joint types, with limits and drive data that are as long as they should be."""
    kinds = [Revolute((1, 2, 0)), Helical((0, 1, 1), 0.2), Spherical(), Planar((1, 0, 2)), Prismatic((1, 1, 1)), Free()]
    links, joints = [Link("base")], []
    for k, joint in enumerate(kinds, 1):
        box = Inertia.from_com(k, (0.1, 0.2, 0.3 * k), ((0.03, 0.001, 0), (0.001, 0.04, 0), (0, 0, 0.05)))
        limits, drive = Limits(effort=(1.0 * k,) * joint.nv), Drive((0.5,) * joint.nv, (), None, (0.25,) * joint.nv)
        place = Transform.from_rpy((0.1 * k, 0.2, 0), (0.3 * k, 1, -0.1))
        joints.append(Joint(f"j{k}", links[-1].name, f"l{k}", joint, place, limits, drive))
        links.append(Link(f"l{k}", box))
    return Robot.from_links("every", links, joints)


def chain(*links: tuple[Inertia, Any], at: float = 0.0, gravity: Any = (0, 0, -9.81), **last: Any) -> Robot:
    """Links l1 ... with joints j1 ..., each `at` along x of the one before; `last` are data of the last joint."""
    names = ["base", *(f"l{k}" for k in range(1, len(links) + 1))]
    bodies = [Link("base"), *(Link(name, inertia) for name, (inertia, _) in zip(names[1:], links, strict=True))]
    places = [Transform(), *(Transform(p=(at, 0, 0)) for _ in links[1:])]
    joints = [Joint(f"j{k + 1}", names[k], names[k + 1], joint, places[k]) for k, (_, joint) in enumerate(links)]
    joints[-1] = replace(joints[-1], **last)
    return Robot.from_links("chain", bodies, joints, gravity=gravity, warn=False)


def limited(robot: Robot, *limits: Limits) -> Robot:
    """The robot with these limits at its joints."""
    own = dict(zip(robot.joint_names, limits, strict=True))
    return replace(robot, bodies=tuple(replace(x, limits=own.get(x.joint_name, x.limits)) for x in robot.bodies))


def one_joint(joint: Any, inertia: Inertia = BOX, **data: Any) -> Robot:
    """A body on a base, by a joint j with these data."""
    links = [Link("base"), Link("body", inertia)]
    return Robot.from_links("one", links, [Joint("j", "base", "body", joint, **data)])


def state(robot: Robot, seed: int = 0, speed: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One state (q, qd, qdd) within the limits; qd and qdd are of the size of `speed`."""
    rng = np.random.default_rng(seed)
    q, (qd, qdd) = robot.random_configuration(rng=rng), rng.standard_normal((2, robot.nv))
    return q, speed * qd, speed * qdd


def value(robot: Robot, name: str, *arrays: np.ndarray, **options: Any) -> Any:
    """A function's result, by its recursion on numbers: hundreds of robots need no compiling."""
    form = signature(robot, name, options)
    return np.array(form.body(*(list(x) for x in arrays))).reshape(form.outputs[0][1])[()]


def mass_matrix(robot: Robot, q: np.ndarray) -> np.ndarray:
    """M column by column: forces of unit accelerations at rest, without gravity. Positions may be complex."""
    weightless, still = robot.with_gravity((0, 0, 0)), [0.0] * robot.nv
    columns = [newton_euler(weightless, list(q), still, list(e)) for e in np.eye(robot.nv)]
    return np.array(columns).reshape(robot.nv, robot.nv).T


def random_states(robot: Robot, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """n states (q, qd, qdd) in and beyond the limits; quaternions have length one."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (n, robot.nq))
    for body, at in zip(robot.bodies, robot.q_index, strict=True):
        if body.joint.quaternion_at is not None:
            quaternion = q[:, at][:, body.joint.quaternion_at :]
            quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    qd, qdd = rng.standard_normal((2, n, robot.nv))
    return q, qd, qdd


def to_pinocchio(robot: Robot, model: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions as Pinocchio wants them, and the order of velocities: v_pinocchio = v[..., order].

    Pinocchio sorts siblings by name. It has (cos, sin) for continuous joints, (x, y, cos, sin) and
    (v, w) for planar ones, and (v, w) for free ones.
    """
    positions, order = np.zeros((len(q), model.nq)), np.zeros(model.nv, dtype=int)
    for i, body in enumerate(robot.bodies[1:], 1):
        theirs = model.joints[model.getJointId(body.joint_name)]
        ours, velocities = q[:, robot.q_index[i]], np.arange(robot.nv)[robot.v_index[i]]
        if theirs.nq == 2:
            ours = np.concatenate([np.cos(ours), np.sin(ours)], axis=1)
        if isinstance(body.joint, Planar):
            ours = np.concatenate([ours[:, :2], np.cos(ours[:, 2:]), np.sin(ours[:, 2:])], axis=1)
            velocities = np.roll(velocities, -1)
        if theirs.nv == 6:
            velocities = np.roll(velocities, 3)
        positions[:, theirs.idx_q : theirs.idx_q + theirs.nq] = ours
        order[theirs.idx_v : theirs.idx_v + theirs.nv] = velocities
    return positions, order
