"""Elastic joints: M, C and g of links and motors, feedforward, linear models, free bases, motions, symbols."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest
import sympy
from comparing import assert_close, assert_raises
from physics import by_positions, slopes
from robots import chain, floating_tool, random_states, signature
from scipy.interpolate import CubicSpline

import revolute
from revolute import ElasticRobot, InputError, ModelError, Robot, ShapeError, UnknownNameError
from revolute.dynamics.elastic import links_and_motors, motor_places
from revolute.library import examples
from revolute.machine.elastic.forces import relaxed

ROBOTS: dict[str, Callable[[], Robot]] = {
    "planar": lambda: revolute.robots.planar(2),
    "arm": lambda: revolute.robots.random_tree(3, rng=5),
    "free base": lambda: revolute.robots.random_tree(2, rng=4, base="free"),
    "free joint between others": floating_tool,
}
EVERY = pytest.mark.parametrize("name", ROBOTS)


def elastic(name: str, damping: float = 0.7) -> ElasticRobot:
    robot = ROBOTS[name]()
    n = len(motor_places(robot))
    data = (np.linspace(50.0, 80.0, n), np.linspace(0.2, 0.4, n))
    return robot.with_elastic_joints(data[0], rotor_inertia=data[1], damping=damping)


def states(robot: ElasticRobot, rows: int, seed: int) -> tuple[np.ndarray, ...]:
    """q, theta, qd, thetad, tau."""
    q, qd, _ = random_states(robot.robot, rows, seed)
    theta, thetad, tau = np.random.default_rng(seed + 1).standard_normal((3, rows, len(robot.stiffness)))
    return q, theta, qd, thetad, tau


@EVERY
def test_mass_matrix_times_accelerations_are_the_forces_that_are_left(name: str) -> None:
    """M xdd + C xd + g = (S s, tau - s): to rounding times the condition of M, below 1e4 here."""
    robot = elastic(name)
    q, theta, qd, thetad, tau = states(robot, 5, seed=1)
    M, C, g = robot.equations_of_motion(q, qd)
    assert np.linalg.cond(M).max() < 1e4
    s = robot.spring_forces(q, theta, qd, thetad)
    on_links = np.zeros_like(qd)
    on_links[:, [robot.robot.coordinate_names.index(x) for x in robot.motor_names]] = s
    xd = np.concatenate([qd, thetad], axis=-1)
    xdd = np.concatenate(robot.forward_dynamics(q, theta, qd, thetad, tau), axis=-1)
    left = (M @ xdd[..., None] + C @ xd[..., None])[..., 0] + g
    assert_close(left, np.concatenate([on_links, tau - s], axis=-1), 1e-11)


@EVERY
def test_blocks_are_those_of_the_links_and_the_rotors(name: str) -> None:
    robot = elastic(name)
    q, _, qd, *_ = states(robot, 3, seed=2)
    n, links = robot.robot.nv, robot.robot.equations_of_motion(q, qd)
    M, C, g = robot.equations_of_motion(q, qd)
    for whole, block, motors in ((M, links[0], np.diag(robot.rotor_inertia)), (C, links[1], 0)):
        assert_close(whole[:, :n, :n], block, 1e-13)
        assert not whole[:, :n, n:].any() and not whole[:, n:, :n].any()
        assert np.array_equal(whole[:, n:, n:], np.broadcast_to(motors, whole[:, n:, n:].shape))
    assert_close(g[:, :n], links[2], 1e-13)
    assert not g[:, n:].any()
    for found, expected in zip((M, C, g), (robot.mass_matrix(q), robot.coriolis_matrix(q, qd),
                                           robot.gravity_forces(q)), strict=True):
        assert_close(found, expected, 1e-13)


@EVERY
def test_power_is_the_rate_of_energy(name: str) -> None:
    """tau^T thetad less what dampers take; the energy's rate is its complex step along the motion."""
    robot = elastic(name)
    q, theta, qd, thetad, tau = (x[0] for x in states(robot, 1, seed=4))
    qdd, thetadd = robot.forward_dynamics(q, theta, qd, thetad, tau)
    energy = signature(robot, "total_energy", {}).body
    space = links_and_motors(robot.robot)
    xd = np.concatenate([qd, thetad])
    along = by_positions(lambda x: energy(*np.split(x, [len(q)]), qd, thetad, *_data(robot, "total_energy"))[0], space,
                         np.concatenate([q, theta])) @ xd
    by_speed = slopes(lambda v: energy(q, theta, *np.split(xd + v, [len(qd)]), *_data(robot, "total_energy"))[0],
                      np.eye(len(xd)))
    rate = along + by_speed @ np.concatenate([qdd, thetadd])
    links = qd[[k for _, k in motor_places(robot.robot)]]
    assert_close(rate, tau @ thetad - robot.damping @ (thetad - links) ** 2, 1e-11)
    total = robot.kinetic_energy(q, qd, thetad) + robot.potential_energy(q, theta)
    assert_close(robot.total_energy(q, theta, qd, thetad), total, 1e-13)


