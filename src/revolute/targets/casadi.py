"""A graph as a CasADi function of SX."""

import re
from collections.abc import Sequence
from typing import Any

from revolute.errors import extra
from revolute.graph.graph import Graph, evaluated
from revolute.graph.loop import unrolled
from revolute.graph.ops import column

CELLS = column(
    "casadi",
    {
        "add": lambda ca, x, y: x + y,
        "sub": lambda ca, x, y: x - y,
        "mul": lambda ca, x, y: x * y,
        "div": lambda ca, x, y: x / y,
        "neg": lambda ca, x: -x,
        "sqrt": lambda ca, x: ca.sqrt(x),
        "sin": lambda ca, x: ca.sin(x),
        "cos": lambda ca, x: ca.cos(x),
        "tan": lambda ca, x: ca.tan(x),
        "atan2": lambda ca, x, y: ca.atan2(x, y),
        "exp": lambda ca, x: ca.exp(x),
        "log": lambda ca, x: ca.log(x),
        "tanh": lambda ca, x: ca.tanh(x),
        "abs": lambda ca, x: ca.fabs(x),
        "sign": lambda ca, x: ca.sign(x),
        "min": lambda ca, x, y: ca.fmin(x, y),
        "max": lambda ca, x, y: ca.fmax(x, y),
        "lt": lambda ca, x, y: x < y,
        "le": lambda ca, x, y: x <= y,
        "select": lambda ca, c, x, y: ca.if_else(c, x, y),
    },
)


def function(graph: Graph) -> Any:
    """The graph as a `casadi.Function`, input by input and output by output, under their names.

    CasADi has only matrices: an array (n,) is a column, an array (n, m, k) the matrix (n, m k). Entries of results that
    are zero for all inputs are structural zeros.

    Raises:
        MissingExtraError: CasADi is not installed.
    """
    with extra("a CasADi function needs CasADi", "casadi"):
        import casadi
    given = {x.name: casadi.SX.sym(identifier(x.name), *_matrix(x.shape)) for x in graph.inputs}
    # row by row, as entries of the graph are numbered
    entries = {name: casadi.vertsplit(casadi.vec(matrix.T)) if matrix.numel() else [] for name, matrix in given.items()}
    found = evaluated(unrolled(graph), entries, casadi.SX, lambda node, args: CELLS[node.op](casadi, *args))
    results = [_filled(casadi, xs, *_matrix(y.shape)) for y, xs in zip(graph.outputs, found, strict=True)]
    names = ([identifier(x.name) for x in graph.inputs], [identifier(y.name) for y in graph.outputs])
    return casadi.Function(graph.name, list(given.values()), results, *names)


def identifier(name: str) -> str:
    """A name valid in CasADi: letters, digits and single underscores.

    Example:
        >>> from revolute.targets.casadi import identifier
        >>> identifier("wrench on 'tool0'")
        'wrench_on_tool0'
    """
    plain = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")
    return plain if plain[:1].isalpha() else f"x_{plain}"


def _matrix(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns of an array."""
    rows, columns = (*shape, 1)[0], 1
    for size in shape[1:]:
        columns *= size
    return rows, columns


def _filled(casadi: Any, entries: Sequence[Any], rows: int, columns: int) -> Any:
    """The matrix of these entries, row by row."""
    if not entries:
        return casadi.SX(rows, columns)
    # CasADi stores columns, but our entries are ordered by rows: fill the transpose
    return casadi.sparsify(casadi.reshape(casadi.vertcat(*entries), columns, rows).T)
