"""Closed loops: closed forms, identities, drift and energy of motions, Pinocchio and MuJoCo."""

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from robots import FILES, loaded, pin, to_pinocchio

import revolute
from revolute import ConstrainedRobot, Inertia, InputError, Joint, Link, PointClosure, SimulationError, Transform
from revolute.machine.constrained.motion import singular_closures

G = 9.81
Z = revolute.Revolute((0, 0, 1))


def rod(mass: float, com: float, inertia: float) -> Inertia:
    return Inertia.from_com(mass, (com, 0, 0), np.diag([1e-3, inertia, inertia]))


def planar(name: str, links: dict[str, Inertia], *joints: tuple[str, str, str, float]) -> revolute.Robot:
    """Links that turn in a plane, with gravity along -y; joints have a name, parent and child, and a place along x."""
    return revolute.Robot.from_links(
        name,
        [Link("base"), *(Link(*link) for link in links.items())],
        [Joint(joint, parent, child, Z, Transform(p=(x, 0, 0))) for joint, parent, child, x in joints],
        gravity=(0, -G, 0),
    )


# SHV section 6.4: links 1 and 2 turn about the base, 3 is parallel to 1 at the end of 2, 4 to 2 at the end of 1
L1, L2 = 0.7, 0.4
MASS, COM, INERTIA = (1.5, 1.1, 0.8, 2.0), (0.3, 0.15, 0.4, 0.35), (0.06, 0.03, 0.04, 0.11)


@functools.cache
def five_bar(com: tuple[float, ...] = COM) -> ConstrainedRobot:
    bars = {f"link {k}": rod(*values) for k, values in enumerate(zip(MASS, com, INERTIA, strict=True), 1)}
    joints = ("q1", "base", "link 1", 0), ("q2", "base", "link 2", 0)
    tree = planar("five-bar", bars, *joints, ("q3", "link 2", "link 3", L2), ("q4", "link 1", "link 4", L1))
    return tree.with_closures(PointClosure("link 3", "link 4", (L1, 0, 0), (-L2, 0, 0)))


def five_bar_state(q1: float, q2: float, v1: float, v2: float) -> tuple[np.ndarray, np.ndarray]:
    """In the order of the tree's joints."""
    angles = {"q1": (q1, v1), "q2": (q2, v2), "q3": (q1 - q2, v1 - v2), "q4": (q2 + np.pi - q1, v2 - v1)}
    q, qd = zip(*(angles[name] for name in five_bar().robot.joint_names), strict=True)
    return np.array(q), np.array(qd)


FOUR_BAR_JOINTS = (("motor", "base", "crank", 0), ("pin", "crank", "coupler", 0.2), ("hinge", "base", "rocker", 0.4))


@functools.cache
def four_bar() -> ConstrainedRobot:
    """A crank of 0.2 m that turns all the way round: Grashof, 0.2 + 0.5 < 0.4 + 0.4."""
    links = {"crank": rod(0.4, 0.1, 0.002), "coupler": rod(1.0, 0.25, 0.02), "rocker": rod(0.8, 0.2, 0.012)}
    tree = planar("four-bar", links, *FOUR_BAR_JOINTS)
    return tree.with_closures(PointClosure("coupler", "rocker", (0.5, 0, 0), (0.4, 0, 0)))


@functools.cache
def platform() -> ConstrainedRobot:
    """3-RRR: three legs of two rods carry a triangle in the plane; its corners are on a circle of 0.3 m."""
    links, joints, closures = [Link("base")], [], []
    corners = [0.3 * np.array([np.cos(a), np.sin(a), 0]) for a in (0.5, 0.5 + 2.1, 0.5 + 4.2)]
    for k, angle in enumerate((0.5, 2.6, 4.7)):
        links += [Link(f"upper {k}", rod(1.0, 0.3, 0.02)), Link(f"lower {k}", rod(0.7, 0.25, 0.015))]
        foot = 1.0 * np.array([np.cos(angle), np.sin(angle), 0])
        joints += [
            Joint(f"hip {k}", "base", f"upper {k}", Z, Transform(p=tuple(foot))),
            Joint(f"knee {k}", f"upper {k}", f"lower {k}", Z, Transform(p=(0.6, 0, 0))),
        ]
    links.append(Link("platform", Inertia.from_com(3.0, (0, 0, 0), np.diag([0.1, 0.1, 0.2]))))
    joints.append(Joint("ankle 0", "lower 0", "platform", Z, Transform(p=(0.5, 0, 0))))
    for k in (1, 2):
        closures.append(PointClosure(f"lower {k}", "platform", (0.5, 0, 0), tuple(corners[k] - corners[0])))
    return revolute.Robot.from_links("3-RRR", links, joints, gravity=(0, -G, 0)).with_closures(*closures)


