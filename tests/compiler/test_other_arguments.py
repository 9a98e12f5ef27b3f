"""Lists, numbers, integers, strides: results are those of plain arrays, to the bit."""

import pickle
from typing import Any

import numpy as np
import pytest
import sympy
from machine_code import fast_calls

import revolute
from revolute import ShapeError

N = 6
Q, QD, QDD = np.random.default_rng(7).uniform(-3, 3, (3, N))


def others(x: np.ndarray) -> list[Any]:
    """The same numbers, or the nearest whole ones, in other forms; some are float32 where nothing else is."""
    frozen = x.copy()
    frozen.flags.writeable = False
    whole = np.round(x)
    shifted = np.empty(x.nbytes + 1, np.uint8)[1:].view(np.float64)
    shifted[...] = x
    strided = [np.repeat(x, 3)[1::3], np.asfortranarray(np.stack([x, x, x]))[1], x[::-1].copy()[::-1], shifted]
    numbers = [x.tolist(), tuple(x.tolist()), list(x), [*map(int, whole[:3]), *x[3:]], [*map(np.float32, x)]]
    typed = [whole.astype(kind) for kind in ("i8", "i1", "i4", "f2", "g", ">f8", "?")]
    return [frozen, pickle.loads(pickle.dumps(x)), *strided, *numbers, *typed]


def test_results_are_those_of_plain_arrays() -> None:
    """Before anything was learned and after."""
    kernel = revolute.robots.ur5().kernel("inverse_dynamics")
    for x in others(Q):
        robot = revolute.robots.ur5()
        plain = np.array(x, np.float64)
        for args, same in (((x, QD, QDD), (plain, QD, QDD)), ((QD, x, x), (QD, plain, plain))):
            expected = kernel.ufunc(*same)
            for _ in range(2):
                np.testing.assert_array_equal(robot.inverse_dynamics(*args), expected)
                named = dict(zip(("q", "qd", "qdd"), args, strict=True))
                np.testing.assert_array_equal(robot.inverse_dynamics(**named), expected)
                out = np.empty(N)
                assert robot.inverse_dynamics(*args, out=out, threads=2) is out
                np.testing.assert_array_equal(out, expected)
                robot.inverse_dynamics(*same), robot.inverse_dynamics(q=same[0], qd=same[1], qdd=same[2])


def test_a_learned_call_takes_them_by_one_conversion(monkeypatch: pytest.MonkeyPatch) -> None:
    """The method itself does not run again."""
    robot = revolute.robots.ur5()
    expected = [robot.inverse_dynamics(Q, QD, QDD), robot.inverse_dynamics(Q, QD, QDD, wrenches={"tool0": QD})]
    monkeypatch.setattr(revolute.Robot, "_run", None)
    for x in (QD.tolist(), tuple(QD), np.repeat(QD, 2)[::2]):
        np.testing.assert_array_equal(robot.inverse_dynamics(Q, x, QDD), expected[0])
        np.testing.assert_array_equal(robot.inverse_dynamics(Q, x, QDD, wrenches={"tool0": x}), expected[1])
    assert fast_calls(robot.inverse_dynamics) == 2


def test_integers_round_as_numpy_rounds_them() -> None:
    """An integer of more than 53 bits becomes the nearest float64, the even one of two."""
    robot = revolute.robots.ur5()
    for _ in range(2):
        for whole in ((1 << 53) + 1, (1 << 53) + 3, -(1 << 62) - 257, (1 << 63) - 1, -(1 << 63)):
            expected = robot.inverse_dynamics(Q, QD, np.full(N, float(whole)))
            for x in ([whole] * N, [whole, float(whole)] * 3, np.array([whole] * N)):
                np.testing.assert_array_equal(robot.inverse_dynamics(Q, QD, x), expected)


def test_single_numbers() -> None:
    k, m, x, dx = sympy.symbols("k m x dx")
    spring = revolute.lagrange([x], m * dx**2 / 2, k * x**2 / 2)
    one = np.ones(1)
    for values in ((2.0, np.float64(3)), (np.array(2.0), 3), (2, np.array([3.0, 9.0])[0])) * 2:
        found = spring.inverse_dynamics(one, [1.0], (1,), dict(zip(("m", "k"), values, strict=True)))
        np.testing.assert_array_equal(found, [5.0])


def test_types_are_those_of_the_slow_way() -> None:
    """Lists and integers beside float32 give float64, whatever was learned before."""
    single = [x.astype(np.float32) for x in (Q, QD, QDD)]
    for first in (single, (Q, QD, QDD), (Q.tolist(), QD, QDD)):
        robot = revolute.robots.ur5()
        for _ in range(2):
            robot.inverse_dynamics(*first)
        for k in range(3):
            mixed = [*single[:k], single[k].tolist(), *single[k + 1 :]]
            expected = robot.kernel("inverse_dynamics").ufunc(*[np.asarray(x, np.float64) for x in mixed])
            for _ in range(3):
                found = robot.inverse_dynamics(*mixed)
                np.testing.assert_array_equal(found, expected)
                assert found.dtype == np.float64
                named = robot.inverse_dynamics(mixed[0], qdd=mixed[2], qd=mixed[1])
                assert named.dtype == np.float64 and np.array_equal(named, found)
                assert robot.inverse_dynamics(*single).dtype == np.float32
                assert robot.inverse_dynamics(*[np.repeat(x, 2)[::2] for x in single]).dtype == np.float32


def test_wrong_lists_are_named() -> None:
    robot = revolute.robots.ur5()
    robot.inverse_dynamics(Q, QD, QDD)
    for _ in range(3):
        with pytest.raises(ShapeError, match=r"inverse_dynamics: q has shape \(5,\)"):
            robot.inverse_dynamics(Q[:5].tolist(), QD, QDD)
        with pytest.raises(ShapeError, match="inverse_dynamics: q is ragged"):
            robot.inverse_dynamics([1.0, [2.0]], QD, QDD)  # type: ignore[list-item]
