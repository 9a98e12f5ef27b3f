"""`python -m bench.quantities`: every other quantity beside Pinocchio; writes `bench/QUANTITIES.md`.

Pinocchio's fastest path from Python is taken: `...InParallel` on one thread where there is
one, else a loop of calls over rows that lie ready. Its results stay in the memory of `data`,
so "given result", where ours go into arrays that are there, compares like with like; "new
result" is what a plain call does.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]
import typer
from rich.console import Console

import revolute
from bench import fresh
from bench.closed_forms import closed_forms
from bench.machine import facts
from bench.pinocchio_peer import Pinocchio
from bench.robots import CASES, Case
from bench.rollouts import rollouts
from bench.timing import Contestant, Effort, Timing, only_cores, race

__all__ = ["QUANTITIES", "Quantity", "contest", "humanoid"]

RESULTS = Path(__file__).with_name("QUANTITIES.md")

ROWS = {"ur5": 4096, "talos": 512}
HANDS = {"ur5": "tool0", "talos": "gripper_left_base_link"}


@dataclass(frozen=True)
class Quantity:
    """A function of both libraries.

    Attributes:
        method: the name of ours.
        arguments: ours, by name.
        call: Pinocchio's for one row; `q, v, a` are the row, `hand` is a link.
        parallel: Pinocchio's for a batch, or None for a loop over `call`.
        targets: least ratio for a batch, by robot.
    """

    method: str
    arguments: str
    call: str
    parallel: str | None = None
    targets: tuple[float, float] | None = None

    def options(self, case: Case) -> dict[str, str]:
        """Of our kernel."""
        return {"frame": HANDS[case.key]} if "hand" in self.arguments else {}


QUANTITIES = (
    Quantity("mass_matrix", "q", "pin.crba(model, data, q)", targets=(20, 6)),
    Quantity(
        "forward_dynamics",
        "q, qd, qdd",
        "pin.aba(model, data, q, v, a)",
        "pin.abaInParallel(1, pool, Q, V, A, TAU)",
        (20, 12),
    ),
    Quantity(
        "inverse_dynamics_partials", "q, qd, qdd", "pin.computeRNEADerivatives(model, data, q, v, a)", None, (25, 6)
    ),
    Quantity(
        "forward_dynamics_partials", "q, qd, qdd", "pin.computeABADerivatives(model, data, q, v, a)", None, (15, 6)
    ),
    Quantity("coriolis_matrix", "q, qd", "pin.computeCoriolisMatrix(model, data, q, v)", None, (20, 7)),
    Quantity("regressor", "q, qd, qdd", "pin.computeJointTorqueRegressor(model, data, q, v, a)", None, (10, 2.5)),
    Quantity("mass_matrix_inverse", "q", "pin.computeMinverse(model, data, q)"),
    Quantity("gravity_forces", "q", "pin.computeGeneralizedGravity(model, data, q)"),
    Quantity("bias_forces", "q, qd", "pin.nonLinearEffects(model, data, q, v)"),
    Quantity("center_of_mass", "q", "pin.centerOfMass(model, data, q)"),
    Quantity("com_jacobian", "q", "pin.jacobianCenterOfMass(model, data, q)"),
    Quantity("kinetic_energy", "q, qd", "pin.computeKineticEnergy(model, data, q, v)"),
    Quantity("potential_energy", "q", "pin.computePotentialEnergy(model, data, q)"),
    Quantity("centroidal_momentum", "q, qd", "pin.computeCentroidalMomentum(model, data, q, v)"),
    Quantity("jacobian", "q, hand", "pin.computeFrameJacobian(model, data, q, hand, pin.LOCAL)"),
    Quantity(
        "jacobian_rate",
        "q, qd, hand",
        "pin.computeJointJacobiansTimeVariation(model, data, q, v); "
        "pin.getFrameJacobianTimeVariation(model, data, hand, pin.LOCAL)",
    ),
    Quantity(
        "equations_of_motion",
        "q, qd",
        "pin.crba(model, data, q); pin.computeCoriolisMatrix(model, data, q, v); "
        "pin.computeGeneralizedGravity(model, data, q)",
    ),
    Quantity("linearize", "q, qd, qdd", "pin.computeABADerivatives(model, data, q, v, a)"),
)


def contest(case: Case, quantity: Quantity, rows: int) -> list[Contestant]:
    """Ours with given and with new results, and Pinocchio's; a single call if rows is 1."""
    states, peer = case.states(rows), Pinocchio(case)
    q, v, a = peer.states(states)
    ours: dict[str, Any] = {"robot": case.robot, "q": states.q, "qd": states.qd, "qdd": states.qdd}
    theirs: dict[str, Any] = {"pin": pin, "model": peer.model, "data": peer.data}
    if rows == 1:
        ours |= {key: x[0] for key, x in ours.items() if isinstance(x, np.ndarray)}
        theirs |= {"q": q[:, 0].copy(), "v": v[:, 0].copy(), "a": a[:, 0].copy()}
        statement = quantity.call
    elif quantity.parallel:
        theirs |= {"pool": peer.pool(1), "Q": q, "V": v, "A": a, "TAU": peer.result(rows)}
        statement = quantity.parallel
    else:
        theirs["rows"] = [(q[:, k].copy(), v[:, k].copy(), a[:, k].copy()) for k in range(rows)]
        statement = f"for q, v, a in rows: {quantity.call}"
    ours["hand"], theirs["hand"] = HANDS[case.key], peer.model.getFrameId(HANDS[case.key], pin.FrameType.BODY)
    call = f"robot.{quantity.method}({quantity.arguments})"
    results = eval(call, dict(ours))
    given = tuple(map(np.empty_like, results)) if isinstance(results, tuple) else np.empty_like(results)
    return [
        Contestant("given result", f"{call[:-1]}, out=given)", ours | {"given": given}, rows),
        Contestant("new result", call, ours, rows),
        Contestant("Pinocchio", statement, theirs, rows),
    ]


