"""Compilation of LLVM IR to object code; several threads compile the modules of a kernel."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any

import llvmlite.binding as llvm

from revolute.errors import CompileError
from revolute.records import dataclass
from revolute.targets.llvm.forks import ending, gate, running_llvm
from revolute.targets.llvm.host import Host, cores, target_machine
from revolute.targets.llvm.near import calls_by_table, close_together
from revolute.targets.llvm.object_files import packed

# stack size of a compiling thread [bytes]; some systems' default of 512 KiB is too small for LLVM
STACK = 16 << 20


@dataclass(frozen=True)
class CompiledPart:
    """A module: its LLVM IR, and its functions that the first module calls through pointers: see `pointer_to`.

    With `passes`, LLVM first runs its usual passes of this level, with vectorization of adjacent numbers. Code of calls
    and helpers needs level 2: it has many variables and branches. Some loops over time need level 1; most kernels go
    straight to code generation.
    """

    text: str
    functions: tuple[str, ...] = ()
    passes: int = 0


def compile_object(text: str, target: Host) -> bytes:
    """Object code of an LLVM module; `CompileError` if LLVM rejects it."""
    return compile_parts([CompiledPart(text)], target)


def compile_parts(
    parts: Iterable[CompiledPart], target: Host, *, quick: bool = False, but_first: bool = False
) -> bytes:
    """Object code of a group of modules, the first of which calls the rest; `CompileError` if LLVM rejects a module.

    One thread per core compiles modules while later ones are printed. `quick` compiles about three times as fast, but
    the code is up to 1.7 times as slow. `but_first` excludes the first module, whose copies of arrays would take five
    times as long.
    """
    jobs: list[_Job] = []
    try:
        with _helpers() as do:
            for part in parts:
                with running_llvm():
                    jobs.append(_Job(part, target, 0 if quick and (jobs or not but_first) else 1))
                do(jobs[-1])
        with running_llvm():
            code = packed([(job.code(), job.functions) for job in jobs])
            jobs.clear()  # this calls LLVM
        return code
    except RuntimeError as error:
        raise CompileError(f"LLVM {llvm.llvm_version_info} could not compile a kernel: {error}") from error


@contextmanager
def _helpers() -> Iterator[Callable[[_Job], None]]:
    """Run jobs in threads, one per core; all jobs have finished at the end of this block.

    Inside LLVM, Ctrl-C has no effect, so the caller only waits; if the caller is interrupted, waiting jobs are dropped.
    If no thread can start, the caller runs all jobs itself.
    """
    waiting, ended, count = SimpleQueue[_Job | None](), SimpleQueue[None](), 0

    def do(job: _Job) -> None:
        nonlocal count
        waiting.put(job)
        if count < cores() and not ending:
            count += 1  # Ctrl-C may follow the start
            thread = threading.Thread(target=_work, args=(waiting, ended), daemon=True)  # see `running_llvm`
            with gate:  # the stack size is a global setting: set it for the new thread, then restore it
                before = threading.stack_size(STACK)
                try:
                    thread.start()
                except RuntimeError:  # no thread can be started
                    count -= 1
                finally:
                    threading.stack_size(before)

    try:
        yield do
        for _ in range(count or 1):
            waiting.put(None)
        if not count:
            _work(waiting, ended)
        for _ in range(count):
            ended.get()
    except BaseException as error:
        with suppress(Empty):
            while True:
                waiting.get_nowait()
        for _ in range(count):
            waiting.put(None)
        for _ in range(count if isinstance(error, Exception) else 0):  # Ctrl-C does not wait for the compilation
            ended.get()
        raise


def _work(waiting: SimpleQueue[_Job | None], ended: SimpleQueue[None]) -> None:
    with suppress(Exception):  # the process ends; jobs without code then raise errors
        while (job := waiting.get()) is not None:
            with running_llvm():
                job.run()
                del job  # this may call LLVM: an interrupted caller no longer has the job
    ended.put(None)


class _Job:
    """A module to compile.

    Modules in separate contexts share no data, so LLVM needs no lock for them. A job takes the GIL as rarely as
    possible, because the printing thread holds it all the time. It never takes llvmlite's lock, which the waiting
    thread may hold in the child of a fork.
    """

    def __init__(self, part: CompiledPart, target: Host, level: int) -> None:
        self.functions = part.functions
        text = calls_by_table(part.text, level == 0) if close_together(target.triple) else part.text
        self._text = f'target triple = "{target.triple}"\n{text}'.encode()
        self._machine = target_machine(target, level)
        self._passes = self._builder = None
        if part.passes and level > 0:
            options = llvm.create_pipeline_tuning_options(speed_level=part.passes)
            options.slp_vectorization = True
            self._builder = llvm.create_pass_builder(self._machine, options)
            self._passes = self._builder.getModulePassManager()
        # each compilation has a separate context, as llvmlite's global context supports one thread at a time
        self._context = llvm.create_context()
        self._error = llvm.ffi.OutputString()
        self._module: Any = None
        self._buffer: Any = None

    def run(self) -> None:
        """Parse and compile."""
        library, machine, error = llvm.ffi.lib, self._machine, self._error
        # ctypes releases the GIL in each LLVM call, so that other threads compile and print meanwhile
        parsed = _without_lock(library.LLVMPY_ParseAssembly)(self._context, self._text, error)
        self._module, self._text = _OwnContext(parsed, self._context, (self._passes, self._builder)), b""
        if error:
            return
        if self._passes:
            _without_lock(library.LLVMPY_RunNewModulePassManager)(self._passes, self._module, self._builder)
        self._buffer = _without_lock(library.LLVMPY_TargetMachineEmitToMemory)(machine, self._module, 1, error)

    def code(self) -> bytes:
        """The object code of a compiled module."""
        if not self._buffer:
            raise RuntimeError(str(self._error) if self._error else "out of memory, or the process ends")
        self._module.close()
        library = llvm.ffi.lib
        try:
            start, size = library.LLVMPY_GetBufferStart(self._buffer), library.LLVMPY_GetBufferSize(self._buffer)
            return ctypes.string_at(start, size)
        finally:
            library.LLVMPY_DisposeMemoryBuffer(self._buffer)


class _OwnContext(llvm.ModuleRef):  # type: ignore[misc]
    """A module that owns its context, and the passes that refer to it: they are freed in the order that LLVM needs.

    After an interrupted call, the garbage collector would free them in any order, and LLVM would crash.
    """

    def __init__(self, pointer: Any, context: Any, users: tuple[Any, ...]) -> None:
        super().__init__(pointer, context)
        self._users, self._context_pointer = users, context._ptr
        context.detach()

    def _dispose(self) -> None:
        for user in self._users:
            if user is not None:
                user.close()
        super()._dispose()
        llvm.ffi.lib.LLVMPY_ContextDispose(self._context_pointer)


def _without_lock(function: Any) -> Any:
    """llvmlite's function without its lock, for concurrent use; with the lock if the private attribute is missing."""
    return getattr(function, "_cfn", function)
