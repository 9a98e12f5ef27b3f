"""Limits and drives of all joints of a model, as arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.model.model import Model
from revolute.model.symbols import numeric


def limit_column(model: Model, name: str, size: str, default: float) -> NDArray[Any]:
    """(nq,) or (nv,) values of a field of `Limits`, read-only; `default` for joints without it. `size`: "nq", "nv"."""
    return _read_only([(getattr(b.limits, name) or (default,) * getattr(b.joint, size)) for b in model.bodies])


def drive_column(model: Model, name: str, default: float) -> NDArray[Any]:
    """(nv,) values of a field of `Drive`, read-only; `default` for joints without it.

    Raises:
        InputError: the model has symbols.
    """
    return _read_only([(getattr(b.drive, name) or (default,) * b.joint.nv) for b in numeric(model, name).bodies])


def _read_only(rows: list[tuple[float, ...]]) -> NDArray[Any]:
    column = np.array([x for row in rows for x in row], dtype=float)
    column.flags.writeable = False
    return column
