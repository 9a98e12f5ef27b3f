"""The function `handler`, by which XLA's foreign function interface calls a kernel's loop.

XLA passes a frame: the stage of the execution, and buffers of arguments and results with their shapes. `handler` reads
the number of rows from the first buffer's dimensions and calls `loop`. No Python is involved.
"""

from collections.abc import Sequence

from revolute.targets.llvm.call_form import strides
from revolute.targets.llvm.writer import IRWriter

VERSION = (0, 3)  # version of XLA's interface that defines the frame (`XLA_FFI_API_MAJOR`, `XLA_FFI_API_MINOR`)
_EXTENSION, _ARGUMENTS, _RESULTS = 8, 72, 112  # offsets in a frame: extension and tables of buffer pointers [bytes]
_METADATA = 24  # offset in an extension of the metadata that XLA requests: version and traits [bytes]
_MAJOR, _MINOR, _TRAITS = 24, 28, 32
_DATA, _RANK, _DIMENSIONS = 24, 32, 40  # offsets of fields in a buffer [bytes]


def handler(inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]], item: int, loop: int) -> str:
    """The LLVM IR of a module that calls the loop at an address; numbers have `item` bytes.

    `inputs` and `outputs` are the core shapes of the loop's arrays. There must be an input.
    """
    shapes = [*inputs, *outputs]
    steps = strides(shapes, item)
    w = IRWriter()
    data, rows = w.variable("ptr", count=len(shapes)), w.variable("i64", "1")
    extension = w.get("ptr", w.at("%frame", _EXTENSION))
    w.branch(w.test("eq", extension, "null", "ptr"), "call", "registration")
    # XLA requests the version of the interface
    w.label("registration")
    metadata = w.get("ptr", w.at(extension, _METADATA))
    for value, place in zip((*VERSION, 0), (_MAJOR, _MINOR, _TRAITS), strict=True):
        w.put("i32", str(value), w.at(metadata, place))
    w.do("ret ptr null")
    # collect the memory addresses of all arrays
    w.label("call")
    arguments, results = (w.get("ptr", w.at("%frame", x)) for x in (_ARGUMENTS, _RESULTS))
    buffers = [w.pointer(arguments, k) for k in range(len(inputs))]
    buffers += [w.pointer(results, k) for k in range(len(outputs))]
    for k, buffer in enumerate(buffers):
        w.put("ptr", w.get("ptr", w.at(buffer, _DATA)), w.place(data, k))
    # the number of rows is the product of the first array's leading dimensions
    axes = w.sub(w.get("i64", w.at(buffers[0], _RANK)), len(inputs[0]))
    dimensions = w.get("ptr", w.at(buffers[0], _DIMENSIONS))
    with w.each(axes) as axis:
        w.put("i64", w.mul(w.get("i64", rows), w.number(dimensions, axis)), rows)
    w.run(f"inttoptr (i64 {loop} to ptr)", "void", f"ptr {data}", f"ptr {rows}", "ptr @steps", "ptr null")
    w.do("ret ptr null")
    table = f"@steps = internal constant [{len(steps)} x i64] [{', '.join(f'i64 {x}' for x in steps)}]"
    return "\n".join([table, w.define("ptr @handler(ptr %frame)")])
