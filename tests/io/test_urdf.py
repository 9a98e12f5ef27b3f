"""URDF files load, and mean what Pinocchio takes them to mean."""

import math
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_raises
from files import written
from robots import EACH, FILES, LOADABLE, NO_ROBOT, RELATIVES, loaded, pin, random_states, to_pinocchio

import revolute
from revolute import Free, Mimic, ModelError, ModelWarning, Prismatic, Revolute, Robot
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.newton_euler import newton_euler

SEED, STATES = 20250611, 100
BOTH_BASES = pytest.mark.parametrize("base", ["fixed", "free"])

# Rounding: 2e-16 per operation, a few hundred of them along a chain, most of whose torque may cancel.
ROUNDING = 1e-12


def pinocchio(text: str, base: str):
    return pin.buildModelFromXML(text, *(() if base == "fixed" else (pin.JointModelFreeFlyer(),)))


def in_full(file: Path) -> str:
    """The file's text with all 17 digits of multiples of pi/2.

    Files print pi/2 with 12 digits; Revolute takes angles within 1e-11 of a multiple as exact, Pinocchio does not.
    """

    def full(match: re.Match[str]) -> str:
        angle = float(match[0])
        quarters = round(angle / (math.pi / 2)) * (math.pi / 2)
        return repr(quarters) if quarters and abs(angle - quarters) < 1e-11 else match[0]

    text = file.read_bytes().decode("utf-8-sig")
    return re.sub(r'rpy="[^"]*"', lambda rpy: re.sub(r"[-+]?\d+\.\d+(?:[eE][-+]?\d+)?", full, rpy[0]), text)


