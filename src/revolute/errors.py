"""All errors and warnings of Revolute.

    RevoluteError
    ├── ModelError (ValueError)
    ├── InputError (ValueError)
    │   ├── ShapeError
    │   ├── DtypeError (TypeError)
    │   ├── SingularityError
    │   └── TrajectoryError
    ├── UnknownNameError (KeyError)
    ├── GraphError
    ├── CompileError
    ├── SimulationError
    └── MissingExtraError (ImportError)
    SimulationInterrupt (KeyboardInterrupt)
    ModelWarning (UserWarning)
    └── UnknownNameWarning
    SimulationWarning (UserWarning)
"""

import contextlib
import sys
import warnings
from collections.abc import Iterator
from contextvars import ContextVar

LONGEST = 4000
"""Maximum length of a message [characters]; longer messages, as from damaged files, are truncated in the middle."""

IN_SHELL: ContextVar[bool] = ContextVar("IN_SHELL", default=False)
"""Whether the command line is running; if so, messages suggest options instead of Python code."""


def advice(python: str, shell: str) -> str:
    """Return the advice for a message: Python code, or command-line options if the command line is running."""
    return shell if IN_SHELL.get() else python


class RevoluteError(Exception):
    """Base class of all errors of this library; control characters in messages are escaped."""

    def __init__(self, message: str = "") -> None:
        message = str(message)
        if len(message) > LONGEST:
            message = f"{message[: LONGEST // 2]} ... {message[-LONGEST // 4 :]}"
        super().__init__(message)

    def __str__(self) -> str:
        return printable_lines(str(self.args[0]) if self.args else "")


class ModelError(RevoluteError, ValueError):
    """A robot description is invalid; the message names the file, link or joint."""


class InputError(RevoluteError, ValueError):
    """A function cannot use the value of an argument."""


class ShapeError(InputError):
    """The shape of an array does not fit the robot."""


class DtypeError(InputError, TypeError):
    """The dtype of an array is not supported by kernels."""


class SingularityError(InputError):
    """The result does not exist in a singular state; the message names the frame, the direction and the state."""


class TrajectoryError(InputError):
    """A trajectory is invalid; the message names the file, and the line or column."""


class UnknownNameError(RevoluteError, KeyError):
    """No joint, link or function has that name; the message lists similar names."""


class GraphError(RevoluteError):
    """An expression graph violates an invariant: a bug in Revolute."""


class CompileError(RevoluteError):
    """Machine code could not be generated or loaded on this host."""


INSTALL = 'pip install ".[{extra}]" in the checkout of Revolute'
"""Command that installs an extra. After a release on PyPI, the command will be: pip install "revolute[{extra}]"."""


class MissingExtraError(RevoluteError, ImportError):
    """A feature needs an optional package; the message names the extra to install."""

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(f"{need}, which is not installed; try {INSTALL.format(extra=extra)}")


@contextlib.contextmanager
def extra(need: str, name: str) -> Iterator[None]:
    """Context for importing optional packages: raise `MissingExtraError`, which names the extra, if one is missing."""
    try:
        yield
    except ImportError:
        raise MissingExtraError(need, name) from None


class SimulationError(RevoluteError):
    """A simulation stopped early; the message names the time and the joint.

    Attributes:
        partial: the `revolute.simulate.Simulation` up to that time, or None.
    """

    def __init__(self, message: str, partial: object = None) -> None:
        super().__init__(message)
        self.partial = partial


class SimulationInterrupt(KeyboardInterrupt):
    """Ctrl-C stopped a simulation; in an interactive session, `sys.last_value` is this exception.

    Attributes:
        partial: the `revolute.simulate.Simulation` up to that time.
    """

    def __init__(self, message: str = "", partial: object = None) -> None:
        super().__init__(message)
        self.partial = partial


class ModelWarning(UserWarning):
    """A robot description is accepted, but is suspicious."""

    def __str__(self) -> str:
        return printable_lines(str(self.args[0]) if self.args else "")


class SimulationWarning(UserWarning):
    """A motion may be wrong: it gains energy, its contacts are not solved, or a controller violates its limits."""

    __str__ = ModelWarning.__str__


class UnknownNameWarning(ModelWarning):
    """An element or attribute of a description is ignored: it is misspelt, misplaced or unknown.

    Attributes:
        file: the file, or a description such as "URDF text".
        line: line number of the first occurrence, counted from 1.
        element: name of the enclosing element, such as "joint".
        name: name of the element or attribute.
        nearest: the known name that was probably meant; None if none is similar.
    """

    def __init__(
        self, message: str, file: str = "", line: int = 0, element: str = "", name: str = "", nearest: str | None = None
    ) -> None:
        super().__init__(message)
        self.file, self.line, self.element, self.name, self.nearest = file, line, element, name, nearest


def warn_caller(message: str | ModelWarning) -> None:
    """Issue a `ModelWarning` that points to the caller's line outside this library."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "revolute":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, ModelWarning, stacklevel=level)


# --- text that is safe to print in a terminal ------------------------------------------------
#
# Names come from untrusted files. Control characters in them could colour, move or hide text in a terminal (ESC,
# U+009B), or reverse its order (U+202E). Printed text contains escapes instead: `\x1b`. Stored names are unchanged.


def printable(text: str) -> str:
    """Replace unprintable characters of a text, including line breaks, by Python escapes."""
    if text.isprintable():
        return text
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in text)


def printable_lines(text: str) -> str:
    """Replace unprintable characters by Python escapes, but preserve line breaks."""
    return "\n".join(map(printable, text.split("\n")))


def one_line(text: str) -> str:
    """Printable text on one line: lines are joined by spaces."""
    return " ".join(printable(line.strip()) for line in text.split("\n") if line.strip())
