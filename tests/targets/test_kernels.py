"""Kernels: every width, chunk size and host gives the same function, and counts are kept small."""

import mmap
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from machine_code import compiled, widths
from processes import printed
from robots import signature

import revolute
from revolute import CompileError, InputError, Link, Robot
from revolute.graph import Builder, Graph, Input, Output, trace, verify
from revolute.targets.llvm import Lanes, compile_object, host, load_object, loop, module, module_text
from revolute.targets.llvm.direct import goes_straight
from revolute.targets.numpy import evaluate


def graph_of(robot: Robot, name: str = "inverse_dynamics") -> Graph:
    return verify(signature(robot, name, {}).graph())


def states(robot: Robot, count: int = 37) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [robot.random_configuration(count, rng=rng), *rng.standard_normal((2, count, robot.nv))]


@pytest.mark.parametrize("bits", [64, 32])
def test_every_width_gives_the_same_bits_and_the_reference_agrees(bits: int) -> None:
    robot = revolute.robots.random_tree(3, rng=4, base="free")
    graph = graph_of(robot)
    dtype = np.float64 if bits == 64 else np.float32
    x = [a.astype(dtype) for a in states(robot)]
    results = [compiled(graph, Lanes(width, bits, host().fma))(*x) for width in widths(bits)]
    for other in results[1:]:
        assert np.array_equal(results[0], other)
    exact = evaluate(graph, dict(zip(("q", "qd", "qdd"), x, strict=True)))["tau"]
    # the two differ by fused roundings: some hundreds, random in sign, of the largest value
    scale = np.abs(exact).max(axis=1, keepdims=True)
    assert np.max(np.abs(results[0] - exact) / scale) < 200 * np.finfo(dtype).eps


@pytest.mark.parametrize("chunk", [1, 7, 50, 10_000])
def test_every_chunk_size_gives_the_same_bits(chunk: int) -> None:
    robot = revolute.robots.random_tree(3, rng=9)
    graph, x = graph_of(robot), states(robot)
    assert np.array_equal(compiled(graph, host().lanes(), chunk=chunk)(*x), robot.inverse_dynamics(*x))


@pytest.mark.parametrize("chunk", [1, 2, 5, 10_000])
def test_a_comparison_counts_in_later_chunks_too(chunk: int) -> None:
    def function(x: Any) -> list[Any]:
        below = x[0] * x[1] < x[2]
        y = below.select(x[0] + 1, x[1] - 1)
        for _ in range(6):
            y = below.select(y * x[2], y + x[0])
        return [("y", (), [y])]

    graph = trace("choice", function, [Input("x", (3,))])
    x = np.random.default_rng(0).standard_normal((37, 3))
    expected = evaluate(graph, {"x": x})["y"]
    np.testing.assert_allclose(compiled(graph, host().lanes(), chunk=chunk)(x), expected, rtol=1e-14)
    assert 5 < (x[:, 0] * x[:, 1] < x[:, 2]).sum() < 32


def double(*shape: int) -> Graph:
    return trace("double", lambda x: [("y", shape, [node * 2 for node in x])], [Input("x", shape)])


@cache
def doubled(shape: tuple[int, ...]) -> np.ufunc:
    return compiled(double(*shape), host().lanes())


@pytest.mark.parametrize("shape", [(1,), (2,), (3,), (4,), (5,), (9,), (33,), (70,), (2, 3), (3, 3, 2), (17, 5), ()])
@pytest.mark.parametrize("layout", ["C", "Fortran", "strided"])
def test_arrays_of_every_shape_pass_through(shape: tuple[int, ...], layout: str) -> None:
    """x -> 2 x on arrays of many core shapes: packing, transposes, tails, unpacking."""
    function, rows = doubled(shape), 2 * host().lanes().width + 3
    data = np.random.default_rng(0).standard_normal((rows, *shape))
    given = {"C": data, "Fortran": np.asfortranarray(data), "strided": np.repeat(data, 3, axis=0)[::3]}[layout]
    assert np.array_equal(function(given), 2 * data)
    if shape:
        assert np.array_equal(function(np.flip(np.flip(data, axis=-1).copy(), axis=-1)), 2 * data)
    out = np.full((rows, 2, *shape), -1.0)
    function(given, out=out[:, 0])
    assert np.array_equal(out[:, 0], 2 * data) and np.all(out[:, 1] == -1.0)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, memory that nobody touches may count")
