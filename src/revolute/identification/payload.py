"""Mass, centre of mass and inertia of a payload or a tool, from a short log. Khalil, Gautier & Lemoine 2007."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import instance, instances, number
from revolute.errors import InputError, ShapeError, warn_caller
from revolute.identification.fit import Fit
from revolute.identification.fitting import fit_model
from revolute.identification.force_model import ForceModel, Term
from revolute.identification.interior import minimized_inside
from revolute.identification.pseudo_inertia import (
    from_pseudo_inertia,
    pseudo_inertia,
    to_vector,
    vectors_to_parameters,
)
from revolute.identification.samples import Samples
from revolute.identification.scaled_problem import ScaledProblem
from revolute.identification.statistics import t_quantile
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.parameters import NAMES, from_vector
from revolute.model.parameters import to_vector as ten_parameters
from revolute.spatial import Inertia, Transform

__all__ = ["Payload", "identify_payload"]

Array = NDArray[Any]
Log = Samples | Iterable[Samples]

RADIUS = 0.1
"""Radius of gyration [m] that a payload is taken to have where the log does not tell its inertia."""

PULLS = (1e-3, 1.0, 1e3, 1e6)
"""Weights of that, beside one measurement with an error of 100 %: the first with which a real body is found."""

FAR = 5.0
"""Standard errors between the estimate and the nearest real body above which something else is wrong."""

ROUNDING = 1e-3
"""Relative change of a parameter that counts as none, of logs almost without noise."""

TOLD = 1e-6
"""Share of a parameter in a direction that the log does not tell, above which the parameter is not told."""

UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)


@dataclass(frozen=True, eq=False, repr=False)
class Payload:
    """What a log tells of a rigid load on a link, in the frame of that link.

    Attributes:
        link: that carries it.
        inertia: of a real body, near the estimate: for `robot.with_payload(link, inertia)`.
        estimate: (10,) m, mx, my, mz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz by weighted least squares, without constraints.
        covariance: (10, 10) of the estimate; infinite where the log tells nothing.
        freedom: number of independent residuals, less the parameters.
        fit: of the log.
    """

    link: str
    inertia: Inertia
    estimate: Array
    covariance: Array
    freedom: float
    fit: Fit

    @property
    def mass(self) -> float:
        """[kg], of `inertia`."""
        return float(self.inertia.m)

    @property
    def com(self) -> Array:
        """(3,) centre of mass in the link's frame [m], of `inertia`."""
        return np.array(self.inertia.com(), dtype=float)

    @property
    def standard_errors(self) -> Array:
        """(10,) of the estimate."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def mass_error(self) -> float:
        """Standard error of the mass [kg]."""
        return float(self.standard_errors[0])

    @property
    def com_errors(self) -> Array:
        """(3,) standard errors of the centre of mass [m], to first order."""
        if not np.isfinite(self.covariance[:4, :4]).all() or self.mass <= 0:
            return np.full(3, np.inf)
        rates = np.column_stack([-self.com, np.eye(3)]) / self.mass
        return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", rates, self.covariance[:4, :4], rates)))

    def intervals(self, level: float = 0.95) -> Array:
        """(10, 2) confidence intervals of the estimate, by Student's t."""
        if not 0 < number("intervals: level", level) < 1:
            raise InputError(f"intervals: level must be between 0 and 1, not {level}")
        reach = t_quantile(level, self.freedom) * self.standard_errors
        return np.stack([self.estimate - reach, self.estimate + reach], axis=-1)

    def __repr__(self) -> str:
        return f"<Payload on '{self.link}': {self.mass:.4g} kg +- {self.mass_error:.2g}>"

    def __str__(self) -> str:
        com = ", ".join(f"{x:.4g} +- {s:.2g}" for x, s in zip(self.com, self.com_errors, strict=True))
        head = [f"payload on '{self.link}': {self.mass:.4g} +- {self.mass_error:.2g} kg", f"centre of mass [m]: {com}"]
        rows = zip(NAMES, ten_parameters(self.inertia), self.estimate, self.standard_errors, UNITS, strict=True)
        body = [f"{'':>5}{'body':>12}{'estimate':>12}{'error':>10}"]
        body += [f"{n:>5}{x:>12.5g}{e:>12.5g}{s:>10.2g} {u}" for n, x, e, s, u in rows]
        return "\n".join([*head, *body])


