"""Robot descriptions in and out."""

from __future__ import annotations

import os
from dataclasses import replace

from revolute.errors import InputError, warn_caller
from revolute.model.model import Model

__all__ = ["read", "write"]


def read(source: str | os.PathLike[str], base: str = "fixed") -> Model:
    """The model that a file describes: see `revolute.load`."""
    from revolute.io.mjcf import read_mjcf
    from revolute.io.plain import of_file
    from revolute.io.sdf import read_sdf
    from revolute.io.toml import read_toml
    from revolute.io.urdf import describe
    from revolute.io.xml import Node, parse
    from revolute.model.assemble import assemble

    if _suffix(source) == ".toml":
        _refuse_base(source, base)
        return read_toml(source)
    root = parse(source, "URDF")
    if not isinstance(base, str) or base not in ("fixed", "free"):
        raise InputError(f"base must be 'fixed' or 'free', not {base!r}")
    if root.where == "URDF text":
        root = Node(root.element, {"mujoco": "MJCF text", "sdf": "SDF text"}.get(root.tag, root.where))
    with of_file(root.where):
        if root.tag == "mujoco":
            _refuse_base(root.where, base)
            found, gravity = read_mjcf(root, source)
        elif root.tag == "sdf":
            found, gravity = read_sdf(root, source, base)
        else:
            found, gravity = describe(root, source), (0, 0, -9.81)
    for suspicion in found.suspicions:
        warn_caller(suspicion)
    with of_file(found.where):
        model = assemble(found.name, found.links, found.joints, base=base, gravity=gravity, source=found.where)
        return replace(model, closures=found.closures) if found.closures else model


def _refuse_base(source: str | os.PathLike[str], base: str) -> None:
    if base != "fixed":
        raise InputError(f"base is for URDF and SDF; '{os.fspath(source)}' says itself what floats")


def write(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file: see `revolute.save`."""
    from revolute.io.to_mjcf import to_mjcf
    from revolute.io.to_urdf import to_urdf
    from revolute.io.toml import toml_text
    from revolute.whole_file import write_whole

    writers = {".toml": toml_text, ".urdf": to_urdf, ".xml": to_mjcf}
    if not isinstance(model, Model):
        raise InputError(f"save needs a robot and a path, not {type(model).__name__} first")
    text_of = writers.get(_suffix(path))
    if text_of is None:
        raise InputError(f"save: {path!r}: the path of a robot's file ends in {' or '.join(writers)}")
    write_whole(path, text_of(model))


def _suffix(path: object) -> str:
    """The suffix of a path in small letters; none of text."""
    if not isinstance(path, (str, os.PathLike)) or (isinstance(path, str) and "<" in path):
        return ""
    return os.path.splitext(os.fspath(path))[1].lower()