@functools.cache
def double_four_bar() -> ConstrainedRobot:
    """Three upright bars of 1 m, joined by two more: where all lie in line, both loops lose a row."""
    bars, couplers = ("bar 1", "bar 2", "bar 3"), ("coupler 1", "coupler 2")
    tree = planar(
        "double four-bar", dict.fromkeys((*bars, *couplers), rod(1.0, 0.5, 1 / 12)),
        *((f"foot {k}", "base", f"bar {k}", k - 1) for k in (1, 2, 3)),
        *((f"pin {k}", f"bar {k}", f"coupler {k}", 1) for k in (1, 2)),
    )  # fmt: skip
    ends = ((1, 0, 0), (1, 0, 0))
    return tree.with_closures(*(PointClosure(f"coupler {k}", f"bar {k + 1}", *ends) for k in (1, 2)))


def double_four_bar_state(angle: float, speed: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Bars at an angle, couplers along x."""
    sign = np.array([1.0 if name.startswith("foot") else -1.0 for name in double_four_bar().robot.joint_names])
    return angle * sign, speed * sign


def platform_state() -> np.ndarray:
    start = {f"hip {k}": a + np.pi - 0.8 for k, a in enumerate((0.5, 2.6, 4.7))}
    start |= {f"knee {k}": 1.4 for k in range(3)} | {"ankle 0": 0.0}
    return platform().project([start[name] for name in platform().robot.joint_names])[0]


@functools.cache
def standing() -> ConstrainedRobot:
    """Talos on a floating base with both soles fixed."""
    robot = loaded(FILES["talos_data/talos_reduced"], "free")
    q = standing_positions(robot)
    soles = ("left_sole_link", "right_sole_link")
    return robot.with_closures(
        *(revolute.FrameClosure(sole, at_b=Transform.from_matrix(robot.forward_kinematics(q, sole))) for sole in soles)
    )


def standing_positions(robot: revolute.Robot) -> np.ndarray:
    q = robot.neutral()
    for side in ("left", "right"):
        for joint, angle in (("3", -0.4), ("4", 0.8), ("5", -0.4)):
            q[robot.q_index[robot.joint_index(f"leg_{side}_{joint}_joint")]] = angle
    return q


@pytest.mark.parametrize("seed", range(5))
def test_a_five_bar_linkage_in_two_coordinates(seed: int) -> None:
    """SHV section 6.4: d12 = (m3 l2 lc3 - m4 l1 lc4) cos(q2 - q1); a parallelogram's other terms are constant."""
    q1, q2, v1, v2 = np.random.default_rng(seed).uniform(-1.4, 1.4, 4)
    q2 += 1.6
    (m1, m2, m3, m4), (c1, c2, c3, c4), (I1, I2, I3, I4) = MASS, COM, INERTIA
    k = m3 * L2 * c3 - m4 * L1 * c4
    d11 = m1 * c1**2 + m3 * c3**2 + m4 * L1**2 + I1 + I3
    d22 = m2 * c2**2 + m3 * L2**2 + m4 * c4**2 + I2 + I4
    c, s = np.cos(q2 - q1), np.sin(q2 - q1)
    bias = [
        -k * s * v2**2 + G * np.cos(q1) * (m1 * c1 + m3 * c3 + m4 * L1),
        k * s * v1**2 + G * np.cos(q2) * (m2 * c2 + m3 * L2 - m4 * c4),
    ]
    linkage, (q, qd) = five_bar(), five_bar_state(q1, q2, v1, v2)
    assert np.abs(linkage.error(q)).max() < 1e-15 and linkage.mobility(q) == 2
    found = linkage.reduced_dynamics(q, qd, ["q1", "q2"])
    # least squares of well-conditioned 3x2 systems: some hundred roundings
    np.testing.assert_allclose(found.M, [[d11, k * c], [k * c, d22]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.bias, bias, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.T @ [v1, v2], qd, rtol=0, atol=1e-12)
    tau = np.zeros(4)
    tau[list(found.independent)] = torque = np.array([3.0, -2.0])
    qdd = linkage.forward_dynamics(q, qd, tau)
    ydd = np.linalg.solve(found.M, torque - found.bias)
    np.testing.assert_allclose(qdd[list(found.independent)], ydd, rtol=0, atol=1e-10)
    np.testing.assert_allclose(qdd, found.T @ ydd + found.drift, rtol=0, atol=1e-10)


@functools.cache
def held() -> ConstrainedRobot:
    """A floating tree with two links that are held."""
    robot = revolute.robots.random_tree(6, rng=5, base="free")
    q, links = robot.random_configuration(rng=2), (robot.link_names[-1], robot.link_names[2])
    return robot.with_closures(robot.hold(links[0], q), robot.hold(links[1], q, PointClosure))


@pytest.mark.parametrize("make", [five_bar, platform, held])
def test_accelerations_keep_the_loops_closed(make) -> None:
    """J qdd = -Jd qd, M qdd + b = tau + J^T f, and the power of the constraint forces is zero."""
    linkage = make()
    robot, rng = linkage.robot, np.random.default_rng(4)
    start = {five_bar: lambda: five_bar_state(0.3, 1.5, 0, 0)[0], platform: platform_state,
             held: lambda: robot.random_configuration(rng=2)}[make]()
    q, qd = linkage.project(start, rng.standard_normal(robot.nv))
    tau = rng.standard_normal(robot.nv)
    qdd, forces, J = linkage.forward_dynamics(q, qd, tau), linkage.multipliers(q, qd, tau), linkage.jacobian(q)
    scale = 1 + np.abs(qdd).max()
    assert np.abs(J @ qd).max() < 1e-12
    assert np.abs(J @ qdd + linkage.kernel("drift")(q, qd)).max() < 1e-10 * scale
    balance = robot.inverse_dynamics(q, qd, qdd) - tau - J.T @ forces
    assert np.abs(balance).max() < 1e-10 * (1 + np.abs(forces).max())
    back = linkage.forward_dynamics(q, qd, linkage.inverse_dynamics(q, qd, qdd))
    assert np.abs(back - qdd).max() < 1e-9 * scale


def test_the_rank_counts_what_positions_can_tell() -> None:
    """Two rods of 1 m in line but for an angle x, their tip held: singular values x / sqrt(5) and sqrt(5) [m]."""
    held = revolute.robots.planar(2).with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)))
    q = np.zeros((2, 2))
    q[:, 1] = 5e-9 * np.array([0.9, 1.1])  # beside 1e-9 of the largest
    assert held.mobility(q).tolist() == [1, 0]


