"""Pages for those who come from another library: what each row of their tables says is shown on both sides.

A class has the checks of a page's conventions, functions of its scene with the names of their rows. The first two
cells of a row of calls are expressions.
"""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from others import PACKAGE, scene, text

import revolute

pytestmark = pytest.mark.filterwarnings("ignore:robot .* does not support (velocity limits|gravity)")
STATES = np.random.default_rng(5).uniform(-1, 1, (3, 2, 6))

SIBLINGS = """<robot name="siblings"><link name="root"/>
<joint name="z" type="continuous"><parent link="root"/><child link="first"/><axis xyz="0 0 1"/></joint>
<joint name="a" type="revolute"><parent link="root"/><child link="second"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="first">{mass}</link><link name="second">{mass}</link></robot>""".format(
    mass='<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def same(one: Any, other: Any) -> None:
    """Equal but for rounding: sums of some hundred terms of at most 1e3."""
    np.testing.assert_allclose(np.asarray(one, float), np.asarray(other, float), rtol=1e-9, atol=1e-9)


def different(one: Any, other: Any) -> None:
    assert np.abs(np.asarray(one, float) - np.asarray(other, float)).max() > 1e-3


def loaded(description: str, suffix: str = ".urdf", **options: Any) -> revolute.Robot:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"robot{suffix}")
        path.write_text(description, encoding="utf-8")
        return revolute.load(path, **options)


def batches(robot: revolute.Robot) -> None:
    """Leading axes are rows."""
    q, qd, qdd = STATES[..., : robot.nv]
    same(robot.inverse_dynamics(q, qd, qdd)[1], robot.inverse_dynamics(q[1], qd[1], qdd[1]))


def armature(robot: revolute.Robot, q: Any) -> None:
    """It is in the inertia of a robot with drives, and not of one without."""
    driven = robot.with_drives(dict.fromkeys(robot.joint_names, revolute.Drive(armature=0.25)))
    same(driven.mass_matrix(q) - robot.mass_matrix(q), 0.25 * np.eye(robot.nv))


def damping(robot: revolute.Robot, q: Any, qd: Any, qdd: Any) -> None:
    driven = robot.with_drives(dict.fromkeys(robot.joint_names, revolute.Drive(damping=0.5)))
    same(driven.inverse_dynamics(q, qd, qdd) - robot.inverse_dynamics(q, qd, qdd), 0.5 * np.asarray(qd))


