"""Rows of a log as recorded, in the coordinates of the robot and the units of the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from revolute.identification.samples import Array

__all__ = ["Rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Recorded instants; NaN is missing.

    Attributes:
        t, q, tau: (T,) times [s], (T, nq) positions [rad, m], (T, nv) forces [N m, N].
        qd, qdd: (T, nv) velocities and accelerations; None if the log has none.
        wrenches: (T, 6 k) on k links; None if the log has none.
    """

    t: Array
    q: Array
    tau: Array
    qd: Array | None = None
    qdd: Array | None = None
    wrenches: Array | None = None

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, rows: slice | Array) -> Rows:
        return self.map(lambda x: x[rows])

    def map(self, change: Callable[[Array], Array]) -> Rows:
        """The rows with a function applied to each array, including times."""
        return Rows(*(None if x is None else change(x) for x in self.arrays()))  # type: ignore[arg-type]

    def arrays(self) -> tuple[Array, Array, Array, Array | None, Array | None, Array | None]:
        """t, q, tau, qd, qdd and wrenches."""
        return self.t, self.q, self.tau, self.qd, self.qdd, self.wrenches

    @staticmethod
    def joined(parts: list[Rows]) -> Rows:
        """Consecutive parts, joined."""
        if len(parts) == 1:
            return parts[0]
        columns = zip(*(part.arrays() for part in parts), strict=True)
        return Rows(*(None if column[0] is None else np.concatenate(column) for column in columns))  # type: ignore[arg-type]
