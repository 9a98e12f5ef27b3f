"""Names in other libraries and their names here, for messages about unknown names."""

FUNCTIONS: dict[str, dict[str, str]] = {
    "": {
        "fk": "forward_kinematics(q, link)",
        "inverse_kin": "inverse_kinematics(pose, link)",
        "M": "mass_matrix(q)",
        "inertia_matrix": "mass_matrix(q)",
        "C": "coriolis_matrix(q, qd)",
        "coriolis_vector": "coriolis_forces(q, qd)",
        **dict.fromkeys(("G", "g", "gravity_vector", "gravity_torques", "gravity_compensation"), "gravity_forces(q)"),
        **dict.fromkeys(("J", "jac"), "jacobian(q, link), angular rows first"),
        "com": "center_of_mass(q)",
        **dict.fromkeys(("dof", "ndof", "n_dof", "num_dof", "dofs"), "nv"),
        "joint_limits": "lower_limits and upper_limits",
        "links": "link_names",
        "joints": "joint_names",
    },
    "Pinocchio": {
        "rnea": "inverse_dynamics(q, qd, qdd)",
        "aba": "forward_dynamics(q, qd, tau)",
        "crba": "mass_matrix(q)",
        "computeMinverse": "mass_matrix_inverse(q)",
        "computeGeneralizedGravity": "gravity_forces(q)",
        "computeCoriolisMatrix": "coriolis_matrix(q, qd)",
        "nonLinearEffects": "bias_forces(q, qd)",
        "nle": "bias_forces(q, qd)",
        "computeRNEADerivatives": "inverse_dynamics_partials(q, qd, qdd)",
        "computeABADerivatives": "forward_dynamics_partials(q, qd, tau)",
        "computeJointTorqueRegressor": "regressor(q, qd, qdd)",
        "forwardKinematics": "forward_kinematics(q)",
        "framesForwardKinematics": "forward_kinematics(q)",
        "updateFramePlacements": "forward_kinematics(q)",
        "computeJointJacobians": "jacobian(q, link), angular rows first",
        "computeJointJacobian": "jacobian(q, link), angular rows first",
        "computeFrameJacobian": "jacobian(q, link), angular rows first",
        "getJointJacobian": "jacobian(q, link), angular rows first",
        "getFrameJacobian": "jacobian(q, link), angular rows first",
        "getFrameJacobianTimeVariation": "jacobian_rate(q, qd, link), angular rows first",
        "getFrameVelocity": "velocity(q, qd, link)",
        "getFrameAcceleration": "acceleration(q, qd, qdd, link)",
        "centerOfMass": "center_of_mass(q)",
        "jacobianCenterOfMass": "com_jacobian(q)",
        "ccrba": "centroidal_momentum_matrix(q)",
        "computeCentroidalMomentum": "centroidal_momentum(q, qd)",
        "computeKineticEnergy": "kinetic_energy(q, qd)",
        "computePotentialEnergy": "potential_energy(q)",
        "computeMechanicalEnergy": "total_energy(q, qd)",
        "randomConfiguration": "random_configuration(rng=0)",
        "buildReducedModel": "lock({joint: position})",
        "getFrameId": "frame(link)",
        "getJointId": "joint_index(joint)",
        "lowerPositionLimit": "lower_limits",
        "upperPositionLimit": "upper_limits",
        "velocityLimit": "velocity_limits",
        "effortLimit": "effort_limits",
    },
    "Robotics Toolbox": {
        "fkine": "forward_kinematics(q, link)",
        "fkine_all": "forward_kinematics(q)",
        **dict.fromkeys(("ik", "ik_LM", "ikine", "ikine_LM"), "inverse_kinematics(pose, link)"),
        "jacob0": 'jacobian(q, link, "aligned"), angular rows first',
        "jacobe": "jacobian(q, link), angular rows first",
        "jacob0_dot": 'jacobian_rate(q, qd, link, "aligned"), angular rows first',
        "hessian0": 'jacobian_partials(q, link, "aligned"), angular rows first',
        "rne": "inverse_dynamics(q, qd, qdd)",
        "gravload": "gravity_forces(q)",
        "inertia": "mass_matrix(q)",
        "coriolis": "coriolis_matrix(q, qd)",
        "accel": "forward_dynamics(q, qd, tau)",
        "inertia_x": "operational_space(link).mass_matrix(q)",
        "fdyn": "simulate(q, qd, tau, t)",
        "random_q": "random_configuration(rng=0)",
        "teach": "view()",
        "payload": "with_payload(link, inertia)",
        "qlim": "lower_limits and upper_limits",
        "qz": "neutral()",
    },
    "MuJoCo": {
        "mj_inverse": "inverse_dynamics(q, qd, qdd)",
        "mj_rne": "inverse_dynamics(q, qd, qdd)",
        "mj_forward": "forward_dynamics(q, qd, tau)",
        "mj_fullM": "mass_matrix(q)",
        "mj_crb": "mass_matrix(q)",
        "mj_solveM": "mass_matrix_inverse(q)",
        "mj_kinematics": "forward_kinematics(q)",
        "mj_jac": 'jacobian(q, link, "aligned"), angular rows first',
        "mj_jacBody": 'jacobian(q, link, "aligned"), angular rows first',
        "mj_jacSite": 'jacobian(q, link, "aligned"), angular rows first',
        "mj_objectVelocity": 'velocity(q, qd, link, "aligned")',
        "mj_energyPos": "potential_energy(q)",
        "mj_energyVel": "kinetic_energy(q, qd)",
        "mj_integratePos": "integrate(q, d)",
        "mj_differentiatePos": "difference(q0, q1)",
        "mj_step": "stepper(dt).step(q, qd, tau)",
        "qfrc_bias": "bias_forces(q, qd)",
        "qfrc_inverse": "inverse_dynamics(q, qd, qdd)",
    },
    "PyBullet": {
        "calculateInverseDynamics": "inverse_dynamics(q, qd, qdd)",
        "calculateInverseKinematics": "inverse_kinematics(pose, link)",
        "calculateJacobian": 'jacobian(q, link, "aligned"), angular rows first',
        "calculateMassMatrix": "mass_matrix(q)",
        "getLinkState": "forward_kinematics(q, link)",
        "getNumJoints": "joint_names",
        "stepSimulation": "stepper(dt).step(q, qd, tau)",
    },
    "Drake": {
        "CalcInverseDynamics": "inverse_dynamics(q, qd, qdd), which includes gravity",
        "CalcMassMatrix": "mass_matrix(q)",
        "CalcMassMatrixViaInverseDynamics": "mass_matrix(q)",
        "CalcBiasTerm": "coriolis_forces(q, qd), without gravity",
        "CalcGravityGeneralizedForces": "gravity_forces(q), with the other sign",
        "CalcJacobianSpatialVelocity": "jacobian(q, link)",
        "CalcCenterOfMassPositionInWorld": "center_of_mass(q)",
        "CalcRelativeTransform": "forward_kinematics(q, link)",
        "EvalBodyPoseInWorld": "forward_kinematics(q, link)",
        "EvalBodySpatialVelocityInWorld": 'velocity(q, qd, link, "aligned")',
        "CalcPotentialEnergy": "potential_energy(q)",
        "CalcKineticEnergy": "kinetic_energy(q, qd)",
        "num_positions": "nq",
        "num_velocities": "nv",
    },
}
"""Functions and data: {library: {its name: the attribute of a robot}}; under "" those of no specific library."""

