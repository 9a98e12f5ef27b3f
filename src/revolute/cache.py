"""Object code on disk, so that a robot is compiled once and loaded in milliseconds after that.

The folder is $REVOLUTE_CACHE_DIR, or `revolute` in the user's cache folder. It holds
machine code, so it must belong to the user and nobody else may write or read there (0700);
a folder that fails this is not used. Files are written whole or not at all, carry their
key and a checksum, and a file that fails either is compiled anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["folder", "read", "source_digest", "write"]

_MAGIC = b"revolute object code 1\n"
_SOURCES = ("graph", "dynamics", "functions", "targets")


def folder() -> Path | None:
    """The cache folder, made if missing; None if there is none that is safe to use."""
    named = os.environ.get("REVOLUTE_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = Path(named) if named else Path(base) / "revolute"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.lstat()
    except OSError as error:
        _complain(f"the kernel cache {path} cannot be made ({error.strerror})")
        return None
    if not stat.S_ISDIR(status.st_mode):
        _complain(f"the kernel cache {path} is no folder of its own")
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o077):
        _complain(f"the kernel cache {path} is open to other users; `chmod 700 {path}`, or remove it")
        return None
    return path


@cache
def _complain(reason: str) -> None:
    warnings.warn(
        f"{reason}; kernels are compiled in every process. Set REVOLUTE_CACHE_DIR to use another folder",
        RuntimeWarning,
        stacklevel=2,
    )


def read(key: str) -> tuple[bytes, dict[str, Any]] | None:
    """Object code and notes kept under a key; None if there is no whole, genuine entry."""
    place = folder()
    if place is None:
        return None
    try:
        content = (place / f"{key}.kernel").read_bytes()
    except OSError:
        return None
    head, checksum, body = content[: len(_MAGIC)], content[len(_MAGIC) :][:32], content[len(_MAGIC) + 32 :]
    if head != _MAGIC or hashlib.sha256(body).digest() != checksum:
        return None
    notes, _, code = body.partition(b"\n")
    found = json.loads(notes)
    return (code, found) if found["key"] == key else None


def write(key: str, code: bytes, notes: dict[str, Any]) -> bool:
    """Keep object code under a key; whether that was possible. A disk that refuses is no error."""
    place = folder()
    if place is None:
        return False
    body = json.dumps({**notes, "key": key}).encode() + b"\n" + code
    with contextlib.suppress(OSError):
        handle, temporary = tempfile.mkstemp(dir=place, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(body).digest() + body)
            os.replace(temporary, place / f"{key}.kernel")
        except OSError:
            os.unlink(temporary)
            raise
        return True
    return False


@cache
def source_digest() -> str:
    """A name for the source that kernels are made by, so that no kernel outlives a change of it."""
    root = Path(__file__).parent
    files = sorted([*root.glob("*.py"), *(f for room in _SOURCES for f in root.joinpath(room).rglob("*.py"))])
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()
