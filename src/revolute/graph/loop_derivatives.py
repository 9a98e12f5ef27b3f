"""Derivatives of loops, as loops: tangents, adjoints, and derivatives of converged solutions.

Tangents are propagated together with the state, by one loop. Adjoints of a fixed number of steps are propagated from
the last step to the first: one loop records the states, and another one reads them in reverse. A loop with a condition
is differentiated by the equation that its last state satisfies, x = step(x, given):

    dx = (1 - A)^-1 B dgiven,    A = d step/dx,  B = d step/dgiven

Christianson 1994; Blondel et al. 2022. This needs the derivatives of only one step, regardless of the number of steps.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from revolute.graph.graph import Graph, Input, Output, substituted
from revolute.graph.loop import Loop, entries, inlined
from revolute.graph.node import Builder, Node

Rates = Mapping[int, Any]  # {direction: derivative} of a scalar; a missing direction means that the derivative is zero
Pushforward = Callable[[Sequence[Node], Mapping[Node, Rates]], "list[dict[int, Any]]"]
Gradient = Callable[[Node, Sequence[Node]], "list[Node]"]


def tangents(node: Node, rates: Sequence[Rates], pushforward: Pushforward) -> list[dict[int, Any]]:
    """Tangents of all results of a loop node, from the operands' tangents; for `pushforward` see `derive`."""
    if node.value.solution is None:
        return _fixed_tangents(node, rates, pushforward)
    return _implicit_tangents(node, rates, pushforward)


def adjoint(node: Node, bars: Sequence[Any], gradient: Gradient, pushforward: Pushforward) -> list[Any]:
    """Derivatives of the sum of all results, each times its entry of `bars`, by each operand of a loop node."""
    if node.value.solution is None:
        return _fixed_adjoint(node, bars, gradient)
    return _implicit_adjoint(node, bars, gradient, pushforward)


# --- a fixed number of steps ---------------------------------------------------------------


Changing = list[tuple[int, int]]  # pairs (index, direction) of an array's derivatives that are not identically zero


def _fixed_tangents(node: Node, rates: Sequence[Rates], pushforward: Pushforward) -> list[dict[int, Any]]:
    loop: Loop = node.value
    # all steps have one sparsity pattern: a derivative that is zero in only some steps is stored as a number
    state, given, *each = (rates[part] for part in loop.operands)
    # pairs (scalar, direction) with a nonzero tangent; the new loop stores no other tangents
    of_given = _changing(given, loop.given)
    of_each = [_changing(array, size) for array, size in zip(each, loop.each, strict=True)]
    of_state, arrays, found = _rates_in_body(loop, _changing(state, loop.state), of_given, of_each, pushforward)
    of_records = [[(k, d) for k, x in enumerate(array) for d in x] for array in found[1:]]
    whole = _with_rates(loop, of_state, len(of_given), arrays, found, of_records)
    # operands of the new loop: state and its tangents, given values and their tangents, inputs and their tangents
    first, same, *rows_of = (node.args[part] for part in loop.operands)
    operands: list[Any] = [*first, *(state[k].get(d, 0.0) for k, d in of_state)]
    operands += [*same, *(given[k][d] for k, d in of_given), *(x for array in rows_of for x in array)]
    for array, size, changing in zip(each, loop.each, of_each, strict=True):
        operands += [array[row * size + k].get(d, 0.0) for row in range(loop.steps) for k, d in changing]
    # results of the new loop: state, derivatives of the state, records, derivatives of the records
    last, *records = entries(node.builder, whole, operands)
    results: list[dict[int, Any]] = [{} for _ in range(loop.results[-1].stop)]
    for (k, d), rate in zip(of_state, last[loop.state :], strict=True):
        results[k][d] = rate
    rate_records = records[len(loop.records) :]
    for part, size, changing, nodes in zip(loop.results[1:], loop.records, of_records, rate_records, strict=True):
        for at, rate in enumerate(nodes):
            row, place = divmod(at, len(changing))
            k, d = changing[place]
            results[part.start + row * size + k][d] = rate
    return results


def _changing(rates: Sequence[Rates], size: int) -> Changing:
    """The pairs (index, direction) with a tangent in an array of `size` scalars, or in any row of `size` scalars."""
    return sorted({(k % size, d) for k, x in enumerate(rates) for d in x})


def _rates_in_body(
    loop: Loop, of_state: Changing, of_given: Changing, of_each: Sequence[Changing], pushforward: Pushforward
) -> tuple[Changing, list[Input], list[list[dict[int, Any]]]]:
    """Tangents of the outputs of a body that also receives tangents of its inputs: after the state, after the shared
    values, and, for inputs of each step, in new arrays.

    A step may propagate tangents to further entries of the state, so it is traced until no entry is added.

    Returns:
        the pairs (index, direction) of the state's tangents, the new arrays, and the tangents of each output.
    """
    body, inner = loop.body, _builder(loop)
    arrays: list[Input] = []
    for x, changing in zip(body.inputs[2:], of_each, strict=True):
        arrays.append(Input(_unused(body, arrays, f"d{x.name}"), (len(changing),)))
    # least fixed point: a scalar of the state has a derivative if the step computes it from a scalar with a derivative
    while True:
        along: dict[Node, dict[int, Any]] = {}
        for x, changing in zip(body.inputs[:2], (of_state, of_given), strict=True):
            scalars = inner.input(x.name, x.size + len(changing))  # the tangents of an input follow the input
            _add_rates(along, scalars, changing, scalars[x.size :])
        for x, changing, array in zip(body.inputs[2:], of_each, arrays, strict=True):
            _add_rates(along, inner.input(x.name, x.size), changing, inner.input(array.name, array.size))
        found = [pushforward(y.nodes, along) for y in body.outputs]
        reached = sorted({(k, d) for k, x in enumerate(found[0]) for d in x} | set(of_state))
        if reached == of_state:
            return of_state, arrays, found
        of_state = reached


