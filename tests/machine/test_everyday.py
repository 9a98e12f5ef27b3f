"""What one asks a robot first: its mass, a joint by its name, whether its drives are included."""

from pathlib import Path

import numpy as np
import pytest
import sympy
from comparing import assert_raises, assert_warns
from robots import every, pair, trees

import revolute
from revolute import Drive, DrivenRobot, Inertia, Joint, Limits, Link, Revolute, Robot, Transform, UnknownNameError

TEXT = """
<robot name="gripper">
  <link name="palm">
    <inertial><mass value="0.5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="left">
    <inertial><mass value="0.25"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="right">
    <inertial><mass value="0.25"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="palm"/> <child link="left"/> <axis xyz="0 1 0"/> <dynamics damping="2" friction="3"/>
    <limit lower="0" upper="0.25" effort="10" velocity="1"/>
  </joint>
  <joint name="other" type="prismatic">
    <parent link="palm"/> <child link="right"/> <axis xyz="0 -1 0"/> <mimic joint="slide"/>
    <limit lower="0" upper="0.25" effort="10" velocity="1"/>
  </joint>
</robot>"""


@every(trees(most=4), examples=5)
def test_the_mass_is_that_of_all_links(robot: Robot) -> None:
    assert robot.mass == pytest.approx(sum(body.inertia.m for body in robot.bodies), rel=1e-15)
    assert type(robot.mass) is float
    heavier = robot.with_payload(robot.link_names[-1], Inertia.from_com(2.0))
    assert heavier.mass == pytest.approx(robot.mass + 2, rel=1e-14)


def test_the_mass_is_pinocchios() -> None:
    ours, model = pair("talos_data/talos_reduced", "free")
    assert ours.mass == pytest.approx(sum(inertia.mass for inertia in model.inertias), rel=1e-13)
    m = sympy.Symbol("m")
    assert revolute.robots.planar(2).with_payload("tip", Inertia.from_com(m)).mass == m + 2.0


def test_a_joint_by_its_name() -> None:
    limits, drive = Limits(-1.0, 2.0, 3.0, 4.0), Drive(damping=0.5)
    place = Transform.from_rpy((0, 0, 1), (0.1, 0, 0))
    robot = Robot.from_links(
        "arm",
        [Link("stand"), Link("post"), Link("rod", Inertia.from_com(1.0)), Link("slider", Inertia.from_com(1.0))],
        [
            Joint("mount", "stand", "post", placement=Transform(p=(1, 0, 0))),
            Joint("hinge", "post", "rod", Revolute((0, 0, 1)), place, limits, drive),
            Joint("slide", "rod", "slider", revolute.Prismatic((1, 0, 0))),
        ],
        base="free",
    )
    hinge, slide, root = map(robot.joint, ("hinge", "slide", "root_joint"))
    assert (hinge.name, hinge.type, hinge.axis) == ("hinge", "revolute", (0, 0, 1))
    assert (hinge.parent, hinge.child) == ("stand", "rod")  # the post is part of the stand
    assert hinge.placement == Transform(p=(1, 0, 0)) @ place
    assert (hinge.limits, hinge.drive) == (limits, drive)
    assert (root.type, root.axis, root.parent, root.child) == ("free", None, "universe", "stand")
    assert (root.q, root.qd, hinge.q, hinge.qd) == (slice(0, 7), slice(0, 6), slice(7, 8), slice(6, 7))
    assert (slide.type, slide.parent, slide.limits) == ("prismatic", "rod", Limits())
    assert_raises(UnknownNameError, "no joint 'hing'; near: hinge", robot.joint, "hing")


def test_places_of_joints_are_those_of_arrays() -> None:
    robot = revolute.robots.random_tree(6, rng=1, base="free", types=("spherical", "revolute", "planar"))
    names = [name for name in robot.joint_names for _ in range(len(np.arange(robot.nq)[robot.joint(name).q]))]
    assert len(names) == robot.nq
    places = np.concatenate([np.arange(robot.nv)[robot.joint(name).qd] for name in robot.joint_names])
    np.testing.assert_array_equal(places, np.arange(robot.nv))


def test_drives_that_are_left_out_are_told() -> None:
    arm = revolute.robots.planar(3)
    assert repr(arm) == "<Robot 'planar3': 3 joints, nq=3, nv=3>"
    drives = {"joint1": Drive(damping=1.0), "joint2": Drive(friction_backward=1.0)}
    with_data = arm.with_drives(drives | {"joint3": Drive(mimic=revolute.Mimic("joint1"))}).robot
    assert repr(with_data) == "<Robot 'planar3': 3 joints, nq=3, nv=3; 2 drives, 1 mimic not included: with_drives()>"
    assert "not included" not in repr(with_data.with_drives())
    assert repr(arm.with_drives({"joint1": Drive(damping=0.0, gear_ratio=50.0, rest_position=0.5)}).robot) == repr(arm)
    one = arm.with_drives({"joint1": Drive(stiffness=sympy.Symbol("k"))}).robot
    assert repr(one).endswith("; 1 drive not included: with_drives()>")


def test_robots_come_with_their_drives(tmp_path: Path) -> None:
    driven = assert_warns(revolute.ModelWarning, "'other'", revolute.load, TEXT, drives=True)
    assert isinstance(driven, DrivenRobot) and driven.coordinate_names == ("slide",)
    plain = assert_warns(revolute.ModelWarning, "'other'", revolute.load, TEXT)
    assert type(plain) is Robot and driven.robot == plain
    np.testing.assert_array_equal(driven.inverse_dynamics([0.0], [1.0], [0.0]), [5.0])
    revolute.save(revolute.robots.panda(), tmp_path / "panda.toml")
    assert isinstance(revolute.load(tmp_path / "panda.toml", drives=True), DrivenRobot)


ROWS = [(0.5, 0.1, 0.2, 0.3), (0.4, -0.2, 0.1, 0.5)]
GEARS = [Drive(damping=1.0), Drive(friction=0.5, gear_ratio=100, rotor_inertia=1e-4)]
TOOL = Transform.from_rpy((0.1, 0, 0.2), (0, 0.3, 0))


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_tables_have_drives_and_a_tool(convention: str) -> None:
    plain = Robot.from_dh(ROWS, convention)
    robot = Robot.from_dh(ROWS, convention, drives=GEARS, tool=TOOL)
    assert [body.drive for body in robot.bodies[1:]] == GEARS
    assert robot.link_names == (*plain.link_names, "tool")
    q = [0.3, -0.4]
    expected = plain.forward_kinematics(q, "flange") @ TOOL.matrix()
    np.testing.assert_allclose(robot.forward_kinematics(q, "tool"), expected, rtol=0, atol=1e-15)
    table = robot.to_dh(convention)
    assert [row.drive for row in table.rows] == GEARS
    assert [body.drive for body in Robot.from_dh(table, tool=TOOL).bodies[1:]] == GEARS
    assert [body.drive for body in Robot.from_dh(table, drives=GEARS[::-1]).bodies[1:]] == GEARS[::-1]


@pytest.mark.parametrize(("options", "message"), [
    ({"drives": GEARS[:1]}, "drives: 1 for a table of 2 rows"),
    ({"drives": [1, 2]}, "drives: each must be of the type Drive"),
    ({"tool": (0, 0, 1)}, "placement must be of the type Transform"),
])  # fmt: skip
def test_wrong_drives_of_tables_are_refused(options: dict[str, object], message: str) -> None:
    assert_raises(revolute.InputError, message, Robot.from_dh, ROWS, **options)
