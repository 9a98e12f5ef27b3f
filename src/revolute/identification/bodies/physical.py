"""Physically consistent full parameters. Sousa & Cortesao 2014; Wensing, Kim & Slotine 2018."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from revolute.arguments import mapping
from revolute.errors import warn_caller
from revolute.identification.bodies.entropic import minimized
from revolute.identification.bodies.regions import Region, halfspaces
from revolute.identification.bodies.scaled_problem import in_deviations, scaled_problem, to_matrix
from revolute.identification.fit.fit import Fit
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array
from revolute.io.plain import listed

GROWTH = 1e2
"""Maximum eigenvalue of a link's K without a warning; above it, the description underestimates the link's inertia."""

STRANGE, SMALL = 1.5, 0.1
"""Minimum ratios for a warning: of the residuals with and without consistency, and of the residual to the signal."""


def physical(R: Array, model: ForceModel, *, pull: float = 1.0, regions: Mapping[str, Region] | None = None) -> Array:
    """(p,) physically consistent parameters, with dissipative friction; `pull`, `regions`: see `BodyPrior`.

        min |Y pi - tau|^2 / 2 + pull * sum_links D(J_i, J_i0) + ...
        with J_i > 0, friction >= 0

    J_i is the pseudo-inertia of link i; R contains rows [Y tau] in standard deviations of their noise. Other parameters
    have quadratic costs, which matter where forces determine only a sum, such as armature plus link inertia.
    """
    problem = scaled_problem(R, model, pull)
    spaces = halfspaces(problem, model, {} if regions is None else mapping("physical: regions", regions))
    z = minimized(problem, spaces)
    largest = np.linalg.eigvalsh(to_matrix(z[: problem.entries].reshape(-1, 10)))[:, -1]
    if largest.max(initial=0) > GROWTH:
        names = [model.names[10 * problem.links[k]].rpartition(".")[0] for k in np.flatnonzero(largest > GROWTH)]
        warn_caller(
            f"physical: {listed(names)} would have {largest.max():.2g} times the inertia of the description, which the "
            "prior holds back; give them inertias of about their mass and size"
        )
    return problem.parameters(z)


@dataclass(frozen=True, eq=False)
class BodyPrior:
    """Prior that selects, among parameters that explain the forces equally well, those nearest to the description.

    With pseudo-inertias J and J_0 = L L^T of a link and of its description, and K = L^-1 J L^-T, the distance is the
    entropic distance of Lee, Wensing & Park 2020:

        D = tr K - log det K - 4

    It is convex and does not depend on units or frames. Near K = 1 it equals other distances, such as |K - 1|^2 / 2 and
    |log K|^2 / 2, to second order. Links without mass in the description remain massless.

    Attributes:
        pull: weight of the distance relative to the noise; 1 gives the description the weight of one measurement of
            each direction of the parameters, with an error of 100 %.
        regions: {link name: region that contains the mass of this link}: see `Region`.
    """

    pull: float = 1.0
    regions: Mapping[str, Region] | None = None


def consistent(fit: Fit, prior: BodyPrior = BodyPrior()) -> Fit:
    """The fit with physically consistent parameters: see `physical`. Standard errors are those without constraints.

    Warns:
        ModelWarning: no physically consistent parameters explain the forces of a joint.
    """
    R = np.column_stack([fit.triangle[:, :-1] @ fit.base.matrix, fit.triangle[:, -1]])
    parameters = physical(in_deviations(R, fit.freedom), fit.model, pull=prior.pull, regions=prior.regions)
    real = replace(fit, parameters=parameters, values=fit.base.matrix @ parameters)
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(fit.residual_rms > 0, real.residual_rms / fit.residual_rms, 1.0)
    model = fit.model
    empty = ~model.values[: model.links].reshape(-1, 10).any(axis=1) & model.fitted[: model.links : 10]
    massless = [model.names[10 * int(k)].rpartition(".")[0] for k in np.flatnonzero(empty)]
    hint = f" Or is the mass of {listed(massless)} missing in the description?" if massless else ""
    for k in np.flatnonzero((growth > STRANGE) & (real.residual_rms > SMALL * fit.signal_rms)):
        warn_caller(
            f"joint '{fit.coordinates[k]}': the residual of its forces is {real.residual_rms[k]:.3g} with physically "
            f"consistent bodies and friction, but {fit.residual_rms[k]:.3g} without these constraints. Is their sign "
            f"reversed, or are they in other units?{hint}"
        )
    return replace(real, noise=fit.noise * growth)
