"""Kinematics: rates of poses by complex steps on random trees, then Pinocchio."""

from itertools import product

import numpy as np
import pytest
from comparing import assert_each, assert_raises
from hypothesis import strategies as st
from peers import ANGULAR_FIRST, peers
from physics import STEP, by_positions, coordinate_rates, poses, pseudo_inertias
from robots import KINDS, LOADABLE, every, one_joint, pin, state, trees, trees_and_tools, value

import revolute
from revolute import InputError, ModelError, Robot, UnknownNameError
from revolute.dynamics.kinematics import REFERENCES

FEW = ("ur_description/ur5_robot", "talos_data/talos_left_arm", "hextilt_description/hextilt_flying_arm_5")
EVERY = st.sampled_from(sorted(REFERENCES))


def twist(T: np.ndarray, Td: np.ndarray, reference: str) -> np.ndarray:
    """(w, v) in a reference, from a pose and its rate."""
    R = T[:3, :3]
    if reference == "body":
        B = np.linalg.inv(T) @ Td
    elif reference == "world":
        B = Td @ np.linalg.inv(T)
    else:
        B = np.column_stack([Td[:3, :3] @ R.T, Td[:3, 3]])
    return np.array([B[2, 1], B[0, 2], B[1, 0], *B[:3, 3]])


