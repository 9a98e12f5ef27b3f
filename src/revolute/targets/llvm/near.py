"""Machine code that lies close to its constants, so that instructions reach them by short addresses.

LLVM lets the parts of an object file lie anywhere in a process: each constant then takes an instruction of ten bytes
that loads its address. On Linux for x86-64, llvmlite can place all parts of an object file side by side. Then a
constant is an operand of the instruction that uses it; inverse dynamics of a humanoid takes a sixth less time.

Only functions of the C library and of Python may still lie anywhere. They are called through pointers in a table, for
which llvmlite reserves memory beside the code; without this memory, llvmlite ends the process.
"""

import re

# declarations of external functions, except intrinsics: LLVM replaces intrinsics by instructions or C calls
_DECLARED = re.compile(r"^(declare (?!.*@llvm\.).*)$", re.MULTILINE)

# LLVM's intrinsics for copying and filling memory
_MOVES = re.compile(r"call void @llvm\.(memcpy|memset)[.\w]*\((.*), i1 false\)")

_FLAGS = """
!llvm.module.flags = !{!100}
!100 = !{i32 7, !"RtLibUseGOT", i32 1}
"""
"""Module flag by which calls of the C library that LLVM generates also use the address table."""


def close_together(triple: str) -> bool:
    """Whether llvmlite can place all parts of an object file side by side for this target: Linux on x86-64."""
    return triple.startswith("x86_64") and "linux" in triple


def calls_by_table(text: str, quick: bool = False) -> str:
    """The text of a module, changed so that it calls external functions through a table of pointers."""
    # If it is compiled quickly, LLVM calls `memcpy` and `memset` directly, unless they are plain functions.
    # LLVM's fast instruction selection generates calls that do not use the address table
    if quick and _MOVES.search(text):
        text = _MOVES.sub(lambda move: f"call ptr @{move[1]}({move[2].replace(', i8 0,', ', i32 0,')})", text)
        text += "\ndeclare ptr @memcpy(ptr, ptr, i64)\ndeclare ptr @memset(ptr, i32, i64)\n"
    return _DECLARED.sub(r"\1 nonlazybind", text) + _FLAGS