class Pinocchio:
    def twist_wrench(x: Any) -> None:
        same(x.pin.Motion(np.arange(6.0)).linear, [0, 1, 2])
        same(x.pin.Force(np.arange(6.0)).linear, [0, 1, 2])
        twist = x.pin.getFrameVelocity(x.m, x.d, x.i, x.pin.LOCAL)
        same(x.robot.velocity(x.q, x.qd, "tool0"), [*twist.angular, *twist.linear])

    def frames_of_jacobians(x: Any) -> None:
        for theirs, ours in (("LOCAL", "body"), ("LOCAL_WORLD_ALIGNED", "aligned"), ("WORLD", "world")):
            J = x.pin.computeFrameJacobian(x.m, x.d, x.q, x.i, getattr(x.pin, theirs))[x.swap]
            same(x.robot.jacobian(x.q, "tool0", ours), J)

    def velocity_of_a_free_joint(x: Any) -> None:
        forward = np.eye(12)
        for k in range(3):  # the body's axes are not the world's
            same(x.pin.integrate(x.fm, x.fq, forward[k]), x.floating.integrate(x.fq, forward[3 + k]))
            same(x.pin.integrate(x.fm, x.fq, forward[3 + k]), x.floating.integrate(x.fq, forward[k]))
        moved = x.floating.integrate(x.fq, forward[3])[:3] - x.fq[:3]
        same(moved, x.floating.forward_kinematics(x.fq, x.floating.link_names[0])[:3, 0])

    def quaternion(x: Any) -> None:
        same(x.pin.neutral(x.fm)[3:7], [0, 0, 0, 1])
        same(x.floating.neutral()[3:7], [0, 0, 0, 1])
        turned = x.pin.Quaternion(np.array(x.fq[3:7])).matrix()
        same(x.floating.forward_kinematics(x.fq, x.floating.link_names[0])[:3, :3], turned)

    def continuous_joint_in_q(x: Any) -> None:
        model = x.pin.buildModelFromXML(SIBLINGS)
        assert (model.nq, model.nv) == (3, 2) and model.nqs[model.getJointId("z")] == 2
        robot = loaded(SIBLINGS)
        assert (robot.nq, robot.nv) == (2, 2)

    def siblings(x: Any) -> None:
        assert list(x.pin.buildModelFromXML(SIBLINGS).names)[1:] == ["a", "z"]
        assert list(loaded(SIBLINGS).joint_names) == ["z", "a"]

    def the_world(x: Any) -> None:
        assert x.m.names[0] == "universe"
        assert loaded(SIBLINGS).link_names[0] == "root"

    def wrenches_of_rnea_aba(x: Any) -> None:
        assert len(x.pushes) == x.m.njoints
        theirs = x.pin.rnea(x.m, x.d, x.q, x.qd, x.qdd, x.pushes)
        same(x.robot.inverse_dynamics(x.q, x.qd, x.qdd, wrenches={"wrist_3_link": x.push}), theirs)
        different(x.robot.inverse_dynamics(x.q, x.qd, x.qdd), theirs)

    def armature(x: Any) -> None:
        model = x.pin.buildModelFromXML(x.robot.to_urdf())
        model.armature[:] = 0.25
        same(x.pin.crba(model, model.createData(), x.q) - x.pin.crba(x.m, x.m.createData(), x.q), 0.25 * np.eye(6))
        armature(x.robot, x.q)

    def friction_damping(x: Any) -> None:
        model = x.pin.buildModelFromXML(x.robot.to_urdf())
        before = x.pin.rnea(model, model.createData(), x.q, x.qd, x.qdd).copy()
        model.damping[:] = 5.0
        same(x.pin.rnea(model, model.createData(), x.q, x.qd, x.qdd), before)
        damping(x.robot, x.q, x.qd, x.qdd)

    def working_memory(x: Any) -> None:
        data = x.m.createData()
        same(x.pin.rnea(x.m, data, x.q, x.qd, x.qdd), data.tau)
        one = x.robot.inverse_dynamics(x.q, x.qd, x.qdd)
        assert not np.shares_memory(one, x.robot.inverse_dynamics(x.q, x.qd, 2 * x.qdd))

    def many_states(x: Any) -> None:
        with pytest.raises((TypeError, ValueError), match=r"size|dimension|signature"):
            x.pin.rnea(x.m, x.d, *STATES)
        batches(x.robot)


FREE = """<mujoco><worldbody><body name="trunk" pos="0 0 0"><freejoint name="base"/><geom size="0.1" mass="1"/>
<body name="z"><joint name="z" type="hinge" axis="0 0 1"/><geom size="0.1" mass="1"/></body>
<body name="a"><joint name="a" type="hinge" axis="0 1 0"/><geom size="0.1" mass="1"/></body>
</body></worldbody></mujoco>"""


def turned(x: Any, velocity: Any) -> Any:
    """MuJoCo's free body, which stands turned by a right angle about z, after a second of a velocity."""
    model = x.mujoco.MjModel.from_xml_string(FREE)
    q = model.qpos0.copy()
    q[3:7] = [0.5**0.5, 0, 0, 0.5**0.5]
    x.mujoco.mj_integratePos(model, q, np.asarray(velocity, float), 1.0)
    return q


