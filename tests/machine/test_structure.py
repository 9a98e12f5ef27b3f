"""Structural properties: bounds of the mass matrix, and the balance of energy and work."""

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from robots import chain

import revolute
from revolute import Free, Inertia, InputError, Limits, Prismatic, Revolute, Robot, ShapeError, Transform


def eigenvalues(robot: Robot, q: np.ndarray) -> np.ndarray:
    return np.linalg.eigvalsh(robot.mass_matrix(q))


@pytest.mark.parametrize(("n", "base"), [(1, "fixed"), (4, "fixed"), (7, "fixed"), (3, "free")])
@pytest.mark.parametrize("seed", range(2))
def test_bounds_are_attained_and_the_ceiling_holds(n: int, base: str, seed: int) -> None:
    robot = revolute.robots.random_tree(n, rng=seed, base=base)
    bounds = robot.inertia_bounds(samples=300, rng=seed)
    rounding = 10 * robot.nv * np.finfo(float).eps * bounds.highest  # of two ways to eigenvalues
    assert abs(eigenvalues(robot, bounds.q_lowest)[0] - bounds.lowest) <= rounding
    assert abs(eigenvalues(robot, bounds.q_highest)[-1] - bounds.highest) <= rounding
    for q in (bounds.q_lowest, bounds.q_highest):
        assert (q >= robot.lower_limits).all() and (q <= robot.upper_limits).all()
    others = eigenvalues(robot, robot.random_configuration(rng=99, shape=2000))
    sampled = eigenvalues(robot, robot.random_configuration(rng=seed, shape=300))  # the very samples
    assert bounds.lowest <= sampled.min() + rounding and bounds.highest >= sampled.max() - rounding
    assert others.max() <= bounds.ceiling and bounds.highest <= bounds.ceiling
    assert np.trace(robot.mass_matrix(bounds.q_highest)) <= bounds.ceiling * (1 + 1e-12)


def slider(limits: Limits) -> Robot:
    """A point mass of 2 kg on a slide that a hinge turns."""
    arm = Inertia.from_com(1.0, (0, 0, 0), np.eye(3))
    return chain((arm, Revolute()), (Inertia.from_com(2.0), Prismatic((1, 0, 0))), limits=limits)


def test_bounds_need_limits_of_slides() -> None:
    """M = diag(1 + 2 x^2, 2): within -3 ... 2 m eigenvalues from 1 to 19, and a trace of 21."""
    bounds = slider(Limits(lower=(-3.0,), upper=(2.0,))).inertia_bounds(samples=100)
    assert bounds.highest == pytest.approx(19, rel=1e-14)
    assert bounds.lowest == pytest.approx(1, rel=1e-8)
    assert bounds.ceiling == pytest.approx(21, rel=1e-14)
    without = slider(Limits()).inertia_bounds(samples=100)
    assert without.ceiling == np.inf
    assert 2 <= without.highest <= 3  # within a metre, as sampled


def test_the_ceiling_counts_how_far_a_free_body_may_go() -> None:
    """A free body of 2 kg, its centre 0.1 m off its origin, carried by a hinge: its way is sqrt(1 + 4 + 36) + 0.1 m."""
    carrier, ball = Inertia.from_com(1.0, (0, 0, 0), np.eye(3)), Inertia.from_com(2.0, (0.1, 0, 0), np.diag([2, 3, 4]))
    limits = Limits(lower=(-1, -2, -3, -1, -1, -1, -1), upper=(0.5, 1, 6, 1, 1, 1, 1))
    robot = chain((carrier, Revolute((1, 0, 0))), (ball, Free()), limits=limits)
    bounds, way = robot.inertia_bounds(samples=50), np.sqrt(41) + 0.1
    assert bounds.ceiling == pytest.approx(1 + (4 + 2 * way**2) + (9 + 2 * 2 * 0.01 + 3 * 2), rel=1e-14)
    farthest = robot.neutral()
    farthest[1:4] = (-1, -2, 6)
    assert 80 < eigenvalues(robot, farthest)[-1] <= bounds.ceiling


def test_mass_matrices_of_a_free_body_are_bounded() -> None:
    """A free body of mass m and inertia I about its centre: M does not depend on where it is."""
    robot = chain((Inertia.from_com(2.0, (0.1, 0.2, 0.3), np.diag([0.2, 0.3, 0.4])), Free()))
    bounds = robot.inertia_bounds(samples=3)
    expected = eigenvalues(robot, robot.neutral())
    assert (bounds.lowest, bounds.highest) == (pytest.approx(expected[0]), pytest.approx(expected[-1]))
    assert bounds.ceiling == pytest.approx(0.9 + 2 * 2 * 0.14 + 6)
    assert bounds.floor == pytest.approx(expected[0], rel=1e-12)


