"""Inverse dynamics of an arm by jaxsim, for a URDF file, without Gazebo.

jaxsim reads SDF itself; for URDF it calls Gazebo's program `gz`. So the file is written as SDF here: links stand at
their joints. Links without mass at the end of the arm, which jaxsim does not take, are left out.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["inverse_dynamics"]

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def inverse_dynamics(urdf: Path) -> Callable[..., Any]:
    """A function of q, qd and qdd for rows of states, jitted."""
    import jax
    import jaxsim.api as api  # type: ignore[import-not-found]

    model = api.model.JaxSimModel.build_from_model_description(model_description=_sdf(urdf))

    def of_state(q: Any, qd: Any, qdd: Any) -> Any:
        data = api.data.JaxSimModelData.build(model=model, joint_positions=q, joint_velocities=qd)
        zero = jax.numpy.zeros(6)
        return api.model.inverse_dynamics(model=model, data=data, joint_accelerations=qdd, base_acceleration=zero)[1]

    return jax.jit(jax.vmap(of_state))


def _sdf(urdf: Path) -> str:
    root = ElementTree.parse(urdf).getroot()
    bodies = {x.get("name"): x for x in root.iter("link") if x.find("inertial") is not None}
    joints = [x for x in root.iter("joint") if _end(x, "child") in bodies]
    joint_of = {_end(x, "child"): x.get("name") for x in joints}
    parts = ['<sdf version="1.10"><model name="arm">']
    for name, link in bodies.items():
        at = f'<pose relative_to="{joint_of[name]}">0 0 0 0 0 0</pose>' if name in joint_of else ""
        parts.append(f'<link name="{name}">{at}{_inertial(link)}</link>')
        if name not in joint_of:
            parts.append(f'<joint name="to_world" type="fixed"><parent>world</parent><child>{name}</child></joint>')
    for joint in joints:
        parent, child, axis = _end(joint, "parent"), _end(joint, "child"), joint.find("axis")
        assert axis is not None
        parts.append(
            f'<joint name="{joint.get("name")}" type="{joint.get("type")}">'
            f'<pose relative_to="{parent}">{_pose(joint)}</pose><parent>{parent}</parent><child>{child}</child>'
            f"<axis><xyz>{axis.get('xyz')}</xyz><limit><lower>-9</lower><upper>9</upper></limit></axis></joint>"
        )
    return "".join([*parts, "</model></sdf>"])


def _end(joint: Any, side: str) -> str:
    name: str = joint.find(side).get("link")
    return name


def _pose(element: Any) -> str:
    origin = element.find("origin")
    return "0 0 0 0 0 0" if origin is None else f"{origin.get('xyz', '0 0 0')} {origin.get('rpy', '0 0 0')}"


def _inertial(link: Any) -> str:
    inertial = link.find("inertial")
    inertia = "".join(f"<{x}>{inertial.find('inertia').get(x)}</{x}>" for x in INERTIA)
    mass = inertial.find("mass").get("value")
    return f"<inertial><pose>{_pose(inertial)}</pose><mass>{mass}</mass><inertia>{inertia}</inertia></inertial>"
