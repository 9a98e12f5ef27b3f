"""Names that colour, clear, hide or turn around what a terminal shows: people see escapes, data keep the names."""

import csv
import re
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import revolute
from revolute import Inertia, Joint, Limits, Link, Robot, errors, plot
from revolute.cli.app import app
from revolute.errors import one_line, printable, printable_lines
from revolute.io import trajectory

NAMES = (
    "red\x1b[31m", "clear\x9b2J", "turned\u202eedoc", "bell\x07", "title\x1b]0;x\x07", "back\x08\x7f", "nul\x00",
    "zero\u200bwidth", "tag\U000e0041", "half\ud800", "nobreak\xa0space", "line\u2028separator", "next\x85line",
)  # fmt: skip
ALL = "".join(name for name in NAMES if "half" not in name) + "new\nline"
IN_TABLES = re.sub("[\n\x00-\x08\x0e-\x1f\x7f]", "", ALL)
"""Without the characters by which the reader of CSV knows binary files."""
MARKUP = ("[/red]", "[bold]x:smile:$\\frac$50%_{x}^~&#\\<b>&amp;")
"""Names that mean something to Rich, Matplotlib, LaTeX or XML, and should not."""


def arm(*names: str) -> Robot:
    """A chain whose name, links and joints have these names."""
    box = Inertia.from_com(1, (0.1, 0, 0), ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))
    links = [Link(f"base {names[0]}"), *(Link(f"link {name}", box) for name in names)]
    joints = [
        Joint(name, a.name, b.name, revolute.Revolute((0, 1, 0)), limits=Limits((-0.01,), (0.01,), (0.01,), (1,)))
        for name, a, b in zip(names, links, links[1:], strict=False)
    ]
    return Robot.from_links(f"robot {names[0]}", links, joints)


def assert_harmless(text: str) -> None:
    """Printable, but for line breaks."""
    assert [line for line in text.split("\n") if not line.isprintable()] == []


def run(*arguments: object) -> tuple[int, str]:
    """A command's status and all that it prints, which is harmless."""
    result = CliRunner().invoke(app, [str(x) for x in arguments], env={"COLUMNS": "400"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert_harmless(result.output)
    return result.exit_code, result.output


@pytest.fixture(params=[ALL, IN_TABLES], ids=["all", "in tables"])
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A name, and a robot's file whose names all have it. A file name can hold all of it but nul and slashes."""
    name: str = request.param
    path = tmp_path / f"{name.replace(chr(0), '')}.toml"
    revolute.save(arm(name, "other"), path)
    return name, path


def test_commands_show_names_escaped(hostile: tuple[str, Path], tmp_path: Path) -> None:
    name, path = hostile
    shown = printable(name)
    robot = revolute.load(path)
    out, drawn = (path.with_suffix(suffix) for suffix in (".csv", ".svg"))
    assert shown in run("info", path)[1]
    status, said = run("simulate", path, "--qd0", "5,5", "--duration", 0.1, "-o", out, "--plot", drawn)
    assert status == 0 and f"joint '{shown}' leaves its range" in said and f"Written to {printable(str(out))}" in said
    with out.open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file))[1:3] == [f"q.{name}", "q.other"]
    assert f"q.{name}" in trajectory.position_names(robot)
    if name == IN_TABLES:
        again = tmp_path / f"again {path.stem}.csv"
        status, said = run("torque", path, out, "-o", again)
        assert status == 0 and f"tau.{shown}" in said
        assert trajectory.open_table(again).columns == ("t", f"tau.{name}", "tau.other")
    assert f"robot {shown}" in run("count", path, "--algorithm", "mass_matrix")[1]
    for option in "", "--markdown", "--latex":
        status, said = run("equations", path, *filter(None, [option]))
        assert status == 0 and (shown in said) == (option != "--latex")
    status, said = run("check", path, "ur5")
    assert printable(str(path)) in said


