"""Entries of large results with the same formula, computed by one loop over a table of their operands.

An entry is a scalar result that no operation uses, with the operations that only it uses: an expression of values
computed before. The mass matrix of a chain of 500 joints has 125,000 entries, all the same scalar product of vectors of
six numbers. As straight-line code they would take minutes to compile, and megabytes of instructions.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from revolute.graph import Graph, Node
from revolute.targets.llvm.fused import FUSED

OPERATIONS = frozenset({"add", "sub", "mul", "div", "neg", *FUSED})  # operations allowed in an expression

# maximum number of operations of an expression; long, short and rare expressions remain straight-line code
LARGEST = 64
TILE = 32  # side length of the matrix tiles whose entries are computed consecutively

# minimum number of operations per expression (fused products count twice) and of entries per form in a loop
SMALLEST, FEWEST = 4, 256


@dataclass(frozen=True)
class EntryCode:
    """An entry: its operations, the last one first, the values from which they start, and its places in the outputs."""

    nodes: tuple[Node, ...]
    values: tuple[Node, ...]
    places: tuple[tuple[int, int], ...]


EntryForm = list[EntryCode]  # a form: entries that differ only in values and indices


def entries(graph: Graph) -> list[EntryForm]:
    """The forms for which a loop pays, each with its entries, ordered by tiles of the result.

    The entries of a tile use the same few values, and are adjacent in memory, as are their mirror images.
    """
    uses, forms = graph.uses, dict[tuple[object, ...], EntryForm]()
    places: dict[Node, list[tuple[int, int]]] = {}
    for k, output in enumerate(graph.outputs):
        for place, node in enumerate(output.nodes):
            if node.op in OPERATIONS:
                places.setdefault(node, []).append((k, place))
    for root, where in places.items():
        # other nodes use the value, so it must be stored in the workspace
        if uses[root] > len(where):
            continue
        key, nodes, values = _expression(root, uses)
        if SMALLEST <= len(nodes) + sum(node.op in FUSED for node in nodes) <= LARGEST:
            form = forms.setdefault((*key, *[k for k, _ in where]), [])
            form.append(EntryCode(tuple(nodes), tuple(values), tuple(where)))
    pays = [form for form in forms.values() if len(form) >= FEWEST]
    for form in pays:
        # entries of a tile read values from common rows and columns, which remain in the L1 cache
        form.sort(key=lambda entry: _tile(graph, *entry.places[0]))
    return pays


def _tile(graph: Graph, output: int, place: int) -> tuple[int, int]:
    """Row and column of the tile that contains an entry of a result."""
    *_, columns = (1, *graph.outputs[output].shape)
    row, column = divmod(place, columns)
    return row // TILE, column // TILE


def _expression(root: Node, uses: Counter[Node]) -> tuple[list[object], list[Node], dict[Node, int]]:
    """A key of the expression's form, its operations, and the numbered values from which they start."""
    key: list[object] = []
    nodes: list[Node] = []
    values: dict[Node, int] = {}
    waiting = [root]
    # descend from the result through nodes with a single user; nodes with several users are operands
    while waiting and len(nodes) <= LARGEST:
        node = waiting.pop()
        if node.op in OPERATIONS and (node is root or uses[node] == 1):
            key.append(node.op)
            nodes.append(node)
            waiting += node.args
        else:
            kind = "const" if node.op == "const" else node.value[0] if node.op == "input" else ""
            # values are numbered so that a b + a c and d e + d f have equal forms
            key.append((kind, values.setdefault(node, len(values))))
    return key, nodes, values


def table_text(name: str, rows: list[list[int]] | list[list[float]], kind: str) -> str:
    """An LLVM constant of a table's numbers, row by row; `kind` is NumPy's name of their type."""
    data = np.array(rows, kind).tobytes()
    text = "\\" + data.hex("\\") if data else ""
    return f'@{name} = internal constant [{len(data)} x i8] c"{text}", align 8'
