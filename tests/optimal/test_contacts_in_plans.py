"""Contacts in plans: the equations of a step, their derivatives, impacts, flight, and motions of `simulate`."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from plan_nodes import PlanNode

import revolute
from revolute import (
    Contact,
    Drive,
    Fixed,
    Inertia,
    InputError,
    Joint,
    Link,
    Plane,
    Revolute,
    Robot,
    Rotation,
    Transform,
)
from revolute.dynamics.coordinate_rates import parent_axes_rates
from revolute.dynamics.optimal.places import pulls
from revolute.errors import ShapeError, UnknownNameError
from revolute.optimal import (
    AccelerationCost,
    ConeCost,
    ContactForceCost,
    OptimalControl,
    OptimalPlan,
    StateCost,
    SwingHeightCost,
    TorqueCost,
    TorqueRateCost,
    TouchDownCost,
)
from revolute.spatial import Vector

H, MU = 0.02, 0.6
SOLE = [(x, y, -0.02) for x in (0.08, -0.05) for y in (0.03, -0.03)]


def rod(mass: float, length: float) -> Inertia:
    """A rod that hangs from its joint."""
    across = mass * length**2 / 12
    return Inertia.from_com(mass, (0, 0, -length / 2), np.diag([across, across, across / 5]).tolist())


def walker(drive: Drive = Drive()) -> Robot:  # noqa: B008
    """A trunk on three legs of two joints."""
    links, joints = [Link("trunk", Inertia.from_com(4.0, (0, 0, 0.02), np.diag([0.04, 0.05, 0.03]).tolist()))], []
    for k, leg in enumerate("abc"):
        hip = Rotation.from_rpy(0, 0, 2 * np.pi * k / 3)
        places = [Transform(hip, hip @ Vector((0.15, 0, 0))), *(Transform(p=Vector((0, 0, -0.2))) for _ in range(2))]
        chain = [("thigh", rod(0.6, 0.2), Revolute((0, 1, 0))), ("shank", rod(0.3, 0.2), Revolute((0, 1, 0)))]
        parent = "trunk"
        for (part, inertia, kind), place in zip([*chain, ("foot", None, Fixed())], places, strict=True):
            links.append(Link(f"{leg} {part}", inertia) if inertia else Link(f"{leg} {part}"))
            own: dict[str, Any] = {"drive": drive} if inertia else {}
            joints.append(Joint(f"{leg} {part}", parent, f"{leg} {part}", kind, place, **own))
            parent = f"{leg} {part}"
    return Robot.from_links("walker", links, joints, base="free")


WALKER = walker()
FEET = [Contact(f"{leg} foot", friction=MU) for leg in "abc"]
CORNERS = [*(Contact("a foot", p, friction=MU) for p in SOLE), FEET[1]]
PLACES = np.array([[0.2, 0.0, 0.0], [0.0, 0.1, 0.1], [np.nan] * 3])
SLOPE = Contact("a foot", (0.01, 0.0, -0.01), friction=5.0, surface=Plane((0.2, -0.3, 1.0), 0.02))
CASES: dict[str, tuple[list[Contact], list[int], dict[str, Any]]] = {
    "all": (FEET, [1, 1, 1], {}),
    "one": (FEET, [0, 1, 0], {}),
    "none": (FEET, [0, 0, 0], {}),
    "places": (FEET, [1, 0, 1], {"places": PLACES}),
    "slope": ([SLOPE, *FEET[1:]], [1, 1, 1], {"places": PLACES}),
    "sole": (CORNERS, [1, 1, 1, 1, 1], {}),
    "some corners": (CORNERS, [1, 0, 1, 0, 0], {}),
    "gains": (FEET, [1, 1, 0], {"gains": (100.0, 20.0), "places": PLACES}),
    "gains of a sole": (CORNERS, [1, 1, 1, 1, 0], {"gains": (100.0, 20.0), "places": np.r_[SOLE, PLACES[2:]] + 0.1}),
}


def stands(robot: Robot = WALKER, bend: float = 0.6) -> np.ndarray:
    """A configuration with the feet on the ground."""
    q = np.array(robot.neutral())
    q[7:] = [bend, -2 * bend] * 3
    q[2] -= robot.forward_kinematics(q, "a foot")[2, 3]
    return q


class Node(PlanNode):
    """A node of one of the cases in a random state."""

    def __init__(self, case: str, *costs: Any, robot: Any = WALKER, q: Any = None) -> None:
        contacts, self.active, options = CASES[case]
        gains, rng = options.get("gains"), np.random.default_rng(len(case))
        costs = costs or (StateCost(1.0), TorqueCost(0.01), AccelerationCost(1e-4))
        problem = OptimalControl(robot, costs, steps=1, dt=H, contacts=contacts, contact_gains=gains)
        q = robot.integrate(stands(), 0.2 * rng.standard_normal(robot.nv)) if q is None else q
        qd, before = rng.standard_normal((2, robot.nv))
        x = [*q, *qd, *(before if problem._setting.dynamics.remembers else ())]
        goals = {"swing height": rng.uniform(0.0, 0.1, len(contacts))} if "swing height" in problem.names else None
        p = problem.parameters(goals, active=self.active, places=options.get("places"))[0]
        super().__init__(problem, np.array(x), p, rng)


@pytest.mark.parametrize("case", CASES)
def test_a_step_satisfies_the_equations_of_motion(case: str) -> None:
    """M a + bias = tau + J^T f and J u + k_p e + mu f = 0; idle contacts exert no force, to the bit."""
    node = Node(case)
    (q, qd), robot, n = np.split(node.x, [WALKER.nq]), WALKER, node.n
    a, f = np.split(node.motions(node.x, node.tau), [n])
    held, on = node.holding, np.repeat(node.active, 3) == 1
    J = np.array(held.rows, float)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, a) - J.T @ f, node.tau, atol=1e-10)
    e = [float(np.dot(axis, x)) for point, x in zip(held.points, pulls(held), strict=True) for axis in point.axes]
    drift = np.array(held.drifts(qd.tolist())) if node.dynamics.gains else 0.0
    rows = J @ np.array(held.speeds(qd.tolist(), a.tolist()), float) + e + drift + np.array(held.damping) * f
    assert np.abs(rows[on]).max(initial=0) < 1e-10 * np.abs([*f, *e, 1.0]).max()
    assert not f[~on].any()


def test_contacts_with_gains_approach_their_places() -> None:
    """Their acceleration is -k_d v - k_p e, to mu f with mu = 1e-8."""
    node = Node("gains")
    q, qd = np.split(node.x, [WALKER.nq])
    a, (kp, kd) = node.motions(node.x, node.tau)[: node.n], CASES["gains"][2]["gains"]
    for place, contact in zip(PLACES[:2], FEET, strict=False):
        e = WALKER.forward_kinematics(q, contact.link)[:3, 3] - place
        v = WALKER.velocity(q, qd, contact.link, "aligned")
        acceleration = WALKER.acceleration(q, qd, a, contact.link, "aligned", "classical")[3:]
        np.testing.assert_allclose(acceleration, -kd * v[3:] - kp * e, atol=1e-5)


@pytest.mark.parametrize("case", ["sole", "gains of a sole"])
def test_corners_of_a_sole_that_turns_do_not_pull_against_each_other(case: str) -> None:
    """J^T f = 0 of no part of f: such forces would be 1 / mu times the contradictions of rows."""
    node = Node(case)
    f, J = node.motions(node.x, node.tau)[node.n :], np.array(node.holding.rows, float)
    U, sizes, _ = np.linalg.svd(J)
    rank = int((sizes > 1e-9).sum())
    assert rank < len(f) and np.abs(U[:, rank:].T @ f).max() < 1e-5 * np.abs(f).max()


@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_differences(case: str) -> None:
    """Velocities after a step along axes of the start, and gradients of costs of forces and contacts.

    Rows of a sole are redundant: differences have rounding errors, by 1 / mu, of 1e-7, and its corners are near the
    border of a cone.
    """
    sole = len(CASES[case][1]) > 3
    costs = ContactForceCost(1e-3), SwingHeightCost(5.0), *([] if sole else [ConeCost(1e-2, least=300.0)])
    costs = *costs, TouchDownCost([*np.arange(1.0, 1 + 3 * len(CASES[case][0]))])
    node = Node(case, StateCost(1.0), TorqueCost(0.01), AccelerationCost(1e-4), *costs)
    node.assert_derivatives(("Zx", "Zc"), partial(velocity_after, node), 1e-6 if sole else 1e-8)


def velocity_after(node: Node, x: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Along axes of the start."""
    qd, a = x[WALKER.nq :], node.motions(x, tau)[: node.n]
    return qd + H * np.array(parent_axes_rates(WALKER, qd.tolist(), a.tolist()), float)