def torques(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """(n, nv): the recursion run once, with arrays over all states as its scalars."""
    tau = newton_euler(robot, list(q.T), list(qd.T), list(qdd.T))
    return np.stack([np.broadcast_to(x, len(q)) for x in tau], axis=-1) if tau else np.zeros((len(q), 0))


def assert_torques_agree(text: str, base: str) -> None:
    robot, model = loaded(text, base), pinocchio(text, base)
    data = model.createData()
    assert robot.nv == model.nv
    q, qd, qdd = random_states(robot, STATES, SEED)
    positions, order = to_pinocchio(robot, model, q)
    expected = np.array([
        pin.rnea(model, data, *row) for row in zip(positions, qd[:, order], qdd[:, order], strict=True)
    ]).reshape(STATES, model.nv)
    error = np.abs(torques(robot, q, qd, qdd)[:, order] - expected).max(axis=1, initial=0)
    assert (error <= ROUNDING * np.abs(expected).max(axis=1, initial=0)).all(), (error.max(), SEED)


@BOTH_BASES
@pytest.mark.parametrize("name", EACH)
def test_torques_agree_with_pinocchio(name: str, base: str) -> None:
    assert_torques_agree(in_full(FILES[name]), base)


@BOTH_BASES
@pytest.mark.parametrize("name", EACH)
def test_link_poses_agree_with_pinocchio(name: str, base: str) -> None:
    text = in_full(FILES[name])
    robot, model = loaded(text, base), pinocchio(text, base)
    data = model.createData()
    q = random_states(robot, 1, SEED)[0]
    pin.framesForwardKinematics(model, data, to_pinocchio(robot, model, q)[0][0])
    theirs = {f.name: data.oMf[i].homogeneous for i, f in enumerate(model.frames) if f.type == pin.FrameType.BODY}
    assert set(robot.link_names) == theirs.keys() - {"universe"}
    for link in robot.link_names if base == "fixed" else robot.link_names[-1:]:
        ours = np.array(frame_pose(robot, q[0], link).matrix(), dtype=float)
        np.testing.assert_allclose(ours, theirs[link], atol=ROUNDING * (1 + abs(ours[:3, 3]).max()), err_msg=link)


def test_there_are_robots_and_what_pinocchio_cannot_load_says_why() -> None:
    assert len(LOADABLE) > 60 and set(LOADABLE) > RELATIVES
    for name, reason in NO_ROBOT.items():
        text = FILES[name].read_text()
        assert_raises(ValueError, "does not contain a valid URDF model", pinocchio, text, "fixed")
        assert_raises(ModelError, reason, revolute.load, FILES[name])


BODY = """<inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="2"/>
  <inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial>"""


def robot_with(inside: str = "", kind: str = "revolute", attributes: str = 'name="two"') -> str:
    """A base, and an arm on a joint with these elements."""
    return (
        f'<robot {attributes}><link name="base"/><link name="arm">{BODY}</link>'
        f'<joint name="hinge" type="{kind}"><parent link="base"/><child link="arm"/>{inside}</joint></robot>'
    )


def test_reading_takes_few_calls() -> None:
    """Calls of Python for another link with its joint: one more pass over all parts, or check of each, is seen."""
    shape = '<{0}><origin xyz="0 0 {1}" rpy="0 0 1"/><geometry><mesh filename="package://arm/{1}.stl"/></geometry></{0}>'
    inside = '<origin xyz="0 0 1" rpy="1.2 0 {0}.5"/><axis xyz="0 0 1"/><dynamics damping="1" friction="2"/>'
    inside += '<limit lower="-1" upper="1" velocity="2" effort="3"/>'

    def calls(links: int) -> int:
        count = 0

        def event(frame: object, kind: str, _: object) -> None:
            nonlocal count
            count += kind == "call"

        text = '<robot name="chain"><link name="0"/>' + "".join(
            f'<link name="{k}">{BODY}{shape.format("visual", k)}{shape.format("collision", k)}</link><joint name="{k}" '
            f'type="revolute"><parent link="{k - 1}"/><child link="{k}"/>{inside.format(k)}</joint>'
            for k in range(1, links + 1)
        ) + "</robot>"  # fmt: skip
        sys.setprofile(event)
        try:
            revolute.load(text)
        finally:
            sys.setprofile(None)
        return count

    calls(2)  # methods that are written when they are first called
    assert (calls(50) - calls(10)) / 40 <= 485


@pytest.mark.parametrize("inside, kind", [
    ("", "revolute"),
    ('<axis xyz="0 2 0"/>', "continuous"),
    ('<axis xyz="1 -2 0.5"/><origin rpy="1 2 3"/>', "revolute"),
    ('<axis xyz="0 0.6 0.8"/><origin xyz="1 2 3"/>', "prismatic"),
    ('<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>', "floating"),
])  # fmt: skip
@BOTH_BASES
def test_joint_types_agree_with_pinocchio(inside: str, kind: str, base: str) -> None:
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'  # Pinocchio wants one
    assert_torques_agree(robot_with(inside + limit, kind), base)


def test_axes_are_scaled_and_cleaned() -> None:
    assert loaded(robot_with()).bodies[1].joint == Revolute((1, 0, 0))  # by default
    joint = loaded(robot_with('<axis xyz="0 6.1e-17 -3"/>', "prismatic")).bodies[1].joint
    assert joint == Prismatic((0, 0, -1))
    assert [type(x) for x in joint.axis] == [int, int, int]


@pytest.mark.parametrize("length", [1e-8, 1e-6, 1.0, 1e6, 1e150])
def test_axes_of_any_length_keep_their_small_components(length: float) -> None:
    """More than 1e-11 of the length is a component, less is rounding."""
    for y, z in ((2e-6, -2e-12), (1.1e-11, -9e-12)):
        axis = loaded(robot_with(f'<axis xyz="{length} {y * length} {z * length}"/>')).bodies[1].joint.axis
        assert axis == (pytest.approx(1, abs=1e-11), pytest.approx(y, rel=1e-9), 0)


def test_joint_data_is_kept() -> None:
    limit, dynamics = '<limit lower="-1" upper="2" velocity="3" effort="4"/>', '<dynamics damping="5" friction="6"/>'
    robot = loaded(robot_with(limit + dynamics))
    data = (robot.lower_limits, robot.upper_limits, robot.velocity_limits, robot.effort_limits)
    assert [x.tolist() for x in (*data, robot.drives.damping, robot.drives.friction)] == [[-1], [2], [3], [4], [5], [6]]


@pytest.mark.parametrize("limit, kind, lower, upper", [
    ("", "revolute", -np.inf, np.inf), ('<limit effort="1" velocity="1"/>', "revolute", -np.inf, np.inf),
    ('<limit upper="1"/>', "revolute", 0, 1), ('<limit lower="-inf" upper="1"/>', "prismatic", -np.inf, 1),
    ('<limit lower="-1" upper="1"/>', "continuous", -np.inf, np.inf),
    ('<limit lower="0" upper="0"/>', "revolute", 0, 0),
])  # fmt: skip
def test_missing_position_limits(limit: str, kind: str, lower: float, upper: float) -> None:
    robot = loaded(robot_with(limit, kind))
    assert (robot.lower_limits.tolist(), robot.upper_limits.tolist()) == ([lower], [upper])


def test_fixed_joints_are_merged_and_their_frames_kept() -> None:
    robot = loaded(robot_with('<origin xyz="1 0 0"/>', "fixed"))
    assert (robot.nq, robot.joint_names, robot.link_names) == (0, (), ("base", "arm"))
    assert robot.bodies[0].inertia.m == 2
    assert frame_pose(robot, [], "arm").p == (1, 0, 0)
    assert loaded(robot_with('<axis xyz="0 0 0"/><limit effort="?"/>', "fixed")).nv == 0  # which are not read


def test_a_free_base_floats_on_root_joint() -> None:
    robot = loaded(robot_with(), "free")
    assert robot.joint_names == ("root_joint", "hinge")
    assert (robot.nq, robot.nv, robot.bodies[1].joint) == (8, 7, Free())


def test_mimic_joints_are_joints_of_their_own_and_said_to_be() -> None:
    lead = '<joint name="lead" type="prismatic"><parent link="base"/><child link="tip"/></joint>'
    text = robot_with('<mimic joint="lead" multiplier="-2" offset="0.5"/>')
    with pytest.warns(ModelWarning, match=r"'hinge' \(of 'lead'\); robot\.with_drives\(\)") as caught:
        robot = revolute.load(text.replace("</robot>", f'<link name="tip"/>{lead}</robot>'))
    assert [warning.filename for warning in caught] == [__file__]
    assert robot.joint_names == ("hinge", "lead")
    assert robot.bodies[1].drive.mimic == Mimic("lead", -2, 0.5)


def test_a_hand_of_many_mimics_has_one_short_warning() -> None:
    """Two lines of a terminal, beside the name of the file."""
    joints = "".join(
        f'<link name="tip{k}"/><joint name="left_hand_finger_{k}_joint" type="revolute"><parent link="base"/>'
        f'<child link="tip{k}"/><mimic joint="hinge"/></joint>'
        for k in range(12)
    )
    with pytest.warns(ModelWarning) as caught:
        robot = revolute.load(robot_with("").replace("</robot>", f"{joints}</robot>"))
    (message,) = [str(x.message) for x in caught if "mimic" in str(x.message)]
    assert "'left_hand_finger_0_joint' (of 'hinge') and 11 more; robot.with_drives() couples them" in message
    assert len(message) <= 160 and len(robot.with_drives().coordinate_names) == 1


@pytest.mark.parametrize("inside, words", [
    ('<axis xyz="1 1 0"/>', ["joint 'hinge'", "1 1 0", "length is 1.41421"]),
    ('<limit lower="2" upper="1"/>', ["joint 'hinge'", "lower=2 and upper=1", "without position limits"]),
    ('<limit lower="inf" upper="inf"/>', ["joint 'hinge'", "lower=inf", "without position limits"]),
    ('<mimic joint="ghost"/>', ["'hinge' (of 'ghost')", "do not exist"]),
])  # fmt: skip
def test_suspicious_files_warn_once(inside: str, words: list[str]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert revolute.load(robot_with(inside)).nv == 1
    messages = [str(warning.message) for warning in caught]
    assert len(set(messages)) == len(messages)
    assert sum(all(word in message for word in words) for message in messages) == 1


def test_impossible_inertias_warn_once_and_name_the_link() -> None:
    with pytest.warns(ModelWarning, match="link 'arm'.*triangle inequality") as caught:
        revolute.load(robot_with().replace('izz="0.5"', 'izz="5"'))
    assert [warning.filename for warning in caught] == [__file__]
    zero = re.sub(r'\b(i[xyz]{2})="[^"]*"', r'\1="0"', robot_with())
    assert revolute.load(zero).bodies[1].inertia.m == 2


def test_joints_come_depth_first_with_siblings_in_file_order() -> None:
    arms = [("z", "base", "l1"), ("c", "l3", "l4"), ("a", "base", "l3"), ("b", "l1", "l2")]
    text = '<robot name="r">' + "".join(
        f'<joint name="{name}" type="continuous"><child link="{child}"/><parent link="{parent}"/></joint>'
        for name, parent, child in arms
    ) + "".join(f'<link name="{link}"/>' for link in ("l4", "l2", "base", "l1", "l3")) + "</robot>"
    assert loaded(text).joint_names == ("z", "b", "a", "c")


XML = '<?xml version="1.0" encoding="latin-1"?>'


@pytest.mark.parametrize("start", ["", "\n   ", "\ufeff", f"\n{XML}\n", f"\ufeff{XML}<!-- arm -->"])
def test_text_is_known_by_its_first_character(start: str) -> None:
    assert loaded(start + robot_with()) == loaded(robot_with())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_files_in_several_encodings(tmp_path: Path, encoding: str) -> None:
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = robot_with(attributes='name="für alle"')
    file = tmp_path / "arm.urdf"
    file.write_bytes(f'<?xml version="1.0" encoding="{declared}"?>{text}'.encode(encoding))
    assert loaded(file) == loaded(str(file)) == loaded(text)
    assert loaded(file).name == "für alle"


def test_a_robot_without_a_name_gets_that_of_its_file(tmp_path: Path) -> None:
    text = robot_with(attributes="")
    assert (loaded(written(tmp_path / "arm.urdf", text)).name, loaded(text).name) == ("arm", "robot")


@pytest.mark.parametrize("declared", ['xmlns="http://www.ros.org"', 'xmlns:xacro="http://www.ros.org/wiki/xacro"'])
def test_namespaces_change_nothing(declared: str) -> None:
    assert loaded(robot_with(attributes=f'name="two" {declared}')) == loaded(robot_with())


@pytest.mark.parametrize("scale", [1.0, 0.9995, -1.0])
def test_quaternions_are_orientations(scale: float) -> None:
    """Of URDF 1.2, scalar last; x = axis sin(angle / 2)."""
    angle = 0.7
    xyzw = [0.6 * math.sin(angle / 2) * scale, 0, 0.8 * math.sin(angle / 2) * scale, math.cos(angle / 2) * scale]
    robot = revolute.load(robot_with(f'<origin xyz="1 2 3" quat_xyzw="{" ".join(map(repr, xyzw))}"/>'))
    R = np.array(robot.bodies[1].placement.R.matrix(), dtype=float)
    np.testing.assert_allclose(R @ [0.6, 0, 0.8], [0.6, 0, 0.8], atol=1e-15)
    assert np.trace(R) == pytest.approx(1 + 2 * math.cos(angle), abs=1e-14)
    assert R[1, 0] - R[0, 1] == pytest.approx(2 * 0.8 * math.sin(angle), abs=1e-14)
    assert tuple(robot.bodies[1].placement.p) == (1, 2, 3)


def test_quaternions_of_right_angles_are_exact() -> None:
    for length in (1.0, 2.0):
        half = length * math.sqrt(0.5)
        robot = loaded(robot_with(f'<origin quat_xyzw="0 0 {half} {half}"/>'))
        assert robot.bodies[1].placement.R.matrix() == ((0, -1, 0), (1, 0, 0), (0, 0, 1))


@pytest.mark.parametrize("zero", [("effort",), ("velocity",), ("effort", "velocity"), ()])
def test_limits_of_zero_are_kept_and_told(zero: tuple[str, ...]) -> None:
    values = {"effort": 5, "velocity": 2} | dict.fromkeys(zero, 0)
    limit = " ".join(f'{name}="{value}"' for name, value in values.items())
    joints = "".join(
        f'<link name="l{k + 1}"/><joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f"<limit {limit}/></joint>"
        for k in range(8)
    )
    text = f'<robot name="r"><link name="l0"/>{joints}</robot>'
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        robot = revolute.load(text)
    words = [str(x.message) for x in told if "limit of" in str(x.message)]
    assert len(words) == len(zero)
    for what, word in zip(zero, words, strict=True):
        assert f"the {what} limit of 'j0', 'j1', 'j2', 'j3', 'j4', 'j5' and 2 more is 0, which in many" in word
    assert {getattr(body.limits, what) for body in robot.bodies[1:] for what in zero} <= {(0.0,)}
