"""GOA: Garofalo, Ott and Albu-Schäffer, on the closed form of the dynamic matrices."""

from __future__ import annotations

from revolute.dynamics import jacobian
from revolute.machine.declare import method_of
from revolute.machine.robot import Robot
from revolute.model.joints import Free, Spherical
from revolute.spatial import Inertia, Motion, Transform
from revolute.texts.row import AGREE, Row, published

__all__ = ["ROWS"]

ROWS = (
    Row("1–3", "Newton–Euler's equation of a body", [Inertia.momentum_rate],
        "spatial/test_motion.py::test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches"),
    Row("4–5", "projected to joint space", [published.garofalo], AGREE),
    Row("6", "M, C, g in closed form", [Robot.equations_of_motion, published.garofalo],
        "dynamics/test_equations_of_motion.py::test_the_terms_are_those_of_inverse_dynamics",
        "dynamics/test_goa_coriolis.py::test_c_is_that_of_the_paper", AGREE),
    Row("7", "Jacobian of the centre of mass", [Robot.com_jacobian],
        "dynamics/test_kinematics.py::test_the_center_of_mass_feels_gravity_and_the_momentum_is_its_velocity"),
    Row("Remark 1", "Ψ is skew-symmetric", [Motion.cross], why="a step of Remark 5; checked on the page"),
    Row("Remark 2", "the spatial acceleration of a body", [Robot.acceleration],
        "dynamics/test_kinematics.py::test_kinds_of_acceleration"),
    Row("Remark 3", "gravity acts at the centre of mass", [Robot.gravity_forces],
        "dynamics/test_kinematics.py::test_the_center_of_mass_feels_gravity_and_the_momentum_is_its_velocity"),
    Row("Prop. 1, 8–12",
        "momentum, linear in ten parameters; 9 takes the inertia about the body's frame, the appendix has it about "
        "the centre of mass",
        [Robot.momentum_regressor], "dynamics/test_regressors.py::test_regressors_times_parameters",
        "dynamics/test_regressors.py::test_one_kernel_serves_robots_that_differ_in_mass",
        "dynamics/test_goa_coriolis.py::test_regressors_are_those_of_the_paper"),
    Row("Prop. 2, 13–14", "derivatives of M, C, g by parameters", [method_of(Robot, "mass_matrix_regressor"),
        method_of(Robot, "coriolis_matrix_regressor"), method_of(Robot, "gravity_regressor")],
        "dynamics/test_goa_coriolis.py::test_regressors_are_those_of_the_paper",
        "dynamics/test_regressors.py::test_derivatives_of_the_matrices_by_the_parameters",
        "dynamics/test_regressors.py::test_one_kernel_serves_robots_that_differ_in_mass",
        slips="13b has lost the dot of its second J"),
    Row("Remark 4, 15–16", "Slotine and Li's regressor", [Robot.slotine_li_regressor],
        "dynamics/test_goa_coriolis.py::test_regressors_are_those_of_the_paper",
        "dynamics/test_goa_coriolis.py::test_for_the_true_velocity_both_regressors_are_that_of_inverse_dynamics",
        slips="the arguments of Y are q, q̇, q̇_r, q̈_r"),
    Row("Prop. 3, 17", "adj = W V", [Motion.cross], why="a notation for 18–20; checked on the page"),
    Row("Prop. 4, 18–23", "derivatives of Ad⁻¹ and adj", [Motion.cross], why="steps of 24; checked on the page",
        slips="21 has lost the dot of its second Ad"),
    Row("Prop. 5, 24", "derivatives of M, C, g by the state", [Robot.mass_matrix_partials,
        method_of(Robot, "coriolis_matrix_partials"), method_of(Robot, "gravity_forces_partials")],
        "dynamics/test_goa_coriolis.py::test_partials_are_complex_steps_of_the_paper",
        "dynamics/test_derivatives.py::test_mass_matrix_partials_are_complex_step_derivatives",
        "dynamics/test_derivatives.py::test_gravity_partials_are_those_of_inverse_dynamics_at_rest"),
    Row("Prop. 6, 25", "rates of M, C, g", [method_of(Robot, "equations_of_motion_rates")],
        "dynamics/test_goa_coriolis.py::test_rates_are_complex_steps_of_the_paper",
        "dynamics/test_equations_of_motion.py::test_rates_by_complex_steps",
        slips="the words have state for time, and lost dots below 25; 25b has lost dots"),
    Row("Remark 5", "Ṁ = C + Cᵀ for GOA's C", [Robot.coriolis_matrix],
        "dynamics/test_goa_coriolis.py::test_it_has_the_same_forces_and_the_same_rate_of_the_mass_matrix"),
    Row("26–29", "Jacobian of a body, its rate and its acceleration", [Robot.jacobian, Robot.jacobian_rate,
        Robot.jacobian_second_rate],
        "dynamics/test_kinematics.py::test_rates_of_the_jacobian_are_its_derivatives_along_the_motion",
        "dynamics/test_kinematics.py::test_the_jacobian_takes_joint_velocities_to_rates_of_poses"),
    Row("30–32", "derivatives of the Jacobian and of its rate", [Robot.jacobian_partials,
        method_of(Robot, "jacobian_rate_partials")], "dynamics/test_points.py::test_partials_and_jerks_of_jacobians"),
    Row("Algorithm", "outward recursion of the kinematics", [jacobian, published.closed_form_mass_matrix],
        "dynamics/test_kinematics.py::test_the_jacobian_takes_joint_velocities_to_rates_of_poses",
        slips="at the root, Ad_{p,0} is written for Ad_{0,p}"),
    Row("Remark 6", "only the rotation is needed for gravity", [], why="a saving that tracing makes by itself"),
    Row("Remark 7, 33", "joints of several degrees of freedom", [Free, Spherical,
        method_of(Robot, "jacobian_rate_partials")], "model/test_joint_types.py::test_dynamics_agree_with_pinocchio",
        "dynamics/test_points.py::test_partials_and_jerks_of_jacobians"),
    Row("appendix", "Ad, adj, Λ, A; W is not used", [Transform, Motion.cross, Inertia.momentum],
        "spatial/test_motion.py::test_matrices_of_the_book",
        "dynamics/test_goa_coriolis.py::test_regressors_are_those_of_the_paper",
        slips="A has ω̃ for the 3 × 6 matrix of ω; the conclusion has Newton's third law for the second"),
    Row("section VII", "times: 0.244 ms for 25 joints; rates at 0.71 of two runs", [Robot.equations_of_motion,
        method_of(Robot, "equations_of_motion_rates")],
        why="times are measured by make bench, beside these: bench/QUANTITIES.md"),
)  # fmt: skip
