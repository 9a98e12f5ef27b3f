"""First calls of a method from several threads at once, which Python lets take turns after every few instructions."""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from comparing import assert_each
from machine_code import fast_calls

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


def race(work: Callable[[int], None]) -> None:
    """Do some work in several threads that begin together; whatever one of them raises comes out."""
    start, raised = threading.Barrier(THREADS), []

    def run(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in raised:
        raise error


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
def test_first_calls_of_a_robot(robots: int) -> None:
    expected = calls(revolute.robots.planar(2))
    for _ in range(robots):
        robot = revolute.robots.planar(2)

        def work(number: int, robot: Robot = robot) -> None:
            for _ in range(2):
                assert_each(np.testing.assert_array_equal, calls(robot), expected)

        race(work)
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
        kernels: list[list[Any]] = [[], []]

        def work(number: int, pair: list[Robot] = pair, kernels: list[list[Any]] = kernels) -> None:
            for k in (0, 1):
                kernel = pair[k].kernel("inverse_dynamics")
                kernels[k].append(kernel)
                np.testing.assert_array_equal(kernel(X, X, X), expected)
                np.testing.assert_array_equal(kernel.ufunc(X, X, X), expected)

        race(work)
        for group in kernels:
            assert len(group) == THREADS and all(kernel is group[0] for kernel in group)


def test_large_results_in_many_threads() -> None:
    """Memory of results that died is used again, by one thread at a time."""
    robot = revolute.robots.planar(2)
    rows = np.random.default_rng(7).standard_normal((9000, 2))  # results of 288 kB, which are kept
    expected = robot.mass_matrix(rows)

    def work(number: int) -> None:
        mine = np.roll(rows, number, axis=0)
        for _ in range(30):
            np.testing.assert_array_equal(robot.mass_matrix(mine), np.roll(expected, number, axis=0))

    race(work)
