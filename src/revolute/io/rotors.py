"""Gear ratios, rotor inertias and springs from extensions of URDF and SDF, by Drake, ROS and Gazebo.

https://drake.mit.edu/doxygen_cxx/group__multibody__parsing.html, http://wiki.ros.org/urdf/XML/Transmission
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from revolute.io.description import Remark
from revolute.io.plain import listed
from revolute.io.xml import Tag
from revolute.model import Drive, Joint
from revolute.model.joints import JointType

DRAKE = "{http://drake.mit.edu}"


def with_extensions(root: Tag, joints: list[Joint], remarks: list[Remark]) -> list[Joint]:
    """The joints, with gears from transmissions of one joint and one actuator, and springs from elements <gazebo>."""
    gears: dict[str, tuple[Tag, list[Tag]]] = {}
    springs: dict[str, list[Tag]] = defaultdict(list)
    coupled = []
    owners = [(root, False), *((control, True) for control in root.children("ros2_control"))]
    for node, ros2 in [(node, ros2) for owner, ros2 in owners for node in owner.children("transmission")]:
        ends, actuators = node.children("joint"), node.children("actuator")
        if len(ends) == len(actuators) == 1:
            places = ends if ros2 else [*actuators, *ends, node]  # the first that has a ratio applies
            gears.setdefault(ends[0].text("name", ""), (actuators[0], places))
        else:
            coupled.append(node.text("name", ""))
    if coupled:
        text = f"not modelled: transmissions without exactly one joint and one actuator: {listed(coupled)}"
        remarks.append(Remark(f"{root.where}: {text}"))
    for node in root.children("gazebo"):
        springs[node.text("reference", "")].append(node)
    found = list(joints)
    for k, joint in enumerate(joints):
        where, drive = f"{root.where}: joint '{joint.name}'", joint.drive
        if not isinstance(joint.type, JointType) or joint.type.nv != 1:
            continue
        if joint.name in gears:
            actuator, places = gears[joint.name]
            name = "mechanicalReduction" if len(places) > 1 else "mechanical_reduction"
            ratio = _number(places, name, where, remarks, "a nonzero number")
            drive = with_rotor(actuator, replace(drive, gear_ratio=ratio) if ratio else drive, where, remarks)
        if stiffness := _number(springs[joint.name], "springStiffness", where, remarks, "zero or a positive number"):
            rest = _number(springs[joint.name], "springReference", where, remarks)
            drive = replace(drive, stiffness=stiffness, rest_position=rest)
        if drive is not joint.drive:
            found[k] = replace(joint, drive=drive)
    return found


def with_rotor(element: Tag, drive: Drive, where: str, remarks: list[Remark]) -> Drive:
    """The drive with the gear ratio and rotor inertia from Drake's elements in a joint or an actuator."""
    ratio = _number([element], DRAKE + "gear_ratio", where, remarks, "a nonzero number")
    inertia = _number([element], DRAKE + "rotor_inertia", where, remarks, "zero or a positive number")
    if not ratio and not inertia:
        return drive
    return replace(drive, gear_ratio=ratio or drive.gear_ratio, rotor_inertia=inertia or drive.rotor_inertia)


def _number(
    places: Sequence[Tag], name: str, where: str, remarks: list[Remark], wanted: str = "a number"
) -> tuple[float, ...]:
    """(x,) of the first valid number in children named `name`, in attribute `value` or else the text; () if none."""
    for place in places:
        child = place.element.find(name) if name.startswith("{") else next(iter(place.elements(name)), None)
        if child is None:
            continue
        word = child.get("value", (child.text or "").strip())
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if math.isfinite(value) and ((value != 0) if "nonzero" in wanted else value >= 0 or "zero" not in wanted):
            return (value,)
        text = f"{where}: <{name.rpartition('}')[2]}> is {word!r}, not {wanted}; it is ignored"
        remarks.append(Remark(text, fault=True))
    return ()
