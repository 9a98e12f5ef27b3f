"""Revolute: the dynamics of robots, from a description to machine code.

    >>> import numpy as np, revolute
    >>> robot = revolute.robots.ur5()
    >>> q, qd, qdd = np.zeros((3, 10_000, robot.nv))
    >>> robot.inverse_dynamics(q, qd, qdd).shape
    (10000, 6)

Examples in docstrings assume these imports.
"""

from __future__ import annotations

import math
import os
import sys
from importlib import import_module, util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # at run time, `HOMES` defines lazy imports of these names
    from revolute import control, conventions, identification, optimal, texts, trajectory
    from revolute import library as robots
    from revolute.bridges import torch
    from revolute.compiler.kernel import Kernel
    from revolute.compiler.versions import show_versions
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
    from revolute.files import load, load_contacts, save
    from revolute.identification import identify
    from revolute.machine.constrained import ConstrainedRobot
    from revolute.machine.driven import DrivenRobot, Rotor
    from revolute.machine.elastic import ElasticRobot
    from revolute.machine.lagrangian.lagrange import lagrange
    from revolute.machine.robot import Robot
    from revolute.model import Body, Closure, Contact, Drive, Frame, Joint, Limits, Link, Mimic, Plane, Shape
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
    from revolute.simulate import Event, Simulation, StateFeedback
    from revolute.spatial import Inertia, Rotation, Transform, Twist, Wrench, tensors

__version__ = "0.1.0"

deg = math.pi / 180
"""One degree in radians: `90 * revolute.deg` is a right angle, and `q / revolute.deg` converts `q` to degrees."""

__all__ = [
    "AxisClosure", "Body", "Closure", "CompileError", "Composite", "ConstrainedRobot", "Contact",
    "Cylindrical", "Drive", "DrivenRobot", "DtypeError", "ElasticRobot", "Event", "Fixed", "Frame", "FrameClosure",
    "Free", "FreeEuler", "GraphError", "Helical", "Inertia", "InputError", "Joint", "JointClosure", "Kernel",
    "Limits", "Link", "Mimic", "MissingExtraError", "ModelError", "ModelWarning", "Planar", "Plane", "PointClosure",
    "Prismatic", "Revolute", "RevoluteError", "Robot", "Rotation", "Rotor", "Shape", "ShapeError", "Simulation",
    "SimulationError", "SimulationInterrupt", "SimulationWarning", "SingularityError", "Spherical",
    "SphericalEuler", "StateFeedback", "TrajectoryError", "Transform", "Twist", "Universal", "UnknownNameError",
    "UnknownNameWarning", "Wrench", "control", "conventions", "deg", "identification", "identify", "lagrange", "load",
    "load_contacts", "optimal", "robots", "save", "show_versions", "tensors", "texts", "torch", "trajectory",
]  # fmt: skip

HOMES = {
    "revolute.compiler.kernel": "Kernel",
    "revolute.compiler.versions": "show_versions",
    "revolute.dynamics.closures": "AxisClosure FrameClosure JointClosure PointClosure",
    "revolute.errors": "CompileError DtypeError GraphError InputError MissingExtraError ModelError ModelWarning "
    "RevoluteError ShapeError SimulationError SimulationInterrupt SimulationWarning SingularityError TrajectoryError "
    "UnknownNameError UnknownNameWarning",
    "revolute.files": "load load_contacts save",
    "revolute.identification": "identify",
    "revolute.machine.constrained": "ConstrainedRobot",
    "revolute.machine.driven": "DrivenRobot Rotor",
    "revolute.machine.elastic": "ElasticRobot",
    "revolute.machine.lagrangian.lagrange": "lagrange",
    "revolute.machine.robot": "Robot",
    "revolute.model.assemble": "Joint Link",
    "revolute.model.body": "Body Drive Frame Limits Mimic",
    "revolute.model.contact": "Contact Plane",
    "revolute.model.joints": "Composite Cylindrical Fixed Free FreeEuler Helical Planar Prismatic Revolute Spherical "
    "SphericalEuler Universal",
    "revolute.model.model": "Closure",
    "revolute.model.shapes": "Shape",
    "revolute.simulate": "Event Simulation StateFeedback",
    "revolute.spatial": "Inertia Rotation Transform Twist Wrench tensors",
}
"""Modules and their public names, imported lazily, because the command line prints its help without any of them."""
_HOME = {name: module for module, names in HOMES.items() for name in names.split()}
_MODULES = {"robots": "revolute.library", "torch": "revolute.bridges.torch"}
"""Modules whose public name differs from their path."""


def __getattr__(name: str) -> Any:
    """Import a public name, or a module of the package, when it is first used."""
    if name in _HOME:
        found = getattr(import_module(_HOME[name]), name)
    elif name in _MODULES or (not name.startswith("_") and util.find_spec(f"revolute.{name}")):
        found = import_module(_MODULES.get(name, f"revolute.{name}"))
    else:
        from revolute.model.other_libraries import answer, other_names  # the module is needed only for error messages

        if (hint := other_names().packages.get(name) or answer(name)) is None:
            raise AttributeError(f"module 'revolute' has no attribute {name!r}")
        raise AttributeError(f"module 'revolute' has no attribute {name!r}; {hint}", name=name, obj=None)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


if os.path.basename((sys.argv or [""])[0]) not in ("revolute", "revolute.exe", "-m"):  # commands import lazily
    for _module in ("revolute.files", "revolute.io.plain", "revolute.io.urdf"):  # load LLVM before the first call
        import_module(_module)
