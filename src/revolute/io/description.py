"""The content of a robot file: links, joints, shapes and warnings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING

from revolute.errors import ModelWarning
from revolute.io.plain import listed
from revolute.model import Closure, Joint, Link
from revolute.model.named_configurations import NamedConfiguration
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.io.solids import Solid

Part = tuple[Link, "tuple[Solid, ...]"]  # a link as described in the file, and its solid shapes


@dataclass(frozen=True)
class Remark:
    """A warning of a reader of robot files."""

    text: str  # the message, with the location in the file
    kept: bool = False  # the robot stores the reported data, so the file has no fault
    fault: bool = False  # the file has a fault, which is an error if `strict` is set
    warning: ModelWarning | None = None  # the warning object, if it has a class of its own


SEPARATE = 3  # maximum number of similar warnings that stay separate


def joined(remarks: Iterable[Remark]) -> Iterator[Remark]:
    """The remarks; more than `SEPARATE` that differ only in names and numbers are joined into one."""
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
    """The content of a robot file."""

    name: str  # name of the robot
    # links, joints: the links and joints, in the order of the file
    links: list[Link]
    joints: list[Joint]
    where: str  # name of the file in messages
    remarks: list[Remark]  # warnings of the reader
    closures: tuple[Closure, ...] = ()  # constraints that close loops
    gravity: tuple[float, ...] = (0, 0, -9.81)  # acceleration of free fall [m/s^2]
    configurations: tuple[NamedConfiguration, ...] = ()  # named configurations
    # function that returns the links with their solids; its argument True also opens meshes. None: no shapes.
    parts: Callable[[bool], list[Part]] | None = field(default=None, compare=False)
    # (link, use) for shapes that could not be read; use is "visual" or "collision"
    incomplete: frozenset[tuple[str, str]] = field(default=frozenset(), compare=False)
    weightless: frozenset[str] = frozenset()  # links on which gravity does not act
