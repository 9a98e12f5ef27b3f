"""SHV: Spong, Hutchinson and Vidyasagar, Robot Modeling and Control, chapter 6."""

from __future__ import annotations

from revolute.library import examples
from revolute.machine.elastic import ElasticRobot
from revolute.machine.lagrangian import System
from revolute.machine.lagrangian.lagrange import lagrange
from revolute.machine.robot import Robot
from revolute.published.closed_form_mass_matrix import closed_form_mass_matrix
from revolute.published.spong import spong
from revolute.spatial import Inertia
from revolute.texts.row import AGREE, Row

__all__ = ["ROWS"]

ROWS = (
    Row("6.1–6.5", "particle on a vertical line", [examples.particle],
        "symbolic/test_examples_of_the_texts.py::test_particle_on_a_vertical_line"),
    Row("6.6", "Euler–Lagrange equations", [lagrange],
        "machine/test_lagrange.py::test_a_random_tree_moves_as_its_energies_say"),
    Row("Ex. 6.1, 6.7–6.11", "link with gears and motor", [examples.geared_link],
        "symbolic/test_examples_of_the_texts.py::test_geared_link", slips="the print has r B_m for r² B_m"),
    Row("Ex. 6.2, 6.12–6.14", "link with an elastic joint", [examples.elastic_joint, ElasticRobot],
        "symbolic/test_examples_of_the_texts.py::test_link_with_elastic_joint",
        "machine/test_elastic.py::test_the_textbooks_link_and_motor",
        "machine/test_elastic_models.py::test_the_textbooks_equations", slips="the words swap link and motor"),
    Row("6.15–6.17", "holonomic constraints; two particles on a rod", [System.with_constraints],
        "machine/test_constrained_systems.py::test_a_rod_on_two_particles_turns_about_its_falling_centre"),
    Row("6.18", "nonholonomic constraints", [System.with_constraints],
        "machine/test_constrained_systems.py::test_chaplygins_sleigh_turns_round_and_runs_straight",
        "machine/test_constrained_systems.py::test_a_rolling_disc_precesses_steadily"),
    Row("6.19–6.22", "generalized coordinates and virtual displacements", [], why="definitions"),
    Row("6.23–6.28", "principle of virtual work", [], why="a proof", slips="below 6.25, F_i is f_i"),
    Row("6.29–6.31", "D'Alembert's principle; generalized forces from forces at points", [lagrange],
        "machine/test_virtual_work.py::test_forces_at_a_tip_are_those_of_the_jacobian"),
    Row("6.32–6.45", "derivation of Lagrange's equations", [], why="a proof of 6.6",
        slips="above 6.34, the sum is over k particles, not n"),
    Row("6.46–6.48", "kinetic energy and inertia tensor of a body", [Inertia, Robot.kinetic_energy],
        "dynamics/test_energy.py::test_energies_are_those_of_mass_points"),
    Row("6.49", "inertia from a density", [Inertia.from_density],
        "spatial/test_densities.py::test_polynomials_in_a_box"),
    Row("Ex. 6.3", "uniform box", [Inertia.box, examples.uniform_box],
        "symbolic/test_examples_of_the_texts.py::test_uniform_box",
        "spatial/test_solids.py::test_solids_are_their_integrals"),
    Row("6.50–6.53", "kinetic energy and inertia matrix by Jacobians", [Robot.mass_matrix, Robot.jacobian,
        closed_form_mass_matrix], AGREE, "dynamics/test_joint_space.py::test_the_mass_matrix_holds_the_kinetic_energy"),
    Row("6.54–6.55", "potential energy", [Robot.potential_energy],
        "dynamics/test_energy.py::test_energies_are_those_of_mass_points"),
    Row("6.56–6.62", "Lagrange's equations with a quadratic kinetic energy", [lagrange],
        "machine/test_lagrange.py::test_forces_are_the_sum_of_their_parts"),
    Row("6.63–6.68", "Christoffel symbols, C and g", [Robot.christoffel_symbols, Robot.coriolis_matrix,
        Robot.gravity_forces], "dynamics/test_equations_of_motion.py::test_c_is_made_of_christoffel_symbols",
        "dynamics/test_equations_of_motion.py::test_gravity_forces_are_slopes_of_the_potential_energy"),
    Row("6.69–6.77", "two-link Cartesian manipulator", [examples.cartesian],
        "symbolic/test_examples_of_the_texts.py::test_cartesian_two_link"),
    Row("6.78–6.91", "planar elbow", [examples.planar_elbow],
        "symbolic/test_examples_of_the_texts.py::test_planar_elbow"),
    Row("6.92–6.99", "planar elbow, driven remotely", [examples.remotely_driven_elbow],
        "symbolic/test_examples_of_the_texts.py::test_remotely_driven_elbow"),
    Row("6.100–6.107", "five-bar linkage", [examples.five_bar],
        "symbolic/test_examples_of_the_texts.py::test_five_bar_linkage"),
    Row("6.108–6.111", "when it decouples", [examples.five_bar],
        "symbolic/test_examples_of_the_texts.py::test_a_balanced_five_bar_is_decoupled"),
    Row("Prop. 6.1, 6.112–6.114", "Ḋ − 2 C is skew-symmetric", [Robot.mass_matrix_rate, Robot.coriolis_matrix],
        "dynamics/test_equations_of_motion.py::test_the_rate_of_the_mass_matrix_is_c_and_its_transpose",
        "dynamics/test_equations_of_motion.py::test_rates_by_complex_steps"),
    Row("6.115–6.119", "passivity", [Robot.passivity_check],
        "machine/test_structure.py::test_motions_under_held_forces_are_passive",
        "machine/test_structure.py::test_what_breaks_the_balance_is_seen"),
    Row("6.120–6.121", "bounds of the inertia matrix", [Robot.inertia_bounds],
        "machine/test_structure.py::test_the_floor_is_below_all_eigenvalues",
        "machine/test_structure.py::test_bounds_are_attained_and_the_ceiling_holds"),
    Row("6.122", "linear in the parameters", [Robot.regressor],
        "dynamics/test_regressors.py::test_regressors_times_parameters",
        "dynamics/test_regressors.py::test_a_column_is_the_force_of_one_parameter_alone"),
    Row("6.123–6.133", "five parameters of the elbow", [examples.planar_elbow, System.regressor],
        "symbolic/test_examples_of_the_texts.py::test_planar_elbow_needs_five_parameters",
        "symbolic/test_examples_of_the_texts.py::test_without_gravity_the_elbow_needs_three_parameters"),
    Row("6.134–6.145", "Newton's and Euler's equations of a body", [Inertia.momentum_rate],
        "spatial/test_twists.py::test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches"),
    Row("6.146–6.149", "balance of forces and moments of a link", [Robot.joint_wrenches],
        "dynamics/test_joint_wrenches.py::test_pinocchio_has_the_same"),
    Row("6.150–6.163", "the recursion", [spong], AGREE),
    Row("Section 6.7, 6.164–6.180", "planar elbow by the recursion, step by step", [examples.planar_elbow_steps],
        "symbolic/test_examples_of_the_texts.py::test_planar_elbow_step_by_step",
        slips="after 6.180, 6.176 is an equation of τ2, not τ1"),
    Row("Summary", "the equations above", [], why="a repetition"),
    Row("Problems",
        "two particles on a rod, D > 0, Christoffel symbols, regressors, inertia of a solid, momenta, Hamilton's "
        "function and equations",
        [Robot.generalized_momentum, Robot.hamiltonian, Robot.hamiltons_equations],
        "dynamics/test_hamilton.py::test_rates_are_derivatives_of_the_hamiltonian",
        "dynamics/test_energy.py::test_generalized_momentum_is_the_gradient_of_the_kinetic_energy",
        "dynamics/test_energy.py::test_the_power_of_joint_forces_changes_the_energy",
        "dynamics/test_joint_space.py::test_the_mass_matrix_is_symmetric_and_positive_definite",
        "machine/test_lagrange.py::test_equations_are_linear_in_the_fewest_parameters",
        "spatial/test_densities.py::test_uniform_solids"),
)  # fmt: skip
