"""Mass, Coriolis and gravity terms in joint space, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.mass_matrix import mass_matrix
from revolute.functions.signature import Function, Signature, position
from revolute.reduce import reduced
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]


def _flat(rows: Any) -> list[Any]:
    return [x for row in rows for x in row]


def _mass_matrix(robot: Robot) -> Signature:
    return Signature(
        "mass_matrix",
        (position(robot),),
        (("M", (robot.nv, robot.nv)),),
        lambda q: _flat(mass_matrix(reduced(robot), q)),
    )


FUNCTIONS: dict[str, Function] = {
    "mass_matrix": Function(_mass_matrix, frozenset({"parameters"})),
}
