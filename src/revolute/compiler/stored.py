"""Machine code from the disk cache."""

from __future__ import annotations

import hashlib
from typing import Any

from revolute.compiler import cache
from revolute.errors import CompileError
from revolute.targets.llvm import Loaded, compile_object, host, load_object

__all__ = ["load_stored", "load_text"]


def load_stored(key: str) -> tuple[Loaded, dict[str, Any]] | None:
    """Machine code and notes stored under a key in the disk cache; None if there is no entry that loads."""
    entry = cache.read(key)
    if entry is None:
        return None
    try:
        return load_object(entry[0], host()), entry[1]
    except CompileError:
        return None


def load_text(text: str) -> Loaded:
    """The machine code of an LLVM module, from the disk cache if it is there."""
    key = hashlib.sha256(f"{text}\n{host().description}".encode()).hexdigest()
    stored = load_stored(key)
    if stored is not None:
        return stored[0]
    code = compile_object(text, host())
    cache.write(key, code, {"operations": 0, "seconds": 0.0})
    return load_object(code, host())