def test_motors_that_are_too_few() -> None:
    linkage, (q, qd) = five_bar(), five_bar_state(0.2, 1.5, 1.0, -0.5)
    qdd = linkage.forward_dynamics(q, qd, np.zeros(4))
    tau = linkage.inverse_dynamics(q, qd, qdd, motors=["q1", "q2"])
    assert np.abs(tau).max() < 1e-9  # it falls freely
    lifted = qdd + linkage.reduced_dynamics(q, qd, ["q1", "q2"]).T @ [1.0, 2.0]
    assert np.abs(linkage.inverse_dynamics(q, qd, lifted, motors=["q1", "q2"])).max() > 0.1
    assert_raises(InputError, "q1 of 'five-bar' cannot produce", linkage.inverse_dynamics, q, qd, lifted, motors=["q1"])
    assert_raises(InputError, "no coordinate 'elbow'", linkage.inverse_dynamics, q, qd, lifted, motors=["elbow"])
    assert_raises(InputError, "do not determine the other joints", linkage.reduced_dynamics, q, qd, ["q1"])


def test_closures_have_the_defaults_that_are_documented() -> None:
    """Points at the origins of links, joints that follow others one to one, joints that are held at a value."""
    arm = revolute.robots.planar(2)
    q = np.array([0.3, -0.5])
    elbow = arm.with_closures(PointClosure("link2", "link1")).error(q)
    np.testing.assert_allclose(elbow, [1, 0, 0], rtol=0, atol=1e-15)
    assert arm.with_closures(revolute.JointClosure("joint2", "joint1")).error(q).tolist() == [-0.8]
    assert arm.with_closures(revolute.JointClosure("joint2", None, (0.25,))).error(q).tolist() == [-0.75]
    for wrong, message in (
        (("joint2", 5), "needs the names of joints"),
        ((5, "joint1"), "needs the names of joints"),
        (("joint2", "joint1", (0.0, np.nan)), "tuple of finite coefficients"),
        (("joint2", "joint1", ("1",)), "tuple of finite coefficients"),
        (("joint2", None, (0.1, 1.0)), "without a leader takes only the coefficient c0"),
    ):
        assert_raises(InputError, message, revolute.JointClosure, *wrong)


