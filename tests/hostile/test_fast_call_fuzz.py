"""Fast calls with arguments of every kind, right and wrong: the bits of the general way, or its error.

Every call is made twice: by a method or kernel that goes straight to machine code where it can, and by the same kernel
through Python and NumPy alone. In a part of the calls all arrays lie in one arena, where they may overlap. Then the
general way gets copies of the inputs, and the two arenas must be the same to the last byte.
"""

import array
import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from machine_code import fast_calls

import revolute
from revolute import RevoluteError
from revolute.compiler import batch
from revolute.compiler.batch import run, run_arrays, workers_for

Ending = tuple[tuple[Any, ...], dict[str, Any]]
"""Arguments that follow the arrays of a call."""


class Slowly:
    """A kernel without a fast call."""

    def __init__(self, kernel: Any) -> None:
        self.kernel, self.plain_call = kernel, partial(run_arrays, self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)

    def __call__(self, *arrays: Any, out: Any = None, threads: Any = None) -> Any:
        return run(self, *arrays, out=out, threads=threads)  # type: ignore[arg-type]

    __call__.__qualname__ = "Kernel.__call__"  # which messages tell

    def fast_call(self, fallback: Callable[..., Any], how: Any = None) -> Callable[..., Any]:
        return fallback


@dataclass(frozen=True)
class Contest:
    """A function by both ways, its core shapes and its type of numbers."""

    fast: Callable[..., Any]
    slow: Callable[..., Any]
    inputs: Sequence[tuple[int, ...]]
    outputs: Sequence[tuple[int, ...]]
    dtype: type = np.float64
    endings: Sequence[Ending] = (((), {}),)


class Name(str):
    """A name of another class."""


def endings(*given: Any) -> list[Ending]:
    """Each is a dict of named arguments, or a tuple of positional ones with a dict at its end maybe."""
    pairs = [(x[:-1], x[-1]) if isinstance(x, tuple) and x and isinstance(x[-1], dict) else (x, {}) for x in given]
    return [((), x) if isinstance(x, dict) else (x, named) for x, named in pairs]


LEARNED: dict[str, list[Ending]] = {
    "inverse_dynamics": endings((), {"wrenches": None}),
    "mass_matrix": endings(()),
    "kinetic_energy": endings(()),
    "jacobian": endings(
        ("tip",), ("tip", "world"), ("tip", {"reference": "world"}), {"frame": "tip", "reference": "world"}
    ),
    "equations_of_motion": endings((), {"mass_matrix_rate": True}, {"mass_matrix_rate": False}),
    "inverse_dynamics_partials": endings(()),
}
OTHER: dict[str, list[Ending]] = {
    "inverse_dynamics": [
        *endings(*({"wrenches": x} for x in ({}, {"tip": np.arange(6.0)}, {"tip": [0] * 5}, {"base": [None] * 6}, []))),
        *endings(
            {"base_twist": None}, {"base_twist": np.arange(6.0)}, {"base_acceleration": 1}, {"wrench": None}, (None,)
        ),
    ],
    "jacobian": endings(
        *(("link1", "body"), ("".join(["ti", "p"]), "world"), (Name("tip"), {"reference": np.str_("world")})),
        *({"reference": "world", "frame": "tip"}, (b"tip",), ("Tip", "world"), ("tip", "World"), ("tip", None)),
        *((None,), ("tip", True), (1, {"reference": 0}), (["tip"],), (("tip",), "world"), ("tip", "world", "world")),
        *(("tip", {"frame": "tip"}), ("tip", {"refer": "world"}), ()),
    ),
    "equations_of_motion": endings(
        *({"mass_matrix_rate": x} for x in (1, 0, 1.0, np.True_, None, "no", [], ())), (True,)
    ),
}


def pair(make: Callable[[], Any]) -> tuple[Any, Any]:
    """A machine, and the same without fast calls."""
    machine, other = make(), make()
    kernel = other._kernel
    other.__dict__["_kernel"] = lambda *args, **named: Slowly(kernel(*args, **named))
    return machine, other


