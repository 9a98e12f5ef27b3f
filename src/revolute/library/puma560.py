"""Unimation Puma 560."""

import math

from revolute.io.dh import DHRow, DHTable, arm
from revolute.machine.robot import Robot
from revolute.model.body import Limits
from revolute.spatial import Inertia

_QUARTER = math.pi / 2

# alpha [rad], a, d [m]; mass [kg]; centre of mass [m]; (Ixx, Iyy, Izz) about it [kg m^2];
# lowest and highest angle [deg]; largest torque [N m]
_ROWS = (
    (0, 0, 0, 34.4, (0, 0, 0), (0.18, 0.18, 0.35), (-160, 160), 97.6),
    (-_QUARTER, 0, 0.2435, 17.40, (0.068, 0.006, -0.016), (0.126, 0.520, 0.539), (-225, 45), 186.4),
    (0, 0.4318, -0.0934, 4.80, (0, -0.070, 0.014), (0.070, 0.0165, 0.086), (-45, 225), 89.4),
    (_QUARTER, -0.0203, 0.4331, 0.82, (0, 0, -0.019), (1.8e-3, 1.8e-3, 1.3e-3), (-110, 170), 24.2),
    (-_QUARTER, 0, 0, 0.34, (0, 0, 0), (0.30e-3, 0.30e-3, 0.40e-3), (-100, 100), 20.1),
    (_QUARTER, 0, 0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), (-266, 266), 21.3),
)


def puma560() -> Robot:
    """The Puma 560 with the measured parameters of Armstrong, Khatib & Burdick 1986.

    "The explicit dynamic model and inertial parameters of the Puma 560 arm", IEEE ICRA
    1986, 510-518: modified Denavit-Hartenberg geometry with the base frame at the shoulder;
    masses, centres of mass and inertias of the links without their drives; maximum torques.
    At q = 0 the upper arm lies along x and the forearm points up; a positive joint2 lowers
    the arm. The frame "flange" is at the wrist's centre.

    - Motors and gears are not part of the links. Reflected to the joints, their inertias are 1.14, 4.71,
      0.827, 0.200, 0.179, 0.193 kg m^2, which would add to the diagonal of the mass matrix.
    - For link 1 the paper gives no mass, and of the inertia only Izz. The other values, 34.4 kg and 0.18
      kg m^2, are from the Puma in Stanford's simulators; no joint torque depends on them.
    - Link 3 was measured as (0.066, 0.0125, 0.086) kg m^2, which is not physically consistent. Joint
      torques do not show which of two links with parallel joint axes has an inertia about x
      and y. So 0.004 kg m^2 of link 2, (0.130, 0.524, 0.539), are moved to link 3 here; all
      joint torques stay the same.
    - The joint ranges are from Corke's Robotics Toolbox (after Wang & Chen 1991), shifted to
      the zero positions of this table.

    Example:
        >>> robot = revolute.robots.puma560()
        >>> robot.gravity_forces(robot.neutral()).round(3)[1:3]
        array([-36.986,   0.249])
    """
    return Robot.from_model(arm("puma560", DHTable("modified", tuple(_row(*figures) for figures in _ROWS))))


def _row(
    alpha: float, a: float, d: float, mass: float, com: tuple[float, ...], moments: tuple[float, float, float],
    span: tuple[float, float], effort: float,
) -> DHRow:
    (xx, yy, zz), (lower, upper) = moments, span
    inertia = Inertia.from_com(mass, com, ((xx, 0, 0), (0, yy, 0), (0, 0, zz)))
    limits = Limits((math.radians(lower),), (math.radians(upper),), effort=(effort,))
    return DHRow(a, alpha, d, inertia=inertia, limits=limits)
