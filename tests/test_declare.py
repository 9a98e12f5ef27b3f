"""Declarations of compiled functions: what they say of arrays and options, and that a function takes no more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import revolute
from revolute.errors import GraphError
from revolute.machine.declare import Arrays, declared
from revolute.machine.functions import FUNCTIONS, energy

RECURSION = '''"""Sum of squared speeds."""

from revolute.model.model import Model


def squared_speed(model: Model, q, qd, wrenches=None, scale="one"):
    """qd . qd + q . q, twice that on request, and the sum of all wrenches' numbers."""
    loads = sum(x for wrench in (wrenches or {}).values() for x in wrench)
    return (2 if scale == "two" else 1) * sum(v * v for v in (*q, *qd)) + loads, [v * v for v in qd]
'''

DECLARATION = '''

from revolute.dynamics.squared_speed import squared_speed as recursion


class SquaredSpeed(Face):
    """A function that was not there."""

    @declared(recursion, "q qd -> s: ; each: nv")
    def squared_speed(self, q, qd, scale="one", *, wrenches=None, out=None, threads=None):
        """Its text."""
'''

USE = """
import inspect, pickle
import numpy as np
import revolute
from revolute.machine import robot
from revolute.machine.face.energy import SquaredSpeed

class Robot(robot.Robot, SquaredSpeed):
    pass

arm = Robot.of(revolute.robots.planar(2))
q, qd = np.random.default_rng(0).standard_normal((2, 5, 2))
s, each = arm.squared_speed(q, qd)
np.testing.assert_allclose(s, (q**2 + qd**2).sum(-1), rtol=1e-15)
np.testing.assert_array_equal(each, qd**2)
for k in range(5):
    row = arm.squared_speed(q[k].copy(), qd[k].copy())
    assert row[0] == s[k] and type(arm.squared_speed.func) is type(len)
    assert arm.squared_speed(q[k].copy(), qd[k].copy(), "two")[0] == 2 * s[k]
    load = arm.squared_speed(q[k].copy(), qd[k].copy(), wrenches={"tip": np.ones(6)})[0]
    assert abs(load - s[k] - 6) < 1e-14, load
    assert arm.squared_speed(list(q[k]), qd[k], scale="one")[0] == s[k]
count = arm.kernel("squared_speed").count()
print(count.multiplications, count.additions, inspect.signature(arm.squared_speed), arm.squared_speed.__doc__)
"""


def test_a_new_function_takes_a_recursion_and_a_declaration(tmp_path: Path) -> None:
    """Two files; batches, fast calls, options, wrenches and counts come by themselves."""
    package = tmp_path / "revolute"
    shutil.copytree(Path(revolute.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "dynamics" / "squared_speed.py").write_text(RECURSION)
    with (package / "machine" / "face" / "energy.py").open("a") as file:
        file.write(DECLARATION)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "REVOLUTE_CACHE_DIR": str(tmp_path / "cache")}
    run = subprocess.run([sys.executable, "-c", USE], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "4 3 (q, qd, scale='one', *, wrenches=None, out=None, threads=None) Its text.\n"


def test_arrays_are_read() -> None:
    arrays = Arrays.of("q qd x[6,nv] h[] -> k, l: 6; Y: nv 10n; T")
    assert arrays.inputs == (("q", ("nq",)), ("qd", ("nv",)), ("x", ("6", "nv")), ("h", ()))
    assert arrays.outputs == (("k, l", ("6",)), ("Y", ("nv", "10n")), ("T", ()))
    signature = arrays.signature("f", revolute.robots.planar(3), lambda *x: x)
    assert [x.shape for x in signature.inputs] == [(3,), (3,), (6, 3), ()]
    assert [shape for _, shape in signature.outputs] == [(6,), (3, 30), ()]
    with pytest.raises(GraphError, match=r"the input x has no size; write x\[6\]"):
        Arrays.of("x -> y")


def test_results_must_fill_their_shapes() -> None:
    signature = Arrays.of("q -> y: 4").signature("f", revolute.robots.planar(3), lambda q: [q])
    with pytest.raises(GraphError, match=r"f: y has shape \(4,\), but the recursion gives 3 scalars"):
        signature.body([1, 2, 3])


def test_recursions_are_where_kernels_are_known_by() -> None:
    with pytest.raises(GraphError, match="is no source of kernels"):
        declared(lambda model, q: q, "q -> y: nq")


def test_a_declaration_fits_its_method() -> None:
    def power(self: Any, q: Any, *, out: Any = None) -> None:
        """No velocity, no threads."""

    with pytest.raises(GraphError, match="power has no parameter qd, threads"):
        declared(energy.power, "q qd -> P")(power)


def test_options_are_the_other_parameters() -> None:
    assert FUNCTIONS["jacobian"].options == {"frame", "reference"}
    assert FUNCTIONS["forward_dynamics"].options == {"wrenches", "method", "parameters"}
    assert FUNCTIONS["forward_dynamics"].inverts and not FUNCTIONS["mass_matrix"].inverts
    assert FUNCTIONS["mass_matrix"].options == {"parameters"} and FUNCTIONS["regressor"].options == set()
