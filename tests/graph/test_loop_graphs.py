"""Loops: over numbers, as nodes, their printing, checks and counts, and their derivatives."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

from revolute.errors import GraphError
from revolute.graph import Graph, Input, Output, code_length, count, gradient, jacobian, text, trace, verify
from revolute.graph.loop import Loop, unrolled
from revolute.spatial.loop import converged, repeated
from revolute.spatial.scalar import sin
from revolute.targets.numpy import evaluate
from tests.loop_examples import (
    N,
    columns_graph,
    nested_graph,
    newton_body,
    newton_graph,
    riccati_body,
    riccati_graph,
    waiting_graph,
)

rng = np.random.default_rng(3)


def lqr_data(batch: tuple[int, ...] = ()) -> dict[str, Any]:
    data = {"A": np.eye(2) + 0.3 * rng.normal(size=(*batch, N, 2, 2)), "B": rng.normal(size=(*batch, N, 2, 1))}
    return data | {"Q": np.diag([1.0, 2.0]), "R": np.array([[0.5]]), "P": np.diag([3.0, 1.0])}


def loops(graph: Graph) -> list[Loop]:
    return [node.value for node in graph.nodes if node.op == "loop"]


def test_newton_over_numbers_solves_its_equations() -> None:
    x0, x1, steps = newton_body([0.7, 0.4])
    np.testing.assert_allclose([x0 + np.sin(x1) / 2, x1 + x0 * x1 / 4], [0.7, 0.4], rtol=1e-12)
    assert 3 <= steps < 15


def test_records_of_a_single_step_over_numbers_and_of_none() -> None:
    assert repeated(lambda x: (x + 1, ()), 2.0, times=0) == (2.0, [])
    assert repeated(lambda x: (x + 1, ()), 2.0, times=3) == (5.0, ())
    assert repeated(lambda x, u: (x + u, x), 1.0, [[2.0]]) == (3.0, [1.0])
    assert repeated(lambda x, u: (x + u, (x, u)), 1.0, [[2.0]]) == (3.0, ([1.0], [2.0]))


def test_rows_that_wait_take_no_step() -> None:
    """Over numbers, arrays and nodes; and the loop says so."""
    graph, x = verify(waiting_graph()), np.array([[0.5], [0.6], [np.nan]])
    np.testing.assert_allclose(evaluate(graph, {"x": x})["y"], [[0.5, 0], [np.sqrt(0.6), 4], [np.nan, 0]], rtol=1e-6)
    for first, steps in ((True, 4), (False, 0)):
        step = lambda y, k: ((y + 0.6 / y) / 2, k + 1, abs(y * y - 0.6) > 1e-6)  # noqa: E731
        assert converged(step, 0.6, 0, most=9, first=first)[1] == steps
    assert "none for rows that wait" in text(graph)


def test_riccati_over_numbers_is_the_backward_pass() -> None:
    data = lqr_data()
    P, K, Ps = riccati_body(*[x.ravel().tolist() for x in data.values()])
    expected = data["P"]
    for k in range(N)[::-1]:
        A, B = data["A"][k], data["B"][k]
        np.testing.assert_allclose(Ps[4 * k : 4 * k + 4], expected.ravel(), rtol=1e-12)
        gain = np.linalg.solve(data["R"] + B.T @ expected @ B, B.T @ expected @ A)
        np.testing.assert_allclose(K[2 * k : 2 * k + 2], gain.ravel(), rtol=1e-12)
        expected = data["Q"] + A.T @ expected @ (A - B @ gain)
    np.testing.assert_allclose(P, expected.ravel(), rtol=1e-12)


def test_graphs_of_loops_have_the_numbers_of_the_recursions() -> None:
    goals = rng.normal(size=(6, 2)) * 0.4
    found = evaluate(verify(newton_graph()), {"goal": goals})["x"]
    np.testing.assert_array_equal(found[:, 2], [newton_body(goal.tolist())[2] for goal in goals])
    np.testing.assert_allclose(found, [newton_body(goal.tolist()) for goal in goals], rtol=1e-14)
    data = lqr_data()
    found_by_name = evaluate(verify(riccati_graph()), data)
    wanted = riccati_body(*[x.ravel().tolist() for x in data.values()])
    for x, y in zip(found_by_name.values(), wanted, strict=True):
        np.testing.assert_allclose(x.ravel(), y, rtol=1e-13)


def test_a_body_is_recorded_once_and_what_stays_the_same_before() -> None:
    (loop,) = loops(riccati_graph())
    assert (loop.steps, loop.backward, loop.state, loop.each, loop.records) == (N, True, 4, (4, 2), (2, 4))
    assert loop.given == 5  # R, Q
    squares = trace("f", lambda x: [("y", (), [repeated(lambda y: (y + sin(x[0]), ()), x[1], times=9)[0]])],
                    [Input("x", (2,))])  # fmt: skip
    assert [node.op for node in squares.nodes].count("sin") == 1
    assert [node.op for node in loops(squares)[0].body.nodes] == ["input", "input", "add"]


def test_loops_of_equal_text_and_operands_are_one_node() -> None:
    def twice(x: Any) -> Any:
        first, _ = repeated(lambda y: (y * x[1], ()), x[0], times=3)
        second, _ = repeated(lambda y: (y * x[1], ()), x[0], times=3)
        other, _ = repeated(lambda y: (y * x[1], ()), x[0], times=4)
        assert first is second
        return [("y", (), [first + other])]

    assert len(loops(verify(trace("f", twice, [Input("x", (2,))])))) == 2


def test_loops_whose_operands_are_numbers_but_whose_steps_use_nodes() -> None:
    def body(x: Any) -> Any:
        last, records = repeated(lambda y, u: (y * x[0] + u, y), 1.0, [[1.0, 2.0, 3.0]])
        root, _ = converged(lambda y, _: ((y + x[0] / y) / 2, (), abs(y * y - x[0]) > 1e-9), 1.0, most=30)
        return [("y", (5,), [last, *records, root])]

    graph = verify(trace("f", body, [Input("x", (1,))]))
    assert len(loops(graph)) == 2
    np.testing.assert_allclose(evaluate(graph, {"x": [[2.0], [3.0]]})["y"],
                               [[19.0, 1, 3, 8, 2**0.5], [45.0, 1, 4, 14, 3**0.5]], rtol=1e-15)  # fmt: skip


def test_arrays_as_scalars_go_on_row_by_row() -> None:
    a = np.array([4.0, 1e4, np.nan])

    def step(x: Any, memory: Any) -> Any:
        return (x + a / x) / 2, (memory[0] + 1,), abs(x * x - a) > 1e-9 * a

    x, (steps,) = converged(step, np.ones(3), (np.zeros(3),), most=40)
    np.testing.assert_allclose(x, [2.0, 100.0, np.nan], rtol=1e-14)
    assert steps[2] == 1 < steps[0] < steps[1]


def test_a_row_that_is_not_finite_fails_alone() -> None:
    goals = np.array([[0.3, 0.2], [np.nan, 0.1], [0.5, -0.2], [0.1, np.inf]])
    found = evaluate(newton_graph(), {"goal": goals})["x"]
    assert np.isnan(found[[1, 3], :2]).all()
    for k in (0, 2):
        np.testing.assert_array_equal(found[k], evaluate(newton_graph(), {"goal": goals[k]})["x"])


def test_a_state_that_changes_its_size_is_refused() -> None:
    with pytest.raises(GraphError, match="the state has 1 scalars, but a step returns 2"):
        trace("f", lambda x: [("y", (1,), repeated(lambda y: ([y[0], y[0]], ()), [x[0]], times=3)[0])],
              [Input("x", (1,))])  # fmt: skip


@pytest.mark.parametrize("make", [newton_graph, riccati_graph, nested_graph, columns_graph, waiting_graph])
def test_unrolled_graphs_have_the_same_numbers(make: Any) -> None:
    graph = verify(make())
    data = {x.name: 0.3 + 0.4 * rng.random((4, *x.shape)) for x in graph.inputs}
    wanted = evaluate(graph, data)
    straight = verify(unrolled(graph))
    found = evaluate(straight, data)
    for name in wanted:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-13)
    assert not loops(straight) and loops(graph)


def test_loops_print_and_count_their_bodies() -> None:
    graph = trace("f", lambda x: [("y", (2,), repeated(lambda y: ([y[0] * x[0], y[0] + y[1]], ()),
                                                       [x[0], x[1]], times=3)[0])], [Input("x", (2,))])  # fmt: skip
    assert text(graph).splitlines() == [
        "f(x[2]) -> y[2]", "  t0 = 3 steps of", "      state = [x[0], x[1]]", "      given = [x[0]]",
        "      t0 = state[0] * given[0]", "      t1 = state[0] + state[1]", "      next[0] = t0",
        "      next[1] = t1", "  y[0] = t0[0]", "  y[1] = t0[1]",
    ]
    assert (count(graph).multiplications, count(graph).additions, code_length(graph)) == (3, 3, 2)
    assert "while again, at most 40" in text(newton_graph())
    assert f"{N} steps from the last" in text(riccati_graph())


def test_the_verifier_finds_loops_that_do_not_fit() -> None:
    graph = riccati_graph()
    node = next(node for node in graph.nodes if node.op == "loop")
    loop: Loop = node.value

    def broken(other: Loop, args: Any = None, k: int = 0) -> Graph:
        builder = node.builder
        entry = builder.entry(builder.loop(other, node.args if args is None else args), k)
        return Graph("broken", graph.inputs, (Output("y", (), (entry,)),))

    assert_raises(GraphError, "takes no step", verify, broken(dataclasses.replace(loop, steps=0)))
    assert_raises(GraphError, "wrong number of operands", verify, broken(loop, node.args[1:]))
    assert_raises(GraphError, "not among the results", verify, broken(loop, k=loop.results[-1].stop))
    assert_raises(GraphError, "no proper condition", verify, broken(dataclasses.replace(loop, solution=2)))
    short = dataclasses.replace(loop.body, outputs=(Output("next", (1,), loop.body.outputs[0].nodes[:1]),))
    assert_raises(GraphError, "another state after a step", verify, broken(dataclasses.replace(loop, body=short)))
    first, _, *others = loop.body.inputs
    undeclared = dataclasses.replace(loop.body, inputs=(first, Input("given", (0,)), *others))
    with pytest.raises(GraphError, match="not among the declared inputs"):
        verify(broken(dataclasses.replace(loop, body=undeclared)))


def derivatives(graph: Graph, name: str) -> tuple[Graph, Graph]:
    """The Jacobian of the first output by an input: by tangents, and by adjoints of a row after the other."""
    size = {x.name: x.size for x in graph.inputs}[name]
    results = graph.outputs[0].nodes
    inputs = results[0].builder.input(name, size)
    zero = inputs[0].builder.const(0.0)
    forward = [row.get(k, zero) for row in jacobian(results, inputs) for k in range(size)]
    backward = [x for y in results for x in gradient(y, inputs)]
    shape = (len(results), size)
    first, second = (
        verify(Graph("d", graph.inputs, (Output("J", shape, tuple(nodes)),))) for nodes in (forward, backward)
    )
    return first, second


def differences(graph: Graph, data: dict[str, Any], name: str) -> np.ndarray:
    columns = []
    for k in range(data[name].size):
        ends = []
        for sign in (1, -1):
            x = data[name].copy()
            x.ravel()[k] += sign * 1e-6
            ends.append(evaluate(graph, {**data, name: x})[graph.outputs[0].name].ravel())
        columns.append((ends[0] - ends[1]) / 2e-6)
    return np.array(columns).T


@pytest.mark.parametrize(("name", "output"), [*((name, 0) for name in "ABQRP"), ("A", 1), ("P", 1)])
def test_tangents_and_adjoints_of_a_fixed_number_of_steps(name: str, output: int) -> None:
    """Of the last state, and of records."""
    graph, data = riccati_graph(), lqr_data()
    graph = Graph("one output", graph.inputs, graph.outputs[output : output + 1])
    forward, backward = (evaluate(x, data)["J"] for x in derivatives(graph, name))
    np.testing.assert_allclose(forward, differences(graph, data, name), rtol=1e-5, atol=1e-6)
    straight = evaluate(derivatives(unrolled(graph), name)[0], data)["J"]
    for other in (backward, straight):
        np.testing.assert_allclose(forward, other, rtol=1e-10, atol=1e-12)


def test_a_condition_that_has_converged_has_the_derivative_of_its_equations() -> None:
    goal = np.array([0.6, -0.3])
    graph = newton_graph()
    first = Graph("x", graph.inputs, (Output("x", (2,), graph.outputs[0].nodes[:2]),))
    x0, x1, _ = newton_body(goal.tolist())
    exact = np.linalg.inv([[1, np.cos(x1) / 2], [x1 / 4, 1 + x0 / 4]])
    for derivative in derivatives(first, "goal"):
        np.testing.assert_allclose(evaluate(derivative, {"goal": goal})["J"], exact, rtol=1e-10)
    np.testing.assert_allclose(differences(first, {"goal": goal}, "goal"), exact, rtol=1e-6, atol=1e-8)


def test_what_a_loop_remembers_has_no_derivative() -> None:
    graph = newton_graph()
    steps = Graph("steps", graph.inputs, (Output("n", (), graph.outputs[0].nodes[2:]),))
    for derivative in derivatives(steps, "goal"):
        np.testing.assert_array_equal(evaluate(derivative, {"goal": [0.6, -0.3]})["J"], [[0.0, 0.0]])


def test_implicit_derivatives_exchange_rows_for_their_pivots() -> None:
    """x = step(x) with 1 - A = [[0, 1], [1, 1/2]]: its first pivot is zero."""

    def body(b: Any) -> Any:
        def step(x: Any, _: Any) -> Any:
            moved = [x[0] - x[1] + b[0], x[1] * 0.5 - x[0] + b[1]]
            return moved, (), abs(moved[0] - x[0]) + abs(moved[1] - x[1]) > 1e-9

        return [("x", (2,), converged(step, [0.0, 0.0], most=3)[0])]

    for derivative in derivatives(trace("linear", body, [Input("b", (2,))]), "b"):
        np.testing.assert_allclose(
            evaluate(derivative, {"b": [1.0, 2.0]})["J"], np.linalg.inv([[0, 1], [1, 0.5]]), rtol=1e-14
        )


def test_second_derivatives_and_derivatives_of_nested_loops() -> None:
    def body(x: Any) -> Any:
        def outer(y: Any, u: Any) -> Any:
            z, _ = repeated(lambda z: (z * x[1] + sin(z) * u, ()), y, times=3)
            return z, (z * y,)

        y, (products,) = repeated(outer, x[0], [[x[2], 0.3, x[0]]])
        return [("y", (), [y + sum(products)])]

    graph = verify(trace("nested", body, [Input("x", (3,))]))
    data, found = {"x": np.array([0.4, 0.7, 0.2])}, []
    for at in (graph, unrolled(graph)):
        (y,) = at.outputs[0].nodes
        x = y.builder.input("x", 3)
        forward = [jacobian([y], x)[0].get(k, y.builder.const(0.0)) for k in range(3)]
        for nodes in (gradient(y, x), forward):
            slopes = Graph("slopes", at.inputs, (Output("d", (3,), tuple(nodes)),))
            hessians = (evaluate(derivative, data)["J"] for derivative in derivatives(slopes, "x"))
            found.append([evaluate(verify(slopes), data)["d"], *hessians])
    for first, *hessians in found:
        np.testing.assert_allclose(first, differences(graph, data, "x")[0], rtol=1e-6)
        for hessian in hessians:
            np.testing.assert_allclose(hessian, found[0][1], rtol=1e-11, atol=1e-13)
