"""The published algorithms of robot dynamics as printed: to be compared, counted and learned from.

They take a serial arm and scalars of any kind. None is on the fast path.
"""

from revolute.published.formulation import Formulation, Geometry, Printed, Quantity
from revolute.published.inverse_dynamics import INVERSE_DYNAMICS
from revolute.published.joint_space import FORWARD_DYNAMICS, MASS_MATRIX, SENSITIVITY

__all__ = ["FORMULATIONS", "Formulation", "Geometry", "Printed", "Quantity"]

FORMULATIONS: dict[str, Formulation] = {
    formulation.name: formulation
    for formulation in (*INVERSE_DYNAMICS, *MASS_MATRIX, *FORWARD_DYNAMICS, *SENSITIVITY)
}
"""All formulations by name."""
