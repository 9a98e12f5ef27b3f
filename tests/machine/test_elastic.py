"""Elastic joints: the textbook's example, energies, feedforward, the limit of stiff springs."""

import numpy as np
import pytest
from physics import STEP
from scipy.interpolate import CubicSpline

import revolute
from revolute import InputError, ModelError, ShapeError
from revolute.library import examples
from revolute.machine.elastic.forces import relaxed


def quintic(start: np.ndarray, end: np.ndarray, seconds: float, t: float) -> list[np.ndarray]:
    """Position, velocity, acceleration, jerk and snap; at rest at both ends."""
    s = np.poly1d([6, -15, 10, 0, 0, 0])
    return [start * (k == 0) + (end - start) * s.deriv(k)(t / seconds) / seconds**k for k in range(5)]


def test_rates_of_joint_forces_by_complex_steps() -> None:
    robot = revolute.robots.random_tree(6, rng=11)
    rng = np.random.default_rng(11)
    q, rates = robot.random_configuration(rng=rng), rng.standard_normal((5, robot.nv))
    from revolute.dynamics.newton_euler import newton_euler

    def tau(s: complex) -> np.ndarray:
        at = [sum(x * s**i / np.prod(range(1, i + 1)) for i, x in enumerate((q, *rates)[k:])) for k in range(3)]
        return np.array(newton_euler(robot, *(list(x) for x in at)))

    found = robot.inverse_dynamics_rates(q, *rates[:4])
    np.testing.assert_allclose(found[0], np.real(tau(0)), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[1], np.imag(tau(1j * STEP)) / STEP, rtol=1e-11, atol=1e-11)
    h = 1e-5  # first derivatives are exact: their central difference is off by h^2 = 1e-10 times a fifth one
    slopes = [np.imag(tau(x + 1j * STEP)) / STEP for x in (h, -h)]
    np.testing.assert_allclose(found[2], (slopes[0] - slopes[1]) / (2 * h), rtol=1e-6, atol=1e-5)


def test_the_textbooks_link_and_motor() -> None:
    """SHV ex. 6.2: its Lagrangian system (`library.examples`) at numbers, with q1 = 0 hanging down."""
    values = {"J_m": 0.3, "J_l": 1.0 / 3.0, "M": 1.0, "g": 9.81, "l": 0.5, "k": 80.0}
    rod = revolute.robots.planar(1).with_elastic_joints(80.0, rotor_inertia=0.3)
    rng = np.random.default_rng(1)
    system = examples.elastic_joint().subs(values)
    shv = system.kernel("forward_dynamics")
    for _ in range(5):
        (q, theta, qd, thetad, u) = rng.standard_normal(5)
        hanging = -np.pi / 2  # where the planar arm's link hangs
        ours = rod.forward_dynamics([q + hanging], [theta + hanging], [qd], [thetad], [u])
        given = {"q": [q, theta], "qd": [qd, thetad], "tau": [0.0, 0.0], "u": u}
        expected = shv(*(given[x.name] for x in shv.inputs))
        np.testing.assert_allclose(np.concatenate(ours), expected, rtol=0, atol=1e-11)


def test_energy_is_kept_without_forces() -> None:
    arm = revolute.robots.planar(2).with_elastic_joints([300.0, 200.0], rotor_inertia=[0.4, 0.2])
    start = np.array([0.3, -0.2])
    motion = arm.simulate(start, start, [0, 0], [0, 0], [0, 0], np.linspace(0, 2, 101), rtol=1e-11, atol=1e-12)
    kinetic = arm.robot.kinetic_energy(motion.q, motion.qd)
    assert np.abs(motion.energy - motion.energy[0]).max() < 1e-11 * kinetic.max()  # the solver's rtol
    assert kinetic.max() > 10


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
    rigid = ur5.inverse_dynamics(*plan[:3])
    assert np.abs(states.tau - rigid).max() > 1.0


def test_stiff_springs_are_rigid() -> None:
    """theta - q and its rates vanish with 1 / K; what is left is the motors' inertia."""
    ur5, rng = revolute.robots.ur5(), np.random.default_rng(5)
    motion = rng.standard_normal((5, 6))
    errors = []
    for stiffness in (1e6, 1e7):
        found = ur5.with_elastic_joints(stiffness, rotor_inertia=0.7).inverse_dynamics(*motion)
        errors.append(np.abs(found.tau - ur5.inverse_dynamics(*motion[:3]) - 0.7 * motion[2]).max())
    assert 5 < errors[0] / errors[1] < 20 and errors[1] < 1e-2


