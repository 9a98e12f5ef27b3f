"""Changes of momentum in place of the forces of floating bases: they need no accelerations. LP 9.32; RBDA 2.15."""

import numpy as np

from revolute.identification.forces.floating_bases import floating_bases
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples


class MomentumRows:
    """Rows of floating bases, integrated over consecutive windows of `model.momentum` seconds.

        h(t2) - h(t1) = integral of (wrenches on the robot + gravity) dt,    h = X(q) Y_h(q, qd) pi

    All terms are expressed in the frame of the base at t1, so moments are about a point of the robot. A row is divided
    by t2 - t1, so it is a mean force. Integrals use the trapezoidal rule.

    Attributes:
        rows: Y (n, nv, b), forces (n, nv), NaN at the joints, and whether these rows continue the previous ones.
    """

    def __init__(self, model: ForceModel, columns: Array) -> None:
        self._model, self._held, self._width = model, np.flatnonzero(~model.fitted), len(columns)
        self._columns = np.concatenate([columns, self._held])
        self._bases = floating_bases(model.robot)
        self._waiting: Samples | None = None
        self._begun = False
        self.rows: list[tuple[Array, Array, bool]] = []

    def add(self, samples: Samples, continues: bool) -> None:
        """Add samples, and to `rows` the windows that end in them; `continues`: whether no gap precedes them."""
        if not continues:
            self._waiting, self._begun = None, False
        if self._waiting is not None:
            samples = Samples.joined([self._waiting, samples])
        assert self._model.momentum is not None
        ends = _ends(samples.t, self._model.momentum)
        self._waiting = samples[ends[-1] :]
        if len(ends) < 2:
            return
        used = samples[: ends[-1] + 1]
        Y = np.zeros((len(ends) - 1, self._model.robot.nv, len(self._columns)))
        tau = np.full(Y.shape[:2], np.nan)
        momenta, forces, right = self._model.momenta(used, self._columns)
        for base in self._bases:
            X = self._model.robot.forward_kinematics(used.q, base.link)
            Y[:, base.qd], tau[:, base.qd] = _rows(X, used.t, ends, *(x[:, base.qd] for x in (momenta, forces, right)))
        tau -= Y[..., self._width :] @ self._model.values[self._held]
        self.rows.append((Y[..., : self._width], tau, self._begun))
        self._begun = True


def _ends(t: Array, window: float) -> Array:
    """Indices of the samples at which windows begin or end; the first index is 0."""
    if len(t) < 2:
        return np.zeros(1, dtype=int)
    rows = max(1, round(window / float(np.median(np.diff(t)))))
    return np.arange(0, len(t), rows)


def _rows(X: Array, t: Array, ends: Array, momenta: Array, forces: Array, right: Array) -> tuple[Array, Array]:
    """Rows of a base with poses X, from momenta, forces (T, 6, b) and known wrenches (T, 6) in the base's own frame."""
    R, p = X[:, :3, :3], X[:, :3, 3]
    still, length = ends[:-1], np.diff(t[ends])
    held = _in_base_frame(np.concatenate([forces, right[..., None]], axis=-1), R, p)
    steps = np.diff(t)[:, None, None] / 2
    sums = np.zeros_like(held)
    np.cumsum((held[1:] + held[:-1]) * steps, axis=0, out=sums[1:])
    changes = np.diff(sums[ends], axis=0)
    changes[..., :-1] += np.diff(_in_base_frame(momenta, R, p)[ends], axis=0)
    rows = _seen_from(changes, R[still], p[still]) / length[:, None, None]
    return rows[..., :-1], rows[..., -1]


def _in_base_frame(w: Array, R: Array, p: Array) -> Array:
    """(T, 6, b) wrenches given in frames at p with axes R, transformed to the robot's base frame and its origin."""
    m, f = R @ w[:, :3], R @ w[:, 3:]
    return np.concatenate([m + np.cross(p[:, :, None], f, axis=1), f], axis=1)


def _seen_from(w: Array, R: Array, p: Array) -> Array:
    """The inverse of `_in_base_frame`."""
    m, f = w[:, :3] - np.cross(p[:, :, None], w[:, 3:], axis=1), w[:, 3:]
    turned = np.swapaxes(R, 1, 2)
    return np.concatenate([turned @ m, turned @ f], axis=1)
