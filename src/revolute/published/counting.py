"""Published formulations as compiled functions, and their operation counts next to the printed ones.

Only this module depends on graphs and machines; the algorithms do not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from revolute.arguments import nearest
from revolute.errors import InputError, ModelError, UnknownNameError
from revolute.graph import Counts
from revolute.machine.function import Arrays, Function
from revolute.machine.machine import Counting
from revolute.machine.robot import Robot
from revolute.model.assemble import Joint, Link
from revolute.model.joints import Free, JointType, Prismatic, Revolute
from revolute.published import FORMULATIONS, Formulation, Geometry, Printed
from revolute.spatial import Inertia, Transform

__all__ = ["OURS", "Counted", "Counting", "applicable", "counted", "formulation", "general_arm", "printed_for"]

OURS = {
    "inverse_dynamics": "inverse_dynamics",
    "mass_matrix": "mass_matrix",
    "forward_dynamics": "forward_dynamics",
    "sensitivity": "inverse_dynamics_partials",
}
"""Names of the library functions that compute each quantity of a formulation."""

_ARRAYS = {
    "inverse_dynamics": "q qd qdd -> tau: nv",
    "mass_matrix": "q -> M: nv nv",
    "forward_dynamics": "q qd tau -> qdd: nv",
    "sensitivity": "q qd qdd -> D: nv nv; V: nv nv; P: nv nv",
}
"""Declarations of the arrays of each quantity, for `Arrays.of`."""

_KINDS: dict[type[JointType], str] = {Revolute: "revolute", Prismatic: "prismatic", Free: "free"}


@cache
def formulation(name: str) -> Function:
    """A published formulation with a robot's own parameters and frames, for `Robot.count` and `Robot.kernel`.

    Raises:
        UnknownNameError: there is no formulation with this name.

    Example:
        >>> from revolute.published.counting import formulation
        >>> print(revolute.robots.dh_arm(6).count(formulation("spong")))
        630 mul + 465 add, 0 div, 10 calls
    """
    if name not in FORMULATIONS:
        raise UnknownNameError(f"no published formulation '{name}'; {nearest(name, FORMULATIONS)}")
    published = FORMULATIONS[name]
    arrays = partial(Arrays.of, _ARRAYS[published.quantity])
    return Function(name, published.function, arrays, known_as=f"formulation {name}")


def function(name: str) -> str | Function:
    """The argument of `Robot.count` and `Robot.kernel` for a formulation, or for a method, by its name."""
    return formulation(name) if name in FORMULATIONS else name


@dataclass(frozen=True)
class Counted:
    """An algorithm and its operation count for one robot.

    Attributes:
        name: name of a function or a formulation.
        quantity: see `Formulation`; the function's own name where no formulation computes it.
        counts: operations of one evaluation.
        printed: the source's count for arms of this size and geometry, if it prints one.
    """

    name: str
    quantity: str
    counts: Counts
    printed: Printed | None = None

    @property
    def ours(self) -> bool:
        """Whether the algorithm is a function of this library."""
        return self.name not in FORMULATIONS


def counted(robot: Robot, algorithms: Sequence[str] = (), counting: Counting = "traced") -> list[Counted]:
    """Operations of algorithms; by default of all formulations that apply to the robot.

    Formulations are grouped by quantity, each group after the library's own function. `counting`: see `Robot.count`.
    """
    chosen = bool(algorithms)
    if not chosen:
        fitting = applicable(robot)
        quantities = [name for name in OURS if any(f.quantity == name for f in fitting)]
        algorithms = [
            name
            for quantity in quantities
            for name in (OURS[quantity], *(f.name for f in fitting if f.quantity == quantity))
        ]
    quantity_of = {ours: quantity for quantity, ours in OURS.items()}
    rows = []
    for name in algorithms:
        published = FORMULATIONS.get(name)
        quantity = published.quantity if published else quantity_of.get(name, name)
        printed = printed_for(robot, published.published) if published else None
        try:
            rows.append(Counted(name, quantity, robot.count(function(name), counting=counting), printed))
        except UnknownNameError as error:
            raise UnknownNameError(f"{error}; formulations {nearest(name, FORMULATIONS)}") from None
        except ModelError:  # the formulation does not support one of the robot's bodies
            if chosen:
                raise
    return rows


def applicable(robot: Robot) -> list[Formulation]:
    """The formulations that apply to the robot's joints and structure."""
    kinds = {_KINDS.get(type(body.joint), "other") for body in robot.bodies[1:]}
    serial = all(body.parent == i for i, body in enumerate(robot.bodies[1:]))
    return [f for f in FORMULATIONS.values() if kinds <= set(f.joints) and (serial or "free" in f.joints)]


def printed_for(robot: Robot, published: Sequence[Printed]) -> Printed | None:
    """The printed count for this number of revolute joints and these twist angles; None if there is none."""
    n = robot.n_joints
    if n < 2 or not all(body.joint.turning_axis() for body in robot.bodies[1:]):
        return None
    right_angles = all(abs(x) in (0, 1) for body in robot.bodies[2:] for row in body.placement.R.matrix() for x in row)
    for geometry in ("right", "general") if right_angles else ("general",):
        for printed in published:
            if printed.geometry == geometry and printed.only in (None, n):
                return printed
    return None


def general_arm(n: int, geometry: Geometry = "general") -> Robot:
    """An arm with n revolute joints and no zero parameters, as printed operation counts assume.

    The first axis is inclined to gravity, which is along the base's z axis. The twist of every
    link about x is a general angle, or 90 degrees if the geometry is "right".
    Offsets between joints have three components, inertias ten parameters.

    Raise `InputError` if n is below one, or the geometry is unknown.
    """
    if n < 1:
        raise InputError(f"an arm must have at least one joint, not {n}")
    if geometry not in ("general", "right"):
        raise InputError(f"a geometry must be 'general' or 'right', not {geometry!r}")
    rng = np.random.default_rng(n)
    links, joints = [Link("base")], []
    for k in range(1, n + 1):
        numbers = rng.uniform(0.2, 0.35, 10).tolist()
        twist = numbers[0] + 0.3 if k == 1 or geometry == "general" else math.pi / 2
        placement = Transform.from_rpy(numbers[:3], (twist, 0, 0))
        off = rng.uniform(0.01, 0.05, 3).tolist()
        tensor = ((numbers[6], off[0], off[1]), (off[0], numbers[7], off[2]), (off[1], off[2], numbers[8]))
        inertia = Inertia.from_com(1 + numbers[9], numbers[3:6], tensor)
        joints.append(Joint(f"joint{k}", links[-1].name, f"link{k}", Revolute(), placement))
        links.append(Link(f"link{k}", inertia))
    return Robot.from_links(f"{geometry}_arm{n}", links, joints, warn=False)
