"""A header for C++: the same functions of plain arrays whose sizes the compiler checks."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.graph.graph import Graph
from revolute.targets.c.function import Style, arrays, parameters

__all__ = ["cpp_header"]


def cpp_header(stem: str, functions: Sequence[tuple[str, Graph]], style: Style) -> str:
    """The text of the header."""
    prefix = f"{stem}_"
    parts = [f"// The functions of {stem}.h over arrays with their sizes.\n#pragma once", f'#include "{stem}.h"']
    body = [_wrapper(name, name.removeprefix(prefix), graph, style) for name, graph in functions]
    return "\n\n".join([*parts, f"namespace {stem} {{", *body, f"}}  // namespace {stem}"]) + "\n"


def _wrapper(name: str, short: str, graph: Graph, style: Style) -> str:
    names, t = parameters(graph), style.numbers.type
    given = [f"const {t} (&{names[x.name]})[{x.size}]" for x in graph.inputs if x.size]
    results = [f"{t} (&{names[y.name]})[{y.size}]" for y in graph.outputs if y.size]
    passed = [names[x.name] for x in arrays(graph)]
    own = short if short != name else f"{short}_checked"
    return f"inline void {own}({', '.join((*given, *results))}) {{ ::{name}({', '.join(passed)}); }}"
