"""Contacts, stops and dry friction of functions and motions, as inputs of kernels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from revolute.arguments import instance, instances, number
from revolute.errors import InputError
from revolute.machine.machine import Array, Machine
from revolute.model import Contact, ContactInputs, Limits, Model, check_stops, contact_arrays
from revolute.model.checks import check_limits

Stops = bool | Sequence[str] | Mapping[str, Limits]
STOP = {"lower": -math.inf, "upper": math.inf, "restitution": 0.0, "compliance": 0.0, "damping": 0.0}
"""Fields of `Limits` that are numbers of a stop, with their defaults."""

CONTACT_METHOD = "semi_implicit_euler"


class Touched(Machine):
    """A machine whose links may touch surfaces, and whose joints may touch stops."""

    @property
    def _open_tree(self) -> Model:
        """The robot itself, without its drives or closures."""
        found: Any = self
        model: Model = getattr(found, "robot", found)
        return model

    def _touched_motion(
        self, what: str, contacts: Sequence[Contact], stops: Stops, sticking: bool, method: str | None
    ) -> tuple[ContactInputs | None, str]:
        """Contacts, stops and dry friction of a motion, if there are any, and its integration method."""
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
        """Contacts and stops as inputs and options of kernels; `options` are further options of the kernels."""
        contacts, stopped = instances(f"{name}: contacts", contacts, Contact), self._stopped(name, stops)
        arrays: dict[str, Array] = {}
        if contacts:
            options["contacts"], arrays["contacts"] = contact_arrays(contacts)
        rows = [*stopped.values()]
        if bounces or (bounces is None and any([*(x.restitution for x in contacts), *(row[2] for row in rows)])):
            options["bounces"] = True
        if rows:
            arrays["limits"], options["stops"] = np.array(rows), tuple(stopped)
        return ContactInputs(contacts, tuple(stopped), options, arrays)

    def _stopped(self, name: str, stops: Stops) -> dict[str, list[float]]:
        """{joint: values of the fields in `STOP`} of joints with stops, from the robot or, if given, from `stops`."""
        if stops is False:
            return {}
        model, found = self._open_tree, dict[str, list[float]]()
        if stops is True:
            single = (body for body in model.bodies[1:] if body.joint.nq == body.joint.nv == 1)
            stops = [body.joint_name for body in single if _is_limited(body.limits)]
        changes: Mapping[str, Limits] = stops if isinstance(stops, Mapping) else {}
        instances(f"{name}: values of stops", list(changes.values()), Limits)
        joints = instances(f"{name}: stops", stops, str)
        for joint, i in zip(joints, check_stops(model, joints), strict=True):
            changed, body = changes.get(joint, Limits()), model.bodies[i]
            limits = replace(body.limits, **{x: getattr(changed, x) for x in STOP if getattr(changed, x)})
            check_limits(replace(body, limits=limits))
            if not _is_limited(limits):
                raise InputError(
                    f"{name}: joint '{joint}' of '{model.name}' has no limits; give it Limits, or leave it out of stops"
                )
            values = {x: (getattr(limits, x) or (default,))[0] for x, default in STOP.items()}
            found[joint] = [number(f"{name}: Limits.{x} of joint '{joint}'", value) for x, value in values.items()]
            low, high, *_ = found[joint]
            if not low <= high:
                raise InputError(f"{name}: joint '{joint}' has stops at {low:g} and {high:g}; the first must be lower")
        return found


def _is_limited(limits: Limits) -> bool:
    return any(map(math.isfinite, (*limits.lower, *limits.upper)))
