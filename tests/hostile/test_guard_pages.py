"""Arguments and arrays that end where memory ends: machine code reads and writes nothing beyond them.

Memory is taken from the system with a page that nobody may touch on either side. Touching one
ends the process, so every check runs in a process of its own: this file is its program, too.
"""

import contextlib
import ctypes
import itertools
import mmap
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import revolute
from revolute import RevoluteError
from revolute.compiler.patterns import pattern
from revolute.targets.llvm import host

pytest.importorskip("fcntl", reason="pages are protected by mprotect of POSIX")

PAGE = mmap.PAGESIZE
MPROTECT = ctypes.CDLL(None).mprotect
MPROTECT.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__  # offsets in PyTupleObject
METHOD, FUNCTION = 16, 8  # of the PyMethodDef in PyCFunctionObject, and of the function's address there


def guarded(x: np.ndarray, at_end: bool = True) -> np.ndarray:
    """A C-ordered copy of an array that ends (or begins) at a page that must not be touched."""
    inside = -(-max(x.nbytes, 1) // PAGE) * PAGE
    memory = mmap.mmap(-1, inside + 2 * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for guard in (start, start + PAGE + inside):
        assert MPROTECT(guard, PAGE, 0) == 0
    copy = np.frombuffer(memory, x.dtype, x.size, PAGE + (inside - x.nbytes if at_end else 0)).reshape(x.shape)
    copy[...] = x
    return copy


CALL = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p)


@cache
def vector(size: int) -> np.ndarray:
    return guarded(np.zeros(size, np.uint64))


@cache
def guarded_names(names: tuple[str, ...]) -> np.ndarray:
    """A copy of a tuple, for machine code alone: Python's own functions may not keep it."""
    own = tuple(map(sys.intern, names))
    return guarded(np.frombuffer(ctypes.string_at(id(own), TUPLE_ITEMS + 8 * len(names)), np.uint8))


def guarded_call(function: Any, args: Sequence[Any], names: tuple[str, ...]) -> Any:
    """Call a builtin function by its address, with vectors of arguments and names that end at a guard page."""
    method = ctypes.c_void_p.from_address(id(function) + METHOD).value or 0
    address = ctypes.c_void_p.from_address(method + FUNCTION).value or 0
    given = vector(len(args))
    given[:] = list(map(id, args))
    keywords = guarded_names(names).ctypes.data if names else None
    return CALL(address)(function.__self__, given.ctypes.data, len(args) - len(names), keywords)


def slow(*args: Any, **named: Any) -> str:
    return "slow"


def check_arguments() -> None:
    """All short lists of arguments and names, for fast calls with and without options and named ones."""
    robot, q, out = revolute.robots.ur5(), np.linspace(-1, 1, 6), np.zeros((6, 6))
    jacobian, torques, partials = (
        robot.kernel("jacobian", frame="tool0", reference="world"),
        robot.kernel("inverse_dynamics"),
        robot.kernel("inverse_dynamics_partials"),
    )
    options, q.flags.writeable = ("tool0", "world"), False  # else a result may go into it
    names = ("frame", "reference")
    ways = [pattern((q, *options[:k]), dict(zip(names[k:], options[k:], strict=True)), (q,)) for k in range(3)]
    functions = [(jacobian.fast_call(slow, how), [q], jacobian(q)) for how in ways]
    functions += [(kernel.fast_call(slow), [q] * 3, kernel(q, q, q)) for kernel in (torques, partials)]
    fast, values = 0, (q, "tool0", "world", out)
    for count in range(5):
        for args in itertools.product(values, repeat=count):
            for names in itertools.permutations(("frame", "reference", "out"), min(count, 3)):
                for named in range(min(count, 3) + 1):
                    for function, inputs, expected in functions:
                        found = guarded_call(function, args, names[:named])
                        if not isinstance(found, str) and list(map(id, args[: len(inputs)])) == list(map(id, inputs)):
                            fast += 1
                            np.testing.assert_array_equal(found, expected)
    assert fast > 10


def layouts(x: np.ndarray, at_end: bool) -> Iterator[np.ndarray]:
    """The same rows in memory that ends with them: C-ordered, every other row, backward, rows as columns."""
    yield guarded(x, at_end)
    apart = np.repeat(x, 2, axis=0)
    yield guarded(apart[: len(apart) - 1], at_end)[::2]
    yield guarded(x[::-1], at_end)[::-1]
    yield np.moveaxis(guarded(np.moveaxis(x, 0, -1), at_end), -1, 0)


def kernels(robot: revolute.Robot, frame: str, alike: bool) -> Iterator[Any]:
    """One of every function that a robot has, with and without a frame; or until every shape of an array was there."""
    for name in ("inverse_dynamics", "mass_matrix", "forward_kinematics"):
        yield robot.kernel(name, dtype=np.float32)
    seen: set[Any] = set()
    for name, options in itertools.product(robot.functions(), ({}, {"frame": frame})):
        with contextlib.suppress(RevoluteError, AttributeError, TypeError):  # needs other options
            made = robot._signature(name, options)
            shapes = {("in", x.shape) for x in made.inputs} | {("out", shape) for _, shape in made.outputs}
            shapes.add((len(made.inputs), len(made.outputs)))
            if alike or shapes - seen:
                seen |= shapes
                yield robot.kernel(name, **options)


def check_kernel(kernel: Any) -> None:
    """Single rows and batches with rows left over, in every layout, at both ends of memory, and equal rows in one."""
    rng, width = np.random.default_rng(3), host().lanes(kernel.dtype.itemsize * 8).width
    for rows in (1, width + 1, 2 * width + width // 2 + 1):
        inputs = [rng.standard_normal((rows, *x.shape)).astype(kernel.dtype) for x in kernel.inputs]
        wanted = kernel.ufunc(*inputs)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for at_end in (True, False):
            for group in zip(*(layouts(x, at_end) for x in (*inputs, *wanted)), strict=True):
                given, out = group[: len(inputs)], group[len(inputs) :]
                for y in out:
                    y[...] = 7.0
                kernel.ufunc(*given, out=out)
                for y, z in zip(out, wanted, strict=True):
                    np.testing.assert_array_equal(y, z)
            given, out = [guarded(x[-1], at_end) for x in inputs], tuple(guarded(y[-1], at_end) for y in wanted)
            kernel(*given, out=out if len(out) > 1 else out[0])
            for y, z in zip(out, wanted, strict=True):
                np.testing.assert_array_equal(y, z[-1])
            same = [np.broadcast_to(x, (rows, *x.shape)) for x in given]  # all rows are one
            found = kernel(*same)
            for y, z in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
                np.testing.assert_array_equal(y, np.broadcast_to(z[-1], y.shape))


def check_kernels(robot: revolute.Robot, alike: bool, least: int) -> None:
    done = [check_kernel(kernel) for kernel in kernels(robot, robot.link_names[-1], alike)]
    assert len(done) >= least


CHECKS: dict[str, Callable[[], None]] = {
    "arguments": check_arguments,
    "functions": lambda: check_kernels(revolute.robots.planar(2), False, 25),
    "all joints": lambda: check_kernels(
        revolute.robots.random_tree(3, rng=1, base="free", types=("spherical", "planar")), True, 60
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "all joints" else []) for name in CHECKS]
)
def test_memory_beyond_arrays_is_never_touched(name: str) -> None:
    done = subprocess.run([sys.executable, Path(__file__), name], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{name}: done\n", "")


def test_guard_pages_end_a_process_that_touches_them() -> None:
    program = """
import os, test_guard_pages as t, numpy as np, ctypes
for at_end, touched in ((True, 24), (False, -1)):
    x = t.guarded(np.zeros(3), at_end)
    child = os.fork()
    if child == 0:
        x[2] = 1.0
        print("so far", flush=True)
        ctypes.string_at(x.ctypes.data + touched, 1)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) < 0, flush=True)
"""
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    assert done.stdout == 2 * "so far\nTrue\n", done.stderr


if __name__ == "__main__":
    CHECKS[sys.argv[1]]()
    print(f"{sys.argv[1]}: done")
