"""Dry friction with exact sticking: closed forms, complementarity, energy, and what is refused."""

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from motions import assert_same
from robots import one_joint

import revolute
from revolute import Drive, Inertia, InputError, Joint, Link, Mimic, Robot

STICKS: dict[str, Any] = {"sticking": True}


def block(drive: Drive, angle: float = 0.0) -> Any:
    """2 kg on an incline that falls along x."""
    slope = revolute.Prismatic((np.cos(angle), 0, -np.sin(angle)))
    return one_joint(slope, Inertia(m=2.0), drive=drive).with_drives()


def test_a_block_decelerates_and_stops() -> None:
    """v = v0 - F t/m until m v0/F = 2 s, then zero to the bit: every step is exact."""
    h = 2.0**-7
    motion = block(Drive(friction=(3.0,))).simulate([0.0], [3.0], None, np.arange(513) * h, **STICKS)
    np.testing.assert_allclose(motion.qd[:, 0], np.maximum(3.0 - 1.5 * motion.t, 0), rtol=0, atol=1e-13)
    stopped = motion.t >= 2.0
    assert (motion.qd[stopped] == 0).all() and (motion.qdd[stopped] == 0).all() and np.ptp(motion.q[stopped]) == 0
    np.testing.assert_allclose(motion.qdd[~stopped, 0], -1.5, rtol=1e-14)
    # of the way v0^2 m / (2 F) = 3 m, sums of new velocities miss v0 h / 2
    assert motion.q[-1, 0] == pytest.approx(3.0 - 3.0 * h / 2, abs=1e-12)


@pytest.mark.parametrize("share", [0.999, 1.001])
def test_a_block_on_an_incline_slips_above_the_angle_of_friction(share: float) -> None:
    mu, t = 0.5, np.linspace(0, 1, 101)
    angle = share * np.arctan(mu)
    motion = block(Drive(friction=(mu * 2.0 * 9.81 * np.cos(angle),)), angle).simulate([0.0], [0.0], None, t, **STICKS)
    slides = 9.81 * (np.sin(angle) - mu * np.cos(angle)) if share > 1 else 0.0
    np.testing.assert_allclose(motion.qd[:, 0], slides * t, rtol=0, atol=1e-13)
    assert (motion.q == 0).all() == (share < 1)


def test_static_friction_is_coulombs_and_stribecks() -> None:
    """Held at 4.9 N of 3 + 2; at 5.1 N it breaks away, and then 4.9 N drive it against the 3 N of sliding."""
    machine = block(Drive(friction=(3.0,), stribeck=(2.0,), stribeck_speed=(1e-3,)))
    t = np.linspace(0, 1.5, 151)
    force = np.select([t < 0.5, t < 0.55], [4.9, 5.1], 4.9)[:, None]
    motion = machine.simulate([0.0], [0.0], force, t, **STICKS)
    assert (motion.qd[t <= 0.5] == 0).all() and (motion.qdd[t < 0.5] == 0).all()
    late = t[:-1] > 0.7
    np.testing.assert_allclose(np.diff(motion.qd[:, 0])[late], 0.01 * 1.9 / 2, rtol=1e-9)


def test_friction_by_direction() -> None:
    machine = block(Drive(friction=(3.0,), friction_backward=(1.0,)))
    for force, speed in ((2.9, 0.0), (4.0, 0.5), (-0.9, 0.0), (-2.0, -0.5)):
        assert machine.simulate([0.0], [0.0], [force], [0.0, 1.0], **STICKS).qd[-1, 0] == pytest.approx(speed)