class Mujoco:
    def twist_of_a_body_cvel(x: Any) -> None:
        twist = x.robot.velocity(x.q, x.qd, "wrist_3_link", "aligned")
        arm = x.d.subtree_com[x.m.body_rootid[x.b]] - x.d.xpos[x.b]
        same(x.d.cvel[x.b], [*twist[:3], *(twist[3:] + np.cross(twist[:3], arm))])
        R = x.d.xmat[x.b].reshape(3, 3)
        same(x.robot.velocity(x.q, x.qd, "wrist_3_link"), [*(R.T @ twist[:3]), *(R.T @ twist[3:])])

    def jacobian_of_a_body(x: Any) -> None:
        linear, angular = np.zeros((2, 3, 6))
        x.mujoco.mj_jacBody(x.m, x.d, linear, angular, x.b)
        same(x.robot.jacobian(x.q, "wrist_3_link", "aligned"), [*angular, *linear])

    def wrench_xfrc_applied(x: Any) -> None:
        force, moment = np.array([3.0, -2.0, 5.0]), np.array([0.5, 0.3, -0.7])

        def pushed(model: Any, state: Any) -> None:
            state.xfrc_applied[x.b] = [*force, *moment]
            x.mujoco.mj_forward(model, state)

        R, center = x.d.xmat[x.b].reshape(3, 3), x.m.body_ipos[x.b]
        own = [*(R.T @ moment + np.cross(center, R.T @ force)), *(R.T @ force)]
        found = x.robot.forward_dynamics(x.q, x.qd, x.tau, wrenches={"wrist_3_link": own})
        np.testing.assert_allclose(found, x.data(x.m, pushed).qacc, rtol=1e-8)

    def quaternion(x: Any) -> None:
        same(x.mujoco.MjModel.from_xml_string(FREE).qpos0[3:7], [1, 0, 0, 0])
        same(loaded(FREE, ".xml").neutral()[3:7], [0, 0, 0, 1])

    def velocity_of_a_free_joint(x: Any) -> None:
        same(turned(x, [1, 0, 0, 0, 0, 0, 0, 0])[:3], [1, 0, 0])  # the world's axis
        ours = loaded(FREE, ".xml")
        q = ours.neutral()
        q[3:7] = [0, 0, 0.5**0.5, 0.5**0.5]
        same(ours.integrate(q, [0, 0, 0, 1, 0, 0, 0, 0])[:3], [0, 1, 0])  # the body's
        w, *xyz = turned(x, [0, 0, 0, 0.3, 0, 0, 0, 0])[3:7]
        same(ours.integrate(q, [0.3, 0, 0, 0, 0, 0, 0, 0])[3:7], [*xyz, w])

    def base(x: Any) -> None:
        assert x.mujoco.MjModel.from_xml_string(FREE).nv == loaded(FREE, ".xml").nv == 8
        assert loaded(SIBLINGS, base="free").nv == 8 and loaded(SIBLINGS).nv == 2

    def siblings(x: Any) -> None:
        model = x.mujoco.MjModel.from_xml_string(FREE)
        names = [model.joint(k).name for k in range(model.njnt)]
        assert names[1:] == list(loaded(FREE, ".xml").joint_names)[1:] == ["z", "a"]

    def armature(x: Any) -> None:
        both = (x.filled(x.mujoco.mj_fullM, *pair, 6, 6) for pair in ((x.dm, x.dd), (x.m, x.d)))
        same(np.subtract(*both), 0.1 * np.eye(6))
        same(x.ddi.qfrc_inverse - x.di.qfrc_inverse + x.ddi.qfrc_passive, 0.1 * x.qdd)
        armature(x.robot, x.q)

    def damping_springs(x: Any) -> None:
        same(x.dd.qfrc_passive, -0.5 * x.qd)
        damping(x.robot, x.q, x.qd, x.qdd)

    def friction_loss(x: Any) -> None:
        drives = dict.fromkeys(x.robot.joint_names, revolute.Drive(friction=2.0))
        same(x.robot.with_drives(drives, smoothing=0.1).friction_forces(x.qd), 2 * np.tanh(x.qd / 0.1))
        assert x.data(x.without_contacts(x.robot.with_drives(drives).described())).nefc == 6 and x.d.nefc == 0

    def joint_limits_contacts(x: Any) -> None:
        far = 10 + x.q
        model = x.mujoco.MjModel.from_xml_string(x.robot.to_mjcf())
        state = x.mujoco.MjData(model)
        state.qpos = far
        x.mujoco.mj_forward(model, state)
        assert state.nefc > 0
        free = x.mujoco.MjData(x.m)
        free.qpos = far
        x.mujoco.mj_forward(x.m, free)
        np.testing.assert_allclose(x.robot.forward_dynamics(far, 0 * far, 0 * far), free.qacc, rtol=1e-8, atol=1e-8)

    def gravity(x: Any) -> None:
        same(x.m.opt.gravity, x.robot.gravity)
        same(x.robot.with_gravity((0, 0, 0)).gravity_forces(x.q), np.zeros(6))

    def many_states(x: Any) -> None:
        with pytest.raises(ValueError, match=r"shape|broadcast|size"):
            x.mujoco.MjData(x.m).qpos = STATES[0]
        batches(x.robot)


