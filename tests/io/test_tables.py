"""Denavit-Hartenberg tables and screws against printed products of matrices, and against each other."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from files import written
from robots import FILES, random_states
from scipy.linalg import expm

import revolute
from revolute import Inertia, InputError, Limits, ModelError, Robot
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.newton_euler import newton_euler
from revolute.io.dh import DHRow, DHTable

ROBOTS = {"puma560": revolute.robots.puma560, "ur5": revolute.robots.ur5, "stanford": revolute.robots.stanford}


def homes(robot: Robot) -> np.ndarray:
    """Poses of all links' frames at q = 0."""
    return np.array([pose(robot, robot.neutral(), body.name) for body in robot.bodies[1:]])


def space_screws(robot: Robot) -> np.ndarray:
    """S_i at q = 0, from the definition: w, and v = -w x p."""
    rows = []
    for T, body in zip(homes(robot), robot.bodies[1:], strict=True):
        axis = T[:3, :3] @ np.array(body.joint.axis, dtype=float)  # type: ignore[attr-defined]
        slides = isinstance(body.joint, revolute.Prismatic)
        rows.append([0, 0, 0, *axis] if slides else [*axis, *np.cross(T[:3, 3], axis)])
    return np.array(rows, dtype=float)


def adjoint(T: np.ndarray) -> np.ndarray:
    return np.block([[T[:3, :3], np.zeros((3, 3))], [np.cross(T[:3, 3], T[:3, :3].T).T, T[:3, :3]]])


def matrix(inertia: Inertia) -> np.ndarray:
    """[[I, tilde(h)], [-tilde(h), m 1]]."""
    tilde = np.cross(np.array(inertia.h, dtype=float), np.eye(3)).T
    return np.block([[np.array(inertia.I, dtype=float), tilde], [-tilde, float(inertia.m) * np.eye(3)]])


def assert_same_dynamics(a: Robot, b: Robot, tolerance: float = 1e-12) -> None:
    """The same joint forces in 20 states, and without velocities, weight, or both: so the same M and bias."""
    q, qd, qdd = (x.T for x in random_states(a, 20, seed=3))
    for rates in (qd, 0 * qd):
        for gravity in (a.gravity, (0, 0, 0)):
            ours, theirs = (np.array(newton_euler(robot.with_gravity(gravity), q, rates, qdd)) for robot in (a, b))
            assert np.abs(ours - theirs).max() <= tolerance * np.abs(ours).max()


def pose(robot: Robot, q: np.ndarray, link: str) -> np.ndarray:
    return np.array(frame_pose(robot, q.tolist(), link).matrix(), dtype=float)


def by_screws(robot: Robot, frame: str = "space", relative: bool = False) -> Robot:
    S, M = space_screws(robot), homes(robot)
    M = np.concatenate([M, M[-1:] @ np.array(revolute.Transform.from_rpy((0.1, 0.2, 0.3), (1, 2, 3)).matrix())])
    if frame == "body":
        S = S @ adjoint(np.linalg.inv(M[-1])).T
    if relative:
        M[1:] = np.linalg.inv(M[:-1]) @ M[1:]
    return Robot.from_screws(S, M, [matrix(body.inertia) for body in robot.bodies[1:]], frame, relative=relative)


@pytest.mark.parametrize("name", ROBOTS)
def test_dh_screws_and_urdf_give_the_same_dynamics(name: str) -> None:
    """To 1e-12 of the largest: some thousand roundings at most of numbers no larger."""
    robot = ROBOTS[name]()
    for convention in ("standard", "modified", "bp"):
        assert_same_dynamics(robot, Robot.from_dh(robot.to_dh(convention)))
    for frame, relative in (("space", False), ("body", False), ("space", True), ("body", True)):
        assert_same_dynamics(robot, by_screws(robot, frame, relative))
    assert_same_dynamics(robot, revolute.load(robot.to_urdf()))


def test_the_ur5_file_is_the_table_that_its_maker_prints() -> None:
    """Universal Robots' DH parameters, with its own zero position and signs of normals."""
    file = next(path for path in FILES.values() if path.name == "ur5_robot.urdf")
    table = revolute.load(file).to_dh()
    np.testing.assert_allclose([abs(row.a) for row in table.rows], [0, 0.425, 0.39225, 0, 0, 0], atol=1e-12)
    d = [row.d for row in table.rows]
    np.testing.assert_allclose(np.abs([d[0], d[4]]), [0.089159, 0.09465], atol=1e-12)
    # the offset along the three parallel axes may stand in any of their rows, and 5 adds none after the wrist
    np.testing.assert_allclose(abs(sum(d[1:4])), 0.10915, atol=1e-12)
    assert_same_dynamics(revolute.load(file), Robot.from_dh(table), 1e-10)  # 12 digits of pi/2 are taken as exact


