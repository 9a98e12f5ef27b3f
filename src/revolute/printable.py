"""Text that is safe to print in a terminal.

Names come from files of strangers. A control character in them could colour, move or hide what a terminal shows
(ESC, U+009B), or turn its order around (U+202E). Text for people has escapes in their place: `\\x1b`. Data keep them.
"""

from __future__ import annotations

__all__ = ["one_line", "printable", "printable_lines"]


def printable(text: str) -> str:
    r"""Text whose unprintable characters are written as Python escapes: the line breaks too.

    Example:
        >>> from revolute.printable import printable
        >>> print(printable("el\x1b[1mbow\n"))
        el\x1b[1mbow\n
    """
    if text.isprintable():
        return text
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in text)


def printable_lines(text: str) -> str:
    """The same, but line breaks are kept."""
    return "\n".join(map(printable, text.split("\n")))


def one_line(text: str) -> str:
    """Printable text on one line: its lines joined by blanks."""
    return " ".join(printable(line.strip()) for line in text.split("\n") if line.strip())
