"""One vocabulary: the same option has one default and one kind everywhere, and arrays have the same names."""

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import revolute
from bench.counts import Counted, robots
from revolute.conventions import Conventions
from revolute.machine.function import Function
from revolute.machine.lagrangian import ConstrainedSystem, System
from revolute.machine.operational import OperationalSpace
from revolute.published.counting import formulation
from revolute.targets.numpy import evaluate

ROOT = Path(__file__).parents[2]
MACHINES = (
    revolute.Robot, revolute.DrivenRobot, revolute.ConstrainedRobot, revolute.ElasticRobot, OperationalSpace, System,
    ConstrainedSystem, Conventions,
)

SEVERAL = {
    "rng": "random configurations are others each time, results of an analysis are the same",
    "contacts": "`to_mjcf` has no other argument",
    "tolerance": "each is in the unit of its function's result",
}
"""Options with several defaults, and why."""

KINDS_THAT_TOUCH = ("Robot", "DrivenRobot", "ConstrainedRobot", "ElasticRobot")

OF_CONTACTS = [f"{kind}.{name}" for kind in KINDS_THAT_TOUCH for name in ("simulate", "stepper")]
"""Functions whose method by default depends on contacts."""

SPECIAL = dict.fromkeys(OF_CONTACTS, "method")
"""Options that do not have the default of others."""


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
                if x.default is not x.empty and x.name != SPECIAL.get(place):
                    found[x.name][repr(x.default), x.kind is x.KEYWORD_ONLY].append(place)
    return found


def test_the_same_option_has_one_default_and_one_kind() -> None:
    assert {name: dict(ways) for name, ways in options().items() if len(ways) > 1 and name not in SEVERAL} == {}
    assert all(len(options()[name]) > 1 for name in SEVERAL)
    (usual,) = options()["method"]
    assert repr(inspect.signature(revolute.ElasticRobot.simulate).parameters["method"].default) not in usual


@pytest.mark.parametrize("kind", MACHINES, ids=lambda kind: kind.__name__)
def test_arrays_of_coordinates_begin_the_arguments_in_one_order(kind: type) -> None:
    order = ["q", "theta", "qd", "thetad", "qdd", "qddd", "qdddd", "tau"]
    for method, parameters in methods(kind):
        named = [x.name for x in parameters if x.name in order]
        assert named == sorted(named, key=order.index), f"{kind.__name__}.{method}"


@pytest.mark.parametrize("kind", MACHINES, ids=lambda kind: kind.__name__)
def test_coordinates_have_one_name(kind: type) -> None:
    assert not {x.name for _, parameters in methods(kind) for x in parameters} & {"p", "pd", "pdd", "p0", "pd0"}


def test_functions_for_other_libraries_are_attributes_and_calls_are_for_options() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "src").rglob("*.py")]
    called = re.compile(r"\.(casadi|dask|jax|torch)\(\"(\w+)\"\)")
    found = {f"{path.name}: {x.group()}" for path in pages for x in called.finditer(path.read_text(encoding="utf-8"))}
    assert {x for x in found if not revolute.Robot.functions()[re.findall(r"\w+", x)[-1]].needed} == set()


SAME: dict[frozenset[str], str] = {}
"""Public functions with the same numbers, and why."""


def numbers(case: Counted, function: Function) -> tuple[Any, ...]:
    """What a function takes, and the numbers that it gives, in whatever order, at one state."""
    values = {"frame": case.hand, "contacts": (case.hand,)}
    graph = case.robot._traceable(function, {x: values[x] for x in function.needed})[1].graph()
    given = {x.name: np.random.default_rng(len(x.name)).uniform(0.2, 0.9, x.shape) for x in graph.inputs}
    given |= {"q": case.robot.random_configuration(rng=1)}
    found = np.concatenate([x.ravel() for x in evaluate(graph, {x.name: given[x.name] for x in graph.inputs}).values()])
    return tuple(x.name for x in graph.inputs), tuple(np.sort(found).round(9) + 0.0)


def same(case: Counted, functions: Mapping[str, Function]) -> set[frozenset[str]]:
    """Functions that give the same."""
    found: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    for name, function in functions.items():
        found[numbers(case, function)].add(name)
    return {frozenset(names) for names in found.values() if len(names) > 1}


def test_no_two_functions_are_one() -> None:
    """The numbers of a UR5, and of Talos' where these agree: so an order of results is no other function."""
    functions = {name: x for name, x in revolute.Robot.functions().items() if not x.internal}
    on_ur5 = same(robots()["UR5"], functions)
    on_both = {names for group in on_ur5 for names in same(robots()["Talos"], {x: functions[x] for x in group})}
    assert on_both == SAME.keys()
    arm, names = robots()["UR5"], ("inverse_dynamics_partials", "sensitivity")
    pair = arm.robot._function(names[0]), formulation(names[1])
    assert same(arm, dict(zip(names, pair, strict=True))) == {frozenset(names)}
