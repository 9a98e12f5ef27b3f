"""Published algorithms of robot dynamics, implemented from their sources for comparison, counting and learning.

They accept a serial arm and any scalars. The fast kernels do not use them.
"""

from revolute.published.formulation import Formulation, Geometry, Printed, Quantity
from revolute.published.inverse_dynamics import INVERSE_DYNAMICS
from revolute.published.joint_space import FORWARD_DYNAMICS, MASS_MATRIX, SENSITIVITY
from revolute.published.print_only import PRINT_ONLY, PrintOnly

__all__ = ["FORMULATIONS", "PRINT_ONLY", "Formulation", "Geometry", "PrintOnly", "Printed", "Quantity"]

FORMULATIONS: dict[str, Formulation] = {
    formulation.name: formulation
    for formulation in (*INVERSE_DYNAMICS, *MASS_MATRIX, *FORWARD_DYNAMICS, *SENSITIVITY)
}
"""All formulations by name."""
