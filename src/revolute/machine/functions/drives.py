"""Dynamics of robots with their drives, for compilation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

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


_STATE, _MOTION, _FORCED = "p pd", "p pd pdd", "p pd tau"
_JOINT_FORCES: dict[str, tuple[Recursion, str, str]] = {
    "inverse_dynamics": (driven.driven_inverse_dynamics, _MOTION, "tau v"),
    "forward_dynamics": (_forward_dynamics, _FORCED, "pdd v"),
    "mass_matrix": (driven.driven_mass_matrix, "p", "M v v"),
    "mass_matrix_inverse": (driven.driven_mass_matrix_inverse, "p", "inverse_M v v"),
    "coriolis_matrix": (driven.driven_coriolis_matrix, _STATE, "C v v"),
    "gravity_forces": (driven.driven_gravity_forces, "p", "g v"),
    "spring_forces": (driven.driven_spring_forces, "p", "springs v"),
    "friction_forces": (driven.driven_friction_forces, "pd", "friction v"),
    "equations_of_motion": (driven.driven_equations_of_motion, _STATE, "M v v, C v v, g v"),
    "inverse_dynamics_partials": (
        driven.driven_inverse_dynamics_partials, _MOTION, "dtau_dp v v, dtau_dpd v v, M v v"
    ),
    "forward_dynamics_partials": (
        driven.driven_forward_dynamics_partials, _FORCED, "dpdd_dp v v, dpdd_dpd v v, inverse_M v v"
    ),
    "linearize": (driven.driven_linearize, _FORCED, "A 2v 2v, B 2v v"),
    "state_rate": (_state_rate, _FORCED, "dp/dt p, pdd v"),
    **{
        f"{method.__name__}_step": (partial(_step, method), f"{_FORCED} h", "p p, pd v")
        for method in (explicit_euler, semi_implicit_euler, runge_kutta_4)
    },
}  # fmt: skip
"""What only joint forces matter for, and so the reduced robot will do: recursion, inputs, outputs."""

_OTHERS: dict[str, tuple[Recursion, str, str]] = {
    "positions": (_of_links, "p", "q q"),
    "velocities": (_link_rates, "pd", "qd n"),
    "kinetic_energy": (driven.driven_kinetic_energy, _STATE, "T"),
    "potential_energy": (driven.driven_potential_energy, "p", "U"),
    "regressor": (driven_regressor, _MOTION, "Y v parameters"),
}


_LOADED = {"inverse_dynamics": ("wrenches",), "forward_dynamics": ("wrenches",)}


def _make(
    name: str, light: bool, model: Model, drives: Drivetrain, wrenches: tuple[str, ...] = ()
) -> Signature:
    recursion, inputs, outputs = (_JOINT_FORCES if light else _OTHERS)[name]
    sizes = {
        "p": drives.space.nq,
        "v": drives.space.nv,
        "2v": 2 * drives.space.nv,
        "q": model.nq - len(drives.rotors),
        "n": model.nv - len(drives.rotors),
        "parameters": 10 * (model.n_joints - len(drives.rotors)) + len(drive_parameters(model, drives)),
    }
    results: list[tuple[str, Shape]] = []
    for entry in outputs.split(", "):
        label, *letters = entry.split()
        results.append((label, tuple(sizes[letter] for letter in letters)))
    arrays = {"p": ((sizes["p"],), "independent positions"), "h": ((), "seconds")}
    given = tuple(Input(x, *arrays.get(x, ((sizes["v"],), "independent coordinates"))) for x in inputs.split())
    loads = tuple(Input(f"wrench on '{link}'", (6,), "m, f") for link in wrenches)
    for link in wrenches:
        model.frame(link)

    def body(*arrays: Any) -> Any:
        state, applied = arrays[: len(given)], arrays[len(given) :]
        more = {"wrenches": dict(zip(wrenches, applied, strict=True))} if applied else {}
        found = recursion(reduced(model) if light else model, drives, *state, **more)
        if len(results) == 1:
            return _scalars(found, results[0][1])
        return [_scalars(x, shape) for x, (_, shape) in zip(found, results, strict=True)]

    return Signature(name, (*given, *loads), tuple(results), body)


def _scalars(found: Any, shape: Shape) -> Any:
    return [found] if shape == () else flat(found) if len(shape) == 2 else found


FUNCTIONS: dict[str, Function] = {
    f"driven_{name}": Function(partial(_make, name, light), frozenset({"drives", *_LOADED.get(name, ())}))
    for light, table in ((True, _JOINT_FORCES), (False, _OTHERS))
    for name in table
}
"""Of a tree with its rotors, and of the `Drivetrain` that its joints follow."""
