"""Dual numbers over any scalar type: a value and its derivatives, by forward-mode differentiation. Clifford 1873."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from revolute.spatial.scalar import Scalar, cos, exp, select, sign, sin, sqrt, tanh

TINY = 1e-30  # square of a length, velocity or mobility that counts as zero


def _function(f: Callable[[Scalar], Scalar], slope: Callable[[Scalar, Scalar], Scalar]) -> Callable[[Dual], Dual]:
    """A method of `Dual` that returns y = f(x), where `slope` is the derivative of f as a function of x and y."""

    def method(self: Dual) -> Dual:
        y = f(self.value)
        return self._with(y, slope(self.value, y))

    return method


class Dual:
    """x + sum_k slopes[k] e_k with e_j e_k = 0: a scalar that carries its derivatives through recursions.

    Directions without an entry have a structurally zero derivative.

    Attributes:
        value: x.
        slopes: {direction k: derivative of x}.
    """

    __slots__ = ("slopes", "value")
    level = 0  # the values of numbers of one level may be numbers of a higher level: see `moving`
    __array_ufunc__ = None  # NumPy scalars then leave mixed arithmetic to this class
    over_scalars = True  # graph nodes leave mixed arithmetic to this class too

    def __init__(self, value: Scalar, slopes: Mapping[int, Scalar]) -> None:
        self.value, self.slopes = value, slopes

    def __add__(self, other: Any) -> Any:
        if not self._beside(other):
            return self._of(other, lambda: type(self)(self.value + other, self.slopes))
        slopes = dict(self.slopes)
        for k, b in other.slopes.items():
            slopes[k] = slopes[k] + b if k in slopes else b
        return type(self)(self.value + other.value, slopes)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return type(self)(-self.value, {k: -a for k, a in self.slopes.items()})

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not self._beside(other):
            if isinstance(other, int) and other == 0:
                return 0
            return self._of(
                other, lambda: type(self)(self.value * other, {k: a * other for k, a in self.slopes.items()})
            )
        slopes = {k: a * other.value for k, a in self.slopes.items()}
        for k, b in other.slopes.items():
            slopes[k] = slopes[k] + self.value * b if k in slopes else self.value * b
        return type(self)(self.value * other.value, slopes)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not self._beside(other):
            return self._of(
                other, lambda: type(self)(self.value / other, {k: a / other for k, a in self.slopes.items()})
            )
        return self * (1 / other)

    def __rtruediv__(self, other: Any) -> Any:
        inverse = 1 / self.value
        return self._with(inverse, -inverse * inverse) * other

    sin, cos = _function(sin, lambda x, y: cos(x)), _function(cos, lambda x, y: -sin(x))
    exp, sqrt = _function(exp, lambda x, y: y), _function(sqrt, lambda x, y: 0.5 / y)
    tanh = _function(tanh, lambda x, y: 1 - y * y)

    def sign(self) -> Scalar:
        """The sign of the value, without slopes, because it is constant."""
        return sign(self.value)

    def __pow__(self, power: int) -> Any:
        if not isinstance(power, int) or power < 0:
            return NotImplemented
        result: Any = 1
        for _ in range(power):
            result = result * self
        return result

    def __abs__(self) -> Any:
        return self * self.sign()

    def __lt__(self, other: Any) -> Any:
        return self.value < (other.value if self._beside(other) else other)

    def __le__(self, other: Any) -> Any:
        return self.value <= (other.value if self._beside(other) else other)

    def __gt__(self, other: Any) -> Any:
        return self.value > (other.value if self._beside(other) else other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= (other.value if self._beside(other) else other)

    @classmethod
    def selected(cls, condition: Any, yes: Scalar, no: Scalar) -> Dual:
        """`revolute.spatial.scalar.select` between scalars of which one or both are dual numbers."""
        a, b = (x if isinstance(x, cls) else cls(x, {}) for x in (yes, no))
        slopes = {k: select(condition, a.slopes.get(k, 0), b.slopes.get(k, 0)) for k in {**a.slopes, **b.slopes}}
        return cls(select(condition, a.value, b.value), slopes)

    def _beside(self, other: Any) -> bool:
        """Whether another scalar is a dual number of the same level."""
        return type(other) is type(self)

    def _of(self, other: Any, result: Callable[[], Dual]) -> Any:
        """The result of an operation with `other`; NotImplemented if `other` is a dual number of a lower level."""
        return NotImplemented if isinstance(other, Dual) and other.level < self.level else result()

    def _with(self, value: Scalar, slope: Scalar) -> Dual:
        """The dual number of a function of this number, from the function's value and derivative."""
        return type(self)(value, {k: slope * a for k, a in self.slopes.items()})

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {dict(self.slopes)!r})"


class _Moving(Dual):
    """A dual number with one direction, along a motion; it may be the value of a `Dual`."""

    __slots__ = ()
    level = 1


def gradient(function: Callable[..., Scalar], p: Sequence[Scalar]) -> tuple[Scalar, list[Scalar]]:
    """The value of a function of a list of scalars, and its derivatives.

    Example:
        >>> from revolute.spatial.dual import gradient
        >>> gradient(lambda p: p[0] * p[0] + 3 * p[1], [2.0, 5.0])
        (19.0, [4.0, 3])
    """
    result = function(variables(p))
    return value_of(result), [slopes_of(result).get(k, 0) for k in range(len(p))]


def unit_gradient(function: Callable[..., Scalar], p: Sequence[Scalar]) -> list[Scalar]:
    """The value and gradient of a function, divided by the gradient's length; if that is zero, the value and zeros."""
    value, slopes = gradient(function, p)
    square = sum(x * x for x in slopes)
    scale = 1 / sqrt(select(square > TINY, square, 1.0))
    return [value * scale, *(select(square > TINY, x * scale, 0.0) for x in slopes)]


def moving(function: Callable[..., Sequence[Scalar]], p: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """d/dt of the results of a function of p, where p moves with velocity v; the function may use `gradient`."""
    results = function([_Moving(x, {0: rate}) for x, rate in zip(p, v, strict=True)])
    return [x.slopes.get(0, 0) if isinstance(x, _Moving) else 0 for x in results]


def variables(values: Sequence[Scalar]) -> list[Dual]:
    """Dual numbers with these values, each with derivative 1 in a direction of its own.

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
