"""Kernels: traced and compiled functions."""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.compiler.batch import run, run_arrays
from revolute.compiler.calls import fast_call
from revolute.compiler.collection import no_garbage_collection
from revolute.compiler.many_arrays import broadcast_function
from revolute.compiler.patterns import Pattern, plain_pattern
from revolute.compiler.progress import progress_line
from revolute.compiler.row_code import RowCode
from revolute.compiler.signature import Signature
from revolute.compiler.stored import compile_told, key_of, load_stored
from revolute.compiler.ufunc import generalized_ufunc
from revolute.errors import DtypeError
from revolute.graph import Counts, Graph, code_length, count, graph_text
from revolute.targets import llvm
from revolute.targets.llvm import CompiledPart, Lanes, assembles, host
from revolute.targets.llvm.call_form import MOST_ARRAYS

_kernels: weakref.WeakValueDictionary[str, Kernel] = weakref.WeakValueDictionary()


class Kernel:
    """A function of a robot, or of a Lagrangian system, as machine code.

    Call it with arrays in the order of `inputs`: `kernel(q, qd, qdd, out=None, threads=None)`.
    A pickle contains the robot or system, but no machine code: unpickling takes the code from the disk cache.

    Attributes:
        name: name of the function.
        kind, robot_name: "robot" or "system", and the name of the robot or system, for messages.
        dtype: type of all arrays, float64 or float32.
        inputs: input arrays, with their names and core shapes.
        outputs: names and core shapes of the results.
        form: the function to trace.
        operations: multiplications and additions of one evaluation.
        compile_time: seconds for tracing and compiling, possibly in an earlier process.
        load_time: seconds for creating this object, including compiling or loading its machine code.
        from_cache: whether its machine code is from the disk cache.
    """

    def __init__(
        self, kind: str, owner: str, form: Signature, dtype: np.dtype[Any], key: str, again: Callable[[], Kernel],
        graph: Graph | None = None,
    ) -> None:
        started = time.perf_counter()
        self.form, self.name, self.inputs, self.outputs = form, form.name, form.inputs, form.outputs
        self.kind, self.robot_name, self.dtype = kind, owner, dtype
        self._again, self._key = again, key
        self._printed_rows: list[CompiledPart] = []  # LLVM IR of the code for single rows, until it is compiled
        if graph is not None:  # tracing again may produce a different graph
            self.graph = graph
        # machine code from the disk cache requires no graph, and tracing takes most of the time of a first call
        stored = load_stored(key)
        self.from_cache = stored is not None
        self._loaded, notes = stored or compile_told(f"{form.name} of {owner!r}", key, self._source, True)
        self.operations = int(notes["operations"])
        self.compile_time = float(notes["seconds"])
        self.load_time = time.perf_counter() - started

    @cached_property
    def graph(self) -> Graph:
        """The traced graph; print it to see its operations."""
        return self.form.graph()

    def count(self) -> Counts:
        """Operations of one evaluation."""
        return count(self.graph)

    @property
    def ir(self) -> str:
        """The LLVM IR of the machine code."""
        return llvm.module_text(self.graph, self._lanes, cache=host().second_cache)

    @cached_property
    def ufunc(self) -> Any:
        """The kernel as a NumPy generalised ufunc: it broadcasts, accepts `out=`, runs in one thread, never warns.

        NumPy allows ufuncs of 64 arrays. A kernel with more has a function in place of the ufunc.
        """
        shapes, results = [x.shape for x in self.inputs], [shape for _, shape in self.outputs]
        if len(shapes) + len(results) > MOST_ARRAYS:
            return broadcast_function(self._loaded, self.dtype, shapes, results)
        doc = f"{self.name} of {self.robot_name}: {', '.join(x.name for x in self.inputs)}"
        return generalized_ufunc(self._loaded, self.name, doc, self.dtype, shapes, results)

    def __call__(self, *arrays: ArrayLike, out: Any = None, threads: int | None = None) -> Any:
        """Evaluate a batch; leading axes broadcast. For several outputs, the result and `out` are tuples.

        Without `threads`, the call uses all cores if that is faster.

        Raises:
            ShapeError: an array lacks the core shape of its input, batches do not broadcast, or `out` does not fit.
            DtypeError: an array is not real numbers, or `out` is not of the type `dtype`.
        """
        if threads is None:
            return self._fast(*arrays) if out is None else self._fast(*arrays, out=out)
        return self._fast(*arrays, out=out, threads=threads)

    @property
    def address(self) -> int:
        """Address of the kernel's loop, for Numba, Cython, ctypes and others; valid as long as the kernel exists:

            void loop(char **args, const int64_t *dims, const int64_t *steps, void *data)

        It is the inner loop of a NumPy generalised ufunc. `args` are pointers to the inputs, then to the results;
        `dims[0]` is the number of rows. `steps` are strides in bytes: first the row stride of each array; then,
        array by array, the strides of its core axes. `data` is null. The loop does not need the GIL.
        """
        return self._loaded.function("loop")

    @cached_property
    def row_code(self) -> RowCode:
        """The code for single rows."""
        # the target is not a method of this kernel, so that the thread does not keep the kernel alive
        graph = self.__dict__.get("graph")
        return RowCode(self._loaded, self._key, partial(_row_parts, self.form, graph, self._lanes, self._printed_rows))

    def prepare(self) -> None:
        """Wait until the final code is loaded, also for single rows: then no call in a control loop compiles code."""
        with progress_line(f"compiling {self.name} of {self.robot_name!r} for single states"):
            self.row_code.wait()

    @cached_property
    def work(self) -> int:
        """Number of operations per row, or of numbers copied per row, whichever is larger."""
        # copying the values of a sparse regressor takes longer than computing them
        shapes = [*(x.shape for x in self.inputs), *(shape for _, shape in self.outputs)]
        return max(self.operations, sum(math.prod(shape) for shape in shapes), 1)

    @cached_property
    def _fast(self) -> Callable[..., Any]:
        return self.fast_call(partial(run, self))

    @cached_property
    def plain_call(self) -> Callable[..., Any]:
        """A builtin function for real arrays; it passes calls that machine code does not support to `run_arrays`."""
        return self.fast_call(partial(run_arrays, self))

    def fast_call(self, fallback: Callable[..., Any], how: Pattern | None = None) -> Callable[..., Any]:
        """A builtin function for calls with plain arrays that passes all other calls to `fallback`.

        The function takes the arguments of the pattern (by default, the inputs), then `out` and `threads` by name.
        """
        how = how or plain_pattern(len(self.inputs))
        return fast_call(self.form, self.dtype, self.work, self._loaded, fallback, how)

    def __reduce__(self) -> tuple[Callable[[], Kernel], tuple[()]]:
        return self._again, ()

    def __repr__(self) -> str:
        where = "loaded from the cache" if self.from_cache else "compiled"
        return (
            f"<Kernel {self.name} of {self.robot_name!r}, {self.dtype}: {self.operations} operations, "
            f"compiled in {self.compile_time:.3f} s, {where} in {self.load_time:.3f} s>"
        )

    @property
    def _lanes(self) -> Lanes:
        return host().lanes(self.dtype.itemsize * 8)

    def _source(self) -> tuple[int, int, Callable[[], Iterable[CompiledPart]]]:
        # a graph that a user requested is kept; a graph built only for compilation (up to a million nodes) is freed
        stored = self.__dict__.get("graph")
        graph = stored or self.form.graph()
        parts = partial(_parts, graph, self._lanes, self._printed_rows, forget=stored is None)
        # code that is assembled needs no time of LLVM
        length = 0 if assembles(host(), self._lanes) else code_length(graph)
        return count(graph).arithmetic, length, parts