@cache
def contests() -> list[Contest]:
    found = []
    robot, other = pair(lambda: revolute.robots.planar(2))
    driven = pair(robot.with_drives)
    learned_by = [(robot, other, *x) for x in LEARNED.items()]
    for fast, slow, name, learned in (*learned_by, (*driven, "inverse_dynamics", endings(()))):
        form = fast.kernel(name, **({"frame": "tip"} if name == "jacobian" else {}))
        inputs, outputs = [x.shape for x in form.inputs], [shape for _, shape in form.outputs]
        for args, named in 2 * learned:
            getattr(fast, name)(*map(np.zeros, inputs), *args, **named)
        method = getattr(fast, name)
        assert fast_calls(method) == len(learned)
        others = OTHER.get(name, []) if fast is robot else endings({"q": None})
        way = getattr(type(slow), name).__get__(slow)
        found.append(Contest(method, way, inputs, outputs, endings=8 * learned + others))
    doubles, floats = np.float64, np.float32
    for name, dtype in (("inverse_dynamics", doubles), ("inverse_dynamics", floats), ("kinetic_energy", floats)):
        form = robot.kernel(name, dtype=dtype)
        found.append(Contest(form, Slowly(form), [(2,)] * len(form.inputs), [x for _, x in form.outputs], dtype))
    form = robot.kernel("gravity_forces", parameters="inertial")
    return [*found, Contest(form, Slowly(form), [x.shape for x in form.inputs], [(2,)])]


SPECIAL = np.array(
    [0x7FF8000000000001, 0xFFF80000DEADBEEF, 0x7FF0000000000001, 0x7FF << 52, 0xFFF << 52, 1 << 63, 1, (1 << 63) + 7],
    np.uint64,
).view(np.float64)  # NaNs, signalling too, infinities, -0, denormal numbers


class Sub(np.ndarray):
    """An array of another class."""


class Odd:
    """An object that fails on its way to an array."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self.error


def numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of all sizes, some of them special."""
    x = rng.standard_normal(shape) * 10.0 ** rng.choice([0, 0, 0, 0, 5, 300, -300])
    if rng.random() < 0.4:
        x = np.where(rng.random(shape) < 0.3, rng.choice([*SPECIAL, 1e5, 5e4 * math.pi, -0.0, 1e308], shape), x)
    return np.array(x)


def forms(x: np.ndarray, dtype: Any) -> list[Any]:
    """The same numbers, or what other types can hold of them, as all kinds of objects that are numbers."""
    x = x.astype(dtype)
    small = np.clip(np.nan_to_num(x), -100, 100)
    frozen, misaligned = x.copy(), np.empty(x.nbytes + 1, np.uint8)[1:].view(dtype).reshape(x.shape)
    misaligned[...], frozen.flags.writeable = x, False
    apart = np.repeat(x, 3, axis=-1)[..., ::3]
    found = [x, x.tolist(), apart, np.flip(np.flip(x).copy()), frozen, misaligned, x.view(Sub), np.ma.array(x)]
    found += [np.asfortranarray(x), np.broadcast_to(x, (2, *x.shape))[0], x.astype(x.dtype.newbyteorder())]
    found += [small.astype(kind) for kind in ("f2", "f4", "f8", "g", "i1", "u2", ">i4", "i8", "?")]
    found += [
        (1 + np.nan_to_num(small).astype(kind)) * np.array(top, kind) for kind, top in (("f8", 1e300), ("g", "1e4000"))
    ]
    if x.ndim:
        found += [tuple(x.tolist()), list(x), [list(each) if each.ndim else each for each in x], memoryview(x)]
        found += [np.lib.stride_tricks.as_strided(x, x.shape, (*x.strides[:-1], 0)), x.astype("g").tolist()]
        found += [small.astype(int).tolist(), array.array("d", x) if x.ndim == 1 else np.ma.masked_invalid(x)]
    return found + ([x.view(np.matrix)] if x.ndim == 2 else [])


def nonsense(core: tuple[int, ...]) -> list[Any]:
    """What is no array of real numbers, or has another shape."""
    x = np.zeros(core)
    found = [None, 0, 1.5, True, "q", b"q", ..., {}, {0: 1.0}, {1.0, 2.0}, object, np.float64(3), np.array(2.0)]
    found += [10**400, Odd(RuntimeError("no array")), *(Odd(kind("odd")) for kind in (ValueError, TypeError, KeyError))]
    found += [x.astype(kind) for kind in ("O", "c16", "S8", "U4", "M8[s]", "m8[s]", [("a", "f8")])]
    found += [[1.0, [2.0, 3.0]], [None] * core[0], ["1"] * core[0], [10**400] * core[0], [Fraction(1, 3)] * core[0]]
    found += [np.zeros(shape) for shape in ((), (0,), (1,), core[1:], (*core, 1), (*core[:-1], core[-1] + 1), (3, 5))]
    return [*found, x[None][..., :-1], np.zeros((1,) * 40 + core), np.zeros((2,) + (1,) * 63)[..., 0]]


