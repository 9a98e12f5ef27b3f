"""Steps in place: the same as in a simulation, without new arrays, and what is wrong with states."""

import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pytest
from comparing import assert_each, assert_raises

import revolute
from revolute import Drive, DtypeError, InputError, ShapeError, UnknownNameError
from revolute.simulate import FIXED

H = 2.0**-10
"""Multiples of it are exact, so a stepper and a simulation take the same steps."""


def arm(kind: str) -> tuple[Any, int, int, int]:
    """A machine, and the sizes of its positions, velocities and forces."""
    planar = revolute.robots.planar(2)
    tree = revolute.robots.random_tree(1, rng=1, base="free")
    machines: dict[str, tuple[Any, int, int, int]] = {
        "robot": (planar, 2, 2, 2),
        "floating": (tree, tree.nq, tree.nv, tree.nv),
        "driven": (planar.with_drives({"joint2": Drive(armature=(0.3,), damping=(0.2,))}), 2, 2, 2),
        "elastic": (planar.with_elastic_joints(500.0, rotor_inertia=0.2), 4, 4, 2),
    }
    return machines[kind]


def moved(kind: str, robot: Any, q: np.ndarray, qd: np.ndarray, table: np.ndarray, method: str) -> Any:
    """The state after as many steps as a table has rows, less one, by `simulate`."""
    t = np.arange(table.shape[-2]) * H
    if kind != "elastic":
        motion = robot.simulate(q, qd, table, t, method)
        return motion.q[..., -1, :], motion.qd[..., -1, :]
    parts = (*np.split(q, 2, axis=-1), *np.split(qd, 2, axis=-1))
    motion = robot.simulate(*parts, table, t, method=method)
    ends = [x[..., -1, :] for x in (motion.q, motion.theta, motion.qd, motion.thetad)]
    return np.concatenate(ends[:2], axis=-1), np.concatenate(ends[2:], axis=-1)


KINDS = ("robot", "floating", "driven", "elastic")
SOME = [*((kind, ()) for kind in KINDS), ("floating", (6,)), ("elastic", (6,))]
OTHERS = [x for x in product(KINDS, ((1,), (6,), (2, 3))) if x not in SOME]


@pytest.mark.parametrize(("kind", "batch"), [*SOME, *(pytest.param(*x, marks=pytest.mark.slow) for x in OTHERS)])
def test_steps_are_those_of_a_simulation(kind: str, batch: tuple[int, ...]) -> None:
    robot, nq, nv, n = arm(kind)
    rng = np.random.default_rng(0)
    for method in FIXED:
        q, qd = rng.standard_normal((*batch, nq)), rng.standard_normal((*batch, nv))
        if kind == "floating":
            q = robot.normalize(q)
        table = rng.standard_normal((*batch, 6, n))
        wanted = moved(kind, robot, q, qd, table, method)
        stepper = robot.stepper(H, method)
        for k in range(5):
            state = stepper.step(q, qd, table[..., k, :])
            assert state[0] is q and state[1] is qd
        np.testing.assert_array_equal(q, wanted[0])
        np.testing.assert_array_equal(qd, wanted[1])


def test_views_of_one_array_strides_and_forces_of_any_type() -> None:
    robot, rng = revolute.robots.ur5(), np.random.default_rng(1)
    stepper, tau = robot.stepper(H), [1, 2, 3, 4, 5, 6]
    for shape, state in (((12,), np.s_[:]), ((7, 12), np.s_[:]), ((7, 24), np.s_[:, ::2])):
        x = rng.standard_normal(shape)[state]
        q, qd = x[..., :6], x[..., 6:]
        wanted = moved("robot", robot, q.copy(), qd.copy(), np.tile(np.array(tau, float), (2, 1)), "runge_kutta_4")
        stepper.step(q, qd, tau)
        np.testing.assert_array_equal(x, np.concatenate(wanted, axis=-1))


