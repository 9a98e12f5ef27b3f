"""Sources of robot descriptions: paths, texts, bytes and open files."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from revolute.errors import InputError, ModelError
from revolute.io.bounded import LARGEST, check_text, read_file

__all__ = ["BLANK", "Source", "opened"]

BLANK = "\ufeff \t\r\n"
"""Characters allowed before the first element of a text."""


class Source(NamedTuple):
    """The content of a robot's description.

    Attributes:
        content: as text or bytes.
        where: name in messages: the path, or "text".
        path: of the file; "" if there is none.
        expanded: whether xacro has expanded the content.
    """

    content: str | bytes
    where: str
    path: str = ""
    expanded: bool = False

    @property
    def folder(self) -> str:
        """The absolute path of the file's folder; "" without a file."""
        return os.path.dirname(os.path.abspath(self.path)) if self.path else ""


def opened(source: Any) -> Source:
    """Read a path ("~" is the home folder), an open file, or XML given as text or bytes.

    Raises:
        ModelError: the file cannot be read, or is too large or empty.
        InputError: the source is none of these.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _text(bytes(source))
    if isinstance(source, str) and source.lstrip(BLANK).startswith("<"):
        return _text(source)
    if isinstance(source, (str, os.PathLike)):
        return _file(os.fspath(source))
    if callable(getattr(source, "read", None)):
        return _open_file(source)
    raise InputError(
        "a robot is loaded from the path of a URDF file, from URDF text, bytes or an open file, or by a name of the "
        f"library, not from {source!r}"
    )


def _text(content: str | bytes) -> Source:
    if isinstance(content, str):
        check_text("the text", content)
    elif len(content) > LARGEST:
        raise ModelError(f"the bytes: larger than {LARGEST >> 20} MiB, so not a robot description without meshes")
    if not content.strip():
        raise ModelError("an empty text is no URDF text")
    return Source(content, "text")


def _file(path: Any) -> Source:
    if not isinstance(path, str):
        path = os.fsdecode(path)
    if not path:
        raise ModelError("an empty text is neither a path nor URDF text")
    check_text("the text", path)
    path = os.path.expanduser(path) if path.startswith("~") else path
    content = read_file(path, "; URDF text must begin with '<'" if "<" in path else "")
    return Source(content, path, path)


def _open_file(file: Any) -> Source:
    """Read the rest of an open file. Meshes are searched next to the file with its name."""
    name = getattr(file, "name", "")
    path = name if isinstance(name, str) and os.path.isfile(name) else ""
    try:
        content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # closed, not open for reading, no UTF-8
        raise ModelError(f"{path or 'the open file'}: it cannot be read: {error}") from None
    if not isinstance(content, (str, bytes)):
        raise InputError(f"a robot is loaded from a file of text or bytes; this one gives {type(content).__name__}")
    if not content:
        raise ModelError(f"{path or 'the open file'}: nothing is left to read; was it read before?")
    return Source(_text(content).content, path or "text", path)
