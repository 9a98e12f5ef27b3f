"""The tools that look into calls, kernels and scaling: what they count and compare is right. Nothing here is timed."""

import ctypes
import dataclasses
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pinocchio")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # `bench` is a folder of the repository

from bench import bits, fresh, goals, large, large_robots, long_logs, native, peaks, roofline, scaling, targets
from bench.anatomy import METHODS, PARTS, _moving, anatomy
from bench.first_seconds import MARKS, measured
from bench.quantities import QUANTITIES
from bench.robots import CASES
from bench.tables import cells
from bench.timing import Effort
from revolute.graph import Input, trace
from revolute.targets.llvm import host, module_text

LEAST_EFFORT = Effort(slice=0.0, seconds=0.0, least=2, most=2)
UR5 = CASES[0]


def test_an_empty_builtin_function_returns_its_first_argument() -> None:
    first = object()
    before = sys.getrefcount(first)
    assert native.empty_builtin()(first, 2, out=3) is first
    assert sys.getrefcount(first) == before


def test_calls_from_machine_code_are_made_so_often_and_pass_errors_on() -> None:
    log: list[object] = []

    def function(*arguments: object, out: list[object]) -> None:
        out.append(arguments)

    native.Calls(function, (1, "two"), log)(3)
    assert log == [(1, "two")] * 3
    before = sys.getrefcount(log)
    native.Calls(lambda out: out, (), log)(100)
    assert sys.getrefcount(log) == before
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        native.Calls(lambda x, out: x / 0, (1,), None)(5)


def test_single_calls_are_measured_in_a_process_of_their_own_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, *ratios = measured("ur5", "mass_matrix")
    assert float(first) > 0
    assert len(ratios) == len(MARKS) + 1


@pytest.mark.parametrize("rows", [1, 3, 11])
def test_a_loop_called_from_machine_code_computes_what_the_robot_does(rows: int) -> None:
    states = UR5.states(rows)
    tau = np.zeros_like(states.qd)
    native.Loop(UR5.robot.kernel("inverse_dynamics").ir, (states.q, states.qd, states.qdd), (tau,))(2)
    np.testing.assert_array_equal(tau, UR5.robot.inverse_dynamics(states.q, states.qd, states.qdd))


@pytest.mark.parametrize("name", ["read", "write", "copy", "stream"])
def test_loops_over_memory_touch_what_they_say(name: str) -> None:
    size = 4 * peaks.STEP
    memory = np.full(2 * size + 64, 7, dtype=np.uint8)
    start = -memory.ctypes.data % 64
    source, goal = memory[start : start + size], memory[start + size : start + 2 * size]
    source[:] = np.arange(size) % 251
    expected = {"read": goal.copy(), "copy": source.copy()}.get(name, np.zeros(size, dtype=np.uint8))
    loop = native.compiled(peaks._moves_text(name)).function(name)
    native.again()(loop, 1, source.ctypes.data, goal.ctypes.data, size, None)
    np.testing.assert_array_equal(goal, expected)


def test_chains_of_multiply_adds_do_as_many_as_they_say() -> None:
    loaded = native.compiled(peaks._chains_text())
    native.again()(loaded.function("chains"), 1, None, None, None, None)
    # s = s / 2 + 1 converges to 2, and the result is the sum of all chains
    found = ctypes.c_double.from_address(loaded.variable("result")).value
    assert found == pytest.approx(2 * peaks.CHAINS, abs=1e-12)


@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("method", METHODS)
def test_anatomies_have_all_parts(method: str, rows: int) -> None:
    found = anatomy(UR5, method, rows, LEAST_EFFORT)
    assert tuple(found.parts) == PARTS
    assert (found.parts["rows into lanes and back"] == 0) == (rows == 1)
    assert found.sum == pytest.approx(sum(found.parts.values()))


def test_a_kernel_that_moves_rows_uses_every_input_and_computes_little() -> None:
    states, kernel = UR5.states(7), UR5.robot.kernel("inverse_dynamics")
    tau = np.zeros_like(states.qd)
    native.Loop(_moving(kernel), (states.q, states.qd, states.qdd), (tau,))(1)
    np.testing.assert_allclose(tau, states.q + states.qd + states.qdd + np.arange(6), rtol=1e-14, atol=1e-14)


def test_work_counts_operations_and_bytes() -> None:
    quantity = next(x for x in QUANTITIES if x.method == "mass_matrix")
    found, counts = roofline.work(UR5, quantity), UR5.robot.kernel("mass_matrix").count()
    assert (found.bytes_in, found.bytes_out) == (6 * 8, 36 * 8)
    assert found.operations == counts.arithmetic + counts.divisions + counts.calls / 2 * roofline.sine_and_cosine()
    assert found.operations / 2 <= found.instructions <= found.operations


def test_operations_of_printed_code_are_counted() -> None:
    def function(x: list[object]) -> Iterator[tuple[str, tuple[int, ...], list[object]]]:
        a, b, c = x
        yield "y", (3,), [a * b + c, a / b, (a - c) * (a + c)]

    text = module_text(trace("test", function, [Input("x", (3,))]), host().lanes())
    assert roofline._operations(roofline._instructions(text)) == 6
    assert 20 < roofline.sine_and_cosine() < 80


