"""Loops of graphs as machine code, of every width: the numbers of the reference target."""

from typing import Any

import numpy as np
import pytest
from comparing import assert_each

from revolute.graph import Graph, Input, Output, gradient, jacobian, trace
from revolute.spatial.loop import repeated
from revolute.spatial.scalar import sin
from revolute.targets.llvm import Lanes, host
from revolute.targets.numpy import evaluate
from tests.loop_examples import columns_graph, nested_graph, newton_graph, riccati_graph, waiting_graph
from tests.machine_code import BASELINE, compiled, widths

MAKERS = {"newton": newton_graph, "riccati": riccati_graph, "nested": nested_graph, "columns": columns_graph}
MAKERS |= {"waiting": waiting_graph}


def data_of(graph: Graph, rows: int, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {x.name: 0.3 + 0.5 * rng.random((rows, *x.shape)) for x in graph.inputs}


def run(code: Any, data: dict[str, Any]) -> list[Any]:
    found = code(*data.values())
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("width", widths())
def test_all_widths_and_chunks_have_the_numbers_of_the_reference(name: str, width: int) -> None:
    graph = MAKERS[name]()
    data = data_of(graph, 2 * width + 3)
    wanted = list(evaluate(graph, data).values())
    first = None
    for chunk in (1000, 5):
        found = run(compiled(graph, Lanes(width, 64, host().fma), chunk=chunk), data)
        for x, y in zip(found, wanted, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)  # products are fused here
        first = first or found
        assert_each(np.testing.assert_array_equal, found, first)


@pytest.mark.parametrize("name", MAKERS)
def test_without_fused_products_the_bits_are_those_of_the_reference(name: str) -> None:
    graph = MAKERS[name]()
    data = data_of(graph, 9)
    found = run(compiled(graph, Lanes(2, 64, False), BASELINE), data)
    for x, y in zip(found, evaluate(graph, data).values(), strict=True):
        if name == "newton":  # sines differ by some units in the last place
            np.testing.assert_allclose(x, y, rtol=1e-13)
        else:
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name", MAKERS)
def test_rows_do_not_depend_on_others(name: str) -> None:
    graph = MAKERS[name]()
    code = compiled(graph, host().lanes())
    data = data_of(graph, 37, seed=2)
    first = next(iter(data))
    data[first][5] = np.nan
    data[first][20] = np.inf
    together = run(code, data)
    for k in range(37):
        alone = run(code, {key: x[k] for key, x in data.items()})
        for x, y in zip(together, alone, strict=True):
            np.testing.assert_array_equal(x[k], y)
    bad = ~np.isfinite(together[0].reshape(37, -1)).all(axis=1)
    assert bad[[5, 20]].all() and bad.sum() == 2


def test_derivatives_of_loops_as_machine_code() -> None:
    for name, by in (("riccati", "A"), ("newton", "goal"), ("nested", "r")):
        graph = MAKERS[name]()
        size = next(x.size for x in graph.inputs if x.name == by)
        y = graph.outputs[0].nodes[0]
        inputs, zero = y.builder.input(by, size), y.builder.const(0.0)
        forward = tuple(jacobian([y], inputs)[0].get(k, zero) for k in range(size))
        backward = tuple(gradient(y, inputs))
        both = Graph(name, graph.inputs, (Output("f", (size,), forward), Output("b", (size,), backward)))
        data = data_of(graph, 11)
        found = run(compiled(both, host().lanes()), data)
        assert_each(np.testing.assert_allclose, found, evaluate(both, data).values(), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-12)


def test_operands_from_several_places_and_angles_from_loops() -> None:
    """Inputs of a step that are computed, constant, or records of another loop; sines of what a loop gives."""

    def body(x: Any) -> Any:
        y, (first,) = repeated(lambda y, u: (y + u * x[0], (y, )), x[1], [[x[2] * x[3], 2.0, x[0], x[1], x[2], x[3]]])
        z, (second,) = repeated(lambda z, u, v: (z * 0.5 + sin(u) * v, (z, )), y, [first, [*x, 0.25, 0.5]],
                                backward=True)  # fmt: skip
        return [("y", (13,), [z, *second, *(sin(u) for u in first)])]

    graph = trace("places", body, [Input("x", (4,))])
    data = data_of(graph, 10)
    for lanes in (host().lanes(), Lanes(1)):
        (found,) = run(compiled(graph, lanes), data)
        np.testing.assert_allclose(found, evaluate(graph, data)["y"], rtol=1e-13)


def test_single_precision() -> None:
    graph = riccati_graph()
    data = {name: x.astype(np.float32) for name, x in data_of(graph, 7).items()}
    for x, y in zip(run(compiled(graph, host().lanes(32)), data), evaluate(graph, data).values(), strict=True):
        np.testing.assert_allclose(x, y, rtol=2e-4, atol=2e-4)


def test_a_long_loop_has_short_code() -> None:
    def sums(steps: int) -> Graph:
        return trace("sums", lambda u: [("y", (steps,), repeated(lambda x, v: (x + v[0] * v[1], x), 0.0, [
            [list(u[2 * k : 2 * k + 2]) for k in range(steps)]])[1])], [Input("u", (steps, 2))])  # fmt: skip

    from revolute.targets.llvm import module_text

    lengths = [len(module_text(sums(steps), host().lanes()).splitlines()) for steps in (200, 2000)]
    assert lengths[1] < 1.05 * lengths[0]
    graph = sums(500)
    data = data_of(graph, 10)
    np.testing.assert_allclose(run(compiled(graph, host().lanes()), data)[0], evaluate(graph, data)["y"], rtol=1e-13)
