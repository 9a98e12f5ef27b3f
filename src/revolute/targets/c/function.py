"""A graph as a function in C."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from revolute.graph import Graph, Input, Node, Output
from revolute.graph.loop import Loop, Place, runs
from revolute.targets.c.loops import copied, loop_lines
from revolute.targets.c.names import identifiers
from revolute.targets.c.numbers import Numbers
from revolute.targets.c.statements import StatementWriter

Layout = str  # layout of matrices: "row" by row or "column" by column. A row of shape (n, m, k) has m k numbers
LONG = 6000  # maximum number of operations per function: compile time grows faster than linearly with size


class Style(NamedTuple):
    """The code style of a function: its numbers, layout of matrices, and the macro for `restrict`.

    With `own_sincos`, sine and cosine are generated code instead of calls of <math.h>.
    """

    numbers: Numbers
    layout: Layout
    own_sincos: bool
    restrict: str


def parameters(graph: Graph) -> dict[str, str]:
    """The C identifier of each input and output, by name."""
    names = [*(x.name for x in graph.inputs), *(y.name for y in graph.outputs)]
    return dict(zip(names, identifiers(names), strict=True))


def arrays(graph: Graph) -> list[Input | Output]:
    """Nonempty inputs and outputs, in the order of the parameters."""
    both: list[Input | Output] = [*graph.inputs, *graph.outputs]
    return [x for x in both if x.size]


def head(graph: Graph, name: str, style: Style) -> str:
    """The declaration of the C function, without a semicolon."""
    names, t = parameters(graph), style.numbers.type
    given = [f"const {t} *{style.restrict} {names[x.name]}" for x in graph.inputs if x.size]
    results = [f"{t} *{style.restrict} {names[y.name]}" for y in graph.outputs if y.size]
    return f"void {name}({', '.join((*given, *results)) or 'void'})"


def definition(graph: Graph, name: str, style: Style, linkage: str = "") -> str:
    """The function, preceded by those that it calls: bodies of its loops, and its parts if it is long."""
    if len(_groups(graph)) > 1:
        return "\n\n".join(_pieces(graph, name, style, linkage))
    writer = _writer(graph, style)
    bodies = _add_all(graph.nodes, graph, name, writer, style)
    body = [*writer.lines, *(line for y in graph.outputs for line in _stores(graph, y, writer, style))]
    names = parameters(graph)
    lines = _with_all_used(body, [names[x.name] for x in graph.inputs if x.size])
    return "\n\n".join([*bodies, _braced(linkage + head(graph, name, style), lines)])


def local_numbers(graph: Graph) -> int:
    """Number of values in local arrays on the stack: those of the function, and of the deepest chain of its calls."""
    groups = _groups(graph)
    slots = _slots(groups, _last_uses(graph, groups)).values() if len(groups) > 1 else ()
    loops: list[list[Loop]] = [[node.value for node in group if node.op == "loop"] for group in groups]
    depths = [sum(x.places["end"] for x in own) + max([local_numbers(x.body) for x in own], default=0) for own in loops]
    return max(slots, default=-1) + 1 + max(depths)


def _groups(graph: Graph) -> list[list[Node]]:
    """Consecutive groups of operations, each of which becomes a function; a single group for a short graph."""
    operations = sum(node.op not in ("const", "input", "entry") for node in graph.nodes)
    groups: list[list[Node]] = [[]]
    for node in graph.nodes:
        if operations > LONG and len(groups[-1]) >= LONG and node.op != "entry":  # entries follow their loop
            groups.append([])
        groups[-1] += [node] * (node.op not in ("const", "input"))
    return groups


def _add_all(nodes: Iterable[Node], graph: Graph, name: str, writer: StatementWriter, style: Style) -> list[str]:
    """Add nodes to a writer, and return the functions of their loop bodies."""
    bodies, names = [], parameters(graph)
    arrays_of = {x.name: x for x in graph.inputs}

    def place_of(node: Node) -> Place | None:
        if node.op == "input":
            array, k = arrays_of[node.value[0]], node.value[1]
            return names[array.name], place(array, k, style.layout)
        return writer.place(node)

    for node in nodes:
        if node.op != "loop":
            writer.add(node)
            continue
        array = writer.new("l")
        body = f"{name}_{array}"
        bodies.append(definition(node.value.body, body, style, "static "))
        writer.lines += loop_lines(node, array, body, style.numbers.type, place_of, writer.text)
        writer.take(node, array)
    return bodies


def _braced(first: str, lines: list[str]) -> str:
    return "\n".join([first, "{", *(f"    {line}" for line in lines), "}"])


def _writer(graph: Graph, style: Style) -> StatementWriter:
    """A statement writer with the texts of all constants and inputs."""
    names = parameters(graph)
    inputs = {(x.name, k): f"{names[x.name]}[{place(x, k, style.layout)}]" for x in graph.inputs for k in range(x.size)}
    writer = StatementWriter(graph, style.numbers, inputs, style.own_sincos)
    for node in graph.nodes:
        if node.op in ("const", "input"):
            writer.add(node)
    return writer


def place(array: Input | Output, k: int, layout: Layout) -> int:
    """The index in an array of this layout of the number that has index k in C order."""
    # both layouts store vectors identically
    if layout == "row" or len(array.shape) < 2 or not array.size:
        return k
    rows, columns = array.shape[0], array.size // array.shape[0]
    row, column = divmod(k, columns)
    return column * rows + row


def _stores(graph: Graph, output: Output, writer: StatementWriter, style: Style) -> Iterator[str]:
    name = parameters(graph)[output.name]
    in_order = all(place(output, k, style.layout) == k for k in range(output.size))
    for k, found, count in runs(output.nodes, writer.place if in_order else lambda node: None):
        if found is None:
            yield f"{name}[{place(output, k, style.layout)}] = {writer.text(output.nodes[k])};"
        else:
            yield from copied(name, k, *found, count)


def _with_all_used(body: list[str], names: Iterable[str]) -> list[str]:
    """A body with statements that prevent compiler warnings about unread arrays."""
    # names of the arrays that the expressions read: names before an index in brackets
    words = set(re.findall(r"\w+(?=\[)", "\n".join(body)))
    return [*(f"(void){name};" for name in names if name not in words), *body]


def _pieces(graph: Graph, name: str, style: Style, linkage: str) -> Iterator[str]:
    """Functions that each compute some nodes, and a function that calls them; they exchange values in an array `w`."""
    groups = _groups(graph)
    group_of = {node: g for g, group in enumerate(groups) for node in group}
    last = _last_uses(graph, groups)
    slots = _slots(groups, last)
    t, names = style.numbers.type, parameters(graph)
    arguments = [names[x.name] for x in graph.inputs if x.size]
    given = ", ".join(f"const {t} *{style.restrict} {name}" for name in arguments)
    size = max(slots.values(), default=-1) + 1
    calls = []
    for g, group in enumerate(groups):
        writer = _writer(graph, style)
        # values that earlier groups compute are read from the work array w
        for node, slot in slots.items():
            if group_of[node] < g <= last[node]:
                writer.take(node, f"w[{slot}]")
        # stores come last, because this group may still read the previous value of a slot
        kept = [node for node in group if node in slots]
        bodies = []
        for node in group:
            bodies += _add_all([node], graph, f"{name}_{g + 1}", writer, style)
            if node in slots:
                writer.name(node)
        body = [*writer.lines, *(f"w[{slots[x]}] = {writer.text(x)};" for x in kept)]
        yield from bodies
        yield _braced(f"static void {name}_{g + 1}({given}, {t} *w)", _with_all_used(body, [*arguments, "w"]))
        calls.append(f"{name}_{g + 1}({', '.join(arguments)}, w);")
    writer = _writer(graph, style)
    for node, slot in slots.items():
        writer.take(node, f"w[{slot}]")
    stores = [line for y in graph.outputs for line in _stores(graph, y, writer, style)]
    yield _braced(linkage + head(graph, name, style), [f"{t} w[{size}];", *calls, *stores])


def _last_uses(graph: Graph, groups: list[list[Node]]) -> dict[Node, int]:
    """The index of the last group that uses each node; results are used after all groups."""
    last = {x: g for g, group in enumerate(groups) for node in group for x in node.args}
    return last | {node: len(groups) for y in graph.outputs for node in y.nodes}


def _slots(groups: list[list[Node]], last: Mapping[Node, int]) -> dict[Node, int]:
    """An index in `w` for every node that a later group uses; indices are reused."""
    slots: dict[Node, int] = {}
    free: list[int] = []
    until: dict[int, list[int]] = {}
    size = 0
    for g, group in enumerate(groups):
        for node in group:
            if last.get(node, -1) > g and node.op != "loop":
                # a slot becomes free after the last group that reads it, not within that group
                slot, size = (free.pop(), size) if free else (size, size + 1)
                slots[node] = slot
                until.setdefault(last[node], []).append(slot)
        free += until.pop(g, [])
    return slots