def _data(robot: ElasticRobot, function: str) -> list[list[float]]:
    """The robot's own arrays, as inputs of a function."""
    names = [x.name for x in robot.kernel(function).inputs]
    return [getattr(robot, x).tolist() for x in names if x in ("stiffness", "damping", "rotor_inertia")]


@pytest.mark.parametrize(("name", "loaded"), [*((name, True) for name in ROBOTS), ("free base", False)])
def test_linear_models_are_complex_steps_of_forward_dynamics(name: str, loaded: bool) -> None:
    """Exact to rounding; a wrench stays in the frame of its link."""
    robot = elastic(name)
    q, theta, qd, thetad, tau = (x[0] for x in states(robot, 1, seed=6))
    link = robot.robot.link_names[-1]
    wrenches = {link: np.array([0.3, -0.2, 0.1, 1.0, 2.0, -1.0])} if loaded else None
    body = signature(robot, "forward_dynamics", {"wrenches": (link,)} if loaded else {}).body
    data = [*_data(robot, "forward_dynamics"), *(list(x) for x in (wrenches or {}).values())]
    space, (n, m) = links_and_motors(robot.robot), (len(qd), len(theta))

    def accelerations(x: np.ndarray, xd: np.ndarray, tau: np.ndarray) -> list[complex]:
        parts = (*np.split(x, [len(q)]), *np.split(xd, [n]), tau)
        return [y for part in body(*map(list, parts), *data) for y in part]

    x, xd = np.concatenate([q, theta]), np.concatenate([qd, thetad])
    expected = [
        by_positions(lambda y: accelerations(y, xd, tau), space, x),
        slopes(lambda d: accelerations(x, xd + d, tau), np.eye(n + m)),
    ]
    A, B = robot.linearize(q, theta, qd, thetad, tau, wrenches=wrenches)
    assert A.shape == (2 * (n + m), 2 * (n + m)) and B.shape == (2 * (n + m), m)
    assert_close(A[n + m :], np.hstack(expected), 1e-10)
    assert_close(B[n + m :], slopes(lambda d: accelerations(x, xd, tau + d), np.eye(m)), 1e-10)
    assert not B[: n + m].any() and np.array_equal(A[: n + m, n + m :], np.eye(n + m))
    turning = np.zeros((n + m, n + m))
    turning[:n, :n] = robot.robot.linearize(q, qd, np.zeros(n))[0][:n, :n]
    assert_close(A[: n + m, : n + m], turning, 1e-14)


def test_the_textbooks_linear_model() -> None:
    """SHV ex. 6.2 hanging at rest: J_l ddq1 = -M g l q1 - k (q1 - q2), J_m ddq2 = k (q1 - q2) + u."""
    robot = revolute.robots.planar(1).with_elastic_joints(80.0, rotor_inertia=0.3, damping=2.0)
    hanging, J_l, weight = [-np.pi / 2], 1 / 3, 9.81 * 0.5
    A, B = robot.linearize(hanging, hanging, [0.0], [0.0], [0.0])
    lower = [[-(weight + 80) / J_l, 80 / J_l, -2 / J_l, 2 / J_l], [80 / 0.3, -80 / 0.3, 2 / 0.3, -2 / 0.3]]
    assert_close(A, np.vstack([np.eye(4)[2:], lower]), 1e-14)
    assert_close(B, [[0], [0], [0], [1 / 0.3]], 1e-15)


