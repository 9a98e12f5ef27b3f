"""What no robot may be made of, whatever the type of its numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import revolute
from revolute import Connection, Inertia, InputError, Link, ModelError, Revolute, Robot

NUMBERS = pytest.mark.parametrize("number", [float, np.float64, np.float32, np.longdouble])


def pendulum(mass: Any) -> Robot:
    links = [Link("base"), Link("arm", Inertia(m=mass))]
    return Robot.from_links("pendulum", links, [Connection("hinge", "base", "arm", Revolute())], warn=False)


@NUMBERS
def test_masses(number: Callable[[float], Any]) -> None:
    with pytest.raises(ModelError, match="link 'arm': mass -1 kg is negative"):
        pendulum(number(-1))
    for x in (np.nan, np.inf):
        with pytest.raises(ModelError, match=r"link 'arm': its mass, .* not finite"):
            pendulum(number(x))
    assert pendulum(number(1)) == pendulum(1.0)


def test_a_mass_that_is_no_number() -> None:
    with pytest.raises(ModelError, match="link 'arm': its mass"):
        pendulum("1")


@NUMBERS
def test_gravity(number: Callable[[float], Any]) -> None:
    with pytest.raises(InputError, match="three finite numbers"):
        revolute.robots.planar(1).with_gravity((0, 0, number(np.nan)))


@pytest.mark.parametrize("gravity", ["abc", 5, (0, 1), ("a", "b", "c"), None, ((1, 2, 3),)])
def test_gravity_that_is_no_vector(gravity: Any) -> None:
    with pytest.raises(InputError, match="three finite numbers"):
        revolute.robots.planar(1).with_gravity(gravity)