def test_rows_lie_gigabytes_apart() -> None:
    """5,000 rows of inputs and results, 1 MiB apart: beyond 2^31 and 2^32 bytes."""
    rows, apart, inner = 5000, 1 << 20, (8, -64)
    no_reserve = 0x4000  # mmap.MAP_NORESERVE, from Python 3.13 on
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
    memory = mmap.mmap(-1, rows * apart, flags=flags)
    memory.madvise(mmap.MADV_NOHUGEPAGE)  # else touching a row takes megabytes
    data = np.random.default_rng(0).standard_normal((rows, 3))
    for bits, dtype in ((64, np.float64), (32, np.float32)):
        function, expected = compiled(double(3), host().lanes(bits)), 2 * data.astype(dtype)
        for stride in inner:
            given, out = (np.ndarray((rows, 3), dtype, memory, start, (apart, stride)) for start in (1024, 2048))
            for backward in (1, -1):
                given[...], out[...] = data[::backward], 0.0
                function(given[::backward], out=out[::backward])
                assert np.array_equal(out[::backward], expected)
        given, out = (np.ndarray((9, 3), dtype, memory, start, (8, 2**31 + 8)) for start in (1024, 2048))  # by columns
        given[...], out[...] = data[:9], 0.0
        function(given, out=out)
        assert np.array_equal(out, expected[:9])


def memory_in_use() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what a process uses")
def test_memory_from_the_heap_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "STACK", 0)
    monkeypatch.setattr(loop, "BYPASS", 1)
    graph, lanes = double(40), Lanes(4, 64, host().fma)
    assert module_text(graph, lanes).partition("@loop")[2].count("@malloc(") == 2
    function, given, out = compiled(graph, lanes), np.ones((1, 40)), np.empty((1, 40))
    function(given, out=out)
    before = memory_in_use()
    for _ in range(30_000):
        function(given, out=out)
    assert memory_in_use() - before < 2**23  # a call takes 640 bytes at least: 19 MB in all


def test_all_operations_compile_and_agree_with_the_reference() -> None:
    x, y = Builder().input("x", 2)
    nodes = (
        x / y, abs(x).sqrt(), x.atan2(y), x.minimum(y), x.maximum(y), (x < y).select(x.exp(), y.tanh()),
        (x <= y).select(y.sign(), x.tan()), (abs(x) + 1).log(), x * y + y * y - x, -(x * x), x.builder.const(2.5), y,
    )  # fmt: skip
    graph = verify(Graph("all", (Input("x", (2,)),), (Output("y", (len(nodes),), nodes),)))
    special = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 0.3]
    pairs = np.array([(a, b) for a in special for b in special])
    with np.errstate(all="ignore"):
        expected = evaluate(graph, {"x": pairs})["y"]
        for width in widths():
            found = compiled(graph, Lanes(width, fma=host().fma))(pairs)
            np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-15)
            quiet = compiled(graph, Lanes(width, 32, host().fma))(pairs.astype(np.float32))
            np.testing.assert_allclose(quiet, expected, rtol=1e-6, atol=1e-6)


def test_outputs_that_are_constant() -> None:
    robot, q = revolute.robots.planar(2), np.zeros((19, 2))
    assert np.array_equal(robot.forward_kinematics(q, robot.link_names[0]), np.broadcast_to(np.eye(4), (19, 4, 4)))
    weightless = robot.with_gravity((0, 0, 0))
    assert np.array_equal(weightless.gravity_forces(q), q)
    assert weightless.kernel("gravity_forces").count().arithmetic == 0


def test_a_robot_without_joints() -> None:
    still = revolute.robots.planar(2).lock(dict.fromkeys(revolute.robots.planar(2).joint_names, 0.3))
    assert (still.nq, still.nv, still.joint_names) == (0, 0, ())
    nothing = np.zeros((5, 0))
    assert still.inverse_dynamics(nothing, nothing, nothing).shape == (5, 0)
    assert still.inverse_dynamics([], [], []).shape == (0,)
    tip = revolute.robots.planar(2).forward_kinematics([0.3, 0.3], "tip")
    np.testing.assert_allclose(still.forward_kinematics([], "tip"), tip, atol=1e-15)


def test_the_kernel_shows_itself() -> None:
    robot = revolute.robots.planar(2)
    kernel = robot.kernel("inverse_dynamics")
    assert str(kernel.graph).startswith("inverse_dynamics(q[2], qd[2], qdd[2]) -> tau[2]")
    assert "define void @loop" in kernel.ir
    assert 0 < kernel.compile_time < 60 and 0 < kernel.load_time < 60
    assert "planar" in repr(kernel)
    assert kernel.ufunc.signature == "(2),(2),(2)->(2)" and robot.kernel("inverse_dynamics") is kernel


