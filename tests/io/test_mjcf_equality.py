"""Equality constraints of MJCF: closures and couplings, against MuJoCo's own in the limit of hard constraints."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from robots import loaded
from scipy.spatial.transform import Rotation
from test_mjcf import BOX, forwarded, qpos

import revolute
from revolute import FrameClosure, InputError, JointClosure, Mimic, ModelError, ModelWarning, PointClosure, Robot
from revolute.dynamics.kinematics import frame_pose

HARD = 'solref=".02 1" solimp="{d} {d} .001"'


def world(inside: str, equality: str) -> str:
    return (
        '<mujoco model="m"><compiler angle="radian"/><option iterations="500" tolerance="1e-16"/>'
        f"<worldbody>{inside}</worldbody><equality>{equality}</equality></mujoco>"
    )


ARMS = (
    f'<body name="a" euler=".1 .2 .3"><joint name="a1" axis="1 2 3" pos=".1 0 0"/>{BOX}<site name="hand" '
    f'pos=".4 0 .1" euler="1 .5 0"/><body name="b" pos=".5 0 0"><joint name="b1" axis="0 1 .2" ref=".3"/>'
    f'<joint name="b2" axis="1 0 0"/>{BOX}<body name="tool" pos=".1 .1 0" euler=".3 0 0"/>'
    f'<body name="e" pos="0 0 .2"><joint type="ball"/>{BOX}</body></body></body>'
    f'<body name="c" pos=".9 0 .2"><freejoint/>{BOX}<site name="handle" pos="0 .1 0" quat="1 .2 .3 .4"/></body>'
)

CONNECT = f'<connect body1="b" body2="c" anchor=".2 .1 0" {HARD}/>'
LOOPS = {
    "connect sites": (f'<connect site1="hand" site2="handle" {HARD}/>', PointClosure),
    "weld": (f'<weld body1="b" body2="c" {HARD}/>', FrameClosure),
    "weld at a place": (
        f'<weld body1="tool" body2="c" anchor=".1 .2 .3" relpose=".3 0 .1 .8 .2 .3 .4" torquescale=".7" {HARD}/>',
        FrameClosure,
    ),
    "weld to the world": (f'<weld body1="world" body2="c" {HARD}/>', FrameClosure),
    "weld sites": (f'<weld site1="handle" site2="hand" {HARD}/>', FrameClosure),
    "connect, and to the world": (f'{CONNECT}<connect body1="e" anchor="0 .1 .3" {HARD}/>', PointClosure),
}


def hard_limit(text: str, state: tuple[np.ndarray, ...], robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Our accelerations, and constraint forces on the joints, of MuJoCo: extrapolated to hard constraints.

    A constraint of impedance d yields by s = (1 - d)/d times the force that it transmits. The
    polynomial in s through four of them leaves the product of the four, 6e-15, times a
    derivative that grows with the condition of J M^-1 J^T: 2e-8 of the largest was seen.
    """
    found, soft = [], []
    for d in (0.9999, 0.9998, 0.9996, 0.9992):
        model = mujoco.MjModel.from_xml_string(text.format(d=d))
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        data, J, drift = forwarded(robot, model, *state)
        assert np.abs(data.efc_pos).max() < 1e-12 and np.abs(data.efc_vel).max() < 1e-11
        found.append(np.array([np.linalg.solve(J, data.qacc - drift), J.T @ data.qfrc_constraint]))
        soft.append((1 - d) / d)
    weights = [np.prod([s / (s - own) for s in soft if s != own]) for own in soft]  # Lagrange's, at s = 0
    qdd, forces = np.einsum("k,kin->in", weights, found)
    return qdd, forces


def assert_hard_limit(text: str, robot: Robot, speed: float = 1.0, seed: int = 3, drives: bool = False) -> None:
    linkage, rng = robot.with_closures(drives=drives), np.random.default_rng(seed)
    start = robot.integrate(closed(text.format(d=0.9), robot), 0.05 * rng.standard_normal(robot.nv))
    q, qd = linkage.project(start, speed * rng.standard_normal(robot.nv))
    tau = rng.standard_normal(robot.nv)
    ours = linkage.forward_dynamics(q, qd, tau)
    qdd, forces = hard_limit(text, (q, qd, tau), robot)
    pull = linkage.jacobian(q).T @ linkage.multipliers(q, qd, tau)
    assert np.abs(ours - qdd).max() < 1e-7 * np.abs(qdd).max()
    assert np.abs(pull - forces).max() < 1e-7 * np.abs(forces).max()


