"""Energies and momenta, for compilation."""

from __future__ import annotations

from revolute.functions.signature import Function

__all__ = ["FUNCTIONS"]

FUNCTIONS: dict[str, Function] = {}
