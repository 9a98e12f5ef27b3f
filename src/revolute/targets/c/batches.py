"""A loop over consecutive states."""

from __future__ import annotations

from revolute.graph.graph import Graph
from revolute.targets.c.function import Style, arrays, head, parameters

__all__ = ["batch_function", "batch_head"]


def batch_head(graph: Graph, name: str, style: Style) -> str:
    """The declaration of the loop, without a semicolon."""
    first, _, rest = head(graph, f"{name}_batch", style).partition("(")
    return f"{first}(size_t rows, {rest}" if rest != "void)" else f"{first}(size_t rows)"


def batch_function(graph: Graph, name: str, style: Style) -> str:
    """The loop."""
    names = parameters(graph)
    sizes = {names[x.name]: x.size for x in arrays(graph)}
    arguments = ", ".join(f"{x} + k * {size}u" for x, size in sizes.items())
    return f"""{batch_head(graph, name, style)}
{{
    size_t k;
    for (k = 0; k < rows; k++) {{
        {name}({arguments});
    }}
}}"""
