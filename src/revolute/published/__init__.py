"""Published algorithms of robot dynamics, implemented from their sources for comparison, counting and learning.

They accept a serial arm and scalars of any type, as in `published.spong(robot, q, qd, qdd)`. The library's own
functions do not use them.
"""

from revolute.published import ledger, registry, rigid_body
from revolute.published.formulation import PRINT_ONLY, Formulation, Geometry, Printed, PrintOnly, Quantity
from revolute.published.lynch_park import lynch_park_links, lynch_park_states
from revolute.published.lynch_park_stacked import stacked_matrices
from revolute.published.motion_partials import MotionPartials
from revolute.published.registry import *  # noqa: F403  # all formulations by their names
from revolute.published.sensitivity import generalized_moments

__all__ = [
    "PRINT_ONLY", "Formulation", "Geometry", "MotionPartials", "PrintOnly", "Printed", "Quantity",
    "generalized_moments", "ledger", "lynch_park_links", "lynch_park_states", "rigid_body", "stacked_matrices",
]  # fmt: skip
__all__ += registry.__all__