def test_errors_and_warnings_show_names_escaped(hostile: tuple[str, Path], tmp_path: Path) -> None:
    name, path = hostile
    shown, missing = printable(name), path.with_name("none" + path.name)
    for arguments in (
        ("info", missing),
        ("info", f"ur{name}"),
        ("info", path, f"extra{name}"),
        ("info", path, f"--{name}"),
        ("count", path, "--algorithm", name),
        ("simulate", path, "--duration", f"1{name}"),
        ("simulate", path, "--duration", "1", "--q0", f"{name[-2:]}=1"),
        ("torque", path, missing),
        ("equations", path, "-o", path.with_suffix(".md") / "no folder.md"),
        ("torque", path, path, "-o", missing.with_suffix(".x" + path.stem)),
    ):
        status, told = run(*arguments)
        assert status in (1, 2), told
    odd = tmp_path / "odd.csv"
    odd.write_text("t,q.other\n0,1\n", encoding="utf-8")
    status, told = run("torque", path, odd)
    assert status == 1 and (shown in told or "\n" in name)  # lines are joined


def test_all_errors_and_warnings_are_harmless_to_print() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) >= 13
    for name in NAMES:
        for kind in kinds:
            extra = ["extra"] if kind is errors.MissingExtraError else []
            error = kind(f"joint '{name}'\nis odd", *extra)
            assert_harmless(str(error))
            assert printable(name) in str(error) and str(error).count("\n") == 1
            assert name in error.args[0]


def test_a_warning_of_the_library_is_harmless_to_print(capsys: pytest.CaptureFixture[str]) -> None:
    heavy = Inertia.from_com(1, (0, 0, 0), ((9, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))
    for name in NAMES:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            Robot.from_links("robot", [Link("base"), Link(name, heavy)], [Joint("j", "base", name)])
        assert len(told) == 1 and printable(name) in str(told[0].message)
        assert_harmless(warnings.formatwarning(told[0].message, told[0].category, "file", 1, ""))


@pytest.mark.parametrize("name", [ALL, "half\ud800", *(pytest.param(x, marks=pytest.mark.slow) for x in NAMES[:2])])
def test_robots_print_and_are_drawn_harmlessly(name: str, tmp_path: Path) -> None:
    robot = arm(name, "other")
    for text in (str(robot), repr(robot), repr(robot.with_drives()), str(robot.equations()), repr(robot.equations())):
        assert_harmless(text)
        assert printable(name) in text
    figure = plot.joint_forces(robot, np.linspace(0, 1, 3), np.zeros((3, 2)), f"title {name}")
    assert_harmless("".join(axes.get_title(loc="left") for axes in figure.axes))
    plot.save(figure, tmp_path / "a.svg")
    ElementTree.parse(tmp_path / "a.svg")
    robot.equations().save(tmp_path / "a.tex")
    assert_harmless((tmp_path / "a.tex").read_text(encoding="utf-8"))


def test_words_of_other_languages_stay_as_they_are() -> None:
    for name in "coude gauche", "肘関節", "локоть", "Ellenbogen ü", "مرفق", "😀", "back\\slash":
        assert printable(name) == printable_lines(name) == one_line(name) == name
    assert one_line("  two \n\n lines\t") == "two lines"
    assert printable("\ta\n\\") == "\\ta\\n\\"


@pytest.mark.parametrize("name", MARKUP)
def test_names_are_no_markup(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    revolute.save(arm(name), tmp_path / "arm.toml")
    shown = name.removesuffix("_joint")
    monkeypatch.chdir(tmp_path)
    for arguments in (
        "info arm.toml", "simulate arm.toml --qd0 5 --duration 0.1 -o m.csv --plot m.svg",
        "torque arm.toml m.csv --plot t.svg", "count arm.toml --algorithm mass_matrix --plot c.svg",
        "equations arm.toml", "equations arm.toml -o e.tex",
    ):  # fmt: skip
        status, said = run(*arguments.split())
        assert status == 0, said
        assert shown in said or "-o" in arguments, said
    for drawn in "mtc":
        ElementTree.parse(tmp_path / f"{drawn}.svg")
    tex = (tmp_path / "e.tex").read_text()
    title = tex.partition(r"\section*{Equations of motion of robot ")[2].partition("}\n")[0]
    plain = re.sub(r"\\text(backslash|asciicircum|asciitilde)\{\}", "", title)
    assert re.sub(r"\\[_&%#${}]", "", plain) == re.sub(r"[\\^~_&%#${}]", "", name)
