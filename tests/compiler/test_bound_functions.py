"""`robot.inverse_dynamics` and the like are one callable each: early or late, stored or in place, the same."""

import functools
import inspect
import operator
import pickle
import pydoc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from machine_code import fast_calls

import revolute
from revolute.compiler import bound


def oscillator() -> Any:
    x, dx = sympy.symbols("x dx")
    return revolute.lagrange([x], dx**2 / 2, x**2 / 2)


MACHINES: dict[str, Callable[[], Any]] = {
    "robot": lambda: revolute.robots.planar(2),
    "driven": lambda: revolute.robots.planar(2).with_drives(),
    "system": oscillator,
}


def state(machine: Any, function: str) -> list[np.ndarray]:
    """Rows for the arrays of a function."""
    shapes = [x.shape for x in machine.kernel(function).inputs]
    return [np.random.default_rng(k).standard_normal(shape) for k, shape in enumerate(shapes)]


def functions(machine: Any) -> list[str]:
    """The functions that a machine's class declares."""
    found = {name for kind in type(machine).__mro__ for name, x in vars(kind).items() if isinstance(x, bound._Compiled)}
    return sorted(found)


def test_every_machine_has_them() -> None:
    counts = {name: len(functions(make())) for name, make in MACHINES.items()}
    assert counts == {"robot": 47, "driven": 51, "system": 9}


@pytest.mark.parametrize("name", ["robot", "system"])
def test_what_a_machine_has_learned_is_no_part_of_its_content(name: str) -> None:
    machine, fresh = MACHINES[name](), MACHINES[name]()
    for function in functions(machine):
        getattr(machine, function)
    machine.mass_matrix(*state(machine, "mass_matrix"))
    assert machine.digest == fresh.digest is not None
    if name == "robot":
        assert machine == fresh and hash(machine) == hash(fresh) and pickle.dumps(machine) == pickle.dumps(fresh)


@pytest.mark.parametrize("name", MACHINES)
def test_looking_at_attributes_compiles_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = MACHINES[name]()

    def refuse(*args: Any, **named: Any) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(type(machine), "kernel", refuse)
    for function in functions(machine):
        assert hasattr(machine, function)
        attribute = getattr(machine, function)
        assert attribute.__name__ == function and repr(attribute) and inspect.signature(attribute)
        assert pickle.dumps(attribute) and pydoc.render_doc(attribute)


def test_rows_in_single_precision_are_learned_too() -> None:
    robot = revolute.robots.planar(2)
    q = np.float32([0.3, -0.2])
    expected = robot.kernel("gravity_forces", dtype=np.float32)(q)
    for _ in range(3):
        found = robot.gravity_forces(q)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, expected)
        assert robot.gravity_forces(q.astype(float)).dtype == np.float64
    assert fast_calls(robot.gravity_forces) == 2
    assert robot.mass_matrix_partials(q).dtype == np.float32
    mixed = robot.coriolis_matrix(q, q.astype(float))
    assert mixed.dtype == np.float64


def test_all_ways_to_call_end_in_the_same_code() -> None:
    robot = revolute.robots.planar(2)
    q, qd = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    f, out = robot.bias_forces, np.empty(2)
    expected = f(q, qd)
    calls: list[Callable[[], Any]] = [
        lambda: f(*(q, qd)),
        lambda: f(*[q], qd=qd),
        lambda: f.__call__(q, qd),
        lambda: next(map(f, [q], [qd])),
        lambda: functools.partial(f, q)(qd),
        lambda: functools.partial(f, qd=qd)(q),
        lambda: functools.reduce(f, [q, qd]),
        lambda: operator.call(f, q, qd, out=out),
        lambda: f(q, qd, out=out),
        lambda: f(q.tolist(), qd),
        lambda: f(q[None], qd)[0],
    ]
    for call in calls * 3:
        np.testing.assert_array_equal(call(), expected)
    assert fast_calls(f) == 2  # one for arrays in order, one for a named one


def test_what_is_put_in_later_by_others_is_called() -> None:
    """CPython takes its own way again when it is told what to call."""
    robot = revolute.robots.planar(2)
    q = np.zeros(2)
    for _ in range(2):
        robot.gravity_forces(q)
    robot.gravity_forces.__setstate__((lambda *args: args, (), {}, {}))  # type: ignore[attr-defined]
    assert robot.gravity_forces(q) == (q,)


def test_a_function_as_an_attribute_of_another_class_gets_no_instance() -> None:
    class Weights:
        forces = revolute.robots.planar(2).gravity_forces

    np.testing.assert_array_equal(Weights().forces(np.zeros(2)), Weights.forces(np.zeros(2)))


def test_names_that_a_robot_gives_are_known_options() -> None:
    """Of frames that were read, put together or unpickled too: a loop over `link_names` is fast."""
    links = [revolute.Link("base"), revolute.Link("".join(["fore", "arm"]))]
    joints = [revolute.Connection("hinge", "base", "".join(["fore", "arm"]), revolute.Revolute())]
    arm = revolute.Robot.from_links("arm", links, joints)
    again = pickle.loads(pickle.dumps(arm))
    for robot in (arm, again, revolute.Robot.from_dict(arm.to_dict()), arm.with_gravity((0, 0, 0))):
        for _ in range(3):
            robot.jacobian(np.zeros(1), robot.link_names[-1])
        assert fast_calls(robot.jacobian) == 1


def test_a_class_has_the_plain_functions() -> None:
    assert inspect.isfunction(revolute.Robot.inverse_dynamics)
    assert list(inspect.signature(revolute.Robot.jacobian).parameters)[:3] == ["self", "q", "frame"]
    robot = revolute.robots.planar(2)
    np.testing.assert_array_equal(revolute.Robot.gravity_forces(robot, [0.0, 0.0]), robot.gravity_forces([0.0, 0.0]))


def test_a_subclass_may_override_a_function() -> None:
    class Weightless(revolute.Robot):
        def gravity_forces(self, q: Any, **named: Any) -> Any:
            return 0 * super().gravity_forces(q, **named)

    robot = Weightless.of(revolute.robots.planar(2))
    for _ in range(3):
        np.testing.assert_array_equal(robot.gravity_forces(np.zeros(2)), [0, 0])


def test_calls_that_are_wrong_get_pythons_own_errors() -> None:
    robot = revolute.robots.planar(2)
    for _ in range(2):
        with pytest.raises(TypeError, match=r"jacobian\(\) missing 1 required positional argument: 'frame'$"):
            robot.jacobian(np.zeros(2))  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="unexpected keyword argument 'fram'"):
            robot.jacobian(np.zeros(2), fram="tip")  # type: ignore[call-arg]
        robot.jacobian(np.zeros(2), "tip")
