"""Robots written as MJCF: springs and drives, closures, couplings, joints that MJCF composes of others."""

import warnings
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest
from comparing import assert_raises, assert_warns

import revolute
from revolute import Drive, FrameClosure, Joint, JointClosure, Limits, Link, Mimic, ModelError, PointClosure, Robot
from revolute.dynamics.kinematics import frame_pose

BLOCK = revolute.Inertia.from_com(1.5, (0.1, 0.2, -0.1), ((0.05, 0.01, 0), (0.01, 0.06, 0.004), (0, 0.004, 0.04)))
POSE = revolute.Transform.from_rpy((0.1, -0.2, 0.3), (0.4, 0.5, -0.6))


def chain(*joints: Any, **last: Any) -> Robot:
    """A block a joint; `last` has limits or drive of the last joint."""
    links = [Link("base"), *(Link(f"l{k}", BLOCK) for k in range(1, len(joints) + 1))]
    connections = [Joint(f"j{k}", links[k - 1].name, links[k].name, joint, POSE) for k, joint in enumerate(joints, 1)]
    connections[-1] = replace(connections[-1], **last)
    return Robot.from_links("chain", links, connections)


def back(robot: Robot) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", revolute.ModelWarning)
        return revolute.load(robot.to_mjcf())


def test_drives_go_out_and_in() -> None:
    drive = Drive((0.1,), (0.2,), None, (0.3,), stiffness=(4.0,), rest_position=(0.5,))
    robot = chain(revolute.Revolute((0, 1, 0)), revolute.Prismatic((1, 2, 0)), drive=drive)
    assert back(robot).bodies[2].drive == drive
    slack = Drive(stiffness=(4.0,))
    assert back(chain(revolute.Revolute(), drive=slack)).bodies[1].drive == slack
    geared = replace(drive, gear_ratio=(10.0,), rotor_inertia=(0.02,))
    assert back(chain(revolute.Revolute(), drive=geared)).bodies[1].drive == replace(drive, armature=(0.3 + 2.0,))
    wrong = chain(revolute.Spherical(), drive=Drive(rotor_inertia=(0.1, 0.1, 0.2)))
    assert_raises(ModelError, "joint 'j1': MJCF has one armature for all axes", wrong.to_mjcf)


def assert_composed(robot: Robot, theirs: Robot, q: np.ndarray, J: np.ndarray) -> None:
    """The same poses, and T^T M T = M for velocities `theirs` = J qd, to rounding of quaternions: 1e-10."""
    own = np.random.default_rng(0).uniform(-1, 1, robot.nq)
    for name in ("l1", "l2"):
        ours, other = (frame_pose(r, x.tolist(), name) for r, x in ((robot, own), (theirs, q(own))))
        assert np.abs(np.array(ours.p) - np.array(other.p)).max() < 1e-12
        assert np.abs(np.array(ours.R.matrix()) - np.array(other.R.matrix())).max() < 1e-12
    M, T = theirs.mass_matrix(q(own)), J(own)
    ours = robot.mass_matrix(own)
    assert np.abs(T.T @ M @ T - ours).max() < 1e-10 * np.abs(ours).max()


@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 2, -0.5)])
def test_planar_joints_are_two_slides_and_a_hinge(normal: tuple[float, ...]) -> None:
    limits = Limits((-1, -2, -3), (1, 2, 3), (), (5, 6, 7))
    drive = Drive((0.1, 0.2, 0.2), (0.3, 0, 0), armature=(0.4, 0.5, 0.5))
    robot = chain(revolute.Revolute(), revolute.Planar(normal), limits=limits, drive=drive)
    theirs = back(robot)
    assert theirs.joint_names == ("j1", "j2.x", "j2.y", "j2.angle") and theirs.nq == robot.nq
    np.testing.assert_array_equal(theirs.lower_limits[1:], limits.lower)
    np.testing.assert_array_equal(theirs.effort_limits[1:], [np.inf, np.inf, 5])
    for name, column in {"damping": [0.2, 0.2, 0.1], "friction": [0, 0, 0.3], "armature": [0.5, 0.5, 0.4]}.items():
        np.testing.assert_array_equal(getattr(theirs.drives, name)[1:], column)

    def rates(q: np.ndarray) -> np.ndarray:
        """(x', y', angle') of (w, vx, vy)."""
        c, s = np.cos(q[3]), np.sin(q[3])
        return np.array([[1, 0, 0, 0], [0, 0, c, -s], [0, 0, s, c], [0, 1, 0, 0]])

    assert_composed(robot, theirs, lambda q: q, rates)
    for wrong in (Drive(friction=(0, 1, 1)), Drive((0, 1, 2))):
        words = r"joint 'j1': friction in its plane, and damping .* rotate with the link"
        assert_raises(ModelError, words, chain(revolute.Planar(), drive=wrong).to_mjcf)


def test_helical_joints_are_a_hinge_and_a_slide_that_follows() -> None:
    robot = chain(revolute.Helical((1, 2, 0), 0.3), revolute.Revolute())
    theirs = back(robot)
    assert theirs.joint_names == ("j1", "j1.slide", "j2")
    assert theirs.bodies[2].drive.mimic == Mimic("j1", 0.3, 0.0)
    T = np.array([[1, 0], [0.3, 0], [0, 1]])
    assert_composed(robot, theirs, lambda q: T @ q, lambda q: T)


