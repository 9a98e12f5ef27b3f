"""The interface between the machine code of calls and the Python code that creates it: see `call.py`."""

import math
from collections.abc import Sequence

BOUND = (
    "fallback", "names", "slots", "options", "keys", "places", "template", "form", "shapes", "steps", "maker", "owned",
)  # fmt: skip
"""Items of the tuple to which a call is bound. The call has one argument per slot; the last ones have these `names`.

Slots are 64-bit integers: k >= 0 is input k of the kernel; `OPTION` must be the object in `options`; `DICT` is a
dict with exactly the `keys` in this order, whose values are the inputs `places`. `template` contains all other inputs.
`maker` creates large results from the index of an output and the number of rows. `owned` keeps objects alive.
"""

OPTION, DICT = -1, -2

FORM = (
    "loop", "row code", "inputs", "outputs", "strides", "operations", "alone", "pays", "type", "descriptor", "pooled",
)  # fmt: skip
"""64-bit integers that describe a kernel:

- addresses of the code for blocks, and of the variable with the address of the code for single rows;
- the numbers of its inputs, outputs and strides;
- numbers of operations: of a row, of the largest batch evaluated without releasing the GIL, and of the smallest batch
  for several threads;
- number of the type in NumPy, and address of the type's descriptor;
- size of the smallest result that `maker` creates [bytes].

`shapes` contains the number of axes and the extents of each array; `steps` contains all strides in the order of `loop`.
"""

MOST_ARRAYS, MOST_STRIDES = 64, 512  # maximum number of arrays of a call, as of NumPy's ufuncs; and of strides

CONTEXT = (
    "ndarray", "tuple", "dict", "int", "none", "out", "threads",
    "PyArray_New", "PyArray_Scalar", "PyTuple_New", "PyObject_Vectorcall", "Py_IncRef", "Py_DecRef", "PyDict_Next",
    "PyLong_FromLongLong", "PyLong_AsLongLongAndOverflow", "PyEval_SaveThread", "PyEval_RestoreThread",
    "PyErr_NoMemory",
)  # fmt: skip
"""Entries of the module's table `context`: objects, names of arguments, and functions of Python and NumPy."""

NOT_ASKED_FOR, NOT_THERE = 0, 1  # values of the variable `row_code` that are not addresses of code: see `module.py`


def strides(shapes: Sequence[tuple[int, ...]], item: int) -> list[int]:
    """Strides of contiguous arrays in the order of `loop` [bytes]: of all rows, then of each array's core axes.

    `shapes` are core shapes; a number has `item` bytes.
    """
    steps = [math.prod(shape) for shape in shapes]
    steps += [math.prod(shape[k + 1 :]) for shape in shapes for k in range(len(shape))]
    return [step * item for step in steps]
