"""Contacts of links in MJCF: spheres and planes that touch in pairs, each with its own friction."""

import math
from collections.abc import Container, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

from revolute.errors import ModelError, warn_caller
from revolute.io.plain import digits, listed, unused
from revolute.io.to_mjcf_shapes import pose
from revolute.model import Contact, Model, Plane, check_contacts
from revolute.spatial import Rotation, Transform, Vector

POINT = 1e-6  # radius written for a point [m]
ALONE = {"contype": "0", "conaffinity": "0"}  # attributes of geoms that touch in pairs only


def write_contacts(
    root: Element, model: Model, contacts: Sequence[Contact], elements: Mapping[int, Element], taken: Container[str]
) -> None:
    """Add spheres, planes and pairs; `elements` are the elements of bodies, `taken` the names of other geoms."""
    check_contacts(model, [contact.links for contact in contacts])
    found = root.find("contact")
    pairs = SubElement(root, "contact") if found is None else found
    planes: dict[Plane, str] = {}
    for k, contact in enumerate(contacts):
        surface, name = contact.surface, unused(f"contact{k}", taken)
        _sphere(model, contact, name, elements)
        if isinstance(surface, Contact):
            other = unused(f"{name}_surface", taken)
            _sphere(model, surface, other, elements)
        elif isinstance(surface, Plane):
            if surface not in planes:
                planes[surface] = unused(f"plane{len(planes)}", taken)
                placed = pose(Transform(_turned(Vector(surface.normal)), Vector(surface.normal) * surface.offset))
                values = {"name": planes[surface], "type": "plane", "size": "0 0 1"}
                SubElement(elements[0], "geom", values | placed | ALONE)
            other = planes[surface]
        else:
            raise ModelError(f"contact of '{contact.link}': MJCF has no surfaces given by functions; use planes")
        friction = digits([max(contact.friction, 1e-5)] * 2 + [0.005, 0.0001, 0.0001])
        SubElement(pairs, "pair", geom1=name, geom2=other, condim="3", friction=friction)
    lost = [x.link for x in contacts if x.restitution or x.compliance]
    if lost:
        warn_caller(f"robot '{model.name}': restitution and compliance of contacts are left out: {listed(lost)}")


def _sphere(model: Model, contact: Contact, name: str, elements: Mapping[int, Element]) -> None:
    frame = model.frame(contact.link)
    if frame.body not in elements:
        raise ModelError(f"contact of '{contact.link}': in MJCF this link has no body; use the next link")
    values = {"name": name, "type": "sphere", "size": digits([contact.radius or POINT]), "mass": "0"}
    place = frame.placement @ Transform(p=Vector(contact.point))
    SubElement(elements[frame.body], "geom", values | pose(Transform(p=place.p)) | ALONE | {"group": "3"})


def _turned(normal: Vector) -> Rotation:
    """A rotation of z to a unit vector, by twice the angle to their bisector."""
    middle = Vector((normal[0], normal[1], normal[2] + 1.0))
    length = math.hypot(*middle)
    if length < 1e-9:
        return Rotation.from_quaternion((1.0, 0.0, 0.0, 0.0))
    return Rotation.from_quaternion((-middle[1] / length, middle[0] / length, 0.0, middle[2] / length))
