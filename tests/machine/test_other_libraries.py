"""Names of other libraries: each error tells what exists here, and nothing else notices that they are there."""

import copy
import inspect
import pickle
import re
from typing import Any

import pytest
import sympy
from comparing import assert_raises

import revolute
from revolute.model.other_libraries import other_names
from revolute.simulate import ADAPTIVE, FIXED

FUNCTIONS, REMARKS, PACKAGE, METHODS, _ = other_names()
ARM = revolute.robots.planar(2)
x = sympy.Symbol("x")
MACHINES = [
    ARM,
    ARM.with_drives(),
    ARM.with_closures(revolute.PointClosure("tip", at_b=(1.0, 0.5, 0.0))),
    ARM.with_elastic_joints(1e3, 0.1),
    ARM.operational_space("tip", rows=(3, 4)),
    revolute.lagrange([x], sympy.Symbol("dx") ** 2 / 2),
    revolute.lagrange([x], sympy.Symbol("dx") ** 2 / 2).with_constraints([x]),
    revolute.conventions.mujoco(ARM),
]
EVERY = pytest.mark.parametrize("machine", MACHINES, ids=[type(machine).__name__ for machine in MACHINES])
OF_ROBOTS = [name for functions in FUNCTIONS.values() for name in functions] + [*REMARKS]


def test_there_are_many_names_each_once() -> None:
    assert len(OF_ROBOTS) == len({*OF_ROBOTS}) > 50
    assert {"rnea", "aba", "crba", "nle", "fkine", "ikine", "rne", "inertia", "gravload", "coriolis"} <= {*OF_ROBOTS}
    assert {"mj_inverse", "CalcMassMatrix", "fk", "M", "gravity_compensation"} <= {*OF_ROBOTS}
    assert {*METHODS.values()} <= {*FIXED, *ADAPTIVE} and all(name == name.lower() for name in METHODS)


@pytest.mark.parametrize(("library", "name"), [(x, name) for x, names in FUNCTIONS.items() for name in names])
def test_what_a_message_recommends_exists_and_takes_these_arguments(library: str, name: str) -> None:
    call = FUNCTIONS[library][name]
    for attribute in re.findall(r"(?:^|and )(\w+)", call.partition("(")[0]):
        assert hasattr(ARM, attribute), call
    attribute, bracket, rest = call.partition("(")
    if bracket:
        words = rest.partition(")")[0].split(", ") if rest[0] != ")" else []
        named = {word.partition("=")[0]: 0 for word in words if "=" in word}
        inspect.signature(getattr(ARM, attribute)).bind(*range(len(words) - len(named)), **named)
    with pytest.raises(AttributeError) as caught:
        getattr(ARM, name)
    whose = f"{library}'s {name}" if library else name
    assert str(caught.value) == f"a robot has no attribute '{name}'; {whose} is robot.{call}"
    assert_raises(AttributeError, re.escape(f"{whose} is robot.{call}"), getattr, revolute, name)


@EVERY
def test_machines_show_their_own_attributes_alone(machine: Any) -> None:
    for owner in (machine, type(machine)):
        assert {*dir(owner)}.isdisjoint(name for name in OF_ROBOTS if not hasattr(machine, name))
        assert "kernel" in dir(owner)
    assert not hasattr(machine, "rnea") and getattr(machine, "rnea", None) is None
    assert {name for name, _ in inspect.getmembers(type(machine))}.isdisjoint({"rnea", "mj_inverse"})


@EVERY
def test_copies_and_pickles_are_as_ever(machine: Any) -> None:
    for again in (copy.copy(machine), copy.deepcopy(machine), pickle.loads(pickle.dumps(machine))):
        assert type(again) is type(machine) and repr(again) == repr(machine)


def test_machines_without_the_function_say_whose_it_is() -> None:
    with pytest.raises(AttributeError, match=r"MuJoCo's mj_jac is robot\.jacobian\(.*\), .* of a revolute\.Robot$"):
        MACHINES[3].mj_jac  # noqa: B018
    with pytest.raises(AttributeError, match=r"^a system has no .* Pinocchio's rnea is system\.inverse_dynamics\("):
        MACHINES[5].rnea  # noqa: B018
    with pytest.raises(AttributeError, match=r"^a robot has no attribute 'mass_matrx'$"):
        ARM.mass_matrx  # type: ignore[attr-defined]  # noqa: B018


def test_the_package_answers_too() -> None:
    for name, found in PACKAGE.items():
        with pytest.raises(AttributeError) as caught:
            getattr(revolute, name)
        assert str(caught.value) == f"module 'revolute' has no attribute '{name}'; {found}"
    assert not hasattr(revolute, "rnea")


def test_functions_without_a_method_and_classes_have_good_messages() -> None:
    """A function that is a kernel alone names it; classes name counterparts as their objects do."""
    words = 'a robot has no attribute \'gravity_regressor\'; write robot.kernel("gravity_regressor")'
    for owner in (ARM, revolute.Robot):
        assert_raises(AttributeError, f"{re.escape(words)}$", getattr, owner, "gravity_regressor")
        found = "a robot has no attribute 'rnea'; Pinocchio's rnea is robot.inverse_dynamics(q, qd, qdd)"
        assert_raises(AttributeError, f"{re.escape(found)}$", getattr, owner, "rnea")
