"""Bodies in free flight: momenta and the path of the centre of mass by every method, and the order of each.

`python tests/simulate/test_free_bodies.py` prints the table.
"""

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from robots import chain, load

import revolute
from revolute import Inertia, Joint, Link, Robot
from revolute.optimal import OptimalControl, StateCost, TorqueCost
from revolute.simulate import ADAPTIVE, FIXED

ORDERS = {
    "explicit_euler": 1, "semi_implicit_euler": 1, "runge_kutta_4": 4, "runge_kutta_munthe_kaas_4": 4,
    "implicit_midpoint": 2, "variational_midpoint": 2,
}  # fmt: skip
SPIN, SPEED = np.array([3.0, -5.0, 8.0]), np.array([1.0, 2.0, 3.0])
END = 1.0


def body(*principal: float, com: Any = (0, 0, 0)) -> Inertia:
    return Inertia.from_com(2.0, com, np.diag(principal))


def bodies() -> dict[str, tuple[Robot, np.ndarray, np.ndarray]]:
    """Robots in flight, with their first states: the spin of a few rad a second."""
    satellite = Robot.from_links(
        "satellite",
        [Link("hub", body(0.3, 0.4, 0.5)), Link("panel", body(0.05, 0.02, 0.06, com=(0.4, 0, 0.1)))],
        [Joint("hinge", "hub", "panel", revolute.Revolute((0, 1, 0)))],
        base="free", gravity=(0, 0, 0),
    )  # fmt: skip
    box = Robot.from_links("box", [Link("box", body(0.02, 0.03, 0.04))], [], base="free")
    top = Robot.from_links("top", [Link("top", body(0.02, 0.02, 0.03, com=(0, 0, 0.2)))], [], base="free")
    dog = load("solo_description/solo12", "free")
    still = dog.nv - 6
    return {
        "box": (box, box.neutral(), np.r_[SPIN, SPEED]),
        "top": (top, top.neutral(), np.r_[0.5, 0, 9.0, SPEED]),
        "satellite": (satellite, satellite.neutral(), np.r_[SPIN / 4, SPEED, 2.0]),
        "quadruped": (dog, dog.neutral(), np.r_[SPIN / 4, SPEED, np.linspace(-1, 1, still)]),
    }


@cache
def flown(name: str, method: str, h: float) -> np.ndarray:
    """Momenta about the centre of mass, linear momenta less those of gravity, and its path, all at the last instant."""
    robot, q, qd = bodies()[name]
    t = np.arange(round(END / h) + 1) * h
    tight = {"rtol": 1e-12, "atol": 1e-12} if method in ADAPTIVE else {}
    motion = robot.simulate(q, qd, None, t, method, **tight)
    return np.r_[robot.centroidal_momentum(motion.q[-1], motion.qd[-1]), robot.center_of_mass(motion.q[-1])]


def errors(name: str, method: str, h: float) -> np.ndarray:
    """Relative errors of the angular and of the linear momentum, and the error of the centre of mass [m]."""
    robot, q, qd = bodies()[name]
    start, mass = robot.centroidal_momentum(q, qd), sum(x.inertia.m for x in robot.bodies)
    g = np.array([float(x) for x in robot.gravity])
    there = robot.center_of_mass(q) + start[3:] / mass * END + g * END**2 / 2
    found = flown(name, method, h)
    size = np.linalg.norm(start[:3]), np.linalg.norm(start[3:])
    off = found[:3] - start[:3], found[3:6] - start[3:] - mass * g * END, found[6:] - there
    return np.array([np.linalg.norm(off[0]) / size[0], np.linalg.norm(off[1]) / size[1], np.linalg.norm(off[2])])


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "quadruped")) for name in bodies()]
)
def test_errors_in_flight_have_the_order_of_the_method(name: str, method: str) -> None:
    """Half the step: errors 2^order times smaller, less 20 per cent, or rounding."""
    coarse, fine = (errors(name, method, h) for h in (0.01, 0.005))
    assert (fine < 1.2 * coarse / 2 ** ORDERS[method] + 1e-11).all()
    assert (coarse < {1: 0.06, 2: 0.01, 4: 2e-5}[ORDERS[method]]).all()


