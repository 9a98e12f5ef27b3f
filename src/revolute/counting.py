"""What the published formulations cost: their operations counted, next to those that were printed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from revolute.assemble import Connection, Link
from revolute.errors import InputError, UnknownNameError
from revolute.formulations import FORMULATIONS, Formulation, Geometry
from revolute.graph import RULES, STRUCTURE, Counts, Input, count, trace
from revolute.joints import Revolute
from revolute.robot import Robot
from revolute.spatial import Inertia, Transform

__all__ = ["count_formulation", "general_arm"]

Convention = Literal["source", "traced"]

_RULES = {"source": STRUCTURE, "traced": RULES}

_INPUTS = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "mass_matrix": ("q",),
    "forward_dynamics": ("q", "qd", "tau"),
    "sensitivity": ("q", "qd", "qdd"),
}


def count_formulation(
    formulation: Formulation | str, robot: Robot, convention: Convention = "source"
) -> Counts:
    """Operations of a formulation for one robot.

    Args:
        formulation: an entry of `FORMULATIONS`, or its name.
        robot: a serial arm.
        convention: "source" counts as the books do: zeros and ones of the matrices'
            structure cost nothing, nor does what does not depend on the state, a term that
            occurs twice is computed once, and results that no joint force needs are left
            out; but every product and sum that is written is counted. "traced" applies
            all of the graph's rules, so that neighbouring constants merge too.

    Returns:
        multiplications, additions, and calls of sine and cosine.

    Raises:
        UnknownNameError: no formulation of that name.
        InputError: no such convention.
        ModelError: the formulation cannot take this robot.

    Example:
        >>> from revolute.counting import count_formulation, general_arm
        >>> print(count_formulation("luh_walker_paul", general_arm(6)))
        566 mul + 425 add, 0 div, 12 calls
    """
    if isinstance(formulation, str):
        if formulation not in FORMULATIONS:
            raise UnknownNameError(f"no formulation '{formulation}'; there are: {', '.join(FORMULATIONS)}")
        formulation = FORMULATIONS[formulation]
    if convention not in _RULES:
        raise InputError(f"operations are counted as in the 'source' or 'traced', not {convention!r}")
    function, n = formulation.function, robot.nv

    def outputs(*arrays: Any) -> list[tuple[str, tuple[int, ...], Sequence[Any]]]:
        scalars = list(_flat(function(robot, *arrays)))
        return [(formulation.quantity, (len(scalars),), scalars)]

    inputs = [Input(name, (n,), "nv") for name in _INPUTS[formulation.quantity]]
    return count(trace(formulation.name, outputs, inputs, _RULES[convention]))


def general_arm(n: int, geometry: Geometry = "general") -> Robot:
    """An arm of n revolute joints of which no number is zero, as operation counts suppose.

    The first axis is inclined to gravity, which is along the base's z. Every link has a twist
    about x between its axes: any angle, or 90 degrees where the geometry is "right".
    Offsets between joints have three components, inertias ten parameters.

    Args:
        n: number of joints.
        geometry: "general", or "right" for twists of 90 degrees.

    Raises:
        InputError: no joint, or no such geometry.

    Example:
        >>> from revolute.counting import general_arm
        >>> general_arm(6).nv
        6
    """
    if n < 1:
        raise InputError(f"an arm has at least one joint, not {n}")
    if geometry not in ("general", "right"):
        raise InputError(f"a geometry is 'general' or 'right', not {geometry!r}")
    rng = np.random.default_rng(n)
    links, joints = [Link("base")], []
    for k in range(1, n + 1):
        numbers = rng.uniform(0.2, 0.35, 10).tolist()
        twist = numbers[0] + 0.3 if k == 1 or geometry == "general" else math.pi / 2
        placement = Transform.from_rpy(numbers[:3], (twist, 0, 0))
        off = rng.uniform(0.01, 0.05, 3).tolist()
        tensor = ((numbers[6], off[0], off[1]), (off[0], numbers[7], off[2]), (off[1], off[2], numbers[8]))
        inertia = Inertia.from_com(1 + numbers[9], numbers[3:6], tensor)
        joints.append(Connection(f"joint{k}", links[-1].name, f"link{k}", Revolute(), placement))
        links.append(Link(f"link{k}", inertia))
    return Robot.from_links(f"{geometry}_arm{n}", links, joints, warn=False)


def _flat(result: Any) -> Iterator[Any]:
    """The scalars of nested sequences, in C order."""
    if not isinstance(result, (tuple, list)):
        yield result
        return
    for part in result:
        yield from _flat(part)
