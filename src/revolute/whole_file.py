"""Atomic writing of files.

The content is written to a temporary file in the same folder, which then replaces the file in one step. After
an error the old file is unchanged and the temporary file is deleted. Of several processes that write a file, the last
one wins.

Symbolic links are followed: the target is replaced, the link remains. Devices, FIFOs and descriptors such as
/dev/stdout are written directly. A file cannot be replaced if its folder is not writable, or if it is a mount point.
"""

import contextlib
import errno
import io
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from revolute.errors import InputError

Name = str | os.PathLike[str]
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_LINKS = 40  # maximum length of a chain of symbolic links, as in the kernel
_STANDARD = ("stdin", "stdout", "stderr")


def write_whole(path: Name, content: str | bytes) -> None:
    """Write a file; text is encoded as UTF-8, with newlines unchanged.

    Raises:
        OSError: the file cannot be written, or is read-only; the error names it.
    """
    data = content.encode() if isinstance(content, str) else content
    with whole_file(path) as file:
        file.write(data)


def write_document(path: Name, content: str | bytes) -> None:
    """`write_whole` for users' files: raise `InputError` if the file cannot be written."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def check_target(
    path: Name, what: str, suffixes: Collection[str], error: type[InputError] = InputError, shown: str = ""
) -> Path:
    """Return the path of a file to write; raise `error` if its suffix is wrong or its folder does not exist.

    `suffixes` are in lower case. Messages contain `what` ("pictures", "tables") and `shown`, by default all suffixes.
    """
    file = Path(path)
    if file.suffix.lower() not in suffixes:
        kinds = shown or ", ".join(suffixes)
        raise error(f"{file}: {what} are written as {kinds}, by the suffix, not as '{file.suffix or file.name}'")
    check_folder(file, error)
    return file


def check_folder(file: Path, error: type[InputError] = InputError) -> None:
    """Raise `error` unless the folder of a file to write exists."""
    if not file.parent.is_dir():
        raise error(f"{file}: cannot be written: there is no folder {file.parent}")


@contextlib.contextmanager
def whole_file(path: Name) -> Iterator[BinaryIO]:
    """A temporary binary file for writing; it is renamed to its target when the block ends without an error.

    The permissions are those of the replaced file; for a new file they follow the umask. If the file cannot be written,
    `OSError` is raised, with the file's name.
    """
    with _errors_name(path):
        replaced = _status(path)
        stream = _stream(path, replaced)
        if replaced is not None and stream is None and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "Permission denied: the file is read-only")
        if not os.path.basename(path):
            raise IsADirectoryError(errno.EISDIR, "Is a directory")
    if stream is not None:
        with _errors_name(path):
            raw = _Raw(os.dup(stream) if isinstance(stream, int) else stream, path)
        with io.BufferedWriter(raw) as file:
            yield file
        return
    place = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(place), f".revolute-{os.urandom(8).hex()}.part")
    try:
        with _errors_name(path, {errno.EACCES: "Permission denied: its folder is not writable"}):
            raw = _Raw(_opened(temporary, replaced), path)
        with io.BufferedWriter(raw) as file:
            yield file
            file.flush()
            with _errors_name(path):
                _synchronize(raw.fileno())
        with _errors_name(path, {errno.EBUSY: "it is a mount point, which cannot be replaced"}):
            os.replace(temporary, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


class _Raw(io.FileIO):
    """An open file whose errors name the target, not the temporary file."""

    def __init__(self, file: int | Name, target: Name) -> None:
        super().__init__(file if isinstance(file, int) else os.fspath(file), "w")
        self._target = target

    def write(self, data: object) -> int:
        with _errors_name(self._target):
            return super().write(data)  # type: ignore[arg-type]


@contextlib.contextmanager
def _errors_name(path: Name, reasons: Mapping[int, str] = MappingProxyType({})) -> Iterator[None]:
    """Make errors in the block name this file; `reasons` replaces the text of some error numbers."""
    try:
        yield
    except OSError as error:
        reason = reasons.get(error.errno or 0) or error.strerror or str(error)
        raise OSError(error.errno, reason, os.fspath(path)) from None


def _status(path: Name) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _stream(path: Name, status: os.stat_result | None) -> int | Name | None:
    """The target of direct writing: a descriptor of this process, a device or a FIFO; None for a regular file."""
    # The shell may have bound a regular file to /dev/stdout. Replacing or reopening it would lose other output.
    hop = os.path.abspath(path)
    for _ in range(_LINKS):
        folder, name = os.path.split(hop)
        folder = os.path.realpath(folder)
        if folder == "/dev" and name in _STANDARD:
            return _STANDARD.index(name)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and name.isdecimal():
            return int(name)
        try:
            hop = os.path.join(folder, os.readlink(os.path.join(folder, name)))
        except OSError:  # the path is not a symbolic link
            break
    return path if status is not None and not stat.S_ISREG(status.st_mode) else None


def _synchronize(descriptor: int) -> None:
    """Flush a file to the disk, if the file system supports that."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise


def _opened(temporary: str, replaced: os.stat_result | None) -> int:
    """Create a file with the owner and permissions of the file that it will replace; return its descriptor."""
    descriptor = os.open(temporary, _NEW, 0o666 if replaced is None else 0o600)
    if replaced is not None and hasattr(os, "fchown"):
        created = os.fstat(descriptor)
        mode = replaced.st_mode & 0o777
        if created.st_gid != replaced.st_gid:
            try:
                os.fchown(descriptor, -1, replaced.st_gid)
            except OSError:  # users outside that group cannot set it, so the group gets no permissions
                mode &= ~0o070
        if created.st_uid != replaced.st_uid:
            with contextlib.suppress(OSError):  # only root may change a file's owner
                os.fchown(descriptor, replaced.st_uid, -1)
        with contextlib.suppress(OSError):  # some file systems lack permissions
            os.fchmod(descriptor, mode)
    return descriptor
