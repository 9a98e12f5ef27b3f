"""Every name that a row of the texts prints can be imported and called as it is printed."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import printed
from text_names import ROBOT, evaluated

import revolute
from revolute import published
from revolute.published import FORMULATIONS
from revolute.texts import TEXTS
from revolute.texts.passage import _public
from revolute.texts.row import parts

THINGS = dict(_public())
FUNCTIONS = {name: THINGS[name] for rows in TEXTS.values() for row in rows for name in row.names}
DATA = {
    "tensors.DELTA", "tensors.EPSILON", "published.FORMULATIONS", "published.PRINT_ONLY", "published.ledger.LEDGERS",
}  # fmt: skip
KERNELS = [name for name in FUNCTIONS if name.startswith("robot.")]


def original(x: Any) -> Any:
    """The function of a method, and that of a method that classes share."""
    x = getattr(x, "__func__", x)
    return getattr(x, "__wrapped__", x) if hasattr(x, "public_name") else x


def listed(results: Any) -> tuple[Any, ...]:
    """Arrays of a kernel, which returns a single one without a tuple."""
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - KERNELS))
def test_a_name_is_that_of_the_function(name: str) -> None:
    found = evaluated(name)
    assert original(found) is original(FUNCTIONS[name])
    assert name in DATA or callable(found)


@pytest.mark.parametrize("name", KERNELS)
def test_a_name_of_a_kernel_is_a_call_that_works(name: str) -> None:
    kernel = evaluated(name)
    state = np.random.default_rng(3).normal(size=(len(kernel.graph.inputs), ROBOT.nv))
    arrays = listed(kernel(*state))
    assert all(np.isfinite(x).all() for x in arrays) and any(np.any(x != 0) for x in arrays)


def test_the_page_of_functions_has_every_kernel_with_a_call_that_works() -> None:
    page = (Path(__file__).parents[1] / "docs" / "functions.md").read_text(encoding="utf-8")
    calls = re.findall(r"^\| `(robot\.kernel\(\"(\w+)\".*)\((q.*)\)` \|", page, re.MULTILINE)
    assert {name for _, name, _ in calls} == {re.findall(r'"(\w+)"', name)[0] for name in KERNELS}
    for kernel, _, arrays in calls:
        state = np.random.default_rng(3).normal(size=(len(arrays.split(", ")), ROBOT.nv))
        assert np.all([np.isfinite(x).all() for x in listed(evaluated(kernel)(*state))]), kernel


def test_names_are_attributes_in_a_new_interpreter() -> None:
    names = [name for name in FUNCTIONS if name.startswith(("published.", "tensors.", "library."))]
    statements = "\n".join(f"revolute.{name}" for name in names)
    assert len(names) > 60 and printed(f"import revolute\n{statements}\nprint('all')").strip() == "all"


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.partition(".")[2] in FORMULATIONS])
def test_published_algorithms_are_called_as_they_are_printed(name: str) -> None:
    arm, states = revolute.robots.dh_arm(3), np.random.default_rng(1).normal(size=(3, 3))
    quantity = FORMULATIONS[name.partition(".")[2]].quantity
    if quantity == "sensitivity":
        found, own = evaluated(name)(arm, *states), arm.inverse_dynamics_partials(*states)[::-1]
    else:
        arrays = states[: 1 if quantity == "mass_matrix" else 3]
        found, own = evaluated(name)(arm, *arrays), getattr(arm, quantity)(*arrays)
    np.testing.assert_allclose(np.array(found, dtype=float), own, rtol=1e-9, atol=1e-9)


def test_every_formulation_is_a_name_of_the_package() -> None:
    assert all(getattr(published, name) is formulation.function for name, formulation in FORMULATIONS.items())
    assert all(hasattr(published, name) for name in published.__all__)


@pytest.mark.parametrize("place", ["Generalized forces", "48", "49", "50"])
def test_friction_is_in_the_function_that_jin_names(place: str) -> None:
    """A rod of 1 kg and 1 m, level, at 1 rad/s: 9.81 / 2 for its weight, 2 of viscous and 1 of Coulomb friction."""
    arm = revolute.robots.planar(1).with_drives({"joint1": revolute.Drive(damping=2.0, friction=1.0)})
    row = next(row for row in TEXTS["JIN"] if place in parts(row.place))
    (name,) = [name for name in row.names if name.startswith("DrivenRobot.")]
    assert evaluated(name)(arm, [0.0], [1.0], [0.0]) == pytest.approx(7.905)
