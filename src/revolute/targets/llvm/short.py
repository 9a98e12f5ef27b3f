"""Short forms in LLVM IR that is written by hand: fields of CPython's and NumPy's objects, items of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from revolute.targets.llvm.fast import TUPLE_ITEMS

__all__ = ["expanded", "with_values"]

_SHORT = {
    r"item (\S+) (\S+)": (  # of a tuple
        f"{{0}}.items = getelementptr i8, ptr {{1}}, i64 {TUPLE_ITEMS}",
        "{0}.place = getelementptr ptr, ptr {0}.items, i64 {2}",
        "{0} = load ptr, ptr {0}.place",
    ),
    r"size (\S+)": ("{0}.place = getelementptr i8, ptr {1}, i64 16", "{0} = load i64, ptr {0}.place"),
    r"field (\S+) (\S+)": ("{0}.place = getelementptr i8, ptr {1}, i64 {2}", "{0} = load ptr, ptr {0}.place"),
    r"number (\S+) (\S+)": ("{0}.place = getelementptr i64, ptr {1}, i64 {2}", "{0} = load i64, ptr {0}.place"),
    r"context (.+)": ("{0}.place = getelementptr ptr, ptr @context, i64 {1}", "{0} = load ptr, ptr {0}.place"),
}
"""Short forms, and their LLVM IR; `size` is that of a tuple, of bytes or of a dict, `number` an item of a table.

Fields: 8 is an object's type, 56 an array's descriptor; 16 and 24 are the method and the bound object of a builtin
function, 8 is the code in its method.
"""


def expanded(text: str, context: Sequence[str]) -> str:
    """The LLVM IR of a text with short forms.

    Args:
        text: one instruction a line.
        context: names of the entries of the module's table `context`.
    """
    return "\n".join(line for short in text.splitlines() for line in _lines(short, context))


def _lines(line: str, context: Sequence[str]) -> Iterator[str]:
    """The LLVM IR of a line."""
    for pattern, instructions in _SHORT.items():
        match = re.fullmatch(rf"  (%\S+) = {pattern}", line.partition(" ;")[0])
        if match:
            parts = [context.index(x) if x in context else x for x in match.groups()]
            yield from (f"  {instruction.format(*parts)}" for instruction in instructions)
            return
    yield line


def with_values(text: str, values: Mapping[str, int | str]) -> str:
    """A text with constants, names in capital letters, replaced by their values."""
    return re.sub(r"\b[A-Z][A-Z_]+\b", lambda match: str(values.get(match[0], match[0])), text)
