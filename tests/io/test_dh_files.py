"""Files of Denavit-Hartenberg tables: drives, TOML, and units in headings, against the same numbers in Python."""

import math
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from files import written

from revolute import Drive, InputError, Limits, ModelError, ModelWarning, Robot
from revolute.dynamics.kinematics import frame_pose
from revolute.io.dh import DHTable
from revolute.io.dh_table import BY_JOINT, COLUMNS, QUANTITIES, read_rows
from revolute.io.units import factor

DRIVES = [
    Drive(0.5, 2, gear_ratio=100, rotor_inertia=1e-4, stribeck=0.2, stribeck_speed=0.1, friction_backward=1.5),
    Drive(damping=20, armature=0.3, stiffness=400, rest_position=0.01),
]
LIMITS = [Limits(-1.5, 1.5, 2, 50), Limits(0, 0.4, 1, 100)]
ROWS = [(0.4, math.pi / 2, 0.1, 0.2), (0.1, 0, 0.2, 0)]
EXPECTED = Robot.from_dh(ROWS, joints="RP", limits=LIMITS, drives=DRIVES)
CSV = f"""joint,a,alpha,d,theta,lower,upper,velocity,effort,damping,friction,friction_backward,gear_ratio,\
rotor_inertia,stribeck,stribeck_speed,armature,stiffness,rest_position
R,0.4,{math.pi / 2},0.1,0.2,-1.5,1.5,2,50,0.5,2,1.5,100,1e-4,0.2,0.1,,,
P,0.1,0,0.2,0,0,0.4,1,100,20,,,,,,,0.3,400,0.01
"""
NAMES, *LINES = (line.replace("R,", '"R",').replace("P,", '"P",').split(",") for line in CSV.splitlines())
TOML = "\n".join(
    "[[rows]]\n" + "\n".join(f"{name} = {x}" for name, x in zip(NAMES, row, strict=True) if x) for row in LINES
)


DEGREES = [(0.4, 90, 0.1, -180), (0.1, -90, 0.2, 30), {"a": 0.2, "alpha": 0, "d": 0, "theta": 720}]


def test_rows_in_degrees(tmp_path: Path) -> None:
    turned = [(0.4, math.pi / 2, 0.1, -math.pi), (0.1, -math.pi / 2, 0.2, 30 * math.pi / 180), (0.2, 0, 0, 4 * math.pi)]
    right = Robot.from_dh(DEGREES[:2], degrees=True)
    assert right == Robot.from_dh(turned[:2])  # right angles are exact
    assert Robot.from_dh(DEGREES, degrees=True).nq == 3  # without a warning of 720
    file = tmp_path / "arm.csv"
    file.write_text("a,alpha,d,theta\n0.4,90,0.1,0\n")
    for table, name in ((DEGREES, "alpha of row 1"), (turned, "theta of row 3"), (file, "alpha of row 1")):
        assert_warns(ModelWarning, f"{name} exceeds 2 pi rad: if in degrees, give degrees=True", Robot.from_dh, table)
    for table, error in ((file, ModelError), (EXPECTED.to_dh(), InputError)):
        assert_raises(error, "degrees=True is for rows of numbers", Robot.from_dh, table, degrees=True)
    file.write_text("a,alpha [deg],d,theta [deg]\n0.4,90,0.1,-180\n0.1,-90,0.2,30\n")
    assert Robot.from_dh(file) == right


@pytest.mark.parametrize(("name", "text"), [("arm.csv", CSV), ("arm.toml", TOML), ("ARM.TOML", TOML)])
def test_drives_and_limits_of_files(name: str, text: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, text)
    assert Robot.from_dh(path) == EXPECTED
    drives = [Drive(friction=1), Drive()]
    table = DHTable("standard", tuple(read_rows(str(path))))
    for source in (path, table):
        assert Robot.from_dh(source, drives=drives) == Robot.from_dh(ROWS, joints="RP", limits=LIMITS, drives=drives)


def test_every_field_of_a_drive_is_a_column() -> None:
    assert set(Drive().columns()) < set(COLUMNS)
    without_units = {"joint", "gear_ratio"}
    assert set(COLUMNS) - set(QUANTITIES) == without_units, "say in QUANTITIES of io/dh_table.py which units it has"
    assert set(QUANTITIES) > BY_JOINT
    for kind, units in QUANTITIES.values():
        assert all(factor(unit, kind) for unit in units.split(", "))


