"""The published formulations, compiled and counted like any function."""

from __future__ import annotations

from revolute.machine.function import Arrays, Function
from revolute.published import FORMULATIONS

__all__ = ["formulation"]

_ARRAYS = {
    "inverse_dynamics": "q qd qdd -> tau: nv",
    "mass_matrix": "q -> M: nv nv",
    "forward_dynamics": "q qd tau -> qdd: nv",
    "sensitivity": "q qd qdd -> D: nv nv; V: nv nv; P: nv nv",
}
"""Arrays of each quantity."""


def formulation(name: str) -> Function:
    """The formulation of that name, with a robot's true parameters.

    Tracing it for a robot that it is not made for is a `ModelError`.
    """
    found = FORMULATIONS[name]
    arrays = Arrays.of(_ARRAYS[found.quantity])
    return Function(name, found.function, lambda: arrays, known_as=f"formulation {name}")
