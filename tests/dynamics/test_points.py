"""Points of links: rigid bodies, and frames that Pinocchio is given there."""

import numpy as np
import pytest
from comparing import assert_close, assert_raises
from peers import ANGULAR_FIRST, peers
from robots import FEW_ARMS, pin

import revolute
from revolute import InputError, ShapeError

POINT = np.array([0.11, -0.23, 0.31])
REFERENCES = {"body": pin.LOCAL, "aligned": pin.LOCAL_WORLD_ALIGNED, "world": pin.WORLD}


@pytest.mark.parametrize(("name", "reference"), list(zip(FEW_ARMS, REFERENCES, strict=True)))
def test_pinocchio_has_the_same_of_a_frame_there(name: str, reference: str) -> None:
    robot, model, _, q, qd, qdd, positions, order = peers(name, seed=2)
    link = robot.link_names[-1]
    at = model.getFrameId(link)
    model, theirs = model.copy(), REFERENCES[reference]
    frame = model.frames[at]
    moved = pin.Frame("point", frame.parentJoint, at, frame.placement * pin.SE3(np.eye(3), POINT), pin.OP_FRAME)
    index = model.addFrame(moved)
    data, there = model.createData(), {"point": POINT}
    for x, xd, xdd, position in zip(q, qd, qdd, positions, strict=True):
        v, a = xd[order], xdd[order]
        pin.computeJointJacobiansTimeVariation(model, data, position, v)
        pin.forwardKinematics(model, data, position, v, a)
        pin.updateFramePlacements(model, data)
        assert_close(robot.forward_kinematics(x, link, **there), data.oMf[index].homogeneous, 1e-10)
        J, Jd = robot.jacobian(x, link, reference, **there), robot.jacobian_rate(x, xd, link, reference, **there)
        assert_close(J[:, order], pin.getFrameJacobian(model, data, index, theirs)[ANGULAR_FIRST], 1e-9)
        assert_close(Jd[:, order], pin.getFrameJacobianTimeVariation(model, data, index, theirs)[ANGULAR_FIRST], 1e-9)
        twist = np.array(pin.getFrameVelocity(model, data, index, theirs))[ANGULAR_FIRST]
        assert_close(robot.velocity(x, xd, link, reference, **there), twist, 1e-9)
        rate = np.array(pin.getFrameClassicalAcceleration(model, data, index, theirs))[ANGULAR_FIRST]
        if reference != "world":  # where both take the point at the base's origin, but not the same axes of rates
            assert_close(robot.acceleration(x, xd, xdd, link, reference, "classical", **there), rate, 1e-9)


def test_every_row_may_have_a_point_of_its_own() -> None:
    robot = revolute.robots.ur5()
    q, points = np.random.default_rng(0).standard_normal((2, 7, 6))
    rows = robot.jacobian(q, "tool0", "aligned", point=points[:, :3])
    for k in range(7):
        np.testing.assert_array_equal(rows[k], robot.jacobian(q[k], "tool0", "aligned", point=points[k, :3]))
    poses = robot.forward_kinematics(q[0], "tool0", point=points[:, :3])
    ends = poses[0, :3, :3] @ points[:, :3].T + robot.forward_kinematics(q[0], "tool0")[:3, 3:]
    np.testing.assert_allclose(poses[:, :3, 3], ends.T, atol=1e-15)


