"""The published formulations, as functions to be compiled and counted."""

from functools import cache

from revolute.machine.function import Arrays, Function
from revolute.published import FORMULATIONS

_ARRAYS = {
    "inverse_dynamics": "q qd qdd -> tau: nv",
    "mass_matrix": "q -> M: nv nv",
    "forward_dynamics": "q qd tau -> qdd: nv",
    "sensitivity": "q qd qdd -> D: nv nv; V: nv nv; P: nv nv",
}
"""Declarations of the arrays of each quantity, for `Arrays.of`."""


@cache
def formulation(name: str) -> Function:
    """The formulation of that name, with a robot's true parameters."""
    published = FORMULATIONS[name]
    arrays = Arrays.of(_ARRAYS[published.quantity])
    return Function(name, published.function, lambda: arrays, known_as=f"formulation {name}")