class Sympy:
    def coordinates(x: Any) -> None:
        assert {str(s) for s in x.equations.tau.free_symbols} <= {"q1", "q2", "dq1", "dq2", "ddq1", "ddq2"}
        assert x.lm.mass_matrix.atoms(x.sympy.Function) >= {x.q2}
        a, da = x.sympy.symbols("a da")
        by_symbol = revolute.lagrange([a], da**2, a**2)
        by_function = revolute.lagrange([x.q1], x.q1.diff(x.t) ** 2, x.q1**2)
        same(*(f.inverse_dynamics([0.3], [0.0], [0.5]) for f in (by_symbol, by_function)))

    def form(x: Any) -> None:
        same(x.at(x.lm.mass_matrix) @ x.qdd - x.at(x.lm.forcing), x.robot.inverse_dynamics(*x.state))
        M, C, g = x.robot.equations_of_motion(x.q, x.qd)
        same(M @ x.qdd + C @ x.qd + g, x.robot.inverse_dynamics(*x.state))

    def coriolis_matrix(x: Any) -> None:
        assert not [name for name in dir(x.lm) if "coriolis" in name.lower()]
        skew = x.robot.mass_matrix_rate(x.q, x.qd) - 2 * x.value(x.equations.C)
        same(skew, -skew.T)

    def vectors(x: Any) -> None:
        velocity = x.tip.pos_from(x.O).dt(x.N)
        assert isinstance(velocity, x.me.Vector)
        in_base, in_link = x.at(velocity.to_matrix(x.N)), x.at(velocity.to_matrix(x.B))
        same(x.robot.velocity(x.q, x.qd, "tip", "aligned")[3:], in_base)
        same(x.robot.velocity(x.q, x.qd, "tip")[3:], in_link)

    def twist(x: Any) -> None:
        parts = (x.at(v.to_matrix(x.N)) for v in (x.B.ang_vel_in(x.N), x.tip.pos_from(x.O).dt(x.N)))
        same(x.robot.velocity(x.q, x.qd, "tip", "aligned"), np.concatenate(list(parts)))

    def quaternion(x: Any) -> None:
        half = x.sympy.pi / 6
        turned = x.N.orientnew("T", "Quaternion", (x.sympy.cos(half), 0, 0, x.sympy.sin(half)))
        free = x.robot.to_base("free")
        q = free.neutral()
        q[3:7] = [0, 0, np.sin(np.pi / 6), np.cos(np.pi / 6)]
        same(free.forward_kinematics(q, free.link_names[0])[:3, :3], np.array(x.N.dcm(turned), float))

    def base(x: Any) -> None:
        same(x.robot.forward_kinematics(x.q, x.robot.link_names[0]), np.eye(4))
        assert x.robot.nv == 2 and x.robot.to_base("free").nv == 8

    def wrench(x: Any) -> None:
        force, moment = 3 * x.B.x - 2 * x.B.y, 5 * x.B.z
        x.tip.set_vel(x.N, x.tip.pos_from(x.O).dt(x.N))
        method = x.me.LagrangesMethod(x.L, [x.q1, x.q2], forcelist=[(x.tip, force), (x.B, moment)], frame=x.N)
        method.form_lagranges_equations()
        found = x.robot.inverse_dynamics(*x.state, wrenches={"tip": [0, 0, 5, 3, -2, 0]})
        same(x.at(method.mass_matrix) @ x.qdd - x.at(method.forcing), found)

    def joint_order(x: Any) -> None:
        other = x.me.LagrangesMethod(x.L, [x.q2, x.q1])
        other.form_lagranges_equations()
        same(x.at(other.mass_matrix)[::-1, ::-1], x.robot.mass_matrix(x.q))
        assert x.robot.joint_names == ("joint1", "joint2")

    def gravity(x: Any) -> None:
        free = x.me.LagrangesMethod(x.T, [x.q1, x.q2])
        free.form_lagranges_equations()
        same(x.at(free.eom), x.robot.with_gravity((0, 0, 0)).inverse_dynamics(*x.state))
        same(x.robot.gravity, (0, -9.81, 0))

    def damping(x: Any) -> None:
        damping(x.robot, *x.state)
        loss = x.sympy.Rational(1, 4) * sum(rate**2 for rate in x.rates[1])
        lossy = revolute.lagrange([x.q1, x.q2], x.T, x.U, loss)
        same(lossy.inverse_dynamics(*x.state) - x.system.inverse_dynamics(*x.state), 0.5 * x.qd)

    def armature(x: Any) -> None:
        armature(x.robot, x.q)

    def numbers(x: Any) -> None:
        same(x.sympy.lambdify([x.q1, x.q2], x.lm.mass_matrix)(*x.q), revolute.robots.planar(2).mass_matrix(x.q))

    def size(x: Any) -> None:
        assert revolute.robots.puma560().equations().M.shape == (6, 6)


