"""Functions with CasADi's calling convention, for `casadi.external`."""

from collections.abc import Sequence

from revolute.graph.graph import Graph, Input, Output
from revolute.targets.c.function import Style, parameters


def casadi_functions(stem: str, functions: Sequence[tuple[str, Graph]], style: Style) -> str:
    """C functions `NAME_external` of dense matrices, column by column. Null pointers mean zeros or skipped outputs."""
    t = style.numbers.type
    blocks = [_functions(name, graph, t) for name, graph in functions]
    first = f"/* The functions of {stem}.h for casadi.external, as NAME_external. */"
    return "\n\n".join([f'{first}\n#include "{stem}.h"\n#include <stddef.h>', *blocks]) + "\n"


def _functions(name: str, graph: Graph, t: str) -> str:
    names = parameters(graph)
    new = f"{name}_external"
    given: list[Input | Output] = [x for x in graph.inputs if x.size]
    results: list[Input | Output] = [y for y in graph.outputs if y.size]
    zeros = max((x.size for x in given), default=1)
    spare = sum(y.size for y in results)
    # CasADi passes null pointers for arguments that are zero and for results that are not requested
    inputs = [f"arg[{k}] ? arg[{k}] : zeros" for k in range(len(given))]
    outputs, at = [], 0
    for k, y in enumerate(results):
        outputs.append(f"res[{k}] ? res[{k}] : spare + {at}")
        at += y.size
    return f"""/* Declared here too, for compilers that ask for it. */
int {new}(const {t} **arg, {t} **res, long long int *iw, {t} *w, int mem);
long long int {new}_n_in(void);
long long int {new}_n_out(void);
const char *{new}_name_in(long long int k);
const char *{new}_name_out(long long int k);
const long long int *{new}_sparsity_in(long long int k);
const long long int *{new}_sparsity_out(long long int k);
int {new}_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w);

int {new}(const {t} **arg, {t} **res, long long int *iw, {t} *w, int mem)
{{
    const {t} zeros[{zeros}] = {{0}};
    {t} spare[{max(spare, 1)}];
    (void)iw, (void)w, (void)mem, (void)zeros, (void)spare;
    {name}({(", " + chr(10) + "        ").join((*inputs, *outputs))});
    return 0;
}}

long long int {new}_n_in(void) {{ return {len(given)}; }}
long long int {new}_n_out(void) {{ return {len(results)}; }}

{_names(f"{new}_name_in", [names[x.name] for x in given])}
{_names(f"{new}_name_out", [names[y.name] for y in results])}

{_sparsities(f"{new}_sparsity_in", given)}
{_sparsities(f"{new}_sparsity_out", results)}

int {new}_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w)
{{
    if (sz_arg) *sz_arg = {len(given)};
    if (sz_res) *sz_res = {len(results)};
    if (sz_iw) *sz_iw = 0;
    if (sz_w) *sz_w = 0;
    return 0;
}}"""


def _names(function: str, names: Sequence[str]) -> str:
    cases = " ".join(f'case {k}: return "{name}";' for k, name in enumerate(names))
    return f"const char *{function}(long long int k) {{ switch (k) {{ {cases} default: return NULL; }} }}"


def _sparsities(function: str, arrays: Sequence[Input | Output]) -> str:
    """A C function that returns CasADi's pattern of the dense array k: rows, columns, 1."""
    tables, cases = [], []
    for k, x in enumerate(arrays):
        rows, columns = (x.shape[0], x.size // x.shape[0]) if x.shape else (1, 1)
        tables.append(f"    static const long long int s{k}[3] = {{{rows}, {columns}, 1}};")
        cases.append(f"case {k}: return s{k};")
    return "\n".join([
        f"const long long int *{function}(long long int k)", "{", *tables,
        f"    switch (k) {{ {' '.join(cases)} default: return NULL; }}", "}",
    ])
