"""What no robot may be made of, whatever the type of its numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import revolute
from revolute import Connection, Inertia, InputError, Limits, Link, ModelError, Prismatic, Revolute, Robot
from revolute.joints import Joint

NUMBERS = pytest.mark.parametrize("number", [float, np.float64, np.float32, np.longdouble])


def pendulum(mass: Any) -> Robot:
    links = [Link("base"), Link("arm", Inertia(m=mass))]
    return Robot.from_links("pendulum", links, [Connection("hinge", "base", "arm", Revolute())], warn=False)


@NUMBERS
def test_masses(number: Callable[[float], Any]) -> None:
    with pytest.raises(ModelError, match="link 'arm': mass -1 kg is negative"):
        pendulum(number(-1))
    for x in (np.nan, np.inf):
        with pytest.raises(ModelError, match=r"link 'arm': its (mass|inertia) .*not finite"):
            pendulum(number(x))
    assert pendulum(number(1)) == pendulum(1.0)


def test_a_mass_that_is_no_number() -> None:
    with pytest.raises(InputError, match="Inertia: m must be a number, not '1'"):
        pendulum("1")


@NUMBERS
def test_gravity(number: Callable[[float], Any]) -> None:
    with pytest.raises(InputError, match="three finite numbers"):
        revolute.robots.planar(1).with_gravity((0, 0, number(np.nan)))


@pytest.mark.parametrize("gravity", ["abc", 5, (0, 1), ("a", "b", "c"), None, ((1, 2, 3),)])
def test_gravity_that_is_no_vector(gravity: Any) -> None:
    with pytest.raises(InputError, match=r"gravity \[m/s\^2\] must be three numbers, not"):
        revolute.robots.planar(1).with_gravity(gravity)


def test_wrong_kinds_of_arguments_are_told_in_our_words() -> None:
    robot, x = revolute.robots.planar(2), np.zeros(2)
    assert robot.lock({"joint1": np.array([0.1])}) == robot.lock({"joint1": 0.1})
    cases = [
        (lambda: robot.lock({"joint1": "up"}), "position of joint 'joint1' is no number"),
        (lambda: robot.lock({"joint1": None}), "joint 'joint1' needs 1 finite"),
        (lambda: robot.lock({"joint1": float("nan")}), "joint 'joint1' needs 1 finite"),
        (lambda: robot.lock({"joint1": [1.0, 2.0]}), "joint 'joint1' needs 1 finite"),
        (lambda: robot.lock(["joint1"]), "lock needs {joint name: position}, not list"),
        (lambda: robot.with_payload("tip", 3.0), "with_payload needs an Inertia"),
        (lambda: robot.inverse_dynamics(x, x, x, wrenches=[1.0]), "wrenches must be"),
        (lambda: robot.kernel("inverse_dynamics", dtype="foo"), "float64 or float32, not 'foo'"),
        (lambda: robot.random_configuration(0, "a"), "random_configuration: shape"),
        (lambda: robot.random_configuration(0, -1), "random_configuration: shape"),
        (lambda: robot.subtree("tip"), "link 'tip' is fixed to 'link2'"),
    ]
    for call, message in cases:
        with pytest.raises(revolute.InputError, match=re.escape(message)):
            call()  # type: ignore[no-untyped-call]
    assert robot.random_configuration(0, np.int64(3)).shape == (3, 2)


@pytest.mark.parametrize(
    ("lower", "upper"), [(0.0, -0.0), (-0.0, 0.0), (3.0, 3.0), (10, 20), (-1e300, -1e299), (5, np.inf), (-np.inf, -5)]
)
@pytest.mark.parametrize("joint", [Revolute(), Prismatic()])
def test_random_configurations_are_within_any_limits(joint: Joint, lower: float, upper: float) -> None:
    q = limited(joint, lower, upper).random_configuration(0, 20)
    assert (lower <= q).all() and (q <= upper).all()


@pytest.mark.parametrize(
    ("lower", "upper"), [(2, -2), (np.nan, 1), (0, np.nan), (np.inf, np.inf), (-np.inf, -np.inf), (np.inf, -np.inf)]
)
def test_random_configurations_within_limits_without_a_position(lower: float, upper: float) -> None:
    with pytest.raises(InputError, match=f"joint 'hinge' has no position between its limits {lower} and {upper}"):
        limited(Revolute(), lower, upper).random_configuration(0)


def limited(joint: Joint, lower: float, upper: float) -> Robot:
    links = [Link("base"), Link("arm", Inertia(m=1.0))]
    hinge = Connection("hinge", "base", "arm", joint, limits=Limits((lower,), (upper,)))
    return Robot.from_links("pendulum", links, [hinge], warn=False)


def test_no_path_warns_of_infinity() -> None:
    robot = revolute.robots.planar(2)
    x = np.full((5, 2), np.inf)
    with np.errstate(all="raise"):
        for arrays in ((x[0], x[0], x[0]), (x, x, x), tuple(np.asfortranarray(x) for _ in range(3))):
            assert np.isnan(robot.inverse_dynamics(*arrays)).any()
        assert np.isnan(robot.inverse_dynamics(x, x, x, threads=2)).any()
