"""Parameters of drives as an input of the compiled loop, and Coulomb friction that differs by direction."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from robots import signature

import revolute
from revolute import Drive, DrivenRobot, ModelError, Robot
from revolute.errors import InputError, ShapeError
from revolute.machine.functions.coordinates import with_drives
from revolute.targets.numpy import evaluate

T = np.linspace(0, 0.5, 501)
Q0 = np.array([0.3, -0.8])


def arm(**options: object) -> revolute.DrivenRobot:
    """Two links with every kind of drive's parameter."""
    friction = {"friction": 0.4, "stribeck": 0.2, "stribeck_speed": 0.3}
    first = Drive(armature=0.2, damping=0.7, **friction, stiffness=3.0, rest_position=0.1)
    second = Drive(damping=0.3, friction=0.5, friction_backward=0.8, gear_ratio=10.0, rotor_inertia=1e-3)
    return revolute.robots.planar(2).with_drives({"joint1": first, "joint2": second}, smoothing=0.05, **options)


@pytest.fixture(scope="module")
def sprung() -> revolute.DrivenRobot:
    return arm()


@pytest.mark.parametrize(
    ("method", "sticking"),
    [("runge_kutta_4", False), ("semi_implicit_euler", True), ("RK45", False)],
)
def test_own_parameters_give_the_own_motion(sprung: revolute.DrivenRobot, method: str, sticking: bool) -> None:
    options = {"method": method, "sticking": sticking}
    own = sprung.simulate(Q0, [1.0, 0.0], [2.0, 1.0], T, **options)
    given = sprung.simulate(Q0, [1.0, 0.0], [2.0, 1.0], T, parameters=sprung.parameters, **options)
    for name in ("q", "qd", "qdd", "energy"):  # rounding of sums in another order, which grows with time
        np.testing.assert_allclose(getattr(given, name), getattr(own, name), rtol=1e-9, atol=1e-9)


def test_coupled_joints_too() -> None:
    elbow = arm(coupling=[[1, 0], [-1, 1]])
    own, given = (elbow.simulate(Q0, [0.0, 0.0], None, T, parameters=x) for x in (None, elbow.parameters))
    np.testing.assert_allclose(given.q, own.q, rtol=0, atol=1e-12)


def test_each_row_of_a_batch_has_its_own(sprung: revolute.DrivenRobot) -> None:
    heavier = sprung.parameters * np.array([[1.0], [1.3]])
    both = sprung.simulate(np.stack([Q0, Q0]), np.zeros(2), None, T, parameters=heavier)
    for k in range(2):
        single = sprung.simulate(Q0, np.zeros(2), None, T, parameters=heavier[k])
        assert np.array_equal(both.q[k], single.q)  # bit for bit, as all rows of batches
    assert not np.array_equal(both.q[0], both.q[1])


def test_accelerations_are_those_of_the_regressor(sprung: revolute.DrivenRobot) -> None:
    other = sprung.parameters * np.random.default_rng(4).uniform(0.7, 1.3, len(sprung.parameters))
    motion = sprung.simulate(Q0, [0.5, -0.5], [1.0, 2.0], T, parameters=other)
    forces = sprung.regressor(motion.q, motion.qd, motion.qdd) @ other
    np.testing.assert_allclose(forces, motion.tau, rtol=0, atol=1e-10)  # some 100 roundings of 10 N m


