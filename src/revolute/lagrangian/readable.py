"""Sums of products as a person would write them: angles added up, coefficients grouped."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import sympy
from sympy.simplify.fu import TR8

from revolute.lagrangian.symbols import Expression, Symbol

__all__ = ["readable", "terms"]

LARGEST = 1000
"""Operations of an expression that is worth the time; larger ones stay as they are."""


def readable(x: Expression, rates: Sequence[Symbol] = ()) -> Expression:
    """An expression with shared angles, cos(q1 + q2), and one coefficient for every motion.

    Args:
        x: the expression.
        rates: symbols of accelerations and velocities, in whose products it is a polynomial:
            every product gets one coefficient.
    """
    if x.is_Atom or x.count_ops() > LARGEST:
        return x
    flat = _angles_added(x)
    groups = _by_products(flat, rates)
    return sum((product * _grouped(part) for product, part in groups), sympy.S.Zero)


def terms(x: Expression) -> int:
    """Number of summands once all brackets are multiplied out; angles stay as they are."""
    return len(sympy.Add.make_args(sympy.expand(x, trig=False)))


def _angles_added(x: Expression) -> Expression:
    """Products of sines and cosines as those of sums of angles, unless that makes it longer."""
    plain = sympy.expand(x)
    if not plain.has(sympy.sin, sympy.cos):
        return plain
    added = sympy.expand(TR8(plain), trig=False)
    return min((added, plain), key=lambda y: (len(sympy.Add.make_args(y)), y.count_ops()))


def _by_products(x: Expression, rates: Sequence[Symbol]) -> list[tuple[Expression, Expression]]:
    """[(product of rates, its coefficient)]: accelerations first, then squares and products, then what is left."""
    groups = []
    order = [*rates, *(a * b for a, b in combinations_with_replacement(rates, 2))]
    parts: dict[Expression, list[Expression]] = {}
    for term in sympy.Add.make_args(x):
        rest, product = term.as_independent(*rates, as_Add=False) if rates else (term, sympy.S.One)
        parts.setdefault(product, []).append(rest)
    for product in sorted(parts, key=lambda y: order.index(y) if y in order else len(order)):
        groups.append((product, sympy.Add(*parts[product])))
    return groups


def _grouped(x: Expression) -> Expression:
    """Terms that move alike, such as all with cos(q1 + q2), as one; common factors in front."""
    waves: dict[Expression, list[Expression]] = {}
    for term in sympy.Add.make_args(x):
        found = [f for f in sympy.Mul.make_args(term) if f.has(sympy.sin, sympy.cos)]
        wave = sympy.Mul(*found)
        waves.setdefault(wave, []).append(term / wave)
    return sympy.Add(*(sympy.factor(sympy.Add(*parts)) * wave for wave, parts in waves.items()))
