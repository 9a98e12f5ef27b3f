"""A graph as statements in C: values that are used several times get names, other values are inlined."""

from collections.abc import Mapping
from typing import NamedTuple

from revolute.graph import Graph, Node
from revolute.graph.loop import Place, with_bodies
from revolute.graph.ops import COMPARISONS, column
from revolute.targets.c.numbers import Numbers

LONGEST = 88  # maximum length of an expression that is not assigned to a variable [characters]

CHOICE, COMPARISON, SUM, PRODUCT, SIGN, WHOLE = range(6)
"""Precedence of operators in C; operands with the highest precedence, WHOLE, never need brackets."""


class _Cell(NamedTuple):
    """An operation in C: its text, its precedence, and the required precedence of each operand."""

    text: str
    level: int
    operands: tuple[int, ...]


def _call(function: str, count: int = 1) -> _Cell:
    return _Cell(f"{function}({', '.join(['{}'] * count)})", WHOLE, (CHOICE,) * count)


CELLS: Mapping[str, _Cell] = column(
    "c",
    {
        # a right operand of equal precedence needs brackets: a + (b + c) rounds differently from a + b + c
        "add": _Cell("{} + {}", SUM, (SUM, PRODUCT)),  # floating-point sums are not associative: keep the order
        "sub": _Cell("{} - {}", SUM, (SUM, PRODUCT)),
        "mul": _Cell("{} * {}", PRODUCT, (PRODUCT, SIGN)),
        "div": _Cell("{} / {}", PRODUCT, (PRODUCT, SIGN)),
        "neg": _Cell("-{}", SIGN, (WHOLE,)),
        **{name: _call(f"{name}{{suffix}}") for name in ("sqrt", "sin", "cos", "tan", "exp", "log", "tanh")},
        "atan2": _call("atan2{suffix}", 2),
        "abs": _call("fabs{suffix}"),
        "sign": _call("sign_of"),
        "min": _call("min_of", 2),
        "max": _call("max_of", 2),
        "lt": _Cell("{} < {}", COMPARISON, (SUM, SUM)),
        "le": _Cell("{} <= {}", COMPARISON, (SUM, SUM)),
        "select": _Cell("{} ? {} : {}", CHOICE, (COMPARISON, COMPARISON, COMPARISON)),
    },
)

HELPERS = {
    "sign": ("x", "x > 0 ? ({type})1 : x < 0 ? ({type})-1 : x"),
    "min": ("x, y", "x < y ? x : y <= x ? y : x + y"),
    "max": ("x, y", "x > y ? x : y >= x ? y : x + y"),
}
"""Parameters and value of functions that C lacks. They return NaN for NaN."""


def helpers(graph: Graph, numbers: Numbers) -> list[str]:
    """Definitions of functions that the graph needs and C lacks."""
    needed = {node.op for node in with_bodies(graph)}
    return [
        f"static {numbers.type} {op}_of({', '.join(f'{numbers.type} {x}' for x in parameters.split(', '))})\n"
        f"{{\n    return {value.format(type=numbers.type)};\n}}"
        for op, (parameters, value) in HELPERS.items()
        if op in needed
    ]


class StatementWriter:
    """Writes the statements of a graph to `lines`, node by node.

    `inputs` are the expressions of input entries. With `sincos`, one call of `sine_and_cosine` serves for each angle.
    """

    def __init__(self, graph: Graph, numbers: Numbers, inputs: Mapping[tuple[str, int], str], sincos: bool) -> None:
        self._numbers, self._inputs, self._sincos, self._uses = numbers, inputs, sincos, graph.uses
        self.lines: list[str] = []
        self._texts: dict[Node, tuple[str, int]] = {}
        self._count = 0
        self._angles: dict[Node, list[Node]] = {}
        for node in graph.nodes if sincos else ():
            if node.op in ("sin", "cos"):
                self._angles.setdefault(node.args[0], []).append(node)

    def text(self, node: Node) -> str:
        """The expression of a node that was added."""
        return self._texts[node][0]

    def add(self, node: Node) -> None:
        """Add a node whose arguments have been added."""
        if node.op == "const":
            constant = self._numbers.constant(node.value)
            self._texts[node] = constant, SIGN if constant.startswith("-") else WHOLE
        elif node.op == "input":
            self._texts[node] = self._inputs[node.value], WHOLE
        elif node.op == "entry":
            self._texts[node] = "{}[{}]".format(*self._result(node)), WHOLE
        elif self._sincos and node.op in ("sin", "cos"):
            self._add_angle(node)
        else:
            cell = CELLS[node.op]
            operands = [self._operand(x, least) for x, least in zip(node.args, cell.operands, strict=True)]
            self._texts[node] = cell.text.format(*operands, suffix=self._numbers.suffix), cell.level
            # a value that is used once is inlined, unless the line would become too long
            if node.op not in COMPARISONS and (self._uses[node] > 1 or len(self.text(node)) > LONGEST):
                self.name(node)

    def name(self, node: Node) -> None:
        """Give a node's value a name, unless it has one."""
        text, level = self._texts[node]
        if level < WHOLE or "(" in text:
            name = self.new("v")
            self.lines.append(f"const {self._numbers.type} {name} = {text};")
            self._texts[node] = name, WHOLE

    def take(self, node: Node, text: str) -> None:
        """Use a name for a node that is computed elsewhere."""
        self._texts[node] = text, WHOLE

    def place(self, node: Node) -> Place | None:
        """For a result of a loop, the local array of the loop and the index in it; None for other nodes."""
        return self._result(node) if node.op == "entry" and node.args[0] in self._texts else None

    def _result(self, entry: Node) -> Place:
        return self.text(entry.args[0]), entry.args[0].value.place(entry.value)

    def _operand(self, node: Node, least: int) -> str:
        text, level = self._texts[node]
        return text if level >= least else f"({text})"

    def _add_angle(self, node: Node) -> None:
        """Write one call for both the sine and the cosine of an angle, unless it has been written."""
        # the sincos call was emitted for the other function, sine or cosine
        if node in self._texts:
            return
        (angle,) = node.args
        names = {"sin": self.new("s"), "cos": self.new("c")}
        self.lines.append(f"{self._numbers.type} {names['sin']}, {names['cos']};")
        self.lines.append(f"sine_and_cosine({self.text(angle)}, &{names['sin']}, &{names['cos']});")
        for each in self._angles[angle]:
            self._texts[each] = names[each.op], WHOLE

    def new(self, letter: str) -> str:
        """A new variable name that begins with a letter."""
        self._count += 1
        return f"{letter}{self._count}"
