"""The demonstration: a path that an arm can follow, and its torques."""

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from revolute.cli import pick_and_place as demo
from revolute.io import trajectory


@pytest.fixture(scope="module")
def found() -> demo.Run:
    return demo.computed()


def test_the_path_stays_within_the_limits(found: demo.Run) -> None:
    robot, (q, qd, _) = found.robot, found.motion
    assert (q >= robot.lower_limits).all() and (q <= robot.upper_limits).all()
    assert (abs(qd) <= robot.velocity_limits).all()
    assert (abs(found.tau) <= robot.effort_limits).all()


def test_the_tool_points_down_and_lowers_the_box_onto_its_places(found: demo.Run) -> None:
    q, qd, _ = found.motion
    pose = found.robot.forward_kinematics(q, "tool0")
    assert abs(pose[:, :3, 2] - [0, 0, -1]).max() < 1e-12  # angles of the arm's plane add up exactly
    bottom = pose[:, 2, 3] - demo.BOX_SIDE
    grip, release = np.flatnonzero(np.diff(found.held.astype(int)))
    # Angles are written to 0.1 degree, so each of three joints at most 0.9 m away is off by 0.8 mm.
    assert abs(bottom[grip]) < 3e-3
    assert abs(bottom[release] - 0.15) < 3e-3
    assert abs(qd[[grip, release]]).max() < 1e-4
    assert bottom[found.held].min() > -3e-3


def test_torques_are_those_of_the_arm_with_and_without_the_box(found: demo.Run) -> None:
    held = found.held
    arm, loaded = found.robot, found.robot.with_payload("tool0", demo.box())
    assert 0 < held.sum() < len(held)
    assert np.array_equal(found.tau[held], loaded.inverse_dynamics(*found.motion)[held])
    assert np.array_equal(found.tau[~held], arm.inverse_dynamics(*found.motion)[~held])


def test_the_box_pulls_with_its_weight(found: demo.Run) -> None:
    """At rest, holding it adds the moment of its weight about the shoulder: m g times its distance."""
    q, still = found.motion[0][int(np.flatnonzero(found.held)[0])], np.zeros(6)
    loaded = found.robot.with_payload("tool0", demo.box())
    added = loaded.inverse_dynamics(q, still, still) - found.robot.inverse_dynamics(q, still, still)
    shoulder = found.robot.forward_kinematics(q, "upper_arm_link")
    axis = shoulder[:3, :3] @ [0, 1, 0]
    tool = found.robot.forward_kinematics(q, "tool0")
    arm = (tool @ [0, 0, demo.BOX_SIDE / 2, 1])[:3] - shoulder[:3, 3]
    lift = np.array([0, 0, demo.BOX_MASS * 9.81])
    assert added[1] == pytest.approx(axis @ np.cross(arm, lift), rel=1e-12)


def test_work_done_on_the_arm_is_its_energy(found: demo.Run) -> None:
    """Without the box the arm ends as it began, so the work of its joints is zero."""
    power = (found.empty * found.motion[1]).sum(axis=1)
    # The trapezoidal rule over smooth stretches: h^2 / 12 * T * |d2 power|, and 10 s of at most
    # 1e4 W/s^2; far below the work that goes back and forth.
    assert abs(np.trapezoid(power, dx=1e-3)) < 1e-6 / 12 * 10 * 1e4
    assert np.trapezoid(abs(power), dx=1e-3) > 10


def test_its_files_hold_the_same_numbers(found: demo.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of an active environment, as after `make demo`, the command that it ends with names a program by path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    out = tmp_path / "new" / "out[red]"
    said = io.StringIO()
    demo.run(out, Console(file=said, width=100))
    assert {path.name for path in out.iterdir()} == {"trajectory.csv", "positions.csv", "torques.csv", "torques.png"}
    again = trajectory.read(found.robot, out / "trajectory.csv")
    for name, x in zip(("t", "q", "qd", "qdd"), (found.t, *found.motion), strict=True):
        assert np.array_equal(getattr(again, name), x)
    forces = trajectory.open_table(out / "torques.csv").rows(trajectory.rate_names(found.robot, "tau"))
    assert np.array_equal(forces, found.tau)
    header = (out / "torques.png").read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(header[16:20]), int.from_bytes(header[20:24])) == (1600, 1000)
    program, *rest = said.getvalue().partition("without the box: ")[2].split()
    assert Path(program).is_file() and Path(rest[2]) == out / "trajectory.csv"
