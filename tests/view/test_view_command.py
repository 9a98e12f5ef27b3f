"""`revolute view`: recordings, and arguments that are refused before any work is done; the page about it is true."""

import re
from pathlib import Path

import numpy as np
import pytest
from cli.calling import run

import revolute
from revolute.io import trajectory

pytest.importorskip("viser")


def invoke(*arguments: object, status: int = 0) -> str:
    return "".join(run("view", *arguments, status=status))


def test_a_motion_becomes_a_page(tmp_path: Path) -> None:
    robot, t = revolute.robots.planar(2), np.linspace(0, 0.5, 6)
    trajectory.write(tmp_path / "m.csv", ["t", *trajectory.position_names(robot)], t, np.outer(t, [1, 2]))
    text = invoke("planar:2", tmp_path / "m.csv", "--html", tmp_path / "m.html")
    assert "without network" in text and (tmp_path / "m.html").stat().st_size > 100_000


def test_positions_by_names(tmp_path: Path) -> None:
    invoke("ur5", "--q", "elbow_joint=1", "--html", tmp_path / "a.html")


def test_tables_of_one_time(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("t,joint1,joint2\n1,0,1\n1,0,1\n")
    assert "increasing" in invoke("planar:2", tmp_path / "b.csv", status=1)


def test_the_page_about_views_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "view.md").read_text(encoding="utf-8")
    exec("\n".join(re.findall(r"```py\n(.*?)```", page, re.DOTALL)), {})
    assert (tmp_path / "ur5.html").exists() and (tmp_path / "fall.html").exists()
