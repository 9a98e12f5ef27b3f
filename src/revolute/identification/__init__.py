"""Identification: from a log of torques to a robot whose parameters one can trust.

Estimators read `Samples`; `ForceModel` gives forces as products of a regressor and parameters; `Triangle` takes in any
number of rows in bounded memory.
"""

from revolute.identification.cutoff import advised_cutoff
from revolute.identification.decimation import Decimation, decimated, decimated_rows
from revolute.identification.delay import Delay, delayed, torque_delay
from revolute.identification.doubt import Doubt
from revolute.identification.excitation_of import Excitation, excitation
from revolute.identification.force_model import ForceModel, Term
from revolute.identification.log import Log, read_log
from revolute.identification.motor_side import MotorSide
from revolute.identification.plausibility import doubts, warn_of_doubts
from revolute.identification.samples import Samples
from revolute.identification.signals import central_differences, low_pass
from revolute.identification.triangle import Triangle

__all__ = [
    "Decimation",
    "Delay",
    "Doubt",
    "Excitation",
    "ForceModel",
    "Log",
    "MotorSide",
    "Samples",
    "Term",
    "Triangle",
    "advised_cutoff",
    "central_differences",
    "decimated",
    "decimated_rows",
    "delayed",
    "doubts",
    "excitation",
    "low_pass",
    "read_log",
    "torque_delay",
    "warn_of_doubts",
]
