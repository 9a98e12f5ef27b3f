"""Damaged files of everything that is read: finite numbers, or an error of ours that names the file, and nothing else.

Files are read in processes of their own, in 6 GiB of addresses. No file may end the process, keep it busy for minutes
or make it large, leave another file behind, or have another error or a warning of NumPy come through.
`PYTHONPATH=src python tests/hostile/read_damaged.py sdf 42 1 FOLDER REPORT` reads the file of one seed.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from samples import FORMATS

pytest.importorskip("resource", reason="the reader has limits of POSIX")

READER = Path(__file__).with_name("read_damaged.py")
FEW, MANY = 30, 2000
PATIENCE = 1200.0
"""Seconds until a process is said to hang: some thousand times what a file takes."""
LARGE = 600
"""MiB that reading may take at most: most of that are NumPy, SciPy, MuJoCo and PyArrow."""
TOGETHER = [
    ("urdf", "sdf", "toml", "plain data", "dh", "csv", "forces", "parquet"),
    (
        *("urdf with a mesh", "mjcf", "mjcf with a mesh", "mjcf with an obj"),
        *("stl", "stl of text", "obj", "off", "ply", "glb"),
    ),
]
"""Formats whose few files one process reads: most of its time goes by before it reads any."""


def outcomes(names: Sequence[str], first: int, count: int, folder: Path) -> list[dict[str, Any]]:
    """What comes of so many files of each format; the process must read all of them, and print nothing."""
    report = folder / "report"
    command = [sys.executable, str(READER), ",".join(names), str(first), str(count), str(folder), str(report)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        pytest.fail(f"hangs: {report.read_text(encoding='utf-8').splitlines()[-1]}")
    lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else ["no report"]
    assert done.returncode == 0, f"ended by {done.returncode}: {lines[-1]}: {done.stderr[-3000:]}"
    assert done.stdout == ""  # on stderr, trimesh and Qhull have something to say
    return [json.loads(line) for line in lines[1::2]]


def assert_sound(found: list[dict[str, Any]], name: str, count: int) -> None:
    """Every file of a format is used or refused, and damage is mostly felt."""
    found = [x for x in found if x["format"] == name]
    wholes = len(FORMATS[name].whole)
    assert [x["kind"] for x in found[:wholes]] == ["used"] * wholes, found[:wholes]
    assert len(found) == wholes + count
    wrong = [x for x in found if x["kind"] == "wrong"]
    assert not wrong, f"{name}: {len(wrong)} of {count}, the first with seed {wrong[0]['seed']}: {wrong[0]['said']}"
    assert found[-1]["others"] == [], "a file is left behind"
    assert max(x["memory"] for x in found) < LARGE
    refused = [x["said"] for x in found if x["kind"] == "refused"]
    assert not FORMATS[name].is_needed or (len(refused) > count / 20 and len(set(refused)) > 1), set(refused)


def test_all_formats_are_read() -> None:
    assert sorted(name for names in TOGETHER for name in names) == sorted(FORMATS)


@pytest.mark.parametrize("names", TOGETHER, ids=["descriptions and tables", "meshes and MuJoCo"])
def test_damaged_files_are_read_or_refused_by_name(names: Sequence[str], tmp_path: Path) -> None:
    found = outcomes(names, 0, FEW, tmp_path)
    for name in names:
        assert_sound(found, name, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_many_damaged_files(name: str, tmp_path: Path) -> None:
    assert_sound(outcomes([name], FEW, MANY, tmp_path), name, MANY)
