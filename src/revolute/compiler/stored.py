"""Machine code, compiled or from the disk cache."""

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import tee
from typing import Any

from revolute.compiler import cache
from revolute.compiler.background import awaited, in_background, turns
from revolute.compiler.collection import no_garbage_collection
from revolute.compiler.progress import progress_line
from revolute.compiler.sources import source_digest
from revolute.errors import CompileError, InputError
from revolute.targets.llvm import CompiledPart, Loaded, compile_parts, host, load_object

LONG = 8_000
"""Number of operations above which code is first compiled quickly: full optimization takes 0.4 s; it follows."""

LONGEST = 100_000
"""Number of operations above which code is only compiled quickly, as full optimization takes 5 s: 1.7 times as slow."""


AFTER = 0.3
"""Final code for blocks is compiled once no call has waited for code for this time [s]: code of a program's next
functions is compiled first, and code for single states, if these are called."""


def key_of(*parts: str) -> str:
    """The key of compiled parts: a hash of their text, the processor, the optimisation level and this library."""
    text = "\n".join((*parts, f"{host().description} {'quick' if quick_only() else ''}", source_digest()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def quick_only() -> bool:
    """Whether REVOLUTE_OPT is 0: all code is compiled quickly, not only code with more than `LONGEST` operations."""
    level = os.environ.get("REVOLUTE_OPT") or "1"
    if level not in ("0", "1"):
        raise InputError(f"REVOLUTE_OPT is {level!r}; it must be 0, to compile quickly, or 1")
    return level == "0"


def load_stored(key: str) -> tuple[Loaded, dict[str, Any]] | None:
    """Machine code and notes stored under a key in the disk cache; None if there is no loadable entry."""
    if (entry := cache.read(key)) is None:
        return None
    try:
        return load_object(entry[0], host()), entry[1]
    except CompileError:
        return None


def load_shared(name: str, text: Callable[[], str]) -> Loaded:
    """The machine code of an LLVM module with a given name, from the disk cache if available.

    The name (with the module's parameters), the processor and this library's source together determine the text.
    """
    # the key is not a digest of the LLVM IR, which need not be generated if the code is cached
    key = key_of("shared", name)
    stored = load_stored(key)
    return stored[0] if stored is not None else compile_stored([CompiledPart(text(), passes=2)], key)


def compile_stored(parts: Iterable[CompiledPart], key: str, notes: dict[str, Any] | None = None) -> Loaded:
    """The machine code of a group of LLVM modules, which is then stored under a key in the disk cache."""
    code = compile_parts(parts, host(), quick=quick_only())
    cache.write(key, code, notes or {"operations": 0, "seconds": 0.0})
    return load_object(code, host())


def compile_told(
    what: str, key: str, source: Callable[[], tuple[int, int, Callable[[], Iterable[CompiledPart]]]],
    quickly_first: bool = False,
) -> tuple[Loaded, dict[str, Any]]:
    """Compile code, store it under its key, and return it with its notes; `what` describes it in the progress line.

    `source` returns the number of operations, `code_length`, and a function that prints the LLVM modules. Notes are the
    number of operations and the seconds. With `quickly_first`, long code is first compiled quickly; then a background
    thread compiles and stores the final code, with the same results, and makes the quick code call it.
    """
    started = time.perf_counter()
    with progress_line(f"compiling {what}") as line, no_garbage_collection(), awaited():
        operations, length, parts = source()
        line.add(f"({operations:,} operations)")
        follows = quickly_first and LONG < length <= LONGEST and not quick_only()
        texts, *again = tee(parts(), 1 + follows)
        quick = follows or quick_only() or length > LONGEST
        code = compile_parts(texts, host(), quick=quick, but_first=not quick_only())
        del source, parts, texts  # they reference the graph; releasing the graph shortens the next garbage collection
        notes = {"operations": operations, "seconds": time.perf_counter() - started}
        kept = not follows and cache.write(key, code, notes)
        line.result = ", faster code follows" if follows else ", kept in the cache" if kept else ""
    loaded = load_object(code, host())
    for printed in again:
        in_background(partial(_finish, loaded, [*printed], key, notes), "code for blocks", after=AFTER)
    return loaded, notes


def _finish(loaded: Loaded, parts: Sequence[CompiledPart], key: str, notes: dict[str, Any]) -> None:
    """Compile these modules again, store their code, and make the loaded code call it."""
    with turns[0]:
        loaded.call(compile_stored(parts, key, notes), [name for part in parts for name in part.functions])