@pytest.mark.parametrize(("name", "unit", "size", "joint"), [
    ("damping", "N m s/deg", 180 / math.pi, "R"), ("damping", "N s/mm", 1000, "P"),
    ("friction", "N mm", 1e-3, "R"), ("friction_backward", "kN", 1000, "P"),
    ("stiffness", "N m / deg", 180 / math.pi, "R"), ("stiffness", "N/mm", 1000, "P"),
    ("armature", "kg cm^2", 1e-4, "R"), ("armature", "g", 1e-3, "P"), ("rotor_inertia", "g mm^2", 1e-9, "P"),
    ("rest_position", "deg", math.pi / 180, "R"), ("stribeck_speed", "rpm", 2 * math.pi / 60, "R"),
])  # fmt: skip
def test_units_of_drives(name: str, unit: str, size: float, joint: str, tmp_path: Path) -> None:
    path = written(tmp_path / "arm.csv", f"joint,a,alpha,d,theta,{name} [{unit}]\n{joint},1,0,0,0,3\n")
    (column,) = getattr(Robot.from_dh(path).bodies[1].drive, name)
    assert column == pytest.approx(3 * size, rel=1e-15)
    if name != "rotor_inertia":
        path.write_text(path.read_text().replace(f"\n{joint},", f"\n{'RP'[joint == 'R']},"))
        with pytest.raises(ModelError, match=f"line 2: {name} is in {unit.replace('^', '.')}, but the joint is"):
            Robot.from_dh(path)


