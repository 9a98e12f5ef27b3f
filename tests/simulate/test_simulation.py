"""Simulation: orders of convergence, energy, work, damping, floating bodies, and what goes wrong."""

from typing import Any

import numpy as np
import pytest
import scipy.integrate
from comparing import assert_raises
from motions import assert_same, swing
from robots import one_joint, state

import revolute
from revolute import InputError, Robot, ShapeError, SimulationError
from revolute.dynamics.steps import IMPLICIT
from revolute.simulate import ADAPTIVE, FIXED

ORDERS = {
    "explicit_euler": 1,
    "semi_implicit_euler": 1,
    "runge_kutta_4": 4,
    "runge_kutta_munthe_kaas_4": 4,
    "implicit_midpoint": 2,
    "variational_midpoint": 2,
}


@pytest.fixture(scope="module")
def arm() -> Robot:
    return revolute.robots.planar(2)


def machine(kind: str) -> tuple[Any, tuple[Any, ...]]:
    """An arm, or a machine made of it; and its first state."""
    arm, (q, qd) = revolute.robots.planar(2), ([0.3, -0.5], [0.2, 0.4])
    if kind == "elastic":
        return arm.with_elastic_joints(50.0, rotor_inertia=0.3), (q, q, qd, qd)
    if kind == "driven":
        return arm.with_drives({"joint1": revolute.Drive(damping=(0.1,))}), (q, qd)
    return arm.with_closures(revolute.PointClosure("base", "base")) if kind == "constrained" else arm, (q, qd)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("method", FIXED)
def test_order_of_convergence(arm: Robot, method: str, floating: bool) -> None:
    """Halving the step divides the error by 2^order, the more exactly the smaller the step."""
    robot = revolute.robots.random_tree(2, rng=3, base="free") if floating else arm
    start: Any = (*state(robot)[:2], None) if floating else ([0.3, -0.5], [0.2, 0.4], [1.0, -0.5])
    end, counts, tolerance = (0.1, (20, 40, 80), 0.3) if floating else (0.5, (40, 80, 160), 0.15)
    exact = robot.simulate(*start, [0.0, end], "DOP853", rtol=1e-12, atol=1e-13)
    errors = []
    for steps in counts:
        motion = robot.simulate(*start, np.linspace(0, end, steps + 1), method)
        errors.append(max(np.abs(motion.q[-1] - exact.q[-1]).max(), np.abs(motion.qd[-1] - exact.qd[-1]).max()))
    assert np.all(np.abs(np.log2(np.array(errors[:-1]) / errors[1:]) - ORDERS[method]) < tolerance)


@pytest.mark.parametrize("kind", ["robot", "driven", "elastic", "constrained"])
def test_tolerances_have_the_documented_values(kind: str) -> None:
    """The same steps as with these values given, and others with half of either."""
    robot, first = machine(kind)

    def last(**tolerances: float) -> list[float]:
        return robot.simulate(*first, None, [0.0, 0.3], method="RK45", **tolerances).q[-1].tolist()

    plain = last()
    assert plain == last(rtol=1e-9, atol=1e-11) and plain not in (last(rtol=5e-10), last(atol=5e-12))


@pytest.mark.parametrize("method", FIXED + ADAPTIVE)
def test_quaternions_keep_their_length(method: str) -> None:
    robot = revolute.robots.random_tree(1, rng=2, base="free")
    steps = 50 if method in IMPLICIT else 5  # long ones have no solution
    motion = robot.simulate(robot.neutral(), np.linspace(1, 3, robot.nv), None, np.linspace(0, 0.5, steps + 1), method)
    assert np.abs(np.linalg.norm(motion.q[:, 3:7], axis=-1) - 1).max() <= 4 * np.finfo(float).eps
    assert np.ptp(motion.q[:, 3]) > 0.1