class RoboticsToolbox:
    def twist_jacobian(x: Any) -> None:
        same(x.p.jacob0(x.q)[x.swap], x.robot.jacobian(x.q, "flange", "aligned"))
        different(x.p.jacob0(x.q), x.robot.jacobian(x.q, "flange", "aligned"))

    def frames_of_jacobians(x: Any) -> None:
        same(x.p.jacob0(x.q)[x.swap], x.robot.jacobian(x.q, "flange", "aligned"))
        same(x.p.jacobe(x.q)[x.swap], x.robot.jacobian(x.q, "flange", "body"))

    def wrench_at_the_tip(x: Any) -> None:
        found = x.robot.inverse_dynamics(x.q, x.qd, x.qdd, wrenches={"flange": x.push})
        same(x.p.rne(x.q, x.qd, x.qdd, fext=-x.push[x.swap]), found)

    def pose(x: Any) -> None:
        assert type(x.p.fkine(x.q)).__name__ == "SE3"
        found = x.robot.forward_kinematics([x.q, x.qd], "flange")
        assert found.shape == (2, 4, 4)
        same(x.p.fkine(x.q).A, found[0])

    def inertia_of_a_link(x: Any) -> None:
        same(x.p.links[0].I, x.I)
        c = np.array(x.center)
        same(x.inertia.I, x.I + x.mass * (c @ c * np.eye(3) - np.outer(c, c)))

    def frames_of_standard_rows(x: Any) -> None:
        poses = x.p.fkine_all(x.q)
        for k, name in ((1, "frame1"), (2, "frame2"), (3, "flange")):
            same(poses[k].A, x.robot.forward_kinematics(x.q, name))

    def base(x: Any) -> None:
        from spatialmath import SE3

        moved = x.rtb.DHRobot([x.link(row, Jm=0.0) for row in x.rows], base=SE3.Tx(0.7))
        same(moved.fkine(x.q).A[:3, 3] - x.p.fkine(x.q).A[:3, 3], [0.7, 0, 0])
        assert x.robot.nv == 3 and x.robot.to_base("free").nv == 9

    def gravity(x: Any) -> None:
        same(x.p.gravity, x.robot.gravity)
        same(x.p.gravload(x.q), x.robot.gravity_forces(x.q))

    def joint_order(x: Any) -> None:
        for k in range(3):
            same(x.p.links[k].d, x.rows[k][2])
        assert list(x.robot.joint_names) == [f"joint{k}" for k in (1, 2, 3)]
        assert list(loaded(SIBLINGS).joint_names) == ["z", "a"]

    def motor_inertia(x: Any) -> None:
        same(x.geared.inertia(x.q) - x.p.inertia(x.q), 50.0**2 * 2e-4 * np.eye(3))
        armature(x.robot, x.q)

    def friction(x: Any) -> None:
        same(-x.geared.friction(x.qd), x.exact.friction_forces(x.qd))
        same(x.exact.friction_forces(x.qd), 50.0**2 * 1e-3 * x.qd + 50.0 * 0.1 * np.sign(x.qd))
        different(x.geared.rne(x.q, x.qd, 0 * x.q), x.p.rne(x.q, x.qd, 0 * x.q))

    def many_states(x: Any) -> None:
        q, qd, qdd = STATES[..., :3]
        same(x.p.rne(q, qd, qdd), x.robot.inverse_dynamics(q, qd, qdd))
        batches(x.robot)


