"""The constants in which a robot's equations are linear: lengths, masses and inertias come only in these groups.

SHV 6.5.2; LP ch. 9; for the planar elbow they are SHV's Theta_1 ... Theta_5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import sympy

from revolute.symbolic.fourier import Fourier, Number, Ring, quotient, simple
from revolute.symbolic.waves import add

__all__ = ["Grouping"]

Polynomial = dict[int, Number]  # {monomial: coefficient}


class Grouping:
    """Constants Theta_1 ... of which the coefficients of some scalars are sums.

    Small coefficients become constants first; what a larger one has beyond those becomes the
    next. They are numbered as they come up in the scalars, each before those that it shares
    an entry with and that come up more often.

    Attributes:
        constants: for each constant its polynomial, whose first coefficient is one.
    """

    def __init__(self, ring: Ring, scalars: Sequence[Any], state: frozenset[int]) -> None:
        """From scalars of a ring; `state` are the generators that are no constants of the robot."""
        self._ring, self._state = ring, state
        self.constants: list[Polynomial] = []
        rows = [list(self._coefficients(x).values()) for x in scalars]
        for polynomial in sorted((p for row in rows for p in row), key=len):
            rest = self._parts(polynomial)[1]
            if any(rest):  # more than a number
                first = rest[min(rest)]
                self.constants.append({m: quotient(c, first) for m, c in rest.items()})
        uses = [[list(self._parts(p)[0]) for p in row] for row in rows]
        entries = Counter(k for row in uses for k in {k for part in row for k in part})
        order = list(dict.fromkeys(k for row in uses for part in row for k in sorted(part, key=lambda k: entries[k])))
        self.constants = [self.constants[k] for k in order]
        self._names = [ring.digit(sympy.Symbol(f"Theta_{k + 1}")) for k in range(len(order))]

    def symbols(self) -> dict[Any, Fourier]:
        """The constants by their symbols."""
        return {
            self._ring.power(name): Fourier(self._ring, {(0, False, m): c for m, c in constant.items()})
            for name, constant in zip(self._names, self.constants, strict=True)
        }

    def replaced(self, x: Any) -> Any:
        """A scalar in terms of the constants; what they do not make up stays as it is."""
        if not isinstance(x, Fourier):
            return x
        terms: dict[tuple[int, bool, int], Number] = {}
        for (A, sine, state), polynomial in self._coefficients(x).items():
            parts, rest = self._parts(polynomial)
            for monomial, c in [(self._names[k], c) for k, c in parts.items()] + list(rest.items()):
                add(terms, (A, sine, state + monomial), c)
        return Fourier(self._ring, terms)

    def _coefficients(self, x: Any) -> dict[tuple[int, bool, int], Polynomial]:
        """The polynomials of constants of the robot that multiply each function of its state, constant ones first."""
        found: dict[tuple[int, bool, int], Polynomial] = {}
        terms = x.terms if isinstance(x, Fourier) else {(0, False, 0): x} if x != 0 else {}
        for (A, sine, monomial), c in sorted(terms.items(), key=lambda term: term[0]):
            state = sum(e * unit for unit, e in self._ring.powers(monomial) if unit in self._state)
            found.setdefault((A, sine, state), {})[monomial - state] = c
        return found

    def _parts(self, polynomial: Polynomial) -> tuple[dict[int, Number], Polynomial]:
        """How many of each constant a polynomial contains, and the rest."""
        self._ring.check_time()
        parts: dict[int, Number] = {}
        rest = dict(polynomial)
        for k, constant in sorted(enumerate(self.constants), key=lambda row: -len(row[1])):
            ratios = [quotient(rest[m], c) for m, c in constant.items() if m in rest]
            if len(ratios) == len(constant) and _alike(ratios):
                parts[k] = ratios[0]
                rest = {m: c for m, c in rest.items() if m not in constant}
        if rest and self.constants:
            solved = self._solved(polynomial)
            return (solved, {}) if solved else (parts, rest)
        return parts, rest

    def _solved(self, polynomial: Polynomial) -> dict[int, Number] | None:
        """The polynomial as a sum of constants, by least squares, where it is one to 1e-12 of its size."""
        monomials = sorted({*polynomial, *(m for constant in self.constants for m in constant)})
        A = np.array([[float(constant.get(m, 0)) for constant in self.constants] for m in monomials])
        b = np.array([float(polynomial.get(m, 0)) for m in monomials])
        x = np.linalg.lstsq(A, b, rcond=None)[0]
        if np.abs(A @ x - b).max() > 1e-12 * np.abs(b).max():
            return None
        least = 1e-12 * np.abs(x).max()
        return {k: simple(_near(float(c), least)) for k, c in enumerate(x) if abs(c) > least}


def _alike(ratios: Iterable[Number]) -> bool:
    first, *others = ratios
    return all(abs(x - first) <= 1e-12 * abs(first) for x in others)


def _near(c: float, least: float) -> float:
    """The multiple of 1/8 that a number is, but for rounding."""
    return round(c * 8) / 8 if abs(c - round(c * 8) / 8) <= least else c
