"""Whole-body control by identities: inverse dynamics, friction, contacts, tasks, limits; two solvers; and standing."""

from __future__ import annotations

import pickle
import sys
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from driving import drives_of
from robots import FILES

import revolute
from revolute import (
    AxisClosure,
    Contact,
    Drive,
    Fixed,
    Free,
    Inertia,
    InputError,
    Joint,
    Limits,
    Link,
    Plane,
    PointClosure,
    Revolute,
    Robot,
    Spherical,
    Transform,
)
from revolute.control import (
    CenterOfMassTask,
    ComputedTorque,
    JointTask,
    MomentumTask,
    PointTask,
    PoseTask,
    PostureTask,
    WholeBody,
    WholeBodyStepper,
)
from revolute.control.quadratic_program import ActiveSet, solver_named
from revolute.dynamics.control.whole_body import acceleration_box
from revolute.spatial import Rotation, Vector

H, MU = 1e-3, 0.6
SOLE = [(x, y, 0.0) for x in (0.1, -0.1) for y in (0.05, -0.05)]


def rod(mass: float, length: float) -> Inertia:
    """A rod that hangs from its joint."""
    across = mass * length**2 / 12
    return Inertia.from_com(mass, (0, 0, -length / 2), np.diag([across, across, across / 10]).tolist())


def walker(legs: dict[str, tuple[float, float]], feet: bool) -> Robot:
    """A trunk on legs of three joints, or of six with feet."""
    links, joints = [Link("trunk", Inertia.from_com(12.0, (0, 0, 0), np.diag([0.1, 0.3, 0.3]).tolist()))], []
    for leg, (x, y) in legs.items():
        limits = Limits((-2.5,), (2.5,), (30.0,), (150.0,))
        chain: list[tuple[Any, ...]] = [("hip", rod(0.6, 0.1), Revolute((1, 0, 0)), (x, y, 0))]
        chain += [("turn", rod(0.6, 0.1), Revolute((0, 0, 1)), (0, 0, 0))] * feet
        chain += [("thigh", rod(0.8, 0.25), Revolute((0, 1, 0)), (0, 0, 0))]
        chain += [("shank", rod(0.2, 0.25), Revolute((0, 1, 0)), (0, 0, -0.25))]
        if feet:
            sole = Inertia.from_com(0.5, (0, 0, 0), np.diag([1e-3, 2e-3, 2e-3]).tolist())
            chain += [("pitch", rod(0.1, 0.05), Revolute((0, 1, 0)), (0, 0, -0.25))]
            chain += [("foot", sole, Revolute((1, 0, 0)), (0, 0, 0))]
        else:
            chain += [("foot", None, Fixed(), (0, 0, -0.25))]
        parent = "trunk"
        for part, inertia, joint, place in chain:
            name = f"{leg} {part}"
            links.append(Link(name, inertia) if inertia else Link(name))
            own: dict[str, Any] = {} if isinstance(joint, Fixed) else {"limits": limits}
            joints.append(Joint(name, parent, name, joint, Transform(p=place), **own))
            parent = name
    return Robot.from_links("walker", links, joints, base="free")


DOG = walker({"lf": (0.2, 0.1), "rf": (0.2, -0.1), "lh": (-0.2, 0.1), "rh": (-0.2, -0.1)}, feet=False)
BIPED = walker({"l": (0.0, 0.1), "r": (0.0, -0.1)}, feet=True)
FEET = {"dog": [f"{leg} foot" for leg in ("lf", "rf", "lh", "rh")], "biped": ["l foot", "r foot"]}
ROBOTS = {"dog": DOG, "biped": BIPED}


def stands(name: str) -> np.ndarray:
    """A configuration with the feet on the ground."""
    robot = ROBOTS[name]
    bent = {x: {"thigh": 0.7, "shank": -1.4, "pitch": 0.7}.get(x.split()[-1], 0.0) for x in robot.joint_names[1:]}
    q = np.array(robot.configuration(bent))
    q[2] -= robot.forward_kinematics(q, FEET[name][0])[2, 3]
    return q


def contacts(name: str, mu: float = MU) -> list[Contact]:
    points = SOLE if name == "biped" else [(0.0, 0.0, 0.0)]
    return [Contact(foot, p, friction=mu) for foot in FEET[name] for p in points]


def law(name: str, **options: Any) -> tuple[WholeBody, dict[str, Any]]:
    """Centre of mass, trunk and posture; and targets of standing."""
    robot, q = ROBOTS[name], stands(name)
    tasks = [
        CenterOfMassTask(weight=100.0), PoseTask("trunk", weight=[10, 10, 10, 0, 0, 0]), PostureTask(weight=0.1)
    ]  # fmt: skip
    targets = {"center of mass": robot.center_of_mass(q), "pose of trunk": robot.forward_kinematics(q, "trunk")}
    targets["posture"] = q
    return WholeBody(robot, tasks, contacts(name), targets=targets, **options), targets


