"""Gaits and contact schedules: who holds when, where feet land, how the base moves meanwhile."""

import numpy as np
import pytest

import revolute
from revolute import Contact, Inertia, Joint, Link, Plane, Robot, Transform
from revolute.errors import InputError, ShapeError, UnknownNameError
from revolute.optimal import ContactSchedule, OptimalControl, Phase, StateCost, SwingHeightCost, TorqueCost, gait
from revolute.optimal.gaits import GAITS

LEGS = {"FL": (0.2, 0.1), "FR": (0.2, -0.1), "HL": (-0.2, 0.1), "HR": (-0.2, -0.1)}
G = 9.81


def table() -> tuple[Robot, list[Contact], np.ndarray]:
    """A plate on four legs that do not bend, 0.3 m above the ground; it starts aside, turned by a quarter."""
    links = [Link("plate", Inertia.box(4.0, (0.4, 0.2, 0.1)))]
    links += [Link(name, Inertia.sphere(0.1, 0.05)) for name in LEGS]
    joints = [
        Joint(name, "plate", name, revolute.Revolute((0, 1, 0)), Transform(p=(*place, -0.3)))
        for name, place in LEGS.items()
    ]
    robot = Robot.from_links("table", links, joints, base="free", warn=False)
    return robot, [Contact(name) for name in LEGS], np.array([1, 2, 0.3, 0, 0, np.sqrt(0.5), np.sqrt(0.5), 0, 0, 0, 0])


@pytest.mark.parametrize("name", GAITS)
@pytest.mark.parametrize("duty", [0.3, 0.5, 0.65, 1.0])
def test_each_foot_holds_for_the_duty_factor_and_swings_once(name, duty):
    phases = gait(name, LEGS, period=0.8, duty=duty, cycles=3)
    assert sum(phase.duration for phase in phases) == pytest.approx(2.4, abs=1e-12)
    for foot in LEGS:
        held = [foot in phase.feet for phase in phases]
        assert sum(x.duration for x, on in zip(phases, held, strict=True) if on) == pytest.approx(2.4 * duty, abs=1e-12)
        lift_offs = sum(a and not b for a, b in zip(held, held[1:] + held[:1], strict=True))
        assert lift_offs == (3 if duty < 1 else 0)


@pytest.mark.parametrize(
    ("name", "pairs"), [("trot", ("FL HR", "FR HL")), ("pace", ("FL HL", "FR HR")), ("bound", ("FL FR", "HL HR"))]
)
def test_pairs_of_feet_move_half_a_period_apart(name, pairs):
    robot, contacts, q = table()
    active = ContactSchedule.of(robot, contacts, gait(name, LEGS, duty=0.6, cycles=2), q, dt=0.025).active
    columns = dict(zip(LEGS, active.T, strict=True))
    for a, b in map(str.split, pairs):
        np.testing.assert_array_equal(columns[a], columns[b])
    first, second = (columns[pair.split()[0]] for pair in pairs)
    np.testing.assert_array_equal(first[:20], np.roll(second[:20], 10))


def test_of_a_walk_at_least_three_feet_hold_and_hind_feet_lead_front_feet():
    phases = gait("walk", LEGS)
    assert [set(LEGS) - set(phase.feet) for phase in phases] == [{"FL"}, {"HR"}, {"FR"}, {"HL"}]


def test_six_legs_trot_by_tripods_and_two_legs_walk_by_turns():
    six = {f"{side}{row}": (-row, y) for row in range(3) for side, y in (("L", 1), ("R", -1))}
    assert [phase.feet for phase in gait("trot", six)] == [("L0", "R1", "L2"), ("R0", "L1", "R2")]
    two = {"left": (0, 0.1), "right": (0, -0.1)}
    assert [phase.feet for phase in gait("walk", two)] == [("left", "right"), ("left",), ("left", "right"), ("right",)]


