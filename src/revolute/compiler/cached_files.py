"""The files of the kernel cache: permissions, total size, and order of removal.

A file is written under a temporary name, `*.part`, and then renamed to the name of its kernel.
"""

import contextlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

BYTES = 512 * 2**20
# maximum size [bytes] and number of files: enough for a thousand kernels of humanoids, and fast to list
FILES = 4096
SLACK = 16  # 1/SLACK of a full folder is freed at once, so that the next writes need not remove files
ABANDONED = 600.0  # age [s] from which an unfinished file is considered abandoned: writing one takes less than a second
_sizes: dict[Path, dict[str, int]] = {}
"""For each folder, the sizes of its files [bytes] by name, at the last write of this process."""
_FLAGS = [getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_BINARY")]


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a cache file for reading; raise `OSError` unless it is a regular file that only this user can write.

    Opening a device or a pipe does not block.
    """
    handle = os.open(path, sum(_FLAGS))
    try:
        # check the open file, because a file that is checked by name could be replaced before it is opened
        status = os.fstat(handle)
        private = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
        if not stat.S_ISREG(status.st_mode) or not private:
            raise PermissionError(f"{path} is not a regular file that only this user can write")
        with os.fdopen(handle, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(handle)


def replace(path: Path, content: bytes) -> None:
    """Write a cache file completely, or raise `OSError`; remove other cache files if space is lacking."""
    if len(content) > BYTES:
        raise OSError(f"{path} exceeds the limit of the whole cache")
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            # if processes write concurrently, the last process to count includes the files of all processes
            if not _has_room(path):
                _make_room(path)
        # an empty folder with the kernel's name is removed; a folder with content remains, and the replacement fails
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def entries(place: Path) -> list[tuple[Path, os.stat_result]]:
    """The kernels in a folder and the status of their files, least recently used first."""
    found = sorted(_files(place, (".kernel",)), key=lambda entry: entry[1].st_mtime_ns)
    return [(Path(file.path), status) for file, status in found]


def clear(place: Path) -> None:
    """Remove all kernels, including unfinished files, from a folder; running programs are not affected."""
    for path in (*place.glob("*.kernel"), *place.glob("*.part")):
        with contextlib.suppress(OSError):
            path.unlink()


def _has_room(new: Path) -> bool:
    """Whether all files fit, by the sizes that kernels had when they were first seen: reading all takes 10 ms.

    False if a file is unfinished, other than the one that is being written, or if another process removes files.
    """
    place, known = new.parent, _sizes.get(new.parent, {})
    names = [name for name in os.listdir(place) if name.endswith((".part", ".kernel")) and name != new.name]
    if len(names) > FILES or sum(name.endswith(".part") for name in names) > 1:
        return False
    try:
        sizes = {name: known[name] if name in known else os.lstat(f"{place}{os.sep}{name}").st_size for name in names}
    except OSError:
        return False
    _sizes[place] = sizes
    return sum(sizes.values()) <= BYTES


def _make_room(new: Path) -> None:
    """Remove abandoned files, then the least recently used kernels until there is space; else raise `OSError`."""
    place = new.parent
    size, number, kernels = 0, 0, list[tuple[int, int, str]]()
    for file, status in _files(place, (".part", ".kernel")):
        unfinished = file.name.endswith(".part")
        if unfinished and time.time() - status.st_mtime > ABANDONED:
            with contextlib.suppress(OSError):
                os.unlink(file.path)
        elif file.name != new.name:
            size, number = size + status.st_size, number + 1
            if not unfinished:
                kernels.append((status.st_mtime_ns, status.st_size, file.path))
    # if the folder is too large, additional space is freed for the next writes
    if size > BYTES or number > FILES:
        for _, kernel, path in sorted(kernels):
            if size <= BYTES - BYTES // SLACK and number <= FILES - FILES // SLACK:
                break
            Path(path).unlink(missing_ok=True)
            size, number = size - kernel, number - 1
    if size > BYTES or number > FILES:
        raise OSError(f"{place} is full")


def _files(place: Path, endings: tuple[str, ...]) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """The regular files of a folder with given endings, and their status."""
    with os.scandir(place) as files:
        for file in files:
            if file.name.endswith(endings):
                with contextlib.suppress(OSError):  # another process may remove the file meanwhile
                    status = file.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        yield file, status