def states(name: str, count: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """States near the stand."""
    robot, q, rng = ROBOTS[name], stands(name), np.random.default_rng(seed)
    return [
        (robot.integrate(q, 0.02 * rng.standard_normal(robot.nv)), 0.1 * rng.standard_normal(robot.nv))
        for _ in range(count)
    ]


def needed(robot: Any, q: np.ndarray, qd: np.ndarray, found: WholeBodyStepper, links: list[str]) -> np.ndarray:
    """Inverse dynamics of accelerations and contact forces."""
    wrenches: dict[str, Any] = {}
    for link, f, p in zip(links, found.forces, found.points, strict=True):
        moment = np.cross(p - robot.forward_kinematics(q, link)[:3, 3], f)
        wrenches[link] = wrenches.get(link, 0) + robot.link_wrench(q, np.r_[moment, f], link, "aligned")
    tau: np.ndarray = robot.inverse_dynamics(q, qd, found.qdd, wrenches=wrenches)
    return tau


@pytest.mark.parametrize("name", ROBOTS)
def test_inverse_dynamics_need_the_torques_and_no_force_at_the_base(name: str) -> None:
    controller, targets = law(name)
    found, links = controller.stepper(), [x.link for x in controller.contacts]
    for q, qd in states(name, 10):
        tau = found.step(q, qd, targets)
        assert not found.violations and (tau[:6] == 0).all()
        np.testing.assert_allclose(needed(controller.robot, q, qd, found, links), tau, atol=1e-9)  # forces ~ 100 N


@pytest.mark.parametrize("name", ROBOTS)
def test_forces_are_in_their_cones_and_feet_come_to_rest(name: str) -> None:
    """Acceleration of points that touch: -2 k v of the link, where it has not slipped."""
    controller, targets = law(name, contact_gain=15.0)
    robot, found = controller.robot, controller.stepper()
    for q, qd in states(name, 10, seed=1):
        found = controller.stepper()
        found.step(q, qd, targets)
        f = found.forces
        assert (np.abs(f[:, :2]).max(axis=1) <= MU / np.sqrt(2) * f[:, 2] + 1e-9).all()
        for foot in FEET[name]:
            rows = slice(0, 6) if name == "biped" else slice(3, 6)
            reference = "body" if name == "biped" else "aligned"
            V, A = robot.velocity(q, qd, foot, reference), robot.acceleration(q, qd, found.qdd, foot, reference)
            np.testing.assert_allclose(A[rows], -30 * V[rows], atol=1e-8)


@pytest.mark.parametrize("name", ROBOTS)
def test_two_solvers_agree(name: str) -> None:
    pairs = [law(name, solver=solver)[0].stepper() for solver in ("daqp", "clarabel")]
    targets, rng = law(name)[1], np.random.default_rng(3)
    for q, qd in states(name, 6, seed=2):
        goal = targets["center of mass"] + rng.uniform(-0.05, 0.05, 3)
        tau = [x.step(q, qd, {**targets, "center of mass": goal}) for x in pairs]
        a, b = pairs
        np.testing.assert_allclose(tau[0], tau[1], atol=1e-6)
        np.testing.assert_allclose(a.qdd, b.qdd, atol=1e-6)
        np.testing.assert_allclose(a.forces, b.forces, atol=1e-6)


def test_cones_cost_less_than_pyramids_within() -> None:
    pyramids, cones = law("dog", solver="clarabel")[0].stepper(), law("dog", cones=True)[0].stepper()
    targets, q, less = law("dog")[1], stands("dog"), 0
    for x, y in ((0.3, 0.3), (0.5, -0.5), (0.0, 0.6)):
        goal = {"center of mass": (targets["center of mass"], np.zeros(3), np.array([20 * x, 20 * y, 0.0]))}
        costs = []
        for found in (pyramids, cones):
            found.step(q, np.zeros(DOG.nv), {**targets, **goal})
            (row,) = found._rows
            p = row.solver.program
            costs.append(row.z @ p.H @ row.z / 2 + p.g @ row.z)
        f = cones.forces
        assert (np.hypot(f[:, 0], f[:, 1]) <= MU * f[:, 2] + 1e-5).all()
        less += bool(costs[1] < costs[0] - 1e-6)
        assert costs[1] < costs[0] + 1e-6
    assert less


def test_a_posture_alone_is_computed_torque() -> None:
    """No conflict: the accelerations are those of the task but for the regularization of 1e-4."""
    arm, rng = revolute.robots.ur5(), np.random.default_rng(0)
    q, goal = 0.1 * rng.standard_normal((2, 6))
    qd, rate, acceleration = 0.3 * rng.standard_normal((3, 6))
    found = WholeBody(arm, [PostureTask(weight=1e6, gain=5.0)], effort_limits=1e4).stepper()
    tau = found.step(q, qd, {"posture": (goal, rate, acceleration)})
    reference = ComputedTorque(arm, lambda t: (goal, rate, acceleration), 25.0, 10.0).torque(0.0, q, qd)
    np.testing.assert_allclose(tau, reference, rtol=1e-8)


def test_hard_tasks_hold_exactly() -> None:
    controller, targets = law("biped", hard=["center of mass"])
    found, q = controller.stepper(), stands("biped")
    wanted = np.array([0.5, 0.3, -1.0])
    found.step(q, np.zeros(BIPED.nv), {**targets, "center of mass": (targets["center of mass"], np.zeros(3), wanted)})
    np.testing.assert_allclose(BIPED.com_acceleration(q, np.zeros(BIPED.nv), found.qdd), wanted, atol=1e-9)


def test_momentum_tasks_decay_without_contacts_and_with_them() -> None:
    """Hard: hd = rate - k (h - target). In the air the linear part is what gravity makes it; the angular one stays."""
    q, qd = stands("dog"), states("dog", 1)[0][1]
    tasks = [MomentumTask(gain=4.0), PostureTask(weight=0.01)]
    loop = WholeBody(DOG, tasks, contacts("dog"), hard=["momentum"]).stepper()
    with pytest.raises(InputError, match=r"'momentum' has 3 parts; give target, rate"):
        loop.step(q, qd, {"momentum": (np.zeros(6),) * 3})
    goal, rate = np.array([0.01, 0, 0, 0.5, 0, 0]), np.array([0, 0.1, 0, 0, 0.2, 0])
    loop.step(q, qd, {"momentum": (goal, rate), "posture": q})
    expected = rate - 4.0 * (DOG.centroidal_momentum(q, qd) - goal)
    np.testing.assert_allclose(DOG.centroidal_momentum_rate(q, qd, loop.qdd), expected, atol=1e-8)
    flying = WholeBody(DOG, tasks).stepper()
    flying.step(q, qd, {"momentum": np.zeros(6), "posture": q})
    falling = np.r_[np.zeros(5), -9.81 * DOG.mass]
    np.testing.assert_allclose(DOG.centroidal_momentum_rate(q, qd, flying.qdd), falling, atol=1e-8)


def test_feet_come_and_go_without_a_new_kernel() -> None:
    controller, targets = law("biped")
    found, q, still = controller.stepper(), stands("biped"), np.zeros(BIPED.nv)
    kernel = found._kernel
    found.step(q, still, targets)
    one = found.step(q, still, active=[True] * 4 + [False] * 4)
    assert found._kernel is kernel and not found.violations
    assert np.abs(found.forces[4:]).max() == 0 and found.forces[:4, 2].sum() > 10
    np.testing.assert_allclose(needed(BIPED, q, still, found, [x.link for x in controller.contacts]), one, atol=1e-9)
    found.step(q, still, active=[False] * 8)
    np.testing.assert_allclose(BIPED.com_acceleration(q, still, found.qdd), [0, 0, -9.81], atol=1e-9)
    moved = BIPED.integrate(q, np.r_[np.zeros(3), 0.1, 0, 0, np.zeros(BIPED.nv - 6)])
    found.step(moved, still, active=[True] * 8)  # touches down where it is: nothing has slipped
    foot = BIPED.acceleration(moved, still, found.qdd, "l foot")
    np.testing.assert_allclose(foot, 0, atol=1e-8)


def test_a_slope_and_another_link_hold() -> None:
    """A foot on a tilted plane pushes within its cone; a sphere against another link moves with it."""
    normal = np.array([0.3, 0.0, 1.0]) / np.hypot(0.3, 1.0)
    q, slope = stands("dog"), Plane(tuple(normal))
    feet = [Contact("lf foot", friction=MU, surface=slope), *contacts("dog")[1:]]
    found = WholeBody(DOG, law("dog")[0].tasks, feet).stepper()
    found.step(q, np.zeros(DOG.nv), law("dog")[1])
    f = found.forces[0]
    assert np.linalg.norm(f - normal * (normal @ f)) <= MU * (normal @ f) + 1e-9
    pair = Contact("lf shank", radius=0.1, surface=Contact("rf shank", radius=0.1))
    found = WholeBody(DOG, law("dog")[0].tasks, [*contacts("dog"), pair]).stepper()
    tau = found.step(q, np.zeros(DOG.nv), law("dog")[1])
    apart = [DOG.acceleration(q, np.zeros(DOG.nv), found.qdd, f"{leg} shank", "aligned")[3:] for leg in ("lf", "rf")]
    np.testing.assert_allclose(apart[0][1], apart[1][1], atol=1e-8)
    assert np.isfinite(tau).all()


def test_joints_brake_before_their_limits_and_come_back() -> None:
    limits = [-1.0, 2.0, 3.0, 40.0, 20.0]
    for x, v in ((0.0, 0.0), (1.9, 2.9), (2.5, 1.0), (-1.5, -2.0)):
        for t in range(2000):
            low, high = acceleration_box(x, v, limits)
            assert -40 <= low <= high <= 40
            v += 1e-3 * (high if t < 1000 else low)
            x += 1e-3 * v
            assert t < 900 or (-1.0 - 1e-5 < x < 2.0 + 1e-5 and abs(v) < 3.0 + 1e-9)


def test_joint_limits_hold_in_motion() -> None:
    arm = revolute.robots.panda()
    q = (arm.lower_limits + arm.upper_limits) / 2
    beyond = arm.upper_limits + 1.0
    controller = WholeBody(
        arm, [PostureTask(gain=8.0)], targets={"posture": beyond}, acceleration_limits=20.0, effort_limits=500.0
    )
    motion = arm.simulate(q, np.zeros(arm.nv), controller, np.linspace(0, 2, 2001), "semi_implicit_euler")
    over = motion.q - arm.upper_limits, np.abs(motion.qd) - arm.velocity_limits, np.abs(motion.qdd[:-1]) - 20
    assert max(x.max() for x in over) < 1e-9
    assert np.abs(motion.q[-1] - arm.upper_limits).max() < 1e-3


def test_torques_of_driven_robots_are_those_of_inverse_dynamics() -> None:
    for seed in range(4):
        robot = revolute.robots.random_tree(5, rng=seed, base=("fixed", "free")[seed % 2])
        driven = robot.with_drives(drives_of(robot, seed, mimics=seed > 1), smoothing=0.1)
        rng = np.random.default_rng(seed)
        q, qd = driven.random_configuration(rng=rng), 0.1 * rng.standard_normal(driven.nv)
        tasks = [PostureTask(weight=1.0), PointTask(robot.link_names[-1])]
        found = WholeBody(driven, tasks, effort_limits=1e6).stepper()
        goal = {"posture": driven.neutral(), f"point of {robot.link_names[-1]}": np.array([0.1, 0.2, 0.3])}
        tau = found.step(q, qd, goal)
        np.testing.assert_allclose(driven.inverse_dynamics(q, qd, found.qdd), tau, rtol=1e-9, atol=1e-8)


def test_limits_that_cannot_hold_are_named() -> None:
    """Knees of 1 N m cannot carry a trunk that a hard task holds."""
    small = np.full(BIPED.nv, 150.0)
    small[[k for k, x in enumerate(BIPED.coordinate_names) if "shank" in x]] = 1.0
    q, still, torques = stands("biped"), np.zeros(BIPED.nv), []
    for solver in ("daqp", "clarabel"):
        controller, targets = law(
            "biped", hard=["center of mass", "pose of trunk"], effort_limits=small, solver=solver, unmet="slack"
        )
        found = controller.stepper()
        with pytest.warns(revolute.SimulationWarning, match=r"effort of '[lr] shank'|task 'center of mass'"):
            torques.append(found.step(q, still, targets))
        assert any("shank" in x or "center of mass" in x for x in found.violations)
    np.testing.assert_allclose(torques[0], torques[1], atol=1e-4)
    for policy in ("last", "raise"):
        controller, targets = law("biped", hard=["center of mass", "pose of trunk"], unmet=policy)
        found = controller.stepper()
        before = found.step(q, still, targets)
        away = {"center of mass": (targets["center of mass"], np.zeros(3), np.array([0, 0, -50.0]))}
        if policy == "raise":
            with pytest.raises(InputError, match=r"not all limits hold together; violated: .* by"):
                found.step(q, still, away)
        else:
            with pytest.warns(revolute.SimulationWarning, match="violated"):
                np.testing.assert_array_equal(found.step(q, still, away), before)
            np.testing.assert_array_equal(found.step(q, still, away), before)  # warns once
            assert found.violations


def test_arguments_are_checked() -> None:
    controller, targets = law("dog")
    tasks, q, still = controller.tasks, stands("dog"), np.zeros(DOG.nv)
    found = controller.stepper()
    with pytest.raises(InputError, match="'center of mass' has no target"):
        found.step(q, still)
    found.step(q, still, targets)
    for bad in (np.nan, np.inf):
        with pytest.raises(InputError, match="not finite"):
            found.step(np.full_like(q, bad), still)
    with pytest.raises(InputError, match="WholeBody: qd is not finite"):
        found.step(q, still + np.nan)
    for wrong in (2 * np.eye(4), np.eye(4) + np.eye(4, k=-3)):
        with pytest.raises(InputError, match="target of 'pose of trunk' is not a pose"):
            found.step(q, still, {"pose of trunk": wrong})
    with pytest.raises(InputError, match="not finite"):
        found.step(q, still, {"posture": np.full_like(q, np.nan)})
    with pytest.raises(revolute.UnknownNameError, match=r"no task 'postur'.*posture"):
        found.step(q, still, {"postur": q})
    with pytest.raises(revolute.ShapeError, match="rate of 'posture'"):
        found.step(q, still, {"posture": (q, q)})
    with pytest.raises(InputError, match=r"'posture' has 4 parts; give target, rate, acceleration"):
        found.step(q, still, {"posture": (q,) * 4})
    with pytest.raises(revolute.ShapeError, match="active"):
        found.step(q, still, active=[True])
    with pytest.raises(InputError, match="active is not finite"):
        found.step(q, still, active=[1, 1, 1, np.nan])
    with pytest.raises(revolute.ShapeError, match="q and qd have shapes"):
        found.step(np.stack([q]), still)
    with pytest.raises(revolute.ShapeError, match="out must have shape"):
        found.step(q, still, out=np.zeros(3))
    with pytest.raises(InputError, match="velocities, targets or weights too large"):
        found.step(q, np.full(DOG.nv, 1e100), targets)
    pose = Transform.from_matrix(targets["pose of trunk"])
    np.testing.assert_array_equal(
        found.step(q, still, {"pose of trunk": (pose, np.zeros(6))}), found.step(q, still, targets)
    )
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("no task 'hand'", {"hard": ["hand"]}), ("solver must be", {"solver": "osqp"}),
        ("unmet must be", {"unmet": "no"}),
        ("daqp does not support cones", {"solver": "daqp", "cones": True}), ("contact_gain", {"contact_gain": -1.0}),
        ("acceleration_limits", {"acceleration_limits": -1.0}), ("effort_limits", {"effort_limits": np.ones(3)}),
    ]  # fmt: skip
    for message, options in wrong:
        with pytest.raises((InputError, revolute.UnknownNameError), match=message):
            WholeBody(DOG, tasks, contacts("dog"), **options)
    with pytest.raises(InputError, match="needs friction"):
        WholeBody(DOG, tasks, contacts("dog", 0.0))
    with pytest.raises(InputError, match="several tasks have the same name"):
        WholeBody(DOG, [*tasks, PostureTask()])
    with pytest.raises(InputError, match="must be of the type Robot or DrivenRobot"):
        WholeBody(3, tasks)
    arm = revolute.robots.ur5()
    following = arm.with_drives(coupling=np.eye(6) + np.eye(6, k=-1))
    with pytest.raises(InputError, match="follow several coordinates"):
        WholeBody(following, [PostureTask()])
    pair = Contact("lf shank", radius=0.1, surface=Contact("rf shank", radius=0.1))
    with pytest.raises(InputError, match="2 contacts between two links"):
        WholeBody(DOG, tasks, [pair, pair])
    for batch in (3, (-1,), ("3",)):
        with pytest.raises(InputError, match="batch"):
            controller.stepper(batch)  # type: ignore[arg-type]
    two = controller.stepper((np.int64(2),))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"WholeBody: q is not finite at \[1, 7\]"):
        two.step(np.stack([q, np.where(np.arange(DOG.nq) == 7, np.nan, q)]), np.zeros((2, DOG.nv)), targets)
    with pytest.raises(revolute.ShapeError, match="q and qd have shapes"):
        two.step(q, still, targets)
    with pytest.raises(revolute.ShapeError, match=r"active has shape .* after the axes of the batch \(2,\)"):
        two.step(np.stack([q, q]), np.zeros((2, DOG.nv)), active=np.ones((3, 4)))


