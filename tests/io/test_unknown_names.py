"""Names in robot files that no reader reads: each is told, and the tables are those of the readers."""

import re
import warnings
from contextlib import nullcontext
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

import pytest
from comparing import assert_raises
from files import written
from test_sdf import LEG, joint, sdf
from test_urdf import robot_with

import revolute
from revolute import ModelError, ModelWarning, UnknownNameWarning
from revolute.examine import examine
from revolute.io.grammar import Kind, unread_names
from revolute.io.sdf import read_sdf
from revolute.io.sdf_grammar import SDF
from revolute.io.source import opened
from revolute.io.urdf import read_urdf
from revolute.io.urdf_grammar import ROBOT
from revolute.io.xml import Tag, parse


def told(source: str | Path) -> list[UnknownNameWarning]:
    """The warnings about names, of a robot that loads."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        revolute.load(source)
    return [each.message for each in caught if isinstance(each.message, UnknownNameWarning)]


def in_link(inside: str) -> str:
    return robot_with().replace('<link name="base"/>', f'<link name="base">{inside}</link>')


URDF = {
    "orgin": (robot_with('<orgin xyz="1 0 0"/>'), ("joint", "orgin", "origin")),
    "xzy": (robot_with('<origin xzy="1 0 0"/>'), ("origin", "xzy", "xyz")),
    "mass": (in_link('<mass value="2"/>'), ("link", "mass", "mass")),
    "element for an attribute": (robot_with("<limit><lower>-1</lower></limit>"), ("limit", "lower", "lower")),
    "attribute for an element": (robot_with("", attributes='name="r" joint="j"'), ("robot", "joint", "joint")),
    "in a namespace": (robot_with("<orgin/>", attributes='xmlns="http://ros.org"'), ("joint", "orgin", "origin")),
    "far from all": (robot_with("<quixotic/>"), ("joint", "quixotic", None)),
    "shape": (in_link('<visual><geometry><box size="1 1 1" siez=""/></geometry></visual>'), ("box", "siez", "size")),
}
SDF_TEXTS = {
    "relativ_to": (LEG.replace('relative_to="hip"', 'relativ_to="hip"'), ("pose", "relativ_to", "relative_to")),
    "axis2": (LEG.replace("<axis><xyz>0 1 0", "<axis2/><axis><xyz>0 1 0"), ("joint", "axis2", "axis")),
    "attribute for an element": (LEG.replace("<limit>", '<limit lower="-2">'), ("limit", "lower", "lower")),
}
CASES = {f"urdf {case}": row for case, row in URDF.items()} | {
    f"sdf {case}": (sdf(text), names) for case, (text, names) in SDF_TEXTS.items()
}


@pytest.mark.parametrize("case", CASES)
def test_names_that_are_not_read_are_told(case: str, tmp_path: Path) -> None:
    text, (element, name, nearest) = CASES[case]
    start = text.index("<robot" if "<robot" in text else "<sdf")
    file = written(tmp_path / "arm.xml", "\n\n" + text[:start] + text[start:].replace(f"<{name}", f"\n\n<{name}"))
    messages = []
    for source, where in ((file.read_text(), f"{case.partition(' ')[0].upper()} text"), (file, str(file))):
        (warning,) = told(source)
        assert (warning.file, warning.element, warning.name, warning.nearest) == (where, element, name, nearest)
        line = file.read_text().split("\n")[warning.line - 1]
        assert re.search(rf"<{name}\b|<{element}\b[^>]*\b{name}=", line), (warning.line, line)
        assert str(warning).startswith(f"{where}: ") and f"line {warning.line}" in str(warning)
        assert name in str(warning) and (nearest or "elements") in str(warning)
        messages.append(str(warning))
    with warnings.catch_warnings(), pytest.raises(ModelError) as caught:
        warnings.simplefilter("ignore", ModelWarning)
        revolute.load(file, strict=True)
    assert str(caught.value) == messages[1]


def test_equal_names_are_told_once_with_all_their_lines() -> None:
    joint = '\n<joint name="j{0}" type="fixed"><parent link="a"/><child link="b{0}"/><orgin/></joint>'
    joint += '<link name="b{0}"/>'
    text = '<robot name="r">' + "".join(map(joint.format, range(9))) + '<link name="a" mas="1"/></robot>'
    one, two = told(text)
    assert str(one) == (
        "URDF text: link 'a': line 10: attribute 'mas' of <link> is not read; attributes that are read in <link>: name"
    )
    assert str(two) == (
        "URDF text: joint 'j0': line 2, and at lines 3, 4, 5, 6, 7, 8 and 2 more: <orgin> in <joint> is not read; "
        "the nearest name is <origin>"
    )
    assert_raises(ModelError, r"(?s)'mas'.*\n.*<orgin>", revolute.load, text, strict=True)


@pytest.mark.parametrize("inside", [
    '<x:thing xmlns:x="http://example.org" mass="1"><mass/></x:thing>',
    '<link name="tip" x:mass="1" xmlns:x="http://example.org"/><joint name="t" type="fixed"><parent link="base"/>'
    '<child link="tip"/></joint>',
    '<gazebo reference="arm"><orgin/></gazebo>',
    '<transmission name="t"><type>x</type><joint name="hinge"/></transmission>',
    '<ros2_control name="c" type="system"><joint name="hinge"><limits/></joint></ros2_control>',
    '<material name="red"><color rgba="1 0 0 1"/></material>',
    '<mujoco><compiler balanceinertia="true"/></mujoco>',
    "<!-- <orgin/> --><?orgin xyz='1'?>",
])  # fmt: skip
def test_extensions_and_other_namespaces_pass(inside: str) -> None:
    text = robot_with().replace("</robot>", f"{inside}</robot>")
    assert told(text) == []
    assert told(text.replace("<robot", '<robot xmlns="http://ros.org"')) == []


def test_check_lists_them() -> None:
    findings = examine(robot_with('<orgin/><dynamics dampng="1"/>')).findings
    told = [str(finding) for finding in findings if "not read" in finding.figures]
    assert told == [
        "suspicious: joint 'hinge': line 2: <orgin> in <joint> is not read; the nearest name is <origin>",
        "suspicious: joint 'hinge': line 2: attribute 'dampng' of <dynamics> is not read; the nearest name is damping",
    ]


def recorded(method: str) -> Any:
    """A method of `Tag` that notes the attribute of which it is asked."""

    def ask(self: Any, attribute: str, *args: Any, **kwargs: Any) -> Any:
        self.asked.add((self.tag, f"@{attribute}"))
        return getattr(Tag, method)(self, attribute, *args, **kwargs)

    return ask


class Recorded(Tag):
    """An element that notes what is asked of it."""

    asked: ClassVar[set[tuple[str, str]]] = set()
    number, numbers, text, vector = map(recorded, ("number", "numbers", "text", "vector"))

    def elements(self, tag: str) -> list[Element]:
        self.asked.add((self.tag, tag))
        return super().elements(tag)

    def all_children(self) -> list[Tag]:
        children = super().all_children()
        self.asked.update((self.tag, child.tag) for child in children)
        return children

    def texts(self, *attributes: str) -> list[str | None]:
        self.asked.update((self.tag, f"@{attribute}") for attribute in attributes)
        return super().texts(*attributes)


def names_of(grammar: Kind, tag: str) -> set[tuple[str, str]]:
    """All names of a table, with the element that has them."""
    pending, names, seen = [(tag, grammar)], set(), set()
    while pending:
        tag, kind = pending.pop()
        if (tag, id(kind)) in seen:
            continue
        seen.add((tag, id(kind)))
        names |= {(tag, f"@{name}") for name in kind.read} | {(tag, name) for name in kind.children}
        pending += [*kind.children.items(), *((tag, each) for each in kind.variants.values())]
    return names


SOLIDS = ('cylinder radius="1" length="1"', 'capsule radius="1" length="1"', 'sphere radius="1"', 'box size="1 1 1"')
SHAPES = "".join(
    f'<collision><origin xyz="0 0 0" rpy="0 0 0"/><geometry><{each}/></geometry></collision>'
    for each in (*SOLIDS, 'mesh filename="x.obj" scale="1 1 1"')
)
MISSING = '<visual name="v"><origin/><geometry><mesh filename="none"/></geometry><material name="blue"/></visual>'
EXTENSIONS = (
    '<link name="tip"/><joint name="slide" type="prismatic"><parent link="base"/><child link="tip"/></joint>'
    '<transmission name="t"><joint name="hinge"/><actuator/></transmission><transmission name="c"/>'
    '<ros2_control><transmission name="t2"><joint name="slide"/><actuator/></transmission></ros2_control>'
    '<gazebo reference="hinge"><springStiffness>1</springStiffness></gazebo>'
)
BLUE = '<material name="blue"><color rgba="0 0 1 1"/></material>'
WHOLE_URDF = robot_with(
    '<origin xyz="0 0 0" quat_xyzw="0 0 0 1"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
    '<dynamics damping="1" friction="1"/><mimic joint="hinge" multiplier="1" offset="0"/>'
).replace('<link name="base"/>', f'{BLUE}<link name="base">{MISSING}{SHAPES}</link>{EXTENSIONS}')
TWO = (
    '<joint name="{0}" type="{1}"><parent>{2}</parent><child>{0}{0}</child><axis><xyz>0 0 1</xyz>'
    '<mimic joint="hip" axis="axis"/></axis><axis2><xyz>0 1 0</xyz></axis2></joint><link name="{0}{0}"/>'
)
BALL = "<sphere><radius>1</radius></sphere>"
SDF_SHAPES = "".join(
    f'<visual name="v"><pose/><geometry>{solid}</geometry></visual>'
    for solid in (
        "<box><size>1 1 1</size></box>", "<cylinder><radius>1</radius><length>1</length></cylinder>",
        "<capsule><radius>1</radius><length>1</length></capsule>", "<ellipsoid><radii>1 1 1</radii></ellipsoid>",
        "<plane><normal>0 0 1</normal><size>1 1</size></plane>",
        "<mesh><uri>a.stl</uri><scale>1 1 1</scale></mesh>", "<mesh><uri>a.stl</uri><submesh/></mesh>",
    )
) + (
    f'<visual name="w"><geometry>{BALL}</geometry><transparency>0</transparency>'
    "<material><diffuse>1 1 1 1</diffuse></material></visual>"
    f'<visual name="u"><geometry>{BALL}</geometry><material><ambient>1 1 1 1</ambient></material></visual>'
    f'<collision name="c"><pose/><geometry>{BALL}</geometry></collision>'
)  # fmt: skip
GEARBOX = (
    '<joint name="g" type="gearbox"><pose/><parent>g1</parent><child>g2</child><axis><xyz>0 0 1</xyz>'
    '<use_parent_model_frame>1</use_parent_model_frame></axis><axis2><xyz expressed_in="trunk">0 0 1</xyz></axis2>'
    "<gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>trunk</gearbox_reference_body></joint>"
    + "".join(f'<link name="g{k}"/>' + joint(f"to g{k}", "revolute", "trunk", f"g{k}") for k in (1, 2))
)
WHOLE_SDF = sdf(
    LEG
    + TWO.format("u", "universal", "trunk")
    + '<joint name="sc" type="screw"><parent>trunk</parent><child>c</child><thread_pitch>1</thread_pitch>'
    '<axis><xyz>0 0 1</xyz></axis></joint><link name="c"/>'
    + '<link name="q"><pose rotation_format="quat_xyzw" relative_to="trunk">0 0 0 0 0 0 1</pose></link>'
    '<joint name="qq" type="universal"><parent>trunk</parent><child>q</child><axis>'
    '<xyz expressed_in="trunk">1 0 0</xyz>'
    '<mimic joint="u" axis="axis2"/></axis><axis2><xyz>0 1 0</xyz><mimic joint="u"/></axis2></joint>'
    + GEARBOX
    + f'<link name="s">{SDF_SHAPES}</link>'
    + '<model name="n"><pose>0 0 0 0 0 0</pose><link name="a"/></model>'
    + '<include merge="false"><uri>part.sdf</uri><name>p</name><pose/><placement_frame>b</placement_frame></include>'
    + "".join(f'<joint name="to {x}" type="fixed"><parent>trunk</parent><child>{x}</child></joint>' for x in "nps")
).replace('1.9">', '1.9"><world name="w"><physics><gravity/></physics>').replace("</sd", "</world></sd")  # fmt: skip


@pytest.mark.parametrize("format", ["urdf", "sdf"])
def test_tables_hold_what_the_readers_ask_for(format: str, tmp_path: Path) -> None:
    """No more and no less: a name that a reader asks for stands in its table, and the other way round."""
    text, grammar, outermost = (WHOLE_URDF, ROBOT, "robot") if format == "urdf" else (WHOLE_SDF, SDF, "sdf")
    (tmp_path / "x.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "part.sdf").write_text('<sdf version="1.9"><model name="part"><link name="b"/></model></sdf>')
    source = opened(written(tmp_path / "arm.xml", text))
    plain = parse(source, "URDF")
    assert unread_names(plain, grammar) == []
    Recorded.asked.clear()
    root = Recorded(plain.element, plain.where)
    if format == "urdf":
        description = read_urdf(root, source)
        assert description.parts is not None
        description.parts(True)
    else:
        read_sdf(root, source, "fixed")
    assert Recorded.asked == names_of(grammar, outermost)


SHIPPED = {
    f"{path.parts[-3]}/{path.name}": Path(str(path.locate()))
    for path in sorted(distribution("example_robot_data").files or ())
    if path.suffix in (".urdf", ".sdf") and path.stem != "ur3"  # which has no links
}


@pytest.mark.parametrize("name", SHIPPED)
def test_robots_of_others_have_no_unread_names(name: str) -> None:
    """Of a link, <origin> is not read by anyone."""
    expected = ["origin"] if name == "so_arm_description/so101.urdf" else []
    assert [warning.name for warning in told(SHIPPED[name])] == expected
    with warnings.catch_warnings(), nullcontext() if not expected else pytest.raises(ModelError, match="<origin>"):
        warnings.simplefilter("ignore", ModelWarning)
        assert revolute.load(SHIPPED[name], strict=True).bodies
