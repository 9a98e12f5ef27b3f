"""SDF against the same robots as URDF or made of links, and what is wrong with SDF files."""

import re
import warnings
from importlib.metadata import PackagePath, distribution
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from files import written
from robots import loaded, random_states

import revolute
from revolute import AxisClosure, InputError, Joint, Link, Mimic, ModelError, ModelWarning, Robot, Transform
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.parameters import to_vector


def inertial(mass: float, at: str = "0.1 0.2 0.3 0.3 -0.2 0.1") -> str:
    return (
        f"<inertial><pose>{at}</pose><mass>{mass}</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.35</izz><ixy>.01</ixy>"
        "<ixz>.02</ixz><iyz>-.03</iyz></inertia></inertial>"
    )


def sdf(inside: str, version: str = "1.9", model: str = "") -> str:
    return f'<sdf version="{version}"><model name="m"{model}>{inside}</model></sdf>'


def link(name: str, pose: str = "", mass: float = 1.0) -> str:
    return f'<link name="{name}">{pose}{inertial(mass)}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "<axis><xyz>0 0 1</xyz></axis>") -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'


def hinged(inside: str, kind: str = "revolute", version: str = "1.9") -> str:
    """Two links, and a joint between them with these elements."""
    return sdf(link("a") + link("b") + joint("j", kind, "a", "b", inside), version)


def assert_same(one: Robot, two: Robot, links: tuple[str, ...]) -> None:
    """Poses of links, and joint forces in 5 states, to 1e-12: some thousand roundings."""
    assert (one.joint_names, one.nq) == (two.joint_names, two.nq)
    if not one.nq:
        a, b = (np.array(to_vector(robot.bodies[0].inertia)) for robot in (one, two))
        assert np.abs(a - b).max() < 1e-12
        return
    q, qd, qdd = random_states(one, 5, seed=1)
    for row in q:
        for name in links:
            a, b = (frame_pose(robot, row.tolist(), name) for robot in (one, two))
            assert np.abs(np.array(a.p) - np.array(b.p)).max() < 1e-12
            assert np.abs(np.array(a.R.matrix()) - np.array(b.R.matrix())).max() < 1e-12
    forces = [np.array(newton_euler(robot, list(q.T), list(qd.T), list(qdd.T))) for robot in (one, two)]
    assert np.abs(forces[0] - forces[1]).max() < 1e-12 * np.abs(forces[0]).max()


URDF_INERTIAL = (
    '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.1"/><mass value="{mass}"/><inertia ixx=".3" iyy=".4" izz=".35" '
    'ixy=".01" ixz=".02" iyz="-.03"/></inertial>'
)


def urdf(base: str = "") -> str:
    links = "".join(
        f'<link name="{name}">{URDF_INERTIAL.format(mass=mass)}</link>'
        for name, mass in (("trunk", 5), ("thigh", 2), ("shank", 1), ("slide", 0.5), ("tool", 0.25))
    )
    return f"""<robot name="m">{base}{links}
      <joint name="hip" type="revolute"><origin xyz=".1 .2 -.3" rpy=".1 .2 .3"/><parent link="trunk"/><child link="thigh"/>
        <axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="50" velocity="8"/><dynamics damping=".5" friction=".2"/>
      </joint>
      <joint name="knee" type="continuous"><origin xyz="0 0 -.4" rpy="1 0 0"/><parent link="thigh"/><child link="shank"/>
        <axis xyz=".6 0 .8"/></joint>
      <joint name="rail" type="prismatic"><origin xyz="0 .3 0" rpy="0 0 2"/><parent link="trunk"/><child link="slide"/>
        <axis xyz="1 0 0"/><limit lower="0" upper=".5" effort="10" velocity="1"/></joint>
      <joint name="mount" type="fixed"><origin xyz=".1 0 0" rpy="0 1 0"/><parent link="slide"/><child link="tool"/></joint>
    </robot>"""


