"""Robots, references and comparisons that tests of simulations and controllers share."""

import io
import sys
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import Inertia, Joint, Link, Prismatic, Robot
from revolute.simulate import progress as bars
from revolute.simulate import run

UR5, PANDA = revolute.robots.ur5(), revolute.robots.panda()
ARMS = {"ur5": (UR5, "tool0"), "panda": (PANDA, "panda_link8")}
READY = {"ur5": np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3]), "panda": np.array([0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.7])}
"""Positions away from singular ones."""


def arrays(motion: Any) -> list[np.ndarray]:
    """All arrays of a motion, in the order of its fields."""
    values = (getattr(motion, field.name) for field in fields(motion))
    return [x for x in values if isinstance(x, np.ndarray)]


def swing(t: float) -> tuple[np.ndarray, ...]:
    """q, qd and qdd of a sine in two joints."""
    return np.full(2, np.sin(t)), np.full(2, np.cos(t)), np.full(2, -np.sin(t))


def sliders() -> Robot:
    """Two sliders, one on the other: a linear robot, [[3, 1], [1, 1]] kg along one line."""
    links = [Link("base"), Link("slider1", Inertia(m=2.0)), Link("slider2", Inertia(m=1.0))]
    joints = [Joint("a", "base", "slider1", Prismatic((1, 0, 0)))]
    joints += [Joint("b", "slider1", "slider2", Prismatic((1, 0, 0)))]
    return Robot.from_links("sliders", links, joints)


def step_by_step(simulate: Callable[[], Any]) -> Any:
    """The motion by the loop over time in Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "machine_code_loads", lambda *_: None)
        return simulate()


def shown_bars(monkeypatch: pytest.MonkeyPatch, terminal: bool = True) -> io.StringIO:
    """Text that stands for stderr, with bars that are drawn at once."""
    stream = io.StringIO()
    stream.isatty = lambda: terminal  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(bars, "SECONDS", 0.0)
    monkeypatch.setattr(bars, "EVERY", 0.0)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # another test may have run a notebook
    return stream


def peak_memory(work: Callable[[], Any], calls: int = 1) -> tuple[Any, int]:
    """What the work returns, and the largest memory [bytes] that some calls of it hold beyond that before."""
    tracemalloc.start()
    try:
        for _ in range(calls):
            found = work()
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def assert_same(a: Any, b: Any, fields: str = "q qd qdd tau energy", tolerance: float | None = None) -> None:
    """Both motions have the same bits in these fields, or the same numbers up to a tolerance."""
    for field in fields.split():
        x, y = getattr(a, field), getattr(b, field)
        if tolerance is None:
            np.testing.assert_array_equal(x, y, err_msg=field)
        else:
            np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance, err_msg=field)


def assert_all_raise(cases: Iterable[tuple[type[Exception], str, Callable[[], Any]]]) -> None:
    """Each call raises its error with its message."""
    for kind, message, call in cases:
        assert_raises(kind, message, call)
