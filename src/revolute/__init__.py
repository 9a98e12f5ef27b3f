"""Revolute: the dynamics of robots, from a description to machine code.

    >>> import numpy as np, revolute
    >>> robot = revolute.robots.ur5()
    >>> q, qd, qdd = np.zeros((3, 10_000, robot.nv))
    >>> robot.inverse_dynamics(q, qd, qdd).shape
    (10000, 6)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from revolute.assemble import Connection, Link
from revolute.body import Body, Drive, Frame, Limits, Mimic
from revolute.compile import Kernel  # loads LLVM now, not in the first call of a control loop
from revolute.constrained import ConstrainedRobot
from revolute.dynamics.closures import AxisClosure, Closure, FrameClosure, JointClosure, PointClosure
from revolute.errors import (
    CompileError,
    DtypeError,
    GraphError,
    InputError,
    MissingExtraError,
    ModelError,
    ModelWarning,
    RevoluteError,
    ShapeError,
    SimulationError,
    SingularityError,
    TrajectoryError,
    UnknownNameError,
)
from revolute.io import load, save
from revolute.joints import (
    Composite,
    Cylindrical,
    Fixed,
    Free,
    FreeEuler,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
    Universal,
)
from revolute.robot import Robot
from revolute.spatial import Inertia, Rotation, Transform

if TYPE_CHECKING:
    from revolute import library as robots
    from revolute.lagrangian import lagrange

__version__ = "0.1.0"

__all__ = [
    "AxisClosure",
    "Body",
    "Closure",
    "CompileError",
    "Composite",
    "Connection",
    "ConstrainedRobot",
    "Cylindrical",
    "Drive",
    "DtypeError",
    "Fixed",
    "Frame",
    "FrameClosure",
    "Free",
    "FreeEuler",
    "GraphError",
    "Helical",
    "Inertia",
    "InputError",
    "JointClosure",
    "Kernel",
    "Limits",
    "Link",
    "Mimic",
    "MissingExtraError",
    "ModelError",
    "ModelWarning",
    "Planar",
    "PointClosure",
    "Prismatic",
    "Revolute",
    "RevoluteError",
    "Robot",
    "Rotation",
    "ShapeError",
    "SimulationError",
    "SingularityError",
    "Spherical",
    "SphericalEuler",
    "TrajectoryError",
    "Transform",
    "Universal",
    "UnknownNameError",
    "lagrange",
    "load",
    "robots",
    "save",
]


def __getattr__(name: str) -> Any:
    if name == "robots":
        from revolute import library

        return library
    if name == "lagrange":  # which loads SymPy
        from revolute.lagrangian import lagrange

        return lagrange
    raise AttributeError(f"module 'revolute' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})  # `robots` and `lagrange` are imported when first used
