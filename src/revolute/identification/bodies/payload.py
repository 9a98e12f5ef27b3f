"""The estimate of a payload: mass, centre of mass and inertia, with standard errors."""

from dataclasses import dataclass

import numpy as np

from revolute.identification.fit.fit import Fit
from revolute.identification.fit.residual_correlation import t_quantile
from revolute.identification.samples import Array
from revolute.model.parameters import NAMES
from revolute.model.parameters import to_vector as ten_parameters
from revolute.spatial import Inertia

UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)


@dataclass(frozen=True, eq=False, repr=False)
class Payload:
    """Estimate of a rigid load on a link from a log, in the frame of that link.

    Attributes:
        link: name of the link that carries the load.
        inertia: physically consistent inertia nearest to the estimate, for `robot.with_payload(link, inertia)`.
        estimate: (10,) m, mx, my, mz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz by weighted least squares, without constraints.
        covariance: (10, 10) covariance of `estimate`; infinite for parameters that the log does not determine.
        freedom: number of independent residuals minus the number of parameters.
        fit: the `Fit` to the log.
    """

    link: str
    inertia: Inertia
    estimate: Array
    covariance: Array
    freedom: float
    fit: Fit

    @property
    def mass(self) -> float:
        """Mass of `inertia` [kg]."""
        return float(self.inertia.m)

    @property
    def com(self) -> Array:
        """(3,) centre of mass of `inertia` in the link's frame [m]."""
        return np.array(self.inertia.com(), dtype=float)

    @property
    def standard_errors(self) -> Array:
        """(10,) standard errors of `estimate`."""
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