def test_a_rod_slips_beyond_uneven_friction() -> None:
    """From rest: I qdd is the torque less the friction against it, or zero within the friction. I = 1/3 kg m^2."""
    rod, rng, t = revolute.robots.planar(1).with_gravity((0, 0, 0)), np.random.default_rng(0), np.arange(11) * 2.0**-7
    pairs = [(1.1, 0.1), (2.0, 0.4), (0.7, 0.4), *rng.uniform(0.1, 3.0, (20, 2)).tolist()]
    for forward, backward in pairs:
        machine = rod.with_drives({"joint1": Drive(friction=(forward,), friction_backward=(backward,))})
        edges = np.array([[-backward], [forward]])
        tau = np.concatenate([edges * (1 + beyond) for beyond in (-0.5, -1e-9, 1e-9, 0.5)])
        motion = machine.simulate(np.zeros((8, 1)), np.zeros((8, 1)), np.repeat(tau[:, None], 11, 1), t, **STICKS)
        slips = 3 * (tau - np.clip(tau, -backward, forward))
        np.testing.assert_allclose(motion.qd[..., 0], slips * t, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(motion.qd[:4, 1:] == 0, True)
        assert (motion.qd[4:, 1:] != 0).all()


def test_a_pendulum_stops_where_friction_holds_it() -> None:
    """And stays there to the bit; its energy never rises, and falls by the work of friction."""
    machine = revolute.robots.planar(1).with_drives({"joint1": Drive(friction=(1.0,))})
    motion = machine.simulate([0.0], [0.0], None, np.arange(5001) * 1e-3, **STICKS)
    held = (motion.qd == 0).all(axis=-1) & (motion.t > 3)
    assert held[-1] and np.diff(held.astype(int)).min() == 0 and np.ptp(motion.q[held]) == 0
    assert 0 < abs(machine.gravity_forces(motion.q[-1])[0]) <= 1.0
    # of semi-implicit Euler, the energy swings by h times the power of gravity, 5 N m at 6 rad/s
    assert np.diff(motion.energy).max() < 1e-3 * 30 * 1e-3
    lost = 1.0 * np.abs(np.diff(motion.q[:, 0])).sum()
    assert motion.energy[0] - motion.energy[-1] == pytest.approx(lost, abs=1e-3 * 30)


def test_smoothed_friction_tends_to_it() -> None:
    """Errors fall with the smoothing s: joints that should rest creep by up to s a second, for 0.1 s."""
    arm, t = revolute.robots.planar(2), np.arange(1001) * 1e-4
    drives = {"joint1": Drive(friction=(2.0,)), "joint2": Drive(friction=(0.5,))}
    start = ([0.2, 0.5], [0.5, -1.0])
    exact = arm.with_drives(drives).simulate(*start, None, t, **STICKS).q[-1]
    errors = []
    for smoothing in (0.5, 0.05, 0.005):
        smooth = arm.with_drives(drives, smoothing=smoothing)
        errors.append(np.abs(smooth.simulate(*start, None, t, "semi_implicit_euler").q[-1] - exact).max())
    assert errors[2] < errors[1] < errors[0] and errors[2] < 0.005 * 0.1


def test_complementarity_of_a_panda() -> None:
    """Every step: friction within its bounds, and on them against the new velocity of a joint that moves."""
    robot = revolute.robots.panda()
    F = np.array([5.0, 8.0, 3.0, 6.0, 1.0, 0.3, 0.1])
    machine = robot.with_drives({name: Drive(friction=(x,)) for name, x in zip(robot.joint_names, F, strict=True)})
    rng, h = np.random.default_rng(5), 1e-3
    q = rng.uniform(-2, 2, (2000, 7))
    qd = rng.standard_normal((2000, 7)) * 10 ** rng.uniform(-3, 0, (2000, 1)) * (rng.random((2000, 7)) < 0.5)
    tau = robot.gravity_forces(q) + rng.standard_normal((2000, 7)) * F
    x, v = q.copy(), qd.copy()
    machine.stepper(h, "semi_implicit_euler", sticking=True).step(x, v, tau)
    M = robot.mass_matrix(q)
    impulses = h * (tau - robot.bias_forces(q, qd)) + np.einsum("kij,kj->ki", M, qd - v)
    rounding = 1e-11 * np.abs(np.einsum("kij,kj->ki", M, qd)).max(axis=1, keepdims=True) + 1e-14
    assert (np.abs(impulses) <= h * F + rounding).all()
    slips = v != 0
    assert (np.abs(impulses - h * F * np.sign(v)) <= rounding)[slips].all()
    assert 0.2 < slips.mean() < 0.9 and (slips.any(axis=1) & ~slips.all(axis=1)).mean() > 0.5


def test_the_energy_of_a_panda_falls_until_it_rests() -> None:
    robot = revolute.robots.panda()
    machine = robot.with_drives({name: Drive(friction=(2.0,)) for name in robot.joint_names})
    t = np.arange(3001) * 1e-3
    motion = machine.simulate(np.array([0, 0.3, 0, -1.5, 0, 1.6, 0]), np.ones(7), None, t, **STICKS)
    assert motion.energy[-1] < motion.energy[0] - 10
    assert np.diff(motion.energy).max() < 1e-3
    assert ((motion.qd == 0) & (motion.qdd == 0)).any(axis=0).sum() >= 4  # joints that stick for a while


def test_all_ways_to_take_steps_agree() -> None:
    """The loop in machine code by rows and by blocks, steps in Python, and a stepper: the same bits."""
    drives = {"joint1": Drive(friction=(2.0,)), "joint2": Drive(friction=(1.0,))}
    machine = revolute.robots.planar(2).with_drives(drives)
    rng, t = np.random.default_rng(6), np.arange(65) * 2.0**-8
    q, qd = rng.standard_normal((2, 9, 2))
    table = 10 * rng.standard_normal((9, 65, 2))
    whole = machine.simulate(q, qd, table, t, **STICKS)
    few = machine.simulate(q[:3], qd[:3], table[:3], t, **STICKS)
    slow = machine.simulate(q, qd, lambda time, q, qd: table[:, round(time * 256)], t, **STICKS)
    assert_same(whole, slow, "q qd qdd energy")
    for row in range(3):
        assert_same(whole.row(row), few.row(row), "q qd qdd energy")
    stepper = machine.stepper(2.0**-8, "semi_implicit_euler", sticking=True)
    for k in range(64):
        stepper.step(q, qd, table[:, k])
    np.testing.assert_array_equal(q, whole.q[:, -1])


def test_a_coupled_joint_has_its_share() -> None:
    """q2 = -2 p: its friction counts twice, and that of its backward direction where p rises."""
    body, axis = Inertia(m=2.0), revolute.Prismatic((1, 0, 0))
    second = Drive(friction=(0.5,), friction_backward=(2.0,), mimic=Mimic("first", -2.0))
    joints = [
        Joint("first", "base", "a", axis, drive=Drive(friction=(1.0,))),
        Joint("second", "base", "b", axis, drive=second),
    ]
    links = [Link("base"), Link("a", body), Link("b", body)]
    machine = Robot.from_links("coupled", links, joints, warn=False).with_drives()
    for tau, slips in ((4.9, False), (5.1, True), (-1.9, False), (-2.1, True)):
        assert bool(machine.simulate([0.3], [0.0], [tau], [0.0, 0.01], **STICKS).qd[-1, 0] != 0) == slips


def test_what_is_refused() -> None:
    arm = revolute.robots.planar(1).with_drives({"joint1": Drive(friction=(1.0,))})
    start = [0.0], [0.0], None, [0.0, 1.0]
    message = "sticking friction the method is 'semi_implicit_euler': leave out method='"
    for method in ("runge_kutta_4", "DOP853"):
        assert_raises(InputError, message, arm.simulate, *start, method, sticking=True)
    assert_raises(InputError, f"stepper: .*{message}", arm.stepper, 0.1, "explicit_euler", sticking=True)
    assert_raises(InputError, "sticking", arm.simulate, *start, "semi_implicit_euler", sticking=1)
    assert_raises(InputError, "smooth it over a small speed", arm.simulate, *start, "semi_implicit_euler")
    assert_raises(InputError, "has no friction that can stick", arm.robot.simulate, *start, sticking=True)


def test_friction_that_active_sets_do_not_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gauss-Seidel goes on from there, to the same motion."""
    arm = revolute.robots.planar(2, mass=1.25)  # of no other test: the kernel of the second motion is another one
    machine = arm.with_drives({name: Drive(friction=(1.0,)) for name in arm.joint_names})
    q, qd = np.random.default_rng(2).standard_normal((2, 20, 2))
    t = np.arange(11) * 1e-2
    exact = machine.simulate(q, qd, None, t, **STICKS)
    monkeypatch.setattr("revolute.dynamics.dry_friction.ROUNDS", 1)
    slow = machine.simulate(q, qd, lambda t, q, qd: 0 * qd, t, **STICKS)
    np.testing.assert_allclose(slow.qd, exact.qd, rtol=0, atol=1e-10)


def test_friction_that_is_not_solved_warns_of_the_joints(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = revolute.robots.planar(2)
    machine = arm.with_drives({name: Drive(friction=(1.0,)) for name in arm.joint_names})
    monkeypatch.setattr("revolute.simulate.touching.SOLVED", -1.0)
    with pytest.warns(revolute.SimulationWarning, match=r"forces of dry friction of the joints .* A smoothing of with"):
        machine.simulate([0.2, 0.5], [0.5, -1.0], None, [0.0, 0.01], **STICKS)


def test_joints_that_follow_several_coordinates_stick() -> None:
    """A differential: q1 = p1 + p2, q2 = p1 - p2. Friction of both joints holds 3 N m of each, and no more."""
    arm = revolute.robots.planar(2).with_gravity((0, 0, 0))
    machine = arm.with_drives({x: Drive(friction=(3.0,)) for x in arm.joint_names}, coupling=[[1, 1], [1, -1]])
    for tau, slips in (((2.9, 2.9), (0, 0)), ((-5.8, 0.1), (0, 0)), ((0.0, 6.2), (1, 1)), ((3.1, 3.1), (1, 0))):
        end = machine.simulate([0.0, 0.0], [0.0, 0.0], tau, 0.05, **STICKS)
        moves = np.abs(end.qd[-1] @ [[1, 1], [1, -1]]) > 1e-9
        np.testing.assert_array_equal(moves, np.array(slips) > 0)
        assert end.residual is not None and end.residual.max() < 1e-8
