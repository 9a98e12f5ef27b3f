"""What the docstrings of all compiled functions say alike: arguments that have no text of their own, and errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence

__all__ = ["completed"]

_BY_THREADS = "see `Robot.inverse_dynamics`."
_ARGUMENTS = {
    "q": "(..., nq) joint positions [rad, m].",
    "qd": "(..., nv) joint velocities [rad/s, m/s].",
    "qdd": "(..., nv) joint accelerations [rad/s^2, m/s^2], the rates of the components of `qd`.",
    "tau": "(..., nv) joint forces [N m, N].",
    "wrenches": "{link name: (..., 6)} from the environment, which turn with their links: " + _BY_THREADS,
    "out": _BY_THREADS,
    "threads": _BY_THREADS,
}
_ERRORS = "Raises:\n    ShapeError, DtypeError: an array does not fit, or is not real numbers.\n"


_ELSEWHERE = re.compile(r"\bArguments\b[^.`]*: see\s")
"""A docstring that says where its arguments stand, which is left as it is."""


def completed(text: str, parameters: Sequence[str]) -> str:
    """A docstring with the arguments that it leaves out, in their order, and the errors of all functions.

    Example:
        >>> from revolute.machine.standard_text import completed
        >>> print(completed("Its mass.\\n\\nReturns:\\n    kg.", ["q"]))
        Its mass.
        <BLANKLINE>
        Args:
            q: (..., nq) joint positions [rad, m].
        <BLANKLINE>
        Returns:
            kg.
        <BLANKLINE>
        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
    """
    text = inspect.cleandoc(text)
    if _ELSEWHERE.search(text):
        return text
    sections = _sections(text)
    own = _entries(sections.pop("Args", ""))
    said = {name for names in own for name in names}
    for name in parameters:
        if name not in said and name in _ARGUMENTS:
            own[name,] = f"    {name}: {_ARGUMENTS[name]}\n"
    if ("out",) in own and ("threads",) in own and own["out",].endswith(own["threads",][12:]):
        own["out", "threads"] = "    out, threads: " + own.pop(("out",))[9:]
        del own["threads",]
    order = {name: place for place, name in enumerate(parameters)}
    arguments = "".join(own[names] for names in sorted(own, key=lambda names: order.get(names[0], 0)))
    errors = sections.pop("Raises", "")
    errors = _ERRORS + errors.partition("\n")[2] if "ShapeError" not in errors else errors
    start, example = sections.pop(""), sections.pop("Example", "")
    parts = [start, arguments and f"Args:\n{arguments}", *sections.values(), errors, example]
    return "\n\n".join(part.strip("\n") for part in parts if part)


def _sections(text: str) -> dict[str, str]:
    """The text before the first heading, by the name "", and each section with its heading."""
    found, name = {"": ""}, ""
    for line in text.splitlines(keepends=True):
        if line[:1].isupper() and line.rstrip() in ("Args:", "Returns:", "Raises:", "Warns:", "Example:"):
            name = line.rstrip()[:-1]
        found[name] = found.get(name, "") + line
    return found


def _entries(section: str) -> dict[tuple[str, ...], str]:
    """Entries of arguments by their names, with their text; several may share one."""
    found: dict[tuple[str, ...], str] = {}
    names: tuple[str, ...] = ()
    for line in section.splitlines(keepends=True)[1:]:
        if line[:4] == "    " and line[4:5] not in (" ", "", "\n"):
            names = tuple(name.strip(" *") for name in line.partition(":")[0].split(","))
        if line.strip():
            found[names] = found.get(names, "") + line
    return found
