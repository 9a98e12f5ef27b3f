"""Positions beyond the limits of their joints, and angles in degrees."""

from __future__ import annotations

import numpy as np

from revolute.identification.checks.finding import LogFinding
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples
from revolute.io.plain import listed

__all__ = ["beyond_limits"]

BEYOND = 0.05
"""Distance beyond a limit that counts [rad, m]."""


def beyond_limits(model: ForceModel, samples: Samples) -> list[LogFinding]:
    """Findings about units, zeros and signs of positions."""
    space = model.robot.space
    angles = np.array([k in body.joint.angles for body in space.bodies for k in range(body.joint.nq)])
    low, high = (np.asarray(x, dtype=float) for x in (space.lower_limits, space.upper_limits))
    if len(low) != space.nq:
        return []

    def outside(q: Array) -> Array:
        return np.asarray(((q < low - BEYOND) | (q > high + BEYOND)).mean(axis=0))

    beyond = outside(samples.q) > 0.01
    turns = np.abs(samples.q).max(axis=0) > 8 * np.pi
    names = tuple(name for name, x in zip(space.position_names, beyond, strict=True) if x)
    smaller = np.where(angles, samples.q * (np.pi / 180), samples.q)
    if (beyond & angles).any() and not (outside(smaller) > 0.01).any() and np.abs(samples.q[:, angles]).max() > np.pi:
        text = f"{listed(names, 8)} are beyond their limits, but not if angles are in degrees: give units='deg'"
        return [LogFinding("degrees", names, text)]
    if (turns & angles & ~np.isfinite(high)).any():
        text = "angles reach more than four turns: if they are in degrees, give units='deg'"
        return [LogFinding("degrees", (), text)]
    if names:
        return [LogFinding("limits", names, f"{listed(names, 8)} are beyond their limits: check units, zero and signs")]
    return []
