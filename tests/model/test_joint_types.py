"""Every joint type: Pinocchio, all functions, velocities from 1e-3 to 1e3, steps between configurations, files."""

import inspect
import math
from typing import Any

import numpy as np
import pytest
from comparing import EPS, SLOPE_STEPS, SLOPE_WEIGHTS, assert_close, assert_each, assert_raises
from hypothesis import strategies as st
from peers import pinocchio_model
from physics import STEP, coordinate_rates, poses
from robots import BOX, chain, every, every_joint, limited, one_joint, pin, signature, state, to_pinocchio, trees

import revolute
from revolute import DtypeError, Joint, Link, ModelError, Robot, ShapeError, Transform
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.linear_models import brackets
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.io.trajectory.rates import continuous, rates
from revolute.library.random_tree import TYPES
from revolute.model import Drive, Limits, Mimic, reduced
from revolute.model.joints import Fixed, Free, Helical, JointType, Planar, Prismatic, Revolute, Spherical
from revolute.model.joints.check_motion import check_motion
from revolute.model.joints.composed import Composite, Cylindrical, FreeEuler, SphericalEuler, Universal
from revolute.spatial import Rotation, Vector
from revolute.targets.numpy import evaluate

SPEEDS = (1e-3, 1.0, 1e3)
EACH = [(name,) for name in TYPES] + [tuple(TYPES)]


def tree(types: tuple[str, ...], seed: int, n: int = 5) -> Robot:
    return revolute.robots.random_tree(n, seed, types=types)


def bias(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return np.array(newton_euler(robot, list(q), list(qd), [0] * robot.nv))


def assert_dynamics(robot: Robot, model: Any, order: np.ndarray, ours: tuple[np.ndarray, ...], at: np.ndarray) -> None:
    """Bias forces, M and accelerations in a state (q, qd, qdd), which is `at` for Pinocchio."""
    (q, qd, qdd), data = ours, model.createData()
    h = bias(robot, q, qd)
    # terms that cancel are of the size of the weight and of what moves
    assert_close(h[order], pin.rnea(model, data, at, qd[order], np.zeros(robot.nv)), 1e-13, scale=10.0)
    M = np.array(mass_matrix(robot, list(q)), dtype=float)
    assert_close(np.triu(M[np.ix_(order, order)]), np.triu(pin.crba(model, data, at)), 1e-13)
    tau = h + M @ qdd
    found = np.array(articulated_body(robot, list(q), list(qd), list(tau)))[order]
    expected = pin.aba(model, data, at, qd[order], tau[order])
    # M^-1 takes the rounding of forces, most of which cancel at low speed, to accelerations
    slack = 100 * EPS * np.linalg.norm(np.linalg.inv(M), 2) * np.abs(tau).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max() + slack)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "types", [*EACH, ("puma560",), ("stanford",)], ids=lambda types: types[0] if len(types) == 1 else "all"
)
def test_dynamics_agree_with_pinocchio(types: tuple[str, ...], seed: int) -> None:
    robot = tree(types, seed) if types[0] in TYPES else revolute.load(types[0])
    model = pinocchio_model(robot)
    for speed in SPEEDS:
        ours = state(robot, seed, speed)
        (theirs,), order = to_pinocchio(robot, model, ours[0][None])
        for same in (robot, reduced(robot)):
            assert_dynamics(same, model, order, ours, theirs)


def pinocchio_composites() -> dict[str, tuple[Any, Any]]:
    """A joint of ours, and Pinocchio's; both have the same q and qd."""
    axis = np.array([1.0, 2.0, -2.0]) / 3
    mixed = Composite((Helical(axis, 0.2), Revolute((0, 1, 0)), Prismatic((1, 0, 0)), Revolute(axis)))
    theirs = {
        "cylindrical": [pin.JointModelRevoluteUnaligned(axis), pin.JointModelPrismaticUnaligned(axis)],
        "free": [pin.JointModelTranslation(), pin.JointModelSphericalZYX()],
        "mixed": [
            *(pin.JointModelHelicalUnaligned(axis, 0.2), pin.JointModelRY()),
            *(pin.JointModelPX(), pin.JointModelRevoluteUnaligned(axis)),
        ],
    }
    composite = {}
    for name, parts in theirs.items():
        composite[name] = pin.JointModelComposite(parts[0])
        for part in parts[1:]:
            composite[name].addJoint(part, pin.SE3.Identity())
    across = np.array([2.0, -2.0, -1.0]) / 3
    return {
        "cylindrical": (Cylindrical(axis), composite["cylindrical"]),
        "universal": (Universal(axis, across), pin.JointModelUniversal(axis, across)),
        "spherical by angles": (SphericalEuler(), pin.JointModelSphericalZYX()),
        "free by angles": (FreeEuler(), composite["free"]),
        "composite": (mixed, composite["mixed"]),
    }


