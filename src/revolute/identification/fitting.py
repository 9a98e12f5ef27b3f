"""From a log to a fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import whole_number
from revolute.errors import InputError
from revolute.identification.base import BaseColumns, base_columns
from revolute.identification.blocks_of import LogSource, blocks_of
from revolute.identification.direct_inverse import direct_inverse
from revolute.identification.equations import Equations
from revolute.identification.estimates import errors, measured
from revolute.identification.fit import POOR, Fit, nearest_parameters
from revolute.identification.force_model import DRIVES, ForceModel, Term
from revolute.identification.friction import stribeck_searches, with_friction
from revolute.identification.instrumental import instrumental
from revolute.identification.least_squares import CLIP, added, huber, ordinary, weighted
from revolute.identification.samples import Samples
from revolute.identification.search import searched
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["ESTIMATORS", "check_estimator", "fit_model", "identify"]

Array = NDArray[Any]

ESTIMATORS = ("weighted", "ordinary", "huber")

CLOSED_LOOP = {"instrumental": instrumental, "direct_inverse": direct_inverse}
"""Estimators that simulate the closed loop, by name."""

SLOWEST, FASTEST = 1e-3, 1.0
"""Speeds between which Stribeck speeds are searched [rad/s, m/s]."""


def identify(
    robot: Robot | DrivenRobot,
    log: LogSource,
    *,
    drives: Sequence[str] = DRIVES,
    offsets: bool = True,
    terms: Sequence[Term] = (),
    only: Sequence[str] | None = None,
    asymmetric: bool = False,
    stribeck: float | Mapping[str, float] | str | None = None,
    gains: Sequence[str] = (),
    estimator: str = "weighted",
    decimate: int | None = None,
    controller: Any = None,
    reference: Any = None,
    physical: bool = False,
) -> Fit:
    """Parameters of links and drives from a log of motions and forces, with error bars. Gautier 1997; Swevers 2007.

    The estimate is that of base parameters: combinations that forces depend on. Forces of each coordinate are weighted
    by their noise. Errors take into account that residuals of filtered logs are correlated.

    Args:
        robot: that moved; its own parameters stand in for what the log cannot tell.
        log: path of a file, or what `read_log` gives; or samples, or blocks of samples: parts of one log in order, or
            several logs. Blocks are read one by one, several times; so a log may be of any length.
        drives: kinds of parameters of drives: see `DRIVES`.
        offsets: whether each coordinate has a constant force.
        terms: other forces that are linear in a parameter, such as `counterbalance` and `coupled_drive`.
        only: names of parameters, links or joints to fit; the others keep the robot's values. By default all.
        asymmetric: whether Coulomb friction differs by direction.
        stribeck: speeds of Stribeck friction [rad/s, m/s], for all joints or by joint; or "search": those with the
            smallest residual. None for no such friction, but where the robot's drives have it.
        gains: coordinates whose forces are currents with unknown gains; `only` must leave something known.
        estimator: "weighted", by the noise of each coordinate; "ordinary", all the same; "huber", in which outliers
            have less weight; "instrumental", where positions are noisy, and "direct_inverse", from forces alone: see
            `revolute.identification.instrumental` and `direct_inverse`.
        decimate: keep one row of so many, after the same low-pass filter for regressors and forces (Gautier 1997):
            for forces that were not filtered before. None: of logs as many as their cut-off frequency allows, of
            samples all.
        controller: of the log, or a function that makes it for a reference: see `revolute.identification.ClosedLoop`.
            For the two last estimators.
        reference: that the controller followed; None for its own.
        physical: whether full parameters are those of real bodies: see `Fit.physical`.

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
    samples, decimate = blocks_of(robot, log, decimate)
    own = with_friction(robot, asymmetric=asymmetric)
    if stribeck == "search":
        smooth = ForceModel(own, drives=drives, offsets=offsets, terms=terms, only=only)
        stribeck = searched(smooth, stribeck_searches(own, SLOWEST, FASTEST), samples, decimate)
    if isinstance(stribeck, str):
        raise InputError(f"stribeck must be speeds, 'search' or None, not {stribeck!r}")
    own = with_friction(own, stribeck=stribeck)
    model = ForceModel(own, drives=drives, offsets=offsets, terms=terms, only=only, gains=gains)
    if estimator in CLOSED_LOOP and gains:
        raise InputError(f"gains can be unknown for the estimators {', '.join(ESTIMATORS)}")
    fit: Fit
    if estimator in CLOSED_LOOP:
        fit = CLOSED_LOOP[estimator](model, samples, controller, reference, decimate=decimate)
    elif controller is not None or reference is not None:
        raise InputError(f"a controller and a reference are for the estimators {', '.join(CLOSED_LOOP)}")
    else:
        fit = fit_model(model, samples, estimator, decimate)
    return fit.physical() if physical else fit


def check_estimator(estimator: str, known: Sequence[str] = (*ESTIMATORS, *CLOSED_LOOP)) -> None:
    """Raise InputError if there is no such estimator."""
    if estimator not in known:
        raise InputError(f"no estimator is called {estimator!r}; they are {', '.join(known)}")


def fit_model(
    model: ForceModel, log: Samples | Iterable[Samples], estimator: str = "weighted", decimate: int = 1
) -> Fit:
    """See `identify`."""
    check_estimator(estimator, ESTIMATORS)
    base = base_columns(model, measured(model, log))
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
    _require_gains(model, base, solution.values, covariance)
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


def _require_gains(model: ForceModel, base: BaseColumns, values: Array, covariance: Array) -> None:
    """Gains that are told, or `InputError`: where nothing is known, all forces and gains are best explained as zero."""
    for k in model.gains:
        name = f"{model.coordinates[k]}.gain"
        place = base.names.index(name) if name in base.names else None
        if place is not None and not np.sqrt(covariance[place, place]) < POOR * abs(values[place]):
            raise InputError(
                f"the log does not tell {name}: no force of that joint is known. Hold what is known, such as a "
                "payload or the last link (only=...), or give the gain"
            )
