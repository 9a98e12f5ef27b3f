"""A motion that excites the parameters of a robot, with their expected standard errors."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from revolute.arguments import positive, whole_number
from revolute.errors import InputError
from revolute.identification.forces.base_parameters import BaseColumns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array
from revolute.io import trajectory as tables
from revolute.trajectory import FourierTrajectory, Report
from revolute.trajectory.trajectory import MOST

if TYPE_CHECKING:
    from revolute.plot.figures import Figure

WEAK, SHOWN = 1.0, 8
"""Maximum error of an excited parameter, as a force in units of the noise; and maximum number of names per line."""


@dataclass(frozen=True)
class Reach:
    """The value of a motion that is nearest to a limit.

    Attributes:
        name: name of the limit, such as "velocity of 'elbow_joint'" or "z of 'tool0'".
        value, limit, unit: the value, found at ten times as many samples as in the search; the limit; and their unit.
        share: 1 at the limit, 0 midway between both limits.
    """

    name: str
    value: float
    limit: float
    unit: str
    share: float


@dataclass(frozen=True, eq=False)
class ExcitingMotion:
    """An exciting motion, as returned by `excite`.

    Attributes:
        trajectory: one period.
        model: the model of the forces whose parameters the motion excites.
        criterion: the minimized criterion: "d", "condition" or "unscaled_condition".
        value: the criterion with discontinuous friction: -log det of the information divided by the number of
            parameters, or the logarithm of the condition number.
        condition: condition number of the least squares, with rows weighted by noise and parameters scaled.
        base: the base parameters.
        standard_errors: (b,) standard errors of base parameters from one period at `rate`, with the assumed noise.
        felt: (b,) effect of these errors on forces in random motions, relative to the noise.
        rate: samples per second of the future log.
        reaches: for each limit, the nearest value of the motion.
        starts: (k,) final criterion of each search, with smoothed friction; infinite if the result violates limits.
        iterations, evaluations: total numbers over all searches.
    """

    trajectory: FourierTrajectory
    model: ForceModel
    criterion: str
    value: float
    condition: float
    base: BaseColumns
    standard_errors: Array
    felt: Array
    rate: float
    reaches: tuple[Reach, ...]
    starts: Array
    iterations: int
    evaluations: int

    @property
    def names(self) -> tuple[str, ...]:
        """(b,) names of base parameters: the first parameter of each sum."""
        return tuple(self.model.names[k] for k in self.base.columns)

    @property
    def binding(self) -> tuple[str, ...]:
        """Names of limits that the motion reaches within two percent."""
        return tuple(reach.name for reach in self.reaches if reach.share > 0.98)

    @property
    def unexcited(self) -> tuple[str, ...]:
        """Base parameters whose standard errors change forces by more than the noise."""
        return tuple(name for name, felt in zip(self.names, self.felt, strict=True) if not felt <= WEAK)

    def check(self, samples: int = 2000) -> Report:
        """Check the motion against the robot's limits of positions, velocities and forces: see `Trajectory.check`."""
        return self.trajectory.check(self.model.robot, samples=samples)

    def save(self, path: str | os.PathLike[str], *, rate: float | None = None, periods: int = 1) -> None:
        """Write t, q, qd and qdd as CSV or Parquet: see `Trajectory.save`.

        Args:
            path: the file.
            rate: rows per second; by default `ExcitingMotion.rate`.
            periods: number of periods, for averages of measured forces.

        Raises:
            TrajectoryError, InputError: the file cannot be written; rate or periods are not positive.
        """
        count = whole_number("ExcitingMotion.save: periods", periods, 1)
        own = positive("ExcitingMotion.save: rate", self.rate if rate is None else rate, "number of rows per second")
        tables.check_output(path)
        motion, space = self.trajectory, self.trajectory.model
        if count * motion.duration * own > MOST:
            raise InputError(f"ExcitingMotion.save: {count} periods at {own:g} Hz are more than {MOST:,} rows")
        t = np.arange(round(count * motion.duration * own) + 1) / own
        rates = [name for rate in ("qd", "qdd") for name in tables.rate_names(space, rate)]
        tables.write(path, ["t", *tables.position_names(space), *rates], t, *motion(t))

    def plot(self) -> Figure:
        """Plot positions, velocities, accelerations and joint forces over time.

        Raises:
            MissingExtraError: Matplotlib is not installed.
        """
        title = f"{self.model.robot.name}: excitation, condition number {self.condition:.3g}"
        return self.trajectory.plot(self.model.robot, title=title)

    def __repr__(self) -> str:
        motion = self.trajectory
        return (
            f"<ExcitingMotion of '{self.model.robot.name}': {motion.duration:g} s, {len(motion.cosines)} harmonics, "
            f"condition {self.condition:.4g}>"
        )

    def __str__(self) -> str:
        motion, worst = self.trajectory, int(np.argmax(self.felt))
        harmonics = f"{len(motion.cosines)} harmonics"
        rows = [
            (self.model.robot.name, f"{motion.duration:g} s, {harmonics}, at {self.rate:g} Hz"),
            ("criterion", f"{self.criterion}: {self.value:.4f}"),
            ("condition number", f"{self.condition:.4g} of {len(self.base)} base parameters"),
            ("at their limits", _listed(self.binding)),
            ("least excited", f"{self.names[worst]}: its error changes forces by {self.felt[worst]:.2g} of the noise"),
            ("not excited", _listed(self.unexcited)),
        ]
        return "\n".join(f"{name:<18}{text}" for name, text in rows)


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more or "none"
