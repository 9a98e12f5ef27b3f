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
"""A link as described in the file, and its solids."""


@dataclass(frozen=True)
class Remark:
    """A warning of a reader.

    Attributes:
        text: the message, with the place in the file.
        kept: the robot stores it as data, so the file has no fault.
        fault: the file has a fault: with `strict` it is an error.
        warning: the warning itself, if it has its own class.
    """

    text: str
    kept: bool = False
    fault: bool = False
    warning: ModelWarning | None = None


@dataclass(frozen=True)
class Description:
    """The content of a robot file.

    Attributes:
        name: of the robot.
        links, joints: in the order of the file.
        where: the file, for messages.
        remarks: warnings of the reader.
        closures: constraints that close loops.
        gravity: acceleration of free fall [m/s^2].
        configurations: named configurations.
        parts: function that returns the links with their solids; True also opens meshes. None: shapes are not read.
        incomplete: names of links, and their use, with shapes that could not be read.
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
