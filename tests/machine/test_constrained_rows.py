"""Closed loops with redundant rows: on turning and free bases, in states that are not quite closed."""

import functools
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from robots import one_joint

import revolute
from revolute import AxisClosure, ConstrainedRobot, Inertia, Joint, Link, PointClosure, Revolute, Robot, Transform


def rod(mass: float, length: float) -> Inertia:
    return Inertia.from_com(mass, (length / 2, 0, 0), np.diag([1e-4, *[mass * length**2 / 12] * 2]))


UPRIGHT = [Transform.from_rpy((x, 0, 0), (-np.pi / 2, 0, 0)) for x in (0.5, 0.4)]
CLOSURES = {
    "point": PointClosure("coupler", "rocker", (0.5, 0, 0), (0.4, 0, 0)),  # one of three rows is redundant
    "axis": AxisClosure("coupler", "rocker", *UPRIGHT),  # three of five
    "twice": (PointClosure("coupler", "rocker", (0.5, 0, 0), (0.4, 0, 0)),) * 2,
}


@functools.cache
def linkage(closure: str, turning: bool = True) -> ConstrainedRobot:
    """A planar four-bar linkage on a turntable or on a free body, without gravity."""
    ground, body = ("table", Inertia.from_com(1.0, (0, 0, 0), 0.05 * np.eye(3)))
    hinge = Revolute((0, 1, 0))
    bars = {"crank": rod(0.4, 0.2), "coupler": rod(1.0, 0.5), "rocker": rod(0.8, 0.4)}
    links = [Link(ground, body), *(Link(*bar) for bar in bars.items())]
    joints = [
        Joint("motor", ground, "crank", hinge),
        Joint("pin", "crank", "coupler", hinge, Transform(p=(0.2, 0, 0))),
        Joint("hinge", ground, "rocker", hinge, Transform(p=(0.4, 0, 0))),
    ]
    if turning:
        links, joints = [Link("base"), *links], [Joint("turn", "base", ground, Revolute()), *joints]
    tree = Robot.from_links("four-bar", links, joints, gravity=(0, 0, 0), base="fixed" if turning else "free")
    closures = CLOSURES[closure]
    return tree.with_closures(*(closures if isinstance(closures, tuple) else (closures,)))


def state(closure: str, turning: bool = True) -> tuple[np.ndarray, np.ndarray]:
    machine = linkage(closure, turning)
    if turning:
        return machine.project([0.2, -1.0, 0.2, -1.5], [3.0, 1.0, 0, 0])
    q = machine.robot.neutral()
    q[7:] = [-1.0, 0.2, -1.5]
    return machine.project(q, [0.5, 1, 3, 0.2, 0.1, 0.3, 1, 0, 0])


@pytest.mark.parametrize("closure", CLOSURES)
def test_a_loop_on_a_turntable_keeps_energy_and_momentum(closure: str) -> None:
    """Steps of 2 ms. In independent coordinates DOP853 finds 2.676113455738 rad/s; M qd has the table's momentum."""
    motion = linkage(closure).simulate(*state(closure), None, np.arange(0, 0.1, 2e-3))
    momentum = np.einsum("tj,tj->t", linkage(closure).robot.mass_matrix(motion.q)[:, 0], motion.qd)
    assert np.ptp(motion.energy) < 1e-9 * motion.energy[0]
    assert np.ptp(momentum) < 1e-9 * momentum[0]
    assert motion.qd[-1, 0] == pytest.approx(2.676113455738, abs=1e-9)


@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853"])
def test_a_loop_on_a_free_base_keeps_energy_and_momentum(method: str) -> None:
    machine = linkage("point", False)
    motion = machine.simulate(*state("point", False), None, np.arange(0, 0.2, 2e-3), method)
    momentum = machine.robot.centroidal_momentum(motion.q, motion.qd)
    assert np.abs(momentum - momentum[0]).max() < 1e-8 * np.abs(momentum[0]).max()
    assert np.ptp(motion.energy) < 1e-8 * motion.energy[0]


@pytest.mark.parametrize("closure", CLOSURES)
def test_redundant_rows_have_forces_of_least_norm(closure: str) -> None:
    machine, (q, qd), tau = linkage(closure), state(closure), np.array([1.0, 0.5, -0.3, 0.2])
    J, forces = machine.jacobian(q), machine.multipliers(q, qd, tau)
    missing = machine.robot.inverse_dynamics(q, qd, machine.forward_dynamics(q, qd, tau)) - tau
    least = np.linalg.lstsq(J.T, missing, rcond=1e-9)[0]
    np.testing.assert_allclose(forces, least, rtol=0, atol=1e-6 * np.abs(least).max())


