"""Linear models: complex steps through the motion's own equations, motions themselves, matrix exponentials."""

import numpy as np
import pytest
import scipy.linalg
from comparing import EPS, assert_close, assert_raises
from physics import STEP, coordinate_rates, slope, slopes
from robots import SEEDS, every, one_joint, state, trees, value

import revolute
from revolute import DtypeError, Free, InputError, Robot, ShapeError, SingularityError
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.linear_models import brackets, linearize
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.reduce import reduced


def model(robot: Robot, *x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    A, B = linearize(robot, *map(list, x))
    return np.array(A, dtype=float), np.array(B, dtype=float)


@every(trees(7), SEEDS)
def test_the_model_is_the_variation_of_the_motion(robot: Robot, seed: int) -> None:
    """A and B satisfy E A + dE/dt = df/dy E and E B = df/dtau, in the numbers y = (q, qd) with y' = f(y, tau).

    E(y) embeds deviations along velocities into the numbers y; deviations dy = E x of y' = f
    obey dy' = df/dy dy + df/dtau dtau, and dy' = E x' + E' x. No rule for the turning axes of
    free joints is assumed: E' is taken by a complex step along the motion.
    """
    q, qd, tau = state(robot, seed)
    n, unit = robot.nv, np.eye(2 * robot.nv)

    def f(y: np.ndarray, tau: np.ndarray) -> np.ndarray:
        position, velocity = y[: robot.nq], y[robot.nq :]
        accelerations = articulated_body(robot, list(position), list(velocity), list(tau))
        return np.concatenate([coordinate_rates(robot, position, velocity), accelerations])

    def E(y: np.ndarray) -> np.ndarray:
        return np.array([[*coordinate_rates(robot, y[: robot.nq], e[:n]), *e[n:]] for e in unit]).T

    y = np.concatenate([q, qd])
    A, B = model(reduced(robot), q, qd, tau)
    E_rate, expected = slope(lambda s: E(y + s * f(y, tau))), slopes(lambda d: f(y + d, tau), E(y).T)
    # rounding of some hundred operations, a part of which cancels, times the condition of M
    assert_close(E(y) @ A + E_rate, expected, 1e-9)
    assert_close(E(y) @ B, slopes(lambda d: f(y, tau + d), np.eye(n)), 1e-9)


def test_an_inverted_pendulum() -> None:
    """A rod of 1 kg and 1 m, upright: I = 1/3, falling at the rate 3 g / 2."""
    A, B = revolute.robots.planar(1).linearize([np.pi / 2], [0.0], [0.0])
    np.testing.assert_allclose(A, [[0, 1], [3 * 9.81 / 2, 0]], atol=1e-14)
    np.testing.assert_allclose(B, [[0], [3]], rtol=1e-15)


def test_a_thrown_body_seen_from_its_own_axes() -> None:
    """A sphere that spins and flies: deviations of its motion are its twist's bracket, in closed form."""
    ball = one_joint(Free(), revolute.Inertia.from_com(2.0, inertia=np.eye(3))).with_gravity((0, 0, 0))
    A, _ = ball.linearize(ball.neutral(), np.array([0.0, 0.0, 2.0, 3.0, 0.0, 0.0]), np.zeros(6))
    w, v = np.array([[0, -2, 0], [2, 0, 0], [0, 0, 0]]), np.array([[0, 0, 0], [0, 0, -3], [0, 3, 0]])
    np.testing.assert_allclose(A[:6, :6], -np.block([[w, np.zeros((3, 3))], [v, w]]), atol=1e-15)
    np.testing.assert_array_equal(A[:6, 6:], np.eye(6))


def test_the_joint_model_is_the_inverse_of_the_sensitivities() -> None:
    """BP 7.2.2: A = [[0, 1], [-D^-1 P, -D^-1 V]], B = [[0], [D^-1]]."""
    robot = revolute.robots.puma560()
    q, qd, qdd = state(robot, 2)
    P, V, D = robot.inverse_dynamics_partials(q, qd, qdd)
    A, B = robot.linearize(q, qd, robot.inverse_dynamics(q, qd, qdd))
    zero, one = np.zeros((6, 6)), np.eye(6)
    # the factors and NumPy's solver each lose the condition of D
    tolerance = 100 * EPS * np.linalg.cond(D)
    assert_close(A, np.block([[zero, one], [-np.linalg.solve(D, P), -np.linalg.solve(D, V)]]), tolerance)
    assert_close(B, np.block([[zero], [np.linalg.inv(D)]]), tolerance)


def jacobians(robot: Robot, *states: np.ndarray, **frame: str) -> list[np.ndarray]:
    """J, Jd and Jdd of a frame, by the recursions."""
    names = ("jacobian", "jacobian_rate", "jacobian_second_rate")
    return [value(robot, name, *states[:k], **frame) for k, name in enumerate(names, 1)]


@pytest.mark.parametrize(("name", "reference"), [("ur5", "body"), ("puma560", "aligned"), ("stanford", "world")])
def test_the_task_model_is_the_printed_one(name: str, reference: str) -> None:
    """BP 7.4.14, with matrices inverted and multiplied as printed."""
    robot = getattr(revolute.robots, name)()
    frame = "tool0" if name == "ur5" else "flange"
    q, qd, qdd = state(robot, 4)
    J, Jd, Jdd = jacobians(robot, q, qd, qdd, frame=frame, reference=reference)
    P, V, D = robot.inverse_dynamics_partials(q, qd, qdd)
    K = np.linalg.inv(J)
    found = robot.linearize_task(q, qd, qdd, frame, reference=reference)
    tolerance = 1e3 * EPS * np.linalg.cond(J) ** 2 * np.linalg.cond(D)
    assert tolerance < 1e-4
    assert_close(found.D, D @ K, tolerance)
    assert_close(found.V, V @ K - 2 * D @ K @ Jd @ K, tolerance)
    assert_close(found.P, P @ K - V @ K @ Jd @ K - D @ (K @ Jdd @ K - 2 * K @ Jd @ K @ Jd @ K), tolerance)
    assert not found.singular


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_the_task_model_predicts_forces_of_a_neighbouring_motion(base: str) -> None:
    """Two motions side by side, their joint forces, and the displacement dx = J dq between them.

    Along the motion q(t) the neighbour is q exp(e dq(t)), with any dq(t) and its rates.
    """
    floating = revolute.robots.random_tree(1, rng=3, base="free").lock({"joint1": 0.5})
    robot = floating if base == "free" else revolute.robots.puma560()
    frame = robot.link_names[-1]
    (q, qd, qdd), rng = state(robot, 6), np.random.default_rng(8)
    dq, dq_d, dq_dd = rng.standard_normal((3, robot.nv))
    t = 1j * STEP
    ad, ad_rate = (np.array(brackets(robot, list(x)), dtype=float) for x in (qd, qdd))
    dqd = dq_d + ad @ dq  # what the numbers qd and qdd change by
    dqdd = dq_dd + ad_rate @ dq + ad @ dq_d
    moved = (q + t * coordinate_rates(robot, q, dq), qd + t * dqd, qdd + t * dqdd)
    expected = np.imag(np.array(newton_euler(robot, *map(list, moved)))) / STEP

    J, Jd, Jdd = jacobians(robot, q, qd, qdd, frame=frame)
    dx, dx_d, dx_dd = J @ dq, Jd @ dq + J @ dq_d, Jdd @ dq + 2 * Jd @ dq_d + J @ dq_dd
    found = robot.linearize_task(q, qd, qdd, frame)
    assert_close(found.D @ dx_dd + found.V @ dx_d + found.P @ dx, expected, 1e-9)


def test_a_hanging_arm_as_a_spring() -> None:
    """The tip of a hanging rod, pulled aside by x: m g / 2 of restoring force at the joint, for a rod of 1 m."""
    model = revolute.robots.planar(1).linearize_task([-np.pi / 2], [0.0], [0.0], "tip", rows=(4,))
    np.testing.assert_allclose([model.D[0, 0], model.V[0, 0], model.P[0, 0]], [1 / 3, 0, 9.81 / 2], atol=1e-14)


def test_singular_task_models_are_flagged() -> None:
    robot = revolute.robots.ur5()
    q, qd, qdd = (np.array([state(robot, seed)[k] for seed in range(3)]) for k in range(3))
    q[1, 4] = 0
    found = robot.linearize_task(q, qd, qdd, "tool0")
    assert found.singular.tolist() == [False, True, False]
    assert np.isnan(found.P[1]).all() and np.isfinite(found.P[[0, 2]]).all()
    assert_raises(SingularityError, "linearize_task: link 'tool0'", robot.linearize_task, q[1], qd[1], qdd[1], "tool0")
    with pytest.raises(InputError, match="2 degrees of freedom needs 2 rows"):
        revolute.robots.planar(2).linearize_task(*np.ones((3, 2)), "tip")


@pytest.mark.parametrize("h", [1e-4, 1e-2, 1.0])
def test_discrete_models_are_exact_holds(h: float) -> None:
    """Against SciPy's exponential: both lose no more than rounding times the growth during the step."""
    robot = revolute.robots.ur5()
    q, qd, tau = (np.array([state(robot, seed)[k] for seed in range(5)]) for k in range(3))
    A, B = robot.linearize(q, qd, tau)
    Ad, Bd = robot.linearize(q, qd, tau, step=h)
    assert (Ad.shape, Bd.shape) == ((5, 12, 12), (5, 12, 6))
    for k in range(5):
        expected = scipy.linalg.expm(h * np.block([[A[k], B[k]], [np.zeros((6, 18))]]))
        reach = np.linalg.norm(h * A[k], 1)
        assert_close(np.hstack([Ad[k], Bd[k]]), expected[:12], 1e3 * EPS * (1 + reach))


def test_a_row_does_not_depend_on_its_batch() -> None:
    """Steps of all lengths side by side, and a state that is not a number: the others are served."""
    robot = revolute.robots.planar(3)
    q, qd, tau = np.random.default_rng(0).standard_normal((3, 4, 3))
    q[2] = np.nan
    steps = np.array([1e-3, 0.1, 0.1, 10.0])
    A, B = robot.linearize(q, qd, tau, step=steps)
    assert np.isnan(A[2]).all() and np.isnan(B[2]).all()
    for k in (0, 1, 3):
        alone = robot.linearize(q[k], qd[k], tau[k], step=steps[k])
        assert np.array_equal(A[k], alone[0]) and np.array_equal(B[k], alone[1])
    assert robot.linearize(q[0], qd[0], tau[0], step=steps)[0].shape == (4, 6, 6)


def test_single_precision_stays_single() -> None:
    robot = revolute.robots.planar(2)
    x = np.zeros((3, 2), dtype=np.float32)
    assert robot.linearize(*x, step=0.01)[0].dtype == np.float32
    assert robot.linearize(*x)[1].dtype == np.float32


@pytest.mark.parametrize("step", [0, -1.0, np.nan, np.inf, "fast", [0.1, -0.1]])
def test_steps_are_checked(step: object) -> None:
    with pytest.raises(InputError, match=r"step must be (positive|real)"):
        revolute.robots.planar(1).linearize([0.0], [0.0], [0.0], step=step)


def test_other_arguments_are_checked() -> None:
    robot = revolute.robots.planar(2)
    assert_raises(ShapeError, "linearize: tau has shape", robot.linearize, [0.0, 0.0], [0.0, 0.0], [0.0])
    assert_raises(DtypeError, "linearize: q must hold real numbers", robot.linearize, [1j, 0.0], [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(InputError, match="without step"):
        robot.linearize(*np.zeros((3, 2)), step=0.1, out=(np.empty((4, 4)), np.empty((4, 2))))
    assert_raises(InputError, "do not broadcast", robot.linearize, *np.zeros((3, 5, 2)), step=[0.1, 0.2])
    with pytest.raises(InputError, match="out must be 3 arrays"):
        robot.inverse_dynamics_partials(*np.zeros((3, 2)), out=(np.empty((2, 2)),))


@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5"])
def test_elements_that_vanish(name: str) -> None:
    """v_nn = 0 for the last joint, and P's first column if axis 1 is along gravity. BP 7.3.5-7.3.10.

    Zeros to 1e-13 of the largest element: some hundred terms of its size.
    """
    robot = getattr(revolute.robots, name)()
    q, qd, qdd = np.random.default_rng(0).uniform(-1.5, 1.5, (3, robot.nv))
    P, V, _ = robot.inverse_dynamics_partials(q, qd, qdd)
    assert abs(V[-1, -1]) <= 1e-13 * np.abs(V).max()
    np.testing.assert_allclose(P[:, 0], 0, rtol=0, atol=1e-13 * np.abs(P).max())
    tilted = robot.with_gravity((3.0, 0.0, -9.0))
    assert np.abs(tilted.inverse_dynamics_partials(q, qd, qdd)[0][:, 0]).max() > 1e-3 * np.abs(P).max()