def moved(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The state after an imaginary step: imaginary parts of results are their time derivatives."""
    return q + 1j * STEP * coordinate_rates(robot, q, qd), qd + 1j * STEP * qdd


def close(found: np.ndarray, expected: np.ndarray, size: float, n: int) -> None:
    """Within rounding: a complex step is exact, and each body adds some ten roundings of numbers of that size."""
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0) <= 50 * n * np.finfo(float).eps * size


def reach(robot: Robot, q: np.ndarray) -> float:
    """A length, or one: how large the products of lengths and rates may get before they cancel."""
    return 1 + float(np.abs(poses(robot, q)[:, :3, 3]).max()) * 2


@every(trees(7), EVERY)
def test_the_jacobian_takes_joint_velocities_to_rates_of_poses(robot: Robot, reference: str) -> None:
    q, _, _ = state(robot)
    T, rates = poses(robot, q), np.moveaxis(by_positions(lambda x: poses(robot, x), robot, q), -1, 0)
    for k, name in enumerate(robot.link_names):
        J = value(robot, "jacobian", q, frame=name, reference=reference)
        expected = np.array([twist(T[k], rate[k], reference) for rate in rates]).T
        close(J, expected, reach(robot, q), len(robot.bodies))


@every(trees_and_tools(7), EVERY)
def test_rates_of_the_jacobian_are_its_derivatives_along_the_motion(robot: Robot, reference: str) -> None:
    q, qd, qdd = state(robot)
    q1, qd1 = moved(robot, q, qd, qdd)
    speed = 1 + np.abs(qd).sum() + np.abs(qdd).sum()
    for name in robot.link_names[-2:]:
        options = {"frame": name, "reference": reference}
        Jd = value(robot, "jacobian_rate", q, qd, **options)
        close(Jd, np.imag(value(robot, "jacobian", q1, **options)) / STEP, reach(robot, q) * speed, robot.nv)
        Jdd = value(robot, "jacobian_second_rate", q, qd, qdd, **options)
        slope = np.imag(value(robot, "jacobian_rate", q1, qd1, **options)) / STEP
        close(Jdd, slope, reach(robot, q) * speed**2, robot.nv)


@every(trees(7), EVERY)
def test_velocities_and_accelerations_are_those_of_the_jacobian(robot: Robot, reference: str) -> None:
    q, qd, qdd = state(robot)
    speed = 1 + np.abs(qd).sum()
    for name in robot.link_names[-2:]:
        options = {"frame": name, "reference": reference}
        J, Jd = value(robot, "jacobian", q, **options), value(robot, "jacobian_rate", q, qd, **options)
        V, A = value(robot, "velocity", q, qd, **options), value(robot, "acceleration", q, qd, qdd, **options)
        close(V, J @ qd, reach(robot, q) * speed, robot.nv)
        close(A, J @ qdd + Jd @ qd, reach(robot, q) * (speed**2 + np.abs(qdd).sum()), robot.nv)


@every(trees(7))
def test_kinds_of_acceleration(robot: Robot) -> None:
    """Classical ones from the motion of points, spatial ones as the body's rate moved to the reference."""
    q, qd, qdd = state(robot)
    name = robot.link_names[-1]
    q1, qd1 = moved(robot, q, qd, qdd)
    T = poses(robot, q)[-1]
    R, p = T[:3, :3], T[:3, 3]
    size = reach(robot, q) * (1 + np.abs(qd).sum() ** 2 + np.abs(qdd).sum())

    def found(reference: str, kind: str) -> np.ndarray:
        return value(robot, "acceleration", q, qd, qdd, frame=name, reference=reference, linear=kind)

    slope = np.imag(value(robot, "velocity", q1, qd1, frame=name, reference="aligned")) / STEP
    close(found("aligned", "classical"), slope, size, robot.nv)
    close(found("body", "classical"), np.concatenate([R.T @ slope[:3], R.T @ slope[3:]]), size, robot.nv)
    w = value(robot, "velocity", q, qd, frame=name, reference="aligned")[:3]
    at_base = slope[3:] - np.cross(slope[:3], p) - np.cross(w, np.cross(w, p))  # the link's point at the base's origin
    close(found("world", "classical"), np.concatenate([slope[:3], at_base]), size, robot.nv)
    rate = np.imag(value(robot, "velocity", q1, qd1, frame=name)) / STEP
    wd, vd = R @ rate[:3], R @ rate[3:]
    close(found("body", "spatial"), rate, size, robot.nv)
    close(found("aligned", "spatial"), np.concatenate([wd, vd]), size, robot.nv)
    close(found("world", "spatial"), np.concatenate([wd, vd + np.cross(p, wd)]), size, robot.nv)


@every(trees(7))
def test_the_center_of_mass_is_that_of_all_mass_points(robot: Robot) -> None:
    q, qd, qdd = state(robot)
    mass = sum(body.inertia.m for body in robot.bodies[1:])

    def by_points(x: np.ndarray) -> np.ndarray:
        at, inertias = dict(zip(robot.link_names, poses(robot, x), strict=True)), pseudo_inertias(robot)
        return sum((at[body.name] @ inertias[body.name])[:3, 3] for body in robot.bodies[1:]) / mass

    c, cd = value(robot, "center_of_mass", q), value(robot, "com_velocity", q, qd)
    q1, qd1 = moved(robot, q, qd, qdd)
    size, n = reach(robot, q) * (1 + np.abs(qd).sum() ** 2 + np.abs(qdd).sum()), robot.nv
    close(c, by_points(q), size, n)
    close(cd, np.imag(by_points(q1)) / STEP, size, n)
    cdd = value(robot, "com_acceleration", q, qd, qdd)
    close(cdd, np.imag(value(robot, "com_velocity", q1, qd1)) / STEP, size, n)
    close(value(robot, "com_jacobian", q) @ qd, cd, size, n)
    close(value(robot, "com_jacobian", q), by_positions(by_points, robot, q), size, n)


def test_the_center_of_mass_feels_gravity_and_the_momentum_is_its_velocity() -> None:
    robot = revolute.robots.random_tree(5, rng=3, base="free")
    q, qd, qdd = state(robot)
    mass = sum(body.inertia.m for body in robot.bodies[1:])
    J = robot.com_jacobian(q)
    np.testing.assert_allclose(-J.T @ np.array(robot.gravity) * mass, robot.gravity_forces(q), atol=1e-11)
    np.testing.assert_allclose(J * mass, robot.centroidal_momentum_matrix(q)[3:], atol=1e-12)
    np.testing.assert_allclose(robot.com_velocity(q, qd) * mass, robot.centroidal_momentum(q, qd)[3:], atol=1e-11)
    force = robot.centroidal_momentum_rate(q, qd, qdd)[3:]
    np.testing.assert_allclose(robot.com_acceleration(q, qd, qdd) * mass, force, atol=1e-10)


@every(trees(7), EVERY)
def test_joints_that_do_not_carry_the_link_have_columns_of_zeros(robot: Robot, reference: str) -> None:
    q, qd, qdd = state(robot)
    for name in robot.link_names:
        i, carriers = robot.frame(name).body, set()
        while i > 0:
            carriers |= set(range(robot.nv)[robot.v_index[i]])
            i = robot.bodies[i].parent
        others = sorted(set(range(robot.nv)) - carriers)
        options = {"frame": name, "reference": reference}
        assert not value(robot, "jacobian", q, **options)[:, others].any()
        assert not value(robot, "jacobian_rate", q, qd, **options)[:, others].any()
        assert not value(robot, "jacobian_second_rate", q, qd, qdd, **options)[:, others].any()


def test_all_poses_are_the_poses_of_each() -> None:
    robot = revolute.robots.random_tree(6, rng=4, base="free")
    q = robot.random_configuration(rng=1, shape=(3, 2))
    found = robot.forward_kinematics(q)
    assert found.shape == (3, 2, len(robot.link_names), 4, 4)
    for k, name in enumerate(robot.link_names):
        np.testing.assert_allclose(found[..., k, :, :], robot.forward_kinematics(q, name), atol=1e-14)
    np.testing.assert_allclose(robot.forward_kinematics(q[0, 0]), poses(robot, q[0, 0]), atol=1e-14)
    assert robot.forward_kinematics(q[0, 0], "base").shape == (4, 4)  # after a fast call without a frame


def test_a_robot_without_joints() -> None:
    robot = Robot.from_links("rock", [revolute.Link("rock")], [])
    assert robot.jacobian([], "rock").shape == (6, 0)
    assert robot.jacobian_rate([], [], "rock", "world").shape == (6, 0)
    np.testing.assert_array_equal(robot.forward_kinematics([]), [np.eye(4)])


def test_wrong_frames_and_references_are_told() -> None:
    robot, zero = revolute.robots.planar(2), np.zeros(2)
    assert_raises(UnknownNameError, "has no link 'tipp'; near: tip", robot.jacobian, zero, "tipp")
    with pytest.raises(InputError, match="no reference 'local'; available: 'body'"):
        robot.jacobian_rate(zero, zero, "tip", "local")
    assert_raises(InputError, r"jacobian needs .*'frame'", robot.kernel, "jacobian")
    with pytest.raises(InputError, match="there is no 'linear' acceleration; available: 'rate'"):
        robot.acceleration(zero, zero, zero, "tip", linear="linear")
    np.testing.assert_array_equal(robot.jacobian(zero, ["tip"]), robot.jacobian(zero, "tip"))


def test_without_mass_there_is_no_center() -> None:
    massless = one_joint(revolute.Revolute(), revolute.Inertia())
    for function in (massless.center_of_mass, massless.com_jacobian):
        assert_raises(ModelError, "robot 'one' has no centre of mass", function, np.zeros(1))


def agree(ours: np.ndarray, theirs: np.ndarray) -> None:
    """To 1e-9: files print angles with 12 digits, which Revolute completes, see test_urdf."""
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * (1 + np.abs(theirs).max(initial=0)))


