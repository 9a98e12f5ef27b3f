"""Functions whose inertial parameters are an input: one kernel for robots that differ in mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from revolute.compiler.signature import Signature
from revolute.errors import InputError
from revolute.graph import Input
from revolute.machine.function import Function, Subject
from revolute.model.model import Model
from revolute.model.parameters import from_vector
from revolute.spatial.scalar import Scalar

__all__ = ["parametric", "without_inertias"]


def parametric(function: Function, subject: Subject, parameters: str, **options: Any) -> Signature:
    """A robot's function with (n, 10) inertial parameters as its last input.

    Raises:
        InputError: parameters other than "inertial".
    """
    if parameters != "inertial":
        raise InputError(f"parameters can be 'inertial', not {parameters!r}")
    (model,) = subject.arguments
    signature = function.signature(subject, options)
    parameter_input = Input("inertial_parameters", (model.n_joints, 10), "moving bodies, 10")

    def body(*arrays: Any) -> Any:
        with_inertias = replace(subject, arguments=(_with_parameters(model, arrays[-1]),))
        return function.signature(with_inertias, options).body(*arrays[:-1])

    return replace(signature, inputs=(*signature.inputs, parameter_input), body=body)


def without_inertias(model: Model) -> Model:
    """The model with zero inertias, for kernels that take the inertias as an input."""
    return _with_parameters(model, [0] * (10 * model.n_joints))


def _with_parameters(model: Model, pi: Sequence[Scalar]) -> Model:
    """The model with the 10 n inertial parameters pi."""
    base, *moving = model.bodies
    bodies = (replace(body, inertia=from_vector(pi[10 * k : 10 * k + 10])) for k, body in enumerate(moving))
    return replace(model, bodies=(base, *bodies))
