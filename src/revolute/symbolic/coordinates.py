"""Symbols of coordinates and their time derivatives."""

from collections.abc import Iterable, Sequence
from typing import Any

import sympy

from revolute.errors import InputError


def coordinate_symbols(
    letter: str, nq: int, nv: int, symbols: Iterable[Any], name: str
) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
    """Symbols q1 ..., dq1 ... and ddq1 ... for the letter q; raise `InputError` if the robot has such a symbol."""
    positions, velocities, accelerations = (
        tuple(sympy.Symbol(f"{dots}{letter}{k + 1}") for k in range(size))
        for dots, size in (("", nq), ("d", nv), ("dd", nv))
    )
    require_free([*positions, *velocities, *accelerations], symbols, name, "coordinate")
    return positions, velocities, accelerations


def require_free(wanted: Sequence[Any], symbols: Iterable[Any], name: str, what: str) -> None:
    """Raise `InputError` if a symbol of the robot has the name of a wanted symbol; `what` describes the latter."""
    names = {symbol.name for symbol in wanted}
    for symbol in symbols:
        if symbol.name in names:
            raise InputError(
                f"equations: robot '{name}' has a symbol '{symbol.name}', which is the name of a {what}; "
                f"rename it: robot.subs({{'{symbol.name}': sympy.Symbol(...)}})"
            )
