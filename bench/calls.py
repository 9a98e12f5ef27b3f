"""What a call from Python costs beyond the kernel's own fast call, however the function was come by.

    python -m bench.calls

Written to bench/CALLS.md: nanoseconds of single rows, one core, each way beside the fast call of the same kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import sympy
import typer
from rich.console import Console

import revolute
from bench.tables import machine
from bench.timing import Contestant, Effort, Timing, only_cores, race

__all__ = ["Way", "ways"]

RESULTS = Path(__file__).with_name("CALLS.md")
FACTOR, BEYOND = 1.2, 40e-9
"""A call should take at most so many times the kernel's own fast call, and so many seconds more."""


OTHER = (
    "float32, strided", "a row of a Fortran-ordered array", "every other number", "integers", "a list", "lists",
    "a tuple", "a list, `out=`", "a list by name", "8 rows, strided", "8 rows and one",
)  # fmt: skip
"""Ways with arguments that are no plain arrays, which take longer to read: nothing is asked of them."""


@dataclass(frozen=True)
class Way:
    """A way to call a function, and the kernel's fast call that it should come near to.

    Attributes:
        machine: what has the function.
        what: the way.
        call, kernel: statements.
        names: what they refer to.
    """

    machine: str
    what: str
    call: str
    kernel: str
    names: dict[str, Any]


def ways() -> Iterator[Way]:
    """All ways, each called some times already: a first call compiles, and learns."""
    for way in _ways():
        for _ in range(5):
            exec(way.call, dict(way.names))
            exec(way.kernel, dict(way.names))
        yield way


def _ways() -> Iterator[Way]:
    rng = np.random.default_rng(0)
    robot, frame = revolute.robots.ur5(), "tool0"
    q, qd, qdd = rng.uniform(-2, 2, (3, robot.nv))
    out, J, wrenches = np.empty(robot.nv), np.empty((6, robot.nv)), {frame: rng.standard_normal(6)}
    names: dict[str, Any] = {
        "robot": robot, "q": q, "qd": qd, "qdd": qdd, "out": out, "J": J, "w": wrenches, "tool": wrenches[frame],
        "twist": rng.standard_normal(6), "still": np.zeros(6),
        "early": revolute.robots.ur5().inverse_dynamics, "stored": partial(revolute.robots.ur5().inverse_dynamics, q),
        "k": robot.kernel("inverse_dynamics"), "kw": robot.kernel("inverse_dynamics", wrenches=(frame,)),
        "kb": robot.kernel("inverse_dynamics", base_motion=True),
        "kj": robot.kernel("jacobian", frame=frame, reference="world"),
        "k32": robot.kernel("inverse_dynamics", dtype=np.float32), "kp": robot.kernel("potential_energy"),
    }  # fmt: skip
    names |= {f"{name}32": names[name].astype(np.float32) for name in ("q", "qd", "qdd")}
    names |= {"listed": [*map(float, q)], "tuple_of_q": (*map(float, q),)}
    names |= {"whole": np.arange(robot.nv), "floats": np.arange(float(robot.nv))}
    names |= {"column": np.asfortranarray(np.stack([q, qd]))[0], "every_other": np.repeat(q, 2)[::2]}
    names |= {"frozen": np.broadcast_to(q, q.shape), "rows": rng.uniform(-2, 2, (8, robot.nv))}
    names |= {"qds": np.tile(qd, (8, 1)), "qdds": np.tile(qdd, (8, 1))}
    names |= {"columns": np.asfortranarray(names["rows"]), "column32": np.repeat(names["q32"], 2)[::2]}
    fast = {name: names[name]._fast for name in ("k", "kw", "kb", "kj", "kp", "k32")}
    names |= fast
    plain, loaded = "k(q, qd, qdd)", "kw(q, qd, qdd, tool, out=out)"
    for what, call, kernel in (
        ("in place", "robot.inverse_dynamics(q, qd, qdd)", plain),
        ("taken before its first call", "early(q, qd, qdd)", plain),
        ("in a `partial`", "stored(qd, qdd)", plain),
        ("`out=`", "robot.inverse_dynamics(q, qd, qdd, out=out)", "k(q, qd, qdd, out=out)"),
        ("arrays by name", "robot.inverse_dynamics(q, qd=qd, qdd=qdd)", plain),
        ("float32", "robot.inverse_dynamics(q32, qd32, qdd32)", "k32(q32, qd32, qdd32)"),
        ("float32, strided", "robot.inverse_dynamics(column32, qd32, qdd32)", "k32(q32, qd32, qdd32)"),
        ("a row of a Fortran-ordered array", "robot.inverse_dynamics(column, qd, qdd)", plain),
        ("every other number", "robot.inverse_dynamics(every_other, qd, qdd)", plain),
        ("read-only", "robot.inverse_dynamics(frozen, qd, qdd)", plain),
        ("integers", "robot.inverse_dynamics(whole, qd, qdd)", "k(floats, qd, qdd)"),
        ("a list", "robot.inverse_dynamics(listed, qd, qdd)", plain),
        ("lists", "robot.inverse_dynamics(listed, listed, listed)", "k(q, q, q)"),
        ("a tuple", "robot.inverse_dynamics(tuple_of_q, qd, qdd)", plain),
        ("a list, `out=`", "robot.inverse_dynamics(listed, qd, qdd, out=out)", "k(q, qd, qdd, out=out)"),
        ("a list by name", "robot.inverse_dynamics(q=listed, qd=qd, qdd=qdd)", plain),
        ("a number of threads", "robot.inverse_dynamics(q, qd, qdd, threads=1)", plain),
        ("8 rows, strided", "robot.inverse_dynamics(columns, columns, columns)", "k(rows, rows, rows)"),
        ("8 rows and one", "robot.inverse_dynamics(rows, qd, qdd)", "k(rows, qds, qdds)"),
        ("a number", "robot.potential_energy(q)", "kp(q)"),
        ("a wrench", "robot.inverse_dynamics(q, qd, qdd, wrenches=w)", "kw(q, qd, qdd, tool)"),
        ("a wrench, `out=`", "robot.inverse_dynamics(q, qd, qdd, wrenches=w, out=out)", loaded),
        ("a moving base", "robot.inverse_dynamics(q, qd, qdd, base_twist=twist)", "kb(q, qd, qdd, twist, still)"),
        ("a frame", "robot.jacobian(q, 'tool0', 'world')", "kj(q)"),
        ("a frame, `out=`", "robot.jacobian(q, frame='tool0', reference='world', out=J)", "kj(q, out=J)"),
    ):
        yield Way("robot", what, call, kernel, names)
    driven = robot.with_drives()
    names = names | {"driven": driven, "early": robot.with_drives().inverse_dynamics}
    names["k"] = driven.kernel("inverse_dynamics")._fast
    names["kw"] = driven.kernel("inverse_dynamics", wrenches=(frame,))._fast
    for what, call, kernel in (
        ("in place", "driven.inverse_dynamics(q, qd, qdd)", plain),
        ("taken before its first call", "early(q, qd, qdd)", plain),
        ("`out=`", "driven.inverse_dynamics(q, qd, qdd, out=out)", "k(q, qd, qdd, out=out)"),
        ("a wrench", "driven.inverse_dynamics(q, qd, qdd, wrenches=w)", "kw(q, qd, qdd, tool)"),
    ):
        yield Way("driven robot", what, call, kernel, names)
    closed = robot.with_closures(revolute.PointClosure(frame, at_b=(0.5, 0.2, 0.4)))
    names = names | {"closed": closed, "k": closed.kernel("jacobian")._fast}
    yield Way("closed loops", "in place", "closed.jacobian(q)", "k(q)", names)
    elastic = robot.with_elastic_joints(1e4, rotor_inertia=0.5)
    own = {"K": elastic.stiffness, "D": elastic.damping, "B": elastic.rotor_inertia}
    names = names | own | {"elastic": elastic, "k": elastic.kernel("forward_dynamics")._fast}
    kernel = "k(q, q, qd, qd, qdd, K, D, B)"
    yield Way("elastic joints", "in place", "elastic.forward_dynamics(q, q, qd, qd, qdd)", kernel, names)
    k, m, x, dx = sympy.symbols("k m x dx")
    system = revolute.lagrange([x], m * dx**2 / 2, k * x**2 / 2)
    fixed = system.subs({"k": 3.0, "m": 2.0})
    values = {"k": np.array(3.0), "m": np.array(2.0)}
    names = names | {"system": system, "fixed": fixed, "values": values, "one": np.ones(1), **values}
    names |= {"k1": fixed.kernel("inverse_dynamics")._fast, "k2": system.kernel("inverse_dynamics")._fast}
    yield Way("system", "in place", "fixed.inverse_dynamics(one, one, one)", "k1(one, one, one)", names)
    inputs = ", ".join(x.name for x in system.kernel("inverse_dynamics").inputs[3:])
    kernel = f"k2(one, one, one, {inputs})"
    yield Way("system", "arrays for parameters", "system.inverse_dynamics(one, one, one, values)", kernel, names)


