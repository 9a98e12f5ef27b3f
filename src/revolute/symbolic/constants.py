"""Symbols for the inertial parameters of a robot of numbers, so that its equations can be grouped by them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import sympy

from revolute.dynamics.energy import potential_energy
from revolute.model.configurations import neutral
from revolute.model.edit import with_gravity
from revolute.model.model import Model
from revolute.model.parameters import NAMES, from_vector, to_vector
from revolute.model.reduce import aligned, reduced
from revolute.spatial.vectors import Vector
from revolute.symbolic.fourier import Fourier, Ring

__all__ = ["named", "offset", "without_rounding"]

ROUNDING = 1e-14
"""What is left of the largest parameter of a body when equal figures are subtracted."""


def named(model: Model) -> tuple[Model, dict[Any, float]]:
    """A robot with the same joint forces, with symbols for the inertial parameters that these depend on.

    Args:
        model: of numbers, but for gravity.

    Returns:
        the robot, and the values of its symbols.
    """
    model = reduced(model)
    values: dict[Any, float] = {}
    bodies = [model.bodies[0]]
    for body in model.bodies[1:]:
        numbers = [float(x) for x in to_vector(body.inertia)]
        least = ROUNDING * max(map(abs, numbers))
        felt = {k: sympy.Dummy(f"{body.name}.{NAMES[k]}") for k, x in enumerate(numbers) if abs(x) > least}
        values |= {symbol: numbers[k] for k, symbol in felt.items()}
        bodies.append(replace(body, inertia=from_vector([felt.get(k, 0) for k in range(10)])))
    return replace(model, bodies=tuple(bodies)), values


def without_rounding(scalars: list[Any], ring: Ring, constants: Collection[Any]) -> list[Any]:
    """The scalars of a quantity without the terms that rounding left.

    Coefficients of a constant are lengths and their products, so 1e-12 of the largest is nothing. Where there are no
    constants, masses and inertias of any size are in the coefficients: then it is 1e-16 of the largest of all.
    """
    own = {ring.digit(symbol) for symbol in constants}
    parts: dict[int, int] = {}  # of monomials, the constants
    largest: dict[int, Any] = {}
    terms = {id(x): x.terms for x in scalars if isinstance(x, Fourier)}
    for _, _, monomial in (key for found in terms.values() for key in found):
        if monomial not in parts:
            parts[monomial] = sum(unit for unit, _ in ring.powers(monomial) if unit in own)
    for (_, _, monomial), c in (term for found in terms.values() for term in found.items()):
        largest[parts[monomial]] = max(largest.get(parts[monomial], 0), abs(c))
    share = 1e-12 if constants else 1e-16
    least = {part: share * float(c) for part, c in largest.items()}
    kept = {
        key: Fourier(ring, {t: c for t, c in found.items() if not isinstance(c, float) or abs(c) > least[parts[t[2]]]})
        for key, found in terms.items()
    }
    return [kept.get(id(x), x) for x in scalars]


def offset(model: Model) -> Vector:
    """First moment [kg m] that a robot of numbers has beyond its regrouped one, at the base: it is the same everywhere.

    The potential energies differ by it times gravity.
    """
    at = neutral(model)
    found = []
    for g in ((-1, 0, 0), (0, -1, 0), (0, 0, -1)):
        pulled = with_gravity(model, g)
        true, other = potential_energy(aligned(pulled), at), potential_energy(reduced(pulled), at)
        found.append(0.0 if abs(true - other) <= ROUNDING * (abs(true) + abs(other)) else float(true - other))
    return Vector(found)
