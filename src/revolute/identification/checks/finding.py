"""A finding about a log: something in it does not look like the robot."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KINDS", "LogFinding"]

KINDS = (
    "degrees",
    "limits",
    "reversed",
    "swapped",
    "size of forces",
    "unsynchronised",
    "missing",
    "empty",
    "short",
    "unmoved",
    "contacts",
)
"""Kinds of findings."""


@dataclass(frozen=True)
class LogFinding:
    """Something in a log that does not fit the robot.

    Attributes:
        kind: one of `KINDS`.
        names: joints or columns that it is about; none if it is about all.
        text: the finding, with its numbers, and what to do.
    """

    kind: str
    names: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text
