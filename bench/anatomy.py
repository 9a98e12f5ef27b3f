"""`python -m bench.anatomy`: where the time of one call goes.

Each part is measured by itself, as the difference of two calls or loops that differ in that part alone. The sum of the
parts is compared with the whole, a call as a user writes it:

- a robot of one link without gravity has functions that take and return arrays of the same kinds and compute next to
  nothing: what its calls take beyond an empty builtin function is for checks and for new arrays;
- calls from machine code need no bytecode: what they take longer for a robot than for that one link is computing;
- a kernel's inner loop over a batch is called from machine code;
- a kernel that adds up inputs, into results of the same shapes, moves the same bytes and computes next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

import revolute
from bench.native import Calls, Loop, empty_builtin
from bench.robots import CASES, Array, Case
from bench.tables import machine, number, table
from bench.timing import Contestant, Effort, Timing, only_cores, race
from revolute.compiler.kernel import Kernel
from revolute.graph import Input, trace
from revolute.targets.llvm import host, module_text

__all__ = ["Anatomy", "anatomy"]

CALLS = (("ur5", 4096), ("talos", 512))
METHODS = ("inverse_dynamics", "mass_matrix", "forward_dynamics_partials")
ARGUMENTS = {"mass_matrix": "q"}
TIMES = 1000
"""Calls from machine code in a turn."""

INTRODUCTION = """# Where the time of a call goes

Written by `python -m bench.anatomy`: one core, float64, new results, medians in nanoseconds of one call. Every part is
measured apart, and the sum of the parts compared with the whole call. New arrays of a batch are what a call with new
results takes beyond one with given ones. The rest of a batch is its plan: checks of large batches, rows for threads,
the GIL, NumPy's ufunc.
"""

PARTS = (
    "Python: call of a builtin function",
    "look-up of `robot.method`",
    "checks of types, shapes and memory",
    "new arrays for results",
    "rows into lanes and back",
    "computing",
)


@dataclass(frozen=True)
class Anatomy:
    """Nanoseconds of a call.

    Attributes:
        parts: by name.
        whole: the call itself, `robot.method(...)` with new results.
    """

    parts: dict[str, float]
    whole: float

    @property
    def sum(self) -> float:
        return sum(self.parts.values())


def anatomy(case: Case, method: str, rows: int, effort: Effort) -> Anatomy:
    """The parts of a call for `rows` states, or for a single one without a leading axis."""
    arguments = ARGUMENTS.get(method, "q, qd, qdd")
    names = _call(case.robot, method, _states(case, rows), arguments)
    names |= {f"{key}_": x for key, x in _call(_tiny(), method, _still(), arguments).items()}
    names["empty"] = empty_builtin()
    names |= _single(names) if rows == 1 else _batch(names)
    ns = _race(_statements(method, arguments, rows), names, effort)
    if rows == 1:
        own = (ns["stored"] - ns["tiny, out"], 0.0, (ns["calls"] - ns["calls_"]) / TIMES)
    else:
        own = (ns["whole"] - ns["given"], ns["moves"], ns["loop"] - ns["moves"])
    call = (ns["empty"] - ns["nothing"], ns["found"] - ns["stored"], ns["tiny, out"] - ns["empty, out"])
    return Anatomy(dict(zip(PARTS, (*call, *own), strict=True)), ns["whole"] - ns["nothing"])


def _statements(method: str, arguments: str, rows: int) -> dict[str, str]:
    """Calls; names with a line after them are those of the robot of one link."""
    tiny = ", ".join(f"{name}_" for name in arguments.split(", "))
    single = {"calls": f"calls({TIMES})", "calls_": f"calls_({TIMES})"}
    batch = {"given": f"robot.{method}({arguments}, out=out)", "loop": "loop(1)", "moves": "moves(1)"}
    return {
        "nothing": "pass",
        "empty": f"empty({arguments})",
        "empty, out": f"empty({arguments}, out=out)",
        "stored": f"stored_({tiny})",
        "found": f"robot_.{method}({tiny})",
        "tiny, out": f"stored_({tiny}, out=out_)",
        "whole": f"robot.{method}({arguments})",
    } | (single if rows == 1 else batch)


def _single(names: dict[str, Any]) -> dict[str, Any]:
    """Calls from machine code, of the robot and of the one of one link."""
    return {f"calls{x}": Calls(names[f"stored{x}"], names[f"inputs{x}"], names[f"out{x}"]) for x in ("", "_")}


def _batch(names: dict[str, Any]) -> dict[str, Any]:
    """The kernel's loop over the batch, and a loop that moves the same bytes."""
    arrays, kernel = (names["inputs"], names["results"]), names["kernel"]
    return {"loop": Loop(kernel.ir, *arrays), "moves": Loop(_moving(kernel), *arrays)}