def test_bounds_are_of_operations_and_of_bytes() -> None:
    memory = peaks.Bandwidth(1 << 20, read=10e9, write=5e9, copy=6e9, stream=4e9)
    operations, moves = roofline.Work(1000, None, 80, 40).seconds(memory)
    assert moves == pytest.approx(8e-9 + 8e-9)
    assert operations == pytest.approx(1000 / (2 * host().lanes().width * peaks.multiply_adds()))
    run = roofline.Run("f", roofline.Work(1000, None, 80, 40), 20.0, (4.0, 16.0))
    assert run.share == pytest.approx(0.8) and run.size == 120 and run.instructions is None


def test_rows_are_compared_in_other_places() -> None:
    quantity = next(x for x in QUANTITIES if x.method == "equations_of_motion")
    wrong, compared = bits.differing(UR5, quantity, 120)
    assert wrong == 0 and compared > 5 * 120

    case, robot = dataclasses.replace(UR5), UR5.robot

    class Wrong:
        """A robot whose results depend on the size of the batch, in the last bit of one number."""

        def __getattr__(self, name: str) -> object:
            return getattr(robot, name)

        def equations_of_motion(self, *arrays: np.ndarray, **more: object) -> tuple[np.ndarray, ...]:
            results = robot.equations_of_motion(*arrays, **more)
            if arrays[0].ndim == 2 and len(arrays[0]) == 9:
                results[1].view(np.int64)[4, 3] ^= 1
            return results

    case.__dict__["robot"] = Wrong()
    wrong, _ = bits.differing(case, quantity, 120)
    assert wrong == 2  # in rows that lie together, and in rows apart


@cache
def large_kernels(compiled: Any = large.kernels) -> list[large.Kernel]:
    return compiled((3,), 60.0, lambda text: None)


def test_large_robots_are_compiled_in_processes_of_their_own() -> None:
    found = large_kernels()
    assert len(found) == len(large.KINDS) * len(large.METHODS)
    for x in found:
        assert x.large and x.joint and x.large.compile > 0 and x.large.operations > 0
        assert x.joint == pytest.approx(1e9 * x.large.row / 3)
    assert fresh.large(40, 0.0, "forward_dynamics", 8, 0.05) is None  # given up
    assert large.rows(500, "mass_matrix") == 8 and large.rows(500, "inverse_dynamics") == 512


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_long_logs_are_fitted_in_processes_of_their_own(tmp_path: Path, suffix: str) -> None:
    few = long_logs.write_log(tmp_path / f"few{suffix}", 5000, derivatives=suffix == ".csv")
    found = fresh.fitted(few, few, long_logs.DAMPING, long_logs.FRICTION)
    assert 0 < found.rows < 5000
    assert found.bias < 6  # one of some 60 parameters beyond six standard errors: one in 10^7
    assert found.reading > 0 and 0 < found.before <= found.peak


def test_scaling_writes_its_sections_and_keeps_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "kernels", lambda *_: large_kernels())
    sections = {
        "rows": scaling.rows_part(UR5, (1, 4), LEAST_EFFORT, lambda text: None),
        "joints": scaling.joints_part((3,), 60.0, lambda text: None),
        "threads": scaling.threads_part(UR5, (1e-5,), LEAST_EFFORT, lambda text: None),
    }
    page = tmp_path / "SCALING.md"
    scaling.write(page, sections)
    before = page.read_text(encoding="utf-8")
    scaling.write(page, {"rows": sections["rows"]})
    assert page.read_text(encoding="utf-8") == before


def test_the_page_of_large_robots_has_the_stages_of_the_slowest_functions() -> None:
    text = large_robots.page(UR5, ("mass_matrix", "pose_error", "inverse_dynamics_partials"), 1, lambda text: None)
    assert "6 velocities; 2 functions compile in" in text  # an error of a pose needs a frame and rows
    *_, row = filter(None, text.splitlines())
    name, *seconds, nodes = cells(row)
    total, *parts = (float(x.removesuffix(" s")) for x in seconds)
    assert name == "`inverse_dynamics_partials`" and int(nodes.replace(",", "")) > 500
    assert total > 0 and abs(total - sum(parts)) < 0.03


def test_the_page_of_targets_keeps_what_was_not_measured_again() -> None:
    first = goals.Goal("speed", "≥ 2 ×", "3.00 ×: `f`", True).cells
    second = goals.Goal("size", "≤ 5", "7", False).cells
    text = targets.page({"calls": [first], "bits": [second, second]})
    assert targets.rows(text) == {"calls": [first], "bits": [second, second]}
    assert "| bits | size | ≤ 5 | 7 | **no** |" in text
    assert targets.rows(targets.page(targets.rows(text) | {"bits": [first]})) == {"calls": [first], "bits": [first]}


@pytest.mark.slow
def test_goals_are_measured() -> None:
    found = [goal for part in ("control", "functions") for goal in goals.PARTS[part](0.001)]
    assert found and all(len(goal.cells) == 4 and goal.cells[-1] in ("yes", "**no**") for goal in found)


def test_goals_of_calls_know_early_bound_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    way = next(x for x in goals.ways() if x.what == "a wrench")
    monkeypatch.setattr(goals, "ways", lambda: iter([way]))
    monkeypatch.setattr(goals, "QUANTITIES", [x for x in QUANTITIES if x.method in ("inverse_dynamics", "mass_matrix")])
    early, single = goals.calls(0.001)
    assert "worst of 1 ways" in early.figure and "robot, a wrench" in early.measured
    assert "float32" in single.figure and "worst of 2 functions" in single.figure
