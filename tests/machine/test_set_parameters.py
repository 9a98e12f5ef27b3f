"""Robots with other parameters: dynamics are linear in them, files hold them; columns that span all others."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises, assert_warns
from hypothesis import assume, given
from hypothesis import strategies as st
from robots import one_joint

import revolute
from revolute import Drive, Inertia, InputError, ModelError, ModelWarning, ShapeError, UnknownNameError
from revolute.machine.base_parameters import regrouped
from revolute.machine.driven import Rotor

UR5 = revolute.robots.ur5()
GEAR = Drive(
    damping=1.0, friction=2.0, friction_backward=1.0, stribeck=0.3, stribeck_speed=0.1, stiffness=3.0, armature=0.1,
    gear_ratio=100.0, rotor_inertia=1e-5,
)
DRIVEN = UR5.with_drives(dict.fromkeys(UR5.joint_names, GEAR), smoothing=0.01)
ROTATING = UR5.with_drives(dict.fromkeys(UR5.joint_names, GEAR), rotors=True, smoothing=0.01)


def other(parameters: np.ndarray, seed: int = 0) -> np.ndarray:
    """A little more of everything: 2 % keep every inertia possible."""
    return np.asarray(parameters * np.random.default_rng(seed).uniform(1, 1.02, parameters.shape))


def state(seed: int = 1, n: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((3, n, 6))


def test_forces_are_linear_in_the_parameters_that_were_set() -> None:
    pi = other(UR5.inertial_parameters)
    q, qd, qdd = state()
    expected = UR5.regressor(q, qd, qdd) @ pi.ravel()
    for form in (pi, pi.ravel(), dict(zip((x.partition(":")[0] for x in UR5.parameter_names), pi.flat, strict=True))):
        robot = UR5.with_inertial_parameters(form)
        assert (robot.inertial_parameters == pi).all()
        # 1e-13: some 100 roundings of forces up to 200 N m
        np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), expected, rtol=1e-13, atol=1e-11)


@pytest.mark.parametrize("robot", [DRIVEN, ROTATING], ids=["reflected", "rotors"])
def test_parameters_of_drives_return_to_them(robot: Any) -> None:
    pi = other(robot.parameters)
    fitted = robot.with_parameters(pi)
    np.testing.assert_allclose(fitted.parameters, pi, rtol=1e-15)
    q, qd, qdd = state()
    np.testing.assert_allclose(
        robot.regressor(q, qd, qdd) @ pi, fitted.inverse_dynamics(q, qd, qdd), rtol=1e-13, atol=1e-11
    )
    assert repr(fitted) == repr(robot)


def test_the_same_parameters_give_the_same_robot() -> None:
    assert UR5.with_inertial_parameters(UR5.inertial_parameters) == UR5
    assert DRIVEN.with_parameters(DRIVEN.parameters).robot == DRIVEN.robot
    assert UR5.with_inertial_parameters({}) == UR5
    with pytest.raises(AttributeError, match="with_inertial_parameters"):
        UR5.inertial_parameters = 2  # type: ignore[misc]


def test_a_rotor_and_an_armature_keep_their_shares() -> None:
    arm = revolute.robots.planar(1).with_drives({"joint1": Drive(armature=0.1, gear_ratio=10.0, rotor_inertia=0.003)})
    drive = arm.with_parameters({"joint1.armature": 0.2}).robot.bodies[1].drive  # 0.1 + 100 0.003 = 0.4, halved
    assert drive.armature == (0.05,) and drive.rotor_inertia == (0.0015,)
    bare = revolute.robots.planar(1).with_drives({"joint1": Drive(gear_ratio=10.0, rotor_inertia=0.004)})
    assert bare.with_parameters({"joint1.armature": 0.2}).robot.bodies[1].drive.armature == ()
    driven = revolute.robots.planar(2).with_drives(rotors=[Rotor("joint2", inertia=1e-3, ratio=50.0)])
    fitted = driven.with_parameters({driven.parameter_names[-1].partition(":")[0]: 2e-3})
    assert fitted.parameters[-1] == 2e-3
    assert (fitted.mass_matrix([0.1, 0.2]) - driven.mass_matrix([0.1, 0.2])).round(9)[1, 1] == 2.5  # 1e-3 50^2


def test_closed_loops_and_springs_take_inertias() -> None:
    arm = revolute.robots.planar(2)
    pi = 1.25 * arm.inertial_parameters
    pinned = arm.with_closures(revolute.PointClosure("tip", at_b=(1.0, 1.0, 0.0)), drives=True)
    elastic = arm.with_elastic_joints(100.0, rotor_inertia=0.1, damping=0.2)
    for machine in (pinned, elastic):
        changed = machine.with_inertial_parameters(pi)
        assert (changed.robot.inertial_parameters == pi).all()
        assert repr(changed) == repr(machine)
    assert elastic.with_inertial_parameters(pi).damping.tolist() == [0.2, 0.2]
    assert pinned.with_inertial_parameters(pi).drives
    space = UR5.operational_space("tool0", rows=(3, 4, 5))
    q = UR5.random_configuration(3, rng=1)
    twice = space.with_inertial_parameters(2 * UR5.inertial_parameters)
    np.testing.assert_array_equal(twice.coordinates(q), space.coordinates(q))
    np.testing.assert_allclose(twice.mass_matrix(q), 2 * space.mass_matrix(q), rtol=1e-9)  # Lambda is linear in M


def test_names_may_have_symbols_for_values() -> None:
    m = sympy.Symbol("m")
    arm = revolute.robots.planar(1).with_inertial_parameters({"link1.m": m})
    assert arm.symbols == (m,)
    assert arm.subs({m: 3}).inertial_parameters[0, 0] == 3


@pytest.mark.filterwarnings("ignore:robot .*MJCF does not support velocity limits")
def test_links_fixed_to_a_body_are_part_of_it(tmp_path: Path) -> None:
    """The parameters are those of the merged body, so the file has them in the body's link."""
    loaded = UR5.with_payload("tool0", Inertia.box(2.0, (0.1, 0.2, 0.3)))
    robot = loaded.with_inertial_parameters(other(loaded.inertial_parameters))
    q, qd, qdd = state()
    for name in ("identified.urdf", "identified.xml", "identified.toml"):
        revolute.save(robot, tmp_path / name)
        again = revolute.load(tmp_path / name)
        for function in ("inverse_dynamics", "regressor"):
            ours, theirs = (getattr(x, function)(q, qd, qdd) for x in (robot, again))
            np.testing.assert_allclose(theirs, ours, rtol=1e-12, atol=1e-12 * np.abs(ours).max())
        assert again.frame("tool0").body == 6