@pytest.mark.parametrize("name", sorted(pinocchio_composites()))
def test_composed_joints_agree_with_pinocchio(name: str) -> None:
    """Two of them in a chain, with a hinge between; at the middle angle they are well away from singular."""
    placement = Transform.from_rpy((0.3, -0.2, 0.4), (0.5, 0.1, -0.7))
    kinds = [pinocchio_composites()[name], (Revolute((0, 1, 0)), pin.JointModelRY()), pinocchio_composites()[name]]
    links = [Link("base"), *(Link(f"link{k}", BOX) for k in range(3))]
    joints = [Joint(f"j{k}", links[k].name, f"link{k}", ours, placement) for k, (ours, _) in enumerate(kinds)]
    robot = Robot.from_links(name, links, joints)
    model, where = pin.Model(), pin.SE3(np.array(placement.matrix(), dtype=float))
    box = pin.Inertia(2.0, np.array([0.1, 0.2, -0.3]), np.diag([0.2, 0.3, 0.4]))
    for k, (_, theirs) in enumerate(kinds):
        model.appendBodyToJoint(model.addJoint(k, theirs, where, f"j{k}"), box, pin.SE3.Identity())
    assert (robot.nq, robot.nv) == (model.nq, model.nv)
    data, q = model.createData(), np.random.default_rng(4).uniform(-0.9, 0.9, robot.nq)
    for speed in SPEEDS:
        assert_dynamics(robot, model, np.arange(robot.nv), (q, *state(robot, 3, speed)[1:]), q)
    pin.forwardKinematics(model, data, q)
    np.testing.assert_allclose(robot.forward_kinematics(q, "link2"), data.oMi[3].homogeneous, atol=1e-12)


@pytest.mark.parametrize("types", EACH, ids=lambda types: types[0] if len(types) == 1 else "all")
def test_power_of_joint_forces_changes_the_energy(types: tuple[str, ...]) -> None:
    """qd . tau = d/dt (qd^T M qd / 2) + qd . g, by a complex step, at any speed."""
    robot = tree(types, 7)
    for speed in SPEEDS:
        q, qd, qdd = state(robot, 7, speed)
        step = 1j * STEP
        moving_q, moving_qd = q + step * coordinate_rates(robot, q, qd), qd + step * qdd
        M = np.array(mass_matrix(robot, list(moving_q)))
        rate = float(np.imag(moving_qd @ M @ moving_qd / 2) / STEP)
        g = bias(robot, q, 0 * qd)
        tau = np.array(newton_euler(robot, list(q), list(qd), list(qdd)))
        size = np.abs(qd) @ np.abs(tau) + np.abs(qd) @ np.abs(g)  # terms that cancel
        assert abs(qd @ tau - rate - qd @ g) <= 1e3 * EPS * size


def test_every_function_takes_every_joint_type() -> None:
    """Traced and evaluated by NumPy: all values are finite."""
    robot = every_joint().lock({"j1": 0.3, "j6": Free().neutral()})  # others have such joints throughout
    for name, function in robot.functions().items():
        options: dict[str, Any] = {"frame": "l6"} if "frame" in function.options else {}
        if "contacts" in function.options:
            options = {"contacts": ("l6",), **({"stops": ("j2",)} if name == "impact" else {})}
        if "frames" in function.options:
            options = {"frames": ("l6",), "rows": ((0, 1, 2, 3, 4, 5),)}
        if name == "linearize_task":
            continue  # of robots with six degrees of freedom: below
        graph, rng = signature(robot, name, options).graph(), np.random.default_rng(1)
        inputs = {x.name: rng.uniform(0.1, 1, x.shape) for x in graph.inputs}
        if "h" in inputs:
            inputs["h"] *= 0.01  # a step that is too long for an implicit method gives NaN
        assert all(np.isfinite(x).all() for x in evaluate(graph, inputs).values()), name


def test_the_task_model_of_an_arm_with_a_ball_and_a_screw() -> None:
    """D J = M, and (V J + 2 D Jd) multiplies the rates of small motions, of which numbers qd differ by a bracket."""
    joints = (Prismatic((1, 0, 0)), Prismatic((0, 1, 0)), Helical((0, 0, 1), 0.3), Spherical())
    robot = chain(*((BOX, joint) for joint in joints), at=0.5)
    q, qd, qdd = state(robot, 11)
    D, V, *_ = robot.linearize_task(q, qd, qdd, "l4")
    J, Jd = robot.jacobian(q, "l4"), robot.jacobian_rate(q, qd, "l4")
    np.testing.assert_allclose(D @ J, robot.mass_matrix(q), rtol=1e-9, atol=1e-10)
    _, by_qd, _ = robot.inverse_dynamics_partials(q, qd, qdd)
    ad = np.zeros((6, 6))
    for body, at in zip(robot.bodies, robot.v_index, strict=True):
        ad[at, at] = np.reshape(body.joint.bracket(list(qd[at])), (body.joint.nv, body.joint.nv))
    np.testing.assert_allclose(V @ J + 2 * D @ Jd, by_qd + robot.mass_matrix(q) @ ad, rtol=1e-8, atol=1e-8)


