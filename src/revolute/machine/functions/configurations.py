"""Recursions of steps between configurations."""

from typing import Any

from revolute.arguments import instance
from revolute.dynamics import displacements
from revolute.dynamics.coordinate_rates import normalized
from revolute.dynamics.displacements import integrated, integrated_partials
from revolute.dynamics.drivetrain import Drivetrain
from revolute.machine.function import WithDrives
from revolute.model import Model, continuous
from revolute.spatial.scalar import Rows, Scalar, Scalars


def integrate_partials(model: Model, q: Scalars, d: Scalars) -> tuple[Rows, Rows]:
    """See `Robot.integrate_partials`."""
    return integrated_partials(model, d)


def difference(model: Model, q0: Scalars, q1: Scalars, wrap: bool = False) -> list[Scalar]:
    """See `Robot.difference`."""
    return displacements.difference(model, q0, q1, continuous(model) if wrap else ())


def difference_partials(model: Model, q0: Scalars, q1: Scalars, wrap: bool = False) -> tuple[Rows, Rows]:
    """See `Robot.difference_partials`."""
    return displacements.difference_partials(model, difference(model, q0, q1, wrap))


def check_wrap(model: Model, wrap: Any = False) -> None:
    """Raise `InputError` unless `wrap` is True or False."""
    instance("difference: wrap", wrap, bool)


def _driven_difference(tree: Model, drives: Drivetrain, q0: Scalars, q1: Scalars, wrap: bool = False) -> list[Scalar]:
    return displacements.difference(drives.space, q0, q1, drives.continuous(tree) if wrap else ())


def _driven_partials(
    tree: Model, drives: Drivetrain, q0: Scalars, q1: Scalars, wrap: bool = False
) -> tuple[Rows, Rows]:
    return displacements.difference_partials(drives.space, _driven_difference(tree, drives, q0, q1, wrap))


DRIVEN_DIFFERENCE = WithDrives(_driven_difference)
DRIVEN_DIFFERENCE_PARTIALS = WithDrives(_driven_partials)
DRIVEN_INTEGRATE = WithDrives(lambda tree, drives, q, d: integrated(drives.space, q, d))
DRIVEN_INTEGRATE_PARTIALS = WithDrives(lambda tree, drives, q, d: integrated_partials(drives.space, d))
DRIVEN_NORMALIZE = WithDrives(lambda tree, drives, q: normalized(drives.space, q))
"""Forms of functions for robots with drives: steps between independent coordinates."""
