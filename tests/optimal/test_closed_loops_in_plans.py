"""Closed loops in plans: the equations of a step, their derivatives, rows that are redundant, and a known minimum."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from plan_nodes import PlanNode

from revolute import (
    AxisClosure,
    Closure,
    ConstrainedRobot,
    Contact,
    Drive,
    Fixed,
    FrameClosure,
    Inertia,
    InputError,
    Joint,
    JointClosure,
    Link,
    Plane,
    PointClosure,
    Prismatic,
    Revolute,
    Robot,
    Rotation,
    Transform,
)
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.optimal.closures import Closing
from revolute.errors import ShapeError, TrajectoryError, UnknownNameError
from revolute.optimal import (
    AccelerationCost,
    ConeCost,
    ContactForceCost,
    FreeTime,
    OptimalControl,
    OptimalPlan,
    Predictive,
    Sampling,
    StateCost,
    TorqueCost,
    TorqueRateCost,
)
from revolute.optimal.first_plan import holding_forces
from revolute.spatial import Vector

H = 0.01
MASS, LENGTH = (0.4, 1.0, 0.8), (0.2, 0.5, 0.4)
TILTED = Rotation.from_rpy(0.4, -0.3, 0.8)
DRIVE = Drive(rotor_inertia=(0.001,), gear_ratio=(5.0,), damping=(0.02,))


def bar(mass: float, length: float) -> Inertia:
    """A bar along x from its joint."""
    across = mass * length**2 / 12
    return Inertia.from_com(mass, (length / 2, 0, 0), np.diag([across / 50, across, across]).tolist())


def four_bar(
    closures: Sequence[Closure] = (), lengths: Sequence[float] = LENGTH, drive: Drive = Drive(),  # noqa: B008
    masses: Sequence[float] = MASS, **options: Any,
) -> ConstrainedRobot:
    """A crank, a coupler and a rocker in the plane of x and y; gravity along -y."""
    rows = [("motor", "base", "crank", 0.0), ("pin", "crank", "coupler", lengths[0]), ("hinge", "base", "rocker", 0.4)]
    bars = [Link(row[2], bar(mass, length)) for row, mass, length in zip(rows, masses, lengths, strict=True)]
    joints = [Joint(*row[:3], Revolute(), Transform(p=(row[3], 0, 0)), drive=drive) for row in rows]
    links = [Link("base"), *bars]
    tree = Robot.from_links("four-bar", links, joints, gravity=(0, -9.81, 0))
    pin = PointClosure("coupler", "rocker", (lengths[1], 0, 0), (lengths[2], 0, 0))
    return tree.with_closures(closures or [pin], **options)


def welded(closures: Sequence[Closure] = ()) -> ConstrainedRobot:
    """The same linkage in a turned plane, with four hinges in line and a weld to the base: six rows of rank three."""
    names, places = ("base", "crank", "coupler", "rocker", "foot"), [Transform(p=(x, 0, 0)) for x in LENGTH]
    bars = zip(names[1:], (*MASS, 0.3), (*LENGTH, 0.1), strict=True)
    links = [Link("base"), *(Link(name, bar(mass, length)) for name, mass, length in bars)]
    ends = enumerate(zip(names, names[1:], [Transform(TILTED), *places], strict=False))
    joints = [Joint(f"j{k}", before, name, Revolute(), place) for k, (before, name, place) in ends]
    tree = Robot.from_links("welded", links, joints)
    return tree.with_closures(closures or FrameClosure("foot", at_b=Transform(TILTED, TILTED @ Vector((0.4, 0, 0)))))


class InPlane(Closure):
    """Three independent rows of the weld. They have only errors: derivatives are those of dual numbers."""

    def error(self, robot: Any, q: Any) -> list[Any]:
        pose = Transform(TILTED).inverse() @ frame_pose(robot, q, "foot")
        return [pose.p[0] - 0.4, pose.p[1], pose.R.matrix()[1][0]]

    def row_names(self) -> list[str]:
        return ["x", "y", "turn"]


def hopper(boom: bool = False) -> ConstrainedRobot:
    """A trunk, free or on a boom, on a leg whose knee is driven by a rod from the hip: a loop that hops."""
    axis, down = Revolute((0, 1, 0)), Rotation.from_rpy(0, np.pi / 2, 0)
    bars = {"thigh": (0.6, 0.25), "shank": (0.4, 0.3), "lever": (0.2, 0.12), "rod": (0.2, 0.22)}
    links = [Link("trunk", Inertia.from_com(3.0, (0.01, 0, 0.02), np.diag([0.03, 0.04, 0.02]).tolist())), Link("toe")]
    links += [Link(name, bar(*x)) for name, x in bars.items()]
    joints = [
        Joint("hip", "trunk", "thigh", axis, Transform(down)),
        Joint("knee", "thigh", "shank", axis, Transform(p=(0.25, 0, 0))),
        Joint("toe", "shank", "toe", Fixed(), Transform(p=(0.3, 0, 0))),
        Joint("lever", "trunk", "lever", axis, Transform(down)),
        Joint("pin", "lever", "rod", axis, Transform(p=(0.12, 0, 0))),
    ]
    if boom:
        rail = Joint("boom", "world", "trunk", Prismatic((0, 0, 1)))
        tree = Robot.from_links("hopper", [Link("world"), *links], [rail, *joints])
    else:
        tree = Robot.from_links("hopper", links, joints, base="free")
    across = Rotation.from_rpy(np.pi / 2, 0, 0)
    ends = (Transform(across, Vector((x, 0.0, 0.0))) for x in (0.22, -0.1))
    return tree.with_closures(AxisClosure("rod", "shank", *ends))


CURVE = JointClosure("pin", "motor", (0.1, -0.8, 0.3))
CASES: dict[str, tuple[Any, list[float], dict[str, Any]]] = {
    "four-bar": (four_bar, [1.0, -0.2, 1.5], {"actuated": ["motor"]}),
    "weld": (welded, [1.3, -0.95, -2.2, 1.8], {"actuated": ["j0", "j3"]}),
    "own": (lambda: welded([InPlane()]), [1.3, -0.95, -2.2, 1.8], {"actuated": ["j0", "j3"]}),
    "drives": (partial(four_bar, drive=DRIVE, drives=True), [1.0, -0.2, 1.5], {"actuated": ["motor"]}),
    "rotors": (partial(four_bar, drive=DRIVE, masses=[0] * 3, drives=True), [1.0, -0.2, 1.5], {"actuated": ["motor"]}),
    "curve": (partial(four_bar, [CURVE]), [1.0, -0.2, 1.5], {}),
    "hopper": (hopper, [0, 0, 0.45, 0, 0, 0, 1, 0.6, -1.1, 2.6, -2.0], {"contacts": [Contact("toe", friction=0.6)]}),
}


@cache
def case(name: str) -> tuple[ConstrainedRobot, np.ndarray, dict[str, Any]]:
    """A linkage, a closed configuration, and options of its problems."""
    make, near, options = CASES[name]
    linkage = make()
    return linkage, linkage.project(near)[0], options


class Node(PlanNode):
    """A node of one of the cases in a random closed state."""

    def __init__(self, name: str, *costs: Any) -> None:
        (self.linkage, q, options), rng = case(name), np.random.default_rng(len(name))
        costs = costs or (StateCost(1.0), TorqueCost(0.01), AccelerationCost(1e-4))
        problem = OptimalControl(self.linkage, costs, steps=1, dt=H, **options)
        n = self.linkage.model.nv
        rates = self.linkage.project(q, rng.standard_normal(n))[1]
        before = rng.standard_normal(n) if problem._setting.dynamics.remembers else ()
        super().__init__(problem, np.concatenate([q, rates, before]), problem.parameters()[0], rng)

    @property
    def closing(self) -> Closing:
        return Closing(self.holding, H)


@pytest.mark.parametrize("name", CASES)
def test_a_step_satisfies_the_equations_of_motion_and_closes_the_loops(name: str) -> None:
    """M a + bias = tau + J^T f of the tree; e(q+) = -mu h^2 f, some 1e-10."""
    node = Node(name)
    a, f = np.split(node.motions(node.x, node.tau), [node.n])
    q, qd = np.split(node.x, [node.dynamics.space.nq])
    closing, m = node.closing, len(node.linkage.row_names)
    forces = node.linkage.model.inverse_dynamics(q, qd, a) - np.array(closing.rows, float).T @ f
    np.testing.assert_allclose(forces, node.tau, atol=1e-10)
    np.testing.assert_allclose(np.array(closing.rows, float)[-m:], node.linkage.jacobian(q), atol=1e-14)
    after = np.array(node.step(node.x, node.tau)[: len(q)])
    np.testing.assert_allclose(node.linkage.error(after), -(H**2) * np.array(closing.damping[-m:]) * f[-m:], atol=1e-13)
    assert np.abs(node.linkage.error(after)).max() < 1e-8
    assert np.abs(node.linkage.error(node.linkage.model.integrate(q, H * qd))).max() > 1e-6


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_differences(name: str) -> None:
    """F and G of a step from a state with forces before, and gradients of costs."""
    costs = [StateCost(1.0), TorqueCost(0.01), AccelerationCost(1e-4), TorqueRateCost(1e-6)]
    Node(name, *costs, *([ContactForceCost(1e-3)] if name == "hopper" else [])).assert_derivatives_of_step()


def test_redundant_rows_move_as_independent_ones() -> None:
    """By mu, 1e-7 of the forces. Those of the weld are of least norm, but for EPS / (mu h^2), some 1e-5 N."""
    node, (linkage, q, _) = Node("weld"), case("weld")
    a, f = np.split(node.motions(node.x, node.tau), [4])
    np.testing.assert_allclose(a, Node("own").motions(node.x, node.tau)[:4], rtol=1e-6)
    assert np.linalg.matrix_rank(linkage.jacobian(q), 1e-9) == 3
    _, _, rows = np.linalg.svd(linkage.jacobian(q).T)
    assert np.abs(rows[3:] @ f).max() < 1e-4 * np.abs(f).max()


@pytest.mark.parametrize("name", ["four-bar", "weld", "drives"])
def test_short_steps_have_the_accelerations_and_forces_of_the_closed_robot(name: str) -> None:
    """Their differences are proportional to the length. Velocities are those of the step before."""
    node, q = Node(name), case(name)[1]
    away = []
    for h in (1e-2, 1e-3):
        x = node.step(node.x, node.tau, h)
        given = x[: len(q)], x[len(q) :], node.tau
        wanted = np.concatenate([node.linkage.forward_dynamics(*given), node.linkage.multipliers(*given)])
        away.append(np.abs(node.motions(x, node.tau, h) - wanted).max() / np.abs(wanted).max())
    assert away[1] < 0.25 * away[0] and away[1] < 0.02


# --- plans ------------------------------------------------------------------------------------------


@cache
def moving(steps: int = 40) -> OptimalControl:
    """The crank turns by 1.2 rad in 0.4 s, with the least torque."""
    costs, end = [TorqueCost(1e-2), StateCost([0, 0, 0, 1e-3, 1e-3, 1e-3])], [StateCost([100.0] * 3 + [10.0] * 3)]
    return OptimalControl(case("four-bar")[0], costs, terminal=end, steps=steps, dt=0.4 / steps, actuated=["motor"])


@cache
def aim(turn: float = 1.2) -> np.ndarray:
    linkage, q, _ = case("four-bar")
    return np.concatenate([linkage.assemble(q + turn * np.array([1.0, -0.5, 0.5]), ["motor"])[0], np.zeros(3)])


@cache
def moved(steps: int = 40) -> OptimalPlan:
    return moving(steps).solve(case("four-bar")[1], goal={"state": aim()}, tolerance=1e-12)


def test_a_four_bar_moves_to_a_position_with_closed_loops() -> None:
    plan, (linkage, *_) = moved(), case("four-bar")
    assert plan.converged and np.abs(plan.q[-1] - aim()[:3]).max() < 1e-3 and np.abs(plan.qd[-1]).max() < 1e-2
    assert np.abs(plan.qd).max() > 4 and not plan.tau[:, 1:].any()
    assert np.abs(linkage.error(plan.q)).max() < 1e-9
    balance = linkage.robot.inverse_dynamics(plan.q[:-1], plan.qd[:-1], plan.qdd) - plan.tau
    pulled = np.einsum("tmn,tm->tn", linkage.jacobian(plan.q[:-1]), plan.multipliers)
    np.testing.assert_allclose(balance, pulled, atol=1e-9)
    assert "largest closure error" in plan.report() and plan.motion().owner.machine is linkage
    found = plan.check()
    assert found.step_error["q"] < 1e-2 and found.gap < 1e-9 and not found.beyond


def test_replays_and_energies_differ_by_the_length_of_steps() -> None:
    """In `simulate` with the same forces; the work of the motor is the change of the energy."""
    away, lost = [], []
    for steps in (40, 80):
        plan, h = moved(steps), 0.4 / steps
        motion = plan.motion()
        fine = case("four-bar")[0].simulate(plan.q[0], plan.qd[0], motion.tau, plan.t, "runge_kutta_4")
        away.append([np.abs(fine.q[-1] - plan.q[-1]).max(), np.abs(fine.q - plan.q).max()])
        lost.append(abs(np.ptp(motion.energy[[0, -1]]) - abs((plan.tau[:, 0] * plan.qd[1:, 0]).sum() * h)))
    ratio = np.divide(away[1], away[0])
    assert (ratio < 0.6).all() and away[1][1] < 0.02
    assert 0.4 < lost[1] / lost[0] < 0.6


def test_no_change_of_forces_lowers_the_cost() -> None:
    """Slopes of the cost of motions by the step itself, with other forces of the motor."""
    plan = moved()
    problem, T, h = plan.problem, 40, 0.01
    setting, p = problem._setting, problem.parameters({"state": aim()}).tolist()

    def cost(motor: np.ndarray) -> float:
        x, total = [*plan.q[0], *plan.qd[0]], 0.0
        for t in range(T + 1):
            own, length = ([float(motor[t]), 0.0, 0.0], h) if t < T else ([0.0] * 3, 0.0)
            motions = setting.accelerations(x, own, p[t], length)
            total += float(setting.cost(x, motions, own, p[t], length))
            x = setting.dynamics.step(x, own, motions, length)
        return total

    np.testing.assert_allclose(cost(plan.tau[:, 0]), plan.cost, rtol=1e-9)
    for seed in range(2):
        direction = np.random.default_rng(seed).standard_normal(T)
        there, back, far = (cost(plan.tau[:, 0] + step * direction) for step in (1e-4, -1e-4, 0.1))
        assert abs(there - back) / 2e-4 < 1e-6 and far > plan.cost


def test_a_parallelogram_is_a_pendulum() -> None:
    """Its joints are linear in one angle, and so are the steps: costs and forces are equal but for mu, 1e-7."""
    (m1, m2, m3), x = MASS, 0.2
    inertia, moment, mass = x * x * (m1 / 3 + m2 + m3 / 3), x * (m1 / 2 + m2 + m3 / 2), m1 + m2 + m3
    across = inertia - moment**2 / mass
    rod = Inertia.from_com(mass, (moment / mass, 0, 0), np.diag([across, across, across]).tolist())
    pendulum = Robot.from_links(
        "pendulum", [Link("base"), Link("rod", rod)], [Joint("motor", "base", "rod", Revolute())], gravity=(0, -9.81, 0)
    )
    plans, start, end = [], -2.4, -0.7
    for robot, n in ((pendulum, 1), (four_bar(lengths=(x, 0.4, x)), 3)):
        only, pose = np.eye(n)[0], np.array([1.0, -1.0, 1.0])[:n]
        still, reach = StateCost([*0 * only, *0.01 * only]), StateCost([*100 * only, *10 * only])
        problem = OptimalControl(
            robot, [TorqueCost(0.01), still], terminal=[reach], steps=30, dt=0.02, actuated=["motor"]
        )
        goal = {"state": [*end * pose, *0 * pose]}
        plans.append(problem.solve(start * pose, goal=goal, tolerance=1e-14))
    one, other = plans
    assert one.converged and other.converged and np.abs(one.qd).max() > 3
    np.testing.assert_allclose(other.cost, one.cost, rtol=1e-8)
    np.testing.assert_allclose(other.tau[:, 0], one.tau[:, 0], atol=1e-6)
    np.testing.assert_allclose(other.q, one.q * [1, -1, 1], atol=1e-7)


def test_rows_of_a_batch_are_their_own_plans_to_the_last_bit() -> None:
    starts, goals = np.array([case("four-bar")[1], aim(0.4)[:3]]), np.array([aim(), aim(0.2)])
    plans = moving().solve(starts, goal={"state": goals}, tolerance=1e-12)
    assert plans.converged.all() and plans.multipliers.shape == (2, 40, 3)
    for name in ("q", "tau", "multipliers", "gains"):
        np.testing.assert_array_equal(getattr(plans.row(0), name), getattr(moved(), name))


def test_a_free_time_is_that_of_least_cost() -> None:
    """A change of the duration, of the problem itself, costs more."""
    start, goal = case("four-bar")[1], {"state": aim()}
    plan = moving().solve(start, goal=goal, free_time=FreeTime(0.2, 1.0, weight=0.03))
    assert plan.converged and 0.25 < plan.t[-1] < 0.9
    for factor in (0.97, 1.03):
        span = factor * plan.t[-1]
        other = OptimalControl(
            case("four-bar")[0], moving()._setting.costs[:2], terminal=[StateCost([100.0] * 3 + [10.0] * 3)], steps=40,
            dt=span / 40, actuated=["motor"],
        )  # fmt: skip
        assert other.solve(start, goal=goal).cost + 0.03 * span > plan.cost


def test_the_first_plan_is_held_by_the_least_forces_of_the_motors() -> None:
    linkage, q, _ = case("four-bar")
    still, T = np.zeros(3), linkage.reduced_dynamics(q, np.zeros(3), ["motor"]).T[:, 0]
    weight = linkage.robot.gravity_forces(q)
    for problem, wanted in (
        (moving(), [T @ weight, 0, 0]),
        (OptimalControl(linkage, [TorqueCost()], steps=2, dt=H), T * (T @ weight) / (T @ T)),
    ):
        tau = holding_forces(problem, q)
        np.testing.assert_allclose(tau, wanted, rtol=1e-7)
        assert np.abs(linkage.forward_dynamics(q, still, tau)).max() < 1e-5
    both = holding_forces(moving(), np.array([q, aim()[:3]]))
    np.testing.assert_array_equal(both[0], holding_forces(moving(), q))


def test_hard_costs_hold_within_bounds() -> None:
    """With drives: at rest at the goal, with a torque that is not enough without a swing."""
    linkage, q, options = case("drives")
    end = StateCost([10.0, 0, 0, 1.0, 0, 0], hard=True)
    problem = OptimalControl(
        linkage, [TorqueCost(1e-2)], terminal=[end], steps=40, dt=0.015, effort_limits=6.0, **options
    )
    plan = problem.solve(q, goal={"state": aim(0.6)}, violation=1e-6)
    assert plan.converged and plan.errors["state"] < 1e-6 and np.abs(plan.tau).max() <= 6.0
    np.testing.assert_allclose(plan.q[-1], aim(0.6)[:3], atol=1e-5)
    assert np.abs(linkage.error(plan.q)).max() < 1e-9


def test_predictive_control_brings_a_linkage_to_its_goal() -> None:
    """In `simulate`, from measured states that are a little open, with actuators that are late, and by sampling."""
    linkage, q, options = case("four-bar")
    costs, goal = [TorqueCost(1e-3), StateCost([10.0, 0, 0, 0.1, 0, 0])], {"state": aim(0.6)}
    problem = OptimalControl(linkage, costs, terminal=costs[1:], steps=20, dt=0.02, **options)
    law = Predictive(problem, goal)
    motion = linkage.simulate(q, np.zeros(3), law, np.arange(51) * 0.02, "semi_implicit_euler")
    assert np.abs(motion.q[-1] - aim(0.6)[:3]).max() < 5e-3 and law.stepper.failures == 0
    robot, rng = linkage.stepper(0.02, "semi_implicit_euler"), np.random.default_rng(0)
    for delay, noise in ((0.0, 1e-3), (0.04, 0.0)):
        loop, (x, v) = problem.stepper(delay=delay), (q.copy(), np.zeros(3))
        waiting = [holding_forces(problem, q)] * round(delay / 0.02)
        for _ in range(50):
            seen = x + noise * rng.standard_normal(3), v + noise * rng.standard_normal(3)
            waiting.append(loop.step(*seen, goal, out=np.zeros(3)))
            robot.step(x, v, waiting.pop(0))
        assert loop.failures == 0 and np.abs(x - aim(0.6)[:3]).max() < 1e-2
    sampler = Sampling(problem, samples=128, noise=2.0, temperature=0.05, rng=1)
    x, v = q.copy(), np.zeros(3)
    for _ in range(50):
        robot.step(x, v, sampler.step(x, v, goal, out=np.zeros(3)))
    assert np.abs(x - aim(0.6)[:3]).max() < 0.15


def test_a_leg_with_a_loop_hops() -> None:
    """Its foot stays where it is while it holds, in the plan and in `simulate`."""
    linkage, active = hopper(boom=True), np.ones((30, 1))
    q = linkage.project(np.array([0.45, *case("hopper")[1][7:]]))[0]
    floor = Contact("toe", friction=2.0, surface=Plane(offset=float(linkage.forward_kinematics(q, "toe")[2, 3])))
    costs = [StateCost([1.0] + [0.1] * 4 + [0.01] * 5), TorqueCost(1e-3), ConeCost(1.0, least=1.0)]
    active[12:20] = 0
    problem = OptimalControl(
        linkage, costs, terminal=[StateCost(10.0)], steps=30, dt=0.01, actuated=["hip", "lever"], contacts=[floor]
    )
    plan = problem.solve(q, goal={"state": [*q, *np.zeros(5)]}, active=active)
    assert plan.converged and np.abs(linkage.error(plan.q)).max() < 1e-8
    assert not plan.contact_forces[12:20].any() and (plan.contact_forces[active[:, 0] == 1, 0, 2] > 1.0).all()
    motion = linkage.simulate(
        plan.q[0], plan.qd[0], plan.motion().tau, plan.t, "semi_implicit_euler", contacts=problem.contacts
    )
    for found in (plan.q, motion.q):
        toes = linkage.forward_kinematics(found, "toe")[:, :3, 3]
        assert np.abs(toes[:13] - toes[0]).max() < 1e-3 and np.ptp(toes[12:20, 2]) > 5e-3
    assert np.abs(motion.q - plan.q).max() < 2e-3


def test_plans_of_linkages_are_saved_with_the_forces_of_closures(tmp_path: Path) -> None:
    plan, file = moved(), tmp_path / "plan.npz"
    plan.save(file)
    for owner in (plan.problem, plan.problem.robot):
        again = OptimalPlan.load(file, owner)
        np.testing.assert_array_equal(again.multipliers, plan.multipliers)
        assert again.report() == plan.report()
    assert_raises(ShapeError, "closures of the rows", OptimalPlan.load, file, plan.problem.robot.robot)
    np.savez(file, **{name: x for name, x in np.load(file).items() if name != "multipliers"})
    assert_raises(TrajectoryError, "closures need rows, multipliers", OptimalPlan.load, file, plan.problem)
    assert pickle.loads(pickle.dumps(plan)).cost == plan.cost


def test_wrong_linkages_are_refused() -> None:
    linkage, q, _ = case("four-bar")
    solve = partial(moving().solve, q + 1e-3, goal={"state": aim()})
    assert_raises(InputError, "solve: loops of 'four-bar' are open at q0, 'coupler/rocker.[xy]' by", solve)
    make = partial(OptimalControl, linkage, [TorqueCost()], steps=4, dt=H)
    assert_raises(InputError, "closed loops need method='semi_implicit_euler'", make, method="runge_kutta_4")
    assert_raises(UnknownNameError, "no coordinate 'elbow'", make, actuated=["elbow"])
    assert_raises(InputError, "closed loops need dtype=float64", make().to_c, "bar.c", dtype="float32")
    rubbing = four_bar(drive=Drive(friction=(0.5,)), drives=True)
    assert_raises(InputError, "friction that jumps", OptimalControl, rubbing, [TorqueCost()], steps=4, dt=H)
    far = make(terminal=[StateCost(1.0)], actuated=["motor"]).solve(q, [1e4, 0, 0])
    assert not far.converged and np.isfinite(far.q).all()
