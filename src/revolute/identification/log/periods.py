"""Logs of periodic motions: means over periods, exact derivatives, noise. Swevers et al. 1997."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy, positive, whole_number
from revolute.errors import InputError, ShapeError
from revolute.identification.samples import Array, Samples

CERTAIN = 6.0
"""Number of standard errors above which a harmonic is significant, with a false-alarm probability of exp(-18)."""

EVEN = 1e-3  # deviation of a time step, or of a period from whole steps, that counts as rounding error, in time steps


@dataclass(frozen=True, eq=False)
class Periods:
    """One period of a motion, averaged over many: see `average_periods`.

    Attributes:
        samples: samples of one period, from time 0 on. Positions are a Fourier series, velocities and accelerations its
            exact derivatives; forces are means.
        count: number of periods.
        harmonics: number of harmonics of the series.
        position_noise: (nv, nv) covariance of one measurement of the positions [rad^2, m^2].
        force_noise: (nv, nv) covariance of one measurement of the forces; for their mean it is `count` times smaller.
    """

    samples: Samples
    count: int
    harmonics: int
    position_noise: Array
    force_noise: Array

    def misfit(self, forces: ArrayLike) -> Array:
        """(nv,) mean squares of residuals divided by the noise variances of mean forces: about 1 for a correct model.

        Args:
            forces: (T, nv) forces of a model at the samples, such as `fit.predict(periods.samples)`.
        """
        residuals = self.samples.tau - np.asarray(forces, dtype=float)
        return np.asarray(np.mean(residuals**2, axis=0) / (np.diag(self.force_noise) / self.count))


def average_periods(
    t: ArrayLike, q: ArrayLike, tau: ArrayLike, period: float, *, harmonics: int | None = None, skip: int = 1
) -> Periods:
    """Average the periods of a motion, and estimate the noise from their differences. Swevers et al. 1997.

    The mean of n periods has n times less noise power, without a filter. Positions are fitted by a Fourier series, so
    its derivatives are exact and contain only the noise of few harmonics.

    Args:
        t: (T,) times at equal steps [s].
        q: (T, nv) measured positions of joints with one coordinate [rad, m].
        tau: (T, nv) measured forces [N m, N].
        period: period of the motion [s], a whole number of steps.
        harmonics: number of harmonics of the Fourier series; None: all significant ones.
        skip: number of periods to omit at the beginning, while the motion settles.

    Raises:
        InputError: steps are uneven, the period is not a multiple of the step, values are not finite, or there are
            fewer than two periods or too many harmonics.
        ShapeError: arrays do not fit each other.

    Example:
        >>> from revolute.identification import average_periods
        >>> t, rng = np.arange(5000) / 100, np.random.default_rng(0)
        >>> q = np.sin(2 * np.pi * t)[:, None] + rng.normal(0, 0.01, (5000, 1))
        >>> one = average_periods(t, q, q, period=1.0)
        >>> one.count, one.harmonics, float(np.sqrt(one.position_noise[0, 0]).round(3))
        (49, 1, 0.01)
        >>> # noise of the mean position
        >>> bool(np.abs(one.samples.qdd + 4 * np.pi**2 * one.samples.q).max() < 0.05)
        True
    """
    times, positions, forces = _checked(t, q, tau)
    step = float(np.mean(np.diff(times)))
    steps = round(positive("average_periods: period", period, "number [s]") / step)
    if steps < 4 or abs(steps * step - period) > EVEN * step * max(1.0, len(times) / steps):
        raise InputError(
            f"average_periods: a period of {period:g} s is {period / step:.4f} steps of {step:g} s; it must be a whole "
            "number, 4 or more: resample the log"
        )
    count = len(times) // steps - whole_number("average_periods: skip", skip, 0)
    if count < 2:
        raise InputError(
            f"average_periods: {len(times) / steps:.2f} periods, of which {skip} are skipped: at least two must remain"
        )
    begin = skip * steps
    angles, loads = (x[begin : begin + count * steps].reshape(count, steps, -1) for x in (positions, forces))
    series, order = _series(angles, harmonics)
    clock = np.arange(steps) * step
    q_mean, qd, qdd = (_values(series, steps, period, rate) for rate in range(3))
    samples = Samples(clock, q_mean, qd, qdd, loads.mean(axis=0))
    return Periods(samples, count, order, _noise(angles), _noise(loads))


def _checked(t: ArrayLike, q: ArrayLike, tau: ArrayLike) -> tuple[Array, Array, Array]:
    arrays = {name: float_copy(f"average_periods: {name}", x) for name, x in (("t", t), ("q", q), ("tau", tau))}
    times, positions, forces = arrays.values()
    if times.ndim != 1 or positions.ndim != 2 or positions.shape != forces.shape or len(positions) != len(times):
        raise ShapeError(
            f"average_periods: t, q and tau must have shapes (T,), (T, nv) and (T, nv), not {times.shape}, "
            f"{positions.shape} and {forces.shape}"
        )
    for name, x in arrays.items():
        if not np.isfinite(x).all():
            raise InputError(f"average_periods: {name} is not finite in row {int(np.argwhere(~np.isfinite(x))[0][0])}")
    steps = np.diff(times)
    if len(steps) < 2 or not (steps > 0).all() or np.ptp(steps) > 2 * EVEN * steps.mean():
        raise InputError("average_periods: t must increase in equal steps: resample the log")
    return times, positions, forces


def _noise(periods: Array) -> Array:
    """(n, n) covariance of the differences of periods (count, T, n) from their mean."""
    count, steps, n = periods.shape
    rest = (periods - periods.mean(axis=0)).reshape(-1, n)
    return np.asarray(rest.T @ rest / ((count - 1) * steps))


def _series(periods: Array, harmonics: int | None) -> tuple[Array, int]:
    """(harmonics + 1, n) coefficients of the mean period, as from `numpy.fft.rfft`, and the number of harmonics."""
    count, steps, _ = periods.shape
    spectrum, most = np.fft.rfft(periods.mean(axis=0), axis=0), (steps - 1) // 2
    if harmonics is None:
        power = np.abs(spectrum[1 : most + 1]) ** 2
        # standard deviation of the noise of each coefficient, which may depend on frequency
        rest = np.abs(np.fft.rfft(periods - periods.mean(axis=0), axis=1)[:, 1 : most + 1]) ** 2
        noise = rest.sum(axis=0) / (count - 1) / count
        smooth = np.maximum(noise, noise.mean(axis=0, keepdims=True))
        found = np.flatnonzero((power > CERTAIN**2 / 2 * smooth + 1e-24 * power.max()).any(axis=1))
        harmonics = int(found.max()) + 1 if len(found) else 1
    order = whole_number("average_periods: harmonics", harmonics, 1)
    if order > most:
        raise InputError(f"average_periods: {steps} samples per period determine at most {most} harmonics, not {order}")
    return spectrum[: order + 1], order


def _values(series: Array, steps: int, period: float, rate: int) -> Array:
    """(T, n) values of a series, or of its derivative of order `rate`, at equal steps of one period."""
    w = 2j * np.pi / period * np.arange(len(series))
    full = np.zeros((steps // 2 + 1, series.shape[1]), dtype=complex)
    full[: len(series)] = series * w[:, None] ** rate
    return np.asarray(np.fft.irfft(full, steps, axis=0))