def test_slow_modes_of_stiff_joints_are_those_of_the_rigid_robot() -> None:
    """Rotors then turn with the joints, as armature; what is left of the difference goes with 1 / K."""
    arm, q, still = revolute.robots.planar(2), np.array([-1.2, 0.5]), np.zeros(2)
    rotors = {name: revolute.Drive(armature=(0.3,)) for name in arm.joint_names}
    hold, errors = arm.gravity_forces(q), []
    rigid = np.sort(np.abs(np.linalg.eigvals(arm.with_drives(rotors).linearize(q, still, hold)[0])))
    for stiffness in (1e5, 1e6):
        robot = arm.with_elastic_joints(stiffness, rotor_inertia=0.3)
        modes = np.linalg.eigvals(robot.linearize(q, q + hold / stiffness, still, still, hold)[0])
        errors.append(np.abs(np.sort(np.abs(modes))[:4] - rigid).max())
    assert 8 < errors[0] / errors[1] < 12 and errors[1] < 1e-3


@pytest.mark.parametrize(
    ("name", "method"),
    [*((x, "runge_kutta_4") for x in ROBOTS), *(("free base", x) for x in ("explicit_euler", "semi_implicit_euler"))],
)
def test_a_batch_of_motions_is_its_rows(name: str, method: str) -> None:
    robot = elastic(name)
    q, theta, qd, thetad, _ = states(robot, 4, seed=8)
    t = np.linspace(0, 0.02, 5)
    tau = np.random.default_rng(9).standard_normal((4, 5, len(robot.stiffness)))
    whole = robot.simulate(q, theta, qd, thetad, tau, t, method=method)
    assert whole.theta.shape == (4, 5, len(robot.stiffness)) and whole.q.shape == (4, 5, robot.robot.nq)
    for k in range(4):
        row = robot.simulate(q[k], theta[k], qd[k], thetad[k], tau[k], t, method=method)
        for part in ("q", "theta", "qd", "thetad", "qdd", "thetadd", "tau"):
            assert np.array_equal(getattr(whole, part)[k], getattr(row, part))
    found = np.concatenate(robot.forward_dynamics(whole.q, whole.theta, whole.qd, whole.thetad, tau), axis=-1)
    assert_close(np.concatenate([whole.qdd, whole.thetadd], axis=-1), found, 1e-11)


@EVERY
def test_steps_keep_their_order(name: str) -> None:
    """Half the step, a sixteenth of the change of energy, without dampers and forces."""
    robot = elastic(name, damping=0.0)
    q, theta, qd, thetad, _ = (x[0] for x in states(robot, 1, seed=10))
    errors = []
    for h in (4e-3, 2e-3):
        motion = robot.simulate(q, theta, qd, thetad, None, np.arange(0, 0.1, h), method="runge_kutta_4")
        errors.append(np.abs(motion.energy - motion.energy[0]).max())
    assert 10 < errors[0] / errors[1] < 40


def test_a_free_base_keeps_its_momentum_and_feels_wrenches() -> None:
    """Without gravity motor forces change no momentum; a force on the base does, by its impulse."""
    robot = ROBOTS["free base"]().with_gravity((0, 0, 0))
    floating = robot.with_elastic_joints(60.0, rotor_inertia=0.2, damping=0.3)
    q, theta, qd, thetad, tau = (x[0] for x in states(floating, 1, seed=11))
    t = np.linspace(0, 0.2, 11)
    motion = floating.simulate(q, theta, qd, thetad, tau, t, rtol=1e-11, atol=1e-13)
    momentum = robot.com_velocity(motion.q, motion.qd)
    assert np.abs(momentum - momentum[0]).max() < 1e-9 and np.ptp(motion.theta, axis=0).max() > 1e-2
    load = np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
    link = robot.link_names[1]
    qdd, _ = floating.forward_dynamics(q, theta, qd, thetad, tau, wrenches={link: load})
    s = np.concatenate([np.zeros(6), floating.spring_forces(q, theta, qd, thetad)])
    assert_close(qdd, robot.forward_dynamics(q, qd, s, wrenches={link: load}), 1e-12)
    pushed = floating.simulate(q, theta, qd, thetad, tau, t, wrenches={link: lambda t, q, theta, qd, thetad: load})
    assert_close(pushed.qdd[0], qdd, 1e-11)


