"""LLVM IR of code that reads Python's objects, written in short forms.

    %x = item %group %k        an item of a tuple
    %x = size %object          the number of items of a tuple, a list or bytes, or of keys of a dict
    %x = field %object 24      a pointer in an object
    %x = number %table %k      a number of a table of 64-bit integers
    %x = pointer %table %k     a pointer of such a table
    %x = context dict type     an entry of the module's table `context`
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from revolute.targets.llvm.objects import SIZE, TUPLE_ITEMS

__all__ = ["expanded", "with_values"]

_SHORT = {
    "item": (
        f"{{0}}.items = getelementptr i8, ptr {{1}}, i64 {TUPLE_ITEMS}",
        "{0}.place = getelementptr ptr, ptr {0}.items, i64 {2}",
        "{0} = load ptr, ptr {0}.place",
    ),
    "size": (f"{{0}}.place = getelementptr i8, ptr {{1}}, i64 {SIZE}", "{0} = load i64, ptr {0}.place"),
    "field": ("{0}.place = getelementptr i8, ptr {1}, i64 {2}", "{0} = load ptr, ptr {0}.place"),
    "number": ("{0}.place = getelementptr i64, ptr {1}, i64 {2}", "{0} = load i64, ptr {0}.place"),
    "pointer": ("{0}.place = getelementptr ptr, ptr {1}, i64 {2}", "{0} = load ptr, ptr {0}.place"),
    "context": ("{0}.place = getelementptr ptr, ptr @context, i64 {1}", "{0} = load ptr, ptr {0}.place"),
}
_LINE = re.compile(rf"  (%\S+) = ({'|'.join(_SHORT)}) (.+)")


def expanded(text: str, context: Sequence[str]) -> str:
    """The LLVM IR of a text with short forms.

    Args:
        text: LLVM IR and short forms, a line each.
        context: entries of the module's table.
    """
    return "\n".join(line for short in text.splitlines() for line in _long(short, context))


def _long(line: str, context: Sequence[str]) -> Iterator[str]:
    match = _LINE.fullmatch(line.partition(" ;")[0])
    if not match:
        yield line
        return
    name, word, rest = match.groups()
    parts = [name, str(context.index(rest))] if word == "context" else [name, *rest.split()]
    yield from (f"  {instruction.format(*parts)}" for instruction in _SHORT[word])


def with_values(text: str, values: Mapping[str, int | str]) -> str:
    """A text with constants, names in capital letters, replaced by their values."""
    return re.sub(r"\b[A-Z][A-Z_]+\b", lambda match: str(values.get(match[0], match[0])), text)