def test_wrenches_and_damping() -> None:
    robot, rng = revolute.robots.panda(), np.random.default_rng(2)
    stepper = robot.stepper(H, joint_damping=True, wrench_links=[robot.link_names[-1]])
    q, qd, load = rng.standard_normal((5, 7)), rng.standard_normal((5, 7)), rng.standard_normal((5, 6))
    loads = {robot.link_names[-1]: load[:, None].repeat(2, 1)}
    motion = robot.simulate(q, qd, None, [0.0, H], joint_damping=True, wrenches=loads)
    stepper.step(q, qd, np.zeros(7), load)
    np.testing.assert_array_equal(q, motion.q[:, -1])
    np.testing.assert_array_equal(qd, motion.qd[:, -1])


@pytest.mark.parametrize("batch", [(), (5000,)])
def test_steps_make_no_arrays(batch: tuple[int, ...]) -> None:
    """Less than a row of memory a call, after the first one."""
    stepper, q, qd, tau = revolute.robots.ur5().stepper(H, threads=1), *np.zeros((3, *batch, 6))
    stepper.step(q, qd, tau)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(3):
            stepper.step(q, qd, tau)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert peak < (5000 if batch else 1000)  # objects of Python; the states of the batch are 240,000 bytes each


def test_what_is_wrong_with_a_state() -> None:
    stepper = revolute.robots.planar(2).stepper(H)
    zero, fixed = np.zeros(2), np.zeros(2)
    fixed.flags.writeable = False
    cases: list[tuple[type[Exception], str, tuple[Any, ...]]] = [
        (DtypeError, "q is changed in place: it must be an array of float64, not list", ([0.0, 0.0], zero, zero)),
        (DtypeError, "qd is changed in place: .* float64, not int64", (zero, np.zeros(2, int), zero)),
        (DtypeError, "not float32", (np.zeros(2, np.float32), zero, zero)),
        (InputError, "q is changed in place, but it is read-only", (fixed, zero, zero)),
        (ShapeError, r"q has shape \(3,\), but 'planar2' needs \(\.\.\., 2\)", (np.zeros(3), zero, zero)),
        (ShapeError, r"q and qd have the batches \(4,\) and \(\)", (np.zeros((4, 2)), zero, zero)),
        (ShapeError, r"tau has the batch \(4,\), but the states have \(\)", (zero, zero, np.zeros((4, 2)))),
        (ShapeError, r"tau has shape \(3,\)", (zero, zero, np.zeros(3))),
        (InputError, "step takes q, qd, tau, not 4 arrays", (zero, zero, zero, np.zeros(6))),
    ]
    for kind, message, arguments in cases:
        assert_raises(kind, message, stepper.step, *arguments)
    assert not zero.any()


def test_what_is_wrong_with_a_stepper() -> None:
    arm = revolute.robots.planar(2)
    for dt in (0.0, -1.0, np.nan, np.inf, "1", True, None):
        assert_raises(InputError, "dt must be a positive number", arm.stepper, dt)
    assert_raises(InputError, "no method 'RK45'; available: explicit_euler", arm.stepper, H, "RK45")
    assert_raises(UnknownNameError, "no link 'hand'", arm.stepper, H, wrench_links=["hand"])
    assert_raises(InputError, "wrench_links must be a sequence", arm.stepper, H, wrench_links="tip")
    assert_raises(InputError, "friction that jumps", arm.with_drives({"joint1": Drive(friction=(1.0,))}).stepper, H)


def test_a_pickled_stepper_takes_the_same_steps() -> None:
    stepper = revolute.robots.planar(2).with_elastic_joints(100.0, 0.1).stepper(H, "runge_kutta_4")
    again = pickle.loads(pickle.dumps(stepper))
    state, other = np.ones((2, 4)), np.ones((2, 4))
    stepper.step(*state, np.ones(2))
    again.step(*other, np.ones(2))
    assert np.array_equal(state, other) and repr(again) == repr(stepper)


def test_threads_share_a_stepper() -> None:
    stepper, rng = revolute.robots.ur5().stepper(H, threads=1), np.random.default_rng(3)
    first = rng.standard_normal((8, 2, 500, 6))

    def run(state: np.ndarray) -> np.ndarray:
        state = state.copy()
        for _ in range(20):
            stepper.step(state[0], state[1], np.zeros(6))
        return state

    wanted = [run(state) for state in first]
    with ThreadPoolExecutor(4) as pool:
        assert_each(np.testing.assert_array_equal, pool.map(run, first), wanted)