def identify_payload(
    robot: Robot | DrivenRobot,
    log: Log,
    link: str,
    *,
    without: Log | None = None,
    offsets: bool = False,
    drives: Sequence[str] = (),
    terms: Sequence[Term] = (),
    estimator: str = "weighted",
) -> Payload:
    """The load on a link: from a log of a robot whose parameters are known, or from two logs, without it and with it.

    Its ten parameters are fitted; the robot keeps its own. With a log `without` the load, the robot is fitted to that
    first, and the errors of that fit are in the errors of the load. The same trajectory for both is best: errors of the
    model then cancel.

    Args:
        robot: with its drives, as it was identified, or as it was without the load.
        log: with the load: `Samples`, or blocks of them.
        link: that carries the load: its mass and inertia come in this link's frame.
        without: a log without the load.
        offsets: whether each coordinate has another constant force than without the load, such as drift of its sensor.
        drives: kinds of parameters of drives to fit together with the load: see `DRIVES`.
        terms: further forces to fit together with it.
        estimator: see `identify`.

    Raises:
        UnknownNameError: no link of that name.
        InputError: a link that does not move; samples that do not fit.

    Warns:
        ModelWarning: the log does not tell some of the ten parameters; or no real body is near what it tells.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import Samples, identify_payload
        >>> arm, rng = revolute.robots.ur5(), np.random.default_rng(1)
        >>> parcel = revolute.Inertia.box(
        ...     2.0, (0.3, 0.2, 0.1), revolute.Transform(p=(0, 0, 0.05))
        ... )
        >>> q, qd, qdd = rng.standard_normal((3, 500, 6))
        >>> tau = arm.with_payload("tool0", parcel).inverse_dynamics(
        ...     q, qd, qdd
        ... ) + rng.normal(0, 0.05, (500, 6))
        >>> load = identify_payload(
        ...     arm, Samples(np.arange(500) / 100, q, qd, qdd, tau), "tool0"
        ... )
        >>> round(load.mass, 2), load.com.round(2) + 0.0
        (2.0, array([0.  , 0.  , 0.05]))
        >>> loaded = arm.with_payload("tool0", load.inertia)
    """
    known = robot if isinstance(robot, DrivenRobot) else instance("identify_payload: robot", robot, Robot)
    driven = known if isinstance(known, DrivenRobot) else known.with_drives()
    blocks = _blocks(log)
    what = "identify_payload"
    kinds, further = instances(f"{what}: drives", drives, str), instances(f"{what}: terms", terms, Term)
    for name, value, kind in (("offsets", offsets, bool), ("estimator", estimator, str)):
        instance(f"{what}: {name}", value, kind)
    frame = driven.robot.frame(link)
    if frame.body == 0:
        raise InputError(f"identify_payload: link '{link}' does not move, so no joint feels a load on it")
    before = None if without is None else fit_model(ForceModel(driven), _blocks(without), estimator)
    model = ForceModel(driven, drives=kinds, offsets=offsets, terms=further)
    own = np.arange(model.links) // 10 == frame.body - 1
    model.fitted[: model.links], model.values = own, np.zeros(len(model.names))
    fit = fit_model(model, [_load(driven, before, x) for x in blocks], estimator)
    covariance = np.nan_to_num(fit.covariance, posinf=0.0)
    if before is not None:
        covariance += _of_model(fit, before, blocks)
    estimate, covariance = _of_link(fit, covariance, np.flatnonzero(own), frame.placement)
    if unknown := [name for name, x in zip(NAMES, np.diag(covariance), strict=True) if not np.isfinite(x)]:
        warn_caller(
            f"identify_payload: the log does not tell {', '.join(unknown)} of the load on '{link}'; move more joints, "
            "and faster for inertias"
        )
    load = Payload(link, _real_body(estimate, covariance), estimate, covariance, fit.freedom, fit)
    away = np.abs(np.array(ten_parameters(load.inertia), dtype=float) - estimate)
    sizes = np.repeat([np.abs(part).max() for part in np.split(estimate, [1, 4])], [1, 3, 6])
    beyond = away > FAR * load.standard_errors + ROUNDING * sizes
    if wrong := [name for name, x in zip(NAMES, beyond, strict=True) if x]:
        told = ", ".join(f"{n} = {estimate[k]:.4g}" for k, n in enumerate(NAMES) if n in wrong)
        warn_caller(
            f"identify_payload: no real body has what the log tells of the load on '{link}': {told}; the nearest is "
            "beyond all errors. Are signs, units and order of the forces right, and the robot's parameters and drives?"
        )
    return load