def test_redundant_rows_in_single_precision() -> None:
    (q, qd), tau = state("twice"), np.array([1.0, 0.5, -0.3, 0.2])
    single = linkage("twice").forward_dynamics(*(x.astype(np.float32) for x in (q, qd, tau)))
    double = linkage("twice").forward_dynamics(q, qd, tau)
    assert single.dtype == np.float32 and np.abs(single - double).max() < 1e-3 * np.abs(double).max()


def test_rows_that_vanish_carry_no_force() -> None:
    arm = revolute.robots.planar(2)
    pinned, zero = arm.with_closures(PointClosure("base", "base")), np.zeros(2)
    assert not pinned.multipliers(zero, zero, zero).any()
    free = arm.forward_dynamics(zero, zero, zero)
    np.testing.assert_allclose(pinned.forward_dynamics(zero, zero, zero), free, rtol=1e-12)


@pytest.mark.parametrize("closure", [PointClosure, AxisClosure, revolute.FrameClosure])
def test_partials_of_held_floating_robots_are_slopes(closure: type) -> None:
    """In all directions, those of the base included, as the rows are independent; loops are open, under a load."""
    robot = revolute.robots.random_tree(6, rng=5, base="free")
    q, rng, load = robot.random_configuration(rng=2), np.random.default_rng(2), {robot.link_names[3]: np.arange(1.0, 7)}
    machine = robot.with_closures(robot.hold(robot.link_names[-1], q, closure))
    q = robot.integrate(q, 0.05 * rng.standard_normal(robot.nv))
    qd, tau = rng.standard_normal((2, robot.nv))
    found = machine.forward_dynamics_partials(q, qd, tau, wrenches=load, stabilization=2.0)
    for k, way in enumerate(1e-5 * np.eye(robot.nv)):
        for slopes, ends in (
            (found[0], [(robot.integrate(q, s * way), qd, tau) for s in (1, -1)]),
            (found[1], [(q, qd + s * way, tau) for s in (1, -1)]),
            (found[2], [(q, qd, tau + s * way) for s in (1, -1)]),
        ):
            first, last = (machine.forward_dynamics(*end, wrenches=load, stabilization=2.0) for end in ends)
            size = 1 + np.abs(slopes[:, k]).max()
            np.testing.assert_allclose(slopes[:, k], (first - last) / 2e-5, rtol=0, atol=1e-6 * size)


@pytest.mark.parametrize("motors", [None, ["turn", "motor"], ["turn", "pin", "hinge"]])
@pytest.mark.parametrize("closure", CLOSURES)
def test_partials_of_inverse_dynamics_are_slopes_along_closed_motions(closure: str, motors: list[str] | None) -> None:
    """Time derivatives along a motion that stays closed, under growing forces; one motor too many, or all."""
    machine, h = linkage(closure), 1e-4
    motion = machine.simulate(*state(closure), None, np.arange(0, 0.0105, h), "DOP853")
    q, qd, t = motion.q[50:55], motion.qd[50:55], motion.t[50:55, None]
    x = q, qd, machine.forward_dynamics(q, qd, [1.0, 0.2, 0, 0] + t * [300.0, -100.0, 0, 0])
    slopes = machine.inverse_dynamics_partials(*(part[2] for part in x), motors=motors)

    def rate(part: np.ndarray) -> np.ndarray:
        return (8 * (part[3] - part[1]) - (part[4] - part[0])) / (12 * h)

    expected = rate(machine.inverse_dynamics(*x, motors=motors))
    found = sum(A @ rate(part) for A, part in zip(slopes, x, strict=True))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("restitution", [None, 0.4])
