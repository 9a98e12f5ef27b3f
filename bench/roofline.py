"""`python -m bench.roofline`: batch kernels beside what the machine can do at most.

Writes `bench/ROOFLINE.md`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bench.peaks import Bandwidth, bandwidth, multiply_adds
from bench.quantities import QUANTITIES, ROWS, Quantity, contest
from bench.robots import CASES, Case
from bench.tables import machine, table
from bench.timing import Effort, only_cores, race
from revolute.graph import Input, trace
from revolute.spatial.scalar import cos, sin
from revolute.targets.llvm import host, module_text

__all__ = ["Run", "Work", "runs", "section", "sine_and_cosine", "work"]

RESULTS = Path(__file__).with_name("ROOFLINE.md")
SIZES = (16 << 10, 256 << 10, 4 << 20, 256 << 20)

INTRODUCTION = """# What the machine allows

Written by `python -m bench.roofline`: one core, float64, given results, medians.

The time of a kernel is at least that of its operations at the peak rate of multiply-adds, and at least that of its
bytes at the bandwidth of the memory that holds them:

    bound = max(operations / peak,
            bytes in / read bandwidth + bytes out / write bandwidth)
    share = bound / measured time

Loops in machine code measure peak and bandwidths, over as much memory as the batch occupies. Operations are
multiplications, additions and divisions; a sine and a cosine of one angle count {trigonometry}. `instructions` is the
time of the arithmetic vector instructions at the peak rate, as a share of the measured time.
"""


@dataclass(frozen=True)
class Work:
    """What a kernel has to do for a row.

    Attributes:
        operations: multiplications, additions and divisions, those of sines and cosines included.
        instructions: arithmetic instructions, or None where they do not add up to the operations.
        bytes_in, bytes_out: of its arrays.
    """

    operations: float
    instructions: float | None
    bytes_in: int
    bytes_out: int

    def seconds(self, memory: Bandwidth) -> tuple[float, float]:
        """The least for the operations, and the least for the bytes."""
        peak = 2 * host().lanes().width * multiply_adds()
        return self.operations / peak, self.bytes_in / memory.read + self.bytes_out / memory.write


@cache
def sine_and_cosine() -> int:
    """Operations of a sine and a cosine of the same angle, in vector code."""
    graph = trace("both", lambda x: [("y", (2,), [sin(x[0]), cos(x[0])])], [Input("x", (1,))])
    return _operations(_instructions(module_text(graph, host().lanes())))


def work(case: Case, quantity: Quantity) -> Work:
    """Operations and bytes of a row."""
    kernel = case.robot.kernel(quantity.method, **quantity.options(case))
    counts = kernel.count()
    operations = counts.arithmetic + counts.divisions + counts.calls / 2 * sine_and_cosine()
    printed = _instructions(kernel.ir)
    whole = abs(_operations(printed) - operations) < 0.05 * operations
    size_in = sum(x.size for x in kernel.inputs)
    size_out = sum(math.prod(shape) for _, shape in kernel.outputs)
    instructions = printed.total() if whole else None
    return Work(operations, instructions, 8 * size_in, 8 * size_out)


def _instructions(ir: str) -> Counter[str]:
    """Arithmetic vector instructions of IR and the assembly in it, by kind; those of a loop as often as it runs."""
    kinds = r"= (?:call <\d+ x double> @llvm\.(fma)\.|(fmul|fadd|fsub|fdiv) <\d+ x double>)"
    assembled = re.findall(r"0Av(?:(fn?m)(?:add|sub)\d+|(mul|add|sub|div))pd ", ir)
    found = Counter(f"f{b}" if b else "fma" for _, b in assembled)
    ir = re.sub('module asm "[^"]*"', "", ir)
    for function in ir.split("\ndefine "):
        rounds = re.search(r"icmp ult i64 %\S+, (\d+)", function)
        for a, b in re.findall(kinds, function):
            found[a or b] += int(rounds[1]) if rounds else 1
    return found


def _operations(instructions: Counter[str]) -> int:
    """A fused multiply-add is two."""
    return instructions.total() + instructions["fma"]


def _peaks() -> Iterator[str]:
    lanes = host().lanes().width
    rate = multiply_adds() / 1e9
    yield f"## Peaks of one core\n\n{rate:.2f} · 10⁹ vector instructions of {lanes} fused multiply-adds a second:"
    yield f"**{2 * lanes * rate:.1f} GFLOP/s**. Bandwidths in GB/s:\n"
    rows = []
    for size in SIZES:
        x = bandwidth(size)
        speeds = (f"{y / 1e9:.1f}" for y in (x.read, x.write, x.copy, x.stream))
        rows.append((f"{size >> 10:,} KiB", *speeds))
    yield table(("memory in use", "read", "write", "copy, read and written", "write past the caches"), rows)


@dataclass(frozen=True)
class Run:
    """A kernel's work and time.

    Attributes:
        method: its name.
        work: of a row.
        ns: of a row.
        least: nanoseconds for the operations, and for the bytes.
    """

    method: str
    work: Work
    ns: float
    least: tuple[float, float]

    @property
    def size(self) -> int:
        """Bytes of a row."""
        return self.work.bytes_in + self.work.bytes_out

    @property
    def share(self) -> float:
        """Of the bound."""
        return max(self.least) / self.ns

    @property
    def instructions(self) -> float | None:
        """The share of time that arithmetic instructions take at the peak's rate, where they are counted."""
        seconds = self.work.instructions and self.work.instructions / host().lanes().width / multiply_adds()
        return 1e9 * seconds / self.ns if seconds else None


