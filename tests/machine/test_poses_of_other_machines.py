"""Inverse kinematics of closed loops and of elastic joints."""

import numpy as np
import pytest

import revolute
from revolute import ConstrainedRobot, PointClosure

FINE = 1e-11
"""Loops and poses are corrected to 1e-12 in all their rows together; rounding of links of 1 m is less."""


@pytest.fixture(scope="module")
def linkage() -> ConstrainedRobot:
    """Four links of 1 m, whose end is held 2 m from the base: mobility 2."""
    return revolute.robots.planar(4).with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)))


@pytest.fixture(scope="module")
def closed(linkage: ConstrainedRobot) -> np.ndarray:
    """Some states that close the loop."""
    q = linkage.robot.random_configuration(60, rng=0)
    return np.array([linkage.project(x)[0] for x in q])


def test_loops_are_closed_and_frames_are_where_they_should_be(linkage: ConstrainedRobot, closed: np.ndarray) -> None:
    points = linkage.forward_kinematics(closed, "link3")[:, :3, 3]
    found = linkage.inverse_kinematics(points, "link3", rows=(3, 4))
    assert found.converged.all() and found.error.shape == (60, 2)
    assert np.abs(linkage.error(found.q)).max() <= FINE and np.abs(found.error).max() <= FINE
    np.testing.assert_allclose(linkage.forward_kinematics(found.q, "link3")[:, :3, 3], points, atol=FINE)
    alone = linkage.inverse_kinematics(points[7], "link3", rows=(3, 4))
    assert all(np.array_equal(x, y[7]) for x, y in zip(alone, found, strict=True))


def test_a_start_keeps_the_way_in_which_the_loop_is_closed(linkage: ConstrainedRobot, closed: np.ndarray) -> None:
    points = linkage.forward_kinematics(closed, "link3")[:, :3, 3]
    found = linkage.inverse_kinematics(points, "link3", closed + 1e-4, rows=(3, 4), restarts=0)
    regular = np.array([np.linalg.svd(linkage.jacobian(x))[1][1] > 0.1 for x in closed])
    J = linkage.robot.jacobian(closed, "link3")[:, 3:5]
    both = np.linalg.svd(np.concatenate([linkage.jacobian(closed)[:, :2], J], axis=1))[1][:, -1] > 0.05
    assert (regular & both).sum() > 20
    assert np.abs(found.q - closed)[regular & both].max() < 1e-2


def test_points_beyond_the_loop_are_not_reached(linkage: ConstrainedRobot) -> None:
    found = linkage.inverse_kinematics([0.0, 3.5, 0.0], "link3", rows=(3, 4))
    assert not found.converged and np.abs(found.error).max() > 1


def test_links_on_springs_are_placed_as_those_of_the_rigid_robot() -> None:
    robot = revolute.robots.ur5()
    elastic = robot.with_elastic_joints(1e4, rotor_inertia=0.1)
    poses = robot.forward_kinematics(robot.random_configuration(20, rng=0), "tool0")
    options = {"restarts": 50, "rng": 3, "rest": "middle"}
    found, wanted = (x.inverse_kinematics(poses, "tool0", **options) for x in (elastic, robot))
    assert all(map(np.array_equal, found, wanted)) and found.converged.all()