def _add_rates(
    along: dict[Node, dict[int, Any]], scalars: Sequence[Node], changing: Changing, rates: Sequence[Node]
) -> None:
    for (k, d), rate in zip(changing, rates, strict=True):
        along.setdefault(scalars[k], {})[d] = rate


def _with_rates(
    loop: Loop, of_state: Changing, of_given: int, arrays: Sequence[Input], found: list[list[dict[int, Any]]],
    of_records: Sequence[Changing],
) -> Loop:
    """The loop with tangents of its state, shared values, inputs and records of each step."""
    body, inner = loop.body, _builder(loop)
    zero, (state, given, *each) = inner.const(0.0), body.inputs
    following = [_node(inner, found[0][k].get(d, zero)) for k, d in of_state]
    size = loop.state + len(of_state)
    outputs = [Output("next", (size,), (*body.outputs[0].nodes, *following)), *body.outputs[1:]]
    for y, rows, changing in zip(body.outputs[1:], found[1:], of_records, strict=True):
        outputs.append(Output(f"d{y.name}", (len(changing),), tuple(_node(inner, rows[k][d]) for k, d in changing)))
    inputs = Input(state.name, (size,)), Input(given.name, (loop.given + of_given,)), *each, *arrays
    return Loop(Graph("body", inputs, tuple(outputs)), loop.steps, loop.backward)


def _fixed_adjoint(node: Node, bars: Sequence[Any], gradient: Gradient) -> list[Any]:
    loop: Loop = node.value
    body, inner, outer = loop.body, _builder(loop), node.builder
    state, given, *each = body.inputs
    # a first loop runs forward and records the state before each step
    before = Output("before", (loop.state,), inner.input(state.name, loop.state))
    recording = Loop(Graph("body", body.inputs, (body.outputs[0], before)), loop.steps, loop.backward)
    _, states = entries(outer, recording, node.args)
    # a second loop steps backward: its state is the adjoint of the state and the sum of the adjoints of given values
    adjoint_of_state = Input(_unused(body, (), "bar"), (loop.state + loop.given,))
    weights = [Input(_unused(body, (), f"bar {y.name}"), y.shape) for y in body.outputs[1:]]
    # a backward step needs only the gradient of the sum of the next state and the records, each times its adjoint
    factors = [inner.input(adjoint_of_state.name, loop.state), *(inner.input(x.name, x.size) for x in weights)]
    total = _sum_of_products(inner, factors, [y.nodes for y in body.outputs])
    inputs = [inner.input(x.name, x.size) for x in body.inputs]
    found = iter(gradient(total, [x for array in inputs for x in array]))
    by_state, by_given, *by_each = ([next(found) for _ in array] for array in inputs)
    collected = inner.input(adjoint_of_state.name, loop.state + loop.given)[loop.state :]
    # given values act in every step, so their adjoint is the sum over all steps
    more = [x + y for x, y in zip(collected, by_given, strict=True)]
    outputs = [Output("next", adjoint_of_state.shape, (*by_state, *more))]
    outputs += [Output(f"by {x.name}", x.shape, tuple(nodes)) for x, nodes in zip(each, by_each, strict=True)]
    back = Graph("body", (adjoint_of_state, given, state, *each, *weights), tuple(outputs))
    _, same, *rows = (node.args[part] for part in loop.operands)
    last, *records = (bars[part] for part in loop.results)
    operands = [*last, *[0.0] * loop.given, *same, *states, *(x for array in rows for x in array)]
    operands += [x for array in records for x in array]
    first, *of_each = entries(outer, Loop(back, loop.steps, not loop.backward), operands)
    return [*first, *(x for array in of_each for x in array)]


# --- a condition ---------------------------------------------------------------------------


