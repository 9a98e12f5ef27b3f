"""The processor for which kernels are compiled, and loading of object code.

The processor is this machine's, or the one that the environment variable REVOLUTE_CPU names: see `processors.py`.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from revolute.errors import CompileError
from revolute.records import dataclass
from revolute.targets.llvm.forks import lock, running_llvm, unlocking
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.near import close_together
from revolute.targets.llvm.object_files import pointer_to, unpacked
from revolute.targets.llvm.objects import BYTES_ITEMS, HEADER, TUPLE_ITEMS

SECOND_CACHE = 1 << 20  # assumed size of a core's L2 cache if the system does not report the size [bytes]
_dead: deque[llvm.ExecutionEngine] = deque()  # unused engines that could not be freed immediately
_alive: dict[int, llvm.ExecutionEngine] = {}
"""References to all engines until they are freed explicitly: garbage collection must not free engines concurrently."""


@dataclass(frozen=True)
class Host:
    """A processor, as LLVM names it, with the size of its widest vectors [bits] and of a core's L2 cache [bytes].

    `fma` is true if it has a fused multiply-add instruction.
    """

    triple: str
    cpu: str
    features: str
    vector_bits: int
    fma: bool
    second_cache: int = SECOND_CACHE

    def lanes(self, bits: int = 64) -> Lanes:
        """The lanes of a vector register of numbers with `bits` bits."""
        return Lanes(self.vector_bits // bits, bits, self.fma)

    @property
    def description(self) -> str:
        """All data on which machine code for this host depends."""
        software = f"{llvmlite.__version__} {HEADER} {TUPLE_ITEMS} {BYTES_ITEMS}"  # data types determine all offsets
        return f"{self.triple} {self.cpu} {self.features} {self.vector_bits} {self.fma} {self.second_cache} {software}"


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()


@cache
@unlocking()
def host() -> Host:
    """The processor for which kernels are compiled, determined once per process.

    Raise `InputError` if LLVM does not know the processor in REVOLUTE_CPU, or this machine lacks one of its features.
    """
    _initialize()
    available = llvm.get_host_cpu_features()
    cpu, text = llvm.get_host_cpu_name(), available.flatten()
    features = frozenset(name for name, there in available.items() if there)
    named = os.environ.get("REVOLUTE_CPU", "native")
    if named not in ("", "native", cpu):
        from revolute.targets.llvm.processors import features_of  # imports the module subprocess

        cpu, text, features = named, "", features_of(named, available)
    arm = platform.machine().lower() in ("aarch64", "arm64")
    # vectors on Arm have 128 bits, because NEON is part of the base architecture
    # code for single rows and narrow vectors needs AVX-512 for short registers, too ("vl")
    bits = 512 if "avx512vl" in features else 256 if "avx2" in features else 128
    return Host(llvm.get_default_triple(), cpu, text, bits, arm or "fma" in features, _second_cache())


def _second_cache(folder: str = "/sys/devices/system/cpu/cpu0/cache/index2") -> int:
    """Size of a core's second-level cache [bytes], as reported by Linux."""
    try:
        return int(Path(folder, "size").read_text("ascii").strip().removesuffix("K")) << 10
    except (OSError, ValueError):
        return SECOND_CACHE


