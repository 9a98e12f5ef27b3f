"""Energy that no force explains: fixed steps that are too long for a contact say so."""

from typing import Any

import numpy as np
import pytest
from comparing import assert_warns
from robots import one_joint

import revolute
from revolute import Inertia, PointClosure, Prismatic, SimulationWarning
from revolute.dynamics.steps import METHODS
from revolute.simulate.advice import unexplained_gain

BALL = one_joint(Prismatic((0, 0, 1)), Inertia(m=1.0))


def floor(stiffness: float) -> Any:
    return lambda t, q, qd: -stiffness * np.minimum(q, 0)


@pytest.mark.parametrize("method", METHODS)
def test_a_contact_that_gives_energy_is_reported(method: str) -> None:
    """The ball moves by 4 cm a step, and the floor has 1e6 N/m: 9.81 J become 1e4 J and more."""
    t = np.arange(201) * 0.01
    with pytest.warns(SimulationWarning, match=rf"gains .* J that no force explains: .* is 9\.81 J .* {method}"):
        motion = BALL.simulate([1.0], [0.0], floor(1e6), t, method)
    assert motion.energy.max() > 1e3


def test_the_step_that_is_named_keeps_the_energy() -> None:
    """Forces that are held for a step give an oscillation 1 % a step at this length."""
    with pytest.warns(SimulationWarning, match=r"rate there is 316 /s, and steps of 0\.000625 s are stable"):
        BALL.simulate([1.0], [0.0], floor(1e5), np.arange(201) * 0.01)
    motion = BALL.simulate([1.0], [0.0], floor(1e5), np.arange(0, 1, 0.000625))
    assert np.ptp(motion.energy[motion.q[:, 0] > 0]) < 0.5 * 9.81


@pytest.mark.parametrize(("method", "step", "end"), [("runge_kutta_4", 0.15, 10), ("semi_implicit_euler", 0.3, 3)])
def test_a_few_steps_that_are_far_too_long_are_reported(method: str, step: float, end: int) -> None:
    """A UR5 falls from rest: short motions may gain more of their energy than long ones, but not all of it."""
    arm, rest = revolute.robots.ur5(), np.zeros(6)
    t = np.arange(end + 1) * step
    assert_warns(SimulationWarning, "that no force explains", arm.simulate, rest, rest, None, t, method)
    arm.simulate(rest, rest, None, np.arange(3) * 0.01, method)
    BALL.simulate([0.0], [0.0], None, [0.0, 0.1, 0.2], "explicit_euler")  # gains half of its energy: 1 / N


def test_the_faster_end_of_the_step_is_named() -> None:
    """A spring of 2e5 N/m^3: in the step that gains most its rate, the root of 3 k q^2, falls from 198 to 73 /s."""
    with pytest.warns(SimulationWarning, match=r"rate there is 198 /s, and steps of 0\.000625 s are stable"):
        BALL.simulate([0.1], [0.0], lambda t, q, qd: 9.81 - 2e5 * q**3, np.arange(20) * 0.01)


def test_rows_of_a_batch_are_judged_apart() -> None:
    start = np.array([[5.0], [1.0]])  # the first never lands
    with pytest.warns(SimulationWarning, match="the motion of row 1 of the batch gains"):
        BALL.simulate(start, np.zeros((2, 1)), floor(1e5), np.arange(80) * 0.01)


def test_work_of_forces_is_no_gain() -> None:
    """Tables that jump from instant to instant, springs, and drives: `warnings` are errors here."""
    t, rng = np.arange(201) * 0.01, np.random.default_rng(0)
    table = 50 * rng.standard_normal((201, 2))
    arm = revolute.robots.planar(2)
    assert arm.simulate(np.zeros(2), np.zeros(2), table, t).kinetic_energy.max() > 1
    arm.simulate(np.zeros(2), np.zeros(2), lambda t, q, qd: 20 * np.sin(5 * t) - 30 * q, t)
    BALL.simulate([1.0], [0.0], floor(1e3), t)


def test_closed_loops_are_watched() -> None:
    linkage = revolute.robots.planar(3).with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)))
    q, qd = linkage.project([0.5, -1.0, 0.2])
    wall = lambda t, q, qd: np.array([-1e5 * np.minimum(q[0] - 0.3, 0), 0, 0])  # noqa: E731
    text = "gains .* stable with runge_kutta_4"
    assert_warns(SimulationWarning, text, linkage.simulate, q, qd, wall, np.arange(60) * 0.01)


def test_gains_are_sums_of_energy_less_work() -> None:
    """A force of 2 N along 3 m explains 6 J of 10 J; 4 J are more than a quarter of 6 J and 1 J, in 20 steps."""
    work = np.array([6.0, *np.zeros(19)])
    energy, kinetic = np.array([1.0, *np.full(20, 11.0)]), np.array([0.0, *np.ones(20)])
    gain = unexplained_gain(work, energy, kinetic)
    assert gain == ((), 0, 4.0)
    assert unexplained_gain(work, energy, kinetic + 11) is None
