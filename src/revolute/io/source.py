"""Sources of robot descriptions: paths, texts, bytes and open files, with a limit on their size."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from revolute.errors import InputError, ModelError

BLANK = "\ufeff \t\r\n"  # whitespace that is ignored before the first element of a text
LARGEST = 64 * 2**20  # maximum size of a file or text [bytes]


class Source(NamedTuple):
    """The content of a robot's description."""

    content: str | bytes  # as text or bytes
    where: str  # name in messages: the path, or "text"
    path: str = ""  # path of the file; "" if there is none
    expanded: bool = False  # whether xacro has expanded the content

    @property
    def folder(self) -> str:
        """The absolute path of the file's folder; "" without a file."""
        return os.path.dirname(os.path.abspath(self.path)) if self.path else ""


def opened(source: Any) -> Source:
    """Read a description from a path ("~" is the home folder), an open file, or XML as text or bytes."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _text(bytes(source))
    if isinstance(source, str) and source.lstrip(BLANK).startswith("<"):
        return _text(source)
    if isinstance(source, (str, os.PathLike)):
        return _file(os.fspath(source))
    if callable(getattr(source, "read", None)):
        return _open_file(source)
    raise InputError(
        "a robot is loaded from the path of a file (URDF, MJCF, SDF or TOML), from XML text, bytes or an open file, or "
        f"by the name of a robot, not from {source!r}"
    )


def _text(content: str | bytes) -> Source:
    if isinstance(content, str):
        _check_text(content)
    else:
        _check("the bytes", len(content))
    if not content.strip():
        raise ModelError("the text is empty; give URDF, MJCF or SDF")
    return Source(content, "text")


def _file(path: Any) -> Source:
    if not (path := os.fsdecode(path)):
        raise ModelError("an empty text is neither a path nor URDF text")
    _check_text(path)
    path = os.path.expanduser(path) if path.startswith("~") else path
    return Source(read_file(path, "; URDF text must begin with '<'" if "<" in path else ""), path, path)


def _open_file(file: Any) -> Source:
    """Read the rest of an open file. Meshes are searched in the folder of the file's name."""
    name = getattr(file, "name", "")
    path = name if isinstance(name, str) and os.path.isfile(name) else ""
    try:
        content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # the file is closed, write-only, or not UTF-8
        raise ModelError(f"{path or 'the open file'}: it cannot be read: {error}") from None
    if not isinstance(content, (str, bytes)):
        raise InputError(f"an open file must return text or bytes when read, not {type(content).__name__}")
    if not content:
        raise ModelError(f"{path or 'the open file'}: nothing is left to read; was it read before?")
    return Source(_text(content).content, path or "text", path)


def read_file(where: str, hint: str = "") -> bytes:
    """The content of a file; `hint` ends the message if it cannot be read."""
    shown = where if len(where) < 200 else where[:60] + " ..."
    try:
        with open(where, "rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise ModelError(f"{shown!r}: there is no such file (looked in {str(Path.cwd())!r}){hint}") from None
    except (OSError, ValueError) as error:  # a null character in the path raises ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"{shown!r}: the file cannot be read: {reason}{hint}") from None
    _check(shown, len(content))
    return content


def _check_text(text: str) -> None:
    """Raise if a text is larger than `LARGEST` bytes of UTF-8."""
    _check("the text", len(text))
    if len(text) > LARGEST // 4 and not text.isascii():
        _check("the text", len(text.encode(errors="surrogatepass")))


def _check(where: str, size: int) -> None:
    if size > LARGEST:
        raise ModelError(f"{where}: larger than {LARGEST >> 20} MiB, the limit for a robot description")
