"""Object code on disk, so that functions of a robot are compiled once, and later loaded in milliseconds.

The folder is $REVOLUTE_CACHE_DIR, or the user's cache folder. It contains machine code, so it must belong to the user,
and nobody else may read or write it (0700); otherwise it is not used. On Windows, which has no such modes, the user's
own folder is already private. Files are written completely or not at all, and contain their key and a checksum; an
entry that fails a check is compiled and written again. If there are more or larger files than `cached_files` allows,
the least recently used are removed first.
"""

import contextlib
import hashlib
import json
import math
import os
import stat
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from revolute.compiler.cached_files import opened, replace
from revolute.errors import printable

LARGEST = 128 * 2**20  # maximum size of an entry [bytes]; larger entries are neither written nor read
_MAGIC = b"revolute object code 1\n"


def folder() -> Path | None:
    """The cache folder, created if missing; None if there is no safe folder."""
    try:
        path = Path(os.environ.get("REVOLUTE_CACHE_DIR") or _folder_of_user())
    except RuntimeError as error:  # the user has no home folder
        _complain(f"no folder is available for the kernel cache: {error}")
        return None
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.lstat()
    except OSError as error:
        _complain(f"the kernel cache {path} cannot be created ({error.strerror})")
        return None
    if not stat.S_ISDIR(status.st_mode):
        _complain(f"the kernel cache {path} is not a folder")
        return None
    # machine code is run unchecked: anyone who can write to this folder can run any code as this user
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o077):
        _complain(f"the kernel cache {path} is accessible to other users; run `chmod 700 {path}`, or remove it")
        return None
    return path


def _folder_of_user() -> str:
    from platformdirs import user_cache_dir  # systems without user accounts may lack this module

    return user_cache_dir("revolute", appauthor=False)


@cache
def _complain(reason: str) -> None:
    warnings.warn(
        f"{printable(reason)}; kernels are compiled in every process. Set REVOLUTE_CACHE_DIR to use another folder",
        RuntimeWarning,
        stacklevel=2,
    )


def read(key: str) -> tuple[bytes, dict[str, Any]] | None:
    """Object code and notes stored under a key; None if there is no valid entry."""
    if (place := folder()) is None:
        return None
    path = place / f"{key}.kernel"
    try:
        with opened(path) as file:
            # read one byte more than allowed, to detect files that are too large
            content = file.read(min(os.fstat(file.fileno()).st_size, LARGEST) + 1)  # memory is allocated before reading
            with contextlib.suppress(OSError):  # mark as recently used: older entries are removed first
                os.utime(path)
    except OSError:
        return None
    head, checksum, body = content[: len(_MAGIC)], content[len(_MAGIC) :][:32], content[len(_MAGIC) + 32 :]
    if len(content) > LARGEST or head != _MAGIC or hashlib.sha256(body).digest() != checksum:
        return None
    text, _, code = body.partition(b"\n")
    notes = _notes(text)
    return (code, notes) if notes is not None and notes["key"] == key else None


def _notes(text: bytes) -> dict[str, Any] | None:
    """The notes of an entry; None if they do not have the form that `write` produces."""
    try:
        notes = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if type(notes) is not dict or set(notes) != {"operations", "seconds", "key"}:
        return None
    operations, seconds = notes["operations"], notes["seconds"]
    valid = type(operations) is int and 0 <= operations < 2**53 and type(seconds) is float and 0 <= seconds < math.inf
    return notes if valid else None


def write(key: str, code: bytes, notes: dict[str, Any]) -> bool:
    """Store object code under a key, the hash of all that determines the code; return whether it was stored.

    A failure raises no error. Notes are "operations", an int, and "seconds", a float: see `Kernel`.
    """
    if (place := folder()) is None:
        return False
    # each file contains the key of its entry, so that renamed or copied files are rejected
    body = json.dumps({**notes, "key": key}).encode() + b"\n" + code
    content = _MAGIC + hashlib.sha256(body).digest() + body
    if len(content) > LARGEST:
        return False
    with contextlib.suppress(OSError):
        replace(place / f"{key}.kernel", content)
        return True
    return False
