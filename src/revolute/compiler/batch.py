"""Evaluation of batches for calls that machine code rejects: checks, broadcasting, slices, threads.

Arrays with the kernel's type are passed to the ufunc unchanged, with any strides. Other arrays are converted slice by
slice, so that a large call needs little more memory than its result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import UNLABELLED, Array, by_names, common_batch, require_out, swap_hint
from revolute.arguments.foreign import require_plain_entries
from revolute.compiler.calls import PAYS
from revolute.compiler.memory import new_result
from revolute.compiler.pool import PIECE, PIECES, on_threads
from revolute.compiler.row_code import RowCode
from revolute.errors import DtypeError, InputError, ShapeError
from revolute.graph import Input
from revolute.targets.llvm import cores
from revolute.targets.llvm.stage import BYPASS

COPIED = 1 << 16  # maximum size of an array that is copied to contiguous memory for machine code [bytes]
FLAT = 1 << 19  # number of operations (about 25 us) above which batch axes are merged into one for machine code
SLICE_BYTES = 1 << 20  # maximum size of the converted inputs of a slice, per thread [bytes]
SPAN = 1 << 28  # maximum number of operations per ufunc call (about 30 ms): signals cannot interrupt the call


class Batched(Protocol):
    """The part of `compiler.kernel.Kernel` that the evaluation of batches uses."""

    name: str
    kind: str
    robot_name: str
    dtype: np.dtype[Any]
    inputs: tuple[Input, ...]
    outputs: tuple[tuple[str, tuple[int, ...]], ...]
    operations: int

    @property
    def work(self) -> int: ...
    @property
    def ufunc(self) -> Callable[..., Any]: ...
    @property
    def row_code(self) -> RowCode: ...
    @property
    def plain_call(self) -> Callable[..., Any]: ...
    def __call__(self, *arrays: ArrayLike, out: Any = None, threads: int | None = None) -> Any: ...


def run(kernel: Batched, *arguments: ArrayLike, out: Any = None, threads: int | None = None) -> Any:
    """Evaluate a kernel on a batch: see `Kernel.__call__`."""
    if len(arguments) != len(kernel.inputs):
        names = ", ".join(x.name for x in kernel.inputs)
        raise InputError(f"{kernel.name} takes {len(kernel.inputs)} arrays ({names}), not {len(arguments)}")
    arrays: list[Array] = []
    for parameter, value in zip(kernel.inputs, arguments, strict=True):
        array = value if type(value) is np.ndarray else plain_array(value)
        if type(array) is not np.ndarray:
            array = _array(kernel, parameter, value)
        if array.dtype.kind not in "fiub":
            raise DtypeError(f"{kernel.name}: {parameter.name} must hold real numbers, not {array.dtype}")
        arrays.append(array)
    # most arrays are suitable for machine code; small unsuitable arrays are copied
    ready = all([x.dtype is kernel.dtype and x.flags.carray for x in arrays])
    if not ready and sum([x.nbytes for x in arrays]) <= COPIED:
        arrays = [x if x.flags.carray else x.copy() for x in _converted(kernel, arrays)]
    return kernel.plain_call(*arrays, out=out, threads=threads)


def plain_array(x: Any) -> Any:
    """Convert numbers, lists, tuples, small integer or strided arrays, and values of dicts to plain arrays."""
    kind = type(x)
    if kind is np.ndarray:
        if x.nbytes > COPIED:
            return x
        if x.dtype.kind in "iu":
            return x.astype(np.float64)
        return x if x.flags.carray else x.copy()
    if kind in _LISTS:
        if not (_NUMBERS.issuperset(map(type, x)) or _has_plain(x)):
            return x
    elif kind is dict:
        return {name: plain_array(value) for name, value in x.items()}
    elif kind not in UNLABELLED:
        return x
    try:
        array = np.array(x)
    except ValueError:  # NumPy rejects ragged lists
        return x
    if array.dtype is _FLOAT64:
        return array
    return array.astype(_FLOAT64) if array.dtype.kind in "fiu" else x


def _has_plain(x: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a list contains only numbers, NumPy arrays, and nested lists of these."""
    return UNLABELLED.issuperset(map(type, x)) and all([_has_plain(y) for y in x if type(y) in _LISTS])


_LISTS, _NUMBERS, _FLOAT64 = frozenset({list, tuple}), frozenset({float, int}), np.dtype(np.float64)