@pytest.mark.parametrize("velocity", [(0.5, 0, 0), (0.3, -0.2, 0), (0.4, 0.1, 0.7)])
def test_a_foot_lands_at_its_nominal_place_under_the_base_half_way_through_its_stance(velocity):
    robot, contacts, q = table()
    phases = gait("trot", LEGS, period=0.4, cycles=3, velocity=velocity)
    schedule = ContactSchedule.of(robot, contacts, phases, q, dt=0.02)
    np.testing.assert_allclose(schedule.places[0][[0, 3]], _feet(robot, q)[[0, 3]], atol=1e-15)  # they hold at once
    for first in (10, 20, 30, 40, 50):
        landed = np.flatnonzero(schedule.active[first] > schedule.active[first - 1])
        assert len(landed) == 2
        base = schedule.states[first + 5, :11]
        np.testing.assert_allclose(schedule.places[first, landed], _feet(robot, base)[landed], atol=1e-12)
        np.testing.assert_array_equal(schedule.places[first - 10, landed], schedule.places[first, landed])


def _feet(robot, q):
    return np.array([robot.forward_kinematics(q, name)[:3, 3] for name in LEGS])


def test_the_base_moves_with_its_velocity_and_turns_with_its_heading():
    robot, contacts, q = table()
    velocity = (0.5, 0.1, 0.9)
    schedule = ContactSchedule.of(robot, contacts, gait("trot", LEGS, cycles=4, velocity=velocity), q, dt=0.005)
    x, qd = schedule.states[:, :11], schedule.states[:, 11:]
    rates = robot.difference(x[:-1], x[1:]) / 0.005
    # a chord is shorter than its arc by a share of (w dt)^2 / 24; `difference` adds it again
    np.testing.assert_allclose(rates, qd[:-1], atol=0.6 * (0.9 * 0.005) ** 2 / 24 + 1e-12)
    np.testing.assert_allclose(qd[:, [3, 4, 2]], np.tile(velocity, (len(qd), 1)), atol=1e-12)
    yaw = 2 * np.arctan2(x[-1, 5], x[-1, 6])
    assert yaw == pytest.approx(np.pi / 2 + 0.9 * 2.0, abs=1e-12)


def test_where_no_foot_holds_the_base_falls_freely():
    robot, contacts, q = table()
    phases = [Phase("stand", 0.1, LEGS), Phase("flight", 0.3, ()), Phase("land", 0.1, LEGS)]
    schedule = ContactSchedule.of(robot, contacts, phases, q, dt=0.01)
    z, climb = schedule.states[:, 2], schedule.states[:, 11 + 5]
    np.testing.assert_allclose(np.diff(z[10:41], 2), -G * 0.01**2, atol=1e-12)
    np.testing.assert_allclose(np.diff(climb[10:40]), -G * 0.01, atol=1e-12)
    assert z[[10, 40, 50]] == pytest.approx(0.3) and z.max() == pytest.approx(0.3 + G * 0.3**2 / 8)
    assert schedule.heights[:, 0].max() == pytest.approx(0.05)
    assert np.abs(schedule.heights[[0, 10, 40, 50]]).max() < 1e-30
    assert schedule.phases[9:11] == ("stand", "flight")


def test_a_window_is_a_part_and_its_end_is_repeated():
    robot, contacts, q = table()
    whole = ContactSchedule.of(robot, contacts, gait("trot", LEGS, velocity=(1, 0, 0)), q, dt=0.05)
    part = whole.window(7, 6)
    np.testing.assert_array_equal(part.active, [*whole.active[7:], *[whole.active[-1]] * 3])
    np.testing.assert_array_equal(part.heights, [*whole.heights[7:], *[whole.heights[-1]] * 3])
    np.testing.assert_allclose(part.t, 0.05 * np.arange(7))
    assert repr(whole) == "<ContactSchedule of 4 contacts, 10 steps: trot 0.5 s>"