def test_wrong_input() -> None:
    ur5 = revolute.robots.ur5()
    with pytest.raises(InputError, match="stiffness of joint 'shoulder_pan_joint' must be greater than zero"):
        ur5.with_elastic_joints(0.0, rotor_inertia=1.0)
    with pytest.raises(ShapeError, match="rotor_inertia must be a number or 6"):
        ur5.with_elastic_joints(1.0, rotor_inertia=[1.0, 2.0])
    joint = revolute.Connection("float", "world", "stone", revolute.Free())
    links = [revolute.Link("world"), revolute.Link("stone")]
    floating = revolute.Robot.from_links("stone", links, [joint], warn=False)
    with pytest.raises(ModelError, match="'stone' has no joint with one coordinate"):
        floating.with_elastic_joints(1.0, rotor_inertia=1.0)
    with pytest.raises(ShapeError, match=r"stiffness must be a number or 2 of them, .* of '.*' with a motor"):
        revolute.robots.random_tree(2, rng=1, base="free").with_elastic_joints([1.0] * 8, rotor_inertia=1.0)
    damped = ur5.with_elastic_joints(1e3, rotor_inertia=1.0, damping=2.0)
    with pytest.raises(InputError, match="have damping"):
        damped.inverse_dynamics(*np.zeros((5, 6)))
    with pytest.raises(ShapeError, match="theta0 has shape"):
        damped.simulate(np.zeros(6), np.zeros(5), np.zeros(6), np.zeros(6), np.zeros(6), [0, 1])


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
    with pytest.raises(ShapeError, match="theta has shape"):
        arm.forward_dynamics(zero, np.zeros(3), zero, zero, zero)
    with pytest.raises(revolute.DtypeError, match="tau must hold real numbers"):
        arm.forward_dynamics(zero, zero, zero, zero, "x")
    with pytest.raises(revolute.DtypeError, match="inverse_dynamics: qdd must hold real numbers"):
        arm.inverse_dynamics(zero, zero, "x", zero, zero)
    with pytest.raises(InputError, match="no method 'euler'"):
        arm.simulate(zero, zero, zero, zero, None, [0, 1], method="euler")
    with pytest.raises(InputError, match="q0 is not finite"):
        arm.simulate(zero * np.nan, zero, zero, zero, None, [0, 1])
    with pytest.raises(revolute.SimulationError, match=r"torque\(t=0 s\) raised KeyError") as caught:
        arm.simulate(zero, zero, zero, zero, lambda *x: {}["u"], [0, 1])
    assert caught.value.partial.t.tolist() == []  # an instant is recorded with its forces


def test_rotors_come_from_the_drives() -> None:
    arm = revolute.robots.planar(2)
    geared = revolute.Drive(gear_ratio=(50.0,), rotor_inertia=(1e-4,))
    drives = {"joint1": revolute.Drive(armature=(0.3,)), "joint2": geared}
    robot = arm.with_drives(drives).robot.with_elastic_joints(100.0)
    np.testing.assert_allclose(robot.rotor_inertia, [0.3, 0.25], rtol=1e-15)
    with pytest.raises(InputError, match="rotor_inertia of joint 'joint1' must be greater than zero, not 0"):
        arm.with_elastic_joints(100.0)


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
    exact = follows + (y[0] - follows[0]) * np.exp(-(t[:, None] - t[0]) / T)
    np.testing.assert_allclose(y, exact, atol=1e-10)


def test_feedforward_over_time_needs_damping_and_rows() -> None:
    arm = revolute.robots.planar(2).with_elastic_joints(800.0, rotor_inertia=0.3, damping=[4.0, 0.0])
    with pytest.raises(InputError, match="the spring of joint 'joint2' of 'planar2' has no damping"):
        arm.feedforward([0, 1], *np.zeros((4, 2, 2)))
    damped = revolute.robots.planar(2).with_elastic_joints(800.0, rotor_inertia=0.3, damping=4.0)
    with pytest.raises(ShapeError, match=r"q has shape \(1, 2\), but one row for each of 2 instants is needed"):
        damped.feedforward([0, 1], np.zeros((1, 2)), np.zeros((3, 2)), np.zeros((1, 2)), np.zeros(2))
    with pytest.raises(ShapeError, match="theta0 has shape"):
        damped.feedforward([0, 1], *np.zeros((4, 2, 2)), theta0=[0.0])
    with pytest.raises(InputError, match="increasing times"):
        damped.feedforward([1, 0], *np.zeros((4, 2, 2)))
