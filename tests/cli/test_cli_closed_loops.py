"""`revolute identify` by simulations of the loop, and of floating robots; and options that do not fit."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from cli.calling import ARM, run, table
from floater import ROBOT, TRUE, flight

import revolute
from revolute import Drive, control

DRIVES = {"joint1": Drive(armature=0.2, damping=0.8, friction=1.0), "joint2": Drive(armature=0.2, damping=0.8)}
LOOP = ("--controller", "pd_with_gravity", "--position-gains", "600,300", "--velocity-gains", "60,20")
RATE = 500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a loop with noisy positions, its reference, and a robot whose links are 20 % too heavy."""
    place, t = tmp_path_factory.mktemp("loops"), np.arange(6 * RATE + 1) / RATE
    w = np.array([2.0, 5.0])
    x = np.outer(t, w)
    q, qd, qdd = 1 - np.cos(x), np.sin(x) * w, np.cos(x) * w**2
    guess = ARM.with_inertial_parameters(1.2 * ARM.inertial_parameters)
    law = control.PDWithGravity(guess, control.MotionTable(t, q, qd, qdd), [600.0, 300.0], [60.0, 20.0])
    motion = ARM.with_drives(DRIVES, smoothing=0.01).simulate([0.0, 0.0], [0.0, 0.0], law, t)
    rng = np.random.default_rng(0)
    measured, tau = motion.q + rng.normal(0, 1e-5, q.shape), motion.tau + rng.normal(0, 0.1, q.shape)
    table(place / "log.csv", "t,q1,q2,tau1,tau2", t, measured, tau)
    names = "t,q.joint1,q.joint2,qd.joint1,qd.joint2,qdd.joint1,qdd.joint2"
    table(place / "reference.csv", names, t, q, qd, qdd)
    revolute.save(guess, place / "arm.toml")
    return place


def invoke(*arguments: object) -> str:
    said, error = run("identify", *arguments)
    return " ".join((said if "--json" in arguments else said + error).split())


@pytest.mark.parametrize("estimator", ["instrumental", "direct_inverse", "output_error"])
def test_one_command_identifies_by_simulating_the_loop(folder: Path, estimator: str) -> None:
    arguments = [folder / "arm.toml", folder / "log.csv", "--estimator", estimator, *LOOP]
    options = ["--reference", folder / "reference.csv", "--cutoff", "40", "--control-step", 1 / RATE, "--no-physical"]
    options += ["--no-offsets"]
    said = json.loads(invoke(*arguments, *options, "--json"))
    fit = said["fit"]
    found = {x["name"]: x["value"] for x in fit["base_parameters"]}
    exact = {"link2.mx": 0.5, "joint1.friction": 1.0, "joint1.damping": 0.8, "link1.mx + link2.m": 1.5}
    for name, value in exact.items():
        # forces are held for 2 ms, and central differences belong to their middle: 1 ms of gains of up to 60 N m s/rad
        assert abs(found[name] - value) < 0.1, name
    assert fit["estimator"] == estimator and fit["iterations"] >= 2
    assert said["verdict"].startswith("good")
    words, by_positions = invoke(*arguments, *options), estimator == "output_error"
    assert f"{estimator}: {fit['iterations']} iterations of the simulated loop" in words
    assert ("; positions differ by" in words) == by_positions
    assert re.search(rf"base parameters from [1-9][\d,]* {'positions' if by_positions else 'forces'};", words)


def test_a_robot_in_flight(tmp_path: Path) -> None:
    motion = flight(TRUE)
    names = ",".join(["t", *(f"q.{name}" for name in ROBOT.position_names), "tau.shoulder", "tau.elbow"])
    log = table(tmp_path / "log.csv", names, motion.t, motion.q, motion.tau[:, 6:])
    revolute.save(ROBOT, tmp_path / "floater.toml")
    options = ["--in-flight", "--momentum", "0.2", "--no-offsets", "--json"]
    fit = json.loads(invoke(tmp_path / "floater.toml", log, *options))["fit"]
    values = {x["name"]: x["value"] for x in fit["base_parameters"]}
    assert values["box.m + upper.m + lower.m"] == pytest.approx(TRUE.inertial_parameters[:, 0].sum(), rel=0.02)
