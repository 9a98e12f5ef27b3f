"""The Stanford arm."""

import math

from revolute.io.dh import DHRow, DHTable, arm
from revolute.machine.robot import Robot
from revolute.model.body import Limits
from revolute.spatial import Inertia, Matrix, Vector

_QUARTER = math.pi / 2
_INCH = 0.0254
_BOOM = (12 * _INCH, 50 * _INCH)
_TURN = (-math.radians(170), math.radians(170))

# alpha [rad], d [m], theta [rad]; mass [kg]; centre of mass [m]; (Ixx, Iyy, Izz) about the
# frame's origin [kg m^2]; range [rad, m]
_ROWS = (
    (-_QUARTER, 16.24 * _INCH, 0, 9.29, (0, 0.0175, -0.1105), (0.276, 0.255, 0.071), _TURN),
    (_QUARTER, 6.05 * _INCH, 0, 5.01, (0, -0.1054, 0), (0.108, 0.018, 0.100), _TURN),
    (0, 0, -_QUARTER, 4.25, (0, 0, -0.6447), (2.51, 2.51, 0.006), _BOOM),
    (-_QUARTER, 0, 0, 1.08, (0, 0.0092, -0.0054), (0.002, 0.001, 0.001), _TURN),
    (_QUARTER, 0, 0, 0.63, (0, 0, 0.0566), (0.003, 0.003, 0.0004), (-_QUARTER, _QUARTER)),
    (0, 10.35 * _INCH, 0, 0.51, (0, 0, 0.1554), (0.013, 0.013, 0.0003), _TURN),
)


def stanford() -> Robot:
    """The Stanford arm (Scheinman): five revolute joints, and a prismatic boom, joint3.

    Geometry: Paul 1972, "Modelling, trajectory calculation and servoing of a computer
    controlled arm", Stanford AIM-177, figure 2.3, in inches and the standard convention;
    the base frame is on the floor, "flange" between the finger tips. joint3 is the
    extension of the boom, 12 to 50 inches.

    Masses, centres of mass and inertias: Paul 1981, "Robot manipulators", tables 6.4-6.6,
    as in Corke's Robotics Toolbox (stanford.m), with two corrections. In the Toolbox, all centres of mass except the
    first are ten times too far out, as if centimetres were decimetres: 1.05 m off its axis for the shoulder. Moments of
    inertia are about the frames' origins, as in Paul's pseudo-inertias: about the centre of mass, the boom would have
    to be longer than it is. Drives (reflected to the joints 0.953, 2.193, 0.782, 0.106, 0.097, 0.020 kg m^2 and kg) are
    not part of the links. No efforts are given.

    Example:
        >>> revolute.robots.stanford().upper_limits[2].round(2)
        np.float64(1.27)
    """
    return Robot.from_model(arm("stanford", DHTable("standard", tuple(_row(*figures) for figures in _ROWS))))


def _row(
    alpha: float, d: float, theta: float, mass: float, com: tuple[float, float, float],
    moments: tuple[float, float, float], span: tuple[float, float],
) -> DHRow:
    (xx, yy, zz), (lower, upper) = moments, span
    inertia = Inertia(mass, Vector(com) * mass, Matrix(((xx, 0, 0), (0, yy, 0), (0, 0, zz))))
    return DHRow(0, alpha, d, theta, inertia, Limits((lower,), (upper,)), prismatic=span is _BOOM)
