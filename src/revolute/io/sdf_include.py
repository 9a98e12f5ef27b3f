"""The files that SDF includes, found by a path or by the name of a model's folder, and URDF files as models.

http://sdformat.org/tutorials?tut=composition, and parser_urdf.cc of libsdformat.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from revolute.io.description import Remark
from revolute.io.plain import of_file
from revolute.io.sdf_values import MODEL, WORLD, version
from revolute.io.source import Source, opened
from revolute.io.urdf import urdf_parts
from revolute.io.xml import Tag, parse
from revolute.model.assemble import Joint, Link, assemble
from revolute.model.mesh_files import FILE, PACKAGE, VARIABLES, places
from revolute.model.mesh_files import MODEL as MODEL_URI

CONFIG = "model.config"
"""Configuration file of a model folder. It lists an SDF file per SDF version, and possibly a URDF file."""


def included_file(include: Tag, uri: str, folder: str) -> str:
    """The path of the SDF or URDF file at a <uri>, such as "model://arm", "file:///models/arm" or "arm/model.sdf"."""
    # A name without a scheme is a path from the file's folder, or else the name of a model, as in "arm".
    if not uri:
        include.fail("its <uri> is empty; give the path of an SDF or URDF file, or model://NAME")
    scheme, separator, _ = uri.partition("://")
    if separator and f"{scheme}://" not in (FILE, MODEL_URI, PACKAGE):
        include.fail(f"{scheme}:// is not supported; store the model on this machine and include it as model://NAME")
    names = (uri,) if separator else (uri, MODEL_URI + uri)
    for place in [place for name in names for place in places(name, folder)]:
        if os.path.isfile(place):
            return place
        config = os.path.join(place, CONFIG)
        if os.path.isfile(config):
            return _newest(config)
    hint = f"give a file, or a folder with {CONFIG}"
    if MODEL_URI in names[-1]:
        hint += f"; set one of {', '.join(VARIABLES[MODEL_URI])} to the parent folder of such a folder"
    include.fail(f"not found from '{os.path.abspath(folder)}'; {hint}")


def _newest(config: str) -> str:
    """The file with the latest version in a model.config."""
    root = parse(opened(config), CONFIG)
    if root.tag != "model":
        root.fail(f"its root element is <{root.tag}>, but that of {CONFIG} must be <model>")
    nodes = sorted(root.children("sdf"), key=version)
    name = (nodes[-1].element.text or "").strip() if nodes else ""
    if not name:
        root.fail('it lists no file; add one, SDF or URDF: <sdf version="1.9">model.sdf</sdf>')
    path = os.path.join(os.path.dirname(config), name)
    if not os.path.isfile(path):
        root.fail(f"it lists '{name}', which is not a file in its folder; correct <sdf>")
    return path


@dataclass(frozen=True)
class UrdfParts:
    """The content of a URDF file, by name."""

    # links, joints: links and joints of the file by name
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]
    # (link, use) for shapes that could not be read; use is "visual" or "collision"
    incomplete: frozenset[tuple[str, str]]


def as_model(root: Tag, source: Source, remarks: list[Remark]) -> tuple[Tag, UrdfParts]:
    """An element <model> with the names and the tree of a URDF file, and the content of its links and joints."""
    # The root link is the canonical one. If its name is "world", it is the world: its children are fixed there. Remarks
    # of the URDF reader are added.
    description = urdf_parts(root, source)
    remarks += description.remarks
    with of_file(root.where):
        tree = assemble(description.name, description.links, description.joints, source=root.where, warn=False)
    above = {joint.child: joint.name for joint in description.joints}
    top = tree.bodies[0].name
    links = [link for link in description.links if (link.name, top) != (WORLD, WORLD)]
    model = Element("model", {"name": description.name})
    if top != WORLD:
        model.set("canonical_link", top)
    for link in links:
        _placed(model, "link", link.name, above.get(link.name, MODEL))
    for node, joint in zip(root.children("joint"), description.joints, strict=True):
        element = _placed(model, "joint", joint.name, MODEL if joint.parent == WORLD else joint.parent)
        element.set("type", node.text("type"))
        for tag, name in (("parent", joint.parent), ("child", joint.child)):
            SubElement(element, tag).text = name
    named_links = {link.name: link for link in links}
    parts = UrdfParts(named_links, {joint.name: joint for joint in description.joints}, description.incomplete)
    return Tag(model, root.where), parts


def _placed(model: Element, tag: str, name: str, relative_to: str) -> Element:
    element = SubElement(model, tag, {"name": name})
    SubElement(element, "pose", {"relative_to": relative_to})
    return element
