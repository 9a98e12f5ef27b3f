"""Batches: broadcasting, layouts, types, `out`, threads, memory, errors."""

import threading
import time
import tracemalloc

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import DtypeError, InputError, Robot, ShapeError
from revolute.compiler import batch
from revolute.targets.llvm import host

N = 6
LANES = host().lanes().width


@pytest.fixture(autouse=True)
def _short_batches_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that machine code passes on use as many threads as they ask for, however short they are."""
    monkeypatch.setattr(batch, "PAYS", 0)
    monkeypatch.setattr(batch, "PIECE", 1)
    monkeypatch.setattr(batch, "cores", lambda: 8)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return revolute.robots.ur5()


@pytest.fixture(scope="module")
def states() -> np.ndarray:
    return np.random.default_rng(5).uniform(-3, 3, (3, 257, N))


def rows(robot: Robot, states: np.ndarray) -> np.ndarray:
    """Row by row through the call for single rows: what every batch must equal, bit for bit."""
    return np.array([robot.inverse_dynamics(*(x[k].copy() for x in states)) for k in range(states.shape[1])])


@pytest.mark.parametrize("size", [0, 1, 2, LANES - 1, LANES, LANES + 1, 3 * LANES + 2, 257])
def test_every_batch_size_gives_the_same_bits(robot: Robot, states: np.ndarray, size: int) -> None:
    expected = rows(robot, states)
    assert np.array_equal(robot.inverse_dynamics(*states[:, :size]), expected[:size])
    assert np.array_equal(robot.inverse_dynamics(*states[:, 257 - size :]), expected[257 - size :])


def layouts(x: np.ndarray) -> dict[str, np.ndarray]:
    """The same (257, 6) numbers, laid out in memory in many ways."""
    apart = np.empty((257 * 2, N * 3))
    apart[::2, ::3] = x
    shifted = np.empty(x.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(x.shape)
    shifted[...] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    return {
        "C": np.ascontiguousarray(x), "Fortran": np.asfortranarray(x), "strided": apart[::2, ::3],
        "reversed": x[::-1, ::-1].copy()[::-1, ::-1], "misaligned": shifted, "big-endian": x.astype(">f8"),
        "read-only": frozen, "transposed": x.T.copy().T, "rows apart": np.repeat(x, 2, axis=0)[::2],
        "list": x.tolist(),
    }


@pytest.mark.parametrize("name", list(layouts(np.zeros((257, N)))))
def test_every_layout_gives_the_same_bits(robot: Robot, states: np.ndarray, name: str) -> None:
    expected = rows(robot, states)
    q, qd, qdd = (layouts(x)[name] for x in states)
    assert np.array_equal(robot.inverse_dynamics(q, qd, qdd), expected)
    assert np.array_equal(robot.inverse_dynamics(q, states[1], states[2], threads=2), expected)
    if name != "list":
        out = layouts(np.zeros((257, N)))["C" if name in ("read-only", "big-endian") else name]
        assert robot.inverse_dynamics(q, qd, qdd, out=out) is out
        assert np.array_equal(out, expected)


def test_leading_axes_broadcast(robot: Robot, states: np.ndarray) -> None:
    q, qd, qdd = states
    expected = rows(robot, states[:, :12])
    grid = [x[:12].reshape(3, 4, N) for x in states]
    assert np.array_equal(robot.inverse_dynamics(*grid), expected.reshape(3, 4, N))
    mixed = robot.inverse_dynamics(q[:3, None], qd[:4], qdd[0])
    assert mixed.shape == (3, 4, N)
    assert np.array_equal(mixed[2, 1], robot.inverse_dynamics(q[2], qd[1], qdd[0]))
    for threads in (2, 5):
        assert np.array_equal(robot.inverse_dynamics(q[:3, None], qd[:4], qdd[0], threads=threads), mixed)
    assert robot.inverse_dynamics(np.zeros((0, 5, N)), qd[0], qdd[0]).shape == (0, 5, N)


def test_kernels_take_numbers_of_any_precision(robot: Robot, states: np.ndarray) -> None:
    """Whole numbers, lists and those of half precision become double."""
    single, whole = robot.kernel("inverse_dynamics", dtype=np.float32), np.rint(states)
    for given in (states, whole.astype(np.int64), states.astype(np.longdouble)):
        expected = single(*given.astype(np.float32))
        for threads in (1, 3):
            assert np.array_equal(single(*given, threads=threads), expected)
        assert np.array_equal(single(*given[:, 0]), expected[0])
    assert np.array_equal(robot.inverse_dynamics(*states.astype(np.longdouble)), robot.inverse_dynamics(*states))
    for form in (whole.astype(np.int8), whole.astype(np.float16), whole.astype(int).tolist()):
        found = robot.inverse_dynamics(*form)
        assert found.dtype == np.float64 and np.array_equal(found, robot.inverse_dynamics(*whole))


def test_float32_in_gives_float32_out(robot: Robot, states: np.ndarray) -> None:
    single = states.astype(np.float32)
    found = robot.inverse_dynamics(*single)
    assert found.dtype == np.float32
    exact = robot.inverse_dynamics(*single.astype(np.float64))
    # some 60 dependent operations, each rounding by 2^-24 of values up to ten times the result
    assert np.max(np.abs(found - exact) / np.abs(exact).max(axis=1, keepdims=True)) < 60 * 10 * 2.0**-24
    assert np.array_equal(found[5], robot.inverse_dynamics(*single[:, 5]))
    assert robot.inverse_dynamics(single[0], states[1], states[2]).dtype == np.float64


def test_a_result_may_be_an_input_of_all_rows() -> None:
    """Core axes of one where the other has batch axes: each row needs the input as it was."""
    robot, (q, qd) = revolute.robots.planar(2), np.random.default_rng(3).standard_normal((2, 2, 2))
    energies = robot.kinetic_energy(q, qd[0])
    for threads in (1, 2):
        out = qd[0].copy()
        assert robot.kinetic_energy(q, out, out=out, threads=threads) is out
        assert np.array_equal(out, energies)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_out_may_be_an_input_as_it_is_or_shifted_by_a_row(
    robot: Robot, states: np.ndarray, threads: int, shift: int
) -> None:
    """A slice has only some rows: one writes what the next one reads."""
    q, qd, qdd = states
    expected = rows(robot, states)
    for k in range(3):
        memory = np.zeros((259, N))
        memory[1:-1] = states[k]
        args = [q, qd, qdd]
        args[k], out = memory[1:-1], memory[1 + shift : 258 + shift]
        assert robot.inverse_dynamics(*args, out=out, threads=threads) is out
        assert np.array_equal(out, expected)


def test_a_nan_in_one_row_changes_no_other_row(robot: Robot, states: np.ndarray) -> None:
    clean = rows(robot, states)
    for place in (0, 3, 128, 256):
        for poison in (np.nan, np.inf, -np.inf, 1e200, 1e6):
            q, qd, qdd = states.copy()
            q[place, 2], qd[place, 1] = poison, poison
            with np.errstate(all="ignore"):
                found = robot.inverse_dynamics(q, qd, qdd)
            others = np.arange(257) != place
            assert np.array_equal(found[others], clean[others])
            if not np.isfinite(poison):
                assert np.isnan(found[place]).any()


def test_an_output_is_nan_where_it_depends_on_a_nan(robot: Robot, states: np.ndarray) -> None:
    for k in range(3):
        given = states.copy()
        given[k, 4, 1] = np.nan
        assert np.isnan(robot.inverse_dynamics(*given)[4]).all()


def test_a_million_rows_take_no_more_memory_than_their_result(robot: Robot) -> None:
    q = np.random.default_rng(1).standard_normal((1_000_000, N))
    for arguments in ((q, q, q), (q.astype(np.float32), q, q), (q, q[:1], q[0])):
        for threads in (1, 2):
            robot.inverse_dynamics(q[:10], q[:10], q[:10])
            tracemalloc.start()
            result = robot.inverse_dynamics(*arguments, threads=threads)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak - result.nbytes <= 16 * 2**20


@pytest.mark.parametrize("failing", ["caller", "helper"])
def test_an_error_in_one_thread_waits_for_the_others(
    robot: Robot, states: np.ndarray, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """It comes out, once nobody writes into results any more."""
    kernel, begun, at_work = robot.kernel("inverse_dynamics"), threading.Barrier(2), []
    caller, computed = threading.current_thread(), kernel.ufunc

    def ufunc(*args: np.ndarray, out: tuple[np.ndarray, ...]) -> None:
        name = "caller" if threading.current_thread() is caller else "helper"
        at_work.append(name)
        begun.wait(timeout=60)
        if name == failing:
            raise MemoryError(name)
        time.sleep(0.1)
        computed(*args, out=out)
        at_work.remove(name)

    monkeypatch.setitem(kernel.__dict__, "ufunc", ufunc)
    with pytest.raises(MemoryError, match=failing):
        kernel(*np.tile(states, (9, 1)).astype(np.float32), threads=2)  # converted slice by slice, in Python's threads
    assert at_work == [failing]


def test_wrong_arguments_are_named(robot: Robot) -> None:
    x = np.zeros(N)
    cases = [
        (ShapeError, r"q has shape \(5,\), but robot 'ur5.*' needs \(\.\.\., 6\) \(nq\)", (x[:5], x, x)),
        (ShapeError, r"qdd has shape \(\)", (x, x, 0.0)),
        (ShapeError, r"batch shapes do not broadcast: q \(3,\), qd \(4,\)", (np.zeros((3, N)), np.zeros((4, N)), x)),
        (ShapeError, "qd is ragged", (x, [[1.0], [1.0, 2.0]], x)),
        (DtypeError, "q must hold real numbers, not complex128", (x + 0j, x, x)),
        (DtypeError, "qd must hold real numbers, not <U", (x, ["a"] * N, x)),
        (DtypeError, "qdd must hold real numbers, not object", (x, x, [None] * N)),
    ]
    for kind, message, arguments in cases:
        for method in (robot.inverse_dynamics, robot.kernel("inverse_dynamics")):
            assert_raises(kind, message, method, *arguments)
    assert_raises(TypeError, "missing 1 required positional argument: 'qdd'", robot.inverse_dynamics, x, x)
    assert_raises(InputError, r"takes 3 arrays \(q, qd, qdd\), not 2", robot.kernel("inverse_dynamics"), x, x)


def test_wrong_out_and_threads_are_named(robot: Robot) -> None:
    x = np.zeros((4, N))
    frozen = np.zeros((4, N))
    frozen.flags.writeable = False
    cases = [
        (ShapeError, r"out must have shape \(4, 6\), not \(6,\)", {"out": np.zeros(N)}),
        (DtypeError, "out must be float64, not float32", {"out": np.zeros((4, N), np.float32)}),
        (DtypeError, "out must be a NumPy array, not list", {"out": [0.0] * N}),
        (InputError, "out is read-only", {"out": frozen}),
        (InputError, "threads must be a positive number, not 0", {"threads": 0}),
        (InputError, "threads must be a positive number, not 'two'", {"threads": "two"}),
    ]
    for kind, message, options in cases:
        assert_raises(kind, message, robot.inverse_dynamics, x, x, x, **options)
