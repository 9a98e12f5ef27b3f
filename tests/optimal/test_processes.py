"""Long work shows a bar; a full disk stops nothing; a process may end right after its plans."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from motions import shown_bars

import revolute
from revolute.optimal import OptimalControl, StateCost, TorqueCost

PROGRAM = """
import sys
import numpy as np
import revolute
from revolute.optimal import TorqueCost, OptimalControl, Sampling, StateCost

arm = revolute.robots.planar(2)
problem = OptimalControl(arm, [StateCost(1.0), TorqueCost(1e-2)], steps=8, dt=0.02, effort_limits=[40.0, 20.0])
goal, tau = {"state": [0.4, -0.3, 0, 0]}, np.zeros(2)
plans = problem.solve(np.zeros((40, 2)), goal=goal, threads=2)
sys.kept = plans, problem.stepper(), Sampling(problem, samples=16, rng=0)
for law in sys.kept[1:]:
    law.step(np.zeros(2), np.zeros(2), goal, out=tau)
print(bool(sys.kept[0].converged.all()), tau.shape)
raise SystemExit(0)
"""


def run(program: str, folder: Path, **environment: str) -> tuple[int, str, str]:
    folder.chmod(0o700)
    variables = os.environ | {"REVOLUTE_CACHE_DIR": str(folder)} | environment
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_process_that_ends_right_after_its_plans(tmp_path: Path) -> None:
    """What is freed at the end is overwritten at once, so that nothing that is freed too early stays unseen."""
    freed = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "90"}
    for _ in range(2):  # with a cold cache, and from the cache
        assert run(PROGRAM, tmp_path, **freed) == (0, "True (2,)\n", "")
    assert any(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="limits of Unix")
def test_a_disk_without_room_stops_no_plan(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))\n"
    assert run(limit + PROGRAM, tmp_path) == (0, "True (2,)\n", "")
    assert not [file for file in tmp_path.iterdir() if file.suffix == ".kernel"]


@pytest.mark.parametrize("starts", [(2,), (20, 2)])
def test_a_bar_of_long_work(starts: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one problem its iterations, of many how many are done."""
    problem = OptimalControl(revolute.robots.planar(2), [StateCost(1.0), TorqueCost(1e-2)], steps=8, dt=0.02)
    problem.prepare()
    monkeypatch.delenv("REVOLUTE_PROGRESS", raising=False)

    def shown(progress: bool | None) -> str:
        stream = shown_bars(monkeypatch)
        assert np.all(problem.solve(np.full(starts, 0.5), progress=progress).converged)
        return stream.getvalue()

    text = shown(True)
    assert "solving 'planar2' [" in text and text.endswith(" \r")
    assert ("of 20 problems" if len(starts) > 1 else ", 200 at most") in text
    assert shown(None) == shown(False) == ""
