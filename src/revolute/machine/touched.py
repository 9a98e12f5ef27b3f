"""Contacts, stops and dry friction of functions and motions, as inputs of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from revolute.arguments import instance, instances
from revolute.errors import InputError
from revolute.machine.machine import Array, Machine
from revolute.model.body import Body
from revolute.model.columns import limit_column
from revolute.model.contact import Contact, check_stops, contact_arrays
from revolute.model.contact_inputs import ContactInputs
from revolute.model.model import Model

Stops = bool | Sequence[str]
CONTACT_METHOD = "semi_implicit_euler"


class Touched(Machine):
    """A machine whose links and joints may touch."""

    @property
    def _open_tree(self) -> Model:
        """The robot, without drives or closures."""
        found: Any = self
        model: Model = getattr(found, "robot", found)
        return model

    def _touched_motion(
        self, what: str, contacts: Sequence[Contact], stops: Stops, sticking: bool, method: str | None
    ) -> tuple[ContactInputs | None, str]:
        """Contacts, stops and dry friction of a motion, if there are any, and its method."""
        sticks = instance(f"{what}: sticking", sticking, (bool, np.bool_))
        touching = self._touching(what, contacts, stops, **({"sticking": True} if sticks else {}))
        if touching.options and method not in (None, CONTACT_METHOD):
            raise InputError(
                f"{what}: with contacts, stops or sticking friction the method is '{CONTACT_METHOD}': leave out "
                f"method={method!r}"
            )
        if not touching.options:
            return None, "runge_kutta_4" if method is None else method
        return touching, CONTACT_METHOD

    def _touching(
        self, name: str, contacts: Sequence[Contact], stops: Stops, bounces: bool | None = None, **options: Any
    ) -> ContactInputs:
        """Contacts and stops as inputs of kernels, which have further options."""
        contacts, joints = instances(f"{name}: contacts", contacts, Contact), self._stopped(name, stops)
        arrays: dict[str, Array] = {}
        if contacts:
            options["contacts"], arrays["contacts"] = contact_arrays(contacts)
        if bounces or (bounces is None and any(contact.restitution for contact in contacts)):
            options["bounces"] = True
        if joints:
            model = self._open_tree
            places = [model.q_index[model.joint_index(joint)].start for joint in joints]
            ends = limit_column(model, "lower", "nq", -np.inf), limit_column(model, "upper", "nq", np.inf)
            arrays["limits"], options["stops"] = np.stack([end[places] for end in ends], axis=-1), joints
        return ContactInputs(contacts, joints, options, arrays)

    def _stopped(self, name: str, stops: Stops) -> tuple[str, ...]:
        """Names of joints with stops."""
        if stops is False:
            return ()
        model = self._open_tree
        if stops is True:
            single = (body for body in model.bodies[1:] if body.joint.nq == body.joint.nv == 1)
            return tuple(body.joint_name for body in single if _has_limit(body))
        joints = instances(f"{name}: stops", stops, str)
        for joint, i in zip(joints, check_stops(model, joints), strict=True):
            if not _has_limit(model.bodies[i]):
                raise InputError(
                    f"{name}: joint '{joint}' of '{model.name}' has no limits; give it Limits, or leave it out of stops"
                )
        return joints


def _has_limit(body: Body) -> bool:
    return any(np.isfinite((*body.limits.lower, *body.limits.upper)))
