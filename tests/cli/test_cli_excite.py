"""`revolute excite`: the motion on the command line is that of the library."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cli.calling import run

import revolute
from revolute.identification import ExcitationLimits, excite
from revolute.trajectory import load

SMALL = ("planar:2", "--duration", 3, "--harmonics", 2, "--limits", "velocity=3,acceleration=10", "--starts", 1)
invoke = partial(run, "excite")


def test_it_writes_the_motion_of_the_library(tmp_path: Path) -> None:
    out, picture = tmp_path / "excitation.csv", tmp_path / "excitation.png"
    places = ("--position", "joint1=-1:1", "--box", "tip=,,-1:1.5,,", "--height", -1.5)
    said, _ = invoke(*SMALL, *places, "--periods", 2, "-o", out, "--plot", picture)
    robot = revolute.robots.planar(2)
    limits = ExcitationLimits(
        velocity=3.0, acceleration=10.0, height=-1.5, position={"joint1": (-1, 1)},
        box={"tip": ((-np.inf, -np.inf, -1), (1.5, np.inf, np.inf))},
    )  # fmt: skip
    found = excite(robot, duration=3.0, harmonics=2, limits=limits, starts=1)
    written = load(robot, out)
    assert written.duration == 6.0 and picture.stat().st_size > 1000
    t = np.arange(600) / 100
    np.testing.assert_allclose(written.q(t), found.trajectory.q(t), atol=1e-12)
    assert "condition number" in said and "joint2.friction" in said and "100 rows a second" in said


def test_json_has_what_it_tells() -> None:
    said, _ = invoke(*SMALL, "--criterion", "condition", "--json")
    data = json.loads(said)
    assert data["criterion"] == "condition" and np.exp(data["value"]) == pytest.approx(data["condition"])
    assert {x["name"] for x in data["parameters"]} >= {"joint1.friction", "joint2.offset"}
    assert len(data["cosines"]) == 2 and all(x["share"] <= 1 for x in data["limits"])
