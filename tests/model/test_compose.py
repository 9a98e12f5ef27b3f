"""Robots put together: their energies add up, their forces balance, and Pinocchio agrees."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from comparing import EPS, assert_raises
from hypothesis import strategies as st
from peers import symmetric
from robots import BOX, FILES, every, load, one_joint, pin, state, trees, value

import revolute
from revolute import Inertia, InputError, Joint, Link, ModelWarning, Robot, Transform, UnknownNameError
from revolute.dynamics.closures import Closure, FrameClosure, JointClosure, PointClosure
from revolute.model.body import Drive, Mimic
from revolute.model.joints import Free, Prismatic, Revolute

PLACE = Transform.from_rpy((0.3, -0.2, 0.5), (0.4, -0.7, 1.1))


def attached(arm: Robot, other: Robot, number: int, seed: int) -> tuple[Robot, Robot, str, Robot, int]:
    """The carrier, the other with a base that has mass, a link of the carrier, and the carrier with the other there."""
    other, link = other.with_payload(other.bodies[0].name, BOX), arm.link_names[number % len(arm.link_names)]
    return arm, other, link, arm.attach(other, link, PLACE, "b_"), seed


def parts_of_state(
    whole: Robot, arm: Robot, other: Robot, link: str, q: np.ndarray, *rates: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The same state of the carrier alone, and of the other with a free base: (q, qd, ...) of each."""
    theirs = [name.startswith("b_") for name in whole.joint_names]
    at_q = np.repeat(theirs, [body.joint.nq for body in whole.bodies[1:]])
    at_v = np.repeat(theirs, [body.joint.nv for body in whole.bodies[1:]])
    base = arm.with_frame("mount", link, PLACE)
    ours = [q[~at_q], *(x[~at_v] for x in rates)]
    pose = Transform.from_matrix(value(base, "forward_kinematics", ours[0], frame="mount"))
    free = [np.concatenate([pose.p, pose.R.to_scipy().as_quat(), q[at_q]])]
    names = ("velocity", "acceleration")
    for k, x in enumerate(rates):
        motion = value(base, names[k], *ours[: k + 2], frame="mount", **({"linear": "spatial"} if k else {}))
        free.append(np.concatenate([motion, x[at_v]]))
    return ours, free


two_trees = st.tuples(trees(most=4), trees(most=4, bases=("fixed",)), st.integers(0, 100), st.integers(0, 1000))


@every(two_trees, examples=40)
def test_energies_are_the_sums_of_those_of_the_parts(drawn: tuple[Robot, Robot, int, int]) -> None:
    """The other's part is itself with a free base, which moves with the link.

    Bodies have some kg, speeds and lengths are some units times the number of joints: energies of up to some 1e4 J,
    from a few hundred rounded terms.
    """
    arm, other, link, whole, seed = attached(*drawn)
    assert (whole.nq, whole.nv) == (arm.nq + other.nq, arm.nv + other.nv)
    floating, heights = other.to_base("free"), []
    for k in (seed, seed + 1):
        q, qd, _ = state(whole, k)
        ours, free = parts_of_state(whole, arm, other, link, q, qd)
        expected = value(arm, "kinetic_energy", *ours) + value(floating, "kinetic_energy", *free)
        np.testing.assert_allclose(value(whole, "kinetic_energy", q, qd), expected, rtol=1e-11, atol=1e-10)
        parts = value(arm, "potential_energy", ours[0]) + value(floating, "potential_energy", free[0])
        heights.append(value(whole, "potential_energy", q) - parts)  # not zero if a base that never moves has mass
    np.testing.assert_allclose(*heights, rtol=0, atol=1e-10)


