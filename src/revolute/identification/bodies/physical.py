"""Full parameters of real bodies: linear matrix inequalities. Sousa & Cortesao 2014; Wensing, Kim & Slotine 2018."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from revolute.arguments import instance, mapping
from revolute.errors import InputError, warn_caller
from revolute.identification.bodies.conic import minimized
from revolute.identification.bodies.interior_point import minimized_inside
from revolute.identification.bodies.regions import Region, halfspaces
from revolute.identification.bodies.scaled_problem import ScaledProblem, scaled_problem
from revolute.identification.bodies.symmetric_vectors import to_matrix
from revolute.identification.fit.fit import Fit
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array
from revolute.io.plain import listed

__all__ = ["PRIORS", "BodyPrior", "consistent", "physical"]

GROWTH = 1e2
"""Growth of a mass, or of a square of a length times a mass, beyond the description from which on it is reported."""

PRIORS = ("entropic", "euclidean", "affine")
"""Distances from the description."""


def physical(
    source: Any, model: ForceModel | None = None, *, prior: str = "entropic", pull: float = 1.0,
    regions: Mapping[str, Region] | None = None,
) -> Array:
    """Full parameters whose links are real bodies, and whose friction takes energy.

        min |Y pi - tau|^2 / (2 s^2) + pull * sum_links D(J_i, J_i0) + ...
        with J_i > 0, friction >= 0

    J is the pseudo-inertia, s the deviation of the noise. Parameters that the log does not
    determine keep the values of the description. The distances are, with K = L^-1 J L^-T and J_0 = L L^T of the
    description,

        "entropic":   D = tr K - log det K - 4   (Bregman; Lee, Wensing & Park 2020)
        "euclidean":  D = |K - 1|^2 / 2          (second order of it; the same)
        "affine":     D = |log K|^2 / 2          (affine-invariant; Lee & Park 2018)

    None depends on units or frames. The first two are convex; "affine" is along geodesics. "euclidean" is a conic
    problem for clarabel. The other two grow beyond bounds at the edge, so Newton's method solves them, in less time.

    Links without mass in the description stay without. Where none has one, or where they are so small that no minimum
    is found, `InputError` says so: such placeholders need inertias of about the mass and size of the links. Scalars of
    drives have quadratic pulls that only decide what the forces leave open, such as the shares of armature and inertia
    in their sum.

    Args:
        source: a fit; a `Triangle` of rows [Y tau] for all parameters of the model; or such rows (k, p + 1), divided by
            the deviation of their noise.
        model: of the forces; that of the fit by default.
        prior: "entropic", "euclidean" or "affine".
        pull: weight of the prior, relative to the noise: at 1 the description counts as much as one measurement
            of each direction with an error of 100 %.
        regions: {link name: region} that the mass of a link is in: see `Region`.

    Returns:
        (p,) parameters, in the order of `model.names`.

    Raises:
        InputError, ShapeError, DtypeError: arguments that do not fit, or a problem without a solution.
        UnknownNameError: a region of a link that is not there.
        MissingExtraError: clarabel, which "euclidean" needs, is not installed.

    Warns:
        ModelWarning: links whose description is far too small, which holds them back: placeholders.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import ForceModel, Samples
        >>> from revolute.identification.bodies.physical import physical
        >>> from revolute.identification.fit.triangle import Triangle
        >>> arm, rng = revolute.robots.ur5(), np.random.default_rng(1)
        >>> model = ForceModel(arm, drives=["damping"], offsets=False)
        >>> q, qd, qdd = rng.standard_normal((3, 100, 6))
        >>> tau = 1.1 * arm.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.1, (100, 6))
        >>> triangle = Triangle(len(model.names) + 1)
        >>> Y = model.regressor(Samples(np.arange(100) / 100, q, qd, qdd, tau))
        >>> triangle.add(np.concatenate([Y, tau[..., None]], axis=-1).reshape(600, -1))
        >>> pi = physical(triangle, model)
        >>> heavier = arm.with_inertial_parameters(pi[:60], implausible="refuse")
        >>> bool(abs(heavier.gravity_forces(q) - 1.1 * arm.gravity_forces(q)).max() < 0.3)
        True
    """
    if not isinstance(prior, str) or prior not in PRIORS:
        raise InputError(f"physical: prior is one of {', '.join(PRIORS)}, not {prior!r}")
    if model is None:
        model = instance("physical: without a model, the source", source, Fit).model
    problem = scaled_problem(source, model, pull)
    spaces = halfspaces(problem, model, {} if regions is None else mapping("physical: regions", regions))
    try:
        z = minimized(problem, spaces) if prior == "euclidean" else minimized_inside(problem, prior, spaces)
    except InputError as error:
        names, _ = _grown(problem, model, problem.nearest())
        if not names:
            raise
        raise InputError(f"{error}. Far too small seem those of {listed(names)}") from None
    _tell_growth(problem, model, z, prior)
    return problem.parameters(z)


def _grown(problem: ScaledProblem, model: ForceModel, z: Array) -> tuple[list[str], float]:
    """Links that are far larger than in the description, and the largest ratio."""
    largest = (
        np.linalg.eigvalsh(to_matrix(z[: problem.entries].reshape(-1, 10)))[:, -1] if problem.links else np.zeros(0)
    )
    names = [model.names[10 * k].rpartition(".")[0] for k, x in zip(problem.links, largest, strict=True) if x > GROWTH]
    return names, float(largest.max(initial=0))


def _tell_growth(problem: ScaledProblem, model: ForceModel, z: Array, prior: str) -> None:
    """Warn of links whose description is far too small, which holds them back from what was measured."""
    names, largest = _grown(problem, model, z)
    if names:
        other = ", or take prior='entropic'" if prior == "euclidean" else ""
        warn_caller(
            f"physical: {listed(names)} would have {largest:.2g} times what the description says, which the distance "
            f"'{prior}' holds back; give them inertias of about their mass and size{other}"
        )


STRANGE = 1.5
"""Growth of a residual from which on it is reported: real bodies explain real forces all but as well."""
SMALL = 0.1
"""Share of the signal below which it is not."""


@dataclass(frozen=True, eq=False)
class BodyPrior:
    """Choice among bodies that explain the forces of a log alike: those nearest to the description.

    Attributes:
        distance: from the description, "entropic", "euclidean" or "affine": see
            `revolute.identification.bodies.physical.physical`.
        pull: weight of the distance, relative to the noise: at 1 the description counts as much as one measurement of
            each direction with an error of 100 %.
        regions: {link name: region} that the mass of a link is in: see `Region`.
    """

    distance: str = "entropic"
    pull: float = 1.0
    regions: Mapping[str, Region] | None = None


def consistent(fit: Fit, prior: BodyPrior = BodyPrior()) -> Fit:
    """The fit with full parameters of real bodies: links that can exist, friction that takes energy. See `physical`.

    Its values, too, are those of these parameters, so what it predicts is what its robot does. Errors stay those of the
    fit without constraints; they are too large, if anything.

    Args:
        fit: of `revolute.identify`.
        prior: what decides where forces do not.

    Raises:
        InputError, UnknownNameError, MissingExtraError: see `physical`.

    Warns:
        ModelWarning: a joint whose forces no real body explains.
    """
    parameters = physical(fit, fit.model, prior=prior.distance, pull=prior.pull, regions=prior.regions)
    real = replace(fit, parameters=parameters, values=fit.base.matrix @ parameters)
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(fit.residual_rms > 0, real.residual_rms / fit.residual_rms, 1.0)
    light = _without_mass(fit)
    hint = f" Or do {listed(light)} have a mass, which the description leaves out?" if light else ""
    for k in np.flatnonzero((growth > STRANGE) & (real.residual_rms > SMALL * fit.signal_rms)):
        warn_caller(
            f"joint '{fit.coordinates[k]}': real bodies and friction leave {real.residual_rms[k]:.3g} of its forces "
            f"unexplained, and {fit.residual_rms[k]:.3g} without these limits. Is its sign reversed, or are they in "
            f"other units?{hint}"
        )
    return replace(real, noise=fit.noise * growth)


def _without_mass(fit: Fit) -> list[str]:
    """Links that the description has no mass of: they stay without."""
    model = fit.model
    empty = ~model.values[: model.links].reshape(-1, 10).any(axis=1)
    return [
        model.names[10 * int(k)].rpartition(".")[0] for k in np.flatnonzero(empty & model.fitted[: model.links : 10])
    ]