def row(way: Way, call: Timing, kernel: Timing) -> str:
    """A line of the table."""
    most = FACTOR * kernel.median + BEYOND
    figures = (f"{seconds * 1e9:.0f}" for seconds in (call.median, kernel.median))
    met = "–" if way.what in OTHER else "yes" if call.median <= most else "**no**"
    what = way.what if way.machine == "robot" else f"{way.machine}, {way.what}"
    return f"| {what} | `{way.call}` | {' | '.join(figures)} | {met} |"


def main(
    seconds: Annotated[float, typer.Option(help="Seconds a contest.")] = 2.0,
    output: Annotated[Path, typer.Option(help="Where the report goes.")] = RESULTS,
) -> None:
    """Measure every way to call a function on one core, and write the report."""
    console = Console()
    effort = Effort(slice=2e-3, seconds=seconds, least=7, most=400)
    lines = [
        "# What a call costs",
        "",
        "Written by `python -m bench.calls`: median nanoseconds of single rows on one core. `kernel` is the fast call",
        "of the kernel itself, with plain arrays as positional arguments; a call should take at most "
        f"{FACTOR} times as long, plus {BEYOND * 1e9:.0f} ns.",
        "",
        "| way | call | ns | kernel | met |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    with only_cores(1):
        for way in ways():
            contestants = [Contestant("call", way.call, way.names), Contestant("kernel", way.kernel, way.names)]
            call, kernel = race(contestants, effort)
            lines.append(row(way, call, kernel))
            console.print(lines[-1])
    output.write_text("\n".join([*lines, "", machine()]) + "\n", encoding="utf-8")
    console.print(f"written to {output}")


if __name__ == "__main__":
    typer.run(main)
