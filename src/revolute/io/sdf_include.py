"""Find the files that SDF includes, by a path or by the name of a model's folder."""

from __future__ import annotations

import os

from revolute.io.sdf_values import version
from revolute.io.source import opened
from revolute.io.xml import Tag, parse
from revolute.model.mesh_files import FILE, MODEL, PACKAGE, VARIABLES, places

__all__ = ["included_file"]

CONFIG = "model.config"
"""The file in a model's folder that lists its files in <sdf> elements, one for each SDF version; one may be URDF."""


def included_file(include: Tag, uri: str, folder: str) -> str:
    """The path of the SDF or URDF file that a <uri> names.

    Args:
        include: the element, for messages.
        uri: "model://arm", "file:///models/arm", "arm", "arm/model.sdf" ...
        folder: of the file that includes it; "" is the current one.

    Raises:
        ModelError: the file does not exist, or the folder does not determine it.
    """
    if not uri:
        include.fail("its <uri> is empty; give the path of an SDF or URDF file, or model://NAME")
    scheme, separator, _ = uri.partition("://")
    if separator and f"{scheme}://" not in (FILE, MODEL, PACKAGE):
        include.fail(f"{scheme}:// is not opened; store the model on this machine and include it as model://NAME")
    for place in places(uri, folder):
        if os.path.isfile(place):
            return place
        config = os.path.join(place, CONFIG)
        if os.path.isfile(config):
            return _newest(config)
    hint = f"give a file, or a folder with {CONFIG}"
    if uri.startswith(MODEL):
        hint = f"the folder of a model has {CONFIG}; set one of {', '.join(VARIABLES[MODEL])} to the folder around it"
    include.fail(f"it is not found from '{os.path.abspath(folder)}'; {hint}")


def _newest(config: str) -> str:
    """The file with the latest version in a model.config."""
    root = parse(opened(config), CONFIG)
    if root.tag != "model":
        root.fail(f"its outermost element is <{root.tag}>, and that of {CONFIG} is <model>")
    files = sorted(
        ((version(node), (node.element.text or "").strip()) for node in root.children("sdf")), key=lambda pair: pair[0]
    )
    if not files or not files[-1][1]:
        root.fail('it names no file; add one, SDF or URDF: <sdf version="1.9">model.sdf</sdf>')
    path = os.path.join(os.path.dirname(config), files[-1][1])
    if not os.path.isfile(path):
        root.fail(f"it names '{files[-1][1]}', which is no file in its folder; correct <sdf>")
    return path
