"""Gearboxes of SDF: two links turn against a third one, by angles of a constant ratio."""

import numpy as np
import pytest
from comparing import assert_raises
from robots import loaded
from scipy.spatial.transform import Rotation
from test_sdf import joint, link, sdf

import revolute
from revolute import JointClosure, Mimic, ModelError, ModelWarning, Robot
from revolute.dynamics.kinematics import frame_pose

RATIO = 0.04
GEARS = f"<gearbox_ratio>{RATIO}</gearbox_ratio><gearbox_reference_body>frame</gearbox_reference_body>"
LINKS = link("frame") + link("motor", "<pose>0.1 0 0 0.2 0.3 0</pose>") + link("wheel", "<pose>0 0.3 0 0 0 0.4</pose>")
MOTOR, WHEEL = "0.6 0 0.8", "0 1 0"
"""Axes in the model's frame."""


def in_model(xyz: str) -> str:
    return f'<xyz expressed_in="__model__">{xyz}</xyz>'


def turned(xyz: str) -> str:
    return " ".join(str(-float(x)) for x in xyz.split())


def hinge(name: str, parent: str, child: str, xyz: str) -> str:
    return joint(name, "revolute", parent, child, f"<axis>{in_model(xyz)}</axis>")


def gearbox(more: str = GEARS, motor: str = MOTOR, wheel: str = WHEEL) -> str:
    axes = f"<axis>{in_model(motor)}</axis><axis2>{in_model(wheel)}</axis2>"
    return joint("gears", "gearbox", "motor", "wheel", axes + more)


def angle(robot: Robot, q: list[float], name: str, xyz: str) -> float:
    """How far a link has turned against "frame", about an axis of the model's frame, from where it is at q = 0."""
    now, start = (
        np.array((frame_pose(robot, x, "frame").inverse() @ frame_pose(robot, x, name)).R.matrix(), dtype=float)
        for x in (q, [0.0] * robot.nq)
    )
    base = np.array(frame_pose(robot, [0.0] * robot.nq, "frame").R.matrix(), dtype=float)
    turn, axis = base @ Rotation.from_matrix(now @ start.T).as_rotvec(), np.array([float(x) for x in xyz.split()])
    np.testing.assert_allclose(turn, axis * (turn @ axis), atol=1e-12)  # it turns about that axis alone
    return float(turn @ axis)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("hinges", "axes"), [
    (hinge("a", "frame", "motor", MOTOR) + hinge("b", "frame", "wheel", WHEEL), (MOTOR, WHEEL)),
    (hinge("a", "frame", "motor", turned(MOTOR)) + hinge("b", "frame", "wheel", WHEEL), (MOTOR, WHEEL)),
    (hinge("a", "frame", "motor", MOTOR) + hinge("b", "frame", "wheel", WHEEL), (MOTOR, turned(WHEEL))),
    (hinge("a", "motor", "frame", MOTOR) + hinge("b", "frame", "wheel", WHEEL), (MOTOR, WHEEL)),
    (hinge("b", "wheel", "frame", turned(WHEEL)) + hinge("a", "frame", "motor", MOTOR), (MOTOR, WHEEL)),
])  # fmt: skip
def test_the_angles_have_the_ratio_of_the_gearbox(hinges: str, axes: tuple[str, str], first: bool) -> None:
    """The specification: theta_2 = -gearbox_ratio theta_1, angles of child and parent against the reference body.

    Whichever way joints and axes point, and whether the gearbox comes before or after the joints.
    """
    gears = gearbox(motor=axes[0], wheel=axes[1])
    robot = loaded(sdf(LINKS + (gears + hinges if first else hinges + gears)))
    coupling = robot.bodies[robot.joint_index("b")].drive.mimic
    assert coupling is not None and (coupling.joint, abs(coupling.multiplier), coupling.offset) == ("a", RATIO, 0)
    q = [0.0, 0.0]
    q[robot.joint_index("a") - 1], q[robot.joint_index("b") - 1] = 0.7, 0.7 * coupling.multiplier
    motor, wheel = angle(robot, q, "motor", axes[0]), angle(robot, q, "wheel", axes[1])
    assert abs(motor) == pytest.approx(0.7, abs=1e-12) and wheel == pytest.approx(-RATIO * motor, abs=1e-12)


def test_gearboxes_in_nested_models_name_their_own_links() -> None:
    joints = hinge("a", "frame", "motor", MOTOR) + hinge("b", "frame", "wheel", WHEEL)
    robot = loaded(sdf(f'<model name="n">{LINKS}{gearbox()}{joints}</model>'))
    assert robot.bodies[robot.joint_index("n::b")].drive.mimic == Mimic("n::a", -RATIO)


def test_a_joint_that_mimics_already_gets_a_closure() -> None:
    follows = f'<axis>{in_model(WHEEL)}<mimic joint="c"><multiplier>2</multiplier></mimic></axis>'
    joints = hinge("a", "frame", "motor", MOTOR) + joint("b", "revolute", "frame", "wheel", follows)
    with pytest.warns(ModelWarning) as caught:
        robot = revolute.load(sdf(LINKS + joints + gearbox() + link("d") + hinge("c", "frame", "d", WHEEL)))
    words = "joint 'gears': its gearbox couples joints 'a' and 'b', but the robot does not have this coupling"
    assert any(words in str(warning.message) for warning in caught)
    assert robot.closures == (JointClosure("b", "a", (0.0, -RATIO)),)
    assert robot.bodies[robot.joint_index("b")].drive.mimic == Mimic("c", 2.0)


HINGES = hinge("a", "frame", "motor", MOTOR) + hinge("b", "frame", "wheel", WHEEL)
BROKEN = {
    "no reference": (gearbox("<gearbox_ratio>2</gearbox_ratio>") + HINGES, "joint 'gears': <gearbox_reference_body> i"),
    "unknown reference": (
        gearbox(GEARS.replace(">frame<", ">frmae<")) + HINGES, "its <gearbox_reference_body> is 'frmae', which is not"
    ),
    "ratio of nothing": (gearbox(GEARS.replace("0.04", "0")) + HINGES, "joint 'gears': <gearbox_ratio> is 0; it must"),
    "no hinge": (
        gearbox() + hinge("a", "frame", "motor", MOTOR) + hinge("b", "motor", "wheel", WHEEL),
        "angles of 'motor' and 'wheel' relative to 'frame', but no revolute joint is between 'frame' and 'wheel'; add",
    ),
    "ball": (
        gearbox() + hinge("a", "frame", "motor", MOTOR) + joint("b", "ball", "frame", "wheel", ""), "no revolute joint "
    ),
    "parent is the reference": (gearbox().replace("<parent>motor", "<parent>frame") + HINGES, "no revolute joint is b"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_gearboxes_that_no_coupling_can_be_are_refused(case: str) -> None:
    inside, words = BROKEN[case]
    assert_raises(ModelError, words, loaded, sdf(LINKS + inside))
