"""`revolute simulate`: the motion on the command line is that of the library."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cli.calling import CART, run
from comparing import assert_raises
from files import written

import revolute
from revolute.cli.commands.numbers import joint_numbers
from revolute.control import ComputedTorque, MotionTable
from revolute.errors import InputError
from revolute.io import trajectory
from revolute.plot import motion

invoke = partial(run, "simulate")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_every_quantity_is_written_under_its_name(tmp_path: Path, suffix: str) -> None:
    robot, out = revolute.robots.planar(2), tmp_path / f"motion.{suffix}"
    invoke("planar:2", "--q0", "0.5,-1", "--qd0", "0,2", "--tau", "1,-0.5", "--duration", 0.2, "-o", out)
    moved = robot.simulate([0.5, -1], [0, 2], [1, -0.5], np.append(0.001 * np.arange(200), 0.2))
    assert trajectory.open_table(out).columns == (
        "t", "q.joint1", "q.joint2", "qd.joint1", "qd.joint2", "qdd.joint1", "qdd.joint2", "tau.joint1", "tau.joint2",
        "kinetic_energy", "potential_energy", "energy",
    )  # fmt: skip
    fields = ("t", "q", "qd", "qdd", "tau", "kinetic_energy", "potential_energy", "energy")
    rows = trajectory.open_table(out).rows(trajectory.open_table(out).columns)
    assert np.array_equal(rows, np.column_stack([getattr(moved, name) for name in fields]))


def test_the_last_step_may_be_shorter(tmp_path: Path) -> None:
    assert "2 instants" in invoke("planar:1", "--duration", 0.1, "--step", 0.1)[0]
    invoke("planar:1", "--duration", 0.25, "--step", 0.1, "-o", tmp_path / "m.csv")
    assert trajectory.open_table(tmp_path / "m.csv").rows(("t",))[:, 0].tolist() == [0, 0.1, 0.2, 0.25]


@pytest.mark.parametrize("method", ["semi_implicit_euler", "DOP853"])
def test_forces_of_a_table_are_linear_between_its_rows_and_give_the_times(tmp_path: Path, method: str) -> None:
    robot = revolute.robots.planar(1)
    source, out = tmp_path / "tau.csv", tmp_path / "m.csv"
    trajectory.write(source, ["time", "tau.joint1"], np.array([2.0, 2.5, 3.0]), np.array([0.0, 8.0, 4.0]))
    invoke("planar:1", "--tau", source, "--step", 0.05, "--method", method, "-o", out)
    t = 2 + 0.05 * np.arange(21)
    forces = np.where(t < 2.5, 16 * (t - 2), 8 - 8 * (t - 2.5))
    rows = trajectory.open_table(out).rows(("t", "tau.joint1"))
    assert rows == pytest.approx(np.column_stack([t, forces]), abs=1e-14)

    def force(time: float, q: object, qd: object) -> list[float]:
        return [np.interp(time, [2.0, 2.5, 3.0], [0.0, 8.0, 4.0])]

    moved = robot.simulate([0.0], [0.0], force, np.append(t[:-1], 3.0), method)
    assert trajectory.open_table(out).rows(("q.joint1",)) == pytest.approx(moved.q, abs=1e-12)


def test_damping_that_is_not_there_changes_nothing() -> None:
    assert "--joint-damping changes nothing" in invoke("planar:1", "--duration", 0.01, "--joint-damping")[0]


def test_a_motion_stops_where_it_is_told_to(tmp_path: Path) -> None:
    out, cart = tmp_path / "m.npz", written(tmp_path / "cart.urdf", CART)
    said, _ = invoke(cart, "--qd0", "rail=1.9", "--duration", 2, "--stop-at-limits", "--every", 10, "-o", out)
    motion = revolute.Simulation.load(out, revolute.load(cart))
    assert "- stopped at t=" in said and "limit of 'rail'" in said and "leaves its range" not in said
    assert abs(motion.q[-1, 0]) == pytest.approx(1, abs=1e-9) and np.allclose(np.diff(motion.t)[:-1], 0.01)


def test_json_is_the_motion_in_numbers(tmp_path: Path) -> None:
    out, ur5 = tmp_path / "m.npz", revolute.robots.ur5()
    data = json.loads(invoke("ur5", "--duration", 2, "--contact", "tool0=-0.3,0.2", "--json", "-o", out)[0])
    motion = revolute.Simulation.load(out, ur5)
    assert ur5.forward_kinematics(motion.q[-1], "tool0")[2, 3] == pytest.approx(-0.3, abs=1e-5)
    force = np.linalg.norm(motion.contact_forces[:, 0], axis=-1)
    assert data["contacts"] == {"tool0": {"end": pytest.approx(force[-1]), "peak": pytest.approx(force.max())}}
    assert data["method"] == "semi_implicit_euler" and data["event"] is None and force[-1] > 1
    assert data["instants"] == len(motion) and data["failure"] is None
    assert data["positions"]["elbow_joint"]["end"] == pytest.approx(motion.q[-1, 2])
    assert data["velocities"]["elbow_joint"]["top_speed"] == pytest.approx(abs(motion.qd[:, 2]).max())


def test_a_disk_that_is_full_does_not_lose_the_motion(tmp_path: Path) -> None:
    out = tmp_path / "m.npz"
    out.symlink_to("/dev/full")
    _, error = invoke("planar:1", "--duration", 1, "-o", out, status=1)
    assert "No space left on device; the motion is in " in error
    rescued = Path(error.partition("the motion is in ")[2].partition(" instead")[0])
    assert len(revolute.Simulation.load(rescued)) == 1001
    rescued.unlink()
    rescued.parent.rmdir()


def test_ctrl_c_writes_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = revolute.robots.planar(1).simulate([0.0], [0.0], None, np.linspace(0, 1, 11))

    def interrupted(*_: object, **__: object) -> None:
        raise revolute.SimulationInterrupt("by the user", whole[:5])

    monkeypatch.setattr(revolute.Robot, "simulate", interrupted)
    said, _ = invoke("planar:1", "--duration", 1, "-o", tmp_path / "m.csv", status=130)
    assert "- interrupted: this is the motion up to t=0.4 s of 1 s" in said
    assert len(revolute.Simulation.load(tmp_path / "m.csv")) == 5


def test_a_motion_that_diverges_is_written_up_to_there(tmp_path: Path) -> None:
    out, picture = tmp_path / "m.csv", tmp_path / "m.png"
    arguments = ("ur5", "--tau", "100,0,0,0,0,0", "--duration", 1000, "--step", 0.5, "--method", "explicit_euler")
    said, error = invoke(*arguments, "-o", out, "--plot", picture, status=1)
    assert error.startswith("Error: ") and error.count("\n") == 1
    assert "the motion diverges at t=5.5 s, first in joint 'shoulder_pan_joint'" in error
    assert "t from 0 to 5 s" in said and "leaves its range" not in said
    lines = out.read_text().splitlines()
    assert len(lines) == 12 and lines[-1].startswith("5.0,")
    assert np.isfinite([float(cell) for cell in lines[-1].split(",")[:13]]).all()  # t, q and qd
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_rounding_is_drawn_as_rest() -> None:
    robot = revolute.robots.planar(2).with_gravity((0, 0, 0))
    swing = motion(robot, robot.simulate([0.0, 0.0], [1e-12, 1.0], None, np.linspace(0, 1, 11)), "swing")
    rest = motion(robot, robot.simulate([0.5, 0.0], [1e-12, 0.0], None, np.linspace(0, 1, 11)), "rest")
    low, high = rest.axes[0].get_ylim()
    assert low < 0.4999 and high > 0.5001
    assert swing.axes[1].get_ylim()[1] > 0.5


@pytest.fixture
def swing(tmp_path: Path) -> Path:
    """A reference of a robot of two joints, over a second."""
    t = np.linspace(0, 1, 101)
    q = np.stack([np.sin(2 * t), 0.5 * np.cos(t)], axis=-1)
    trajectory.write(tmp_path / "swing.csv", ["t", "q.joint1", "q.joint2"], t, q)
    return tmp_path / "swing.csv"


def test_a_reference_is_followed(swing: Path, tmp_path: Path) -> None:
    robot, out = revolute.robots.planar(2), tmp_path / "tracked.csv"
    options = ("--controller", "computed_torque", "--reference", swing, "--bandwidth", 20, "-o", out)
    said, _ = invoke("planar:2", *options)
    table, t = trajectory.read(robot, swing), np.append(0.001 * np.arange(1000), 1.0)
    rows = [np.stack([np.interp(t, table.t, x) for x in part.T], axis=-1) for part in (table.q, table.qd, table.qdd)]
    law = ComputedTorque(robot, MotionTable(t, *rows), 400.0, 40.0)
    motion = robot.simulate(rows[0][0], rows[1][0], law, t)
    np.testing.assert_allclose(trajectory.read(robot, out).q, motion.q, atol=1e-12)
    error = np.abs(motion.q - rows[0]).max()
    assert error < 1e-3 and f"largest error of the reference {error:.2g}, at joint" in said


@pytest.mark.parametrize("name", ["pd_with_gravity", "feedforward_pd", "passivity_based"])
def test_other_controllers(swing: Path, name: str) -> None:
    options = ("--controller", name, "--reference", swing, "--q0", "0.1,0.4", "--duration", 0.5)
    said, _ = invoke("planar:2", *options)
    assert "501 instants" in said and "largest error of the reference" in said


def test_numbers_may_be_parted_as_people_do() -> None:
    for text in "1,-2,3e-1", "1 -2 0.3", " 1; -2;0.3 ", "c=0.3, b=-2 a=1":
        assert joint_numbers("--q0", text, "abc", np.zeros(3)).tolist() == [1, -2, 0.3]
    assert joint_numbers("--q0", "b=1", "abc", np.array([5, 6, 7])).tolist() == [5, 1, 7]
    assert_raises(InputError, "'inf' is not a finite number", joint_numbers, "--q0", "1,2,inf", "abc", np.zeros(3))
