"""Public names of functions: `Robot.mass_matrix`, `tensors.dual`, `published.garofalo`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from revolute import published
from revolute.library import examples
from revolute.machine.declare import method_of
from revolute.machine.driven import DrivenRobot
from revolute.machine.elastic import ElasticRobot
from revolute.machine.lagrangian import System, lagrange
from revolute.machine.operational import OperationalSpace
from revolute.machine.robot import Robot
from revolute.model.joints import Free, Spherical
from revolute.spatial import Force, Inertia, Motion, Rotation, Transform, tensors

__all__ = ["name_of"]

_KINDS = (Robot, DrivenRobot, ElasticRobot, Inertia, Motion, Force, Transform, Rotation, Free, Spherical)
_OTHERS = {"machine.operational.OperationalSpace": OperationalSpace, "machine.lagrangian.System": System}


def name_of(thing: Any) -> str:
    """The name of a function, class or constant, from `revolute` on."""
    name = _names().get(_identity(thing))
    if name is None:
        module = thing.__name__ if isinstance(thing, ModuleType) else thing.__module__
        words = module.removeprefix("revolute.").split(".")
        if not isinstance(thing, ModuleType) and words[-1] != thing.__qualname__:
            words.append(thing.__qualname__)
        name = ".".join(words)
    return name


def _identity(thing: Any) -> int:
    return id(getattr(thing, "__func__", thing))


@cache
def _names() -> dict[int, str]:
    """Names of the public members of a class or a module, by identity."""
    found: dict[int, str] = {}
    for name, thing in _public():
        found.setdefault(_identity(thing), name)
    return found


def _public() -> Iterator[tuple[str, Any]]:
    for place, kind in ({kind.__name__: kind for kind in _KINDS} | _OTHERS).items():
        yield place, kind
        yield from ((f"{place}.{name}", getattr(kind, name)) for name in dir(kind) if not name.startswith("_"))
    yield from ((f'Robot.kernel("{name}")', method_of(Robot, name)) for name in Robot.functions())
    yield "lagrange", lagrange
    for place, module in {"tensors": tensors, "library.examples": examples}.items():
        yield from ((f"{place}.{name}", getattr(module, name)) for name in dir(module) if not name.startswith("_"))
    for name in ("FORMULATIONS", "PRINT_ONLY"):
        yield f"published.{name}", getattr(published, name)
    yield from ((f"published.{name}", formulation.function) for name, formulation in published.FORMULATIONS.items())