@every(trees(most=6), st.integers(0, 1000), st.sampled_from([1e-300, 1e-12, 1e-6, 1e-2, 1.0]), examples=60)
def test_a_difference_is_the_step_that_was_taken(robot: Robot, seed: int, size: float) -> None:
    """Also for tiny steps, whose figures would be lost in 1 - cos or in a quaternion's last entry."""
    rng = np.random.default_rng(seed)
    q, d = robot.random_configuration(5, rng=rng), size * rng.uniform(-1, 1, (5, robot.nv))
    moved = robot.integrate(q, d)
    np.testing.assert_allclose(robot.difference(q, moved), d, rtol=0, atol=1e-14 + 20 * EPS * size)
    start = robot.neutral()  # where positions do not round: q + d is d
    found = robot.difference(start, robot.integrate(start, d))
    np.testing.assert_allclose(found, d, rtol=20 * EPS, atol=20 * EPS * size)


@every(trees(most=6), st.integers(0, 1000), examples=30)
def test_configurations_are_joined_by_their_difference(robot: Robot, seed: int) -> None:
    """All poses are met, halfway steps add up, and the way back is the same one."""
    q0, q1 = robot.random_configuration(2, rng=seed)
    d = robot.difference(q0, q1)
    np.testing.assert_allclose(poses(robot, robot.integrate(q0, d)), poses(robot, q1), atol=1e-12)
    np.testing.assert_allclose(robot.difference(q1, q0), -d, atol=1e-12)
    halfway = robot.integrate(robot.integrate(q0, d / 2), d / 2)
    np.testing.assert_allclose(poses(robot, halfway), poses(robot, q1), atol=1e-12)


@every(trees(most=5), st.integers(0, 1000), examples=30)
def test_small_steps_are_those_of_the_coordinate_rates(robot: Robot, seed: int) -> None:
    """integrate(q, qd h) = q + h dq/dt + O(h^2), with h = 1e-6 and rates of some units."""
    q, qd, _ = state(robot, seed)
    h = 1e-6
    central = (robot.integrate(q, h * qd) - robot.integrate(q, -h * qd)) / (2 * h)
    np.testing.assert_allclose(central, coordinate_rates(robot, q, qd), atol=1e-8)


@pytest.mark.parametrize("name", sorted(TYPES))
def test_charts_and_steps_of_integrators(name: str) -> None:
    """A chart moves by its rate; momenta at the ends of a step are slopes of its action h L, in any direction.

    Central differences with steps of 1e-4: errors of 1e-8. The rate in a chart leaves out |x|^4 / 720.
    """
    joint, rng, s = tree((name,), 1, n=1).bodies[1].joint, np.random.default_rng(1), 1e-4
    q, (x, qd, d, p, f, e0, delta) = rng.uniform(0.2, 0.9, joint.nq), rng.uniform(-1, 1, (7, joint.nv))
    x = 0.1 * x
    xd = np.array(joint.chart_rate(joint.chart(q, x), x, qd))
    moved = np.subtract(*(joint.chart(q, x + y) for y in (s * xd, -s * xd))) / (2 * s)
    np.testing.assert_allclose(moved, joint.coordinate_rate(joint.chart(q, x), qd), rtol=0, atol=1e-6)

    q, h = np.array(joint.normalized(q)), 0.1
    now, later = (joint.midpoint(joint.integrate(q, y * e0), d + y * delta) for y in (-s, s))
    eta, e1 = (np.array(joint.difference(a, b)) / (2 * s) for a, b in zip(now, later, strict=True))
    p0, p1 = joint.end_momenta(d, h, p, f)
    assert h * f @ eta + 2 * p @ delta == pytest.approx(p1 @ e1 - p0 @ e0, abs=1e-6)


