"""A graph as a CasADi function of SX matrices."""

import math
from collections.abc import Sequence
from typing import Any

from revolute.errors import extra
from revolute.graph import Graph, evaluated, unrolled
from revolute.graph.ops import column
from revolute.targets.c.names import identifier
from revolute.targets.numpy import OPERATORS

NAMES: dict[str, str] = column(
    "casadi",
    {
        **{name: name for name in ("sqrt", "sin", "cos", "tan", "atan2", "exp", "log", "tanh", "sign", "lt", "le")},
        **dict.fromkeys(OPERATORS, ""),
        "abs": "fabs", "min": "fmin", "max": "fmax", "select": "if_else",
    },
)  # fmt: skip
"""CasADi's function for each operation; operations with a Python operator use the operator."""


def function(graph: Graph) -> Any:
    """The graph as a `casadi.Function` with the same inputs and outputs, named by C identifiers.

    CasADi has only matrices: an array (n,) is a column, an array (n, m, k) the matrix (n, m k). Entries of results that
    are zero for all inputs are structural zeros.
    """
    with extra("a CasADi function needs CasADi", "casadi"):
        import casadi

    def cell(op: str) -> Any:
        return OPERATORS.get(op) or getattr(casadi, NAMES[op])

    given = {x.name: casadi.SX.sym(identifier(x.name), *_matrix(x.shape)) for x in graph.inputs}
    # row by row: graphs number the entries in row-major order
    entries = {name: casadi.vertsplit(casadi.vec(matrix.T)) if matrix.numel() else [] for name, matrix in given.items()}
    found = evaluated(unrolled(graph), entries, casadi.SX, lambda node, args: cell(node.op)(*args))
    results = [_filled(casadi, xs, *_matrix(y.shape)) for y, xs in zip(graph.outputs, found, strict=True)]
    names = ([identifier(x.name) for x in graph.inputs], [identifier(y.name) for y in graph.outputs])
    options = {"allow_duplicate_io_names": True}  # a step takes qd, and returns qd
    return casadi.Function(graph.name, list(given.values()), results, *names, options)


def _matrix(shape: Sequence[int]) -> tuple[int, int]:
    return math.prod(shape[:1]), math.prod(shape[1:])


def _filled(casadi: Any, entries: Sequence[Any], rows: int, columns: int) -> Any:
    """The matrix of these entries, row by row."""
    if not entries:
        return casadi.SX(rows, columns)
    # CasADi stores matrices column by column, graphs row by row: fill the transpose
    return casadi.sparsify(casadi.reshape(casadi.vertcat(*entries), columns, rows).T)
