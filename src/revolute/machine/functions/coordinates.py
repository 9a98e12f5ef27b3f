"""Functions of a tree in independent coordinates, which its joints follow.

With phi = A q + b and a constant A, velocities and all their rates are A times those of q. Every axis of a result with
one entry per joint velocity, in forces, Jacobians and matrices alike, is multiplied by A^T:

    tau_q = A^T tau,    J_q = J A,    M_q = A^T M A
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from revolute.dynamics.drivetrain import Drivetrain
from revolute.errors import GraphError
from revolute.graph import Node, reachable, substituted
from revolute.machine.function import Function, scalars_of
from revolute.machine.robot.base import sizes
from revolute.model import Model, derived, from_vector
from revolute.spatial import Scalars, Tree, Vector


def require_decided(function: Function) -> None:
    """Raise `GraphError` if a declaration does not say whether drives add terms: neither `driven` nor `of_links`."""
    if function.driven is None and not function.of_links:
        raise GraphError(
            f"robots with drives inherit '{function.name}': declare it with of_links=True if it depends on geometry "
            "and motion alone; else with driven=WithDrives(...) of its recursion with drives"
        )


def with_drives(function: Function) -> Function:
    """A function that is declared for robots, with the terms and options that drives add."""
    require_decided(function)
    driven, options = function.driven, function.options
    if driven is None or driven.at_joints:
        recursion = _in_coordinates(function, driven.recursion if driven else None)
    else:
        recursion, taken = driven.recursion, inspect.signature(driven.recursion).parameters
        options = tuple(x for x in options if x in (*taken, "parameters") or _has_inputs_of(function, x, taken))
    checks = function.check

    def check(tree: Model, _: Drivetrain, **options: Any) -> None:
        if checks:
            checks(tree, **options)

    return replace(
        function,
        recursion=recursion,
        options=(*options, *(driven.options if driven else ())),
        check=driven.check if driven and driven.check else check,
        smooth=driven is not None and driven.smooth,
        driven=None,
    )


def _of_geometry(function: Function, tree: Model, joints: Sequence[Scalars], options: Mapping[str, Any]) -> Tree:
    """Results of a recursion declared with `of_links=True`: no result may use inertias or gravity, which are inputs.

    Raises:
        GraphError: a result depends on inertias or gravity, to which drives may add terms.
    """
    builder = next((x.builder for array in joints for x in array if isinstance(x, Node)), None)
    if builder is None:
        return function.recursion(tree, *joints, **options)
    unknown = builder.input("inertia and gravity", 13)
    bodies = tuple(replace(body, inertia=from_vector(unknown[:10])) for body in tree.bodies)
    tree = derived(tree, bodies=bodies, gravity=Vector(unknown[10:]))
    results = function.recursion(tree, *joints, **options)
    if not {*unknown}.isdisjoint(reachable([x for x in scalars_of(results) if isinstance(x, Node)])):
        raise GraphError(
            f"'{function.name}' is declared with of_links=True, but depends on masses, inertias or gravity, to which "
            "rotors, springs and friction may add terms: declare it with driven=WithDrives(...) of its recursion with "
            "drives; or with of_links='the reason why drives add none'"
        )
    return results


def _has_inputs_of(function: Function, option: str, taken: Mapping[str, inspect.Parameter]) -> bool:
    """Whether a recursion takes the arrays that an option adds."""
    any_name = any(x.kind is x.VAR_KEYWORD for x in taken.values())
    return option in function.optional and all(any_name or x in taken for x, _ in function.optional[option].inputs)


def _in_coordinates(function: Function, at_joints: Callable[..., Any] | None) -> Callable[..., Any]:
    """The function's recursion, or `at_joints(tree, drives, *arrays of joints, **options)`, at phi = A q + b."""

    def recursion(tree: Model, drives: Drivetrain, *given: Scalars, **options: Any) -> Tree:
        arrays = function.arrays(**options)
        joints, values = _own_nodes(
            [_of_joints(tree, drives, x, shape) for (_, shape), x in zip(arrays.inputs, given, strict=True)]
        )
        if at_joints:
            results = at_joints(tree, drives, *joints, **options)
        elif function.of_links is True:
            results = _of_geometry(function, tree, joints, options)
        else:
            results = function.recursion(tree, *joints, **options)
        found = [results] if len(arrays.outputs) == 1 else results
        projected = [
            _projected(tree, drives, _with_values(list(scalars_of(x)), values), shape)
            for (_, shape), x in zip(arrays.outputs, found, strict=True)
        ]
        return projected if len(projected) > 1 else projected[0]

    return recursion


def _of_joints(tree: Model, drives: Drivetrain, x: Scalars, shape: tuple[str, ...]) -> Scalars:
    """An array of the coordinates converted to the joints: positions or rates; other arrays are unchanged."""
    if shape == ("nq",):
        return drives.positions(tree, x)
    return drives.rates(x) if shape == ("nv",) else x


def _own_nodes(arrays: Sequence[Scalars]) -> tuple[Sequence[Scalars], dict[Node, Any]]:
    """The arrays with inputs in place of expressions, and {input: expression}, so that recursions can differentiate."""
    # Two joints that follow one coordinate would be one node, and the angle -q may leave q alone in a cosine.
    scalars = [x for array in arrays for x in array]
    builder = next((x.builder for x in scalars if isinstance(x, Node)), None)
    inputs = {x for x in scalars if isinstance(x, Node) and x.op == "input"}
    if builder is None or len(inputs) == len(scalars):
        return arrays, {}
    own = [builder.input(f"of joints {k}", len(array)) for k, array in enumerate(arrays)]
    return own, dict(zip((x for array in own for x in array), scalars, strict=True))


def _with_values(scalars: list[Any], values: dict[Node, Any]) -> list[Any]:
    """The scalars with values in place of the inputs of `_own_nodes`."""
    if not values:
        return scalars
    nodes = iter(substituted([x for x in scalars if isinstance(x, Node)], values))
    return [next(nodes) if isinstance(x, Node) else x for x in scalars]


def _projected(tree: Model, drives: Drivetrain, scalars: list[Any], shape: tuple[str, ...]) -> list[Any]:
    """An array in C order, multiplied by A^T along every axis of joint velocities; axes of joints exclude rotors."""
    if not shape:
        return scalars
    named = sizes(tree)
    lengths = [named[size] if size in named else int(size) for size in shape]
    step = math.prod(lengths[1:])
    rows = [_projected(tree, drives, scalars[k * step : (k + 1) * step], shape[1:]) for k in range(lengths[0])]
    if shape[0] == "nv":
        rows = [list(row) for row in zip(*map(drives.projected, zip(*rows, strict=True)), strict=True)]
    elif shape[0] == "n":
        rows = rows[: len(rows) - len(drives.rotors)]
    return [x for row in rows for x in row]
