"""Trajectories: motions over time, from waypoints, paths and limits.

    cubic, quintic, minimum_jerk, spline  through waypoints at given times
    trapezoid, jerk_limited               between waypoints, within limits of rates
    FourierTrajectory                     periodic sums of sines and cosines
    uniform_scaling, time_optimal         an existing path, within limits of joint forces
    line, lines, arc, screw               poses of a frame; `follow` returns the motion
    load                                  a file of states

A `Trajectory` has `q(t)`, `qd(t)`, `qdd(t)`, `duration`, `sample`, `save`, `check`, `plot`, `at_speed`.
"""

from revolute.trajectory.check import Largest, Report
from revolute.trajectory.follow import follow
from revolute.trajectory.fourier import FourierTrajectory
from revolute.trajectory.jerk_limited import jerk_limited
from revolute.trajectory.lines import Lines, lines
from revolute.trajectory.poses import PosePath, arc, line, screw
from revolute.trajectory.scaling import Scaling, uniform_scaling
from revolute.trajectory.through import cubic, load, minimum_jerk, quintic, spline
from revolute.trajectory.time_optimal import TimeOptimal, time_optimal
from revolute.trajectory.trajectory import Trajectory
from revolute.trajectory.trapezoid import trapezoid

__all__ = [
    "FourierTrajectory", "Largest", "Lines", "PosePath", "Report", "Scaling", "TimeOptimal", "Trajectory", "arc",
    "cubic", "follow", "jerk_limited", "line", "lines", "load", "minimum_jerk", "quintic", "screw", "spline",
    "time_optimal", "trapezoid", "uniform_scaling",
]  # fmt: skip
