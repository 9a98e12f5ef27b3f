"""Complete docstrings of compiled functions: arguments that they leave out, and the errors of all."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence

__all__ = ["completed"]

_SEE = "see `Robot.inverse_dynamics`."
_ARGUMENTS = {
    "q": "(..., nq) joint positions [rad, m].",
    "qd": "(..., nv) joint velocities [rad/s, m/s].",
    "qdd": "(..., nv) joint accelerations [rad/s^2, m/s^2], the rates of the components of `qd`.",
    "tau": "(..., nv) joint forces [N m, N].",
    "wrenches": f"{{link name: (..., 6)}} from the environment, which turn with their links: {_SEE}",
    "out": _SEE,
    "threads": _SEE,
}
_ERRORS = "    ShapeError, DtypeError: an array does not fit, or is not real numbers.\n"

_ELSEWHERE = re.compile(r"Arguments[^.`]*: see\s")
"""A docstring that says where its arguments stand, which is left as it is."""

_HEADING = re.compile(r"^(Args|Returns|Raises|Warns|Example):\n", re.MULTILINE)
_ENTRY = re.compile(r"^ {4}(?=\S)", re.MULTILINE)


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
    start, *rest = _HEADING.split(text)
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    entries = _ENTRY.split(sections.pop("Args", ""))[1:]
    own = {tuple(re.findall(r"\w+", entry.partition(":")[0])): entry for entry in entries}
    said = {name for names in own for name in names}
    missing = [name for name in parameters if name in _ARGUMENTS and name not in said]
    if missing[-2:] == ["out", "threads"]:
        own["out", "threads"] = f"out, threads: {_SEE}"
        del missing[-2:]
    own |= {(name,): f"{name}: {_ARGUMENTS[name]}" for name in missing}
    arguments = [own[names] for names in sorted(own, key=lambda names: parameters.index(names[0]))]
    errors = sections.pop("Raises", "")
    if "ShapeError" not in errors:
        errors = _ERRORS + errors
    example = {"Example": sections.pop("Example")} if "Example" in sections else {}
    if arguments:
        sections = {"Args": "".join(f"    {entry.rstrip()}\n" for entry in arguments), **sections}
    parts = (f"{name}:\n{part.rstrip()}" for name, part in {**sections, "Raises": errors, **example}.items())
    return "\n\n".join(part for part in (start.rstrip(), *parts) if part)
