"""Published algorithms of robot dynamics, implemented from their sources for comparison, counting and learning.

They accept a serial arm and scalars of any type: `published.spong(robot, q, qd, qdd)`. Fast kernels do not use them.
"""

from revolute.published import ledger, rigid_body
from revolute.published.augmented_links import augmented_links, generalized_links
from revolute.published.closed_coefficients import closed_coefficients
from revolute.published.featherstone import featherstone
from revolute.published.formulation import PRINT_ONLY, Formulation, Geometry, Printed, PrintOnly, Quantity
from revolute.published.garofalo import closed_form_mass_matrix, garofalo
from revolute.published.hollerbach_3x3 import hollerbach_3x3
from revolute.published.innovations import innovations, innovations_accelerations
from revolute.published.kane import kane_angeles, kane_recursive
from revolute.published.lagrangian_4x4 import hollerbach_4x4, uicker_kahn, waters
from revolute.published.lynch_park import lynch_park, lynch_park_links, lynch_park_states
from revolute.published.lynch_park_stacked import lynch_park_stacked, stacked_mass_matrix, stacked_matrices
from revolute.published.motion_partials import MotionPartials
from revolute.published.natural_orthogonal_complement import (
    natural_orthogonal_complement,
    orthogonal_complement_accelerations,
)
from revolute.published.newton_euler import khalil, luh_walker_paul, tensor_newton_euler
from revolute.published.recursive_coefficients import recursive_coefficients
from revolute.published.registry import FORMULATIONS
from revolute.published.rodriguez import rodriguez
from revolute.published.sensitivity import generalized_moments, sensitivity
from revolute.published.solved_accelerations import (
    generalized_links_accelerations,
    natural_complement_accelerations,
    spatial_composite_accelerations,
    walker_orin_accelerations,
)
from revolute.published.spatial_notation import articulated_bodies, spatial_composite_bodies
from revolute.published.spong import spong
from revolute.published.walker_orin import (
    conjugate_gradient,
    unit_accelerations,
    unit_accelerations_by_symmetry,
    walker_orin,
)

__all__ = [
    "FORMULATIONS", "PRINT_ONLY", "Formulation", "Geometry", "MotionPartials", "PrintOnly", "Printed", "Quantity",
    "articulated_bodies", "augmented_links", "closed_coefficients", "closed_form_mass_matrix", "conjugate_gradient",
    "featherstone", "garofalo", "generalized_links", "generalized_links_accelerations", "generalized_moments",
    "hollerbach_3x3", "hollerbach_4x4", "innovations", "innovations_accelerations", "kane_angeles", "kane_recursive",
    "khalil", "ledger", "luh_walker_paul", "lynch_park", "lynch_park_links", "lynch_park_stacked", "lynch_park_states",
    "natural_complement_accelerations", "natural_orthogonal_complement", "orthogonal_complement_accelerations",
    "recursive_coefficients", "rigid_body", "rodriguez", "sensitivity", "spatial_composite_accelerations",
    "spatial_composite_bodies", "spong", "stacked_mass_matrix", "stacked_matrices", "tensor_newton_euler",
    "uicker_kahn", "unit_accelerations", "unit_accelerations_by_symmetry", "walker_orin", "walker_orin_accelerations",
    "waters",
]  # fmt: skip
