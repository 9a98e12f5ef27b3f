"""Motions of robots with drives whose parameters are an input of the compiled loop."""

from pathlib import Path

import numpy as np
import pytest

import revolute
from revolute import Drive, Robot
from revolute.errors import InputError, ShapeError
from revolute.machine.functions.coordinates import with_drives

T = np.linspace(0, 0.5, 501)
Q0 = np.array([0.3, -0.8])


def arm(**options: object) -> revolute.DrivenRobot:
    """Two links with every kind of drive's parameter."""
    first = Drive(armature=0.2, damping=0.7, friction=0.4, stribeck=0.2, stribeck_speed=0.3, stiffness=3.0, rest=0.1)
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
    rng = np.random.default_rng(4)
    other = sprung.parameters * rng.uniform(0.7, 1.3, len(sprung.parameters))
    motion = sprung.simulate(Q0, [0.5, -0.5], [1.0, 2.0], T, parameters=other)
    forces = sprung.regressor(motion.q, motion.qd, motion.qdd) @ other
    np.testing.assert_allclose(forces, motion.tau, rtol=0, atol=1e-10)  # some 100 roundings of 10 N m


def test_what_does_not_fit_is_said(sprung: revolute.DrivenRobot) -> None:
    still = (Q0, np.zeros(2), None, T)
    with pytest.raises(ShapeError, match=r"parameters has shape \(3,\), but 'planar2' needs \(\.\.\., 29\)"):
        sprung.simulate(*still, parameters=np.zeros(3))
    with pytest.raises(InputError, match="parameters is not finite"):
        sprung.simulate(*still, parameters=np.full(29, np.nan))
    with pytest.raises(ShapeError, match=r"parameters has the batch \(3,\), but the states have \(\)"):
        sprung.simulate(*still, parameters=np.tile(sprung.parameters, (3, 1)))
    rough = revolute.robots.planar(2).with_drives()
    values = rough.parameters.copy()
    values[-1] = 1.0
    with pytest.raises(InputError, match=r"joint2\.friction is not zero, and such friction jumps"):
        rough.simulate(*still, parameters=values)


def test_rotors_that_are_bodies_are_refused() -> None:
    motor = {"joint2": Drive(gear_ratio=10.0, rotor_inertia=1e-3)}
    turning = revolute.robots.planar(2).with_drives(motor, rotors=True)
    with pytest.raises(InputError, match="exclude rotors as bodies"):
        turning.simulate(Q0, np.zeros(2), None, T, parameters=turning.parameters)


@pytest.mark.parametrize("coupling", [None, [[1, 0], [-1, 1]]])
def test_all_functions_that_take_parameters_give_the_own_results(coupling: object) -> None:
    robot, rng = arm(coupling=coupling), np.random.default_rng(7)
    shared = [(name, with_drives(x)) for name, x in robot.functions().items() if x is Robot.functions().get(name)]
    taken = {name: function for name, function in shared if "parameters" in function.options}
    assert len(taken) > 20
    for name in taken:
        own, given = robot.kernel(name), robot.kernel(name, parameters="inertial")
        arrays = [rng.standard_normal(x.shape) for x in own.inputs]
        found, expected = given(*arrays, robot.parameters), own(*arrays)
        pairs = zip(found, expected, strict=True) if isinstance(own(*arrays), tuple) else [(found, expected)]
        for ours, its in pairs:
            scale = max(1.0, np.abs(its).max())  # some hundred roundings, times the condition of M, some ten
            np.testing.assert_allclose(ours, its, rtol=0, atol=1e-12 * scale, err_msg=name)


def test_friction_as_a_parameter_needs_smoothing_where_it_must_not_jump() -> None:
    robot = revolute.robots.planar(2).with_drives()
    for name in ("forward_dynamics", "forward_dynamics_partials", "inverse_dynamics_rates"):
        with pytest.raises(InputError, match=f"^{name}: friction is one of the parameters, and jumps"):
            robot.kernel(name, parameters="inertial")
    zeros = np.zeros(2)
    forces = robot.kernel("inverse_dynamics", parameters="inertial")(zeros, zeros, zeros, robot.parameters)
    np.testing.assert_allclose(forces, robot.inverse_dynamics(zeros, zeros, zeros), rtol=1e-12)


def test_friction_that_sticks_is_no_parameter_of_joints_that_follow_several() -> None:
    robot = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
    with pytest.raises(InputError, match="simulate: parameters with sticking require joints that follow one"):
        robot.simulate(Q0, [0.0, 0.0], None, T, "semi_implicit_euler", sticking=True, parameters=robot.parameters)


def test_generated_code_tells_the_order_of_parameters(tmp_path: Path) -> None:
    robot = revolute.robots.planar(1).with_drives()
    robot.to_c(["inverse_dynamics"], tmp_path / "arm.c", options={"inverse_dynamics": {"parameters": "inertial"}})
    assert "then those of drives, in the order of parameter_names" in (tmp_path / "arm.h").read_text()
