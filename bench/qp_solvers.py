"""Solvers of quadratic programs beside each other: `python -m bench.qp_solvers PYTHON`.

It writes QP_SOLVERS.md. PYTHON is the interpreter of an environment with `pip install daqp proxsuite piqp osqp quadprog
clarabel scipy`. The programs are those of whole-body control in ticks of a motion, from Revolute's kernel.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.robots import Array
from bench.tables import machine, table
from bench.timing import only_cores
from bench.whole_body import circle, go2, stand
from revolute import Contact
from revolute.control import CenterOfMassTask, PoseTask, PostureTask, WholeBody

__all__ = ["programs"]

PAGE, PEER = Path(__file__).with_name("QP_SOLVERS.md"), Path(__file__).with_name("qp_solvers_peer.py")
TICKS, DT = 100, 0.01

ABOUT = f"""# Solvers of quadratic programs

Written by `python -m bench.qp_solvers PYTHON`, in one process on one core.

Programs of whole-body control in {TICKS} control steps of {DT} s: the centre of mass of a standing robot follows a
circle of 4 cm, with random errors of positions and velocities in each step. Solvers start from the solution of the
previous step if they can; times are medians of calls from Python, with the update of all arrays. Errors are the largest
differences of accelerations [rad/s², m/s²] and forces [N] from quadprog's solution, over all steps. Tolerances are
1e-9, but 1e-6 with polishing for OSQP and 1e-12 for Clarabel.
"""


def programs(robot: Any, q0: Array, contacts: Sequence[Contact]) -> dict[str, Array]:
    """H, g, A and bounds of all ticks, and the numbers of variables with bounds and of equalities."""
    base, rng = robot.link_names[0], np.random.default_rng(0)
    tasks = [CenterOfMassTask(weight=10), PoseTask(base, weight=[10] * 3 + [0] * 3), PostureTask(weight=0.1)]
    start = {"posture": q0, f"pose of {base}": robot.forward_kinematics(q0, base)}
    loop, center, found = WholeBody(robot, tasks, contacts).stepper(), robot.center_of_mass(q0), []
    for k in range(TICKS):
        q, goal = robot.integrate(q0, 2e-3 * rng.standard_normal(robot.nv)), circle(1 + k * DT, center, q0)[0]
        loop.step(q, 0.05 * rng.standard_normal(robot.nv), {**start, "center of mass": goal})
        found.append([x.copy() for x in loop._out[:5]])
    (row,) = loop._rows
    arrays = zip(("H", "g", "A", "lower", "upper"), zip(*found, strict=True), strict=True)
    sizes = np.array([row.solver.program.box, row.solver.program.equal, robot.nv])
    return {"sizes": sizes, **{name: np.stack(x) for name, x in arrays}}


def main(python: str) -> None:
    """Write the page."""
    robot, _, q, contacts = stand()
    cases = {"Talos": programs(robot, q, contacts), "Go2": programs(*go2())}
    rows: dict[str, list[str]] = {}
    with only_cores(1), tempfile.TemporaryDirectory() as folder:
        for name, arrays in cases.items():
            np.savez(file := Path(folder, f"{name}.npz"), **arrays)
            own = {**os.environ, **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"), "1")}
            command = [python, str(PEER), str(file)]
            text = subprocess.run(command, capture_output=True, text=True, check=True, env=own).stdout
            for solver, (micros, error, solved) in json.loads(text).items():
                cells = f"{micros:,.0f}", f"{error:.0e}", f"{solved:.0%}"
                rows[solver] = [*rows.get(solver, [solver]), *cells]
    head = [x for name in cases for x in (f"{name}, µs", "error", "solved")]
    sizes = [f"{name} has {x['g'].shape[1]} variables and {x['A'].shape[1]} rows" for name, x in cases.items()]
    parts = [ABOUT, "; ".join(sizes) + ".\n", table(["", *head], [*rows.values()]), "", machine(), ""]
    PAGE.write_text("\n".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
