"""Find exchanged columns of a log, and angles in degrees: the change with which the forces fit best."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from revolute.identification.checks.unexplained_share import EXACT, Explained
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.finding import LogFinding
from revolute.identification.samples import Array, Samples

BETTER, NOT_WORSE = 0.65, 1.05
"""Maximum ratios of the squared residual after an exchange to that before: the smaller and the larger criterion's."""

UNEXPLAINED = 0.01  # minimum unexplained fraction of the squared forces at which exchanged columns are reported

Change = tuple[Any, ...]
"""A change of the log: exchange of columns (quantity, joint, joint), conversion ("degrees",), or () for no change."""


def exchanged(model: ForceModel, samples: Samples) -> list[LogFinding]:
    """Report joints whose columns are exchanged, or angles in degrees, by residuals of least squares.

    A rigid-body model with friction explains most of the forces, unless joints are in the wrong order. So every
    exchange of two joints is tested: of positions, of forces, and of both. A second criterion, the residual with the
    description's parameters, detects joints for which both positions and forces are exchanged. An exchange is reported
    only if neither residual grows much. Joints with several axes, such as floating bases, are not exchanged.
    """
    measured = samples.measured
    if not len(measured):
        return []
    changes = _changes(model, samples, measured)
    described = _by_description(model, samples, measured, changes)
    if not np.isfinite(described[()]):
        return []
    possible = [change for change in changes if described[change] < NOT_WORSE * max(described[()], EXACT)]
    if possible == [()]:
        return []  # the other criterion takes longer, and cannot change the result
    fits = _by_fit(model, samples, measured, possible)
    best, strongest = (), 1.0
    for change in possible:
        fit, description = (costs[change] / max(costs[()], EXACT) for costs in (fits, described))
        if min(fit, description) < BETTER and max(fit, description) < NOT_WORSE and fit * description < strongest:
            best, strongest = change, fit * description
    by_fit = fits[best] / max(fits[()], EXACT) <= described[best] / max(described[()], EXACT)
    costs = fits if by_fit else described
    if not best or costs[()] < UNEXPLAINED:
        return []
    return [_finding(best, model.robot.coordinate_names, costs[()], costs[best])]


def _of_one_axis(model: ForceModel) -> dict[int, int]:
    """{index in qd: index in q} of joints with one axis."""
    space = model.robot.space
    joints = zip(space.bodies, space.q_index, space.v_index, strict=True)
    return {v.start: q.start for body, q, v in joints if body.joint.nq == body.joint.nv == 1}


def _changes(model: ForceModel, samples: Samples, measured: Array) -> list[Change]:
    """The changes to test: none, all exchanges of two joints, and degrees if an angle exceeds one turn."""
    of_one = _of_one_axis(model)
    pairs, there = list(combinations(of_one, 2)), {*measured.tolist()}
    both = [("forces", i, j) for i, j in pairs if {i, j} <= there]
    degrees = [("degrees",)] if np.abs(samples.q[:, [*of_one.values()]]).max(initial=0) > 2 * np.pi else []
    return [(), *both, *(("positions", *pair) for pair in pairs), *(("columns", i, j) for _, i, j in both), *degrees]


def _motions(changes: Iterable[Change]) -> dict[Change, list[Change]]:
    """The changes, grouped by their effect on the motion; exchanges of forces have none."""
    motions: dict[Change, list[Change]] = {}
    for change in changes:
        what, *joints = change or ("forces",)
        motions.setdefault(() if what == "forces" else (what == "degrees", *joints), []).append(change)
    return motions


def _moved(model: ForceModel, samples: Samples, motion: Change) -> Samples:
    """The samples with the motions of two joints exchanged, or with those of all one-axis joints read as degrees."""
    if not motion:
        return samples
    degrees, *joints = motion
    of_one = _of_one_axis(model)
    rates = list(of_one) if degrees else joints
    moved = replace(samples, q=samples.q.copy(), qd=samples.qd.copy(), qdd=samples.qdd.copy())
    for x, at in ((moved.q, [of_one[k] for k in rates]), (moved.qd, rates), (moved.qdd, rates)):
        x[:, at] = x[:, at] * (np.pi / 180) if degrees else x[:, at[::-1]]
    return moved


def _order(change: Change, measured: Array) -> Array:
    if change[:1] not in (("forces",), ("columns",)) or not {*change[1:]} <= {*measured.tolist()}:
        return np.arange(len(measured))
    i, j = np.searchsorted(measured, change[1:])
    order = np.arange(len(measured))
    order[[i, j]] = j, i
    return order


def _by_fit(model: ForceModel, samples: Samples, measured: Array, changes: list[Change]) -> dict[Change, float]:
    """For each change, the fraction of squared forces that a fit leaves unexplained; joints have equal weights."""
    forces, costs = samples.tau[:, measured], dict[Change, float]()
    variances = forces.var(axis=0)
    total = float(np.sum(np.sum(forces**2, axis=0) / variances))
    for motion, alike in _motions(changes).items():
        Y = np.ascontiguousarray(model.regressor(_moved(model, samples, motion))[:, measured].transpose(1, 2, 0))
        grams, products = Y @ Y.transpose(0, 2, 1), Y @ forces
        for change in alike:
            order = _order(change, measured)
            weights = 1 / variances[order]
            product = np.take_along_axis(products, order[:, None, None], axis=2)[..., 0]
            explained = Explained(np.tensordot(weights, grams, 1))
            costs[change] = float(explained.shares((weights @ product)[:, None], total)[0])
    return costs


def _by_description(model: ForceModel, samples: Samples, measured: Array, changes: list[Change]) -> dict[Change, float]:
    """For each change, the fraction unexplained by the description's forces, scaled by joint, friction and offsets."""
    forces, costs = samples.tau[:, measured], dict[Change, float]()
    squares, places = np.sum(forces**2, axis=0), np.arange(len(measured))
    for motion, alike in _motions(changes).items():
        moved = _moved(model, samples, motion)
        tau, qd = model.robot.inverse_dynamics(moved.q, moved.qd, moved.qdd)[:, measured], moved.qd[:, measured]
        A = np.stack([tau.T, qd.T, np.sign(qd).T, np.ones_like(qd).T], axis=1)
        shares = Explained(A @ A.transpose(0, 2, 1)).shares(A @ forces, squares)
        costs |= {change: float(shares[places, _order(change, measured)].mean()) for change in alike}
    return costs


def _finding(change: Change, names: tuple[str, ...], before: float, after: float) -> LogFinding:
    shares = f"{100 * before**0.5:.2g} % of the forces are unexplained, and {100 * after**0.5:.2g} %"
    if change == ("degrees",):
        return LogFinding("degrees", (), f"angles seem to be in degrees: {shares} in radians; give units='deg'")
    what, i, j = change
    whole = "positions and forces" if what == "columns" else what
    text = f"the {whole} of '{names[i]}' and '{names[j]}' seem to be exchanged: {shares} with them changed back"
    return LogFinding("swapped", (names[i], names[j]), f"{text}; check the order of the columns")
