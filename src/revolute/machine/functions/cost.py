"""Cost of scalars in operations, to choose between recursions with equal results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.graph import Graph, Node, Output, count

__all__ = ["cost"]

_DIVISION = 8
"""Rough cost of a division in multiplications: both are pipelined, 8 to 16 to 1 in a vector unit."""


def cost(scalars: Sequence[Any]) -> int:
    """Operations that the scalars take, a division counted for several. Numbers take none."""
    nodes = tuple(x for x in scalars if isinstance(x, Node))
    counts = count(Graph("cost", (), (Output("all", (len(nodes),), nodes),)))
    return counts.arithmetic + _DIVISION * counts.divisions