@pytest.mark.parametrize("turn", [0, 1e-9, 1e-3, 0.999, 1.001, 2.0, math.pi - 1e-9, math.pi + 1e-9, 6.0, 50.0])
def test_screws_agree_with_pinocchio_at_all_angles(turn: float) -> None:
    axis, slide = np.random.default_rng(3).standard_normal((2, 3))
    d = np.concatenate([turn * axis / np.linalg.norm(axis), slide])
    robot = one_joint(Free())
    q = robot.random_configuration(rng=4)
    moved = robot.integrate(q, d)
    start, found = (np.array(Free().transform(list(x)).matrix(), dtype=float) for x in (q, moved))
    expected = pin.SE3(start) * pin.exp6(np.roll(d, 3))
    np.testing.assert_allclose(found, expected.homogeneous, atol=50 * EPS * (1 + turn))
    assert abs(np.linalg.norm(moved[3:]) - 1) <= 2 * EPS
    shortest = robot.difference(q, moved)
    assert np.linalg.norm(shortest[:3]) <= math.pi * (1 + EPS)
    if turn < math.pi:
        np.testing.assert_allclose(shortest, d, atol=1e-13)
    np.testing.assert_allclose(poses(robot, robot.integrate(q, shortest)), poses(robot, moved), atol=1e-13)


def test_a_quaternion_and_its_negative_are_one_orientation() -> None:
    robot = one_joint(Spherical())
    q0, q1 = robot.random_configuration(2, rng=1)
    for factor in (-1, 3):
        np.testing.assert_allclose(robot.difference(q0, factor * q1), robot.difference(q0, q1), atol=1e-15)
    np.testing.assert_allclose(robot.integrate(-2 * q0, np.zeros(3)), -q0, atol=1e-15)


def test_a_plane_turns_by_the_shorter_way() -> None:
    robot = one_joint(Planar())
    d = robot.difference([0, 0, 3.0], [0, 0, -3.0])
    np.testing.assert_allclose(d, [2 * math.pi - 6, 0, 0], atol=1e-15)
    quarter = robot.integrate([0, 0, 0], [math.pi / 2, math.pi / 2, 0])  # an arc of radius 1
    np.testing.assert_allclose(quarter, [1, 1, math.pi / 2], atol=1e-15)


@pytest.mark.parametrize("size", [0.0, 1e-9, 1.0])
def test_partials_of_steps_are_slopes(size: float) -> None:
    """Central differences of fourth order: 1e-9 of entries of some units."""
    robot, rng = every_joint(), np.random.default_rng(3)
    q, d = robot.random_configuration(rng=rng), size * rng.uniform(-1, 1, robot.nv)
    end = robot.integrate(q, d)
    found = (*robot.integrate_partials(q, d), *robot.difference_partials(q, end))
    for k, e in enumerate(np.eye(robot.nv)):
        steps = [(w, h * e) for h, w in zip(SLOPE_STEPS, SLOPE_WEIGHTS, strict=True)]
        for partials, moved in zip(found, (
            lambda x: robot.difference(end, robot.integrate(robot.integrate(q, x), d)),
            lambda x: robot.difference(end, robot.integrate(q, d + x)),
            lambda x: robot.difference(robot.integrate(q, x), end),
            lambda x: robot.difference(q, robot.integrate(end, x)),
        ), strict=True):
            np.testing.assert_allclose(partials[:, k], sum(w * moved(x) for w, x in steps), atol=1e-9)


@pytest.mark.parametrize("turn", [0, 1e-9, 1e-3, 0.999, 1.001, 3.0, math.pi - 1e-6, 6.28, 50.0])
def test_partials_of_steps_follow_from_those_of_parts(turn: float) -> None:
    """2^12 steps one after the other, the first by the series of -ad; each sum of two at most doubles rounding errors.

    Those of differences are the inverses, where the way back is the same.
    """
    robot, d = every_joint(), np.zeros(15)
    for body, at in zip(robot.bodies, robot.v_index, strict=True):
        turns = ~np.array(body.joint.linear, bool)
        way = np.random.default_rng(at.start).standard_normal(body.joint.nv)
        d[at] = way * np.where(turns, turn / (np.linalg.norm(way[turns]) or 1), 1)
    x = -np.array(brackets(robot, (d / 2**12).tolist()), float)
    by_d = np.eye(15) + x / 2 + x @ x / 6 + x @ x @ x / 24 + x @ x @ x @ x / 120 + x @ x @ x @ x @ x / 720
    by_q = np.eye(15) + x @ by_d
    for _ in range(12):
        by_q, by_d = by_q @ by_q, (by_q @ by_d + by_d) / 2
    q = robot.random_configuration(rng=1)
    found = robot.integrate_partials(q, d)
    assert_each(assert_close, found, (by_q, by_d), 2**12 * EPS)
    if turn < math.pi:
        by_q0, by_q1 = robot.difference_partials(q, robot.integrate(q, d))
        np.testing.assert_allclose(by_q1 @ found[1], np.eye(15), atol=1e-13)
        np.testing.assert_allclose(by_q0, -by_q1 @ found[0], atol=1e-13)


