"""Files that are written whole or not at all.

The content goes to a temporary file in the same folder, under a random name. Once it is complete it takes the file's
place in one step. Until then, and after an error, the old file is as it was; after an error the temporary file is gone.
Several writers of one file do not disturb each other: the last one wins.

Links are followed: what a link points to is replaced, the link stays. Devices, FIFOs and descriptors such as
/dev/stdout are written directly.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["whole_file", "write_whole"]

Name = str | os.PathLike[str]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_LINKS = 40
"""Links in a row that the kernel follows at most."""


def write_whole(path: Name, content: str | bytes) -> None:
    """Write a file; text in UTF-8, newlines as they are.

    Raises:
        OSError: the file cannot be written, or is read-only; the error names it.

    Example:
        >>> import pathlib, tempfile
        >>> from revolute.whole_file import write_whole
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
        >>> write_whole(path, "whole")
        >>> path.read_text()
        'whole'
    """
    data = content.encode() if isinstance(content, str) else content
    with whole_file(path) as file:
        file.write(data)


@contextlib.contextmanager
def whole_file(path: Name) -> Iterator[BinaryIO]:
    """A binary file to write to; it appears under its name when the block ends without an error.

    It has the permissions of the file that it replaces; a new file has those that the umask leaves.

    Raises:
        OSError: the file cannot be written, or is read-only; the error names it.
    """
    with _errors_name(path):
        replaced = _status(path)
        directly = _is_stream(path, replaced)
        if replaced is not None and not directly and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "Permission denied: the file is read-only")
    if directly:
        with _errors_name(path):
            stream = _Raw(path, path)
        with io.BufferedWriter(stream) as file:
            yield file
        return
    place = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(place), f".revolute-{os.urandom(8).hex()}.part")
    try:
        with _errors_name(path):
            raw = _Raw(_opened(temporary, replaced), path)
        with io.BufferedWriter(raw) as file:
            yield file
            file.flush()
            with _errors_name(path):
                os.fsync(raw.fileno())
        with _errors_name(path):
            os.replace(temporary, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


class _Raw(io.FileIO):
    """An open file whose errors name the file that was asked for, not the temporary one."""

    def __init__(self, file: int | Name, shown: Name) -> None:
        super().__init__(file if isinstance(file, int) else os.fspath(file), "w")
        self._shown = shown

    def write(self, data: object) -> int:
        with _errors_name(self._shown):
            return super().write(data)  # type: ignore[arg-type]


@contextlib.contextmanager
def _errors_name(path: Name) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from None


def _status(path: Name) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_stream(path: Name, status: os.stat_result | None) -> bool:
    """Whether to write to the thing itself: a device, a FIFO, a folder (which fails), or a descriptor's name.

    The shell may have bound a regular file to /dev/stdout. Replacing that file would lose what else is printed there.
    """
    if status is not None and not stat.S_ISREG(status.st_mode):
        return True
    hop = os.path.abspath(path)
    for _ in range(_LINKS):
        folder, name = os.path.split(hop)
        folder = os.path.realpath(folder)
        if folder == "/dev" or (folder.startswith(("/proc/", "/dev/")) and folder.endswith("/fd")):
            return True
        try:
            hop = os.path.join(folder, os.readlink(os.path.join(folder, name)))
        except OSError:  # no link
            break
    return False


def _opened(temporary: str, replaced: os.stat_result | None) -> int:
    """A descriptor of a new file, with the owner and permissions of the one that it is to replace."""
    descriptor = os.open(temporary, _NEW, 0o666 if replaced is None else 0o600)
    if replaced is not None and hasattr(os, "fchmod"):
        mine = os.fstat(descriptor)
        if (mine.st_uid, mine.st_gid) != (replaced.st_uid, replaced.st_gid):
            with contextlib.suppress(OSError):  # only root may give files away
                os.fchown(descriptor, replaced.st_uid, replaced.st_gid)
        with contextlib.suppress(OSError):  # some file systems know no permissions
            os.fchmod(descriptor, replaced.st_mode & 0o777)
    return descriptor