def plant(x: Any, description: str, prepare: Callable[[Any], None] = lambda plant: None) -> tuple[Any, Any]:
    made = x.MultibodyPlant(0.0)
    x.Parser(made).AddModelsFromString(description, "urdf")
    prepare(made)
    made.Finalize()
    return made, made.CreateDefaultContext()


class Drake:
    def twist_wrench(x: Any) -> None:
        from pydrake.multibody.math import SpatialForce

        twist = x.tip.CalcSpatialVelocityInWorld(x.c)
        same(x.robot.velocity(x.q, x.qd, "wrist_3_link", "aligned"), [*twist.rotational(), *twist.translational()])
        same(SpatialForce(tau=[1, 2, 3], f=[4, 5, 6]).get_coeffs(), [1, 2, 3, 4, 5, 6])

    def frame_of_a_twist(x: Any) -> None:
        pose = x.robot.forward_kinematics(x.q, "wrist_3_link")
        there = -pose[:3, :3].T @ pose[:3, 3]
        for name, point, axes in (("body", x.origin, x.tip), ("aligned", x.origin, x.world), ("world", there, x.world)):
            J = x.p.CalcJacobianSpatialVelocity(x.c, x.by_qd, x.tip, point, x.world, axes)
            same(x.robot.jacobian(x.q, "wrist_3_link", name), J)

    def quaternion(x: Any) -> None:
        made, context = plant(x, SIBLINGS)
        same(made.GetPositions(context)[:4], [1, 0, 0, 0])
        same(loaded(SIBLINGS, base="free").neutral()[3:7], [0, 0, 0, 1])

    def free_body_in_q(x: Any) -> None:
        made, context = plant(x, SIBLINGS)
        made.SetPositions(context, [1, 0, 0, 0, 0.1, 0.2, 0.3, 0, 0])
        same(made.EvalBodyPoseInWorld(context, made.GetBodyByName("root")).translation(), [0.1, 0.2, 0.3])
        ours = loaded(SIBLINGS, base="free")
        same(ours.forward_kinematics([0.1, 0.2, 0.3, 0, 0, 0, 1, 0, 0], "root")[:3, 3], [0.1, 0.2, 0.3])

    def velocity_of_a_free_body(x: Any) -> None:
        made, context = plant(x, SIBLINGS)
        half, qd = 0.5**0.5, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0, 0])
        made.SetPositions(context, [half, 0, 0, half, 0, 0, 0, 0, 0])
        made.SetVelocities(context, qd)
        same(made.EvalBodySpatialVelocityInWorld(context, made.GetBodyByName("root")).get_coeffs(), qd[:6])
        same(loaded(SIBLINGS, base="free").velocity([0, 0, 0, 0, 0, half, half, 0, 0], qd, "root", "body"), qd[:6])

    def base(x: Any) -> None:
        assert plant(x, SIBLINGS)[0].num_velocities() == loaded(SIBLINGS, base="free").nv == 8
        assert loaded(SIBLINGS).nv == 2

    def state(x: Any) -> None:
        other = x.p.CreateDefaultContext()
        different(x.p.CalcMassMatrix(other), x.p.CalcMassMatrix(x.c))
        x.p.SetPositions(other, x.q)
        same(x.p.CalcMassMatrix(other), x.robot.mass_matrix(x.q))

    def wrench(x: Any) -> None:
        from pydrake.multibody.math import SpatialForce

        forces, moment, force = x.MultibodyForces(x.p), np.array([0.5, 0.3, -0.7]), np.array([3.0, -2.0, 5.0])
        x.tip.body().AddInForce(x.c, x.origin, SpatialForce(tau=moment, f=force), x.tip, forces)
        still = x.robot.with_gravity((0, 0, 0))
        found = still.inverse_dynamics(x.q, x.qd, x.qdd, wrenches={"wrist_3_link": [*moment, *force]})
        same(x.p.CalcInverseDynamics(x.c, x.qdd, forces), found)

    def gravity_forces(x: Any) -> None:
        same(-x.p.CalcGravityGeneralizedForces(x.c), x.robot.gravity_forces(x.q))

    def bias_term(x: Any) -> None:
        same(x.p.CalcBiasTerm(x.c), x.robot.coriolis_forces(x.q, x.qd))
        same(x.robot.bias_forces(x.q, x.qd), x.robot.coriolis_forces(x.q, x.qd) + x.robot.gravity_forces(x.q))

    def rotor_inertia(x: Any) -> None:
        def with_rotors(made: Any) -> None:
            for name in x.robot.joint_names:
                actuator = made.AddJointActuator(f"{name} motor", made.GetJointByName(name))
                actuator.set_default_rotor_inertia(0.25)
                actuator.set_default_gear_ratio(1.0)

        text = x.robot.to_urdf()
        (made, context), (plain, other) = plant(x, text, with_rotors), plant(x, text)
        same(made.CalcMassMatrix(context) - plain.CalcMassMatrix(other), 0.25 * np.eye(6))
        armature(x.robot, x.q)

    def damping(x: Any) -> None:
        def damped(made: Any) -> None:
            for name in x.robot.joint_names:
                made.GetMutableJointByName(name).set_default_damping(0.5)

        made, context = plant(x, x.robot.to_urdf(), damped)
        made.SetPositions(context, x.q)
        made.SetVelocities(context, x.qd)
        forces = x.MultibodyForces(made)
        made.CalcForceElementsContribution(context, forces)
        found = made.CalcInverseDynamics(context, x.qdd, forces) - x.p.CalcInverseDynamics(x.c, x.qdd, x.weight)
        same(found, 0.5 * x.qd)
        damping(x.robot, x.q, x.qd, x.qdd)

    def symbols(x: Any) -> None:
        import sympy
        from pydrake.symbolic import Expression

        symbolic = x.p.ToSymbolic()
        assert isinstance(symbolic.GetPositions(symbolic.CreateDefaultContext())[0], Expression)
        assert isinstance(revolute.robots.planar(2).equations().M, sympy.MatrixBase)

    def many_states(x: Any) -> None:
        with pytest.raises(TypeError, match=r"incompatible function arguments"):
            x.p.SetPositions(x.c, STATES[0])
        batches(x.robot)


