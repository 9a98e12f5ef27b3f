"""A program in C that compares functions with stored results."""

from collections.abc import Callable, Sequence

import numpy as np

from revolute.arguments import Array
from revolute.graph.graph import Graph, Input, Output
from revolute.targets.c.function import Style, place
from revolute.targets.numpy import evaluate

STATES = 3
TOLERANCE = {"double": 1e-11, "float": 1e-3}
"""Tolerance relative to a result's largest entry: about 1e4 roundings of 1e-16 or 6e-8 in sums with cancellation."""



def _contacts(x: Array) -> Array:
    """Valid contact data from random numbers. Compliance makes impulses unique: roundings change them little."""
    points, laws, normals, offsets = np.split(x, (3, 8, 11), axis=-1)
    laws = np.abs(laws) * [0.1, 1, 1, 1e-2, 1] + [0, 0, 0, 1e-3, 0]
    return np.concatenate([points, laws, normals / np.linalg.norm(normals, axis=-1, keepdims=True), offsets], axis=-1)


VALID: dict[str, Callable[[Array], Array]] = {
    "h": lambda x: np.abs(x) / 100,  # implicit steps of long duration may have no solution
    "contacts": _contacts,
    "limits": lambda x: np.abs(x) * [-1, 1, 1, 1e-2, 1],
}
"""Valid values of inputs by name, from random ones between -1 and 1. Other inputs may have any values."""


def self_test(stem: str, functions: Sequence[tuple[str, Graph]], style: Style) -> str:
    """The text of the program, which returns the number of functions with wrong results."""
    t = style.numbers.type
    blocks = [_block(name, graph, style) for name, graph in functions]
    return f"""/* Compares the functions of {stem}.h with results that were computed apart. Returns 0 if all agree. */
#include "{stem}.h"
#include <math.h>
#include <stdio.h>

static {t} difference(const {t} *found, const {t} *wanted, int size)
{{
    {t} worst = 0, largest = 1;
    int k;
    for (k = 0; k < size; k++) {{
        const {t} apart = {style.numbers.call("fabs", "found[k] - wanted[k]")};
        const {t} high = {style.numbers.call("fabs", "wanted[k]")};
        if (!(apart <= worst)) worst = apart;
        if (high > largest) largest = high;
    }}
    return worst / largest;
}}

static int checked(const char *name, {t} apart)
{{
    const int wrong = !(apart <= {style.numbers.constant(TOLERANCE[t])});
    printf("%-40s %s, %.1e apart\\n", name, wrong ? "WRONG" : "right", (double)apart);
    return wrong;
}}

{chr(10).join(blocks)}
int main(void)
{{
    int wrong = 0;
{"".join(f"    wrong += test_{name}();{chr(10)}" for name, _ in functions)}    return wrong;
}}
"""


def _block(name: str, graph: Graph, style: Style) -> str:
    rng, t = np.random.default_rng(0), style.numbers.type
    arrays = {x.name: rng.uniform(-1, 1, (STATES, *x.shape)) for x in graph.inputs}
    arrays |= {name: of(arrays[name]) for name, of in VALID.items() if name in arrays}
    # inputs are rounded to float, because otherwise float and double results would have different inputs
    if style.numbers.suffix:
        arrays = {x: value.astype(np.float32).astype(float) for x, value in arrays.items()}
    results = evaluate(graph, arrays)
    lines, passed, compared = [], [], []
    for k, x in enumerate(graph.inputs):
        if x.size:
            lines.append(_table(f"x{k}", x, arrays[x.name], style))
            passed.append(f"x{k}[k]")
    for k, y in enumerate(graph.outputs):
        if y.size:
            lines += [_table(f"y{k}", y, results[y.name], style), f"{t} z{k}[{y.size}];"]
            passed.append(f"z{k}")
            compared += [f"apart = difference(z{k}, y{k}[k], {y.size});", "if (!(apart <= worst)) worst = apart;"]
    body, checks = "\n    ".join(lines), "\n        ".join(compared)
    return f"""static int test_{name}(void)
{{
    {body}
    {t} apart, worst = 0;
    int k;
    for (k = 0; k < {STATES}; k++) {{
        {name}({", ".join(passed)});
        {checks}
    }}
    return checked("{name}", worst);
}}
"""


def _table(name: str, array: Input | Output, values: Array, style: Style) -> str:
    """A C constant with the values of an array, one row per state."""
    order = sorted(range(array.size), key=lambda k: place(array, k, style.layout))
    flat = values.reshape(STATES, array.size)[:, order]
    rows = ",\n        ".join("{" + ", ".join(style.numbers.constant(x) for x in row) + "}" for row in flat.tolist())
    return f"static const {style.numbers.type} {name}[{STATES}][{array.size}] = {{\n        {rows}}};"
