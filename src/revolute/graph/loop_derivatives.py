"""Derivatives of loops, as loops: tangents, adjoints, and those of what a loop has converged to.

Tangents go along with the state: a loop of the state and its rates. Adjoints of a fixed number of steps come back from
the last step to the first: one loop records the states, another one reads them from the other end. A loop with a
condition is differentiated by the equation that its last state satisfies, x = step(x, given):

    dx = (1 - A)^-1 B dgiven,    A = d step/dx,  B = d step/dgiven

Christianson 1994; Blondel et al. 2022. It needs no more than one step, whatever their number was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from revolute.graph.graph import Graph, Input, Output, substituted
from revolute.graph.loop import Loop, entries, inlined
from revolute.graph.node import Builder, Node

__all__ = ["adjoint", "tangents"]

Rates = Mapping[int, Any]
"""{direction: rate} of a scalar; missing directions are zero."""

Pushforward = Callable[[Sequence[Node], Mapping[Node, Rates]], "list[dict[int, Any]]"]
Gradient = Callable[[Node, Sequence[Node]], "list[Node]"]


def tangents(node: Node, rates: Sequence[Rates], pushforward: Pushforward) -> list[dict[int, Any]]:
    """Rates of all results of the node of a loop, from those of its operands.

    Args:
        node: of a loop.
        rates: of each operand.
        pushforward: `derive.pushforward`.
    """
    if node.value.solution is None:
        return _fixed_tangents(node, rates, pushforward)
    return _implicit_tangents(node, rates, pushforward)


def adjoint(node: Node, bars: Sequence[Any], gradient: Gradient, pushforward: Pushforward) -> list[Any]:
    """What each operand of the node of a loop adds to a sum of results, each times its number in `bars`."""
    if node.value.solution is None:
        return _fixed_adjoint(node, bars, gradient)
    return _implicit_adjoint(node, bars, gradient, pushforward)


# --- a fixed number of steps ---------------------------------------------------------------


def _fixed_tangents(node: Node, rates: Sequence[Rates], pushforward: Pushforward) -> list[dict[int, Any]]:
    loop: Loop = node.value
    body, inner = loop.body, _builder(loop)
    state, given, *each = (rates[part] for part in loop.operands)
    # (place, direction) of the rates that are not always zero, of each array of operands
    changing_given = [(k, d) for k, x in enumerate(given) for d in x]
    changing_each = [
        sorted({(k % size, d) for k, x in enumerate(array) for d in x})
        for array, size in zip(each, loop.each, strict=True)
    ]
    changing = sorted({(k, d) for k, x in enumerate(state) for d in x})
    while True:
        # rates of the operands are new inputs of the body, behind those that they belong to
        along = [*_columns(inner, body.inputs[0], changing), *_columns(inner, body.inputs[1], changing_given)]
        arrays: list[Input] = []
        for x, pairs in zip(body.inputs[2:], changing_each, strict=True):
            arrays.append(Input(_unused(body, arrays, f"d{x.name}"), (len(pairs),)))
            along += [
                (inner.input(x.name, k + 1)[k], d, rate)
                for (k, d), rate in zip(pairs, inner.input(arrays[-1].name, len(pairs)), strict=True)
            ]
        directions: dict[Node, dict[int, Any]] = {}
        for x, d, rate in along:
            directions.setdefault(x, {})[d] = rate
        found = [pushforward(y.nodes, directions) for y in body.outputs]
        reached = {(k, d) for k, x in enumerate(found[0]) for d in x} | set(changing)
        if len(reached) == len(changing):
            break
        changing = sorted(reached)
    recorded = [[(k, d) for k, x in enumerate(array) for d in x] for array in found[1:]]
    zero = inner.const(0.0)
    following = [_node(inner, found[0][k].get(d, zero)) for k, d in changing]
    outputs = [Output("state", (loop.state + len(changing),), (*body.outputs[0].nodes, *following))]
    for y, rows, pairs in zip(body.outputs[1:], found[1:], recorded, strict=True):
        outputs.append(Output(f"d{y.name}", (len(pairs),), tuple(_node(inner, rows[k][d]) for k, d in pairs)))
    inputs = (
        Input(body.inputs[0].name, (loop.state + len(changing),)),
        Input(body.inputs[1].name, (loop.given + len(changing_given),)),
        *body.inputs[2:],
        *arrays,
    )
    first, same, *rows_of = (node.args[part] for part in loop.operands)
    operands = [*first, *(state[k].get(d, 0.0) for k, d in changing)]
    operands += [*same, *(given[k][d] for k, d in changing_given)]
    operands += [x for array in rows_of for x in array]
    for array, size, pairs in zip(each, loop.each, changing_each, strict=True):
        operands += [array[row * size + k].get(d, 0.0) for row in range(loop.steps) for k, d in pairs]
    whole = Loop(Graph("body", inputs, tuple(outputs)), loop.steps, loop.backward)
    last, *records = entries(node.builder, whole, operands)
    results: list[dict[int, Any]] = [{} for _ in range(loop.results[-1].stop)]
    for (k, d), x in zip(changing, last[loop.state :], strict=True):
        results[k][d] = x
    for part, size, pairs, array in zip(loop.results[1:], loop.records, recorded, records, strict=True):
        for at, x in enumerate(array):
            row, place = divmod(at, len(pairs))
            k, d = pairs[place]
            results[part.start + row * size + k][d] = x
    return results


def _columns(inner: Builder, x: Input, pairs: Sequence[tuple[int, int]]) -> list[tuple[Node, int, Node]]:
    """(input node, direction, its rate), of rates that stand behind the scalars of the input."""
    nodes = inner.input(x.name, x.size + len(pairs))
    return [(nodes[k], d, rate) for (k, d), rate in zip(pairs, nodes[x.size :], strict=True)]


def _fixed_adjoint(node: Node, bars: Sequence[Any], gradient: Gradient) -> list[Any]:
    loop: Loop = node.value
    body, inner, outer = loop.body, _builder(loop), node.builder
    state, given, *each = body.inputs
    # one loop records the state before each step
    before = Output("before", (loop.state,), inner.input(state.name, loop.state))
    recording = Loop(
        Graph("body", body.inputs, (body.outputs[0], before)), loop.steps, loop.backward
    )  # fmt: skip
    _, states = entries(outer, recording, node.args)
    # another one takes the steps back: its state is the adjoint of the state, and what was given has collected so far
    adjoint_of_state = Input(_unused(body, (), "bar"), (loop.state + loop.given,))
    weights = [Input(_unused(body, (), f"bar {y.name}"), y.shape) for y in body.outputs[1:]]
    terms = list(zip(inner.input(adjoint_of_state.name, loop.state), body.outputs[0].nodes, strict=True))
    for x, y in zip(weights, body.outputs[1:], strict=True):
        terms += zip(inner.input(x.name, x.size), y.nodes, strict=True)
    total = inner.const(0.0)
    for weight, y in terms:
        total = total + weight * y
    inputs = [inner.input(x.name, x.size) for x in body.inputs]
    found = iter(gradient(total, [x for array in inputs for x in array]))
    by_state, by_given, *by_each = ([next(found) for _ in array] for array in inputs)
    collected = inner.input(adjoint_of_state.name, loop.state + loop.given)[loop.state :]
    by_given = [x + more for x, more in zip(collected, by_given, strict=True)]
    outputs = [Output("state", adjoint_of_state.shape, (*by_state, *by_given))]
    outputs += [Output(f"bar {x.name}", x.shape, tuple(nodes)) for x, nodes in zip(each, by_each, strict=True)]
    back = Loop(
        Graph("body", (adjoint_of_state, given, state, *each, *weights), tuple(outputs)),
        loop.steps, not loop.backward,
    )  # fmt: skip
    _, same, *rows = (node.args[part] for part in loop.operands)
    last, *records = (bars[part] for part in loop.results)
    operands = [*last, *[0.0] * loop.given, *same, *states, *(x for array in rows for x in array)]
    operands += [x for array in records for x in array]
    first, *of_each = entries(outer, back, operands)
    return [*first, *(x for array in of_each for x in array)]


# --- a condition ---------------------------------------------------------------------------


def _implicit_tangents(node: Node, rates: Sequence[Rates], pushforward: Pushforward) -> list[dict[int, Any]]:
    loop: Loop = node.value
    body, inner, n = loop.body, _builder(loop), loop.solution or 0
    given = rates[loop.operands[1]]
    directions = sorted({d for x in given for d in x})
    results: list[dict[int, Any]] = [{} for _ in range(loop.state)]
    if not directions:
        return results
    changing = [(k, d) for k, x in enumerate(given) for d in x]
    extra = Input(_unused(body, (), "dgiven"), (len(changing),))
    along: dict[Node, dict[int, Any]] = {}
    for (k, d), rate in zip(changing, inner.input(extra.name, len(changing)), strict=True):
        along.setdefault(inner.input(body.inputs[1].name, k + 1)[k], {})[d] = rate
    step = body.outputs[0].nodes[:n]
    right = [[x.get(d, 0.0) for d in directions] for x in pushforward(step, along)]
    solved = _solved(inner, _residual(loop, pushforward), right)
    flat = tuple(_node(inner, x) for row in solved for x in row)
    graph = Graph("implicit", (*body.inputs, extra), (Output("d", (len(flat),), flat),))
    last = [node.builder.entry(node, k) for k in range(loop.state)]
    (found,) = inlined(graph, node.builder, last, node.args[loop.operands[1]], [given[k][d] for k, d in changing])
    for at, x in enumerate(found):
        k, column = divmod(at, len(directions))
        results[k][directions[column]] = x
    return results


def _implicit_adjoint(node: Node, bars: Sequence[Any], gradient: Gradient, pushforward: Pushforward) -> list[Any]:
    loop: Loop = node.value
    body, inner, n = loop.body, _builder(loop), loop.solution or 0
    # mu = (1 - A)^-T bar; then given gets B^T mu
    bar, mu = (Input(_unused(body, (), name), (n,)) for name in ("bar", "mu"))
    weights = inner.input(mu.name, n)
    total = inner.const(0.0)
    for weight, y in zip(weights, body.outputs[0].nodes[:n], strict=True):
        total = total + weight * y
    transposed = [list(column) for column in zip(*_residual(loop, pushforward), strict=True)]
    solved = [_node(inner, row[0]) for row in _solved(inner, transposed, [[x] for x in inner.input(bar.name, n)])]
    by_given = gradient(total, inner.input(body.inputs[1].name, loop.given))
    nodes = tuple(substituted(by_given, dict(zip(weights, solved, strict=True))))
    graph = Graph("implicit", (*body.inputs, bar), (Output("bar given", (loop.given,), nodes),))
    last = [node.builder.entry(node, k) for k in range(loop.state)]
    (found,) = inlined(graph, node.builder, last, node.args[loop.operands[1]], bars[:n])
    return [*[0.0] * loop.state, *found]


def _residual(loop: Loop, pushforward: Pushforward) -> list[list[Any]]:
    """1 - A, where A is the derivative of a step by the solution."""
    inner, n = _builder(loop), loop.solution or 0
    x = inner.input(loop.body.inputs[0].name, n)
    rows = pushforward(loop.body.outputs[0].nodes[:n], {x[k]: {k: inner.const(1.0)} for k in range(n)})
    return [[(1.0 if i == j else 0.0) - rows[i].get(j, inner.const(0.0)) for j in range(n)] for i in range(n)]


def _solved(builder: Builder, matrix: list[list[Any]], right: list[list[Any]]) -> list[list[Any]]:
    """M^-1 R by elimination: of each column, the largest pivot comes up by exchanging rows two at a time."""
    n = len(matrix)
    rows = [[_node(builder, x) for x in (*a, *b)] for a, b in zip(matrix, right, strict=True)]
    for k in range(n):
        for i in range(k + 1, n):
            larger = abs(rows[k][k]) < abs(rows[i][k])
            upper, lower = rows[k], rows[i]
            if rows[i][k].op == "const" and rows[i][k].value == 0:
                continue
            rows[k] = [larger.select(b, a) for a, b in zip(upper, lower, strict=True)]
            rows[i] = [larger.select(a, b) for a, b in zip(upper, lower, strict=True)]
        rows[k] = [x / rows[k][k] if j > k else x for j, x in enumerate(rows[k])]
        for i in range(n):
            if i != k:
                rows[i] = [x - rows[i][k] * y if j > k else x for j, (x, y) in enumerate(zip(rows[i], rows[k], strict=True))]
    return [row[n:] for row in rows]


def _builder(loop: Loop) -> Builder:
    """The builder of a body."""
    return next(node.builder for y in loop.body.outputs for node in y.nodes)


def _node(builder: Builder, x: Any) -> Node:
    return x if isinstance(x, Node) else builder.const(x)


def _unused(body: Graph, more: Sequence[Input], name: str) -> str:
    """The name, with as many strokes as make it another one than those of all inputs."""
    while any(x.name == name for x in (*body.inputs, *more)):
        name += "'"
    return name
