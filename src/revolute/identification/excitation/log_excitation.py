"""What a log excites: condition number, rank, and the combinations of parameters that it leaves open, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from revolute.errors import ShapeError
from revolute.identification.fit.triangle import Triangle
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

__all__ = ["Excitation", "excitation"]

DEPENDENT = 1e-9
"""Singular values below this share of the largest are rounding."""

STATES = 40
"""Random states for each parameter, which excite all that any motion can."""

SHOWN = 0.2
"""Parameters are named in a direction from this share of its largest component on."""

WEAK = 1e-2
"""Size of a column, as a share of that of random motion, below which it is called weakly excited."""

POOR = 1e3
"""Condition number from which a direction is called poorly excited; Gautier and Khalil 1992 ask for about 100."""


@dataclass(frozen=True, eq=False)
class Excitation:
    """How well the rows of a log determine parameters. Columns are scaled to length 1.

    Attributes:
        rank: number of combinations that the log determines.
        possible: number that any motion can determine: of base parameters.
        condition: largest over smallest singular value of those that the log determines.
        singular_values: (possible,) of the scaled regressor, falling; 0 where the log determines nothing.
        directions: (possible, p) combinations of scaled parameters, in that order.
        names: (p,) of the parameters.
        unmoved: parameters that no row depends on, though some motion would.
        weak: parameters whose columns have less than a hundredth of the size that random states of 1 rad/s and
            1 rad/s^2 give: noise has more to say about them. The condition number does not show it.
    """

    rank: int
    possible: int
    condition: float
    singular_values: Array
    directions: Array
    names: tuple[str, ...]
    unmoved: tuple[str, ...]
    weak: tuple[str, ...]

    @property
    def poor(self) -> tuple[str, ...]:
        """Directions that the log determines a thousand times worse than the best one, by names, the worst first."""
        few = np.flatnonzero(self.singular_values[: self.rank] < self.singular_values[0] / POOR)
        return tuple(_words(self.directions[k], self.names) for k in few[::-1])

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Parameters with a part in the directions that the log does not determine, though some motion would."""
        parts = np.linalg.norm(self.directions[self.rank :], axis=0)
        return tuple(name for name, part in zip(self.names, parts, strict=True) if part > SHOWN)

    def __str__(self) -> str:
        lines = [f"rank {self.rank} of {self.possible}, condition number {self.condition:.3g}"]
        if self.rank < self.possible:
            lines.append(f"{self.possible - self.rank} directions not determined, of {', '.join(self.undetermined)}")
        if self.unmoved:
            lines.append(f"no row depends on: {', '.join(self.unmoved)}")
        if self.weak:
            lines.append(f"weakly excited: {', '.join(self.weak)}")
        lines += [f"poorly excited: {words}" for words in self.poor]
        return "\n".join(lines)


def excitation(model: ForceModel, triangle: Triangle) -> Excitation:
    """How well the rows in a triangle determine the parameters of a model. Gautier and Khalil 1992.

    Directions that no motion of the robot determines are left out: they are found from random states.

    Args:
        model: whose regressor the rows are.
        triangle: of rows (Y, tau) or Y.

    Raises:
        ShapeError: the triangle is not that wide.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import ForceModel, Samples
        >>> from revolute.identification.excitation.log_excitation import excitation
        >>> from revolute.identification.fit.triangle import Triangle
        >>> model = ForceModel(revolute.robots.planar(1), drives=["damping"])
        >>> rest = Samples(np.arange(9.0), *np.zeros((4, 9, 1)))
        >>> triangle = Triangle(len(model.names))
        >>> triangle.add(model.regressor(rest)[:, 0])
        >>> found = excitation(model, triangle)
        >>> found.rank, found.possible, found.unmoved
        (1, 5, ('link1.my', 'link1.Izz', 'joint1.damping'))
    """
    p = len(model.names)
    R = triangle.R[:, :p]
    if triangle.R.shape[1] not in (p, p + 1):
        raise ShapeError(f"excitation: the triangle has {triangle.R.shape[1]} columns, and the model {p} parameters")
    lengths, most = np.linalg.norm(R, axis=0), np.linalg.norm(full := _any_motion(model), axis=0)
    scale = np.where(lengths > 0, lengths, 1.0)
    possible = _row_space(full / np.where(most > 0, most, 1.0)) * (np.where(most > 0, most, 1.0) / scale)
    span = np.linalg.qr(possible.T)[0]  # (p, r): scaled parameters that some motion determines
    _, values, turns = np.linalg.svd((R / scale) @ span)
    values = np.concatenate([values, np.zeros(span.shape[1] - len(values))])
    rank = int((values > DEPENDENT * values[0]).sum()) if values[0] > 0 else 0
    values[rank:] = 0.0
    unmoved = tuple(name for name, a, b in zip(model.names, lengths, most, strict=True) if a == 0 and b > 0)
    sizes, usual = lengths / max(triangle.rows, 1) ** 0.5, most / (STATES * p * model.robot.nv) ** 0.5
    small = (lengths > 0) & (sizes < WEAK * usual)
    weak = tuple(name for name, x in zip(model.names, small, strict=True) if x)
    condition = float(values[0] / values[rank - 1]) if rank else np.inf
    return Excitation(rank, span.shape[1], condition, values, turns @ span.T, model.names, unmoved, weak)


def _any_motion(model: ForceModel) -> Array:
    """Regressor at random states, each row of a coordinate."""
    count = STATES * len(model.names)
    rng = np.random.default_rng(0)
    space = model.robot.space
    qd, qdd = rng.normal(size=(2, count, space.nv))
    q = np.asarray(space.random_configuration(count, rng=rng), dtype=float)
    samples = Samples(np.arange(float(count)), q, qd, qdd, np.zeros((count, space.nv)))
    Y = model.regressor(samples)
    return np.asarray(np.linalg.qr(Y.reshape(-1, Y.shape[-1]), mode="r"))


def _row_space(A: Array) -> Array:
    _, values, rows = np.linalg.svd(A)
    return np.asarray(rows[: int((values > DEPENDENT * values[0]).sum())])


def _words(direction: Array, names: Sequence[str]) -> str:
    largest = np.abs(direction).max()
    order = np.argsort(-np.abs(direction))
    parts = [f"{direction[k]:+.2f} {names[k]}" for k in order if abs(direction[k]) >= SHOWN * largest]
    return " ".join(parts[:8]) + (" ..." if len(parts) > 8 else "")
