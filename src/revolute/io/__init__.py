"""Robot descriptions in and out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from revolute.errors import InputError, warn_caller
from revolute.io.description import Description, Remark
from revolute.model.assemble import assemble, implausible_links
from revolute.model.model import Model

__all__ = ["read", "read_once", "write"]


def read(source: str | os.PathLike[str], base: str = "fixed") -> Model:
    """The model that a file describes: see `revolute.load`."""
    return read_once(source, base, lambda remark: warn_caller(remark.text))[0]


def read_once(
    source: str | os.PathLike[str], base: str, remark: Callable[[Remark], None]
) -> tuple[Model, Description | None]:
    """The model, and the description that an XML file holds. The file is parsed once.

    Args:
        source, base: see `revolute.load`.
        remark: called with each warning of the reader.
    """
    from revolute.io.mjcf import read_mjcf
    from revolute.io.plain import of_file
    from revolute.io.sdf import read_sdf
    from revolute.io.toml import read_toml
    from revolute.io.urdf import read_urdf
    from revolute.io.xml import Tag, parse

    if _suffix(source) == ".toml":
        _refuse_base(source, base)
        return read_toml(source), None
    root = parse(source, "URDF")
    if not isinstance(base, str) or base not in ("fixed", "free"):
        raise InputError(f"base must be 'fixed' or 'free', not {base!r}")
    if root.where == "URDF text":
        root = Tag(root.element, {"mujoco": "MJCF text", "sdf": "SDF text"}.get(root.tag, root.where))
    with of_file(root.where):
        if root.tag == "mujoco":
            _refuse_base(root.where, base)
            description = read_mjcf(root, source)
        elif root.tag == "sdf":
            description = read_sdf(root, source, base)
        else:
            description = read_urdf(root, source)
    for warning in description.remarks:
        remark(warning)
    links, where, closures = description.links, description.where, description.closures
    with of_file(where):
        gravity = description.gravity
        model = assemble(
            description.name, links, description.joints, base=base, gravity=gravity, source=where, warn=False
        )
        for text in implausible_links(where, links):
            remark(Remark(text, kept=True))
        return replace(model, closures=closures) if closures else model, description


def _refuse_base(source: str | os.PathLike[str], base: str) -> None:
    if base != "fixed":
        raise InputError(f"base is for URDF and SDF only; '{os.fspath(source)}' defines its own base")


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
    """The suffix of a path in lower case; empty for the text of a description."""
    if not isinstance(path, (str, os.PathLike)) or (isinstance(path, str) and "<" in path):
        return ""
    return os.path.splitext(os.fspath(path))[1].lower()
