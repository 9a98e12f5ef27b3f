"""Speeds along a path by toppra, under bounds that are linear in u = sdd and x = sd^2. Pham & Pham 2018.

https://github.com/hungpham2511/toppra
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import TrajectoryError, extra
from revolute.trajectory.trajectory import Trajectory

NEAR_REST = 1e-10
"""Smallest x for a tangent of sqrt(x), as a fraction of the largest: below, it would be too steep."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """-most <= a u + b x + c + d sqrt(x) <= most at the n points of a grid: (n, rows) each, and (rows,) most."""

    a: Array
    b: Array
    c: Array
    d: Array
    most: Array

    def without(self, rows: int) -> Bounds:
        """The bounds without the first ones."""
        a, b, c, d = (x[:, rows:] for x in (self.a, self.b, self.c, self.d))
        return Bounds(a, b, c, d, self.most[rows:])

    def about(self, x: Array) -> Bounds:
        """The bounds with the root replaced by its tangent at (n,) x0: sqrt(x) = (x + x0)/(2 sqrt(x0))."""
        x0 = np.maximum(x, NEAR_REST * x.max())[:, None]
        slope = 1 / (2 * np.sqrt(x0))
        return replace(self, b=self.b + self.d * slope, c=self.c + self.d * slope * x0)


def squared_speeds(path: Trajectory, s: Array, fastest: Array, bounds: Bounds) -> Array:
    """(n,) x at the points s of the grid, from rest to rest, at most `fastest`; d is ignored.

    The bounds hold at both ends of each interval. Raise `TrajectoryError` if no motion is within them.
    """
    with extra("the least time along a path needs toppra", "control"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about escapes in its docstrings, when Python compiles them
        import toppra
        from toppra.algorithm import TOPPRA
        from toppra.constraint import DiscretizationType, LinearConstraint
        from toppra.constraint.linear_constraint import canlinear_colloc_to_interpolate
        from toppra.interpolator import AbstractGeometricPath
    toppra.setup_logging("CRITICAL")

    class Curve(AbstractGeometricPath):  # type: ignore[misc]
        """The path in toppra's interface."""

        dof = path.model.nv
        path_interval = s[[0, -1]]

        def __call__(self, at: Any, order: int = 0) -> Array:
            return path(at)[order]

    class Linear(LinearConstraint):  # type: ignore[misc]
        """F (a u + b x + c) <= g, and x <= fastest."""

        def __init__(self) -> None:
            super().__init__()
            self.identical = True
            self.set_discretization_type(DiscretizationType.Interpolation)

        def compute_constraint_params(self, curve: Any, points: Any) -> Any:
            used = np.isfinite(bounds.most)
            limit, highest = np.tile(bounds.most[used], 2), np.column_stack([0 * fastest, fastest])
            if not used.any():
                return None, None, None, None, None, None, highest
            rows = [x[:, used] for x in (bounds.a, bounds.b, bounds.c)]
            sides = np.vstack([np.eye(used.sum()), -np.eye(used.sum())])
            both = canlinear_colloc_to_interpolate(*rows, sides, limit, None, None, s, identical=True)
            return (*both[:5], None, highest)

    search = TOPPRA([Linear()], Curve(), gridpoints=s, parametrizer="ParametrizeConstAccel")
    search.compute_parameterization(0, 0)
    speeds = search.problem_data.sd_vec
    if speeds is None or not np.isfinite(speeds).all() or (speeds[1:] + speeds[:-1] <= 0).any():
        raise TrajectoryError(
            "time_optimal: toppra found no motion along this path within the limits; use a finer grid, wider limits, "
            "or a path without sharp bends"
        )
    return np.asarray(speeds, dtype=float) ** 2