def test_contacts_of_a_link_hold_together_and_a_fixed_base_stays():
    arm = revolute.robots.planar(2)
    pads = [Contact("tip", (0, 0, z)) for z in (-0.01, 0.01)]
    schedule = ContactSchedule.of(arm, pads, [Phase("away", 0.1, ()), Phase("push", 0.2, ["tip"])], [0.1, 0.2], dt=0.1)
    np.testing.assert_array_equal(schedule.active, [[0, 0], [1, 1], [1, 1]])
    np.testing.assert_array_equal(schedule.states, np.tile([0.1, 0.2, 0, 0], (4, 1)))
    tip = arm.forward_kinematics([0.1, 0.2], "tip")[:3, 3]
    np.testing.assert_allclose(ContactSchedule.feet(arm, pads, [0.1, 0.2])["tip"], tip, atol=1e-15)


def test_a_schedule_is_what_solve_takes():
    arm = revolute.robots.planar(2)
    tip = [Contact("tip", surface=Plane((-1, 0, 0), -1.2))]
    q = np.array([-0.9273, 1.8546])  # the tip is at (1.2, 0)
    schedule = ContactSchedule.of(arm, tip, [Phase("press", 0.1, ["tip"]), Phase("away", 0.1, ())], q, dt=0.02)
    costs = [StateCost(1.0), TorqueCost(1e-3), SwingHeightCost(1e3)]
    problem = OptimalControl(arm, costs, steps=10, dt=0.02, contacts=tip)
    goal = {"state": schedule.states, "swing height": schedule.heights}
    plan = problem.solve(q, goal=goal, active=schedule.active, places=schedule.places)
    assert plan.converged
    forces = np.abs(plan.contact_forces[:, 0]).max(axis=1)
    assert (forces[:5] > 0.1).all() and not forces[5:].any()
    x = arm.forward_kinematics(plan.q, "tip")[:, :2, 3]
    np.testing.assert_allclose(x[1:6], np.tile(schedule.places[0, 0, :2], (5, 1)), atol=1e-4)
    gaps = 1.2 - x[:, 0]
    assert gaps[8] > 0.02 and gaps[8] < 0.05


def test_wrong_arguments_are_named():
    robot, contacts, q = table()
    of = lambda phases, **more: ContactSchedule.of(robot, contacts, phases, q, **{"dt": 0.01} | more)  # noqa: E731
    stand = [Phase("stand", 0.1, LEGS)]
    for call, kind, words in (
        (lambda: gait("tort", LEGS), UnknownNameError, "trot"),
        (lambda: gait("trot", {}), InputError, "feet"),
        (lambda: gait("trot", LEGS, duty=1.2), InputError, "duty"),
        (lambda: gait("trot", LEGS, period=float("nan")), InputError, "period"),
        (lambda: gait("trot", LEGS, cycles=0), InputError, "cycles"),
        (lambda: gait("trot", {"FL": [np.nan, 0]}), InputError, "FL"),
        (lambda: Phase("push", -1, ()), InputError, "push.*duration"),
        (lambda: Phase("push", 1, (), (1, 0)), ShapeError, "push.*velocity"),
        (lambda: Phase("push", 1, (), (1, 0, np.inf)), InputError, "push.*velocity"),
        (lambda: Phase("push", 1, "FL"), InputError, "feet"),
        (lambda: of([]), InputError, "phases"),
        (lambda: of([*stand, Phase("hop", 0.004, ())]), InputError, "hop"),
        (lambda: of([Phase("stand", 0.1, ["plate"])]), UnknownNameError, "plate"),
        (lambda: of(stand, step_height=np.nan), InputError, "step_height"),
        (lambda: of(stand, dt=0), InputError, "dt"),
        (lambda: ContactSchedule.of(robot, contacts, stand, q[:5], dt=0.1), ShapeError, "q0"),
        (lambda: of(stand).window(-1, 5), InputError, "first"),
        (lambda: of(stand).window(0, 0), InputError, "steps"),
    ):
        with pytest.raises(kind, match=words):
            call()