@pytest.mark.parametrize("types", EACH, ids=lambda types: types[0] if len(types) == 1 else "all")
def test_partials_of_steps_agree_with_pinocchio(types: tuple[str, ...]) -> None:
    """In Pinocchio's order of joints, linear velocities first. Its own errors are 1e-8 for rotations by 1e-3."""
    robot = tree(types, 3)
    model, d = pinocchio_model(robot), np.random.default_rng(2).uniform(-1, 1, robot.nv)
    q = robot.random_configuration(rng=1)
    theirs, order = to_pinocchio(robot, model, np.stack([q, robot.integrate(q, d)]))
    for ours, expected in (
        (robot.integrate_partials(q, d), pin.dIntegrate(model, theirs[0], d[order])),
        (robot.difference_partials(q, robot.integrate(q, d)), pin.dDifference(model, *theirs)),
    ):
        assert_each(assert_close, [x[np.ix_(order, order)] for x in ours], expected, 1e-12)


def test_batches_and_single_precision() -> None:
    robot = every_joint()
    q0, q1 = robot.random_configuration((2, 3, 1), rng=1), robot.random_configuration(4, rng=2)
    d = robot.difference(q0, q1)
    assert d.shape == (2, 3, 4, robot.nv)
    np.testing.assert_array_equal(d[1, 2, 3], robot.difference(q0[1, 2, 0], q1[3]))
    single = robot.integrate(q1.astype(np.float32), d.astype(np.float32))
    assert single.dtype == np.float32
    assert robot.integrate(q1.astype(np.float32), d).dtype == robot.integrate(q1, d.astype("f")).dtype == np.float64
    np.testing.assert_allclose(single, robot.integrate(q1, d), atol=1e-5)
    assert robot.normalize(q1.tolist()).dtype == np.float64
    for method, x in ((robot.integrate_partials, d), (robot.difference_partials, q1)):
        for ours, one, small in zip(
            method(q0, x), method(q0[1, 2, 0], x[1, 2, 3] if x is d else x[3]), method(np.float32(q0), np.float32(x)),
            strict=True,
        ):
            np.testing.assert_array_equal(ours[1, 2, 3], one)
            assert small.dtype == np.float32
            np.testing.assert_allclose(small, ours, atol=2e-4)  # logarithms near a half turn magnify roundings


def test_normalize_keeps_the_configuration() -> None:
    robot = tree(("spherical", "free", "revolute"), 2)
    q = robot.random_configuration(rng=1)
    longer = q.copy()
    for body, at in zip(robot.bodies, robot.q_index, strict=True):
        if body.joint.quaternion_at is not None:
            longer[at.start + body.joint.quaternion_at : at.stop] *= 2.5
    np.testing.assert_allclose(robot.normalize(longer), q, atol=1e-15)
    assert np.isnan(one_joint(Spherical()).normalize(np.zeros(4))).all()


def test_wrong_steps_are_named() -> None:
    robot = one_joint(Spherical())
    words = r"integrate: d has shape \(4,\), but robot 'one' needs \(\.\.\., 3\)"
    assert_raises(ShapeError, words, robot.integrate, robot.neutral(), np.zeros(4))
    assert_raises(DtypeError, "difference: q1 must hold real numbers", robot.difference, robot.neutral(), ["a"] * 4)
    assert_raises(ShapeError, "batch shapes do not broadcast: q0", robot.difference, np.zeros((2, 4)), np.zeros((3, 4)))
    assert_raises(ShapeError, "normalize: q is ragged", robot.normalize, [[1, 2], [3]])


def test_a_screw_is_a_slide_and_a_turn() -> None:
    """A lead of 10 mm: ten turns lift the nut by 0.1 m, and its weight takes m g h to hold."""
    pitch = 0.010 / (2 * math.pi)
    robot = one_joint(Helical((0, 0, 2), pitch))
    pose = robot.forward_kinematics([20 * math.pi], "body")
    np.testing.assert_allclose(pose[:3, 3], [0, 0, 0.1], atol=1e-15)
    np.testing.assert_allclose(robot.gravity_forces([0.3]), [2.0 * 9.81 * pitch], rtol=1e-14)
    assert str(robot).count("helical about z, 0.001592 m/rad") == 1


@pytest.mark.parametrize(
    ("normal", "directions"), [((0, 0, 1), "xy"), ((1, 0, 0), "yz"), ((0, 2, 0), "zx"), ((0, 0, -1), "xY")]
)
def test_directions_of_a_plane(normal: tuple[int, int, int], directions: str) -> None:
    joint = Planar(normal)
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "Y": (0, -1, 0)}
    assert (joint.first, joint.second) == tuple(axes[name] for name in directions)


