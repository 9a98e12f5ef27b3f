"""Essential parameters: those that the forces of a log need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from revolute.arguments import number
from revolute.errors import InputError, UnknownNameError
from revolute.identification.fit.fit import Fit
from revolute.identification.fit.least_squares import solve
from revolute.identification.fit.residual_correlation import f_probability
from revolute.identification.forces.nearest_parameters import nearest_parameters
from revolute.identification.samples import Array

__all__ = ["FTest", "essential", "f_test"]


class FTest(NamedTuple):
    """Fisher's F, and the probability of one as large if the parameters were zero."""

    F: float
    probability: float


def f_test(fit: Fit, names: Sequence[str]) -> FTest:
    """See `Fit.f_test`."""
    for name in names:
        if name not in fit.names:
            raise UnknownNameError(f"f_test: no base parameter is called '{name}'; they are {', '.join(fit.names)}")
    return _f_test(fit.values, fit.covariance, [fit.names.index(name) for name in names], fit.freedom)


def _f_test(values: Array, covariance: Array, at: Sequence[int], freedom: float) -> FTest:
    block = covariance[np.ix_(at, at)]
    if not len(at) or not np.isfinite(block).all():
        return FTest(0.0, 1.0)
    x = values[at]
    F = float(x @ np.linalg.lstsq(block, x, rcond=None)[0] / len(at))
    return FTest(F, f_probability(F, len(at), freedom))


def essential(fit: Fit, level: float) -> Fit:
    """See `Fit.essential`."""
    if not 0 < number("level", level) < 1:
        raise InputError(f"level must be between 0 and 1, not {level}")
    normal = fit.triangle[:, :-1].T @ fit.triangle[:, :-1]
    middle = normal @ np.where(np.isfinite(fit.covariance), fit.covariance, 0) @ normal
    kept, removed = [*range(len(fit.values))], list[int]()
    values, covariance = fit.values, fit.covariance
    while kept:
        with np.errstate(invalid="ignore", divide="ignore"):
            F = np.nan_to_num(values**2 / np.diag(covariance), nan=0.0)
        least = int(np.argmin(F))
        if f_probability(float(F[least]), 1, fit.freedom) <= level:
            break
        removed.append(kept.pop(least))
        values, covariance = _subset(fit, kept, middle)
    while removed and _f_test(fit.values, fit.covariance, removed, fit.freedom).probability <= level:
        kept = sorted([*kept, removed.pop()])
        values, covariance = _subset(fit, kept, middle)
    return _with(fit, kept, values, covariance)


def _subset(fit: Fit, kept: list[int], middle: Array) -> tuple[Array, Array]:
    """Values and covariance of a model of some columns."""
    solution = solve(fit.triangle[:, [*kept, -1]], np.zeros(len(kept)))
    covariance = solution.inverse @ middle[np.ix_(kept, kept)] @ solution.inverse
    covariance[np.diag_indices_from(covariance)] += np.where(solution.free, np.inf, 0)
    return solution.values, covariance


def _with(fit: Fit, kept: list[int], values: Array, covariance: Array) -> Fit:
    """The fit of some columns."""
    R, base = fit.triangle[:, [*kept, -1]], fit.base.only(kept)
    solution = solve(R, np.zeros(len(kept)))
    all_values = np.zeros(len(fit.values))
    all_values[kept] = values
    return replace(
        fit,
        base=base,
        values=values,
        covariance=covariance,
        parameters=nearest_parameters(fit.model, fit.base, all_values),
        rank=solution.rank,
        condition=solution.condition,
        triangle=np.asarray(np.linalg.qr(R, mode="r")),
        sums=fit.sums.only(kept),
    )