_NO_STATE = "a robot has no state: pass q, qd and tau to its methods, which return their results"

REMARKS: dict[str, str] = {
    **dict.fromkeys(("createData", "CreateDefaultContext", "SetPositions", "qpos", "qvel", "qacc", "ctrl"), _NO_STATE),
    "URDF": "write revolute.load(path)",
}
"""Robot attributes of other libraries without a counterpart here."""

REFERENCES: dict[str, str] = {"LOCAL": "body", "LOCAL_WORLD_ALIGNED": "aligned", "WORLD": "world"}
"""Pinocchio's reference frames."""

_REFERENCES = "Pinocchio's LOCAL, LOCAL_WORLD_ALIGNED and WORLD are the references 'body', 'aligned' and 'world'"

PACKAGE: dict[str, str] = {
    "buildModelFromUrdf": "Pinocchio's buildModelFromUrdf is revolute.load(path)",
    "buildModelFromMJCF": "Pinocchio's buildModelFromMJCF is revolute.load(path)",
    "RobotWrapper": "Pinocchio's RobotWrapper is revolute.load(path)",
    "JointModelFreeFlyer": 'Pinocchio\'s JointModelFreeFlyer is revolute.load(path, base="free")',
    "SE3": "SE3 is revolute.Transform",
    "Data": f"Pinocchio's Data has no counterpart: {_NO_STATE}",
    **dict.fromkeys(("ReferenceFrame", *REFERENCES), _REFERENCES),
    "DHRobot": "Robotics Toolbox's DHRobot is revolute.Robot.from_dh(table)",
    "ERobot": "Robotics Toolbox's ERobot is revolute.load(path)",
    "models": "Robotics Toolbox's models are functions of revolute.robots",
    "MjModel": "MuJoCo's MjModel is revolute.load(path)",
    "MjSpec": "MuJoCo's MjSpec is revolute.load(path)",
    "MjData": f"MuJoCo's MjData has no counterpart: {_NO_STATE}",
    "MultibodyPlant": "Drake's MultibodyPlant is revolute.load(path)",
    "Parser": "Drake's Parser is revolute.load(path)",
    "rk4": 'write robot.simulate(q, qd, tau, t, "runge_kutta_4")',
}
"""Names of packages."""

