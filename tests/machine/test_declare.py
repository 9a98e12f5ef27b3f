"""Declarations of compiled functions: what they say of arrays and options, and that a function takes no more."""

import dataclasses
import gc
import os
import re
import shutil
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from processes import printed

import revolute
from revolute.compiler.signature import Signature
from revolute.dynamics import energy
from revolute.dynamics.newton_euler import newton_euler
from revolute.errors import GraphError
from revolute.machine.declare import declared, internal
from revolute.machine.function import Arrays, Function, MachineData
from revolute.machine.robot.base import sizes
from revolute.published.counting import formulation

ROOT = Path(__file__).parents[2]

RECURSION = '''"""Sum of squared speeds."""

from revolute.model.model import Model


def squared_speed(model: Model, q, qd, wrenches=None, scale="one"):
    """qd . qd + q . q, twice that on request, and the sum of all wrenches' numbers."""
    loads = sum(x for wrench in (wrenches or {}).values() for x in wrench)
    return (2 if scale == "two" else 1) * sum(v * v for v in (*q, *qd)) + loads, [v * v for v in qd]


def driven_squared_speed(tree: Model, drives, p, pd, wrenches=None, scale="one"):
    """Of the joints; each of a coordinate."""
    total, _ = squared_speed(tree, drives.positions(tree, p), drives.rates(pd), wrenches, scale)
    return total, [v * v for v in pd]
'''

DECLARATION = '''
    @declared(squared_speed, "q qd -> s: ; each: nv", driven=WithDrives(driven_squared_speed))
    def squared_speed(self, q, qd, scale="one", *, wrenches=None, out=None, threads=None):
        """Sum of squared speeds. GOA 99."""
'''

IMPORT = "from revolute.dynamics.squared_speed import driven_squared_speed, squared_speed\n"

USE = '''
import inspect, pickle
import numpy as np
import revolute
from tools.pages import functions

arm = revolute.robots.planar(2)
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
elbow = arm.with_drives(coupling=[[1, 0], [-1, 1]])
joints = elbow.joint_positions(q), elbow.joint_velocities(qd)
np.testing.assert_allclose(elbow.squared_speed(q, qd)[0], arm.squared_speed(*joints)[0], rtol=1e-15)
np.testing.assert_array_equal(elbow.squared_speed(q, qd)[1], qd**2)
print(inspect.signature(arm.squared_speed), arm.squared_speed.__doc__.splitlines()[0])
assert "    out, threads: see `Robot" in arm.squared_speed.__doc__
print(arm.count("squared_speed"))
print(*[line for line in functions.tables() if "squared_speed(q" in line])
'''

USED = '''(q, qd, scale='one', *, wrenches=None, out=None, threads=None) Sum of squared speeds. GOA 99.
4 mul + 3 add, 0 div, 0 calls
| [`squared_speed(q, qd)`](reference/robot/energy.md#revolute.Robot.squared_speed) | Sum of squared speeds | (…); (…,&nbsp;nv) | GOA 99 |
'''  # noqa: E501


def test_a_new_function_takes_a_recursion_and_a_declaration(tmp_path: Path) -> None:
    """Two files. Batches, fast calls, options, wrenches, drives, counts, its row, contract tests come by themselves."""
    package = tmp_path / "revolute"
    shutil.copytree(Path(revolute.__file__).parent, package)
    (package / "dynamics" / "squared_speed.py").write_text(RECURSION)
    group = package / "machine" / "robot" / "energy.py"
    text = group.read_text()
    first = text.index("from revolute.")
    group.write_text(text[:first] + IMPORT + text[first:] + DECLARATION)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (tmp_path, ROOT))),
        "REVOLUTE_CACHE_DIR": str(tmp_path / "cache"),
    }
    assert printed(USE, **environment) == USED
    contract = ["-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-k", "arm-squared_speed"]
    run = subprocess.run(
        [sys.executable, *contract, str(ROOT / "tests" / "machine" / "test_contract.py")],
        capture_output=True, text=True, env=environment, check=False, cwd=ROOT,
    )
    assert run.returncode == 0, run.stdout
    assert re.search(r"\b10 passed", run.stdout), run.stdout


