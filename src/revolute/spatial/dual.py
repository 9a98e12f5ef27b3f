"""Dual numbers over any scalar: a value and its derivatives, by forward differentiation. Clifford 1873."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from revolute.spatial.scalar import Scalar, cos, exp, sign, sin, sqrt, tanh


def _function(f: Callable[[Scalar], Scalar], slope: Callable[[Scalar, Scalar], Scalar]) -> Callable[[Dual], Dual]:
    """A method: y = f(x) of a dual number, with its derivative as a function of x and y."""

    def method(self: Dual) -> Dual:
        y = f(self.value)
        return self._with(y, slope(self.value, y))

    return method


class Dual:
    """x + sum_k slopes[k] e_k with e_j e_k = 0: a scalar of recursions that carries its derivatives.

    Directions without an entry have a structurally zero derivative.

    Attributes:
        value: x.
        slopes: {direction k: derivative of x}.
    """

    __slots__ = ("slopes", "value")
    __array_ufunc__ = None  # NumPy scalars then leave mixed arithmetic to this class
    over_scalars = True  # graph nodes leave mixed arithmetic to this class too

    def __init__(self, value: Scalar, slopes: Mapping[int, Scalar]) -> None:
        self.value, self.slopes = value, slopes

    def __add__(self, other: Any) -> Dual:
        if not isinstance(other, Dual):
            return Dual(self.value + other, self.slopes)
        slopes = dict(self.slopes)
        for k, b in other.slopes.items():
            slopes[k] = slopes[k] + b if k in slopes else b
        return Dual(self.value + other.value, slopes)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.value, {k: -a for k, a in self.slopes.items()})

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Dual):
            if isinstance(other, int) and other == 0:
                return 0
            return Dual(self.value * other, {k: a * other for k, a in self.slopes.items()})
        slopes = {k: a * other.value for k, a in self.slopes.items()}
        for k, b in other.slopes.items():
            slopes[k] = slopes[k] + self.value * b if k in slopes else self.value * b
        return Dual(self.value * other.value, slopes)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Dual):
            return Dual(self.value / other, {k: a / other for k, a in self.slopes.items()})
        return self * (1 / other)

    def __rtruediv__(self, other: Any) -> Any:
        inverse = 1 / self.value
        return self._with(inverse, -inverse * inverse) * other

    sin, cos = _function(sin, lambda x, y: cos(x)), _function(cos, lambda x, y: -sin(x))
    exp, sqrt = _function(exp, lambda x, y: y), _function(sqrt, lambda x, y: 0.5 / y)
    tanh = _function(tanh, lambda x, y: 1 - y * y)

    def sign(self) -> Scalar:
        """The sign, which is constant, so without slopes."""
        return sign(self.value)

    def _with(self, value: Scalar, slope: Scalar) -> Dual:
        """A function of this number, by its value and its derivative."""
        return Dual(value, {k: slope * a for k, a in self.slopes.items()})

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {dict(self.slopes)!r})"


def variables(values: Sequence[Scalar]) -> list[Dual]:
    """Variables at these values, each with its own direction.

    Example:
        >>> from revolute.spatial.dual import variables
        >>> x, y = variables([2.0, 3.0])
        >>> x * y + 1
        Dual(7.0, {0: 3.0, 1: 2.0})
    """
    return [Dual(x, {k: 1}) for k, x in enumerate(values)]


def value_of(x: Scalar) -> Scalar:
    """The value of a dual number; any other scalar unchanged."""
    return x.value if isinstance(x, Dual) else x


def slopes_of(x: Scalar) -> Mapping[int, Scalar]:
    """The derivatives of a dual number; empty for any other scalar."""
    return x.slopes if isinstance(x, Dual) else {}
