"""A tick of predictive control as C."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from revolute.compiler.kernel import real_dtype
from revolute.machine.c_code import CCode, Written, write_c
from revolute.optimal.kernels.tick import tick_graph

if TYPE_CHECKING:
    from revolute.optimal.problem import OptimalControl

__all__ = ["write_tick"]

MEANING = """One tick of predictive control: move the plan on to the measured state, and improve it.

Where no better plan is found, the plan only moves on, and its gains correct the efforts. Give the next plan to the next
call.

Args:
    q: measured positions [rad, m].
    qd: measured velocities [rad/s, m/s].
    x: states of the plan, node by node: q, qd, and with costs of effort rates the forces before.
    tau: forces of the plan [N m, N].
    K: gains of the plan, forces of motors by small motions of the state.
    parameters: weights and goals of all nodes; see above.
    dt: lengths of the steps [s].
    low, high: bounds of the forces of motors [N m, N].
    effort: forces of this instant [N m, N].
    next_x, next_tau, next_K: the next plan.
    improved: 1 if the plan is better than before, else 0.
"""


def write_tick(problem: OptimalControl, path: str | os.PathLike[str], dtype: Any, **options: Any) -> list[Path]:
    """Write the files; see `OptimalControl.to_c`."""
    setting = problem._setting
    nx, N, n, m = setting.sizes
    sizes = {"nodes": problem.nodes, "states": nx, "moves": N, "nv": n, "motors": m, "parameters": setting.parameters}
    function = Written("tick", tick_graph(setting, problem.nodes), MEANING)
    macros = {name.upper(): size for name, size in sizes.items()}
    code = CCode(real_dtype(dtype), test=False, **options)
    return write_c(path, problem.robot.name, [function], macros, list(_notes(problem)), code)


def _notes(problem: OptimalControl) -> Iterator[str]:
    """Where the parameters of a node stand."""
    yield f"Motors: {', '.join(problem.actuated)}."
    yield "Parameters of a node; weights of nodes before the last are multiplied by dt:"
    for name, place in zip(problem.names, problem._setting.places, strict=True):
        for what, at in (("weights", place.weight), ("goal", place.goal)):
            if at.stop > at.start:
                yield f"{what} of '{name}': {at.start} to {at.stop - 1}."