def test_the_code_outlives_the_robot_as_long_as_a_ufunc_needs_it() -> None:
    def make() -> tuple[np.ufunc, object]:
        robot = revolute.robots.planar(1).with_gravity((0.0, -4.905, 0.0))
        robot.gravity_forces([0.0])
        return robot.kernel("gravity_forces").ufunc, robot.gravity_forces

    for _ in range(5):
        ufunc, call = make()
        for k in range(200):  # memory that was freed would be used again
            Robot.from_links(f"other {k}", [Link("base")], [])
        assert ufunc(np.zeros(1)) == call(np.zeros(1)) == pytest.approx(2.4525)  # type: ignore[operator]


SMALL_STACK = """
import threading
import numpy as np
from revolute.graph import Input, trace
from revolute.targets.llvm import compile_object, host, load_object, module_text
from revolute.compiler.ufunc import generalized_ufunc

n = 2000
inputs = [Input("x", (n,))]
def products(x):
    s = [v + 1.0 for v in x]
    return [("y", (n,), [a * b for a, b in zip(s, reversed(s))])]

code = compile_object(module_text(trace("f", products, inputs), host().lanes(), 200), host())
f = generalized_ufunc(load_object(code, host()), "f", "", np.dtype(float), [(n,)], [(n,)])
x = np.random.default_rng(0).standard_normal((37, n))
threading.stack_size(1 << 17)
thread = threading.Thread(target=lambda: print(np.array_equal(f(x), (x + 1) * (x[:, ::-1] + 1))))
thread.start()
thread.join()
"""


def test_large_kernels_run_on_small_stacks() -> None:
    assert printed(SMALL_STACK) == "True\n"


def test_kernels_with_memory_from_the_heap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    robot = revolute.robots.planar(3).with_gravity((0, 0, -3.7))
    arrays = states(robot)
    expected = robot.inverse_dynamics(*arrays)
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path))
    for part in (module, loop):
        monkeypatch.setattr(part, "STACK", 0)
    robot = replace(robot, name="another")
    assert "call ptr @malloc" in robot.kernel("inverse_dynamics").ir
    for _ in range(2):  # the second time by the learned call
        assert np.array_equal(robot.inverse_dynamics(*arrays), expected)
        assert np.array_equal(robot.inverse_dynamics(*[x[5] for x in arrays]), expected[5])
        out = np.empty(3)
        assert robot.inverse_dynamics(*[x[5] for x in arrays], out=out) is out and np.array_equal(out, expected[5])


def test_llvm_errors_are_ours() -> None:
    assert_raises(CompileError, "could not compile", compile_object, "define void @f() { ret i32 }", host())
    assert_raises(CompileError, "could not be loaded", load_object, b"no object code", host())
    loaded = load_object(compile_object("define void @f() { ret void }", host()), host())
    assert_raises(CompileError, "has no function 'loop'", loaded.function, "loop")


