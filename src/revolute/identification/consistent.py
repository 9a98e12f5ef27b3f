"""A fit whose links are real bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from revolute.errors import warn_caller
from revolute.identification.density import Region
from revolute.identification.fit import Fit
from revolute.identification.physical import physical
from revolute.io.plain import listed

__all__ = ["consistent"]

STRANGE = 1.5
"""Growth of a residual from which on it is told: real bodies explain real forces all but as well."""
SMALL = 0.1
"""Share of the signal below which it is not."""


def consistent(
    fit: Fit, *, prior: str = "entropic", pull: float = 1.0, regions: Mapping[str, Region] | None = None
) -> Fit:
    """The fit with full parameters of real bodies: links that can exist, friction that takes energy. See `physical`.

    Its values, too, are those of these parameters, so what it predicts is what its robot does. Errors stay those of the
    fit without constraints; they are too large, if anything.

    Args:
        fit: of `revolute.identify`.
        prior, pull, regions: see `revolute.identification.physical`.

    Raises:
        InputError, UnknownNameError, MissingExtraError: see `revolute.identification.physical`.

    Warns:
        ModelWarning: a joint whose forces no real body explains.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import Samples, consistent
        >>> arm, rng = revolute.robots.planar(2), np.random.default_rng(1)
        >>> q, qd, qdd = rng.standard_normal((3, 60, 2))
        >>> tau = arm.inverse_dynamics(q, qd, qdd) + rng.normal(0, 2.0, (60, 2))
        >>> fit = revolute.identify(arm, Samples(np.arange(60) / 100, q, qd, qdd, tau))
        >>> robot = consistent(fit).robot(implausible="refuse")
    """
    parameters = physical(fit, fit.model, prior=prior, pull=pull, regions=regions)
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
