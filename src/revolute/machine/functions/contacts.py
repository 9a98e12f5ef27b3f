"""Recursions of motions with contacts and stops."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.contacts import contact_step, touch
from revolute.machine.functions.simulation import less_friction
from revolute.model.contact import NUMBERS
from revolute.model.model import Model
from revolute.model.reduce import aligned
from revolute.spatial.loop import Tree
from revolute.spatial.scalar import Scalars, Wrenches


def contact_gaps(model: Model, q: Scalars, numbers: Scalars, *, contacts: Any) -> Tree:
    """Distances of contacts from their surfaces, negative inside."""
    same, own = aligned(model), [numbers[k * NUMBERS : (k + 1) * NUMBERS] for k in range(len(contacts))]
    return [touch(same, q, link, x).gap for link, x in zip(contacts, own, strict=True)]


def touching_step(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars, *data: Scalars, contacts: Any = (),
    stops: Any = (), damping: bool = False, bounces: bool = False, wrenches: Wrenches = None,
) -> Tree:
    """The state after a step, mean accelerations and forces in it, and the residual.

    `data` are the numbers of contacts, if there are any, then the limits of stops.
    """
    numbers, limits = data[0] if contacts else (), data[-1] if stops else ()
    forces = less_friction(model, qd, tau, damping)
    after, rate, *impulses, residual = contact_step(
        model, q, qd, forces, h, numbers, limits, contacts=contacts, stops=stops, bounces=bounces, wrenches=wrenches
    )
    means = [[x / h[0] for x in p] for p in impulses[not contacts :]]
    return after, rate, [(b - a) / h[0] for a, b in zip(qd, rate, strict=True)], *means, residual