def test_what_cannot_be_bounded_is_told() -> None:
    robot = revolute.robots.planar(2)
    for samples in (0, -1, 2.5, True):
        assert_raises(InputError, "samples must be a whole number, 1 or more", robot.inertia_bounds, samples=samples)
    assert_raises(InputError, "no moving joint", robot.lock({"joint1": 0.0, "joint2": 0.0}).inertia_bounds)


def least(robot: Robot, samples: int = 2000, rng: int = 11) -> float:
    """The least eigenvalue of M at random configurations."""
    return float(np.linalg.eigvalsh(robot.mass_matrix(robot.random_configuration(samples, rng=rng)))[:, 0].min())


@pytest.mark.parametrize(("n", "base"), [(1, "fixed"), (2, "fixed"), (5, "fixed"), (9, "fixed"), (4, "free")])
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(x, marks=pytest.mark.slow) for x in (2, 3, 4, 5))])
def test_the_floor_is_below_all_eigenvalues(n: int, base: str, seed: int) -> None:
    """Links of random trees all have mass; some of their slides have no limits."""
    robot = revolute.robots.random_tree(n, rng=seed, base=base)
    bounds = robot.inertia_bounds(samples=100, rng=seed)
    assert 0 < bounds.floor <= min(least(robot), bounds.lowest) + 1e-12 * bounds.highest
    assert bounds.floor > least(robot) / 1000  # without inequality 1 it falls as a power of the joints


@pytest.mark.parametrize(
    ("name", "tightness"), [("planar", 1.2), ("ur5", 4), ("panda", 3), ("puma560", 1.2), ("stanford", 1.6)]
)
def test_the_floor_of_real_arms_is_close(name: str, tightness: float) -> None:
    make = getattr(revolute.robots, name)
    robot = make(6) if name == "planar" else make()
    bounds = robot.inertia_bounds(samples=500)
    assert bounds.floor <= bounds.lowest <= tightness * bounds.floor


