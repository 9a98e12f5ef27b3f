"""Object code on disk, so that a robot is compiled once and loaded in milliseconds after that.

The folder is $REVOLUTE_CACHE_DIR, or `revolute` in the user's cache folder. It holds
machine code, so it must belong to the user and nobody else may write or read there (0700);
a folder that fails this is not used. Files are written whole or not at all, carry their
key and a checksum, and a file that fails either is compiled anew. When they are more than
`FILES`, or larger than `BYTES`, those that were not used for longest are removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import stat
import tempfile
import time
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from revolute.printable import printable

__all__ = ["clear", "entries", "folder", "read", "source_digest", "write"]

BYTES = 512 * 2**20
FILES = 4096
"""What the folder may hold: a thousand kernels of humanoids, or so; no more files than can be listed in no time."""
OFTEN = 64
"""A process looks at the first file that it writes, and at every so many of them, whether there are too many."""
ABANDONED = 3600.0
"""Seconds after which a file that was never finished belongs to a process that is no more."""

_writes = itertools.count()
_MAGIC = b"revolute object code 1\n"
SOURCES = (
    "dynamics", "formulations", "functions", "graph", "joints", "lagrangian", "spatial", "symbolic", "targets",
)
"""The folders that kernels are made by, besides the modules right under the package."""


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
        f"{printable(reason)}; kernels are compiled in every process. Set REVOLUTE_CACHE_DIR to use another folder",
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
    with contextlib.suppress(OSError):
        os.utime(place / f"{key}.kernel")  # used now: `_trim` removes the others first
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
        if next(_writes) % OFTEN == 0:
            _trim(place, f"{key}.kernel")
        return True
    return False


def entries(place: Path) -> list[tuple[Path, os.stat_result]]:
    """The files of the cache in a folder and what is known about them, those used longest ago first."""
    found = []
    with os.scandir(place) as files:
        for file in files:
            if file.name.endswith(".kernel"):
                with contextlib.suppress(FileNotFoundError):  # another process may remove it meanwhile
                    found.append((Path(file.path), file.stat()))
    return sorted(found, key=lambda entry: entry[1].st_mtime_ns)


def clear(place: Path) -> None:
    """Remove every kernel from a folder, and no other file; programs that run keep theirs."""
    for path in (*place.glob("*.kernel"), *place.glob("*.part")):
        path.unlink(missing_ok=True)


def _trim(place: Path, keep: str) -> None:
    """Make the folder as small as it should be, but keep the file that was just written."""
    for part in place.glob("*.part"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > ABANDONED:
                part.unlink()
    found = entries(place)
    size, number = sum(status.st_size for _, status in found), len(found)
    for path, status in found:
        if size <= BYTES and number <= FILES:
            break
        if path.name != keep:
            with contextlib.suppress(OSError):
                path.unlink()
            size, number = size - status.st_size, number - 1


@cache
def source_digest() -> str:
    """A name for the source that kernels are made by, so that no kernel outlives a change of it.

    Files are read through the package, so that it may be a folder, a zip archive or compiled.
    """
    package = resources.files("revolute")
    files = [*_modules(package), *(file for room in SOURCES for file in _modules(package / room, within=True))]
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _modules(folder: Traversable, within: bool = False) -> Iterator[Traversable]:
    """The modules of a folder in order of their names, of the folders in it too if wanted."""
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.is_dir():
            if within and file.name != "__pycache__":
                yield from _modules(file, within)
        elif file.name.endswith((".py", ".pyc")):
            yield file
