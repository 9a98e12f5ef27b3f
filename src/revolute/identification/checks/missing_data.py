"""Missing parts of a log: cells, rows, forces, motion. Each is reported by name."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from revolute.identification.checks.finding import LogFinding
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.log import Log
from revolute.identification.samples import SMALLEST, Samples
from revolute.io.plain import listed
from revolute.model.joints import Free

__all__ = ["STILL", "gaps", "with_all_forces"]

STILL = 0.05
"""Least range of a joint that moves [rad, m]."""

INDEPENDENT = 3
"""Least number of independent forces for each parameter."""


def gaps(model: ForceModel, log: Log | Samples, samples: Samples) -> list[LogFinding]:
    """Findings about holes, too few rows, joints that stand still, forces that are empty.

    Args:
        model: that is fitted.
        log: that was recorded.
        samples: of its beginning.
    """
    return [*_holes(log), *_too_few(model, log, samples), *_still(model, samples), *_empty(model, log, samples)]


def _holes(log: Log | Samples) -> list[LogFinding]:
    if not isinstance(log, Log):
        return []
    found = []
    for name, share in log.missing.items():
        if 0 < share < 1:
            text = f"{100 * share:.3g} % of '{name}' are missing: short gaps are filled, longer ones left out"
            found.append(LogFinding("missing", (name,), text))
    return found


def _too_few(model: ForceModel, log: Log | Samples, samples: Samples) -> list[LogFinding]:
    """Twice the cut-off frequency times the duration are independent samples, whatever the sampling rate."""
    share = min(1.0, 2 * log.advised_cutoff * log.step) if isinstance(log, Log) else 1.0
    count, wanted = int(share * np.isfinite(samples.tau).sum()), INDEPENDENT * len(model.names)
    if count >= wanted:
        return []
    text = f"{count} independent forces are too few for {len(model.names)} parameters: record {wanted} or more"
    return [LogFinding("short", (), text)]


def _still(model: ForceModel, samples: Samples) -> list[LogFinding]:
    moving = [np.full(body.joint.nq, not isinstance(body.joint, Free)) for body in model.robot.space.bodies]
    still = (np.ptp(samples.q, axis=0) < STILL) & np.concatenate(moving)  # a base that floats may stand
    names = tuple(name for name, x in zip(model.robot.position_names, still, strict=True) if x)
    if not names:
        return []
    text = f"{listed(names, 8)} moved by less than {STILL} rad or m: parameters that only their motion shows are noise"
    hint = "; if all joints are in this list, angles may be in another unit" if still.all() else ""
    return [LogFinding("unmoved", names, text + hint)]


def _empty(model: ForceModel, log: Log | Samples, samples: Samples) -> list[LogFinding]:
    """Forces that were missing, or 0 most of the time, before they were filtered."""
    zeros = log.zero_forces if isinstance(log, Log) else (samples.tau == 0).mean(axis=0)
    there = np.isfinite(samples.tau)
    constant = np.array([k.any() and np.ptp(x[k]) <= SMALLEST for x, k in zip(samples.tau.T, there.T, strict=True)])
    constant, zeros = constant & ~model.floating, np.where(model.floating, 0.0, zeros)  # as in flight
    names = model.robot.coordinate_names
    if isinstance(log, Log):  # those that were left out on purpose are no finding
        constant |= np.array([name in log.unreadable for name in names])
    found = tuple(name for name, x in zip(names, constant | (zeros > 0.5), strict=True) if x)
    if not found:
        return []
    text = (
        f"forces of {listed(found, 8)} are missing, constant, or 0 most of the time: leave them out, by None in columns"
    )
    return [LogFinding("empty", found, text)]


def with_all_forces(samples: Samples, names: Collection[str], model: ForceModel) -> Samples:
    """Samples without the forces of some coordinates, and rows without missing ones of the others."""
    tau = samples.tau.copy()
    named = np.array([name in names for name in model.robot.coordinate_names])
    empty = np.flatnonzero(named | np.isnan(tau).all(axis=0))
    tau[:, empty] = np.nan
    rest = np.delete(tau, empty, axis=1)
    return Samples(samples.t, samples.q, samples.qd, samples.qdd, tau)[np.flatnonzero(np.isfinite(rest).all(axis=1))]
