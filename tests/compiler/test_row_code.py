"""Long kernels have their code for single rows in a module of its own, which is compiled when it is asked for."""

import ctypes
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from processes import printed
from robots import signature

import revolute
from revolute.compiler import kernel as kernels
from revolute.compiler import row_code, stored
from revolute.compiler.kernel import Kernel
from revolute.compiler.signature import Signature
from revolute.targets import llvm
from revolute.targets.llvm import CompiledPart, Lanes, Loaded, assembly, host, module, module_parts, row_parts
from revolute.targets.llvm.call_form import NOT_ASKED_FOR, NOT_THERE
from tests.loop_examples import columns_graph, nested_graph, riccati_graph

_names = count()


@pytest.fixture(autouse=True)
def long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Have all kernels be long."""
    monkeypatch.setattr(module, "LONG", 10)
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path))
    yield
    wait()


def new_kernel(function: str = "inverse_dynamics_partials") -> Kernel:
    return replace(revolute.robots.ur5(), name=f"row code {next(_names)}").kernel(function)


def states(rows: int = 9) -> list[np.ndarray]:
    return list(np.random.default_rng(0).standard_normal((3, rows, 6)))


def code_of(kernel: Kernel) -> int:
    return ctypes.c_size_t.from_address(kernel._loaded.variable("row_code")).value


def wait() -> None:
    for thread in threading.enumerate():
        if thread.name == "revolute row code":
            thread.join()


@pytest.mark.parametrize("asked", [False, True])
def test_prepare_returns_when_it_is_loaded(asked: bool) -> None:
    robot = replace(revolute.robots.ur5(), name=f"row code {next(_names)}")
    kernel = robot.kernel("inverse_dynamics_partials")
    if asked:
        robot.inverse_dynamics_partials(*[x[0] for x in states()])  # which begins in the background
    robot.prepare("mass_matrix", "inverse_dynamics_partials")
    assert code_of(kernel) not in (NOT_ASKED_FOR, NOT_THERE)
    robot.prepare("inverse_dynamics_partials")  # at once
    assert_raises(revolute.UnknownNameError, "no function 'inverse'", robot.prepare, "inverse")


def test_the_first_single_call_asks_for_it_and_rows_stay_the_same() -> None:
    kernel, arrays = new_kernel(), states()
    expected = kernel(*arrays)
    assert "@chunk0.f64(" not in kernel.ir and code_of(kernel) == NOT_ASKED_FOR
    for _ in range(2):
        for k in range(9):
            row = [x[k] for x in arrays]
            given = tuple(np.full((6, 6), 7.0) for _ in expected)
            found = kernel(*row)
            assert kernel(*row, out=given) is given
            for a, b, c in zip(found, given, expected, strict=True):
                assert a.tobytes() == b.tobytes() == c[k].tobytes()
        wait()
        assert code_of(kernel) > NOT_THERE


def test_it_is_printed_when_the_kernel_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, arrays = new_kernel(), states()
    expected = kernel(*arrays)
    assert kernel._printed_rows and "graph" not in vars(kernel)
    monkeypatch.setattr(Signature, "graph", None)  # nothing is traced again
    assert kernel(*[x[2] for x in arrays])[0].tobytes() == expected[0][2].tobytes()
    wait()
    assert code_of(kernel) > NOT_THERE and not kernel._printed_rows


@pytest.mark.parametrize("most", [0, 3])
def test_it_is_printed_alike_with_and_without_the_code_for_blocks(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(module, "LONG", 0)
    partials = signature(revolute.robots.planar(4), "forward_dynamics_partials", {}).graph()
    for graph in (partials, columns_graph(), nested_graph(), riccati_graph()):
        for lanes in (Lanes(4, 64, True), Lanes(2, 64, False), host().lanes(32)):
            rows: list[CompiledPart] = []
            blocks = list(module_parts(graph, lanes, 40, most, rows=rows))
            assert rows == list(row_parts(graph, lanes, 40, most))
            assert blocks == list(module_parts(graph, lanes, 40, most))


def test_it_is_compiled_before_the_final_code_for_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "close_together", lambda _: False)
    order, compile_stored = list[str](), stored.compile_stored

    def noted(*arguments: Any) -> Loaded:
        order.append(threading.current_thread().name)
        return compile_stored(*arguments)

    monkeypatch.setattr(stored, "LONG", 10)
    monkeypatch.setattr(stored, "compile_stored", noted)
    monkeypatch.setattr(row_code, "compile_stored", noted)
    kernel, arrays = new_kernel(), states()
    expected = kernel(*[x[2] for x in arrays])[0].tobytes()
    kernel.prepare()
    assert order == ["revolute row code", "revolute code for blocks"] and code_of(kernel) > NOT_THERE
    assert kernel(*arrays)[0][2].tobytes() == expected == kernel(*[x[2] for x in arrays])[0].tobytes()


def test_quickly_compiled_code_comes_before_the_final_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "close_together", lambda _: False)
    kernel, arrays = new_kernel(), states()
    expected = kernel(*arrays)
    levels, used = list[bool](), list[int]()
    use = row_code.RowCode._use

    def noted(parts: Any, target: Any, *, quick: bool = False) -> bytes:
        levels.append(quick)
        return llvm.compile_parts(parts, target, quick=quick)

    def compared(self: Any, row: Loaded) -> None:
        use(self, row)
        used.append(code_of(kernel))
        for x, y in zip(kernel(*[x[2] for x in arrays]), expected, strict=True):
            assert x.tobytes() == y[2].tobytes()

    monkeypatch.setattr(row_code, "LONG", 10)
    monkeypatch.setattr(row_code, "compile_parts", noted)
    monkeypatch.setattr(stored, "compile_parts", noted)
    monkeypatch.setattr(row_code.RowCode, "_use", compared)
    kernel.prepare()
    assert levels == [True, False] and len({*used}) == 2 and code_of(kernel) == used[1]


def test_results_may_overwrite_inputs() -> None:
    kernel, arrays = new_kernel("inverse_dynamics"), [x[0] for x in states()]
    expected = kernel(*arrays)
    wait()
    assert code_of(kernel) > NOT_THERE
    for k in range(3):
        for shift in range(-5, 6):
            memory, given = np.full(16, 7.0), list(arrays)
            given[k], out = memory[5:11], memory[5 + shift : 11 + shift]
            given[k][:] = arrays[k]
            assert kernel(*given, out=out) is out and np.array_equal(out, expected)


def test_it_comes_from_the_disk_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, row = new_kernel(), [x[0] for x in states()]
    expected = kernel(*row)
    wait()
    kernels._kernels.clear()
    again = kernel.__reduce__()[0]()
    assert again is not kernel and again.from_cache
    monkeypatch.setattr(module, "row_parts", None)  # nothing is compiled
    found = again(*row)
    assert code_of(again) > NOT_THERE and not [x for x in threading.enumerate() if x.name == "revolute row code"]
    assert all(a.tobytes() == b.tobytes() for a, b in zip(again(*row), found, strict=True))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(expected, found, strict=True))


def test_without_it_single_rows_are_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "row_parts", lambda *_: [CompiledPart("no LLVM IR")])
    kernel, arrays = new_kernel("inverse_dynamics"), states()
    for _ in range(3):
        assert kernel(*[x[3] for x in arrays]).tobytes() == kernel(*arrays)[3].tobytes()
        wait()
        assert code_of(kernel) == NOT_THERE


def test_short_kernels_do_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONG", 100_000)
    kernel, row = new_kernel("inverse_dynamics"), [x[0] for x in states()]
    own = code_of(kernel)
    assert own > NOT_THERE  # in the same module
    assert np.array_equal(kernel(*map(list, row)), kernel(*row)) and code_of(kernel) == own


def test_a_process_may_end_meanwhile(tmp_path: Path) -> None:
    program = "import numpy as np, revolute\nfrom revolute.targets.llvm import module\nmodule.LONG = 10\n"
    program += "print(revolute.robots.ur5().inverse_dynamics(*np.zeros((3, 6))).shape)"
    assert printed(program, REVOLUTE_CACHE_DIR=str(tmp_path / "exit")) == "(6,)\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # JAX's, where its tests ran in this process
def test_a_process_may_fork_meanwhile() -> None:
    kernel, arrays = new_kernel(), states()
    expected, row = kernel(*arrays)[0][2], [x[2] for x in arrays]
    kernel(*row)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends it
        os._exit(0 if np.array_equal(kernel(*row)[0], expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
