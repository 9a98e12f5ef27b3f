"""JIN: lecture notes on Lagrangian dynamics."""

from revolute import published
from revolute.machine.declare import method_of
from revolute.machine.driven import DrivenRobot
from revolute.machine.lagrangian.lagrange import lagrange
from revolute.machine.robot import Robot
from revolute.spatial import Inertia
from revolute.texts.row import AGREE, Row, method

MASS_POINTS = "dynamics/test_energy.py::test_energies_are_those_of_mass_points"
TERMS = "dynamics/test_equations_of_motion.py::test_the_terms_are_those_of_inverse_dynamics"
SYMBOLS = ("dynamics/test_equations_of_motion.py::test_c_is_made_of_christoffel_symbols",
           "dynamics/test_equations_of_motion.py::test_symbols_contract_to_c")
MATRIX = ("dynamics/test_joint_space.py::test_the_mass_matrix_holds_the_kinetic_energy",
          "dynamics/test_joint_space.py::test_both_forms_are_one_matrix")

ROWS = (
    Row("27–28", "Lagrange's equations", [lagrange],
        "machine/test_lagrange.py::test_a_random_tree_moves_as_its_energies_say",
        "machine/test_virtual_work.py::test_forces_at_a_tip_are_those_of_the_jacobian",
        "machine/test_virtual_work.py::test_they_add_to_forces_on_coordinates", potential="potential"),
    Row("29", "kinetic energy as an integral over a link, summed over links", [Robot.kinetic_energy], MASS_POINTS),
    Row("30", "velocity of a particle: the last three numbers", [Robot.velocity],
        "dynamics/test_points.py::test_pinocchio_has_the_same_of_a_frame_there",
        "dynamics/test_kinematics.py::test_the_jacobian_takes_joint_velocities_to_rates_of_poses",
        "dynamics/test_kinematics.py::test_velocities_and_accelerations_are_those_of_the_jacobian",
        reference='"aligned"', point="place"),
    Row("31–32", "term of translation, and the cross term", [], why="terms of 34, in `Robot.kinetic_energy`"),
    Row("33", "term of rotation, with the inertia of particles or of a density", [Inertia.particles,
        Inertia.from_density], "spatial/test_densities.py::test_particles",
        "spatial/test_densities.py::test_polynomials",
        "spatial/test_motion.py::test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches", box="size"),
    Row("34", "kinetic energy of a link, summed over links", [Robot.kinetic_energy], MASS_POINTS,
        "dynamics/test_regressors.py::test_regrouped_robots_have_the_same_base_parameters_forces_and_energies"),
    Row("35", "Jacobians of centres of mass", [Robot.jacobian],
        "dynamics/test_points.py::test_centres_of_mass_carry_the_kinetic_energy_and_the_momentum",
        "dynamics/test_kinematics.py::test_the_jacobian_takes_joint_velocities_to_rates_of_poses",
        "dynamics/test_kinematics.py::test_joints_that_do_not_carry_the_link_have_columns_of_zeros",
        reference='"aligned"', point='"com"'),
    Row("36", "kinetic energy by the inertia matrix B(q)", [Robot.kinetic_energy, Robot.mass_matrix], MASS_POINTS,
        *MATRIX),
    Row("37", "inertia matrix B(q)", [Robot.mass_matrix, published.closed_form_mass_matrix], AGREE, *MATRIX),
    Row("38", "potential energy", [Robot.potential_energy], MASS_POINTS),
    Row("39", "vector form; n holds Coriolis forces and gravity", [Robot.bias_forces],
        TERMS, "dynamics/test_equations_of_motion.py::test_terms_agree_with_pinocchio"),
    Row("40", "detailed form; centrifugal and Coriolis parts of its quadratic terms", [Robot.inverse_dynamics,
        method_of(Robot, "centrifugal_and_coriolis_forces")], AGREE, TERMS,
        "dynamics/test_dynamics.py::test_a_moving_base_is_a_floating_robot_whose_base_is_driven",
        "dynamics/test_equations_of_motion.py::test_the_coefficients_sum_to_the_forces",
        "dynamics/test_equations_of_motion.py::test_centrifugal_forces_are_those_of_single_velocities"),
    Row("41", "coefficients h_ijk", [method_of(Robot, "quadratic_velocity_coefficients")],
        "dynamics/test_equations_of_motion.py::test_the_coefficients_are_those_of_the_definition"),
    Row("42", "gravity by Jacobians", [Robot.gravity_forces],
        "dynamics/test_equations_of_motion.py::test_gravity_forces_are_slopes_of_the_potential_energy",
        "dynamics/test_kinematics.py::test_the_center_of_mass_feels_gravity_and_the_momentum_is_its_velocity"),
    Row("43–44", "equations of motion with C: M, C and g", [Robot.equations_of_motion], TERMS, *SYMBOLS,
        "dynamics/test_equations_of_motion.py::test_terms_agree_with_pinocchio"),
    Row("45", "C by Christoffel symbols", [Robot.coriolis_matrix], *SYMBOLS),
    Row("46", "Christoffel symbols", [Robot.christoffel_symbols], *SYMBOLS),
    Row("Generalized forces",
        "motors, viscous and Coulomb friction, contact wrench",
        [Robot.with_drives, method(DrivenRobot, "inverse_dynamics")],
        "machine/test_driven_methods.py::test_energies_momenta_and_regressors_are_those_of_the_matrices",
        "machine/test_drives.py::test_forces_are_those_of_the_joints_projected",
        "machine/test_drives.py::test_friction_that_jumps_is_for_inverse_dynamics",
        data="drives", wrenches="{hand: -h_e}"),
    Row("47", "rate of the kinetic energy: power less that of gravity", [Robot.power],
        "dynamics/test_energy.py::test_the_power_of_joint_forces_changes_the_energy"),
    Row("48–49", "rate of the kinetic energy with friction and contact; with drives, power adds what friction takes",
        [Robot.power, method(DrivenRobot, "power")],
        "dynamics/test_energy.py::test_the_power_of_joint_forces_changes_the_energy",
        "machine/test_driven_methods.py::test_energies_momenta_and_regressors_are_those_of_the_matrices"),
    Row("50", "the equations with friction and contact", [method(DrivenRobot, "inverse_dynamics")],
        "machine/test_drives.py::test_wrenches_act_through_the_couplings",
        "machine/test_drives.py::test_forces_are_those_of_the_joints_projected",
        "machine/test_drives.py::test_friction_that_jumps_is_for_inverse_dynamics", wrenches="{hand: -h_e}"),
    Row("Skew symmetry", "Ḃ − 2 C", [Robot.mass_matrix_rate, Robot.coriolis_matrix],
        "dynamics/test_equations_of_motion.py::test_the_rate_of_the_mass_matrix_is_c_and_its_transpose"),
)  # fmt: skip