def test_states_with_forces_before_have_the_derivatives_of_differences() -> None:
    Node("one", TorqueRateCost(1e-3), ContactForceCost(1e-3)).assert_derivatives_of_step()


def test_idle_contacts_leave_free_motion() -> None:
    node = Node("none")
    a = WALKER.forward_dynamics(*np.split(node.x, [WALKER.nq]), node.tau)
    np.testing.assert_allclose(node.motions(node.x, node.tau)[: node.n], a, rtol=1e-12, atol=1e-12)


def test_a_touch_down_is_the_plastic_impact() -> None:
    """The velocity after a step is that of `impact` after a step without contacts; h f are its impulses."""
    links = [Link("body", Inertia.from_com(2.0, (0.1, 0, 0), np.diag([0.02, 0.03, 0.04]).tolist())), Link("toe")]
    joints = [Joint("toe", "body", "toe", Fixed(), Transform(p=Vector((0.2, 0.1, -0.1))))]
    body = Robot.from_links("body", links, joints, base="free")
    toe = Contact("toe", friction=1e3)
    problem = OptimalControl(body, [StateCost()], steps=1, dt=H, contacts=[toe], actuated=["root_joint.wx"])
    q, qd = [0.0, 0, 0.1, 0, 0, 0, 1], np.array([1.0, -0.5, 0.3, 0.2, 0.4, -3.0])
    p, still = problem.parameters()[0].tolist(), [0.0] * 6
    motions = problem._setting.accelerations([*q, *qd], still, p)
    rates = [
        parent_axes_rates(body, qd.tolist(), x) for x in (motions[:6], body.forward_dynamics(q, qd, still).tolist())
    ]
    after, free = qd + H * np.array(rates, float)
    hit = body.impact(q, free, [toe])
    np.testing.assert_allclose(after, hit.qd, atol=1e-10)
    np.testing.assert_allclose(H * np.array(motions[6:])[[1, 2, 0]], hit.impulses[0], atol=1e-9)
    np.testing.assert_allclose(body.mass_matrix(q) @ (after - free), body.mass_matrix(q) @ (hit.qd - free), atol=1e-10)