METHODS: dict[str, str] = {
    **dict.fromkeys(("rk4", "runge_kutta", "rungekutta4", "mjint_rk4"), "runge_kutta_4"),
    **dict.fromkeys(("euler", "symplectic_euler", "semi_implicit", "mjint_euler"), "semi_implicit_euler"),
    **dict.fromkeys(("forward_euler", "explicit"), "explicit_euler"),
    **dict.fromkeys(("symplectic", "variational", "verlet", "stormer_verlet", "leapfrog"), "variational_midpoint"),
    **dict.fromkeys(("rkmk4", "rkmk", "munthe_kaas"), "runge_kutta_munthe_kaas_4"),
    **dict.fromkeys(("midpoint", "gauss", "mjint_implicit"), "implicit_midpoint"),
    **dict.fromkeys(("ode45", "rk45", "dopri5"), "RK45"),
    "dop853": "DOP853",
    "lsoda": "LSODA",
    "radau": "Radau",
    "bdf": "BDF",
}
"""Integration methods, in lower case."""


def answer(name: str, owner: str = "robot", machine: object = None) -> str | None:
    """The counterpart of an attribute of other libraries' robots; None if the name is not known.

    Args:
        name: the attribute.
        owner: name of the robot in the answer.
        machine: object whose attributes are checked; the answer then states whether it has the counterpart.

    Example:
        >>> from revolute.model.other_libraries import answer
        >>> print(answer("rnea"))
        Pinocchio's rnea is robot.inverse_dynamics(q, qd, qdd)
    """
    for library, functions in FUNCTIONS.items():
        if name in functions:
            here = functions[name]
            attribute = here.partition("(")[0].partition(" ")[0]
            known = machine is None or hasattr(machine, attribute)
            whose = f"{library}'s {name}" if library else name
            return f"{whose} is {owner}.{here}" + ("" if known else " of a revolute.Robot")
    return REMARKS.get(name)
