"""The function `straight`: from a bound function in Python to the machine code behind it."""

from __future__ import annotations

from revolute.targets.llvm.lanes import Writer
from revolute.targets.llvm.objects import FUNCTION_BOUND_TO, FUNCTION_METHOD, METHOD_CODE, PARTIAL_FUNCTION

__all__ = ["straight_function"]


def straight_function() -> str:
    """The function `straight`: calls a `functools.partial` that has no arguments and holds a builtin function.

    It has the signature of CPython's vectorcall. It reads the builtin function's machine code and bound object, and
    jumps to the code.
    """
    w = Writer()

    def field(item: str, offset: int) -> str:
        return w.let(f"load ptr, ptr {w.let(f'getelementptr i8, ptr {item}, i64 {offset}')}")

    function = field("%partial", PARTIAL_FUNCTION)
    code = field(field(function, FUNCTION_METHOD), METHOD_CODE)
    positional = w.let(f"and i64 %nargs, {(1 << 63) - 1}")  # the highest bit says that args[-1] may be written to
    call = f"tail call ptr {code}(ptr {field(function, FUNCTION_BOUND_TO)}, ptr %args, i64 {positional}, ptr %kwnames)"
    w.do(f"ret ptr {w.let(call)}")
    head = "define ptr @straight(ptr %partial, ptr %args, i64 %nargs, ptr %kwnames) nounwind {"
    return "\n".join([head, "entry:", *w.lines, "}"])
