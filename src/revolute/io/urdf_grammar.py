"""The names of URDF and its extensions: read, irrelevant, or not modelled.

https://wiki.ros.org/urdf/XML, https://control.ros.org, and parser_urdf.cc of libsdformat.
"""

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
    passed="@type @concave collision_checking contact material self_collision_checking self_filter sensor surface "
    "verbose",
    lost="gravity=true kinematic=false",
)
LIMIT = kind(
    "lower upper effort velocity",
    passed="@command_effort @current @gear_velocity",  # attributes in files of the ANYmal robot
    lost="@acceleration=inf @deceleration=inf @jerk=inf",  # attributes of URDF 1.2
)
DYNAMICS = kind("damping friction", passed="@D @K @mu_coulomb @mu_viscous")  # mu_*: in files of the Panda robot
JOINT = kind(
    "name type",
    {
        "parent": LINK_NAME, "child": LINK_NAME, "origin": ORIGIN, "axis": kind("xyz"), "limit": LIMIT,
        "dynamics": DYNAMICS, "mimic": kind("joint multiplier offset"),
    },
    passed="@dont_collapse calibration hardwareInterface property safety_controller sensor",
)
NUMBER = kind(passed="@value")  # in the attribute or in the text
REDUCTION = {"mechanicalReduction": NUMBER}
GEAR = {"joint": kind("name", REDUCTION, passed="*"), "actuator": kind(children=REDUCTION, passed="*"), **REDUCTION}
ROS2_GEAR = {
    "joint": kind("name", {"mechanical_reduction": NUMBER}, passed="*"),
    "actuator": kind(passed="*", lost="mechanical_reduction=1"),  # ROS 2 ignores that of a single actuator
}
GAZEBO = kind(
    "reference",
    {"springReference": NUMBER, "springStiffness": NUMBER},
    passed="*",
    lost="dampingFactor=0 enable_wind=false gravity=true kinematic=false static=false turnGravityOff=false "
    "velocity_decay=0",
)
ROBOT = kind(
    "name",
    {
        "link": LINK, "joint": JOINT, "material": MATERIAL, "gazebo": GAZEBO,
        "transmission": kind("name", GEAR, passed="*"),
        "ros2_control": kind(children={"transmission": kind("name", ROS2_GEAR, passed="*")}, passed="*"),
    },
    passed="@version mujoco plugin sensor "
    # elements of SRDF, which occur in some URDF files
    "chain disable_collisions disable_default_collisions enable_collisions end_effector group group_state "
    "joint_property link_sphere_approximation passive_joint virtual_joint",
)  # fmt: skip
