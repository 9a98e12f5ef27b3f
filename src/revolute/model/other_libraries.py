"""Names in other libraries and their counterparts here, for messages about unknown names."""

_BY_OURS: dict[str, dict[str, str]] = {
    "": {
        "forward_kinematics(q, link)": "fk",
        "inverse_kinematics(pose, link)": "inverse_kin",
        "mass_matrix(q)": "M inertia_matrix",
        "coriolis_matrix(q, qd)": "C",
        "coriolis_forces(q, qd)": "coriolis_vector",
        "gravity_forces(q)": "G g gravity_vector gravity_torques gravity_compensation",
        "jacobian(q, link), angular rows first": "J jac",
        "center_of_mass(q)": "com",
        "nv": "dof ndof n_dof num_dof dofs",
        "lower_limits and upper_limits": "joint_limits",
        "link_names": "links",
        "joint_names": "joints",
    },
    "Pinocchio": {
        "inverse_dynamics(q, qd, qdd)": "rnea",
        "forward_dynamics(q, qd, tau)": "aba",
        "mass_matrix(q)": "crba",
        "mass_matrix_inverse(q)": "computeMinverse",
        "gravity_forces(q)": "computeGeneralizedGravity",
        "coriolis_matrix(q, qd)": "computeCoriolisMatrix",
        "bias_forces(q, qd)": "nonLinearEffects nle",
        "inverse_dynamics_partials(q, qd, qdd)": "computeRNEADerivatives",
        "forward_dynamics_partials(q, qd, tau)": "computeABADerivatives",
        "regressor(q, qd, qdd)": "computeJointTorqueRegressor",
        "forward_kinematics(q)": "forwardKinematics framesForwardKinematics updateFramePlacements",
        "jacobian(q, link), angular rows first":
            "computeJointJacobians computeJointJacobian computeFrameJacobian getJointJacobian getFrameJacobian",
        "jacobian_rate(q, qd, link), angular rows first": "getFrameJacobianTimeVariation",
        "velocity(q, qd, link)": "getFrameVelocity",
        "acceleration(q, qd, qdd, link)": "getFrameAcceleration",
        "center_of_mass(q)": "centerOfMass",
        "com_jacobian(q)": "jacobianCenterOfMass",
        "centroidal_momentum_matrix(q)": "ccrba",
        "centroidal_momentum(q, qd)": "computeCentroidalMomentum",
        "kinetic_energy(q, qd)": "computeKineticEnergy",
        "potential_energy(q)": "computePotentialEnergy",
        "total_energy(q, qd)": "computeMechanicalEnergy",
        "random_configuration(rng=0)": "randomConfiguration",
        "lock({joint: position})": "buildReducedModel",
        "frame(link)": "getFrameId",
        "joint_index(joint)": "getJointId",
        "lower_limits": "lowerPositionLimit",
        "upper_limits": "upperPositionLimit",
        "velocity_limits": "velocityLimit",
        "effort_limits": "effortLimit",
    },
    "Robotics Toolbox": {
        "forward_kinematics(q, link)": "fkine",
        "forward_kinematics(q)": "fkine_all",
        "inverse_kinematics(pose, link)": "ik ik_LM ikine ikine_LM",
        'jacobian(q, link, "aligned"), angular rows first': "jacob0",
        "jacobian(q, link), angular rows first": "jacobe",
        'jacobian_rate(q, qd, link, "aligned"), angular rows first': "jacob0_dot",
        'jacobian_partials(q, link, "aligned"), angular rows first': "hessian0",
        "inverse_dynamics(q, qd, qdd)": "rne",
        "gravity_forces(q)": "gravload",
        "mass_matrix(q)": "inertia",
        "coriolis_matrix(q, qd)": "coriolis",
        "forward_dynamics(q, qd, tau)": "accel",
        "operational_space(link).mass_matrix(q)": "inertia_x",
        "simulate(q, qd, tau, t)": "fdyn",
        "random_configuration(rng=0)": "random_q",
        "view()": "teach",
        "with_payload(link, inertia)": "payload",
        "lower_limits and upper_limits": "qlim",
        "neutral()": "qz",
    },
    "MuJoCo": {
        "inverse_dynamics(q, qd, qdd)": "mj_inverse mj_rne qfrc_inverse",
        "forward_dynamics(q, qd, tau)": "mj_forward",
        "mass_matrix(q)": "mj_fullM mj_crb",
        "mass_matrix_inverse(q)": "mj_solveM",
        "forward_kinematics(q)": "mj_kinematics",
        'jacobian(q, link, "aligned"), angular rows first': "mj_jac mj_jacBody mj_jacSite",
        'velocity(q, qd, link, "aligned")': "mj_objectVelocity",
        "potential_energy(q)": "mj_energyPos",
        "kinetic_energy(q, qd)": "mj_energyVel",
        "integrate(q, d)": "mj_integratePos",
        "difference(q0, q1)": "mj_differentiatePos",
        "stepper(dt).step(q, qd, tau)": "mj_step",
        "bias_forces(q, qd)": "qfrc_bias",
    },
    "PyBullet": {
        "inverse_dynamics(q, qd, qdd)": "calculateInverseDynamics",
        "inverse_kinematics(pose, link)": "calculateInverseKinematics",
        'jacobian(q, link, "aligned"), angular rows first': "calculateJacobian",
        "mass_matrix(q)": "calculateMassMatrix",
        "forward_kinematics(q, link)": "getLinkState",
        "joint_names": "getNumJoints",
        "stepper(dt).step(q, qd, tau)": "stepSimulation",
    },
    "Drake": {
        "inverse_dynamics(q, qd, qdd), which includes gravity": "CalcInverseDynamics",
        "mass_matrix(q)": "CalcMassMatrix CalcMassMatrixViaInverseDynamics",
        "coriolis_forces(q, qd), without gravity": "CalcBiasTerm",
        "gravity_forces(q), with the other sign": "CalcGravityGeneralizedForces",
        "jacobian(q, link)": "CalcJacobianSpatialVelocity",
        "center_of_mass(q)": "CalcCenterOfMassPositionInWorld",
        "forward_kinematics(q, link)": "CalcRelativeTransform EvalBodyPoseInWorld",
        'velocity(q, qd, link, "aligned")': "EvalBodySpatialVelocityInWorld",
        "potential_energy(q)": "CalcPotentialEnergy",
        "kinetic_energy(q, qd)": "CalcKineticEnergy",
        "nq": "num_positions",
        "nv": "num_velocities",
    },
}