def _implicit_tangents(node: Node, rates: Sequence[Rates], pushforward: Pushforward) -> list[dict[int, Any]]:
    loop: Loop = node.value
    body, inner, n = loop.body, _builder(loop), loop.solution or 0
    # the solution depends only on the given values, and not on the initial guess of the iteration
    given = rates[loop.operands[1]]
    directions = sorted({d for x in given for d in x})
    results: list[dict[int, Any]] = [{} for _ in range(loop.state)]
    if not directions:
        return results
    changing = _changing(given, loop.given)
    extra = Input(_unused(body, (), "dgiven"), (len(changing),))
    along: dict[Node, dict[int, Any]] = {}
    _add_rates(along, inner.input(body.inputs[1].name, loop.given), changing, inner.input(extra.name, extra.size))
    # the solution satisfies x = step(x, given), hence dx = A dx + B dgiven, with the right-hand side B dgiven
    step = body.outputs[0].nodes[:n]
    right = [[x.get(d, 0.0) for d in directions] for x in pushforward(step, along)]
    solved = _solved(inner, _residual(loop, pushforward), right)
    flat = tuple(_node(inner, x) for row in solved for x in row)
    graph = Graph("implicit", (*body.inputs, extra), (Output("d", (len(flat),), flat),))
    last = [node.builder.entry(node, k) for k in range(loop.state)]
    (found,) = inlined(graph, node.builder, last, node.args[loop.operands[1]], [given[k][d] for k, d in changing])
    # entries of the state after the solution, such as the number of steps, have no derivative
    for at, x in enumerate(found):
        k, column = divmod(at, len(directions))
        results[k][directions[column]] = x
    return results


def _implicit_adjoint(node: Node, bars: Sequence[Any], gradient: Gradient, pushforward: Pushforward) -> list[Any]:
    loop: Loop = node.value
    body, inner, n = loop.body, _builder(loop), loop.solution or 0
    # solve for mu = (1 - A)^-T bar; the adjoint of the given values is then B^T mu
    bar, mu = (Input(_unused(body, (), name), (n,)) for name in ("bar", "mu"))
    # B^T mu is the gradient of mu . step(x, given), so the matrix B is not needed
    weights = inner.input(mu.name, n)
    total = _sum_of_products(inner, [weights], [body.outputs[0].nodes[:n]])
    transposed = [list(column) for column in zip(*_residual(loop, pushforward), strict=True)]
    solved = [_node(inner, row[0]) for row in _solved(inner, transposed, [[x] for x in inner.input(bar.name, n)])]
    by_given = gradient(total, inner.input(body.inputs[1].name, loop.given))
    nodes = tuple(substituted(by_given, dict(zip(weights, solved, strict=True))))
    graph = Graph("implicit", (*body.inputs, bar), (Output("by given", (loop.given,), nodes),))
    last = [node.builder.entry(node, k) for k in range(loop.state)]
    (found,) = inlined(graph, node.builder, last, node.args[loop.operands[1]], bars[:n])
    return [*[0.0] * loop.state, *found]


def _residual(loop: Loop, pushforward: Pushforward) -> list[list[Any]]:
    """1 - A, where A is the derivative of a step with respect to the solution."""
    inner, n = _builder(loop), loop.solution or 0
    # n directions, one per scalar of the solution; they give the columns of A
    x = inner.input(loop.body.inputs[0].name, n)
    rows = pushforward(loop.body.outputs[0].nodes[:n], {x[k]: {k: inner.const(1.0)} for k in range(n)})
    return [[(1.0 if i == j else 0.0) - rows[i].get(j, inner.const(0.0)) for j in range(n)] for i in range(n)]


def _solved(builder: Builder, matrix: list[list[Any]], right: list[list[Any]]) -> list[list[Any]]:
    """M^-1 R by elimination: in each column, pairwise row exchanges move the largest pivot up."""
    n = len(matrix)
    rows = [[_node(builder, x) for x in (*a, *b)] for a, b in zip(matrix, right, strict=True)]
    for k in range(n):
        # select swaps rows entry by entry, without a branch, so that the row with the largest pivot is row k
        for i in range(k + 1, n):
            larger = abs(rows[k][k]) < abs(rows[i][k])
            upper, lower = rows[k], rows[i]
            # a structural zero never has the larger magnitude
            if rows[i][k].op == "const" and rows[i][k].value == 0:
                continue
            rows[k] = [larger.select(b, a) for a, b in zip(upper, lower, strict=True)]
            rows[i] = [larger.select(a, b) for a, b in zip(upper, lower, strict=True)]
        # Gauss-Jordan elimination: no later step reads columns up to k, so they remain unchanged
        rows[k] = [x / rows[k][k] if j > k else x for j, x in enumerate(rows[k])]
        for i in range(n):
            if i != k:
                pairs = enumerate(zip(rows[i], rows[k], strict=True))
                rows[i] = [x - rows[i][k] * y if j > k else x for j, (x, y) in pairs]
    return [row[n:] for row in rows]


def _builder(loop: Loop) -> Builder:
    return next(node.builder for y in loop.body.outputs for node in y.nodes)


def _sum_of_products(builder: Builder, left: Sequence[Sequence[Node]], right: Sequence[Sequence[Node]]) -> Node:
    total = builder.const(0.0)
    for xs, ys in zip(left, right, strict=True):
        for x, y in zip(xs, ys, strict=True):
            total = total + x * y
    return total


def _node(builder: Builder, x: Any) -> Node:
    return x if isinstance(x, Node) else builder.const(x)


def _unused(body: Graph, more: Sequence[Input], name: str) -> str:
    """The name with primes appended until it differs from the names of all inputs."""
    while any(x.name == name for x in (*body.inputs, *more)):
        name += "'"
    return name
