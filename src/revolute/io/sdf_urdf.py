"""A URDF file included by SDF, as the model to which SDFormat converts it.

http://sdformat.org/tutorials?tut=composition, and parser_urdf.cc of libsdformat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from revolute.io.description import Remark
from revolute.io.plain import of_file
from revolute.io.sdf_values import MODEL, WORLD
from revolute.io.source import Source
from revolute.io.urdf import urdf_parts
from revolute.io.xml import Tag
from revolute.model.assemble import Connection, Link, assemble

__all__ = ["UrdfParts", "as_model"]


@dataclass(frozen=True)
class UrdfParts:
    """The content of a URDF file, by name.

    Attributes:
        links, joints: as in the file.
        incomplete: names of links, and their use, with shapes that could not be read.
    """

    links: Mapping[str, Link]
    joints: Mapping[str, Connection]
    incomplete: frozenset[tuple[str, str]]


def as_model(root: Tag, source: Source, remarks: list[Remark]) -> tuple[Tag, UrdfParts]:
    """An element <model> with the names and the tree of a URDF file, and the content of its links and joints.

    The root link is the canonical one. If its name is "world", it is the world: its children are fixed there.

    Args:
        root: outermost element, <robot>.
        source: the file.
        remarks: list to which those of the URDF reader are added.

    Raises:
        ModelError: the file has a fault, or its links and joints do not form a tree.
    """
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