BROKEN: dict[str, tuple[Any, type[Exception], str]] = {
    "a fixed link": ({"tool0.m": 1.0}, UnknownNameError, "'tool0' is fixed to 'wrist_3_link', whose parameters includ"),
    "the base": ({"base_link.m": 1.0}, UnknownNameError, "'base_link' is fixed to 'world', which does not move"),
    "an offset": ({"elbow_joint.offset": 1.0}, UnknownNameError, "an offset, which robots do not have; omit it"),
    "a wrong name": ({"forearm_link.mass": 1.0}, UnknownNameError, "near: forearm_link.m"),
    "a name that is none": ({3: 1.0}, UnknownNameError, "has no parameter '3'"),
    "base included": (np.zeros((7, 10)), ShapeError, "omit the base: only moving bodies"),
    "drives included": (np.zeros(78), ShapeError, "with_parameters"),
    "a batch": (np.zeros((2, 6, 10)), ShapeError, r"have shape \(2, 6, 10\)"),
    "ragged": ([[1.0, 2.0], [3.0]], ShapeError, "ragged"),
    "no numbers": ("abc", InputError, "must be real numbers"),
    "nothing": (None, InputError, "must be real numbers"),
    "not finite": (np.full(60, np.nan), InputError, "shoulder_link.m is not finite"),
    "a value not finite": ({"forearm_link.m": np.inf}, InputError, "forearm_link.m must be a finite number"),
    "a value that is none": ({"forearm_link.m": "2 kg"}, InputError, "forearm_link.m must be a number"),
    "a complex value": ({"forearm_link.m": sympy.I}, InputError, "forearm_link.m must be a number"),
    "a negative mass": ({"forearm_link.m": -1.0}, InputError, "forearm_link.m would be -1 kg"),
    "too large": ({"forearm_link.m": 1e300}, ModelError, "too large"),
    "an impossible inertia": ({"forearm_link.Ixx": -1.0}, InputError, "link 'forearm_link': principal moments"),
}


@pytest.mark.parametrize("given, error, text", BROKEN.values(), ids=BROKEN.keys())
def test_broken_parameters_are_refused_by_name(given: Any, error: type[Exception], text: str) -> None:
    assert_raises(error, text, UR5.with_inertial_parameters, given, implausible="refuse")


def test_broken_parameters_of_drives_are_refused_by_name() -> None:
    assert_raises(InputError, "would be -1; it must not be", DRIVEN.with_parameters, {"elbow_joint.friction": -1.0})
    assert_raises(ShapeError, "use with_inertial_parameters", DRIVEN.with_parameters, UR5.inertial_parameters)
    with pytest.raises(UnknownNameError, match=r"has no parameter 'elbow_joint\.stiffness'"):
        UR5.with_drives().with_parameters({"elbow_joint.stiffness": 1.0})
    m, x, dx = sympy.symbols("m x dx")
    with pytest.raises(InputError, match=r"no links with inertial parameters. Its symbols are m: .* subs"):
        revolute.lagrange([x], m * dx**2 / 2).with_inertial_parameters([1.0])


