"""The least time along a path: closed forms of one joint, toppra alone, and limits between points of the grid."""

import math
import sys
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from scipy.optimize import brentq

import revolute
from revolute import Drive, InputError, TrajectoryError
from revolute.trajectory import quintic, spline, time_optimal

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of escapes in its docstrings, when Python compiles them
    import toppra
    from toppra import constraint
    from toppra.algorithm import TOPPRA

UR5 = revolute.robots.ur5()
WAY = np.array([[0, -1, 1, 0, 0, 0], [0.5, -0.5, 0.5, 1, 0.3, 0], [1, -1, 1, 0, 0.1, 0.2], [0.2, -1.4, 0.3, 0, 0, 1.0]])
WHEEL = revolute.robots.planar(1).with_gravity((0, 0, 0))
INERTIA = float(WHEEL.mass_matrix([0.0])[0, 0])
toppra.setup_logging("ERROR")


def path(ends: str = "natural") -> Any:
    return spline(UR5, WAY, [0, 1, 2, 3], ends=ends)


def alone(limits: np.ndarray, friction: np.ndarray | float, grid: np.ndarray, way: np.ndarray, **options: Any) -> float:
    """Duration by toppra, with its own path and constraints."""
    curve = toppra.SplineInterpolator(np.linspace(0, len(way) - 1, len(way)), way, "natural")
    both, scheme = np.array([-1, 1]), constraint.DiscretizationType.Interpolation
    torques = constraint.SecondOrderConstraint.joint_torque_constraint(
        UR5.inverse_dynamics, np.outer(limits, both), friction, discretization_scheme=scheme
    )
    constraints = [constraint.JointVelocityConstraint(np.outer(UR5.velocity_limits, both)), torques]
    if options:
        acceleration = np.outer(np.full(6, options["acceleration"]), both)
        constraints.append(constraint.JointAccelerationConstraint(acceleration, scheme))
    search = TOPPRA(constraints, curve, gridpoints=grid, parametrizer="ParametrizeConstAccel")
    return float(search.compute_trajectory(0, 0).duration)


@pytest.mark.parametrize("options", [{}, {"acceleration": 20.0}])
def test_the_duration_equals_that_of_toppra(options: dict[str, float]) -> None:
    """The same problem in other words: rounding of linear programmes, whose tolerance is 1e-8."""
    limits = UR5.effort_limits / 2
    fast = time_optimal(path(), UR5, torque=limits, grid=300, **options)
    assert fast.planned == pytest.approx(alone(limits, 0.0, np.linspace(0, 3, 301), WAY, **options), rel=1e-7)


def test_with_coulomb_friction_too() -> None:
    """On a way that no joint turns round on; at rest, toppra's friction pushes and ours does not."""
    way = np.array([[0, -1, 1, 0, 0, 0], [0.5, -0.7, 0.8, 1, 0.3, 0.1], [1, -0.2, 0.4, 2.1, 0.5, 0.2]])
    limits, friction = UR5.effort_limits / 2, np.array([6.0, 6, 6, 2, 2, 2])
    curve = spline(UR5, way, [0, 1, 2])
    assert (np.diff(np.sign(curve.qd(np.linspace(0, 2, 99))), axis=0) == 0).all()
    driven = UR5.with_drives({name: Drive(friction=(x,)) for name, x in zip(UR5.joint_names, friction, strict=True)})
    fast = time_optimal(curve, driven, torque=limits, grid=400)
    assert fast.planned == pytest.approx(alone(limits, friction, np.linspace(0, 2, 401), way), rel=1e-3)
    assert fast.planned < 0.98 * time_optimal(curve, UR5, torque=limits, grid=400).planned  # it helps to brake


@pytest.mark.parametrize(
    "drive", [None, Drive(damping=(4.0,)), Drive(friction=(3.0,)), Drive((2.0,), (3.0,), armature=(0.1,))]
)
@pytest.mark.parametrize("grid", [100, 500])
def test_torques_with_friction_are_within_limits_at_ten_times_finer_samples(drive: Drive | None, grid: int) -> None:
    robot = UR5 if drive is None else UR5.with_drives(dict.fromkeys(UR5.joint_names, drive))
    fast = time_optimal(path(), robot, grid=grid)
    q, qd, qdd = fast(np.unique([np.linspace(*ends, 12) for ends in pairwise(fast.breaks)]))
    shares = np.hstack([robot.inverse_dynamics(q, qd, qdd) / UR5.effort_limits, qd / UR5.velocity_limits])
    assert np.abs(shares).max() <= 1 + 1e-9 and fast.check(robot)
    # little is lost by slowing down, and some limit is touched nearly everywhere
    assert 0.99 < fast.factor <= 1 and fast.duration == pytest.approx(fast.planned / fast.factor, rel=1e-12)
    assert np.mean(np.abs(shares).max(axis=1) > 0.97) > 0.9
    np.testing.assert_allclose(fast.q([0, fast.duration]), WAY[[0, -1]], atol=1e-9)
    np.testing.assert_allclose(fast.qd([0, fast.duration]), 0, atol=1e-9)


