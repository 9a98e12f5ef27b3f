"""Ctrl-C in the middle of a batch, a rollout, a search or a compilation: it comes there, and all is usable after it."""

import gc
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import revolute
from revolute import Robot
from revolute.graph import Input, trace
from revolute.graph.node import Node

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")


@contextmanager
def interrupted(after: float) -> Iterator[None]:
    """What is interrupted after so many seconds, as by Ctrl-C: KeyboardInterrupt comes from there."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt("now")

    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt, match=r"now|simulate: interrupted"):
            signal.setitimer(signal.ITIMER_REAL, after)
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)


@pytest.fixture(scope="module")
def tree() -> Robot:
    return revolute.robots.random_tree(12, rng=3)


def strided(x: np.ndarray) -> np.ndarray:
    return np.repeat(x, 2, axis=0)[::2]


@pytest.mark.parametrize(("layout", "threads"), [(np.ascontiguousarray, None), (np.ascontiguousarray, 1), (strided, 2)])
def test_batches(tree: Robot, layout: Callable[[np.ndarray], np.ndarray], threads: int | None) -> None:
    """The last rows were not computed."""
    rng = np.random.default_rng(1)
    q, qd, tau = (layout(rng.standard_normal((400_000, 12))) for _ in range(3))
    out = np.full((400_000, 12), np.nan)
    expected = tree.forward_dynamics(q[:9], qd[:9], tau[:9])
    tree.forward_dynamics(q[:9999], qd[:9999], tau[:9999])  # helpers begin
    with interrupted(0.01):
        tree.forward_dynamics(q, qd, tau, out=out, threads=threads)
    assert np.isnan(out[-1]).all()
    np.testing.assert_array_equal(tree.forward_dynamics(q[:9], qd[:9], tau[:9], threads=threads), expected)


def test_rollouts_and_searches() -> None:
    robot = revolute.robots.ur5()
    rng = np.random.default_rng(2)
    q, qd = rng.uniform(-1, 1, (2, 2000, 6))
    poses = robot.forward_kinematics(rng.uniform(-3, 3, (200_000, 6)), "tool0")
    short = robot.simulate(q[:3], qd[:3], None, np.arange(5) * 1e-3).q
    found = robot.inverse_kinematics(poses[:3], "tool0").q
    with interrupted(0.1):
        robot.simulate(q, qd, None, np.arange(1000) * 1e-3)
    with interrupted(0.02):
        robot.inverse_kinematics(poses, "tool0")
    np.testing.assert_array_equal(robot.simulate(q[:3], qd[:3], None, np.arange(5) * 1e-3).q, short)
    np.testing.assert_array_equal(robot.inverse_kinematics(poses[:3], "tool0").q, found)


def test_compilations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wherever one is interrupted, nothing of it is kept; the next one is whole."""
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("REVOLUTE_OPT", "1")
    for k, after in enumerate((0.02, 0.1, 0.3)):
        robot = revolute.robots.random_tree(15, rng=k)
        with interrupted(after):
            for name in ("coriolis_matrix", "forward_dynamics_partials", "mass_matrix_partials"):
                robot.kernel(name)
    q, qd = np.random.default_rng(1).standard_normal((2, 15))
    C = robot.coriolis_matrix(q, qd)
    np.testing.assert_allclose(C @ qd, robot.coriolis_forces(q, qd), rtol=1e-10, atol=1e-10)


def test_what_was_traced_is_not_left_to_the_garbage_collector() -> None:
    """Its collection, of a million nodes, takes more than a second, in which no other Ctrl-C comes."""

    def interrupted_recursion(q: Any) -> Any:
        x = q[0]
        for _ in range(5000):
            x = x * q[1] + q[0]
        raise KeyboardInterrupt

    def nodes() -> int:
        return sum(type(x) is Node for x in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = nodes()
        with suppress(KeyboardInterrupt):
            trace("any", interrupted_recursion, (Input("q", (2,)),))
        assert nodes() < before + 100
    finally:
        gc.enable()
