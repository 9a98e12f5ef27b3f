"""Inertias of particles. LP 9.2.1."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from numbers import Number, Real
from typing import Any

from revolute.arguments import is_scalar
from revolute.errors import InputError
from revolute.plain_numbers import plain_number
from revolute.spatial.inertia import Inertia
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors import point_inertia
from revolute.spatial.tensors.operands import as_vector
from revolute.spatial.vectors import Vector, plain_vector

__all__ = ["of_particles"]


def of_particles(masses: Any, places: Any) -> Inertia:
    """See `Inertia.particles`."""
    numbers, points = _listed("masses", masses), _listed("places", places)
    if len(numbers) != len(points):
        raise InputError(f"particles: give as many masses as positions, not {masses!r} and {places!r}")
    m = [_mass(k, x) for k, x in enumerate(numbers)]
    r = [_place(k, x) for k, x in enumerate(points)]
    try:
        body = sum((Inertia(a, b * a, point_inertia(a, b)) for a, b in zip(m, r, strict=True)), Inertia())
        entries = (body.m, *body.h, *(x for row in body.I for x in row))
        fits = all(math.isfinite(x) for x in entries if isinstance(x, Real))
    except OverflowError:  # of an int
        fits = False
    if not fits:
        raise InputError("particles: the inertia is too large for a float; check the units of masses and positions")
    return body


def _listed(name: str, x: Any) -> tuple[Any, ...]:
    """The entries of a sequence or another ordered iterable."""
    if not isinstance(x, Iterable) or isinstance(x, (Mapping, Set)):
        raise InputError(f"particles: {name} must be a list or an array, not {x!r}")
    return tuple(x)


def _mass(k: int, x: Any) -> Scalar:
    m = plain_number(x)
    if not _is_finite(m, least=0):
        raise InputError(f"particles: mass {k} must be a finite number that is not negative, not {x!r}")
    return m


def _place(k: int, x: Any) -> Vector:
    r = plain_vector(f"particles: place {k}", as_vector(f"particles: place {k}", x))
    if not all(map(_is_finite, r)):
        raise InputError(f"particles: place {k} must be three finite numbers, not {x!r}")
    return r


def _is_finite(x: Any, least: float = -math.inf) -> bool:
    """Whether x is a symbol, or a finite real number of at least `least`."""
    if not is_scalar(x) or getattr(x, "shape", ()) != ():
        return False
    if not isinstance(x, Number) and not getattr(x, "is_number", False):
        return True
    try:
        return math.isfinite(x) and float(x) >= least
    except (TypeError, ValueError, OverflowError):  # complex, or too large for a float
        return False
