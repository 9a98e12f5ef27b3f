"""Equations with named common terms, in order of evaluation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import Any

import sympy

from revolute.errors import InputError
from revolute.graph import Graph, Input, Node, trace
from revolute.model.model import Model
from revolute.model.symbols import mapped
from revolute.spatial.scalar import Scalar
from revolute.targets.sympy import CELLS, constant

_INLINE = 3  # minimum number of operations of a named intermediate result, unless it is used repeatedly


@dataclass(frozen=True)
class Steps:
    """A straight-line program.

    Attributes:
        lines: (name, expression) of intermediate results; each uses only earlier ones.
        results: the results, in terms of the names of the lines.
    """

    lines: tuple[tuple[Any, Any], ...]
    results: tuple[Any, ...]

    @property
    def operations(self) -> int:
        """Number of operations; equal results count once."""
        return sum(map(sympy.count_ops, [*(x for _, x in self.lines), *set(self.results)]))

    def expanded(self) -> list[Any]:
        """The results with all names replaced by their expressions: large trees with common branches."""
        values: dict[Any, Any] = {}
        for name, expression in self.lines:
            values[name] = _with(expression, values)
        return [_with(x, values) for x in self.results]


def traced(model: Model, function: Callable[..., Sequence[Scalar]], inputs: Sequence[Sequence[Any]]) -> Steps:
    """The steps of `function(robot, *inputs)`, without simplification; `inputs` are symbols."""
    arrays = [*inputs, model.symbols]
    names = [Input(f"input{k}", (len(array),)) for k, array in enumerate(arrays)]

    def body(*nodes: Sequence[Node]) -> list[tuple[str, tuple[int, ...], Sequence[Scalar]]]:
        by_symbol = dict(zip(model.symbols, nodes[-1], strict=True))
        results = function(mapped(model, lambda x: _node(x, by_symbol)), *nodes[:-1])
        return [("results", (len(results),), results)]

    return _steps(trace("equations", body, names), arrays, _Names(inputs, model.symbols))


def shared(results: Sequence[Any], inputs: Sequence[Sequence[Any]], symbols: Sequence[Any]) -> Steps:
    """The steps of expressions in `inputs` and the robot's `symbols`: sines, cosines and common terms have names."""
    names = _Names(inputs, symbols)
    waves = set().union(*(x.atoms(sympy.sin, sympy.cos) for x in results))
    lines = [(names.of(wave), wave) for wave in sorted(waves, key=lambda x: (sympy.count_ops(x), str(x)))]
    named = {wave: name for name, wave in lines}
    common, found = sympy.cse([x.xreplace(named) for x in results], symbols=names.numbered)
    return Steps((*lines, *common), tuple(found))


class _Names:
    """Names of results: c2 for cos(q2), s23 for sin(q2 + q3), x1, x2 ... for other terms; never a name in use."""

    def __init__(self, inputs: Sequence[Sequence[Any]], symbols: Sequence[Any]) -> None:
        self._used = {symbol.name for array in (*inputs, symbols) for symbol in array}
        self._index = {symbol: k for k, symbol in enumerate(inputs[0], 1)}
        self.numbered = (x for x in sympy.numbered_symbols("x", start=1) if x.name not in self._used)

    def of(self, x: Any) -> Any:
        """A name for an expression."""
        places = [self._index.get(angle, 0) for angle in sympy.Add.make_args(x.args[0])] if x.args else []
        if isinstance(x, (sympy.sin, sympy.cos)) and all(places):
            letter = "s" if isinstance(x, sympy.sin) else "c"
            name = letter + ("_" if len(self._index) > 9 else "").join(map(str, sorted(places)))
            if name not in self._used:
                return sympy.Symbol(name)
        return next(self.numbered)


def _with(x: Any, values: dict[Any, Any]) -> Any:
    """An expression with values substituted for names. SymPy does not re-evaluate it, which would be very slow."""
    if x.is_Atom:
        return values.get(x, x)
    options = {"evaluate": False} if x.is_Add or x.is_Mul or x.is_Pow else {}
    return x.func(*(_with(arg, values) for arg in x.args), **options)


def _node(x: Any, by_symbol: dict[Any, Node]) -> Any:
    """A SymPy expression as a graph node, a number as a float; other scalars unchanged."""
    if not isinstance(x, sympy.Basic):
        return x
    if not x.free_symbols:
        return int(x) if x.is_Integer else float(x)
    if x.is_Symbol:
        return by_symbol[x]
    args = [_node(arg, by_symbol) for arg in x.args]
    if x.is_Add or x.is_Mul:
        return reduce(add if x.is_Add else mul, args)
    if x.is_Pow and x.exp.is_Integer:
        power = reduce(mul, [args[0]] * abs(int(x.exp)))
        return power if x.exp > 0 else 1 / power
    if x.is_Pow and x.exp in (sympy.Rational(1, 2), sympy.Rational(-1, 2)):
        return args[0].sqrt() if x.exp > 0 else 1 / args[0].sqrt()
    name = type(x).__name__.lower()
    if name in ("sin", "cos", "tan", "exp", "log", "tanh"):
        return getattr(args[0], name)()
    raise InputError(f"equations: steps do not support {x}; replace it by a symbol")


def _steps(graph: Graph, arrays: Sequence[Sequence[Any]], names: _Names) -> Steps:
    values: dict[Node, Any] = {}
    sizes: dict[Node, int] = {}
    lines: dict[Any, Any] = {}  # {expression: its name}
    for node in graph.nodes:
        if node.op == "const":
            values[node] = constant(node.value)
        elif node.op == "input":
            values[node] = arrays[int(node.value[0].removeprefix("input"))][node.value[1]]
        else:
            expression = CELLS[node.op](*(values[arg] for arg in node.args))
            sizes[node] = 1 + sum(sizes.get(arg, 0) for arg in node.args)
            # nodes with constants of opposite sign may be the same expression, or its negative
            if (known := lines.get(expression)) is None and -expression in lines:
                known = -lines[-expression]
            long = (graph.uses[node] > 1 and node.op != "neg") or sizes[node] >= _INLINE or node.op in ("sin", "cos")
            if known is None and long and not (expression.is_Symbol or (-expression).is_Symbol):
                known = lines[expression] = names.of(expression)
            if known is not None or long:
                sizes[node] = 0
            values[node] = expression if known is None else known
    (output,) = graph.outputs
    return Steps(tuple((name, x) for x, name in lines.items()), tuple(values[node] for node in output.nodes))
