"""Optimal feedback, filters and observers, over the public interface of robots."""

from revolute.control.extended_kalman import ExtendedKalmanFilter
from revolute.control.kalman import KalmanFilter
from revolute.control.lqr import LQR
from revolute.control.momentum_observer import MomentumObserver
from revolute.control.time_varying_lqr import TimeVaryingLQR
from revolute.control.unscented_kalman import UnscentedKalmanFilter

__all__ = [
    "LQR",
    "ExtendedKalmanFilter",
    "KalmanFilter",
    "MomentumObserver",
    "TimeVaryingLQR",
    "UnscentedKalmanFilter",
]
