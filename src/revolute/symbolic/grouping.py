"""The constants in which a robot's equations are linear: groups of lengths, masses and inertias.

SHV 6.123-6.133; LP ch. 9; for the planar elbow they are SHV's Theta_1 to Theta_5.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import sympy

from revolute.spatial.scalar import Scalar
from revolute.symbolic.fourier import Fourier, Number, Polynomial, Ring, add_term, quotient, simple


class Grouping:
    """Constants Theta_1 ..., whose linear combinations are the coefficients of some scalars.

    Short coefficients become constants first; the remainder of a longer one becomes the next constant. Constants are
    numbered in the order of the scalars; within an entry, rarer constants come first.

    Attributes:
        constants: the polynomial of each constant, whose first coefficient is one.
    """

    def __init__(self, ring: Ring, scalars: Sequence[Any], state: frozenset[int]) -> None:
        """Group scalars of a ring; `state` contains the generators that are not constants of the robot."""
        self._ring, self._state = ring, state
        self.constants: list[Polynomial] = []
        rows = [list(self._coefficients(x).values()) for x in scalars]
        for polynomial in sorted((p for row in rows for p in row), key=len):
            rest = self._parts(polynomial)[1]
            if any(rest):  # the polynomial is not a mere number
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

    def replaced(self, x: Scalar) -> Scalar:
        """A scalar in terms of the constants; any remainder is unchanged."""
        if not isinstance(x, Fourier):
            return x
        terms: dict[tuple[int, bool, int], Number] = {}
        for (A, sine, state), polynomial in self._coefficients(x).items():
            parts, rest = self._parts(polynomial)
            for monomial, c in [(self._names[k], c) for k, c in parts.items()] + list(rest.items()):
                add_term(terms, (A, sine, state + monomial), c)
        return Fourier(self._ring, terms)

    def _coefficients(self, x: Any) -> dict[tuple[int, bool, int], Polynomial]:
        """{function of the state: the polynomial of constants that multiplies it}, constant functions first."""
        coefficients: dict[tuple[int, bool, int], Polynomial] = {}
        terms = x.terms if isinstance(x, Fourier) else {(0, False, 0): x} if x != 0 else {}
        for (A, sine, monomial), c in sorted(terms.items(), key=lambda term: term[0]):
            state = self._ring.factor(monomial, self._state)
            coefficients.setdefault((A, sine, state), {})[monomial - state] = c
        return coefficients

    def _parts(self, polynomial: Polynomial) -> tuple[dict[int, Number], Polynomial]:
        """A polynomial as multiples of constants, and the remainder."""
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
        """The polynomial as multiples of constants, by least squares; None if the relative residual exceeds 1e-12."""
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
    """The nearest multiple of 1/8 if the number equals it up to rounding error; otherwise the number."""
    multiple = round(c * 8) / 8
    return multiple if abs(c - multiple) <= least else c