BATCHES: Sequence[tuple[int, ...]] = (
    *((), *((n,) for n in (0, 1, 2, 3, 7, 8, 9, 17, 40))),
    *((2, 3), (1, 3), (2, 1), (0, 3)),
)
BATCH_WEIGHTS = list(itertools.accumulate([20, *[1] * (len(BATCHES) - 1)]))


class Pool:
    """Arguments at hand: for each core shape and batch many, and nonsense."""

    @np.errstate(all="ignore")
    def __init__(self, rng: np.random.Generator, contest: Contest) -> None:
        self.good = {
            core: {batch: self.some(rng, batch + core, contest.dtype) for batch in BATCHES}
            for core in set(contest.inputs)
        }
        self.bad = {core: nonsense(core) for core in set(contest.inputs)}

    def some(self, rng: np.random.Generator, shape: tuple[int, ...], dtype: type) -> tuple[list[Any], list[Any]]:
        """Plain arrays, and others."""
        plain = [numbers(rng, shape).astype(dtype) for _ in range(12)]
        return plain, [y for x in plain[:2] for y in forms(x, dtype)]

    def content(self) -> list[bytes]:
        """To the last bit."""
        arrays = (x for groups in self.good.values() for both in groups.values() for group in both for x in group)
        return [x.tobytes() for x in arrays if isinstance(x, np.ndarray)]


THREADS = (None, None, None, 1, 1, True, np.int64(1), 2, 3, 0, -1, False, 1.0, "1", [1])


class Calls:
    """A seeded stream of calls of one function."""

    def __init__(self, seed: str, contest: Contest) -> None:
        self.contest, self.rng, self.made = contest, random.Random(seed), 0
        self.pool = Pool(np.random.default_rng(self.rng.getrandbits(64)), contest)
        self.bytes = np.random.default_rng(1).standard_normal(3072).astype(contest.dtype).view(np.uint8)[:12288]

    def make(self) -> None:
        self.made += 1
        if self.rng.random() < 0.25:
            self.in_an_arena()
        else:
            self.anywhere()

    def anywhere(self) -> None:
        """Arguments from the pool."""
        rng, contest = self.rng, self.contest
        (batch,) = batches = rng.choices(BATCHES, cum_weights=BATCH_WEIGHTS)
        if (dice := rng.random()) < 0.2:
            batches = rng.choices(BATCHES, k=3)
        kinds = rng.choice(((0, 0), (0, 0), (0, 1)))  # plain, or of all kinds
        args = [rng.choice(self.pool.good[core][rng.choice(batches)][rng.choice(kinds)]) for core in contest.inputs]
        if dice > 0.9:
            k = rng.randrange(len(args))
            args[k] = rng.choice(self.pool.bad[contest.inputs[k]])
        if dice > 0.97:
            args = rng.choice([args[:-1], [*args, args[0]], [], args[::-1]])
        more, named = rng.choice(contest.endings)
        named = dict(named)
        if rng.random() < 0.05:
            named["threads"] = rng.choice(THREADS)
        if rng.random() < 0.02:
            named["q" if rng.random() < 0.5 else "nothing"] = args.pop() if args else None
        seed, results = rng.getrandbits(32) if rng.random() < 0.3 else None, []
        for way in (contest.fast, contest.slow):
            if seed is not None:
                named["out"] = self.new_out(batch, random.Random(seed))
            results.append(outcome(way, (*args, *more), named))
        assert results[0] == results[1], self.report((*args, *more), named)

    def new_out(self, batch: tuple[int, ...], rng: random.Random) -> Any:
        """Arrays for the results; some do not fit."""
        dtype = self.contest.dtype
        out: list[Any] = [np.full(batch + core, 7.0, dtype) for core in self.contest.outputs]
        if rng.random() < 0.3:
            k = rng.randrange(len(out))
            x = out[k]
            frozen = x.copy()
            frozen.flags.writeable = False
            wrong = [*(x.astype(kind) for kind in ("f2", "f4", "f8", ">f8", "i8")), frozen, x.view(Sub)]
            wrong += [x[None], x[..., None], np.zeros((*batch, 5), dtype), np.zeros((), dtype)]
            wrong += [x.tolist(), None, 3, "out", np.asfortranarray(x)]
            out[k] = rng.choice([*wrong, np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x, (x,)])
            if rng.random() < 0.1:
                out = rng.choice([out[:-1], [*out, x], [out], out * 2])
        return out[0] if len(out) == 1 else tuple(out)

    def in_an_arena(self) -> None:
        """Inputs and results anywhere in one piece of memory."""
        rng, contest = self.rng, self.contest
        batch = rng.choice([(), (), (), (), (1,), (2,), (3,), (9,), (20,), (2, 3), (0,)])
        alone = tuple(1 if k else n for k, n in enumerate(batch))
        smaller = [batch, batch, batch, batch[1:], (), (1,) * len(batch), alone]
        inputs = [self.place(rng.choice(smaller) + core, inputs=True) for core in contest.inputs]
        outputs = [self.place(batch + core) for core in contest.outputs]
        more, named = rng.choice(contest.endings)
        if rng.random() < 0.1:
            named = {**named, "threads": rng.choice((1, 2, 2, 3))}
        results, arenas = [], []
        for way in (contest.fast, contest.slow):
            arena = self.bytes.copy()
            args = [np.ndarray(*where[:2], arena, *where[2:]) for where in inputs]
            out = tuple([np.ndarray(*where[:2], arena, *where[2:]) for where in outputs])
            if way is contest.slow:
                args = [x.copy() for x in args]
            results.append(outcome(way, (*args, *more), {**named, "out": out if len(out) > 1 else out[0]}))
            arenas.append(arena.tobytes())
        if not any(itertools.starmap(np.may_share_memory, itertools.combinations(out, 2))):  # else the last one wins
            assert results[0] == results[1], self.report((*inputs, *more), {**named, "out": outputs})
            assert arenas[0] == arenas[1], self.report((*inputs, *more), {**named, "out": outputs})

    def place(self, shape: tuple[int, ...], *, inputs: bool = False) -> tuple[Any, ...]:
        """Shape, type, offset and strides of an array in the arena."""
        rng, dtype = self.rng, np.dtype(self.contest.dtype)
        size = dtype.itemsize
        strides = [math.prod(shape[k + 1 :]) * size for k in range(len(shape))]
        if shape and rng.random() < 0.4:
            strides[rng.randrange(len(shape))] *= rng.choice([-1, 2, -3, 0] if inputs else [-1])
        elif rng.random() < 0.2:
            strides = [2 * stride for stride in strides]
        if inputs and rng.random() < 0.05:
            dtype = np.dtype(f"i{size}")
        reach = [(n - 1) * stride for n, stride in zip(shape, strides, strict=True) if n]
        low, high = -sum(min(r, 0) for r in reach), len(self.bytes) - size - sum(max(r, 0) for r in reach)
        near = low + size * rng.randrange(12) if rng.random() < 0.7 else rng.randrange(low, high)
        offset = near // size * size if rng.random() < 0.97 else near + 1
        return shape, dtype, max(low, min(offset, high)), strides

    def report(self, args: Any, named: Any) -> str:
        return f"call {self.made} of {self.contest.fast}: {args}, {named}"