@pytest.mark.parametrize("name", bodies())
def test_adaptive_methods_keep_to_their_tolerance_in_flight(name: str) -> None:
    assert (errors(name, "DOP853", 0.05) < 1e-11).all() and (errors(name, "Radau", 0.05) < 1e-7).all()


@pytest.mark.parametrize("method", ["explicit_euler", "semi_implicit_euler", "sticking"])
@pytest.mark.parametrize("joint", [revolute.Free(), revolute.Planar((2, 1, 2))], ids=["free", "planar"])
def test_a_thrown_body_flies_along_a_parabola(joint: Any, method: str) -> None:
    """By Euler's methods exactly, but for the first order of gravity, g h t / 2; the spin does not change it."""
    robot = chain((body(0.2, 0.3, 0.4), joint), (body(0.01, 0.01, 0.02), revolute.Revolute()), gravity=(0, -2, 1))
    qd = np.array([3.0, -5.0, 8.0, 1.0, 2.0, 3.0, 0.0] if robot.nv == 7 else [8.0, 1.0, 2.0, 0.0])
    options: dict[str, Any] = {"method": method}
    if method == "sticking":
        robot = robot.with_drives({"j2": revolute.Drive(friction=(1.0,))})
        options = {"method": "semi_implicit_euler", "sticking": True}
    t, q, tree = np.arange(201) * 0.01, robot.neutral(), getattr(robot, "robot", robot)
    motion = robot.simulate(q, qd, None, t, **options)
    place, velocity = tree.center_of_mass(motion.q), tree.velocity(q, qd, "l1", "aligned")[3:]
    early = t * (t - 0.01) if method == "explicit_euler" else t * (t + 0.01)
    np.testing.assert_allclose(place, np.outer(t, velocity) + np.outer(early, [0, -2, 1]) / 2, atol=1e-11)


def test_a_zero_quaternion_has_no_orientation() -> None:
    robot, q, _ = bodies()["box"]
    message = "q0 in row 1 of the batch: the quaternion of 'root_joint' is zero; start from robot.neutral"
    with pytest.raises(revolute.InputError, match=message):
        robot.simulate([q, np.zeros(7)], np.zeros(6), None, 0.01)


def test_a_free_robot_on_plan_is_its_simulation() -> None:
    """Steps and policies of optimal control are those of the free body's steps, where accelerations are controls."""
    robot, q, qd = bodies()["box"]
    goal, costs, t = np.r_[q, np.zeros(6)], [], np.arange(31) * 0.02
    for effort in (None, 1e4):  # with bounds, forces are the controls
        ends = {"terminal": [StateCost(10.0)], "steps": 30, "dt": 0.02, "actuated": robot.coordinate_names}
        problem = OptimalControl(robot, [TorqueCost(1.0)], effort_limits=effort, **ends)
        plan = problem.solve(q, qd / 10, goal={"state": goal})
        motion = robot.simulate(q, qd / 10, [*plan.tau, plan.tau[-1]], t, "semi_implicit_euler")
        np.testing.assert_allclose(motion.q, plan.q, atol=1e-9)
        costs.append(plan.cost)
    np.testing.assert_allclose(*costs, rtol=1e-5)


def table() -> None:
    print(f"{'body':10} {'method':26} {'step':>6}  angular  linear   centre [m]")
    for name, method, h in itertools.product(bodies(), (*FIXED, "DOP853", "LSODA", "Radau"), (0.01, 0.005, 0.001)):
        print(f"{name:10} {method:26} {1e3 * h:4g} ms ", *(f"{x:8.1e}" for x in errors(name, method, h)))


if __name__ == "__main__":
    table()
