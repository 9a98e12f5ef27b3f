"""`revolute simulate --controller`: the closed loop on the command line is that of the library."""

from pathlib import Path

import numpy as np
import pytest
from cli.calling import run

import revolute
from revolute.control import ComputedTorque, MotionTable
from revolute.io import trajectory


def invoke(*arguments: object, status: int = 0) -> str:
    return " ".join("".join(run("simulate", *arguments, status=status)).split())


@pytest.fixture
def swing(tmp_path: Path) -> Path:
    robot, t = revolute.robots.planar(2), np.linspace(0, 1, 101)
    q = np.stack([np.sin(2 * t), 0.5 * np.cos(t)], axis=-1)
    trajectory.write(tmp_path / "swing.csv", ["t", *trajectory.position_names(robot)], t, q)
    return tmp_path / "swing.csv"


def test_a_reference_is_followed(swing: Path, tmp_path: Path) -> None:
    robot, out = revolute.robots.planar(2), tmp_path / "tracked.csv"
    said = invoke("planar:2", "--controller", "computed_torque", "--reference", swing, "--bandwidth", 20, "-o", out)
    table, t = trajectory.read(robot, swing), np.append(0.001 * np.arange(1000), 1.0)
    rows = [np.stack([np.interp(t, table.t, x) for x in part.T], axis=-1) for part in (table.q, table.qd, table.qdd)]
    law = ComputedTorque(robot, MotionTable(t, *rows), 400.0, 40.0)
    motion = robot.simulate(rows[0][0], rows[1][0], law, t)
    np.testing.assert_allclose(trajectory.read(robot, out).q, motion.q, atol=1e-12)
    error = np.abs(motion.q - rows[0]).max()
    assert error < 1e-3 and f"largest error of the reference {error:.2g}, at joint" in said


@pytest.mark.parametrize("name", ["pd_with_gravity", "feedforward_pd", "passivity_based"])
def test_other_controllers(swing: Path, name: str) -> None:
    said = invoke("planar:2", "--controller", name, "--reference", swing, "--q0", "0.1,0.4", "--duration", 0.5)
    assert "501 instants" in said and "largest error of the reference" in said