def test_states_of_a_batch_have_the_torques_of_single_states_to_the_bit() -> None:
    """Each with its own target, contacts and anchors; also after feet have come and gone."""
    controller, targets = law("dog")
    many, batch = states("dog", 6), controller.stepper((3, 2))
    Q, V = (np.array(x).reshape(3, 2, -1) for x in zip(*many, strict=True))
    goals = targets["center of mass"] + np.random.default_rng(0).uniform(-0.02, 0.02, (3, 2, 3))
    active = np.ones((2, 3, 2, 4))
    active[0, 1, :, 3] = active[0, 2, 1, 0] = 0
    singles = [controller.stepper() for _ in many]
    for now in active:
        tau = batch.step(Q, V, {**targets, "center of mass": goals}, now)
        for k, (single, (q, v)) in enumerate(zip(singles, many, strict=True)):
            at = divmod(k, 2)
            own = single.step(q, v, {**targets, "center of mass": goals[at]}, now[at])
            for x, y in ((tau, own), (batch.qdd, single.qdd), (batch.forces, single.forces)):
                np.testing.assert_array_equal(x[at], y)
            np.testing.assert_array_equal(batch.points[at], single.points)
    none = controller.stepper((0,)).step(np.zeros((0, DOG.nq)), np.zeros((0, DOG.nv)), targets)
    assert none.shape == (0, DOG.nv)


