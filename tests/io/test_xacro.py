"""Xacro files are expanded by the package xacro, in a process that is bounded."""

import sys
from pathlib import Path

import pytest
from comparing import assert_raises
from files import written
from typer.testing import CliRunner

import revolute
from revolute import InputError, ModelError
from revolute.cli.app import app
from revolute.io import xacro as module

pytest.importorskip("xacro")

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
ARM = """<xacro:macro name="arm" params="mass"><link name="base"/><link name="arm"><inertial><mass value="${2*mass}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j" type="continuous">
<parent link="base"/><child link="arm"/></joint></xacro:macro>"""


def test_a_xacro_file_is_expanded_with_what_it_includes(tmp_path: Path) -> None:
    (tmp_path / "hand" / "urdf").mkdir(parents=True)
    (tmp_path / "hand" / "urdf" / "arm.xacro").write_text(f"{HEAD}{ARM}</robot>")
    path = tmp_path / "hand" / "urdf" / "all.urdf.xacro"
    for file in ("arm.xacro", "$(find hand)/urdf/arm.xacro"):
        path.write_text(f'{HEAD}<xacro:include filename="{file}"/><xacro:arm mass="1.5"/></robot>')
        assert revolute.load(path).bodies[1].inertia.m == 3.0


@pytest.mark.parametrize(("text", "reason"), [
    ("<xacro:arm/>", "unknown macro name"),
    ("<link name='${1/0}'/>", "division by zero"),
    ('<xacro:include filename="$(find nowhere)/a.xacro"/>', "no such package"),
    ('<xacro:include filename="none.xacro"/>', "none.xacro"),
    ('<xacro:include filename="a.xacro"/>', ""),
    ("<link name=\"${'a' * 10**10}\"/>", ""),
    ('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', ""),
])  # fmt: skip
def test_what_cannot_be_expanded_is_refused(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 30)
    path = written(tmp_path / "a.xacro", f"{HEAD}{text}</robot>")
    assert_raises(ModelError, rf"a\.xacro: xacro .*{reason}", revolute.load, path)


UR = f"""{HEAD}<xacro:arg name="kind" default=""/><xacro:property name="mass" value="$(arg mass)"/>
{ARM}<xacro:arm mass="${{mass}}"/></robot>"""


def test_arguments_are_given_by_name(tmp_path: Path) -> None:
    path = written(tmp_path / "ur.urdf.xacro", UR)
    for arguments in ({"mass": "1.5"}, {"mass": 1.5, "kind": True}):
        assert revolute.load(path, arguments=arguments).bodies[1].inertia.m == 3.0
    with pytest.raises(ModelError, match=r"give it: load\(path, arguments={\"mass\": ...}\), or --arg mass=..."):
        revolute.load(path)
    assert revolute.load(written(path, UR.replace("$(arg mass)", "$(env mass)")), arguments={"mass": 1}).nq == 1
    for source in ("ur5", revolute.robots.ur5().to_urdf()):
        assert_raises(InputError, "only xacro files", revolute.load, source, arguments={"mass": 1})


def test_all_arguments_without_a_value_are_named_at_once(tmp_path: Path) -> None:
    """Those that are declared, given, or in a comment have a value, or need none."""
    used = "".join(f'<link name="$(arg {name})"/>' for name in ("kind", "given", "first", "second", "third", "first"))
    path = written(tmp_path / "a.xacro", f'{HEAD}<xacro:arg name="kind" default=""/>{used}<!-- $(arg no) --></robot>')
    advice = 'them: load(path, arguments={"first": ..., "second": ..., "third": ...}), or '
    with pytest.raises(ModelError) as caught:
        revolute.load(path, arguments={"given": 1})
    assert str(caught.value).endswith(f"{advice}--arg first=... --arg second=... --arg third=... in a shell")


def test_a_file_is_trusted_on_a_command_line(tmp_path: Path) -> None:
    path = str(written(tmp_path / "a.xacro", f"{HEAD}{ARM}<xacro:arm mass=\"${{(lambda: 1.5)()}}\"/></robot>"))
    for command, *words in (("info", path, "--trusted"), ("check", "--trusted", path)):
        done = CliRunner().invoke(app, [command, *words])
        assert done.exit_code == 0 and ("3 kg" in done.stdout or command == "check"), done.output
    done = CliRunner().invoke(app, ["info", path])
    assert done.exit_code == 1 and "Lambda is not allowed without trusted=True" in " ".join(done.output.split())
    done = CliRunner().invoke(app, ["--trusted", "text"])
    assert done.exit_code == 2 and "--trusted is for commands that read a robot" in done.output


def test_arguments_on_a_command_line(tmp_path: Path) -> None:
    path = str(written(tmp_path / "ur.urdf.xacro", UR))
    for command, *words in (("info", path, "--arg", "mass=1.5"), ("check", "--arg=mass=1.5", path)):
        done = CliRunner().invoke(app, [command, *words])
        assert done.exit_code == 0 and ("3 kg" in done.stdout or command == "check"), done.output
    bad = (("--arg mass", path), ("NAME=VALUE", path, "--arg=mass"), ("only xacro", "ur5", "--arg=a=b"))
    for reason, *words in bad:
        done = CliRunner().invoke(app, ["info", *words])
        assert done.exit_code != 0 and reason in done.output


def test_a_template_without_the_package_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    for name, rename in (("a.xacro", False), ("a.urdf", True)):
        (tmp_path / name).write_text(UR)
        with pytest.raises(ModelError, match="this is xacro") as caught:
            revolute.load(tmp_path / name)
        assert ("name the file .xacro" in str(caught.value)) is rename and "[xacro]" in str(caught.value)


def test_a_mesh_may_be_named_by_an_argument(tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="$(arg meshes)/a.stl"/></geometry></visual>'
    assert revolute.load(f'<robot name="r"><link name="arm">{mesh}</link></robot>').link_names == ("arm",)
    with pytest.raises(ModelError, match="this is xacro"):
        revolute.load(f'<robot name="r"><link name="$(arg a)">{mesh}</link></robot>')


@pytest.mark.parametrize("place", ["clone", "src/clone-1.0", "."])
def test_a_package_has_the_name_that_its_file_says(place: str, tmp_path: Path) -> None:
    home = tmp_path / place
    (home / "urdf").mkdir(parents=True)
    (home / "package.xml").write_text("<package><!-- <name>no</name> --><name> arm_of </name></package>")
    (home / "arm.stl").touch()
    (home / "urdf" / "arm.xacro").write_text(f"{HEAD}{ARM}</robot>")
    (tmp_path / "arm_of").mkdir()
    (tmp_path / "arm_of" / "package.xml").write_text("<package><name>another</name></package>")
    mesh = '<link name="m"><visual><geometry><mesh filename="package://arm_of/arm.stl"/></geometry></visual></link>'
    path = home / "urdf" / "all.xacro"
    include = '<xacro:include filename="$(find arm_of)/urdf/arm.xacro"/>'
    joint = '<joint name="k" type="fixed"><parent link="arm"/><child link="m"/></joint>'
    path.write_text(f'{HEAD}{include}<xacro:arm mass="1"/>{mesh}{joint}</robot>')
    robot = revolute.load(path)
    assert robot.nq == 1 and robot.frame("m").visuals[0].path == home / "arm.stl"
