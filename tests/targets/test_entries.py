"""Entries of large results, computed by loops over tables: the same bits as straight-line code."""

from typing import Any

import numpy as np
import pytest
from machine_code import compiled, widths
from robots import signature

import revolute
from revolute.graph import Graph, Input, trace
from revolute.targets.llvm import Lanes, compile_parts, entries, host, load_object, module_parts, steps
from revolute.targets.llvm.kernel import GraphFunction


def loops_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every form has a loop, however short and rare."""
    monkeypatch.setattr(steps, "MANY", 0)
    monkeypatch.setattr(entries, "SMALLEST", 1)
    monkeypatch.setattr(entries, "FEWEST", 1)


@pytest.mark.parametrize(
    ("name", "bits"), [("mass_matrix", 64), ("mass_matrix", 32), ("mass_matrix_rate", 32), ("regressor", 64)]
)
def test_loops_give_the_bits_of_straight_line_code(name: str, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = signature(revolute.robots.random_tree(3, rng=4, branching=0.2), name, {}).graph()
    rng = np.random.default_rng(1)
    x = [rng.standard_normal((11, *a.shape)).astype(f"f{bits // 8}") for a in graph.inputs]
    expected = compiled(graph, host().lanes(bits))(*x)
    loops_everywhere(monkeypatch)
    assert any("entries" in call for call in GraphFunction(graph, host().lanes(bits)).calls)
    for width in widths(bits):
        assert np.array_equal(compiled(graph, Lanes(width, bits, host().fma), chunk=70)(*x), expected)


def test_entries_may_start_from_inputs_constants_and_equal_values(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: Any, y: Any) -> list[Any]:
        shared = x[0] * x[2] + 1
        listed = [
            x[0] * x[0] - y[0],  # one value twice: a form of its own
            x[0] * x[1] - y[0],
            x[2] * x[1] - y[1],
            x[1] * 3.25 + y[0],
            x[2] * -0.1 + y[1],
            shared * y[0],
            shared * y[1],
            -(shared / y[0]),
        ]
        return [("z", (9,), [*listed, listed[5]]), ("more", (2,), [listed[6], shared])]

    graph = trace("mixed", function, [Input("x", (3,)), Input("y", (2,))])
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((13, 3)), rng.standard_normal((13, 2))
    expected = compiled(graph, host().lanes())(x, y)
    loops_everywhere(monkeypatch)
    functions = GraphFunction(graph, host().lanes())
    # x x - y; x y - z; x k + y; values stored in z twice, or in both results; the quotient
    assert functions.calls[1:] == tuple(f"entries{k}.{host().lanes().suffix}" for k in range(6))
    for found, straight in zip(compiled(graph, host().lanes())(x, y), expected, strict=True):
        assert np.array_equal(found, straight)


def test_code_for_single_rows_and_in_several_parts_has_the_same_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = signature(revolute.robots.random_tree(6, rng=2, branching=0), "mass_matrix", {}).graph()
    loops_everywhere(monkeypatch)
    code = compile_parts(module_parts(graph, host().lanes(), 40, most=4), host())
    assert load_object(code, host()).function("loop")


def test_entries_of_a_matrix_come_tile_by_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = [Input("x", (6,)), Input("y", (6,))]
    graph = trace("f", lambda x, y: [("z", (6, 6), [a * b for a in x for b in y])], inputs)
    loops_everywhere(monkeypatch)
    monkeypatch.setattr(entries, "TILE", 3)
    (form,) = entries.entries(graph)
    places = [entry.places[0][1] for entry in form]
    assert places[:10] == [0, 1, 2, 6, 7, 8, 12, 13, 14, 3]
    assert sorted(places) == list(range(36))


def test_a_result_without_axes_has_a_tile_too(monkeypatch: pytest.MonkeyPatch) -> None:
    loops_everywhere(monkeypatch)
    graph = trace("f", lambda x: [("y", (), [x[0] * x[1]])], [Input("x", (2,))])
    assert len(entries.entries(graph)) == 1


def chain(joints: int) -> Graph:
    return signature(revolute.robots.random_tree(joints, rng=1, branching=0), "mass_matrix", {}).graph()


def test_the_code_of_a_long_chain_grows_with_its_length_and_not_with_its_square(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(steps, "MANY", 0)
    monkeypatch.setattr(entries, "FEWEST", 64)
    short, long = (GraphFunction(chain(n), host().lanes()) for n in (50, 60))
    for function in (short, long):  # scalar products of six numbers, and of three beside joints that slide
        assert len([x for x in function.calls if "entries" in x]) == 3
    assert (sum(short.lengths), sum(long.lengths)) == (6471, 8040)