def test_what_does_not_fit_is_said(sprung: revolute.DrivenRobot) -> None:
    still = (Q0, np.zeros(2), None, T)
    assert_raises(ShapeError, r"parameters has shape \(3,\), but", sprung.simulate, *still, parameters=np.zeros(3))
    assert_raises(InputError, "parameters is not finite", sprung.simulate, *still, parameters=np.full(29, np.nan))
    with pytest.raises(ShapeError, match=r"parameters has the batch \(3,\), but the states have \(\)"):
        sprung.simulate(*still, parameters=np.tile(sprung.parameters, (3, 1)))
    rough = revolute.robots.planar(2).with_drives()
    values = rough.parameters.copy()
    values[-1] = 1.0
    assert_raises(InputError, r"joint2\.friction is not zero, and such", rough.simulate, *still, parameters=values)
    turning = ARM.with_drives({"joint2": Drive(gear_ratio=10.0, rotor_inertia=1e-3)}, rotors=True)
    assert_raises(InputError, "input if rotors are bodies", turning.simulate, *still, parameters=turning.parameters)
    for name in ("forward_dynamics", "forward_dynamics_partials", "inverse_dynamics_rates"):
        assert_raises(InputError, f"^{name}: friction is one of the param", rough.kernel, name, parameters="inertial")
    zeros = np.zeros(2)
    forces = rough.kernel("inverse_dynamics", parameters="inertial")(zeros, zeros, zeros, rough.parameters)
    np.testing.assert_allclose(forces, rough.inverse_dynamics(zeros, zeros, zeros), rtol=1e-12)


@pytest.mark.parametrize("coupling", [None, [[1, 0], [-1, 1]]])
def test_all_functions_that_take_parameters_give_the_own_results(coupling: object) -> None:
    robot, rng = arm(coupling=coupling), np.random.default_rng(7)
    shared = [(name, with_drives(x)) for name, x in robot.functions().items() if x is Robot.functions().get(name)]
    taken = {name: function for name, function in shared if "parameters" in function.options}
    assert len(taken) > 20
    for name in taken:
        own, given = signature(robot, name, {}).graph(), signature(robot, name, {"parameters": "inertial"}).graph()
        arrays = {x.name: rng.standard_normal(x.shape) for x in own.inputs}
        with np.errstate(divide="ignore", invalid="ignore"):  # of friction that a joint does not have
            found = evaluate(given, arrays | {given.inputs[-1].name: robot.parameters}).values()
        for ours, its in zip(found, evaluate(own, arrays).values(), strict=True):
            scale = max(1.0, np.abs(its).max())  # some hundred roundings, times the condition of M, some ten
            np.testing.assert_allclose(ours, its, rtol=0, atol=1e-12 * scale, err_msg=name)


def test_generated_code_tells_the_order_of_parameters(tmp_path: Path) -> None:
    robot = revolute.robots.planar(1).with_drives()
    robot.to_c(["inverse_dynamics"], tmp_path / "arm.c", options={"inverse_dynamics": {"parameters": "inertial"}})
    assert "then those of drives, in the order of parameter_names" in (tmp_path / "arm.h").read_text()


ARM = revolute.robots.planar(2)


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
    closed = replace(ARM, bodies=tuple(bodies)).with_closures(revolute.JointClosure("joint2", "joint1"), drives=True)
    q, qdd = np.array([0.3, 0.3]), np.zeros(2)
    motors = ["joint1"]
    tau = [closed.inverse_dynamics(q, [v, v], qdd, motors=motors)[0] for v in (1e-9, 0.0, -1e-9)]
    np.testing.assert_allclose([tau[0] - tau[1], tau[2] - tau[1]], [2.0, -0.5], rtol=0, atol=1e-7)


@pytest.mark.filterwarnings("ignore:robot .*URDF does not support gravity")
def test_files_keep_it_or_refuse_it() -> None:
    robot = driven().robot
    assert revolute.Robot.from_dict(robot.to_dict()) == robot
    np.testing.assert_array_equal(robot.drives.friction_backward, [0.5, 0.0])
    for write, kind in ((robot.to_urdf, "URDF"), (robot.to_mjcf, "MJCF")):
        assert_raises(ModelError, f"joint 'joint1': {kind} has one friction for both directions", write)
    same = driven(back=2.0).robot  # the same in both directions: nothing is lost
    assert 'friction="2.0"' in same.to_urdf() and 'frictionloss="2.0"' in same.to_mjcf()