def test_a_finer_grid_comes_nearer_to_the_optimum() -> None:
    robot = UR5.with_drives(dict.fromkeys(UR5.joint_names, Drive(damping=(2.0,), friction=(3.0,))))
    coarse, fine, finest = (time_optimal(path(), robot, grid=n) for n in (100, 400, 1600))
    assert coarse.duration > fine.duration > finest.duration
    assert coarse.factor < fine.factor < finest.factor <= 1
    assert abs(fine.duration - finest.duration) < 0.4 * abs(coarse.duration - finest.duration)


def test_a_wheel_without_friction_takes_bang_bang_time() -> None:
    """2 sqrt(d I / tau): half the way with all the torque, half against it."""
    fast = time_optimal(spline(WHEEL, [[0.0], [1.7]], 1.0), WHEEL, torque=2.0, grid=100)
    assert fast.planned == pytest.approx(2 * math.sqrt(1.7 * INERTIA / 2), rel=1e-7)


def test_a_wheel_with_coulomb_friction_brakes_with_the_torque_alone_at_rest() -> None:
    """Accelerates by (tau - F)/I. While it turns friction brakes it too, at rest it may not: so by tau/I at the end.

    The least time is between those of braking by (tau + F)/I, and by tau/I all the way.
    """
    driven = WHEEL.with_drives({"joint1": Drive(friction=(0.5,))})
    fast = time_optimal(spline(driven, [[0.0], [1.7]], 1.0), driven, torque=2.0, grid=400)

    def duration(down: float) -> float:
        up = (2.0 - 0.5) / INERTIA
        speed = math.sqrt(2 * 1.7 / (1 / up + INERTIA / down))
        return speed / up + speed * INERTIA / down

    assert duration(2.5) < fast.duration < duration(2.0)
    assert fast.duration == pytest.approx(duration(2.5), rel=1e-2)


def test_a_wheel_with_viscous_friction_is_solved_too() -> None:
    """v' = (tau - D v)/I, then v' = -(tau + D v)/I: the exact switch by their exponentials."""
    D, tau, way, I = 0.8, 2.0, 1.7, INERTIA
    rate, most = D / I, tau / D

    def ways(first: float) -> tuple[float, float]:
        speed = most * (1 - math.exp(-rate * first))
        second = math.log(1 + speed / most) / rate
        return most * first - speed / rate + (speed / rate - most * second), second

    first = brentq(lambda t: ways(t)[0] - way, 1e-3, 50, xtol=1e-14)
    driven = WHEEL.with_drives({"joint1": Drive(damping=(D,))})
    exact = first + ways(first)[1]
    curve = spline(driven, [[0.0], [way]], 1.0)
    late = [time_optimal(curve, driven, torque=tau, grid=n).duration - exact for n in (100, 400, 1600)]
    # accelerations that are constant in an interval leave some torque unused, in proportion to its time
    assert late[0] > 1.8 * late[1] > 3.2 * late[2] > 0
    assert late[2] < 1.5e-3 * exact


def test_floating_robots_are_timed_too() -> None:
    robot = revolute.robots.random_tree(2, rng=3, base="free").with_gravity((0, 0, 0))
    curve = spline(robot, robot.random_configuration(3, rng=0), 1.0)
    fast = time_optimal(curve, robot, torque=5.0, velocity=3.0)
    assert fast.check(robot, torque=5.0, velocity=3.0)
    assert fast.duration < 3 * 1.0 * max(1, float(np.abs(curve.qd(np.linspace(0, 1, 50))).max()))


def test_what_cannot_be_timed_is_named() -> None:
    bent = quintic(UR5, WAY[:3], 3.0, velocities=np.ones(6), accelerations=[[0] * 6, [1] * 6, [0] * 6])
    assert time_optimal(bent, UR5).duration > 0
    jumping = revolute.trajectory.cubic(UR5, WAY[:3], 3.0, velocities=np.ones(6))
    for error, message, curve, robot, options in (
        (TrajectoryError, "the path stops at its time 0 s; use a path without stops", quintic(UR5, WAY, 3.0), UR5, {}),
        (TrajectoryError, "the path's acceleration jumps at its time 1.5 s", jumping, UR5, {}),
        (TrajectoryError, r"'shoulder_lift_joint' needs [\d.]+ N m to overcome gravity", path(), UR5,
         {"torque": {"shoulder_lift_joint": 20.0}}),
        (InputError, "'planar1' has no limits of velocity or torque", spline(WHEEL, [[0.0], [1.0]], 1.0), WHEEL, {}),
        (InputError, "grid must be a whole number, 10 or more, not 3", path(), UR5, {"grid": 3}),
        (InputError, "path must be of the type Trajectory", WAY, UR5, {}),
    ):
        assert_raises(error, message, time_optimal, curve, robot, **options)


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toppra", None)
    assert_raises(revolute.MissingExtraError, r"needs toppra.*\.\[control\]", time_optimal, path(), UR5)
