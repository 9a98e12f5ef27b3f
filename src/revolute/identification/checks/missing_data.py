"""Check a log for missing data: cells, rows, forces, motion."""

from collections.abc import Collection
from itertools import compress

import numpy as np

from revolute.errors import advice
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.finding import LogFinding
from revolute.identification.log.log import Log
from revolute.identification.samples import SMALLEST, Samples
from revolute.io.plain import listed
from revolute.model.joints import Free

STILL, INDEPENDENT = 0.05, 3
"""Minimum range of positions of a joint that counts as moving [rad, m]; and of independent forces per parameter."""


def gaps(model: ForceModel, log: Log | Samples, samples: Samples) -> list[LogFinding]:
    """Findings on missing cells, too few rows, joints at rest and missing forces; `samples`: the log's beginning."""
    return [*_holes(log), *_too_few(model, log, samples), *_still(model, samples), *_empty(model, log, samples)]


def _holes(log: Log | Samples) -> list[LogFinding]:
    if not isinstance(log, Log):
        return []
    words = "are missing: short gaps are interpolated, longer ones omitted"
    shares = {name: share for name, share in log.missing.items() if 0 < share < 1}
    return [LogFinding("missing", (name,), f"{100 * x:.3g} % of '{name}' {words}") for name, x in shares.items()]


def _too_few(model: ForceModel, log: Log | Samples, samples: Samples) -> list[LogFinding]:
    """Report too few independent samples: at any sampling rate, 2 x cut-off frequency x duration are independent."""
    share = min(1.0, 2 * log.advised_cutoff * log.step) if isinstance(log, Log) else 1.0
    count, wanted = int(share * np.isfinite(samples.tau).sum()), INDEPENDENT * len(model.names)
    if count >= wanted:
        return []
    text = f"{count} independent forces are too few for {len(model.names)} parameters: record at least {wanted}"
    return [LogFinding("short", (), text)]


def _still(model: ForceModel, samples: Samples) -> list[LogFinding]:
    moving = [np.full(body.joint.nq, not isinstance(body.joint, Free)) for body in model.robot.space.bodies]
    still = (np.ptp(samples.q, axis=0) < STILL) & np.concatenate(moving)  # a floating base may be at rest in a good log
    names = tuple(compress(model.robot.position_names, still))
    if not names:
        return []
    text = f"{listed(names, 8)} moved by less than {STILL} rad or m, too little to determine their parameters"
    hint = "; as all joints are listed, angles may be in another unit" if still.all() else ""
    return [LogFinding("unmoved", names, text + hint)]


def _empty(model: ForceModel, log: Log | Samples, samples: Samples) -> list[LogFinding]:
    """Report forces that are missing or constant, or were 0 most of the time before filtering."""
    zeros = log.zero_forces if isinstance(log, Log) else (samples.tau == 0).mean(axis=0)
    there = np.isfinite(samples.tau)
    constant = np.array([k.any() and np.ptp(x[k]) <= SMALLEST for x, k in zip(samples.tau.T, there.T, strict=True)])
    constant, zeros = constant & ~model.floating, np.where(model.floating, 0.0, zeros)  # a base in flight has no forces
    names = model.robot.coordinate_names
    if isinstance(log, Log):  # columns omitted on purpose are not reported
        constant |= np.array([name in log.unreadable for name in names])
    found = tuple(compress(names, constant | (zeros > 0.5)))
    if not found:
        return []
    text = f"forces of {listed(found, 8)} are missing, constant, or 0 most of the time: omit them, with " + advice(
        "None in columns, such as columns={'tau': ['a', 'b', None]}", "none in --columns, such as tau=a,b,none"
    )
    return [LogFinding("empty", found, text)]


def with_all_forces(samples: Samples, names: Collection[str], model: ForceModel) -> Samples:
    """Samples with NaN as forces of `names`, without rows where a force of another measured coordinate is missing."""
    tau = samples.tau.copy()
    named = np.array([name in names for name in model.robot.coordinate_names])
    empty = np.flatnonzero(named | np.isnan(tau).all(axis=0))
    tau[:, empty] = np.nan
    rest = np.delete(tau, empty, axis=1)
    return Samples(samples.t, samples.q, samples.qd, samples.qdd, tau)[np.flatnonzero(np.isfinite(rest).all(axis=1))]
