"""Conversion of the units of a log's columns to those of the library."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from revolute.errors import InputError

__all__ = ["AMPERES", "factors"]

AMPERES = "A"

DEGREE = np.pi / 180

UNITS = {
    "t": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "q": {"rad": 1.0, "deg": DEGREE, "rev": 2 * np.pi},
    "qd": {"rad/s": 1.0, "deg/s": DEGREE, "rpm": 2 * np.pi / 60},
    "qdd": {"rad/s^2": 1.0, "deg/s^2": DEGREE},
    "tau": {"N m": 1.0, "mN m": 1e-3, AMPERES: 1.0},
}
"""Factors of units [s, rad, rad/s, rad/s^2, N m]. For prismatic joints, positions are in m and forces in N."""

WHOLE: dict[str, dict[str, str]] = {"rad": {}, "deg": {"q": "deg", "qd": "deg/s", "qdd": "deg/s^2"}}
"""Units by one word."""


def factors(units: str | Mapping[str, str] | None) -> dict[str, float]:
    """The factor of each quantity's columns, from the `units` of `read_log`."""
    if isinstance(units, str):
        if units not in WHOLE:
            raise InputError(f"read_log: units must be {', '.join(WHOLE)}, or a mapping by quantity, not {units!r}")
        units = WHOLE[units]
    if not isinstance(units, Mapping | None):
        raise InputError(f"read_log: units must be a word or a mapping by quantity, not {units!r}")
    given = dict(units or {})
    for quantity, unit in given.items():
        if quantity not in UNITS:
            raise InputError(f"read_log: units: {quantity!r} is no quantity; they are {', '.join(UNITS)}")
        if unit not in UNITS[quantity]:
            raise InputError(f"read_log: units: {quantity} must be in {', '.join(UNITS[quantity])}, not {unit!r}")
    return {quantity: known[given[quantity]] if quantity in given else 1.0 for quantity, known in UNITS.items()}
