"""Control of robots: laws that `simulate` takes as joint forces, and their steps for real loops."""

from revolute.control.around import FrictionCompensation, Limited, Measured
from revolute.control.controller import Controller, RobotController
from revolute.control.elastic_joints import MotorFeedback
from revolute.control.joint_space import ComputedTorque, FeedforwardPD, PDWithGravity
from revolute.control.reference import Samples
from revolute.control.sliding import Adaptive, PassivityBased, SlidingMode
from revolute.control.stepper import LawStepper
from revolute.control.task_space import Hybrid, Impedance, ResolvedAcceleration

__all__ = [
    "Adaptive",
    "ComputedTorque",
    "Controller",
    "FeedforwardPD",
    "FrictionCompensation",
    "Hybrid",
    "Impedance",
    "LawStepper",
    "Limited",
    "Measured",
    "MotorFeedback",
    "PDWithGravity",
    "PassivityBased",
    "ResolvedAcceleration",
    "RobotController",
    "Samples",
    "SlidingMode",
]
