"""What a motion tells about base parameters: weighted rows of the regressor, and criteria with gradients by motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import float_copy
from revolute.errors import InputError, ShapeError
from revolute.identification.excitation.criteria import Criterion
from revolute.identification.excitation.regressor import SmoothRegressor
from revolute.identification.force_model import ForceModel
from revolute.identification.samples import Samples
from revolute.machine.driven import DrivenRobot
from revolute.model.columns import limit_column

__all__ = ["Information", "independent_columns", "information_of"]

Array = NDArray[Any]

SHARE = 0.01
"""Noise of joint forces by default, as a share of the rated efforts."""
UNKNOWN = 1e6
"""Standard deviation of what is not known beforehand, in units in which parameters are felt as noise."""
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


def information_of(
    model: ForceModel,
    smooth: SmoothRegressor,
    fastest: tuple[Array, Array],
    noise: ArrayLike | None,
    prior: ArrayLike | None,
    scaled: bool,
    rows: float,
) -> Information:
    """Base parameters, their scales, and weights of rows.

    Args:
        model: of the forces.
        smooth: its regressor.
        fastest: (nv,) speeds and accelerations of usual motions: columns of the regressor are compared at these.
        noise, prior, scaled: see `excite`.
        rows: see `Information`.

    Raises:
        InputError, ShapeError: arguments that do not fit; no parameter is felt.
    """
    nv, p = model.robot.nv, len(model.names)
    deviations = _noise(model.robot, noise)
    samples = _random_samples(model, 2 * p // nv + 50, np.random.default_rng(0), fastest)
    Y = smooth(samples.q, samples.qd, samples.qdd) / deviations[:, None]
    lengths = _lengths(Y.reshape(-1, p))
    columns, matrix = independent_columns(Y.reshape(-1, p) / lengths)
    if not len(columns):
        raise InputError("excite: no parameter is felt in any force")
    felt = lengths[columns]
    scale = 1 / felt if scaled else np.ones(len(columns))
    known = _prior(prior, matrix, lengths) * (felt * scale)
    return Information(smooth, columns, deviations, scale, felt, known, rows)


def _random_samples(model: ForceModel, count: int, rng: np.random.Generator, most: tuple[Array, ...]) -> Samples:
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


def _lengths(Y: Array) -> Array:
    """(p,) root mean squares of columns; 1 of columns that are zero."""
    lengths = np.sqrt((Y**2).mean(axis=0))
    found: Array = np.where(lengths > 0, lengths, 1.0)
    return found


def _noise(robot: DrivenRobot, noise: ArrayLike | None) -> Array:
    """(nv,) standard deviations."""
    if noise is None:
        rated = limit_column(robot.space, "effort", "nv", 0.0)
        return SHARE * rated if (np.isfinite(rated) & (rated > 0)).all() else np.ones(robot.nv)
    values = float_copy("excite: noise", noise)
    if values.shape not in ((), (robot.nv,)) or not (np.isfinite(values) & (values > 0)).all():
        raise ShapeError(f"excite: noise must be one positive number, or {robot.nv} of them, not {noise!r}")
    return np.broadcast_to(values, (robot.nv,)).copy()


def _prior(prior: ArrayLike | None, matrix: Array, lengths: Array) -> Array:
    """Rows of what is known: L with L^T L the inverse of the covariance of base parameters, `matrix` @ parameters.

    Both are in units in which they are felt alike: (p,) parameters times `lengths`.
    """
    if prior is None:
        return np.zeros((0, len(matrix)))
    deviations = float_copy("excite: prior", prior)
    if deviations.shape != lengths.shape or not (deviations > 0).all():
        raise ShapeError(
            f"excite: prior needs {len(lengths)} positive standard deviations, one for each parameter of the model"
        )
    R = np.asarray(np.linalg.qr((matrix * np.minimum(deviations * lengths, UNKNOWN)).T, mode="r"))
    rows: Array = np.linalg.inv(R).T
    return rows
