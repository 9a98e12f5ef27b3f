"""Jacobians for implicit solvers: exact where the machine has a linear model, differences elsewhere."""

from typing import Any

import numpy as np
import pytest
from motions import READY, UR5
from robots import state

import revolute
from revolute import PointClosure, SimulationError, StateFeedback
from revolute.simulate import run
from revolute.simulate.adaptive import differences, state_slopes


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_stiff_joints_at_rest_stay_at_rest(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A UR5 on springs, in exact equilibrium under its motors' forces.

    Tolerances of positions are 4e-11 rad, rounding of 4 units in 1e-16 over sqrt(rtol); rates are up to 8e3 /s.
    """
    monkeypatch.setattr("revolute.simulate.adaptive.MOST", 200)
    q, still, t = READY["ur5"], np.zeros(6), np.arange(6) * 1e-3
    g = UR5.gravity_forces(q)
    for stiffness in (1e4, 1e6):
        machine = UR5.with_elastic_joints(stiffness, rotor_inertia=0.7, damping=50.0)
        motion = machine.simulate(q, q + g / stiffness, still, still, g, t, method=method)
        assert np.abs(motion.q - q).max() < 4e-11 and np.abs(motion.qd).max() < 4e-7


FLOATING = revolute.robots.random_tree(1, rng=0, base="free", types=["spherical"])


def planar(tau: Any) -> tuple[Any, np.ndarray, np.ndarray, Any]:
    return revolute.robots.planar(2), np.array([[0.3, -0.2], [1.0, 2.0]]), np.array([[0.5, 0.1], [0.2, 3.0]]), tau


@pytest.mark.parametrize(
    "motion",
    [
        (FLOATING, *state(FLOATING)),
        planar([0.3, -0.5]),
        planar(StateFeedback([[5.0, 1.0], [0.0, 4.0]], [[2.0, 0.0], [0.3, 1.0]])),
        planar(lambda t, q, qd: -3 * q**3 - qd),
        (revolute.robots.planar(2).with_drives({"joint1": revolute.Drive(stiffness=(3.0,), damping=(0.4,))}),
         np.array([0.3, 1.0]), np.array([2.0, -1.0]), None),
    ],
    ids=["free base", "batch", "feedback", "function", "drives"],
)
def test_slopes_are_derivatives_of_the_rate(motion: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Off the unit quaternions they need not agree: changes of q are projected on the motions of q."""
    robot, q, qd, tau = motion
    seen: list[Any] = []

    def kept(space: Any, linear: Any, rate: Any, forces: Any, held: bool) -> Any:
        seen[:] = [space, rate, forces, state_slopes(space, linear, rate, forces, held)]
        return seen[-1]

    monkeypatch.setattr(run, "state_slopes", kept)
    robot.simulate(q, qd, tau, [0.0, 1e-4], "BDF")
    space, rate, forces, slopes = seen

    def flat(y: np.ndarray) -> np.ndarray:
        now = y[: q.size].reshape(q.shape), y[q.size :].reshape(qd.shape)
        return np.concatenate([x.ravel() for x in rate(*now, forces(0, 0.0, *now))])

    found, expected = slopes(0, 0.0, q, qd), differences(flat, np.concatenate([q.ravel(), qd.ravel()]))
    if q.shape[-1] != qd.shape[-1]:
        T = rate(q, np.eye(space.nv), np.zeros(space.nv))[0].T
        allowed = np.zeros((len(expected), 2 * space.nv))
        allowed[: q.size, : space.nv], allowed[q.size :, space.nv :] = T, np.eye(space.nv)
        found, expected = found @ allowed, expected @ allowed
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def test_differences_do_not_vanish_with_the_state() -> None:
    """Rounding of 1e9 by 1e-16, over steps of 1e-6 and the slope of 1e6."""
    A = np.array([[1e6, -2.0], [0.5, 0.0]])
    for y in (np.zeros(2), np.array([1e3, -1e-9])):
        assert np.abs(differences(lambda y: A @ y, y) - A).max() < 1e-7 * np.abs(A).max()


def test_closed_loops_and_loads_take_implicit_methods() -> None:
    """Differences stand in for a linear model: loops, wrenches that are functions, viscous friction."""
    arm = revolute.robots.planar(2)
    closed = revolute.robots.planar(3).with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)))
    start, still = closed.project([0.5, -1.0, 0.2]), np.zeros((2, 2))
    push = {"wrenches": {"tip": lambda t, q, qd: [0, 0, q[0], 0, -qd[1], 0]}}
    cases = ((closed, start, {}), (arm, still, push), (arm, still, {**push, "joint_damping": True}))
    for robot, first, options in cases:
        stiff, plain = (
            robot.simulate(*first, None, [0.0, 0.01, 0.02], method, **options).q for method in ("Radau", "DOP853")
        )
        assert np.abs(stiff - plain).max() < 1e-7


def test_a_rate_that_is_not_finite_stops_an_implicit_method() -> None:
    with pytest.raises(SimulationError, match=r"torque\(t=0 s\) is not finite for joint 'joint1'"):
        revolute.robots.planar(1).simulate([0.0], [0.0], lambda t, q, qd: [np.nan * t], [0.0, 1.0], "Radau")
