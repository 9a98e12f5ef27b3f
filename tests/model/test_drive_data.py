"""Drives as data: exact in files, symbols where there are numbers, and checked by the joint's name."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from robots import BOX, one_joint

import revolute
from revolute import Drive, Joint, Limits, Link, Mimic, ModelError, Planar, Prismatic, Revolute, Robot

D = sympy.Symbol("d")
FULL = Drive((0.1,), (0.2,), None, (0.3,), (100.0,), (1e-5,), (1 / 3,), (-0.5,), (0.6,), (0.07,), (0.15,), (0.02,))


def slider(drive: Drive, joint: object = None) -> Robot:
    """A hinge with all of `FULL`, and a joint to be looked at."""
    joints = [Joint("hinge", "base", "a", Revolute(), drive=FULL)]
    joints += [Joint("slide", "a", "b", joint or Prismatic((1, 0, 0)), drive=drive)]
    return Robot.from_links("slider", [Link("base"), Link("a", BOX), Link("b", BOX)], joints)


def test_every_field_round_trips_exactly(tmp_path: Path) -> None:
    robot = slider(Drive((0.1,), mimic=Mimic("hinge", -1.5, 0.25), rest_position=(2**-60,)))
    missing = [name for name, column in FULL.columns().items() if not column]
    assert not missing, f"FULL has no {', '.join(missing)}"
    revolute.save(robot, tmp_path / "robot.toml")
    for back in (revolute.load(tmp_path / "robot.toml"), Robot.from_dict(robot.to_dict())):
        assert back == robot and back.digest == robot.digest


def test_arrays_have_a_number_for_every_velocity() -> None:
    robot = slider(Drive())
    for name, numbers in FULL.columns().items():
        default = {"gear_ratio": 1.0, "stribeck_speed": np.inf}.get(name, 0.0)
        np.testing.assert_array_equal(getattr(robot.drives, name), [*numbers, default])
        assert not getattr(robot.drives, name).flags.writeable


@pytest.mark.parametrize("one", [0.5, 1, np.float32(0.5), np.array(0.25), Fraction(1, 4), D])
def test_a_number_is_a_tuple_of_one(one: object) -> None:
    drive, limits = Drive(damping=one, friction=[one], rest_position=(one,)), Limits(one, effort=one)
    assert drive.damping == drive.friction == drive.rest_position == limits.lower == limits.effort == (one,)
    assert drive == Drive((one,), (one,), rest_position=(one,)) and limits == Limits((one,), effort=(one,))
    kind = sympy.Symbol if one is D else int if one == 1 else float
    assert {type(x) for x in (*drive.damping, *drive.friction, *limits.lower)} == {kind}
    assert slider(drive).bodies[2].drive is drive


def test_sequences_are_tuples() -> None:
    assert Limits([-1, 2], np.array([1.0, 2.0])) == Limits((-1, 2), (1.0, 2.0))
    assert_raises(ModelError, r"Drive\.damping must be a tuple of numbers, not 'much'", slider, Drive(damping="much"))


@pytest.mark.parametrize("drive", [Drive(damping=(D,)), Drive(mimic=Mimic("joint1", D))])
def test_files_hold_numbers(drive: Drive) -> None:
    robot = revolute.robots.planar(2).with_drives({"joint2": drive}).robot
    for write, kind in ((robot.to_mjcf, "MJCF"), (robot.to_urdf, "URDF")):
        assert_raises(ModelError, f"joint 'joint2': {kind} requires numbers, but its drive has symbols", write)


def test_every_number_may_be_a_symbol() -> None:
    names = list(FULL.columns())
    drive = Drive(mimic=Mimic("hinge", *sympy.symbols("ratio offset")), **{k: (sympy.Symbol(k),) for k in names})
    robot = slider(drive)
    assert {x.name for x in robot.symbols} == {*names, "ratio", "offset"}
    values = {name: value for name, (value,) in FULL.columns().items()}
    assert robot.subs({**values, "ratio": -1.5, "offset": 0.25}) == slider(
        Drive(mimic=Mimic("hinge", -1.5, 0.25), **FULL.columns())
    )
    with pytest.raises(revolute.InputError, match="gear_ratio needs numbers, but robot 'slider' has symbols"):
        robot.drives.gear_ratio  # noqa: B018


@pytest.mark.parametrize(("drive", "message"), [
    (Drive(gear_ratio=(1.0, 2.0)), r"joint 'slide': Drive.gear_ratio must have 1 number\(s\) or none, not 2"),
    (Drive(gear_ratio=(0.0,)), "joint 'slide': Drive.gear_ratio must not be zero"),
    (Drive(rotor_inertia=(np.nan,)), "joint 'slide': Drive.rotor_inertia is not finite"),
    (Drive(stribeck=(1.0,)), "joint 'slide': Drive.stribeck needs a Drive.stribeck_speed above 1e-12, not 0"),
    (Drive(stribeck_speed=(1e-200,)), "needs a Drive.stribeck_speed above 1e-12, not 1e-200"),
    (Drive(stribeck=(1.0,), stribeck_speed=(-2.0,)), "needs a Drive.stribeck_speed above 1e-12, not -2"),
])  # fmt: skip
def test_wrong_data_are_refused_by_name(drive: Drive, message: str) -> None:
    assert_raises(ModelError, message, slider, drive)


def test_springs_are_of_joints_with_one_coordinate() -> None:
    with pytest.raises(ModelError, match=r"joint 'slide': Drive\.stiffness applies only to joints with one coordinate"):
        slider(Drive(stiffness=(1.0,) * 3), Planar())
    assert slider(Drive(stiffness=(0.0,) * 3), Planar()).drives.stiffness[1:].tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", ["damping", "friction", "friction_backward", "armature", "rotor_inertia", "stiffness"])
def test_data_that_no_drive_has_are_refused(name: str) -> None:
    assert slider(Drive(**{name: (0.0,)})) and slider(Drive(**{name: (D,)})) and slider(Drive(**{name: (-0.0,)}))
    for number in (-1e-5, np.float64(-1e-5), sympy.Float(-1e-5)):
        words = f"joint 'slide': its {name} is -1e-05; it must be positive or zero"
        assert_raises(ModelError, words, slider, Drive(**{name: (number,)}))


@pytest.mark.parametrize("name", ["velocity", "effort"])
def test_limits_of_speed_and_force_are_not_negative(name: str) -> None:
    for number in (0, 2.5, np.inf):
        one_joint(Revolute(), limits=Limits(**{name: number}))
    for number in (-1.0, -np.inf, np.nan):
        with pytest.raises(ModelError, match=f"joint 'j': its {name} limit is {number:g}; it must be positive or zero"):
            one_joint(Revolute(), limits=Limits(**{name: number}))
