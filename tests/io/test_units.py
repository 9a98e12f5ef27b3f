"""Units in the headings of DH tables: common ones are read, others refused."""

import math
from pathlib import Path

import numpy as np
import pytest

from revolute import ModelError, Robot
from revolute.dynamics.kinematics import frame_pose
from revolute.io.units import factor

POUND, INCH = 0.45359237, 0.0254
KNOWN = {
    "length": {"m": 1, "cm": 0.01, "mm": 0.001, "um": 1e-6, "in": INCH, "inch": INCH, "ft": 12 * INCH},
    "angle": {"rad": 1, "deg": math.pi / 180, "°": math.pi / 180, "mrad": 0.001, "rev": 2 * math.pi},
    "mass": {"kg": 1, "g": 0.001, "lb": POUND, "oz": POUND / 16, "t": 1000},
    "inertia": {
        **dict.fromkeys(("kg m^2", "kg*m^2", "kg·m²", "kg.m2", "kgm2", "kg m2"), 1),
        "kg cm^2": 1e-4,
        "g mm^2": 1e-9,
        "lb in^2": POUND * INCH**2,
        "N m s^2": 1,
    },
    "position": {"rad": 1, "deg": math.pi / 180, "m": 1, "mm": 0.001, "rad, m": 1, "rad or m": 1, "m|rad": 1},
    "speed": {"rad/s": 1, "deg / s": math.pi / 180, "rpm": math.pi / 30, "mm/s": 0.001, "m/min": 1 / 60},
    "force": {"N m": 1, "Nm": 1, "N": 1, "mNm": 0.001, "N mm": 0.001, "kN": 1000, "lbf in": POUND * 9.80665 * INCH},
}
UNKNOWN = {
    "length": ("yard", "kg", "rad", "m^2", "", "-", "m m", "1/m"),
    "angle": ("grad", "m", "deg/s"),
    "mass": ("stone", "N", "m"),
    "inertia": ("kg m", "kg/m^2", "m^2", "kg m^2 rad"),
    "position": ("deg, mm", "s", "rad/m"),
    "speed": ("rad", "m/s^2", "Hz"),
    "force": ("N/m", "kg", "N m^2", "N m^9"),
}


@pytest.mark.parametrize(("kind", "unit"), [(kind, unit) for kind, units in KNOWN.items() for unit in units])
def test_common_units_are_known(kind: str, unit: str) -> None:
    """A product of some factors, each of which is right to rounding."""
    known = factor(unit, kind)
    assert known is not None and known[0] == pytest.approx(KNOWN[kind][unit], rel=1e-15)


@pytest.mark.parametrize(("kind", "unit"), [(kind, unit) for kind, units in UNKNOWN.items() for unit in units])
def test_others_are_not(kind: str, unit: str) -> None:
    assert factor(unit, kind) is None


HEADER = (
    "joint,a{0},alpha{1},d{0},theta{1},mass{2},x{0},y{0},z{0},Ixx{3},Iyy{3},Izz{3},lower{1},upper{1},"
    "velocity{4},effort{5}"
)


def test_tables_in_any_units_are_one_robot(tmp_path: Path) -> None:
    """The same arm in inches, degrees, pounds and revolutions."""
    row = np.array([0.4, 1.5, 0.1, 0.2, 2, -0.1, 0.05, 0.2, 0.03, 0.03, 0.02, -2, 2, 3, 50])
    a, angle, mass, moment, speed, force = INCH, math.pi / 180, POUND, POUND * INCH**2, math.pi / 30, 1e-3
    other = row / [a, angle, a, angle, mass, a, a, a, moment, moment, moment, angle, angle, speed, force]
    units = (" [in]", " (deg)", "[lb]", " [lb in^2]", " [rpm]", " [mN m]")
    robots = []
    for values, header in ((row, HEADER.format(*[""] * 6)), (other, HEADER.format(*units))):
        (tmp_path / "arm.csv").write_text(f"{header}\nR,{','.join(map(repr, values.tolist()))}\n")
        robots.append(Robot.from_dh(tmp_path / "arm.csv"))
    one, two = robots
    np.testing.assert_allclose(two.inertial_parameters, one.inertial_parameters, rtol=1e-14, atol=1e-16)
    for name in ("lower_limits", "upper_limits", "velocity_limits", "effort_limits"):
        np.testing.assert_allclose(getattr(two, name), getattr(one, name), rtol=1e-14)
    poses = [np.array(frame_pose(robot, [0.3], "flange").matrix(), dtype=float) for robot in robots]
    np.testing.assert_allclose(poses[1], poses[0], atol=1e-14)


def test_units_of_a_joint_are_its_own(tmp_path: Path) -> None:
    path = tmp_path / "arm.csv"
    path.write_text("joint,a,alpha,d,theta,lower [mm],upper [mm]\nP,0,0,0,0,-100,200\nR,1,0,0,0,,\n")
    limits = Robot.from_dh(path).bodies[1].limits
    assert (limits.lower, limits.upper) == ((-0.1,), (0.2,))
    path.write_text(path.read_text().replace("R,1,0,0,0,,", "R,1,0,0,0,-1,1"))
    with pytest.raises(ModelError, match=r"arm\.csv: line 3: lower is in mm, and the joint is revolute"):
        Robot.from_dh(path)
