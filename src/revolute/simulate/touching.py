"""Contacts and joint stops of motions: checks of initial states, and warnings of impulses that are not fully solved."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError, SimulationWarning
from revolute.model.contact_inputs import ContactInputs
from revolute.simulate.events import EventMethods
from revolute.simulate.result import Simulation
from revolute.simulate.torque import row_of_batch

DEEP = 0.01
"""Largest penetration of a rigid contact, and distance of a joint beyond its stop, at the start [m, rad]."""

SOLVED = 1e-8
"""Change of the impulses in the last round, relative to the largest, above which a motion warns."""


def require_outside(touching: ContactInputs, q: Array, scene: EventMethods) -> None:
    """Raise `InputError` if a rigid contact starts deep in its surface, or a joint far beyond a rigid stop."""
    names, found = touching.names, list[tuple[str, Any]]()
    if touching.contacts and scene.gaps:
        depths = -scene.gaps(q, touching.contacts)
        at = [k for k, contact in enumerate(touching.contacts) if not contact.compliance]
        found += [(f"contact of '{names[k]}' is inside its surface", depths[..., k]) for k in at]
    for name, (low, high, _, compliance, _) in zip(touching.stops, touching.arrays.get("limits", ()), strict=True):
        x = scene.joints(q)[..., [*scene.names].index(name)]
        if not compliance:
            found.append((f"joint '{name}' is beyond its stop", np.maximum(low - x, x - high)))
    for what, depth in found:
        if depth.size and depth.max() > DEEP:
            where = row_of_batch(np.unravel_index(depth.argmax(), depth.shape))
            raise InputError(f"simulate: at q0{where} the {what}, by {depth.max():.3g}; at most {DEEP:g} is allowed")


def touched(motion: Simulation, touching: ContactInputs, *forces: Array) -> Simulation:
    """The motion, with contacts, stops, their forces, and the residual. Time is the first axis of `forces`."""
    *some, residual = forces
    changes: dict[str, Any] = {"contacts": touching.contacts, "residual": np.moveaxis(residual, 0, -1)}
    if touching.contacts:
        changes["contact_forces"] = np.moveaxis(some[0], 0, -3)
    if touching.stops:
        changes["stop_forces"] = np.moveaxis(some[-1], 0, -2)
    owner = motion.owner and replace(motion.owner, contacts=touching.names, stops=touching.stops)
    return replace(motion, owner=owner, **changes)


def warn_of_residual(motion: Simulation) -> None:
    """Issue a `SimulationWarning` for the first instant at which contact, stop or dry friction forces are inexact."""
    owner = motion.owner
    if owner is None or motion.residual is None or not (motion.residual > SOLVED).any():
        return
    bad = np.argwhere(motion.residual > SOLVED)
    *row, k = bad[bad[:, -1].argmin()].tolist()
    forces = [(owner.contacts, motion.contact_forces), (owner.stops, motion.stop_forces)]
    pairs = [x for names, f in forces if f is not None for x in zip(names, f[*row, k], strict=True)]
    pushing = ", ".join(f"'{name}'" for name, _ in [pair for pair in pairs if pair[1].any()] or pairs)
    advice = "Fewer contacts of a link, or a compliance, make them unique"
    if not pairs:
        pushing, advice = "dry friction of the joints", "A smoothing of with_drives makes it a function of the velocity"
    where = row_of_batch(row)
    warnings.warn(
        f"simulate: forces of {pushing} are not fully solved at t={motion.t[k]:g} s{where}: they changed by "
        f"{motion.residual[*row, k]:.1g} of the largest in the last round. {advice}",
        SimulationWarning,
        stacklevel=5,
    )
