"""Equality constraints of MJCF: closures and couplings, against MuJoCo's own in the limit of hard constraints."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_mjcf import qpos, to_qvel

import revolute
from revolute import AxisClosure, Closure, FrameClosure, Mimic, ModelError, ModelWarning, PointClosure, Robot, Transform
from revolute.dynamics.kinematics import frame_pose

BOX = '<geom type="box" size=".1 .2 .3" pos=".1 0 .05"/>'
HARD = 'solref=".02 1" solimp="{d} {d} .001"'


def world(inside: str, equality: str) -> str:
    return (
        '<mujoco model="m"><compiler angle="radian"/><option iterations="500" tolerance="1e-16"/>'
        f"<worldbody>{inside}</worldbody><equality>{equality}</equality></mujoco>"
    )


def loaded(text: str) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return revolute.load(text)


ARMS = (
    f'<body name="a" euler=".1 .2 .3"><joint name="a1" axis="1 2 3" pos=".1 0 0"/>{BOX}<site name="hand" '
    f'pos=".4 0 .1" euler="1 .5 0"/><body name="b" pos=".5 0 0"><joint name="b1" axis="0 1 .2" ref=".3"/>'
    f'<joint name="b2" axis="1 0 0"/>{BOX}<body name="tool" pos=".1 .1 0" euler=".3 0 0"/>'
    f'<body name="e" pos="0 0 .2"><joint type="ball"/>{BOX}</body></body></body>'
    f'<body name="c" pos=".9 0 .2"><freejoint/>{BOX}<site name="handle" pos="0 .1 0" quat="1 .2 .3 .4"/></body>'
)

LOOPS = {
    "connect": (f'<connect body1="b" body2="c" anchor=".2 .1 0" {HARD}/>', PointClosure),
    "connect to the world": (f'<connect body1="e" anchor="0 .1 .3" {HARD}/>', PointClosure),
    "connect sites": (f'<connect site1="hand" site2="handle" {HARD}/>', PointClosure),
    "weld": (f'<weld body1="b" body2="c" {HARD}/>', FrameClosure),
    "weld at a place": (
        f'<weld body1="tool" body2="c" anchor=".1 .2 .3" relpose=".3 0 .1 .8 .2 .3 .4" torquescale=".7" {HARD}/>',
        FrameClosure,
    ),
    "weld to the world": (f'<weld body1="world" body2="c" {HARD}/>', FrameClosure),
    "weld sites": (f'<weld site1="handle" site2="hand" {HARD}/>', FrameClosure),
    "two": (
        f'<connect body1="b" body2="c" anchor=".2 .1 0" {HARD}/><connect body1="e" anchor="0 .1 .3" {HARD}/>',
        PointClosure,
    ),
}


def hard_limit(text: str, state: tuple[np.ndarray, ...], robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Our accelerations, and constraint forces on the joints, of MuJoCo: extrapolated to hard constraints.

    A constraint of impedance d yields by s = (1 - d)/d times the force that it transmits. The
    polynomial in s through four of them leaves the product of the four, 6e-15, times a
    derivative that grows with the condition of J M^-1 J^T: 2e-8 of the largest was seen.
    """
    (q, qd, tau), found, soft = state, [], []
    J, drift = to_qvel(robot, q, qd)
    for d in (0.9999, 0.9998, 0.9996, 0.9992):
        model = mujoco.MjModel.from_xml_string(text.format(d=d))
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos(robot, q), J @ qd, np.linalg.solve(J.T, tau)
        mujoco.mj_forward(model, data)
        assert np.abs(data.efc_pos).max() < 1e-12 and np.abs(data.efc_vel).max() < 1e-11
        found.append(np.array([np.linalg.solve(J, data.qacc - drift), J.T @ data.qfrc_constraint]))
        soft.append((1 - d) / d)
    weights = [np.prod([s / (s - own) for s in soft if s != own]) for own in soft]  # Lagrange's, at s = 0
    qdd, forces = np.einsum("k,kin->in", weights, found)
    return qdd, forces


def assert_hard_limit(text: str, robot: Robot, closures: Sequence[Closure] = (), seed: int = 3) -> None:
    linkage, rng = robot.with_closures(*closures), np.random.default_rng(seed)
    start = robot.integrate(closed(text.format(d=0.9), robot), 0.05 * rng.standard_normal(robot.nv))
    q, qd = linkage.project(start, rng.standard_normal(robot.nv))
    tau = rng.standard_normal(robot.nv)
    ours = linkage.forward_dynamics(q, qd, tau)
    qdd, forces = hard_limit(text, (q, qd, tau), robot)
    pull = linkage.jacobian(q).T @ ours.forces
    assert np.abs(ours.qdd - qdd).max() < 1e-7 * np.abs(qdd).max()
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
    assert isinstance(robot.closures[0], kind) and len(robot.closures) == 1 + (name == "two")
    assert_hard_limit(text, robot)


@dataclass(frozen=True)
class Coupled(Closure):
    """What a `Mimic` asks for."""

    follower: str
    mimic: Mimic

    def error(self, robot: Robot, q: Sequence[Any]) -> list[Any]:
        y, x = (q[robot.q_index[robot.joint_index(name)]][0] for name in (self.follower, self.mimic.joint))
        return [y - self.mimic.multiplier * x - self.mimic.offset]

    def row_names(self) -> list[str]:
        return [self.follower]


