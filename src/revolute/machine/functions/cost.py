"""What scalars cost to compute, to choose between recursions with the same results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.graph import Graph, Node, Output, count

__all__ = ["cost"]

_DIVISION = 8
"""What a division costs in multiplications, about: both are pipelined, 8 to 16 to 1 in a vector unit."""


def cost(scalars: Sequence[Any]) -> int:
    """Operations that the scalars take, a division for several; numbers take none."""
    nodes = tuple(x for x in scalars if isinstance(x, Node))
    counts = count(Graph("cost", (), (Output("all", (len(nodes),), nodes),)))
    return counts.arithmetic + _DIVISION * counts.divisions
