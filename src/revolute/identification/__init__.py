"""Identification: from a log of torques to a robot whose parameters one can trust.

Estimators read `Samples`; `ForceModel` gives forces as products of a regressor and parameters; `Triangle` takes in any
number of rows in bounded memory; `identify` makes a `Fit` of a log.
"""

from revolute.identification.base import BaseColumns, base_columns
from revolute.identification.counterbalance import counterbalance
from revolute.identification.cutoff import advised_cutoff
from revolute.identification.decimation import Decimation, decimated, decimated_rows
from revolute.identification.delay import Delay, delayed, torque_delay
from revolute.identification.essential import FTest, essential, f_test
from revolute.identification.excitation_of import Excitation, excitation
from revolute.identification.fit import Fit
from revolute.identification.fitting import fit_model, identify
from revolute.identification.force_model import ForceModel
from revolute.identification.log import Log, read_log
from revolute.identification.motor_side import MotorSide
from revolute.identification.report import save_report
from revolute.identification.samples import Samples
from revolute.identification.search import Search, searched
from revolute.identification.signals import central_differences, low_pass
from revolute.identification.terms import Term, coupled_drive
from revolute.identification.triangle import Triangle
from revolute.identification.validation import Validation, validate

__all__ = [
    "BaseColumns",
    "Decimation",
    "Delay",
    "Excitation",
    "FTest",
    "Fit",
    "ForceModel",
    "Log",
    "MotorSide",
    "Samples",
    "Search",
    "Term",
    "Triangle",
    "Validation",
    "advised_cutoff",
    "base_columns",
    "central_differences",
    "counterbalance",
    "coupled_drive",
    "decimated",
    "decimated_rows",
    "delayed",
    "essential",
    "excitation",
    "f_test",
    "fit_model",
    "identify",
    "low_pass",
    "read_log",
    "save_report",
    "searched",
    "torque_delay",
    "validate",
]