@every(two_trees, examples=25)
def test_forces_balance_at_the_mount(drawn: tuple[Robot, Robot, int, int]) -> None:
    """The carrier feels the wrench with which it moves the other's base, backwards; the other feels that motion."""
    arm, other, link, whole, seed = attached(*drawn)
    q, qd, qdd = state(whole, seed)
    ours, free = parts_of_state(whole, arm, other, link, q, qd, qdd)
    tau = value(whole, "inverse_dynamics", q, qd, qdd)
    theirs = np.repeat([name.startswith("b_") for name in whole.joint_names], [b.joint.nv for b in whole.bodies[1:]])
    on_base = value(other.to_base("free"), "inverse_dynamics", *free)
    J = value(arm.with_frame("mount", link, PLACE), "jacobian", ours[0], frame="mount")
    expected = value(arm, "inverse_dynamics", *ours) + J.T @ on_base[:6]
    scale = 1 + np.abs(expected).max() + np.abs(on_base).max()
    np.testing.assert_allclose(tau[~theirs], expected, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(tau[theirs], on_base[6:], rtol=0, atol=1e-12 * scale)


def test_the_mass_matrix_is_that_of_models_appended_by_pinocchio() -> None:
    """A Panda on the flange of a UR5.

    Files print pi/2 with 12 digits, which Revolute makes exact: some turns of 5e-12 rad, times entries of 10 kg m^2.
    """
    arm, other = load("ur_description/ur5_robot"), load("panda_description/panda")
    whole = arm.attach(other, "wrist_3_link", PLACE, "b_")
    first = pin.buildModelFromUrdf(str(FILES["ur_description/ur5_robot"]))
    second = pin.buildModelFromUrdf(str(FILES["panda_description/panda"]))
    for k in range(1, second.njoints):
        second.names[k] = "b_" + second.names[k]
    for frame in second.frames:
        frame.name = "b_" + frame.name
    model = pin.appendModel(first, second, first.getFrameId("wrist_3_link"), pin.SE3(PLACE.matrix()))
    order = [model.joints[model.getJointId(name)].idx_v for name in whole.joint_names]
    assert sorted(order) == list(range(model.nv)) and all(joint.nq == 1 for joint in list(model.joints)[1:])
    rng = np.random.default_rng(0)
    for q, qd, qdd in rng.standard_normal((5, 3, whole.nv)):
        theirs = np.empty((3, model.nv))
        theirs[:, order] = q, qd, qdd
        M = symmetric(pin.crba(model, model.createData(), theirs[0]))
        np.testing.assert_allclose(value(whole, "mass_matrix", q), M[np.ix_(order, order)], rtol=0, atol=1e-9)
        tau = pin.rnea(model, model.createData(), *theirs)[order]
        np.testing.assert_allclose(value(whole, "inverse_dynamics", q, qd, qdd), tau, rtol=0, atol=1e-8)


def test_a_robot_described_at_once_is_the_same() -> None:
    """From links and joints by hand, in the order of a file: the very same model, up to the name."""
    rod, block = Inertia.from_com(2.0, (0.5, 0, 0)), Inertia.from_com(1.0, (0, 0.25, 0), np.diag([0.5, 0.75, 1.0]))
    links = [Link("stand", block), Link("upper", rod), Link("lower", rod), Link("lamp", block), Link("tool")]
    *before, pan = (
        Joint("shoulder", "stand", "upper", Revolute((0, 0, 1))),
        Joint("elbow", "upper", "lower", Revolute((0, 1, 0)), Transform(p=(1, 0, 0))),
        Joint("tool_mount", "lower", "tool", placement=Transform(p=(1, 0, 0))),
        Joint("pan", "stand", "lamp", Revolute((1, 0, 0)), Transform(p=(0, 2, 0))),
    )

    def hand(prefix: str) -> tuple[list[Link], list[Joint]]:
        palm, left, right, camera = (f"{prefix}{name}" for name in ("palm", "left", "right", "camera"))
        out, follows = Transform(p=(0.5, 0, 0)), Drive(mimic=Mimic(f"{prefix}slide"))
        return [Link(palm, block), Link(left, rod), Link(right, rod), Link(camera)], [
            Joint(f"{prefix}slide", palm, left, Prismatic((0, 1, 0)), out, drive=Drive((3.0,))),
            Joint(f"{prefix}other", palm, right, Prismatic((0, -1, 0)), out, drive=follows),
            Joint("camera_mount", palm, camera, placement=Transform(p=(0, 0, 1))),
        ]

    arm, place = Robot.from_links("arm", links, [*before, pan]), Transform(p=(0.25, 0, 0))
    whole = arm.attach(Robot.from_links("hand", *hand("")), "tool", place, "g_")
    others, joints = hand("g_")
    mount = Joint("mount", "tool", "g_palm", placement=place)
    at_once = Robot.from_links("arm", [*links, *others], [*before, mount, *joints, pan])
    assert whole.joint_names == ("shoulder", "elbow", "g_slide", "g_other", "pan") == at_once.joint_names
    assert whole.bodies == at_once.bodies and whole.frames == at_once.frames
    with pytest.warns(ModelWarning, match="'g_other' \\(of 'g_slide'\\)"):
        assert revolute.load(whole.to_urdf()).joint_names == whole.joint_names


def test_named_configurations_of_one_name_become_one() -> None:
    arm = revolute.robots.planar(2).with_configurations({"home": {"joint1": 0.5}})
    other = revolute.robots.planar(1).with_configurations({"home": {"joint1": -0.25}, "up": {"joint1": 1.0}})
    both = arm.attach(other, "link2", prefix="b_")
    assert both.joint_values(both.configuration("home")) == {"joint1": 0.5, "joint2": 0.0, "b_joint1": -0.25}
    assert both.joint_values(both.configuration("up")) == {"joint1": 0.0, "joint2": 0.0, "b_joint1": 1.0}


def test_closures_come_along() -> None:
    """One with the base frame is then one with the link: the same error, in the frame of the arm's last body."""
    places = PointClosure("tip", at_b=(1.0, 0.5, 0.0)), FrameClosure("link2", "link1")
    closures = (*places, JointClosure("joint2", "joint1"), JointClosure("joint3", None, (0.25,)))
    linkage = replace(revolute.robots.planar(3), closures=closures)
    arm = revolute.robots.ur5()
    whole = arm.attach(linkage, "tool0", PLACE, "b_")
    q = np.random.default_rng(3).standard_normal(9)
    error = whole.with_closures().error(q)
    expected = linkage.with_closures().error(q[6:])
    last = arm.with_frame("mount", "tool0", PLACE)
    mount, body = last.forward_kinematics(q[:6], ["mount", arm.bodies[-1].name])[..., :3, :3]
    turned = [*(body.T @ mount @ expected[:3]), *expected[3:]]
    np.testing.assert_allclose(error, turned, rtol=0, atol=64 * EPS)
    assert str(whole.closures[0]) == "point of 'b_tip' and 'tool0'"
    assert linkage.to_base("free").closures[0] == replace(closures[0], link_b="base")


def test_closures_of_others_say_that_they_cannot_follow() -> None:
    class Slot(Closure):
        def error(self, robot: Any, q: Any) -> list[Any]:
            return [q[0]]

        def row_names(self) -> list[str]:
            return ["slot"]

    slotted = replace(revolute.robots.planar(2), closures=(Slot(),))
    with pytest.raises(InputError, match="its class Slot has no method `attached`"):
        revolute.robots.ur5().attach(slotted, "tool0", prefix="b_")


@every(trees(most=5), examples=30)
def test_bases_change_and_change_back(robot: Robot) -> None:
    free, fixed = robot.to_base("free"), robot.to_base("fixed")
    assert free.to_base("fixed") == fixed and fixed.to_base("free") == free
    assert free.to_base("free") is free and fixed.to_base("fixed") is fixed
    assert free.nv == fixed.nv + 6 and free.link_names == fixed.link_names


@pytest.mark.parametrize("name", ["ur_description/ur5_robot", "talos_data/talos_reduced"])
def test_bases_are_those_of_load(name: str) -> None:
    assert load(name).to_base("free") == load(name, "free")
    assert load(name, "free").to_base("fixed") == load(name)


def test_a_frame_is_a_link_like_others() -> None:
    arm = revolute.robots.ur5()
    with_pen = arm.with_frame("pen", "tool0", PLACE)
    assert with_pen.link_names == (*arm.link_names, "pen") and with_pen.bodies == arm.bodies
    q = np.linspace(-1, 1, 6)
    expected = arm.forward_kinematics(q, "tool0") @ PLACE.matrix()
    np.testing.assert_allclose(with_pen.forward_kinematics(q, "pen"), expected, rtol=0, atol=64 * EPS)


@pytest.mark.parametrize(("make", "error", "message"), [
    (lambda a: a.attach(a, "tool0"), InputError, "both robots have a link 'world'; give .* prefix='left_'"),
    (lambda a: a.attach(a, "tool0", prefix="b_").attach(a, "tool0", prefix="b_"), InputError, "prefix than 'b_'"),
    (lambda a: a.attach(a, "hand", prefix="b_"), UnknownNameError, "no link 'hand'"),
    (lambda a: a.attach(a.to_base("free"), "tool0", prefix="b_"), InputError, r"attach its to_base\('fixed'\)"),
    (lambda a: a.attach(one_joint(Free()), "tool0"), InputError, "floats on joint 'j'.*lock that"),
    (lambda a: a.attach(a.with_drives(), "tool0"), InputError, "attach: other must be of the type Model"),
    (lambda a: a.attach(a, "tool0", (0, 0, 1)), InputError, "attach: placement must be of the type Transform"),
    (lambda a: a.attach(a, "tool0", prefix=1), InputError, "attach: prefix must be of the type str"),
    (lambda a: a.with_frame("tool0", "tool0"), InputError, "has a link 'tool0' already"),
    (lambda a: a.with_frame("pen", "hand"), UnknownNameError, "no link 'hand'"),
    (lambda a: a.with_frame("pen", "tool0", np.eye(4)), InputError, "with_frame: placement must be of the type"),
    (lambda a: a.with_frame(3, "tool0"), InputError, "with_frame: name must be of the type str"),
    (lambda a: a.to_base("floating"), InputError, "base must be 'fixed' or 'free', not 'floating'"),
    (lambda a: one_joint(Free()).to_base("fixed"), InputError, r"'body' floats with joint 'j'.*lock\(\{'j'"),
])  # fmt: skip
def test_what_cannot_be_put_together_is_refused(make: Any, error: type[Exception], message: str) -> None:
    assert_raises(error, message, make, revolute.robots.ur5())
