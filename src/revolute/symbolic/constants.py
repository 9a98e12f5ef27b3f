"""Symbols for the inertial parameters of a numeric robot, by which its equations can be grouped."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import sympy

from revolute.dynamics.energy import potential_energy
from revolute.model import Model, aligned, neutral, reduced_in_place
from revolute.model.edit import with_gravity
from revolute.model.parameters import NAMES, from_vector, to_vector
from revolute.spatial.vectors import Vector
from revolute.symbolic.fourier import Fourier, Ring

ROUNDING = 1e-14  # fraction of a body's largest parameter below which parameters count as rounding errors


def with_parameter_symbols(model: Model) -> tuple[Model, dict[Any, float]]:
    """A robot with the same joint forces, whose base inertial parameters are symbols; and the values of the symbols."""
    model = reduced_in_place(model)
    values: dict[Any, float] = {}
    bodies = [model.bodies[0]]
    for body in model.bodies[1:]:
        numbers = [float(x) for x in to_vector(body.inertia)]
        least = ROUNDING * max(map(abs, numbers))
        symbols = {k: sympy.Dummy(f"{body.name}.{NAMES[k]}") for k, x in enumerate(numbers) if abs(x) > least}
        values |= {symbol: numbers[k] for k, symbol in symbols.items()}
        bodies.append(replace(body, inertia=from_vector([symbols.get(k, 0) for k in range(10)])))
    return replace(model, bodies=tuple(bodies)), values


def without_rounding(scalars: list[Any], ring: Ring, constants: Collection[Any]) -> list[Any]:
    """The scalars of a quantity, without terms that are only rounding errors.

    Coefficients of a constant are lengths and their products, so those below 1e-12 of the largest are dropped. Without
    `constants`, coefficients contain masses and inertias of any size, so only those below 1e-16 of the largest are
    dropped.
    """
    units = {ring.digit(symbol) for symbol in constants}
    parts: dict[int, int] = {}  # {monomial: its factor that contains only constants}
    largest: dict[int, Any] = {}
    terms = {id(x): x.terms for x in scalars if isinstance(x, Fourier)}
    for _, _, monomial in (key for of_x in terms.values() for key in of_x):
        if monomial not in parts:
            parts[monomial] = sum(unit for unit, _ in ring.powers(monomial) if unit in units)
    for (_, _, monomial), c in (term for of_x in terms.values() for term in of_x.items()):
        largest[parts[monomial]] = max(largest.get(parts[monomial], 0), abs(c))
    share = 1e-12 if constants else 1e-16
    least = {part: share * float(c) for part, c in largest.items()}
    kept = {
        key: Fourier(ring, {t: c for t, c in of_x.items() if not isinstance(c, float) or abs(c) > least[parts[t[2]]]})
        for key, of_x in terms.items()
    }
    return [kept.get(id(x), x) for x in scalars]


def moment_offset(model: Model) -> Vector:
    """First moment [kg m] at the base of a numeric robot minus that of its reduced model; the same in every state."""
    # Multiplied by gravity, it is the difference of their potential energies.
    q = neutral(model)
    moment = []
    for g in ((-1, 0, 0), (0, -1, 0), (0, 0, -1)):
        tilted = with_gravity(model, g)
        full, other = potential_energy(aligned(tilted), q), potential_energy(reduced_in_place(tilted), q)
        moment.append(0.0 if abs(full - other) <= ROUNDING * (abs(full) + abs(other)) else float(full - other))
    return Vector(moment)
