"""Every error and warning that Revolute raises on purpose.

    RevoluteError
    ├── ModelError (ValueError)        a robot description that cannot be a robot
    ├── InputError (ValueError)        an argument that a function cannot use
    │   ├── ShapeError                 an array whose shape does not fit the robot
    │   ├── DtypeError (TypeError)     an array whose type of number is not supported
    │   ├── SingularityError           a state in which the result does not exist
    │   └── TrajectoryError            a table of states that does not fit the robot, or is damaged
    ├── UnknownNameError (KeyError)    no joint, link or function of that name
    ├── GraphError                     a graph that breaks its own rules: a bug in Revolute
    ├── CompileError                   machine code could not be made for this host
    ├── SimulationError                a simulation that stopped early; it keeps the motion up to there
    └── MissingExtraError (ImportError)  an optional package is not installed
    SimulationInterrupt (KeyboardInterrupt)  a simulation stopped by Ctrl-C; it keeps the motion up to there
    ModelWarning (UserWarning)         a description that loads, but is suspicious
    └── UnknownNameWarning             a name in a description that is not read: probably misspelt or misplaced
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from contextvars import ContextVar

LONGEST = 4000
"""Longest message [characters]; longer ones, which damaged files cause, are cut in the middle."""


IN_SHELL: ContextVar[bool] = ContextVar("IN_SHELL", default=False)
"""Whether messages are read by people who type commands: advice names options then, and no Python."""


def advice(python: str, shell: str) -> str:
    """Choose the advice of a message: Python for those who program, options for those who type commands.

    Example:
        >>> from revolute.errors import advice
        >>> advice("read_log(..., rate=100)", "--rate 100")
        'read_log(..., rate=100)'
    """
    return shell if IN_SHELL.get() else python


class RevoluteError(Exception):
    """Base class of all errors of this library; a message shows control characters of names escaped."""

    def __init__(self, message: str = "") -> None:
        message = str(message)
        if len(message) > LONGEST:
            message = f"{message[: LONGEST // 2]} ... {message[-LONGEST // 4 :]}"
        super().__init__(message)

    def __str__(self) -> str:
        return printable_lines(str(self.args[0]) if self.args else "")


class ModelError(RevoluteError, ValueError):
    """A robot description is broken; the message names the file, link or joint."""


class InputError(RevoluteError, ValueError):
    """An argument has a value that the function cannot use."""


class ShapeError(InputError):
    """The shape of an array does not fit the robot."""


class DtypeError(InputError, TypeError):
    """An array has a number type that kernels do not support."""


class SingularityError(InputError):
    """The result does not exist in this singular state; the message names frame, direction and state."""


class TrajectoryError(InputError):
    """A trajectory cannot be used; the message names the file, and the line or column."""


class UnknownNameError(RevoluteError, KeyError):
    """No joint, link or function of that name; the message lists near matches."""


class GraphError(RevoluteError):
    """An expression graph violates an invariant."""


class CompileError(RevoluteError):
    """Machine code could not be generated or loaded on this host."""


INSTALL = 'pip install ".[{extra}]" in the checkout of Revolute'
"""How to add an extra. From PyPI it will be: pip install "revolute[{extra}]"."""


class MissingExtraError(RevoluteError, ImportError):
    """A feature needs an optional package; the message says what to install."""

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(f"{need}, which is not installed; try {INSTALL.format(extra=extra)}")


@contextlib.contextmanager
def extra(need: str, name: str) -> Iterator[None]:
    """Import optional packages in this block; `MissingExtraError` names the extra if one is not installed.

    Example:
        >>> from revolute.errors import extra
        >>> with extra("drawing needs Matplotlib", "plot"):
        ...     import matplotlib
    """
    try:
        yield
    except ImportError:
        raise MissingExtraError(need, name) from None


class SimulationError(RevoluteError):
    """A simulation stopped early; the message names the time and the joint.

    Attributes:
        partial: the `revolute.simulate.Simulation` up to there, or None.
    """

    def __init__(self, message: str, partial: object = None) -> None:
        super().__init__(message)
        self.partial = partial


class SimulationInterrupt(KeyboardInterrupt):
    """A simulation stopped by Ctrl-C; in an interactive session it is `sys.last_value`.

    Attributes:
        partial: the `revolute.simulate.Simulation` up to there.
    """

    def __init__(self, message: str = "", partial: object = None) -> None:
        super().__init__(message)
        self.partial = partial


class ModelWarning(UserWarning):
    """A robot description is accepted, but something in it is suspicious."""

    def __str__(self) -> str:
        return printable_lines(str(self.args[0]) if self.args else "")


class SimulationWarning(UserWarning):
    """A motion is computed, but it gains energy that no force explains."""

    __str__ = ModelWarning.__str__


class UnknownNameWarning(ModelWarning):
    """An element or attribute of a description is not read: it is misspelt, misplaced, or of something unknown.

    Attributes:
        file: the file, or "URDF text" and the like.
        line: of the first element that has it, or is it; from 1.
        element: the element that it is in: "joint".
        name: of the element or attribute.
        nearest: the name that was probably meant, if there is one near.
    """

    def __init__(
        self, message: str, file: str = "", line: int = 0, element: str = "", name: str = "", nearest: str | None = None
    ) -> None:
        super().__init__(message)
        self.file, self.line, self.element, self.name, self.nearest = file, line, element, name, nearest


def warn_caller(message: str | ModelWarning) -> None:
    """Issue a `ModelWarning` that points at the line outside of this library."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "revolute":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, ModelWarning, stacklevel=level)


# --- text that is safe to print in a terminal ------------------------------------------------
#
# Names come from files of strangers. A control character in them could colour, move or hide what a terminal shows
# (ESC, U+009B), or turn its order around (U+202E). Text for people has escapes in their place: `\x1b`. Data keep them.


def printable(text: str) -> str:
    r"""Text whose unprintable characters are written as Python escapes: the line breaks too.

    Example:
        >>> from revolute.errors import printable
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
