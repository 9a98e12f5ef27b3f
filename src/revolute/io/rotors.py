"""Gear ratios and rotor inertias from extensions of URDF and SDF: elements of Drake, and transmissions of ROS.

https://drake.mit.edu/doxygen_cxx/group__multibody__parsing.html, http://wiki.ros.org/urdf/XML/Transmission
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from revolute.io.description import Remark
from revolute.io.xml import Tag
from revolute.model.assemble import Connection
from revolute.model.body import Drive
from revolute.model.joints import Joint

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

DRAKE = "{http://drake.mit.edu}"


def geared(root: Tag, joints: list[Connection], remarks: list[Remark]) -> list[Connection]:
    """Joints with the gear ratios of <transmission> elements that have one joint and one actuator."""
    gears: dict[str, tuple[Element, Element, Element]] = {}
    for node in root.element.findall("transmission"):
        ends, actuators = node.findall("joint"), node.findall("actuator")
        if len(ends) == len(actuators) == 1:
            gears.setdefault(ends[0].get("name", ""), (actuators[0], ends[0], node))
    return [
        _geared(gears[joint.name], joint, f"{root.where}: joint '{joint.name}'", remarks)
        if joint.name in gears and isinstance(joint.joint, Joint) and joint.joint.nv == 1
        else joint
        for joint in joints
    ]


def _geared(
    places: tuple[Element, Element, Element], joint: Connection, where: str, remarks: list[Remark]
) -> Connection:
    """The joint with a transmission's gear ratio: from its actuator, else its joint, else the whole element."""
    ratios = [_number(place, "mechanicalReduction", where, remarks) for place in places]
    ratio, drive = next(filter(None, ratios), ()), joint.drive
    if ratio and ratio != drive.gear_ratio:
        drive = replace(drive, gear_ratio=ratio)
    drive = with_rotor(places[0], drive, where, remarks)
    return joint if drive is joint.drive else replace(joint, drive=drive)


def with_rotor(element: Element, drive: Drive, where: str, remarks: list[Remark]) -> Drive:
    """The drive with the gear ratio and rotor inertia of Drake's elements in a joint or an actuator."""
    ratio = _number(element, DRAKE + "gear_ratio", where, remarks)
    inertia = _number(element, DRAKE + "rotor_inertia", where, remarks, least=0.0)
    if not ratio and not inertia:
        return drive
    return replace(drive, gear_ratio=ratio or drive.gear_ratio, rotor_inertia=inertia or drive.rotor_inertia)


def _number(
    element: Element, name: str, where: str, remarks: list[Remark], least: float = -math.inf
) -> tuple[float, ...]:
    """The number in the attribute `value` or the text of the first child with a name; empty without such a child."""
    child = element.find(name)
    if child is None:
        return ()
    word = child.get("value", (child.text or "").strip())
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if math.isfinite(value) and value >= least and (value != 0 or least == 0):
        return (value,)
    wanted = "zero or a positive number" if least == 0 else "a nonzero number"
    text = f"{where}: <{name.rpartition('}')[2]}> is {word!r}, not {wanted}; it is ignored"
    remarks.append(Remark(text, fault=True))
    return ()
