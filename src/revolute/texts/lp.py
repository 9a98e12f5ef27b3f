"""LP: Lynch and Park, Modern Robotics, chapter 9."""

from __future__ import annotations

from revolute.library import examples
from revolute.machine.lagrangian.lagrange import lagrange
from revolute.machine.robot import Robot
from revolute.published import solved_accelerations
from revolute.published.closed_form_mass_matrix import closed_form_mass_matrix
from revolute.published.lynch_park import lynch_park
from revolute.published.lynch_park_stacked import lynch_park_stacked
from revolute.published.stacked_mass_matrix import stacked_mass_matrix
from revolute.spatial import Force, Inertia, Motion
from revolute.texts.row import AGREE, Row

__all__ = ["ROWS"]

ROWS = (
    Row("9.1–9.2", "equations of motion; accelerations from forces", [Robot.inverse_dynamics, Robot.forward_dynamics],
        "dynamics/test_forward_dynamics.py::test_inverse_dynamics_takes_the_forces_back"),
    Row("9.3", "Euler–Lagrange equations", [lagrange],
        "machine/test_lagrange.py::test_a_random_tree_moves_as_its_energies_say"),
    Row("9.4–9.6", "particle on a vertical line", [examples.particle],
        "symbolic/test_examples_of_the_texts.py::test_particle_on_a_vertical_line"),
    Row("9.7–9.8", "planar 2R arm with point masses", [examples.point_mass_2r],
        "symbolic/test_examples_of_the_texts.py::test_point_mass_2r", slips="the print has five slips"),
    Row("9.9", "the Lagrangian", [Robot.lagrangian], "dynamics/test_energy.py::test_energies_are_those_of_mass_points"),
    Row("9.10", "kinetic energy by the mass matrix", [Robot.kinetic_energy, Robot.mass_matrix],
        "dynamics/test_joint_space.py::test_the_mass_matrix_holds_the_kinetic_energy"),
    Row("9.11–9.12", "joint forces from the Lagrangian", [lagrange],
        "machine/test_lagrange.py::test_forces_are_the_sum_of_their_parts"),
    Row("9.13", "Christoffel symbols of the first kind", [Robot.christoffel_symbols],
        "dynamics/test_equations_of_motion.py::test_c_is_made_of_christoffel_symbols"),
    Row("9.14–9.17", "Newton's equation in the body's frame", [Inertia.momentum_rate],
        "spatial/test_twists.py::test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches"),
    Row("9.18–9.19", "angular momentum; inertia of particles and of a density", [Inertia.momentum, Inertia.particles,
        Inertia.from_density], "spatial/test_densities.py::test_particles",
        "spatial/test_densities.py::test_polynomials_in_a_box",
        "spatial/test_twists.py::test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches"),
    Row("9.20–9.21", "Euler's equation; both as one", [Inertia.momentum_rate],
        "spatial/test_twists.py::test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches"),
    Row("9.22", "twist and wrench", [Motion, Force], why="definitions"),
    Row("9.23–9.24", "spatial inertia and kinetic energy", [Inertia, Robot.kinetic_energy],
        "dynamics/test_energy.py::test_energies_are_those_of_mass_points"),
    Row("9.25", "spatial momentum", [Inertia.momentum],
        "spatial/test_twists.py::test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches"),
    Row("Def. 9.1–9.2, 9.26–9.31", "Lie bracket of twists, and its dual for wrenches", [Motion.cross,
        Motion.cross_force], "spatial/test_twists.py::test_brackets_are_those_of_matrices"),
    Row("9.32–9.34", "a rigid body's equation in twists and wrenches", [Inertia.momentum_rate, Motion.cross_force],
        "spatial/test_twists.py::test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches"),
    Row("9.35–9.40", "product of exponentials, link by link; screws in the links' frames", [Robot.from_screws,
        Robot.forward_kinematics], "io/test_tables.py::test_screws_give_the_product_of_exponentials",
        slips="A_i is along frame i, not i − 1 as the words at 9.35 say"),
    Row("9.41", "inertia about the centre of mass", [Inertia.from_com],
        "spatial/test_twists.py::test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches"),
    Row("9.42", "the wrench that a joint transmits", [Robot.joint_wrenches],
        "dynamics/test_joint_wrenches.py::test_pinocchio_has_the_same"),
    Row("9.43", "its part along the joint", [Robot.joint_wrenches],
        "dynamics/test_joint_wrenches.py::test_the_part_along_the_joint_is_its_force"),
    Row("9.44–9.46", "velocities of links", [Robot.velocity],
        "dynamics/test_kinematics.py::test_the_jacobian_takes_joint_velocities_to_rates_of_poses",
        "dynamics/test_kinematics.py::test_velocities_and_accelerations_are_those_of_the_jacobian"),
    Row("9.47–9.48", "accelerations of links", [Robot.acceleration],
        "spatial/test_motion.py::test_two_forms_of_the_acceleration_recursion",
        "dynamics/test_kinematics.py::test_rates_of_the_jacobian_are_its_derivatives_along_the_motion",
        "dynamics/test_kinematics.py::test_velocities_and_accelerations_are_those_of_the_jacobian",
        "dynamics/test_kinematics.py::test_kinds_of_acceleration",
        slips="9.47 has T_{i−1,i} for T_{i,i−1}; the display before it has T for its inverse, and V_i for V_{i−1} on "
        "its right"),
    Row("Newton-Euler, 9.49–9.57", "the recursive algorithm", [Robot.inverse_dynamics, lynch_park], AGREE,
        slips="its start and 9.51 have misprints"),
    Row("9.58", "another form of the acceleration", [Motion.cross],
        "spatial/test_motion.py::test_two_forms_of_the_acceleration_recursion",
        slips="the print has T_{i−1,i} for T_{i,i−1}"),
    Row("9.59–9.61", "kinetic energy and mass matrix by body Jacobians", [Robot.mass_matrix, Robot.jacobian,
        closed_form_mass_matrix], AGREE, "dynamics/test_joint_space.py::test_the_mass_matrix_holds_the_kinetic_energy"),
    Row("9.62–9.71", "stacked vectors and block matrices", [lynch_park_stacked, Robot.inverse_dynamics], AGREE,
        "dynamics/test_dynamics.py::test_a_moving_base_is_a_floating_robot_whose_base_is_driven",
        "dynamics/test_dynamics.py::test_a_wrench_on_a_link_takes_off_its_jacobian"),
    Row("9.72–9.80", "stacked recursion, and the inverse of I − Γ", [lynch_park_stacked], AGREE,
        slips="9.73 and 9.78 have a wrong sign"),
    Row("9.81", "a wrench that the tip exerts", [Robot.inverse_dynamics],
        "dynamics/test_dynamics.py::test_a_wrench_on_a_link_takes_off_its_jacobian",
        slips="the words say one that is applied to it"),
    Row("9.82", "M = Aᵀ Lᵀ G L A", [stacked_mass_matrix], AGREE),
    Row("9.83–9.84", "c and g in closed form", [lynch_park_stacked, Robot.coriolis_forces, Robot.gravity_forces], AGREE,
        slips="9.83 has the wrong sign of 9.73"),
    Row("9.85–9.88", "C by Christoffel symbols", [Robot.coriolis_matrix],
        "dynamics/test_equations_of_motion.py::test_c_is_made_of_christoffel_symbols"),
    Row("Prop. 9.1", "Ṁ − 2 C is skew-symmetric", [Robot.mass_matrix_rate, Robot.coriolis_matrix],
        "dynamics/test_equations_of_motion.py::test_the_rate_of_the_mass_matrix_is_c_and_its_transpose",
        "dynamics/test_equations_of_motion.py::test_rates_by_complex_steps"),
    Row("GetJointAccel, 9.89", "accelerations from M and a run of inverse dynamics", [Robot.forward_dynamics,
        solved_accelerations], AGREE, "dynamics/test_forward_dynamics.py::test_inverse_dynamics_takes_the_forces_back",
        "dynamics/test_forward_dynamics.py::test_wrenches_from_the_environment_accelerate"),
    Row("Euler integration",
        "the explicit Euler method, with forces and tip wrenches of a table; it runs from k = 0, not 1",
        [Robot.simulate], "simulate/test_simulation.py::test_explicit_euler_is_the_algorithm_of_the_book",
        "machine/test_drives.py::test_springs_and_rotors_swing_as_they_should"),
    Row("9.90–9.96", "task-space velocities and accelerations, in the equations of motion", [Robot.task_space_forces],
        "dynamics/test_task_space.py::test_task_space_forces_give_the_acceleration", slips="9.95 has a misprint"),
    Row("9.97–9.99", "Λ and η", [Robot.task_space_dynamics],
        "dynamics/test_task_space.py::test_six_joints_obey_the_printed_equations"),
)  # fmt: skip