def test_closures_may_come_in_a_list_but_must_exist() -> None:
    arm = revolute.robots.planar(2)
    closures = revolute.PointClosure("tip", at_b=(1.5, 0.0, 0.0)), revolute.JointClosure("joint1", "joint2")
    for given in ([closures], [[*closures]], closures):
        assert arm.with_closures(*given).closures == closures
    assert_raises(InputError, "needs at least one closure", arm.with_closures)
    assert_raises(revolute.UnknownNameError, "no link 'toe'", arm.with_closures, PointClosure("toe", "base"))
    far = arm.with_closures(PointClosure("tip", "base", at_b=(5.0, 0.0, 0.0)))
    assert_raises(InputError, r"closes the loops of 'planar.*'; the error of 'tip/base\.x'", far.project, [0.1, 0.2])


def test_a_hinge_and_a_point_in_space_leave_what_they_should() -> None:
    """Seven joints of a Panda: a weld leaves one freedom, a hinge two, a ball joint four."""
    panda = revolute.robots.panda()
    q = np.array([0.3, -0.5, 0.2, -1.8, 0.4, 1.5, 0.3])
    pose = Transform.from_matrix(panda.forward_kinematics(q, panda.link_names[-1]))
    for kind, left in ((revolute.FrameClosure, 1), (revolute.AxisClosure, 2), (PointClosure, 4)):
        held = panda.with_closures(kind(panda.link_names[-1], at_b=pose))
        assert np.abs(held.error(q)).max() < 1e-15 and held.mobility(q) == left
        near, _ = held.project(q + 0.02)
        assert np.abs(held.error(near)).max() < 1e-12


STARTS: dict[str, tuple[Callable[[], ConstrainedRobot], Callable[[], np.ndarray]]] = {
    # link 2 and all that moves with it are in balance: swinging about q1 it stays off its flat, singular states
    "five-bar": (
        lambda: five_bar((*COM[:3], (MASS[1] * COM[1] + MASS[2] * L2) / MASS[3])),
        lambda: five_bar_state(-np.pi / 2 + 0.4, 0.0, 0, 0)[0],
    ),
    "four-bar": (four_bar, lambda: four_bar().project([1.0, -0.2, 1.5])[0]),
    "3-RRR": (platform, platform_state),
    "Talos": (standing, lambda: standing_positions(standing().robot)),
}
"""Linkages, and states in which they start: both feet of Talos are fixed."""

LONG = [pytest.param(name, 1.0 if name == "Talos" else 10.0, marks=pytest.mark.slow) for name in STARTS]


@pytest.mark.parametrize(("name", "seconds"), [("five-bar", 0.5), ("four-bar", 0.5), ("3-RRR", 0.5), *LONG])
def test_loops_stay_closed_and_energy_is_kept(name: str, seconds: float) -> None:
    """DOP853 at rtol 1e-12 leaves some 1e-11 an instant, over 500 instants.

    At 0.36 s Talos swings through a singular position; a row acts there as redundant, which takes 0.02 of 1,300 J.
    """
    linkage, q, most = STARTS[name][0](), STARTS[name][1](), 1e-4 if name == "Talos" else 1e-8
    motion = linkage.simulate(q, np.zeros(linkage.robot.nv), None, np.arange(0, seconds, 0.02), "DOP853", rtol=1e-12)
    assert np.abs(linkage.error(motion.q)).max() < 1e-8
    assert np.abs(motion.energy - motion.energy[0]).max() / (np.ptp(motion.kinetic_energy) + 1e-9) < most


def test_the_order_of_runge_kutta_is_kept() -> None:
    """Half the step, a sixteenth of the error in energy, projection and all."""
    linkage, q = platform(), platform_state()
    errors = []
    for h in (2e-3, 1e-3):
        motion = linkage.simulate(q, np.zeros(7), None, np.arange(0, 0.3, h))
        errors.append(np.abs(motion.energy - motion.energy[0]).max())
    assert 10 < errors[0] / errors[1] < 24


