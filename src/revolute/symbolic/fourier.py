"""Scalars for symbolic equations: polynomials times sines and cosines of angle sums.

    x = sum_k (a_k cos(k . q) + b_k sin(k . q)),    a_k, b_k polynomials, k vectors of integers

Products of sines and cosines are converted at once to functions of sums and differences of angles, so every function
has a unique form: zeros vanish, cos^2 + sin^2 never arises, and angles of parallel joints are added, as in cos(q1 +
q2). The recursions of `dynamics` accept these as scalars.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
import sympy

from revolute.spatial.scalar import Expression, Scalar

Number = Any  # an int, a Fraction or a float
Polynomial = dict[int, Number]  # {monomial: coefficient}, the sum of their products
Term = tuple[int, bool, int]  # (angle sum, whether the function is its sine, otherwise its cosine; monomial)
_BITS = 16
_HALF, _FULL = 1 << (_BITS - 1), 1 << _BITS
LARGEST = 100
"""Maximum exponent, and maximum multiple of an angle, in expressions; products of 300 factors do not overflow."""


class OutOfTime(Exception):
    """Raised when the time limit, or the limit of terms, is exceeded."""


class Ring:
    """The symbols of polynomials and angle sums, and the time limit.

    A monomial or an angle sum is one integer, whose 16-bit digits are the exponents or multiples of the generators:
    monomials are multiplied by adding integers.

    Attributes:
        generators: SymPy expressions treated as symbols: symbols, roots, quotients.
        deadline: time of `time.monotonic` at which computation stops.
        most: maximum number of terms of a scalar.
        ones: scalars that equal one, such as the squared norm of a quaternion, so that division by them is omitted.
    """

    def __init__(self, deadline: float, most: float = math.inf) -> None:
        self.generators: list[Any] = []
        self.deadline, self.most = deadline, most
        self.ones: list[Fourier] = []
        self._index: dict[Any, int] = {}

    def check_time(self) -> None:
        """Raise `OutOfTime` after the deadline."""
        if time.monotonic() > self.deadline:
            raise OutOfTime

    def generator(self, expression: Expression) -> Fourier:
        """A symbol, or an expression that is not a polynomial, as a scalar."""
        return Fourier(self, {(0, False, self.digit(expression)): 1})

    def digit(self, expression: Expression) -> int:
        """The monomial or angle sum of a single generator."""
        if (k := self._index.get(expression)) is None:
            k = self._index[expression] = len(self.generators)
            self.generators.append(expression)
        return 1 << (_BITS * k)

    def powers(self, number: int) -> Iterator[tuple[int, int]]:
        """The generators of a monomial with their exponents; for an angle sum, angles with their multiples."""
        unit = 1
        while number:
            if power := ((number + _HALF) % _FULL) - _HALF:
                yield unit, power
            number = (number - power) >> _BITS
            unit <<= _BITS

    def factor(self, monomial: int, units: Collection[int]) -> int:
        """The factor of a monomial that consists of certain generators."""
        return sum(e * unit for unit, e in self.powers(monomial) if unit in units)

    def power(self, monomial: int) -> Expression:
        """A monomial in SymPy."""
        return sympy.Mul(*(self._expression(unit) ** e for unit, e in self.powers(monomial)))

    def angle(self, A: int) -> Expression:
        """An angle sum in SymPy."""
        return sympy.Add(*(n * self._expression(unit) for unit, n in self.powers(A)))

    def wave(self, A: int, sine: bool) -> Expression:
        """The sine or cosine of an angle sum in SymPy."""
        return (sympy.sin if sine else sympy.cos)(self.angle(A))

    def _expression(self, unit: int) -> Any:
        return self.generators[(unit.bit_length() - 1) // _BITS]

    def scalar(self, expression: Expression) -> Scalar:
        """A SymPy expression as a number or a `Fourier`; numbers and other scalars are unchanged."""
        if not isinstance(expression, sympy.Basic):
            return expression
        if expression.is_Integer:
            return int(expression)
        if expression.is_Rational:
            return Fraction(int(expression.p), int(expression.q))
        if expression.is_Float:
            return float(expression)
        if expression.is_Add or expression.is_Mul:
            return reduce(add if expression.is_Add else mul, map(self.scalar, expression.args))
        if (
            expression.is_Pow
            and expression.exp.is_Integer
            and abs(expression.exp) <= LARGEST
            and not expression.base.is_number
        ):
            base, n = self.scalar(expression.base), int(expression.exp)
            return reduce(mul, [base if n > 0 else 1 / base] * abs(n))
        if isinstance(expression, (sympy.sin, sympy.cos)):
            angle = self.scalar(expression.args[0])
            if isinstance(angle, Fourier) and expression.args[0].free_symbols:
                return angle.sin() if isinstance(expression, sympy.sin) else angle.cos()
        return self.generator(expression)


class Fourier:
    """A scalar of a `Ring`: {(angle sum, is a sine, monomial): coefficient}.

    The last angle of an angle sum has a positive multiple. Coefficients are exact unless a float is not a multiple of
    1/8.
    """

    __slots__ = ("ring", "terms")
    __array_ufunc__ = None  # NumPy scalars then leave mixed arithmetic to this class

    def __init__(self, ring: Ring, terms: dict[Term, Number]) -> None:
        self.ring, self.terms = ring, terms

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Fourier:
        return Fourier(self.ring, {term: -c for term, c in self.terms.items()})

    def _plus(self, other: Any, sign: int) -> Fourier:
        terms = dict(self.terms)
        for term, c in self._of(other).terms.items():
            add_term(terms, term, sign * c)
        return Fourier(self.ring, terms)

    def __mul__(self, other: Any) -> Fourier:
        other = self._of(other)
        self.ring.check_time()
        terms: dict[Term, Number] = {}
        for (A, sine, p), a in self.terms.items():
            for (B, other_sine, r), b in other.terms.items():
                c, monomial = a * b, p + r
                if not A or not B:
                    add_term(terms, (A or B, sine or other_sine, monomial), c)
                    continue
                of_sum, of_difference = _PRODUCTS[sine, other_sine]
                c = c / 2 if isinstance(c, float) else Fraction(c) / 2
                for angle, share in ((A + B, c * of_sum), (A - B, c * of_difference)):
                    positive, sign = canonical(angle, sine != other_sine)
                    if sign:
                        add_term(terms, (positive, sine != other_sine, monomial), sign * share)
        if len(terms) > self.ring.most:
            raise OutOfTime
        return Fourier(self.ring, terms)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self * self._of(other)._inverse()

    def __rtruediv__(self, other: Any) -> Any:
        return self._inverse() * other

    def _of(self, other: Any) -> Fourier:
        if isinstance(other, Fourier):
            return other
        other = simple(self.ring.scalar(other))
        if isinstance(other, Fourier):  # a SymPy expression may convert to a series
            return other
        return Fourier(self.ring, {(0, False, 0): other} if other != 0 else {})

    def _inverse(self) -> Any:
        if len(self.terms) == 1:
            (((A, _, monomial), c),) = self.terms.items()
            if not A:
                return Fourier(self.ring, {(0, False, -monomial): 1 / c if isinstance(c, float) else 1 / Fraction(c)})
        return 1 if self in self.ring.ones else self.ring.generator(1 / self.expression())

    def sin(self) -> Scalar:
        """The sine: integer multiples of symbols become angle sums, quarter turns are exact."""
        return self._turned(1)

    def cos(self) -> Scalar:
        """The cosine: see `sin`."""
        return self._turned(0)

    def _turned(self, quarters: int) -> Any:
        """cos(x - quarters pi/2), by cos(A + r) = cos A cos r - sin A sin r with A the integer multiples of symbols."""
        ring, A, rest = self.ring, 0, sympy.Integer(0)
        for (B, sine, monomial), c in self.terms.items():
            factor = ring.power(monomial) * ring.wave(B, sine)
            if factor.is_Symbol and c == int(c) and abs(c) <= LARGEST:
                A += int(c) * monomial
            elif factor == sympy.pi and 2 * c == int(2 * c):
                quarters -= int(2 * c)
            else:
                rest += as_sympy(c) * factor
        quarters %= 4
        sign, odd = (1, 1, -1, -1)[quarters], quarters % 2 == 1
        cos_rest, sin_rest = _functions(ring, rest)
        return (_wave(ring, A, odd) * cos_rest + _wave(ring, A, not odd) * (sin_rest if odd else -sin_rest)) * sign

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (int, float, Fraction, Fourier)) and not self._plus(other, -1).terms

    __hash__ = None  # type: ignore[assignment]

    def expression(self) -> Expression:
        """Convert to SymPy, term by term."""
        ring = self.ring
        return sympy.Add(*(as_sympy(c) * ring.power(p) * ring.wave(A, sine) for (A, sine, p), c in self.terms.items()))

    def __repr__(self) -> str:
        return f"Fourier({self.expression()})"


def _functions(ring: Ring, angle: Any) -> tuple[Any, Any]:
    """Cosine and sine of an angle that is not a sum of symbols, such as omega t: two generators, or two numbers."""
    sign = -1 if angle.could_extract_minus_sign() else 1
    functions = sympy.cos(sign * angle), sympy.sin(sign * angle)
    cosine, sine = (ring.scalar(x) if x.is_number else ring.generator(x) for x in functions)
    return cosine, sine * sign


_PRODUCTS = {(False, False): (1, 1), (True, True): (-1, 1), (True, False): (1, 1), (False, True): (1, -1)}
"""Signs of the terms with A + B and A - B in a doubled product: 2 cos A sin B = sin(A + B) - sin(A - B)."""


def canonical(angle: int, sine: bool) -> tuple[int, int]:
    """The angle sum with its last angle positive, and the function's sign, which is -1 for sin(-A), 0 for sin(0)."""
    if angle == 0:
        return 0, 0 if sine else 1
    return (angle, 1) if angle > 0 else (-angle, -1 if sine else 1)


def simple(x: Scalar) -> Scalar:
    """A float that is a multiple of 1/8 as an exact number; other floats unchanged."""
    if isinstance(x, (float, np.floating)):
        number = float(x)
        return Fraction(number) if abs(number) < 1e6 and (number * 8).is_integer() else number
    return x


def quotient(a: Number, b: Number) -> Number:
    """a / b, exact if both are exact."""
    return a / b if isinstance(b, float) else a / Fraction(b)


def as_sympy(x: Number) -> Expression:
    """A coefficient in SymPy."""
    return sympy.Rational(x.numerator, x.denominator) if isinstance(x, (int, Fraction)) else sympy.Float(x)


def _wave(ring: Ring, A: int, sine: bool) -> Fourier:
    A, sign = canonical(A, sine)
    return Fourier(ring, {(A, sine and A != 0, 0): sign} if sign else {})


def add_term(sums: dict[Any, Number], key: Any, c: Number) -> None:
    """Add to a coefficient; remove the term if it becomes an exact zero."""
    if total := sums.get(key, 0) + c:
        sums[key] = total
    else:
        sums.pop(key, None)
