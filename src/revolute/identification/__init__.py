"""Identification: from a log of torques to a robot whose parameters one can trust.

Estimators read `Samples`; `ForceModel` gives forces as products of a regressor and parameters; `Triangle` takes in any
number of rows in bounded memory; `identify` makes a `Fit` of a log.
"""

from revolute.identification.base import BaseColumns, base_columns
from revolute.identification.closed_loop import ClosedLoop
from revolute.identification.closed_loop_fit import ClosedLoopFit
from revolute.identification.counterbalance import counterbalance
from revolute.identification.cutoff import advised_cutoff
from revolute.identification.decimation import Decimation, decimated, decimated_rows
from revolute.identification.direct_inverse import direct_inverse
from revolute.identification.essential import FTest, essential, f_test
from revolute.identification.fit import Fit
from revolute.identification.fitting import fit_model, identify
from revolute.identification.force_model import ForceModel
from revolute.identification.friction import with_friction
from revolute.identification.instrumental import InstrumentalFit, instrumental
from revolute.identification.log import Log, read_log
from revolute.identification.motor_side import MotorSide
from revolute.identification.periodic import Periods, average_periods
from revolute.identification.samples import Samples
from revolute.identification.search import Search, searched
from revolute.identification.signals import central_differences, low_pass
from revolute.identification.terms import Term, coupled_drive
from revolute.identification.triangle import Triangle

__all__ = [
    "BaseColumns",
    "ClosedLoop",
    "ClosedLoopFit",
    "Decimation",
    "FTest",
    "Fit",
    "ForceModel",
    "InstrumentalFit",
    "Log",
    "MotorSide",
    "Periods",
    "Samples",
    "Search",
    "Term",
    "Triangle",
    "advised_cutoff",
    "average_periods",
    "base_columns",
    "central_differences",
    "counterbalance",
    "coupled_drive",
    "decimated",
    "decimated_rows",
    "direct_inverse",
    "essential",
    "f_test",
    "fit_model",
    "identify",
    "instrumental",
    "low_pass",
    "read_log",
    "searched",
    "with_friction",
]
