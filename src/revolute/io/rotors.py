"""Gears and rotors of motors, which URDF and SDF have in extensions: Drake's, and transmissions of ROS.

https://drake.mit.edu/doxygen_cxx/group__multibody__parsing.html, http://wiki.ros.org/urdf/XML/Transmission
"""

from __future__ import annotations

import math
from dataclasses import replace

from revolute.io.description import Remark
from revolute.io.xml import Tag
from revolute.model.assemble import Connection
from revolute.model.body import Drive
from revolute.model.joints import Joint

__all__ = ["geared", "with_rotor"]

DRAKE = "{http://drake.mit.edu}"


def with_rotor(node: Tag, drive: Drive, remarks: list[Remark]) -> Drive:
    """The drive with the gear ratio and rotor inertia that Drake's elements in a joint or an actuator give."""
    ratio, inertia = (_number(node, DRAKE + name, remarks) for name in ("gear_ratio", "rotor_inertia"))
    return replace(drive, gear_ratio=ratio or drive.gear_ratio, rotor_inertia=inertia or drive.rotor_inertia)


def geared(root: Tag, joints: list[Connection], remarks: list[Remark]) -> list[Connection]:
    """Joints with the gears of <transmission> elements: those of one joint and one actuator."""
    gears: dict[str, Tag] = {}
    for node in root.children("transmission"):
        ends, actuators = list(node.children("joint")), list(node.children("actuator"))
        if len(ends) == len(actuators) == 1:
            gears.setdefault(ends[0].text("name", ""), node)
    return [
        replace(joint, drive=_geared(gears[joint.name], joint.drive, remarks))
        if joint.name in gears and isinstance(joint.joint, Joint) and joint.joint.nv == 1
        else joint
        for joint in joints
    ]


def _geared(node: Tag, drive: Drive, remarks: list[Remark]) -> Drive:
    (actuator,), (end,) = node.children("actuator"), node.children("joint")
    ratios = [_number(place, "mechanicalReduction", remarks) for place in (actuator, end, node)]
    ratio = next(filter(None, ratios), drive.gear_ratio)
    return with_rotor(actuator, replace(drive, gear_ratio=ratio), remarks)


def _number(node: Tag, name: str, remarks: list[Remark]) -> tuple[float, ...]:
    """The number of the first child of a name, in its attribute `value` or its text; none without a child."""
    element = node.element.find(name)
    if element is None:
        return ()
    word = element.get("value", (element.text or "").strip())
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if math.isfinite(value) and value >= 0:
        return (value,)
    tag = name.rpartition("}")[2]
    remarks.append(Remark(f"{node.where}: <{tag}> is {word!r}, no number from zero on; it is left out", fault=True))
    return ()