def test_composed_joints_are_joints_of_one_body() -> None:
    joints = (revolute.Cylindrical((1, 0, 2)), revolute.Universal(), revolute.SphericalEuler("ZYX"))
    robot = chain(*joints)
    text = robot.to_mjcf()
    assert text.count("<body") == 3 and text.count("<joint") == 2 + 2 + 3
    theirs = back(robot)
    assert theirs.joint_names == robot.joint_names
    q = np.random.default_rng(1).uniform(-1, 1, robot.nq)
    ours = robot.mass_matrix(q)
    assert np.abs(theirs.mass_matrix(q) - ours).max() < 1e-10 * np.abs(ours).max()


def with_loops(*closures: revolute.Closure) -> Robot:
    joints = [revolute.Revolute(axis) for axis in ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1))]
    return replace(chain(*joints), closures=closures)


def test_points_and_frames_go_out_and_in() -> None:
    """Exactly, but for the digits of quaternions; and files do not grow as they are read and written."""
    loops = (PointClosure("l6", "l1", (0.1, 0, 0.2), (0, 0.5, 0)), FrameClosure("l6", None, POSE, POSE))
    theirs = back(with_loops(*loops))
    point, frame = theirs.closures
    assert point == loops[0] and (frame.link_a, frame.link_b) == ("l6", "world")
    for place in (frame.at_a, frame.at_b):
        assert np.abs(np.array(place.R.matrix()) - np.array(POSE.R.matrix())).max() < 1e-15 and place.p == POSE.p
    again = back(theirs)
    assert again.closures[0] == point and again.link_names == theirs.link_names


def test_linkages_move_alike() -> None:
    """An axis goes out as two points; the other closures come back as they were: see above."""
    rng = np.random.default_rng(2)
    q = rng.uniform(-1, 1, 6)
    robot = with_loops()
    pose = frame_pose(robot, q.tolist(), "l6") @ POSE
    robot = replace(robot, closures=(revolute.AxisClosure("l6", "base", POSE, pose),))
    ours, theirs = robot.with_closures(), back(robot).with_closures()
    q, qd = ours.project(q, rng.standard_normal(6))
    tau = rng.standard_normal(6)
    one, two = (linkage.forward_dynamics(q, qd, tau) for linkage in (ours, theirs))
    assert ours.mobility(q) == theirs.mobility(q) == 1
    assert np.abs(one - two).max() < 1e-8 * (1 + np.abs(one).max())


def test_sites_have_names_of_their_own() -> None:
    robot = with_loops(PointClosure("l6", "l1"))
    taken = replace(robot, frames=(*robot.frames, revolute.Frame("closure1.a", 3, POSE)))
    model = mujoco.MjModel.from_xml_string(taken.to_mjcf())
    assert model.nsite == 1 + 3 and model.neq == 1
    assert back(taken).closures == robot.closures


@pytest.mark.parametrize("base", ["world", "base"])
def test_loops_are_closed_on_the_world(base: str) -> None:
    links = [Link(base), Link("a", BLOCK)]
    arm = Robot.from_links("arm", links, [Joint("j", base, "a", revolute.Revolute(), POSE)])
    robot = replace(arm, closures=(FrameClosure("a", base), PointClosure("a", None, (0.1, 0.2, 0.3))))
    read = back(robot)
    for q in (0.0, 0.7):
        expected, found = ([x for c in r.closures for x in c.error(r, [q])] for r in (robot, read))
        np.testing.assert_allclose(found, expected, atol=1e-14)


def test_couplings_go_out_and_in() -> None:
    robot = chain(revolute.Revolute(), revolute.Prismatic(), drive=Drive(mimic=Mimic("j1", 2.0, -0.5)))
    assert back(robot).bodies[2].drive == robot.bodies[2].drive
    lost = chain(revolute.Revolute(), revolute.Prismatic(), drive=Drive(mimic=Mimic("j9")))
    assert_raises(ModelError, "joint 'j2': it mimics 'j9', but MJCF couples", lost.to_mjcf)


def test_curves_go_out_and_in() -> None:
    curves = (JointClosure("j2", "j1", (0.1, 2.0, 0.0, -0.5)), JointClosure("j6", None, (0.3,)))
    assert back(with_loops(*curves)).closures == curves
    line = with_loops(JointClosure("j2", "j1", (0.1, 2.0)))
    assert back(line).bodies[2].drive.mimic == Mimic("j1", 2.0, 0.1)
    long = with_loops(JointClosure("j2", "j1", (0.0,) * 6))
    assert_raises(ModelError, "closure number 1: MJCF supports polynomials of order at most 4", long.to_mjcf)


def test_other_closures_are_refused() -> None:
    class Other(PointClosure.__base__.__base__):  # type: ignore[misc, name-defined]
        def error(self, robot: Robot, q: Any) -> list[Any]:
            return [q[0]]

        def row_names(self) -> list[str]:
            return ["q0"]

    assert_raises(ModelError, "closure number 1: MJCF has no Other", with_loops(Other()).to_mjcf)


def test_a_moving_link_is_not_named_world() -> None:
    """MuJoCo keeps the name for the fixed body, so the root link of a floating robot gets another one."""
    links = [Link("world", BLOCK), Link("arm", BLOCK), Link("world_link", BLOCK)]
    joints = [Joint(f"j{k}", "world", link.name, revolute.Revolute(), POSE) for k, link in enumerate(links[1:])]
    robot = Robot.from_links("r", links, joints, base="free")
    text = assert_warns(revolute.ModelWarning, "no moving link 'world'; it is written as 'world_link_'", robot.to_mjcf)
    assert mujoco.MjModel.from_xml_string(text).nbody == robot.n_joints + 1
    q, again = robot.random_configuration(rng=1), back(robot)
    np.testing.assert_allclose(again.mass_matrix(q), robot.mass_matrix(q), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(again.forward_kinematics(q, "world_link_"), robot.forward_kinematics(q, "world"))
