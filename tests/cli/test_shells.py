"""What programs ask of the command line: JSON, standard input, options of the file."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli.calling import invoke, run
from files import written
from typer.main import get_command
from typer.testing import CliRunner

import revolute
from revolute import ModelError
from revolute.cli.app import app
from revolute.examine import examine
from revolute.machine.robot import Robot
from revolute.published.counting import counted

UR5 = revolute.robots.ur5()


def test_info_as_json_is_what_the_robot_says() -> None:
    found = json.loads(invoke("info", "ur5", "--json"))
    assert (found["name"], found["joints"], found["nq"], found["nv"]) == ("ur5", 6, 6, 6)
    assert found["gravity"] == list(UR5.gravity)
    bodies = found["bodies"]
    assert [body["joint"] for body in bodies] == [None, *UR5.joint_names]
    assert [body["mass"] for body in bodies] == [body.inertia.m for body in UR5.bodies]
    limits = {"lower": UR5.lower_limits, "upper": UR5.upper_limits, "effort": UR5.effort_limits}
    for name, column in limits.items():
        assert [x for body in bodies for x in body[name]] == column.tolist()
    assert sorted(name for body in bodies for name in body["links"]) == sorted(UR5.link_names)
    assert found["operations"]["gravity_forces"]["additions"] == UR5.count("gravity_forces").additions
    unlimited = json.loads(invoke("info", "planar:1", "--json"))["bodies"][1]
    assert unlimited["lower"] == unlimited["upper"] == unlimited["effort"] == [None]


@pytest.mark.filterwarnings("ignore:robot .*URDF does not support gravity")
def test_check_as_json_has_all_findings(tmp_path: Path) -> None:
    path = written(tmp_path / "arm.urdf", revolute.robots.planar(1, mass=3).to_urdf().replace('ixx="', 'ixx="-'))
    found = json.loads(run("check", path, "ur5", "none.urdf", "--json", status=1)[0])
    assert found["passed"] is False
    bad, good, missing = found["files"]
    assert [finding["figures"] for finding in bad["findings"]] == [x.figures for x in examine(path).findings]
    assert good["findings"] == [] and good["error"] is None and good["joints"] == 6
    assert "no such file" in missing["error"]


@pytest.mark.parametrize("convention", ["traced", "source"])
def test_count_as_json_is_what_is_counted(convention: Any) -> None:
    found = json.loads(invoke("count", "planar:2", "--counting", convention, "--json"))
    rows = counted(revolute.robots.planar(2), counting=convention)
    names = ("multiplications", "additions", "divisions", "calls")
    expected = [(row.name, *(getattr(row.counts, name) for name in names)) for row in rows]
    assert [(x["name"], *(x[name] for name in names)) for x in found["algorithms"]] == expected
    assert found["counting"] == convention


def test_compare_as_json_has_differences_and_times() -> None:
    found = json.loads(invoke("compare", "planar:2", "--json"))
    assert [row["name"] for row in found["algorithms"]] == [row.name for row in counted(revolute.robots.planar(2))]
    assert all(row["difference"] < 1e-9 and row["microseconds"] > 0 for row in found["algorithms"])


def test_json_holds_names_whole_and_no_control_characters(tmp_path: Path) -> None:
    name = "el\x1b[1mbow"
    links = [revolute.Link("base"), revolute.Link(name, revolute.Inertia.sphere(1.0, 0.1))]
    robot = Robot.from_links("x", links, [revolute.Joint("j", "base", name, revolute.Revolute())])
    revolute.save(robot, tmp_path / "x.toml")
    text = invoke("info", tmp_path / "x.toml", "--json")
    assert "\x1b" not in text and json.loads(text)["bodies"][1]["name"] == name


def test_a_robot_comes_through_standard_input() -> None:
    text = UR5.to_urdf()
    assert invoke("info", "-", given=text) == invoke("info", "-", given="\ufeff\n" + text)
    assert json.loads(invoke("info", "-", "--json", given=text))["joints"] == 6
    assert invoke("check", "-", given=text).startswith("-: ")
    assert "7 joints" in invoke("info", "-", "--base", "free", given=text)


def test_standard_input_that_is_no_robot_is_refused() -> None:
    empty, not_text = "standard input is empty; '-' reads URDF, MJCF or SDF", "standard input: byte 0 is not UTF-8"
    for given, message in (("", empty), ("name = 1", "standard input is not XML"), (b"\xff\xfe\x00", not_text)):
        assert message in invoke("info", "-", status=1, given=given)


WORLD = '<sdf version="1.9"><world name="w">{}</world></sdf>'
ARM = """<model name="{}"><link name="b"/><link name="l"/><joint name="{}" type="revolute"><parent>b</parent>
<child>l</child><axis><xyz>0 1 0</xyz></axis></joint></model>"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return written(tmp_path / "world.sdf", WORLD.format(ARM.format("left", "shoulder") + ARM.format("right", "hip")))


def test_a_model_of_several_is_chosen_in_a_shell(world: Path) -> None:
    for words in (["info", world, "--json", "--model", "right"], ["--model=right", "info", "--json", world]):
        said = invoke(*words)
        assert "hip" in said and "shoulder" not in said
    assert ": 2 links" in invoke("check", world, "--model", "left")


@pytest.mark.parametrize("command", list(get_command(app).commands))  # type: ignore[attr-defined]
def test_every_command_that_reads_a_robot_has_the_options(command: str, world: Path) -> None:
    """The error is that of Python; commands that read no robot refuse them."""
    if command in ("cache", "demo", "robots", "text"):
        for option in (["--arg", "a=b"], ["--model", "left"]):
            reason = f"{option[0]} is for commands that read a robot; '{command}' does not"
            assert reason in invoke(command, *option, status=2)
        return
    with pytest.raises(ModelError) as caught:
        revolute.load(world)
    more = {
        "torque": "m.csv", "export": "mass_matrix", "trajectory": "--via 1 --via 2", "identify": "log.csv",
        "payload": "log.csv --link l", "convert": "arm.toml", "lock": "hip -o arm.toml",
    }  # fmt: skip
    words = more.get(command, "").split()

    def told(*more: str, robot: Path | str = world) -> str:
        return " ".join("".join(run(command, robot, *words, *more, status=1)).split())

    assert " ".join(str(caught.value).split()) in told()
    assert "it has no model 'middle'; it has 'left', 'right'" in told("--model", "middle")
    assert "only xacro files" in told("--arg", "a=b")
    assert "'ur5' is a robot of the library" in told("--model", "left", robot="ur5")


def test_options_without_a_meaning_are_refused(world: Path, tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    refused = {
        "only an SDF file can have several models": ["info", str(tmp_path / "arm.urdf"), "--model", "r"],
        "--model must be the name of a model": ["info", str(world), "--model"],
        "--model is given twice, as 'left' and 'right'": ["info", str(world), "--model", "left", "--model=right"],
        "--arg is for commands that read a robot; no command was given": ["--arg", "a=b", "--version"],
        "No such command 'validate'; logs to validate with are those of: revolute identify": ["validate"],
        "(0.2 0.5); numbers are separated by commas: 0.4,-0.2,0.5": ["ik", "ur5", "--xyz", "0.4", "0.2", "0.5"],
        "-0; numbers are separated by commas: 0.4,-0.2,0.5": ["ik", "ur5", "--xyz", "0.4", "-0.2", "0.5"],
        "(ur6)\n": ["info", "ur5", "ur6"],
        "No such command": ["inof", str(world), "--model", "left"],
    }
    for reason, words in refused.items():
        done = CliRunner().invoke(app, words)
        assert done.exit_code != 0 and reason in done.output, done.output
