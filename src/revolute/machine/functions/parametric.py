"""Functions whose inertial parameters are an input: one kernel for robots that differ in mass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from revolute.compiler.signature import Signature
from revolute.dynamics.driven_regressor import drive_parameters
from revolute.dynamics.drivetrain import Drivetrain
from revolute.errors import InputError
from revolute.graph import Input
from revolute.machine.function import Function, MachineData
from revolute.model import Model, aligned
from revolute.model.parameters import from_vector, regrouped, to_vector
from revolute.spatial import Scalar, Scalars, Tree

_INPUTS = {"inertial": "inertial_parameters", "regrouped": "regrouped_parameters"}
"""Names of the input for the inertias, by the option `parameters`."""


def parametric(function: Function, subject: MachineData, parameters: str, **options: Any) -> Signature:
    """A function with inertial parameters (n, 10), or with drives all `parameters`, links first, as its last input.

    `parameters` is "inertial", or "regrouped" within a simulation.
    """
    model, *drives = subject.arguments
    if drives and drives[0].rotors:
        raise InputError(f"{function.name}: parameters as an input are not supported with rotors as bodies")
    if parameters not in _INPUTS:
        raise InputError(f"parameters must be 'inertial', not {parameters!r}")
    signature, links = function.signature(subject, options), 10 * model.n_joints
    shape = (subject.sizes["parameters"],) if drives else (model.n_joints, 10)
    parameter_input = Input(_INPUTS[parameters], shape, "parameters" if drives else "moving bodies, 10")
    felt = frozenset(range(links))
    if parameters == "regrouped":
        model, felt = aligned(model), _felt(model)

    def body(*arrays: Scalars) -> Tree:
        pi = [x if k in felt or k >= links else 0 for k, x in enumerate(arrays[-1])]
        moved = _with_parameters(model, pi[:links])
        for data in drives:
            moved = _with_drive_parameters(moved, data, pi[links:])
        return function.signature(replace(subject, arguments=(moved, *drives)), options).body(*arrays[:-1])

    return replace(signature, inputs=(*signature.inputs, parameter_input), body=body)


def driven_regrouped_parameters(tree: Model, drives: Drivetrain, pi: Scalars) -> list[Scalar]:
    """`regrouped_parameters` for the links; drive parameters are unchanged."""
    links = 10 * tree.n_joints
    return [*regrouped_parameters(tree, pi[:links]), *pi[links:]]


def regrouped_parameters(model: Model, pi: Scalars) -> list[Scalar]:
    """The 10 n inertial parameters pi, regrouped as in `reduced`: more of them are zero."""
    bodies = regrouped(_with_parameters(aligned(without_inertias(model)), _turned(model, pi)).bodies)
    return [x for body in bodies[1:] for x in to_vector(body.inertia)]


def _turned(model: Model, pi: Scalars) -> list[Scalar]:
    """The inertias expressed in the frames of the aligned robot."""
    return [x for body in aligned(_with_parameters(model, pi)).bodies[1:] for x in to_vector(body.inertia)]


def _felt(model: Model) -> frozenset[int]:
    """Indices of the regrouped parameters that can be nonzero for robots of this geometry."""
    rng = np.random.default_rng(0)
    draws = [regrouped_parameters(model, rng.uniform(1, 2, 10 * model.n_joints).tolist()) for _ in range(2)]
    return frozenset(k for x in draws for k, value in enumerate(x) if value != 0)


def without_inertias(model: Model) -> Model:
    """The model with zero inertias, for kernels with the inertias as an input."""
    return _with_parameters(model, [0] * (10 * model.n_joints))


def _with_parameters(model: Model, pi: Scalars) -> Model:
    """The model with the 10 n inertial parameters pi."""
    base, *moving = model.bodies
    bodies = (replace(body, inertia=from_vector(pi[10 * k : 10 * k + 10])) for k, body in enumerate(moving))
    return replace(model, bodies=(base, *bodies))


def _with_drive_parameters(tree: Model, drives: Drivetrain, values: Scalars) -> Model:
    """The tree with values for its `drive_parameters`; values of armatures include the rotors' inertias."""
    places = {k: (i, k - at.start) for i, at in enumerate(tree.v_index) for k in range(at.start, at.stop)}
    columns: dict[tuple[int, str], list[Scalar]] = {}
    for (kind, k, _), value in zip(drive_parameters(tree, drives), values, strict=True):
        i, axis = places[k]
        columns.setdefault((i, kind), [0] * tree.bodies[i].joint.nv)[axis] = value
    bodies = list(tree.bodies)
    for (i, kind), column in columns.items():
        changes: dict[str, Any] = {kind: tuple(column), **({"rotor_inertia": ()} if kind == "armature" else {})}
        bodies[i] = replace(bodies[i], drive=replace(bodies[i].drive, **changes))
    return replace(tree, bodies=tuple(bodies))