def test_batches_are_simulated_and_name_the_state_that_fails() -> None:
    controller, targets = law("dog", effort_limits=40.0)
    Q, V = (np.array(x) for x in zip(*states("dog", 2), strict=True))
    motion = DOG.simulate(Q, V, controller, np.arange(20) * H, contacts=contacts("dog", 0.8))
    one = DOG.simulate(Q[1], V[1], controller, np.arange(20) * H, contacts=contacts("dog", 0.8))
    np.testing.assert_allclose(motion.q[1], one.q, atol=1e-12)
    weak, still = law("dog", effort_limits=15.0, hard=["center of mass"])[0].stepper((2,)), np.zeros((2, DOG.nv))
    q, pull = np.tile(stands("dog"), (2, 1)), np.array([[0, 0, 0], [0, 0, 50.0]])
    targets["center of mass"] = targets["center of mass"], np.zeros(3), pull
    with pytest.raises(InputError, match=r"in row 1 of the batch: not all limits hold"):
        weak.step(q, still, targets)


# --- closed loops --------------------------------------------------------------------------------


def closed_dog() -> Any:
    """Front shanks that are tied by a ball joint, where they stand; two rows of three are redundant."""
    q = stands("dog")
    apart = np.linalg.inv(DOG.forward_kinematics(q, "rf shank")) @ DOG.forward_kinematics(q, "lf shank")
    tie = PointClosure("lf shank", "rf shank", at_b=tuple(apart[:3, 3].tolist()))
    return DOG.with_closures(tie, tie)