def form(arrays: str, recursion: Any) -> Signature:
    """A function of a planar robot of three joints."""
    model = revolute.robots.planar(3)
    subject = MachineData(model.name, (model,), sizes(model), None)
    return Function("f", recursion, lambda: Arrays.of(arrays)).signature(subject, {})


def test_arrays_are_read() -> None:
    arrays = Arrays.of("q qd x[6,nv] h[] -> k, l: 6; Y: nv 10n; T")
    assert arrays.inputs == (("q", ("nq",)), ("qd", ("nv",)), ("x", ("6", "nv")), ("h", ()))
    assert arrays.outputs == (("k, l", ("6",)), ("Y", ("nv", "10n")), ("T", ()))
    signature = form("q qd x[6,nv] h[] -> k, l: 6; Y: nv 10n; T", lambda model, *x: x)
    assert [x.shape for x in signature.inputs] == [(3,), (3,), (6, 3), ()]
    assert [shape for _, shape in signature.outputs] == [(6,), (3, 30), ()]
    assert_raises(GraphError, r"the input x has no size; write x\[6\]", Arrays.of, "x -> y")
    signature = form("q -> y: 4", lambda model, q: [q])
    assert_raises(GraphError, r"f: y has shape \(4,\), but the recursion returns 3 scalars", signature.body, [1, 2, 3])


def test_recursions_of_others_are_known_by_their_graphs() -> None:
    """So a kernel is never that of an older recursion."""
    robot = revolute.robots.planar(3)
    scale = 2

    class Scaled(revolute.Robot):
        @declared(lambda model, q: [scale * x for x in q], "q -> y: nq")
        def scaled(self, q: Any, *, out: Any = None, threads: Any = None) -> Any:
            """Some multiple of q."""

    assert Scaled.functions()["scaled"].known_as is None
    for _ in range(3):
        assert list(Scaled.from_model(robot).scaled([1.0, 2.0, 3.0])) == [2, 4, 6]
    scale = 3
    assert list(Scaled.from_model(robot).scaled([1.0, 2.0, 3.0])) == [3, 6, 9]


def test_a_declaration_fits_its_method() -> None:
    def power(self: Any, q: Any, *, out: Any = None) -> None:
        """No threads."""

    assert_raises(GraphError, "power has no parameter qd, threads", declared(energy.power, "q qd -> P"), power)

    def turned(self: Any, qd: Any, q: Any, *, out: Any = None, threads: Any = None) -> None:
        """Arrays the other way round."""

    assert_raises(GraphError, "turned: its first parameters must be q, qd", declared(energy.power, "q qd -> P"), turned)


def test_options_are_the_other_parameters() -> None:
    functions = revolute.Robot.functions()
    assert functions["jacobian"].options == ("frame", "reference", "at_point", "point")
    assert functions["forward_dynamics"].options == ("wrenches", "algorithm", "base_motion", "parameters")
    assert functions["inverse_dynamics"].options == ("wrenches", "base_motion", "parameters")
    assert functions["forward_dynamics"].inverts and not functions["mass_matrix"].inverts
    assert functions["mass_matrix"].options == ("parameters",) and functions["regressor"].options == ()


def test_machines_have_functions_of_their_own() -> None:
    """By their declarations alone: names of one machine are none of another."""
    kinds = (revolute.Robot, revolute.DrivenRobot, revolute.ConstrainedRobot, revolute.ElasticRobot)
    names = [{name for name, function in kind.functions().items() if not function.internal} for kind in kinds]
    matrices = {"mass_matrix", "coriolis_matrix", "gravity_forces", "equations_of_motion"}
    forces, energies = {"spring_forces", "forward_dynamics"}, {"kinetic_energy", "potential_energy", "total_energy"}
    both = {"forward_dynamics", "inverse_dynamics", "forward_dynamics_partials", "inverse_dynamics_partials"}
    closed = {"error", "jacobian", "multipliers", "impulse", "impulse_partials", "reduced_dynamics", "linearize"}
    contacts = {"impact", "contact_forces", "contact_step", "contact_step_differential"}
    closed |= {"kinetic_energy", "potential_energy", *contacts}
    assert names[2:] == [{*closed, *both}, {*matrices, *forces, *energies, "linearize"}]
    assert "spring_forces" in names[1] and "spring_forces" not in names[0] and "cholesky" not in names[3]
    assert names[0] - names[1] == {"placement_jacobian", "inverse_dynamics_placement_partials"}
    assert contacts < names[0] & names[1]
    assert "state_rate" in revolute.Robot.functions() and "state_rate" not in names[0]


