"""A digest of the source that determines kernels, so that kernels become invalid when it changes.

Reading hundreds of files takes most of the time of a first call. So the digest is stored in the cache folder, with the
state of all files: device, inode, size, and the times of the last change of content and of status. The note is valid
while that state is unchanged. Every write, and every change of the modification time, sets the status time, which
programs cannot set. In three cases files are read instead:

- a file was changed right before its state was stored: another change might have the same time;
- the file system has no such time, or only a coarse one, such as FAT's;
- the package is not a folder but an archive, which is then read completely.
"""

import contextlib
import hashlib
import os
import struct
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from revolute.compiler.cache import folder
from revolute.compiler.cached_files import NOTES, opened, replace

SOURCES = (
    "arguments", "compiler", "dynamics", "graph", "machine", "model", "optimal", "published", "spatial", "symbolic",
    "targets",
)  # fmt: skip
"""Folders of the package whose source code affects kernels, in addition to the top-level modules."""

MOST = 16  # maximum number of notes. The file holds a checksum, then one line `state digest` per package, newest first
MOMENT = 5.0  # minimum age of a file's last change [s], so that any later change has a different time stamp
COARSE = 10_000_000  # resolution of time stamps on FAT [ns]; other file systems are finer
_State = tuple[str, int, int, int, int, int]  # path, device, inode, size, times of content and status


@cache
def source_digest() -> str:
    """The digest of this library."""
    return package_digest(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def package_digest(package: str) -> str:
    """The digest of the library in a folder, from the notes if available; or of its archive."""
    now, files = time.time(), _states(package)
    if not files:  # the source code is in an archive or in the executable
        archive = next((x for x in Path(package).parents if x.is_file()), Path(sys.executable))
        return _digest([(archive.name, archive.read_bytes())])
    # a note is valid only if any later change of a file is visible in its state
    place = folder() if _lasts(files, now) else None
    if place is None:
        return _digest(_contents(package, files))
    state, notes = _state(package, files), _read(place / NOTES)
    if state not in notes:
        notes = {state: _digest(_contents(package, files)), **notes}
        _write(place / NOTES, notes)
    return notes[state]


def _digest(contents: Iterable[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256()
    for name, content in contents:
        digest.update(f"{name}\n".encode() + content)
    return digest.hexdigest()


# --- a package in a folder -------------------------------------------------------------------


def _states(package: str) -> list[_State]:
    """The states of a package's modules, in an order independent of the file system; none for an archive."""
    try:
        files = list(_modules(package, ""))
        for room in SOURCES:
            files += _modules(f"{package}{os.sep}{room}", f"{room}{os.sep}", within=True)
    except OSError:
        return []
    return files


def _modules(path: str, before: str, within: bool = False) -> Iterator[_State]:
    """The states of a folder's modules; with `within`, also of those in its subfolders."""
    for name in sorted(os.listdir(path)):
        file = f"{path}{os.sep}{name}"
        if name.endswith((".py", ".pyc")):  # the entry is not a folder; an explicit check for folders would take longer
            x = os.stat(file)
            yield before + name, x.st_dev, x.st_ino, x.st_size, x.st_mtime_ns, x.st_ctime_ns
        elif within and name != "__pycache__" and os.path.isdir(file):
            yield from _modules(file, f"{before}{name}{os.sep}", within)


def _state(package: str, files: list[_State]) -> str:
    """A digest of all states."""
    paths, *numbers = zip(*files, strict=True)
    text = "\n".join([package, *paths]).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text + b"".join([struct.pack(f"{len(files)}Q", *column) for column in numbers])).hexdigest()


def _lasts(files: list[_State], now: float) -> bool:
    """Whether every later change of a file will change its state. Negative numbers in a state are not accepted."""
    if sys.platform == "win32":  # on Windows, the last time is the creation time
        return False
    times = [file[-1] for file in files]
    natural = min(min(file[1:]) for file in files) >= 0
    return natural and max(times) < (now - MOMENT) * 1e9 and any(time % COARSE for time in times)


def _contents(package: str, files: list[_State]) -> Iterator[tuple[str, bytes]]:
    for path, *_ in files:
        with open(f"{package}{os.sep}{path}", "rb", buffering=0) as file:
            yield os.path.basename(path), file.read()


# --- notes -----------------------------------------------------------------------------------


def _read(path: Path) -> dict[str, str]:
    """Digests by states; none if the file does not have the form from `_write`."""
    try:
        with opened(path) as file:
            checksum, _, text = file.read(200 * MOST).decode("ascii").partition("\n")
        if checksum != hashlib.sha256(text.encode()).hexdigest():
            return {}
        return dict(line.split(" ") for line in text.splitlines())
    except (OSError, ValueError):
        return {}


def _write(path: Path, notes: dict[str, str]) -> None:
    """Store the newest notes; a failure is not an error."""
    text = "".join(f"{state} {digest}\n" for state, digest in list(notes.items())[:MOST])
    with contextlib.suppress(OSError):
        replace(path, f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}".encode())
