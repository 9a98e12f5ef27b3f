"""Joint values on a command line, all in order or some by name; limits such as `velocity=2,elbow.velocity=1`."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from revolute.arguments import Array, nearest
from revolute.errors import InputError, warn_caller

KINDS = ("velocity", "acceleration", "jerk", "torque")
MOST = 12  # maximum number of names listed in a message
TURN = 6.3  # largest angle that raises no warning [rad]: 2 pi, rounded up


def joint_numbers(option: str, text: str, names: Sequence[str], otherwise: Array) -> Array:
    """Numbers for all names, `0.1,-0.2,0`, or for some, `elbow=0.5,wrist=1`; the others come from `otherwise`."""
    words = [word for word in re.split(r"[,;\s]+", text.strip()) if word]
    numbers = otherwise.astype(float)
    if not any("=" in word for word in words):
        values = [_number(option, word) for word in words]
        if len(values) != len(names):
            listed = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
            raise InputError(f"{option} has {len(values)} numbers, but {len(names)} are required: {listed}")
        return np.array(values)
    for word in words:
        name, equals, value = word.rpartition("=")
        if not equals:
            raise InputError(f"{option}: '{word}' has no name; name all numbers, or none")
        if name not in names:
            raise InputError(f"{option}: there is no '{name}'; {nearest(name, names)}")
        numbers[names.index(name)] = _number(option, value)
    return numbers


def warn_of_degrees(option: str, angles: Array) -> None:
    """Warn of the first angle beyond a whole turn: it is probably in degrees."""
    for x in angles[np.abs(angles) > TURN][:1]:
        warn_caller(f"{option}: angles are in radians; {x:g} looks like degrees, {np.radians(x):.4g} rad")


def _number(option: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"{option}: '{word}' is not a finite number; numbers are separated by commas: 0.1,-0.2,0")
    return value


def limits_of(text: str | None, names: Sequence[str]) -> dict[str, Any]:
    """{kind: {joint: limit}} from `velocity=2` for all joints and `elbow.velocity=1` for one; the last one counts."""
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
            raise InputError(f"--limits: there is no joint '{joint}'; {nearest(joint, names)}")
        try:
            limit = float(value)
        except ValueError:
            limit = float("nan")
        if not limit > 0:
            raise InputError(f"--limits: '{word}' must be a positive number")
        limits.setdefault(kind, {}).update(dict.fromkeys([joint] if joint else names, limit))
    return limits