@pytest.mark.parametrize("bend", [0.0, 1e-9])
def test_stretched_knees_have_finite_forces_and_derivatives(bend: float) -> None:
    """Three struts carry the trunk."""
    node = Node("all", TorqueCost(0.01), q=stands(bend=bend))
    a, f = np.split(node.motions(node.x, node.tau), [node.n])
    assert np.abs(f).max() < 1e4 and np.isfinite(a).all()
    J, state = np.array(node.holding.rows, float), np.split(node.x, [WALKER.nq])
    np.testing.assert_allclose(WALKER.inverse_dynamics(*state, a) - J.T @ f, node.tau, atol=1e-8)
    assert all(np.isfinite(x).all() for x in node.derivatives().values())


def test_a_robot_with_drives_satisfies_the_equations() -> None:
    driven = walker(Drive(rotor_inertia=(0.01,), gear_ratio=(5.0,), damping=(0.1,))).with_drives()
    node = Node("one", TorqueCost(0.01), robot=driven)
    a, f = np.split(node.motions(node.x, node.tau), [node.n])
    J, state = np.array(node.holding.rows, float), np.split(node.x, [WALKER.nq])
    np.testing.assert_allclose(driven.inverse_dynamics(*state, a) - J.T @ f, node.tau, atol=1e-10)
    node.assert_derivatives(("Zx", "Zc"), partial(velocity_after, node))


