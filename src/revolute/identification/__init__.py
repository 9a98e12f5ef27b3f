"""Identification: from a log of torques to a robot whose parameters one can trust.

Estimators read `Samples`; `ForceModel` gives forces as products of a regressor and parameters; `Triangle` takes in any
number of rows in bounded memory; `identify` makes a `Fit` of a log.
"""

from revolute.identification.base import BaseColumns, base_columns
from revolute.identification.closed_loop import ClosedLoop
from revolute.identification.closed_loop_fit import ClosedLoopFit
from revolute.identification.direct_inverse import direct_inverse
from revolute.identification.fit import Fit
from revolute.identification.fitting import fit_model, identify
from revolute.identification.force_model import ForceModel, Term
from revolute.identification.instrumental import InstrumentalFit, instrumental
from revolute.identification.samples import Samples
from revolute.identification.triangle import Triangle

__all__ = [
    "BaseColumns",
    "ClosedLoop",
    "ClosedLoopFit",
    "Fit",
    "ForceModel",
    "InstrumentalFit",
    "Samples",
    "Term",
    "Triangle",
    "base_columns",
    "direct_inverse",
    "fit_model",
    "identify",
    "instrumental",
]
