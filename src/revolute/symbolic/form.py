"""A `Fourier` scalar as an expression that a person can read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from revolute.symbolic.fourier import Fourier, Number, Ring, as_sympy
from revolute.symbolic.waves import Plane, Wave, Waves, shortest

__all__ = ["Form"]

Polynomial = dict[int, Number]  # {monomial: coefficient}


@dataclass(frozen=True)
class Form:
    """How to write scalars of a ring.

    Attributes:
        ring: of the scalars.
        planes: joints with parallel axes, which may be written with the angles of links.
        masses, rates: the ring's generators, by their monomials, that sums may be grouped by.
        decimal: fractions are written as decimals.
        tolerance: terms whose coefficient is smaller than this share of the largest are rounding,
            and so is a coefficient's distance from a multiple of 1/8 below this share of it.
    """

    ring: Ring
    planes: tuple[Plane, ...] = ()
    masses: frozenset[int] = frozenset()
    rates: frozenset[int] = frozenset()
    decimal: bool = False
    tolerance: float = 1e-12

    def expression(self, x: Any) -> Any:
        """A scalar as SymPy, the shorter of its forms grouped by waves and by masses."""
        if not isinstance(x, Fourier):
            return self._number(x)
        terms = self.terms(x)
        factor, rest = self._shared(terms)
        forms = [self._by_waves(rest)]
        by_mass = self._by_mass(rest)
        if by_mass is not None:
            forms.append(sympy.Add(*(mass * self._by_waves(part) for mass, part in by_mass.items())))
        return factor * min(forms, key=sympy.count_ops)

    def terms(self, x: Fourier) -> dict[Waves, Polynomial]:
        """What multiplies each product of waves in the chosen form, rounding dropped."""
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

    def _by_waves(self, terms: Mapping[Waves, Polynomial]) -> Any:
        """sum (polynomial * waves), with what all terms share in front."""
        factor, rest = self._shared(terms)
        return factor * sympy.Add(*(self._polynomial(p) * self._waves(waves) for waves, p in rest.items()))

    def _by_mass(self, terms: Mapping[Waves, Polynomial]) -> dict[Any, dict[Waves, Polynomial]] | None:
        """The terms by the mass that is a factor of each; None where one has two."""
        groups: dict[Any, dict[Waves, Polynomial]] = {}
        for waves, polynomial in terms.items():
            for monomial, c in polynomial.items():
                masses = [(unit, e) for unit, e in self.ring.powers(monomial) if unit in self.masses]
                if len(masses) > 1 or any(e != 1 for _, e in masses):
                    return None
                unit = masses[0][0] if masses else 0
                groups.setdefault(self.ring.power(unit), {}).setdefault(waves, {})[monomial - unit] = c
        return groups

    def _polynomial(self, terms: Polynomial) -> Any:
        """A polynomial in factors: what all terms share, the rates, the rest, where it is such a product."""
        factor, rest = self._shared({(): terms})
        by_rates: dict[int, Polynomial] = {}
        for monomial, c in rest[()].items():
            own = sum(e * unit for unit, e in self.ring.powers(monomial) if unit in self.rates)
            by_rates.setdefault(own, {})[monomial - own] = c
        first = next(iter(by_rates.values()))
        ratios = [_ratio(part, first) for part in by_rates.values()]
        if len(first) > 1 and len(by_rates) > 1 and None not in ratios:
            rates = self._sum(dict(zip(by_rates, ratios, strict=True)))
            return factor * rates * self._sum(first)
        return factor * self._sum(rest[()])

    def _rounded(self, c: Number) -> Number:
        near = Fraction(round(c * 8), 8) if isinstance(c, float) else c
        return near if abs(c - near) <= self.tolerance * abs(c) else c

    def _number(self, c: Number) -> Any:
        c = self._rounded(c)
        return as_sympy(float(c) if self.decimal and c != int(c) else c)

    def _sum(self, terms: Polynomial) -> Any:
        return sympy.Add(*(self._number(c) * self.ring.power(monomial) for monomial, c in terms.items()))

    def _waves(self, waves: Waves) -> Any:
        return sympy.Mul(*(self.ring.wave(*wave) ** power for wave, power in waves))

    def _shared(self, terms: Mapping[Waves, Polynomial]) -> tuple[Any, dict[Waves, Polynomial]]:
        """The factor that all terms share, and the terms without it."""
        monomials = [dict(self.ring.powers(m)) for polynomial in terms.values() for m in polynomial]
        numbers = [c for polynomial in terms.values() for c in polynomial.values()]
        if not numbers:
            return sympy.Integer(1), dict(terms)
        common = sum(min(m.get(unit, 0) for m in monomials) * unit for unit in set().union(*monomials))
        content = _content(numbers)
        rest = {
            waves: {m - common: _quotient(c, content) for m, c in polynomial.items()}
            for waves, polynomial in terms.items()
        }
        return self._number(content) * self.ring.power(common), rest


def _content(numbers: list[Number]) -> Number:
    """The largest number that leaves whole ones, -1 where all are negative; of floats their sign."""
    sign = -1 if all(c < 0 for c in numbers) else 1
    if len(numbers) == 1:
        return numbers[0]
    if any(isinstance(c, float) for c in numbers):
        return sign
    return sign * Fraction(
        math.gcd(*(Fraction(c).numerator for c in numbers)), math.lcm(*(Fraction(c).denominator for c in numbers))
    )


def _ratio(one: Polynomial, other: Polynomial) -> Number | None:
    """The number that one polynomial is of another, if there is one."""
    if one.keys() != other.keys():
        return None
    ratios = {_quotient(c, other[m]) for m, c in one.items()}
    return ratios.pop() if len(ratios) == 1 else None


def _quotient(a: Number, b: Number) -> Number:
    return a / b if isinstance(b, float) else a / Fraction(b)
