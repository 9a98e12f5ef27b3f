"""From a log to a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import instance, instances, whole_number
from revolute.errors import InputError
from revolute.identification.bodies.physical import consistent
from revolute.identification.checks.check_log import check_logs
from revolute.identification.closed_loop.direct_inverse import direct_inverse
from revolute.identification.closed_loop.instrumental_variables import instrumental
from revolute.identification.closed_loop.output_error import output_error
from revolute.identification.fit.fit import Fit
from revolute.identification.fit.linear_fit import ESTIMATORS, fit_model
from revolute.identification.fit.variable_projection import fit_searched, searched
from revolute.identification.forces.force_model import DRIVES, ForceModel, Term
from revolute.identification.forces.friction import stribeck_searches, with_friction
from revolute.identification.forces.terms import Search
from revolute.identification.log.blocks import LogSource, blocks_of, sources_of
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["ESTIMATORS", "fit_model", "identify"]

Array = NDArray[Any]

CLOSED_LOOP = {"instrumental": instrumental, "direct_inverse": direct_inverse, "output_error": output_error}
"""Estimators that simulate the closed loop, by name."""

SLOWEST, FASTEST = 1e-3, 1.0
"""Speeds between which Stribeck speeds are searched [rad/s, m/s]."""


def identify(
    robot: Robot | DrivenRobot, log: LogSource, *, drives: Sequence[str] = DRIVES, offsets: bool = True,
    terms: Sequence[Term] = (), only: Sequence[str] | None = None, asymmetric: bool = False,
    stribeck: float | Mapping[str, float] | str | None = None, searches: Sequence[Search] = (),
    gains: Sequence[str] = (), estimator: str = "weighted", decimate: int | None = None, momentum: float | None = None,
    controller: Any = None, reference: Any = None, physical: bool = False, check: bool = True,
) -> Fit:
    """Parameters of links and drives from a log of motions and forces, with error bars. Gautier 1997; Swevers 2007.

    The estimate is that of base parameters: combinations that forces depend on. Forces of each coordinate are weighted
    by their noise. Errors take into account that residuals of filtered logs are correlated.

    Args:
        robot: that moved; its own parameters stand in for what the log cannot tell.
        log: path of a file, or what `read_log` gives; or samples, or blocks of samples: parts of one log in order, or
            several logs. Blocks are read one by one, so a log may be of any length; several times, unless the rows
            that are kept fit into memory, or into a temporary file of 512 MB.
        drives: kinds of parameters of drives that are fitted: see `DRIVES`; the others keep the robot's values.
        offsets: whether each coordinate has a constant force.
        terms: other forces that are linear in a parameter, such as `counterbalance` and `coupled_drive`.
        only: names of parameters, links or joints to fit; the others keep the robot's values. By default all.
        asymmetric: whether Coulomb friction differs by direction.
        stribeck: speeds of Stribeck friction [rad/s, m/s], for all joints or by joint; or "search": those with the
            smallest residual. None for no such friction, but where the robot's drives have it.
        searches: numbers that further terms depend on, found with everything else: see `Search`.
        gains: coordinates whose forces are currents with unknown gains; `only` must leave something known.
        estimator: "weighted", by the noise of each coordinate; "ordinary", all the same; "huber", in which outliers
            have less weight; "instrumental", where positions are noisy, and "direct_inverse", from forces alone: see
            `revolute.identification.closed_loop.instrumental_variables` and `direct_inverse`.
        decimate: keep one row of so many, after the same low-pass filter for regressors and forces (Gautier 1997):
            for forces that were not filtered before. None: of logs as many as their cut-off frequency allows, of
            samples all.
        momentum: length of windows [s], for a floating base whose wrenches are known, or none: see `with_wrenches`. Its
            rows are then changes of momentum over windows, which need no accelerations. None: forces at instants.
        controller: of the log, or a function that makes it for a reference: see `revolute.identification.ClosedLoop`.
            For the two last estimators.
        reference: that the controller followed; None for its own.
        physical: whether links are real bodies and friction takes energy: see `consistent`.
        check: whether to look for what in the log does not fit the robot, such as degrees or a reversed sign: see
            `revolute.identification.doubts`. It takes some 0.1 s.

    Raises:
        InputError, ShapeError, UnknownNameError: arguments or samples that do not fit.

    Warns:
        ModelWarning: the log does not look like one of this robot.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import Samples
        >>> arm, rng = revolute.robots.planar(2).with_drives(), np.random.default_rng(1)
        >>> q, qd, qdd = rng.standard_normal((3, 500, 2))
        >>> tau = arm.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.05, (500, 2))
        >>> fit = revolute.identify(
        ...     arm, Samples(np.arange(500) / 100, q, qd, qdd, tau), offsets=False
        ... )
        >>> print(fit.names[0], fit.values[0].round(2))
        link1.mx + link2.m 1.5
    """
    if not isinstance(robot, (Robot, DrivenRobot)):
        raise InputError(f"identify: robot must be a Robot or a DrivenRobot, not {robot!r}")
    flags = {"offsets": offsets, "asymmetric": asymmetric, "physical": physical, "check": check}
    for name, value in flags.items():
        instance(f"identify: {name}", value, (bool, np.bool_))
    if decimate is not None:
        whole_number("identify: decimate", decimate, 1)
    terms, gains = instances("identify: terms", terms, Term), instances("identify: gains", gains, str)
    only = None if only is None else instances("identify: only", only, str)
    sources = sources_of(robot, log)
    own = with_friction(robot, asymmetric=asymmetric)
    asked = {"friction_backward": asymmetric, "stribeck": stribeck is not None}
    drives = [*instances("drives", drives, str), *(kind for kind, wanted in asked.items() if wanted)]
    searches = instances("searches", searches, Search)
    speeds = stribeck_searches(own, SLOWEST, FASTEST) if stribeck == "search" else []
    if isinstance(stribeck, str) and not speeds:
        raise InputError(f"stribeck must be speeds, 'search' or None, not {stribeck!r}")
    if estimator not in (*ESTIMATORS, *CLOSED_LOOP):
        raise InputError(f"no estimator is called {estimator!r}; they are {', '.join((*ESTIMATORS, *CLOSED_LOOP))}")
    if estimator in CLOSED_LOOP and (gains or speeds or searches):
        raise InputError(f"gains can be unknown, and numbers searched, by the estimators {', '.join(ESTIMATORS)}")

    def model_of(values: Mapping[str, float]) -> ForceModel:
        """With the terms of these numbers; none for those of no search."""
        known: Any = stribeck if not speeds else None
        if values and speeds:
            known = {each.name.rpartition(".")[0]: values[each.name] for each in speeds}
        more = [term for each in searches if values for term in each.terms(values[each.name])]
        robot = with_friction(own, stribeck=known)
        return ForceModel(
            robot, drives=drives, offsets=offsets, terms=[*terms, *more], only=only, gains=gains, momentum=momentum
        )

    samples, decimate = blocks_of(sources, decimate)
    numbers = [*speeds, *searches]
    best = searched(model_of({}), numbers, samples, decimate) if numbers else {}
    if check:
        check_logs(sources, model_of(best))
    fit: Fit
    if numbers:
        fit = fit_searched(model_of, numbers, best, samples, estimator, decimate)
    elif estimator in CLOSED_LOOP:
        fit = CLOSED_LOOP[estimator](model_of({}), samples, controller, reference, decimate=decimate)
    elif controller is not None or reference is not None:
        raise InputError(f"a controller and a reference are for the estimators {', '.join(CLOSED_LOOP)}")
    else:
        fit = fit_model(model_of({}), samples, estimator, decimate)
    return consistent(fit) if physical else fit
