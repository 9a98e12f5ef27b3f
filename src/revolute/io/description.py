"""The content of a robot file: links, joints, shapes and warnings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING

from revolute.errors import ModelWarning
from revolute.io.plain import listed
from revolute.model.assemble import Joint, Link
from revolute.model.model import Closure
from revolute.model.named_configurations import NamedConfiguration
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.io.solids import Solid

Part = tuple[Link, "tuple[Solid, ...]"]  # a link as described in the file, and its solid shapes


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


SEPARATE = 3  # maximum number of similar warnings that stay separate


def joined(remarks: Iterable[Remark]) -> Iterator[Remark]:
    """The remarks, in which one stands for all that differ only in names and numbers, if they are many."""
    groups: dict[object, list[Remark]] = defaultdict(list)
    for each in remarks:
        words = re.sub(r"'[^']*'|[-+.\d]+(e[-+]?\d+)?", "", each.text)
        groups[each if each.warning else (words, each.kept, each.fault)].append(each)
    for first, *others in groups.values():
        if len(others) < SEPARATE:
            yield from (first, *others)
            continue
        quoted = [re.findall("'([^']*)'", each.text) for each in others]
        names = [name for row in quoted if (name := next((x for x in row if f"'{x}'" not in first.text), ""))]
        yield replace(first, text=f"{first.text}; and {len(others)} more warnings like this, of {listed(names)}")


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
    joints: list[Joint]
    where: str
    remarks: list[Remark]
    closures: tuple[Closure, ...] = ()
    gravity: tuple[float, ...] = (0, 0, -9.81)
    configurations: tuple[NamedConfiguration, ...] = ()
    parts: Callable[[bool], list[Part]] | None = field(default=None, compare=False)
    incomplete: frozenset[tuple[str, str]] = field(default=frozenset(), compare=False)
    weightless: frozenset[str] = frozenset()
