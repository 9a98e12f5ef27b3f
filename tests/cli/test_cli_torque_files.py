"""`revolute torque` over folders and patterns of files."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from cli.test_cli import invoke

import revolute
from revolute.cli.commands.ahead import ahead
from revolute.io import trajectory

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


def check(source: Path, result: Path) -> None:
    given, found = (
        next(trajectory.open_table(x).blocks(names, 10**6))[1]
        for x, names in ((source, ["t", *NAMES]), (result, ["t", "tau.joint1"]))
    )
    q, qd, qdd = given[:, 1:2], given[:, 2:3], given[:, 3:4]
    np.testing.assert_array_equal(found[:, :1], given[:, :1])
    np.testing.assert_array_equal(found[:, 1:], revolute.robots.planar(1).inverse_dynamics(q, qd, qdd))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_has_forces_of_every_row_of_every_file(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = invoke("torque", ROBOT, logs, "-o", out)
    assert "5 files, 40,024 rows" in said
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


def test_wrong_calls(logs: Path, tmp_path: Path) -> None:
    def error(*arguments: object) -> str:
        return invoke("torque", ROBOT, *arguments, status=1)

    out = tmp_path / "out"
    assert "-o names a folder" in error(logs)
    assert "--plot draws one file" in error(logs, "-o", out, "--plot", tmp_path / "a.png")
    for text in ("0/3", "4/3", "1", "a/b", "1/0", "-1/2"):
        assert "--shard is i/n" in error(logs, "-o", out, f"--shard={text}")
    assert "not for one" in error(logs / "a.csv", "--shard", "1/2")
    assert "would be lost" in error(logs, "-o", logs)
    assert "there are no files" in error(tmp_path / "*.csv", "-o", out)
    assert "there is no folder" in error(logs, "-o", tmp_path / "no" / "out")
    assert "cannot be made" in error(logs, "-o", logs / "notes.txt")
    (logs / "sub").mkdir()
    (logs / "sub" / "a.csv").write_bytes((logs / "a.csv").read_bytes())
    assert "have one name" in error(logs / "**" / "*.csv", "-o", out)
    assert names(logs) == [".hidden.csv", "a.csv", "b.parquet", "c.csv", "d.pq", "e.csv", "notes.txt", "sub"]


def test_what_works_ahead_ends_with_its_block() -> None:
    closed = []

    def endless() -> Iterator[int]:
        try:
            k = 0
            while True:
                yield (k := k + 1)
        finally:
            closed.append(threading.current_thread())

    with ahead(endless()) as numbers:
        assert [next(numbers), next(numbers)] == [1, 2]
    assert len(closed) == 1 and not closed[0].is_alive()

    def failing() -> Iterator[int]:
        yield 1
        raise revolute.InputError("here")

    with pytest.raises(revolute.InputError, match="here"), ahead(failing()) as numbers:
        assert [*numbers]
