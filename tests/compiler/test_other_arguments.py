"""Calls with strided arrays, lists, tuples and integers go to machine code too, and give the same bits."""

import pickle
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from machine_code import fast_calls

import revolute
from revolute import Robot, ShapeError
from revolute.compiler.batch import run
from revolute.targets.llvm import array_writer

N = 6
Q, QD, QDD = np.random.default_rng(7).uniform(-3, 3, (3, N))
BATCH = np.random.default_rng(8).uniform(-3, 3, (9, N))


@pytest.fixture(scope="module")
def robot() -> Robot:
    return revolute.robots.ur5()


def slow(*args: Any, **named: Any) -> str:
    return "slow"


def pickled(x: np.ndarray) -> np.ndarray:
    """The same array from another process, whose type is an object of its own."""
    copy: np.ndarray = pickle.loads(pickle.dumps(x))
    assert copy.dtype is not x.dtype
    return copy


def strided(x: np.ndarray) -> list[np.ndarray]:
    """The same numbers with other strides, read-only ones among them, and with a type that was pickled."""
    apart, columns = np.repeat(x, 3, axis=-1)[..., 1::3], np.asfortranarray(np.stack([x, x, x]))[1]
    frozen = columns.view()
    frozen.flags.writeable = False
    return [x, apart, columns, frozen, x[..., ::-1].copy()[..., ::-1], pickled(x)]


def numbers(x: np.ndarray) -> list[Any]:
    """The same numbers as lists and tuples of all kinds of numbers that machine code reads."""
    whole = np.round(x)
    rounded = [whole, whole.astype(int), whole.astype(int).tolist(), np.repeat(whole.astype(int), 2)[::2]]
    mixed = [int(v) if k % 2 else v for k, v in enumerate(whole.tolist())]
    return [x.tolist(), tuple(x.tolist()), list(x), tuple(x), *rounded, mixed]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "kinetic_energy", "inverse_dynamics_partials"])
def test_strided_rows(robot: Robot, name: str, dtype: type) -> None:
    kernel = robot.kernel(name, dtype=dtype)
    call, rows = kernel.fast_call(slow), [x.astype(dtype) for x in (Q, QD, QDD)][: len(kernel.inputs)]
    expected = run(kernel, rows, None, None)
    for k in range(len(rows)):
        for x in strided(rows[k]):
            found = call(*rows[:k], x, *rows[k + 1 :])
            assert not isinstance(found, str)
            np.testing.assert_equal(found, expected)


def test_lists_tuples_and_integers(robot: Robot) -> None:
    kernel = robot.kernel("inverse_dynamics")
    call, out = kernel.fast_call(slow), np.empty(N)
    for x in (*numbers(Q), *strided(Q)):
        for args in ((x, QD, QDD), (Q, x, QDD), (x, x, x), (Q, QD.tolist(), x)):
            expected = run(kernel, args, None, None)
            np.testing.assert_array_equal(call(*args), expected)
            assert call(*args, out=out) is out
            np.testing.assert_array_equal(out, expected)


def test_integers_round_as_numpy_rounds_them(robot: Robot) -> None:
    """An integer of more than 53 bits becomes the nearest float64, the even one of two."""
    kernel = robot.kernel("inverse_dynamics")
    call = kernel.fast_call(slow)
    for whole in ((1 << 53) + 1, (1 << 53) + 3, -(1 << 62) - 257, (1 << 63) - 1, -(1 << 63)):
        for x in ([whole] * N, [whole, 0.5] * 3, np.array([whole] * N)):
            np.testing.assert_array_equal(call(Q, QD, x), run(kernel, (Q, QD, x), None, None))
    for wide in (1 << 63, -(1 << 63) - 1, 1 << 1100):
        assert call(Q, QD, [wide] * N) == "slow"


class Float(float):
    """A number of another class."""

    def __float__(self) -> float:
        raise AssertionError("code of others must not run in machine code")


class List(list):  # type: ignore[type-arg]
    """A list of another class."""