def test_feedforward_of_a_free_base_leaves_what_nothing_gives() -> None:
    robot = ROBOTS["free base"]()
    floating = robot.with_elastic_joints(60.0, rotor_inertia=0.2)
    q, qd, _ = random_states(robot, 3, seed=12)
    rates = np.random.default_rng(13).standard_normal((3, 3, robot.nv))
    found = floating.inverse_dynamics(q, qd, *rates)
    rigid = robot.inverse_dynamics(q, qd, rates[0])
    assert_close(found.undriven, rigid[:, :6], 1e-12)
    assert_close(found.spring, rigid[:, 6:], 1e-12)
    assert_close(floating.spring_forces(q, found.theta, qd, found.thetad), rigid[:, 6:], 1e-11)


def textbook(*data: float) -> ElasticRobot:
    """SHV ex. 6.2: a link that hangs down at zero, with J_l, J_m, M, l, k, g, or symbols for them."""
    J_l, J_m, M, l, k, g = data or sympy.symbols("J_l J_m M l k g")
    inertia = revolute.Inertia(M, (l * M, 0, 0), ((0, 0, 0), (0, 0, 0), (0, 0, J_l)))
    return chain((inertia, revolute.Revolute()), gravity=(g, 0, 0)).with_elastic_joints(k, rotor_inertia=J_m)


def test_the_textbooks_equations() -> None:
    """SHV ex. 6.2, against its Lagrangian system."""
    equations, lagrangian = textbook().equations(), examples.elastic_joint()
    names = {"q1": "q1", "q2": "theta1", "dq1": "dq1", "dq2": "dtheta1", "ddq1": "ddq1", "ddq2": "ddtheta1"}
    table = {sympy.Symbol(a): sympy.Symbol(b) for a, b in names.items()}
    assert sympy.simplify(equations.M - lagrangian.M) == sympy.zeros(2, 2)
    named, u = dict(zip((*lagrangian.q, *lagrangian.dq, *lagrangian.ddq), table, strict=True)), sympy.Symbol("u")
    for found, row in zip(equations.tau, lagrangian.tau.subs(named), strict=True):
        assert sympy.simplify(found - (row.xreplace(table) + (u if row.has(u) else 0))) == 0
    assert sympy.simplify(equations.potential.diff("q1") - (equations.g + equations.springs)[0]) == 0


def test_the_textbooks_numbers() -> None:
    """SHV ex. 6.2: J_l ddq + M g l sin(q) = k (theta - q), J_m ddtheta + k (theta - q) = u, and the energies."""
    J_l, J_m, M, l, k, g = data = 0.9, 0.2, 1.5, 0.4, 30.0, 9.81
    arm, (q, theta, v, w, u) = textbook(*data), ([0.7], [0.9], [1.1], [-0.4], [2.5])
    spring, weight, stiffness = k * 0.2, M * g * l * np.sin(0.7), M * g * l * np.cos(0.7)
    assert_close(arm.spring_forces(q, theta, v, w), [spring], 1e-14)
    assert_close(arm.forward_dynamics(q, theta, v, w, u), [[(spring - weight) / J_l], [(2.5 - spring) / J_m]], 1e-13)
    for found, expected in zip(arm.equations_of_motion(q, v), ([J_l, 0, 0, J_m], [0] * 4, [weight, 0]), strict=True):
        assert_close(found.ravel(), expected, 1e-13)
    assert_close(arm.kinetic_energy(q, v, w), (J_l * 1.1**2 + J_m * 0.4**2) / 2, 1e-14)
    assert_close(arm.potential_energy(q, theta), k * 0.2**2 / 2 - stiffness, 1e-14)
    assert_close(arm.total_energy(q, theta, v, w), arm.kinetic_energy(q, v, w) + arm.potential_energy(q, theta), 1e-14)
    A, B = arm.linearize(q, theta, v, w, u)
    below = [[-(k + stiffness) / J_l, k / J_l, 0, 0], [k / J_m, -k / J_m, 0, 0]]
    assert_close(A, [[0, 0, 1, 0], [0, 0, 0, 1], *below], 1e-13)
    assert_close(B, [[0], [0], [0], [1 / J_m]], 1e-14)


