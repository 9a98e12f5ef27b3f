"""Control of robots: laws that `simulate` takes as joint forces, their steps for real loops, filters and observers."""

from revolute.control.controller import Controller, RobotController
from revolute.control.extended_kalman import ExtendedKalmanFilter
from revolute.control.joint_space import ComputedTorque, FeedforwardPD, PDWithGravity
from revolute.control.kalman import KalmanFilter
from revolute.control.lqr import LQR
from revolute.control.momentum_observer import MomentumObserver
from revolute.control.reference import Samples
from revolute.control.sliding import Adaptive, PassivityBased, SlidingMode
from revolute.control.stepper import LawStepper
from revolute.control.task_space import Hybrid, Impedance, ResolvedAcceleration
from revolute.control.time_varying_lqr import TimeVaryingLQR
from revolute.control.unscented_kalman import UnscentedKalmanFilter

__all__ = [
    "LQR",
    "Adaptive",
    "ComputedTorque",
    "Controller",
    "ExtendedKalmanFilter",
    "FeedforwardPD",
    "Hybrid",
    "Impedance",
    "KalmanFilter",
    "LawStepper",
    "MomentumObserver",
    "PDWithGravity",
    "PassivityBased",
    "ResolvedAcceleration",
    "RobotController",
    "Samples",
    "SlidingMode",
    "TimeVaryingLQR",
    "UnscentedKalmanFilter",
]
