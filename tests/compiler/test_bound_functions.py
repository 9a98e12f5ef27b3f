"""`robot.inverse_dynamics` and the like are one callable each: early or late, stored or in place, the same."""

import inspect
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


def test_a_function_as_an_attribute_of_another_class_gets_no_instance() -> None:
    class Weights:
        forces = revolute.robots.planar(2).gravity_forces

    np.testing.assert_array_equal(Weights().forces(np.zeros(2)), Weights.forces(np.zeros(2)))


def test_names_that_a_robot_gives_are_known_options() -> None:
    """Of frames that were read, put together or unpickled too: a loop over `link_names` is fast."""
    links = [revolute.Link("base"), revolute.Link("".join(["fore", "arm"]))]
    joints = [revolute.Joint("hinge", "base", "".join(["fore", "arm"]), revolute.Revolute())]
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

    robot = Weightless.from_model(revolute.robots.planar(2))
    for _ in range(3):
        np.testing.assert_array_equal(robot.gravity_forces(np.zeros(2)), [0, 0])
