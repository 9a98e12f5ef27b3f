"""Constraints of a system: holonomic ones, and others that are linear in the velocities. SHV 6.15-6.18."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sympy

from revolute.errors import InputError
from revolute.machine.lagrangian.symbols import Expression, Symbol, derivative, expression, without_functions

if TYPE_CHECKING:
    from revolute.machine.lagrangian.equations import SystemEquations


@dataclass(frozen=True)
class Constraint:
    """The constraint row . dq + rest = 0; for a holonomic one, this is the time derivative of expression = 0."""

    name: str  # for messages
    expression: Expression  # expression that must be zero
    holonomic: bool  # whether the constraint has no velocities. SHV 6.16.
    row: tuple[Expression, ...]  # n coefficients of the velocities; dh/dq for a holonomic constraint. SHV 6.17.
    rest: Expression  # the part without velocities; dh/dt for a holonomic constraint


def constraints_of(system: SystemEquations, given: Any) -> tuple[Constraint, ...]:
    """The constraints of a system and the `given` ones, checked: see `System.with_constraints`."""
    if isinstance(given, (str, sympy.Basic)) or not isinstance(given, Iterable):
        raise InputError(f"constraints must be a list or {{name: expression}} of expressions equal to 0, not {given!r}")
    named: Iterable[tuple[Any, Any]] = given.items() if isinstance(given, Mapping) else ((None, x) for x in given)
    constraints = tuple(_constraint(system, number, *pair) for number, pair in enumerate(named, 1))
    if not constraints:
        raise InputError(f"'{system.name}' needs at least one constraint")
    constraints = (*system.constraints, *constraints)
    names = [x.name for x in constraints]
    if twice := [x for x in names if names.count(x) > 1]:
        raise InputError(f"duplicate name '{twice[0]}' of constraints of '{system.name}'; names must be unique")
    return constraints


def substituted(system: SystemEquations, table: Mapping[Symbol, Expression]) -> tuple[Constraint, ...]:
    """The constraints with their parameters replaced by the expressions of `table`."""

    def change(x: Expression) -> Expression:
        return x.subs(table, simultaneous=True)

    constraints = tuple(
        replace(x, expression=change(x.expression), row=tuple(map(change, x.row)), rest=change(x.rest))
        for x in system.constraints
    )
    for x in constraints:
        _require_real(system, f"constraint '{x.name}' ({x.expression} = 0)", x.expression)
    return constraints


def _constraint(system: SystemEquations, number: int, name: Any, given: Any) -> Constraint:
    what = f"constraint {number}" if name is None else f"constraint '{name}'"
    if isinstance(given, sympy.Equality):
        given = given.lhs - given.rhs
    x = without_functions(system.q, system.dq, system.time, expression(given, what))
    what, free = f"{what} ({x} = 0)", x.free_symbols
    _require_real(system, what, x)
    known = {y.name: y for y in (*system.q, *system.dq, *system.ddq, *system.parameters)}
    if strange := sorted(y.name for y in free if known.get(y.name, y) != y):
        raise InputError(f"two different symbols are called '{strange[0]}'; do their assumptions differ? See {what}")
    if free & set(system.ddq):
        raise InputError(f"{what} of '{system.name}' has the acceleration '{min(free & set(system.ddq), key=str)}'")
    if not free & {*system.q, *system.dq}:
        raise InputError(f"{what} of '{system.name}' contains none of its coordinates {', '.join(map(str, system.q))}")
    label = str(x) if name is None else str(name)
    time = (system.time,) if system.time is not None else ()
    if not free & set(system.dq):
        rest = sum((derivative(x, t) for t in time), sympy.S.Zero)
        return Constraint(label, x, True, tuple(derivative(x, y) for y in system.q), rest)
    row = tuple(_coefficient(system, what, x, v) for v in system.dq)
    return Constraint(label, x, False, row, x.xreplace(dict.fromkeys(system.dq, sympy.S.Zero)))


def _require_real(system: SystemEquations, what: str, x: Expression) -> None:
    """Raise `InputError` for infinite, undefined and imaginary numbers in a constraint."""
    for number in (sympy.I, sympy.oo, -sympy.oo, sympy.zoo, sympy.nan):
        if x.has(number):
            raise InputError(f"{what} of '{system.name}' contains {number}, which is not a finite real number")


def _coefficient(system: SystemEquations, what: str, x: Expression, v: Symbol) -> Expression:
    """The coefficient of a velocity in a linear expression."""
    slope = derivative(x, v)
    if slope.free_symbols & set(system.dq):
        slope = sympy.simplify(slope)
    if slope.free_symbols & set(system.dq):
        raise InputError(f"{what} of '{system.name}' is not linear in the rate '{v}'")
    return slope