def run_arrays(kernel: Batched, *arguments: Array, out: Any, threads: int | None) -> Any:
    """Evaluate a batch of real arrays whose shapes, types or strides machine code does not support."""
    shapes: list[tuple[int, ...]] = []
    arrays = list(arguments)
    for parameter, array in zip(kernel.inputs, arrays, strict=True):
        shape, axes = array.shape, array.ndim - len(parameter.shape)
        if shape[axes:] != parameter.shape or axes < 0:
            raise _misfit(kernel, parameter, shape, arguments)
        shapes.append(shape[:axes])
    same, names = shapes.count(shapes[0]) == len(shapes), (x.name for x in kernel.inputs)
    batch = shapes[0] if same else common_batch(f"{kernel.name}: batch shapes", names, shapes)
    if out is not None:
        out = out if isinstance(out, tuple) else (out,)
        _check_out(kernel, out, batch)
    rows = math.prod(batch)
    workers = workers_for(threads, rows * kernel.operations)
    if out is not None:
        # an input that is broadcast to the shape of the result would be overwritten row by row, while all rows read it
        result_shapes = [y.shape for y in out]
        for k, x in enumerate(arrays):
            # NumPy copies inputs that overlap a result, except an identical array, which each row may read completely
            if x.shape in result_shapes and shapes[k] != batch:
                arrays[k] = _apart(x, out)
    converted = any([x.dtype is not kernel.dtype and x.dtype != kernel.dtype for x in arrays])
    if out is None and batch:
        count = range(len(kernel.outputs))
        out = tuple([new_result(kernel.name, kernel.dtype, kernel.outputs, k, *batch) for k in count])
    # machine code supports one batch axis: several batch axes with adjacent rows are merged into one axis
    flat = rows > 1 and len(batch) > 1 and not converted and threads != 1 and rows * kernel.operations >= FLAT
    if flat and out is not None and _on_one_axis(kernel, arrays, shapes, batch, out, threads):
        return out[0] if len(out) == 1 else out
    # a single row requests code for single rows, which is compiled in the background unless it exists
    if not batch:
        kernel.row_code.ask()
    # a short batch is evaluated by one call on this thread: NumPy's iterator broadcasts the inputs
    if out is None or not batch or (workers == 1 and not converted and rows * kernel.work <= SPAN):
        if converted:
            arrays = _converted(kernel, arrays)
        if out is None:
            return kernel.ufunc(*arrays)
        kernel.ufunc(*arrays, out=out)
        return out[0] if len(out) == 1 else out
    _in_slices(kernel, arrays, batch, out, workers, converted)
    return out[0] if len(out) == 1 else out


def _on_one_axis(
    kernel: Batched, arrays: list[Array], shapes: list[tuple[int, ...]], batch: tuple[int, ...], out: tuple[Array, ...],
    threads: int | None,
) -> bool:
    """Evaluate a batch with its axes merged into one. Return False if strides do not allow that."""
    rows = math.prod(batch)
    if not all([y.flags.c_contiguous for y in out]):
        return False
    flat = []
    for x, parameter, shape in zip(arrays, kernel.inputs, shapes, strict=True):
        if math.prod(shape) == 1:
            flat.append(x.reshape(parameter.shape))
        elif shape == batch and x.flags.c_contiguous:
            flat.append(x.reshape((rows, *parameter.shape)))
        else:
            return False
    results = tuple([y.reshape((rows, *shape)) for y, (_, shape) in zip(out, kernel.outputs, strict=True)])
    kernel(*flat, out=results if len(results) > 1 else results[0], threads=threads)
    return True


