"""Trajectories: tables with named columns, in CSV or Parquet, and their derivatives.

    t                 time [s] (or `time`, `seconds`, `time_s`, `t [s]`); needed for derivatives
    q.<joint>         joint positions [rad, m] (or just `<joint>`)
    qd.<joint>        joint velocities [rad/s, m/s]; all or none
    qdd.<joint>       joint accelerations [rad/s^2, m/s^2]; all or none
    tau.<joint>       joint forces [N m, N]; written by `revolute torque`

A free joint has seven positions, `q.<joint>.x y z qx qy qz qw`, and six columns of each other quantity,
`qd.<joint>.wx wy wz vx vy vz`: its body twist. Columns may be in any order; other columns are ignored. Missing
velocities and accelerations are derived with a smoothing spline.

    >>> from revolute.io.trajectory import position_names
    >>> position_names(revolute.robots.planar(2))[0].startswith("q.")
    True
"""

from revolute.io.trajectory.columns import Columns, match, position_names, rate_names, time_column
from revolute.io.trajectory.opening import check_output, open_table, open_writer, write
from revolute.io.trajectory.spline import SplineFit
from revolute.io.trajectory.states import StateBlock, StateRows, States, open_states, read
from revolute.io.trajectory.table import TableFile, Writer

__all__ = [
    "Columns", "SplineFit", "StateBlock", "StateRows", "States", "TableFile", "Writer", "check_output", "match",
    "open_states", "open_table", "open_writer", "position_names", "rate_names", "read", "time_column", "write",
]  # fmt: skip
