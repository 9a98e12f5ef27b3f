"""Poses, motions and Jacobians of several links by one call, and the points that a link reaches."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from machine_code import fast_calls

import revolute
from revolute import InputError, PointClosure, Transform, UnknownNameError

ROBOT = revolute.robots.random_tree(3, rng=1, branching=0)
Q = np.random.default_rng(0).uniform(-1, 1, (5, 3))


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("names", [["link3"], ["link3", "base", "link2"], ["link3", "link3"]])
def test_poses_come_in_the_order_of_the_names(kind: Callable[..., Any], names: list[str]) -> None:
    """A pose of all is a product in another order: some eps of a reach of 1 m."""
    for _ in range(3):  # the second call may take another way
        poses = ROBOT.forward_kinematics(Q, kind(names))
        assert poses.shape == (5, len(names), 4, 4)
        expected = np.stack([ROBOT.forward_kinematics(Q, name) for name in names], axis=1)
        np.testing.assert_allclose(poses, expected, rtol=0, atol=64 * np.finfo(float).eps)


def test_a_changed_list_gives_other_poses() -> None:
    names = ["link3", "base"]
    first = ROBOT.forward_kinematics(Q[0], names)
    names.reverse()
    np.testing.assert_array_equal(ROBOT.forward_kinematics(Q[0], names), first[::-1])
    pose = ROBOT.forward_kinematics(Q[0], ["link3"])[0]
    np.testing.assert_allclose(Transform.from_matrix(pose).matrix(), pose, rtol=0, atol=1e-10)


def test_kept_names_go_straight_to_machine_code() -> None:
    """Names that are made anew in each call are other objects each time: nothing is learned from them."""
    robot, names = revolute.robots.random_tree(3, rng=1, branching=0), ["link3", "base"]
    expected = robot.forward_kinematics(Q[0], names)
    for _ in range(3):
        np.testing.assert_array_equal(robot.forward_kinematics(Q[0], tuple(names)), expected)
    assert fast_calls(robot.forward_kinematics) == 0
    for kept in (tuple(names), tuple(names[::-1])):
        order = [names.index(name) for name in kept]
        for _ in range(4):
            np.testing.assert_array_equal(robot.forward_kinematics(Q[0], kept), expected[order])
            np.testing.assert_array_equal(robot.forward_kinematics(Q[0], frame=kept), expected[order])
    assert fast_calls(robot.forward_kinematics) == 4


def test_out_driven_and_closed_robots_take_them_too() -> None:
    names, out = ["link3", "link2"], np.empty((5, 2, 4, 4))
    assert ROBOT.forward_kinematics(Q, names, out=out) is out
    np.testing.assert_array_equal(ROBOT.with_drives().forward_kinematics(Q, names), out)
    np.testing.assert_array_equal(ROBOT.with_closures(PointClosure("link3")).forward_kinematics(Q, frame=names), out)
    np.testing.assert_array_equal(ROBOT.kernel("forward_kinematics", frame=names)(Q), out)


def test_jacobians_of_several_links_are_stacked() -> None:
    """V = J qd holds for each link's six rows; the numbers are those of one call a link."""
    names, qd, qdd = ["link3", "link2", "link3"], np.ones((5, 3)), np.full((5, 3), -0.5)
    rates = np.concatenate([ROBOT.velocity(Q, qd, name, "aligned") for name in names], axis=-1)
    J = ROBOT.jacobian(Q, names, "aligned")
    np.testing.assert_allclose(np.einsum("...ij,...j->...i", J, qd), rates, rtol=0, atol=1e-14)  # of 6 rad/s, 6 m/s
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (ROBOT.jacobian, (Q,)), (ROBOT.jacobian_rate, (Q, qd)), (ROBOT.jacobian_second_rate, (Q, qd, qdd)),
        (ROBOT.with_drives().jacobian, (Q,)),
    ]  # fmt: skip
    for function, arrays in calls:
        for reference in ("body", "aligned", "world"):
            stacked = function(*arrays, names, reference)
            assert stacked.shape == (5, 18, 3)
            single = np.concatenate([function(*arrays, name, reference) for name in names], axis=-2)
            np.testing.assert_allclose(stacked, single, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(ROBOT.kernel("jacobian", frame=tuple(names))(Q), ROBOT.jacobian(Q, names))


def test_motions_come_in_the_order_of_the_names() -> None:
    """To some eps of 6 rad/s at a reach of 1 m, squared for accelerations."""
    names, qd, qdd = ["link3", "link2", "link3"], np.ones((5, 3)), np.full((5, 3), -0.5)
    for reference in ("body", "aligned", "world"):
        calls = [(ROBOT.velocity, (Q, qd), (reference,))]
        calls += [(ROBOT.acceleration, (Q, qd, qdd), (reference, x)) for x in ("rate", "classical", "spatial")]
        for function, arrays, options in calls:
            expected = np.stack([function(*arrays, name, *options) for name in names], axis=1)
            for kind in (list, tuple):
                motions = function(*arrays, kind(names), *options)
                assert motions.shape == (5, 3, 6)
                np.testing.assert_allclose(motions, expected, rtol=0, atol=1e-13)
    out = np.empty((5, 3, 6))
    assert ROBOT.with_drives().velocity(Q, qd, names, out=out) is out
    np.testing.assert_allclose(out, ROBOT.velocity(Q, qd, names), rtol=0, atol=1e-13)


@pytest.mark.parametrize(("frames", "options", "error", "message"), [
    (["link3", "hand"], {}, UnknownNameError, "no link 'hand'"),
    ([1], {}, UnknownNameError, "no link '1'"),
    ([], {}, InputError, "at least one link"),
    (np.float64(3.0), {}, UnknownNameError, "has no link '3.0'"),
    (["link3"], {"point": "com"}, InputError, "point: a point belongs to one link"),
    (["link3"], {"point": [0, 0, 1]}, InputError, "point: a point belongs to one link"),
    ([["link3"]], {}, InputError, "a name, or a tuple of names"),
])  # fmt: skip
def test_wrong_names_are_refused(frames: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    for function, *arrays in (
        (ROBOT.forward_kinematics, Q), (ROBOT.jacobian, Q), (ROBOT.velocity, Q, Q), (ROBOT.acceleration, Q, Q, Q)
    ):  # fmt: skip
        assert_raises(error, message, function, *arrays, frames, **options)


def test_points_and_manipulabilities_are_those_of_the_positions() -> None:
    robot = revolute.robots.panda()
    found = robot.workspace("panda_link8", 300, manipulability_rows="all", rng=3)
    assert ((found.q >= robot.lower_limits) & (found.q <= robot.upper_limits)).all()
    np.testing.assert_array_equal(found.points, robot.forward_kinematics(found.q, "panda_link8")[:, :3, 3])
    np.testing.assert_array_equal(found.manipulability, robot.manipulability(found.q, "panda_link8"))
    np.testing.assert_array_equal(robot.workspace("panda_link8", 300, manipulability_rows="all", rng=3).q, found.q)
    assert revolute.robots.ur5().with_drives().workspace("tool0", 20).q.shape == (20, 6)


def test_a_planar_arm_fills_its_disc() -> None:
    """Two rods of 1 m: w = |sin q2|, and the distance from the base is 2 |cos(q2 / 2)|."""
    found = revolute.robots.planar(2).workspace("tip", 4000, manipulability_rows=(3, 4))
    radius = np.linalg.norm(found.points, axis=1)
    np.testing.assert_allclose(radius, 2 * np.abs(np.cos(found.q[:, 1] / 2)), atol=1e-14)
    np.testing.assert_allclose(found.manipulability, np.abs(np.sin(found.q[:, 1])), atol=1e-14)
    low, high = found.bounds
    assert (low[:2] < -1.95).all() and (high[:2] > 1.95).all() and low[2] == high[2] == 0


def test_the_picture_and_the_text_name_the_frame() -> None:
    found = revolute.robots.ur5().workspace("tool0", 50)
    figure = found.plot()
    assert figure.get_suptitle() == "ur5: where tool0 can be"
    assert [axes.get_title("left") for axes in figure.axes[:3]] == ["from above", "from the front", "from the side"]
    assert found.plot("mine").get_suptitle() == "mine"
    assert repr(found).startswith("<Workspace of 'tool0' of 'ur5': 50 points")


def test_what_is_wrong_is_said() -> None:
    robot = revolute.robots.ur5()
    assert_raises(revolute.UnknownNameError, "no link 'tool'", robot.workspace, "tool", 5)
    assert_raises(revolute.InputError, "count must be", robot.workspace, "tool0", 0)
    assert_raises(revolute.InputError, "rows must be", robot.workspace, "tool0", 5, manipulability_rows="up")