FUNCTIONS: dict[str, dict[str, str]] = {
    library: {name: here for here, names in rows.items() for name in names.split()}
    for library, rows in _BY_OURS.items()
}
"""{library: {name of a function or of data: attribute of a robot}}; the key "" holds names of no specific library."""

_NO_STATE = "a robot has no state: pass q, qd and tau to its methods, which return their results"

REMARKS: dict[str, str] = {
    **dict.fromkeys(("createData", "CreateDefaultContext", "SetPositions", "qpos", "qvel", "qacc", "ctrl"), _NO_STATE),
    **dict.fromkeys(
        ("URDF", "load", "load_mjcf", "load_robot", "load_sdf", "load_urdf", "from_file", "from_mjcf", "from_urdf"),
        "write revolute.load(path)",
    ),
}
"""Advice for attributes of other libraries' robots that have no counterpart in this library."""

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
"""Names of packages of other libraries."""

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
"""Names of integration methods, in lower case."""


def answer(name: str, owner: str = "robot", machine: object = None) -> str | None:
    """The counterpart of an attribute of other libraries' robots: "Pinocchio's rnea is robot.inverse_dynamics(...)".

    None if the name is unknown. If `machine` is given, the answer states whether it has the counterpart.
    """
    for library, functions in FUNCTIONS.items():
        if name in functions:
            here = functions[name]
            known = machine is None or hasattr(machine, here.partition("(")[0].partition(" ")[0])
            whose = f"{library}'s {name}" if library else name
            return f"{whose} is {owner}.{here}" + ("" if known else " of a revolute.Robot")
    return REMARKS.get(name)
