"""`python -m bench.quantities`: every quantity beside Pinocchio; writes `bench/QUANTITIES.md`.

Pinocchio's fastest path from Python is taken: `...InParallel` on one thread where there is
one, else a loop of calls over rows that lie ready. Its results stay in the memory of `data`,
so "given result", where ours go into arrays that are there, compares like with like; "new
result" is what a plain call does, and what targets are for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]
import typer
from rich.console import Console

from bench import compiling, humanoid
from bench.pinocchio_peer import Pinocchio
from bench.robots import CASES, Case
from bench.tables import machine, table
from bench.timing import Contestant, Effort, only_cores, race

__all__ = ["HANDS", "QUANTITIES", "ROWS", "Quantity", "contest"]

RESULTS = Path(__file__).with_name("QUANTITIES.md")

ROWS = {"ur5": 4096, "talos-free": 512}
HANDS = {"ur5": "tool0", "talos": "gripper_left_base_link", "talos-free": "gripper_left_base_link"}


@dataclass(frozen=True)
class Quantity:
    """A function of both libraries.

    Attributes:
        method: the name of ours.
        arguments: ours, by name.
        call: Pinocchio's for one row; `q, v, a` are the row, `hand` is a link.
        parallel: Pinocchio's for a batch, or None for a loop over `call`.
    """

    method: str
    arguments: str
    call: str
    parallel: str | None = None

    def options(self, case: Case) -> dict[str, str]:
        """Of our kernel."""
        return {"frame": HANDS[case.key]} if "hand" in self.arguments else {}


QUANTITIES = (
    Quantity(
        "inverse_dynamics",
        "q, qd, qdd",
        "pin.rnea(model, data, q, v, a)",
        "pin.rneaInParallel(1, pool, Q, V, A, TAU)",
    ),
    Quantity("mass_matrix", "q", "pin.crba(model, data, q)"),
    Quantity(
        "forward_dynamics",
        "q, qd, qdd",
        "pin.aba(model, data, q, v, a)",
        "pin.abaInParallel(1, pool, Q, V, A, TAU)",
    ),
    Quantity(
        "inverse_dynamics_partials", "q, qd, qdd", "pin.computeRNEADerivatives(model, data, q, v, a)"
    ),
    Quantity(
        "forward_dynamics_partials", "q, qd, qdd", "pin.computeABADerivatives(model, data, q, v, a)"
    ),
    Quantity("coriolis_matrix", "q, qd", "pin.computeCoriolisMatrix(model, data, q, v)"),
    Quantity("regressor", "q, qd, qdd", "pin.computeJointTorqueRegressor(model, data, q, v, a)"),
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


def _quantities(case: Case, rows: int, effort: Effort, say: Callable[[str], None]) -> Iterator[str]:
    """A table of all quantities of a robot."""
    yield f"## {case.label}, batches of {rows}"
    yield ""
    header = [f"{kind}: {x}" for kind in ("batch", "call") for x in ("given", "new", "Pinocchio", "ratio")]
    body = []
    for quantity in QUANTITIES:
        found = [f"`{quantity.method}`"]
        for size in (rows, 1):
            given, new, theirs = race(contest(case, quantity, size), effort)
            ratio = new.times_faster_than(theirs)
            found += [f"{given.per_row:,.1f}", f"{new.per_row:,.1f}", f"{theirs.per_row:,.0f}", f"{ratio:.1f}"]
            say(f"{case.label} {size} {quantity.method}: {new.per_row:.0f} ns, {ratio:.1f} x")
        body.append(found)
    yield table(["function", *header], body)
    yield ""


def main(
    seconds: Annotated[float, typer.Option(help="Seconds a contest.")] = 1.5,
    output: Annotated[Path, typer.Option(help="Where the report goes.")] = RESULTS,
) -> None:
    """Measure every quantity on one core, and write the report."""
    console = Console()
    effort = Effort(slice=2e-2, seconds=seconds, least=7, most=200)
    cases = {case.key: case for case in CASES}
    lines = [
        "# Every quantity beside Pinocchio",
        "",
        "Written by `python -m bench.quantities`: nanoseconds per row of a batch, and per single call from Python; one",
        "core, float64, medians. Pinocchio's results stay in its own memory: compare with given results. A ratio",
        "is Pinocchio's time divided by Revolute's with a new result.",
        "",
    ]
    with only_cores(1):
        for key, rows in ROWS.items():
            lines += _quantities(cases[key], rows, effort, console.print)
        console.print("a humanoid of 25 joints")
        lines += humanoid.section(effort)
    console.print("compiling every function for Talos")
    lines += compiling.section(cases["talos"], HANDS["talos"])
    output.write_text("\n".join([*lines, machine()]) + "\n", encoding="utf-8")
    console.print(f"written to {output}")


if __name__ == "__main__":
    typer.run(main)