PAGES = dict(zip(sorted(PACKAGE), (Drake, Mujoco, Pinocchio, RoboticsToolbox, Sympy), strict=True))
CHECKS = {(page, row): check for page, kind in PAGES.items() for row, check in vars(kind).items() if row[0] != "_"}


@pytest.mark.parametrize(("page", "row"), CHECKS)
def test_a_convention_holds_on_both_sides(page: str, row: str) -> None:
    assert CHECKS[page, row](SimpleNamespace(**scene(page))) is None  # else it raises


@pytest.mark.parametrize("page", PAGES)
def test_every_row_of_a_table_of_conventions_is_checked(page: str) -> None:
    table = text(page).partition("## Call by call")[0]
    places = [cell for cell in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE) if set(cell) - set("- ")]
    rows = [re.sub(r"\W+", "_", place).strip("_").lower() for place in places]
    assert [row for one, row in CHECKS if one == page] == rows


def calls(page: str) -> list[tuple[str, str]]:
    """Expressions of the other library, and ours."""
    row = re.compile(r"^\| `([^`|]+)` \| `([^`|]+)` \|", re.MULTILINE)
    return row.findall(text(page).partition("## Call by call")[2])


@pytest.mark.parametrize(("page", "theirs", "ours"), [(page, *row) for page in PAGES for row in calls(page)])
def test_both_sides_of_a_row_agree(page: str, theirs: str, ours: str) -> None:
    one, other = (np.asarray(eval(side, scene(page)), dtype=float) for side in (theirs, ours))
    assert one.shape == other.shape
    same(other, one)


@pytest.mark.parametrize("page", PAGES)
def test_every_row_of_a_table_of_calls_is_run(page: str) -> None:
    table = [line for line in text(page).partition("## Call by call")[2].splitlines() if line.startswith("| ")]
    assert len(calls(page)) == len(table) - 2 >= 15  # less the head and the rule below it
