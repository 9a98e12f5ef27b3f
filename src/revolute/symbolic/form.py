"""A `Fourier` scalar as a readable SymPy expression."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from revolute.spatial.scalar import Expression, Scalar
from revolute.symbolic.fourier import Fourier, Number, Polynomial, Ring, as_sympy, quotient
from revolute.symbolic.waves import Plane, Wave, Waves, shortest

MOST = 12  # maximum number of terms of a sum that SymPy factors, because its randomized algorithm may take hours


@dataclass(frozen=True)
class Form:
    """Settings by which scalars of a ring are written as SymPy expressions."""

    ring: Ring  # ring of the scalars
    planes: tuple[Plane, ...] = ()  # joints with parallel axes, which may be written in terms of link angles
    # masses, rates: generators of the ring, by their monomials, by which sums may be grouped
    masses: frozenset[int] = frozenset()
    rates: frozenset[int] = frozenset()
    constants: frozenset[int] = frozenset()  # generators that are constant angles of the robot
    decimal: bool = False  # whether fractions are written as decimals
    # fraction of the largest coefficient below which terms are dropped; coefficients within this fraction of a multiple
    # of 1/8 are replaced by it
    tolerance: float = 1e-12

    def expression(self, x: Scalar) -> Expression:
        """A scalar in SymPy: the shortest of its forms, which are grouped by waves, by masses or by velocities."""
        if not isinstance(x, Fourier):
            return self._number(x)
        factor, rest = self._shared(self.terms(x))
        forms = [self._by_waves(rest, factor)]
        if self.constants:
            forms.append(factor * self._by_motions(rest))
        for units in (self.masses, self.rates):
            groups = self._grouped(rest, units)
            if len(groups) > 1:
                parts = (self._by_waves(part, self.ring.power(unit)) for unit, part in groups.items())
                forms.append(factor * sympy.Add(*parts))
        return min(forms, key=sympy.count_ops)

    def terms(self, x: Fourier) -> dict[Waves, Polynomial]:
        """The polynomial that multiplies each product of waves in the shortest form, without rounding errors."""
        functions: dict[int, dict[Wave, Number]] = {}
        least = self.tolerance * max((abs(c) for c in x.terms.values()), default=0)
        for (A, sine, monomial), c in x.terms.items():
            if not isinstance(c, float) or abs(c) > least:
                functions.setdefault(monomial, {})[A, sine] = self._rounded(c)
        terms: dict[Waves, Polynomial] = {}
        for monomial, function in functions.items():
            self.ring.check_time()
            for waves, c in shortest(self.ring, function, self.planes).items():
                terms.setdefault(waves, {})[monomial] = c
        return terms

    def _by_waves(self, terms: Mapping[Waves, Polynomial], lead: Any) -> Any:
        """lead * sum (polynomial * waves), with common factors in front."""
        factor, rest = self._shared(terms)
        if len(rest) == 1:
            ((waves, polynomial),) = rest.items()
            return self._product(waves, polynomial, lead * factor)
        return lead * factor * sympy.Add(*(self._product(*term, sympy.Integer(1)) for term in rest.items()))

    def _by_motions(self, terms: Mapping[Waves, Polynomial]) -> Any:
        """sum (sum (polynomial * waves of constants) * waves of the motion)."""
        groups: dict[Waves, dict[Waves, Polynomial]] = {}
        for waves, polynomial in terms.items():
            still = tuple(w for w in waves if all(angle in self.constants for angle, _ in self.ring.powers(w[0][0])))
            moving = tuple(w for w in waves if w not in still)
            groups.setdefault(moving, {})[still] = polynomial
        return sympy.Add(
            *(self._by_waves(part, self._product(moving, {0: 1}, sympy.Integer(1))) for moving, part in groups.items())
        )

    def _grouped(self, terms: Mapping[Waves, Polynomial], units: frozenset[int]) -> dict[int, dict[Waves, Polynomial]]:
        """The terms, grouped by the factor that consists of the generators `units`."""
        groups: dict[int, dict[Waves, Polynomial]] = {}
        for waves, polynomial in terms.items():
            for factor, part in self._parts(polynomial, units).items():
                groups.setdefault(factor, {})[waves] = part
        return groups

    def _parts(self, polynomial: Polynomial, units: frozenset[int]) -> dict[int, Polynomial]:
        """{factor that consists of the generators `units`: the polynomial that it multiplies}."""
        parts: dict[int, Polynomial] = {}
        for monomial, c in polynomial.items():
            factor = self.ring.factor(monomial, units)
            parts.setdefault(factor, {})[monomial - factor] = c
        return parts

    def _product(self, waves: Waves, polynomial: Polynomial, lead: Any) -> Any:
        """lead * waves * polynomial; the polynomial as common factor * sum of rates * rest, if it has this form."""
        factor, rest = self._shared({(): polynomial})
        factor = lead * factor
        self.ring.check_time()
        for wave, power in waves:
            factor = factor * self.ring.wave(*wave) ** power
        by_rates = self._parts(rest[()], self.rates)
        first = next(iter(by_rates.values()))
        ratios = [_ratio(part, first) for part in by_rates.values()]
        if len(first) > 1 and len(by_rates) > 1 and None not in ratios:
            return sympy.Mul(factor, self._sum(dict(zip(by_rates, ratios, strict=True))), self._sum(first))
        return factor * self._sum(rest[()])

    def _rounded(self, c: Number) -> Number:
        near = Fraction(round(c * 8), 8) if isinstance(c, float) else c
        return near if abs(c - near) <= self.tolerance * abs(c) else c

    def _number(self, c: Number) -> Any:
        c = self._rounded(c)
        return as_sympy(float(c) if self.decimal and c != int(c) else c)

    def _sum(self, terms: Polynomial) -> Any:
        return sympy.Add(*(self._number(c) * self.ring.power(monomial) for monomial, c in terms.items()))

    def _shared(self, terms: Mapping[Waves, Polynomial]) -> tuple[Any, dict[Waves, Polynomial]]:
        """The common factor of all terms, and the terms divided by it."""
        monomials = [dict(self.ring.powers(m)) for polynomial in terms.values() for m in polynomial]
        if not (numbers := [c for polynomial in terms.values() for c in polynomial.values()]):
            return sympy.Integer(1), dict(terms)
        common = sum(min(m.get(unit, 0) for m in monomials) * unit for unit in set().union(*monomials))
        content = _content(numbers)
        if self.decimal and len(numbers) > 1 and isinstance(content, Fraction) and content != int(content):
            content = Fraction(1 if content > 0 else -1)  # avoid that 0.5 (2 a + b) becomes 1.0 a + 0.5 b
        rest = {
            waves: {m - common: quotient(c, content) for m, c in polynomial.items()}
            for waves, polynomial in terms.items()
        }
        return self._number(content) * self.ring.power(common), rest


def factored(x: Expression) -> Expression:
    """A sum as a product; for a long sum only common factors are extracted."""
    return sympy.factor(x) if len(sympy.Add.make_args(x)) <= MOST else sympy.factor_terms(x)


def _content(numbers: list[Number]) -> Number:
    """Greatest common divisor, negative if all numbers are; for floats, the absolute value that all share, or 1."""
    sign = -1 if all(c < 0 for c in numbers) else 1
    if len(numbers) == 1:
        return numbers[0]
    if any(isinstance(c, float) for c in numbers):
        size = abs(numbers[0])
        return sign * (size if all(abs(abs(c) - size) <= 1e-15 * size for c in numbers) else 1)
    return sign * Fraction(
        math.gcd(*(Fraction(c).numerator for c in numbers)), math.lcm(*(Fraction(c).denominator for c in numbers))
    )


def _ratio(one: Polynomial, other: Polynomial) -> Number | None:
    """The number c with one = c * other; None if no such number exists."""
    if one.keys() != other.keys():
        return None
    ratios = {quotient(c, other[m]) for m, c in one.items()}
    return ratios.pop() if len(ratios) == 1 else None