def linkage(*closures: Any) -> Any:
    """Three rods whose tip is held: one freedom, of which the first joint has the motor."""
    return revolute.robots.planar(3).with_closures(*closures)


PINNED = PointClosure("tip", at_b=(2.0, 0.0, 0.0))


@pytest.mark.parametrize("solver", ["daqp", "clarabel"])
@pytest.mark.parametrize(
    ("robot", "feet"), [(linkage(PINNED), []), (linkage(PINNED, PINNED), []), (closed_dog(), FEET["dog"])],
    ids=["linkage", "redundant", "dog"],
)  # fmt: skip
def test_closed_loops_move_as_their_forward_dynamics_say(robot: Any, feet: list[str], solver: str) -> None:
    """The accelerations of the torques and contact forces, which keep loops closed; the multipliers likewise."""
    tree = robot.robot
    motors = None if feet else ["joint1"]
    touching = [Contact(foot, friction=MU) for foot in feet]
    goal = stands("dog") if feet else np.array([0.8, -1.0, 0.3])
    loop = WholeBody(robot, [PostureTask()], touching, solver=solver, actuated=motors).stepper()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        near = stands("dog") if feet else np.array([0.5, -1.0, 0.2])
        q, qd = robot.project(tree.integrate(near, 0.01 * rng.standard_normal(tree.nv)), 0.1 * rng.random(tree.nv))
        tau = loop.step(q, qd, {"posture": goal}, [True] * len(feet))
        wrenches = {
            foot: tree.link_wrench(q, [0, 0, 0, *f], foot, "aligned") for foot, f in zip(feet, loop.forces, strict=True)
        }
        np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau, wrenches=wrenches), loop.qdd, atol=1e-6)
        assert np.abs(robot.jacobian(q) @ loop.qdd + robot.kernel("drift")(q, qd)).max() < 1e-8
        pulled = robot.jacobian(q).T @ (robot.multipliers(q, qd, tau, wrenches=wrenches) - loop.multipliers)
        assert np.abs(pulled).max() < 1e-5