def humanoid() -> revolute.Robot:
    """Talos with as many joints as GOA's humanoid: two legs and two arms of six, and the waist.

    Grippers, head, the last joint of each wrist and the second of the torso are locked.
    """
    robot = next(case.robot for case in CASES if case.key == "talos")
    names = [f"{part}_{side}" for part in ("gripper", "arm") for side in ("left", "right")]
    locked = ["torso_2", "head_1", "head_2", *(f"{x}_7" if x.startswith("arm") else x for x in names)]
    return robot.lock({f"{name}_joint": 0.0 for name in locked})


def _quantities(case: Case, place: int, rows: int, effort: Effort, say: Callable[[str], None]) -> Iterator[str]:
    """A table of all quantities of a robot. Targets of batches are for given results, of single calls for new ones."""
    yield f"## {case.label}, " + (f"batch of {rows}" if rows > 1 else "one call from Python")
    yield ""
    yield (
        "| function | given result, ns a row | new result | Pinocchio | ratio, given | ratio, new | target | met "
        "| multiplications + additions, divisions |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for quantity in QUANTITIES:
        given, new, theirs = race(contest(case, quantity, rows), effort)
        counts = case.robot.kernel(quantity.method, **quantity.options(case)).count()
        ratios = [x.times_faster_than(theirs) for x in (given, new)]
        least = _target(quantity, place, rows)
        met = least is not None and ratios[rows == 1] >= least
        yield (
            f"| `{quantity.method}` | {given.per_row:,.1f} | {new.per_row:,.1f} | {theirs.per_row:,.0f} | "
            f"{ratios[0]:.1f} × | {ratios[1]:.1f} × | {f'≥ {least:g} ×' if least else ''} | "
            f"{('yes' if met else '**no**') if least else ''} | "
            f"{counts.multiplications:,} + {counts.additions:,}, {counts.divisions} |"
        )
        say(f"{case.label} {rows} {quantity.method}: {given.per_row:.0f} ns, {ratios[0]:.1f} x")
    yield ""


def _target(quantity: Quantity, place: int, rows: int) -> float | None:
    """The least ratio: of batches, and of single calls of the first robot."""
    if quantity.targets is None or (rows == 1 and place > 0):
        return None
    return quantity.targets[place] if rows > 1 else 3.0


def _humanoid(effort: Effort) -> Iterator[str]:
    """M, C, g of 25 joints, and with all their time derivatives."""
    robot = humanoid()
    yield f"## A humanoid of {robot.nv} joints"
    yield ""
    yield " ".join((humanoid.__doc__ or "").split())
    yield "GOA report 244 µs for M, C and g of theirs on a Xeon of 2.8 GHz, and 0.71."
    yield ""
    yield "| rows | result | M, C, g | with Ṁ, Ċ, ġ | with rates / twice without |"
    yield "| --- | --- | --- | --- | --- |"
    single, ratios = 0.0, []
    for rows in (1, 512):
        names = _motions(robot, rows)
        now, rates = robot.equations_of_motion, robot.equations_of_motion_rates
        names["three"] = tuple(map(np.empty_like, now(names["q"], names["qd"])))
        names["six"] = tuple(map(np.empty_like, rates(names["q"], names["qd"], names["qdd"])))
        contestants = [
            Contestant("given", "robot.equations_of_motion(q, qd, out=three)", names, rows),
            Contestant("given", "robot.equations_of_motion_rates(q, qd, qdd, out=six)", names, rows),
            Contestant("new", "robot.equations_of_motion(q, qd)", names, rows),
            Contestant("new", "robot.equations_of_motion_rates(q, qd, qdd)", names, rows),
        ]
        timings = race(contestants, effort)
        for few, all_ in (timings[:2], timings[2:]):
            ratio = all_.median / few.median / 2
            ratios.append(ratio)
            yield f"| {rows} | {few.name} | {_us(few)} | {_us(all_)} | {ratio:.2f} |"
        single = single or timings[2].median
    yield ""
    yield "| figure | target | measured | met |"
    yield "| --- | --- | --- | --- |"
    yield f"| M, C and g, a single call, new result | ≤ 6 µs | {single * 1e6:.2f} µs | {_yes(single <= 6e-6)} |"
    what, worst = "with all time derivatives / M, C, g at two instants, worst row", max(ratios)
    yield f"| {what} | ≤ 0.7 | {worst:.2f} | {_yes(worst <= 0.7)} |"
    yield ""
    yield "GOA compare with their closed forms of M, C and g (GOA 6). These for the same robot, compiled as ours are:"
    yield ""
    yield "| rows | operations | GOA 6 | with Ṁ, Ċ, ġ | with rates / GOA 6 twice |"
    yield "| --- | --- | --- | --- | --- |"
    for rows in (1, 512):
        yield _beside_the_closed_forms(robot, rows, effort)
    yield ""


def _beside_the_closed_forms(robot: revolute.Robot, rows: int, effort: Effort) -> str:
    """A row: GOA's M, C and g, and ours with rates, new results."""
    published = closed_forms(robot)
    names = _motions(robot, rows) | {"closed_forms": published.fast_call(published)}
    contestants = [
        Contestant("GOA 6", "closed_forms(q, qd)", names, rows),
        Contestant("rates", "robot.equations_of_motion_rates(q, qd, qdd)", names, rows),
    ]
    few, all_ = race(contestants, effort)
    return f"| {rows} | {published.operations:,} | {_us(few)} | {_us(all_)} | {all_.median / few.median / 2:.2f} |"


def _motions(robot: revolute.Robot, rows: int) -> dict[str, Any]:
    """The robot and random states of it, by the names that statements use."""
    rng = np.random.default_rng(0)
    shape = (rows,) if rows > 1 else ()
    qd, qdd = rng.standard_normal((2, *shape, robot.nv))
    return {"robot": robot, "q": robot.random_configuration(rng, shape), "qd": qd, "qdd": qdd}


def _compiling(case: Case) -> Iterator[str]:
    """Every function compiled in a fresh process with an empty cache, and loaded in another."""
    cold, warm = fresh.compiling(case, HANDS[case.key])
    yield f"## {case.label}: compiling"
    yield ""
    yield "Tracing, compiling and loading, in a process with an empty disk cache, and in one with a full cache."
    yield ""
    yield "| function | cold, ≤ 6 s | from the cache, ≤ 0.1 s | met |"
    yield "| --- | --- | --- | --- |"
    for name, seconds in cold.items():
        met = seconds <= 6 and warm[name] <= 0.1
        yield f"| `{name}` | {seconds:.2f} s | {warm[name] * 1e3:.0f} ms | {_yes(met)} |"
    total, again = sum(cold.values()), sum(warm.values())
    yield f"| all {len(cold)} | {total:.1f} s | {again * 1e3:.0f} ms | |"
    yield ""
    yield f"Median: {statistics.median(cold.values()):.2f} s and {statistics.median(warm.values()) * 1e3:.0f} ms."
    yield ""


def _us(timing: Timing) -> str:
    return f"{timing.per_row / 1e3:.2f} µs"


def _yes(met: bool) -> str:
    return "yes" if met else "**no**"


def main(
    seconds: Annotated[float, typer.Option(help="Seconds a contest.")] = 3.0,
    output: Annotated[Path, typer.Option(help="Where the report goes.")] = RESULTS,
) -> None:
    """Measure every quantity on one core, and write the report."""
    console = Console()
    effort = Effort(slice=2e-2, seconds=seconds, least=7, most=200)
    cases = {case.key: case for case in CASES if case.key in ROWS}
    lines = [
        "# Every quantity beside Pinocchio",
        "",
        "Written by `python -m bench.quantities`: one core, float64, medians of repeats in which all take turns.",
        "Pinocchio's results stay in its own memory: compare them with given results.",
        "",
    ]
    with only_cores(1):
        for place, (key, rows) in enumerate(ROWS.items()):
            for size in (rows, 1):
                lines += _quantities(cases[key], place, size, effort, console.print)
        console.print("a humanoid of 25 joints")
        lines += _humanoid(effort)
        console.print("compiling every function for Talos")
        lines += _compiling(cases["talos"])
    console.print("motions")
    lines += rollouts(cases["ur5"], effort)
    lines += ["## Machine", "", "|  |  |", "| --- | --- |", *(f"| {key} | {x} |" for key, x in facts().items())]
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    console.print(f"written to {output}")


if __name__ == "__main__":
    typer.run(main)