@pytest.mark.parametrize("name", sorted(TYPES))
def test_names_sizes_and_neutral(name: str) -> None:
    joint = tree((name,), 1, n=1).bodies[1].joint
    assert len(joint.q_names) == joint.nq == len(joint.neutral())
    wrench = BOX.momentum(joint.velocity([1.0] * joint.nv))
    assert len(joint.qd_names) == joint.nv == len(joint.linear) == len(joint.force(wrench))
    pose = np.array(joint.transform(joint.neutral()).matrix(), dtype=float)
    np.testing.assert_allclose(pose, np.eye(4), atol=1e-15)


@pytest.mark.parametrize("pitch", [math.nan, math.inf, None, "fine"])
def test_a_screw_needs_a_pitch(pitch: Any) -> None:
    words = "pitch of a helical joint must be a finite number of metres per radian"
    assert_raises(ModelError, words, Helical, (0, 0, 1), pitch)


@pytest.mark.parametrize("axis", [(0, 0, 0), (0, 1e-9, 0), (math.inf, 0, 0), (0, math.nan, 1), (0, 1), "xyz", None])
@pytest.mark.parametrize("joint", [Helical, Planar])
def test_axes_need_a_direction(joint: Any, axis: Any) -> None:
    assert_raises(ModelError, "a joint axis must be a nonzero vector of three finite numbers", joint, axis)


def test_random_positions_fill_the_plane_that_is_looked_at() -> None:
    """Without limits within a metre and half a turn; within limits where these are narrower, or lie beyond."""
    narrow = Limits(lower=(-0.5, 2, -9), upper=(0.25, 9, 1))
    for limits, ends in ((Limits(), [-1, -1, -math.pi, 1, 1, math.pi]), (narrow, [-0.5, 2, -math.pi, 0.25, 4, 1])):
        q = one_joint(Planar(), limits=limits).random_configuration(400, rng=1)
        np.testing.assert_allclose([*q.min(axis=0), *q.max(axis=0)], ends, rtol=0.03)


@pytest.mark.parametrize(
    ("joint", "angles"),
    [
        (Revolute(), (0,)), (Prismatic(), ()), (Helical(pitch=0.1), (0,)),
        (Planar(), (2,)), (Spherical(), ()), (Free(), ()),
    ],
)  # fmt: skip
def test_joints_know_their_units(joint: Any, angles: tuple[int, ...]) -> None:
    """A velocity in m/s turns nothing; a coordinate that is an angle comes back after a whole turn, with its screw."""
    assert joint.linear == tuple(not any(column.ang) for column in joint.columns())
    assert joint.angles == angles
    q = np.linspace(0.3, 0.9, joint.nq)
    for k in range(joint.nq):
        turned = joint.transform([*q[:k], q[k] + 2 * math.pi, *q[k + 1 :]])
        apart = np.array(turned.R.matrix(), dtype=float) - np.array(joint.transform(q).R.matrix(), dtype=float)
        moved = np.array(turned.p, dtype=float) - np.array(joint.transform(q).p, dtype=float)
        slides = np.abs(moved).max() > 1e-9
        assert (np.abs(apart).max() < 1e-9 and (not slides or isinstance(joint, Helical))) == (k in angles)


def test_limits_fit_the_joint() -> None:
    assert one_joint(Planar(), limits=Limits(lower=(-1, -2, -3), upper=(1, 2, 3))).upper_limits.tolist() == [1, 2, 3]
    for joint, limits in ((Planar(), {"upper": (1.0,)}), (Spherical(), {"effort": (1.0,) * 4})):
        words = rf"joint 'j': Limits\.{next(iter(limits))} must have 3 number"
        assert_raises(ModelError, words, one_joint, joint, limits=Limits(**limits))


def test_a_composed_joint_is_a_chain() -> None:
    stops = (0.1, 0.2), (1e-4, 2e-4), (5, 6)
    limits, drive = Limits((-1, -0.1), (1, 0.2), (3, 4), (50, 60), *stops), Drive((0.5, 0.6), (0.7, 0.8))
    robot = one_joint(Cylindrical((0, 0, 1)), limits=limits, drive=drive)
    assert robot.joint_names == ("j.angle", "j.way") == robot.coordinate_names
    assert robot.link_names == ("base", "j.angle", "body")
    assert [float(body.inertia.m) for body in robot.bodies] == [0, 0, 2]
    for k, body in enumerate(robot.bodies[1:]):
        assert body.limits == Limits(*(column[k] for column in vars(limits).values()))
        assert body.drive == Drive(drive.damping[k], drive.friction[k])
    assert robot.lock({"j.way": 0.1}).joint_names == ("j.angle",)
    assert Robot.from_dict(robot.to_dict()) == robot
    assert one_joint(Composite((Revolute(), Helical(pitch=0.1)))).joint_names == ("j.1", "j.2")
    assert one_joint(Composite((Revolute(), Prismatic()), ("turn", "lift"))).joint_names == ("j.turn", "j.lift")
    assert one_joint(SphericalEuler("ZYZ")).joint_names == ("j.z1", "j.y2", "j.z3")


