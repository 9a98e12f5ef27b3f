"""Whatever is wrong with a URDF file, the message names the place and says what to do."""

import os
import re
import sys
import warnings
from pathlib import Path

import pytest
from comparing import assert_raises
from files import written
from robots import loaded
from test_urdf import BODY, robot_with

import revolute
from revolute import InputError, ModelError, ModelWarning, RevoluteError, Robot
from revolute.io.source import LARGEST

HINGE, ARM = "joint 'hinge'", "link 'arm'"


def replaced(old: str, new: str, inside: str = "", kind: str = "revolute") -> str:
    text = robot_with(inside, kind)
    assert old in text
    return text.replace(old, new)


def with_joint(name: str, parent: str, child: str, before: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return replaced("</robot>", f'{before}<joint name="{name}" type="fixed">{ends}</joint></robot>')


NO_INERTIA = re.sub(r"<inertia .*?/>", "", robot_with(), flags=re.DOTALL)
NO_MASS = robot_with().replace('<mass value="2"/>', "")

LINE = robot_with().partition("<parent")[0].count("\n") + 1

BROKEN = {
    # numbers
    "underscore": (replaced('value="2"', 'value="1_0"'), [ARM, "<mass>", "'1_0'"]),
    "other digits": (replaced('value="2"', 'value="٣"'), [ARM, "<mass>", "'٣'"]),
    "empty number": (replaced('value="2"', 'value=""'), [ARM, "<mass>", "value=''"]),
    "inf": (replaced('xyz="0.1 0.2 0.3"', 'xyz="0 inf 0"'), [ARM, "<origin>", "xyz='0 inf 0'", "'inf'", "finite"]),
    "overflow": (replaced('value="2"', 'value="1e999"'), [ARM, "<mass>", "value='1e999'", "finite"]),
    "two numbers for three": (robot_with('<axis xyz="0 1"/>'), [HINGE, "<axis>", "xyz='0 1'", "three numbers"]),
    "commas between": (robot_with('<origin rpy="0, 1, 0"/>'), [HINGE, "<origin> has rpy='0, 1, 0': '0,' is not a number"]),
    "mimic": (robot_with('<mimic joint="a" offset="x"/>'), [HINGE, "<mimic>", "offset='x'"]),
    # inertias
    "negative mass": (replaced('value="2"', 'value="-2"'), [ARM, "'-2'", "positive or zero"]),
    # joints
    "no type": (replaced(' type="revolute"', ""), [HINGE, "'type'"]),
    "unknown type": (robot_with(kind="ball"), [HINGE, "'ball'", "continuous", "floating"]),
    "zero axis": (robot_with('<axis xyz="0 0 0"/>'), [HINGE, "<axis>", "0 0 0", "no direction"]),
    "huge axis": (robot_with('<axis xyz="1.7e308 1.7e308 0"/>'), [HINGE, "<axis>", "length one"]),
    "axis without xyz": (robot_with("<axis/>"), [HINGE, "<axis>", "'xyz'"]),
    "two axes": (robot_with('<axis xyz="1 0 0"/><axis xyz="0 1 0"/>'), [HINGE, "2 <axis>", "keep one"]),
    "no parent": (replaced('<parent link="base"/>', ""), [HINGE, "<parent> is missing"]),
    "no child": (replaced('<child link="arm"/>', ""), [HINGE, "<child> is missing"]),
    "no joint name": (replaced('name="hinge"', ""), ["joint number 1", "no name"]),
    # trees
    "no link name": (replaced('<link name="arm">', "<link>"), ["link number 2", "no name"]),
    "unknown link": (
        "\n" + replaced("<parent", "\n\n<parent").replace('parent link="base"', 'parent link="bas"'),
        [f"{HINGE}: line {LINE + 3}: its parent link 'bas' does not exist; near: base"],
    ),
    "unlike any link": (replaced('child link="arm"', 'child link="x"'), [HINGE, "'x' does not exist; available: base, arm"]),
    "two links of a name": (replaced('link name="base"', 'link name="arm"'), ["link name 'arm'", "duplicate"]),
    "two parents": (with_joint("too", "base", "arm"), [ARM, "'hinge'", "'too'", "two joints"]),
    "two joints of a name": (with_joint("hinge", "arm", "x", '<link name="x"/>'), ["'hinge'", "duplicate"]),
    # other formats
    "xacro element": (
        robot_with("<xacro:a/>", attributes='xmlns:xacro="http://www.ros.org/wiki/xacro"'),
        ["xacro FILE.xacro > FILE.urdf"],
    ),
    "xacro argument": (replaced('value="2"', 'value="$(arg m)"'), ["xacro FILE.xacro > FILE.urdf"]),
    "web page": ("<!DOCTYPE html>\n<html></html>", ["web page", "raw"]),
    # XML
    "cut off": (robot_with()[:-30], ["broken XML", "line"]),
    "comment without an end": ('<robot name="r"><!-- a -- b', ["broken XML at line 1"]),
    "crossed tags": ("\n\n<robot name='r'>\n<link></robot></link>", ["broken XML at line 4", "mismatched tag"]),
    "two documents": ("<robot/><robot/>", ["broken XML", "junk"]),
}


def refusal(source: object, kind: type[RevoluteError] = ModelError, **options: str) -> str:
    """The message with which this is refused; an error of another kind fails the test."""
    with warnings.catch_warnings(), pytest.raises(kind) as caught:
        warnings.simplefilter("ignore", ModelWarning)
        revolute.load(source, **options)  # type: ignore[arg-type]
    assert caught.value.__cause__ is None
    return str(caught.value)


PREFIX = "names that begin with xacro: are ignored, since no xmlns declares it; expand xacro before loading"
COMMENT = "a comment has '--' in it, which XML forbids"
LENIENT = {
    "no mass": (NO_MASS, f"{ARM}: <inertial> has no <mass>, so it is set to zero"),
    "no inertia": (NO_INERTIA, f"{ARM}: <inertial> has no <inertia>, so it is set to zero"),
    "two inertials": (replaced(BODY, BODY * 2), f"{ARM}: it has 2 <inertial> elements; only the first is used"),
    "prefix of an attribute": (robot_with('<limit xacro:jerk="1"/>'), PREFIX),
    "prefix of an element": (replaced("<link", "<xacro:arm>\n<xacro:b/></xacro:arm><link"), PREFIX),
    "dashes in a comment": (replaced("<link", "<!-- a -- <b:c> \n--- -->\n<link"), COMMENT),
    "dash at its end": (replaced("<link", "<!--- a:b ---><link"), COMMENT),
}
"""Faults that other readers let pass, and what is told of them."""


@pytest.mark.parametrize("encoding", ["", "utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("case", LENIENT)
def test_faults_that_other_readers_let_pass(case: str, encoding: str) -> None:
    text, told = LENIENT[case]
    declared = f'<?xml version="1.0" encoding="{encoding}"?>{text}'.replace('"hinge"', '"gelenk \xe4"')
    source = declared.encode(encoding) if encoding else text
    with pytest.warns(ModelWarning) as caught:
        robot = revolute.load(source)
    assert [x for x in map(str, (x.message for x in caught)) if "not physically consistent" not in x] == [f"URDF text: {told}"]
    usual = revolute.load(robot_with())
    assert robot.nv == usual.nv and (robot.bodies[1].inertia.m == 2) is (case != "no mass")
    assert (robot.bodies[1].inertia == usual.bodies[1].inertia) is (case not in ("no mass", "no inertia"))
    assert robot.joint_names == (("gelenk \xe4",) if encoding else ("hinge",))
    assert_raises(ModelError, re.escape(told), revolute.load, source, strict=True)


def test_lines_stay_where_they_are_in_a_text_that_is_mended() -> None:
    text = replaced("<link", "<!-- -- -->\n\n<drake:a/><likn/><link")
    with pytest.warns(ModelWarning, match=r"line 3, and at line 5: <likn> in <robot> is not read"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "URDF text: (a comment|no xmlns)")
        assert revolute.load(text).nv == 1


@pytest.mark.parametrize("case", BROKEN)
def test_broken_texts_and_files_are_named(case: str, tmp_path: Path) -> None:
    text, words = BROKEN[case]
    file = tmp_path / "my arm.urdf"
    file.write_text(text, encoding="utf-8")
    command = f"'{file}' > '{tmp_path}/my arm_expanded.urdf'"
    for source, where, xacro in ((text, "URDF text", "FILE.xacro > FILE.urdf"), (file, str(file), command)):
        message = refusal(source)
        assert message.startswith(f"{where}: ")
        said = [word.replace("FILE.xacro > FILE.urdf", xacro) for word in words]
        assert [word for word in said if word not in message] == [], message


def test_xacro_files_are_refused_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    file = written(tmp_path / "arm.urdf.xacro", robot_with())
    assert f"xacro {file} > {tmp_path}/arm.urdf" in refusal(file)


UNREADABLE = {
    "empty": (b"", ["empty"]),
    "blank": (b" \n\t\n", ["empty"]),
    "binary": (bytes(range(256)), ["not an XML file", "begins with"]),
    "pointer": (b"version https://git-lfs.github.com/spec/v1\n", ["not an XML file", "git-lfs"]),
    "undecodable": (b"<robot name='\xff\xfe'/>", ["broken XML", "line 1"]),
    "unknown encoding": (b"<?xml version='1.0' encoding='klingon'?><robot/>", ["decoded", "UTF-8"]),
    "multi-byte encoding": (b"<?xml version='1.0' encoding='utf-7'?><robot/>", ["decoded", "UTF-8"]),
    "half of UTF-16": ("<robot/>".encode("utf-16")[:9], ["broken XML"]),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_unreadable_files(case: str, tmp_path: Path) -> None:
    content, words = UNREADABLE[case]
    file = tmp_path / "arm.urdf"
    file.write_bytes(content)
    message = refusal(file)
    assert [word for word in (str(file), *words) if word not in message] == [], message


@pytest.mark.parametrize("source, words", [
    ("nowhere/arm.urdf", ["nowhere/arm.urdf", "no such file", "looked in"]),
    ("", ["neither a path nor URDF text"]),
    ("arm\0.urdf", ["arm", "null"]),
    ("a" * 5000, ["aaaa", "cannot be read"]),
    ("<robot>\ud800</robot>", ["URDF text: ", "decoded", "UTF-8"]),
    ("xml: <robot/>", ["no such file", "URDF text must begin with '<'"]),
])  # fmt: skip
def test_paths_that_cannot_be_read(source: str, words: list[str]) -> None:
    message = refusal(source)
    assert [word for word in words if word not in message] == [], message
    assert len(message) < 400


@pytest.mark.parametrize("name", ["arm.urdf", "arm.toml", "arm.csv"])
def test_a_file_above_64_mebibytes_is_refused(name: str, tmp_path: Path) -> None:
    file = written(tmp_path / name, robot_with())
    os.truncate(file, LARGEST + 1)
    assert_raises(ModelError, f"{name}: larger than 64 MiB", Robot.from_dh if name == "arm.csv" else revolute.load, file)


@pytest.mark.parametrize("start", [" <robot>", "<mujoco>", "\u3000<sdf>", "<é>"])
def test_a_text_above_64_mebibytes_is_refused(start: str) -> None:
    """The bound is the same as that of files, and counts bytes."""
    assert refusal(start + " " * LARGEST).startswith("the text: larger than 64 MiB")
    assert refusal(start + "\u3000" * (LARGEST // 3)).startswith("the text: larger than 64 MiB")


def test_a_text_that_is_as_large_as_may_be() -> None:
    text = robot_with()
    assert loaded(text + " " * (LARGEST - len(text))) == loaded(text)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_file_without_permission(tmp_path: Path) -> None:
    file = written(tmp_path / "arm.urdf", robot_with())
    file.chmod(0)
    assert "ermission" in refusal(file)


def test_an_unknown_base_and_a_joint_that_is_called_as_that_of_a_free_base() -> None:
    assert "'fixed' or 'free'" in refusal(robot_with(), InputError, base="floating")
    message = refusal(replaced('name="hinge"', 'name="root_joint"'), base="free")
    assert "URDF text" in message and "'root_joint'" in message


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
DOCUMENT_TYPES = {
    "billion laughs": f'<!DOCTYPE robot [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l9;"/>',
    "external entity": '<!DOCTYPE robot [<!ENTITY x SYSTEM "SECRET">]><robot name="r"><link name="a"/>&x;</robot>',
    "parameter entity": '<!DOCTYPE robot [<!ENTITY % x SYSTEM "SECRET"> %x;]><robot name="r"/>',
    "plain document type": '<!DOCTYPE robot><robot name="r"><link name="a"/></robot>',
}


@pytest.mark.parametrize("case", DOCUMENT_TYPES)
def test_document_types_and_entities_are_refused(case: str, tmp_path: Path) -> None:
    secret, file = tmp_path / "secret.txt", tmp_path / "arm.urdf"
    secret.write_text("xyzzy")
    text = DOCUMENT_TYPES[case].replace("SECRET", secret.as_uri())
    file.write_text(text)
    for source in (text, file):
        message = refusal(source)
        assert ": it has a document type declaration (<!DOCTYPE" in message and "xyzzy" not in message
        assert message.endswith("remove the declaration")
