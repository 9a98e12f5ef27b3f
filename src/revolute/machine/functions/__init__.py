"""What can be compiled: each function's arrays, and its recursion over scalars."""

from __future__ import annotations

from typing import Any

from revolute.arguments import instance
from revolute.compiler.signature import Function, Signature
from revolute.dynamics.invertible import require_invertible
from revolute.errors import InputError, UnknownNameError
from revolute.machine.functions import (
    closures,
    drives,
    elastic,
    inverse_dynamics,
    linear_models,
    simulation,
    task_space,
)
from revolute.machine.functions.parametric import parametric
from revolute.model.model import Model

__all__ = ["FUNCTIONS", "Signature", "signature"]

FUNCTIONS: dict[str, Function] = {
    **inverse_dynamics.FUNCTIONS,
    **linear_models.FUNCTIONS,
    **task_space.FUNCTIONS,
    **simulation.FUNCTIONS,
    **closures.FUNCTIONS,
    **drives.FUNCTIONS,
    **elastic.FUNCTIONS,
}


def signature(model: Model, name: str, options: dict[str, Any]) -> Signature:
    """The function or published formulation of that name for a robot.

    Raises:
        UnknownNameError: no such function.
        InputError: an option that the function does not have.
        ModelError: the function needs the inverse of a mass matrix that has none in any state.
    """
    function = FUNCTIONS.get(instance("a function's name", name, str))
    unknown = sorted(options.keys() - (function.options if function else ()))
    if function is None:
        from revolute.machine.functions.formulations import formulation_signature
        from revolute.published import FORMULATIONS

        if name not in FORMULATIONS:
            listed = f"{', '.join(FUNCTIONS)}; and the formulations {', '.join(FORMULATIONS)}"
            raise UnknownNameError(f"no function '{name}'; there are: {listed}")
    if unknown:
        known = ", ".join(sorted(function.options)) if function and function.options else "none"
        raise InputError(f"{name} has no option '{unknown[0]}'; it has: {known}")
    if function is None:
        return formulation_signature(model, name)
    if missing := sorted(function.needed - options.keys()):
        raise InputError(f"{name}: it needs the option '{missing[0]}'")
    if function.inverts and not options.keys() & {"parameters", "drives"}:  # drives have inertias of their own
        require_invertible(model)
    if "parameters" in options:
        return parametric(function.make, model, **options)
    return function.make(model, **options)
