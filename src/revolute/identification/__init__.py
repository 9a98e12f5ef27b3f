"""Identification: from a log of torques to a robot whose parameters one can trust.

Estimators read `Samples`; `ForceModel` gives forces as products of a regressor and parameters; `Triangle` takes in any
number of rows in bounded memory; `identify` makes a `Fit` of a log.
"""

from revolute.identification.base import BaseColumns, base_columns
from revolute.identification.collisions import CollisionThresholds, collision_thresholds
from revolute.identification.counterbalance import counterbalance
from revolute.identification.density import Region, regions_of
from revolute.identification.essential import FTest, essential, f_test
from revolute.identification.fit import Fit
from revolute.identification.fitting import fit_model, identify
from revolute.identification.force_model import ForceModel
from revolute.identification.log_cholesky import log_cholesky
from revolute.identification.payload import Payload, identify_payload
from revolute.identification.physical import physical
from revolute.identification.pseudo_inertia import from_pseudo_inertia, pseudo_inertia
from revolute.identification.samples import Samples
from revolute.identification.search import Search, searched
from revolute.identification.terms import Term, coupled_drive
from revolute.identification.triangle import Triangle

__all__ = [
    "BaseColumns",
    "CollisionThresholds",
    "FTest",
    "Fit",
    "ForceModel",
    "Payload",
    "Region",
    "Samples",
    "Search",
    "Term",
    "Triangle",
    "base_columns",
    "collision_thresholds",
    "counterbalance",
    "coupled_drive",
    "essential",
    "f_test",
    "fit_model",
    "from_pseudo_inertia",
    "identify",
    "identify_payload",
    "log_cholesky",
    "physical",
    "pseudo_inertia",
    "regions_of",
    "searched",
]
