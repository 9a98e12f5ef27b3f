"""Robot descriptions from files and texts, with a limit on their size."""

from __future__ import annotations

from pathlib import Path

from revolute.errors import ModelError

__all__ = ["LARGEST", "check_text", "read_file"]

LARGEST = 64 * 2**20
"""Bytes of the largest file or text."""


def read_file(where: str, hint: str = "") -> bytes:
    """The content of a file.

    Args:
        where: its path.
        hint: ends the message if the file cannot be read.

    Raises:
        ModelError: the file cannot be read, or is too large.
    """
    shown = where if len(where) < 200 else where[:60] + " ..."
    try:
        with open(where, "rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise ModelError(f"{shown!r}: there is no such file (looked in {str(Path.cwd())!r}){hint}") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"{shown!r}: the file cannot be read: {reason}{hint}") from None
    _check(shown, len(content))
    return content


def check_text(where: str, text: str) -> None:
    """Raise for a text that would be too large as a file.

    Args:
        where: its name in the message.
        text: measured in bytes of UTF-8.

    Raises:
        ModelError: the text is too large.
    """
    _check(where, len(text))
    if len(text) > LARGEST // 4 and not text.isascii():
        _check(where, len(text.encode(errors="surrogatepass")))


def _check(where: str, size: int) -> None:
    if size > LARGEST:
        raise ModelError(f"{where}: larger than {LARGEST >> 20} MiB, so not a robot description without meshes")
