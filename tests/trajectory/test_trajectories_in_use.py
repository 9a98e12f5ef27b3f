"""What is done with trajectories: values for any times, rows, files, pictures, control of a simulated robot."""

import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_each, assert_raises

import revolute
from revolute.io import trajectory as tables
from revolute.trajectory import Trajectory, line, load, quintic, spline, time_optimal, trapezoid, uniform_scaling

UR5 = revolute.robots.ur5()
FLOATING = revolute.robots.random_tree(2, rng=1, base="free")
WAY = np.array([[0, -1, 1, 0, 0, 0], [0.5, -0.5, 0.5, 1, 0, 0.2], [1, -1, 1, 0, 0.1, 0]])


NAMES = ("polynomials", "periodic", "fourier", "trapezoid", "at speed", "scaled", "time optimal", "floating")


@cache
def trajectories() -> dict[str, Trajectory]:
    path = spline(UR5, WAY, 2.0)
    return {
        "polynomials": path,
        "periodic": spline(UR5, [*WAY, WAY[0]], 2.0, ends="periodic"),
        "fourier": revolute.trajectory.FourierTrajectory(
            UR5, WAY[0], [[1.0] * 6, [-1.0] * 6], [[0.2] * 6, [-0.1] * 6], 2.0
        ),
        "trapezoid": trapezoid(UR5, WAY, acceleration=4.0),
        "at speed": path.at_speed(0.5),
        "scaled": uniform_scaling(path, UR5).trajectory,
        "time optimal": time_optimal(path, UR5, grid=50),
        "floating": spline(FLOATING, FLOATING.random_configuration(3, rng=0), 2.0),
    }


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_each_time_alone(name: str) -> None:
    motion = trajectories()[name]
    t = np.random.default_rng(0).uniform(-0.2, motion.duration + 0.2, (3, 4))
    parts, model = motion(t), motion.model
    assert [x.shape for x in parts] == [(3, 4, model.nq), (3, 4, model.nv), (3, 4, model.nv)]
    assert_each(np.testing.assert_array_equal, parts, (motion.q(t), motion.qd(t), motion.qdd(t)))
    for i in np.ndindex(3, 4):
        assert_each(np.testing.assert_array_equal, (x[i] for x in parts), motion(float(t[i])))
    assert motion.q([]).shape == (0, model.nq)
    before = [x.copy() for x in motion(0.0)]
    for value in motion(0.0):
        value += 1.0  # values belong to the caller
    assert_each(np.testing.assert_array_equal, motion(0.0), before)


@pytest.mark.parametrize("name", NAMES)
def test_they_pickle_and_have_a_line_of_text(name: str) -> None:
    motion = trajectories()[name]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(motion)).q(0.3), motion.q(0.3))
    assert motion.model.name in repr(motion) and "\n" not in repr(motion)
    assert f"{motion.duration:g} s" in repr(motion) or f"{motion.duration:.6g} s" in repr(motion)


def test_samples_end_at_the_end() -> None:
    motion = spline(UR5, WAY, 1.0)
    np.testing.assert_allclose(motion.sample(0.3).t, [0, 0.3, 0.6, 0.9, 1.0])
    np.testing.assert_allclose(motion.sample(0.1).t, np.linspace(0, 1, 11))
    rows = motion.sample(0.25)
    assert rows.t is not None
    assert_each(np.testing.assert_array_equal, (rows.q, rows.qd, rows.qdd), motion(rows.t))


@pytest.mark.parametrize("robot", [UR5, FLOATING])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_are_read_as_they_were_written(robot: revolute.Robot, suffix: str, tmp_path: Path) -> None:
    """`load` joins the rows by quintic pieces: exact at rows, and to h^6/46080 of the sixth derivative between them."""
    motion = spline(robot, robot.random_configuration(4, rng=2), 3.0)
    path = tmp_path / f"motion.{suffix}"
    motion.save(path, 0.01)
    rows, sampled = tables.read(robot, path), motion.sample(0.01)
    for name in ("t", "q", "qd", "qdd"):
        np.testing.assert_array_equal(getattr(rows, name), getattr(sampled, name))
    again = load(robot, path)
    t = np.linspace(0, 3, 777)
    assert np.abs(robot.difference(motion.q(t), again.q(t))).max() < 1e-9
    np.testing.assert_allclose(again.qd(t), motion.qd(t), atol=1e-6)


