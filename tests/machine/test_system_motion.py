"""Motions and linear models of Lagrangian systems: against closed forms, robots, and balances of energy."""

from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from test_lagrange import swing

import revolute
from revolute import InputError, ShapeError, SimulationError
from revolute.library import examples

m, l, g, k, b, t = sympy.symbols("m l g k b t")
x, dx = sympy.symbols("x dx")

OSCILLATOR = revolute.lagrange([x], m * dx**2 / 2, k * x**2 / 2, b * dx**2 / 2, name="oscillator")
NUMBERS = {"m": 2.0, "k": 8.0, "b": 0.4}
ELBOW = examples.planar_elbow()
RODS = {"m1": 1.0, "m2": 1.0, "l1": 1.0, "lc1": 0.5, "lc2": 0.5, "I1": 1 / 12, "I2": 1 / 12, "g": 9.81}


def decay(times: np.ndarray) -> np.ndarray:
    """x(t) of the damped oscillator from rest at 1: exp(-d t) (cos w t + d / w sin w t)."""
    d = NUMBERS["b"] / (2 * NUMBERS["m"])
    w = np.sqrt(NUMBERS["k"] / NUMBERS["m"] - d**2)
    decayed: np.ndarray = np.exp(-d * times) * (np.cos(w * times) + d / w * np.sin(w * times))
    return decayed


SHAKEN = {"m": 1.0, "l": 0.5, "g": 9.81, "a": 0.1, "w": 3.0}


@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853", "RK45", "LSODA"])
def test_a_damped_oscillator_decays_as_it_must(method: str) -> None:
    """RK4 at h = 1e-3 has errors near (w h)^4 = 1.6e-11 a radian; adaptive solvers some hundred times rtol."""
    times = np.linspace(0, 5, 5001 if method == "runge_kutta_4" else 11)
    motion = OSCILLATOR.simulate([1.0], [0.0], None, times, method, NUMBERS, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(motion.q[:, 0], decay(times), atol=1e-9)
    np.testing.assert_allclose(motion.qdd[:, 0], -4 * motion.q[:, 0] - 0.2 * motion.qd[:, 0], atol=1e-13)


@pytest.mark.parametrize("torque", [None, [0.5, -0.2], lambda t, q, qd: -0.3 * qd], ids=["none", "held", "function"])
def test_an_elbow_moves_as_the_robot_does(torque: Any) -> None:
    """The same arm by joints and links: both take the same steps, so that rounding alone differs."""
    times = np.linspace(0, 1, 501)
    states = np.random.default_rng(4).uniform(-1, 1, (2, 3, 2))
    found = ELBOW.simulate(*states, torque, times, values=RODS)
    wanted = revolute.robots.planar(2).simulate(*states, torque, times)
    assert found.q.shape == (3, 501, 2) and found.energy.shape == (3, 501)
    for name in ("t", "q", "qd", "qdd", "tau", "kinetic_energy", "potential_energy"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=1e-10, err_msg=name)


def test_every_set_of_parameters_has_its_motion() -> None:
    times = np.linspace(0, 1, 101)
    both = OSCILLATOR.simulate([1.0], [0.0], None, times, values={**NUMBERS, "k": [8.0, 20.0]})
    for k_value, q in zip((8.0, 20.0), both.q, strict=True):
        assert (OSCILLATOR.simulate([1.0], [0.0], None, times, values={**NUMBERS, "k": k_value}).q == q).all()


def test_time_runs_where_energies_depend_on_it() -> None:
    """By steps of 1 ms and by an adaptive solver; the hinge works on the bob, so that its energy changes."""
    system = swing()
    steps = system.simulate([0.1], [0.0], None, np.linspace(0.5, 1.5, 1001), values=SHAKEN)
    solver = system.simulate([0.1], [0.0], None, [0.5, 1.0, 1.5], "DOP853", SHAKEN, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(steps.q[::500], solver.q, atol=1e-10)
    wanted = system.forward_dynamics(steps.q, steps.qd, steps.tau, {**SHAKEN, "t": steps.t})
    np.testing.assert_array_equal(steps.qdd, wanted)
    assert np.ptp(steps.energy) > 0.05


def test_a_linear_model_is_the_derivative_of_the_accelerations() -> None:
    """Central differences with h = 1e-6, and the robot's own model."""
    q, qd, tau = np.random.default_rng(5).uniform(-1, 1, (3, 4, 2))
    A, B = ELBOW.linearize(q, qd, tau, RODS)
    for matrix, wanted in zip((A, B), revolute.robots.planar(2).linearize(q, qd, tau), strict=True):
        np.testing.assert_allclose(matrix, wanted, atol=1e-10 * np.abs(wanted).max())
    damped = OSCILLATOR.linearize([0.0], [0.0], [0.0], NUMBERS)
    np.testing.assert_allclose(damped[0], [[0, 1], [-4, -0.2]], atol=1e-15)
    np.testing.assert_allclose(damped[1], [[0], [0.5]], atol=1e-15)
    Ad, Bd = OSCILLATOR.linearize([0.0], [0.0], [0.0], NUMBERS, step=0.1)
    np.testing.assert_allclose(Ad[0, 0], decay(np.array(0.1)), rtol=1e-13)
    np.testing.assert_allclose(Bd[0, 0], (1 - decay(np.array(0.1))) / 8, rtol=1e-12)


@pytest.mark.parametrize(("arguments", "options", "error", "text"), [
    (([0.1, 0.2], [0.0], None, [0, 1]), {}, ShapeError, r"q0 has shape \(2,\), but system 'swing' needs"),
    (([0.1], [np.inf], None, [0, 1]), {}, InputError, "qd0 is not finite"),
    (([0.1], [0.0], [1, 2], [0, 1]), {}, ShapeError, r"torque has shape \(2,\), but system 'swing' needs \(1,\)"),
    (([0.1], [0.0], None, [0, 0]), {}, InputError, "increasing times"),
    (([0.1], [0.0], None, [0, 1], "euler"), {}, InputError, "no method 'euler'; available: runge_kutta_4, RK45"),
    (([0.1], [0.0], None, [0, 1]), {"values": {**SHAKEN, "t": 1}}, InputError, "'t' is the time of the motion"),
    (([0.1], [0.0], None, [0, 1]), {"values": {}}, InputError, "of 'swing': no value for 'a', 'g', 'l', 'm', 'w'"),
    (([[0.1]] * 3, [0.0], None, [0, 1]), {"values": {**SHAKEN, "m": [1, 2]}}, ShapeError, r"'m' \(2,\) do not"),
    (([0.1], [0.0], lambda *_: [np.nan], [0, 1]), {}, SimulationError, "is not finite for coordinate 'theta'"),
    (([0.1], [0.0], None, [0, 1]), {"rtol": 0}, InputError, "rtol must be a positive number"),
])  # fmt: skip
def test_a_motion_that_cannot_be_says_why(arguments: Any, options: Any, error: Any, text: str) -> None:
    assert_raises(error, text, swing().simulate, *arguments, **{"values": SHAKEN, **options})


def test_a_motion_that_diverges_names_the_coordinate_and_keeps_what_was_before() -> None:
    explosive = revolute.lagrange([x], dx**2 / 2, -(x**4), name="bomb")
    with pytest.raises(SimulationError, match=r"diverges at t=\S+ s, first in coordinate 'x'") as caught:
        explosive.simulate([1.0], [1.0], None, np.linspace(0, 10, 101))
    partial = caught.value.partial
    assert 2 < len(partial.t) < 101 and partial.energy.shape == partial.t.shape
