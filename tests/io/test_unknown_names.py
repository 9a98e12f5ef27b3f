"""Names in robot files that no reader reads: each is told, and the tables are those of the readers."""

import re
import warnings
from contextlib import nullcontext
from importlib.metadata import distribution
from pathlib import Path

import pytest
from comparing import assert_raises
from files import written
from test_sdf import LEG, sdf
from test_urdf import robot_with

import revolute
from revolute import ModelError, ModelWarning, UnknownNameWarning
from revolute.examine import examine


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
