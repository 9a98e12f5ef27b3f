"""Exchanged columns of a log, and degrees: each is tried, and the one that explains the forces best is told."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.identification.doubt import Doubt
from revolute.identification.force_model import ForceModel
from revolute.identification.samples import Samples

__all__ = ["EXACT", "exchanged", "unexplained_share"]

Array = NDArray[Any]

BETTER = 0.65
"""An exchange is told if it leaves less than this share of the squared residual."""

NOT_WORSE = 1.05
"""The other judge must find it hardly worse."""

UNEXPLAINED = 0.01
"""Share of the squared forces that must be unexplained for a doubt."""

EXACT = 1e-6
"""Share of the squared forces below which a residual is rounding."""

DEPENDENT = 1e-10
"""Eigenvalues of normal equations below this share of the largest are rounding."""


def exchanged(model: ForceModel, samples: Samples) -> list[Doubt]:
    """Doubts about joints whose columns are exchanged, and about degrees, from residuals of least squares.

    A rigid body with friction explains most of what motors do, whatever its parameters. It does not if its joints are
    mixed up. So every exchange of two joints is made, of positions, of forces, and of both. The parameters that the
    description has are a second judge: they tell joints that are exchanged as a whole. Neither may contradict.

    Args:
        model: links, friction, rotors and offsets.
        samples: some hundred of them. Joints of several axes, such as floating bases, are left as they are.
    """
    measured = samples.measured
    if not len(measured):
        return []
    fits, told = _by_fit(model, samples, measured), _by_description(model, samples, measured)
    best, strongest = (), 1.0
    for change in fits:
        fit, description = (costs[change] / max(costs[()], EXACT) for costs in (fits, told))
        if min(fit, description) < BETTER and max(fit, description) < NOT_WORSE and fit * description < strongest:
            best, strongest = change, fit * description
    judge = fits if fits[best] / max(fits[()], EXACT) <= told[best] / max(told[()], EXACT) else told
    if not best or judge[()] < UNEXPLAINED:
        return []
    return [_doubt(best, model.robot.coordinate_names, judge[()], judge[best])]


def _by_fit(model: ForceModel, samples: Samples, measured: Array) -> dict[tuple[Any, ...], float]:
    """The unexplained share of squared forces for each exchange, with parameters of its own; joints weigh the same."""
    costs, last, Y = {}, None, np.zeros((0, 0, 0))
    for change, moved, forces in _exchanges(samples, measured, _of_one_axis(model)):
        if moved is not last:
            last, Y = moved, model.regressor(moved)[:, measured]
        scale = forces.std(axis=0)
        costs[change] = unexplained_share((Y / scale[:, None]).reshape(-1, Y.shape[-1]), (forces / scale).reshape(-1))
    return costs


def unexplained_share(A: Array, b: Array) -> float:
    """|b - A x|^2 / |b|^2 at best. Normal equations lose digits, but not those that matter here, and are fast."""
    lengths = np.linalg.norm(A, axis=0)
    A = A / np.where(lengths > 0, lengths, 1.0)
    values, turns = np.linalg.eigh(A.T @ A)
    keep = values > DEPENDENT * values[-1]
    explained = (turns[:, keep].T @ (A.T @ b)) ** 2 / values[keep]
    return float(max(1 - explained.sum() / (b @ b), 0.0))


def _by_description(model: ForceModel, samples: Samples, measured: Array) -> dict[tuple[Any, ...], float]:
    """The same, where forces are those of the description, times a factor, and friction and offset of each joint."""
    robot, of_one = model.robot, _of_one_axis(model)

    def unexplained(moved: Samples, forces: Array) -> float:
        told = robot.inverse_dynamics(moved.q, moved.qd, moved.qdd)
        shares = []
        for k, force in zip(measured, forces.T, strict=True):
            A = np.stack([told[:, k], moved.qd[:, k], np.sign(moved.qd[:, k]), np.ones(len(force))], axis=1)
            shares.append(unexplained_share(A, force))
        return float(np.mean(shares))

    return {change: unexplained(moved, forces) for change, moved, forces in _exchanges(samples, measured, of_one)}


def _of_one_axis(model: ForceModel) -> dict[int, int]:
    """{place in qd: place in q} of joints with one axis."""
    space = model.robot.space
    joints = zip(space.bodies, space.q_index, space.v_index, strict=True)
    return {v.start: q.start for body, q, v in joints if body.joint.nq == body.joint.nv == 1}


def _exchanges(
    samples: Samples, measured: Array, of_one: dict[int, int]
) -> Iterator[tuple[tuple[Any, ...], Samples, Array]]:
    """No change, then all exchanges: (what, joint, joint), samples, and the forces that were measured."""
    tau = samples.tau[:, measured]
    place = {int(k): i for i, k in enumerate(measured) if int(k) in of_one}
    yield (), samples, tau
    for i, j in combinations(place, 2):
        yield ("forces", i, j), samples, _swapped(tau, place[i], place[j])
    for i, j in combinations(of_one, 2):
        qd, qdd = (_swapped(x, i, j) for x in (samples.qd, samples.qdd))
        q = _swapped(samples.q, of_one[i], of_one[j])
        moved = Samples(samples.t, q, qd, qdd, samples.tau)
        yield ("positions", i, j), moved, tau
        if i in place and j in place:
            yield ("columns", i, j), moved, _swapped(tau, place[i], place[j])
    positions, rates = [*of_one.values()], [*of_one]
    if np.abs(samples.q[:, positions]).max(initial=0) > 2 * np.pi:
        q, qd, qdd = (x.copy() for x in (samples.q, samples.qd, samples.qdd))
        for x, at in ((q, positions), (qd, rates), (qdd, rates)):
            x[:, at] *= np.pi / 180
        yield ("degrees",), Samples(samples.t, q, qd, qdd, samples.tau), tau


def _swapped(x: Array, i: int, j: int) -> Array:
    order = np.arange(x.shape[1])
    order[[i, j]] = j, i
    return np.asarray(x[:, order])


def _doubt(change: tuple[Any, ...], names: tuple[str, ...], before: float, after: float) -> Doubt:
    shares = f"{100 * before**0.5:.2g} % of the forces are unexplained as it is, {100 * after**0.5:.2g} %"
    if change == ("degrees",):
        return Doubt("degrees", (), f"angles seem to be in degrees: {shares} so; say units='deg'")
    what, i, j = change
    whole = "positions and forces" if what == "columns" else what
    text = f"the {whole} of '{names[i]}' and '{names[j]}' seem to be exchanged: {shares} with them changed back"
    return Doubt("swapped", (names[i], names[j]), f"{text}; check the order of the columns")