LEG = f"""
  {link("trunk", mass=5)}
  {link("thigh", '<pose relative_to="hip"/>', 2)}
  {link("shank", '<pose relative_to="thigh">0 0 -.4 1 0 0</pose>')}
  {link("slide", '<pose relative_to="rail_frame"/>', 0.5)}
  {link("tool", '<pose relative_to="mount_frame" degrees="true">0 0 0 0 57.29577951308232 0</pose>', 0.25)}
  <frame name="rail_frame" attached_to="trunk"><pose>0 .3 0 0 0 2</pose></frame>
  <frame name="mount_frame" attached_to="slide"><pose>.1 0 0 0 0 0</pose></frame>
  <joint name="hip" type="revolute"><pose relative_to="trunk">.1 .2 -.3 .1 .2 .3</pose><parent>trunk</parent>
    <child>thigh</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>50</effort>
    <velocity>8</velocity></limit><dynamics><damping>.5</damping><friction>.2</friction></dynamics></axis></joint>
  <joint name="knee" type="continuous"><parent>thigh</parent><child>shank</child>
    <axis><xyz>.6 0 .8</xyz><limit><lower>-1</lower></limit></axis></joint>
  <joint name="rail" type="prismatic"><parent>rail_frame</parent><child>slide</child><axis><xyz>1 0 0</xyz>
    <limit><lower>0</lower><upper>.5</upper><effort>10</effort><velocity>1</velocity></limit></axis></joint>
  <joint name="mount" type="fixed"><parent>slide</parent><child>tool</child></joint>
"""
NAMES = ("trunk", "thigh", "shank", "slide", "tool")


def test_a_leg_is_the_same_as_urdf(tmp_path: Path) -> None:
    ours = revolute.load(written(tmp_path / "leg.sdf", sdf(LEG)))
    theirs = loaded(urdf())
    assert_same(ours, theirs, NAMES)
    for name in ("lower_limits", "upper_limits", "velocity_limits", "effort_limits", "drives.damping", "drives.friction"):
        np.testing.assert_array_equal(attrgetter(name)(ours), attrgetter(name)(theirs))
    assert ours.name == "m" and ours.bodies[0].name == "world"
    assert_same(revolute.load(sdf(LEG), base="free"), loaded(urdf(), base="free"), NAMES)


def test_a_chain_of_all_frames_ends_at_the_first_link() -> None:
    frames = '<frame name="f1" attached_to="f2"/><frame name="f2"/>'
    arm = link("b", "<pose>0 0 1 0 0 0</pose>")
    parents = [sdf(link("a") + arm + frames + joint("j", "revolute", parent, "b")) for parent in ("f1", "a")]
    assert_same(*map(loaded, parents), ("a", "b"))


def test_a_model_stands_where_it_says() -> None:
    stand = '<link name="floor"/><joint name="stand" type="fixed"><origin xyz="1 2 3" rpy=".3 .2 .1"/>'
    theirs = loaded(urdf(f'{stand}<parent link="floor"/><child link="trunk"/></joint>'))
    held = joint("hold", "fixed", "world", "trunk", "")
    for more in ("", held):
        assert_same(revolute.load(sdf("<pose>1 2 3 .3 .2 .1</pose>" + LEG + more)), theirs, NAMES)
    by_frame = '<frame name="feet"><pose>1 0 0 1 0 0</pose></frame>'
    placed = revolute.load(sdf(by_frame + LEG, model=' placement_frame="feet"'))
    T = frame_pose(placed, placed.neutral().tolist(), "trunk") @ Transform.from_rpy((1, 0, 0), (1, 0, 0))
    assert np.abs(np.array(T.p)).max() < 1e-15
    assert_raises(InputError, "base must be 'fixed' for 'SDF text'", revolute.load, sdf(LEG + held), base="free")


def test_gravity_is_that_of_the_world() -> None:
    world = f'<sdf version="1.6"><world name="w"><gravity>0 1 -3.7</gravity><model name="m">{LEG}</model></world></sdf>'
    assert [tuple(revolute.load(text).gravity) for text in (sdf(LEG), world)] == [(0, 0, -9.81), (0, 1, -3.7)]


AT = "0.1 0.2 0.3 0.4 0.5 0.6"
BLOCK = loaded(hinged("<axis/>")).bodies[1].inertia