@pytest.mark.parametrize(
    "x",
    [
        Q[:5].tolist(), [*Q.tolist(), 0.0], [], (), [Q.tolist()], [*Q[:5].tolist(), True], [*Q[:5].tolist(), None],
        [*Q[:5].tolist(), "0"], [Float(1)] * N, List(Q), Q.astype("f"), Q.astype("i4"), Q.astype(">f8"), 1.0, 1, None,
        np.float64(1), "q", {}, Q.view(np.recarray), np.frombuffer(b" " + Q.tobytes(), offset=1), Q[None, None], Q[:5],
        np.stack([Q.astype(int)] * 2),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_left_to_python(robot: Robot, x: Any) -> None:
    call = robot.kernel("inverse_dynamics").fast_call(slow)
    assert call(Q, x, QDD) == call(x, QD, QDD, out=np.empty(N)) == "slow"


def test_single_numbers() -> None:
    k, m, x, dx = sympy.symbols("k m x dx")
    spring = revolute.lagrange([x], m * dx**2 / 2, k * x**2 / 2)
    kernel, one = spring.kernel("inverse_dynamics"), np.ones(1)
    call = kernel.fast_call(slow)
    for values in ((2.0, np.float64(3)), (np.array(2.0), 3), (2, 3.0), (np.array([2.0, 9.0])[0], np.array(3.0))):
        expected = run(kernel, (one, one, one, *values), None, None)
        np.testing.assert_array_equal(call(one, [1.0], (1,), *values), expected)
    for wrong in ([2.0], (2.0,), True, np.float32(2), None, "2", []):
        assert isinstance(call(one, [1.0], one, wrong, 3.0), str)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_strided_and_broadcast_batches(robot: Robot, dtype: type) -> None:
    kernel = robot.kernel("inverse_dynamics", dtype=dtype)
    batch, row = BATCH.astype(dtype), Q.astype(dtype)
    call = kernel.fast_call(slow)
    others = [np.asfortranarray(batch), pickled(batch), np.repeat(batch, 2, axis=0)[::2], batch[::-1]]
    others += [np.broadcast_to(row, batch.shape)]
    for x in (*others, row, row[::-1]):
        for args in ((x, batch, row), (row, row, x), (row, x, batch), (x, others[0], batch), (x, x, x)):
            np.testing.assert_array_equal(call(*args), run(kernel, args, None, None))
    assert call(batch, batch[:3], row) == call(batch[None], batch, row) == "slow"
    assert call(others[0][:0], row, batch[:0]).shape == (0, N)
    many = np.broadcast_to(row, (array_writer.SMALL // kernel.operations + 1, N))
    np.testing.assert_array_equal(call(many, row, row), np.broadcast_to(call(row, row, row), many.shape))
    assert call(many[1:], row, row).shape == (len(many) - 1, N)


def test_methods_learn_from_any_of_them() -> None:
    """A robot that never gets a plain array takes the fast way all the same."""
    expected = revolute.robots.ur5().inverse_dynamics(Q, QD, QDD)
    lists: tuple[Any, ...] = (Q.tolist(), QD.tolist(), QDD.tolist())
    ways: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        (lists, {}), (tuple(map(pickled, (Q, QD, QDD))), {}), (tuple(map(tuple, lists)), {}),
        ((strided(Q)[1], QD, lists[2]), {}),
        ((Q, QD, QDD), {"threads": 1}), (lists, {"threads": 2}), ((Q, QD, QDD), {"threads": None}),
        ((), dict(zip(("q", "qd", "qdd"), lists, strict=True))),
        ((), {"qdd": QDD, "q": lists[0], "qd": strided(QD)[2]}),
    ]  # fmt: skip
    for args, named in ways:
        robot = revolute.robots.ur5()
        for _ in range(3):
            np.testing.assert_array_equal(robot.inverse_dynamics(*args, **named), expected)
        assert fast_calls(robot.inverse_dynamics) == 1
        assert extra_bytes(lambda robot=robot, args=args, named=named: robot.inverse_dynamics(*args, **named)) < 200


def test_wrenches_in_lists() -> None:
    robot, wrench = revolute.robots.ur5(), np.arange(6.0)
    expected = robot.inverse_dynamics(Q, QD, QDD, wrenches={"tool0": wrench})
    for given in (wrench.tolist(), tuple(wrench), wrench.astype(int).tolist(), np.repeat(wrench, 2)[::2]):
        for _ in range(3):
            np.testing.assert_array_equal(robot.inverse_dynamics(Q, list(QD), QDD, wrenches={"tool0": given}), expected)
    assert fast_calls(robot.inverse_dynamics) == 1


def test_types_are_those_of_the_slow_way() -> None:
    """Lists and integers beside float32 give float64, whatever was learned before."""
    single = [x.astype(np.float32) for x in (Q, QD, QDD)]
    for first in (single, (Q, QD, QDD), (Q.tolist(), QD, QDD)):
        robot = revolute.robots.ur5()
        for _ in range(2):
            robot.inverse_dynamics(*first)
        for k in range(3):
            mixed = [*single[:k], single[k].tolist(), *single[k + 1 :]]
            for _ in range(3):
                found = robot.inverse_dynamics(*mixed)
                np.testing.assert_array_equal(found, run(robot.kernel("inverse_dynamics"), mixed, None, None))
                assert found.dtype == np.float64
                named = robot.inverse_dynamics(mixed[0], qdd=mixed[2], qd=mixed[1])
                assert named.dtype == np.float64 and np.array_equal(named, found)
                assert robot.inverse_dynamics(*single).dtype == np.float32
                assert robot.inverse_dynamics(single[0], qdd=single[2], qd=single[1]).dtype == np.float32


def test_wrong_lists_are_named(robot: Robot) -> None:
    for _ in range(3):
        robot.inverse_dynamics(Q.tolist(), QD, QDD)
        with pytest.raises(ShapeError, match=r"inverse_dynamics: q has shape \(5,\)"):
            robot.inverse_dynamics(Q[:5].tolist(), QD, QDD)


def extra_bytes(call: Callable[[], Any]) -> int:
    """Bytes that a call allocates at its peak beyond its result, which is freed at once."""
    for _ in range(3):
        call()
    tracemalloc.start()
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak - before - sys.getsizeof(np.empty(N))


def test_references_stay_as_they_are(robot: Robot) -> None:
    args = (Q.tolist(), tuple(QD), strided(QDD)[1])
    things = (*args, *args[0], *args[1])
    for _ in range(3):
        robot.inverse_dynamics(*args)
    before = [sys.getrefcount(x) for x in things]
    for _ in range(1000):
        robot.inverse_dynamics(*args)
    assert [sys.getrefcount(x) for x in things] == before
