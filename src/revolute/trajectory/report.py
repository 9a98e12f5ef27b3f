"""Results of `Trajectory.check`."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Largest", "Report"]

ROUNDING = 1e-9
"""A limit may be exceeded by this fraction: motions reach their limits up to rounding."""


@dataclass(frozen=True)
class Largest:
    """The largest value of a quantity of one joint, or the position nearest to a limit.

    Attributes:
        kind: "position", "velocity", "acceleration", "jerk" or "torque".
        joint: name of the coordinate.
        t: time [s].
        value: the value then.
        limit: of its magnitude, or of the position; infinite without one.
        unit: of both.
        share: |value|/limit; for a position, above one beyond the limit.
    """

    kind: str
    joint: str
    t: float
    value: float
    limit: float
    unit: str
    share: float

    @property
    def within(self) -> bool:
        """Whether the limit is satisfied."""
        return self.share <= 1 + ROUNDING

    def __str__(self) -> str:
        """`velocity of 'elbow' is 2.1 rad/s at 0.3 s; the limit is 2 rad/s`."""
        value, limit = f"{self.value:.4g}", f"{self.limit:.4g}"
        if value == limit and not self.within:
            value, limit = f"{self.value:.12g}", f"{self.limit:.12g}"
        ending = f"; the limit is {limit} {self.unit}" if math.isfinite(self.limit) else "; it has no limit"
        return f"{self.kind} of '{self.joint}' is {value} {self.unit} at {self.t:.5g} s{ending}"


@dataclass(frozen=True)
class Report:
    """The largest values of a trajectory and their limits, one row per quantity and joint; true if all hold."""

    rows: tuple[Largest, ...]

    @property
    def ok(self) -> bool:
        """Whether all limits are satisfied."""
        return not self.excesses

    @property
    def excesses(self) -> tuple[Largest, ...]:
        """The rows that exceed their limits."""
        return tuple(row for row in self.rows if not row.within)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        passed = len(self.excesses)
        verdict = f"{passed} limit{'s are' if passed > 1 else ' is'} passed" if passed else "within all limits"
        return "\n".join([verdict, *(f"{' ' if row.within else '!'} {row}" for row in self.rows)])