def test_floors_in_closed_form() -> None:
    pendulum = revolute.robots.planar(1)
    bounds = pendulum.inertia_bounds(samples=1)
    assert bounds.floor == pytest.approx(pendulum.mass_matrix([0.3])[0, 0], rel=1e-14)
    assert bounds.floor == pytest.approx(bounds.ceiling, rel=1e-14)
    # hinge: |qd| <= sqrt(E_1); slide: |qd| <= sqrt(E_2 / 2) + sqrt(E_1), a force through both centres of mass
    expected = 1 / np.linalg.norm([[1, 0], [1, np.sqrt(0.5)]], 2) ** 2
    for limits in (Limits(), Limits(lower=(-3.0,), upper=(2.0,))):
        assert slider(limits).inertia_bounds(samples=5).floor == pytest.approx(expected, rel=1e-14)
    # the slide's line passes 1 m from the parent's centre of mass: 1 / m + 1 / Izz on the parent
    arm = Inertia.from_com(1.0, (0, 0, 0), np.diag([1, 1, 0.5]))
    T: Any = [[np.sqrt(2), 0], [np.sqrt(1 + 1 / 0.5), np.sqrt(0.5)]]
    sliding = chain((arm, Revolute()), (Inertia.from_com(2.0), Prismatic((0, 1, 0))), at=1)
    assert sliding.inertia_bounds(samples=5).floor == pytest.approx(1 / np.linalg.norm(T, 2) ** 2, rel=1e-14)
    # a second axis along x of the first link, with moments of 2 about it there and of 5 on its own link
    first, second = (Inertia.from_com(1.0, (0, 0, 0), np.diag(x)) for x in ([2, 3, 4], [3, 4, 5]))
    turned = Transform.from_matrix([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    T = [[np.sqrt(1 / 4), 0], [np.sqrt(1 / 2), np.sqrt(1 / 5)]]
    hinges = chain((first, Revolute()), (second, Revolute()), placement=turned)
    assert hinges.inertia_bounds(samples=5).floor == pytest.approx(1 / np.linalg.norm(T, 2) ** 2, rel=1e-14)
    # LP's 2R arm, of links without inertia about their centres of mass: 2 m from the first joint to the second mass
    mass = Inertia.from_com(2.0, (1, 0, 0))
    robot, T = chain((mass, Revolute()), (mass, Revolute()), at=1), np.linalg.inv([[1, 0], [-2, 1]]) / np.sqrt(2)
    bounds = robot.inertia_bounds(samples=200)
    assert bounds.floor == pytest.approx(1 / np.linalg.norm(T, 2) ** 2, rel=1e-12) and bounds.floor < least(robot)
    # and with a third link: 3 m from the first joint to its mass, 2 m from the second
    longer, T = chain(*[(mass, Revolute())] * 3, at=1), np.linalg.inv([[1, 0, 0], [-2, 1, 0], [-3, -2, 1]]) / np.sqrt(2)
    assert longer.inertia_bounds(samples=5).floor == pytest.approx(1 / np.linalg.norm(T, 2) ** 2, rel=1e-12)


def test_the_floor_is_zero_where_nothing_is_proved() -> None:
    hinge, cross = Revolute(), Revolute((0, 1, 0))
    body = Inertia.box(2.0, (1, 0.2, 0.3))
    assert chain((body, hinge), (Inertia(), cross), (body, hinge), at=1).inertia_bounds(samples=5).floor == 0
    assert chain((Inertia.from_com(2.0), hinge)).inertia_bounds(samples=5).floor == 0  # M = 0: on the axis
    rod = Inertia.from_com(1.0, (0.5, 0, 0), np.diag([0, 1, 1]))
    about_itself = chain((body, hinge), (rod, Revolute((1, 0, 0))), at=1)
    assert about_itself.inertia_bounds(samples=5).floor == 0
    assert least(about_itself) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    "wrong", [Inertia(0, (1, 0, 0), np.eye(3)), Inertia.from_com(1.0, (1, 0, 0), np.diag([1, 1, -5]))]
)
def test_no_floor_is_proved_of_impossible_inertias(wrong: Inertia) -> None:
    robot = chain((Inertia.box(2.0, (1, 1, 1)), Revolute()), (wrong, Revolute()), at=1)
    assert robot.inertia_bounds(samples=5).floor == -np.inf


def tabled(robot: Robot, t: np.ndarray, seed: int) -> np.ndarray:
    """Smooth joint forces over time."""
    return 3 * np.sin(2 * t[:, None] + np.random.default_rng(seed).uniform(0, 6, robot.nv))


@pytest.mark.parametrize(("n", "base"), [(3, "fixed"), (2, "free")])
def test_motions_under_held_forces_are_passive(n: int, base: str) -> None:
    robot = revolute.robots.random_tree(n, rng=1, base=base)
    t = np.linspace(0, 0.5, 501)
    rng, speeds = np.random.default_rng(1), np.random.default_rng(1)
    q0, qd0 = [robot.random_configuration(rng=rng) for _ in range(2)], speeds.standard_normal((2, robot.nv))
    motion = robot.simulate(q0, qd0, tabled(robot, t, 1), t)
    found = robot.passivity_check(t, motion.q, motion.qd, motion.tau, held=True)
    assert found.holds.tolist() == [True, True]
    assert found.energy.shape == found.work.shape == found.residual.shape == found.allowed.shape == (2, 501)
    # two ways of some hundred operations
    assert (found.skewness < 1e-12).all()
    assert (found.beta >= 0).all() and (found.work >= -found.beta[:, None]).all()
    np.testing.assert_allclose(found.energy, motion.energy, rtol=1e-12)


def test_motions_of_a_batch_are_judged_one_by_one() -> None:
    robot, t = revolute.robots.planar(2), np.linspace(0, 0.2, 41)
    motion = robot.simulate([[0.3, 0.5], [1.0, -0.4]], [[0.0, 0.0], [2.0, -1.0]], tabled(robot, t, 2), t)
    tau = motion.tau + np.array([[[0.0, 0.0]], [[0.5, 0.0]]])
    both = robot.passivity_check(t, motion.q, motion.qd, tau, held=True)
    assert both.holds.tolist() == [True, False]
    for k in range(2):
        one = robot.passivity_check(t, motion.q[k], motion.qd[k], tau[k], held=True)
        for name in ("work", "residual", "allowed", "skewness", "beta"):
            np.testing.assert_allclose(getattr(both, name)[k], getattr(one, name), rtol=1e-12, atol=1e-14)


def test_smooth_motions_are_passive_by_inverse_dynamics() -> None:
    """A motion in closed form and the joint forces that it takes; the work is good to fourth order."""
    robot = revolute.robots.ur5()
    residuals = []
    for instants in (201, 401):
        t = np.linspace(0, 2, instants)
        phase, rate = np.arange(6.0), 1 + 0.3 * np.arange(6)
        angle = rate * t[:, None] + phase
        q, qd, qdd = np.sin(angle), rate * np.cos(angle), -(rate**2) * np.sin(angle)
        found = robot.passivity_check(t, q, qd, robot.inverse_dynamics(q, qd, qdd))
        assert found.holds and found.skewness < 1e-12
        residuals.append(np.abs(found.residual).max())
    assert residuals[0] < 1e-4
    assert 8 < residuals[0] / residuals[1] < 32  # 16; at the ends differences are of lower order


def test_what_breaks_the_balance_is_seen() -> None:
    robot = revolute.robots.planar(2)
    t = np.linspace(0, 1, 401)
    motion = robot.simulate([0.3, 0.5], [0.0, 0.0], None, t)
    kept = robot.passivity_check(t, motion.q, motion.qd, motion.tau)
    assert kept.holds and not kept.work.any()
    assert not robot.with_payload("tip", Inertia(m=0.1)).passivity_check(t, motion.q, motion.qd, motion.tau).holds
    assert not robot.passivity_check(t, motion.q, motion.qd, motion.tau + np.array([0.1, 0.0])).holds


def test_skew_symmetry_is_checked_along_the_whole_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method that is wrong in a part of the motion is seen, whether at the start, halfway or at the end."""
    robot, t = revolute.robots.planar(2), np.linspace(0, 1, 401)
    q, qd = t[:, None] * [1.0, 2.0], np.tile([1.0, 2.0], (401, 1))
    tau, right = robot.inverse_dynamics(q, qd, np.zeros_like(q)), Robot.gravity_forces
    for first, last in [(0, 0), (0.4, 0.6), (1, 1)]:

        def wrong(robot: Robot, q: np.ndarray, first: float = first, last: float = last) -> np.ndarray:
            forces: np.ndarray = right(robot, q)
            return forces + ((first <= q[..., :1]) & (q[..., :1] <= last))

        monkeypatch.setattr(Robot, "gravity_forces", wrong)
        found = robot.passivity_check(t, q, qd, tau)
        assert not found.holds and found.skewness > 1e-3
    monkeypatch.setattr(Robot, "gravity_forces", right)
    assert robot.passivity_check(t, q, qd, tau).holds


def test_friction_shows_as_a_loss() -> None:
    """A falling rod with viscous friction d: the balance misses the integral of d qd^2."""
    rod = revolute.robots.planar(1)
    t = np.linspace(0, 1, 1001)
    friction = rod.simulate([0.0], [0.0], lambda time, q, qd: -0.2 * qd, t, "DOP853")
    found = rod.passivity_check(t, friction.q, friction.qd, np.zeros((1001, 1)))
    lost = -0.2 * np.trapezoid(friction.qd[:, 0] ** 2, t)
    assert not found.holds
    assert found.residual[-1] == pytest.approx(lost, rel=1e-5)
    assert (np.diff(found.residual) <= 1e-9).all()


def test_trajectories_are_checked() -> None:
    robot, t = revolute.robots.planar(2), np.linspace(0, 1, 5)
    x = np.zeros((5, 2))
    assert_raises(InputError, "t must be three or more finite", robot.passivity_check, t[::-1], x, x, x)
    assert_raises(InputError, "t must be three or more finite", robot.passivity_check, t[:2], x[:2], x[:2], x[:2])
    for tolerance in (-1e-9, np.inf, np.nan):
        assert_raises(InputError, "tolerance must be zero or", robot.passivity_check, t, x, x, x, tolerance=tolerance)
    assert_raises(ShapeError, r"tau has shape \(4, 2\), but t and the robot", robot.passivity_check, t, x, x, x[1:])
    with pytest.raises(InputError, match=r"qd is not finite at t=0.5 s"):
        robot.passivity_check(t, x, np.where(t[:, None] == 0.5, np.nan, x), x)
    with pytest.raises(ShapeError, match=r"do not broadcast: \(2,\), \(3,\), \(\)"):
        robot.passivity_check(t, np.zeros((2, 5, 2)), np.zeros((3, 5, 2)), x)
