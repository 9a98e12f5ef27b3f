"""`identify`: from a log to a fit."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from revolute.arguments import instance, whole_number
from revolute.errors import InputError
from revolute.identification.bodies.physical import BodyPrior, consistent
from revolute.identification.checks.check_log import check_logs
from revolute.identification.closed_loop.direct_inverse import DirectInverse
from revolute.identification.closed_loop.instrumental_variables import InstrumentalVariables
from revolute.identification.closed_loop.iterations import LoopEstimator, iterated
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.closed_loop.output_error import OutputError
from revolute.identification.fit.fit import Fit
from revolute.identification.fit.linear_fit import ESTIMATORS, fit_model
from revolute.identification.fit.variable_projection import fit_searched, searched
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.blocks import LogSource, blocks_of, sources_of
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["CLOSED_LOOP", "ESTIMATORS", "identify"]

CLOSED_LOOP: dict[str, Callable[[ForceModel, Any, ClosedLoop, int], LoopEstimator]] = {
    "instrumental": InstrumentalVariables, "direct_inverse": DirectInverse, "output_error": OutputError
}  # fmt: skip
"""Names of the estimators that simulate the closed loop."""


def identify(
    robot: Robot | DrivenRobot | ForceModel, log: LogSource, *, estimator: str = "weighted",
    loop: ClosedLoop | None = None, decimate: int | None = None, physical: bool | BodyPrior = False, check: bool = True,
) -> Fit:
    """Identify parameters of links and drives, with standard errors, from a log. Gautier 1997; Swevers 2007.

    Base parameters are estimated: the combinations of parameters on which forces depend. By default, forces are
    weighted inversely to their noise. Standard errors account for the correlation of residuals in filtered logs.

    Args:
        robot: the robot that moved; its own parameters are kept where the log does not determine them. By default
            links, drives and offsets are fitted; a `ForceModel` of the robot selects other parameters.
        log: path of a file, a log from `read_log`, or samples; or blocks of samples, as parts of one log in order, or
            several logs. Blocks are read one by one, so a log may have any length. They are read several times, unless
            the kept rows fit into memory, or into a temporary file of 512 MB.
        estimator: "weighted", by the noise of each coordinate; "ordinary", with equal weights; "huber", in which
            outliers have less weight. With a `loop`: "instrumental", for noisy positions; "direct_inverse", which uses
            only forces; "output_error", which uses only positions.
        loop: controller and reference of the log; required by the last three estimators.
        decimate: decimation factor, applied after the same low-pass filter for regressors and forces (Gautier 1997).
            Forces must not be filtered before. None: for logs the factor that their cut-off frequency allows, for
            samples 1.
        physical: whether to require physically consistent parameters and dissipative friction; a `BodyPrior` selects
            among such parameters. Standard errors remain those of the fit without constraints: they are conservative.
        check: whether to check the log for contradictions with the robot, such as degrees or a reversed sign: see
            `check_log`. The check takes about 0.1 s.

    Raises:
        InputError, ShapeError, UnknownNameError: arguments or samples are invalid; the closed loop cannot be simulated,
            or its iterations do not converge; no physically consistent parameters explain the forces.
        MissingExtraError: SciPy is not installed.

    Warns:
        ModelWarning: the log does not fit this robot; no physically consistent parameters explain the forces of a
            joint.

    Example:
        >>> from revolute.identification import ForceModel, Samples
        >>> arm, rng = revolute.robots.planar(2).with_drives(), np.random.default_rng(1)
        >>> q, qd, qdd = rng.standard_normal((3, 500, 2))
        >>> tau = arm.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.05, (500, 2))
        >>> log = Samples(np.arange(500) / 100, q, qd, qdd, tau)
        >>> fit = revolute.identify(ForceModel(arm, offsets=False), log)
        >>> print(fit.names[0], fit.values[0].round(2))
        link1.mx + link2.m 1.5
        >>> bodies = revolute.identify(arm, log, physical=True).robot(implausible="refuse")
    """
    model = robot if isinstance(robot, ForceModel) else ForceModel(robot)
    instance("identify: check", check, (bool, np.bool_))
    instance("identify: physical", physical, (bool, np.bool_, BodyPrior))
    if decimate is not None:
        whole_number("identify: decimate", decimate, 1)
    sources = sources_of(model.robot, log)
    _check_estimator(estimator, loop, model)
    samples, decimate = blocks_of(sources, decimate)
    best = searched(model, samples, decimate) if model.searches else {}
    findings = check_logs(sources, model.at(best) if best else model) if check else ()
    fit: Fit
    if best:
        fit = fit_searched(model, best, samples, estimator, decimate)
    elif loop is not None:
        fit = iterated(estimator, CLOSED_LOOP[estimator](model, samples, loop, decimate), model, loop)
    else:
        fit = fit_model(model, samples, estimator, decimate)
    fit = replace(fit, findings=findings)
    return consistent(fit, physical if isinstance(physical, BodyPrior) else BodyPrior()) if physical else fit


def _check_estimator(estimator: str, loop: ClosedLoop | None, model: ForceModel) -> None:
    """Raise InputError if the estimator is unknown, or incompatible with the loop or the model."""
    if estimator not in (*ESTIMATORS, *CLOSED_LOOP):
        raise InputError(f"unknown estimator {estimator!r}; available: {', '.join((*ESTIMATORS, *CLOSED_LOOP))}")
    if estimator in CLOSED_LOOP and loop is None:
        raise InputError(
            f"the estimator '{estimator}' simulates the log: describe its control by "
            "loop=ClosedLoop(controller, reference)"
        )
    if estimator in ESTIMATORS and loop is not None:
        raise InputError(f"a closed loop requires one of the estimators {', '.join(CLOSED_LOOP)}")
    if loop is not None:
        instance("identify: loop", loop, ClosedLoop)
        if model.gains or model.searches:
            names = ", ".join(ESTIMATORS)
            raise InputError(f"unknown gains and Search terms need one of the estimators {names}, without a loop")