# --- plans ------------------------------------------------------------------------------------------

T, OFF, ON, DT = 24, 8, 15, 0.015
ACTIVE = np.array([[float(not OFF <= t < ON)] * 3 for t in range(T)])


@cache
def jumping(*more: Any) -> OptimalControl:
    """A small jump: costs of posture, forces, cones and heights."""
    posture = StateCost([5.0] * 6 + [1.0] * 6 + [0.01] * 12)
    costs = [posture, TorqueCost(1e-3), ConeCost(0.1, least=2.0), SwingHeightCost(1e3), *more]
    return OptimalControl(WALKER, costs, terminal=[StateCost(10.0)], steps=T, dt=DT, contacts=FEET)


def aims(height: float = 0.03) -> dict[str, Any]:
    """The posture, and a swing up and down."""
    swing = height * np.sin(np.pi * np.clip((np.arange(T + 1) - OFF) / (ON - OFF), 0, 1))
    return {"state": [*stands(), *np.zeros(12)], "swing height": np.stack([swing] * 3, axis=-1)}


@cache
def jump() -> OptimalPlan:
    return jumping().solve(stands(), goal=aims(), active=ACTIVE)


def feet(q: np.ndarray) -> np.ndarray:
    """(T, 3, 3) points of all feet."""
    return np.stack([WALKER.forward_kinematics(q, x.link)[..., :3, 3] for x in FEET], axis=-2)


def test_a_jump_flies_freely_and_stands_by_its_weight() -> None:
    """Momentum in flight, of the mean of the steps; steps themselves have errors of dt."""
    plan, weight = jump(), 9.81 * sum(body.inertia.m for body in WALKER.bodies)
    assert plan.converged and plan.iterations > 3
    assert not plan.contact_forces[OFF:ON].any() and plan.contact_forces[ACTIVE[:, 0] == 1].all(axis=(1, 2)).all()
    momentum = WALKER.centroidal_momentum(plan.q, plan.qd)[[OFF + 1, ON]]
    change = np.diff(momentum, axis=0)[0] / ((ON - OFF - 1) * DT)
    np.testing.assert_allclose(change, [0, 0, 0, 0, 0, -weight], atol=5e-3 * weight)
    standing = jumping().solve(stands(), goal=aims(0.0))
    np.testing.assert_allclose(
        standing.contact_forces.sum(axis=1)[4:-2], [[0, 0, weight]] * (T - 6), atol=0.02 * weight
    )


def test_feet_touch_down_softly() -> None:
    """Velocities of active contacts have a cost at touch-downs alone, where they end within two nodes."""
    plan = jumping(TouchDownCost(100.0)).solve(stands(), goal=aims(), active=ACTIVE)
    cost, landing = plan.costs["touch-down"], [ON, ON + 1]
    assert plan.converged and int(np.argmax(cost)) == ON and cost[ON] > 1e3 * np.delete(cost, landing).max()
    speeds = [np.diff(feet(x.q)[ON - 1 : ON + 1], axis=0) / DT for x in (jump(), plan)]
    assert np.linalg.norm(speeds[1]) < 0.2 * np.linalg.norm(speeds[0])


def test_feet_stay_where_they_are_planned_in_the_plan_and_in_simulate() -> None:
    """By their forces alone, in the contacts of `simulate`, at the same steps."""
    plan = jump()
    tau = np.vstack([plan.tau, plan.tau[-1:]])
    motion = WALKER.simulate(plan.q[0], plan.qd[0], tau, plan.t, "semi_implicit_euler", contacts=FEET)
    for found in (feet(plan.q), feet(motion.q)):
        for held in (found[: OFF + 1], found[ON + 1 :]):
            assert np.abs(held - held[0]).max() < 2e-3
    np.testing.assert_allclose(motion.contact_forces[: OFF - 1], plan.contact_forces[: OFF - 1], atol=0.2)
    assert np.abs(feet(motion.q) - feet(plan.q)).max() < 4e-3
    own = plan.motion()
    np.testing.assert_array_equal(own.contact_forces[:-1], plan.contact_forces)
    assert "contact a foot" in plan.report() and own.contacts == tuple(FEET)


