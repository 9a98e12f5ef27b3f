"""Machine code as a NumPy generalised ufunc.

The ufunc is created through C APIs with ctypes, so Revolute's installation needs no compiler. It owns the code that it
runs, and all memory to which it points. That memory is in objects that the garbage collector does not track: in cyclic
garbage, the collector finalizes and clears the parts in any order, while other parts may still be called.
"""

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.objects import address, numpy_functions
from revolute.targets.llvm import Loaded
from revolute.targets.llvm.objects import UFUNC_NAME, UFUNC_OWNER

_CLEAR_FLAGS, _FROM_SIGNATURE = 27, 31
"""Indices of PyUFunc_clearfperr and PyUFunc_FromFuncAndDataAndSignature in NumPy's ufunc API."""


def hidden(target: object) -> NDArray[Any]:
    """A reference hidden from the garbage collector, which does not inspect arrays.

    The collector considers the object in use until the last owner of the reference is freed. This matters because an
    engine's finalizer frees its code, which another object's finalizer may call.
    """
    holder = np.empty((), object)
    holder[()] = target
    return holder


def generalized_ufunc(
    loaded: Loaded, name: str, doc: str, dtype: np.dtype[Any], inputs: Sequence[tuple[int, ...]],
    outputs: Sequence[tuple[int, ...]],
) -> np.ufunc:
    """The function `silent` of a module from `targets.llvm.module_parts` as a ufunc with these core shapes."""
    numpy = numpy_functions("_UFUNC_API")
    # tables to which the ufunc points and which must outlive the ufunc
    memory = [
        struct.pack("P", loaded.function("silent")),
        struct.pack("P", numpy[_CLEAR_FLAGS]),  # the data argument of the ufunc's loop
        bytes([dtype.num]) * (len(inputs) + len(outputs)),
        name.encode(),
        doc.encode(),
    ]
    # fixed sizes in a signature must not be zero: robots without joints use a named dimension
    core = [f"({','.join(str(extent or 'none') for extent in shape)})" for shape in (*inputs, *outputs)]
    signature = f"{','.join(core[: len(inputs)])}->{','.join(core[len(inputs) :])}".encode()
    pointer, number = ctypes.c_void_p, ctypes.c_int
    kinds = [*[pointer] * 3, *[number] * 4, *[pointer] * 2, number, ctypes.c_char_p]
    make = ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)(numpy[_FROM_SIGNATURE])
    addresses = [address(x) for x in memory]
    ufunc: np.ufunc = make(*addresses[:3], 1, len(inputs), len(outputs), -1, *addresses[3:], 0, signature)
    # the ufunc owns the memory of its pointers: NumPy frees `obj` with the ufunc
    # NumPy has no call for this: check that the fields are where they should be before one is set
    owned, owner = (hidden(loaded), *memory), ctypes.c_void_p.from_address(id(ufunc) + UFUNC_OWNER)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(owned))  # this object is never released if the ufunc cannot own it
    if ctypes.c_void_p.from_address(id(ufunc) + UFUNC_NAME).value == addresses[3] and owner.value is None:
        owner.value = id(owned)
    return ufunc