@pytest.mark.parametrize("turning", [True, False])
def test_impulses_conserve_momentum_and_their_partials_are_slopes(turning: bool, restitution: float | None) -> None:
    machine, (q, _) = linkage("point", turning), state("point", turning)
    qd, r = np.linspace(-1, 1.2, machine.robot.nv), restitution or 0.0
    J, M = machine.jacobian(q), machine.robot.mass_matrix(q)
    after, p = machine.impulse(q, qd, restitution=restitution)
    np.testing.assert_allclose(M @ (after - qd), J.T @ p, rtol=0, atol=1e-9)
    np.testing.assert_allclose(J @ after, -r * J @ qd, rtol=0, atol=1e-9)
    by_q, by_qd = machine.impulse_partials(q, qd, restitution=restitution)
    tangents = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, 1e-6) :]
    for way in tangents:
        ends = [machine.project(machine.robot.integrate(q, sign * 1e-5 * way))[0] for sign in (1, -1)]
        first, last = (machine.impulse(end, qd, restitution=restitution)[0] for end in ends)
        np.testing.assert_allclose(by_q @ way, (first - last) / 2e-5, rtol=0, atol=1e-6)
    for k, row in enumerate(np.eye(len(qd))):
        first, last = (machine.impulse(q, qd + s * row, restitution=restitution)[0] for s in (0.5, -0.5))
        np.testing.assert_allclose(by_qd[:, k], first - last, rtol=0, atol=1e-8)


def test_closures_that_are_open_have_no_effect() -> None:
    arm, rng = revolute.robots.dh_arm(5), np.random.default_rng(2)
    q, qd, tau = rng.standard_normal((3, 5, 5))
    here = tuple(arm.forward_kinematics(q[0], "flange")[:3, 3])
    closures = PointClosure("flange", at_b=here), revolute.JointClosure(arm.joint_names[0], None, (0.0,))
    both, (one, other) = arm.with_closures(*closures), (arm.with_closures(x) for x in closures)
    for active, alone in (((1, 0), one), ((0, 1), other), ((0, 0), arm), ((1, 1), both)):
        for name in ("forward_dynamics", "forward_dynamics_partials", "inverse_dynamics_partials", "impulse"):
            arguments = (q, qd) if name == "impulse" else (q, qd, tau)
            found = getattr(both, name)(*arguments, active=np.array(active, float))
            if name == "impulse":
                found, expected = found[0], qd if alone is arm else alone.impulse(q, qd)[0]
            elif name == "inverse_dynamics_partials" and alone is not arm:
                expected = alone.inverse_dynamics_partials(q, qd, tau)
            else:
                expected = getattr(alone, name)(*arguments)
            for x, y in zip(np.atleast_1d(found), np.atleast_1d(expected), strict=True):
                np.testing.assert_allclose(x, y, rtol=0, atol=1e-5 * np.abs(y).max())
    each = both.forward_dynamics(q, qd, tau, active=rng.integers(0, 2, (5, 2)).astype(float))
    assert each.shape == (5, 5)