def test_angles_are_those_of_urdf() -> None:
    """Yaw, pitch and roll of ZYX give the rotation that URDF makes of roll, pitch, yaw; qd is their rate."""
    robot = one_joint(FreeEuler())
    assert robot.joint_names == tuple(f"j.{part}" for part in ("x", "y", "z", "yaw", "pitch", "roll"))
    q = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6])
    expected = Transform.from_rpy(q[:3], (0.6, -0.5, 0.4)).matrix()
    np.testing.assert_allclose(robot.forward_kinematics(q, "body"), np.array(expected, dtype=float), atol=1e-15)


def test_a_locked_gimbal_is_singular() -> None:
    M = one_joint(SphericalEuler()).mass_matrix([[0.1, math.pi / 2, 0.2], [0.1, 0.2, 0.2]])
    assert abs(np.linalg.det(M[0])) < 1e-15 and abs(np.linalg.det(M[1])) > 1e-3


@pytest.mark.parametrize(("make", "words"), [
    (lambda: Universal((1, 0, 0), (-2, 0, 0)), "axes of a universal joint must not be parallel"),
    (lambda: Universal((1, 0, 0), (0, 0, 0)), "a joint axis must be"),
    (lambda: Cylindrical((0, math.nan, 0)), "a joint axis must be"),
    (lambda: SphericalEuler("ZZX"), "no two equal in succession"),
    (lambda: SphericalEuler("zyx"), "three letters X, Y, Z"),
    (lambda: SphericalEuler(["Z", "Y", "X"]), "three letters X, Y, Z"),
    (lambda: SphericalEuler("ZYXZ"), "three letters X, Y, Z"),
    (lambda: FreeEuler("ZY"), "three letters X, Y, Z"),
    (lambda: Composite(()), "needs at least one joint"),
    (lambda: Composite((Revolute(), Spherical())), "not of Spherical"),
    (lambda: Composite((Revolute(), Revolute()), ("a", "a")), "as many distinct names"),
    (lambda: one_joint(Universal(), limits=Limits(lower=(1.0,))), r"joint 'j': Limits.lower must have 2 numbers"),
    (lambda: one_joint(Universal(), drive=Drive(mimic=Mimic("k"))), "joint 'j' cannot mimic another"),
])  # fmt: skip
def test_wrong_composed_joints_are_told(make: Any, words: str) -> None:
    assert_raises(ModelError, words, make)


