"""Generalised forces of forces at points, by virtual work. SHV 6.30-6.31."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sympy

from revolute.errors import InputError
from revolute.machine.lagrangian.symbols import Expression, Symbol, expression

__all__ = ["generalized_forces"]


def generalized_forces(
    q: Sequence[Symbol], loads: Any, in_symbols: Callable[[Expression], Expression]
) -> list[Expression]:
    """Q_j = sum_i F_i . dr_i/dq_j, from sum_i F_i . delta r_i = sum_j Q_j delta q_j. SHV 6.30-6.31.

    A virtual displacement is one at a fixed time: dr/dt is no part of it. An angle with a moment
    does work as a point with a force does.

    Args:
        q: symbols of the coordinates.
        loads: pairs of a point r and a force F along the same axes, or of an angle and a moment.
        in_symbols: replaces functions of time by symbols.

    Raises:
        InputError: something else than pairs of expressions, or of vectors of equal length.
    """
    if not isinstance(loads, Iterable) or isinstance(loads, (str, sympy.Basic)):
        raise InputError(f"point_forces must be pairs (point, force), not {loads!r}")
    total = [sympy.S.Zero] * len(q)
    for number, load in enumerate(loads, 1):
        what = f"point_forces: pair {number}"
        if not isinstance(load, Sequence) or len(load) != 2:
            raise InputError(f"{what} must be (point, force), not {load!r}")
        r, F = (_components(f"{what}: {name}", part) for name, part in zip(("point", "force"), load, strict=True))
        if len(r) != len(F):
            raise InputError(f"{what}: the point has {len(r)} components, but the force has {len(F)}")
        for x, f in zip(map(in_symbols, r), map(in_symbols, F), strict=True):
            total = [Q + f * x.diff(y) for Q, y in zip(total, q, strict=True)]
    return total


def _components(what: str, x: Any) -> list[Expression]:
    """The expressions in a vector, or a single one."""
    parts = list(x) if isinstance(x, (Iterable, sympy.MatrixBase)) and not isinstance(x, str) else [x]
    return [expression(part, what) for part in parts]
