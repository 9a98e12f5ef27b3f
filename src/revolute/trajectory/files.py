"""Trajectories from files of states."""

import os

from revolute.errors import TrajectoryError
from revolute.io import trajectory as tables
from revolute.trajectory.limits import LimitedMachine, model_of
from revolute.trajectory.polynomials import Polynomials
from revolute.trajectory.through import quintic


def load(robot: LimitedMachine, path: str | os.PathLike[str]) -> Polynomials:
    """Load a trajectory from a CSV or Parquet file: quintic pieces through its rows. C2.

    Missing velocities and accelerations are derived with a smoothing spline, as `revolute torque` does. The first row
    is at time 0 of the trajectory.

    Args:
        robot: a `Robot`, or one with drives.
        path: the file; `revolute.io.trajectory` describes its columns.

    Raises:
        TrajectoryError: the file does not fit the robot, has no times, has fewer than two rows, or exceeds limits.

    Example:
        >>> import pathlib, tempfile, revolute
        >>> from revolute.trajectory import load, spline
        >>> arm = revolute.robots.planar(1)
        >>> path = pathlib.Path(tempfile.mkdtemp(), "swing.csv")
        >>> swing = spline(arm, [[0.0], [1.0], [0.0]], 2.0)
        >>> swing.save(path, dt=0.01)
        >>> bool(abs(load(arm, path).q(0.515) - swing.q(0.515)).max() < 1e-12)
        True
    """
    model = model_of("load", robot)
    rows = tables.read(model, path)
    if rows.t is None:
        raise TrajectoryError(f"{path}: no time column [s], 't'")
    return quintic(robot, rows.q, rows.t, velocities=rows.qd, accelerations=rows.qdd)
