"""An LLVM module cut into several, to be compiled at the same time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from revolute.records import dataclass

__all__ = ["Part", "parts", "pointer_to"]

_MENTIONED = re.compile(r"@([\w.]+)")
_DECLARED = re.compile(r"^declare .*?@([\w.]+)\(", re.MULTILINE)
_PARAMETER = re.compile(r"%\w+")


@dataclass(frozen=True)
class Part:
    """A module: its LLVM IR, and the functions that the first module calls in it, by pointers: see `pointer_to`."""

    text: str
    functions: tuple[str, ...] = ()


def parts(text: str, most: int) -> list[Part]:
    """Modules of about the same length, which together do what a module does.

    Its chunks (internal functions `chunk...`, see `kernel.py`) are shared out, with copies of the functions that they
    call; all else stays in the first module. There a chunk of another module is a call by a pointer, which the loader
    sets: LLVM's linker in memory (RuntimeDyld, as llvmlite sets it up) does not link several object files that call
    each other or the C library.

    Args:
        text: LLVM IR as `module.py` writes it.
        most: modules, at most.
    """
    if most < 2:
        return [Part(text)]
    lines = text.splitlines(keepends=True)
    blocks = _internal_functions(lines)
    known = set(_DECLARED.findall(text))
    helpers = {name: block for name, block in blocks.items() if not name.startswith("chunk")}
    helpers = {name: block for name, block in helpers.items() if _mentioned(lines, block) <= {name, *known}}
    chunks = {name: block for name, block in blocks.items() if name.startswith("chunk")}
    movable = [name for name, block in chunks.items() if _mentioned(lines, block) <= {name, *known, *helpers}]
    lengths = {name: len(chunks[name]) for name in movable}
    shares = _shares(lengths, len(lines) - sum(lengths.values()), most)
    shared = [line for line in lines if line.startswith(("declare ", "!"))]  # "!": metadata
    others = []
    for names in shares:
        body = [line for name in names for line in _exported(lines, chunks[name])]
        called = set().union(*(_mentioned(lines, chunks[name]) for name in names))
        copies = [line for name in sorted(called & helpers.keys()) for line in _lines(lines, helpers[name])]
        others.append(Part("".join([*shared, *copies, *body]), tuple(names)))
    for names in shares:
        for name in names:
            block = chunks[name]
            lines[block.start : block.stop] = [_call_by_pointer(name, lines[block.start]), *[""] * (len(block) - 1)]
    return [Part("".join(lines)), *others]


def pointer_to(function: str) -> str:
    """Name of the first module's variable for the address of a function of another module."""
    return f"address.{function}"


def _call_by_pointer(name: str, head: str) -> str:
    """A function of the first module that calls one of another; `head` is the first line of its definition."""
    parameters = head[head.index("(") + 1 : head.index(")")]
    arguments = ", ".join([f"ptr {x}" for x in _PARAMETER.findall(parameters)])
    return "\n".join([
        f"@{pointer_to(name)} = global ptr null",
        f"define internal void @{name}({parameters}) nounwind {{",
        f"  %there = load ptr, ptr @{pointer_to(name)}",
        f"  tail call void %there({arguments})",
        "  ret void",
        "}",
        "",
    ])


def _internal_functions(lines: Sequence[str]) -> dict[str, range]:
    """The lines of every internal function's definition, by its name."""
    starts = [k for k, line in enumerate(lines) if line.startswith("define ")]
    stops = [k + 1 for k, line in enumerate(lines) if line.startswith("}")]
    blocks = [range(start, stop) for start, stop in zip(starts, stops, strict=True)]
    internal = [block for block in blocks if lines[block.start].startswith("define internal ")]
    return {_MENTIONED.findall(lines[block.start])[0]: block for block in internal}


def _shares(lengths: Mapping[str, int], stay: int, most: int) -> list[list[str]]:
    """Names for each module but the first, which has `stay` lines anyway: each goes to the shortest so far."""
    shares: list[list[str]] = [[] for _ in range(most)]
    totals = [stay, *[0] * (most - 1)]
    for name, length in lengths.items():
        k = totals.index(min(totals))
        shares[k].append(name)
        totals[k] += length
    return [names for names in shares[1:] if names]


def _lines(lines: Sequence[str], block: range) -> Sequence[str]:
    return lines[block.start : block.stop]


def _exported(lines: Sequence[str], block: range) -> list[str]:
    """A definition that other modules see."""
    head, *rest = _lines(lines, block)
    return [head.replace("define internal ", "define ", 1), *rest]


def _mentioned(lines: Sequence[str], block: range) -> set[str]:
    return set(_MENTIONED.findall("".join(_lines(lines, block))))
