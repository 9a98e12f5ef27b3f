"""Recursions of steps between configurations."""

from typing import Any

from revolute.arguments import instance
from revolute.dynamics import displacements
from revolute.dynamics.coordinate_rates import normalized
from revolute.dynamics.displacements import integrated
from revolute.dynamics.drivetrain import Drivetrain
from revolute.machine.function import WithDrives
from revolute.machine.functions.traced import by_positions
from revolute.model.configurations import continuous
from revolute.model.model import Model
from revolute.spatial.scalar import Rows, Scalar, Scalars


def difference(model: Model, q0: Scalars, q1: Scalars, wrap: bool = False) -> list[Scalar]:
    """See `Robot.difference`."""
    return displacements.difference(model, q0, q1, continuous(model) if wrap else ())


def difference_partials(model: Model, q0: Scalars, q1: Scalars, wrap: bool = False) -> tuple[Rows, Rows]:
    """See `Robot.difference_partials`."""
    return _partials(model, difference(model, q0, q1, wrap), q0, q1)


def _partials(model: Model, d: Scalars, q0: Scalars, q1: Scalars) -> tuple[Rows, Rows]:
    """Derivatives of a difference by small motions of both configurations."""
    return by_positions(model, d, q0), by_positions(model, d, q1)


def check_wrap(model: Model, wrap: Any = False) -> None:
    """Raise `InputError` unless `wrap` is True or False."""
    instance("difference: wrap", wrap, bool)


def _driven_difference(tree: Model, drives: Drivetrain, q0: Scalars, q1: Scalars, wrap: bool = False) -> list[Scalar]:
    return displacements.difference(drives.space, q0, q1, drives.continuous(tree) if wrap else ())


def _driven_partials(
    tree: Model, drives: Drivetrain, q0: Scalars, q1: Scalars, wrap: bool = False
) -> tuple[Rows, Rows]:
    return _partials(drives.space, _driven_difference(tree, drives, q0, q1, wrap), q0, q1)


DRIVEN_DIFFERENCE = WithDrives(_driven_difference)
DRIVEN_DIFFERENCE_PARTIALS = WithDrives(_driven_partials)
DRIVEN_INTEGRATE = WithDrives(lambda tree, drives, q, d: integrated(drives.space, q, d))
DRIVEN_NORMALIZE = WithDrives(lambda tree, drives, q: normalized(drives.space, q))
"""Forms of functions for robots with drives: steps between independent coordinates."""
