"""Floating bases whose motion and wrenches do not go together: something touches the robot that the log leaves out."""

from __future__ import annotations

import numpy as np

from revolute.errors import advice
from revolute.identification.checks.finding import LogFinding
from revolute.identification.checks.unexplained_share import unexplained_share
from revolute.identification.forces.coordinates import Floating, floating_bases
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

__all__ = ["unknown_contacts"]

TOUCHED = 0.3
"""Force that a base needs, as a share of weight and inertia of the description, from which on something touches it."""

STRANGE = 0.1
"""Share of the squared wrenches that must be unexplained for a finding: a third of their size."""


def unknown_contacts(model: ForceModel, samples: Samples) -> list[LogFinding]:
    """Bases that need forces by the description, where the log has none; and wrenches that no masses explain.

    Missing wrenches, as those on the feet of a robot that stands, act on joints, too: so fits from forces of
    joints alone are wrong by them.

    Args:
        model: that is fitted.
        samples: rows that are looked at; forces of bases are NaN or zero if the log has no wrenches.
    """
    robot, found = model.robot, []
    if not model.floating.any():
        return []
    needed = robot.inverse_dynamics(samples.q, samples.qd, samples.qdd)
    weight = robot.gravity_forces(samples.q)
    inertial = np.where(model.floating, samples.qdd, 0.0)
    inertial = (robot.mass_matrix(samples.q) @ inertial[..., None])[..., 0]
    for base in floating_bases(robot):
        forces = slice(base.qd.start + 3, base.qd.stop)
        told = samples.tau[:, base.qd]
        if np.isfinite(told).all() and told.any():
            found += _unexplained(model, samples, base)
            continue
        size, scale = _rms(needed[:, forces]), _rms(weight[:, forces]) + _rms(inertial[:, forces])
        if size > TOUCHED * scale:
            text = (
                f"the motion of '{base.name}' needs forces of {size:.3g} N by the description, and the log tells of "
                "none: if something touches the robot, as the ground does, give all wrenches, by "
            ) + advice(
                "columns={'wrench': {link: ...}} or with_wrenches; they act on the joints, too",
                "--columns wrench.LINK=COLUMNS; they act on the joints, too. --in-flight says that nothing does",
            )
            found.append(LogFinding("contacts", (base.name,), text))
    return found


def _unexplained(model: ForceModel, samples: Samples, base: Floating) -> list[LogFinding]:
    """Wrenches that do not move the base as any masses would."""
    told = samples.tau[:, base.qd]
    scale = np.maximum(np.sqrt(np.mean(told**2, axis=0)), 1e-9 * np.abs(told).max())
    Y = model.regressor(samples)[:, base.qd] / scale[:, None]
    share = unexplained_share(Y.reshape(-1, Y.shape[-1]), (told / scale).ravel())
    if share < STRANGE:
        return []
    text = (
        f"no masses explain the wrenches on '{base.name}': {100 * share**0.5:.2g} % of them are unexplained. Check the "
        "order of quaternions (x, y, z, w), of twists (angular first, along the body's axes) and of wrenches (moments "
        "first, about the link's origin and along its axes), their units, and whether all contacts are among them"
    )
    return [LogFinding("contacts", (base.name,), text)]


def _rms(forces: Array) -> float:
    return float(np.sqrt(np.mean(np.sum(forces**2, axis=1))))