AXIS = "<axis><xyz>0 1 0</xyz></axis>"
AXES = AXIS + "<axis2><xyz>1 0 2</xyz></axis2>"
KINDS = {
    "revolute": (AXIS, revolute.Revolute((0, 1, 0))),
    "prismatic": (AXIS, revolute.Prismatic((0, 1, 0))),
    "universal": (AXES, revolute.Universal((0, 1, 0), (1, 0, 2))),
    "revolute2": (AXES, revolute.Universal((0, 1, 0), (1, 0, 2))),
    "ball": ("", revolute.Spherical()),
    "screw": ("<screw_thread_pitch>.5</screw_thread_pitch>" + AXIS, revolute.Helical((0, 1, 0), 0.5 / (2 * np.pi))),
    "fixed": ("", revolute.Fixed()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_joint_types_are_those_of_links(kind: str) -> None:
    """Joint frames away from the child's, which is at the model's origin with the parent's."""
    inside, theirs = KINDS[kind]
    place = Transform.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    joints = [Joint("j", "a", "b:j", theirs, place), Joint("b:mount", "b:j", "b", placement=place.inverse())]
    expected = Robot.from_links("m", [Link("a", BLOCK), Link("b:j"), Link("b", BLOCK)], joints)
    assert_same(revolute.load(hinged(f"<pose>{AT}</pose>" + inside, kind)), expected, ("a", "b"))


@pytest.mark.parametrize(("thread", "pitch"), [("<thread_pitch>-20</thread_pitch>", 0.05), ("", -1.0)])
def test_threads_of_old_files_are_left_handed_and_in_radians_a_metre(thread: str, pitch: float) -> None:
    inside = f"{thread}<axis><xyz>0 0 1</xyz></axis>"
    assert revolute.load(hinged(inside, "screw", "1.6")).bodies[1].joint == revolute.Helical((0, 0, 1), pitch)


@pytest.mark.parametrize(("version", "xyz"), [
    ("1.9", '<xyz expressed_in="__model__">0 0 1</xyz>'),
    ("1.9", '<xyz expressed_in="a">0 0 1</xyz>'),
    ("1.6", "<use_parent_model_frame>1</use_parent_model_frame><xyz>0 0 1</xyz>"),
    ("1.4", "<xyz>0 0 1</xyz>"),
])  # fmt: skip
def test_axes_in_other_frames(version: str, xyz: str) -> None:
    robot = revolute.load(hinged(f"<pose>{AT}</pose><axis>{xyz}</axis>", "revolute", version))
    turned = frame_pose(robot, [1.0], "b").R.matrix()
    assert np.abs(np.array(turned) @ [0, 0, 1] - [0, 0, 1]).max() < 1e-15


def test_drives_of_axes() -> None:
    dynamics = "<dynamics><spring_stiffness>3</spring_stiffness><spring_reference>.2</spring_reference></dynamics>"
    axis = f"<axis><xyz>0 0 1</xyz>{dynamics}<limit><lower>-1e16</lower><upper>1</upper><effort>-1</effort></limit></axis>"
    drive = "<axis><xyz>1 0 0</xyz><dynamics><damping>.3</damping></dynamics></axis><axis2><xyz>0 1 0</xyz>"
    drive += "<limit><lower>-1</lower><upper>1</upper></limit></axis2>"
    mimic = '<axis><xyz>0 0 1</xyz><mimic joint="u" axis="axis2"><multiplier>2</multiplier><offset>3</offset>'
    mimic += "<reference>.5</reference></mimic></axis>"
    text = sdf(
        "".join(link(name) for name in "abcd")
        + joint("s", "revolute", "a", "b", axis)
        + joint("u", "universal", "b", "c", drive)
        + joint("m", "revolute", "c", "d", mimic)
    )
    with pytest.warns(ModelWarning, match=r"mimic joints .* 'm' \(of 'u\.second'\)") as warned:
        robot = revolute.load(text)
    assert not any("do not exist" in str(each.message) for each in warned)
    assert (robot.drives.stiffness[0], robot.drives.rest_position[0], robot.effort_limits[0]) == (3, 0.2, np.inf)
    np.testing.assert_array_equal(robot.lower_limits, [-np.inf, -np.inf, -1, -np.inf])
    np.testing.assert_array_equal(robot.upper_limits, [1, np.inf, 1, np.inf])
    np.testing.assert_array_equal(robot.drives.damping, [0, 0.3, 0, 0])
    assert robot.bodies[4].drive.mimic == Mimic("u.second", 2.0, 3 - 2 * 0.5)


def test_axes_of_a_joint_of_two_may_mimic() -> None:
    mimic = '<mimic joint="{}"><multiplier>2</multiplier><offset>3</offset><reference>.5</reference></mimic>'
    axes = "<axis><xyz>1 0 0</xyz>{}</axis><axis2><xyz>0 1 0</xyz>{}</axis2>"
    links, leader = "".join(link(name) for name in "abc"), joint("s.1", "revolute", "a", "b")
    for kind in ("universal", "revolute2"):
        follower = joint("u", kind, "b", "c", axes.format("", mimic.format("s.1")))
        with pytest.warns(ModelWarning, match="joint 'u': its axis2 mimics joint 's.1', but the robot does not have this"):
            robot = revolute.load(sdf(links + leader + follower))
        assert robot.closures == (revolute.JointClosure("u.second", "s.1", (3 - 2 * 0.5, 2.0)),)
        assert robot.with_closures().project([0.3, 0.1, 0.0])[0] @ [-2, 0, 1] == pytest.approx(2)
    with pytest.raises(ModelError, match="joint 'u': its axis mimics 'x', which is not a joint with an axis"):
        revolute.load(sdf(links + leader + joint("u", "universal", "b", "c", axes.format(mimic.format("x"), ""))))


@pytest.mark.parametrize("kind", ["revolute", "ball", "fixed"])
def test_joints_that_close_loops(kind: str) -> None:
    """Closed as the model is drawn; a four-bar linkage has one freedom, whatever closes it in its plane."""
    bars = link("a") + link("b") + link("c") + link("d")
    joints = "".join(
        joint(name, "revolute", parent, child, f"<pose>{x} {y} 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>")
        for name, parent, child, x, y in (("ab", "a", "b", 0, 0), ("bc", "b", "c", 0, 1), ("ad", "a", "d", 2, 0))
    )
    last = joint("cd", kind, "d", "c", "<pose>2 1.5 0 .1 0 0</pose><axis><xyz expressed_in='a'>0 0 1</xyz></axis>")
    robot = assert_warns(ModelWarning, "joint 'cd': it closes a loop", revolute.load, sdf(bars + joints + last))
    (closure,) = robot.closures
    kinds = {"revolute": AxisClosure, "ball": revolute.PointClosure, "fixed": revolute.FrameClosure}
    assert type(closure) is kinds[kind]
    linkage = robot.with_closures()
    assert np.abs(linkage.error(np.zeros(3))).max() < 1e-15
    assert linkage.mobility(np.zeros(3)) == (0 if kind == "fixed" else 1)


def test_joints_that_cannot_close_a_loop_are_in_the_tree() -> None:
    """A slide that comes last in its loop: a crank of length 1 on a rod of length 2, on a slide along x."""
    bars = link("a") + link("crank") + link("rod", "<pose>1 0 0 0 0 0</pose>") + link("slider", "<pose>3 0 0 0 0 0</pose>")
    hinges = joint("1", "revolute", "a", "crank") + joint("2", "revolute", "crank", "rod")
    hinges += joint("3", "revolute", "rod", "slider")
    slide = joint("4", "prismatic", "a", "slider", "<axis><xyz>1 0 0</xyz></axis>")
    robot = loaded(sdf(bars + hinges + slide))
    assert robot.joint_names == ("1", "2", "4") and [str(x) for x in robot.closures] == ["axis of 'slider' and 'rod'"]
    q, _ = robot.with_closures().project([0.4, 0.0, 0.0])
    x = np.cos(q[0]) + np.sqrt(4 - np.sin(q[0]) ** 2)
    assert q[2] == pytest.approx(x - 3, abs=1e-9) and abs(q[0]) > 0.1


def test_rings_of_joints_are_closed_by_the_last() -> None:
    """As in a linkage that floats: every link is the child of a joint, and the first one is the base."""
    corners = zip("abcd", (0, 1, 1, 0), (0, 0, 1, 1), strict=True)
    bars = "".join(link(name, f"<pose>{x} {y} 0 0 0 0</pose>") for name, x, y in corners)
    ring = "".join(joint(p + c, "revolute", p, c) for p, c in zip("abcd", "bcda", strict=True))
    robot = assert_warns(ModelWarning, "joint 'da': it closes a loop", revolute.load, sdf(bars + ring), base="free")
    assert robot.bodies[1].name == "a" and [str(x) for x in robot.closures] == ["axis of 'a' and 'd'"]
    linkage = robot.with_closures()
    assert np.abs(linkage.error(robot.neutral())).max() < 1e-15 and linkage.mobility(robot.neutral()) == 6 + 1


def test_long_chains_of_frames_load_with_the_figures_of_the_file() -> None:
    """Each pose is relative to the one before, and comes out as it stands there."""
    text = link("l0") + "".join(
        link(f"l{k + 1}", f'<pose relative_to="j{k}"/>')
        + joint(f"j{k}", "revolute", f"l{k}", f"l{k + 1}", f'<pose relative_to="l{k}">.1 .2 .3 .1 .2 .3</pose><axis/>')
        for k in range(300)
    )
    _, *bodies = revolute.load(sdf(text)).bodies
    assert [body.placement for body in bodies] == [Transform.from_rpy((0.1, 0.2, 0.3), (0.1, 0.2, 0.3))] * 300


def test_frames_hang_on_links() -> None:
    """That of a joint on its child, that of the model on the canonical link."""
    frame = '<frame name="f" attached_to="ab"><pose>0 0 1 0 0 0</pose></frame>'
    text = sdf(
        frame + link("a") + link("b", "<pose>1 0 0 0 0 0</pose>") + link("c", "<pose>2 0 0 0 0 0</pose>") + link("d")
        + joint("ab", "revolute", "__model__", "b") + joint("bc", "revolute", "f", "c") + joint("ad", "ball", "ab", "d"),
        model=' canonical_link="a"',
    )  # fmt: skip
    robot = revolute.load(text)
    carriers = {body.joint_name: robot.bodies[body.parent].name for body in robot.bodies[1:]}
    assert carriers == {"ab": "world", "bc": "b", "ad": "b"}
    assert tuple(robot.bodies[robot.joint_index("bc")].placement.p) == (1, 0, 0)
    assert robot.frame("f").body == robot.frame("b").body and tuple(robot.frame("f").placement.p) == (0, 0, 1)


def test_frames_of_models_within_and_of_the_world() -> None:
    inner = f'<model name="hand">{link("palm")}<frame name="tip" attached_to="palm"><pose>0 0 2 0 0 0</pose></frame></model>'
    text = sdf(link("a") + inner + joint("j", "revolute", "a", "hand::palm") + '<frame name="post" attached_to="world"/>')
    robot = revolute.load(text)
    assert robot.link_names == ("world", "a", "hand::palm", "hand::tip", "post")
    assert tuple(robot.frame("hand::tip").placement.p) == (0, 0, 2) and robot.frame("post").body == 0
    assert revolute.load(text, base="free").link_names == ("a", "hand::palm", "hand::tip")


SHIPPED = sorted(path for path in distribution("example_robot_data").files or () if path.suffix == ".sdf")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_files_load(path: PackagePath) -> None:
    """Cassie with its loops, closed as the files draw them; one file has springs that slide, and ten gearboxes."""
    file = Path(str(path.locate()))
    robot = loaded(file)
    assert len(robot.closures) == (6 if path.stem == "cassie" else 4)
    gears = re.findall("<gearbox_ratio>(.*)<", file.read_text())
    couplings = [body.drive.mimic for body in robot.bodies if body.drive.mimic]
    assert sorted(-x.multiplier for x in couplings) == sorted(map(float, gears))
    q = robot.neutral()
    assert np.abs([x for closure in robot.closures for x in closure.error(robot, q.tolist())]).max() < 1e-14
    shapes = [shape for frame in robot.frames for shape in (*frame.visuals, *frame.collisions)]
    meshes = [shape for shape in shapes if shape.kind == "mesh"]
    assert len(shapes) > 20 and meshes and all(shape.path for shape in meshes)


TWO = link("a") + link("b")
BROKEN = {
    "empty": (sdf(""), "it has no links"),
    "joint type": (sdf(TWO + joint("j", "hinge", "a", "b")), "joint 'j': joint type 'hinge' is unknown; SDF has revolute, "),
    "no parent": (sdf(TWO + '<joint name="j" type="fixed"><child>b</child></joint>'), "joint 'j': <parent> is missing"),
    "no child": (sdf(TWO + '<joint name="j" type="fixed"><parent>b</parent></joint>'), "joint 'j': <child> is missing"),
    "child of the world": (sdf(TWO + joint("j", "fixed", "b", "world")), "joint 'j': its child is the world; swap"),
    "no axis": (hinged(""), "joint 'j': <axis> is missing"),
    "zero axis": (hinged("<axis><xyz>0 0 0</xyz></axis>"), "has no direction"),
    "endless axis": (hinged("<axis><xyz>1.5e308 1.5e308 0</xyz></axis>"), "has no direction"),
    "no second axis": (hinged("<axis/>", "universal"), "joint 'j': <axis2> is missing"),
    "parallel axes": (hinged("<axis/><axis2/>", "universal"), "joint 'j': the axes of a universal joint must not be par"),
    "no thread": (hinged("<thread_pitch>0</thread_pitch><axis/>", "screw"), "<thread_pitch> is"),
    "pose of five": (sdf(link("a", "<pose>1 2 3 4 5</pose>")), "link 'a': <pose> has .*not six numbers"),
    "no quaternion": (
        sdf(link("a", '<pose rotation_format="quat_xyzw">1 2 3 0 0 0 0</pose>')), "link 'a': <pose> has the quaternion"
    ),
    "cycle of frames": (
        sdf(
            TWO + '<frame name="f" attached_to="g"><pose relative_to="a"/></frame>'
            '<frame name="g" attached_to="f"><pose relative_to="a"/></frame>' + joint("j", "fixed", "f", "b")
        ), "attached to itself"),
    "negative mass": (sdf(link("a", mass=-1)), "link 'a': <mass> is -1"),
    "auto inertia": (sdf('<link name="a"><inertial auto="true"/></link>'), "link 'a': automatic inertia"),
    "joint on itself": (sdf(TWO + joint("j", "fixed", "j", "a")), "joint 'j': its parent and child are the same link, 'a'"),
    "slides in a loop": (sdf(TWO + joint("j", "prismatic", "a", "b") + joint("k", "prismatic", "a", "b")),
        "joint 'k': link 'b' is the child of other joints too"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_give_our_errors(case: str, tmp_path: Path) -> None:
    text, words = BROKEN[case]
    path = written(tmp_path / "m.sdf", text)
    for source, where in ((text, "text"), (path, str(path))):
        with warnings.catch_warnings(), pytest.raises(ModelError, match=words) as caught:
            warnings.simplefilter("ignore", ModelWarning)
            revolute.load(source)
        assert where in str(caught.value)


def test_what_is_suspicious_is_told() -> None:
    with pytest.warns(ModelWarning, match="link 'a': it has no <inertial>, so SDFormat gives it 1 kg"):
        assert revolute.load(sdf('<link name="a"/>' + link("b") + joint("j", "revolute", "a", "b"))).nv == 1
    crossed = "<axis><xyz>0 0 1</xyz><limit><lower>1</lower><upper>0</upper></limit></axis>"
    robot = assert_warns(ModelWarning, "with no position between", revolute.load, hinged(crossed))
    assert robot.lower_limits[0] == -np.inf