def test_equations_are_the_numbers() -> None:
    """Entries of the sheet at a state; springs with dampers."""
    robot = revolute.robots.planar(2).with_elastic_joints([300.0, 200.5], rotor_inertia=[0.4, 0.2], damping=[0.0, 1.5])
    q, theta, qd, thetad, _ = (x[0] for x in states(robot, 1, seed=14))
    qdd, thetadd = np.random.default_rng(15).standard_normal((2, 2))
    found = robot.equations()
    symbols = (*found.q, *found.theta, *found.dq, *found.dtheta, *found.ddq, *found.ddtheta)
    at = dict(zip(symbols, np.concatenate([q, theta, qd, thetad, qdd, thetadd]), strict=True))

    def value(x: object) -> np.ndarray:
        return np.array(sympy.Matrix(x).subs(at).tolist(), dtype=float)

    M, C, g = robot.equations_of_motion(q, qd)
    for expected, x in ((M, found.M), (C, found.C), (g[:, None], found.g)):
        assert_close(value(x), expected, 1e-12)
    s = robot.spring_forces(q, theta, qd, thetad)
    assert_close(value(found.tau)[:, 0], M @ [*qdd, *thetadd] + C @ [*qd, *thetad] + g + [*-s, *s], 1e-12)
    assert_close(float(found.kinetic.subs(at)), robot.kinetic_energy(q, qd, thetad), 1e-12)
    assert_close(float(found.potential.subs(at)), robot.potential_energy(q, theta), 1e-12)
    assert sympy.simplify(found.lagrangian - found.kinetic + found.potential) == 0


def test_sheets_show_springs() -> None:
    equations = textbook().equations()
    assert equations.text("springs").splitlines()[-2:] == ["  s1 = k·(q1 - theta1)", "  s2 = k·(-q1 + theta1)"]
    assert equations.text().splitlines()[1] == "q1 j1 [rad], theta1 motor of j1"
    assert r"\dot{\theta}" not in equations.latex("M") and r"J_{m}" in equations.latex("M")
    assert r"\ddot{\theta}_{1}" in equations.latex("tau")
    assert_raises(UnknownNameError, "no 'friction'; available: M, C, g, springs", equations.text, "friction")


def test_symbols_of_springs_need_values() -> None:
    robot = textbook()
    assert [x.name for x in robot.symbols] == ["J_l", "J_m", "M", "g", "k", "l"]
    assert_raises(InputError, "needs numbers, but 'chain' with its springs", robot.forward_dynamics, *np.zeros((5, 1)))
    for call in (robot.inverse_dynamics, robot.feedforward):
        assert_raises(InputError, "needs numbers", call, *np.zeros((5, 1)))
    assert_raises(InputError, "simulate needs numbers", robot.simulate, *np.zeros((4, 1)), None, [0, 1])
    numbers = robot.subs({"J_l": 0.5, "J_m": 0.3, "M": 1.0, "g": 9.81, "l": 0.5, "k": 80})
    assert numbers.symbols == () and numbers.stiffness.dtype == float
    assert pickle.loads(pickle.dumps(robot)).symbols == robot.symbols
    assert robot.count("forward_dynamics").arithmetic == numbers.count("forward_dynamics").arithmetic
    assert_raises(InputError, "stiffness of joint 'j1' must be greater than zero, not -1", robot.subs, {"k": -1})
    for wrong in (sympy.Symbol("theta1"), sympy.Symbol("q1")):
        with pytest.raises(InputError, match=f"'{wrong.name}', which is the name of a coordinate"):
            revolute.robots.planar(1).with_elastic_joints(wrong, rotor_inertia=1.0).equations()
    with pytest.raises(revolute.DtypeError, match="stiffness must be real numbers or SymPy expressions"):
        revolute.robots.planar(1).with_elastic_joints(sympy.Symbol("k") > 1, rotor_inertia=1.0)


def quintic(start: np.ndarray, end: np.ndarray, seconds: float, t: float) -> list[np.ndarray]:
    """Position, velocity, acceleration, jerk and snap; at rest at both ends."""
    s = np.poly1d([6, -15, 10, 0, 0, 0])
    return [start * (k == 0) + (end - start) * s.deriv(k)(t / seconds) / seconds**k for k in range(5)]