def test_a_check_simulates_steps_with_contacts() -> None:
    """Whole steps are those of `simulate`; feet that land within a step do so at another instant."""
    assert max(jump().check(1).step_error.values()) < 1e-8
    landing = jump().check(4)
    assert landing.step_error["q"] > 1e-2 and landing.step_error["qd"] > 1 and not landing.beyond
    assert landing.landing and "contacts touch down: expected" in str(landing)
    sunk = np.array(jump().q)
    sunk[5, 2] -= 0.3
    assert_raises(InputError, "check: at node 5 the contact of 'a foot' is inside", replace(jump(), q=sunk).check)


def test_no_change_of_forces_lowers_the_cost() -> None:
    """Slopes of the cost of motions by the step itself, with other forces."""
    problem = jumping()
    plan = problem.solve(stands(), goal=aims(), active=ACTIVE, guess=jump(), tolerance=1e-17, iterations=300)
    setting, p = problem._setting, problem.parameters(aims(), active=ACTIVE).tolist()

    def cost(tau: np.ndarray) -> float:
        x, total = [*plan.q[0], *plan.qd[0]], 0.0
        for t in range(T + 1):
            own, h = (tau[t].tolist(), DT) if t < T else ([0.0] * 12, 0.0)
            motions = setting.accelerations(x, own, p[t])
            total += float(setting.cost(x, motions, own, p[t], h))
            x = setting.dynamics.step(x, own, motions, h)
        return total

    np.testing.assert_allclose(cost(plan.tau), plan.cost, rtol=1e-9)
    direction = np.zeros((T, 12))
    direction[:, 6:] = np.random.default_rng(0).standard_normal((T, 6))
    there, back, far = (cost(plan.tau + h * direction) for h in (1e-5, -1e-5, 1e-2))
    assert abs(there - back) / 2e-5 < 5e-6 and far > plan.cost


def test_rows_with_other_contacts_are_independent_to_the_last_bit() -> None:
    masks = np.stack([ACTIVE, np.ones((T, 3)), ACTIVE])
    goals = aims() | {"swing height": np.stack([aims(x)["swing height"] for x in (0.03, 0.0, 0.03)])}
    many = jumping().solve(np.array([stands()] * 3), goal=goals, active=masks)
    assert many.contact_forces.shape == (3, T, 3, 3) and many.converged.all()
    for name in ("q", "tau", "contact_forces", "iterations"):
        np.testing.assert_array_equal(getattr(many.row(2), name), getattr(jump(), name))
    assert (many.row(1).contact_forces[..., 2] > 0).all()


def test_steppers_change_their_contacts() -> None:
    """A stepper with the contacts of a plan gives the forces of the plan; omitted ones are unchanged."""
    plan, loop, out, at = jump(), jumping().stepper(iterations=50), np.zeros(12), jumping()._setting.contact_numbers
    loop.step(plan.q[0], plan.qd[0], aims(), out=out, active=ACTIVE)
    np.testing.assert_allclose(out, plan.tau[0], atol=1e-4)
    before = loop._nodes.p.copy()
    loop.step(plan.q[0], plan.qd[0], out=out, elapsed=0.0, active=ACTIVE.copy())
    np.testing.assert_array_equal(loop._nodes.p, before)
    loop.step(plan.q[0], plan.qd[0], aims(0.0), out=out, elapsed=0.0, active=np.ones((T, 3)))
    loop.step(plan.q[0], plan.qd[0], out=out, elapsed=0.0, places=feet(stands()))
    numbers = loop._nodes.p[:-1, 0, at]
    assert (numbers[:, 1] == 1).all() and (numbers[:, 3] > 0).all() and not loop.failed


ARM = revolute.robots.planar(3)


