"""`revolute torque` over folders and patterns of files."""

import itertools
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import invoke
from files import names

import revolute
from revolute.io import trajectory
from revolute.io.ahead import ahead

NAMES = [f"{x}.joint1" for x in ("q", "qd", "qdd")]
ROBOT = "planar:1"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    for k, name in enumerate(["a.csv", "b.parquet", "c.csv", "d.pq", "e.csv"]):
        rng = np.random.default_rng(k)
        t = np.arange(40_000 if name == "b.parquet" else 6.0) * 0.1  # more than a block
        trajectory.write(folder / name, ["t", *NAMES], t, rng.standard_normal((len(t), 3)))
    (folder / "notes.txt").write_text("no trajectory")
    (folder / ".hidden.csv").write_text("no trajectory")
    return folder


def check(source: Path, result: Path, robot: Any = None) -> None:
    t, *state = (trajectory.open_table(source).rows((name,)) for name in ("t", *NAMES))
    tau = (robot or revolute.robots.planar(1)).inverse_dynamics(*state)
    np.testing.assert_array_equal(trajectory.open_table(result).rows(("t", "tau.joint1")), np.hstack([t, tau]))


def test_a_folder_has_forces_of_every_row_of_every_file(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = invoke("torque", ROBOT, logs, "-o", out)
    assert "5 files, 40,024 rows" in said and "Joint loads of planar1" in said and "joint1" in said
    assert names(out) == ["a.csv", "b.parquet", "c.csv", "d.pq", "e.csv"]
    for path in out.iterdir():
        check(logs / path.name, path)


def test_shards_are_all_files_once(logs: Path, tmp_path: Path) -> None:
    done = []
    for k in (1, 2, 3):
        out = tmp_path / str(k)
        invoke("torque", ROBOT, logs / "*", "-o", out, "--shard", f"{k}/3")
        done += names(out)
    assert sorted(done) == ["a.csv", "b.parquet", "c.csv", "d.pq", "e.csv"]
    assert "0 files" in invoke("torque", ROBOT, logs / "*.parquet", "-o", tmp_path / "none", "--shard", "2/2")


def test_a_bad_file_leaves_nothing_half_written(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (logs / "b1.csv").write_text("t,q.joint1,qd.joint1,qdd.joint1\n0,1,2,3\n1,2,x,3\n")
    error = invoke("torque", ROBOT, logs, "-o", out, status=1)
    assert "b1.csv" in error and "qd.joint1" in error
    assert names(out) == ["a.csv", "b.parquet"]  # those before it, whole; and no temporary file
    check(logs / "b.parquet", out / "b.parquet")
    (logs / "z.csv").write_text("t,q.other\n0,1\n")  # columns are looked at before anything is computed
    error = invoke("torque", ROBOT, logs, "-o", tmp_path / "second", status=1)
    assert "z.csv: no column of positions" in error and not (tmp_path / "second").exists()


@pytest.mark.filterwarnings("ignore:robot .*URDF does not support gravity")
def test_a_second_run_does_what_is_left(logs: Path, tmp_path: Path) -> None:
    out, robot = tmp_path / "out", tmp_path / "robot.urdf"
    revolute.save(revolute.robots.planar(1), robot)

    def run(*more: str) -> str:
        return invoke("torque", robot, logs, "-o", out, "--resume", *more)

    assert "5 files, 40,024 rows" in run()
    said = run()
    assert "0 files, 0 rows" in said and "5 files left out" in said
    (out / "a.csv").unlink()  # never reached
    (out / "b.parquet").write_bytes((out / "b.parquet").read_bytes()[:5000])  # cut by a copy
    trajectory.write(out / "c.csv", ["t", "tau.elbow"], np.zeros((1, 2)))  # of another robot
    later = (out / "d.pq").stat().st_mtime_ns + 3600 * 10**9
    os.utime(logs / "d.pq", ns=(later, later))  # a newer trajectory
    said = run("--shard", "2/2")  # b and d
    assert "2 files (part 2 of 2), 40,006 rows" in said
    said = run()
    assert "3 files, 18 rows" in said and "2 files left out" in said  # d is of the future
    for path in out.iterdir():
        check(logs / path.name, path, revolute.load(robot))  # a URDF has gravity along its own z axis
    os.utime(robot, ns=(later, later))
    assert "5 files, " in run()


def test_a_run_that_was_killed_leaves_whole_files_and_goes_on(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for k in range(8):
        (logs / f"z{k}.parquet").write_bytes((logs / "b.parquet").read_bytes())
    command = [sys.executable, "-m", "revolute", "torque", ROBOT, str(logs), "-o", str(out)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (out / "d.pq").exists():
            time.sleep(0.01)
        process.kill()
    whole = [name for name in names(out) if not name.endswith(".part")]
    for name in whole:
        check(logs / name, out / name)
    said = invoke("torque", ROBOT, logs, "-o", out, "--resume")
    assert f"{13 - len(whole)} files" in said or f"{13 - len(whole)} file," in said
    assert [name for name in names(out) if not name.endswith(".part")] == [x for x in names(logs) if x[0] not in ".n"]


def test_forces_of_drives_in_shards(logs: Path, tmp_path: Path) -> None:
    out, path = tmp_path / "out", tmp_path / "driven.toml"
    drive = revolute.Drive(damping=(2.0,), friction=(0.5,), armature=(0.3,))
    driven = revolute.robots.planar(1).with_drives({"joint1": drive})
    revolute.save(driven, path)
    for k in (1, 2):
        invoke("torque", path, logs / "*.csv", "-o", out, "--drives", "--shard", f"{k}/2")
    assert names(out) == ["a.csv", "c.csv", "e.csv"]
    for name in names(out):
        check(logs / name, out / name, driven)


def test_wrong_calls(logs: Path, tmp_path: Path) -> None:
    def error(*arguments: object) -> str:
        return invoke("torque", ROBOT, *arguments, status=1)

    out = tmp_path / "out"
    assert "-o must be a folder" in error(logs)
    assert "--plot shows only one file" in error(logs, "-o", out, "--plot", tmp_path / "a.png")
    assert "--report shows only one file" in error(logs, "-o", out, "--report", tmp_path / "a.html")
    for text in ("0/3", "4/3", "1", "a/b", "1/0", "-1/2"):
        assert "--shard must be i/n" in error(logs, "-o", out, f"--shard={text}")
    assert "--shard is for a folder or a pattern of files, not for one" in error(logs / "a.csv", "--shard", "1/2")
    assert "--resume is for a folder" in error(logs / "a.csv", "--resume")
    assert "would be lost" in error(logs, "-o", logs)
    assert "no .csv, .parquet, .pq files" in error(tmp_path / "*.csv", "-o", out)
    assert "there is no folder" in error(logs, "-o", tmp_path / "no" / "out")
    assert "cannot be created" in error(logs, "-o", logs / "notes.txt")
    (logs / "sub").mkdir()
    (logs / "sub" / "a.csv").write_bytes((logs / "a.csv").read_bytes())
    assert "have the same name" in error(logs / "**" / "*.csv", "-o", out)
    assert names(logs) == [".hidden.csv", "a.csv", "b.parquet", "c.csv", "d.pq", "e.csv", "notes.txt", "sub"]


def test_what_works_ahead_ends_with_its_block() -> None:
    closed = []

    def endless() -> Iterator[int]:
        try:
            yield from itertools.count(1)
        finally:
            closed.append(True)

    before = threading.active_count()
    with ahead(endless()) as numbers:
        assert [next(numbers), next(numbers)] == [1, 2]
    assert closed == [True] and threading.active_count() == before

    def failing() -> Iterator[int]:
        yield 1
        raise revolute.InputError("here")

    with pytest.raises(revolute.InputError, match="here"), ahead(failing()) as numbers:
        assert [*numbers]


def test_a_report_draws_rounding_errors_as_zero(tmp_path: Path) -> None:
    """Gravity along a skew axis is 1e-15 N m there."""
    axis, M = np.array([0.48, 0.6, 0.64]), np.tile(np.eye(4), (2, 1, 1))
    M[:, :3, 3] = 0.3, 0.1, 0.7
    S, G = [(*axis, 0, 0, 0), (0, 0, 1, 0, 0, 0)], [np.diag([0.1, 0.2, 0.3, 2, 2, 2])] * 2
    arm = revolute.Robot.from_screws(S, M, G, gravity=tuple(-9.81 * axis))
    q = np.random.default_rng(0).normal(size=(40, 2))
    assert 0 < abs(arm.gravity_forces(q)[:, 0]).max() < 1e-14
    revolute.save(arm, tmp_path / "arm.toml")
    columns = [f"{x}.{name}" for x in ("q", "qd", "qdd") for name in arm.joint_names]
    trajectory.write(tmp_path / "q.csv", ["t", *columns], np.arange(40.0), *q.T, *np.zeros((4, 40)))
    invoke("torque", tmp_path / "arm.toml", tmp_path / "q.csv", "--report", tmp_path / "r.html")
    first, second = re.findall(r'<svg class="chart".*?</svg>', (tmp_path / "r.html").read_text(), re.DOTALL)[:2]
    heights = [{*re.findall(r"[ML][.0-9]+ ([.0-9]+)", picture.split(' d="')[1])} for picture in (first, second)]
    assert len(heights[0]) == 1 and len(heights[1]) > 10
