"""A finding about a log that does not fit its robot."""

from dataclasses import dataclass

KINDS = (
    "degrees", "limits", "reversed", "swapped", "size of forces", "unsynchronised", "missing", "empty", "short",
    "unmoved", "contacts",
)  # fmt: skip
"""Kinds of findings in a log: the possible values of `LogFinding.kind`."""

CONTRADICTIONS = ("degrees", "reversed", "swapped", "size of forces")
"""Kinds of units, signs and orders with which no fit is good."""


@dataclass(frozen=True)
class LogFinding:
    """A contradiction between a log and the robot.

    Attributes:
        kind: one of `KINDS`.
        names: the joints or columns concerned; empty if the finding concerns all of them.
        text: the finding with its values, and how to correct it.
    """

    kind: str
    names: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text
