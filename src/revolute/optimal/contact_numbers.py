"""Contacts of a problem: checks of the arguments, and the parameters of contacts at all nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import broadcasts_to, float_copy, instances, number
from revolute.dynamics.optimal.holding import NUMBERS, axes_of, plane_of
from revolute.errors import InputError, ShapeError
from revolute.model.contact import Contact, Plane, check_contacts
from revolute.model.model import Closure, Model
from revolute.optimal.kernels.setting import Setting
from revolute.optimal.shooting import Array


def checked(
    what: str, model: Model, contacts: Sequence[Contact], method: str, closures: Sequence[Closure]
) -> tuple[Contact, ...]:
    """The contacts of a problem. Raise unless they are points of moving links on planes, and the method suits them."""
    if (contacts or closures) and method != "semi_implicit_euler":
        held = "contacts" if contacts else "closed loops"
        raise InputError(f"{what}: {held} need method='semi_implicit_euler', not {method!r}")
    if not contacts:
        return ()
    found = instances(f"{what}: contacts", contacts, Contact)
    check_contacts(model, [contact.links for contact in found])
    for contact in found:
        if contact.radius or not isinstance(contact.surface, Plane):
            kind = "has a radius" if contact.radius else "touches no plane"
            raise InputError(f"{what}: the contact of '{contact.link}' {kind}; give contacts of points with a Plane")
    return found


def checked_gains(what: str, given: tuple[float, float]) -> tuple[float, float]:
    """k_p and k_d; raise `InputError` unless both are finite and not negative."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise InputError(f"{what} must be two numbers, (k_p, k_d), not {given!r}")
    kp, kd = (number(what, x) for x in given)
    if not (0 <= kp < math.inf and 0 <= kd < math.inf):
        raise InputError(f"{what} must be finite, and zero or more, not {given!r}")
    return kp, kd


class ContactNumbers:
    """Write the parameters of contacts into the parameters p of all nodes; `gains` are k_p and k_d, or None."""

    def __init__(self, setting: Setting, dt: Array, gains: tuple[float, float] | None) -> None:
        self._contacts, self._at = setting.dynamics.contacts, setting.contact_numbers
        self._axes = np.array([axes_of(x) for x in self._contacts], float).reshape(-1, 3, 3)
        self._offsets = np.zeros((len(self._contacts), 3))
        self._offsets[:, 0] = [plane_of(x).offset for x in self._contacts]
        self._gains = [1 / dt**2, 1 / dt] if gains is None else [np.full(len(dt), x) for x in gains]
        links = [setting.dynamics.model.frame(x.link).body for x in self._contacts]
        self._together = [[j for j, other in enumerate(links) if other == link] for link in links]

    def fill(
        self, p: Array, batch: tuple[int, ...], active: ArrayLike | None, places: ArrayLike | None, what: str = "solve"
    ) -> None:
        """Set the entries of contacts in p, (nodes + 1, *batch, parameters): see `OptimalControl.solve`."""
        if not self._contacts:
            if active is not None or places is not None:
                raise InputError(f"{what}: active and places need contacts, but the problem has none; give it some")
            return
        count = len(self._contacts)
        masks = self._rows(f"{what}: active", 1.0 if active is None else active, batch, (count,))
        if not np.isin(masks, (0, 1)).all():
            raise InputError(f"{what}: active must be 1 where a contact holds, and 0 elsewhere")
        placed = self._rows(f"{what}: places", np.nan if places is None else places, batch, (count, 3))
        if np.isinf(placed).any():
            raise InputError(f"{what}: places must be finite, or NaN for a contact without a place")
        if (np.isnan(placed).any(axis=-1) != np.isnan(placed).all(axis=-1)).any():
            raise InputError(f"{what}: a place must be three numbers, or NaN in all three if a contact has none")
        placed = np.einsum("kax,...kx->...ka", self._axes, placed)
        known = ~np.isnan(placed)
        held = [masks[..., group].all(axis=-1) for group in self._together]  # places of bodies, not of some corners
        kp, kd = (x.reshape(-1, *(1,) * len(batch)) for x in self._gains)
        numbers = np.zeros((*p.shape[:-1], 1 + count * NUMBERS))
        numbers[:-1, ..., 0] = kd
        each = numbers[..., 1:].reshape(*p.shape[:-1], count, NUMBERS)
        each[:-1, ..., 0] = masks
        known[..., 0] = True  # the plane
        each[:-1, ..., 1:4] = known * np.stack(held, axis=-1)[..., None] * kp[..., None, None]
        each[:-1, ..., 4:] = np.where(np.isnan(placed), self._offsets, placed)
        each[-1, ..., 0], each[-1, ..., 4:] = masks[-1], each[-2, ..., 4:]
        numbers[..., 1:] = each.reshape(*p.shape[:-1], -1)
        p[..., self._at] = numbers

    def _rows(self, what: str, given: ArrayLike, batch: tuple[int, ...], shape: tuple[int, ...]) -> Array:
        """The values as (steps, *batch, *shape); values at an additional last node are ignored."""
        steps = len(self._gains[0])
        values = float_copy(what, given)
        if values.ndim > len(shape) and values.shape[-len(shape) - 1] == steps + 1:
            values = np.take(values, range(steps), axis=-len(shape) - 1)
        whole = (*batch, steps, *shape)
        if not broadcasts_to(values.shape, whole):
            raise ShapeError(f"{what} has shape {values.shape}, but {whole} is needed")
        return np.moveaxis(np.broadcast_to(values, whole), len(batch), 0)
