"""The closed table of operations: one row per operation, to which every target adds a column.

`const` and `input` are the leaves of a graph and have no row. Results are real numbers; comparisons return truth
values, which only `select` accepts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.graph.node import Node

Partials = Callable[..., "tuple[Node | float | None, ...]"]


@dataclass(frozen=True)
class Op:
    """One operation on scalars: a row of the table."""

    name: str  # name of the operation in targets
    cost: str  # field in `Counts`: "multiplications", "additions", "divisions", "calls" or "others"
    text: str  # format string of the arguments, for printing
    fold: Callable[..., Any]  # function that computes the value for constants
    # the derivative with respect to each argument, as a function of the arguments and the result; None if there is none
    partials: Partials
    commutative: bool = False  # arguments may be exchanged

    @property
    def arity(self) -> int:
        """Number of arguments."""
        return self.fold.__code__.co_argcount


def _sign(x: float) -> float:
    return x if x != x or x == 0 else math.copysign(1.0, x)


def _least(x: float, y: float) -> float:
    # whether Python's min returns NaN depends on the order of its arguments
    return math.nan if x != x or y != y else min(x, y)


def _greatest(x: float, y: float) -> float:
    return math.nan if x != x or y != y else max(x, y)


_TABLE = (
    Op("add", "additions", "{} + {}", lambda x, y: x + y, lambda x, y, r: (1.0, 1.0), commutative=True),
    Op("sub", "additions", "{} - {}", lambda x, y: x - y, lambda x, y, r: (1.0, -1.0)),
    Op("mul", "multiplications", "{} * {}", lambda x, y: x * y, lambda x, y, r: (y, x), commutative=True),
    Op("div", "divisions", "{} / {}", lambda x, y: x / y, lambda x, y, r: (1 / y, -(r / y))),
    Op("neg", "others", "-{}", lambda x: -x, lambda x, r: (-1.0,)),
    Op("sqrt", "calls", "sqrt({})", lambda x: math.sqrt(x), lambda x, r: (0.5 / r,)),
    Op("sin", "calls", "sin({})", lambda x: math.sin(x), lambda x, r: (x.cos(),)),
    Op("cos", "calls", "cos({})", lambda x: math.cos(x), lambda x, r: (-x.sin(),)),
    Op("tan", "calls", "tan({})", lambda x: math.tan(x), lambda x, r: (1 + r * r,)),
    Op("atan2", "calls", "atan2({}, {})", lambda y, x: math.atan2(y, x),
        lambda y, x, r: (x / (x * x + y * y), -(y / (x * x + y * y)))),
    Op("exp", "calls", "exp({})", lambda x: math.exp(x), lambda x, r: (r,)),
    Op("log", "calls", "log({})", lambda x: math.log(x), lambda x, r: (1 / x,)),
    Op("tanh", "calls", "tanh({})", lambda x: math.tanh(x), lambda x, r: (1 - r * r,)),
    Op("abs", "others", "|{}|", lambda x: abs(x), lambda x, r: (x.sign(),)),
    Op("sign", "others", "sign({})", _sign, lambda x, r: (None,)),
    Op("min", "others", "min({}, {})", _least,
        lambda x, y, r: ((x <= y).select(1.0, 0.0), (x <= y).select(0.0, 1.0)), commutative=True),
    Op("max", "others", "max({}, {})", _greatest,
        lambda x, y, r: ((x >= y).select(1.0, 0.0), (x >= y).select(0.0, 1.0)), commutative=True),
    Op("lt", "others", "{} < {}", lambda x, y: x < y, lambda x, y, r: (None, None)),
    Op("le", "others", "{} <= {}", lambda x, y: x <= y, lambda x, y, r: (None, None)),
    Op("select", "others", "({} ? {} : {})", lambda c, x, y: x if c else y,
        lambda c, x, y, r: (None, c.select(1.0, 0.0), c.select(0.0, 1.0))),
)

OPS = {op.name: op for op in _TABLE}
COMPARISONS = frozenset({"lt", "le"})
COMMUTATIVE = frozenset({op.name for op in _TABLE if op.commutative})


def column(target: str, cells: dict[str, Any]) -> dict[str, Any]:
    """A target's column, a cell for every operation. A missing or unknown operation raises `TypeError` at import."""
    if cells.keys() != OPS.keys():
        differing = sorted(cells.keys() ^ OPS.keys())
        raise TypeError(f"target {target}: cells differ from the table of operations at {differing}")
    return cells
