"""Robots of files beside Pinocchio's models of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from robots import EACH_KIND, pair, random_states, to_pinocchio

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
"""The order of Pinocchio's rows in ours."""


def of_each_kind(test: Callable[..., None]) -> Callable[..., None]:
    """A test of a `name` of `FILES` and a `base`: robots of each kind, fixed and free."""
    names = pytest.mark.parametrize("name", EACH_KIND)
    return pytest.mark.parametrize("base", ["fixed", "free"])(names(test))


def peers(name: str, base: str = "fixed", rows: int = 3, seed: int = 1) -> tuple[Any, ...]:
    """A robot of `FILES`, Pinocchio's model and data, states q, qd, qdd, its positions, and the order of its rates.

    Files print angles with 12 digits, which Revolute completes, see test_urdf: results agree to 1e-9.
    """
    robot, model = pair(name, base)
    states = random_states(robot, rows, seed)
    return robot, model, model.createData(), *states, *to_pinocchio(robot, model, states[0])


def symmetric(upper: np.ndarray) -> np.ndarray:
    """A matrix of which Pinocchio fills the upper triangle."""
    return np.triu(upper) + np.triu(upper, 1).T
