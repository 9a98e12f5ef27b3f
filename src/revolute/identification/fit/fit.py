"""The result of an identification: parameters with standard errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from revolute.arguments import instances, nearest
from revolute.errors import UnknownNameError, advice, printable, warn_caller
from revolute.identification.fit.equations import check_samples
from revolute.identification.fit.essential_parameters import FTest, essential, f_test
from revolute.identification.fit.least_squares import Sums
from revolute.identification.fit.residual_correlation import probability, t_quantile
from revolute.identification.forces.base_parameters import BaseColumns, nearest_parameters, typical_sizes
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.finding import LogFinding
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.model.units import force_units

POOR = 0.3
"""Relative standard error of a parameter above which its value is not reported, because the log does not excite it."""

SMALL = 0.05
"""Maximum standard error of a parameter near zero, as a fraction of the typical size of this kind of parameter."""

OFFSET = 0.05  # minimum ratio of an offset to the RMS signal of which `Fit.robot` warns
CHUNK = 1024  # number of instants for which forces are predicted at once
WIDEST = 44  # maximum width of a parameter's name in a table [characters]; names of longer sums are truncated


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """Base parameters of a robot, with their standard errors: see `revolute.identify`.

    Attributes:
        model: the model of the forces.
        base: the base parameters, `base.matrix @ parameters`.
        values: (b,) estimates of the base parameters, in the units of their first terms.
        covariance: (b, b) covariance of the estimates, accounting for correlated residuals; variances of parameters
            that the log does not excite at all are infinite.
        parameters: (p,) full parameters: those nearest to the robot's description with these `values`.
        noise: (nv,) standard deviations of the residuals.
        weights: (nv,) weights of squared residuals in the estimate.
        freedom: number of independent residuals minus the number of parameters.
        rank: number of directions of base parameters that the log excites.
        condition: condition number of the columns, scaled to unit length.
        triangle: (b + 1, b + 1) factor R of the weighted rows, with R^T R = [Y tau]^T W [Y tau].
        sums: triangular factors of each coordinate's rows, without weights.
        estimator: name of the estimator.
        searched: nonlinear parameters with their standard errors, by name.
        findings: contradictions between the log and the robot: see `check_log`.
    """

    model: ForceModel
    base: BaseColumns
    values: Array
    covariance: Array
    parameters: Array
    noise: Array
    weights: Array
    freedom: float
    rank: int
    condition: float
    triangle: Array
    sums: Sums
    estimator: str
    searched: Mapping[str, tuple[float, float]] = field(default_factory=dict, kw_only=True)
    findings: tuple[LogFinding, ...] = field(default=(), kw_only=True)

    @property
    def names(self) -> tuple[str, ...]:
        """(b,) names of base parameters, as sums of the names of parameters."""
        return self.base.names

    @property
    def coordinates(self) -> tuple[str, ...]:
        """(nv,) names of the coordinates whose forces are predicted."""
        return self.model.coordinates

    @property
    def rows(self) -> int:
        """Number of measured forces."""
        return int(self.sums.counts.sum())

    @cached_property
    def residual_rms(self) -> Array:
        """(nv,) root mean squares of the residuals [N m, N]; NaN where nothing was measured."""
        return self._measured(self.sums.rms(self.values))

    @cached_property
    def signal_rms(self) -> Array:
        """(nv,) root mean squares of the measured forces [N m, N]; NaN where nothing was measured."""
        return self._measured(self.sums.signal)

    def _measured(self, x: Array) -> Array:
        return np.where(self.sums.counts > 0, x, np.nan)

    @cached_property
    def standard_errors(self) -> Array:
        """(b,) standard deviations of the estimates."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0)))  # rounding may make them negative

    @property
    def excited_covariance(self) -> Array:
        """(b, b) covariance of the estimates; zero for parameters that the log does not excite at all."""
        excited = np.isfinite(np.diag(self.covariance))
        return np.where(np.outer(excited, excited), self.covariance, 0.0)

    @cached_property
    def relative_errors(self) -> Array:
        """(b,) standard errors divided by the magnitudes of the values."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.standard_errors / np.abs(self.values))

    @cached_property
    def verdicts(self) -> tuple[str, ...]:
        """(b,) "good"; "near zero", if the error is small for a parameter of this kind; or "poorly excited"."""
        sizes = np.abs(self.base.matrix) @ typical_sizes(self.model, self.parameters)
        rows = zip(self.relative_errors, self.standard_errors, sizes, strict=True)
        return tuple(
            "good" if relative <= POOR else "near zero" if error <= SMALL * size else "poorly excited"
            for relative, error, size in rows
        )

    @property
    def poor(self) -> Array:
        """(b,) whether a parameter is "poorly excited"."""
        return np.array([verdict == "poorly excited" for verdict in self.verdicts], dtype=bool)

    def robot(self, *, implausible: str = "warn") -> DrivenRobot:
        """The robot with the fitted `parameters` of links and drives, but without offsets and other terms.

        Negative inertia or friction of drives is set to zero, with a warning. Large offsets, which `predict` adds but
        the robot lacks, also cause a warning.

        Args:
            implausible: how to treat physically inconsistent inertias: see `Robot.with_inertial_parameters`.
        """
        robot = self.model.robot
        own = [name.partition(":")[0] for name in robot.parameter_names]
        found = dict(zip(self.model.names, self.parameters.tolist(), strict=True))
        changes = {name: found[name] for name in own if name in found}
        negative = [n for n in own[self.model.links :] if changes.get(n, 0) < 0]
        if negative:
            values = ", ".join(f"{name} = {changes[name]:.3g}" for name in negative)
            warn_caller(f"'{robot.robot.name}': {values}: drive parameters must not be negative; zero is used")
            changes |= dict.fromkeys(negative, 0.0)
        offsets = [found.get(f"{name}.offset", 0.0) for name in self.coordinates]
        rows = zip(self.coordinates, offsets, force_units(robot.space), self.signal_rms, strict=True)
        if large := [f"{name} {x:.3g} {unit}" for name, x, unit, signal in rows if abs(x) > OFFSET * signal]:
            warn_caller(
                f"'{robot.robot.name}' lacks the constant offsets of the fit: {', '.join(large)}; add them to its "
                f"forces, or fit without them: {advice('ForceModel(robot, offsets=False)', '--no-offsets')}"
            )
        return robot.with_parameters(changes, implausible=implausible)

    def intervals(self, level: float = 0.95) -> Array:
        """(b, 2) confidence intervals of base parameters, by Student's t."""
        reach = t_quantile(level, self.freedom) * self.standard_errors
        return np.stack([self.values - reach, self.values + reach], axis=-1)

    def predict(self, samples: Samples) -> Array:
        """(T, nv) forces of the model along a motion [N m, N]; measured forces are not used."""
        check_samples(self.model, samples)
        return np.concatenate([samples.tau[:0], *(forces for _, _, forces in self._parts(samples))])

    def predict_with_interval(self, samples: Samples, level: float = 0.95) -> Array:
        """(T, nv, 3) forces, and both bounds of intervals that contain the measured ones with probability `level`.

        The intervals include the errors of the parameters and the noise.
        """
        check_samples(self.model, samples)
        found = np.empty((*samples.tau.shape, 3))
        quantile, covariance = t_quantile(level, self.freedom), self.excited_covariance
        for part, Y, forces in self._parts(samples):
            rows = Y.reshape(-1, Y.shape[2])
            variances = np.einsum("ij,ij->i", rows @ covariance, rows).reshape(forces.shape)
            reach = quantile * np.sqrt(np.maximum(variances, 0) + self.noise**2)  # rounding may make variances negative
            found[part] = np.stack([forces, forces - reach, forces + reach], axis=-1)
        return found

    def _parts(self, samples: Samples) -> Iterator[tuple[slice, Array, Array]]:
        """Consecutive parts of the samples, with their regressors of base parameters and predicted forces."""
        held = np.flatnonzero(~self.model.fitted)
        for at in range(0, len(samples), CHUNK):
            part = slice(at, at + CHUNK)
            Y = self.model.regressor(samples[part], self.base.columns)
            forces = Y @ self.values
            if len(held):
                forces += self.model.regressor(samples[part], held) @ self.model.values[held]
            yield part, Y, forces

    def essential(self, level: float = 0.05) -> Fit:
        """The fit with only the significant base parameters. Pham & Gautier 1991; Janot et al. 2014.

        The parameter with the smallest F is removed and the others are estimated again, until no probability is above
        `level`. Removed parameters are then tested jointly; while that test fails, the last removed one is restored.

        Args:
            level: significance level: maximum probability of so large an F if the parameter is zero.

        Example:
            >>> from revolute.identification import Samples
            >>> arm, rng = revolute.robots.planar(1).with_drives(), np.random.default_rng(1)
            >>> q, qd, qdd = rng.standard_normal((3, 500, 1))
            >>> tau = arm.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.05, (500, 1))
            >>> fit = revolute.identify(arm, Samples(np.arange(500) / 100, q, qd, qdd, tau))
            >>> fit.essential(0.01).names
            ('link1.mx', 'link1.Izz + joint1.armature')
            >>> fit.f_test(["joint1.damping"]).probability > 0.01
            True
        """
        found = essential(self.values, self.covariance, self.triangle, self.freedom, probability("level", level))
        if found is None:
            return self
        kept, solution, covariance = found
        values = np.zeros(len(self.values))
        values[kept] = solution.values
        return replace(
            self, base=self.base.only(kept), values=solution.values, covariance=covariance,
            parameters=nearest_parameters(self.model, self.base, values), rank=solution.rank,
            condition=solution.condition, triangle=np.asarray(np.linalg.qr(solution.triangle, mode="r")),
            sums=self.sums.only(kept),
        )

    def f_test(self, names: Sequence[str]) -> FTest:
        """Test whether some base parameters are all zero: the Wald form of the F-test, for correlated residuals.

        Args:
            names: names of base parameters, from `Fit.names`.

        Returns:
            (F, probability): Fisher's F, and the probability of a value at least as large if the parameters are zero.

        Raises:
            UnknownNameError: no base parameter has that name.
        """
        for name in instances("f_test: names", names, str):
            if name not in self.names:
                raise UnknownNameError(f"f_test: there is no base parameter '{name}'; {nearest(name, self.names)}")
        return f_test(self.values, self.covariance, [self.names.index(name) for name in names], self.freedom)

    def to_dict(self) -> dict[str, Any]:
        """The fit as data for JSON, with identifiers as keys; values that are not finite are None.

        Parameters are in units of kg, m and s, and forces in N m or N. The keys are:

        - robot, estimator; rows, rank, condition, degrees_of_freedom;
        - base_parameters: a list of name, value, standard_error, verdict;
        - parameters: values by name; searched: value and standard_error by name;
        - coordinates: residual_rms and signal_rms by name.
        """
        entries = zip(self.names, self.values, self.standard_errors, self.verdicts, strict=True)
        coordinates = zip(self.coordinates, self.residual_rms, self.signal_rms, strict=True)
        return {
            "robot": self.model.robot.robot.name, "estimator": self.estimator, "rows": self.rows, "rank": self.rank,
            "condition": _plain(self.condition), "degrees_of_freedom": _plain(self.freedom),
            "base_parameters": [
                {"name": name, "value": _plain(x), "standard_error": _plain(s), "verdict": verdict}
                for name, x, s, verdict in entries
            ],
            "parameters": dict(zip(self.model.names, map(_plain, self.parameters), strict=True)),
            "searched": {k: {"value": _plain(x), "standard_error": _plain(s)} for k, (x, s) in self.searched.items()},
            "coordinates": {k: {"residual_rms": _plain(r), "signal_rms": _plain(s)} for k, r, s in coordinates},
        }

    def __repr__(self) -> str:
        with np.errstate(divide="ignore", invalid="ignore"):  # all measured forces may be zero
            relative = 100 * np.sqrt(np.nansum(self.residual_rms**2) / np.nansum(self.signal_rms**2))
        return (
            f"<Fit of '{self.model.robot.robot.name}': {len(self.values)} base parameters, {self.poor.sum()} poorly "
            f"excited, {self.rows} rows, residual {relative:.2g} %>"
        )

    def __str__(self) -> str:
        columns = self.names, self.values, self.standard_errors, self.relative_errors, self.verdicts
        forces = zip(self.coordinates, self.residual_rms, self.signal_rms, strict=True)
        return "\n".join([repr(self), "", *_table([*zip(*columns, strict=True)], self.searched, [*forces])])


