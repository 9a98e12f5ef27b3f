"""Generalised forces of forces at points, by virtual work. SHV 6.30-6.31."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

import sympy

from revolute.errors import InputError
from revolute.machine.lagrangian.symbols import Expression, Symbol, derivative, expression

__all__ = ["generalized_forces"]


def generalized_forces(
    q: Sequence[Symbol], rates: Iterable[Symbol], loads: Any, in_symbols: Callable[[Expression], Expression]
) -> list[Expression]:
    """Q_j = sum_i F_i . dr_i/dq_j, from sum_i F_i . delta r_i = sum_j Q_j delta q_j. SHV 6.30-6.31.

    A virtual displacement is one at a fixed time: dr/dt is no part of it. An angle with a moment
    does work as a point with a force does.

    Args:
        q: symbols of the coordinates.
        rates: symbols of velocities and accelerations, which points do not depend on.
        loads: pairs of a point r and a force F along the same axes, or of an angle and a moment.
        in_symbols: replaces functions of time by symbols.

    Raises:
        InputError: something else than pairs of expressions, or of vectors of equal length; or a point that
            depends on no coordinate, or on a rate.
    """
    pairs = list(loads) if isinstance(loads, Set) else _items(loads)  # pairs need no order
    if pairs is None:
        raise InputError(f"point_forces must be pairs (point, force), not {loads!r}")
    total = [sympy.S.Zero] * len(q)
    for number, load in enumerate(pairs, 1):
        what = f"point_forces: pair {number}"
        parts = None if isinstance(load, sympy.MatrixBase) else _items(load)  # a matrix is a vector
        if parts is None or len(parts) != 2:
            raise InputError(f"{what} must be (point, force), not {load!r}")
        r, F = (_components(f"{what}: {name}", part) for name, part in zip(("point", "force"), parts, strict=True))
        if len(r) != len(F):
            raise InputError(f"{what}: the point has {len(r)} components, but the force has {len(F)}")
        r = [in_symbols(x) for x in r]
        _check_point(what, r, q, rates)
        for x, f in zip(r, map(in_symbols, F), strict=True):
            total = [Q + f * derivative(x, y) for Q, y in zip(total, q, strict=True)]
    return total


def _components(what: str, x: Any) -> list[Expression]:
    """The expressions in a vector, or a single one."""
    parts = _items(x)
    return [expression(part, what) for part in ([x] if parts is None else parts)]


def _items(x: Any) -> list[Any] | None:
    """The items of a sequence, an array or a matrix; None for something else."""
    if not isinstance(x, (Iterable, sympy.MatrixBase)) or isinstance(x, (str, Mapping, Set)):
        return None
    try:
        return list(x)
    except TypeError:  # an array of no dimension
        return None


def _check_point(what: str, r: Sequence[Expression], q: Sequence[Symbol], rates: Iterable[Symbol]) -> None:
    """Raise `InputError` unless a point depends on a coordinate and on no rate."""
    symbols = set().union(*(x.free_symbols for x in r))
    point = f"{what}: the point ({', '.join(map(str, r))})"
    if odd := symbols & set(rates):
        raise InputError(f"{point} depends on the rate '{min(odd, key=str)}'; give its position")
    if not symbols & set(q):
        raise InputError(
            f"{point} depends on none of the coordinates {', '.join(map(str, q))}; "
            "give a list of pairs, [(point, force)]"
        )