def test_couplings_agree_with_mujoco_in_the_hard_limit() -> None:
    text = world(ARMS, f'<joint joint1="b2" joint2="b1" polycoef=".2 -1.5 0 0 0" {HARD}/>')
    with pytest.warns(ModelWarning, match=r"joints that mimic others .*'b2' \(of 'b1'\)"):
        robot = revolute.load(text.format(d=0.9))
    mimic = robot.bodies[robot.joint_index("b2")].drive.mimic
    assert mimic == Mimic("b1", -1.5, pytest.approx(0.2 + 1.5 * 0.3, rel=1e-15)) and not robot.closures
    assert_hard_limit(text, robot, [Coupled("b2", mimic)])


def test_closures_of_a_description_are_told_and_used() -> None:
    text = world(ARMS, LOOPS["weld"][0].format(d=0.9))
    with pytest.warns(ModelWarning, match=r"1 equality constraint\(s\) close loops.*robot\.with_closures\(\) keeps"):
        robot = revolute.load(text)
    assert "closed: frame of 'b' and 'c'" in str(robot)
    assert robot.with_closures().closures == robot.closures
    foot = PointClosure("e")
    assert robot.with_closures(foot).closures == (*robot.closures, foot)
    tree = replace(robot, closures=())
    assert "closed" not in str(tree) and tree != robot and tree.digest != robot.digest


@pytest.mark.parametrize(
    ("equality", "words"),
    [
        ('<joint joint1="b1"/>', "'equality0': it holds joint 'b1' still; that is robot.lock({'b1': 0.3})"),
        ('<joint joint1="b1" joint2="a1" polycoef="0 1 2 0 0"/>', "by a polynomial that is not linear"),
        ('<joint joint1="b1" joint2="a1"/><joint name="n" joint1="b1" joint2="b2"/>', "'b1' follows 'a1' already"),
        ('<weld name="w" body1="b" body2="c" active="false"/>', "'w': it is not active"),
    ],
)
def test_constraints_that_are_left_out_are_told(equality: str, words: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        robot = revolute.load(world(ARMS, equality))
    said = [str(warning.message) for warning in caught]
    assert any(words in text and "not modelled: the equality constraint" in text for text in said), said
    assert not robot.closures


def test_tendons_and_what_is_switched_off_are_left_out() -> None:
    tendon = '<tendon><fixed name="t"><joint joint="a1" coef="1"/></fixed></tendon></mujoco>'
    with pytest.warns(ModelWarning, match="'equality0': a tendon constraint is about what is no part of the robot"):
        revolute.load(world(ARMS, '<tendon tendon1="t"/>').replace("</mujoco>", tendon))
    off = '><flag equality="disable"/></option><worldbody>'
    off = world(ARMS, LOOPS["weld"][0].format(d=0.9)).replace("/><worldbody>", off)
    with pytest.warns(ModelWarning, match="it is not active"):
        assert not revolute.load(off).closures


# --- closures as data --------------------------------------------------------------------------


def test_closures_round_trip_as_data(tmp_path: Path) -> None:
    arm = revolute.robots.planar(3)
    pose = Transform.from_rpy((0.1, 0.2, 0.3), (1, 2, 3))
    closures = (
        PointClosure("tip", at_b=(1.5, 0.0, 0.0)),
        AxisClosure("tip", "link1", (0, 0, 1), pose),
        FrameClosure("tip", "base", pose, pose),
    )
    robot = replace(arm, closures=closures)
    revolute.save(robot, tmp_path / "arm.toml")
    back = revolute.load(tmp_path / "arm.toml")
    assert back == robot == Robot.from_dict(robot.to_dict()) and back.digest == robot.digest
    assert "closures" not in arm.to_dict()
    with pytest.raises(ModelError, match="Coupled is not of this library"):
        replace(arm, closures=(Coupled("joint1", Mimic("joint2")),)).to_dict()
    with pytest.raises(ModelError, match="point of 'tip' and the base frame: URDF has trees only"):
        replace(arm, closures=closures[:1]).to_urdf()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"type": "ball"}, "there is no closure type 'ball'; there are axisclosure, frameclosure, pointclosure"),
        ({"type": ["ball"]}, "there is no closure type"),
        ({"link_a": "toe"}, "at link 'toe', which does not exist"),
        ({"at_a": [0, 0]}, "three finite numbers"),
        ({"at_a": {"p": "x"}}, "list of three numbers"),
        ({"at": [0, 0, 0]}, "there is no 'at'"),
    ],
)
def test_damaged_closures(change: dict[str, Any], words: str) -> None:
    robot = replace(revolute.robots.planar(2), closures=(PointClosure("tip", at_b=(1.0, 0.0, 0.0)),))
    data = robot.to_dict()
    data["closures"][0] |= change
    with pytest.raises(ModelError, match=words):
        Robot.from_dict(data)


def test_closures_of_other_robots_made_from_one() -> None:
    arm = revolute.robots.planar(3)
    inner, outer = PointClosure("tip", "link2", (0, 0, 0), (1, 0, 0)), PointClosure("tip", at_b=(1.0, 0.0, 0.0))
    robot = replace(arm, closures=(inner, outer))
    assert robot.lock({"joint1": 0.2}).closures == robot.closures
    assert robot.subtree("link2").closures == (inner,)
    assert robot.with_payload("tip", revolute.Inertia.from_com(1.0)).closures == robot.closures
    with pytest.raises(revolute.InputError, match="5 is no closure"):
        replace(arm, closures=(5,))
