"""Identification: from a log of torques to a robot whose parameters one can trust.

Estimators read `Samples`; `ForceModel` gives forces as products of a regressor and parameters; `Triangle` takes in any
number of rows in bounded memory.
"""

from revolute.identification.density import Region, regions_of
from revolute.identification.force_model import ForceModel, Term
from revolute.identification.log_cholesky import log_cholesky
from revolute.identification.physical import physical
from revolute.identification.pseudo_inertia import from_pseudo_inertia, pseudo_inertia
from revolute.identification.samples import Samples
from revolute.identification.triangle import Triangle

__all__ = [
    "ForceModel",
    "Region",
    "Samples",
    "Term",
    "Triangle",
    "from_pseudo_inertia",
    "log_cholesky",
    "physical",
    "pseudo_inertia",
    "regions_of",
]
