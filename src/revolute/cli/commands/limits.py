"""Limits on a command line: `velocity=2,acceleration=10,elbow.velocity=1`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

from revolute.errors import InputError

__all__ = ["limits_of"]

KINDS = ("velocity", "acceleration", "jerk", "torque")


def limits_of(text: str | None, names: Sequence[str]) -> dict[str, Any]:
    """{kind: {joint: limit}} of limits for all joints, `velocity=2`, or one, `elbow.velocity=1`; later ones override.

    Args:
        text: limits, separated by commas or blanks; None for no limits.
        names: of the joints' coordinates.

    Raises:
        InputError: a text is not a limit, a kind or joint is unknown, or a value is not a number.

    Example:
        >>> from revolute.cli.commands.limits import limits_of
        >>> limits_of("velocity=2,b.velocity=1", ["a", "b"])
        {'velocity': {'a': 2.0, 'b': 1.0}}
    """
    limits: dict[str, Any] = {}
    for word in re.split(r"[,;\s]+", (text or "").strip()):
        if not word:
            continue
        place, equals, value = word.rpartition("=")
        joint, _, kind = place.rpartition(".")
        if not equals or kind not in KINDS:
            raise InputError(
                f"--limits: '{word}' is not a limit; give velocity, acceleration, jerk or torque for all joints, "
                f"velocity=2, or for one, {names[0]}.velocity=2"
            )
        if joint and joint not in names:
            near = difflib.get_close_matches(joint, names, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(names[:12])}"
            raise InputError(f"--limits: there is no joint '{joint}'; {hint}")
        try:
            limit = float(value)
        except ValueError:
            limit = float("nan")
        if not limit > 0:
            raise InputError(f"--limits: '{word}' must be a positive number")
        limits.setdefault(kind, {}).update(dict.fromkeys([joint] if joint else names, limit))
    return limits
