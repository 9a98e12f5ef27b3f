"""Revolute: the dynamics of robots, from a description to machine code.

    >>> import numpy as np, revolute
    >>> robot = revolute.robots.ur5()
    >>> q, qd, qdd = np.zeros((3, 10_000, robot.nv))
    >>> robot.inverse_dynamics(q, qd, qdd).shape
    (10000, 6)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from revolute.compiler.kernel import Kernel  # loads LLVM now, not in the first call of a control loop
from revolute.dynamics.closures import AxisClosure, FrameClosure, JointClosure, PointClosure
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
    SimulationInterrupt,
    SimulationWarning,
    SingularityError,
    TrajectoryError,
    UnknownNameError,
    UnknownNameWarning,
)
from revolute.machine.robot import Robot
from revolute.model.assemble import Connection, Link
from revolute.model.body import Body, Drive, Frame, Limits, Mimic
from revolute.model.joints import (
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
from revolute.model.model import Closure
from revolute.model.shapes import Shape
from revolute.spatial import Force, Inertia, Motion, Rotation, Transform, tensors

if TYPE_CHECKING:
    from revolute import control, identification, trajectory
    from revolute import library as robots
    from revolute.bridges import torch
    from revolute.compiler.versions import show_versions
    from revolute.files import load, save
    from revolute.identification import identify
    from revolute.machine.constrained import ConstrainedRobot
    from revolute.machine.driven import DrivenRobot, Rotor
    from revolute.machine.elastic import ElasticRobot
    from revolute.machine.lagrangian.lagrange import lagrange
    from revolute.simulate import ContactPlane, Event, Simulation, StateFeedback
    from revolute.texts import text

__version__ = "0.1.0"

deg = math.pi / 180
"""One degree [rad]: `90 * revolute.deg` is a right angle, and `q / revolute.deg` an angle in degrees."""

__all__ = [
    "AxisClosure",
    "Body",
    "Closure",
    "CompileError",
    "Composite",
    "Connection",
    "ConstrainedRobot",
    "ContactPlane",
    "Cylindrical",
    "Drive",
    "DrivenRobot",
    "DtypeError",
    "ElasticRobot",
    "Event",
    "Fixed",
    "Force",
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
    "Motion",
    "Planar",
    "PointClosure",
    "Prismatic",
    "Revolute",
    "RevoluteError",
    "Robot",
    "Rotation",
    "Rotor",
    "Shape",
    "ShapeError",
    "Simulation",
    "SimulationError",
    "SimulationInterrupt",
    "SimulationWarning",
    "SingularityError",
    "Spherical",
    "SphericalEuler",
    "StateFeedback",
    "TrajectoryError",
    "Transform",
    "Universal",
    "UnknownNameError",
    "UnknownNameWarning",
    "control",
    "deg",
    "identification",
    "identify",
    "lagrange",
    "load",
    "robots",
    "save",
    "show_versions",
    "tensors",
    "text",
    "torch",
    "trajectory",
]


def __getattr__(name: str) -> Any:
    """Import some names when they are first used: they take longer to load."""
    match name:
        case "robots":
            from revolute import library

            return library
        case "load" | "save":
            from revolute import files

            return getattr(files, name)
        case "lagrange":  # which loads SymPy
            from revolute.machine.lagrangian import lagrange

            return lagrange
        case "ConstrainedRobot":
            from revolute.machine.constrained import ConstrainedRobot

            return ConstrainedRobot
        case "DrivenRobot" | "Rotor":
            from revolute.machine import driven

            return getattr(driven, name)
        case "ElasticRobot":
            from revolute.machine.elastic import ElasticRobot

            return ElasticRobot
        case "identify":
            from revolute.identification import identify

            return identify
        case "ContactPlane" | "Event" | "Simulation" | "StateFeedback":
            import revolute.simulate as motions

            return getattr(motions, name)
        case "show_versions":
            from revolute.compiler.versions import show_versions

            return show_versions
        case "text":
            from revolute.texts import text

            return text
        case "control":
            from importlib import import_module  # "from revolute" would ask here again

            return import_module("revolute.control")
        case "torch":
            from importlib import import_module

            return import_module("revolute.bridges.torch")
        case "identification":
            from importlib import import_module

            return import_module("revolute.identification")
        case "trajectory":
            from importlib import import_module

            return import_module("revolute.trajectory")
    from revolute.model.other_libraries import PACKAGE, answer

    found = PACKAGE.get(name) or answer(name)
    if found is None:
        raise AttributeError(f"module 'revolute' has no attribute {name!r}")
    raise AttributeError(f"module 'revolute' has no attribute {name!r}; {found}", name=name, obj=None)


def __dir__() -> list[str]:
    return sorted(__all__)