def test_feedforward_tracks_a_quintic() -> None:
    """Six elastic joints, motor forces from the plan alone: the links follow within the solver's tolerance."""
    ur5 = revolute.robots.ur5()
    arm = ur5.with_elastic_joints([8e3, 8e3, 6e3, 2e3, 2e3, 2e3], rotor_inertia=[1.5, 1.5, 1.0, 0.3, 0.3, 0.3])
    start, end = np.array([0.0, -1.2, 1.3, -0.5, 0.3, 0.0]), np.array([0.7, -0.8, 0.9, 0.2, -0.4, 1.0])
    plan = [np.stack(x) for x in zip(*(quintic(start, end, 1.0, t) for t in np.linspace(0, 1, 21)), strict=True)]
    states = arm.inverse_dynamics(*plan)

    def torque(t: float, q: np.ndarray, theta: np.ndarray, qd: np.ndarray, thetad: np.ndarray) -> np.ndarray:
        return arm.inverse_dynamics(*quintic(start, end, 1.0, t)).tau

    motion = arm.simulate(
        start, states.theta[0], np.zeros(6), states.thetad[0], torque, np.linspace(0, 1, 21), rtol=1e-10, atol=1e-12
    )
    assert np.abs(motion.q - plan[0]).max() < 1e-10
    assert np.abs(states.theta - plan[0]).max() > 1e-3  # the springs do give way
    assert np.abs(states.tau - ur5.inverse_dynamics(*plan[:3])).max() > 1.0


def test_springs_and_rotors_stay_as_they_are() -> None:
    """They are copies of what was given, and cannot be written to."""
    given = {name: np.array([3.0, 4.0]) for name in ("stiffness", "rotor_inertia", "damping")}
    arm = revolute.robots.planar(2).with_elastic_joints(**given)
    for name, array in given.items():
        array[:] = 7.0
        with pytest.raises(ValueError, match="read-only"):
            getattr(arm, name)[0] = 5.0
        assert getattr(arm, name).tolist() == [3.0, 4.0]


def test_arrays_are_checked() -> None:
    arm, zero = revolute.robots.planar(2).with_elastic_joints(1e3, rotor_inertia=0.1), np.zeros(2)
    assert_raises(revolute.DtypeError, "qdd must hold real numbers", arm.inverse_dynamics, zero, zero, "x", zero, zero)
    assert_raises(InputError, "no method 'euler'", arm.simulate, zero, zero, zero, zero, None, [0, 1], method="euler")
    assert_raises(InputError, "q0 is not finite", arm.simulate, zero * np.nan, zero, zero, zero, None, [0, 1])
    with pytest.raises(revolute.SimulationError, match=r"torque\(t=0 s\) raised KeyError") as caught:
        arm.simulate(zero, zero, zero, zero, lambda *x: {}["u"], [0, 1])
    assert caught.value.partial.t.tolist() == []  # an instant is recorded with its forces
    robot, zero = elastic("planar"), np.zeros(2)
    with pytest.raises(ShapeError, match="simulate: batch shapes do not broadcast: q0"):
        robot.simulate(np.zeros((2, 2)), np.zeros((3, 2)), zero, zero, None, [0, 1])
    assert_raises(ShapeError, r"torque has shape \(3,\)", robot.simulate, zero, zero, zero, zero, np.zeros(3), [0, 1])
    with pytest.raises(UnknownNameError, match="no link 'toe'"):
        robot.simulate(zero, zero, zero, zero, None, [0, 1], wrenches={"toe": np.zeros(6)})
    assert_raises(InputError, "step must be positive", robot.linearize, zero, zero, zero, zero, zero, step=0.0)
    ur5 = revolute.robots.ur5()
    with pytest.raises(InputError, match="stiffness of joint 'shoulder_pan_joint' must be greater than zero"):
        ur5.with_elastic_joints(0.0, rotor_inertia=1.0)
    assert_raises(ShapeError, "inertia must be a number or 6", ur5.with_elastic_joints, 1.0, rotor_inertia=[1.0, 2.0])
    with pytest.raises(ModelError, match="'chain' has no joint with one coordinate"):
        chain((revolute.Inertia(), revolute.Free())).with_elastic_joints(1.0, rotor_inertia=1.0)
    with pytest.raises(ShapeError, match=r"stiffness must be a number or 2 numbers, .* of '.*' with a motor"):
        revolute.robots.random_tree(2, rng=1, base="free").with_elastic_joints([1.0] * 8, rotor_inertia=1.0)
    damped = ur5.with_elastic_joints(1e3, rotor_inertia=1.0, damping=2.0)
    assert_raises(InputError, "have damping", damped.inverse_dynamics, *np.zeros((5, 6)))
    with pytest.raises(ShapeError, match="theta0 has shape"):
        damped.simulate(np.zeros(6), np.zeros(5), np.zeros(6), np.zeros(6), np.zeros(6), [0, 1])