def _table(
    parameters: Sequence[tuple[str, float, float, float, str]], searched: Mapping[str, tuple[float, float]],
    coordinates: Sequence[tuple[str, float, float]],
) -> Iterator[str]:
    """The lines of a table.

    `parameters` contain a name, value, standard error, relative error and verdict; `searched` a value and standard
    error; `coordinates` a name, residual and signal.
    """
    width = min(max((len(name) for name, *_ in parameters), default=0), WIDEST)
    yield f"{'base parameter':{width}}  {'value':>12}  {'error':>9}  {'error %':>7}"
    for name, value, error, relative, verdict in parameters:
        short = printable(name if len(name) <= width else name[: width - 4] + " ...")
        if verdict != "good":
            yield f"{short:{width}}  {verdict:>14} (+- {error:.2g})"
        else:
            yield f"{short:{width}}  {value:12.6g}  {error:9.2g}  {100 * relative:7.2g}"
    for name, (value, error) in searched.items():
        yield f"{printable(name):{width}}  {value:12.6g}  {error:9.2g}  {100 * error / abs(value):7.2g}"
    yield ""
    width = max(8, *(len(name) for name, *_ in coordinates))
    yield f"{'force of':{width}}  {'residual rms':>12}  {'signal rms':>10}"
    for name, residual, signal in coordinates:
        yield f"{printable(name):{width}}  {residual:12.4g}  {signal:10.4g}"


def _plain(x: float) -> float | None:
    """A number for JSON; None if it is not finite."""
    return float(x) if np.isfinite(x) else None
