"""A centre of mass in the place of the first moment is told; the parameters of a body never are."""

import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import sympy

import revolute
from revolute import Inertia
from revolute.errors import ModelWarning
from revolute.model.parameters import from_vector

ROD = np.diag([1e-4, 0.007, 0.007])
"""About the centre of a rod of 0.4 m and 0.5 kg."""


def bodies(count: int) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
    """Sums of point masses: all that bodies can be, from needles and plates to balls, far from the origin and near.

    Every other one is rounded to 4 ... 16 digits.
    """
    rng = np.random.default_rng(0)
    for k in range(count):
        points = int(rng.integers(1, 6))
        reach = 10.0 ** rng.uniform(-3, 1, 3) * (rng.random(3) < 0.8)
        at = rng.standard_normal((points, 3)) * reach + rng.standard_normal(3) * 10.0 ** rng.uniform(-3, 1)
        body = Inertia.particles(rng.random(points) * 10.0 ** rng.uniform(-3, 3), at)
        digits = int(rng.integers(4, 17)) if k % 2 else 17
        rounded = np.vectorize(lambda x, digits=digits: float(f"{x:.{digits}g}"))
        yield float(rounded(body.m)), rounded(body.h), rounded(body.I)


def test_a_centre_of_mass_is_told_with_what_to_write() -> None:
    with pytest.warns(ModelWarning, match=r"h is mass times centre of mass \[kg m\].*Inertia\.from_com") as caught:
        Inertia(0.5, (0.2, 0, 0), ROD)
    assert caught[0].filename == __file__
    # with 50 kg the same numbers are those of a body: nothing tells that they were meant otherwise
    for args in ((50.0, (0.2, 0, 0), ROD), (0.5, (0.1, 0, 0), ROD + 0.02 * np.diag([0, 1, 1]))):
        Inertia(*args)


def test_bodies_are_never_told() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for m, h, I in bodies(2000):
            Inertia(m, h, I)
    assert caught == []


def test_other_impossible_parameters_and_symbols_are_not_told() -> None:
    """No centre of mass at h makes them those of a body, or there is nothing to decide."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Inertia(0.5, (0.2, 0, 0), np.diag([1.0, 0.1, 0.1]))  # against the triangle inequality everywhere
        Inertia(0.5, (0.2, 0, 0), -ROD)
        Inertia(0.0, (0.2, 0, 0), ROD)
        Inertia(-1.0, (0.2, 0, 0), ROD)
        Inertia(sympy.Symbol("m"), (0.2, 0, 0), ROD)
        Inertia(0.5, (np.nan, 0, 0), ROD)
    assert caught == []


def test_results_of_the_library_are_not_told() -> None:
    """Fitted and regrouped parameters, and what is left when a load is taken away, may be no body's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mistaken = from_vector([0.5, 0.2, 0, 0, *np.diag(ROD), 0, 0, 0])
        replace(mistaken, m=0.4)
        mistaken + mistaken
        revolute.robots.planar(1).with_payload("tip", mistaken)
    assert caught == []