def test_rotors_come_from_the_drives() -> None:
    arm = revolute.robots.planar(2)
    geared = revolute.Drive(gear_ratio=(50.0,), rotor_inertia=(1e-4,))
    drives = {"joint1": revolute.Drive(armature=(0.3,)), "joint2": geared}
    robot = arm.with_drives(drives).robot.with_elastic_joints(100.0)
    np.testing.assert_allclose(robot.rotor_inertia, [0.3, 0.25], rtol=1e-15)
    assert_raises(InputError, "of joint 'joint1' must be greater than zero, not 0", arm.with_elastic_joints, 100.0)


def test_feedforward_with_damped_springs_tracks_in_simulation() -> None:
    """A quintic over 0.5 s, forces by splines of 1 ms: errors of h^4 and of the solver."""
    arm = revolute.robots.planar(2).with_elastic_joints([800.0, 600.0], rotor_inertia=[0.3, 0.2], damping=[4.0, 8.0])
    t = np.linspace(0, 0.5, 501)
    motion = [np.array([quintic(np.array([0.2, -0.4]), np.array([1.0, 0.7]), 0.5, x)[k] for x in t]) for k in range(4)]
    found = arm.feedforward(t, *motion)
    spring = arm.spring_forces(motion[0], found.theta, motion[1], found.thetad)
    np.testing.assert_allclose(spring, found.spring, rtol=1e-12, atol=1e-11)
    slopes = np.gradient(found.thetad, t, axis=0)[100:-1]  # after the step of jerk at the start has died away
    np.testing.assert_allclose(slopes, found.thetadd[100:-1], atol=1e-4 * np.abs(found.thetadd).max())
    force = CubicSpline(t, found.tau)
    flight = arm.simulate(
        motion[0][0], found.theta[0], motion[1][0], found.thetad[0], lambda time, *_: force(time), t[::50], rtol=1e-10
    )
    assert np.abs(flight.q - motion[0][::50]).max() < 1e-6
    assert np.ptp(found.theta - motion[0], axis=0).min() > 1e-2


def test_relaxation_is_exact_for_cubics() -> None:
    rng = np.random.default_rng(3)
    cubic, T, t = np.poly1d(rng.standard_normal(4)), np.array([0.01, 3.0]), np.sort(rng.uniform(0, 2, 9))
    f, fd = (np.repeat(part(t)[:, None], 2, axis=1) for part in (cubic, cubic.deriv()))
    y = relaxed(t, f, fd, T, np.array([0.5, -0.2]))
    follows = np.array([sum((-x) ** j * cubic.deriv(j)(t) for j in range(4)) for x in T]).T
    np.testing.assert_allclose(y, follows + (y[0] - follows[0]) * np.exp(-(t[:, None] - t[0]) / T), atol=1e-10)


def test_feedforward_over_time_needs_damping_and_rows() -> None:
    arm = revolute.robots.planar(2).with_elastic_joints(800.0, rotor_inertia=0.3, damping=[4.0, 0.0])
    assert_raises(InputError, "'joint2' of 'planar2' has no damping", arm.feedforward, [0, 1], *np.zeros((4, 2, 2)))
    damped = revolute.robots.planar(2).with_elastic_joints(800.0, rotor_inertia=0.3, damping=4.0)
    with pytest.raises(ShapeError, match=r"q has shape \(1, 2\), but one row for each of 2 instants is needed"):
        damped.feedforward([0, 1], np.zeros((1, 2)), np.zeros((3, 2)), np.zeros((1, 2)), np.zeros(2))
    assert_raises(ShapeError, "theta0 has shape", damped.feedforward, [0, 1], *np.zeros((4, 2, 2)), theta0=[0.0])
    assert_raises(InputError, "increasing times", damped.feedforward, [1, 0], *np.zeros((4, 2, 2)))
