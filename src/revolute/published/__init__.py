"""Published algorithms of robot dynamics, implemented from their sources for comparison, counting and learning.

They accept a serial arm and scalars of any type. The fast kernels do not use them.
"""

from revolute.published.formulation import PRINT_ONLY, Formulation, Geometry, Printed, PrintOnly, Quantity
from revolute.published.registry import FORMULATIONS

__all__ = ["FORMULATIONS", "PRINT_ONLY", "Formulation", "Geometry", "PrintOnly", "Printed", "Quantity"]