@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853"])
def test_forces_hold_for_a_step_of_fixed_methods_and_vary_for_adaptive_ones(method: str) -> None:
    linkage, (q, qd), t = five_bar(), five_bar_state(0.3, 1.5, 0.1, 0.2), np.linspace(0, 0.02, 5)
    asked: list[float] = []

    def torque(time: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        asked.append(time)
        return np.array([np.sin(40 * time), 0, 0, 0])

    linkage.simulate(q, qd, torque, t, method)
    assert set(t[:-1]) <= set(asked)
    assert set(asked) <= set(t) if method == "runge_kutta_4" else len(set(asked) - set(t)) > 10


def test_without_projection_stabilization_keeps_errors_small() -> None:
    linkage = platform()  # a parallelogram's rows are linear in its angles, and do not drift
    q, qd = linkage.project(platform_state(), np.ones(7))
    t = np.arange(0, 0.3, 4e-3)
    plain, held = (linkage.simulate(q, qd, None, t, projection=False, stabilization=rate) for rate in (0.0, 30.0))
    errors = [np.abs(linkage.error(motion.q[-1])).max() for motion in (plain, held)]
    assert errors[1] < errors[0] < 1e-4
    assert np.array_equal(linkage.simulate(q, qd, None, t, projection=False).q, plain.q)  # no rate unless asked for
    assert np.abs(linkage.error(linkage.simulate(q, qd, None, t).q)).max() <= 1e-12 < 1e-9 < errors[1]


def test_states_count_as_closed_within_a_picometre() -> None:
    """A tip that is to be at 1 m along x and is off by less stays where it is; by more it is moved."""
    held = revolute.robots.planar(2).with_closures(PointClosure("tip", at_b=(1.0, 0.0, 0.0)))
    closed = np.array([np.pi / 3, -2 * np.pi / 3])
    for off, moves in ((0.9e-12, False), (1.1e-12, True)):
        q = closed + np.array([0.0, off * 2 / np.sqrt(3)])  # the tip moves by sqrt(3)/2 of it along x, by half along y
        assert np.array_equal(held.project(q)[0], q) is not moves
        assert np.abs(held.error(held.project(q)[0])).max() <= 1e-12


def test_motions_count_as_possible_within_a_millionth() -> None:
    """Of the greatest force that is wanted, and of the accelerations of the loops with 1e-3 beside."""
    arm = revolute.robots.planar(2).with_gravity((0, 0, 0))
    pinned, still = arm.with_closures(PointClosure("base", "base")), np.zeros(2)
    M = arm.mass_matrix(still)
    for share, possible in ((0.98e-6, True), (1.02e-6, False)):
        qdd = np.linalg.solve(M, [1.0, share])
        if possible:
            assert pinned.inverse_dynamics(still, still, qdd, motors=["joint1"])[0] == pytest.approx(1.0)
        else:
            with pytest.raises(InputError, match=r"cannot produce this motion \(missing force: 1\.02e-06\)"):
                pinned.inverse_dynamics(still, still, qdd, motors=["joint1"])
    held = arm.with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)))  # stretched: the tip goes by 2 q1 + q2
    for qdd, limit in (((1.0, -2.0), 1e-6 * (4 + 1e-3)), ((0.0, 0.0), 1e-9)):
        held.inverse_dynamics(still, still, [qdd[0], qdd[1] + 0.99 * limit])
        with pytest.raises(InputError, match=r"opens the loops of 'planar2': 'tip/base frame\.y' accelerates by"):
            held.inverse_dynamics(still, still, [qdd[0], qdd[1] + 1.01 * limit])


def test_a_motion_that_breaks_off_gives_what_was_there() -> None:
    linkage, (q, qd) = five_bar(), five_bar_state(0.3, 1.5, 0, 0)
    with pytest.raises(SimulationError, match="at t=") as caught:
        linkage.simulate(q, qd, lambda t, q, qd: np.full(4, 1e9 if t > 0.01 else 0.0), np.arange(0, 1, 5e-3))
    assert 2 <= len(caught.value.partial.t) < 100


def test_singular_closures_are_those_that_usual_states_have() -> None:
    """Near is 1e-4 of the largest singular value."""
    linkage = double_four_bar()
    usual, flat = double_four_bar_state(0.5)[0], double_four_bar_state(0.0)[0]
    s = np.linalg.svd(linkage.jacobian(double_four_bar_state(1e-3)[0]), compute_uv=False)
    near = 1e-3 * 1e-4 / (s[2] / s[0])  # two rows are out of the plane, and two are lost: the larger comes last
    for angle, singular in ((0.9 * near, True), (1.1 * near, False)):
        found = singular_closures(linkage, double_four_bar_state(angle)[0][None], usual[None])
        assert (found is not None and "coupler 1/bar 2.x', 'coupler 2" in found) is singular
    assert singular_closures(linkage, np.stack([usual, flat]), np.stack([flat, usual])) is not None
    assert singular_closures(linkage, usual[None], np.stack([flat, usual])) is None
    assert singular_closures(linkage, np.full((1, 5), np.nan), usual[None]) is None