def along(axis: str, length: float, angle: float) -> np.ndarray:
    """A shift along an axis and a turn about it."""
    xyz, rpy = ([amount * (axis == x) for x in "xyz"] for amount in (length, angle))
    return np.array(revolute.Transform.from_rpy(xyz, rpy).matrix(), dtype=float)


@pytest.mark.parametrize("convention", ["standard", "modified", "bp"])
def test_tables_give_the_printed_products(convention: str) -> None:
    rng = np.random.default_rng(1)
    rows, q, kinds = rng.uniform(-2, 2, (6, 4)), rng.uniform(-2, 2, 6), "RPRRPR"
    robot = Robot.from_dh(rows, convention, joints=kinds)
    T = np.eye(4)
    for k, ((a, alpha, d, theta), x, kind) in enumerate(zip(rows, q, kinds, strict=True), 1):
        along_x, along_z = along("x", a, alpha), along("z", d + x * (kind == "P"), theta + x * (kind == "R"))
        T = T @ (along_z @ along_x if convention == "standard" else along_x @ along_z)
        link = f"frame{k}" if convention == "standard" else f"link{k}"
        # some 50 roundings of numbers of size 10
        np.testing.assert_allclose(pose(robot, q, link), T, rtol=0, atol=2e-14)
    np.testing.assert_allclose(pose(robot, q, "flange"), T, rtol=0, atol=2e-14)
    back = Robot.from_dh(robot.to_dh(convention, flange="flange"))
    np.testing.assert_allclose(pose(back, q, "flange"), T, rtol=0, atol=1e-12)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("frame", ["space", "body"])
def test_screws_give_the_product_of_exponentials(frame: str, relative: bool) -> None:
    robot = revolute.robots.stanford()
    S, M = space_screws(robot), homes(robot)
    S[4, 3:] += 0.1 * S[4, :3]  # a pitch of 0.1 m/rad
    tool = expm(np.array([[0, -0.3, 0.5, 0.1], [0.3, 0, -0.7, 0.2], [-0.5, 0.7, 0, 0.3], [0, 0, 0, 0]]))
    M = np.concatenate([M, M[-1:] @ tool])
    given = S if frame == "space" else S @ adjoint(np.linalg.inv(M[-1])).T
    poses = np.concatenate([M[:1], np.linalg.inv(M[:-1]) @ M[1:]]) if relative else M
    other = Robot.from_screws(given, poses, [G] * 6, frame, relative=relative)
    assert isinstance(other.bodies[5].joint, revolute.Helical)
    assert [type(body.joint) for body in other.bodies[1:5]] == [type(body.joint) for body in robot.bodies[1:5]]
    q = np.random.default_rng(2).uniform(-2, 2, robot.nq)
    T = np.eye(4)
    for (wx, wy, wz, *v), x, home, k in zip(S, q, M[:-1], range(1, 7), strict=True):
        T = T @ expm(np.array([[0, -wz, wy, v[0]], [wz, 0, -wx, v[1]], [-wy, wx, 0, v[2]], [0, 0, 0, 0]]) * x)
        np.testing.assert_allclose(pose(other, q, f"frame{k}"), T @ home, rtol=0, atol=1e-13)
    np.testing.assert_allclose(pose(other, q, "flange"), T @ M[-1], rtol=0, atol=1e-13)


@pytest.mark.parametrize("seed", range(8))
def test_random_chains_are_their_tables(seed: int) -> None:
    """Oblique normals cost some digits: an angle of s between axes 1/s."""
    robot = revolute.robots.random_tree(5, rng=seed, branching=0)
    for convention in ("standard", "modified"):
        table = robot.to_dh(convention)
        assert table.convention == convention
        assert all(abs(row.theta) <= np.pi / 2 + 1e-8 for row in table.rows)
        assert_same_dynamics(robot, Robot.from_dh(table), 1e-11)


CSV = """joint; a [mm]; alpha [deg]; d; theta; mass [g]; x; Ixx; Iyy; Izz; lower [deg]; upper [deg]; effort
R; 500; 90; 0.1; 0; 1500; -0.2; 0.01; 0.02; 0.02; -90; 90; 100

P; 0; 0; 0; 0; 1000; 0; 0.01; 0.02; 0.02; ; ;
"""