def test_files_that_do_not_fit_are_named(tmp_path: Path) -> None:
    save, message = spline(UR5, WAY, 1.0).save, "written as .csv, .parquet, .pq, by the suffix, not as '.xls'"
    assert_raises(revolute.TrajectoryError, message, save, tmp_path / "motion.xls")
    names = [name for rate in ("qd", "qdd") for name in tables.rate_names(UR5, rate)]
    tables.write(tmp_path / "rows.csv", [*tables.position_names(UR5), *names], np.zeros((3, 18)))
    assert_raises(revolute.TrajectoryError, r"rows.csv: no time column \[s\], 't'", load, UR5, tmp_path / "rows.csv")


@pytest.mark.parametrize("name", ["polynomials", "at speed", "scaled", "time optimal"])
def test_controllers_follow_trajectories(name: str) -> None:
    """Computed torque from the trajectory's start: the error is that of forces held over 1 ms steps."""
    motion = trajectories()[name]
    law = revolute.control.ComputedTorque(UR5, motion, 400.0)
    t = np.arange(0, min(motion.duration, 2.0), 0.001)
    moved = UR5.simulate(motion.q(0.0), motion.qd(0.0), law, t)
    # a rate that is held for h lags by h/2: half of a step of the largest speed, and less with feedback
    assert np.abs(moved.q - motion.q(t)).max() < 0.001 * np.abs(motion.qd(t)).max()


def test_controllers_of_frames_follow_poses() -> None:
    q0, t = np.array([0.0, -1.2, 1.3, -0.6, -1.57, 0.4]), np.arange(0, 1, 0.001)
    start = UR5.forward_kinematics(q0, "tool0")
    path = line(start, revolute.Transform(p=(0.05, 0.1, 0.02)).matrix() @ start, 1.0)
    moved = UR5.simulate(q0, np.zeros(6), revolute.control.ResolvedAcceleration(UR5, "tool0", path, 400.0), t)
    off = UR5.forward_kinematics(moved.q, "tool0")[:, :3, 3] - path.pose(t)[:, :3, 3]
    assert np.abs(off).max() < 0.001 * np.abs(path.twist(t)).max()


@pytest.mark.parametrize("name", ["polynomials", "time optimal", "floating"])
def test_pictures_show_what_is_asked_for(name: str) -> None:
    motion = trajectories()[name]
    robot = FLOATING if name == "floating" else UR5
    assert len(motion.plot().axes) == 3
    axes = motion.plot(robot, title="a $title").axes
    assert [x.get_title("left") for x in axes] == ["position", "velocity", "acceleration", "joint force"]
    shown = axes[1].get_lines()[2]
    np.testing.assert_allclose(shown.get_ydata(), motion.qd(shown.get_xdata())[:, 2])
    if robot is UR5:
        force = axes[3].get_lines()[1]
        tau = UR5.inverse_dynamics(*motion(force.get_xdata()))[:, 1]
        np.testing.assert_allclose(force.get_ydata(), 100 * tau / 150)
    assert_raises(revolute.InputError, "has different joints than", motion.plot, revolute.robots.planar(2))


def test_robots_with_drives_are_robots() -> None:
    elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
    motion = quintic(elbow, [[0.0, 0.0], [1.0, 2.0]], 1.0)
    assert motion.model.coordinate_names == elbow.coordinate_names
    report = motion.check(elbow, torque=50.0)
    most = np.abs(elbow.inverse_dynamics(*motion(np.linspace(0, 1, 5001)))).max(axis=0)
    np.testing.assert_allclose([abs(x.value) for x in report.rows if x.kind == "torque"], most, rtol=1e-6)
    assert uniform_scaling(motion, elbow, torque=50.0).kind == "torque"
