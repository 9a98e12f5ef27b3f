"""The names of URDF that are read, and known names that are ignored. https://wiki.ros.org/urdf/XML"""

from revolute.io.grammar import kind

LINK_NAME = kind("link")
ORIGIN = kind("xyz rpy quat_xyzw")
GEOMETRY = kind(
    children={
        "box": kind("size"),
        "cylinder": kind("radius length"),
        "sphere": kind("radius"),
        "capsule": kind("radius length"),
        "mesh": kind("filename scale", passed="@convexity"),
    },
    passed="@name convex plane sdf",
)
MATERIAL = kind("name", {"color": kind("rgba")}, passed="texture")
SHAPE = kind(
    "name",
    {"origin": ORIGIN, "geometry": GEOMETRY, "material": MATERIAL},
    passed="@concave @group @mask contact_coefficients verbose",
)
INERTIAL = kind(
    children={"origin": ORIGIN, "mass": kind("value"), "inertia": kind("ixx ixy ixz iyy iyz izz")}, passed="@name"
)
LINK = kind(
    "name",
    {"inertial": INERTIAL, "visual": SHAPE, "collision": SHAPE},
    # extensions of URDF by the PR2, Bullet, Gazebo and OpenHRP
    passed="@type @concave collision_checking contact gravity kinematic material self_collision_checking self_filter "
    "sensor surface verbose",
)
LIMIT = kind(
    "lower upper effort velocity",
    passed="@acceleration @deceleration @jerk "  # attributes of URDF 1.2
    "@command_effort @current @gear_velocity",  # attributes in files of the ANYmal robot
)
DYNAMICS = kind("damping friction", passed="@D @K @mu_coulomb @mu_viscous")  # mu_*: in files of the Panda robot
JOINT = kind(
    "name type",
    {
        "parent": LINK_NAME,
        "child": LINK_NAME,
        "origin": ORIGIN,
        "axis": kind("xyz"),
        "limit": LIMIT,
        "dynamics": DYNAMICS,
        "mimic": kind("joint multiplier offset"),
    },
    passed="@dont_collapse calibration hardwareInterface property safety_controller sensor",
)
ROBOT = kind(
    "name",
    {"link": LINK, "joint": JOINT, "material": MATERIAL},
    passed="@version gazebo mujoco plugin ros2_control sensor transmission "
    # elements of SRDF, which occur in some URDF files
    "chain disable_collisions disable_default_collisions enable_collisions end_effector group group_state "
    "joint_property link_sphere_approximation passive_joint virtual_joint",
)
