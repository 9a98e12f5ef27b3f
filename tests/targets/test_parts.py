"""Modules that are cut up to be compiled in several threads: the same results, each part complete in itself."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from robots import signature

import revolute
from revolute.compiler.ufunc import generalized_ufunc
from revolute.errors import CompileError
from revolute.graph import Graph
from revolute.targets.llvm import compile_object, host, load_object, module_text
from revolute.targets.llvm.object_files import packed, unpacked
from revolute.targets.llvm.parts import parts, pointer_to

CHUNK = 60


@pytest.fixture(scope="module")
def graph() -> Graph:
    return signature(revolute.robots.random_tree(6, seed=3), "forward_dynamics", {}).graph()


@pytest.fixture(scope="module")
def text(graph: Graph) -> str:
    return module_text(graph, host().lanes(), CHUNK)


def results(code: bytes, graph: Graph) -> np.ndarray:
    """Rows of all sizes of angles, so that both ways to a sine are taken."""
    rng = np.random.default_rng(11)
    sizes = [x.shape for x in graph.inputs]
    ufunc = generalized_ufunc(load_object(code, host()), "f", "", np.dtype(float), sizes, [graph.outputs[0].shape])
    arrays = [rng.standard_normal((37, *shape)) * 10.0 ** rng.integers(-2, 7, (37, 1)) for shape in sizes]
    return np.asarray(ufunc(*arrays))


@pytest.mark.parametrize("most", [2, 3, 7, 1000])
def test_any_number_of_parts_gives_the_same_bits(text: str, graph: Graph, most: int) -> None:
    whole = results(compile_object(text, host(), most=1), graph)
    assert np.isfinite(whole).all()
    assert np.array_equal(results(compile_object(text, host(), most=most), graph), whole)


def test_each_chunk_stands_in_one_part(text: str) -> None:
    first, *others = parts(text, 3)
    moved = [name for part in others for name in part.functions]
    assert len(others) == 2
    assert len(moved) == len(set(moved)) > 2
    for part in others:
        for name in part.functions:
            assert f"define void @{name}(" in part.text
            assert f"@{pointer_to(name)} = global ptr null" in first.text
    sizes = [len(part.text) for part in (first, *others)]
    assert max(sizes) < 2 * min(sizes)


def test_what_uses_data_of_the_module_stays() -> None:
    body = "  store double 0.0, ptr @data\n  ret void\n}\n"
    uses = [f"define internal void @chunk{k}(ptr %x) {{\n{body}" for k in (0, 1)]
    module = "@data = global double 0.0\n" + "".join(uses)
    assert [part.text for part in parts(module, 2)] == [module]


def test_one_part_is_the_text_itself(text: str) -> None:
    (part,) = parts(text, 1)
    assert part.text == text
    assert not part.functions


def test_an_error_in_any_part_is_told(text: str) -> None:
    with pytest.raises(CompileError, match="could not compile"):
        compile_object(text.replace("fmul", "no such operation"), host(), most=3)


def test_threads_that_compile_at_once(text: str, graph: Graph) -> None:
    codes: list[bytes] = []
    threads = [threading.Thread(target=lambda: codes.append(compile_object(text, host(), most=2))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({results(code, graph).tobytes() for code in codes}) == 1
    assert len(codes) == 3


def test_object_files_come_back_as_they_were_packed() -> None:
    files = [(b"first", ()), (b"\x00 second", ("a.v1", "b")), (b"", ("c",))]
    assert unpacked(packed(files)) == files
    assert unpacked(packed(files[:1])) == files[:1]


def test_damaged_bundles_are_refused(text: str) -> None:
    code = compile_object(text, host(), most=2)
    for damaged in (code[:-1], code[: len(code) // 2], code + b"\x00", code[:20], packed([(b"no", ()), (b"code", ())])):
        with pytest.raises(CompileError, match="could not be loaded"):
            load_object(damaged, host())
