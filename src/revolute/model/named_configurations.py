"""Configurations by joint name: named configurations of a robot, and conversion from and to dicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import by_names, common_batch, float_copy, instance
from revolute.errors import InputError, ShapeError, UnknownNameError
from revolute.model.body import Body, make_plain
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.model.model import AnyModel, Model

HOME = "home"


@dataclass(frozen=True)
class NamedConfiguration:
    """Named positions of some joints. Joints that the robot lacks are ignored.

    Attributes:
        name: name of the configuration, such as "home" or "ready".
        joints: names of the joints.
        positions: the coordinates of each joint [rad, m].
    """

    name: str
    joints: tuple[str, ...]
    positions: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        make_plain(self, self.__dict__)


def configuration(model: Model, given: str | Mapping[str, ArrayLike], others: ArrayLike | None) -> NDArray[Any]:
    """See `Robot.configuration`."""
    if isinstance(given, str):
        given = _named(model, given)
    if not isinstance(given, Mapping):
        raise InputError(f"configuration: give a name, or a dict {{joint: position}}, not {given!r}")
    if others is None:
        rest = np.array([x for body in model.bodies for x in body.joint.neutral()], dtype=float)
    else:
        rest = float_copy("configuration: others", by_names("configuration: others", others, model.position_names))
        if rest.shape[-1:] != (model.nq,):
            owner = f"robot '{model.name}' needs (..., {model.nq})"
            raise ShapeError(f"configuration: others has shape {rest.shape}, but {owner}")
    columns: dict[int, NDArray[Any]] = {}
    for name, value in given.items():
        for k, column in _columns(model, name, value):
            if k in columns:
                raise InputError(f"configuration: '{name}' is given twice: as a joint, and as one of its coordinates")
            columns[k] = column
    names, shapes = [f"'{model.position_names[k]}'" for k in columns], [column.shape for column in columns.values()]
    batch = common_batch("configuration: positions", [*names, "others"], [*shapes, rest.shape[:-1]])
    q = np.broadcast_to(rest, (*batch, model.nq)).copy()
    for k, column in columns.items():
        q[..., k] = column
    return q


def _columns(model: Model, name: Any, value: Any) -> list[tuple[int, NDArray[Any]]]:
    """The indices in q and the values for the name of a joint or of one coordinate."""
    numbers = float_copy(f"configuration: '{name}'", value)
    if name in model.position_names:
        return [(model.position_names.index(name), numbers)]
    at = model.q_index[model.joint_index(name)]
    size = at.stop - at.start
    if numbers.shape[-1:] != (size,):
        listed = ", ".join(model.position_names[at])
        raise ShapeError(f"configuration: joint '{name}' has {size} positions ({listed}), not shape {numbers.shape}")
    return [(at.start + k, numbers[..., k]) for k in range(size)]


def _named(model: Model, name: str) -> dict[str, Any]:
    """Positions of a named configuration by joint, restricted to joints of the robot."""
    for named in model.configurations:
        if named.name == name:
            pairs = zip(named.joints, named.positions, strict=True)
            return {x: q[0] if len(q) == 1 else q for x, q in pairs if x in model.joint_names}
    listed = ", ".join(f"'{named.name}'" for named in model.configurations) or "none"
    raise UnknownNameError(
        f"robot '{model.name}' has no configuration '{name}'; available: {listed}; with_configurations adds some"
    )


def home(model: Model) -> NDArray[Any]:
    """See `Robot.home`."""
    if any(named.name == HOME for named in model.configurations):
        return configuration(model, HOME, None)
    q = configuration(model, {}, None)
    for body, at in zip(model.bodies, model.q_index, strict=True):
        if body.joint.nq == 1:
            q[at] = _within(body, float(q[at.start]))
    return q


def _within(body: Body, x: float) -> float:
    """The position of a joint with one coordinate, clipped to its limits."""
    lower, upper = (*body.limits.lower, -math.inf)[0], (*body.limits.upper, math.inf)[0]
    return min(max(x, lower), upper) if lower <= upper else x


def joint_values(model: Model, q: ArrayLike) -> dict[str, Any]:
    """See `Robot.joint_values`."""
    array = float_copy("joint_values: q", by_names("joint_values: q", q, model.position_names, "q."))
    if array.shape[-1:] != (model.nq,):
        needed = f"robot '{model.name}' needs (..., {model.nq})"
        raise ShapeError(f"joint_values: q has shape {array.shape}, but {needed}")
    single = array.ndim == 1
    values: dict[str, Any] = {}
    for body, at in zip(model.bodies[1:], model.q_index[1:], strict=True):
        part = array[..., at.start] if body.joint.nq == 1 else array[..., at]
        values[body.joint_name] = float(part) if single and body.joint.nq == 1 else part
    return values


def with_configurations(model: AnyModel, given: Mapping[str, Any], where: str = "with_configurations") -> AnyModel:
    """The model with more named configurations: {name: {joint: position} or (nq,)}. Messages begin with `where`."""
    configurations = {named.name: named for named in model.configurations}
    for name, values in given.items():
        place = f"{where}: '{instance(f'{where}: the name of a configuration', name, str)}'"
        try:
            named = values if isinstance(values, Mapping) else joint_values(model, values)
            q = configuration(model, named, None)
        except UnknownNameError as error:
            raise UnknownNameError(f"{place}: {error}") from None
        except InputError as error:
            raise type(error)(f"{place}: {error}") from None
        if q.ndim != 1 or not np.isfinite(q).all():
            raise InputError(f"{place}: each joint with one coordinate needs one finite number")
        joints = [body for body in model.bodies[1:] if _is_given(model, body, named)]
        places = [model.q_index[model.joint_index(body.joint_name)] for body in joints]
        configurations[name] = NamedConfiguration(
            name, tuple(body.joint_name for body in joints), tuple(tuple(q[at].tolist()) for at in places)
        )
    return replace(model, configurations=tuple(configurations.values()))


def _is_given(model: Model, body: Body, values: Mapping[str, Any]) -> bool:
    """Whether a dict contains the joint of a body, or one of its coordinates."""
    at = model.q_index[model.joint_index(body.joint_name)]
    return body.joint_name in values or any(x in values for x in model.position_names[at])


def check_configurations(robot: str, bodies: Sequence[Body], configurations: Any) -> None:
    """Raise `InputError` unless the named configurations fit the robot."""
    if not isinstance(configurations, tuple) or not all(isinstance(x, NamedConfiguration) for x in configurations):
        wanted = "configurations must be a tuple of NamedConfiguration"
        raise InputError(f"robot '{robot}': {wanted}, not {configurations!r}")
    sizes = {body.joint_name: body.joint.nq for body in bodies[1:]}
    names: set[str] = set()
    for named in configurations:
        where = f"robot '{robot}': configuration '{instance('the name of a configuration', named.name, str)}'"
        if named.name in names:
            raise InputError(f"{where} is a duplicate")
        names.add(named.name)
        if not isinstance(named.joints, tuple) or not isinstance(named.positions, tuple):
            raise InputError(f"{where}: joints and positions must be tuples")
        if len(named.joints) != len(named.positions) or len({*named.joints}) < len(named.joints):
            raise InputError(f"{where}: it needs one position for each joint, without duplicate joints")
        for joint, position in zip(named.joints, named.positions, strict=True):
            numbers = isinstance(position, tuple) and all(isinstance(x, (int, float)) for x in position)
            if not numbers or not all(map(math.isfinite, position)):
                raise InputError(f"{where}: the position of joint '{joint}' must be finite numbers, not {position!r}")
            if len(position) != sizes.get(joint, len(position)):
                raise InputError(f"{where}: joint '{joint}' has {sizes[joint]} positions, not {len(position)}")
