"""Exact conversion of a robot to plain data (dicts, lists, strings, numbers) or TOML, and back.

Each field of a robot's frozen classes is written under its own name, unless it has its default
value, and is decoded by its type. So new fields need no code here.
"""

import inspect
import json
import tomllib
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from revolute.dynamics import closures
from revolute.dynamics.closures import At, Closure
from revolute.errors import InputError, ModelError
from revolute.io.plain import of_file
from revolute.io.source import Source
from revolute.model import Body, Frame, Model, exact_text, joints
from revolute.model.contact import Contact, Distance, Plane, check_contacts
from revolute.model.joints import JointType
from revolute.model.named_configurations import NamedConfiguration
from revolute.spatial import Matrix, Rotation, Transform, Vector
from revolute.spatial.rigid import rotation_fault

__all__ = ["FORMAT", "from_dict", "read_toml", "to_dict", "toml_text"]

FORMAT = "revolute robot 1"
"""Name and version of the file format. The version increases when older readers would misread a newer file."""


def _kinds(module: types.ModuleType, base: type) -> dict[str, Any]:
    public = (getattr(module, name) for name in module.__all__)
    return {
        kind.__name__.lower(): kind
        for kind in public
        if inspect.isclass(kind) and issubclass(kind, base) and not inspect.isabstract(kind)
    }


KINDS: dict[Any, dict[str, Any]] = {JointType: _kinds(joints, JointType), Closure: _kinds(closures, Closure)}
"""Types of joints and of closures by their name in files."""

Surface = Plane | Contact | Distance
LARGEST = 2**1023  # maximum absolute value of integers; larger ones cannot be converted to float


def to_dict(model: Model) -> dict[str, Any]:
    """See `Robot.to_dict`."""
    data = {
        "format": FORMAT,
        "name": model.name,
        "gravity": _encode(model.gravity, "gravity"),
        "bodies": [_encode(body, f"link '{body.name}'") for body in model.bodies],
        "frames": [_encode(frame, f"link '{frame.name}'") for frame in model.frames],
    }
    if model.closures:
        data["closures"] = [_encode(closure, f"closure number {k}") for k, closure in enumerate(model.closures, 1)]
    if model.configurations:
        data["configurations"] = [_encode(x, f"configuration '{x.name}'") for x in model.configurations]
    return data


def from_dict(data: Mapping[str, Any], where: str = "the robot's data") -> Model:
    """See `Robot.from_dict`. Messages begin with `where`."""
    if not isinstance(data, Mapping):
        raise InputError(f"a robot is created from a dict as returned by Robot.to_dict, not from {type(data).__name__}")
    if data.get("format") != FORMAT:
        raise ModelError(
            f"{where}: format is {data.get('format')!r}, but this version of Revolute reads {FORMAT!r}; "
            "give data from Robot.to_dict or revolute.save"
        )
    required = {"format", "name", "gravity", "bodies", "frames"}
    if wrong := sorted((set(map(str, data)) - {"closures", "configurations", "contacts"}) ^ required):
        raise ModelError(f"{where}: '{wrong[0]}' is {'missing' if wrong[0] in required else 'unknown'}")
    model = Model(
        _decode(str, data["name"], f"{where}: name"),
        _decode(tuple[Body, ...], data["bodies"], f"{where}: bodies"),
        _decode(tuple[Frame, ...], data["frames"], f"{where}: frames"),
        _decode(Vector, data["gravity"], f"{where}: gravity"),
        _decode(tuple[Closure, ...], data.get("closures", []), f"{where}: closures"),
        _decode(tuple[NamedConfiguration, ...], data.get("configurations", []), f"{where}: configurations"),
    )
    for body in model.bodies:
        _check_axes(f"{where}: joint '{body.joint_name}': its placement", body.placement.R)
    for frame in model.frames:
        _check_axes(f"{where}: link '{frame.name}': its placement", frame.placement.R)
    return model


def _encode(x: Any, where: str) -> Any:
    if isinstance(x, (str, bool)):
        return x
    if isinstance(x, (int, np.integer)):
        return int(x)
    if isinstance(x, (float, np.floating)):
        return float(x)
    if isinstance(x, Rotation):
        return _encode(x.factors[0] if len(x.factors) == 1 else x.factors, where)
    if isinstance(x, tuple):
        return [_encode(item, where) for item in x]
    if not is_dataclass(x):
        advice = "give a Plane or a Contact" if callable(x) else "substitute numbers first"
        raise ModelError(f"{where}: {x!r} is not a number, so it cannot be written; {advice}")
    table = {}
    for base, kinds in KINDS.items():
        if isinstance(x, base):
            table["type"] = type(x).__name__.lower()
            if kinds.get(table["type"]) is not type(x):
                raise ModelError(f"{where}: {type(x).__name__} is not a type of this library, so it cannot be written")
    for field in fields(x):
        value = getattr(x, field.name)
        if not _is_default(value, field):
            table[field.name] = _encode(value, where)
    return table


def _is_default(value: Any, field: Field[Any]) -> bool:
    """Whether a value is exactly the field's default, in type and sign: 0 is neither 0.0 nor -0.0."""
    default = field.default
    return value is default or (default is not MISSING and exact_text(value) == exact_text(default) is not None)


