"""Groups of blocks: the code of long graphs runs for several blocks, part by part, with the same bits."""

import ctypes
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from machine_code import compiled
from robots import signature

import revolute
from revolute.graph import Graph, Input, trace
from revolute.library.random_tree import TYPES
from revolute.targets.llvm import (
    Lanes,
    compile_object,
    compile_parts,
    group,
    host,
    load_object,
    loop,
    module_parts,
    module_text,
)
from revolute.targets.llvm.host import SECOND_CACHE
from revolute.targets.llvm.kernel import GraphFunction
from revolute.targets.llvm.writer import IRWriter
from revolute.targets.numpy import evaluate

WIDTH = host().lanes().width


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Short functions have groups, too, of three blocks."""
    monkeypatch.setattr(group, "LONG", 0)
    monkeypatch.setattr(group, "MOST", 3)
    monkeypatch.setattr(group, "SPARSE", 1e9)
    yield monkeypatch


def graph_of(name: str) -> Graph:
    return signature(revolute.robots.random_tree(5, rng=3, branching=0.6), name, {}).graph()


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix"])
def test_every_number_of_rows_gives_the_bits_of_single_blocks(
    name: str, bits: int, request: pytest.FixtureRequest
) -> None:
    graph, lanes = graph_of(name), host().lanes(bits)
    one_by_one = compiled(graph, lanes, chunk=40)
    request.getfixturevalue("always")
    together = compiled(graph, lanes, chunk=40)
    rng = np.random.default_rng(1)
    x = [rng.standard_normal((7 * lanes.width + 1, *a.shape)).astype(f"f{bits // 8}") for a in graph.inputs]
    for rows in [0, 1, *range(lanes.width - 1, 7 * lanes.width + 2, lanes.width // 2 + 1)]:
        some = [a[:rows] for a in x]
        assert np.array_equal(together(*some), one_by_one(*some))
    gaps = [np.repeat(a, 2, axis=0)[::2] for a in x]
    assert np.array_equal(together(*gaps), one_by_one(*x))


def test_constants_among_results_are_there_in_every_block_also_past_the_cache(always: pytest.MonkeyPatch) -> None:
    graph = graph_of("mass_matrix")  # a tree: entries between branches are zero
    lanes = host().lanes()
    q = np.random.default_rng(2).standard_normal((5 * lanes.width + 3, 5))
    expected = evaluate(graph, {"q": q})["M"]
    assert (expected == 0).any()
    for bypass in (loop.BYPASS, 1):
        always.setattr(loop, "BYPASS", bypass)
        found = compiled(graph, lanes, chunk=40)(q, np.full(expected.shape, np.nan))
        # the two differ by fused roundings
        np.testing.assert_allclose(found, expected, rtol=0, atol=200 * np.finfo(float).eps * np.abs(expected).max())


def test_blocks_prefetch_the_next_call_where_code_does_not_stay_in_the_second_cache(always: pytest.MonkeyPatch) -> None:
    graph, lanes = graph_of("inverse_dynamics"), host().lanes()
    code = compile_parts(module_parts(graph, lanes, 40, most=3), host())
    assert load_object(code, host()).variable("row_code")
    assert "@members(ptr @chunk1" in module_text(graph, lanes, 40)
    always.setattr(group, "USED", 0)
    single, (first, *others) = module_text(graph, lanes, 40), module_parts(graph, lanes, 40, most=3)
    share = -(-40 * group.STEP // group.MOST // group.LINE)
    for text, code in [(single, "@chunk2"), (first.text, "%v")]:
        (members,) = [x for x in text.split("define ") if x.startswith("internal void @members")]
        assert members.count("@llvm.prefetch") == share
        assert re.search(rf"@members\(ptr \S+, ptr {code}", text)
    assert others
    always.setattr(group, "USED", 1)
    (members,) = [x for x in module_text(graph, lanes, 40).split("define ") if x.startswith("internal void @members")]
    assert "@llvm.prefetch" not in members


@pytest.mark.parametrize("most", [1, 2, 3, 16])
def test_groups_are_as_few_as_can_be_and_of_about_the_same_size(most: int) -> None:
    w = IRWriter()
    size = group.next_group(w, "%blocks", most)
    text = "\n".join([*w.declared, "define i64 @size(i64 %blocks) {", *w.lines, f"  ret i64 {size}", "}"])
    loaded = load_object(compile_object(text, host()), host())
    next_group = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.function("size"))
    assert next_group(0) == 0
    for blocks in range(1, 70):
        sizes, left = [], blocks
        while left:
            sizes.append(next_group(left))
            left -= sizes[-1]
        assert len(sizes) == -(-blocks // most)
        assert sizes == sorted(sizes, reverse=True)  # the constants of the first are there for all
        assert sizes[0] - sizes[-1] <= 1


def test_groups_are_for_long_functions_and_fit_the_caches() -> None:
    def made(steps: int) -> GraphFunction:
        def roots(x: Any) -> list[Any]:
            (y,) = x
            for _ in range(steps):
                y = y.sqrt()
            return [("y", (1,), [y])]

        return GraphFunction(trace("roots", roots, [Input("x", (1,))]), host().lanes())

    cache = 1 << 20
    assert group.blocks_in_group(made(100), 1000, cache) == 1
    long = made(group.LONG)
    assert group.blocks_in_group(long, 1000, cache) == group.MOST
    # code and data of a block in the second cache: so are all data of a group
    assert group.blocks_in_group(long, int(group.NEAR * cache) // 4, cache) == 4
    # memory that is mostly constants
    assert group.blocks_in_group(long, cache, cache) == 1
    # not in the second cache
    longer = made(cache // (group.SPARSE * group.STEP) + 1)
    assert group.blocks_in_group(longer, cache, cache) == group.FAR // cache
    assert group.blocks_in_group(longer, cache, 4 * cache) == 1


def test_the_second_cache_is_that_of_the_machine(tmp_path: Path) -> None:
    read = import_module("revolute.targets.llvm.host")._second_cache
    assert read(str(tmp_path)) == SECOND_CACHE
    (tmp_path / "size").write_text("2048K\n")
    assert read(str(tmp_path)) == 2 << 20
    (tmp_path / "size").write_text("large")
    assert read(str(tmp_path)) == SECOND_CACHE


def test_a_large_robot_of_all_joint_types() -> None:
    robot = revolute.robots.random_tree(28, rng=6, types=tuple(TYPES), branching=0.2)
    kernel = robot.kernel("inverse_dynamics")
    assert sum(GraphFunction(kernel.graph, Lanes(WIDTH)).lengths) >= group.LONG
    rng = np.random.default_rng(7)
    rows = 40 * WIDTH + 5
    x = [robot.random_configuration(rows, rng=rng), *rng.standard_normal((2, rows, robot.nv))]
    tau = kernel(*x, threads=1)
    exact = evaluate(kernel.graph, dict(zip(("q", "qd", "qdd"), x, strict=True)))["tau"]
    # the two differ by fused roundings: some hundreds a body on the way, random in sign, of the largest value
    scale = np.abs(exact).max(axis=1, keepdims=True)
    assert np.max(np.abs(tau - exact) / scale) < 1000 * np.finfo(float).eps
    assert np.array_equal(kernel(*x, threads=2), tau)
    for start, stop in [(0, 1), (3, 4), (5, 5 + WIDTH), (9, 9 + 20 * WIDTH), (rows - 2, rows)]:
        assert np.array_equal(kernel(*[a[start:stop] for a in x]), tau[start:stop])
