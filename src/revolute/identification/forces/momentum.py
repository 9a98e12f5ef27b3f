"""Changes of momentum of floating bases, which need no accelerations, instead of forces. LP 8.32; RBDA 2.15."""

from __future__ import annotations

from typing import Any

import numpy as np

from revolute.identification.forces.coordinates import Floating, floating_bases
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

__all__ = ["MomentumRows"]


class MomentumRows:
    """Rows of floating bases, integrated over consecutive windows of `model.momentum` seconds.

        h(t2) - h(t1) = integral of (wrenches on the robot + gravity) dt,    h = X(q) Y_h(q, qd) pi

    All are expressed in the frame of the base at t1, so that moments are about a point of the robot. A row is divided
    by t2 - t1, so it is a mean force. Integrals use the trapezoidal rule.
    """

    def __init__(self, model: ForceModel, columns: Any) -> None:
        assert model.momentum is not None
        self._model, self._window, self._columns = model, model.momentum, columns
        self._bases = floating_bases(model.robot)
        self._waiting: Samples | None = None

    def restart(self) -> None:
        """Discard the samples before a gap in time."""
        self._waiting = None

    def add(self, samples: Samples) -> tuple[Array, Array]:
        """Rows of the windows that end in the next samples: Y (n, nv, b) and forces (n, nv), NaN at the joints."""
        if self._waiting is not None:
            samples = Samples.joined([self._waiting, samples])
        ends = _ends(samples.t, self._window)
        self._waiting = samples[ends[-1] :]
        robot, used = self._model.robot, samples[: ends[-1] + 1]
        Y = np.zeros((len(ends) - 1, robot.nv, len(np.arange(len(self._model.names))[self._columns])))
        tau = np.full(Y.shape[:2], np.nan)
        if len(ends) > 1:
            momenta, forces, right = self._model.momenta(used, self._columns)
            for base in self._bases:
                Y[:, base.qd], tau[:, base.qd] = _rows(
                    base, used, ends, momenta[:, base.qd], forces[:, base.qd], right[:, base.qd]
                )
        return Y, tau


def _ends(t: Array, window: float) -> Array:
    """Indices of the ends of windows, the first one at 0."""
    if len(t) < 2:
        return np.zeros(1, dtype=int)
    rows = max(1, round(window / float(np.median(np.diff(t)))))
    return np.arange(0, len(t), rows)


def _rows(
    base: Floating, samples: Samples, ends: Array, momenta: Array, forces: Array, right: Array
) -> tuple[Array, Array]:
    """Rows of one base: momenta and forces (T, 6, b) per parameter, and known wrenches (T, 6), in its own frame."""
    R, p = base.placement(samples.q)
    still, length = ends[:-1], np.diff(samples.t[ends])
    held = _in_base_frame(np.concatenate([forces, right[..., None]], axis=-1), R, p)
    steps = np.diff(samples.t)[:, None, None] / 2
    sums = np.zeros_like(held)
    np.cumsum((held[1:] + held[:-1]) * steps, axis=0, out=sums[1:])
    changes = np.diff(sums[ends], axis=0)
    h = _in_base_frame(momenta, R, p)[ends]
    changes[..., :-1] += np.diff(h, axis=0)
    rows = _seen_from(changes, R[still], p[still]) / length[:, None, None]
    return rows[..., :-1], rows[..., -1]


def _in_base_frame(w: Array, R: Array, p: Array) -> Array:
    """(T, 6, b) wrenches of frames at p with axes R, about the origin of, and expressed in, the base frame."""
    m, f = R @ w[:, :3], R @ w[:, 3:]
    return np.concatenate([m + np.cross(p[:, :, None], f, axis=1), f], axis=1)


def _seen_from(w: Array, R: Array, p: Array) -> Array:
    """The inverse of `_in_base_frame`."""
    m, f = w[:, :3] - np.cross(p[:, :, None], w[:, 3:], axis=1), w[:, 3:]
    turned = np.swapaxes(R, 1, 2)
    return np.concatenate([turned @ m, turned @ f], axis=1)