class Doubled(revolute.Robot):
    """A robot with another inverse dynamics, and the one before."""

    @declared(lambda model, q, qd, qdd: [2 * x for x in newton_euler(model, q, qd, qdd)], "q qd qdd -> tau: nv")
    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any, *, out: Any = None, threads: Any = None) -> Any:  # type: ignore[override]
        """Twice the forces."""

    def plain(self, *arrays: Any) -> Any:
        """Those of `Robot`."""
        return super().inverse_dynamics(*arrays)


def test_a_class_may_declare_a_function_anew() -> None:
    """`super` has the one before; seen to go wrong while kernels were looked up by name."""
    robot, q = revolute.robots.planar(2), [0.1, 0.2]
    doubled, expected = Doubled.from_model(robot), robot.inverse_dynamics(q, q, q)
    for _ in range(4):
        np.testing.assert_array_equal(doubled.plain(q, q, q), expected)
        np.testing.assert_allclose(doubled.inverse_dynamics(q, q, q), 2 * expected, rtol=1e-15)
    loaded = robot.inverse_dynamics(q, q, q, wrenches={"tip": np.ones(6)})
    before = revolute.Robot.inverse_dynamics(doubled, q, q, q, wrenches={"tip": np.ones(6)})
    np.testing.assert_array_equal(before, loaded)


def test_arrays_of_the_machine_are_named() -> None:
    """Else an attribute of that name would be taken for an argument that was forgotten."""

    def f(self: Any, q: Any, *, out: Any = None, threads: Any = None) -> Any:
        """Takes no damping, but a robot has some."""

    assert_raises(GraphError, "f has no parameter damping", declared(newton_euler, "q damping[nv] -> y: nq"), f)
    with pytest.raises(GraphError, match="sizes of optional arrays must be numbers: wind, gust"):
        declared(newton_euler, "q -> y: nq", optional={"windy": "wind[nq] gust[nq]"})(f)


def test_classes_of_machines_may_die() -> None:
    def once() -> weakref.ref[type]:
        class Passing(revolute.Robot):
            pass

        Passing.from_model(revolute.robots.planar(1)).mass_matrix([0.0])
        return weakref.ref(Passing)

    kept = [once() for _ in range(3)]
    gc.collect()
    assert [kind() for kind in kept] == [None] * 3


def test_a_function_that_others_declare_has_no_name_in_the_cache() -> None:
    """Of options such as `on`, nobody can see the code."""
    turned = internal("turned", newton_euler, "q qd qdd -> tau: nv", on=lambda model: model.with_gravity((0, 1, 0)))
    assert turned.known_as is None
    assert all(function.known_as for function in revolute.Robot.functions().values())
    robot = revolute.Robot.from_model(revolute.robots.ur5())
    function = formulation("walker_orin")
    assert robot.kernel(function) is robot.kernel(function) and len(robot._kernels) == 1


def test_robots_get_no_attributes_but_those_of_classes_of_others() -> None:
    class Mine(revolute.Robot):
        """A user's robot."""

    mine = Mine.from_model(revolute.robots.planar(2))
    mine.note = "left"  # type: ignore[attr-defined]
    assert mine.note == "left"  # type: ignore[attr-defined]
    for name in ("gravity", "note", "drives", "inverse_dynamics", "q_index"):
        with pytest.raises(dataclasses.FrozenInstanceError, match=f"{name} of robot 'planar2' cannot be changed; "):
            setattr(mine, name, 0)
    with pytest.raises(dataclasses.FrozenInstanceError, match="note of robot 'planar2' cannot be set; robots have no"):
        revolute.robots.planar(2).note = "left"  # type: ignore[attr-defined]
    arm = revolute.robots.planar(2).with_elastic_joints(1000.0, rotor_inertia=0.1)
    with pytest.raises(AttributeError, match="stiffness of a robot with elastic joints cannot be changed"):
        arm.stiffness = np.ones(2)
    with pytest.raises(AttributeError, match="inverse_dynamics of a robot with elastic joints cannot be changed"):
        arm.inverse_dynamics = len
