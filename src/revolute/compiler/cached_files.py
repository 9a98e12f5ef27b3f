"""The files of the kernel cache: which may be read, their total size, and which are removed first.

A file is written under a temporary name, `*.part`, and then takes the name of its kernel. The process that writes it
holds a lock on it: a temporary file without a lock was left by a process that has ended.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["BYTES", "FILES", "NOTES", "clear", "entries", "opened", "replace"]

BYTES = 512 * 2**20
FILES = 4096
"""Limits of the folder: about a thousand kernels of humanoids fit, and the files can be listed in milliseconds."""
SLACK = 16
"""Once the folder is too large, 1/SLACK of it is freed, so that the next writes need not make room."""
OFTEN = 64
"""Sizes of files are remembered. They are read again on every OFTEN-th write, and if the folder seems too large."""
MOMENT = 10.0
"""Seconds that a file may be without a lock, before it is locked and after."""
ABANDONED = 3600.0
"""Seconds after which an unfinished file counts as abandoned, where there are no locks."""

NOTES = "sources"
"""The file of notes on the library's source: see `revolute.compiler.sources`."""

_FLAGS = [getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_BINARY")]
_sizes: dict[Path, dict[str, int]] = {}
_writes = itertools.count()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file of the cache, open for reading. Opening a device or a pipe does not block.

    Raises:
        OSError: there is none, it is not a regular file of this user, or others can write to it.
    """
    handle = os.open(path, sum(_FLAGS))
    try:
        status = os.fstat(handle)
        private = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
        if not stat.S_ISREG(status.st_mode) or not private:
            raise PermissionError(f"{path} is no file of this user")
        with os.fdopen(handle, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(handle)


def replace(path: Path, content: bytes) -> None:
    """Write a file of the cache, whole or not at all, and remove others if there is no room.

    Raises:
        OSError: it cannot be written.
    """
    if len(content) > BYTES:
        raise OSError(f"{path} is larger than all that may be kept")
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            _lock(file)
            file.write(content)
            file.flush()
            # of processes that write at once, the last to come here counts the files of all
            _make_room(path)
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def entries(place: Path) -> list[tuple[Path, os.stat_result]]:
    """The kernels in a folder and the status of their files, least recently used first."""
    kernels = []
    with os.scandir(place) as files:
        for file in files:
            if file.name.endswith(".kernel"):
                with contextlib.suppress(OSError):  # another process may remove it meanwhile
                    status = file.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        kernels.append((Path(file.path), status))
    return sorted(kernels, key=lambda entry: entry[1].st_mtime_ns)


def clear(place: Path) -> None:
    """Remove every kernel and the notes from a folder, and no other file; running programs keep theirs."""
    for path in (*place.glob("*.kernel"), *place.glob("*.part"), place / NOTES):
        with contextlib.suppress(OSError):
            path.unlink()


def _make_room(new: Path) -> None:
    """Remove kernels, least recently used first, until there is room.

    Raises:
        OSError: they cannot be removed.
    """
    place = new.parent
    sizes = _files(place, {} if next(_writes) % OFTEN == 0 else _sizes.get(place, {}))
    size, number = sum(sizes.values()), len(sizes)
    if size > BYTES or number > FILES:
        sizes = _files(place, {})
        size, number = sum(sizes.values()), len(sizes)
        for path, _ in entries(place):
            if size <= BYTES - BYTES // SLACK and number <= FILES - FILES // SLACK:
                break
            path.unlink(missing_ok=True)
            size, number = size - sizes.pop(path.name, 0), number - 1
    _sizes[place] = {name: size for name, size in sizes.items() if name.endswith(".kernel") and name != new.name}
    if size > BYTES or number > FILES:
        raise OSError(f"{place} is full")


def _files(place: Path, known_sizes: dict[str, int]) -> dict[str, int]:
    """Names and sizes of the cache's files, finished or not; abandoned ones are removed."""
    sizes = {}
    for name in os.listdir(place):
        if name in known_sizes:
            sizes[name] = known_sizes[name]
        elif name.endswith(".part") and _abandoned(place / name):
            with contextlib.suppress(OSError):
                os.unlink(place / name)
        elif name.endswith((".part", ".kernel")):
            with contextlib.suppress(OSError):
                sizes[name] = os.lstat(f"{place}{os.sep}{name}").st_size
    return sizes


def _abandoned(part: Path) -> bool:
    """Whether no process writes this file any more."""
    with contextlib.suppress(OSError):
        age = time.time() - part.lstat().st_mtime
        if age > MOMENT:
            try:
                with opened(part) as file:
                    return _lock(file) or age > ABANDONED
            except BlockingIOError:
                return False
            except OSError:
                return age > ABANDONED
    return False


def _lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed; False where there are no locks.

    Raises:
        BlockingIOError: another process holds the lock.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True
