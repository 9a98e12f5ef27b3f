"""Task coordinates, and their mobility, for any scalar type."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Protocol

from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.frame_motion import frame_acceleration
from revolute.dynamics.jacobian import jacobian, jacobian_rate, jacobian_second_rate
from revolute.dynamics.positive_definite import Triangular, triangular
from revolute.dynamics.sparse_factorization import Factors, is_zero
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import Rows, Scalar, Scalars, Twist

__all__ = ["ALL", "Coordinates", "Mobility", "Rows", "TwistRows", "dot", "mobility", "mobility_of"]

ALL = (0, 1, 2, 3, 4, 5)


class Coordinates(Protocol):
    """Coordinates of a task, defined by their time derivatives J qd."""

    def jacobian(self, model: Model, q: Scalars) -> tuple[Rows, Rows]:
        """J, m rows of nv scalars; and `lengths` of `Mobility`."""

    def jacobian_rate(self, model: Model, q: Scalars, qd: Scalars) -> Rows:
        """dJ/dt, m rows of nv scalars."""

    def jacobian_second_rate(self, model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> Rows:
        """d2J/dt2, m rows of nv scalars."""

    def drift(self, model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        """Jd qd: the second time derivatives at constant qd."""


@dataclass(frozen=True)
class TwistRows:
    """Task coordinates whose time derivatives are selected components of a link frame's twist."""

    frame: str  # name of the link
    reference: str = "body"  # "body", "aligned" or "world": see `jacobian`
    rows: tuple[int, ...] = ALL  # indices of the selected components of (wx, wy, wz, vx, vy, vz)

    def of(self, columns: Sequence[Twist]) -> Rows:
        """The selected rows of a Jacobian, from its columns."""
        return [[(*column.ang, *column.lin)[row] for column in columns] for row in self.rows]

    def jacobian(self, model: Model, q: Scalars) -> tuple[Rows, Rows]:
        return self.chosen(replace(self, rows=ALL).of(jacobian(model, q, self.frame, self.reference)))

    def chosen(self, all_rows: Rows) -> tuple[Rows, Rows]:
        """J, the selected rows of the six-row Jacobian, and `lengths` of `Mobility`."""
        lengths = [dot(row, row) for row in all_rows]
        totals = [sum(lengths[:3]), sum(lengths[3:])]
        of_rows = [[lengths[row] for row in self.rows], [totals[row // 3] for row in self.rows]]
        return [all_rows[row] for row in self.rows], of_rows

    def jacobian_rate(self, model: Model, q: Scalars, qd: Scalars) -> Rows:
        return self.of(jacobian_rate(model, q, qd, self.frame, self.reference))

    def jacobian_second_rate(self, model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> Rows:
        return self.of(jacobian_second_rate(model, q, qd, qdd, self.frame, self.reference))

    def drift(self, model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        A = frame_acceleration(model, q, qd, (0,) * model.nv, self.frame, self.reference)
        return [(*A.ang, *A.lin)[row] for row in self.rows]


@dataclass(frozen=True)
class Mobility:
    """The mobility A = J M^-1 J^T of a task, which maps task forces to accelerations, and factors of M = L^T D L."""

    J: Rows  # the task's rows of the Jacobian
    factors: Factors  # L and D of the mass matrix
    swept: Rows  # L^-T J^T, one list per task row
    whitened: Rows  # D^-1 L^-T J^T, one list per task row
    # the damping term added to A, as a lower triangle row by row: lambda^2 1 for the damped inertia Lambda = (A +
    # lambda^2 1)^-1; None without damping
    added: Rows | None
    lengths: Rows  # |J_r|^2 of every row r, and a scale for it: for a twist, its sum over the three rows of w or of v

    @cached_property
    def A(self) -> Rows:
        """J M^-1 J^T: its lower triangle, row by row."""
        return [[dot(swept, white) for white in self.whitened[: r + 1]] for r, swept in enumerate(self.swept)]

    @cached_property
    def undamped(self) -> Triangular:
        """Factors of A without damping; a pivot near zero indicates a singular state."""
        return triangular(self.A)

    @cached_property
    def damped(self) -> Triangular:
        """Factors of A with damping."""
        if self.added is None:
            return self.undamped
        pairs = zip(self.A, self.added, strict=True)
        return triangular([[a + b for a, b in zip(*rows, strict=True)] for rows in pairs])

    def accelerated(self, tau: Scalars) -> list[Scalar]:
        """The task accelerations J M^-1 tau."""
        swept = self.factors.swept(tau)
        return [dot(row, swept) for row in self.whitened]

    def check(self) -> Rows:
        """Four numbers per row. A state is singular if the first or third is negligible relative to the next one.

        The first two are a pivot and a diagonal entry of A: their quotient is sin^2 of the angle between the row and
        the span of the rows before it, in the metric M^-1. The last two are `lengths`.
        """
        diagonal = [row[-1] for row in self.A]
        return [[*row] for row in zip(self.undamped.D, diagonal, *self.lengths, strict=True)]


def mobility(model: Model, q: Scalars, task: Coordinates, damping: Scalar = 0) -> Mobility:
    """A = J M^-1 J^T of a task, and its factors. LP 9.98."""
    J, lengths = task.jacobian(model, q)
    return mobility_of(J, lengths, mass_matrix_factors(model, q), damping)


def mobility_of(J: Rows, lengths: Rows, factors: Factors, damping: Scalar = 0) -> Mobility:
    """The mobility from the factors of any mass matrix; for `lengths` see `Mobility`."""
    swept = [factors.swept(row) for row in J]
    whitened = [[x * share for x, share in zip(row, factors.inverse_D, strict=True)] for row in swept]
    added = None if is_zero(damping) else [[*[0] * r, damping * damping] for r in range(len(J))]
    return Mobility(J, factors, swept, whitened, added, lengths)


def plus(a: Scalars, b: Scalars) -> list[Scalar]:
    """The sum a + b."""
    return [x + y for x, y in zip(a, b, strict=True)]


def dot(a: Scalars, b: Scalars) -> Scalar:
    """The scalar product a . b, without terms in which a is structurally zero."""
    return sum(x * y for x, y in zip(a, b, strict=True) if not is_zero(x))
