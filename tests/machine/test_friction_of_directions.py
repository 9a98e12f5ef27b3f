"""Coulomb friction that differs by direction: `Drive.friction_backward`."""

from dataclasses import replace

import numpy as np
import pytest
import sympy

import revolute
from revolute import Drive, DrivenRobot, ModelError

ARM = revolute.robots.planar(2)
EPS = np.finfo(float).eps


def driven(smoothing: float = 0.0, back: float = 0.5, **other: float) -> DrivenRobot:
    drive = Drive(damping=0.25, friction=2.0, friction_backward=back, **other)
    return ARM.with_drives({"joint1": drive}, smoothing=smoothing)


def test_each_direction_has_its_own_force() -> None:
    """At rest there is none, as with one friction for both."""
    found = driven().friction_forces([[4.0, 1.0], [0.0, 0.0], [-4.0, -1.0]])
    np.testing.assert_array_equal(found, [[3.0, 0.0], [0.0, 0.0], [-1.5, 0.0]])


def test_equal_directions_are_the_same_robot() -> None:
    """Not a bit changes, nor does an operation."""
    both, one = driven(0.1, back=2.0), ARM.with_drives({"joint1": Drive(0.25, 2.0)}, smoothing=0.1)
    state = np.random.default_rng(0).standard_normal((3, 20, 2))
    np.testing.assert_array_equal(both.forward_dynamics(*state), one.forward_dynamics(*state))
    assert both.count("forward_dynamics") == one.count("forward_dynamics")


def test_a_joint_with_one_direction_alone() -> None:
    """A ratchet: no friction one way."""
    ratchet = ARM.with_drives({"joint1": Drive(friction_backward=3.0)})
    np.testing.assert_array_equal(ratchet.friction_forces([[1.0, 0.0], [-1.0, 0.0]])[:, 0], [0.0, -3.0])
    with pytest.raises(revolute.InputError, match="'joint1' of 'planar2' has friction that jumps"):
        ratchet.forward_dynamics([0.0, 0.0], [1.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize("back", [0.0, 0.5, 7.0])
def test_smooth_friction_takes_energy_at_every_speed(back: float) -> None:
    """And a tenth of the smoothing away from rest, tanh is 1 less 4e-9: the exact forces."""
    speeds = np.concatenate([-np.logspace(-8, 1, 200), np.logspace(-8, 1, 200)])
    qd = np.stack([speeds, np.zeros(400)], axis=1)
    smooth = driven(0.1, back).friction_forces(qd)[:, 0]
    assert (smooth * speeds >= 0).all()
    fast = np.abs(speeds) > 1
    exact = driven(0.0, back).friction_forces(qd)[:, 0]
    np.testing.assert_allclose(smooth[fast], exact[fast], rtol=0, atol=4 * 7 * 4e-9)


def test_slopes_are_those_of_the_forces() -> None:
    """Central differences with h = 1e-5: an error of h^2/6 of a third derivative up to 1e2 F / smoothing^3 = 5e5."""
    robot = driven(0.1, stribeck=0.75, stribeck_speed=0.5)
    h, zero = 1e-5, np.zeros(2)
    for v in (-0.5, -0.05, 0.0, 0.05, 0.5):
        _, slope, _ = robot.inverse_dynamics_partials(zero, [v, 0.0], zero)
        ahead, behind = (robot.friction_forces([v + side * h, 0.0])[0] for side in (1, -1))
        assert slope[0, 0] == pytest.approx((ahead - behind) / (2 * h), rel=0, abs=1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_fit_finds_both_directions(smoothing: float) -> None:
    robot = driven(smoothing)
    names = [name.partition(":")[0] for name in robot.parameter_names]
    assert names[-3:] == ["joint1.friction", "joint2.friction", "joint1.friction_backward"]
    q, qd, qdd = np.random.default_rng(1).standard_normal((3, 50, 2))
    Y, tau = robot.regressor(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(Y @ robot.parameters, tau, rtol=0, atol=1e-12)  # some 20 terms of up to 50 N m
    fit = dict(zip(names, np.linalg.lstsq(Y.reshape(100, -1), tau.ravel(), rcond=1e-9)[0], strict=True))
    assert fit["joint1.friction"] == pytest.approx(2.0, abs=1e-9)
    assert fit["joint1.friction_backward"] == pytest.approx(0.5, abs=1e-9)


def test_energy_falls_by_its_work() -> None:
    """Of a swing to and fro; trapezoids of 1e-4 s err by 1e-8 of a curvature that smoothing keeps below some 1e4."""
    robot, t = driven(0.05), np.linspace(0, 1, 10_001)
    motion = robot.simulate([0.0, 0.0], [2.0, -1.0], [0.0, 0.0], t)
    lost = np.trapezoid((motion.qd * robot.friction_forces(motion.qd)).sum(axis=-1), t)
    energy = robot.total_energy(motion.q[[0, -1]], motion.qd[[0, -1]])
    assert (motion.qd[:, 0] > 0).any() and (motion.qd[:, 0] < 0).any()
    assert energy[0] - energy[1] == pytest.approx(lost, rel=0, abs=1e-4)


def test_equations_have_both() -> None:
    forward, backward = sympy.symbols("F_p F_m", positive=True)
    robot = revolute.robots.planar(1).with_drives({"joint1": Drive(friction=forward, friction_backward=backward)})
    assert {*robot.symbols} == {forward, backward}
    equations = robot.equations()
    friction, dq = equations.friction[0], equations.dq[0]
    for value, expected in ((1, forward), (-1, -backward), (0, 0)):
        assert sympy.expand(friction.subs(dq, value) - expected) == 0
    assert robot.subs({"F_p": 2.0, "F_m": 1.0}).friction_forces([-1.0]) == [-1.0]


def test_closed_loops_have_it_too() -> None:
    drive = Drive(friction=2.0, friction_backward=0.5)
    bodies = [replace(body, drive=drive) if body.joint_name == "joint1" else body for body in ARM.bodies]
    arm = replace(ARM, bodies=tuple(bodies))
    closed = arm.with_closures(revolute.JointClosure("joint2", "joint1"), drives=True)
    q, qdd = np.array([0.3, 0.3]), np.zeros(2)
    motors = ["joint1"]
    tau = [closed.inverse_dynamics(q, [v, v], qdd, motors=motors).tau[0] for v in (1e-9, 0.0, -1e-9)]
    np.testing.assert_allclose([tau[0] - tau[1], tau[2] - tau[1]], [2.0, -0.5], rtol=0, atol=1e-7)


@pytest.mark.filterwarnings("ignore:robot .*URDF does not have gravity")
def test_files_keep_it_or_refuse_it() -> None:
    robot = driven().robot
    assert revolute.Robot.from_dict(robot.to_dict()) == robot
    np.testing.assert_array_equal(robot.drives.friction_backward, [0.5, 0.0])
    for write, kind in ((robot.to_urdf, "URDF"), (robot.to_mjcf, "MJCF")):
        with pytest.raises(ModelError, match=f"joint 'joint1': {kind} has one friction for both directions"):
            write()
    same = driven(back=2.0).robot  # the same in both directions: nothing is lost
    assert 'friction="2.0"' in same.to_urdf() and 'frictionloss="2.0"' in same.to_mjcf()
