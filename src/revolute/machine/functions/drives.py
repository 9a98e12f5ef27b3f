"""Dynamics of robots with their drives, for compilation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from revolute.arguments import instance, instances
from revolute.compiler.signature import Function, Shape, Signature, flat
from revolute.dynamics import driven
from revolute.dynamics.driven_regressor import drive_parameters, driven_regressor
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.sparse_factorization import elimination_count
from revolute.dynamics.steps import coordinate_rates, explicit_euler, runge_kutta_4, semi_implicit_euler
from revolute.graph import Input
from revolute.machine.functions.cost import cost
from revolute.model.model import Model
from revolute.model.reduce import reduced

__all__ = ["FUNCTIONS"]

Recursion = Callable[..., Any]


def _of_links(model: Model, drives: Drivetrain, p: Any) -> Any:
    return drives.positions(model, p)[: sum(body.joint.nq for body in model.bodies) - len(drives.rotors)]


def _link_rates(model: Model, drives: Drivetrain, pd: Any) -> Any:
    return drives.rates(pd)[: model.nv - len(drives.rotors)]


def _forward_dynamics(model: Model, drives: Drivetrain, *arrays: Any, **wrenches: Any) -> Any:
    """By articulated bodies or by the mass matrix, whichever takes fewer operations."""
    if not drives.uncoupled:
        return driven.driven_forward_dynamics(model, drives, *arrays, **wrenches)
    bodies = driven.driven_articulated_body(model, drives, *arrays, **wrenches)
    if elimination_count(model) > cost(bodies):
        return bodies
    return min(bodies, driven.driven_forward_dynamics(model, drives, *arrays, **wrenches), key=cost)


def _state_rate(model: Model, drives: Drivetrain, p: Any, pd: Any, tau: Any) -> Any:
    return coordinate_rates(drives.space, p, pd), _forward_dynamics(model, drives, p, pd, tau)


def _step(method: Recursion, model: Model, drives: Drivetrain, p: Any, pd: Any, tau: Any, h: Any) -> Any:
    def accelerations(p: Any, pd: Any) -> Any:
        return recursion(model, drives, p, pd, tau)

    recursion = driven.driven_articulated_body if drives.uncoupled else driven.driven_forward_dynamics
    return method(drives.space, accelerations, p, pd, h[0])


@dataclass(frozen=True)
class _Row:
    """A function of a robot with drives.

    Attributes:
        recursion: of tree, drives and arrays.
        inputs: names of its arrays.
        outputs: names and sizes of its results.
        inverts: it needs the inverse of the mass matrix.
        smooth: it needs friction without jumps.
        light: only joint forces matter for it, so the reduced tree will do.
    """

    recursion: Recursion
    inputs: str
    outputs: str
    inverts: bool = False
    smooth: bool = False
    light: bool = True


_STATE, _MOTION, _FORCED = "p pd", "p pd pdd", "p pd tau"
_ROWS = {
    "inverse_dynamics": _Row(driven.driven_inverse_dynamics, _MOTION, "tau v"),
    "forward_dynamics": _Row(_forward_dynamics, _FORCED, "pdd v", inverts=True, smooth=True),
    "mass_matrix": _Row(driven.driven_mass_matrix, "p", "M v v"),
    "mass_matrix_inverse": _Row(driven.driven_mass_matrix_inverse, "p", "inverse_M v v", inverts=True),
    "coriolis_matrix": _Row(driven.driven_coriolis_matrix, _STATE, "C v v"),
    "gravity_forces": _Row(driven.driven_gravity_forces, "p", "g v"),
    "spring_forces": _Row(driven.driven_spring_forces, "p", "springs v"),
    "friction_forces": _Row(driven.driven_friction_forces, "pd", "friction v"),
    "equations_of_motion": _Row(driven.driven_equations_of_motion, _STATE, "M v v, C v v, g v"),
    "inverse_dynamics_partials": _Row(
        driven.driven_inverse_dynamics_partials, _MOTION, "dtau_dp v v, dtau_dpd v v, M v v", smooth=True
    ),
    "forward_dynamics_partials": _Row(
        driven.driven_forward_dynamics_partials,
        _FORCED,
        "dpdd_dp v v, dpdd_dpd v v, inverse_M v v",
        inverts=True,
        smooth=True,
    ),
    "linearize": _Row(driven.driven_linearize, _FORCED, "A 2v 2v, B 2v v", inverts=True, smooth=True),
    "state_rate": _Row(_state_rate, _FORCED, "dp/dt p, pdd v", inverts=True, smooth=True),
    **{
        f"{method.__name__}_step": _Row(partial(_step, method), f"{_FORCED} h", "p p, pd v", inverts=True, smooth=True)
        for method in (explicit_euler, semi_implicit_euler, runge_kutta_4)
    },
    "positions": _Row(_of_links, "p", "q q", light=False),
    "velocities": _Row(_link_rates, "pd", "qd n", light=False),
    "kinetic_energy": _Row(driven.driven_kinetic_energy, _STATE, "T", light=False),
    "potential_energy": _Row(driven.driven_potential_energy, "p", "U", light=False),
    "regressor": _Row(driven_regressor, _MOTION, "Y v parameters", light=False),
}

_LOADED = {"inverse_dynamics": ("wrenches",), "forward_dynamics": ("wrenches",)}


def _make(name: str, row: _Row, model: Model, drives: Drivetrain, wrenches: tuple[str, ...] = ()) -> Signature:
    instance("kernel: drives", drives, Drivetrain)
    sizes = {
        "p": drives.space.nq,
        "v": drives.space.nv,
        "2v": 2 * drives.space.nv,
        "q": model.nq - len(drives.rotors),
        "n": model.nv - len(drives.rotors),
        "parameters": 10 * (model.n_joints - len(drives.rotors)) + len(drive_parameters(model, drives)),
    }
    results: list[tuple[str, Shape]] = []
    for entry in row.outputs.split(", "):
        label, *letters = entry.split()
        results.append((label, tuple(sizes[letter] for letter in letters)))
    arrays = {"p": ((sizes["p"],), "independent positions"), "h": ((), "seconds")}
    given = tuple(Input(x, *arrays.get(x, ((sizes["v"],), "independent coordinates"))) for x in row.inputs.split())
    loads = tuple(Input(f"wrench on '{link}'", (6,), "m, f") for link in wrenches)
    for link in instances("kernel: wrenches", wrenches, str):
        model.frame(link)

    def body(*arrays: Any) -> Any:
        state, applied = arrays[: len(given)], arrays[len(given) :]
        more = {"wrenches": dict(zip(wrenches, applied, strict=True))} if applied else {}
        found = row.recursion(reduced(model) if row.light else model, drives, *state, **more)
        if len(results) == 1:
            return _scalars(found, results[0][1])
        return [_scalars(x, shape) for x, (_, shape) in zip(found, results, strict=True)]

    return Signature(name, (*given, *loads), tuple(results), body)


def _scalars(found: Any, shape: Shape) -> Any:
    return [found] if shape == () else flat(found) if len(shape) == 2 else found


FUNCTIONS: dict[str, Function] = {
    f"driven_{name}": Function(
        partial(_make, name, row),
        frozenset({"drives", *_LOADED.get(name, ())}),
        row.inverts,
        row.smooth,
        internal=True,
        needed=frozenset({"drives"}),
    )
    for name, row in _ROWS.items()
}
"""Of a tree with its rotors, and of the `Drivetrain` that its joints follow."""
