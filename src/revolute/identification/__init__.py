"""Identification: from a log of torques to a robot with verified parameters.

`read_log` reads a log, `check_log` reports where it contradicts the robot, `identify` returns a `Fit`, `validate` tests
the fit on another log, and `save_report` writes a report on both logs. `payload` identifies a load, and `excite`
optimizes a motion for identification.

The packages, each of which imports only from preceding ones: `forces`, models of forces and their parameters;
`log`, reading and filtering; `fit`, least squares and statistics; `closed_loop`, estimators that simulate; `bodies`,
physical consistency and payloads; `checks`; `validation`; `excitation`; `report`.
"""

from revolute.identification.bodies.payload import Payload
from revolute.identification.bodies.payload_fit import payload
from revolute.identification.bodies.physical import BodyPrior
from revolute.identification.bodies.regions import Region
from revolute.identification.checks.check_log import check_log
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.excitation.excite import excite
from revolute.identification.excitation.motion import ExcitingMotion
from revolute.identification.excitation.problem import ExcitationLimits, ExpectedLog
from revolute.identification.fit.fit import Fit
from revolute.identification.fitting import identify
from revolute.identification.forces.floating_bases import with_wrenches
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.terms import Search, Term, counterbalance, coupled_drive
from revolute.identification.log.finding import LogFinding
from revolute.identification.log.log import Log
from revolute.identification.log.motor_side import MotorSide
from revolute.identification.log.periods import average_periods
from revolute.identification.log.read_log import read_log
from revolute.identification.report.page import save_report
from revolute.identification.samples import Samples
from revolute.identification.validation.collision_thresholds import collision_thresholds
from revolute.identification.validation.validate import validate
from revolute.identification.validation.validation import Validation

__all__ = [
    "BodyPrior", "ClosedLoop", "ExcitationLimits", "ExcitingMotion", "ExpectedLog", "Fit", "ForceModel", "Log",
    "LogFinding", "MotorSide", "Payload", "Region", "Samples", "Search", "Term", "Validation", "average_periods",
    "check_log", "collision_thresholds", "counterbalance", "coupled_drive", "excite", "identify", "payload", "read_log",
    "save_report", "validate", "with_wrenches",
]  # fmt: skip
