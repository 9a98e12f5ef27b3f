"""From a log to a fit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import whole_number
from revolute.errors import InputError
from revolute.identification.base import base_columns
from revolute.identification.equations import Equations
from revolute.identification.estimates import errors
from revolute.identification.fit import Fit, nearest_parameters
from revolute.identification.force_model import DRIVES, ForceModel, Term
from revolute.identification.least_squares import CLIP, added, huber, ordinary, weighted
from revolute.identification.log import Log
from revolute.identification.samples import Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["ESTIMATORS", "fit_model", "identify"]

Array = NDArray[Any]

ESTIMATORS = ("weighted", "ordinary", "huber")


def identify(
    robot: Robot | DrivenRobot,
    log: str | os.PathLike[str] | Log | Samples | Iterable[Samples],
    *,
    drives: Sequence[str] = DRIVES,
    offsets: bool = True,
    terms: Sequence[Term] = (),
    only: Sequence[str] | None = None,
    estimator: str = "weighted",
    decimate: int = 1,
) -> Fit:
    """Parameters of links and drives from a log of motions and forces, with error bars. Gautier 1997; Swevers 2007.

    The estimate is that of base parameters: combinations that forces depend on. Forces of each coordinate are weighted
    by their noise. Errors take into account that residuals of filtered logs are correlated.

    Args:
        robot: that moved; its own parameters stand in for what the log cannot tell.
        log: path of a file, or what `read_log` gives: it is filtered by its defaults; or samples, or blocks of samples: parts of one log in order, or several logs. Blocks are read one by one, so
            a log may be of any length; an object that can be iterated several times.
        drives: kinds of parameters of drives: see `DRIVES`.
        offsets: whether each coordinate has a constant force.
        terms: other forces that are linear in a parameter.
        only: names of parameters, links or joints to fit; the others keep the robot's values. By default all.
        estimator: "weighted", by the noise of each coordinate; "ordinary", all the same; "huber", in which outliers
            have less weight.
        decimate: keep one row of so many, after the same low-pass filter for regressors and forces (Gautier 1997):
            for forces that were not filtered before.

    Raises:
        InputError, ShapeError, UnknownNameError: arguments or samples that do not fit.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import Samples
        >>> arm, rng = revolute.robots.planar(2).with_drives(), np.random.default_rng(1)
        >>> q, qd, qdd = rng.standard_normal((3, 500, 2))
        >>> tau = arm.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.05, (500, 2))
        >>> fit = revolute.identify(arm, Samples(np.arange(500) / 100, q, qd, qdd, tau), offsets=False)
        >>> print(fit.names[0], fit.values[0].round(2))
        link1.mx + link2.m 1.5
    """
    return fit_model(
        ForceModel(robot, drives=drives, offsets=offsets, terms=terms, only=only), log, estimator, decimate
    )


def fit_model(
    model: ForceModel, log: Samples | Iterable[Samples], estimator: str = "weighted", decimate: int = 1
) -> Fit:
    """See `identify`."""
    if estimator not in ESTIMATORS:
        raise InputError(f"no estimator is called {estimator!r}; they are {', '.join(ESTIMATORS)}")
    base = base_columns(model)
    rows = Equations(model, base, log, whole_number("decimate", decimate, 1))
    sums = added(rows, base.active)
    if not sums.counts.any():
        raise InputError("the log has no measured forces")
    known = base.matrix @ model.values
    clip = None
    if estimator == "huber":
        solution, weights, final = huber(rows, sums, known)
        clip = CLIP / np.sqrt(weights)
    else:
        solution, weights = (weighted if estimator == "weighted" else ordinary)(sums, known)
        final = sums
    covariance, noise, freedom = errors(rows, sums, solution, weights, clip)
    return Fit(
        model=model,
        base=base,
        values=solution.values,
        covariance=covariance,
        parameters=nearest_parameters(model, base, solution.values),
        residual_rms=np.sqrt(sums.squares(solution.values) / np.maximum(sums.counts, 1)),
        signal_rms=sums.signal,
        noise=noise,
        weights=weights,
        freedom=freedom,
        rows=int(sums.counts.sum()),
        rank=solution.rank,
        condition=solution.condition,
        triangle=final.triangle(weights),
        sums=sums,
        estimator=estimator,
    )