def _blocks(log: Log) -> tuple[Samples, ...]:
    return (log,) if isinstance(log, Samples) else instances("identify_payload: log", log, Samples)


def _load(robot: DrivenRobot, before: Fit | None, x: Samples) -> Samples:
    """Samples whose forces are those of the load alone: less those of the robot, or of a fit of it."""
    if (x.q.shape[1], x.tau.shape[1]) != (robot.nq, robot.nv):
        raise ShapeError(
            f"identify_payload: the samples have {x.q.shape[1]} positions and {x.tau.shape[1]} forces, and the robot "
            f"{robot.nq} and {robot.nv}"
        )
    forces = robot.inverse_dynamics(x.q, x.qd, x.qdd) if before is None else before.predict(x)
    return Samples(x.t, x.q, x.qd, x.qdd, x.tau - forces)


def _of_model(fit: Fit, before: Fit, blocks: Sequence[Samples]) -> Array:
    """(b, b) covariance of the load's base parameters by errors of the robot's."""
    R = fit.triangle[: len(fit.values), :-1]
    inverse, cross = np.linalg.pinv(R.T @ R, rcond=1e-12), np.zeros((len(fit.values), len(before.values)))
    for x in blocks:
        Y, of_robot = (each.model.regressor(x)[..., each.base.columns] for each in (fit, before))
        there = np.isfinite(x.tau)[..., None]
        cross += np.einsum("tka,k,tkb->ab", np.where(there, Y, 0), fit.weights, of_robot, optimize=True)
    gain = inverse @ cross
    return np.asarray(gain @ np.nan_to_num(before.covariance, posinf=0.0) @ gain.T)


def _of_link(fit: Fit, covariance: Array, own: Array, placement: Transform) -> tuple[Array, Array]:
    """Ten parameters in the frame of the link, with their covariance: infinite where the log tells nothing."""
    fitted = np.flatnonzero(fit.model.fitted)
    B = fit.base.matrix[:, fitted]
    back = np.linalg.pinv(B)
    place = np.searchsorted(fitted, own)
    X = np.array(placement.inverse().matrix(), dtype=float)
    turn = np.column_stack([from_pseudo_inertia(X @ pseudo_inertia(e) @ X.T) for e in np.eye(10)])
    take = turn @ back[place]
    blind = take[:, ~np.isfinite(np.diag(fit.covariance))]
    unseen = turn @ (np.eye(len(fitted)) - back @ B)[place]
    free = (np.abs(blind) > TOLD).any(axis=1) | (np.abs(unseen) > TOLD).any(axis=1)
    found = take @ covariance @ take.T
    found[free], found[:, free] = 0, 0
    found[free, free] = np.inf
    return np.where(free, 0.0, take @ fit.values), found


def _real_body(estimate: Array, covariance: Array) -> Inertia:
    """The real body nearest to the estimate, in units of its errors; what they leave open is a ball's.

    The ball has the mass and the centre of the estimate.
    """
    told = np.isfinite(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance[np.ix_(told, told)])
    values = np.maximum(values, 1e-16 * values.max(initial=0) + 1e-24)
    S = np.zeros((len(values), 10))
    S[:, told] = (vectors / np.sqrt(values)).T
    mass = max(float(estimate[0]), 1e-2)
    com = np.clip(estimate[1:4] / mass, -1, 1)
    ball = Inertia.from_com(mass, com.tolist(), (mass * RADIUS**2 * np.eye(3)).tolist())
    prior = pseudo_inertia(np.array(ten_parameters(ball), dtype=float))
    T = vectors_to_parameters(np.linalg.cholesky(prior))
    z0, none = to_vector(np.eye(4)), np.zeros(10, dtype=bool)
    for pull in PULLS:
        problem = ScaledProblem(S @ T, S @ estimate, T, np.zeros(10), z0, (0,), prior[None], none, pull)
        try:
            return from_vector(problem.parameters(minimized_inside(problem, "entropic", ())).tolist())
        except InputError:
            continue
    raise InputError(
        f"identify_payload: no real body is near the estimate, whose mass is {estimate[0]:.4g} kg: do the log and the "
        "robot belong together, and are the forces those of the joints?"
    )
