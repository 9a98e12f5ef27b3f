"""Robot control: control laws for `simulate`, steppers for real-time loops, state filters and observers."""

from revolute.control.around import FrictionCompensation, Limited, Measured
from revolute.control.controller import Controller, LawStepper, RobotController
from revolute.control.differential_ik import DifferentialIK
from revolute.control.elastic_joints import MotorFeedback
from revolute.control.extended_kalman import ExtendedKalmanFilter
from revolute.control.joint_space import ComputedTorque, FeedforwardPD, PDWithGravity
from revolute.control.kalman import KalmanFilter
from revolute.control.lqr import LQR
from revolute.control.momentum_observer import MomentumObserver
from revolute.control.reference import MotionTable
from revolute.control.sliding import Adaptive, PassivityBased, SlidingMode
from revolute.control.task_space import Hybrid, Impedance, ResolvedAcceleration
from revolute.control.tasks import (
    CenterOfMassTask,
    JointTask,
    MomentumTask,
    PointTask,
    PoseTask,
    PostureTask,
    RelativeTask,
    Task,
)
from revolute.control.time_varying_lqr import TimeVaryingLQR
from revolute.control.unscented_kalman import UnscentedKalmanFilter
from revolute.control.whole_body import WholeBody
from revolute.control.whole_body_stepper import WholeBodyStepper

__all__ = [
    "LQR", "Adaptive", "CenterOfMassTask", "ComputedTorque", "Controller", "DifferentialIK", "ExtendedKalmanFilter",
    "FeedforwardPD", "FrictionCompensation", "Hybrid", "Impedance", "JointTask", "KalmanFilter", "LawStepper",
    "Limited", "Measured", "MomentumObserver", "MomentumTask", "MotionTable", "MotorFeedback", "PDWithGravity",
    "PassivityBased", "PointTask", "PoseTask", "PostureTask", "RelativeTask", "ResolvedAcceleration", "RobotController",
    "SlidingMode", "Task", "TimeVaryingLQR", "UnscentedKalmanFilter", "WholeBody", "WholeBodyStepper",
]  # fmt: skip