def test_centres_of_mass_carry_the_kinetic_energy_and_the_momentum() -> None:
    """T = sum m |v_c|^2 / 2 + w^T I_c w / 2 with the Jacobians of SHV section 6.2; p = sum m v_c."""
    robot = revolute.robots.ur5()
    q, qd = np.random.default_rng(1).standard_normal((2, 6))
    energy, momentum = 0.0, np.zeros(3)
    for frame in robot.frames:
        body = robot.bodies[frame.body]
        if frame.body == 0 or frame.name != body.name:
            continue
        R = robot.forward_kinematics(q, frame.name)[:3, :3] @ np.array(frame.placement.R.matrix()).T
        w, v = np.split(robot.jacobian(q, frame.name, "aligned", point="com") @ qd, 2)
        I, m, c = np.array(body.inertia.I), body.inertia.m, np.array(body.inertia.h) / body.inertia.m
        central = R @ (I - m * (c @ c * np.eye(3) - np.outer(c, c))) @ R.T
        energy += m * v @ v / 2 + w @ central @ w / 2
        momentum += m * v
    assert abs(energy - robot.kinetic_energy(q, qd)) < 1e-13 * energy
    mass = sum(body.inertia.m for body in robot.bodies[1:])
    np.testing.assert_allclose(momentum, mass * robot.com_velocity(q, qd), atol=1e-13)


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize(("n", "base"), [(4, "fixed"), (2, "free")])
def test_partials_and_jerks_of_jacobians(n: int, base: str, reference: str) -> None:
    """Central differences with steps of 1e-5: h^2 and rounding / h are both below 1e-9 of what is compared."""
    robot = revolute.robots.random_tree(n, rng=2, base=base)
    rng, h, link = np.random.default_rng(4), 1e-5, robot.link_names[-1]
    q = robot.random_configuration(rng=rng)
    qd, qdd, qddd = rng.standard_normal((3, robot.nv))
    given = {"frame": link, "reference": reference, "point": POINT}
    kernels = {"frame": link, "reference": reference, "at_point": True}
    J, Jd = robot.jacobian_partials(q, **given), robot.kernel("jacobian_rate_partials", **kernels)(q, qd, POINT)
    for k, d in enumerate(h * np.eye(robot.nv)):
        there, back = robot.integrate(q, d), robot.integrate(q, -d)
        change = (robot.jacobian(there, **given) - robot.jacobian(back, **given)) / (2 * h)
        np.testing.assert_allclose(J[..., k], change, atol=1e-8)
        change = (robot.jacobian_rate(there, qd, **given) - robot.jacobian_rate(back, qd, **given)) / (2 * h)
        np.testing.assert_allclose(Jd[0][..., k], change, atol=1e-7)
    np.testing.assert_allclose(Jd[1], J, atol=1e-12)
    np.testing.assert_allclose(J @ qd, robot.jacobian_rate(q, qd, **given), atol=1e-12)

    def after(t: float) -> tuple[np.ndarray, ...]:
        """On the way on which qddd is constant, to second order."""
        return robot.integrate(q, t * qd + t**2 / 2 * qdd), qd + t * qdd + t**2 / 2 * qddd, qdd + t * qddd

    jerk = robot.kernel("jacobian_third_rate", **kernels)(q, qd, qdd, qddd, POINT)
    change = robot.jacobian_second_rate(*after(h), **given) - robot.jacobian_second_rate(*after(-h), **given)
    np.testing.assert_allclose(jerk, change / (2 * h), atol=1e-6 * (1 + np.abs(jerk).max()))
    rates = [robot.kernel("equations_of_motion_rates")(*after(t))[3:] for t in (h, -h)]
    second = robot.kernel("equations_of_motion_second_rates")(q, qd, qdd, qddd)
    for found, plus, minus in zip(second, *rates, strict=True):
        np.testing.assert_allclose(found, (plus - minus) / (2 * h), atol=1e-6 * (1 + np.abs(found).max()))


def test_what_is_wrong_is_named() -> None:
    arm = revolute.robots.planar(2)
    with pytest.raises(InputError, match=r"point must be \(..., 3\) coordinates in the link's frame \[m\], or 'com'"):
        arm.jacobian([0, 0], "tip", point="elbow")
    assert_raises(ShapeError, r"jacobian: point has shape \(2,\)", arm.jacobian, [0, 0], "tip", point=[1.0, 2.0])
    with pytest.raises(InputError, match="point: a point belongs to one link; specify the link"):
        arm.forward_kinematics([0, 0], point=[1.0, 2.0, 0.0])
    with pytest.raises(InputError, match="link 'base' of 'planar2' has no mass, and so no centre of mass"):
        arm.velocity([0, 0], [0, 0], "base", point="com")
