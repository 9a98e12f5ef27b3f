"""Closed loops in machine code: rows, states of laws, real loops, and what is wrong with controllers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from comparing import assert_close, assert_each, assert_raises
from motions import arrays, assert_all_raise, assert_same, peak_memory, step_by_step, swing

import revolute
from revolute import DtypeError, InputError, ShapeError, SimulationError
from revolute.control import Adaptive, ComputedTorque, MotionTable, PassivityBased, PDWithGravity, SlidingMode

H = 1e-3
ARM = revolute.robots.planar(2)
START, STILL, T = np.array([0.3, -0.5]), np.zeros(2), np.arange(41) * H


LAWS: dict[str, Any] = {
    "PDWithGravity": PDWithGravity(ARM, swing, 30.0, 5.0),
    "ComputedTorque": ComputedTorque(ARM, swing, 30.0),
    "FeedforwardPD": revolute.control.FeedforwardPD(ARM, swing, 30.0, 5.0),
    "PassivityBased": PassivityBased(ARM, swing, 5.0, [[3.0, 1.0], [0.0, 2.0]], full=True),
    "SlidingMode": SlidingMode(ARM, swing, 5.0, 3.0, bound=2.0, boundary=0.1),
    "Adaptive": Adaptive(ARM, swing, 5.0, 3.0, rates=0.5, estimates=ARM.inertial_parameters / 2),
}


@pytest.mark.parametrize("name", LAWS)
def test_loops_in_machine_code_and_in_python_agree(name: str) -> None:
    law, t = LAWS[name], T[:11]
    for batch in ((), (9,)):
        q = np.broadcast_to(START, (*batch, 2)) * np.linspace(0.5, 1, 2)
        motion = ARM.simulate(q, STILL, law, t)
        slow = step_by_step(lambda: ARM.simulate(q, STILL, law, t))  # noqa: B023
        assert_same(motion, slow, tolerance=1e-12)
        assert motion.controller.keys() == slow.controller.keys() == ({"estimates"} if name == "Adaptive" else set())
        for label, x in motion.controller.items():
            np.testing.assert_allclose(x, slow.controller[label], rtol=1e-12, atol=1e-14)
            assert x.shape == (*batch, len(t), 2, 10)
    if name != "Adaptive":
        other = SimpleNamespace(torque=law.torque)
        np.testing.assert_allclose(ARM.simulate(START, STILL, other, t).q, ARM.simulate(START, STILL, law, t).q)
        for method in ("semi_implicit_euler", "DOP853"):
            ARM.simulate(START, STILL, law, t[:3], method)


def test_rows_have_gains_references_models_and_robots_of_their_own() -> None:
    """Each row of a batch is, bit for bit, the motion of its own numbers."""
    rng, rows = np.random.default_rng(2), 5
    K_p, K_d = rng.uniform(20, 80, (rows, 2)), rng.uniform(5, 9, (rows, 2))
    models, robots = ARM.inertial_parameters * rng.uniform(0.5, 1.5, (2, rows, 1, 1))
    tables = rng.standard_normal((3, rows, len(T), 2))

    def moved(at: Any) -> Any:
        law = ComputedTorque(ARM, MotionTable(T, *tables[:, at]), K_p[at], K_d[at], parameters=models[at])
        start = np.broadcast_to(START, (rows, 2))[at]
        return ARM.simulate(start, STILL, law, T, "semi_implicit_euler", parameters=robots[at])

    together = moved(slice(None))
    assert np.ptp(together.q[:, -1], axis=0).min() > 0
    for row in range(rows):
        assert_same(moved(row), together.row(row), "q qd qdd tau kinetic_energy potential_energy")


def test_a_table_is_read_at_the_times_of_the_motion() -> None:
    """A motion with as many instants as the table, but other ones, follows the table as does a longer motion."""
    table = MotionTable([0.0, 0.5, 1.0], *np.random.default_rng(5).standard_normal((3, 3, 2)))
    law, t = ComputedTorque(ARM, table, 30.0, 5.0), np.arange(8) * 0.01
    for k in (0, 45, 48):
        at = t + k * 0.01
        found, wanted = (ARM.simulate(START, STILL, law, at[:n], "semi_implicit_euler").q[:3] for n in (3, 8))
        np.testing.assert_array_equal(found, wanted)


def test_parameters_of_the_robot_that_moves() -> None:
    """A robot with a payload, and the robot without it and with its parameters, move alike and have the same energy."""
    for robot in (ARM, revolute.robots.random_tree(4, rng=6, base="free")):
        loaded = robot.with_payload(robot.link_names[-1], revolute.Inertia.sphere(2.0, 0.1))
        start = robot.random_configuration(rng=1), np.ones(robot.nv), None, np.arange(21) * H
        for method in ("runge_kutta_4", "DOP853"):
            wanted = loaded.simulate(*start, method)
            found = robot.simulate(*start, method, parameters=loaded.inertial_parameters)
            assert_each(assert_close, arrays(found), arrays(wanted), 1e-8)


def test_steps_for_a_real_loop() -> None:
    for name, law in LAWS.items():
        motion = ARM.simulate(START, STILL, law, T, "semi_implicit_euler")
        loop, tau = law.stepper(H), np.empty(2)
        for k in range(len(T)):
            reference = swing(T[k])[: 2 if name == "PDWithGravity" else 3]
            assert loop.step(motion.q[k], motion.qd[k], *reference, out=tau) is tau
            np.testing.assert_allclose(tau, motion.tau[k], rtol=1e-10, atol=1e-10)
        assert name in repr(loop)
    np.testing.assert_allclose(loop.state["estimates"], law._state()["estimates"], atol=1)
    for wrong in ((), (START,) * 4):
        message = f"step takes q_ref, qd_ref, qdd_ref after q and qd, not {len(wrong)} arrays"
        assert_raises(InputError, message, loop.step, START, STILL, *wrong, out=tau)
    loop = LAWS["ComputedTorque"].stepper(H)
    loop.step(START, STILL, STILL, STILL, STILL, out=tau)
    np.testing.assert_array_equal(loop.step(START, STILL, STILL, out=np.empty(2)), tau)  # a goal at rest


def test_a_step_makes_no_array() -> None:
    for law in LAWS.values():
        loop, tau, x = law.stepper(H), np.empty(2), (START, STILL, START, STILL, STILL)[: 2 + law._order]
        for _ in range(5):
            loop.step(*x, out=tau)
        _, peak = peak_memory(lambda: loop.step(*x, out=tau), 100)  # noqa: B023
        assert peak < 1000, f"{law}: {peak} bytes"


def test_wrong_gains_are_named() -> None:
    assert_all_raise([
        (InputError, r"ComputedTorque: position_gains must be positive, but is -1 for joint 'joint2'",
         lambda: ComputedTorque(ARM, START, [1.0, -1.0])),
        (InputError, "PDWithGravity: velocity_gains must be positive, but is 0",
         lambda: PDWithGravity(ARM, START, 1, 0)),
        (InputError, "position_gains is not finite", lambda: PDWithGravity(ARM, START, [1, np.nan], 1)),
        (InputError, "must be positive definite, but its symmetric part has the eigenvalue -1",
         lambda: revolute.control.FeedforwardPD(ARM, START, [[1, 2], [2, 1]], np.eye(2), full=True)),
        (ShapeError, r"gains has shape \(3,\), but \(\.\.\., 2\) is needed",
         lambda: PassivityBased(ARM, START, 1, [1, 2, 3])),
        (InputError, "boundary must be positive", lambda: SlidingMode(ARM, START, 1, 1, boundary=0)),
        (InputError, "bound must be zero or more", lambda: SlidingMode(ARM, START, 1, 1, bound=-1)),
        (InputError, "rates must be zero or more", lambda: Adaptive(ARM, START, 1, 1, rates=-1)),
        (InputError, "initial estimates must lie between", lambda: Adaptive(ARM, START, 1, 1, upper=np.zeros((2, 10)))),
        (ShapeError, r"lower has shape \(2,\)", lambda: Adaptive(ARM, START, 1, 1, lower=[0, 0])),
        (ShapeError, r"parameters has shape \(10,\)", lambda: ComputedTorque(ARM, START, 1, parameters=np.ones(10))),
        (ShapeError, r"reference has shape \(3,\)", lambda: ComputedTorque(ARM, np.zeros(3), 1)),
        (DtypeError, "reference must be .* not dict", lambda: ComputedTorque(ARM, {}, 1)),
        (InputError, "robot must be of the type Robot", lambda: ComputedTorque("panda", START, 1)),
        (InputError, "dt must be a positive number", lambda: ComputedTorque(ARM, START, 1).stepper(0)),
        (ShapeError, "one row for each of 3 instants", lambda: MotionTable([0, 1, 2], *np.zeros((3, 2, 2)))),
        (InputError, "t must be one row of increasing", lambda: MotionTable([0, 0], *np.zeros((3, 2, 2)))),
    ])


def test_what_does_not_fit_a_motion_is_named() -> None:
    law = ComputedTorque(ARM, START, 100.0, 20.0)
    assert_all_raise([
        (InputError, "ComputedTorque of robot 'planar2' is for 2 positions.* 'planar3' has 3",
         lambda: revolute.robots.planar(3).simulate(np.zeros(3), np.zeros(3), law, T)),
        (InputError, "steps of 0.2 s are too long for a velocity gain of 20 1/s: .* unstable from 0.1 s on",
         lambda: ARM.simulate(START, STILL, law, [0.0, 0.2])),
        (InputError, "too long", lambda: law.stepper(0.1)),
        (ShapeError, r"position_gains has the batch \(3,\), but the states have \(\)",
         lambda: ARM.simulate(START, STILL, ComputedTorque(ARM, START, np.ones((3, 2)), 1), T)),
        (InputError, r"Adaptive has a state and requires fixed steps: explicit_euler",
         lambda: ARM.simulate(START, STILL, LAWS["Adaptive"], T, "DOP853")),
        (InputError, "reference starts at t=1 s, but t=0 s is needed",
         lambda: ARM.simulate(START, STILL, ComputedTorque(ARM, MotionTable([1.0], *np.zeros((3, 1, 2))), 1), T)),
        (ShapeError, r"simulate: parameters has shape \(10,\)",
         lambda: ARM.simulate(START, STILL, None, T, parameters=[0] * 10)),
        (ShapeError, r"parameters has the batch \(3,\)",
         lambda: ARM.simulate(START, STILL, None, T, parameters=np.ones((3, 2, 10)))),
        (InputError, "parameters is not finite",
         lambda: ARM.simulate(START, STILL, None, T, parameters=np.full((2, 10), np.inf))),
        (InputError, "must be None, numbers or a function, not ComputedTorque",
         lambda: ARM.simulate(START, STILL, None, T, wrenches={"tip": law})),
        (InputError, "not a function or feedback", lambda: ARM.simulate_sensitivities(START, STILL, law, T)),
    ])


def test_references_and_controllers_that_fail_are_named_with_the_motion_until_then() -> None:
    def raises(t: float, *_: np.ndarray) -> np.ndarray:
        return START if t < 0.0205 else START[7]

    def not_finite(t: float, *_: np.ndarray) -> np.ndarray:
        return START if t < 0.0205 else START * [1, np.nan]

    for torque, message in (
        (SimpleNamespace(torque=raises), r"SimpleNamespace.torque\(t=0.021 s\) raised IndexError: index 7"),
        (SimpleNamespace(torque=not_finite), r"Namespace.torque\(t=0.021 s\) is not finite for joint 'joint2'"),
        (ComputedTorque(ARM, raises, 9.0), r"ComputedTorque: reference\(t=0.021 s\) raised IndexError"),
        (ComputedTorque(ARM, not_finite, 9.0), r"ComputedTorque: reference\(t=0.021 s\): q is not finite"),
    ):
        with pytest.raises(SimulationError, match=message) as found:
            ARM.simulate(START, STILL, torque, T)
        assert isinstance(found.value.partial, revolute.simulate.Simulation)
        assert len(found.value.partial.t) == 21 and np.isfinite(found.value.partial.tau).all()


def test_a_law_without_finite_forces_is_named() -> None:
    huge = ComputedTorque(ARM, START, 1e300, 1.0, parameters=ARM.inertial_parameters * 1e300)
    for patience in (T, T[:1]):
        with pytest.raises(SimulationError, match="ComputedTorque returns no finite force for joint 'joint1' at t=0 s"):
            ARM.simulate(STILL, STILL, huge, patience)


def test_a_law_whose_state_is_not_finite_is_named() -> None:
    """Estimates overflow in the first step; q, qd and forces are still finite."""
    fast, qd = Adaptive(ARM, swing, 5.0, 3.0, rates=1.7e308), [100.0, 50.0]
    assert_raises(SimulationError, r"Adaptive: its estimates diverge at t=", ARM.simulate, START, qd, fast, T)
