"""The kinds of Coriolis matrix, and the terms of the equations of motion with either."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.goa_coriolis import goa_difference
from revolute.dynamics.linear_models import total
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.model.reduce import aligned, reduced, reduced_in_place
from revolute.spatial.scalar import Scalar, Scalars

__all__ = ["KINDS", "check_kind", "terms"]

KINDS = {
    "christoffel": "of Christoffel's symbols, LP 9.87",
    "goa": "of Garofalo, Ott and Albu-Schaeffer's closed form, GOA 6b",
}
"""Sources of the kinds of Coriolis matrix."""


def check_kind(*_: Any, kind: str = "christoffel", **others: Any) -> None:
    """Raise InputError unless it is one of `KINDS`."""
    if not isinstance(kind, str) or kind not in KINDS:
        sources = "; ".join(f"'{name}' ({source})" for name, source in KINDS.items())
        raise InputError(f"kind: there is no kind {kind!r} of Coriolis matrix; there are: {sources}")


def terms(model: Model, q: Scalars, qd: Scalars, kind: str) -> tuple[Any, Any, list[Scalar]]:
    """M, C and g. GOA's C is not that of the regrouped model."""
    if kind == "christoffel":
        return equations_of_motion(reduced(model), q, qd)
    M, C, g = equations_of_motion(reduced_in_place(model), q, qd)
    return M, total(C, goa_difference(aligned(model), q, qd)), g
