"""Results in operational space."""

from __future__ import annotations

from typing import NamedTuple

from revolute.machine.machine import Array

__all__ = ["OperationalEquations"]


class OperationalEquations(NamedTuple):
    """F = D xdd + C xd + G. BP 7.4.2, 7.4.4.

    Attributes:
        D: (..., m, m) inertia Lambda, symmetric.
        C: (..., m, m) matrix with dD/dt - 2 C skew-symmetric.
        G: (..., m) forces of gravity.
        singular: (...) whether the undamped D does not exist in this state.
    """

    D: Array
    C: Array
    G: Array
    singular: Array
