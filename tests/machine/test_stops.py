"""Joint stops with restitution, compliance and damping: closed forms, energy, derivatives, files, what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from robots import one_joint

import revolute
from revolute import Contact, Inertia, InputError, Limits, ModelError, Plane, Robot

G, H = 9.81, 1e-3
FAR = [Contact("body", surface=Plane(offset=-9))]


def weight(**limits: Any) -> Robot:
    """2 kg on a vertical slide, which ends 0.2 m below and 0.1 m above."""
    ends = {"lower": -0.2, "upper": 0.1} | limits
    return one_joint(revolute.Prismatic((0, 0, 1)), Inertia(m=2.0), limits=Limits(**ends))


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.7, 1.0])
def test_bounces_on_a_stop(restitution: float) -> None:
    """Each reverses e of the speed; before and after, the weight falls freely."""
    robot, q, qd, speeds = weight(restitution=restitution), np.zeros(1), np.zeros(1), []
    for _ in range(1500):
        step = robot.contact_step(q, qd, [0.0], H, FAR, stops=True)
        if step.stop_impulses[0] > 2.1 * 2 * G * H:
            speeds.append((qd[0], step.qd[0]))
        q, qd = step.q, step.qd
        assert q[0] >= -0.2 - 1e-12 and step.residual <= 1e-12
    before, after = np.array(speeds)[: 3 if restitution else 1].T
    assert abs(before[0] + np.sqrt(2 * G * 0.2)) < 2 * G * H
    if restitution:  # the step goes on after the bounce
        np.testing.assert_allclose(after, -restitution * before - G * H, rtol=0, atol=1e-12)
    if restitution < 0.5:
        assert abs(qd[0]) <= 1e-12 and abs(q[0] + 0.2) <= 1e-12


def test_an_impact_on_stops_has_their_restitution() -> None:
    """At both ends; a compliant stop counts as rigid, as contacts do."""
    robot = weight(restitution=0.4, compliance=1e-3)
    for q, qd in ((-0.2, -3.0), (0.1, 2.0)):
        hit = robot.impact([q], [qd], FAR, stops=True)
        np.testing.assert_allclose([hit.qd[0], hit.stop_impulses[0]], [-0.4 * qd, -1.4 * 2 * qd], rtol=1e-12)
    np.testing.assert_array_equal(robot.impact([0.1], [-2.0], FAR, stops=True).qd, -2.0)


@pytest.mark.parametrize("mapped", [False, True])
def test_a_compliant_stop_gives_way_by_force_times_compliance(mapped: bool) -> None:
    """At both ends, with the law of a step; its force of an instant is known. `stops` may give the law."""
    law = Limits(compliance=1e-4, damping=300.0)
    robot = weight(**({} if mapped else {"compliance": 1e-4, "damping": 300.0}))
    stops: Any = {"j": law} if mapped else True
    for tau, end in ((0.0, -0.2 - 1e-4 * 2 * G), (60.0, 0.1 + 1e-4 * (60 - 2 * G))):
        motion = robot.simulate([0.0], [0.0], [tau], 3.0, stops=stops)
        assert motion.stop_forces is not None and motion.residual is not None and motion.residual.max() <= 1e-12
        np.testing.assert_allclose(motion.q[-1], end, rtol=0, atol=1e-12)
        np.testing.assert_allclose(motion.stop_forces[-1], 2 * G - tau, rtol=1e-9)
        found = robot.contact_forces(motion.q[-1], [0.0], [tau], FAR, stops=stops)
        np.testing.assert_allclose(found.stop_forces, 2 * G - tau, rtol=1e-9)
        assert abs(found.qdd[0]) <= 1e-7
    q, qd = -0.201, -0.3
    step = robot.contact_step([q], [qd], [0.0], H, FAR, stops=stops)
    pushed = -H * ((q + 0.2 + H * step.qd[0]) / 1e-4 + 300 * step.qd[0])
    np.testing.assert_allclose(step.stop_impulses, pushed, rtol=1e-12)
    np.testing.assert_allclose(2 * (step.qd[0] - qd), pushed - 2 * G * H, rtol=1e-12)
    force = robot.contact_forces([q], [qd], [0.0], FAR, stops=stops).stop_forces
    np.testing.assert_allclose(force, 0.001 / 1e-4 + 300 * 0.3, rtol=1e-12)
    tiny = robot.contact_step([q], [qd], [0.0], 1e-9, FAR, stops=stops)
    np.testing.assert_allclose(tiny.stop_impulses / 1e-9, force, rtol=1e-4)


def test_a_rigid_stop_ignores_its_damping_and_numbers_of_other_joints() -> None:
    """To the bit."""
    soft = [weight(), weight(damping=9.0)]
    a, b = (x.simulate([0.0], [-1.0], None, 0.5, stops=True) for x in soft)
    np.testing.assert_array_equal(a.q, b.q)


@pytest.mark.parametrize("speed", [-1.0, 1.0])
def test_damping_does_not_act_before_a_stop_or_surface_is_reached(speed: float) -> None:
    """1 cm and 10 steps before a limit, and a plane, whose compliance times damping is 2 cm s/m."""
    law = {"compliance": 1e-3, "damping": 20.0}
    robot, end = weight(**law), 0.1 if speed > 0 else -0.2
    plane = Plane((0, 0, -np.sign(speed)), -abs(end))
    state, touch = ([end - 0.01 * speed], [speed], [2 * G]), {"contacts": [Contact("body", surface=plane, **law)]}
    for stops, contacts in ((True, FAR), (False, touch["contacts"])):
        found = robot.contact_forces(*state, contacts, stops=stops)
        step = robot.contact_step(*state, H, contacts, stops=stops)
        assert not found.forces.any() and abs(found.qdd[0]) < 1e-12 and not step.impulses.any()
        np.testing.assert_allclose(step.qd, speed, rtol=1e-12)
        within = robot.contact_step([end - 0.9 * H * speed], *state[1:], H, contacts, stops=stops)
        pushed = 2 * (within.qd[0] - speed)
        wanted = -H * ((-0.9 * H * speed + H * within.qd[0]) / 1e-3 + 20 * within.qd[0])
        np.testing.assert_allclose(pushed, wanted, rtol=1e-9)


@pytest.mark.parametrize("count", [100, pytest.param(3_000, marks=pytest.mark.slow)])
def test_impacts_of_contacts_and_stops_add_no_energy(count: int) -> None:
    """An arm at its stops whose tip strikes a plane, with random restitutions; with one for all, all rebound by it."""
    arm, rng, names = revolute.robots.planar(4), np.random.default_rng(2), ["joint2", "joint3"]
    for k in range(count):
        q, qd, e = rng.uniform(-1, 1, 4), rng.standard_normal(4), rng.uniform(0, 1, 3)
        e = e if k % 2 else np.full(3, e[0])
        stops = {name: Limits(lower=q[i], upper=q[i] + 1, restitution=float(e[i])) for i, name in enumerate(names, 1)}
        n = np.append(rng.standard_normal(2), 0.0)
        n /= np.linalg.norm(n)
        plane = Plane(tuple(n), float(n @ arm.forward_kinematics(q, "tip")[:3, 3]))
        contact = Contact("tip", friction=rng.uniform(0, 1), restitution=float(e[0]), surface=plane)
        hit = arm.impact(q, qd, [contact], stops=stops)
        before, after = arm.kinetic_energy(q, qd), arm.kinetic_energy(q, hit.qd)
        assert hit.residual <= 1e-10 and after - before <= 1e-12 * before and (hit.stop_impulses >= 0).all()
        pushed = hit.impulses[0] @ arm.jacobian(q, "tip", "aligned")[3:] + [0, *hit.stop_impulses, 0]
        np.testing.assert_allclose(arm.mass_matrix(q) @ (hit.qd - qd), pushed, rtol=0, atol=1e-11)
        if k % 2 == 0:
            struck = hit.stop_impulses > 1e-9
            # the residual times the largest impulse and its mobility
            np.testing.assert_allclose(hit.qd[1:3][struck], -e[0] * qd[1:3][struck], rtol=0, atol=1e-9)


def test_derivatives_of_steps_on_stops_are_differences() -> None:
    """Of an arm with a compliant stop, a rigid one, and one that it leaves by a bounce."""
    arm, q, qd = revolute.robots.planar(3), np.array([0.5, -0.3, 0.2]), np.array([0.4, -0.5, 0.6])
    laws = Limits(lower=-1, upper=0.49, compliance=1e-3, damping=4.0), Limits(-0.2999, 1), Limits(-1, 0.2001)
    laws = *laws[:2], replace(laws[2], restitution=(0.5,))
    stops, far = dict(zip(arm.joint_names, laws, strict=True)), [Contact("tip", surface=Plane((0, 1, 0), -9))]
    tau, d = np.array([1.0, -3.0, 2.0]), np.eye(9).reshape(9, 3, 3).transpose(1, 0, 2)
    found = arm.contact_step_differential(q, qd, tau, H, *d, far, stops=stops)
    step = arm.contact_step(q, qd, tau, H, far, stops=stops)
    assert (np.abs(step.stop_impulses) > 1e-6).all()
    ends = [arm.contact_step(q + e * d[0], qd + e * d[1], tau + e * d[2], H, far, stops=stops) for e in (1e-7, -1e-7)]
    for x, a, b in zip(found[:4], *ends, strict=False):
        np.testing.assert_allclose(x, (a - b) / 2e-7, rtol=0, atol=1e-6 * max(1.0, np.abs(a - b).max() / 2e-7))


def test_rows_of_motions_on_soft_stops_are_single_motions() -> None:
    """To the bit, with threads, in steps in place, and of float32 kernels."""
    arm, rng = revolute.robots.planar(3), np.random.default_rng(1)
    stops = {x: Limits(-0.3, 0.3, restitution=0.3 * k, compliance=1e-4 * k) for k, x in enumerate(arm.joint_names)}
    q, qd, t = rng.uniform(-0.3, 0.3, (60, 3)), rng.standard_normal((60, 3)), np.arange(65) * 2.0**-10
    whole = arm.simulate(q, qd, None, t, stops=stops, threads=2)
    assert whole.stop_forces is not None and (np.abs(whole.stop_forces).max(axis=(0, 1)) > 1).all()
    stepper = arm.stepper(2.0**-10, stops=stops)
    for row in (0, 31, 59):
        alone = arm.simulate(q[row], qd[row], None, t, stops=stops, threads=1)
        np.testing.assert_array_equal(whole.q[row], alone.q)
        np.testing.assert_array_equal(whole.stop_forces[row], alone.stop_forces)
        state = q[row].copy(), qd[row].copy()
        for _ in range(64):
            stepper.step(*state, np.zeros(3))
        np.testing.assert_array_equal(state[0], alone.q[-1])


def test_stops_that_cannot_be() -> None:
    robot, start = weight(), ([0.0], [0.0], None, 0.1)
    for law, message in (
        (Limits(restitution=1.5), "joint 'j': Limits.restitution is 1.5; it must be from 0 to 1"),
        (Limits(compliance=-1.0), "joint 'j': Limits.compliance is -1; it must be from 0 to 1e"),
        (Limits(damping=(1.0, 2.0)), r"joint 'j': Limits.damping must have 1 number\(s\) or none, not 2"),
    ):
        assert_raises(ModelError, message, robot.simulate, *start, stops={"j": law})
    assert_raises(ModelError, "Limits.restitution is 2; it must be from 0 to 1", weight, restitution=2.0)
    for ends, text in (
        (Limits(np.nan), "nan and 0.1"), (Limits(upper=np.nan), "-0.2 and nan"), (Limits(0.2), "0.2 and 0.1"),
    ):
        assert_raises(InputError, f"joint 'j' has stops at {text}", robot.simulate, *start, stops={"j": ends})
    crossed = weight(lower=0.2)
    assert_raises(InputError, "joint 'j' has stops at 0.2 and 0.1", crossed.simulate, *start, stops=True)
    symbol = {"j": Limits(compliance=sympy.Symbol("c"))}
    assert_raises(InputError, "Limits.compliance of joint 'j' must be a number", robot.simulate, *start, stops=symbol)
    words = "values of stops: each must be of the type Limits"
    assert_raises(InputError, words, robot.simulate, *start, stops={"j": 0.5})
    assert_raises(revolute.UnknownNameError, "joint 'k'", robot.simulate, *start, stops={"k": Limits()})
    free = revolute.robots.planar(1)
    words = "joint 'joint1' of 'planar1' has no limits"
    assert_raises(InputError, words, free.simulate, *start, stops={"joint1": Limits(restitution=1.0)})
    assert_raises(InputError, "beyond its stop, by 0.3", robot.simulate, [-0.5], *start[1:], stops=True)
    soft = robot.simulate([-0.5], *start[1:], stops={"j": Limits(compliance=1e-3, damping=100.0)})
    assert soft.q[-1, 0] > -0.5


def test_files_keep_the_law_of_stops(tmp_path: Any) -> None:
    """TOML has all; other formats name what they leave out."""
    robot = weight(restitution=0.3, compliance=1e-4, damping=20.0)
    revolute.save(robot, tmp_path / "robot.toml")
    assert revolute.load(tmp_path / "robot.toml").bodies[1].limits == robot.bodies[1].limits
    for suffix in ("urdf", "xml"):
        with pytest.warns(revolute.ModelWarning, match="does not support restitution and compliance of stops"):
            revolute.save(robot, tmp_path / f"robot.{suffix}")


SDF = """<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>1</mass></inertial></link>
<link name="b"><inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial></link>
<joint name="fix" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="j" type="prismatic"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
<limit><lower>-.2</lower><upper>.1</upper>{}</limit></axis></joint></model></sdf>"""


def test_stops_of_sdf() -> None:
    """Stiffness and dissipation, if they are not those of the format; a weight sinks by force over stiffness."""
    for text, compliance, damping in (
        ("<stiffness>1e4</stiffness><dissipation>300</dissipation>", (1e-4,), (300.0,)),
        ("<stiffness>1e4</stiffness>", (1e-4,), (1.0,)),
        ("<dissipation>5</dissipation>", (1e-8,), (5.0,)),
        ("<stiffness>1e20</stiffness><dissipation>7</dissipation>", (1e-20,), (7.0,)),
        ("<stiffness>1e8</stiffness><dissipation>1</dissipation>", (), ()),
        ("", (), ()),
    ):
        robot = revolute.load(SDF.format(text))
        limits = robot.bodies[-1].limits
        assert (limits.compliance, limits.damping) == (compliance, damping)
        assert (limits.lower, limits.upper) == ((-0.2,), (0.1,))
        if damping in ((300.0,), ()):  # others bounce for long
            end = robot.simulate([0.0], [0.0], None, 2.0, stops=True).q[-1, 0]
            assert end == pytest.approx(-0.2 - 2 * G * (compliance or (0.0,))[0], abs=1e-7)
    for text in ("<stiffness>0</stiffness>", "<dissipation>-1</dissipation>"):
        with pytest.warns(revolute.ModelWarning, match="stiffness=.*must be positive; the stops are loaded as rigid"):
            assert not revolute.load(SDF.format(text)).bodies[-1].limits.compliance


def test_the_compliance_of_solreflimit() -> None:
    """On the page of contacts: a joint passes its limit by (1 - d) A / k times the force, A of dof_invweight0."""
    mujoco, d, k = pytest.importorskip("mujoco"), 0.9, 2e4
    model = mujoco.MjModel.from_xml_string(weight().to_mjcf())
    model.jnt_solref[0], model.jnt_solimp[0, :2] = (-k, -2e2), (d, d)
    data = mujoco.MjData(model)
    data.qpos[0] = -0.2
    for _ in range(1000):
        mujoco.mj_step(model, data)
    compliance = (1 - d) * model.dof_invweight0[0] / k
    np.testing.assert_allclose(-0.2 - data.qpos[0], compliance * 2 * G, rtol=1e-3)
    robot = weight(compliance=compliance, damping=100.0)
    np.testing.assert_allclose(robot.simulate([-0.2], [0.0], None, 2.0, stops=True).q[-1], data.qpos, atol=1e-8)
