"""Mass, Coriolis and gravity terms in joint space, and their rates, for compilation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from revolute.compiler.signature import Function, Signature, flat, position, rate
from revolute.dynamics.christoffel_symbols import christoffel_symbols
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.machine.functions.tangents import along_motion
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.spatial.vectors import ZERO

__all__ = ["FUNCTIONS"]


def _with_transpose(C: Any) -> list[Any]:
    """C + C^T, the rate of the mass matrix."""
    return [C[i][j] + C[j][i] for i in range(len(C)) for j in range(len(C))]


def _mass_matrix(model: Model) -> Signature:
    return Signature(
        "mass_matrix",
        (position(model),),
        (("M", (model.nv, model.nv)),),
        lambda q: flat(mass_matrix(reduced(model), q)),
    )


def _coriolis_matrix(model: Model) -> Signature:
    return Signature(
        "coriolis_matrix",
        (position(model), rate(model, "qd")),
        (("C", (model.nv, model.nv)),),
        lambda q, qd: flat(equations_of_motion(reduced(model), q, qd)[1]),
    )


def _coriolis_forces(model: Model) -> Signature:
    still = (0,) * model.nv
    return Signature(
        "coriolis_forces",
        (position(model), rate(model, "qd")),
        (("C qd", (model.nv,)),),
        lambda q, qd: newton_euler(replace(reduced(model), gravity=ZERO), q, qd, still),
    )


def _christoffel_symbols(model: Model) -> Signature:
    return Signature(
        "christoffel_symbols",
        (position(model),),
        (("Gamma", (model.nv, model.nv, model.nv)),),
        lambda q: flat(flat(christoffel_symbols(reduced(model), q))),
    )


def _equations_of_motion(model: Model, mass_matrix_rate: bool = False) -> Signature:
    square = (model.nv, model.nv)

    def body(q: Any, qd: Any) -> Any:
        M, C, g = equations_of_motion(reduced(model), q, qd)
        return (flat(M), flat(C), g, _with_transpose(C))[: 4 if mass_matrix_rate else 3]

    outputs = (("M", square), ("C", square), ("g", (model.nv,)), ("Md", square))
    inputs = (position(model), rate(model, "qd"))
    return Signature("equations_of_motion", inputs, outputs[: 4 if mass_matrix_rate else 3], body)


def _mass_matrix_rate(model: Model) -> Signature:
    return Signature(
        "mass_matrix_rate",
        (position(model), rate(model, "qd")),
        (("Md", (model.nv, model.nv)),),
        lambda q, qd: _with_transpose(equations_of_motion(reduced(model), q, qd)[1]),
    )


def _coriolis_matrix_rate(model: Model) -> Signature:
    def body(q: Any, qd: Any, qdd: Any) -> Any:
        _, C, _ = equations_of_motion(reduced(model), q, qd)
        return along_motion(model, flat(C), q, qd, qdd)

    inputs = (position(model), rate(model, "qd"), rate(model, "qdd"))
    return Signature("coriolis_matrix_rate", inputs, (("Cd", (model.nv, model.nv)),), body)


def _gravity_forces_rate(model: Model) -> Signature:
    still = (0,) * model.nv

    def body(q: Any, qd: Any) -> Any:
        return along_motion(model, newton_euler(reduced(model), q, still, still), q, qd)

    return Signature("gravity_forces_rate", (position(model), rate(model, "qd")), (("gd", (model.nv,)),), body)


def _equations_of_motion_rates(model: Model) -> Signature:
    square, column = (model.nv, model.nv), (model.nv,)

    def body(q: Any, qd: Any, qdd: Any) -> Any:
        M, C, g = equations_of_motion(reduced(model), q, qd)
        rates = along_motion(model, [*flat(C), *g], q, qd, qdd)
        split = model.nv**2
        return flat(M), flat(C), g, _with_transpose(C), rates[:split], rates[split:]

    return Signature(
        "equations_of_motion_rates",
        (position(model), rate(model, "qd"), rate(model, "qdd")),
        (("M", square), ("C", square), ("g", column), ("Md", square), ("Cd", square), ("gd", column)),
        body,
    )


_PARAMETERS = frozenset({"parameters"})

FUNCTIONS: dict[str, Function] = {
    "mass_matrix": Function(_mass_matrix, _PARAMETERS),
    "coriolis_matrix": Function(_coriolis_matrix, _PARAMETERS),
    "coriolis_forces": Function(_coriolis_forces, _PARAMETERS),
    "christoffel_symbols": Function(_christoffel_symbols, _PARAMETERS),
    "equations_of_motion": Function(_equations_of_motion, frozenset({"parameters", "mass_matrix_rate"})),
    "equations_of_motion_rates": Function(_equations_of_motion_rates, _PARAMETERS),
    "mass_matrix_rate": Function(_mass_matrix_rate, _PARAMETERS),
    "coriolis_matrix_rate": Function(_coriolis_matrix_rate, _PARAMETERS),
    "gravity_forces_rate": Function(_gravity_forces_rate, _PARAMETERS),
}