def test_urdf_has_planar_and_floating_joints() -> None:
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="p" type="planar"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
      <joint name="f" type="floating"><parent link="b"/><child link="c"/></joint></robot>"""
    robot = revolute.load(text)
    assert [body.joint for body in robot.bodies[1:]] == [Planar((0, 0, 1)), Free()]
    assert robot.coordinate_names[:3] == ("p.w", "p.vx", "p.vy")
    assert "planar across z" in str(robot)
    assert revolute.load(text.replace('<axis xyz="0 0 1"/>', "")).bodies[1].joint == Planar((1, 0, 0))  # URDF's default
    assert_raises(ModelError, "no direction", revolute.load, text.replace("0 0 1", "0 0 0"))
    planar = one_joint(Planar((1, 0, 2)))
    again = revolute.load(planar.to_urdf())
    q = planar.random_configuration(rng=2)
    np.testing.assert_allclose(again.forward_kinematics(q, "body"), planar.forward_kinematics(q, "body"), atol=1e-15)


def test_rates_of_a_table_are_those_of_the_motion() -> None:
    """q, dq, ddq of a smooth motion by complex and central steps, then qd and qdd from them."""
    robot = every_joint()
    q, qd, qdd = state(robot, 9)
    dq = coordinate_rates(robot, q, qd)
    ddq = np.imag(coordinate_rates(robot, q + 1j * STEP * dq, qd + 1j * STEP * qdd)) / STEP
    found = rates(robot, q[None], dq[None], ddq[None])
    np.testing.assert_allclose(found[0][0], qd, atol=1e-12)
    np.testing.assert_allclose(found[1][0], qdd, atol=1e-12)


def test_angles_and_quaternions_of_tables_go_on_without_jumps() -> None:
    smooth, jumped = continuous(one_joint(Planar()), np.array([[0, 0, 3.1], [0, 0, -3.1]]))
    np.testing.assert_allclose(smooth[1], [0, 0, 2 * math.pi - 3.1])
    assert jumped == ("j",)
    smooth, _ = continuous(one_joint(Spherical()), np.array([[0, 0, 0, 1.0], [0, 0, -0.1, -0.9]]))
    np.testing.assert_allclose(smooth[1], [0, 0, 0.1, 0.9])


@pytest.mark.parametrize("name", ["revolute", "helical", "spherical", "universal"])
def test_the_ceiling_of_the_inertia_holds(name: str) -> None:
    robot = tree((name,), 4, n=3)
    limits = Limits((-1.0,), (1.0,)) if name == "helical" else Limits()
    bounds = limited(robot, *[limits] * robot.n_joints).inertia_bounds(200)
    assert 0 < bounds.lowest <= bounds.highest <= bounds.ceiling < 100 * bounds.highest
    assert 0 <= bounds.floor <= bounds.lowest
    assert (bounds.floor > 0) == (name != "universal")  # which has a massless link


def test_simulated_energy_is_kept_by_every_type() -> None:
    """RK4 with 1 ms over 0.2 s: the error of a step is of order h^5, of the way 1e-10 at these speeds."""
    robot = tree(("helical", "planar", "spherical"), 3, n=3)
    q, qd, _ = state(robot, 3)
    for method in ("runge_kutta_4", "DOP853"):
        energy = robot.simulate(q, qd, np.zeros(robot.nv), np.arange(0, 0.2, 1e-3), method=method).energy
        assert np.abs(energy - energy[0]).max() <= 1e-7 * np.abs(energy).max()


def subtypes(kind: type[JointType]) -> set[type[JointType]]:
    """All joint types of the library that are derived from a class."""
    found = {kind}.union(*map(subtypes, kind.__subclasses__()))
    return {x for x in found if x.__module__.startswith("revolute.") and not inspect.isabstract(x)}


def test_all_joint_types_move_as_they_declare() -> None:
    """`TYPES` has examples of every type, also of new ones."""
    joints = [body.joint for seed in range(20) for body in tree(tuple(TYPES), seed, n=9).bodies[1:]]
    assert {type(joint) for joint in joints} == subtypes(JointType) - {Fixed}
    for joint in (Fixed(), *joints):
        check_motion(joint, "joint")


class OnParabola(Prismatic):
    """A slider whose direction depends on q."""

    def transform(self, q: Any) -> Transform:
        return Transform(p=Vector((q[0], 0, q[0] * q[0])))


class Slow(Revolute):
    def velocity(self, qd: Any) -> Any:
        return super().velocity([qd[0] / 2])


class Ahead(Revolute):
    def transform(self, q: Any) -> Transform:
        return super().transform([q[0] + 1])


class WithBias(Prismatic):
    def acceleration(self, qd: Any, qdd: Any) -> Any:
        return self.velocity([qdd[0] + qd[0] * qd[0]])


class Drag(Prismatic):
    def velocity(self, qd: Any) -> Any:
        return super().velocity([qd[0] * qd[0]])


class Weak(Revolute):
    def force(self, F: Any) -> Any:
        return (super().force(F)[0] / 2,)


class WithoutBracket(Spherical):
    bracket = JointType.bracket


class Straight(Planar):
    midpoint = JointType.midpoint


class Wide(Planar):
    integrate = JointType.integrate


class Lever(Revolute):
    """The child moves on a circle without being at rest relative to it: the twist turns in the child's frame."""

    def transform(self, q: Any) -> Transform:
        return Transform(Rotation(), Vector((math.cos(q[0]) - 1, math.sin(q[0]), 0)))

    def velocity(self, qd: Any) -> Any:
        return Prismatic((0, 1, 0)).velocity(qd)

    def force(self, F: Any) -> Any:
        return Prismatic((0, 1, 0)).force(F)


@pytest.mark.parametrize(("joint", "fault"), [
    (OnParabola((1, 0, 0)), "transform does not move with the twist of velocity"),
    (Lever(), "transform does not move with the twist of velocity"),
    (Ahead(), r"transform\(neutral\(\)\) is not the identity"),
    (WithBias(), r"acceleration is not velocity\(qdd\)"),
    (Weak(), "force is not the transpose of velocity"),
    (Slow(), "force is not the transpose of velocity"),
    (Drag(), "force is not the transpose of velocity"),
    (WithoutBracket(), r"bracket\(qd\) is not that of the twists"),
    (Wide(), "integrate does not follow coordinate_rate"),
    (Straight(), "midpoint does not follow coordinate_rate"),
])  # fmt: skip
def test_joints_that_contradict_themselves_are_refused(joint: JointType, fault: str) -> None:
    """Gravity forces along the parabola would be wrong, without a warning."""
    words = f"joint 'j': {type(joint).__name__}.{fault}: .* must be a constant matrix times qd"
    assert_raises(ModelError, words, one_joint, joint)


def test_a_joint_type_of_a_user_that_moves_as_it_declares() -> None:
    class Hinge(Revolute):
        pass

    assert one_joint(Hinge()).mass_matrix([0.3]) == one_joint(Revolute()).mass_matrix([0.3])
