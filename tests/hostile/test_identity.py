"""What a kernel's key stands for determines its code: no model gets the machine code of another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import revolute
from revolute import Closure, PointClosure, Prismatic, Revolute, Robot
from revolute.compile import kernel
from revolute.joints import Joint

ARM = revolute.robots.planar(2)

CLOSURE = """
import revolute
class Ratio(revolute.Closure):
    def error(self, robot, q): return [q[0] - {K} * q[1]]
    def row_names(self): return ["ratio"]
    def __repr__(self): return "Ratio()"
    def __eq__(self, other): return isinstance(other, Ratio)
    def __hash__(self): return 1
arm = revolute.robots.planar(2).with_closures(Ratio())
print(*arm.error([1.0, 1.0]), *arm.jacobian([1.0, 1.0])[0], arm._error.from_cache)
"""

JOINT = """
import revolute
from revolute import Connection, Inertia, Link, Prismatic, Robot, Transform
class Cam(revolute.Prismatic):
    def transform(self, q): return Transform(p=self.axis * (q[0] * {K}))
    def __repr__(self): return "Cam()"
links = [Link("base"), Link("rod", Inertia.from_com(1.0))]
arm = Robot.from_links("cam", links, [Connection("slide", "base", "rod", Cam((0, 0, 1)))])
print(arm.potential_energy([1.0]), arm.kernel("potential_energy").from_cache, arm.digest)
"""


def said(code: str, folder: Path) -> list[str]:
    """What a new process with that cache folder prints."""
    environment = {**os.environ, "REVOLUTE_CACHE_DIR": str(folder / "cache")}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def test_a_users_closure_is_known_by_what_it_computes(tmp_path: Path) -> None:
    first, second, again = (said(CLOSURE.format(K=K), tmp_path) for K in (2, 5, 2))
    assert first == ["-1.0", "1.0", "-2.0", "False"]
    assert second == ["-4.0", "1.0", "-5.0", "False"]
    assert again == ["-1.0", "1.0", "-2.0", "True"]


def test_a_users_joint_is_known_by_what_it_computes(tmp_path: Path) -> None:
    first, second, again = (said(JOINT.format(K=K), tmp_path) for K in (1, 3, 1))
    assert [float(x[0]) for x in (first, second, again)] == pytest.approx([9.81, 29.43, 9.81], rel=1e-15)
    assert [x[1:] for x in (first, second, again)] == [["False", "None"], ["False", "None"], ["True", "None"]]


class Scaled(Closure):
    """A closure whose constant is neither in its repr nor in its equality."""

    K: float = 2.0

    def error(self, robot: Robot, q: Any) -> list[Any]:
        return [q[0] - self.K * q[1]]

    def row_names(self) -> list[str]:
        return ["scaled"]

    def __repr__(self) -> str:
        return "Scaled()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scaled)

    def __hash__(self) -> int:
        return 1


def test_a_constant_that_changes_within_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    before, closure = ARM.with_closures(Scaled()), Scaled()
    assert before.error([1.0, 1.0]) == [-1.0]
    closure.K = 3.0
    assert ARM.with_closures(closure).error([1.0, 1.0]) == [-2.0]
    monkeypatch.setattr(Scaled, "K", 5.0)
    assert ARM.with_closures(Scaled()).error([1.0, 1.0]) == [-4.0]
    assert before.error([1.0, 1.0]) == [-1.0]
    assert "5" in str(ARM.kernel("closure_error", closures=(Scaled(),)).graph)


def test_the_code_of_a_kernel_is_that_of_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tracing again, after a constant changed, would show other code than that which runs."""
    monkeypatch.setattr(Scaled, "K", 6.0)
    found = ARM.kernel("closure_error", closures=(Scaled(),))
    monkeypatch.setattr(Scaled, "K", 7.0)
    assert "6" in str(found.graph) and "7" not in str(found.graph)
    assert found([1.0, 1.0]) == [-5.0]


def turned(self: Any, q: Any) -> Any:
    return Prismatic((1, 0, 0)).transform(q)


CHANGES: dict[str, Callable[[pytest.MonkeyPatch], Any]] = {
    "method": lambda patch: patch.setattr(Revolute, "transform", turned),
    "method of its base": lambda patch: patch.setattr(Joint, "columns", turned),
    "property": lambda patch: patch.setattr(Revolute, "angles", property(turned)),
    "constant": lambda patch: patch.setattr(PointClosure, "_turns", ((0, 1),)),
    "method of a closure": lambda patch: patch.setattr(PointClosure, "error", turned, raising=False),
    "attribute of an object": lambda patch: patch.setitem(vars(ARM.bodies[1].joint), "transform", turned),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_class_of_ours_that_somebody_changed_is_not_ours(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = replace(ARM, closures=(PointClosure("tip"),))
    before = robot.digest
    CHANGES[change](monkeypatch)
    changed = replace(robot).digest
    assert before is not None and changed != before and (changed is None) == (change != "constant")
    monkeypatch.undo()
    assert replace(robot).digest == before


def test_a_subclass_of_ours_is_not_ours() -> None:
    @dataclass(frozen=True)
    class Point(PointClosure):
        pass

    assert replace(ARM, closures=(Point("tip"),)).digest is None
    assert replace(ARM, closures=(PointClosure("tip"),)).digest is not None


def test_another_machine_has_other_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A shared home must not give one machine the code of another: every property of the host counts."""
    from revolute import compile as module

    asked: list[str] = []
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(module.cache, "read", asked.append)
    monkeypatch.setattr(module, "_kernels", {})
    own = module.host()
    others = [
        replace(own, triple="sparc-unknown"),
        replace(own, cpu="other"),
        replace(own, features="+other"),
        replace(own, vector_bits=2 * own.vector_bits),
        replace(own, fma=not own.fma),
    ]
    notes = {"operations": 0, "seconds": 0.0}
    monkeypatch.setattr(module.Kernel, "_compiled", lambda kernel, key: (None, notes, False))
    for machine in (own, own, *others):
        monkeypatch.setattr(module, "host", lambda machine=machine: machine)
        kernel(ARM, "gravity_forces")
    assert len(asked) == len(set(asked)) == 6


# --- numbers ---------------------------------------------------------------------------------


class Loud(float):
    """A float that prints as another."""

    def __repr__(self) -> str:
        return "-9.81"


def test_a_float_that_prints_as_another_is_what_it_is() -> None:
    robot = ARM.with_gravity((0, Loud(-4.905), 0))
    assert robot.digest != ARM.digest
    assert [type(x) for x in robot.gravity] == [int, float, int]
    np.testing.assert_array_equal(robot.gravity_forces([0.3, 0.4]) * 2, ARM.gravity_forces([0.3, 0.4]))


def test_arrays_without_axes_are_taken_by_value() -> None:
    down = np.array(-9.81)
    with np.printoptions(precision=3):
        one = ARM.with_gravity((0, down, 0))
        other = ARM.with_gravity((0, np.array(-9.8100000001), 0))
        assert one.digest == ARM.digest != other.digest
    expected = ARM.gravity_forces([0.3, 0.4])
    down[...] = 0.0
    np.testing.assert_array_equal(one.gravity_forces([0.3, 0.4]), expected)
    assert not np.array_equal(other.gravity_forces([0.3, 0.4]), expected)
