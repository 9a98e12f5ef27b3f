"""A robot with other inertial parameters, given as a vector or by name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from revolute.arguments import by_names, float_copy, nearest, number
from revolute.errors import InputError, ShapeError, UnknownNameError, warn_caller
from revolute.model.model import AnyModel, Model
from revolute.model.parameters import NAMES, from_vector, implausibility, to_vector
from revolute.spatial.scalar import Scalar

CHOICES = ("warn", "refuse", "accept")  # options for inertias that are not physically consistent


def with_inertial_parameters(
    model: AnyModel, parameters: Any, implausible: str = "warn", what: str = "with_inertial_parameters"
) -> AnyModel:
    """See `Robot.with_inertial_parameters`. Messages begin with `what`."""
    if not isinstance(implausible, str) or implausible not in CHOICES:
        raise InputError(f"{what}: implausible must be one of {', '.join(CHOICES)}, not {implausible!r}")
    own = [x for body in model.bodies[1:] for x in to_vector(body.inertia)]
    values = by_name_or_vector(what, model, symbols_of_parameters(model), own, parameters)
    bodies = list(model.bodies)
    for k, body in enumerate(bodies[1:]):
        row = tuple(values[10 * k : 10 * k + 10])
        if row != tuple(own[10 * k : 10 * k + 10]):
            if not hasattr(row[0], "free_symbols") and row[0] < 0:
                raise InputError(f"{what}: {body.name}.m would be {row[0]:g} kg; a mass must not be negative")
            bodies[k + 1] = replace(body, inertia=from_vector(row))
    changed = replace(model, bodies=tuple(bodies))
    if implausible != "accept":
        _warn_or_refuse(changed, what, refuse=implausible == "refuse")
    return changed


def symbols_of_parameters(model: Model) -> tuple[str, ...]:
    """Names of the 10 n parameters, without descriptions: "link1.m"."""
    return tuple(f"{body.name}.{name}" for body in model.bodies[1:] for name in NAMES)


def by_name_or_vector(what: str, model: Model, names: Sequence[str], own: Sequence[Scalar], given: Any) -> list[Scalar]:
    """The values of all parameters, in the order of `names`: those in `given`, and otherwise those in `own`.

    `given` is {name: value}, a vector in that order, a labelled vector, or (n, 10) rows. Messages begin with `what`.
"""
    if isinstance(given, Mapping):
        values = dict(zip(names, own, strict=True))
        for name, value in given.items():
            if name not in values:
                raise UnknownNameError(f"{what}: {_unknown(model, names, name)}")
            values[name] = _value(f"{what}: {name}", value)
        return list(values.values())
    array = float_copy(f"{what}: parameters", by_names(f"{what}: parameters", given, names))
    links = 10 * model.n_joints
    shapes = [(len(names),), *([(model.n_joints, 10)] if len(names) == links else [])]
    if array.shape not in shapes:
        raise ShapeError(_wrong_shape(what, model, array.shape, shapes))
    column = array.ravel()
    if not np.isfinite(column).all():
        raise InputError(f"{what}: {names[int(np.argmin(np.isfinite(column)))]} is not finite")
    return [float(x) for x in column]


def _value(what: str, value: Any) -> Scalar:
    if getattr(value, "free_symbols", None):
        return value
    exact = getattr(value, "is_number", False) and value.is_real
    plain = number(what, float(value) if exact else value)
    if not np.isfinite(plain):
        raise InputError(f"{what} must be a finite number, not {value!r}")
    return plain


def _wrong_shape(what: str, model: Model, shape: tuple[int, ...], shapes: Sequence[tuple[int, ...]]) -> str:
    n, needed = model.n_joints, " or ".join(map(str, shapes))
    hint = ""
    if shape in ((n + 1, 10), (10 * n + 10,)):
        hint = "; omit the base: only moving bodies have parameters"
    elif what == "with_inertial_parameters" and len(shape) == 1 and shape[0] > 10 * n:
        hint = "; to include drive parameters use robot.with_drives().with_parameters(...)"
    elif shape == (n, 10):
        hint = "; to set only those of links use with_inertial_parameters(...)"
    return f"{what}: parameters have shape {shape}, but '{model.name}' needs {needed}{hint}"


def _unknown(model: Model, names: Sequence[str], name: Any) -> str:
    link, _, kind = str(name).rpartition(".")
    if kind in NAMES and link in model.link_names:
        carrier = model.bodies[model.frame(link).body].name
        place = f"'{link}' is fixed to '{carrier}'"
        moving = f"{carrier}.{kind}" in names
        return f"{place}, whose parameters include it: {carrier}.{kind}" if moving else f"{place}, which does not move"
    if kind == "offset":
        return f"'{name}' is an offset, which robots do not have; omit it"
    return f"'{model.name}' has no parameter '{name}'; {nearest(name, names)}"


def _warn_or_refuse(model: Model, what: str, refuse: bool) -> None:
    """Warn about physically inconsistent inertias, or reject them."""
    reasons = ((body.name, implausibility(body.inertia)) for body in model.bodies[1:])
    if not (found := [f"link '{name}': {reason}" for name, reason in reasons if reason]):
        return
    listed = "; ".join(found[:4]) + (f"; and {len(found) - 4} more" if len(found) > 4 else "")
    text = f"{what}: robot '{model.name}': these inertias are not physically consistent: {listed}"
    if refuse:
        raise InputError(text)
    warn_caller(f"{text}. They are used as given")
