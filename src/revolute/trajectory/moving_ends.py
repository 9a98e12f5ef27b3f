"""Checks of arguments for velocities and accelerations at the ends of motions."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, by_names, float_copy
from revolute.errors import InputError, ShapeError
from revolute.model.model import Model
from revolute.trajectory.limits import ROUNDING, by_coordinate, unit

RatesLike: TypeAlias = ArrayLike | Mapping[str, float] | None
"""Rates of joints at one end: (nv,), or {joint: number} with zero for the others; None for rest."""


def joint_rates(what: str, name: str, model: Model, given: Any, count: int = 1) -> Array:
    """(count, nv) velocities or accelerations; a single row is repeated, and None means zero."""
    if given is None:
        return np.zeros((count, model.nv))
    label, nv = f"{what}: {name}", model.nv
    if isinstance(given, Mapping):
        given = by_coordinate(label, model, given, np.zeros(nv))
    values = float_copy(label, by_names(label, given, model.coordinate_names))
    if values.shape != (nv,) and (count == 1 or values.shape != (count, nv)):
        wanted = f"({nv},)" if count == 1 else f"({count}, {nv}), with a row for each waypoint"
        raise ShapeError(f"{label} must have shape {wanted}; it has {values.shape}")
    if not np.isfinite(values).all():
        raise InputError(f"{label} must be finite")
    return np.broadcast_to(values, (count, nv))


def end_rates(
    what: str, model: Model, given: Mapping[str, Any], limits: Sequence[Sequence[float]]
) -> list[list[float]]:
    """(k, nv) rates at the ends, from k arguments such as "start_velocity", each with (nv,) limits.

    Raise `InputError` for the first joint that exceeds a limit. An excess due to rounding is clipped, so that a motion
    can start at a state of another motion that touches its limits. Joints must have one axis.
    """
    rates = []
    for (name, x), most in zip(given.items(), limits, strict=True):
        if x is None:
            rates.append([0.0] * len(most))
            continue
        plain = type(x) is np.ndarray and x.dtype == np.float64 and x.shape == (len(most),)  # as in a loop
        rates.append(row := (x if plain else joint_rates(what, name, model, x)[0]).tolist())
        for k, (rate, limit) in enumerate(zip(row, most, strict=True)):
            if not abs(rate) <= limit * (1 + ROUNDING):
                joint, of = model.coordinate_names[k], unit(model, name.split("_")[1], k)
                raise InputError(f"{what}: {name} of '{joint}' is {rate:.6g} {of}; its limit is {limit:.6g}")
            if abs(rate) > limit:
                row[k] = math.copysign(limit, rate)
    return rates


def one_axis(what: str, model: Model, things: str) -> None:
    """Raise `InputError` if a joint has several axes; `things` says in the message what requires one axis."""
    for body in model.bodies:
        if body.joint.nv > 1:
            raise InputError(f"{what}: joint '{body.joint_name}' has several axes; {things} for joints with one")
