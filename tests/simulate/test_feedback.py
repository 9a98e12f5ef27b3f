"""Feedback of the state as a law of numbers: the same motion as by a function, and what is wrong with gains."""

import math
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from motions import assert_same, step_by_step

import revolute
from revolute import InputError, ShapeError, StateFeedback
from revolute.simulate import FIXED
from revolute.targets.llvm import host
from revolute.targets.llvm.lanes import STACK

H = 1e-3
ARM = revolute.robots.random_tree(3, rng=1)


def by_function(given: StateFeedback, t: np.ndarray) -> Any:
    """The law as a torque function."""

    def at(x: Any, time: float) -> np.ndarray:
        table = np.asarray(0.0 if x is None else x)
        return table if table.ndim < 2 else table[..., np.searchsorted(t, time, "right") - 1, :]

    K_p, K_d = (np.diag(x) if np.ndim(x) == 1 else x for x in (given.position_gains, given.velocity_gains))
    K_d = K_d if np.ndim(K_d) else np.zeros_like(K_p)

    def torque(time: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        errors = (q - at(given.q_ref, time)) @ np.transpose(K_p) + (qd - at(given.qd_ref, time)) @ np.transpose(K_d)
        return np.asarray(at(given.tau, time) - errors)

    return torque


def laws(batch: tuple[int, ...], T: int) -> dict[str, StateFeedback]:
    draw = np.random.default_rng(5).standard_normal
    gains = 20 + draw((2, 3))
    return {
        "diagonals": StateFeedback(gains[0], gains[1], draw(3)),
        "matrices": StateFeedback(draw((3, 3)), np.diag(gains[1]) + draw((3, 3)), *draw((3, 3))),
        "one of each": StateFeedback(gains[0], draw((3, 3)), tau=draw((T, 3))),
        "tables": StateFeedback(gains[0], gains[1], draw((T, 3)), *draw((2, *batch, T, 3))),
        "no gains of velocities": StateFeedback(gains[0]),
    }


@pytest.mark.parametrize("batch", [(), pytest.param((3,), marks=pytest.mark.slow), (9,)])
@pytest.mark.parametrize("name", laws((), 8))
def test_a_law_moves_a_robot_as_a_function_does(name: str, batch: tuple[int, ...]) -> None:
    t, given = np.arange(8) * H, laws(batch, 8)[name]
    q, qd = np.random.default_rng(6).standard_normal((2, *batch, 3))
    for method in FIXED:
        motion = ARM.simulate(q, qd, given, t, method)
        same = ARM.simulate(q, qd, by_function(given, t), t, method)
        assert_same(motion, same, "q qd tau", tolerance=1e-9)  # the largest entries are of the order of 1e3
        assert_same(motion, step_by_step(lambda: ARM.simulate(q, qd, given, t, method)))  # noqa: B023
    assert np.ptp(motion.tau, axis=-2).min() > 0


def test_gains_that_do_not_fit_the_stack() -> None:
    n = math.isqrt(STACK // (2 * host().lanes().bytes) - 1) + 1  # two matrices of n x n numbers in every lane
    robot, rng, t = revolute.robots.random_tree(n, rng=2), np.random.default_rng(8), np.arange(4) * 1e-5
    (q, qd), gains = 0.1 * rng.standard_normal((2, 9, n)), rng.standard_normal((2, n, n))
    law = StateFeedback(*gains, tau=rng.standard_normal((4, n)))
    motion = robot.simulate(q, qd, law, t, "semi_implicit_euler")
    assert gains.size * host().lanes().bytes >= STACK
    assert_same(motion, step_by_step(lambda: robot.simulate(q, qd, law, t, "semi_implicit_euler")))


def test_other_machines_and_solvers_take_a_law() -> None:
    """Of elastic joints the state is x = (q, theta), and gains are matrices."""
    arm, t = revolute.robots.planar(2), np.linspace(0, 0.05, 6)
    zero, diagonal = np.zeros(2), np.array([30.0, 20.0])
    given = StateFeedback(diagonal, diagonal / 10, [0.3, -0.2], tau=[1.0, 2.0])
    closed = arm.with_closures(revolute.PointClosure("base", "base"))
    for robot, method in ((arm, "DOP853"), (arm.with_drives(), "runge_kutta_4"), (closed, "runge_kutta_4")):
        motion = robot.simulate(zero, zero, given, t, method)
        np.testing.assert_allclose(motion.q, robot.simulate(zero, zero, by_function(given, t), t, method).q, atol=1e-9)
    elastic = arm.with_elastic_joints(500.0, rotor_inertia=0.2)
    motors = np.hstack([np.zeros((2, 2)), np.diag(diagonal)])
    law = StateFeedback(motors, motors / 10, q_ref=[0.3, -0.2, 0.3, -0.2])

    def torque(time: float, q: np.ndarray, theta: np.ndarray, qd: np.ndarray, thetad: np.ndarray) -> np.ndarray:
        return -diagonal * (theta - [0.3, -0.2] + thetad / 10)

    for method in ("semi_implicit_euler", "DOP853"):
        found, wanted = (elastic.simulate(zero, zero, zero, zero, x, t, method=method) for x in (law, torque))
        np.testing.assert_allclose(found.theta, wanted.theta, atol=1e-9)
        np.testing.assert_allclose(found.tau, wanted.tau, atol=1e-6)


def test_a_law_keeps_copies_of_its_numbers() -> None:
    gains = np.ones(2)
    law = StateFeedback(gains)
    gains[:] = 5
    assert np.array_equal(law.position_gains, [1, 1])
    with pytest.raises(ValueError, match="read-only"):
        law.position_gains[0] = 2  # type: ignore[index]


def test_what_is_wrong_with_a_law() -> None:
    arm, tree = revolute.robots.planar(2), revolute.robots.random_tree(1, rng=1, base="free")
    zero, t, one = np.zeros(2), np.arange(4) * H, np.ones(2)
    L = StateFeedback
    cases = [
        (InputError, "its 8 positions contain quaternions", tree, L(np.ones(7))),
        (ShapeError, r"position_gains has shape \(3,\), but robot 'planar2' needs \(2,\)", arm, L(np.ones(3))),
        (ShapeError, r"position_gains has shape \(\), but", arm, L(4.0)),
        (ShapeError, r"velocity_gains has shape \(2, 3\)", arm, L(one, np.ones((2, 3)))),
        (ShapeError, r"q_ref has shape \(5, 2\).*\(\.\.\., 4, 2\)", arm, L(one, one, np.ones((5, 2)))),
        (ShapeError, r"qd_ref has shape \(1,\)", arm, L(one, one, qd_ref=[1.0])),
        (ShapeError, r"tau has the batch \(3,\), but the states have \(\)", arm, L(one, tau=np.ones((3, 4, 2)))),
    ]
    for kind, message, robot, given in cases:
        assert_raises(kind, message, robot.simulate, robot.neutral(), np.zeros(robot.nv), given, t)
    assert_raises(InputError, "position_gains is not finite", StateFeedback, [1.0, np.nan])
    assert_raises(revolute.DtypeError, "q_ref", StateFeedback, one, one, "home")
    assert_raises(InputError, "not a function or feedback", arm.simulate_sensitivities, zero, zero, L(one), t)
    message, loads = r"wrenches\['tip'\] must be None, numbers or a function", {"tip": L(one)}
    assert_raises(InputError, message, arm.simulate, zero, zero, None, t, wrenches=loads)
