"""`python -m bench.counts`: operations of every function. `--update` writes them down anew.

Counts are exact, so they are kept in `tests/operation_counts.toml`, which a test compares with the sources.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import revolute
from bench.robots import CASES
from revolute.dynamics.inverse_dynamics_partials import gravity_forces_partials, mass_matrix_partials
from revolute.graph import Graph, Node, jacobian, trace
from revolute.graph.count import operations as operations_of
from revolute.model.reduce import reduced, reduced_for_slopes

__all__ = ["KEPT", "Counted", "Operations", "graphs", "kept", "operations", "robots"]

KEPT = Path(__file__).parents[1] / "tests" / "operation_counts.toml"

COLUMNS = {
    "multiplications": ("mul",),
    "additions": ("add", "sub"),
    "divisions": ("div",),
    "square roots": ("sqrt",),
    "sines and cosines": ("sin", "cos"),
}

Operations = tuple[int, ...]
Options = dict[str, Any]


@dataclass(frozen=True)
class Counted:
    """A robot whose functions are counted; `hand` is the link of those that need one."""

    label: str
    robot: revolute.Robot
    hand: str


@cache
def robots() -> dict[str, Counted]:
    """By label."""
    cases = {case.key: case.robot for case in CASES}
    hand = "gripper_left_base_link"
    counted = (
        Counted("UR5", revolute.robots.ur5(), "tool0"),
        Counted("Puma 560", revolute.robots.puma560(), "flange"),
        Counted("Talos", cases["talos"], hand),
        Counted("Talos, free base", cases["talos-free"], hand),
    )
    return {x.label: x for x in counted}


VARIANTS: tuple[tuple[str, Options], ...] = (
    *(
        (name, {"reference": reference})
        for name in ("jacobian", "jacobian_rate", "jacobian_second_rate", "velocity", "acceleration", "link_wrench")
        for reference in ("aligned", "world")
    ),
    ("acceleration", {"linear": "classical"}),
    ("acceleration", {"reference": "aligned", "linear": "spatial"}),
    ("acceleration", {"reference": "world", "linear": "classical"}),
    ("equations_of_motion", {"mass_matrix_rate": True}),
    *(
        (name, {"kind": "goa"})
        for name in (
            "coriolis_matrix",
            "equations_of_motion",
            "coriolis_matrix_rate",
            "coriolis_matrix_partials",
            "coriolis_matrix_regressor",
            "slotine_li_regressor",
        )
    ),
    ("forward_dynamics", {"algorithm": "articulated_body"}),
    ("forward_dynamics", {"algorithm": "composite_body"}),
    ("inverse_dynamics", {"parameters": "inertial"}),
    ("generalized_momentum", {"parameters": "inertial"}),
)
"""Options that change what a function costs."""

DIFFERENTIATED: dict[str, tuple[str, Options]] = {
    "gravity_forces_partials": ("gravity_forces", {}),
    "mass_matrix_partials": ("mass_matrix", {}),
    "inverse_dynamics_partials": ("inverse_dynamics", {}),
    "forward_dynamics_partials": ("forward_dynamics", {"algorithm": "articulated_body"}),
}
"""State derivatives by recursions, and the functions whose graphs can be differentiated instead."""

RECURSIONS: dict[str, tuple[Callable[..., Any], Callable[[Any], Any]]] = {
    "gravity_forces_partials": (gravity_forces_partials, reduced_for_slopes),
    "mass_matrix_partials": (mass_matrix_partials, reduced),
}
"""Those whose kernels are recursions, or differentiated graphs where these take fewer operations; and their models."""

FREE = ("inverse_dynamics", "mass_matrix", "mass_matrix_inverse", "cholesky", "forward_dynamics", *DIFFERENTIATED)
"""What is counted with a free base."""


def graphs(counted: Counted) -> dict[str, Callable[[], Graph]]:
    """What is counted of a robot, by name, to be traced when called."""
    robot, found = counted.robot, dict[str, Callable[[], Graph]]()
    free = any(isinstance(body.joint, revolute.Free) for body in robot.bodies)
    names = FREE if free else robot.functions()
    plain: list[tuple[str, Options]] = [(name, {}) for name in names]
    for name, options in plain if free else (*plain, *VARIANTS):
        if name == "linearize_task" and robot.nv != 6:
            continue  # it has six rows, and needs as many joints
        full = {**_needed(name, counted.hand), **options}
        found[_call(name, options)] = partial(_graph, robot, name, full)
    for name, (whole, options) in () if free else DIFFERENTIATED.items():
        found[f"{name}, by the graph of {_call(whole, options)}"] = partial(_derivatives, robot, whole, options)
        if name in RECURSIONS:
            found[f"{name}, by recursion"] = partial(_recursion, robot, name)
    return found


def _needed(name: str, hand: str) -> Options:
    """Options without which a function is not counted: the link, or links with contacts."""
    options = revolute.Robot.functions()[name].options
    if "contacts" in options:
        return {"contacts": (hand,)}
    if "frames" in options:
        return {"frames": (hand,), "rows": (tuple(range(6)),)}
    return {"frame": hand} if "frame" in options and name != "forward_kinematics" else {}  # that is of all links


def _call(name: str, options: Options) -> str:
    return f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})" if options else name


def _graph(robot: revolute.Robot, name: str, options: Options) -> Graph:
    return robot._signature(name, options).graph()


def _derivatives(robot: revolute.Robot, name: str, options: Options) -> Graph:
    """Every output by every input, in forward mode."""
    form = robot._signature(name, options)

    def function(*arrays: Any) -> Any:
        inputs = [x for array in arrays for x in array]
        rows = jacobian([y for y in form.body(*arrays) if isinstance(y, Node)], inputs)
        return [("all", (len(rows), len(inputs)), [row.get(k, 0) for row in rows for k in range(len(inputs))])]

    return trace(name, function, form.inputs)


def _recursion(robot: revolute.Robot, name: str) -> Graph:
    form = robot._signature(name, {})
    recursion, of = RECURSIONS[name]
    return replace(form, body=lambda q: np.ravel(recursion(of(robot), q))).graph()


def operations(graph: Graph) -> Operations:
    """Counts in the order of `COLUMNS`; the graph is of no use afterwards."""
    ops = operations_of(graph)
    graph.forget()
    return tuple(sum(ops[op] for op in several) for several in COLUMNS.values())


def kept() -> dict[str, dict[str, Operations]]:
    """The counts that were written down, by robot and function."""
    text = KEPT.read_text(encoding="utf-8")
    return {robot: {name: tuple(x) for name, x in rows.items()} for robot, rows in tomllib.loads(text).items()}


def _toml(counts: Mapping[str, Mapping[str, Operations]]) -> Iterator[str]:
    yield f"# {', '.join(COLUMNS)}"
    yield "# Written by `python -m bench.counts --update`."
    for robot, rows in counts.items():
        yield f'\n["{robot}"]'
        yield from (f'"{name}" = {list(found)}' for name, found in rows.items())


def main(
    update: Annotated[bool, typer.Option(help="Write tests/operation_counts.toml.")] = False,
) -> None:
    """Count the operations of every function, and show those that have changed."""
    found: dict[str, dict[str, Operations]] = {}
    before = kept() if KEPT.exists() else {}
    for robot, counted in robots().items():
        found[robot] = {}
        for name, graph in graphs(counted).items():
            new = found[robot][name] = operations(graph())
            old = before.get(robot, {}).get(name)
            if new != old:
                typer.echo(f"{robot}, {name}: {'+'.join(map(str, new))}, was {'+'.join(map(str, old or ['-']))}")
    if update:
        KEPT.write_text("\n".join(_toml(found)) + "\n", encoding="utf-8")
    elif found != before:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
