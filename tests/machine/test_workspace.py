"""Where a link can be: points are those of forward kinematics, within the reach of the links."""

import numpy as np
import pytest

import revolute


def test_points_and_manipulabilities_are_those_of_the_positions() -> None:
    robot = revolute.robots.panda()
    found = robot.workspace("panda_link8", 300, manipulability_rows="all", rng=3)
    assert ((found.q >= robot.lower_limits) & (found.q <= robot.upper_limits)).all()
    np.testing.assert_array_equal(found.points, robot.forward_kinematics(found.q, "panda_link8")[:, :3, 3])
    np.testing.assert_array_equal(found.manipulability, robot.manipulability(found.q, "panda_link8"))
    np.testing.assert_array_equal(robot.workspace("panda_link8", 300, manipulability_rows="all", rng=3).q, found.q)


def test_a_planar_arm_fills_its_disc() -> None:
    """Two rods of 1 m: w = |sin q2|, and the distance from the base is 2 |cos(q2 / 2)|."""
    found = revolute.robots.planar(2).workspace("tip", 4000, manipulability_rows=(3, 4))
    radius = np.linalg.norm(found.points, axis=1)
    np.testing.assert_allclose(radius, 2 * np.abs(np.cos(found.q[:, 1] / 2)), atol=1e-14)
    np.testing.assert_allclose(found.manipulability, np.abs(np.sin(found.q[:, 1])), atol=1e-14)
    low, high = found.bounds
    assert (low[:2] < -1.95).all() and (high[:2] > 1.95).all() and low[2] == high[2] == 0


def test_with_drives_the_joints_that_lead_are_drawn() -> None:
    robot = revolute.robots.ur5().with_drives()
    assert robot.workspace("tool0", 20).q.shape == (20, 6)


def test_the_picture_and_the_text_name_the_frame() -> None:
    found = revolute.robots.ur5().workspace("tool0", 50)
    figure = found.plot()
    assert figure.get_suptitle() == "ur5: where tool0 can be"
    assert [axes.get_title("left") for axes in figure.axes[:3]] == ["from above", "from the front", "from the side"]
    assert found.plot("mine").get_suptitle() == "mine"
    assert repr(found).startswith("<Workspace of 'tool0' of 'ur5': 50 points")


def test_what_is_wrong_is_said() -> None:
    robot = revolute.robots.ur5()
    with pytest.raises(revolute.UnknownNameError, match="no link 'tool'"):
        robot.workspace("tool", 5)
    with pytest.raises(revolute.InputError, match="count must be"):
        robot.workspace("tool0", 0)
    with pytest.raises(revolute.InputError, match="rows must be"):
        robot.workspace("tool0", 5, manipulability_rows="up")
