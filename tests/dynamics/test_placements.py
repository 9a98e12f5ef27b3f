"""Derivatives by the geometry: poses and joint forces against robots whose joints are displaced."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import sympy
from comparing import assert_close, assert_raises
from robots import floating_tool, load, state, value

import revolute
from revolute import Free, InputError, Prismatic, Robot, ShapeError, UnknownNameError
from revolute.io.dh import DHRow, DHTable
from revolute.spatial import Transform

ROBOTS = {
    "ur5": lambda: load("ur_description/ur5_robot"),
    "tree": lambda: revolute.robots.random_tree(5, rng=2),
    "floating tree": lambda: revolute.robots.random_tree(3, rng=1, base="free"),
    "floating tool": floating_tool,
}
each_robot = pytest.mark.parametrize("name", ROBOTS)
STEP = 1e-4
TOLERANCE = 1e-9


def change(f: Callable[[float], np.ndarray]) -> np.ndarray:
    """df/dh at zero by central differences: errors of STEP^4 = 1e-16 and EPS / STEP = 2e-12."""
    return (f(-2 * STEP) - 8 * f(-STEP) + 8 * f(STEP) - f(2 * STEP)) / (12 * STEP)


def displaced(robot: Robot, frame: str, d: np.ndarray) -> Robot:
    """The robot with every joint, and then a frame, displaced by a twist."""

    def moved(X: Transform, twist: np.ndarray) -> Transform:
        return (X @ Free().transform(Free().integrate(Free().neutral(), [float(x) for x in twist]))).merged()

    base, *moving = robot.bodies
    twists = d.reshape(-1, 6)
    bodies = [replace(x, placement=moved(x.placement, twist)) for x, twist in zip(moving, twists[:-1], strict=True)]
    frames = [replace(x, placement=moved(x.placement, twists[-1])) if x.name == frame else x for x in robot.frames]
    return replace(robot, bodies=(base, *bodies), frames=tuple(frames))


def twist_of(T: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """(w, v) of T^-1 dT."""
    V = np.linalg.inv(T) @ rate
    return np.array([V[2, 1], V[0, 2], V[1, 0], *V[:3, 3]])


@each_robot
def test_poses_of_displaced_robots(name: str) -> None:
    robot = ROBOTS[name]()
    frame, (q, _, _) = robot.link_names[-1], state(robot, 3)
    d = np.random.default_rng(4).standard_normal(6 * robot.n_joints + 6)
    rate = change(lambda h: value(displaced(robot, frame, h * d), "forward_kinematics", q, frame=frame))
    T = robot.forward_kinematics(q, frame)
    expected = twist_of(T, rate)
    assert_close(robot.kernel("placement_jacobian", frame=frame)(q) @ d, expected, TOLERANCE)
    R, p = T[:3, :3], T[:3, 3]
    w, v = R @ expected[:3], R @ expected[3:]
    for reference, wanted in (("aligned", v), ("world", v + np.cross(p, w))):
        J = robot.kernel("placement_jacobian", frame=frame, reference=reference)(q)
        assert_close(J @ d, [*w, *wanted], TOLERANCE)


@each_robot
def test_forces_of_displaced_robots(name: str) -> None:
    robot = ROBOTS[name]()
    q, qd, qdd = state(robot, 5)
    d = np.random.default_rng(6).standard_normal(6 * robot.n_joints)
    whole = np.append(d, np.zeros(6))
    expected = change(lambda h: value(displaced(robot, "", h * whole), "inverse_dynamics", q, qd, qdd))
    found = robot.kernel("inverse_dynamics_placement_partials")(q, qd, qdd) @ d
    assert_close(found, expected, TOLERANCE, max(np.abs(robot.inverse_dynamics(q, qd, qdd)).max(), 1e-3))


@each_robot
def test_a_displacement_along_a_joint_is_a_motion_of_the_joint(name: str) -> None:
    """Columns of one-axis joints, combined by their axes, are those of J and of dtau/dq."""
    robot = ROBOTS[name]()
    frame, (q, qd, qdd) = robot.link_names[-1], state(robot, 7)
    J, by_q = robot.jacobian(q, frame), robot.inverse_dynamics_partials(q, qd, qdd)[0]
    placed = robot.kernel("placement_jacobian", frame=frame)(q)
    forces = robot.kernel("inverse_dynamics_placement_partials")(q, qd, qdd)
    for i, body in enumerate(robot.bodies[1:]):
        if body.joint.nv > 1:
            continue
        S = np.zeros(6)
        S[3 * isinstance(body.joint, Prismatic) :][:3] = np.array(body.joint.axis, dtype=float)
        k = robot.v_index[i + 1].start
        assert_close(placed[:, 6 * i : 6 * i + 6] @ S, J[:, k], 1e-12)
        # dtau/dq holds qd of the joint itself, and so does the displaced joint
        assert_close(forces[:, 6 * i : 6 * i + 6] @ S, by_q[:, k], 1e-12, np.abs(by_q).max())


ROWS = (
    DHRow(0.1, 0.7, 0.3, -0.2), DHRow(0.4, -1.1, 0.2, 0.5, prismatic=True), DHRow(-0.2, 0.3, -0.1, 1.2),
    DHRow(0.0, 0.9, 0.25, 0.0),
)


def table_of(convention: str) -> DHTable:
    box = revolute.Inertia.from_com(2.0, (0.1, 0.2, -0.3), np.diag([0.2, 0.3, 0.4]))
    mount, flange = (
        Transform.from_rpy(p, angles) for p, angles in (((1, 2, 3), (0.1, 0.2, 0.3)), ((0, 0.1, 0.2), (1, 0, 0)))
    )
    return DHTable(convention, tuple(replace(row, inertia=box) for row in ROWS), mount, flange)


def changed(table: DHTable, d: np.ndarray) -> Robot:
    rows = [
        replace(row, a=row.a + x[0], alpha=row.alpha + x[1], d=row.d + x[2], theta=row.theta + x[3])
        for row, x in zip(table.rows, d.reshape(-1, 4).tolist(), strict=True)
    ]
    return Robot.from_dh(replace(table, rows=tuple(rows)))


@pytest.mark.parametrize("convention", ["standard", "modified", "bp"])
def test_parameters_of_a_denavit_hartenberg_table(convention: str) -> None:
    table = table_of(convention)
    robot, d = Robot.from_dh(table), np.random.default_rng(8).standard_normal(16)
    q, qd, qdd = state(robot, 9)
    rate = change(lambda h: value(changed(table, h * d), "forward_kinematics", q, frame="flange"))
    partials = table.placement_partials()
    assert partials.shape == (30, 16)
    found = robot.kernel("placement_jacobian", frame="flange")(q) @ partials @ d
    assert_close(found, twist_of(robot.forward_kinematics(q, "flange"), rate), TOLERANCE)
    if convention != "standard":
        slopes = change(lambda h: value(changed(table, h * d), "inverse_dynamics", q, qd, qdd))
        forces = robot.kernel("inverse_dynamics_placement_partials")(q, qd, qdd) @ partials[:24] @ d
        assert_close(forces, slopes, TOLERANCE, np.abs(robot.inverse_dynamics(q, qd, qdd)).max())


def test_a_screw_axis_of_a_product_of_exponentials() -> None:
    """S_2 displaced alone, S_2' = Ad(exp d) S_2, with home configurations unchanged: see `placement_jacobian`."""
    S = np.array([[0, 0, 1, 0, 0, 0], [0, 1, 0, -0.3, 0, 0.5], [1, 0, 0, 0, 0.4, 0.2]])
    M = np.stack([np.eye(4)] * 4)
    M[:, :3, 3] = [(0, 0, 0.1), (0.5, 0, 0.3), (0.7, 0.1, 0.4), (1, 0, 0.5)]
    G = [np.diag([0.1, 0.1, 0.1, 1, 1, 1])] * 3
    q, d = [0.3, -0.8, 0.5], np.array([0.3, -0.5, 0.7, 0.2, 0.4, -0.1])  # d in the base frame

    def arm(h: float) -> Robot:
        X = np.array(Free().transform(Free().integrate(Free().neutral(), (h * d).tolist())).matrix(), dtype=float)
        R, p = X[:3, :3], X[:3, 3]
        moved = S.copy()
        moved[1] = [*(R @ S[1, :3]), *(R @ S[1, 3:] + np.cross(p, R @ S[1, :3]))]
        return Robot.from_screws(moved, M, G)

    robot = arm(0.0)
    rate = change(lambda h: value(arm(h), "forward_kinematics", q, frame="flange"))
    home = robot.forward_kinematics([0.0] * 3)

    def along(link: str) -> np.ndarray:
        """d along the axes of a link at home."""
        T = home[robot.link_names.index(link)]
        w = T[:3, :3].T @ d[:3]
        return np.array([*w, *(T[:3, :3].T @ (d[3:] - np.cross(T[:3, 3], d[:3])))])

    displacements = np.concatenate([np.zeros(6), along("link2"), -along("link3"), np.zeros(6)])
    found = robot.kernel("placement_jacobian", frame="flange")(q) @ displacements
    assert_close(found, twist_of(robot.forward_kinematics(q, "flange"), rate), TOLERANCE)


def test_wrong_arguments_are_named() -> None:
    arm = revolute.robots.planar(2)
    assert_raises(UnknownNameError, "tipp", arm.kernel, "placement_jacobian", frame="tipp")
    assert_raises(InputError, "reference", arm.kernel, "placement_jacobian", frame="tip", reference="base")
    with pytest.raises(ShapeError, match="inverse_dynamics_placement_partials: qd has shape"):
        arm.kernel("inverse_dynamics_placement_partials")([0.0, 0.0], [0.0], [0.0, 0.0])
    with pytest.raises(InputError, match="the table has symbols; substitute values first"):
        DHTable("standard", (DHRow(sympy.Symbol("a")),)).placement_partials()