@pytest.mark.parametrize("solver", ["daqp", "clarabel"])
def test_rows_that_rounded_hinges_leave_are_redundant(solver: str) -> None:
    """A hinge tilted by 1e-5 rad, as numbers of files are: rows out of the plane must not demand motions."""
    tree, closing, tilt = revolute.robots.planar(3), AxisClosure("tip", at_b=(2.0, 0.0, 0.0)), 1e-5
    R = Rotation.from_matrix([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    tilted = replace(tree.bodies[2], placement=tree.bodies[2].placement @ Transform(R))
    rounded, found = replace(tree, bodies=(*tree.bodies[:2], tilted, *tree.bodies[3:])), []
    q, qd = tree.with_closures(closing).project([0.5, -1.0, 0.2], [0.5, 0.0, 0.0])
    for robot in (tree, rounded):
        loop = WholeBody(robot.with_closures(closing), [PostureTask()], actuated=["joint1"], solver=solver).stepper()
        found.append(loop.step(q, qd, {"posture": q + 0.1}))
    np.testing.assert_allclose(*found, rtol=1e-6)


def test_a_closed_loop_follows_in_simulation_and_stays_closed() -> None:
    bar = linkage(PINNED)
    q, qd = bar.assemble([0.5, -1.0, 0.2], ["joint1"], [0.7, 0.0, 0.0])
    goal = np.array([0.8, 0, 0])
    controller = WholeBody(bar, [JointTask(["joint1"])], actuated=["joint1"], targets={"joint1": goal})
    motion = bar.simulate(q, qd, controller, np.linspace(0, 1.5, 751))
    assert abs(motion.q[-1, 0] - 0.8) < 1e-3 and np.abs(bar.error(motion.q)).max() < 1e-12


def test_loops_with_drives_and_other_trees_obey_inverse_dynamics() -> None:
    """Rotors and friction of closed loops; two free trees; ball joints; gravity along x, with feet on a wall."""
    tree, geared = revolute.robots.planar(3), Drive(gear_ratio=50.0, rotor_inertia=1e-4, damping=0.1)
    moving = (replace(x, drive=geared) for x in tree.bodies[1:])
    bar = replace(tree, bodies=(tree.bodies[0], *moving)).with_closures(PINNED, drives=True)
    q, qd = bar.assemble([0.5, -1.0, 0.2], ["joint1"], [0.7, 0.0, 0.0])
    loop = WholeBody(bar, [JointTask(["joint1"])], actuated=["joint1"]).stepper()
    tau = loop.step(q, qd, {"joint1": np.array([0.8, 0, 0])})
    np.testing.assert_allclose(bar.forward_dynamics(q, qd, tau), loop.qdd, atol=1e-8)

    base, parts = Link("base"), [Link(name, rod(1.0, 0.5)) for name in "abc"]
    joints = [Joint("f", "base", "a", Free()), Joint("g", "base", "b", Free())]
    joints.append(Joint("ball", "b", "c", Spherical(), Transform(p=(0, 0, -0.5))))
    sideways = replace(Robot.from_links("two", [base, *parts], joints), gravity=Vector((-9.81, 0.0, 0.0)))
    q, rng, wall = sideways.neutral(), np.random.default_rng(0), Plane((1.0, 0.0, 0.0))
    feet = [Contact("a", friction=MU, surface=wall)]
    feet += [Contact("b", p, friction=MU, surface=wall) for p in ((0.0, 0.1, 0.0), (0.0, -0.1, 0.0), (0.0, 0.0, -0.9))]
    q, qd = sideways.integrate(q, 0.02 * rng.standard_normal(15)), 0.02 * rng.standard_normal(15)
    loop = WholeBody(sideways, [PostureTask(), CenterOfMassTask(weight=0.1)], feet).stepper()
    tau = loop.step(q, qd, {"posture": sideways.neutral(), "center of mass": sideways.center_of_mass(q)})
    np.testing.assert_allclose(needed(sideways, q, qd, loop, [x.link for x in feet]), tau, atol=1e-9)
    assert loop._law.actuated == ("ball.wx", "ball.wy", "ball.wz") and loop.forces[:, 0].sum() > 9


def test_a_controller_is_pickled_after_a_motion() -> None:
    controller, q = law("dog")[0], stands("dog")
    tau = controller.torque(0.0, q, np.zeros(DOG.nv))
    again = pickle.loads(pickle.dumps(controller))
    np.testing.assert_array_equal(again.torque(0.0, q, np.zeros(DOG.nv)), tau)


@pytest.mark.parametrize("solver", ["daqp", "clarabel"])
def test_contacts_that_do_not_act_have_no_force(solver: str) -> None:
    controller, targets = law("dog", solver=solver)
    found = controller.stepper()
    away = {**targets, "center of mass": (targets["center of mass"], np.zeros(3), np.array([8.0, 0, 8.0]))}
    found.step(stands("dog"), np.zeros(DOG.nv), away, [True, True, True, False])
    assert not found.forces[3].any()


def test_steps_of_the_solver_that_run_out_are_no_violations() -> None:
    controller, targets = law("dog")
    found, exact = controller.stepper(), controller.stepper()
    (row,) = found._rows
    assert isinstance(row.solver, ActiveSet)
    row.solver._model.settings = {"iter_limit": 2}
    away = {**targets, "center of mass": (targets["center of mass"], np.zeros(3), np.array([7.0, 0, 0]))}
    tau, best = (x.step(stands("dog"), np.zeros(DOG.nv), away) for x in (found, exact))
    assert not found.violations and np.abs(tau - best).max() < 1e-3


def test_friction_of_cones_is_no_violation() -> None:
    """Exact cones hold forces outside the pyramids within."""
    controller, targets = law("dog", cones=True, effort_limits=4.0, unmet="slack", hard=["center of mass"])
    found = controller.stepper()
    away = {**targets, "center of mass": (targets["center of mass"], np.zeros(3), np.array([5.0, 0, 0]))}
    with pytest.warns(revolute.SimulationWarning, match="violated"):
        found.step(stands("dog"), np.zeros(DOG.nv), away)
    f = found.forces
    assert (np.hypot(f[:, 0], f[:, 1]) <= MU * f[:, 2] + 1e-6).all()
    assert found.violations and not any("friction" in name for name in found.violations)


def test_a_missing_solver_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "daqp", None)
        missing = r"daqp \(or, slower, clarabel.*no wheel\), which is not installed.*control"
        with pytest.raises(revolute.MissingExtraError, match=missing):
            law("dog", solver="daqp")[0].stepper()
        without.setitem(sys.modules, "clarabel", None)
        with pytest.raises(revolute.MissingExtraError, match=r"clarabel and SciPy.*control"):
            law("dog", solver="clarabel")[0].stepper()
    monkeypatch.setattr("revolute.control.quadratic_program.find_spec", lambda name: name == "clarabel" or None)
    assert solver_named("WholeBody", None, False) == "clarabel"
    assert solver_named("WholeBody", "daqp", False) == "daqp"


def test_a_dog_and_a_biped_stand_and_follow_a_circle() -> None:
    """In our own contacts: the centre of mass follows 2 cm at 0.5 Hz, and no foot slips."""
    for name, robot in ROBOTS.items():
        controller, targets = law(name)
        q, c, w = stands(name), targets["center of mass"], np.pi

        def along(t: float, c: Any = c, targets: Any = targets, w: float = w) -> dict[str, Any]:
            s = min(t, 1.0) ** 2 * (3 - 2 * min(t, 1.0)) * 0.02
            x, y = np.array([np.cos(w * t), np.sin(w * t), 0]), np.array([-np.sin(w * t), np.cos(w * t), 0])
            return {**targets, "center of mass": (c + s * x, s * w * y, -s * w * w * x)}

        moves = WholeBody(robot, controller.tasks, controller.contacts, targets=along)
        t = np.arange(2001) * H
        motion = robot.simulate(q, np.zeros(robot.nv), moves, t, contacts=contacts(name, 0.8))
        goals = np.array([along(x)["center of mass"][0] for x in t])
        assert np.abs(robot.center_of_mass(motion.q) - goals)[1000:].max() < 5e-3
        feet = robot.forward_kinematics(motion.q, FEET[name])[:, :, :3, 3]
        assert np.abs(feet - feet[0]).max() < 5e-4
        again = robot.simulate(q, np.zeros(robot.nv), moves, t[:50], contacts=contacts(name, 0.8))
        np.testing.assert_array_equal(again.q, motion.q[:50])  # a new motion starts afresh


def test_joint_tasks_leave_other_joints_alone() -> None:
    robot = revolute.robots.panda()
    q = (robot.lower_limits + robot.upper_limits) / 2
    found = WholeBody(robot, [JointTask(["panda_joint4"], gain=2.0)], effort_limits=1e3).stepper()
    goal = q.copy()
    goal[3] += 0.1
    found.step(q, np.zeros(robot.nv), {"panda_joint4": goal})
    expected = np.zeros(robot.nv)
    expected[3] = 0.4 / (1 + 1e-4)
    np.testing.assert_allclose(found.qdd, expected, atol=1e-9)


@pytest.mark.slow
def test_talos_on_two_feet() -> None:
    """24 corner forces, the real robot: the identity of inverse dynamics, and equal results of both solvers."""
    with warnings.catch_warnings(action="ignore"):
        robot = revolute.load(FILES["talos_data/talos_reduced"], base="free")
    bent = {f"leg_{side}_{k}_joint": x for side in ("left", "right") for k, x in ((3, -0.45), (4, 0.9), (5, -0.45))}
    q = np.array(robot.configuration(bent))
    feet = [Contact(f"{side}_sole_link", p, friction=MU) for side in ("left", "right") for p in SOLE]
    tasks = [CenterOfMassTask(weight=10.0), PostureTask(weight=0.1)]
    targets, rng = {"center of mass": robot.center_of_mass(q), "posture": q}, np.random.default_rng(0)
    a, b = (WholeBody(robot, tasks, feet, solver=x).stepper() for x in ("daqp", "clarabel"))
    for _ in range(3):
        state = robot.integrate(q, 0.02 * rng.standard_normal(robot.nv)), 0.05 * rng.standard_normal(robot.nv)
        tau, other = (x.step(*state, targets) for x in (a, b))
        np.testing.assert_allclose(needed(robot, *state, a, [x.link for x in feet]), tau, atol=1e-9)
        np.testing.assert_allclose(tau, other, atol=1e-6)
        np.testing.assert_allclose(a.forces, b.forces, atol=1e-6)


def test_a_velocity_limit_of_zero_is_none() -> None:
    """In files of robots it means that the limit is unknown."""
    arm, targets, found = revolute.robots.planar(2), {"posture": np.array([1.0, 0.5])}, []
    for fastest in (0.0, np.inf):
        base, *moving = arm.bodies
        bodies = [replace(x, limits=Limits(velocity=(fastest,)) if x.joint.nv else x.limits) for x in moving]
        controller = WholeBody(replace(arm, bodies=(base, *bodies)), [PostureTask(gain=5.0)])
        found.append(controller.stepper().step(np.zeros(2), np.zeros(2), targets))
    np.testing.assert_allclose(*found, rtol=1e-9)