def runs(case: Case, rows: int, effort: Effort, say: Callable[[str], None]) -> Iterator[Run]:
    """Every kernel of a robot."""
    for quantity in QUANTITIES:
        (timing,) = race(contest(case, quantity, rows)[:1], effort)
        x = work(case, quantity)
        operations, moves = x.seconds(bandwidth(_rounded_up(rows * (x.bytes_in + x.bytes_out))))
        run = Run(quantity.method, x, timing.per_row, (1e9 * operations, 1e9 * moves))
        say(f"{case.label} {run.method}: {run.ns:,.0f} ns per row, {run.share:.0%} of the bound")
        yield run


def section(case: Case, rows: int, runs: Sequence[Run]) -> str:
    """The table of a robot."""
    header = (
        "function",
        "operations a byte",
        "GFLOP/s",
        "share of the bound",
        "instructions",
    )
    return f"\n## {case.label}, batches of {rows}\n\n{table(header, map(_row, runs))}"


def _row(x: Run) -> tuple[str, ...]:
    return (
        f"`{x.method}`",
        f"{x.work.operations / x.size:.2f}",
        f"{x.work.operations / x.ns:.1f}",
        f"{x.share:.0%}",
        f"{x.instructions:.0%}" if x.instructions else "",
    )


def _rounded_up(size: int) -> int:
    """To three binary digits: similar sizes share a measurement."""
    unit = 1 << max(size.bit_length() - 3, 0)
    return -(-size // unit) * unit


def main(
    seconds: Annotated[float, typer.Option(help="Seconds a kernel.")] = 1.0,
    output: Annotated[Path, typer.Option(help="Where the report goes.")] = RESULTS,
) -> None:
    """Measure the peaks of one core, and every batch kernel beside them."""
    console = Console()
    effort = Effort(slice=2e-2, seconds=seconds, least=5, most=100)
    cases = {case.key: case for case in CASES}
    with only_cores(1):
        lines = [INTRODUCTION.format(trigonometry=sine_and_cosine()), *_peaks()]
        for key, rows in ROWS.items():
            case = cases[key]
            lines.append(section(case, rows, list(runs(case, rows, effort, console.print))))
    output.write_text("\n".join([*lines, "", machine()]) + "\n", encoding="utf-8")
    console.print(f"written to {output}")


if __name__ == "__main__":
    typer.run(main)
