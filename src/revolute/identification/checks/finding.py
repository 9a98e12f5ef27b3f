"""A finding about a log that does not fit its robot."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KINDS", "LogFinding"]

KINDS = (
    "degrees", "limits", "reversed", "swapped", "size of forces", "unsynchronised", "missing", "empty", "short",
    "unmoved", "contacts",
)  # fmt: skip
"""Kinds of findings."""


@dataclass(frozen=True)
class LogFinding:
    """Something in a log that does not fit the robot.

    Attributes:
        kind: one of `KINDS`.
        names: its joints or columns; none if it concerns all.
        text: the finding with its numbers, and how to correct it.
    """

    kind: str
    names: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text