@pytest.mark.parametrize("method", ADAPTIVE)
@pytest.mark.parametrize("kind", ["robot", "constrained", "elastic"])
def test_a_row_of_a_table_holds_to_the_end_of_its_span(kind: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table is as many constant forces one after the other: the same states, by as many evaluations."""
    robot, first = machine(kind)
    names = ("q", "theta", "qd", "thetad") if kind == "elastic" else ("q", "qd")
    evaluations, solve = [], scipy.integrate.solve_ivp

    def counting(*arguments: Any, **options: Any) -> Any:
        found = solve(*arguments, **options)
        evaluations.append(found.nfev)
        return found

    monkeypatch.setattr(scipy.integrate, "solve_ivp", counting)
    t, table = np.linspace(0, 0.06, 4), 5 * np.random.default_rng(1).standard_normal((4, 2))
    whole = robot.simulate(*first, table, t, method=method)
    for k in range(3):
        part = robot.simulate(*first, table[k], t[k : k + 2], method=method)
        first = tuple(getattr(part, name)[-1] for name in names)
        assert all(np.array_equal(getattr(whole, name)[k + 1], x) for name, x in zip(names, first, strict=True))
    assert evaluations[:3] == evaluations[3:] and min(evaluations) > 0
    assert np.array_equal(whole.tau, table)


def test_forces_of_inverse_dynamics_lead_along_the_trajectory(arm: Robot) -> None:
    t, (q0, qd0, _) = np.linspace(0, 1, 11), swing(0.0)
    motion = arm.simulate(q0, qd0, lambda time, q, qd: arm.inverse_dynamics(*swing(time)), t, "DOP853")
    # the solver's rtol is 1e-9, its estimate of a lower order: at steps of 0.1 s its error is 0.1^8 / 8! = 2e-13
    np.testing.assert_allclose(motion.q.T, [np.sin(t)] * 2, rtol=0, atol=2e-11)
    np.testing.assert_allclose(motion.qd.T, [np.cos(t)] * 2, rtol=0, atol=2e-11)


def test_tables_constants_functions_and_batches_agree(arm: Robot) -> None:
    t, rng = np.linspace(0, 0.3, 31), np.random.default_rng(2)
    (q0, qd0), table = rng.standard_normal((2, 5, 2)), rng.standard_normal((5, 31, 2))
    many = arm.simulate(q0, qd0, table, t)
    assert many.q.shape == many.qdd.shape == (5, 31, 2) and many.energy.shape == (5, 31)
    for k in range(5):
        one = arm.simulate(q0[k], qd0[k], table[k], t)
        assert np.array_equal(one.q, many.q[k]) and np.array_equal(one.tau, table[k])
    assert np.array_equal(arm.simulate(q0, qd0, lambda time, q, qd: table[:, round(time / 0.01)], t).q, many.q)
    assert np.array_equal(arm.simulate(q0, qd0, [1.0, 2.0], t).q, arm.simulate(q0, qd0, lambda *_: [1.0, 2.0], t).q)
    assert np.array_equal(arm.simulate(q0, qd0, None, t).q, arm.simulate(q0, qd0, [0.0, 0.0], t).q)
    np.testing.assert_allclose(
        many.tau, arm.inverse_dynamics(many.q, many.qd, many.qdd), atol=1e-11 * np.abs(many.qdd).max()
    )


@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("kind", ["robot", "driven", "elastic", "constrained"])
def test_a_function_gets_all_rows_of_a_batch_once_a_step(kind: str, method: str) -> None:
    """The motion of each row is that of the row alone, to the bit: sums of two products do not depend on the batch."""
    robot, first = machine(kind)
    t, states = np.arange(8) * 1e-3, [np.add(x, [[0.0], [0.1], [-0.2]]) for x in first]
    layers, calls = np.random.default_rng(2).standard_normal((2, 2, 2)), []

    def network(time: float, *state: np.ndarray) -> np.ndarray:
        calls.append((time, *(x.shape for x in state)))
        return (np.tanh(sum(state)[..., None, :] * layers[0]).sum(axis=-1)[..., None, :] * layers[1]).sum(axis=-1)

    many = robot.simulate(*states, network, t, method=method)
    assert calls == [(time, *((3, 2),) * len(states)) for time in t]
    for k in range(3):
        assert_same(many.row((k,)), robot.simulate(*(x[k] for x in states), network, t, method=method), "q qd qdd tau")


@pytest.mark.parametrize("package", ["jax.numpy", "torch"])
def test_functions_may_return_arrays_of_other_libraries(arm: Robot, package: str) -> None:
    """Numbers of single precision are those of NumPy; a tensor with a gradient is refused, as everywhere."""
    library = pytest.importorskip(package)
    convert = library.from_dlpack  # without a copy
    t, q = np.arange(5) * 1e-3, np.random.default_rng(0).standard_normal((6, 2))
    single = arm.simulate(q, 0 * q, lambda time, q, qd: np.float32(q) * np.float32(0.3), t)
    for function in (
        lambda time, q, qd: library.asarray(q, dtype=library.float32) * 0.3,
        lambda time, q, qd: convert(q.astype(np.float32)) * 0.3,
    ):
        np.testing.assert_array_equal(arm.simulate(q, 0 * q, function, t).q, single.q)
    if package == "torch":
        weight = library.ones(2, requires_grad=True)
        assert_raises(
            SimulationError, r"torque\(t=0 s\) requires a gradient.*x\.detach\(\)", arm.simulate, q, 0 * q,
            lambda time, q, qd: convert(q) * weight, t,
        )


def test_wrong_forces_of_a_batch_are_named(arm: Robot) -> None:
    t, q = np.arange(5) * 1e-3, np.zeros((3, 4, 2))

    def broken(time: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.where((np.arange(24) == 13).reshape(3, 4, 2) & (time > 0.0015), np.nan, q)

    for function, message in (
        (lambda time, q, qd: q[..., :1], r"\(3, 4, 1\), but \(3, 4, 2\) is needed: it receives the states of all"),
        (broken, r"torque\(t=0.002 s\) is not finite for joint 'joint2' in row 1, 2 of the batch"),
    ):
        with pytest.raises(SimulationError, match=message) as caught:
            arm.simulate(q, q, function, t)
    assert len(caught.value.partial.t) == 2
    assert arm.simulate(q[:0], q[:0], lambda time, q, qd: q, t).q.shape == (0, 4, 5, 2)


def test_damping_takes_its_power_from_the_energy() -> None:
    rod, t = revolute.Inertia.from_com(1.0, (0.5, 0, 0), np.diag([0.0, 0.1, 0.1])), np.linspace(0, 1, 1001)
    robot = one_joint(revolute.Revolute((0, 1, 0)), rod, drive=revolute.Drive(damping=(0.7,)))
    for method in ("runge_kutta_4", "DOP853"):
        motion = robot.simulate([0.0], [0.0], None, t, method, joint_damping=True)
        lost = 0.7 * motion.qd[:, 0] ** 2
        assert np.abs(lost).max() < 9
        # Simpson's rule errs by T h^4 / 180 times the fourth derivative of 9 W at 2 sqrt(m g l / I) = 7.5 rad/s
        work = scipy.integrate.simpson(lost, x=t)
        assert motion.energy[0] - motion.energy[-1] == pytest.approx(work, rel=0, abs=1 / 180 * 1e-12 * 9 * 7.5**4)
        assert work > 1
        undamped = robot.simulate([0.0], [0.0], None, t, method, rtol=1e-12)  # unless asked for
        assert np.ptp(undamped.energy) < 1e-9


def test_wrong_arguments_are_named(arm: Robot) -> None:
    t, zero = np.linspace(0, 1, 5), np.zeros(2)
    cases = [
        (ShapeError, r"q0 has shape \(3,\).*needs \(\.\.\., 2\)", (np.zeros(3), zero, None, t)),
        (ShapeError, r"qd0 has shape \(\)", (zero, 0.0, None, t)),
        (ShapeError, r"batches of q0 \(3,\) and qd0 \(4,\)", (np.zeros((3, 2)), np.zeros((4, 2)), None, t)),
        (ShapeError, r"torque has shape \(4, 2\).*5, 2\)", (zero, zero, np.zeros((4, 2)), t)),
        (InputError, "torque is not finite", (zero, zero, [0.0, np.nan], t)),
        (InputError, "no method 'euler'; write 'semi_implicit_euler'; available", (zero, zero, None, t, "euler")),
    ]
    for kind, message, arguments in cases:
        assert_raises(kind, message, arm.simulate, *arguments)


def test_an_adaptive_solver_does_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("revolute.simulate.adaptive.MOST", 500)
    for method, advice in (("RK45", "the forces, try 'Radau', or use"), ("Radau", "the forces, or use")):
        message = rf"{method} needs more than 500 evaluations near t=.*diverges.*{advice}"
        with pytest.raises(SimulationError, match=message) as caught:
            revolute.robots.planar(2).simulate([0.0, 0.0], [0.0, 0.0], lambda t, q, qd: 50 * qd + 1, [0, 10.0], method)
        assert len(caught.value.partial.t) >= 1


@pytest.mark.parametrize("drives", [False, True])
@pytest.mark.parametrize("method", ["runge_kutta_4", "semi_implicit_euler", "DOP853"])
def test_wrenches_are_joint_forces_by_the_jacobian(method: str, drives: bool) -> None:
    """A function, a table and constant numbers; energy changes by the power of the wrench, tau = J^T F."""
    robot = revolute.robots.planar(2)
    machine = robot.with_drives() if drives else robot
    t, q0, qd0 = np.linspace(0, 0.25, 251), [0.3, 0.2], [0.1, -0.2]
    load = np.array([0, 0, 0.3, 1.0, -2.0, 0])

    def torque(time: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return robot.jacobian(q, "tip").T @ load * np.cos(time)

    moved = machine.simulate(q0, qd0, None, t, method, wrenches={"tip": lambda time, q, qd: load * np.cos(time)})
    if method == "DOP853":  # fixed steps hold joint forces, or wrenches along axes that turn
        same = machine.simulate(q0, qd0, torque, t, method)
        np.testing.assert_allclose(moved.q, same.q, atol=1e-8)
        np.testing.assert_allclose(moved.qdd, same.qdd, atol=1e-6)
    power = [qd @ torque(time, q, qd) for time, q, qd in zip(t, moved.q, moved.qd, strict=True)]
    gained = np.trapezoid(power, t)
    order = 1e-3 if method != "semi_implicit_euler" else 1e-2  # h, times the change of the power by the forces held
    assert abs(gained) > 0.1 and abs(moved.energy[-1] - moved.energy[0] - gained) < 5 * order
    assert np.abs(moved.tau).max() == 0 and moved.tau.shape == (251, 2)
    if method != "DOP853":
        table = machine.simulate(q0, qd0, None, t, method, wrenches={"tip": load * np.cos(t)[:, None]})
        np.testing.assert_array_equal(table.q, moved.q)
    constant = machine.simulate(q0, qd0, None, t[:2], wrenches={"tip": load})
    expected = machine.forward_dynamics(q0, qd0, [0.0, 0.0], wrenches={"tip": load})
    np.testing.assert_allclose(constant.qdd[0], expected, atol=1e-12)


def test_batches_of_wrenches_and_what_is_wrong_with_them() -> None:
    robot, t = revolute.robots.planar(2), np.linspace(0, 0.1, 11)
    loads = np.random.default_rng(0).standard_normal((3, 11, 6))
    rows = robot.simulate(np.zeros((3, 2)), [0.0, 0.0], None, t, wrenches={"tip": loads})
    for k in range(3):
        alone = robot.simulate([0.0, 0.0], [0.0, 0.0], None, t, wrenches={"tip": loads[k]})
        np.testing.assert_array_equal(rows.q[k], alone.q)
    for wrenches, error, message in (
        ({"tip": np.zeros(5)}, ShapeError, r"wrenches\['tip'\] has shape \(5,\), but a wrench needs \(6,\)"),
        ({"hand": np.zeros(6)}, revolute.UnknownNameError, "no link 'hand'"),
        ([1.0], InputError, "wrenches must be {link name"),
        ({"tip": lambda t, q, qd: [np.nan] * 6}, SimulationError, r"wrenches\['tip'\]\(t=0 s\) is not finite for 'mx'"),
    ):
        assert_raises(error, message, robot.simulate, [0.0, 0.0], [0.0, 0.0], None, t, wrenches=wrenches)


def test_a_number_in_place_of_instants_is_a_duration(arm: Robot) -> None:
    """The same motion as with an instant each millisecond, the last one exactly at the end."""
    for kind in ("robot", "driven", "constrained", "elastic"):
        robot, first = machine(kind)
        motions = [robot.simulate(*first, None, t, method="runge_kutta_4") for t in (0.02, np.linspace(0, 0.02, 21))]
        assert_same(*motions, "t q")
    state = [0.3, -0.5], [0.0, 0.0]
    for duration, count in ((0.0004, 2), (1, 1001), (np.float64(0.0105), 11)):
        t = arm.simulate(*state, None, duration).t
        assert len(t) == count and t[0] == 0 and t[-1] == duration
    for wrong in (0, -1.0, np.inf, np.nan, True, None):
        message = r"t must be one row of finite, increasing times .*|real numbers"
        assert_raises(InputError, message, arm.simulate, *state, None, wrong)
    assert_raises(InputError, "torque and t seem to be swapped", arm.simulate, *state, 3.0, None)


def test_explicit_euler_is_the_algorithm_of_the_book() -> None:
    """LP's loop, with tables of joint forces and of wrenches at the tip: both rates are those at a step's start.

    Some hundred operations a step with numbers up to ten round to 1e-13; it grows little in 20 steps.
    """
    arm, t, rng = revolute.robots.planar(3), np.linspace(0.0, 0.2, 21), np.random.default_rng(0)
    tau, tip = rng.standard_normal((21, 3)), rng.standard_normal((21, 6))
    q, qd, dt = np.array([0.3, -0.5, 0.8]), np.array([1.0, -2.0, 0.5]), t[1]
    motion = arm.simulate(q, qd, tau, t, "explicit_euler", wrenches={"tip": tip})
    for k in range(21):
        np.testing.assert_allclose(motion.q[k], q, rtol=0, atol=1e-11)
        np.testing.assert_allclose(motion.qd[k], qd, rtol=0, atol=1e-11)
        q, qd = q + qd * dt, qd + arm.forward_dynamics(q, qd, tau[k], wrenches={"tip": tip[k]}) * dt


def test_a_motion_whose_energy_overflows_diverges() -> None:
    """A backlash too stiff for the step: its positions stay finite, up to 1e183 rad."""

    def disc(m: float, J: float) -> revolute.Inertia:
        return revolute.Inertia.from_com(m, (0, 0, 0), np.diag([J / 2, J / 2, J]))

    links = [revolute.Link("base"), revolute.Link("rotor", disc(0.1, 0.01)), revolute.Link("arm", disc(0.2, 0.05))]
    joints = [revolute.Joint(b, a, b, revolute.Revolute()) for a, b in (("base", "rotor"), ("rotor", "arm"))]
    robot = revolute.Robot.from_links("lash", links, joints, gravity=(0, 0, 0))

    def forces(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        over = np.sign(q[1]) * max(abs(q[1]) - 0.02, 0.0)
        return np.array([0.5 * np.sin(8 * t), -1e4 * over - 2.0 * qd[1] * (over != 0)])

    with pytest.raises(revolute.SimulationError, match="where its energy is not finite; use smaller steps") as caught:
        robot.simulate([0, 0], [0, 0], forces, np.arange(0, 3, 1e-3), "runge_kutta_4")
    assert np.isfinite(caught.value.partial.energy).all() and len(caught.value.partial.t) > 1000


def test_steps_that_cannot_close_a_loop_diverge() -> None:
    loop = revolute.robots.planar(3).with_closures(revolute.AxisClosure("tip", at_b=(1.5, 0.0, 0.0)))
    q, _ = loop.project([0.8, -1.2, -0.9])
    with pytest.raises(revolute.SimulationError, match=r"diverges at t=0\.01 s, .*: steps of 0\.01 s are too long"):
        loop.simulate(q, np.zeros(3), lambda t, x, v: -1e6 * (x - q - 0.1) - 1e5 * v, np.arange(100) * 0.01)
