"""The order of operations in code: any has the same bits, and long graphs have the one that carries less."""

import numpy as np
import pytest

from revolute.compiler.ufunc import generalized_ufunc
from revolute.graph import Builder, Graph, Input, Output
from revolute.targets.llvm import Lanes, compile_parts, host, kernel, load_object, module_parts, steps


def tangled(size: int = 40) -> Graph:
    """Chains that a recursion makes step by step, side by side, while every result needs one of them alone."""
    x = Builder().input("x", size)
    chains = list(x)
    for k in range(1, 8):
        chains = [(chain * x[(i + k) % size] + float(k)).sin() for i, chain in enumerate(chains)]
    return Graph("tangled", (Input("x", (size,)),), (Output("y", (size,), tuple(chains)),))


def carried(graph: Graph, found: kernel.GraphFunction) -> int:
    """Loads and stores of the workspace in all functions."""
    return found.printed(found.calls).definitions.count("ptr %work,")


def test_results_in_turn_carry_less_where_they_share_little(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = tangled()
    before = kernel.GraphFunction(graph, Lanes(1), chunk=50)
    monkeypatch.setattr(steps, "LONG", 1)
    after = kernel.GraphFunction(graph, Lanes(1), chunk=50)
    assert carried(graph, after) < 0.2 * carried(graph, before)
    assert after.workspace < before.workspace
    assert sum(after.lengths) == sum(before.lengths)


def test_a_shared_graph_keeps_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """All results need the whole chain: there is nothing to win."""
    x = Builder().input("x", 4)
    total = x[0]
    nodes = []
    for k in range(300):
        total = total * x[k % 4] + x[(k + 1) % 4]
        nodes.append(total)
    graph = Graph("chain", (Input("x", (4,)),), (Output("y", (300,), tuple(nodes)),))
    before = kernel.GraphFunction(graph, Lanes(1), chunk=50)
    monkeypatch.setattr(steps, "LONG", 1)
    after = kernel.GraphFunction(graph, Lanes(1), chunk=50)
    assert after.printed(after.calls).definitions == before.printed(before.calls).definitions


def test_bits_do_not_depend_on_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, results = tangled(8), []
    rows = np.random.default_rng(4).uniform(-3, 3, (37, 8))
    for long in (steps.LONG, 1):
        monkeypatch.setattr(steps, "LONG", long)
        loaded = load_object(compile_parts(module_parts(graph, host().lanes(64), 50), host()), host())
        results.append(generalized_ufunc(loaded, "tangled", "", np.dtype(np.float64), [(8,)], [(8,)])(rows))
    np.testing.assert_array_equal(results[0].view(np.uint64), results[1].view(np.uint64))
