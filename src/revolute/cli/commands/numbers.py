"""Joint values on a command line: all in order, or some by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError

__all__ = ["joint_numbers"]


def joint_numbers(option: str, text: str, names: Sequence[str], otherwise: NDArray[Any]) -> NDArray[Any]:
    """Numbers for all names, `0.1,-0.2,0`, or for some, `elbow=0.5,wrist=1`.

    Args:
        option: name of the option, for messages.
        text: its value.
        names: of the numbers.
        otherwise: (len(names),) values of the other names.

    Raises:
        InputError: the count is wrong, a value is not a number, or a name is unknown.

    Example:
        >>> import numpy as np
        >>> from revolute.cli.commands.numbers import joint_numbers
        >>> print(joint_numbers("--q0", "b=0.5", ["a", "b", "c"], np.zeros(3)))
        [0.  0.5 0. ]
    """
    words = [word for word in re.split(r"[,;\s]+", text.strip()) if word]
    numbers = otherwise.astype(float)
    if not any("=" in word for word in words):
        values = [_number(option, word) for word in words]
        if len(values) != len(names):
            raise InputError(f"{option} has {len(values)} numbers, but {len(names)} are needed: {_listed(names)}")
        return np.array(values)
    for word in words:
        name, equals, value = word.rpartition("=")
        if not equals:
            raise InputError(f"{option}: '{word}' has no name; give names to all numbers, or to none")
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            raise InputError(
                f"{option}: there is no '{name}'; " + (f"did you mean '{near[0]}'?" if near else _listed(names))
            )
        numbers[names.index(name)] = _number(option, value)
    return numbers


def _number(option: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"{option}: '{word}' is not a finite number; numbers are separated by commas: 0.1,-0.2,0")
    return value


def _listed(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
