"""Identification: from a log of torques to a robot whose parameters one can trust.

Estimators read `Samples`; `ForceModel` gives forces as products of a regressor and parameters; `Triangle` takes in any
number of rows in bounded memory. `excite` finds the motion that tells most.
"""

from revolute.identification.excitation import Excitation, excite
from revolute.identification.force_model import ForceModel, Term
from revolute.identification.samples import Samples
from revolute.identification.triangle import Triangle

__all__ = ["Excitation", "ForceModel", "Samples", "Term", "Triangle", "excite"]
