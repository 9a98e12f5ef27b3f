"""One thing that is wrong with a robot, or seems to be."""

from __future__ import annotations

from dataclasses import dataclass

from revolute.printable import printable

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """What was found at a link or joint.

    Attributes:
        impossible: no real robot is like this; otherwise it is suspicious.
        place: "link 'arm'", "joint 'elbow'".
        figures: what was found, in numbers.
        cause: the likely cause, or what to look at; empty where the figures say it.
    """

    impossible: bool
    place: str
    figures: str
    cause: str = ""

    def __str__(self) -> str:
        kind = "impossible" if self.impossible else "suspicious"
        return printable(f"{kind}: {self.place}: {self.figures}{f'. {self.cause}' if self.cause else ''}")
