"""Mass, centre of mass and inertia of a payload or a tool, from a short log. Khalil, Gautier & Lemoine 2007."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from revolute.arguments import instance, instances
from revolute.errors import InputError, warn_caller
from revolute.identification.bodies.entropic import minimized
from revolute.identification.bodies.payload import Payload
from revolute.identification.bodies.scaled_problem import ScaledProblem, to_vector, vectors_to_parameters
from revolute.identification.fit.equations import check_samples
from revolute.identification.fit.fit import Fit
from revolute.identification.fit.linear_fit import fit_model
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.terms import Term
from revolute.identification.log.blocks import LogSource, blocks_of, sources_of
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.parameters import NAMES, from_vector
from revolute.model.parameters import to_vector as ten_parameters
from revolute.model.pseudo_inertia import from_pseudo_inertia, pseudo_inertia
from revolute.spatial import Inertia, Transform

FAR, ROUNDING = 5.0, 1e-3
"""Maximum distance of an estimate from the nearest consistent body without a warning: in standard errors; and as a
relative distance, which is added for logs with almost no noise."""

UNDETERMINED = 1e-6
"""A parameter counts as known if its component in each direction that the log does not determine is at most this."""


def payload(
    robot: Robot | DrivenRobot, log: LogSource, link: str, *, without: LogSource | None = None, offsets: bool = False,
    drives: Sequence[str] = (), terms: Sequence[Term] = (), estimator: str = "weighted",
) -> Payload:
    """Identify the load on a link from a log of a known robot, or from two logs, without and with the load.

    By default, only the load's ten parameters are fitted. If `without` is given, the robot is first fitted to that log,
    and the errors of this fit are included in those of the load. If both logs have the same trajectory, model errors
    cancel.

    Args:
        robot: the identified robot with its drives, without the load.
        log: log of the robot with the load: see `identify`.
        link: name of the link that carries the load; results are expressed in its frame.
        without: a log without the load.
        offsets: whether to fit a constant force of each coordinate for this log, such as sensor drift.
        drives: kinds of parameters of drives to fit together with the load: see `ForceModel`.
        terms: further force terms to fit together with the load.
        estimator: see `identify`.

    Raises:
        UnknownNameError: no link has that name.
        InputError: the link does not move; samples do not fit the robot.

    Warns:
        ModelWarning: the log does not determine some of the ten parameters; or the estimate is far from any physically
            consistent parameters.

    Example:
        >>> from revolute.identification import Samples, payload
        >>> arm, rng = revolute.robots.ur5(), np.random.default_rng(1)
        >>> place = revolute.Transform(p=(0, 0, 0.05))
        >>> parcel = revolute.Inertia.box(2.0, (0.3, 0.2, 0.1), place)
        >>> q, qd, qdd = rng.standard_normal((3, 500, 6))
        >>> tau = arm.with_payload("tool0", parcel).inverse_dynamics(q, qd, qdd)
        >>> log = Samples(np.arange(500) / 100, q, qd, qdd, rng.normal(tau, 0.05))
        >>> load = payload(arm, log, "tool0")
        >>> round(load.mass, 2), load.com.round(2) + 0.0
        (2.0, array([0.  , 0.  , 0.05]))
        >>> loaded = arm.with_payload("tool0", load.inertia)
    """
    driven = robot if isinstance(robot, DrivenRobot) else instance("payload: robot", robot, Robot).with_drives()
    blocks = _blocks(driven, log)
    kinds, further = instances("payload: drives", drives, str), instances("payload: terms", terms, Term)
    instance("payload: offsets", offsets, bool)
    instance("payload: estimator", estimator, str)
    frame = driven.robot.frame(link)
    if frame.body == 0:
        raise InputError(f"payload: link '{link}' does not move, so a load on it changes no joint force")
    before = None if without is None else fit_model(ForceModel(driven), _blocks(driven, without), estimator)
    model = ForceModel(driven, drives=kinds, offsets=offsets, terms=further)
    own = np.arange(model.links) // 10 == frame.body - 1
    model.fitted[: model.links], model.values = own, np.zeros(len(model.names))
    fit = fit_model(model, [_load(model, before, x) for x in blocks], estimator)
    whole = np.nan_to_num(fit.covariance, posinf=0.0) + (_of_model(fit, before, blocks) if before is not None else 0)
    estimate, covariance = _of_link(fit, whole, np.flatnonzero(own), frame.placement)
    load = Payload(link, nearest_body(estimate, covariance), estimate, covariance, fit.freedom, fit)
    for warning in _warnings(load):
        warn_caller(warning)
    return load


def _warnings(load: Payload) -> Iterator[str]:
    """Yield warnings about parameters that are unknown, or far from the nearest physically consistent ones."""
    unknown = list(compress(NAMES, ~np.isfinite(load.standard_errors)))
    if unknown:
        yield (
            f"payload: the log does not determine {', '.join(unknown)} of the load on '{load.link}'; move more joints, "
            "and faster for inertias"
        )
    away = np.abs(np.array(ten_parameters(load.inertia), dtype=float) - load.estimate)
    sizes = np.repeat([np.abs(part).max() for part in np.split(load.estimate, [1, 4])], [1, 3, 6])
    beyond = away > FAR * load.standard_errors + ROUNDING * sizes
    values = [f"{name} = {x:.4g}" for name, x in compress(zip(NAMES, load.estimate, strict=True), beyond)]
    if values:
        yield (
            f"payload: the estimated parameters of the load on '{load.link}' are not physically consistent: "
            f"{', '.join(values)}; the nearest consistent ones are outside their error bars. Check signs, units and "
            "order of the forces, and the robot's parameters and drives"
        )


def _blocks(robot: DrivenRobot, log: LogSource) -> tuple[Samples, ...]:
    return instances("payload: log", blocks_of(sources_of(robot, log), 1)[0], Samples)


def _load(model: ForceModel, before: Fit | None, x: Samples) -> Samples:
    """Samples with the forces of the load: measured forces minus those of the robot, or of its fit `before`."""
    check_samples(model, x)
    forces = model.robot.inverse_dynamics(x.q, x.qd, x.qdd) if before is None else before.predict(x)
    return replace(x, tau=x.tau - forces)


def _of_model(fit: Fit, before: Fit, blocks: Sequence[Samples]) -> Array:
    """(b, b) covariance of the load's base parameters due to the errors of the robot's base parameters."""
    R = fit.triangle[: len(fit.values), :-1]
    inverse, cross = np.linalg.pinv(R.T @ R, rcond=1e-12), np.zeros((len(fit.values), len(before.values)))
    for x in blocks:
        Y, of_robot = (each.model.regressor(x)[..., each.base.columns] for each in (fit, before))
        there = np.isfinite(x.tau)[..., None]
        cross += np.einsum("tka,k,tkb->ab", np.where(there, Y, 0), fit.weights, of_robot, optimize=True)
    gain = inverse @ cross
    return np.asarray(gain @ np.nan_to_num(before.covariance, posinf=0.0) @ gain.T)


def _of_link(fit: Fit, covariance: Array, own: Array, placement: Transform) -> tuple[Array, Array]:
    """The load's ten parameters in the frame of the link, and their covariance, which is infinite for unknown ones."""
    fitted = np.flatnonzero(fit.model.fitted)
    B = fit.base.matrix[:, fitted]
    back = np.linalg.pinv(B)
    place = np.searchsorted(fitted, own)
    X = np.array(placement.inverse().matrix(), dtype=float)
    turn = np.column_stack([from_pseudo_inertia(X @ pseudo_inertia(e) @ X.T) for e in np.eye(10)])
    take = turn @ back[place]
    blind = take[:, ~np.isfinite(np.diag(fit.covariance))]
    unseen = turn @ (np.eye(len(fitted)) - back @ B)[place]
    free = (np.abs(np.column_stack([blind, unseen])) > UNDETERMINED).any(axis=1)
    found = take @ covariance @ take.T
    found[free], found[:, free] = 0, 0
    found[free, free] = np.inf
    return np.where(free, 0.0, take @ fit.values), found