def pushing(*more: Any, **options: Any) -> tuple[OptimalControl, np.ndarray]:
    """An arm whose tip is at a wall, and its start."""
    q = np.array([1.2, -2.0, 0.8])
    wall = Plane((-1.0, 0.0, 0.0), -float(ARM.forward_kinematics(q, "tip")[0, 3]))
    contact = Contact("tip", friction=0.5, surface=wall)
    costs = [StateCost([0.0] * 3 + [100.0] * 3), TorqueCost(1e-6), *more]
    return OptimalControl(ARM, costs, steps=8, dt=H, contacts=[contact], **options), q


def test_an_arm_pushes_a_wall_with_a_given_force() -> None:
    """Forces are those of statics: tau = g - J^T f."""
    problem, q = pushing(ContactForceCost(1.0))
    goal = [[-20.0, 5.0, 0.0]]
    plan = problem.solve(q, goal={"contact forces": goal})
    np.testing.assert_allclose(plan.contact_forces, np.tile(goal, (8, 1, 1)), atol=1e-3)
    J = ARM.jacobian(q, "tip", "aligned")[3:]
    np.testing.assert_allclose(plan.tau[0], ARM.gravity_forces(q) - J.T @ goal[0], atol=1e-3)


def test_hard_cones_hold_and_bounds_too() -> None:
    hard = ConeCost(1.0, least=5.0, facets=4, hard=True)
    problem, q = pushing(ContactForceCost(0.01), hard, effort_limits=35.0)
    plan = problem.solve(q, goal={"contact forces": [[-20.0, 30.0, 0.0]]})
    push, slide = -plan.contact_forces[:, 0, 0], plan.contact_forces[:, 0, 1]
    assert plan.converged and np.abs(plan.tau).max() <= 35.0
    assert (push >= 5.0 - 1e-3).all() and (np.abs(slide) <= 0.5 * push + 1e-3).all() and slide.max() > 5.0
    assert plan.errors["friction cones"] < 1e-3


def test_wrong_contacts_are_named() -> None:
    def make(contacts: Any, *costs: Any, **options: Any) -> OptimalControl:
        return OptimalControl(WALKER, [TorqueCost(), *costs], steps=4, dt=H, contacts=contacts, **options)

    assert_raises(InputError, "'a foot' has a radius", make, [Contact("a foot", radius=0.02)])
    assert_raises(InputError, "touches no plane", make, [Contact("a foot", surface=lambda p: p[2])])
    assert_raises(UnknownNameError, "no_foot", make, [Contact("no_foot")])
    assert_raises(InputError, "semi_implicit_euler", make, FEET, method="runge_kutta_4")
    for gains in (3.0, (1.0,), (np.nan, 1.0), (-1.0, 1.0)):
        assert_raises(InputError, "contact_gains", make, FEET, contact_gains=gains)
    assert_raises(InputError, "has no contacts", make, [], ConeCost())
    assert_raises(UnknownNameError, "no contact 'x'", make, FEET, ConeCost(contacts=["x"]))
    assert_raises(InputError, "least", partial(ConeCost, least=-1.0))
    assert_raises(InputError, "facets", partial(ConeCost, facets=2))
    assert_raises(InputError, "has none", partial(make([]).parameters, active=[1]))
    problem = make(FEET)
    for active in ([1, 0.5, 0], [1, np.nan, 0]):
        assert_raises(InputError, "^parameters: active must be 1", partial(problem.parameters, active=active))
    assert_raises(ShapeError, "active has shape", partial(problem.parameters, active=np.ones((3, 3))))
    assert_raises(ShapeError, "places has shape", partial(problem.parameters, places=np.ones((4, 3, 2))))
    assert_raises(InputError, "places must be finite", partial(problem.parameters, places=[[np.inf] * 3] * 3))
    assert_raises(InputError, "or NaN in all three", partial(problem.parameters, places=[[np.nan, 0.1, 0.0]] * 3))
    assert problem.parameters(active=np.ones((5, 3))).shape[0] == 5
    sole = OptimalControl(ARM, [TorqueCost()], steps=4, dt=H, contacts=[Contact("tip", (0, 0, z)) for z in (0.0, 0.1)])
    assert_raises(InputError, "need dtype=float64", partial(sole.to_c, "sole.c", dtype="float32"))
