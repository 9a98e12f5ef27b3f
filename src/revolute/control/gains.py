"""Checks of gains: positive numbers, or positive definite matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_array
from revolute.errors import InputError, ShapeError

__all__ = ["gains"]


def gains(
    what: str, given: ArrayLike, entries: Sequence[str], *, full: bool = False, zero: bool = False
) -> Array:
    """Gains of a controller for all coordinates, checked.

    Args:
        what: the controller and the argument, for messages.
        given: a number for all, (..., n) diagonals, or (..., n, n) matrices where `full`.
        entries: names of the n coordinates: "joint 'elbow'".
        full: gains are matrices, whose symmetric parts must be positive definite.
        zero: numbers may be zero.

    Raises:
        ShapeError, DtypeError: the gains do not fit.
        InputError: a gain is not finite or not positive.
    """
    n, values = len(entries), finite_array(what, given)
    if values.ndim == 0:
        values = values * np.eye(n) if full else np.full(n, float(values))
    core = (n, n) if full else (n,)
    if values.shape[-len(core) :] != core:
        hint = "" if full else "; for matrices use full=True"
        raise ShapeError(f"{what} has shape {values.shape}, but (..., {', '.join(map(str, core))}) is needed{hint}")
    if full:
        lowest = float(np.linalg.eigvalsh((values + np.swapaxes(values, -1, -2)) / 2).min(initial=np.inf))
        if not lowest > 0:
            raise InputError(
                f"{what} must be positive definite, but its symmetric part has the eigenvalue {lowest:g}: the closed "
                "loop would be unstable"
            )
    elif (bad := np.argwhere((values < 0) if zero else (values <= 0))).size:
        kind = "zero or more" if zero else "positive"
        value, entry = values[tuple(bad[0])], entries[int(bad[0, -1])]
        raise InputError(f"{what} must be {kind}, but is {value:g} for {entry}: the closed loop could be unstable")
    return values
