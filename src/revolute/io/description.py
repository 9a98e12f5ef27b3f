"""The content of a robot file: links, joints, shapes and warnings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from revolute.errors import ModelWarning
from revolute.model.assemble import Connection, Link
from revolute.model.model import Closure
from revolute.model.named_configurations import NamedConfiguration
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.io.solids import Solid

Part = tuple[Link, "tuple[Solid, ...]"]
"""A link as described in the file, and its solid shapes."""


@dataclass(frozen=True)
class Remark:
    """A warning of a reader.

    Attributes:
        text: the message, with the location in the file.
        kept: the robot stores the reported data, so the file has no fault.
        fault: the file has a fault, which is an error if `strict` is set.
        warning: the warning object, if it has a class of its own.
    """

    text: str
    kept: bool = False
    fault: bool = False
    warning: ModelWarning | None = None


@dataclass(frozen=True)
class Description:
    """The content of a robot file.

    Attributes:
        name: name of the robot.
        links, joints: the links and joints, in the order of the file.
        where: name of the file in messages.
        remarks: warnings of the reader.
        closures: constraints that close loops.
        gravity: acceleration of free fall [m/s^2].
        configurations: named configurations.
        parts: function that returns the links with their solids; its argument True also opens meshes. None: no shapes.
        incomplete: (link, use) for shapes that could not be read; use is "visual" or "collision".
        weightless: links on which gravity does not act.
    """

    name: str
    links: list[Link]
    joints: list[Connection]
    where: str
    remarks: list[Remark]
    closures: tuple[Closure, ...] = ()
    gravity: tuple[float, ...] = (0, 0, -9.81)
    configurations: tuple[NamedConfiguration, ...] = ()
    parts: Callable[[bool], list[Part]] | None = field(default=None, compare=False)
    incomplete: frozenset[tuple[str, str]] = field(default=frozenset(), compare=False)
    weightless: frozenset[str] = frozenset()
