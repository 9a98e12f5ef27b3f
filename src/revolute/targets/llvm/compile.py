"""LLVM IR to object code, long modules in several threads."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm

from revolute.errors import CompileError
from revolute.targets.llvm.forks import hold
from revolute.targets.llvm.host import Host, cores, target_machine
from revolute.targets.llvm.object_files import packed
from revolute.targets.llvm.parts import parts

__all__ = ["compile_object"]

PART = 100_000
"""Bytes of IR that are worth a thread: LLVM takes a tenth of a second for them."""

STACK = 16 << 20
"""Bytes of stack of a thread that compiles; some systems give a thread half a MiB, which is not enough for LLVM."""

_compiling = threading.RLock()
hold(_compiling)  # a fork waits for it, then for LLVM's own lock: so these threads have finished


def compile_object(text: str, target: Host, *, quick: bool = False, most: int | None = None) -> bytes:
    """Object code of an LLVM module.

    Args:
        text: LLVM IR as `module.py` writes it.
        target: the processor.
        quick: compile about three times as fast, for code that is up to 1.5 times as slow.
        most: threads, at most; by default as many as pay, on the cores of this process.

    Raises:
        CompileError: LLVM rejects the module.
    """
    modules = parts(text, most or min(cores(), len(text) // PART))
    try:
        with _compiling:
            codes = _emitted([part.text for part in modules], target, 0 if quick else 1)
    except RuntimeError as error:
        raise CompileError(f"LLVM {llvm.llvm_version_info} could not compile a kernel: {error}") from error
    return packed([(code, part.functions) for code, part in zip(codes, modules, strict=True)])


def _emitted(texts: Sequence[str], target: Host, effort: int) -> list[bytes]:
    """Object code of each module. Modules in contexts of their own share no data, so LLVM needs no lock for them."""
    modules = [llvm.parse_assembly(text, llvm.create_context()) for text in texts]
    machines = [target_machine(target, effort) for _ in texts]
    for module in modules:
        module.triple = target.triple
    if len(texts) == 1:
        return [machines[0].emit_object(modules[0])]
    errors = [llvm.ffi.OutputString() for _ in texts]
    buffers: list[Any] = [None for _ in texts]
    emit = _without_lock(llvm.ffi.lib.LLVMPY_TargetMachineEmitToMemory)

    def job(k: int) -> Callable[[], None]:
        def run() -> None:
            buffers[k] = emit(machines[k], modules[k], 1, errors[k])

        return run

    _at_once([job(k) for k in range(len(texts))])
    return [_content(buffer, error) for buffer, error in zip(buffers, errors, strict=True)]


def _without_lock(function: Any) -> Any:
    """llvmlite's function, to run while other threads use LLVM. Without llvmlite's private parts, with its lock."""
    return getattr(function, "_cfn", function)


def _content(buffer: Any, error: Any) -> bytes:
    """The bytes of a memory buffer of LLVM, which is freed."""
    if not buffer:
        raise RuntimeError(str(error))
    library = llvm.ffi.lib
    try:
        start, size = library.LLVMPY_GetBufferStart(buffer), library.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(start, size)
    finally:
        library.LLVMPY_DisposeMemoryBuffer(buffer)


def _at_once(jobs: Sequence[Callable[[], None]]) -> None:
    """Run all jobs, the first in this thread."""
    own, *others = jobs
    threads = []
    before = threading.stack_size(STACK)
    try:
        for job in others:
            thread = threading.Thread(target=job)
            try:
                thread.start()
                threads.append(thread)
            except RuntimeError:  # no threads are left, or the interpreter is exiting
                job()
    finally:
        threading.stack_size(before)
    try:
        own()
    finally:
        for thread in threads:
            thread.join()