def _decode(kind: Any, x: Any, where: str) -> Any:
    if kind is Rotation:
        single = isinstance(x, list) and len(x) == 3 and all(_is_row(row) for row in x)
        return Rotation((_decode(Matrix, x, where),) if single else _decode(tuple[Matrix, ...], x, where))
    if kind is Vector or kind is Matrix:
        inner, entries = (Any, "numbers") if kind is Vector else (Vector, "rows")
        if not isinstance(x, list) or len(x) != 3:
            raise ModelError(f"{where}: it must be a list of three {entries}, not {x!r}")
        return kind(_decode(inner, item, where) for item in x)
    if get_origin(kind) is tuple:
        if not isinstance(x, list):
            raise ModelError(f"{where}: it must be a list, not {x!r}")
        return tuple(_decode(get_args(kind)[0], item, f"{where}, number {k}") for k, item in enumerate(x, 1))
    if kind == Surface:
        return _decode(Contact if isinstance(x, Mapping) and "link" in x else Plane, x, where)
    if kind == At:
        return _decode(Transform if isinstance(x, Mapping) else tuple[float, ...], x, where)
    if get_origin(kind) in (Union, types.UnionType):  # optional fields: None is not written to files
        return _decode(next(part for part in get_args(kind) if part is not types.NoneType), x, where)
    if kind in KINDS:
        return _decode_kind(kind, x, where)
    if is_dataclass(kind):
        return _decode_fields(kind, x, where)
    expected = (int, float) if kind in (Any, float) else kind
    if not isinstance(x, expected) or (isinstance(x, bool) and kind is not bool):
        wanted = {str: "text", int: "a whole number", bool: "true or false"}
        raise ModelError(f"{where}: it must be {wanted.get(kind, 'a number')}, not {x!r}")
    if isinstance(x, int) and abs(x) >= LARGEST:
        raise ModelError(f"{where}: a whole number of {len(str(x))} digits is too large")
    return x


def _is_row(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 3 and not any(isinstance(x, list) for x in row)


def _decode_kind(base: type, x: Any, where: str) -> Any:
    kinds, name = KINDS[base], x.get("type") if isinstance(x, Mapping) else x
    if not isinstance(x, Mapping) or not isinstance(name, str) or name not in kinds:
        word = base.__name__.removesuffix("Type").lower()
        raise ModelError(f"{where}: there is no {word} type {name!r}; available: {', '.join(kinds)}")
    return _decode_fields(kinds[name], {key: value for key, value in x.items() if key != "type"}, where)


def _decode_fields(kind: Any, x: Any, where: str) -> Any:
    if not isinstance(x, Mapping):
        raise ModelError(f"{where}: it must be a table with the keys {', '.join(_hints(kind))}, not {x!r}")
    name = x.get("name")
    place = f"{where} ('{name}')" if isinstance(name, str) else where
    if unknown := [key for key in x if key not in _hints(kind)]:
        raise ModelError(f"{place}: there is no '{unknown[0]}'; available: {', '.join(_hints(kind)) or 'none'}")
    for field in fields(kind):
        if field.name not in x and field.default is MISSING:
            raise ModelError(f"{place}: '{field.name}' is missing; add it")
    values = {key: _decode(_hints(kind)[key], value, f"{place}: {key}") for key, value in x.items()}
    try:
        return kind(**values)
    except (ModelError, InputError) as error:
        raise ModelError(f"{place}: {error}") from None


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


@np.errstate(over="ignore", invalid="ignore")  # overflow is rejected below
def _check_axes(where: str, R: Rotation) -> None:
    if fault := rotation_fault(np.array(R.matrix(), dtype=float)):
        raise ModelError(f"{where}: {fault}")


def toml_text(model: Model, contacts: Sequence[Contact] = ()) -> str:
    """The TOML text of a robot and of contacts of its links; numbers have full precision."""
    data, lines = to_dict(model), []
    if contacts:
        check_contacts(model, [contact.links for contact in contacts])
        data["contacts"] = [_encode(x, f"contact of '{x.link}'") for x in contacts]
    for key, value in data.items():
        if key not in ("bodies", "frames", "closures", "configurations", "contacts"):
            lines.append(f"{key} = {_value(value)}")
            continue
        for table in value:
            lines += ["", f"[[{key}]]", *(f"{name} = {_value(item)}" for name, item in table.items())]
        if not value:
            lines.append(f"{key} = []")
    return "\n".join(lines) + "\n"


def _value(x: Any) -> str:
    if isinstance(x, str):
        return json.dumps(x, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(x, bool):
        return str(x).lower()
    if isinstance(x, dict):
        return "{" + ", ".join(f"{name} = {_value(item)}" for name, item in x.items()) + "}"
    if isinstance(x, list):
        return "[" + ", ".join(map(_value, x)) + "]"
    return repr(x)  # shortest decimal that reads back exactly; inf and nan are valid TOML


def read_toml(source: Source) -> Model:
    """The robot of a TOML file: see `revolute.load`."""
    with of_file(source.where):
        return from_dict(_content(source), source.where)


def contacts_of_toml(source: Source) -> tuple[Contact, ...]:
    """The contacts of a TOML file: see `revolute.load_contacts`."""
    with of_file(source.where):
        data = _content(source)
        model = from_dict(data, source.where)
        found: tuple[Contact, ...] = _decode(tuple[Contact, ...], data.get("contacts", []), f"{source.where}: contacts")
        if found:
            check_contacts(model, [contact.links for contact in found])
        return found


def _content(source: Source) -> dict[str, Any]:
    content = source.content
    try:
        return tomllib.loads(content if isinstance(content, str) else content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # TOML or UTF-8 is invalid, or nesting too deep
        raise ModelError(f"{source.where}: not valid TOML: {error}") from None