def closed(text: str, robot: Robot) -> np.ndarray:
    """The model's reference configuration with the body 'c', which is the last, where a weld wants it."""
    reference = mujoco.MjModel.from_xml_string(text).qpos0
    q = np.array([reference @ qpos(robot, unit) for unit in np.eye(robot.nq)])  # qpos only reorders
    for weld in robot.closures:
        if isinstance(weld, FrameClosure) and weld.link_b == "c":
            pose = frame_pose(robot, q.tolist(), weld.link_a) @ weld.at_a @ weld.at_b.inverse()
            q[-7:] = [*pose.p, *Rotation.from_matrix(pose.R.matrix()).as_quat()]
    return q


@pytest.mark.parametrize("name", LOOPS)
def test_closures_agree_with_mujoco_in_the_hard_limit(name: str) -> None:
    equality, kind = LOOPS[name]
    text = world(ARMS, equality)
    robot = loaded(text.format(d=0.9))
    assert type(robot.closures[0]) is kind and len(robot.closures) == 1 + ("and" in name)
    assert_hard_limit(text, robot)


def test_couplings_agree_with_mujoco_in_the_hard_limit() -> None:
    text = world(ARMS, f'<joint joint1="b2" joint2="b1" polycoef=".2 -1.5 0 0 0" {HARD}/>')
    robot = assert_warns(ModelWarning, r"mimic joints .*'b2' \(of 'b1'\)", revolute.load, text.format(d=0.9))
    mimic = robot.bodies[robot.joint_index("b2")].drive.mimic
    assert mimic == Mimic("b1", -1.5, pytest.approx(0.2 + 1.5 * 0.3, rel=1e-15)) and not robot.closures
    assert [str(closure) for closure in robot.with_closures().closures] == ["joint 'b2' by joint 'b1'"]
    assert_hard_limit(text, robot)


CURVES = {
    "curve": f'<joint joint1="b2" joint2="b1" polycoef=".2 -.5 .3 .1 -.05" {HARD}/>',
    "held": f'<joint joint1="b1" polycoef=".2" {HARD}/>',
    "twice": f'<joint joint1="b2" joint2="b1" {HARD}/><joint joint1="b2" joint2="a1" polycoef=".1 -.5 0 0 0" {HARD}/>',
    "with a loop": f'<joint joint1="b2" joint2="b1" polycoef="0 1 .2 0 0" {HARD}/>{CONNECT}',
}


@pytest.mark.parametrize("name", CURVES)
def test_curves_agree_with_mujoco_in_the_hard_limit(name: str) -> None:
    text = world(ARMS, CURVES[name])
    robot = loaded(text.format(d=0.9))
    (curve,) = (closure for closure in robot.closures if isinstance(closure, JointClosure))
    assert curve.follower == ("b1" if name == "held" else "b2")
    bent = len(curve.coefficients) > 2  # whose second derivative MuJoCo leaves out, so it agrees at rest
    assert_hard_limit(text, robot, speed=0.0 if bent else 1.0)


def test_drives_and_loops_agree_with_mujoco_in_the_hard_limit() -> None:
    """Armature, dampers and springs beside a loop and a joint that follows another."""
    couple = f'<joint joint1="b2" joint2="a1" polycoef=".1 -.5 0 0 0" {HARD}/>'
    drive = 'armature=".2" damping=".3" stiffness="4" springref=".5" name="{}"'
    arms = ARMS
    for joint in ("a1", "b1", "b2"):
        arms = arms.replace(f'name="{joint}"', drive.format(joint))
    text = world(arms, LOOPS["weld"][0] + couple)
    robot = loaded(text.format(d=0.9))
    assert robot.drives.armature[0] == 0.2 and len(robot.with_closures().closures) == 2
    assert_hard_limit(text, robot, drives=True)


