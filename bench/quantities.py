"""`python -m bench.quantities`: every other quantity beside Pinocchio; writes `bench/QUANTITIES.md`.

Pinocchio's fastest path from Python is taken: `...InParallel` on one thread where there is
one, else a loop of calls over rows that lie ready. Results that it leaves in `data` are not
copied; ours are new arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]
import typer
from rich.console import Console

from bench.machine import facts
from bench.pinocchio_peer import Pinocchio
from bench.robots import CASES, Case
from bench.timing import Contestant, Effort, Timing, only_cores, race

RESULTS = Path(__file__).with_name("QUANTITIES.md")

ROWS = {"ur5": 4096, "talos": 512}


@dataclass(frozen=True)
class Quantity:
    """A function of both libraries.

    Attributes:
        method: the name of ours.
        arguments: ours, by name.
        call: Pinocchio's for one row; `q, v, a` are the row.
        parallel: Pinocchio's for a batch, or None for a loop over `call`.
        targets: least ratio for a batch, by robot.
    """

    method: str
    arguments: str
    call: str
    parallel: str | None = None
    targets: tuple[float, float] | None = None


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
)


def contest(case: Case, quantity: Quantity, rows: int, effort: Effort) -> tuple[Timing, Timing]:
    """Ours and Pinocchio's; a single call if rows is 1."""
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
    call = f"robot.{quantity.method}({quantity.arguments})"
    mine, peers = race(
        [Contestant("Revolute", call, ours, rows), Contestant("Pinocchio", statement, theirs, rows)], effort
    )
    return mine, peers


def main(seconds: Annotated[float, typer.Option(help="Seconds a contest.")] = 3.0) -> None:
    """Measure every quantity on one core, and write the report."""
    console, lines = Console(), []
    effort = Effort(slice=1e-3, seconds=seconds, least=7, most=200)
    cases = {case.key: case for case in CASES if case.key in ROWS}
    with only_cores(1):
        for place, (key, rows) in enumerate(ROWS.items()):
            case = cases[key]
            for size in (rows, 1) if key == "ur5" else (rows,):
                lines += ["", f"## {case.label}, " + (f"batch of {size}" if size > 1 else "one call from Python"), ""]
                lines += [
                    "| function | Revolute, ns a row | Pinocchio, ns a row | ratio | target | met | multiplications "
                    "+ additions, divisions | compiled in |",
                    "| --- | --- | --- | --- | --- | --- | --- | --- |",
                ]
                for quantity in (x for x in QUANTITIES if hasattr(case.robot, x.method)):
                    mine, peers = contest(case, quantity, size, effort)
                    kernel = case.robot.kernel(quantity.method)
                    counts = kernel.count()
                    ratio = mine.times_faster_than(peers)
                    least = (quantity.targets[place] if size > 1 else 3.0) if quantity.targets else None
                    lines.append(
                        f"| `{quantity.method}` | {mine.per_row:,.1f} | {peers.per_row:,.0f} | {ratio:.1f} × | "
                        f"{f'≥ {least:g} ×' if least else ''} | "
                        f"{('yes' if ratio >= least else '**no**') if least else ''} | "
                        f"{counts.multiplications:,} + {counts.additions:,}, {counts.divisions} | "
                        f"{kernel.compile_time:.2f} s |"
                    )
                    console.print(f"{case.label} {size} {quantity.method}: {mine.per_row:.0f} ns, {ratio:.1f} x")
    machine = "\n".join(f"| {key} | {value} |" for key, value in facts().items())
    RESULTS.write_text(
        "# Every quantity beside Pinocchio\n\nWritten by `python -m bench.quantities`: one core, float64, medians of "
        "repeats in which both take turns.\n"
        + "\n".join(lines)
        + f"\n\n## Machine\n\n|  |  |\n| --- | --- |\n{machine}\n",
        encoding="utf-8",
    )
    console.print(f"written to {RESULTS.name}")


if __name__ == "__main__":
    typer.run(main)
