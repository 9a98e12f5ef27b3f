"""Files of C code for the functions of one machine: source, header, and optionally tests and wrappers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from revolute.graph import Graph, Input, Output, count
from revolute.graph.loop import with_bodies
from revolute.targets.c.casadi_convention import casadi_functions
from revolute.targets.c.function import Style, arrays, definition, head, local_numbers, parameters
from revolute.targets.c.self_test import self_test
from revolute.targets.c.sincos import sine_and_cosine
from revolute.targets.c.statements import helpers

LICENCE = "This file is generated code. It is yours: use it under any licence, or under none."


@dataclass(frozen=True)
class Described:
    """A function with its name in C, a one-line summary, and descriptions of its arrays by name."""

    name: str
    graph: Graph
    summary: str
    meanings: Mapping[str, str]


def files(
    stem: str, title: str, functions: Sequence[Described], style: Style, sizes: Mapping[str, int],
    notes: Sequence[str] = (), *, batch: bool = False, test: bool = True, casadi: bool = False, cpp: bool = False,
) -> dict[str, str]:
    """{file name: text}, for files whose names begin with `stem`, an identifier.

    `title` is the subject of the functions; `sizes` are values of macros by name, and `notes` lines for the top of the
    header. `batch` adds a loop over rows to each function. The other options add files: `test` a program that compares
    results with stored ones, `casadi` functions with CasADi's calling convention, `cpp` a C++ header that checks sizes.
    """
    functions = [_apart(x) for x in functions]
    made = {f"{stem}.h": _header(stem, title, functions, style, sizes, notes, batch)}
    made[f"{stem}.c"] = _source(stem, title, functions, style, batch)
    if test:
        made[f"{stem}_test.c"] = self_test(stem, [(x.name, x.graph) for x in functions], style)
    if casadi:
        made[f"{stem}_casadi.c"] = casadi_functions(stem, [(x.name, x.graph) for x in functions], style)
    if cpp:
        made[f"{stem}.hpp"] = _cpp_header(stem, [(x.name, x.graph) for x in functions], style)
    return made


def _apart(function: Described) -> Described:
    """The function with new names for results that share a name with an argument, such as the next q of a step."""
    given = {x.name for x in function.graph.inputs}
    if not (new := {y.name: f"{y.name}_out" for y in function.graph.outputs if y.name in given}):
        return function
    outputs = tuple(replace(y, name=new.get(y.name, y.name)) for y in function.graph.outputs)
    meanings = {**function.meanings, **{new[name]: text for name, text in function.meanings.items() if name in new}}
    return replace(function, graph=replace(function.graph, outputs=outputs), meanings=meanings)


def comment(lines: Sequence[str]) -> str:
    """A C comment of several lines; no text in these lines can end it."""
    # the names of robots may contain any characters
    safe = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in safe), " */"])


def _header(
    stem: str, title: str, functions: Sequence[Described], style: Style, sizes: Mapping[str, int], notes: Sequence[str],
    batch: bool,
) -> str:
    guard, restrict = f"{stem.upper()}_H", style.restrict
    order = "row by row" if style.layout == "row" else "column by column"
    about = [f"{title}: single states of {style.numbers.type}; matrices {order}.", LICENCE, *notes]
    parts = [
        comment([line for text in about for line in wrap(text, 110)]),
        f"#ifndef {guard}\n#define {guard}",
        f"#if defined(__cplusplus)\n#define {restrict} __restrict\n#else\n#define {restrict} restrict\n#endif",
        "\n".join(f"#define {stem.upper()}_{name} {size}" for name, size in sizes.items()),
        '#ifdef __cplusplus\nextern "C" {\n#endif',
    ]
    if batch:
        parts.insert(2, "#include <stddef.h>")
    for function in functions:
        declared = head(function.graph, function.name, style)
        parts.append(f"{comment(_words(function, style))}\n{declared};")
        if batch:
            loop = _batch_head(function.graph, function.name, style)
            parts.append(f"/* The same for rows states, one behind the other. */\n{loop};")
    parts += ["#ifdef __cplusplus\n}\n#endif", "#endif"]
    return "\n\n".join(x for x in parts if x) + "\n"


def _words(function: Described, style: Style) -> list[str]:
    names = parameters(function.graph)
    both: list[Input | Output] = [*function.graph.inputs, *function.graph.outputs]
    rows = [(names[x.name], " x ".join(map(str, x.shape)) or "1", function.meanings.get(x.name, "")) for x in both]
    widths = [max(len(row[k]) for row in rows) for k in (0, 1)]
    lines = [*wrap(function.summary, 110), ""]
    for name, size, meaning in rows:
        start = f"{name:<{widths[0]}}  {size:<{widths[1]}}  "
        text = wrap(meaning, max(40, 110 - len(start))) or [""]
        lines += [start + text[0], *(" " * len(start) + line for line in text[1:])]
    c = count(function.graph)
    work = f"{c.multiplications} multiplications, {c.additions} additions, {c.divisions} divisions"
    lines += ["", f"{work}, {c.calls} sines, cosines and other functions, {c.others} other operations."]
    stack = local_numbers(function.graph) * (4 if style.numbers.type == "float" else 8)
    return [*lines, f"Its local arrays take {stack} bytes of stack; compilers add some variables."] if stack else lines


def _source(stem: str, title: str, functions: Sequence[Described], style: Style, batch: bool) -> str:
    calls = {node.op for x in functions for node in with_bodies(x.graph)}
    needs_sincos = style.own_sincos and calls & {"sin", "cos"}
    included = [f'#include "{stem}.h"', "#include <math.h>"]
    # each helper function is defined once, in the order of first use
    own = {text: None for x in functions for text in helpers(x.graph, style.numbers)}
    parts = [comment([f"{title}: see {stem}.h.", LICENCE]), "\n".join(included), *own]
    if needs_sincos:
        parts.append(sine_and_cosine(style.numbers))
    for function in functions:
        parts.append(definition(function.graph, function.name, style))
        if batch:
            parts.append(_batch_function(function.graph, function.name, style))
    return "\n\n".join(parts) + "\n"


def _batch_head(graph: Graph, name: str, style: Style) -> str:
    """The declaration of a function with a loop over consecutive states, without a semicolon."""
    first, _, rest = head(graph, f"{name}_batch", style).partition("(")
    return f"{first}(size_t rows, {rest}" if rest != "void)" else f"{first}(size_t rows)"


def _batch_function(graph: Graph, name: str, style: Style) -> str:
    names = parameters(graph)
    sizes = {names[x.name]: x.size for x in arrays(graph)}
    arguments = ", ".join(f"{x} + k * {size}u" for x, size in sizes.items())
    return f"""{_batch_head(graph, name, style)}
{{
    size_t k;
    for (k = 0; k < rows; k++) {{
        {name}({arguments});
    }}
}}"""


def _cpp_header(stem: str, functions: Sequence[tuple[str, Graph]], style: Style) -> str:
    """A C++ header with the same functions, for plain arrays whose sizes the compiler checks."""
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
