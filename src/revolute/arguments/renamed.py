"""Old names of public things: the errors of old names give the new ones until version 1.0.

`docs/renames.md` shows this table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

__all__ = ["OLD_ATTRIBUTES", "RENAMED", "OldName", "old_arguments", "renamed"]

P = ParamSpec("P")
T = TypeVar("T")

RENAMED: dict[str, tuple[str, str]] = {
    "Robot.sensitivity_matrices": ("Robot.inverse_dynamics_partials", "one result, in the order of q, qd, qdd"),
    "Robot.jacobian_acceleration": ("Robot.jacobian_second_rate", "after `jacobian_rate`"),
    "Robot.jacobian_jerk": ("Robot.jacobian_third_rate", "after `jacobian_rate`"),
    "base_parameters(seed)": ("base_parameters(rng)", "a seed or a generator, as everywhere"),
    "random_tree(seed)": ("random_tree(rng)", "a seed or a generator, as everywhere"),
}
"""{old name: (new name, why)}: of an attribute "Class.name", of an argument "function(name)".

Attributes of robots with drives, springs or loops that robots have too stand here as those of `Robot`.
"""

OLD_ATTRIBUTES = frozenset(old.partition(".")[2] for old in RENAMED if "(" not in old)
"""Old names of attributes, of any class."""


def renamed(kind: type, name: str) -> str | None:
    """The new name of an old attribute of a class; None if the table does not have it.

    Example:
        >>> import revolute
        >>> from revolute.arguments.renamed import renamed
        >>> renamed(revolute.Robot, "sensitivity_matrices")
        'inverse_dynamics_partials'
    """
    for owner in (*(base.__name__ for base in kind.__mro__), "Robot"):
        if f"{owner}.{name}" in RENAMED:
            new = RENAMED[f"{owner}.{name}"][0]
            return new.removeprefix(f"{owner}.")
    return None


def renamed_argument(function: str, name: str) -> str | None:
    """The end of a message about an argument that has another name now; None if the table does not have it."""
    new = RENAMED.get(f"{function}({name})")
    return new and f"{name} is {new[0].removeprefix(f'{function}(').removesuffix(')')} now"


def old_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """Have a function name the new argument in place of an old one: a TypeError, as of any unknown argument."""
    name = function.__name__

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> T:
        for argument in named:
            if hint := renamed_argument(name, argument):
                raise TypeError(f"{name}() got an unexpected keyword argument '{argument}'; {hint}")
        return function(*args, **named)

    return call


class OldName:
    """An attribute that is not there any more, or only in other libraries. The error says what it is here.

    Attributes that are not there cost nothing this way; `__getattr__` would make those slower that are.
    """

    def __init__(self, name: str, answer: Callable[[str, Any], str | None]) -> None:
        self.name, self.answer = name, answer

    def __get__(self, thing: Any, kind: type) -> Any:
        what = getattr(kind, "_kind", kind.__name__)
        message = f"a {what} has no attribute '{self.name}'; {self.answer(self.name, kind)}"
        raise AttributeError(message, name=self.name, obj=None)  # Python would guess another attribute of `obj`
