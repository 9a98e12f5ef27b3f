"""Springs of ball joints: torque along the rotation vector, energy, derivatives, regressor, MuJoCo, what is refused."""

import functools
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import Drive, DrivenRobot, Inertia, Joint, Link, ModelError, Robot, Transform
from revolute.spatial import quaternion

K, REST = 7.0, (0.3, -0.2, 0.5)


@functools.cache
def arm(rest: Any = REST) -> DrivenRobot:
    """A hinge, a ball joint with a spring, and a slide."""
    body = Inertia.from_com(1.5, (0.1, 0.2, -0.4), np.diag([0.03, 0.04, 0.02]))
    names, joints = ["base", "a", "b", "c"], [revolute.Revolute((0, 1, 0)), revolute.Spherical()]
    joints.append(revolute.Prismatic((0, 0, 1)))
    spring = Drive(damping=(0.4, 0.4, 0.4), stiffness=(K,) * 3, rest_position=rest)
    drives = [Drive(stiffness=3.0, rest_position=0.1), spring, Drive(stiffness=50.0)]
    return Robot.from_links(
        "sprung", [Link(name, body) for name in names],
        [Joint(f"j{k}", names[k], names[k + 1], joint, Transform(p=(0.1, 0, 0.3)), drive=drive)
         for k, (joint, drive) in enumerate(zip(joints, drives, strict=True))],
    ).with_drives()  # fmt: skip


def state(seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    q = np.concatenate([rng.standard_normal(5), 0.1 * rng.standard_normal(1)])
    q[1:5] /= np.linalg.norm(q[1:5])
    return q, *rng.standard_normal((2, 5))


def test_the_torque_is_along_the_rotation_from_rest() -> None:
    """By the stiffness times the angle; none at rest; opposite quaternions are the same."""
    for angle in (0.0, 1e-9, 0.7, 3.1):
        axis = np.array([0.6, 0.0, 0.8])
        q = np.zeros(6)
        turned = quaternion.product(quaternion.exponential(REST), quaternion.exponential(angle * axis))
        for sign in (1, -1):
            q[1:5] = sign * np.array(turned)
            found = arm().spring_forces(q)
            np.testing.assert_allclose(found[1:4], K * angle * axis, rtol=0, atol=1e-12)
            energy = arm().potential_energy(q) - arm().robot.potential_energy(q)
            np.testing.assert_allclose(energy, K * angle**2 / 2 + 3 * 0.1**2 / 2, rtol=0, atol=1e-12)


@pytest.mark.parametrize("rest", [REST, ()])
def test_forces_and_derivatives_are_differences(rest: Any) -> None:
    """Forces of the energy; partials and second partials of inverse dynamics along joint velocities."""
    robot, (q, qd, qdd), e = arm(rest), state(), 1e-6
    steps = [(robot.integrate(q, e * d), robot.integrate(q, -e * d)) for d in np.eye(5)]

    def differences(f: Any) -> np.ndarray:
        return np.stack([(f(a) - f(b)) / (2 * e) for a, b in steps], axis=-1)

    forces = differences(robot.potential_energy)
    np.testing.assert_allclose(robot.gravity_forces(q) + robot.spring_forces(q), forces, rtol=0, atol=1e-8)
    by_q = robot.inverse_dynamics_partials(q, qd, qdd)[0]
    np.testing.assert_allclose(by_q, differences(lambda x: robot.inverse_dynamics(x, qd, qdd)), rtol=0, atol=1e-7)
    second = robot.kernel("inverse_dynamics_second_partials")(q, qd, qdd)[0]
    wanted = differences(lambda x: robot.inverse_dynamics_partials(x, qd, qdd)[0])
    np.testing.assert_allclose(second, wanted, rtol=0, atol=1e-6)
    A = robot.linearize(q, qd, qdd)[0]
    moved = differences(lambda x: robot.forward_dynamics(x, qd, qdd))
    np.testing.assert_allclose(A[5:, :5], moved, rtol=0, atol=1e-6)


def test_motions_keep_energy_and_forces_are_linear_in_the_stiffness() -> None:
    robot, (q, qd, qdd) = arm(), state(1)
    free = robot.robot.with_drives({"j1": Drive(stiffness=(K,) * 3, rest_position=REST)})
    motion = free.simulate(q, qd, None, np.linspace(0, 0.5, 2001))
    assert np.ptp(motion.energy) < 1e-7 * np.abs(motion.energy).max()
    Y = robot.regressor(q, qd, qdd)
    np.testing.assert_allclose(Y @ robot.parameters, robot.inverse_dynamics(q, qd, qdd), rtol=0, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_mujoco_has_the_same_springs(seed: int, tmp_path: Any) -> None:
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><option timestep="1e-5"><flag contact="disable"/></option><worldbody>
      <body><joint name="b" type="ball" stiffness="7" damping=".2"/><geom size=".1" pos=".1 .2 .3"/></body>
    </worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    with pytest.warns(revolute.ModelWarning, match="the springs of 'b' are stored as Drive.stiffness"):
        robot = revolute.load(text).with_drives()
    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    q = rng.standard_normal(4)
    q /= np.linalg.norm(q)
    data.qpos[:] = q[[3, 0, 1, 2]]
    data.qvel[:] = rng.standard_normal(3)
    mujoco.mj_forward(model, data)
    found = robot.forward_dynamics(q, data.qvel, np.zeros(3))
    np.testing.assert_allclose(found, data.qacc, rtol=0, atol=1e-9 * np.abs(data.qacc).max())
    with pytest.warns(revolute.ModelWarning, match="the springs of .b. are stored"):
        again = revolute.load(robot.described().to_mjcf()).bodies[1].drive
    assert again == robot.described().bodies[1].drive


def test_springs_of_ball_joints_that_cannot_be() -> None:
    ball = Robot.from_links(
        "ball", [Link("a"), Link("b", Inertia.sphere(1.0, 0.1))], [Joint("j", "a", "b", revolute.Spherical())]
    )
    for drive, words in (
        (Drive(stiffness=(1.0, 2.0, 3.0)), "the three values of Drive.stiffness must be equal for a ball joint"),
        (Drive(stiffness=1.0), r"Drive.stiffness must have 3 number\(s\)"),
        (Drive(backlash=(0.1, 0.1, 0.1)), "applies only to joints with one coordinate; this one has 3"),
    ):
        assert_raises(ModelError, words, ball.with_drives, {"j": drive})
    turned = ball.with_drives({"j": Drive(stiffness=(1.0,) * 3, rest_position=REST)})
    assert_raises(ModelError, "springs of ball joints rest at", turned.described().to_mjcf)
    free = Robot.from_links("free", [Link("a", Inertia.sphere(1.0, 0.1))], [], base="free")
    words = "only to joints with one coordinate and ball joints; this one has 6 velocities"
    assert_raises(ModelError, words, free.with_drives, {"root_joint": Drive(stiffness=(1.0,) * 6)})
