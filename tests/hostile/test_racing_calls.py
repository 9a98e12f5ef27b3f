"""First calls of a method from several threads at once, which Python lets take turns after every few instructions."""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from comparing import assert_each
from machine_code import fast_calls
from processes import in_threads

import revolute
from revolute import Robot

THREADS = 4
X = np.array([0.3, -0.7])
robots = pytest.mark.parametrize("robots", [60, pytest.param(1500, marks=pytest.mark.slow)])
"""How many robots are raced for, each one new."""


@pytest.fixture(autouse=True)
def _quick_turns() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def calls(robot: Any) -> list[np.ndarray]:
    return [
        robot.inverse_dynamics(X, X, X),
        robot.jacobian(X, "tip"),
        robot.jacobian(X, "tip", "world"),
        robot.jacobian(X, frame="tip"),
        robot.forward_kinematics(X, "tip"),
        robot.mass_matrix([0.3, -0.7]),
        *robot.equations_of_motion(X, X),
    ]


@robots
def test_many_threads_may_make_the_first_call_at_once(robots: int) -> None:
    expected = calls(revolute.robots.planar(2))
    for _ in range(robots):
        robot = revolute.robots.planar(2)

        def work(number: int, robot: Robot = robot) -> None:
            for _ in range(2):
                assert_each(np.testing.assert_array_equal, calls(robot), expected)

        in_threads(work, THREADS)
        work(0)
        work(0)
        # every way of calling was learned in the end, and none twice
        assert fast_calls(robot.jacobian) == 3
        assert fast_calls(robot.inverse_dynamics) == fast_calls(robot.equations_of_motion) == 1
        assert fast_calls(robot.mass_matrix) == 1


@robots
def test_first_kernels(robots: int) -> None:
    """Equal robots, and threads that ask for the same: kernels of the same bits, and a robot has one of each."""
    expected = revolute.robots.planar(2).inverse_dynamics(X, X, X)
    for _ in range(robots):
        pair = [revolute.robots.planar(2) for _ in range(2)]

        def work(number: int, pair: list[Robot] = pair) -> list[Any]:
            kernels = [robot.kernel("inverse_dynamics") for robot in pair]
            for kernel in kernels:
                np.testing.assert_array_equal(kernel(X, X, X), expected)
                np.testing.assert_array_equal(kernel.ufunc(X, X, X), expected)
            return kernels

        found: Any = in_threads(work, THREADS)
        assert all(kernel is found[0][k] for kernels in found for k, kernel in enumerate(kernels))


def test_many_threads_compute_large_results_at_once() -> None:
    """Memory of results that died is used again, by one thread at a time."""
    robot = revolute.robots.planar(2)
    rows = np.random.default_rng(7).standard_normal((9000, 2))  # results of 288 kB, which are kept
    expected = robot.mass_matrix(rows)

    def work(number: int) -> None:
        mine = np.roll(rows, number, axis=0)
        for _ in range(30):
            np.testing.assert_array_equal(robot.mass_matrix(mine), np.roll(expected, number, axis=0))

    in_threads(work, THREADS)
