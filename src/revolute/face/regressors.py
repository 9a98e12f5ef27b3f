"""Methods of `Robot`: inertial parameters, and the matrices by which forces depend on them."""

from __future__ import annotations

from revolute.face.base import Face

__all__ = ["Regressors"]


class Regressors(Face):
    """Inertial parameters, and the matrices by which forces depend on them."""
