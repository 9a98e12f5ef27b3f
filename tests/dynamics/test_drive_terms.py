"""Rows of forces of drives: complete, or refused where they are declared; every field of `Drive` acts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from driving import drives_of

import revolute
from revolute.dynamics.drive_forces import OF_ROTORS, PARAMETERS, TERMS, spring
from revolute.dynamics.drive_terms import DriveTerm, check_all
from revolute.errors import GraphError, ModelError
from revolute.machine.driven.parameters import MEANINGS
from revolute.model.body import ACTING, DRIVE_FIELDS

WRONG: dict[str, tuple[Callable[..., Any], Callable[..., Any] | None, str]] = {
    "without energy": (spring, None, "must be force.phi, .... with an energy"),
    "state": (lambda q, stiffness: stiffness * q, None, "must be force.phi"),
    "friction with energy": (lambda phid, damping: damping * phid, lambda phid, damping: 0, "must be force.phi"),
    "unknown field": (lambda phid, nothing: nothing * phid, None, "Drive has no field nothing"),
    "not linear": (lambda phid, damping: damping * damping * phid, None, "not linear in its parameters damping"),
    "constant": (lambda phid, damping: damping * phid + phid, None, "not linear"),
    "energy": (spring, lambda phi, stiffness, rest: stiffness * (phi - rest) * (phi - rest), "not the derivative"),
    "energy not linear": (spring, lambda phi, stiffness, rest: stiffness * stiffness * phi, "not linear"),
    "gives energy": (lambda phid, damping: -damping * phid, None, "friction must dissipate energy"),
    "several coordinates": (lambda phi, damping: damping * phi, lambda phi, damping: damping * phi * phi / 2, "single"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_rows_are_refused(case: str) -> None:
    force, energy, words = WRONG[case]
    assert_raises(GraphError, words, DriveTerm, force, energy)


def test_fields_without_a_row_are_refused() -> None:
    check_all(TERMS, OF_ROTORS)
    without = [term for term in TERMS if "stiffness" not in term.fields]
    assert_raises(GraphError, r"no term of drives takes .*Drive.stiffness: add a row", check_all, without, OF_ROTORS)
    assert {*PARAMETERS, "rotor_inertia"} == {*ACTING} == MEANINGS.keys()


@pytest.mark.parametrize("name", [x for x in DRIVE_FIELDS if x != "backlash"])  # that of elastic joints
def test_every_field_changes_forces(name: str) -> None:
    """So do columns of the regressor with the values that the fields then have."""
    links = revolute.robots.planar(2)
    drives = drives_of(links, 1, mimics=False)
    changed = {joint: replace(x, **{name: (2 * getattr(x, name)[0],)}) for joint, x in drives.items()}
    state = np.array([[0.3, -0.4], [0.05, -0.1], [0.7, 0.2]])
    found = [links.with_drives(data, smoothing=0.3) for data in (drives, changed)]
    forces = [robot.inverse_dynamics(*state) for robot in found]
    assert (np.abs(forces[1] - forces[0]) > 1e-6).all()
    for robot, tau in zip(found, forces, strict=True):
        np.testing.assert_allclose(robot.regressor(*state) @ robot.parameters, tau, rtol=1e-12)
        drive = robot.robot.bodies[1].drive
        assert getattr(robot.robot.drives, name)[0] == getattr(drive, name)[0]


@pytest.mark.parametrize(("name", "wrong", "words"), [
    *((name, -1.0, "must be positive or zero") for name, row in DRIVE_FIELDS.items() if row.sign == "not negative"),
    *((name, 0.0, "must not be zero") for name, row in DRIVE_FIELDS.items() if row.sign == "not zero"),
])  # fmt: skip
def test_signs_are_those_of_the_row(name: str, wrong: float, words: str) -> None:
    drive = revolute.Drive(**{name: wrong})  # type: ignore[arg-type]
    assert_raises(ModelError, words, revolute.robots.planar(1).with_drives, {"joint1": drive})


def test_drives_of_joints_name_the_nearest_field() -> None:
    assert_raises(AttributeError, "dampping.*damping", getattr, revolute.robots.planar(1).drives, "dampping")
    assert {*DRIVE_FIELDS} <= {*dir(revolute.robots.planar(1).drives)}
