"""The published formulations, for compilation and counting like any function."""

from __future__ import annotations

from typing import Any

from revolute.compiler.signature import Signature, position, rate
from revolute.errors import UnknownNameError
from revolute.model.model import Model
from revolute.published import FORMULATIONS, Formulation

__all__ = ["formulation_signature"]


def formulation_signature(model: Model, name: str) -> Signature:
    """The formulation of that name for a robot, with its true parameters.

    Raises:
        UnknownNameError: no such formulation.
        ModelError: once it is traced, for a robot that the formulation is not made for.
    """
    if name not in FORMULATIONS:
        raise UnknownNameError(f"no formulation '{name}'; there are: {', '.join(FORMULATIONS)}")
    formulation = FORMULATIONS[name]
    column, square = (model.nv,), (model.nv, model.nv)
    q, qd, qdd, tau = position(model), rate(model, "qd"), rate(model, "qdd"), rate(model, "tau")
    inputs, outputs = {
        "inverse_dynamics": ((q, qd, qdd), (("tau", column),)),
        "mass_matrix": ((q,), (("M", square),)),
        "forward_dynamics": ((q, qd, tau), (("qdd", column),)),
        "sensitivity": ((q, qd, qdd), (("D", square), ("V", square), ("P", square))),
    }[formulation.quantity]

    def body(*arrays: Any) -> Any:
        return _flat(formulation, formulation.function(model, *arrays))

    return Signature(name, inputs, outputs, body)


def _flat(formulation: Formulation, results: Any) -> Any:
    """Scalars in C order for every output, as a `Signature` wants them."""
    if formulation.quantity == "mass_matrix":
        return [x for row in results for x in row]
    if formulation.quantity == "sensitivity":
        return [[x for row in matrix for x in row] for matrix in results]
    return results
