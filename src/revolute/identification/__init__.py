"""Identification: from a log of torques to a robot whose parameters one can trust.

Estimators read `Samples`; `ForceModel` gives forces as products of a regressor and parameters; `Triangle` takes in any
number of rows in bounded memory; `identify` makes a `Fit` of a log. `excite` finds the motion that tells most.
"""

from revolute.identification.bodies.log_cholesky import log_cholesky
from revolute.identification.bodies.payload import Payload
from revolute.identification.bodies.payload_fit import identify_payload
from revolute.identification.bodies.physical import consistent, physical
from revolute.identification.bodies.pseudo_inertia import from_pseudo_inertia, pseudo_inertia
from revolute.identification.bodies.regions import Region, regions_of
from revolute.identification.checks.check_log import doubts, warn_of_doubts
from revolute.identification.checks.finding import Doubt
from revolute.identification.closed_loop.direct_inverse import direct_inverse
from revolute.identification.closed_loop.instrumental_variables import InstrumentalFit, instrumental
from revolute.identification.closed_loop.iterations import ClosedLoopFit
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.closed_loop.output_error import OutputErrorFit, output_error
from revolute.identification.excitation.excite import excite
from revolute.identification.excitation.log_excitation import Excitation, excitation
from revolute.identification.excitation.motion import ExcitingMotion
from revolute.identification.fit.essential_parameters import FTest, essential, f_test
from revolute.identification.fit.fit import Fit
from revolute.identification.fit.linear_fit import fit_model
from revolute.identification.fit.triangle import Triangle
from revolute.identification.fit.variable_projection import searched
from revolute.identification.fitting import identify
from revolute.identification.forces.base_parameters import BaseColumns, base_columns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.friction import with_friction
from revolute.identification.forces.springs import counterbalance
from revolute.identification.forces.terms import Search, Term, coupled_drive
from revolute.identification.forces.wrenches import with_wrenches
from revolute.identification.log.cutoff_frequency import advised_cutoff
from revolute.identification.log.decimation import Decimation, decimated, decimated_rows
from revolute.identification.log.delay import Delay, delayed, torque_delay
from revolute.identification.log.filters import central_differences, low_pass
from revolute.identification.log.log import Log
from revolute.identification.log.motor_side import MotorSide
from revolute.identification.log.periods import Periods, average_periods
from revolute.identification.log.read_log import read_log
from revolute.identification.report.page import save_report
from revolute.identification.samples import Samples
from revolute.identification.validation.collision_thresholds import CollisionThresholds, collision_thresholds
from revolute.identification.validation.validate import validate
from revolute.identification.validation.validation import Validation

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
