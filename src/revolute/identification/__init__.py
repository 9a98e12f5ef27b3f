"""Identification: from a log of torques to a robot whose parameters one can trust.

Estimators read `Samples`; `ForceModel` gives forces as products of a regressor and parameters; `Triangle` takes in any
number of rows in bounded memory; `identify` makes a `Fit` of a log. `excite` finds the motion that tells most.
"""

from revolute.identification.base import BaseColumns, base_columns
from revolute.identification.closed_loop import ClosedLoop
from revolute.identification.closed_loop_fit import ClosedLoopFit
from revolute.identification.collisions import CollisionThresholds, collision_thresholds
from revolute.identification.consistent import consistent
from revolute.identification.counterbalance import counterbalance
from revolute.identification.cutoff import advised_cutoff
from revolute.identification.decimation import Decimation, decimated, decimated_rows
from revolute.identification.delay import Delay, delayed, torque_delay
from revolute.identification.density import Region, regions_of
from revolute.identification.direct_inverse import direct_inverse
from revolute.identification.doubt import Doubt
from revolute.identification.essential import FTest, essential, f_test
from revolute.identification.excitation_of import Excitation, excitation
from revolute.identification.exciting import ExcitingMotion, excite
from revolute.identification.fit import Fit
from revolute.identification.fitting import identify
from revolute.identification.force_model import ForceModel
from revolute.identification.friction import with_friction
from revolute.identification.ground import with_wrenches
from revolute.identification.instrumental import InstrumentalFit, instrumental
from revolute.identification.linear_fit import fit_model
from revolute.identification.log import Log
from revolute.identification.log_cholesky import log_cholesky
from revolute.identification.motor_side import MotorSide
from revolute.identification.output_error import OutputErrorFit, output_error
from revolute.identification.payload import Payload
from revolute.identification.payload_fit import identify_payload
from revolute.identification.periodic import Periods, average_periods
from revolute.identification.physical import physical
from revolute.identification.plausibility import doubts, warn_of_doubts
from revolute.identification.pseudo_inertia import from_pseudo_inertia, pseudo_inertia
from revolute.identification.reading import read_log
from revolute.identification.report import save_report
from revolute.identification.samples import Samples
from revolute.identification.search import Search, searched
from revolute.identification.signals import central_differences, low_pass
from revolute.identification.terms import Term, coupled_drive
from revolute.identification.trial import Validation
from revolute.identification.triangle import Triangle
from revolute.identification.validation import validate

__all__ = [
    "BaseColumns",
    "ClosedLoop",
    "ClosedLoopFit",
    "CollisionThresholds",
    "Decimation",
    "Delay",
    "Doubt",
    "Excitation",
    "ExcitingMotion",
    "FTest",
    "Fit",
    "ForceModel",
    "InstrumentalFit",
    "Log",
    "MotorSide",
    "OutputErrorFit",
    "Payload",
    "Periods",
    "Region",
    "Samples",
    "Search",
    "Term",
    "Triangle",
    "Validation",
    "advised_cutoff",
    "average_periods",
    "base_columns",
    "central_differences",
    "collision_thresholds",
    "consistent",
    "counterbalance",
    "coupled_drive",
    "decimated",
    "decimated_rows",
    "delayed",
    "direct_inverse",
    "doubts",
    "essential",
    "excitation",
    "excite",
    "f_test",
    "fit_model",
    "from_pseudo_inertia",
    "identify",
    "identify_payload",
    "instrumental",
    "log_cholesky",
    "low_pass",
    "output_error",
    "physical",
    "pseudo_inertia",
    "read_log",
    "regions_of",
    "save_report",
    "searched",
    "torque_delay",
    "validate",
    "warn_of_doubts",
    "with_friction",
    "with_wrenches",
]