def test_what_carries_a_loop_is_none_of_its_joints() -> None:
    linkage = double_four_bar()
    bodies = linkage.robot.bodies
    joints = [Joint("turn", "ground", "table", revolute.Revolute((1, 2, 3)))]
    for body in bodies[1:]:
        parent = bodies[body.parent].name if body.parent else "table"
        joints.append(Joint(body.joint_name, parent, body.name, body.joint, body.placement))
    links = [Link("ground"), Link("table", rod(3.0, 0.1, 0.2)), *(Link(b.name, b.inertia) for b in bodies[1:])]
    turned = revolute.Robot.from_links("on a table", links, joints).with_closures(*linkage.closures)
    q = np.full((2, 6), 0.7)
    at = [turned.robot.joint_names.index(name) for name in linkage.robot.joint_names]
    q[:, at] = np.stack([double_four_bar_state(angle)[0] for angle in (0.0, 0.5)])
    said = singular_closures(turned, q[:1], q[1:])
    assert said is not None and "of the joints 'foot 1', 'pin 1', 'foot 2', 'pin 2', 'foot 3' (" in said


def test_motions_that_diverge_name_a_joint_and_a_step() -> None:
    linkage, state, t = five_bar(), five_bar_state(0.3, 1.5, 0.1, 0.2), [0.0, 0.1, 0.2]
    far = r"^simulate: the motion diverges at t=0\.. s, first in joint 'q1': steps of 0\.1 s are too long\. .* /s, and "
    assert_raises(SimulationError, far, linkage.simulate, *state, [1e6, 0, 0, 0], t)
    assert_raises(SimulationError, r"at t=0\.1 s, first in joint 'q1'; use", linkage.simulate, *state, [1e300] * 4, t)


@functools.cache
def parallelogram(longer: float = 0.0) -> ConstrainedRobot:
    """Crank and rocker of 0.2 m, coupler and base of 0.4 m: in line, the branches q1 = q3 and tan(q1/2) = -tan(q3/2)/3
    cross. A rocker that is longer turns from one to the other."""
    bar = rod(0.4, 0.1, 0.0014)
    tree = planar("parallelogram", {"crank": bar, "coupler": rod(1.0, 0.2, 0.0134), "rocker": bar}, *FOUR_BAR_JOINTS)
    return tree.with_closures(PointClosure("coupler", "rocker", (0.4, 0, 0), (0.2 + longer, 0, 0)))


def leaves_its_branch(q: np.ndarray, crossed: bool) -> float:
    """Largest error of q1 = q3, or of tan(q1/2) = -tan(q3/2)/3."""
    (s1, s3), (c1, c3) = (f(q[..., [0, 2]].T / 2) for f in (np.sin, np.cos))
    return float(np.abs(3 * s1 * c3 + c1 * s3 if crossed else q[..., 0] - q[..., 2]).max())


