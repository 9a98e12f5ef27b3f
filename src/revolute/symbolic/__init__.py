"""Equations as a person reads them."""

from revolute.symbolic.equations import Equations

__all__ = ["Equations"]
