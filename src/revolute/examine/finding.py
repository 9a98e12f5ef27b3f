"""A fault of a robot's data."""

from __future__ import annotations

from dataclasses import dataclass

from revolute.errors import printable

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """An impossible or suspicious property of a link or joint.

    Attributes:
        impossible: whether it is physically impossible; otherwise it is suspicious.
        place: "link 'arm'", "joint 'elbow'".
        figures: the values behind the finding.
        cause: the likely cause, or how to check it; empty if the figures show it.
    """

    impossible: bool
    place: str
    figures: str
    cause: str = ""

    def __str__(self) -> str:
        kind = "impossible" if self.impossible else "suspicious"
        return printable(f"{kind}: {self.place}: {self.figures}{f'. {self.cause}' if self.cause else ''}")
