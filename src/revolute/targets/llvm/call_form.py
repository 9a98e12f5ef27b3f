"""The interface between the machine code of calls and the Python code that creates it: see `call.py`."""

BOUND = (
    "fallback", "names", "slots", "options", "keys", "places", "template", "form", "shapes", "steps", "maker", "owned",
)  # fmt: skip
"""Items of the tuple that a call is bound to. It has an argument for each of the `slots`, the last under these `names`.

Slots are 64-bit integers: k >= 0 is input k of the kernel; `OPTION` must be the very object in `options`; `DICT` is a
dict with these very `keys` in their order, whose values are the inputs `places`. Inputs that no call gives are in the
`template`. `maker` makes large results, from the number of an output and of rows. `owned` is what must stay alive.
"""

OPTION, DICT = -1, -2

FORM = (
    "loop", "row code", "inputs", "outputs", "strides", "operations", "alone", "lanes", "type", "descriptor", "pooled",
)  # fmt: skip
"""64-bit integers that describe a kernel:

- addresses of its code for blocks, and of the variable for that of rows;
- the numbers of its inputs, outputs and strides;
- operations of a row, and of the largest batch that keeps Python's lock; rows at once;
- NumPy's number of the type, and the address of its descriptor;
- bytes of the smallest result that `maker` makes.

Then `shapes` has the number of axes and the extents of each array; `steps` has all strides, as `loop` reads them.
"""

MOST_ARRAYS, MOST_STRIDES = 64, 512  # maximum number of inputs and outputs of a kernel, and of strides in total

CONTEXT = (
    "ndarray", "tuple", "dict", "int", "none", "out", "threads",
    "PyArray_New", "PyArray_Scalar", "PyTuple_New", "PyObject_Vectorcall", "Py_IncRef", "Py_DecRef", "PyDict_Next",
    "PyLong_FromLongLong", "PyLong_AsLongLongAndOverflow", "PyEval_SaveThread", "PyEval_RestoreThread",
    "PyErr_NoMemory", "PyErr_CheckSignals",
)  # fmt: skip
"""Entries of the module's table `context`: objects, names of arguments, and functions of Python and NumPy."""

NOT_ASKED_FOR, NOT_THERE = 0, 1  # values of a kernel's variable `row_code` that are not addresses: see `module.py`