def _in_slices(
    kernel: Batched, arrays: list[Array], batch: tuple[int, ...], out: tuple[Array, ...], workers: int, converted: bool
) -> None:
    """Evaluate a batch in slices along its longest axis, in several threads or one after the other."""
    rows = math.prod(batch)
    # one slice could overwrite the input of another if a result shares an input's memory
    arrays = [_apart(x, out) for x in arrays]
    row_bytes = sum(x.size * kernel.dtype.itemsize for x in kernel.inputs)
    # the batch is split along the longest axis, so that slices have nearly equal sizes
    axis = int(np.argmax(batch))
    others = max(rows // max(batch[axis], 1), 1)
    # slices are small so that converted inputs stay in the cache; without conversion, slices may be larger
    length = max(SLICE_BYTES // (row_bytes * others), 1) if converted else max(batch[axis], 1)
    pieces = rows * kernel.work // SPAN + 1
    if workers > 1:
        # slices of results that bypass the cache are large enough to do so, too
        bypassing = sum([y.nbytes for y in out]) // BYPASS
        most = min(workers * PIECES, max(bypassing, workers)) if bypassing else workers * PIECES
        pieces = max(pieces, min(most, int(rows * kernel.operations / PIECE)))
        pieces = max(pieces // workers, 1) * workers  # equal shares for threads that are equally fast
    length = min(length, max(-(-batch[axis] // pieces), 1))

    def evaluate(start: int) -> None:
        inputs, results = _slice(kernel, arrays, out, batch, axis, slice(start, start + length))
        kernel.ufunc(*_converted(kernel, inputs), out=results)

    on_threads(evaluate, range(0, batch[axis], length), workers)


def _converted(kernel: Batched, arrays: Sequence[Array]) -> list[Array]:
    """The arrays converted to the kernel's type, even with loss of precision, which the ufunc itself would refuse."""
    # converts float64 to float32, for example; returns the array itself if types agree
    with np.errstate(over="ignore"):  # an overflow yields infinity, so no warning is needed
        return [x.astype(kernel.dtype, copy=False) for x in arrays]


def _apart(x: Array, out: tuple[Array, ...]) -> Array:
    """An input, or a copy of it if it may share memory with a result."""
    return x.copy() if any([np.may_share_memory(y, x) for y in out]) else x


def _array(kernel: Batched, parameter: Input, value: ArrayLike) -> Array:
    by_names(f"{kernel.name}: {parameter.name}", value, None)  # this call rejects labels, because kernels have no names
    require_plain_entries(f"{kernel.name}: an entry of {parameter.name}", value)
    try:
        return np.asarray(value)
    except ValueError:
        raise ShapeError(f"{kernel.name}: {parameter.name} is ragged; its rows must have equal lengths") from None


def _misfit(kernel: Batched, parameter: Input, shape: tuple[int, ...], arguments: Sequence[ArrayLike]) -> ShapeError:
    meaning = f" ({parameter.of})" if parameter.of else ""
    shapes = [np.shape(_array(kernel, x, value)) for x, value in zip(kernel.inputs, arguments, strict=True)]
    hint = swap_hint([x.name for x in kernel.inputs], shapes, [x.shape for x in kernel.inputs])
    if not hint and len(shape) == 2 and shape[:1] == parameter.shape:
        hint = "; a row is a state: transpose it"
    return ShapeError(
        f"{kernel.name}: {parameter.name} has shape {shape}, but {kernel.kind} '{kernel.robot_name}' "
        f"needs (..., {', '.join(map(str, parameter.shape))}){meaning}{hint}"
    )


def _check_out(kernel: Batched, out: tuple[Array, ...], batch: tuple[int, ...]) -> None:
    if len(out) != len(kernel.outputs):
        names = ", ".join(name for name, _ in kernel.outputs)
        raise InputError(f"{kernel.name}: out must be {len(kernel.outputs)} arrays ({names}), not {len(out)}")
    for array, (name, shape) in zip(out, kernel.outputs, strict=True):
        label = "out" if len(out) == 1 else f"out for {name}"
        require_out(f"{kernel.name}: {label}", array, batch + shape, kernel.dtype)


def workers_for(threads: int | None, operations: float) -> int:
    """Number of threads for a call: as many as requested, at most one per core, and only one for little work."""
    if threads is not None and (not isinstance(threads, (int, np.integer)) or threads < 1):
        raise InputError(f"threads must be a positive number, not {threads!r}")
    most = cores() if operations >= PAYS else 1
    return most if threads is None else min(int(threads), most)


def _slice(
    kernel: Batched, arrays: Sequence[Array], out: Sequence[Array], batch: tuple[int, ...], axis: int, rows: slice
) -> tuple[list[Array], tuple[Array, ...]]:
    """Inputs and results of a range of rows along a batch axis; arrays that broadcast along it are not sliced."""
    pieces = []
    for array, parameter in zip(arrays, kernel.inputs, strict=True):
        place = array.ndim - len(parameter.shape) - (len(batch) - axis)  # index of this axis in the array
        cut = place >= 0 and array.shape[place] > 1
        pieces.append(array[(slice(None),) * place + (rows,)] if cut else array)
    return pieces, tuple([y[(slice(None),) * axis + (rows,)] for y in out])
