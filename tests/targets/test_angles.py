"""Sines and cosines of many angles, computed by loops: the bits of straight-line code, and short code."""

import gc
from typing import Any

import numpy as np
import pytest
from machine_code import compiled, widths
from robots import signature

import revolute
from revolute.graph import Graph, Input, Node, trace
from revolute.targets.llvm import Lanes, angles, host
from revolute.targets.llvm.kernel import GraphFunction

JOINTS = 5


def graph_of(name: str) -> Graph:
    return signature(revolute.robots.random_tree(JOINTS, rng=4, branching=0.2), name, {}).graph()


def states(graph: Graph, bits: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    found = [rng.standard_normal((11, *x.shape)).astype(f"f{bits // 8}") for x in graph.inputs]
    found[0][3] = 2e5  # beyond the limit of the polynomials
    found[0][5] = np.nan
    return found


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("name", ["inverse_dynamics", pytest.param("runge_kutta_4_step", marks=pytest.mark.slow)])
def test_loops_give_the_bits_of_straight_line_code(name: str, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of(name)
    x = states(graph, bits)
    loops = [call for call in GraphFunction(graph, host().lanes(bits)).calls if "angles" in call]
    assert len(loops) == (1 if name == "inverse_dynamics" else 4)  # of q, and of the later stages' positions
    kinds = [Lanes(width, bits, host().fma) for width in widths(bits)]
    found = [compiled(graph, lanes, chunk=70)(*x) for lanes in kinds] + [compiled(graph, host().lanes(bits))(*x)]
    monkeypatch.setattr(angles, "FEWEST", 1000)
    assert not any("angles" in call for call in GraphFunction(graph, host().lanes(bits)).calls)
    expected = compiled(graph, host().lanes(bits))(*x)
    for results in found:
        assert np.array_equal(np.ravel(results), np.ravel(expected), equal_nan=True)


def test_only_angles_that_need_both_are_in_loops_each_once() -> None:
    def function(x: Any, y: Any) -> list[Any]:
        both = [part for k in range(5) for part in (x[k].sin(), x[k].cos())]
        computed = [x[k] * y[k] for k in range(5)]
        later = [part for z in computed for part in (z.cos(), z.sin())]
        few = [part for k in range(3) for part in (y[k].sin(), y[k].cos())]
        again = [part for z in later[:8] for part in (z.sin(), z.cos())]
        return [("z", (33,), [*both, *later, *few, y[4].sin(), again[0], *again[:5]])]

    graph = trace("mixed", function, [Input("x", (5,)), Input("y", (5,))])
    found = angles.loops(graph.nodes)
    assert len({id(loop): loop for loop in found.values()}) == 2
    assert [node.op for node in found] == ["sin", "cos"] * 10
    x, y = np.random.default_rng(2).standard_normal((2, 13, 5))
    expected = np.stack([f(x[:, k]) for k in range(5) for f in (np.sin, np.cos)], axis=1)
    assert np.allclose(compiled(graph, host().lanes())(x, y)[:, :10], expected, rtol=1e-15, atol=1e-15)
    later = np.stack([f(x[:, k] * y[:, k]) for k in range(5) for f in (np.cos, np.sin)], axis=1)
    assert np.allclose(compiled(graph, host().lanes())(x, y)[:, 10:20], later, rtol=1e-15, atol=1e-15)


def test_angles_of_joints_have_the_code_of_one() -> None:
    function = GraphFunction(graph_of("inverse_dynamics"), host().lanes())
    assert function.printed(function.calls).definitions.count("call { ") == 1  # of the function for large angles


def test_a_graph_that_was_compiled_is_freed_without_garbage_collection() -> None:
    robot = revolute.robots.random_tree(JOINTS, rng=5, branching=0.2)
    gc.collect()
    gc.disable()  # all new objects are then of the youngest generation
    try:
        assert robot.kernel("inverse_dynamics").operations > 0
        assert not any(type(x) is Node for x in gc.get_objects(generation=0))
    finally:
        gc.enable()
