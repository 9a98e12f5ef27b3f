"""The information of a motion on base parameters: weighted rows of the regressor, and criteria. Swevers et al. 1997.

For W = U S V^T with singular values s_1 >= ... >= s_b, and W = Q R, the criteria and their gradients are

    "d"          -log det(W^T W)/b = -2 (sum_i log s_i)/b,    by W: -2 Q R^-T/b
    "condition"  log(s_1/s_b),                                by W: u_1 v_1^T/s_1 - u_b v_b^T/s_b

    "unscaled_condition"    the same for parameters in SI units, not scaled

The first is twice the logarithm of the geometric mean of the axes of the confidence ellipsoid; it does not depend on
the parameters' units. The second is not differentiable where the largest or smallest singular value is repeated.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy
from revolute.errors import InputError, ShapeError
from revolute.identification.excitation.smooth_regressor import SmoothRegressor
from revolute.identification.forces.base_parameters import BaseColumns, base_columns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array
from revolute.machine.driven import DrivenRobot
from revolute.model.columns import limit_column

Criterion = Callable[[Array], tuple[float, Array]]
TINY = 1e-150  # replacement for singular values of zero, which makes the criterion large but finite


def log_det(W: Array) -> tuple[float, Array]:
    """-log det(W^T W)/b of (n, b) rows, and its (n, b) derivatives."""
    Q, R = np.linalg.qr(W)
    diagonal = np.abs(R.diagonal())
    if diagonal.min() < TINY:
        return -2 * float(np.log(np.maximum(diagonal, TINY)).mean()), np.zeros_like(W)
    return -2 * float(np.log(diagonal).mean()), Q @ (np.linalg.inv(R).T * (-2 / len(R)))


def condition(W: Array) -> tuple[float, Array]:
    """log(s_1/s_b) of (n, b) rows, and its (n, b) derivatives."""
    Q, R = np.linalg.qr(W)
    U, s, Vt = np.linalg.svd(R)
    first, last = np.maximum(s[[0, -1]], TINY)
    by_R = np.outer(U[:, 0], Vt[0]) / first - np.outer(U[:, -1], Vt[-1]) / last
    return float(np.log(first / last)), Q @ by_R


UNSCALED = "unscaled_condition"
CRITERIA: dict[str, Criterion] = {"d": log_det, "condition": condition, UNSCALED: condition}


SHARE = 0.01  # default standard deviation of the noise of joint forces, as a fraction of the rated efforts
UNKNOWN = 1e6  # maximum standard deviation of a parameter in the prior, converted to a force in units of the noise


@dataclass(frozen=True, eq=False)
class Information:
    """Weighted rows W, where W^T W is the information on scaled base parameters."""

    # regressor, base: the smoothed regressor, and the base parameters
    regressor: SmoothRegressor
    base: BaseColumns
    noise: Array  # (nv,) standard deviations of the noise of measured forces [N m, N]
    scale: Array  # (b,) base parameters are divided by these
    lengths: Array  # (b,) force due to one unit of each base parameter at random motions, relative to the noise
    prior: Array  # (k, b) rows of prior knowledge about scaled parameters
    rows: float  # number of samples of the log that each instant represents

    def matrix(self, Y: Array) -> Array:
        """(T nv + k, b) W of a (T, nv, p) regressor."""
        W = Y[..., self.base.columns] * self._factors
        return np.concatenate([W.reshape(-1, len(self.base.columns)), self.prior])

    def gradient(self, criterion: Criterion, q: Array, qd: Array, qdd: Array) -> tuple[float, tuple[Array, ...]]:
        """The value of a criterion, and its (T, nv) derivatives with respect to q, qd and qdd."""
        value, by_W = criterion(self.matrix(self.regressor(q, qd, qdd)))
        weights = np.zeros((*qd.shape, self.regressor.width))
        shape = (*qd.shape, len(self.base.columns))
        weights[..., self.base.columns] = by_W[: qd.size].reshape(shape) * self._factors
        return value, self.regressor.gradient(q, qd, qdd, weights)

    @property
    def _factors(self) -> Array:
        """(nv, b) weights of the regressor's entries, by row and column."""
        return np.asarray(np.sqrt(self.rows) / self.noise[:, None] * self.scale)


def information_of(
    model: ForceModel, smooth: SmoothRegressor, fastest: tuple[Array, Array], noise: ArrayLike | None,
    prior: ArrayLike | None, scaled: bool, rows: float,
) -> Information:
    """The information on the base parameters of a model, with scales of parameters and weights of rows.

    Scales are determined by random motions up to `fastest`, (nv,) speeds and accelerations.
    """
    deviations, base = _noise(model.robot, noise), base_columns(model)
    if not len(base):
        raise InputError("excite: no force depends on an unknown parameter; check the parameters of the model")
    rng, count = np.random.default_rng(0), 2 * len(model.names) // model.robot.nv + 50
    q = np.asarray(model.robot.space.random_configuration(count, rng=rng))
    qd, qdd = (rng.uniform(-1, 1, (count, model.robot.nv)) * x for x in fastest)
    Y = smooth(q, qd, qdd) / deviations[:, None]
    lengths = np.sqrt((Y[np.isfinite(Y).all(axis=(1, 2))] ** 2).mean(axis=(0, 1)))
    lengths = np.where(lengths > 0, lengths, 1.0)
    felt = lengths[base.columns]
    scale = 1 / felt if scaled else np.ones(len(base))
    known = _prior(prior, base.matrix * felt[:, None] / lengths, lengths) * (felt * scale)
    return Information(smooth, base, deviations, scale, felt, known, rows)


def _noise(robot: DrivenRobot, noise: ArrayLike | None) -> Array:
    """(nv,) standard deviations of the noise of measured forces."""
    if noise is None:
        rated = limit_column(robot.space, "effort", "nv", 0.0)
        return SHARE * rated if (np.isfinite(rated) & (rated > 0)).all() else np.ones(robot.nv)
    values = float_copy("excite: noise", noise)
    if values.shape not in ((), (robot.nv,)) or not (np.isfinite(values) & (values > 0)).all():
        raise ShapeError(f"excite: noise must be one positive number, or {robot.nv} of them, not {noise!r}")
    return np.broadcast_to(values, (robot.nv,)).copy()


def _prior(prior: ArrayLike | None, matrix: Array, lengths: Array) -> Array:
    """Rows L of a prior, where L^T L is the inverse covariance of the base parameters, `matrix` @ parameters."""
    # Both are in units of equal forces: (p,) parameters times `lengths`.
    if prior is None:
        return np.zeros((0, len(matrix)))
    deviations = float_copy("excite: prior", prior)
    if deviations.shape != lengths.shape or not (deviations > 0).all():
        raise ShapeError(
            f"excite: prior needs {len(lengths)} positive standard deviations, one for each parameter of the model"
        )
    R = np.asarray(np.linalg.qr((matrix * np.minimum(deviations * lengths, UNKNOWN)).T, mode="r"))
    return np.asarray(np.linalg.inv(R).T)
