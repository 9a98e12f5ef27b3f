"""Long kernels are compiled quickly first; code from the background then takes over, with the same results."""

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import printed

import revolute
from revolute.compiler import background, cache, stored
from revolute.compiler import kernel as kernels
from revolute.compiler.kernel import Kernel
from revolute.errors import CompileError
from revolute.targets.llvm import assembly, parts
from revolute.targets.llvm.object_files import pointer_to, unpacked

_names = count()
STATES = np.random.default_rng(0).standard_normal((3, 9, 6))


@pytest.fixture(autouse=True)
def long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Have all kernels be long, and LLVM compile all of their code."""
    monkeypatch.setattr(assembly, "close_together", lambda _: False)
    for room, name in ((stored, "LONG"), (parts, "LONG"), (parts, "PART")):
        monkeypatch.setattr(room, name, 100)
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path))
    yield
    background.wait()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Hold final code back, in its turn, until this function is called."""
    go_on, compile_stored = threading.Event(), stored.compile_stored

    def later(*arguments: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            go_on.wait(60)
        return compile_stored(*arguments)

    monkeypatch.setattr(stored, "compile_stored", later)
    return go_on.set


def new_kernel(function: str = "inverse_dynamics_partials") -> Kernel:
    return replace(revolute.robots.ur5(), name=f"background {next(_names)}").kernel(function)


def called(kernel: Kernel) -> list[int]:
    """Addresses of the functions that the kernel calls."""
    names = [name for part in kernel_parts(kernel) for name in part]
    return [ctypes.c_size_t.from_address(kernel._loaded.variable(pointer_to(name))).value for name in names]


def kernel_parts(kernel: Kernel) -> list[tuple[str, ...]]:
    lanes = kernel._lanes
    return [part.functions for part in kernels.llvm.module_parts(kernel.form.graph(), lanes)]


def bits(kernel: Kernel) -> list[bytes]:
    """Of results of a batch, and of each of its rows."""
    found = [*kernel(*STATES), *(y for k in range(9) for y in kernel(*STATES[:, k]))]
    return [y.tobytes() for y in found]


def test_final_code_takes_over(held: Callable[[], None]) -> None:
    kernel = new_kernel()
    quick, expected = called(kernel), bits(kernel)
    assert quick and all(quick) and cache.read(kernel._key) is None
    held()
    kernel.prepare()
    assert len({*quick, *called(kernel)}) == 2 * len(quick) and bits(kernel) == expected
    entry = cache.read(kernel._key)
    assert entry is not None and entry[1]["operations"] == kernel.operations
    assert len(unpacked(entry[0])) == len(kernel_parts(kernel)) > 1
    kernels._kernels.clear()
    again = kernel.__reduce__()[0]()
    assert again is not kernel and again.from_cache and bits(again) == expected


def test_quick_code_stays_if_no_other_can_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise CompileError("no memory")

    monkeypatch.setattr(stored, "compile_stored", fail)
    kernel = new_kernel()
    quick, expected = called(kernel), bits(kernel)
    background.wait()
    assert called(kernel) == quick and bits(kernel) == expected


def test_one_final_code_is_compiled_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, compile_stored = list[int](), list[int](), stored.compile_stored

    def watched(*arguments: Any) -> Any:
        running.append(1)
        most.append(len(running))
        loaded = compile_stored(*arguments)
        running.pop()
        return loaded

    monkeypatch.setattr(stored, "compile_stored", watched)
    for function in ("inverse_dynamics_partials", "forward_dynamics", "mass_matrix_rate"):
        new_kernel(function)
    background.wait()
    assert most == [1, 1, 1]


@pytest.mark.parametrize("limit", ["REVOLUTE_OPT", "LONGEST"])
def test_some_code_is_compiled_once(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    if limit == "LONGEST":
        monkeypatch.setattr(stored, limit, 200)
    else:
        monkeypatch.setenv(limit, "0")
    monkeypatch.setattr(stored, "in_background", None)
    kernel = new_kernel()
    assert cache.read(kernel._key) is not None and len(bits(kernel)) == 30


def test_a_process_may_end_meanwhile(tmp_path: Path) -> None:
    program = "import numpy as np, revolute\nfrom revolute.compiler import stored\n"
    program += "from revolute.targets.llvm import assembly, parts\nstored.LONG = parts.LONG = parts.PART = 100\n"
    program += "assembly.close_together = lambda _: False\n"
    program += "print(revolute.robots.ur5().inverse_dynamics(*np.zeros((3, 6))).shape)"
    assert printed(program, REVOLUTE_CACHE_DIR=str(tmp_path / "exit")) == "(6,)\n"
    assert len([*(tmp_path / "exit").glob("*.kernel")]) >= 2  # calls, and the final code of the kernel


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # JAX's, where its tests ran in this process
def test_a_process_may_fork_meanwhile(held: Callable[[], None]) -> None:
    kernel = new_kernel()
    expected = bits(kernel)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends it
        held()  # in the child, where no thread compiles
        other = new_kernel("forward_dynamics")  # and whose final code finds its turn
        other.prepare()
        os._exit(0 if bits(kernel) == expected and cache.read(other._key) is not None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    held()


def test_it_waits_while_calls_wait_for_code() -> None:
    began = threading.Event()
    with background.awaited():
        background.in_background(began.set, "test", after=0.01)
        assert not began.wait(0.1)
    assert began.wait(60)
