"""SymPy expressions as graph nodes, by a table of SymPy's classes; energies of a system as nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add, ge, gt, le, lt, mul
from typing import TYPE_CHECKING, Any

import sympy

from revolute.errors import InputError
from revolute.graph import Node, gradient, jacobian, pushforward
from revolute.machine.functions.traced import require_traced
from revolute.machine.lagrangian.symbols import Expression, Symbol

if TYPE_CHECKING:
    from revolute.machine.lagrangian.system import System


def _power(x: Any, exponent: Any) -> Any:
    """x^exponent: whole and half powers by multiplication and square root."""
    if isinstance(exponent, float) and (2 * exponent).is_integer() and abs(exponent) <= 64:
        whole, half = divmod(abs(exponent), 1)
        power = _whole_power(x, int(whole)) * _sqrt(x) if half else _whole_power(x, int(whole))
        return power if exponent >= 0 else 1 / power
    return _exp(exponent * _log(x))


def _whole_power(x: Any, n: int) -> Any:
    if n <= 1:
        return x if n else 1.0
    root = _whole_power(x, n // 2)
    return root * root * x if n % 2 else root * root


def _call(name: str) -> Callable[..., Any]:
    """The function with this name, of nodes or numbers; the result is a node if an argument is one."""

    def call(x: Any, *others: Any) -> Any:
        if isinstance(x, Node):
            return getattr(x, name)(*others)
        if others and isinstance(others[0], Node):
            return others[0].builder.make(name, x, *others)
        return float(getattr(math, name)(x, *others))

    return call


_sqrt, _exp, _log, _sin, _cos, _atan2 = map(_call, ("sqrt", "exp", "log", "sin", "cos", "atan2"))


def _extreme(name: str) -> Callable[..., Any]:
    """The function `name`, a minimum or maximum of nodes and numbers, at least one of which is a node."""

    def extreme(*args: Any) -> Any:
        numbers = [x for x in args if not isinstance(x, Node)]
        extreme_node = reduce(getattr(Node, name), [x for x in args if isinstance(x, Node)])
        return reduce(getattr(Node, name), numbers, extreme_node)

    return extreme


def _piecewise(*cases: Any) -> Any:
    """The value of the first case whose condition holds; NaN if none holds."""
    result: Any = math.nan
    for value, condition in reversed(cases):
        result = value if condition is True else condition.select(value, result)
    return result


TABLE: dict[Any, Callable[..., Any]] = {
    sympy.Add: lambda *args: reduce(add, args),
    sympy.Mul: lambda *args: reduce(mul, args),
    sympy.Pow: _power,
    sympy.sin: _sin,
    sympy.cos: _cos,
    sympy.tan: _call("tan"),
    sympy.sec: lambda x: 1 / _cos(x),
    sympy.csc: lambda x: 1 / _sin(x),
    sympy.cot: lambda x: _cos(x) / _sin(x),
    sympy.atan2: _atan2,
    sympy.atan: lambda x: _atan2(x, 1.0),
    sympy.asin: lambda x: _atan2(x, _sqrt(1 - x * x)),
    sympy.acos: lambda x: _atan2(_sqrt(1 - x * x), x),
    sympy.exp: _exp,
    sympy.log: _log,
    sympy.tanh: _call("tanh"),
    sympy.sinh: lambda x: (_exp(x) - _exp(-x)) * 0.5,
    sympy.cosh: lambda x: (_exp(x) + _exp(-x)) * 0.5,
    sympy.Abs: abs,
    sympy.sign: _call("sign"),
    sympy.Min: _extreme("minimum"),
    sympy.Max: _extreme("maximum"),
    sympy.StrictLessThan: lt,
    sympy.LessThan: le,
    sympy.StrictGreaterThan: gt,
    sympy.GreaterThan: ge,
    sympy.functions.elementary.piecewise.ExprCondPair: lambda value, condition: (value, condition),
    sympy.Piecewise: _piecewise,
}


def nodes(expressions: Sequence[Expression], symbols: Mapping[Symbol, Any]) -> list[Any]:
    """A node for each expression, or a number if it contains only numbers; `symbols` maps symbols to nodes.

    Raise `InputError` for a symbol without a value, and for a function that kernels do not support.
    """
    values: dict[Expression, Any] = dict(symbols)
    for root in expressions:
        for x in sympy.postorder_traversal(root):
            if x not in values:
                values[x] = _convert(x, values)
    return [values[x] for x in expressions]


def _convert(x: Expression, values: Mapping[Expression, Any]) -> Any:
    if x is sympy.true:
        return True
    if x.is_Symbol:
        raise InputError(f"no value for the symbol '{x}'")
    if not x.args:
        if x.is_number and x.is_real:
            return float(x)
        raise InputError(f"{x} is not a real number")
    if x.func not in TABLE:
        raise InputError(f"kernels do not support '{x.func.__name__}', which occurs in {x}")
    return TABLE[x.func](*[values[arg] for arg in x.args])


Values = Mapping[Symbol, Any] | None  # scalars for the parameters of the system


class Traced:
    """A system's energies as nodes, and the terms of Lagrange's equations."""

    def __init__(self, system: System, values: Values, q: Any, qd: Any = ()) -> None:
        require_traced(q)
        self.system, self.q, self.dq = system, q, qd
        self.builder = q[0].builder
        self.values = {**(values or {}), **dict(zip((*system.q, *system.dq), (*q, *qd), strict=False))}

    def node(self, x: Expression) -> Node:
        """An expression as a node."""
        (value,) = nodes([x], self.values)
        return value if isinstance(value, Node) else self.builder.const(value)

    def momenta(self) -> list[Node]:
        """p = dT/d(dq)."""
        return gradient(self.node(self.system.readable_kinetic), self.dq)

    def hessian(self) -> list[list[Any]]:
        """dp/d(dq)."""
        return [[row.get(j, 0.0) for j in range(self.system.n)] for row in jacobian(self.momenta(), self.dq)]

    def forces(self, qdd: Sequence[Any]) -> list[Any]:
        """d/dt dL/d(dq) - dL/dq + dD/d(dq) - Q. LP 9.11; JIN 27."""
        system = self.system
        changes = self.rates(self.momenta(), qdd)
        slopes = gradient(self.node(system.readable_kinetic - system.potential), self.q)
        losses = gradient(self.node(system.dissipation), self.dq)
        applied = [self.node(x) for x in system.forces]
        return [a - b + c - f for a, b, c, f in zip(changes, slopes, losses, applied, strict=True)]

    def rates(self, x: Sequence[Node], qdd: Sequence[Any]) -> list[Any]:
        """dx/dt along a motion."""
        tangents = dict(zip((*self.q, *self.dq), ({0: rate} for rate in (*self.dq, *qdd)), strict=True))
        if self.system.time in self.values:
            tangents[self.values[self.system.time]] = {0: 1.0}
        return [row.get(0, 0.0) for row in pushforward(x, tangents)]