@pytest.mark.parametrize(("text", "old", "new", "words"), [
    (CSV, ",gear_ratio,", ",gear_ratio [deg],", "line 1: column 'gear_ratio' has no unit; remove '.deg.'"),
    (CSV, ",damping,", ",damping [N m],", "line 1: column 'damping' has the unit 'N m'; give one such as N m s/rad"),
    (CSV, ",rotor_inertia,", ",rotor_inertia [kg],", "line 1: column 'rotor_inertia' has the unit 'kg'"),
    (CSV, ",50,0.5,", ",50,x,", "line 2: damping must be a finite number, not 'x'"),
    (CSV, ",50,0.5,", ",50,-0.5,", "joint 'joint1': its damping is -0.5"),
    (CSV, ",100,1e-4,", ",100,-1e-4,", "joint 'joint1': its rotor_inertia is -0.0001"),
    (CSV, "R,0.4,", "Q,0.4,", "line 2: a joint must be 'R' .revolute. or 'P' .prismatic., not 'Q'"),
    (CSV, ",theta,", ",thta,", "line 1: unknown column 'thta'"),
    (CSV, "-1.5,1.5", "1.5,-1.5", "line 2: lower 1.5 is above upper -1.5"),
    (TOML, "[[rows]]", "[[row]]", "'row' is unknown; a DH table has"),
    (TOML, "[[rows]]\nj", "rows = 3\nj", "not valid TOML|'a' is unknown"),
    (TOML, "[[rows]]", "x = 1\n[[rows]]", "'x' is unknown"),
    (TOML, TOML, "rows = 1", "rows must be tables; start each with a line"),
    (TOML, TOML, "", "it has no rows; give one per joint"),
    (TOML, TOML, 'format = "revolute robot 1"\nbodies = []', "it is a robot written by revolute.save; read it with"),
    (TOML, "a = 0.4", "a = ", "not valid TOML"),
    (TOML, "a = 0.4", "a = true", "row 1: a must be a finite number, not True"),
    (TOML, "a = 0.4", "a = nan", "row 1: a must be a finite number, not nan"),
    (TOML, "a = 0.4", "", "row 1: a is missing"),
    (TOML, "a = 0.4", "a = 0.4\nmass = -2", "row 1: mass -2 kg is negative"),
    (TOML, "damping = 0.5", "dampng = 0.5", "row 1: unknown column 'dampng'"),
    (TOML, "damping = 20", "damping = -20", "joint 'joint2': its damping is -20"),
    (TOML, 'joint = "P"', 'joint = "H"', "row 2: a joint must be 'R' .revolute. or 'P'"),
    (TOML, "upper = 0.4", "", "row 2: it has only one of lower and upper"),
])  # fmt: skip
def test_damaged_tables(text: str, old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in text
    path = written(tmp_path / ("arm.csv" if text is CSV else "arm.toml"), text.replace(old, new, 1))
    with pytest.raises(ModelError, match=words) as caught:
        Robot.from_dh(path)
    assert str(path) in str(caught.value)


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_bytes(b"\xff\xfe\x00a")
    assert_raises(ModelError, "cannot be read as text", Robot.from_dh, path)
    path.write_text("a = " + "[" * 100_000)
    assert_raises(ModelError, "not valid TOML", Robot.from_dh, path)


POUND, INCH = 0.45359237, 0.0254
KNOWN = {
    "m": {"m": 1, "cm": 0.01, "mm": 0.001, "um": 1e-6, "in": INCH, "inch": INCH, "ft": 12 * INCH},
    "rad": {"rad": 1, "deg": math.pi / 180, "°": math.pi / 180, "mrad": 0.001, "rev": 2 * math.pi},
    "kg": {"kg": 1, "g": 0.001, "lb": POUND, "oz": POUND / 16, "t": 1000},
    "kg m^2": {
        **dict.fromkeys(("kg m^2", "kg*m^2", "kg·m²", "kg.m2", "kgm2", "kg m2"), 1),
        "kg cm^2": 1e-4,
        "g mm^2": 1e-9,
        "lb in^2": POUND * INCH**2,
        "N m s^2": 1,
    },
    "rad, m": {"rad": 1, "deg": math.pi / 180, "m": 1, "mm": 0.001, "rad, m": 1, "rad or m": 1, "m|rad": 1},
    "rad/s, m/s": {"rad/s": 1, "deg / s": math.pi / 180, "rpm": math.pi / 30, "mm/s": 0.001, "m/min": 1 / 60},
    "N m, N": {"N m": 1, "Nm": 1, "N": 1, "mNm": 0.001, "N mm": 0.001, "kN": 1000, "lbf in": POUND * 9.80665 * INCH},
}
UNKNOWN = {
    "m": ("yard", "kg", "rad", "m^2", "", "-", "m m", "1/m"), "rad": ("grad", "m", "deg/s"),
    "kg": ("stone", "N", "m"), "kg m^2": ("kg m", "kg/m^2", "m^2", "kg m^2 rad"), "rad, m": ("deg, mm", "s", "rad/m"),
    "rad/s, m/s": ("rad", "m/s^2", "Hz"), "N m, N": ("N/m", "kg", "N m^2", "N m^9"),
}


@pytest.mark.parametrize(("kind", "unit"), [(kind, unit) for kind, units in KNOWN.items() for unit in units])
def test_common_units_are_known(kind: str, unit: str) -> None:
    """A product of some factors, each of which is right to rounding."""
    known = factor(unit, kind)
    assert known is not None and known[0] == pytest.approx(KNOWN[kind][unit], rel=1e-15)


@pytest.mark.parametrize(("kind", "unit"), [(kind, unit) for kind, units in UNKNOWN.items() for unit in units])
def test_others_are_not(kind: str, unit: str) -> None:
    assert factor(unit, kind) is None


HEADER = "joint,a{0},alpha{1},d{0},theta{1},mass{2},x{0},y{0},z{0},Ixx{3},Iyy{3},Izz{3},lower{1},upper{1},velocity{4},"


def test_tables_in_any_units_are_one_robot(tmp_path: Path) -> None:
    """The same arm in inches, degrees, pounds and revolutions."""
    row = np.array([0.4, 1.5, 0.1, 0.2, 2, -0.1, 0.05, 0.2, 0.03, 0.03, 0.02, -2, 2, 3, 50])
    a, angle, mass, moment, speed, force = INCH, math.pi / 180, POUND, POUND * INCH**2, math.pi / 30, 1e-3
    other = row / [a, angle, a, angle, mass, a, a, a, moment, moment, moment, angle, angle, speed, force]
    units = (" [in]", " (deg)", "[lb]", " [lb in^2]", " [rpm]")
    robots = []
    plain = HEADER.format(*[""] * 5) + "effort"
    for values, header in ((row, plain), (other, HEADER.format(*units) + "effort [mN m]")):
        (tmp_path / "arm.csv").write_text(f"{header}\nR,{','.join(map(repr, values.tolist()))}\n")
        robots.append(Robot.from_dh(tmp_path / "arm.csv"))
    one, two = robots
    for name in ("inertial_parameters", "lower_limits", "upper_limits", "velocity_limits", "effort_limits"):
        np.testing.assert_allclose(getattr(two, name), getattr(one, name), rtol=1e-14, atol=1e-16)
    poses = [np.array(frame_pose(robot, [0.3], "flange").matrix(), dtype=float) for robot in robots]
    np.testing.assert_allclose(poses[1], poses[0], atol=1e-14)


def test_units_of_a_joint_are_its_own(tmp_path: Path) -> None:
    text = "joint,a,alpha,d,theta,lower [mm],upper [mm]\nP,0,0,0,0,-100,200\nR,1,0,0,0,,\n"
    path = written(tmp_path / "arm.csv", text)
    limits = Robot.from_dh(path).bodies[1].limits
    assert (limits.lower, limits.upper) == ((-0.1,), (0.2,))
    path.write_text(path.read_text().replace("R,1,0,0,0,,", "R,1,0,0,0,-1,1"))
    assert_raises(ModelError, r"arm\.csv: line 3: lower is in mm, but the joint is revolute", Robot.from_dh, path)
