"""What a motion tells about base parameters: weighted rows of the regressor, and criteria with gradients by motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.identification.excitation.criteria import Criterion
from revolute.identification.excitation.regressor import SmoothRegressor
from revolute.identification.force_model import ForceModel
from revolute.identification.samples import Samples

__all__ = ["Information", "independent_columns", "random_samples"]

Array = NDArray[Any]

TOLERANCE = 1e-8
"""A column is dependent if what others do not explain is below this share of the largest column."""


@dataclass(frozen=True, eq=False)
class Information:
    """Weighted rows W with W^T W the information on scaled base parameters.

    Attributes:
        regressor: smooth.
        columns: (b,) those of the base parameters.
        noise: (nv,) standard deviations of measured forces [N m, N].
        scale: (b,) base parameters are divided by these.
        lengths: (b,) force that a unit of each base parameter makes at random motions, in units of the noise.
        prior: (k, b) rows that are known beforehand, about scaled parameters.
        rows: what each instant counts for: the samples that the log will have near it.
    """

    regressor: SmoothRegressor
    columns: Array
    noise: Array
    scale: Array
    lengths: Array
    prior: Array
    rows: float

    def matrix(self, Y: Array) -> Array:
        """(T nv + k, b) W of a (T, nv, p) regressor."""
        W = Y[..., self.columns] * self._factors
        return np.concatenate([W.reshape(-1, len(self.columns)), self.prior])

    def gradient(self, criterion: Criterion, q: Array, qd: Array, qdd: Array) -> tuple[float, tuple[Array, ...]]:
        """A criterion's value, and its (T, nv) derivatives by q, qd and qdd."""
        value, by_W = criterion(self.matrix(self.regressor(q, qd, qdd)))
        weights = np.zeros((*qd.shape, self.regressor.width))
        shape = (*qd.shape, len(self.columns))
        weights[..., self.columns] = by_W[: qd.size].reshape(shape) * self._factors
        return value, self.regressor.gradient(q, qd, qdd, weights)

    @property
    def _factors(self) -> Array:
        """(nv, b) of each row and column."""
        factors: Array = np.sqrt(self.rows) / self.noise[:, None] * self.scale
        return factors


def random_samples(model: ForceModel, count: int, rng: np.random.Generator, most: tuple[Array, ...]) -> Samples:
    """States with positions within limits, and velocities and accelerations up to (nv,) `most`."""
    q = model.robot.space.random_configuration(count, rng=rng)
    qd, qdd = (rng.uniform(-1, 1, (count, model.robot.nv)) * x for x in most)
    return Samples(np.arange(count), q, qd, qdd, np.zeros_like(qd))


def independent_columns(Y: Array) -> tuple[Array, Array]:
    """(b,) columns that others depend on, and (b, p) how: Y = Y[:, columns] @ matrix. Gautier 1991, by QR.

    A column stands for itself if it is independent of those before it: Gram and Schmidt, twice for full precision.
    """
    R = np.asarray(np.linalg.qr(Y, mode="r"))
    threshold = TOLERANCE * np.linalg.norm(R, axis=0).max(initial=0)
    basis, columns = np.zeros((len(R), 0)), []
    for k, column in enumerate(R.T):
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        if (length := np.linalg.norm(rest)) > threshold:
            basis = np.column_stack([basis, rest / length])
            columns.append(k)
    matrix = np.linalg.lstsq(R[:, columns], R, rcond=None)[0]
    return np.array(columns, dtype=int), matrix