ROBOTS = [
    pytest.param(name, base, marks=() if name in (KINDS if base == "fixed" else FEW) else pytest.mark.slow)
    for name in LOADABLE
    for base in ("fixed", "free")
]
THEIRS = {"body": "LOCAL", "aligned": "LOCAL_WORLD_ALIGNED", "world": "WORLD"}


@pytest.mark.parametrize(("name", "base"), ROBOTS)
def test_jacobians_and_motions_agree_with_pinocchio(name: str, base: str) -> None:
    robot, model, data, *states, positions, order = peers(name, base, 2)
    names, link = robot.link_names, robot.link_names[-1]
    at = {x: model.getFrameId(x, pin.FrameType.BODY) for x in names}
    for q, qd, qdd, position in zip(*states, positions, strict=True):
        v, a = qd[order], qdd[order]
        pin.forwardKinematics(model, data, position, v, a)
        pin.updateFramePlacements(model, data)
        for x, pose in zip(names, value(robot, "forward_kinematics", q), strict=True):
            agree(pose, data.oMf[at[x]].homogeneous)
        if not robot.nv:  # Pinocchio crashes without joints
            continue
        for reference, theirs in THEIRS.items():
            seen, options = getattr(pin, theirs), {"frame": link, "reference": reference}
            V = pin.getFrameVelocity(model, data, at[link], seen)
            agree(value(robot, "velocity", q, qd, **options), np.array(V)[ANGULAR_FIRST])
            for kind, get in (("spatial", pin.getFrameAcceleration), ("classical", pin.getFrameClassicalAcceleration)):
                A = value(robot, "acceleration", q, qd, qdd, **options, linear=kind)
                agree(A, np.array(get(model, data, at[link], seen))[ANGULAR_FIRST])
        pin.computeJointJacobiansTimeVariation(model, data, position, v)
        pin.updateFramePlacements(model, data)
        for x, (reference, theirs) in product({link, names[len(names) // 2]}, THEIRS.items()):
            there, options = (model, data, at[x], getattr(pin, theirs)), {"frame": x, "reference": reference}
            J, Jd = value(robot, "jacobian", q, **options), value(robot, "jacobian_rate", q, qd, **options)
            agree(J[:, order], pin.getFrameJacobian(*there)[ANGULAR_FIRST])
            agree(Jd[:, order], pin.getFrameJacobianTimeVariation(*there)[ANGULAR_FIRST])
        pin.centerOfMass(model, data, position, v, a)
        com = value(robot, "center_of_mass", q), value(robot, "com_velocity", q, qd)
        assert_each(agree, com, (data.com[0], data.vcom[0]))
        agree(value(robot, "com_acceleration", q, qd, qdd), data.acom[0])
        agree(value(robot, "com_jacobian", q)[:, order], pin.jacobianCenterOfMass(model, data, position))