def _race(statements: dict[str, str], names: dict[str, Any], effort: Effort) -> dict[str, float]:
    """Nanoseconds of each statement."""
    contestants = [Contestant(name, statement, names) for name, statement in statements.items()]
    for contestant in contestants * 5:  # calls learn
        exec(contestant.statement, dict(names))
    timings: Sequence[Timing] = race(contestants, effort)
    return {x.name: x.median * 1e9 for x in timings}


def _call(robot: revolute.Robot, method: str, states: dict[str, Array], arguments: str) -> dict[str, Any]:
    """What statements refer to: the robot, its bound method, its kernel, arguments and results."""
    given = [states[name] for name in arguments.split(", ")]
    stored = getattr(robot, method)
    results = stored(*given)
    out = tuple(map(np.empty_like, results)) if isinstance(results, tuple) else np.empty_like(results)
    return states | {
        "robot": robot, "stored": stored, "kernel": robot.kernel(method), "out": out,
        "inputs": given, "results": out if isinstance(out, tuple) else (out,),
    }  # fmt: skip


def _states(case: Case, rows: int) -> dict[str, Array]:
    states = case.states(rows)
    found = {"q": states.q, "qd": states.qd, "qdd": states.qdd}
    return {name: x[0] for name, x in found.items()} if rows == 1 else found


def _still() -> dict[str, Array]:
    return {name: np.zeros(1) for name in ("q", "qd", "qdd")}


@cache
def _tiny() -> revolute.Robot:
    """A link on a joint without gravity: M is a constant, and C and g are zero."""
    return revolute.robots.planar(1).with_gravity((0, 0, 0))


def _moving(kernel: Kernel) -> str:
    """The IR of a kernel with the same arrays whose results are sums of some inputs.

    Every input is used once at least, and every result is its own: nothing is left out, and nothing is a constant.
    """
    shapes = [shape for _, shape in kernel.outputs]
    total = sum(map(math.prod, shapes))

    def results(*inputs: Sequence[Any]) -> list[tuple[str, tuple[int, ...], list[Any]]]:
        numbers = [x for array in inputs for x in array]
        sums = [numbers[k % len(numbers)] + float(k) for k in range(total)]
        for k in range(total, len(numbers)):
            sums[k % total] = sums[k % total] + numbers[k]
        parts = iter(sums)
        return [(name, shape, [next(parts) for _ in range(math.prod(shape))]) for name, shape in kernel.outputs]

    inputs = [Input(x.name, x.shape) for x in kernel.inputs]
    return module_text(trace("moves", results, inputs), host().lanes())


def _section(case: Case, rows: int, effort: Effort, say: Callable[[str], None]) -> str:
    found = {}
    for method in METHODS:
        found[method] = anatomy(case, method, rows, effort)
        say(f"{case.label}, {rows}, {method}: {found[method].sum:,.0f} of {found[method].whole:,.0f} ns")
    parts = [part for part in PARTS if part != PARTS[4] or rows > 1]
    lines = [[part, *(_cell(x.parts[part], x.whole) for x in found.values())] for part in parts]
    lines.append(["sum", *(_cell(x.sum, x.whole) for x in found.values())])
    lines.append(["whole", *(number(x.whole) for x in found.values())])
    lines.append(["rest", *(_cell(x.whole - x.sum, x.whole) for x in found.values())])
    size = f"a batch of {rows}" if rows > 1 else "a single row"
    return f"## {case.label}, {size}\n\n" + table(("part, ns", *(f"`{name}`" for name in found)), lines) + "\n"


def _cell(ns: float, whole: float) -> str:
    return f"{number(ns)} ({ns / whole:.0%})"


def main(
    seconds: Annotated[float, typer.Option(help="Seconds a function.")] = 4.0,
) -> None:
    """Measure the parts of calls on one core, and print them as tables."""
    console = Console(stderr=True)
    cases = {case.key: case for case in CASES}
    sections = [INTRODUCTION]
    with only_cores(1):
        for key, rows in CALLS:
            for size in (1, rows):
                effort = Effort(slice=2e-3 if size == 1 else 1e-2, seconds=seconds, least=7, most=400)
                sections.append(_section(cases[key], size, effort, console.print))
    typer.echo("\n".join([*sections, machine()]))


if __name__ == "__main__":
    typer.run(main)