def test_csv(tmp_path: Path) -> None:
    path = written(tmp_path / "arm.csv", CSV)
    robot = Robot.from_dh(path, name="two")
    moments = np.diag([0.01, 0.02, 0.02])
    inertias = [Inertia.from_com(1.5, (-0.2, 0, 0), moments), Inertia.from_com(1, (0, 0, 0), moments)]
    limits = [Limits((-np.pi / 2,), (np.pi / 2,), (), (100.0,)), Limits()]
    rows = [(0.5, np.pi / 2, 0.1, 0), (0, 0, 0, 0)]
    assert robot == Robot.from_dh(rows, joints="RP", inertias=inertias, limits=limits, name="two")
    assert robot == Robot.from_dh(str(path), name="two")
    named = {"a": 0.5, "alpha": np.pi / 2, "d": 0.1, "theta": 0, "mass": 1.5, "x": -0.2, "Ixx": 0.01}
    named |= {"Iyy": 0.02, "Izz": 0.02, "lower": -np.pi / 2, "upper": np.pi / 2, "effort": 100}
    other: dict[str, Any] = {"joint": "prismatic", "a": 0, "alpha": 0, "d": 0, "theta": 0, "mass": 1}
    assert robot == Robot.from_dh([named, other | {"Ixx": 0.01, "Iyy": 0.02, "Izz": 0.02}], name="two")


@pytest.mark.parametrize(("old", "new", "words"), [
    ("alpha [deg]", "a", "line 1: duplicate column 'a'"), ("P; 0; 0", "P; 0", "line 4: it has 12 cells for 13 columns"),
    ("-90; 90", "90;", "line 2: .*lower and upper"), ("R; 500", "R;", "line 2: a is missing"),
    (CSV, "\n", ".*first line is empty"), (CSV, "a, alpha, d, theta\n", ".*no rows"),
])  # fmt: skip
def test_damaged_csv(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in CSV
    path = written(tmp_path / "arm.csv", CSV.replace(old, new, 1))
    assert_raises(ModelError, rf"arm\.csv: {words}", Robot.from_dh, path)


ROW, POSE, G = (1, 0, 0, 0), np.eye(4), np.eye(6)
AXIS = (0, 0, 1, 0, 0, 0)
L1, L2 = sympy.symbols("L1 L2")


@pytest.mark.parametrize(("arguments", "words"), [
    ({"table": [ROW], "convention": "craig"}, "'standard', 'modified', 'bp', not 'craig'"),
    ({"table": []}, "no rows"),
    ({"table": 3}, "not int"),
    ({"table": [(1, 2, 3)]}, "row 1: it must be four finite numbers"),
    ({"table": [ROW, (1, 2, 3, np.nan)]}, "row 2: it must be four"),
    ({"table": [{"a": 1}]}, "row 1: alpha is missing"),
    ({"table": [ROW], "joints": "RR"}, "joints: 2 for a table of 1"),
    ({"table": [ROW], "joints": "X"}, "joints: number 1: a joint must be"),
    ({"table": [ROW], "inertias": [1.0]}, "type Inertia, not float"),
    ({"table": [ROW], "limits": []}, "limits: 0 for"),
    ({"table": DHTable("standard", ())}, "needs at least one row"),
])  # fmt: skip
def test_tables_that_are_none(arguments: dict[str, Any], words: str) -> None:
    assert_raises((InputError, ModelError), words.replace("(", r"\("), Robot.from_dh, **arguments)


@pytest.mark.parametrize(("changes", "words"), [
    ({"frame": "tool"}, "'space' or 'body', not 'tool'"),
    ({"frame": "body"}, "M: 1 home configurations for 1 screw axes; give 2"),
    ({"S": [AXIS, AXIS]}, "M: 1 home configurations"),
    ({"S": []}, "S must be"),
    ({"S": [(0, 0, 2, 0, 0, 0)]}, r"S\[0\]: a screw axis .* length of w is 2"),
    ({"S": [(0, 0, np.inf, 0, 0, 0)]}, "S must be finite"),
    ({"S": "x"}, "S must be finite numbers, or expressions, of the shape"),
    ({"M": [np.diag([1, 1, -1, 1])]}, r"M\[0\]: its axes are left-handed"),
    ({"M": [np.diag([1, 1, 2, 1])]}, r"M\[0\]: its rotation is not orthogonal"),
    ({"M": [np.diag([1, 1, 1, 2])]}, r"M\[0\]: its last row"),
    ({"G": [np.diag([1, 1, 1, 1, 1, 2])]}, r"G\[0\]: not a spatial inertia"),
    ({"G": [np.diag([1, 1, 1, -1, -1, -1])]}, r"G\[0\]: mass -1 kg"),
    ({"G": [np.eye(3)]}, r"G\[0\] must be an Inertia, or finite numbers, or expressions, of the shape \(6, 6\)"),
    ({"G": []}, "G: 0 for 1 screw axes"),
    ({"S": np.zeros((0, 6)), "M": np.zeros((0, 4, 4)), "G": []}, "S: an arm needs at least one screw axis"),
    ({"limits": []}, "limits: 0 for 1"),
    ({"S": [(0, 0, L1, 0, 0, 0)]}, r"S\[0\]: .* all values of its symbols; here w is \(0, 0, L1\)"),
    ({"S": [(0, 0, 0, L1, 0, 0)]}, r"S\[0\]: .* of length one, for all values of its symbols"),
    ({"S": [(0, 0, 1, L1, 0, np.nan)]}, "S must be finite numbers"),
    ({"M": [np.diag([L1, 1, 1, 1])]}, r"M\[0\]: for all values of its symbols the rotation must be orthogonal"),
    ({"M": [np.diag([1, 1, 1, L1])]}, r"M\[0\]: its last row"),
    ({"G": [np.diag([1, 1, 1, L1, L1, 1])]}, r"G\[0\]: not a spatial inertia"),
])  # fmt: skip
def test_screws_that_are_none(changes: dict[str, Any], words: str) -> None:
    assert_raises(InputError, words, Robot.from_screws, **{"S": [AXIS], "M": [POSE], "G": [G]} | changes)


def symbolic_poses(*places: Any, R: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))) -> list[Any]:
    return [[[*R[0], x], [*R[1], 0], [*R[2], 0], [0, 0, 0, 1]] for x in places]


