"""One vocabulary: the same option has one default and one kind everywhere, and arrays have the same names."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import revolute
from revolute.machine.lagrangian import ConstrainedSystem, System
from revolute.machine.operational import OperationalSpace

ROOT = Path(__file__).parents[2]
MACHINES = (
    revolute.Robot, revolute.DrivenRobot, revolute.ConstrainedRobot, revolute.ElasticRobot, OperationalSpace, System,
    ConstrainedSystem,
)

SEVERAL = {
    "tolerance": "each is in the unit of its function's result",
}
"""Options with several defaults, and why."""

WAITING = {
    "DrivenRobot.stepper": "wrenches",
    "ElasticRobot.stepper": "method, wrenches",
    "Robot.stepper": "wrenches",
    "ElasticRobot.simulate": "method",
    "ConstrainedRobot.simulate": "rtol, atol",
}
"""Options that do not have the default and the kind of others yet."""


def methods(kind: type) -> Iterator[tuple[str, list[inspect.Parameter]]]:
    """Public methods, and their parameters without `self`; those of constructors are data, not options."""
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        constructs = name.startswith("_") or isinstance(found, classmethod)
        if not constructs and inspect.isfunction(method := inspect.unwrap(found)):
            yield name, list(inspect.signature(method).parameters.values())[1:]


def options() -> dict[str, dict[tuple[Any, bool], list[str]]]:
    """{name of an option: {(default, whether it is keyword-only): the methods}}."""
    found: dict[str, dict[tuple[Any, bool], list[str]]] = defaultdict(lambda: defaultdict(list))
    for kind in MACHINES:
        for method, parameters in methods(kind):
            place = f"{kind.__name__}.{method}"
            for x in parameters:
                if x.default is not x.empty and x.name not in WAITING.get(place, "").split(", "):
                    found[x.name][repr(x.default), x.kind is x.KEYWORD_ONLY].append(place)
    return found


def test_the_same_option_has_one_default_and_one_kind() -> None:
    wrong = {name: dict(ways) for name, ways in options().items() if len(ways) > 1 and name not in SEVERAL}
    assert wrong == {}


def test_options_that_seem_to_differ_do() -> None:
    assert all(len(options()[name]) > 1 for name in SEVERAL)


@pytest.mark.parametrize("place", WAITING)
def test_what_waits_still_differs(place: str) -> None:
    kind = next(kind for kind in MACHINES if kind.__name__ == place.partition(".")[0])
    for x in dict(methods(kind))[place.partition(".")[2]]:
        if x.name in WAITING[place].split(", "):
            assert (repr(x.default), x.kind is x.KEYWORD_ONLY) not in options()[x.name]


@pytest.mark.parametrize("kind", MACHINES, ids=lambda kind: kind.__name__)
def test_arrays_of_coordinates_begin_the_arguments_in_one_order(kind: type) -> None:
    order = ["q", "theta", "qd", "thetad", "qdd", "qddd", "qdddd", "tau"]
    for method, parameters in methods(kind):
        named = [x.name for x in parameters if x.name in order]
        assert named == sorted(named, key=order.index), f"{kind.__name__}.{method}"


@pytest.mark.parametrize("kind", MACHINES, ids=lambda kind: kind.__name__)
def test_coordinates_have_one_name(kind: type) -> None:
    found = {x.name for _, parameters in methods(kind) for x in parameters}
    assert not found & {"p", "pd", "pdd", "p0", "pd0"}


def test_functions_for_other_libraries_are_attributes_and_calls_are_for_options() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "src").rglob("*.py")]
    called = re.compile(r"\.(casadi|dask|jax|torch)\(\"(\w+)\"\)")
    found = {f"{path.name}: {x.group()}" for path in pages for x in called.finditer(path.read_text(encoding="utf-8"))}
    assert {x for x in found if not revolute.Robot.functions()[re.findall(r"\w+", x)[-1]].needed} == set()