def outcome(call: Callable[..., Any], args: Sequence[Any], named: dict[str, Any]) -> Any:
    """Everything that a caller can tell of a call."""
    try:
        result = call(*args, **named)
    except (RevoluteError, TypeError) as error:
        return type(error), str(error)
    except (KeyError, RuntimeError) as error:
        assert str(error) in ("'odd'", "no array")
        return type(error), str(error)
    out = named.get("out")
    if isinstance(result, tuple):
        assert out is None or result == out or all(x is y for x, y in zip(result, out, strict=True))
        return [bits(x) for x in result]
    return bits(result), out is not None and (result is out or (result is out[0]))


def bits(x: Any) -> Any:
    return type(x), x.dtype, x.shape, x.tobytes()


CONTESTS = [
    *LEARNED,
    "driven inverse_dynamics",
    *("kernel inverse_dynamics", "float32 kernel inverse_dynamics", "float32 kernel kinetic_energy"),
    "kernel gravity_forces with parameters",
]


def fuzz(monkeypatch: pytest.MonkeyPatch, name: str, seed: int, count: int) -> None:
    contest, slow = contests()[CONTESTS.index(name)], []

    def counted(*args: Any) -> Any:
        slow.append(None)
        return workers_for(*args)

    monkeypatch.setattr(batch, "workers_for", counted)  # which Python's way asks, once at least
    calls = Calls(f"{name} {seed}", contest)
    before = calls.pool.content()
    for _ in range(count):
        calls.make()
    assert calls.pool.content() == before  # nobody writes into an input
    assert len(slow) < 1.5 * count  # both ways would be 2


@pytest.mark.parametrize(("seeds", "count"), [(1, 2_000), pytest.param(20, 50_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CONTESTS)
def test_random_calls_give_the_bits_of_a_batch(
    monkeypatch: pytest.MonkeyPatch, name: str, seeds: int, count: int
) -> None:
    for seed in range(1, seeds + 1):
        fuzz(monkeypatch, name, seed, count)
