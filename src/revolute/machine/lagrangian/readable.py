"""Sums of products in readable form: sums of angles, one coefficient for each product of rates."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import combinations_with_replacement

import sympy

from revolute.machine.lagrangian.symbols import Expression, Symbol
from revolute.symbolic.form import Form
from revolute.symbolic.fourier import Fourier, OutOfTime, Ring

__all__ = ["readable", "terms"]

BUDGET = 5.0
"""Time for an expression [s]. One that would take longer is not simplified."""


def readable(x: Expression, rates: Sequence[Symbol] = ()) -> Expression:
    """An expression with sums of angles, cos(q1 + q2), and one coefficient for every product of rates.

    Args:
        x: the expression.
        rates: symbols of accelerations and velocities; each product of them gets one coefficient.
    """
    ring = Ring(time.monotonic() + BUDGET)
    form = Form(ring, tolerance=0.0)
    try:
        scalar = ring.scalar(x)
        if not isinstance(scalar, Fourier):
            return form.expression(scalar)
        groups = _by_products(scalar.expression(), rates)
        return sympy.Add(*(product * form.expression(ring.scalar(part)) for product, part in groups))
    except OutOfTime:
        return x


def terms(x: Expression) -> int:
    """Number of summands after expansion of all brackets; angles are not expanded."""
    return len(sympy.Add.make_args(sympy.expand(x, trig=False)))


def _by_products(x: Expression, rates: Sequence[Symbol]) -> list[tuple[Expression, Expression]]:
    """[(product of rates, its coefficient)]: accelerations first, then squares and products, then the rest."""
    order = [*rates, *(a * b for a, b in combinations_with_replacement(rates, 2))]
    parts: dict[Expression, list[Expression]] = {}
    for term in sympy.Add.make_args(x):
        rest, product = term.as_independent(*rates, as_Add=False) if rates else (term, sympy.S.One)
        parts.setdefault(product, []).append(rest)
    ordered = sorted(parts, key=lambda y: order.index(y) if y in order else len(order))
    return [(product, sympy.Add(*parts[product])) for product in ordered]