def compiled(
    kind: str, owner: str, form: Signature, dtype: Any, identity: str | None, again: Callable[[], Kernel]
) -> Kernel:
    """The kernel of a signature, shared by all functions with the same identity.

    The identity is the exact text of all data that determine the function, besides the source of this library. It is
    None for user code: then the traced graph is the identity. `again` creates the kernel in another process and must be
    picklable. For messages, `kind` is "robot" or "system", and `owner` is its name.
    """
    number = real_dtype(dtype)
    graph = None
    if identity is None:
        with no_garbage_collection():
            graph = form.graph()
        identity = graph_text(graph)
    # messages contain the owner's name, so robots with different names never share a kernel
    key = key_of(kind, owner, identity, number.str)
    if (kernel := _kernels.get(key)) is None:
        kernel = _kernels[key] = Kernel(kind, owner, form, number, key, again, graph)
    return kernel


def _parts(graph: Graph, lanes: Lanes, rows: list[CompiledPart], *, forget: bool) -> Iterator[CompiledPart]:
    """The LLVM modules of a graph; those for single rows are added to `rows`, so that the graph is not traced again."""
    # A new graph is then discarded: it takes a hundred times the memory of the code.
    try:
        yield from llvm.module_parts(graph, lanes, cache=host().second_cache, rows=rows)
    finally:
        if forget:
            graph.forget()


def _row_parts(
    form: Signature, graph: Graph | None, lanes: Lanes, printed: list[CompiledPart]
) -> Sequence[CompiledPart]:
    """The LLVM modules for single rows, taken from `printed`, or printed now if the kernel is from the cache."""
    parts = [*printed] or [*llvm.row_parts(graph or form.graph(), lanes)]
    printed.clear()
    return parts


def type_for(arrays: Sequence[ArrayLike]) -> type[np.floating[Any]]:
    """The type of a call's computation: float32 if all arrays are float32, otherwise float64."""
    single = all([isinstance(x, np.ndarray) and x.dtype.char == "f" for x in arrays])
    return np.float32 if single else np.float64


def real_dtype(dtype: Any) -> np.dtype[Any]:
    """The type float64 or float32; `DtypeError` for any other."""
    try:
        number: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise DtypeError(f"kernels compute in float64 or float32, not {dtype!r}") from None
    if number not in (np.float64, np.float32):
        raise DtypeError(f"kernels compute in float64 or float32, not {number}")
    return number