def test_springs_keep_energy_in_loops() -> None:
    """Rotors and springs have energies of their own; RK4 with h = 1 ms leaves h^4 of what a step leaves."""
    arm = revolute.robots.planar(3)
    drive = revolute.Drive(armature=(0.5,), stiffness=(3.0,), rest_position=(0.2,))
    bodies = (arm.bodies[0], *(replace(body, drive=drive) for body in arm.bodies[1:]))
    linkage = replace(arm, bodies=bodies).with_closures(PointClosure("tip", at_b=(1.5, 0.0, 0.0)), drives=True)
    q, qd = linkage.project([0.5, 1.0, 1.0])
    motion = linkage.simulate(q, qd, None, np.arange(0, 0.5, 1e-3))
    assert np.ptp(motion.kinetic_energy) > 0.1 and np.ptp(motion.energy) < 1e-9
    again = pickle.loads(pickle.dumps(linkage))
    one, two = (each.forward_dynamics(q, qd, np.ones(3)) for each in (linkage, again))
    np.testing.assert_array_equal(one, two)
    assert again.drives and linkage.mobility(q) == 1
    reduced = linkage.reduced_dynamics(q, qd, ["joint1"])
    pushed = linkage.forward_dynamics(q, qd, [2.0, 0.0, 0.0])[0]
    assert reduced.M[0, 0] * pushed + reduced.bias[0] == pytest.approx(2.0, rel=1e-9)


def test_curves_are_those_of_the_file() -> None:
    """y - y0 = P(x - x0): b1 has its reference at 0.3."""
    robot = loaded(world(ARMS, CURVES["curve"].format(d=0.9)))
    q = robot.random_configuration(rng=1)
    y, x = (q[robot.q_index[robot.joint_index(name)]][0] for name in ("b2", "b1"))
    u = x - 0.3
    expected = y - (0.2 - 0.5 * u + 0.3 * u**2 + 0.1 * u**3 - 0.05 * u**4)
    assert robot.closures[0].error(robot, q.tolist())[0] == pytest.approx(expected, abs=1e-15)
    linkage = robot.with_closures()
    q, qd = linkage.project(q, np.ones(robot.nv))
    qdd = linkage.forward_dynamics(q, qd, np.ones(robot.nv))
    b1, b2 = (robot.v_index[robot.joint_index(name)].start for name in ("b1", "b2"))
    u = q[robot.q_index[robot.joint_index("b1")]][0] - 0.3
    slope, bend = -0.5 + 0.6 * u + 0.3 * u**2 - 0.2 * u**3, 0.6 + 0.6 * u - 0.6 * u**2
    assert qd[b2] == pytest.approx(slope * qd[b1], rel=1e-12)
    assert qdd[b2] == pytest.approx(slope * qdd[b1] + bend * qd[b1] ** 2, rel=1e-10)


def test_closures_of_a_description_are_told_and_used() -> None:
    words = r"1 equality constraint\(s\) close loops.*robot\.with_closures\(\) enforces"
    robot = assert_warns(ModelWarning, words, revolute.load, world(ARMS, LOOPS["weld"][0].format(d=0.9)))
    assert "closed: frame of 'b' and 'c'" in str(robot)
    assert robot.with_closures().closures == robot.closures
    foot = PointClosure("e")
    assert robot.with_closures(foot).closures == (*robot.closures, foot)
    tree = replace(robot, closures=())
    assert "closed" not in str(tree) and tree != robot and tree.digest != robot.digest


def test_constraints_that_are_left_out_are_told() -> None:
    weld = '<weld name="w" body1="b" body2="c" {}/>'
    tendon = '<tendon><fixed name="t"><joint joint="a1" coef="1"/></fixed></tendon></mujoco>'
    off = world(ARMS, weld).replace("/><worldbody>", '><flag equality="disable"/></option><worldbody>')
    inactive = "not modelled: the equality constraint.*'w': it is not active"
    for text, words in (
        (world(ARMS, weld.format('active="false"')), inactive),
        (off.format(""), inactive),
        (world(ARMS, '<tendon tendon1="t"/>').replace("</mujoco>", tendon), "'equality0': constraints of type tendon"),
    ):
        assert not assert_warns(ModelWarning, words, revolute.load, text).closures


class Own(PointClosure):
    """A kind of closure that files do not know."""


