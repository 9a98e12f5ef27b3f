"""Wrenches on links, from the forces of contacts."""

from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.model.contact import Contact, Plane
from revolute.spatial.dual import unit_gradient


def contact_wrenches(robot: Any, motion: Any) -> dict[str, Array]:
    """{link: (..., T, 6)} wrenches that the contacts of a `Simulation` apply to links, in the links' frames."""
    found: dict[str, Array] = {}
    for contact, force in zip(motion.contacts, np.moveaxis(motion.contact_forces, -2, 0), strict=True):
        touching = (contact, contact.surface) if isinstance(contact.surface, Contact) else (contact,)
        poses = [robot.forward_kinematics(motion.q, x.link) for x in touching]
        centers = [X[..., :3, :3] @ x.point + X[..., :3, 3] for X, x in zip(poses, touching, strict=True)]
        if isinstance(contact.surface, Contact):
            away = centers[0] - centers[1]
        elif isinstance(contact.surface, Plane):
            away = np.array(contact.surface.normal)
        else:
            away = np.stack(unit_gradient(contact.surface, np.moveaxis(centers[0], -1, 0))[1:], axis=-1)
        normal = away / np.linalg.norm(away, axis=-1, keepdims=True)
        for X, x, center, sign in zip(poses, touching, centers, (1, -1), strict=False):
            arm = center - sign * x.radius * normal - X[..., :3, 3]
            arm, f = ((v[..., None, :] @ X[..., :3, :3])[..., 0, :] for v in (arm, sign * force))
            found[x.link] = found.get(x.link, 0.0) + np.concatenate([np.cross(arm, f), f], axis=-1)
    return found