def cores() -> int:
    """Number of cores available to this process: those that it may run on, and no more than its container's quota."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, _quota() or count)


@cache
def _quota(folder: str = "/sys/fs/cgroup") -> int:
    """Number of cores that a container may use on average, rounded up; 0 if there is no limit."""
    places = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))
    for files in places:
        try:
            quota, period = " ".join(Path(folder, name).read_text("ascii") for name in files).split()
            return max(-(-int(quota) // int(period)), 0)
        except (OSError, ValueError):  # the file does not exist, or it contains "max": the CPU time is not limited
            continue
    return 0


def target_machine(target: Host, level: int = 1) -> llvm.TargetMachine:
    """A new target machine for every use, because an execution engine frees the one that it gets."""
    _initialize()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=level, reloc="pic",
        codemodel="small" if close_together(target.triple) else "jitdefault",
    )  # fmt: skip


_OBJECT_FILES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")  # magic numbers of ELF, Mach-O and COFF


class Loaded:
    """Object code in memory; its addresses are valid as long as this object exists."""

    def __init__(self, engine: llvm.ExecutionEngine, others: Sequence[llvm.ExecutionEngine] = ()) -> None:
        self._engine = engine
        self._others = others  # object files whose functions this file calls
        self._kept: list[Loaded] = []
        self._alive = _alive  # the dict outlives all machine code, even while the process exits
        self._alive.update((id(x), x) for x in (engine, *others))

    def keep(self, other: Loaded) -> None:
        """Keep alive other code that this code calls."""
        self._kept.append(other)

    def __del__(
        self, lock: Any = lock, dead: deque[llvm.ExecutionEngine] = _dead,
        process_ends: Callable[[], bool] = sys.is_finalizing,
    ) -> None:
        """Free the code now, or, while another thread uses LLVM, when other code is loaded."""
        # Any thread may collect garbage, even one for which a fork waits, so this must not wait for the lock. When the
        # process ends, the code ends with it: what others have LLVM call, such as Numba, may be gone already.
        if process_ends():
            for engine in (self._engine, *self._others):
                engine.detach()
            return
        # appending to a deque is atomic; the thread that holds the lock frees the engines
        dead.extend((self._engine, *self._others))
        with unlocking():
            if lock.acquire(blocking=False):
                try:
                    _free_dead(dead, self._alive)
                finally:
                    lock.release()

    def call(self, other: Loaded, functions: Iterable[str]) -> None:
        """From now on, call these functions in `other` instead of those with the same names in this object."""
        self.keep(other)
        for name in map(pointer_to, functions):
            address = ctypes.c_void_p.from_address(other.variable(name)).value
            ctypes.c_void_p.from_address(self.variable(name)).value = address

    def function(self, name: str) -> int:
        """Address of a function."""
        with unlocking():
            return self.checked(self._engine.get_function_address(name), name)

    def variable(self, name: str) -> int:
        """Address of a global variable."""
        with unlocking():
            return self.checked(self._engine.get_global_value_address(name), name)

    def checked(self, address: int, name: str) -> int:
        """Return an address; raise `CompileError` if it is zero."""
        if not address:
            raise CompileError(f"the object code has no function '{name}'")
        return address


def _free_dead(dead: deque[llvm.ExecutionEngine], alive: dict[int, llvm.ExecutionEngine]) -> None:
    with suppress(IndexError):  # another thread has removed the last engine
        while dead:
            engine = dead.popleft()
            engine.close()
            alive.pop(id(engine), None)


def load_object(code: bytes, target: Host) -> Loaded:
    """Link object code into this process; `CompileError` if the bytes are not object code for this host."""
    files = unpacked(code)
    # without this check, LLVM would abort the process instead of raising an exception
    if not files or not all(file.startswith(_OBJECT_FILES) for file, _ in files):
        raise CompileError("object code could not be loaded: not an object file")
    try:
        with running_llvm():
            _free_dead(_dead, _alive)
            engine, *others = [_engine(file, target) for file, _ in files]
    except RuntimeError as error:
        raise CompileError(f"object code could not be loaded: {error}") from error
    loaded = Loaded(engine, others)
    # link manually: store the address of each function in the corresponding variable of the first file
    with unlocking():
        for (_, functions), other in zip(files[1:], others, strict=True):
            for name in functions:
                pointer = ctypes.c_void_p.from_address(loaded.variable(pointer_to(name)))
                pointer.value = loaded.checked(other.get_function_address(name), name)
    return loaded


def _engine(code: bytes, target: Host) -> llvm.ExecutionEngine:
    """An object file, linked into this process."""
    beside = close_together(target.triple) or None  # otherwise llvmlite chooses the memory manager
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine(target), use_lmm=beside)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
