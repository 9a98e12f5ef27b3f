"""Franka Emika Panda."""

import math

from revolute.machine.robot import Robot
from revolute.model import Drive, Joint, Limits, Link
from revolute.model.joints import Revolute
from revolute.spatial import Inertia, Transform

_QUARTER = math.pi / 2

# mass [kg]; centre of mass [m]; (Ixx, Ixy, Ixz, Iyy, Iyz, Izz) about it [kg m^2]
_LINKS = (
    (0.629769, (-0.041018, -0.00014, 0.049974), (0.00315, 8.2904e-07, 0.00015, 0.00388, 8.2299e-06, 0.004285)),
    (4.970684, (0.003875, 0.002081, -0.04762), (0.70337, -0.000139, 0.006772, 0.70661, 0.019169, 0.009117)),
    (0.646926, (-0.003141, -0.02872, 0.003495), (0.007962, -0.003925, 0.010254, 0.02811, 0.000704, 0.025995)),
    (3.228604, (0.027518, 0.039252, -0.066502), (0.037242, -0.004761, -0.011396, 0.036155, -0.012805, 0.01083)),
    (3.587895, (-0.05317, 0.104419, 0.027454), (0.025853, 0.007796, -0.001332, 0.019552, 0.008641, 0.028323)),
    (1.225946, (-0.011953, 0.041065, -0.038437), (0.035549, -0.002117, -0.004037, 0.029474, 0.000229, 0.008627)),
    (1.666555, (0.060149, -0.014117, -0.010517), (0.001964, 0.000109, -0.001158, 0.004354, 0.000341, 0.005433)),
    (0.735522, (0.010517, -0.004252, 0.061597), (0.012516, -0.000428, -0.001196, 0.010027, -0.000741, 0.004815)),
)

# position in the parent [m], turn about the parent's x [rad]; range [rad], speed [rad/s], effort [N m]
_JOINTS = (
    ((0, 0, 0.333), 0, -2.8973, 2.8973, 2.175, 87.0),
    ((0, 0, 0), -_QUARTER, -1.7628, 1.7628, 2.175, 87.0),
    ((0, -0.316, 0), _QUARTER, -2.8973, 2.8973, 2.175, 87.0),
    ((0.0825, 0, 0), _QUARTER, -3.0718, -0.0698, 2.175, 87.0),
    ((-0.0825, 0.384, 0), -_QUARTER, -2.8973, 2.8973, 2.61, 12.0),
    ((0, 0, 0), _QUARTER, -0.0175, 3.7525, 2.61, 12.0),
    ((0.088, 0, 0), _QUARTER, -2.8973, 2.8973, 2.61, 12.0),
)


def panda() -> Robot:
    """The Panda arm without its hand; "panda_link8" is the flange.

    The values are from panda.urdf in the ROS package franka_description (noetic), as in the package
    example-robot-data. The inertial parameters are the set that Gaz, Cognetti, Oliva,
    Robuffo Giordano & De Luca identified: "Dynamic identification of the Franka Emika Panda
    robot with retrieval of feasible parameters using penalty-based optimization", IEEE RA-L
    4(4), 2019: one feasible set of many with the same joint torques, not the true masses.
    The arm's home is the configuration "ready" of panda_moveit_config.

    Example:
        >>> revolute.robots.panda().effort_limits
        array([87., 87., 87., 87., 12., 12., 12.])
    """
    links = [Link(f"panda_link{k}", _inertia(*figures)) for k, figures in enumerate(_LINKS)]
    joints, drive = [], Drive(damping=(0.003,), friction=(0.0,))
    for k, (xyz, roll, lower, upper, speed, effort) in enumerate(_JOINTS, 1):
        placement, limits = Transform.from_rpy(xyz, (roll, 0, 0)), Limits((lower,), (upper,), (speed,), (effort,))
        ends = (links[k - 1].name, links[k].name)
        joints.append(Joint(f"panda_joint{k}", *ends, Revolute(), placement, limits, drive))
    flange = Joint("panda_joint8", "panda_link7", "panda_link8", placement=Transform.from_rpy((0, 0, 0.107)))
    robot = Robot.from_links("panda", [*links, Link("panda_link8")], [*joints, flange])
    ready = [0, -_QUARTER / 2, 0, -1.5 * _QUARTER, 0, _QUARTER, _QUARTER / 2]
    return robot.with_configurations({"home": ready})


def _inertia(mass: float, com: tuple[float, ...], moments: tuple[float, ...]) -> Inertia:
    xx, xy, xz, yy, yz, zz = moments
    return Inertia.from_com(mass, com, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
