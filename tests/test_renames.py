"""Old names: each error gives the new name, and the new name exists."""

import inspect
import pickle
import re
from collections.abc import Callable
from operator import attrgetter
from pydoc import locate
from typing import Any

import pytest
from comparing import assert_raises
from typer.testing import CliRunner

import revolute
from revolute.arguments.renamed import RENAMED
from revolute.cli.app import app
from revolute.machine.lagrangian import System
from revolute.machine.operational import OperationalSpace

ARM = revolute.robots.planar(2)
DRIVEN = ARM.with_drives()
OTHERS = {"OperationalSpace": OperationalSpace, "System": System}
ATTRIBUTES = [old for old in RENAMED if "(" not in old and " " not in old]
FUNCTIONS = [old for old in RENAMED if old.endswith("()")]
ARGUMENTS = [old for old in RENAMED if "(" in old and old not in FUNCTIONS]
OPTIONS = [old for old in RENAMED if " --" in old]


def owner_of(name: str) -> tuple[Any, str]:
    """The class or module of "Class.attribute", and the attribute."""
    owner, _, attribute = name.rpartition(".") if name[0].islower() else name.partition(".")
    if name[0].islower():
        return locate(f"revolute.{owner}"), attribute
    return OTHERS.get(owner) or getattr(revolute, owner), attribute


def functions() -> dict[str, list[Callable[..., Any]]]:
    """Public functions and methods by name."""
    found: dict[str, list[Callable[..., Any]]] = {}
    modules = [revolute.robots, revolute.trajectory, revolute.control, revolute.identification]
    places = [*modules, *(getattr(revolute, x) for x in revolute.__all__)]
    for place in (*places, *OTHERS.values()):
        for name in dir(place) if isinstance(place, type) or inspect.ismodule(place) else ():
            if not name.startswith("_") and callable(thing := getattr(place, name, None)):
                found.setdefault(name, []).append(thing)
    return found


@pytest.mark.parametrize("old", ATTRIBUTES)
def test_an_old_attribute_gives_the_new_one(old: str) -> None:
    kind, name = owner_of(old)
    new = RENAMED[old][0]
    assert_raises(AttributeError, f"{re.escape(new.rpartition('.')[2])} now", getattr, kind, name)
    assert kind is revolute.Kernel or name not in dir(kind)
    place, attribute = owner_of(new.partition("(")[0])
    attrgetter(attribute)({revolute.Robot: ARM, revolute.DrivenRobot: DRIVEN}.get(place, place))


@pytest.mark.parametrize("old", ARGUMENTS)
def test_an_old_argument_gives_the_new_one(old: str) -> None:
    name, argument = old.removesuffix(")").split("(")
    hint = RENAMED[old][0].removesuffix(")").partition("(")[2]
    new = hint.partition("=")[0]
    methods = functions()[name] if name != "*" else [revolute.DrivenRobot.inverse_dynamics, revolute.Robot.simulate]
    assert any(new in inspect.signature(method).parameters for method in methods)
    for method in methods:
        taken = inspect.signature(method).parameters
        if new not in taken or argument in taken:
            continue
        with pytest.raises(TypeError, match=rf"'{argument}'; {argument} is {re.escape(hint)} now$"):
            method(ARM, **{argument: None})


@pytest.mark.parametrize("old", FUNCTIONS)
def test_an_old_function_gives_the_new_name(old: str) -> None:
    module, name = owner_of(old.removesuffix("()"))
    new = RENAMED[old][0]
    with pytest.raises(TypeError, match=rf"not callable; {name} is revolute\.{re.escape(new)} now$"):
        getattr(module, name)(ARM, None)
    place, attribute = owner_of(new)
    attrgetter(attribute)(place)


@pytest.mark.parametrize("old", OPTIONS)
def test_an_old_option_of_the_shell_gives_the_new_one(old: str) -> None:
    _, command, option = old.split()
    new = RENAMED[old][0].rpartition(" ")[2]
    result = CliRunner().invoke(app, [command, "planar:2", option])
    assert result.exit_code == 2
    assert f"No such option: {option}; {option} is {new} now" in result.output
    assert new in CliRunner().invoke(app, [command, "--help"]).output


def test_robots_with_drives_have_no_old_names_either() -> None:
    for old, new in (("drives", "drivetrain"), ("jacobian_jerk", 'kernel("jacobian_third_rate")')):
        assert_raises(AttributeError, rf"{old} is robot\.{re.escape(new)} now$", getattr, DRIVEN, old)
    with pytest.raises(AttributeError, match=r"^a robot with drives has no .*_partials now$"):
        DRIVEN.sensitivity_matrices  # type: ignore[attr-defined] # noqa: B018
    with pytest.raises(AttributeError, match=r" now of a revolute\.Robot$"):
        ARM.with_elastic_joints(1.0, 0.1).sensitivity_matrices  # type: ignore[attr-defined] # noqa: B018


def test_old_names_of_functions_are_known_where_names_are_text() -> None:
    with pytest.raises(revolute.UnknownNameError, match=r"matrices is robot\.inverse_dynamics_partials now"):
        ARM.kernel("sensitivity_matrices")


def test_old_options_of_kernels_are_known() -> None:
    with pytest.raises(revolute.InputError, match=r"no option 'method'; method is algorithm now$"):
        ARM.kernel("forward_dynamics", method="composite_body")


def test_a_robot_is_pickled_and_listed_without_old_names() -> None:
    assert pickle.loads(pickle.dumps(ARM)) == ARM
    assert {old.removeprefix("Robot.") for old in ATTRIBUTES}.isdisjoint(dir(ARM))
