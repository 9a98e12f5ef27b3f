"""Robots whose lengths, masses, inertias or gravity are SymPy expressions.

A robot may have an expression wherever it has a scalar: in placements, axes, inertias, gravity and
drives. Nothing here loads SymPy for a robot of numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from revolute.body import Body, Drive
from revolute.errors import InputError, UnknownNameError
from revolute.joints import Helical, Joint, OneAxis
from revolute.robot import Robot
from revolute.scalar import Scalar
from revolute.spatial import Inertia, Matrix, Rotation, Transform, Vector

__all__ = [
    "by_name",
    "mapped",
    "numeric",
    "of_links",
    "scalars",
    "substituted",
    "symbols",
    "values_of",
    "with_irregular_numbers",
]


def scalars(robot: Robot) -> Iterator[Scalar]:
    """Every scalar that a robot's equations may depend on."""
    yield from robot.gravity
    for body in robot.bodies:
        yield from of_links(body)
        for column in body.drive.columns().values():
            yield from column
        if body.drive.mimic:
            yield from (body.drive.mimic.multiplier, body.drive.mimic.offset)
    for frame in robot.frames:
        yield from _of_transform(frame.placement)


def of_links(body: Body) -> Iterator[Scalar]:
    """The scalars of a body's placement, joint and inertia."""
    yield from _of_transform(body.placement)
    if isinstance(body.joint, OneAxis):
        yield from body.joint.axis
    if isinstance(body.joint, Helical):
        yield body.joint.pitch
    yield body.inertia.m
    yield from body.inertia.h
    for row in body.inertia.I:
        yield from row


def mapped(robot: Robot, change: Callable[[Scalar], Scalar]) -> Robot:
    """The robot with every scalar of `scalars` changed."""
    return replace(
        robot,
        gravity=Vector(map(change, robot.gravity)),
        bodies=tuple(_body(body, change) for body in robot.bodies),
        frames=tuple(replace(frame, placement=_transform(frame.placement, change)) for frame in robot.frames),
    )


def symbols(robot: Robot) -> tuple[Any, ...]:
    """See `Robot.symbols`."""
    return by_name({symbol for x in _expressions(robot) for symbol in x.free_symbols})


def by_name(found: Iterable[Any]) -> tuple[Any, ...]:
    """Symbols in the order of their names; those of one name, by what is assumed of them."""
    return tuple(sorted(found, key=lambda symbol: (symbol.name, repr(sorted(symbol.assumptions0.items())))))


def substituted(robot: Robot, values: Mapping[Any, Any]) -> Robot:
    """See `Robot.subs`."""
    table = values_of(f"robot '{robot.name}'", symbols(robot), values)
    return mapped(robot, lambda x: _plain(x.xreplace(table)) if hasattr(x, "free_symbols") else x)


def values_of(owner: str, known: Sequence[Any], values: Mapping[Any, Any]) -> dict[Any, Any]:
    """Values by symbol, where they are given by symbol or name; `owner` has the symbols, for messages.

    Raises:
        InputError, UnknownNameError: as `Robot.subs` has it.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"subs needs {{symbol or its name: value}}, not {type(values).__name__}")
    table: dict[Any, Any] = {}
    for key, value in values.items():
        places = [symbol for symbol in known if symbol == key or symbol.name == key]
        if not places:
            names = ", ".join(symbol.name for symbol in known) or "none"
            raise UnknownNameError(f"{owner} has no symbol '{key}'; it has: {names}")
        table |= dict.fromkeys(places, _value(key, value))
    return table


def numeric(robot: Robot, what: str) -> Robot:
    """The robot with floats for exact numbers of SymPy.

    Args:
        robot: a robot.
        what: what the numbers are needed for, for the message.

    Raises:
        InputError: it has symbols.
    """
    if robot.symbols:
        names = ", ".join(symbol.name for symbol in robot.symbols)
        raise InputError(
            f"{what} needs numbers, and robot '{robot.name}' has symbols: {names}. Give them values first: "
            f"robot.subs({{'{robot.symbols[0].name}': ...}}); or ask for the equations: robot.equations()"
        )
    if next(_expressions(robot), None) is None:
        return robot
    return mapped(robot, lambda x: float(x) if hasattr(x, "free_symbols") else x)


def with_irregular_numbers(robot: Robot) -> Robot:
    """A robot of numbers that has no special ones but those of this robot: 17/16, 19/16, 23/16 ... for its symbols.

    Sums and products of these do not round, so terms that are equal in symbols are so in numbers.
    """
    if not robot.symbols:
        return robot
    import sympy

    values = {x: sympy.Rational(sympy.prime(k), 16) for k, x in enumerate(robot.symbols, 7)}
    return numeric(substituted(robot, values), "counting")


def _expressions(robot: Robot) -> Iterator[Any]:
    if "sympy" not in sys.modules:
        return iter(())
    return (x for x in scalars(robot) if hasattr(x, "free_symbols"))


def _value(name: Any, value: Any) -> Any:
    """A symbol's value as an expression, checked."""
    import sympy

    try:
        expression = sympy.sympify(value, strict=True)
    except sympy.SympifyError:
        expression = None
    if not isinstance(expression, sympy.Expr) or expression.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo):
        raise InputError(f"subs: the value of '{name}' must be a finite number or a SymPy expression, not {value!r}")
    return expression


def _plain(x: Any) -> Any:
    """A Python number for a whole or a decimal one; exact fractions and roots stay exact."""
    if x.is_Integer:
        return int(x)
    return float(x) if x.is_number and any(atom.is_Float for atom in x.atoms()) else x


def _of_transform(X: Transform) -> Iterator[Scalar]:
    yield from X.p
    for factor in X.R.factors:
        for row in factor:
            yield from row


def _transform(X: Transform, change: Callable[[Scalar], Scalar]) -> Transform:
    factors = tuple(Matrix(map(change, row) for row in factor) for factor in X.R.factors)
    return Transform(Rotation(factors), Vector(map(change, X.p)))


def _body(body: Body, change: Callable[[Scalar], Scalar]) -> Body:
    own = body.inertia
    inertia = Inertia(change(own.m), Vector(map(change, own.h)), Matrix(map(change, row) for row in own.I))
    return replace(
        body,
        joint=_joint(body.joint, change),
        placement=_transform(body.placement, change),
        inertia=inertia,
        drive=_drive(body.drive, change),
    )


def _joint(joint: Joint, change: Callable[[Scalar], Scalar]) -> Joint:
    """The joint with another axis, which its constructor might take for one that is not of length one."""
    if not isinstance(joint, OneAxis):
        return joint
    changed: OneAxis = object.__new__(type(joint))
    object.__setattr__(changed, "axis", Vector(map(change, joint.axis)))
    if isinstance(joint, Helical):
        object.__setattr__(changed, "pitch", change(joint.pitch))
    return changed


def _drive(drive: Drive, change: Callable[[Scalar], Scalar]) -> Drive:
    columns: dict[str, Any] = {name: tuple(map(change, column)) for name, column in drive.columns().items()}
    if drive.mimic:
        multiplier, offset = map(change, (drive.mimic.multiplier, drive.mimic.offset))
        columns["mimic"] = replace(drive.mimic, multiplier=multiplier, offset=offset)
    return replace(drive, **columns)