def test_screws_with_symbols_give_the_equations_of_the_book() -> None:
    """LP 9.7-9.8, the arm with point masses: screws of the base or the tip, homes in the base or each in the last."""
    g, m1, m2 = sympy.symbols("g m1 m2")
    S, B = [(0, 0, 1, 0, 0, 0), (0, 0, 1, 0, -L1, 0)], [(0, 0, 1, 0, L1 + L2, 0), (0, 0, 1, 0, L2, 0)]
    M, G = symbolic_poses(L1, L1 + L2, L1 + L2), [sympy.diag(0, 0, 0, m, m, m) for m in (m1, m2)]
    b = sympy.Symbol("b")
    turn = [[sympy.cos(b), -sympy.sin(b), 0], [sympy.sin(b), sympy.cos(b), 0], [0, 0, 1]]
    turned = symbolic_poses(L1, L1 + L2, R=turn)
    q2 = sympy.Symbol("q2")
    coupling = L2 * m2 * (L1 * sympy.cos(q2) + L2)
    expected = [[L1**2 * m1 + m2 * (L1**2 + 2 * L1 * L2 * sympy.cos(q2) + L2**2), coupling], [coupling, L2**2 * m2]]
    for arm in (
        Robot.from_screws(S, M, G, gravity=(0, -g, 0)),
        Robot.from_screws(S, turned, [Inertia.from_com(m1), Inertia.from_com(m2)], gravity=(0, -g, 0)),
        Robot.from_screws(B, M, G, "body", gravity=(0, -g, 0)),
        Robot.from_screws(S, symbolic_poses(L1, L2, 0), G, relative=True, gravity=(0, -g, 0)),
    ):
        assert arm.equations().M.tolist() == expected


def test_screws_with_symbols_are_those_of_numbers() -> None:
    b, m = sympy.symbols("b m")
    w = (sympy.cos(b), 0, sympy.sin(b))
    S = [(*w, L1 * sympy.sin(b), 0, -L1 * sympy.cos(b)), (0, 0, 0, *w), (0, 0, 1, 0, -L1, L2)]  # through (0, -L1, 0)
    M, G = symbolic_poses(0, L1, L1), [sympy.diag(1, 2, 3, m, m, m)] * 3
    arm = Robot.from_screws(S, M, G)
    assert [type(body.joint).__name__ for body in arm.bodies[1:]] == ["Revolute", "Prismatic", "Helical"]
    values = {L1: 0.3, L2: 0.2, m: 2, b: 0.4}
    numbers = [np.array(sympy.Matrix(x).subs(values), dtype=float) for x in (S, *M, *G)]
    assert_same_dynamics(arm.subs(values), Robot.from_screws(numbers[0], numbers[1:4], numbers[4:]))


def test_robots_without_a_table() -> None:
    for robot, words in (
        (revolute.robots.random_tree(3, rng=1, base="free"), "not free ones"),
        (revolute.robots.random_tree(6, rng=2, branching=1), "branches off link"),
        (revolute.robots.planar(1).lock({"joint1": 0}), "no joints"),
    ):
        assert_raises(ModelError, words, robot.to_dh)
    assert_raises(InputError, "'modified'", revolute.robots.planar(1).to_dh, "craig")


def test_a_table_prints() -> None:
    assert DHRow() == DHRow(0, 0, 0, 0, Inertia(), Limits(), False)
    assert str(DHTable("standard", (DHRow(1, 0, 2, 0), DHRow(0, 0, 2, 0, prismatic=True)))).splitlines()[1:] == [
        "    1            1            0              2          0 + q",
        "    2            0            0          2 + q              0",
    ]