def test_targets_lead_closures() -> None:
    """A tip that is led on a circle: its acceleration is that of the circle; errors decay with stabilization."""
    arm = revolute.robots.planar(3)
    led = arm.with_closures(PointClosure("tip", at_b=(1.5, 0.5, 0.0)))
    q, qd, tau = np.array([0.3, 0.8, 0.5]), np.array([0.2, -0.4, 0.3]), np.zeros(3)
    path = np.array([0.1, 0.2, 0]), np.array([-0.3, 0.1, 0]), np.array([0.5, -0.7, 0])
    names = "target", "target_rate", "target_acceleration"
    qdd = led.forward_dynamics(q, qd, tau, target_acceleration=path[2])
    drift = led.kernel("drift")(q, qd)
    np.testing.assert_allclose(led.jacobian(q) @ qdd + drift, path[2], rtol=0, atol=1e-9)
    qdd = led.forward_dynamics(q, qd, tau, stabilization=5.0, **dict(zip(names, path, strict=True)))
    e, rate = led.error(q) - path[0], led.jacobian(q) @ qd - path[1]
    expected = path[2] - 10 * rate - 25 * e
    np.testing.assert_allclose(led.jacobian(q) @ qdd + drift, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(led.jacobian(q) @ led.impulse(q, qd, target_rate=path[1])[0], path[1], rtol=0, atol=1e-9)

    def accelerated(q: np.ndarray, qd: np.ndarray, name: str = "forward_dynamics") -> Any:
        return getattr(led, name)(q, qd, tau, stabilization=5.0, **dict(zip(names, path, strict=True)))

    h, slopes = 1e-5 * np.eye(3), accelerated(q, qd, "forward_dynamics_partials")
    by_q, by_qd = (accelerated(q + a, qd + b) - accelerated(q - a, qd - b) for a, b in ((h, 0 * h), (0 * h, h)))
    for found, differences in zip(slopes, (by_q, by_qd), strict=False):
        np.testing.assert_allclose(found, differences.T / 2e-5, rtol=0, atol=1e-6 * np.abs(found).max())


@pytest.mark.parametrize("closure", [revolute.FrameClosure, PointClosure, AxisClosure])
@pytest.mark.parametrize("other", [None, "upper_arm_link"])
def test_held_links_stay_where_they_are(closure: type, other: str | None) -> None:
    arm, q = revolute.robots.ur5(), np.linspace(0.1, 0.9, 6)
    held = arm.hold("tool0", q, closure, link_b=other, at=(0.1, 0.2, 0.3))
    assert type(held) is closure and np.abs(arm.with_closures(held).error(q)).max() < 1e-15
    turned = q + 0.3 * np.eye(6)[0]
    assert (np.abs(arm.with_closures(held).error(turned)).max() < 1e-15) == (other is not None)
    with pytest.raises(revolute.InputError, match=r"hold: closure must be FrameClosure, .* not 'tool0'"):
        arm.hold("tool0", q, "tool0")  # type: ignore[arg-type]


def test_contradictory_closures_are_named_with_their_distance() -> None:
    arm, q = revolute.robots.ur5(), np.array([0.1, -0.9, 0.9, 0.3, 0.5, 0.2])
    here = arm.forward_kinematics(q, "tool0")[:3, 3]
    places = PointClosure("tool0", at_b=tuple(here)), PointClosure("tool0", at_b=tuple(here + 0.1 * np.eye(3)[0]))
    twice, message = arm.with_closures(*places), "the point of 'tool0' .* and the point of 'tool0' .* apart by 0.1; "
    for fails in (lambda: twice.project([q, q]), lambda: twice.simulate(q, 0 * q, None, [0, 0.1])):
        assert_raises(revolute.InputError, message, fails)
    far = arm.with_closures(PointClosure("tool0", at_b=(3, 0, 0)), PointClosure("forearm_link", at_b=(0.3, 0, 0.3)))
    assert_raises(revolute.InputError, r"found no state .* 'tool0/base frame.x' is still", far.project, q)
    first, second = np.eye(2)
    moved, speed = twice.project(q + 0.01, q, active=second, target=[0.01] * 6, target_rate=[0.1] * 6)
    np.testing.assert_allclose(twice.error(moved), [0.11, 0.01, 0.01, 0.01, 0.01, 0.01], rtol=0, atol=1e-12)
    np.testing.assert_allclose(twice.jacobian(moved) @ speed, 0.1, rtol=0, atol=1e-12)
    assert np.array_equal(twice.project(q, active=first)[0], q)


def test_open_states_are_refused_with_their_distance() -> None:
    (q, _), still = state("point"), np.zeros(4)
    near = q + 1e-3 * np.eye(4)[1]
    for call in (
        lambda q: linkage("point").linearize(q, still, still, ["turn", "motor"]),
        lambda q: linkage("point").reduced_dynamics(q, still, ["turn", "motor"]),
    ):
        call(q)
        assert_raises(revolute.InputError, r"open, 'coupler/rocker\.\w' by 0.000\d+; `project` the state", call, near)


WELD, HINGE = [[0, 0, 1], [1, 0, 0], [0, 1, 0]], [[0, 1, 0], [-1, 0, 0]]


@pytest.mark.parametrize(
    ("kind", "center", "axes"), [(revolute.FrameClosure, (0.1, 0.2, 0.3), WELD), (AxisClosure, (0, 0, 0.3), HINGE)]
)
def test_moments_are_about_axes_of_the_closure(kind: Any, center: tuple[float, ...], axes: Any) -> None:
    """2 kg, at rest, turned: force and moment balance the weight, which has no moment about the hinge's z axis."""
    pose = Transform.from_rpy((0, 0, 0), (0.3, -0.5, 1.2))
    free, still = one_joint(revolute.Free(), Inertia.from_com(2.0, center, np.eye(3))), np.zeros(6)
    held = free.with_closures(kind("body", at_b=pose))
    forces = held.multipliers([0, 0, 0, *pose.R.quaternion()], still, still)
    weight = np.array([0, 0, -2 * 9.81])
    moment = -np.cross(center, np.array(pose.R.matrix()).T @ weight)
    np.testing.assert_allclose(forces, [*-weight, *np.array(axes) @ moment], rtol=0, atol=1e-9)