def test_outputs_that_are_mostly_zeros_are_cleared() -> None:
    """Structural zeros are filled in at once; other values, -0.0 among them, keep their places."""
    (x,) = Builder().input("x", 1)
    minus, zero = x.builder.const(-0.0), x.builder.const(0.0)
    nodes = tuple(x if k % 37 == 5 else minus if k == 299 else zero for k in range(300))
    graph = verify(Graph("sparse", (Input("x", (1,)),), (Output("y", (10, 30), nodes),)))
    for width in widths():
        function = compiled(graph, Lanes(width, fma=host().fma))
        for rows in (1, 3, 16):
            expected = np.zeros((rows, 300))
            expected[:, 5::37] = column = np.arange(1.0, rows + 1)[:, None]
            expected[:, 299] = -0.0
            found = function(column).reshape(rows, 300)
            assert np.array_equal(found, expected)
            assert np.array_equal(np.signbit(found), np.signbit(expected))
            for wide in (np.full((rows, 2, 10, 30), 7.0), np.full((10, 30, 2, rows), 7.0).transpose(3, 2, 0, 1)):
                function(column, out=wide[:, 0])
                assert np.array_equal(wide[:, 0].reshape(rows, 300), expected) and np.all(wide[:, 1] == 7.0)


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("sizes", [(33, 68, 72), pytest.param((64, 70, 301), marks=pytest.mark.slow)])
def test_results_that_bypass_the_cache_are_the_same(
    sizes: tuple[int, ...], bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of any size, from any address on; what lies beside them is left alone. Rows of 68 and 72 begin at half lines."""
    x = Builder().input("x", 2)
    constants = [x[0].builder.const(c) for c in (0.0, -0.0, 2.5)]
    mixed = [x[0] * k if k % 7 in (1, 2) else constants[(k // 11) % 3] for k in range(max(sizes))]
    nodes = tuple(constants[0] if 8 <= k < 28 or 35 <= k < 59 else node for k, node in enumerate(mixed))
    large = [Output(f"y{size}", (size,), nodes[:size]) for size in sizes]
    outputs = (*large, Output("z", (), (x[1],)), Output("w", (3, 3), nodes[:9]))
    graph = verify(Graph("large", (Input("x", (2,)),), outputs))
    monkeypatch.setattr(loop, "BYPASS", 1)
    dtype, straight = np.dtype(f"f{bits // 8}"), list[int]()
    for width in widths(bits):
        lanes = Lanes(width, bits, host().fma)
        function = compiled(graph, lanes)
        straight += [y.size for y in large if goes_straight(y, lanes)]
        for rows in (1, width, 3 * width + 1):
            given = np.random.default_rng(0).standard_normal((rows, 2)).astype(dtype)
            expected = [y.astype(dtype) for y in evaluate(graph, {"x": given}).values()]
            for start in range(17):  # one of them begins with a line of the cache
                memory = [np.full(start + rows * size + 20, 7.0, dtype) for size in sizes]
                ys = [m[start : start + rows * size].reshape(rows, size) for m, size in zip(memory, sizes, strict=True)]
                found = function(given, out=(*ys, None, None))
                for a, b in zip(found, expected, strict=True):
                    assert a.tobytes() == b.tobytes()
                for beside, y in zip(memory, ys, strict=True):
                    assert np.all(beside[:start] == 7.0) and np.all(beside[start + y.size :] == 7.0)
    assert straight  # some of them without a stage


def test_only_adjacent_rows_bypass_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of(revolute.robots.ur5(), "mass_matrix")
    arrays = states(revolute.robots.ur5())[:1]
    expected = compiled(graph, host().lanes())(*arrays)
    monkeypatch.setattr(loop, "BYPASS", 1)
    function = compiled(graph, host().lanes())
    rows = len(expected)
    apart, turned = np.full((rows, 2, 6, 6), 7.0), np.full((6, rows, 6), 7.0).transpose(1, 2, 0)
    assert np.array_equal(function(*arrays, out=apart[:, 0]), expected) and np.all(apart[:, 1] == 7.0)
    assert np.array_equal(function(*arrays, out=turned), expected)
    assert np.array_equal(function(*arrays, out=np.empty_like(expected)[::-1]), expected)


def test_long_kernels_have_code_for_blocks_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are left over are blocks of one row: the same bits, and none of the neighbours'."""
    graph = graph_of(revolute.robots.ur5())
    lanes = host().lanes()
    if lanes.width == 1:
        pytest.skip("this host has no vectors")
    arrays = states(revolute.robots.ur5())
    expected = compiled(graph, lanes)(*arrays)
    usual = module_text(graph, lanes)
    monkeypatch.setattr(module, "LONG", 10)
    assert "@chunk1.f64(" in usual and "@chunk1.f64(" not in module_text(graph, lanes)
    function = compiled(graph, lanes)
    for rows in range(1, 2 * lanes.width + 2):
        given = [x[:rows] for x in arrays]
        out = np.full((rows + 1, 6), 7.0)
        function(*given, out=out[:rows])
        assert np.array_equal(out[:rows], expected[:rows]) and np.all(out[rows] == 7.0)


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        ("jacobian", {}, "jacobian needs the option 'frame'"),
        ("task_space_dynamics", {}, "task_space_dynamics needs the option 'frame'"),
        ("task_space_dynamics", {"frame": "tip", "rows": 3}, "rows must be distinct numbers in 0 ... 5"),
        ("inverse_dynamics", {"wrenches": 5}, "kernel: wrenches must be a sequence, not 5"),
        ("inverse_dynamics", {"wrenches": (5,)}, "kernel: wrenches: each must be of the type str"),
        ("forward_dynamics", {"wrenches": "tip"}, "kernel: wrenches must be a sequence, not 'tip'"),
        ("forward_dynamics", {"algorithm": 5}, "algorithm must be 'auto' or one of"),
        ("mass_matrix", {"frame": "tip"}, "mass_matrix has no option 'frame'; available: parameters"),
        ("mass_matrix", {"dtype": np.complex64}, "float64 or float32, not complex64"),
    ],
)
def test_wrong_options_are_refused_by_name(function: str, options: dict[str, Any], message: str) -> None:
    assert_raises(InputError, re.escape(message), revolute.robots.planar(2).kernel, function, **options)
