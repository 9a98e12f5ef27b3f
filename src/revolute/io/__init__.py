"""Read and write robot descriptions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from revolute.errors import InputError, ModelError, warn_caller
from revolute.io.description import Description, Remark, joined
from revolute.io.plain import listed, of_file
from revolute.io.source import Source, opened
from revolute.io.xml import parse
from revolute.model import Contact, Model
from revolute.model.assemble import assemble, implausible_links
from revolute.model.checks import check_base
from revolute.spatial import Vector

__all__ = ["read", "read_contacts", "read_once", "write"]


def read(
    source: Any, base: str = "fixed", strict: bool = False, arguments: Mapping[str, Any] | None = None,
    model: str | None = None, trusted: bool = False,
) -> Model:
    """Read a model from a file: see `revolute.load`."""
    return read_once(source, base, lambda x: warn_caller(x.warning or x.text), strict, arguments, model, trusted)[0]


def read_once(
    source: Any, base: str, remark: Callable[[Remark], None], strict: bool = False,
    arguments: Mapping[str, Any] | None = None, model: str | None = None, trusted: bool = False,
) -> tuple[Model, Description | None]:
    """Read a model and its `Description` (None for TOML), parsing the file once; call `remark` with each warning."""
    if is_mujoco(source):
        from revolute.io.mjcf import read_mujoco

        where = type(source).__name__
        _refuse_arguments(where, arguments, model)
        _refuse_base(where, base)
        with of_file(where):
            return _assembled(read_mujoco(source), base, remark, strict)
    opened_source = opened(source)
    if not opened_source.path.endswith(".xacro"):
        _refuse_arguments(opened_source.where, arguments)
    if _suffix(opened_source.path) == ".toml":
        from revolute.io.data import read_toml

        _refuse_base(opened_source.path, base)
        _refuse_arguments(opened_source.where, arguments, model)
        return read_toml(opened_source), None
    if opened_source.path.endswith(".xacro"):
        from revolute.io.xacro import expanded, is_xacro

        if is_xacro(opened_source):
            opened_source = expanded(opened_source, arguments or {}, trusted)
    return _assembled(_of_xml(opened_source, base, model), base, remark, strict)


def is_mujoco(source: object) -> bool:
    """Whether an object is a model or a specification of MuJoCo."""
    return type(source).__module__.partition(".")[0] == "mujoco" and type(source).__name__ in ("MjModel", "MjSpec")


def _of_xml(source: Source, base: str, model: str | None) -> Description:
    """The description in an XML file or text; only the reader of its format is imported."""
    root = parse(source, "URDF")
    check_base(base)
    if not source.path:
        root = root._replace(where={"mujoco": "MJCF text", "sdf": "SDF text"}.get(root.tag, root.where))
    with of_file(root.where):
        if root.tag != "sdf":
            _refuse_arguments(root.where, None, model)
        if root.tag == "mujoco":
            _refuse_base(root.where, base)
            from revolute.io.mjcf import read_mjcf

            return read_mjcf(root, source)
        if root.tag == "sdf":
            from revolute.io.sdf import read_sdf

            return read_sdf(root, source, base, model)
        from revolute.io.urdf import read_urdf

        return read_urdf(root, source)


def _assembled(
    description: Description, base: str, remark: Callable[[Remark], None], strict: bool
) -> tuple[Model, Description]:
    if strict and (faults := [x.text for x in description.remarks if x.fault]):
        raise ModelError("\n".join(faults))
    for warning in joined(description.remarks):
        remark(warning)
    name, links, joints, where = description.name, description.links, description.joints, description.where
    with of_file(where):
        model = assemble(name, links, joints, base=base, gravity=description.gravity, source=where, warn=False)
        if description.weightless:
            model = _lifted(model, description, remark)
        for warning in joined(Remark(text, kept=True) for text in implausible_links(where, links)):
            remark(warning)
        if description.closures or description.configurations:
            model = replace(model, closures=description.closures, configurations=description.configurations)
        return model, description


def _lifted(model: Model, description: Description, remark: Callable[[Remark], None]) -> Model:
    """The model, with zero gravity if no moving link has weight; add a remark on weightless links."""
    moving = {frame.name for frame in model.frames if frame.body}
    masses = [link.name for link in description.links if link.inertia.m and link.name in moving]
    lifted = [name for name in masses if name in description.weightless]
    if lifted and lifted == masses:
        remark(Remark(f"{description.where}: the robot's gravity is 0, since no moving link has weight", kept=True))
        return replace(model, gravity=Vector((0.0, 0.0, 0.0)))
    if lifted:
        text = f"not modelled: SDF turns gravity off for {listed(lifted)}; here it acts on them"
        remark(Remark(f"{description.where}: {text}"))
    return model


def _refuse_arguments(where: str, arguments: Mapping[str, Any] | None, model: str | None = None) -> None:
    if model is not None:
        raise InputError(f"model={model!r}: only an SDF file can have several models; omit it for '{where}'")
    if arguments:
        raise InputError(f"only xacro files, whose names end in .xacro, take arguments; '{where}' takes none")


def _refuse_base(where: str, base: str) -> None:
    if base != "fixed":
        raise InputError(f"a base can be chosen only for URDF and SDF; '{where}' defines its own base")


def read_contacts(path: str | os.PathLike[str]) -> tuple[Contact, ...]:
    """See `revolute.load_contacts`."""
    from revolute.io.data import contacts_of_toml

    if _suffix(path) != ".toml":
        raise InputError(f"load_contacts: only .toml files contain contacts, not {path!r}; see robot.contacts(link)")
    return contacts_of_toml(opened(path))


def write(model: Model, path: str | os.PathLike[str], contacts: Sequence[Contact] = ()) -> None:
    """Write a model to a file: see `revolute.save`."""
    from revolute.io.data import toml_text
    from revolute.io.to_mjcf import to_mjcf
    from revolute.io.to_urdf import to_urdf
    from revolute.whole_file import write_whole

    writers: dict[str, Callable[..., str]] = {".toml": toml_text, ".urdf": to_urdf, ".xml": to_mjcf}
    if not isinstance(model, Model):
        raise InputError(f"the first argument of save must be a robot, not {type(model).__name__}")
    if (text_of := writers.get(_suffix(path))) is None:
        raise InputError(f"save: {path!r}: the path of a robot's file must end in {' or '.join(writers)}")
    if contacts and text_of is to_urdf:
        raise InputError("save: URDF has no contacts; use .toml or .xml")
    write_whole(path, text_of(model, contacts) if contacts else text_of(model))


def _suffix(path: object) -> str:
    """The suffix of a path in lower case; empty for the text of a description."""
    if not isinstance(path, (str, os.PathLike)) or (isinstance(path, str) and "<" in path):
        return ""
    return os.path.splitext(os.fspath(path))[1].lower()
