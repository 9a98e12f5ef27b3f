"""The cost of scalars in operations, for the choice between recursions with equal results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.graph import Graph, Node, Output, count

__all__ = ["cost"]

_DIVISION = 8
"""Cost of a division in multiplications: in a pipelined vector unit it is 8 to 16."""


def cost(scalars: Sequence[Any]) -> int:
    """Number of operations of the scalars, with a division counted as several. Numbers need none."""
    nodes = tuple(x for x in scalars if isinstance(x, Node))
    counts = count(Graph("cost", (), (Output("all", (len(nodes),), nodes),)))
    return counts.arithmetic + _DIVISION * counts.divisions