def test_impossible_inertias_are_told_once() -> None:
    given = {"forearm_link.Ixx": -1.0, "upper_arm_link.Ixx": -1.0}
    with pytest.warns(ModelWarning, match="'upper_arm_link'.*; link 'forearm_link'.*They are used as given"):
        robot = UR5.with_inertial_parameters(given)
    assert robot.inertial_parameters[2, 4] == -1
    UR5.with_inertial_parameters(given, implausible="accept")
    assert_raises(InputError, "one of warn, refuse, accept", UR5.with_inertial_parameters, given, implausible="never")


@pytest.mark.filterwarnings("ignore:robot .*MJCF does not support velocity limits")
def test_driven_robots_are_saved_with_the_data_of_their_drives(tmp_path: Path) -> None:
    """Friction, damping, armature, springs: what the format has comes back, and gives the same forces."""
    data = Drive(damping=0.7, friction=0.4, armature=0.2, stiffness=3.0, rest_position=0.1)
    driven = UR5.with_drives(dict.fromkeys(UR5.joint_names, data))
    driven = driven.with_parameters(other(driven.parameters))
    q, qd, qdd = state()
    expected = driven.inverse_dynamics(q, qd, qdd)
    for name in ("identified.toml", "identified.xml"):
        revolute.save(driven, tmp_path / name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # of an armature, which the reader keeps as data
            again = revolute.load(tmp_path / name, drives=True)
        found = again.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    with pytest.warns(ModelWarning, match="URDF does not support armature of 'shoulder_pan_joint'.*; stiffness"):
        revolute.save(driven, tmp_path / "identified.urdf")
    again = revolute.load(tmp_path / "identified.urdf")
    np.testing.assert_allclose(again.drives.damping, driven.robot.drives.damping, rtol=1e-15)
    np.testing.assert_allclose(again.drives.friction, driven.robot.drives.friction, rtol=1e-15)


def test_what_a_file_does_not_hold_is_told(tmp_path: Path) -> None:
    curved = UR5.with_drives({"elbow_joint": Drive(stribeck=0.2, stribeck_speed=0.1)})
    with pytest.warns(ModelWarning, match=r"MJCF does not support stribeck of 'elbow_joint'; velocity limits of"):
        revolute.save(curved, tmp_path / "identified.xml")
    loose = one_joint(revolute.Revolute(), drive=Drive(backlash=0.01))
    for write, kind in ((loose.to_mjcf, "MJCF"), (loose.to_urdf, "URDF")):
        assert_warns(ModelWarning, f"{kind} does not support backlash of 'j'", write)
    coupled = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]], smoothing=0.01)
    with pytest.warns(ModelWarning, match="not the options coupling, smoothing of with_drives; give them again"):
        assert coupled.described() == coupled.robot
    with pytest.warns(ModelWarning, match="not the options rotors of"):
        revolute.robots.planar(1).with_drives({"joint1": GEAR}, rotors=True).described()


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(0, 12), st.integers(0, 20))
def test_each_column_found_is_independent_of_those_before_it(seed, rank, others, rows):
    """As ranks of the first columns tell, one more of them each time."""
    rng = np.random.default_rng(seed)
    free = rng.standard_normal((rank + rows, rank)) * 10 ** rng.uniform(-3, 3, rank)
    Y = np.hstack([free, free @ rng.integers(-2, 3, (rank, others))])[:, rng.permutation(rank + others)]
    scaled = Y / np.maximum(np.linalg.norm(Y, axis=0), 1e-300)
    columns, matrix = regrouped(scaled, 1e-9)
    ranks, coarse, fine = (
        [np.linalg.matrix_rank(scaled[:, :k], tol=tolerance) for k in range(Y.shape[1] + 1)]
        for tolerance in (1e-7, 1e-5, 1e-12)
    )
    assume(ranks == coarse == fine)  # no column is so nearly a sum of others that rounding decides
    assert columns.tolist() == np.flatnonzero(np.diff(ranks)).tolist()
    # the columns chosen may be nearly dependent: coefficients are as large as that allows
    assert np.allclose(scaled[:, columns] @ matrix, scaled, atol=1e-9 * max(np.abs(matrix).max(initial=1), 1))


def test_a_short_diagonal_entry_hides_no_column():
    """The second column is zero, and takes the direction with it that only the third one has."""
    columns, matrix = regrouped(np.array([[1.0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]), 1e-9)
    assert columns.tolist() == [0, 2]
    assert matrix == pytest.approx(np.array([[1.0, 0, 0], [0, 0, 1]]))
    columns, matrix = regrouped(np.zeros((5, 3)), 1e-9)
    assert columns.tolist() == []
    assert matrix.shape == (0, 3)