RADIUS = 0.1  # radius of gyration of the prior [m], used if the log does not determine the inertia

PULLS = (1e-3, 1.0, 1e3, 1e6)
"""Weights of the prior, tried in order until a solution exists. Weight 1 equals one measurement with a 100 % error."""


def nearest_body(estimate: Array, covariance: Array) -> Inertia:
    """The physically consistent inertia nearest to the estimate, weighted by its errors. Prior: a uniform sphere."""
    known = np.isfinite(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance[np.ix_(known, known)])
    values = np.maximum(values, 1e-16 * values.max(initial=0) + 1e-24)
    S = np.zeros((len(values), 10))
    S[:, known] = (vectors / np.sqrt(values)).T
    mass = max(float(estimate[0]), 1e-2)
    com = np.clip(estimate[1:4] / mass, -1, 1)
    ball = Inertia.from_com(mass, com.tolist(), (mass * RADIUS**2 * np.eye(3)).tolist())
    prior = pseudo_inertia(np.array(ten_parameters(ball), dtype=float))
    T = vectors_to_parameters(np.linalg.cholesky(prior))
    z0, none = to_vector(np.eye(4)), np.zeros(10, dtype=bool)
    for pull in PULLS:
        problem = ScaledProblem(S @ T, S @ estimate, T, np.zeros(10), z0, (0,), prior[None], none, pull)
        try:
            return from_vector(problem.parameters(minimized(problem, ())).tolist())
        except InputError:
            continue
    raise InputError(
        f"payload: no physically consistent body is near the estimate, whose mass is {estimate[0]:.4g} kg; check that "
        "the log belongs to this robot, and that its forces are joint forces"
    )
