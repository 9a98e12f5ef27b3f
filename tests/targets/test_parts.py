"""Modules in parts, compiled in several threads: the same results, each part complete in itself."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from robots import signature

import revolute
from revolute.compiler.ufunc import generalized_ufunc
from revolute.errors import CompileError
from revolute.graph import Graph
from revolute.targets.llvm import CompiledPart, Lanes, compile_parts, host, load_object, module_parts
from revolute.targets.llvm import compile as llvm_compile
from revolute.targets.llvm import parts as llvm_parts
from revolute.targets.llvm.kernel import GraphFunction
from revolute.targets.llvm.object_files import packed, unpacked

CHUNK = 60


@pytest.fixture(scope="module")
def graph() -> Graph:
    return signature(revolute.robots.random_tree(6, rng=3), "forward_dynamics", {}).graph()


@pytest.fixture(scope="module")
def whole(graph: Graph) -> np.ndarray:
    """Results of code in one part."""
    return results(compile_parts(parts(graph, 0), host()), graph)


def parts(graph: Graph, most: int | None = None) -> Iterator[CompiledPart]:
    return module_parts(graph, host().lanes(), CHUNK, most)


def results(code: bytes, graph: Graph) -> np.ndarray:
    """Rows of all sizes of angles, so that both ways to a sine are taken."""
    rng = np.random.default_rng(11)
    sizes = [x.shape for x in graph.inputs]
    ufunc = generalized_ufunc(load_object(code, host()), "f", "", np.dtype(float), sizes, [graph.outputs[0].shape])
    arrays = [rng.standard_normal((37, *shape)) * 10.0 ** rng.integers(-2, 7, (37, 1)) for shape in sizes]
    return np.asarray(ufunc(*arrays))


@pytest.mark.parametrize("most", [1, 2, 7, 1000])
def test_any_number_of_parts_gives_the_same_bits(graph: Graph, whole: np.ndarray, most: int) -> None:
    assert np.isfinite(whole).all()
    assert np.array_equal(results(compile_parts(parts(graph, most), host()), graph), whole)


def test_short_kernels_and_those_of_one_core_are_one_module(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm_parts, "cores", lambda: 2)
    steps = sum(sum(GraphFunction(graph, lanes, CHUNK).lengths) for lanes in (host().lanes(), Lanes(1)))
    monkeypatch.setattr(llvm_parts, "PART", steps + 1)
    assert len(list(parts(graph))) == 1
    monkeypatch.setattr(llvm_parts, "PART", 100)
    assert steps > 900 and llvm_parts.MOST < len(list(parts(graph))) <= llvm_parts.MOST + 3
    monkeypatch.setattr(llvm_parts, "cores", lambda: 1)
    assert len(list(parts(graph))) == 1


def test_parts_are_compiled_while_others_are_printed(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm_compile, "cores", lambda: 2)
    compiled = threading.Semaphore(0)
    run = llvm_compile._Job.run

    def noted(job: Any) -> None:
        run(job)
        compiled.release()

    def printed() -> Iterator[CompiledPart]:
        first, *others = parts(graph, 3)
        yield from (first, others[0])
        assert compiled.acquire(timeout=60) and compiled.acquire(timeout=60)
        yield from others[1:]

    monkeypatch.setattr(llvm_compile._Job, "run", noted)
    assert np.isfinite(results(compile_parts(printed(), host()), graph)).all()


def test_without_threads_one_compiles_all(graph: Graph, whole: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(llvm_compile, "cores", lambda: 4)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert np.array_equal(results(compile_parts(parts(graph, 3), host()), graph), whole)


def test_an_error_in_any_part_is_told() -> None:
    texts = [f"define void @f{k}() {{ ret void }}\n" for k in range(5)]
    for k in range(len(texts)):
        damaged = [CompiledPart(f"{text}no LLVM IR" if k == j else text) for j, text in enumerate(texts)]
        assert_raises(CompileError, "could not compile", compile_parts, damaged, host())


def test_an_error_while_printing_is_raised_when_all_threads_are_done(graph: Graph) -> None:
    def printed() -> Iterator[CompiledPart]:
        first, *others = parts(graph, 3)
        yield from (first, others[0])
        raise ZeroDivisionError("division by zero")

    before = {*threading.enumerate()}
    assert_raises(ZeroDivisionError, "division by zero", compile_parts, printed(), host())
    for thread in {*threading.enumerate()} - before:  # it has reported its end, and returns
        thread.join(60)
        assert not thread.is_alive()


def test_an_interrupt_while_a_thread_starts_leaves_none_behind(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[threading.Thread] = []
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        started.append(thread)
        raise KeyboardInterrupt("Ctrl-C")

    before = threading.stack_size()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", interrupted)
        assert_raises(KeyboardInterrupt, "Ctrl-C", compile_parts, parts(graph, 3), host())
    (thread,) = started
    thread.join(60)
    assert not thread.is_alive()
    assert threading.stack_size() == before


def test_object_files_come_back_as_they_were_packed() -> None:
    files = [(b"first", ()), (b"\x00 second", ("a.v1", "b")), (b"", ("c",))]
    assert unpacked(packed(files)) == files
    assert unpacked(packed(files[:1])) == files[:1]


def test_damaged_bundles_are_refused(graph: Graph) -> None:
    code = compile_parts(parts(graph, 2), host())
    for damaged in (code[:-1], code[: len(code) // 2], code + b"\x00", code[:20], packed([(b"no", ()), (b"code", ())])):
        assert_raises(CompileError, "could not be loaded", load_object, damaged, host())