def on_a_branch(angle: float, crossed: bool, speed: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """The parallelogram at a crank angle; `crossed` has the coupler's ends on both sides of the base line."""

    def positions(angle: float) -> np.ndarray:
        other = 2 * np.arctan(-3 * np.tan(angle / 2)) if crossed else angle
        x, y = (0.4 * e + 0.2 * (f(other) - f(angle)) for e, f in ((1, np.cos), (0, np.sin)))
        return np.array([angle, np.arctan2(y, x) - angle, other])

    return positions(angle), speed * (positions(angle + 1e-5) - positions(angle - 1e-5)) / 2e-5


@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853", "RK45"])
@pytest.mark.parametrize("crossed", [False, True])
def test_swings_through_singular_positions_keep_their_branch(crossed: bool, method: str) -> None:
    """No impulse acts where bars lie in line, so a motion keeps its velocity, and with it its branch."""
    for angle in np.linspace(0.2, 2.9, 7):
        motion = parallelogram().simulate(*on_a_branch(angle, crossed), None, np.linspace(0, 1, 201), method)
        assert leaves_its_branch(motion.q, crossed) < 1e-5
        assert np.ptp(motion.energy) < (1e-3 if method == "runge_kutta_4" else 1e-5)
        assert np.abs(parallelogram().error(motion.q)).max() < 1e-12


STEPS = {"runge_kutta_4": 1e-3, "DOP853": 1e-5, "RK45": 1e-5, "LSODA": 1e-5, "implicit_midpoint": 2e-3}
"""Methods, and changes of the energy [J] of steps of 5 ms."""


@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("angle", [0.05, 3e-4, 0.0])
def test_a_motion_keeps_its_branch_through_a_singular_position(angle: float, crossed: bool, method: str) -> None:
    """Implicit steps ignore the large slopes of states that open the loops; their middles are 0.02 rad away."""
    angle = 0.02 if angle == 3e-4 and "implicit" in method else angle
    motion = parallelogram().simulate(*on_a_branch(angle, crossed, -9.0), None, np.linspace(0, 0.02, 5), method)
    assert leaves_its_branch(motion.q, crossed) < 1e-8 and motion.q[-1, 0] < -0.1
    assert np.ptp(motion.energy) < STEPS[method]
    assert np.abs(parallelogram().error(motion.q)).max() < 1e-12


def test_accelerations_near_a_singular_position_are_those_beside_it() -> None:
    """Means of both sides, 0.01 rad away, differ by 1e-4 of the accelerations."""
    linkage, tau = parallelogram(), np.array([0.3, 0.0, 0.0])
    for crossed in (False, True):
        for angle in (3e-4, 1e-3, 3e-3):
            sides = [on_a_branch(angle + d, crossed, 2.0) for d in (0.01, -0.01)]
            expected = np.mean([linkage.forward_dynamics(*state, tau) for state in sides], axis=0)
            found = linkage.simulate(*on_a_branch(angle, crossed, 2.0), tau, [0.0]).qdd[0]
            assert np.abs(found - expected).max() < 2e-3 * np.abs(expected).max()


@pytest.mark.parametrize("longer", [1e-5, 1e-6])
def test_bars_that_nearly_fit_turn_from_one_branch_to_the_other(longer: float) -> None:
    """The branches do not cross: the motion passes within sqrt(longer), which is not below 1e-4 here."""
    linkage = parallelogram(longer)
    state = linkage.project(*on_a_branch(0.05, False, -9.0))
    motion = linkage.simulate(*state, None, np.linspace(0, 0.02, 5), "DOP853")
    assert leaves_its_branch(motion.q[-1], False) > 0.1
    assert leaves_its_branch(motion.q[-1], True) < 1e-3
    assert np.ptp(motion.energy) < 1e-7 and np.abs(linkage.error(motion.q)).max() < 2e-12


@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853"])
def test_loops_at_rest_in_a_singular_position_have_no_motion(method: str) -> None:
    linkage, still = parallelogram(), np.zeros(3)
    named = (
        r"^simulate: the motion is not determined after t=0 s: closures of 'parallelogram' are singular there, their "
        r"Jacobian loses rank: 'coupler/rocker\.x', in the loops of the joints 'motor', 'pin', 'hinge' \(.* Links "
        r"are collinear, or joint axes coincide\. The robot is at rest; start with a nonzero velocity, or a little "
        r"away from this position$"
    )
    with pytest.raises(SimulationError, match=named) as caught:
        linkage.simulate(still, still, None, [0.0, 0.01], method)
    assert caught.value.partial.t.tolist() == [0.0] and np.isfinite(caught.value.partial.qdd).all()
    assert (linkage.simulate(still, still, linkage.robot.gravity_forces(still), [0.0, 0.01], method).q == 0).all()
    assert linkage.simulate(*on_a_branch(1e-3, False), None, [0.0, 0.01], method).q[-1, 0] < 1e-3


@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853", "Radau"])
def test_two_loops_that_become_singular_together_go_on(method: str) -> None:
    """Bars fall flat at 0.71436 s: the couplers stay level, as on either side."""
    linkage, state = double_four_bar(), double_four_bar_state(0.02, -5.0)
    motion = linkage.simulate(*state, None, np.arange(0, 0.012, 1e-3), method)
    sign = double_four_bar_state(1.0)[0]
    assert np.abs(motion.q - motion.q[:, :1] * sign / sign[0]).max() < 1e-8 and motion.q[-1, 0] * sign[0] < -0.03
    assert np.ptp(motion.energy) < 1e-6


def test_feet_on_the_ground_agree_with_pinocchio() -> None:
    linkage = standing()
    robot, q0 = linkage.robot, standing_positions(linkage.robot)
    model = pin.buildModelFromUrdf(str(FILES["talos_data/talos_reduced"]), pin.JointModelFreeFlyer())
    data = model.createData()
    q, qd = linkage.project(q0, np.random.default_rng(2).standard_normal(robot.nv))
    positions, order = to_pinocchio(robot, model, q[None])
    contacts = pin.StdVec_RigidConstraintModel()
    for sole in ("left_sole_link", "right_sole_link"):
        frame = model.frames[model.getFrameId(sole)]
        kind = pin.ContactType.CONTACT_6D
        contacts.append(pin.RigidConstraintModel(kind, model, frame.parentJoint, frame.placement))
    datas = pin.StdVec_RigidConstraintData()
    datas.extend([contact.createData() for contact in contacts])
    pin.initConstraintDynamics(model, data, contacts, datas)
    tau = np.random.default_rng(3).standard_normal(robot.nv)
    settings = pin.ProximalSettings(1e-12, 1e-14, 100)
    theirs = pin.constraintDynamics(model, data, positions[0], qd[order], tau[order], contacts, datas, settings)
    ours = linkage.forward_dynamics(q, qd, tau)[order]
    assert np.abs(ours - theirs).max() < 1e-9 * (1 + np.abs(theirs).max()) * 10


def test_every_row_has_a_tolerance_of_its_own() -> None:
    arm = revolute.robots.planar(2)
    pinned = arm.with_closures(PointClosure("base", "base"))
    still = np.zeros(2)
    hard = np.linalg.solve(arm.mass_matrix(still), [1e8, 0.0] - arm.gravity_forces(still))
    assert pinned.inverse_dynamics(still, still, hard, motors=["joint1"])[0] == pytest.approx(1e8)
    with pytest.raises(InputError, match="cannot produce"):
        pinned.inverse_dynamics(still, still, np.stack([hard, still]), motors=["joint1"])


def test_arguments_are_checked() -> None:
    linkage, (q, qd) = five_bar(), five_bar_state(0.3, 1.5, 0.1, 0.2)
    assert_raises(InputError, "named more than once", linkage.reduced_dynamics, q, qd, ["q1", "q1"])
    for rate in (-1.0, np.nan, np.inf, "1"):
        assert_raises(InputError, r"must be a rate", linkage.simulate, q, qd, None, [0.0], stabilization=rate)
    assert_raises(InputError, "three finite numbers", PointClosure, "link 1", "link 2", (np.nan, 0.0, 0.0))
    assert_raises(InputError, r"^project: q is not finite", linkage.project, q * np.nan)
    assert_raises(revolute.ShapeError, "qd has shape", linkage.forward_dynamics, q, qd[:2], qd, stabilization=1.0)
    assert_raises(revolute.ShapeError, "qdd has shape", linkage.inverse_dynamics, q, qd, qd[:2])
    with pytest.raises(InputError, match="with_closures: drives must be of the type bool"):
        linkage.robot.with_closures(*linkage.closures, drives={"q1": revolute.Drive()})
    assert_raises(InputError, "smoothing applies to", linkage.robot.with_closures, *linkage.closures, smoothing=0.1)
    with pytest.raises(InputError, match=r"with_closures: joint 'joint2' of 'planar2' mimics .*, with m in .*, but"):
        coupled = revolute.Drive(mimic=revolute.Mimic("joint1", sympy.Symbol("m")))
        revolute.robots.planar(2).with_drives({"joint2": coupled}).robot.with_closures()
    with pytest.raises(InputError, match="rtol must be a positive number"):
        linkage.simulate(q, qd, None, [0.0, 0.1], "DOP853", rtol=np.nan)
    assert_raises(InputError, "no method 'euler'", linkage.simulate, q, qd, None, [0.0, 0.1], "euler")
    assert_raises(InputError, "opens the loops of 'five-bar'", linkage.inverse_dynamics, q, qd, [1.0, 0.0, 0.0, 0.0])


def test_a_joint_that_mimics_one_that_was_locked_is_named() -> None:
    arm = revolute.robots.planar(2)
    follower = replace(arm.bodies[2], drive=revolute.Drive(mimic=revolute.Mimic("joint1")))
    coupled = replace(arm, bodies=(*arm.bodies[:2], follower))
    assert coupled.with_closures().row_names == ("joint2/joint1",)
    half = coupled.lock({"joint1": 0.1})
    for modelled in (half.with_closures, half.with_drives):
        assert_raises(revolute.ModelError, "joint 'joint2' of 'planar2' mimics 'joint1', which", modelled)