def test_closures_round_trip_as_data(tmp_path: Path) -> None:
    arm = revolute.robots.planar(3)
    pose = revolute.Transform.from_rpy((0.1, 0.2, 0.3), (1, 2, 3))
    places = PointClosure("tip", at_b=(1.5, 0.0, 0.0)), FrameClosure("tip", "base", pose, pose)
    couplings = JointClosure("joint2", "joint1", (0.5, 1.0, 2)), JointClosure("joint3", None, (0.25,))
    closures = (*places, revolute.AxisClosure("tip", "link1", (0, 0, 1), pose), *couplings)
    robot = replace(arm, closures=closures)
    revolute.save(robot, tmp_path / "arm.toml")
    back = revolute.load(tmp_path / "arm.toml")
    assert back == robot == Robot.from_dict(robot.to_dict()) and back.digest == robot.digest
    assert "closures" not in arm.to_dict()
    assert_raises(ModelError, "Own is not a type of this library", replace(arm, closures=(Own("tip"),)).to_dict)
    with pytest.raises(ModelError, match="point of 'tip' and the base frame: URDF supports only trees"):
        replace(arm, closures=closures[:1]).to_urdf()


@pytest.mark.parametrize(("change", "words"), [
    ({"type": "ball"}, "no closure type 'ball'; available: axisclosure, frameclosure, jointclosure, pointclosure"),
    ({"type": ["ball"]}, "there is no closure type"),
    ({"link_a": "toe"}, "refers to link 'toe', which does not exist"),
    ({"at_a": [0, 0]}, "three finite numbers"),
    ({"at_a": {"p": "x"}}, "list of three numbers"),
    ({"at": [0, 0, 0]}, "there is no 'at'"),
    ({"type": "jointclosure"}, "there is no 'link_a'"),
])  # fmt: skip
def test_damaged_closures(change: dict[str, Any], words: str) -> None:
    robot = replace(revolute.robots.planar(2), closures=(PointClosure("tip", at_b=(1.0, 0.0, 0.0)),))
    data = robot.to_dict()
    data["closures"][0] |= change
    assert_raises(ModelError, words, Robot.from_dict, data)


def test_closures_of_other_robots_made_from_one() -> None:
    arm = revolute.robots.planar(3)
    inner, outer = PointClosure("tip", "link2", (0, 0, 0), (1, 0, 0)), PointClosure("tip", at_b=(1.0, 0.0, 0.0))
    robot = replace(arm, closures=(inner, outer, JointClosure("joint3", "joint2"), JointClosure("joint3", "joint1")))
    held = replace(robot, closures=robot.closures[:3])
    assert held.lock({"joint1": 0.2}).closures == held.closures
    assert_raises(InputError, "lock: 'planar3' couples joint 'joint3' to a locked one", robot.lock, {"joint1": 0.2})
    assert robot.lock({"joint1": 0.2, "joint3": 0.1, "joint2": 0.0}).closures == (inner, outer)
    assert robot.subtree("link2").closures == (inner,)
    assert robot.subtree("link1").closures == (inner, JointClosure("joint3", "joint2"))
    crossing = PointClosure("tip", "link1", (0, 0, 0), (1, 0, 0))
    assert replace(arm, closures=(inner, crossing)).subtree("link2").closures == (inner,)
    assert robot.with_payload("tip", revolute.Inertia.from_com(1.0)).closures == robot.closures
    assert_raises(revolute.InputError, "5 is not a closure", replace, arm, closures=(5,))


@pytest.mark.parametrize(("make", "words"), [
    (lambda: JointClosure("joint1", "joint2", ()), "tuple of finite coefficients"),
    (lambda: JointClosure("joint1", "joint2", (0.0, np.nan)), "tuple of finite coefficients"),
    (lambda: JointClosure("joint1", None, (0.0, 1.0)), "without a leader takes only the coefficient c0"),
    (lambda: JointClosure("joint1", "joint1"), "couples two different joints, not 'joint1' and itself"),
    (lambda: revolute.robots.planar(2).with_closures(JointClosure("joint9", "joint1")), "no joint 'joint9'"),
])  # fmt: skip
def test_wrong_couplings(make: Any, words: str) -> None:
    assert_raises((InputError, revolute.UnknownNameError), words, make)
