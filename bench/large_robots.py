"""`python -m bench.large_robots`: where the time to compile large robots' functions goes; writes `LARGE_ROBOTS.md`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import revolute
from bench.first_seconds import section
from bench.robots import CASES, Case
from bench.tables import machine, table
from bench.timing import only_cores
from revolute.compiler.collection import no_garbage_collection
from revolute.compiler.stored import LONG
from revolute.graph import code_length
from revolute.targets.llvm import CompiledPart, assembles, compile_parts, host, module_parts

__all__ = ["ROBOTS", "Stages", "page", "stages"]

RESULTS = Path(__file__).with_name("LARGE_ROBOTS.md")
SHOWN = 6
UNLISTED = ("inverse_dynamics_second_partials",)
"""Functions whose results grow with the cube of the joints: they take minutes."""

_TALOS = next(case for case in CASES if case.key == "talos-free")
ROBOTS = (
    CASES[0],
    _TALOS,
    replace(_TALOS, key="g1-free", label="G1, free base", description="g1_description/urdf/g1_29dof_rev_1_0.urdf"),
)


@dataclass(frozen=True)
class Stages:
    """Processor seconds to trace a function, to print its code, and of LLVM, before its first call; nodes of its graph.

    `later` are those for the final code of long functions, in the background.
    """

    trace: float
    print: float
    llvm: float
    nodes: int
    later: float

    @property
    def all(self) -> float:
        return self.trace + self.print + self.llvm


def stages(robot: revolute.Robot, name: str, frame: str) -> Stages | None:
    """The stages of a function's compilation, without any cache; None for a function that the robot has not."""
    of_link = "frame" in robot.functions()[name].options and name != "forward_kinematics"
    try:
        form = robot._signature(name, {"frame": frame} if of_link else {})
        started = time.process_time()
        graph = form.graph()
    except revolute.InputError:
        return None
    nodes, traced = len(graph.nodes), time.process_time()
    lanes, rows = host().lanes(64), list[CompiledPart]()
    long = code_length(graph) > LONG and not assembles(host(), lanes)
    parts = list(module_parts(graph, lanes, cache=host().second_cache, rows=rows))
    printed = time.process_time()
    compile_parts(parts, host(), quick=long, but_first=True)
    done = later = time.process_time()
    graph.forget()
    if long:
        compile_parts(parts, host())
        later = time.process_time()
    return Stages(traced - started, printed - traced, done - printed, nodes, later - done)


def page(case: Case, names: Iterable[str], shown: int, say: Callable[[str], None]) -> str:
    """Of these functions of a robot those that take longest."""
    robot = case.robot
    frame, found = robot.bodies[-1].name, dict[str, Stages]()
    for name in names:
        with no_garbage_collection():
            made = stages(robot, name, frame)
        if made is not None:
            found[name] = made
    say(f"{case.label}: {sum(x.all for x in found.values()):.1f} s for {len(found)} functions")
    slowest = sorted(found, key=lambda name: -found[name].all)[:shown]
    times = 5 if any(x.later for x in found.values()) else 4
    body = [
        (f"`{name}`", *(f"{s:.2f}" for s in (x.all, x.trace, x.print, x.llvm, x.later)[:times]), f"{x.nodes:,}")
        for name, x in ((name, found[name]) for name in slowest)
    ]
    total = sum(x.all for x in found.values())
    header = ("function", *("all", "trace", "print", "LLVM", "later")[:times], "nodes")
    return (
        f"## {case.label}\n\n{robot.nv} velocities; {len(found)} functions compile in {total:.1f} s; the slowest:\n\n"
        f"{table(header, body)}\n"
    )


def main(
    quick: Annotated[bool, typer.Option(help="The first robot alone, to see that it works.")] = False,
    output: Annotated[Path, typer.Option(help="Where the tables go.")] = RESULTS,
) -> None:
    """Measure where the time to compile goes: processor seconds of one core, nothing cached."""
    say = Console().print
    with only_cores(1):
        names = [name for name in revolute.Robot.functions() if name not in UNLISTED]
        sections = [page(case, names, SHOWN, say) for case in ROBOTS[: 1 if quick else None]]
        sections += [] if quick else [section(_TALOS)]
    head = (
        "# Compiling the functions of large robots\n\nWritten by `python -m bench.large_robots`. Processor seconds on "
        "one core to compile code for batches in float64, with an empty cache. Where code is not assembled, `later` is "
        "the time of the final code of long functions, which is compiled in the background.\n"
    )
    output.write_text("\n".join([head, *sections, machine(), ""]), encoding="utf-8")
    say(f"written to {output}")


if __name__ == "__main__":
    typer.run(main)
