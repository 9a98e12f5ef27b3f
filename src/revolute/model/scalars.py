"""The scalars in a model, and the SymPy symbols in them.

This module does not load SymPy for a numeric model.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from revolute.model.body import Body, Frame
from revolute.spatial import Scalar, Transform, Vector


def scalars(gravity: Vector, bodies: Iterable[Body], frames: Iterable[Frame]) -> Iterator[Scalar]:
    """Every scalar of gravity, bodies and frames on which the equations may depend."""
    yield from gravity
    for body in bodies:
        yield from of_links(body)
        for column in body.drive.columns().values():
            yield from column
        if body.drive.mimic:
            yield from (body.drive.mimic.multiplier, body.drive.mimic.offset)
    for frame in frames:
        yield from _of_transform(frame.placement)


def of_links(body: Body) -> Iterator[Scalar]:
    """The scalars of a body's placement, joint and inertia."""
    yield from _of_transform(body.placement)
    yield from body.joint.scalars()
    yield body.inertia.m
    yield from body.inertia.h
    for row in body.inertia.I:
        yield from row


def expressions(values: Iterable[Scalar]) -> Iterator[Any]:
    """The SymPy expressions among some scalars."""
    if "sympy" not in sys.modules:
        return iter(())
    return (x for x in values if hasattr(x, "free_symbols"))


def by_name(symbols: Iterable[Any]) -> tuple[Any, ...]:
    """Symbols sorted by name, then by their assumptions."""
    return tuple(sorted(symbols, key=lambda symbol: (symbol.name, repr(sorted(symbol.assumptions0.items())))))


def _of_transform(X: Transform) -> Iterator[Scalar]:
    yield from X.p
    for factor in X.R.factors:
        for row in factor:
            yield from row
