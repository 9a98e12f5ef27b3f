"""The equations of motion in the coordinates of a link frame, over any scalar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.frame_motion import frame_acceleration
from revolute.dynamics.jacobian import jacobian, jacobian_acceleration, jacobian_rate
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.positive_definite import Triangular, triangular
from revolute.dynamics.sparse_factorization import Factors
from revolute.model.model import Model
from revolute.spatial import Motion
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO

__all__ = [
    "ALL",
    "Coordinates",
    "Mobility",
    "Task",
    "dynamically_consistent_inverse",
    "dynamics_of",
    "forces_of",
    "inverse_of",
    "mobility",
    "mobility_of",
    "task_equations_of_motion",
    "task_gravity_forces",
    "task_inertia",
    "task_space_dynamics",
    "task_space_forces",
]

Rows = list[list[Scalar]]
Wrenches = Mapping[str, Sequence[Scalar]] | None

ALL = (0, 1, 2, 3, 4, 5)


class Coordinates(Protocol):
    """Coordinates of a task, by their rates J qd."""

    def jacobian(self, model: Model, q: Sequence[Scalar]) -> tuple[Rows, Rows]:
        """J, m rows of nv scalars; `lengths` of `Mobility`."""

    def jacobian_rate(self, model: Model, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Rows:
        """dJ/dt."""

    def jacobian_acceleration(
        self, model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
    ) -> Rows:
        """d2J/dt2."""

    def drift(self, model: Model, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
        """Jd qd: the rates of the rates at constant qd."""


@dataclass(frozen=True)
class Task:
    """Some rows of a link frame's twist, as coordinates of a task.

    Attributes:
        frame: name of the link.
        reference: "body", "aligned" or "world": see `jacobian`.
        rows: which of wx, wy, wz, vx, vy, vz.
    """

    frame: str
    reference: str = "body"
    rows: tuple[int, ...] = ALL

    def of(self, columns: Sequence[Motion]) -> Rows:
        """The rows of a Jacobian, from its columns."""
        return [[(*column.ang, *column.lin)[row] for column in columns] for row in self.rows]

    def jacobian(self, model: Model, q: Sequence[Scalar]) -> tuple[Rows, Rows]:
        return self.chosen(replace(self, rows=ALL).of(jacobian(model, q, self.frame, self.reference)))

    def chosen(self, all_rows: Rows) -> tuple[Rows, Rows]:
        """J of all six rows, and `lengths` of `Mobility`."""
        lengths = [_dot(row, row) for row in all_rows]
        totals = [sum(lengths[:3]), sum(lengths[3:])]
        of_rows = [[lengths[row] for row in self.rows], [totals[row // 3] for row in self.rows]]
        return [all_rows[row] for row in self.rows], of_rows

    def jacobian_rate(self, model: Model, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Rows:
        return self.of(jacobian_rate(model, q, qd, self.frame, self.reference))

    def jacobian_acceleration(
        self, model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
    ) -> Rows:
        return self.of(jacobian_acceleration(model, q, qd, qdd, self.frame, self.reference))

    def drift(self, model: Model, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
        A = frame_acceleration(model, q, qd, (0,) * model.nv, self.frame, self.reference)
        return [(*A.ang, *A.lin)[row] for row in self.rows]


@dataclass(frozen=True)
class Mobility:
    """The mobility A = J M^-1 J^T of a frame: accelerations by wrenches, from M = L^T D L.

    Attributes:
        J: the task's rows of the Jacobian.
        factors: of the mass matrix.
        swept: L^-T J^T, row by row of the task.
        whitened: D^-1 L^-T J^T.
        damping: lambda, of the damped inertia Lambda = (A + lambda^2 1)^-1.
        lengths: |J_r|^2 of every row, and a scale for it: of a twist, the sum over all three rows of its w or v.
    """

    J: Rows
    factors: Factors
    swept: Rows
    whitened: Rows
    damping: Scalar
    lengths: Rows

    @cached_property
    def A(self) -> Rows:
        """J M^-1 J^T: its lower triangle, row by row."""
        return [
            [_dot(swept, white) for white in self.whitened[: r + 1]] for r, swept in enumerate(self.swept)
        ]

    @cached_property
    def undamped(self) -> Triangular:
        """Factors of A without damping; their pivots show singular states."""
        return triangular(self.A)

    @cached_property
    def damped(self) -> Triangular:
        """Factors of A + lambda^2 1."""
        if isinstance(self.damping, int) and self.damping == 0:
            return self.undamped
        added = self.damping * self.damping
        return triangular([[*row[:-1], row[-1] + added] for row in self.A])

    def accelerated(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """J M^-1 tau."""
        swept = self.factors.swept(tau)
        return [_dot(row, swept) for row in self.whitened]

    def check(self) -> Rows:
        """Four numbers a row. A state is singular if the first or third is negligible next to the one after it.

        Pivot and diagonal of A: their quotient is sin^2 of the angle between the row and
        those before it, in the metric M^-1. Then `lengths`.
        """
        diagonal = [row[-1] for row in self.A]
        return [[*row] for row in zip(self.undamped.D, diagonal, *self.lengths, strict=True)]


def mobility(model: Model, q: Sequence[Scalar], task: Coordinates, damping: Scalar = 0) -> Mobility:
    """A = J M^-1 J^T of a task, with its factors. LP 9.98."""
    J, lengths = task.jacobian(model, q)
    return mobility_of(J, lengths, mass_matrix_factors(model, q), damping)


def mobility_of(J: Rows, lengths: Rows, factors: Factors, damping: Scalar = 0) -> Mobility:
    """The mobility of any mass matrix, by its factors; `lengths` as of `Mobility`."""
    swept = [factors.swept(row) for row in J]
    whitened = [[x * share for x, share in zip(row, factors.inverse_D, strict=True)] for row in swept]
    return Mobility(J, factors, swept, whitened, damping, lengths)


def task_space_dynamics(
    model: Model,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    task: Coordinates,
    damping: Scalar = 0,
    wrenches: Wrenches = None,
) -> tuple[Rows, list[Scalar], list[Scalar], list[Scalar], Mobility]:
    """Lambda, mu, p and e of F = Lambda Vd + mu + p + e, with tau = J^T F. LP 9.90-9.99; BP 7.4.4.

        Lambda = (J M^-1 J^T)^-1
        mu     = Lambda (J M^-1 C qd - Jd qd),    p = Lambda J M^-1 g,    eta = mu + p + e
        e      = -Lambda J M^-1 sum_i J_i^T wrench_i

    For square J these are LP's J^-T M J^-1 and J^-T b - Lambda Jd J^-1 V; for a redundant arm
    they hold if F alone drives it. (LP 9.95 has J^-T b instead of b.)

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].
        qd: (nv,) joint velocities [rad/s, m/s].
        task: such as some rows of a frame's twist.
        damping: lambda in Lambda = (J M^-1 J^T + lambda^2 1)^-1.
        wrenches: {link name: (m, f)} from the environment, in the link's frame [N m, N].

    Returns:
        Lambda, m rows of m scalars; mu, p and e, m scalars each; the mobility.
    """
    still = (0,) * model.nv
    weightless = replace(model, gravity=ZERO)
    moving = newton_euler(weightless, q, qd, still)
    weight = newton_euler(model, q, still, still)
    task_mobility = mobility(model, q, task, damping)
    push = newton_euler(weightless, q, still, still, wrenches) if wrenches else ()
    return *dynamics_of(task_mobility, moving, weight, task.drift(model, q, qd), push), task_mobility


def dynamics_of(
    task_mobility: Mobility,
    moving: Sequence[Scalar],
    weight: Sequence[Scalar],
    rate: Sequence[Scalar],
    push: Sequence[Scalar] = (),
) -> tuple[Rows, list[Scalar], list[Scalar], list[Scalar]]:
    """Lambda, mu, p and e, from joint forces of velocities, of positions and against wrenches, and Jd qd."""
    Lambda = task_mobility.damped.inverse()
    run = [a - b for a, b in zip(task_mobility.accelerated(moving), rate, strict=True)]
    fall = task_mobility.accelerated(weight)
    pushed = task_mobility.accelerated(push) if push else ()
    mu, p, e = ([_dot(row, x) for row in Lambda] if x else [0] * len(Lambda) for x in (run, fall, pushed))
    return Lambda, mu, p, e


def task_inertia(
    model: Model, q: Sequence[Scalar], task: Coordinates, damping: Scalar = 0
) -> tuple[Rows, Mobility]:
    """Lambda of `task_space_dynamics`."""
    task_mobility = mobility(model, q, task, damping)
    return task_mobility.damped.inverse(), task_mobility


def task_gravity_forces(
    model: Model, q: Sequence[Scalar], task: Coordinates, damping: Scalar = 0
) -> tuple[list[Scalar], Mobility]:
    """p of `task_space_dynamics`."""
    still = (0,) * model.nv
    task_mobility = mobility(model, q, task, damping)
    weight = newton_euler(model, q, still, still)
    return task_mobility.damped.solve(task_mobility.accelerated(weight)), task_mobility


def task_equations_of_motion(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], task: Coordinates, damping: Scalar = 0
) -> tuple[Rows, Rows, list[Scalar], Mobility]:
    """Lambda, C_x and p of F = Lambda xdd + C_x xd + p, where xd = J qd. BP 7.4.2, 7.4.4.

        C_x = Jbar^T C Jbar - Lambda Jd Jbar,    p = Jbar^T g,    Jbar = M^-1 J^T Lambda

    With C of Christoffel's symbols dLambda/dt - 2 C_x is skew-symmetric. BP's vector C_chi is
    C_x xd for square J. For a redundant arm C_x xd + p is eta of motions qd = Jbar xd.

    Returns:
        Lambda and C_x, m rows of m scalars; p, m scalars; the mobility.
    """
    _, C, g = equations_of_motion(model, q, qd)
    inverse, task_mobility = dynamically_consistent_inverse(model, q, task, damping)
    Lambda = task_mobility.damped.inverse()
    Jd = task.jacobian_rate(model, q, qd)
    columns = [*zip(*inverse, strict=True)]  # of Jbar

    def by_inverse(rows: Rows) -> Rows:
        return [[_dot(row, column) for column in columns] for row in rows]

    moved = [*zip(*by_inverse(C), strict=True)]  # columns of C Jbar
    turned = [*zip(*by_inverse(Jd), strict=True)]  # columns of Jd Jbar
    C_x = [
        [_dot(column, c) - _dot(row, t) for c, t in zip(moved, turned, strict=True)]
        for column, row in zip(columns, Lambda, strict=True)
    ]
    return Lambda, C_x, [_dot(column, g) for column in columns], task_mobility


def dynamically_consistent_inverse(
    model: Model, q: Sequence[Scalar], task: Coordinates, damping: Scalar = 0
) -> tuple[Rows, Mobility]:
    """M^-1 J^T Lambda, the inverse of J with least kinetic energy. Khatib 1987.

    Returns:
        nv rows of m scalars; the mobility.
    """
    task_mobility = mobility(model, q, task, damping)
    return inverse_of(task_mobility), task_mobility


def inverse_of(task_mobility: Mobility) -> Rows:
    """M^-1 J^T Lambda."""
    Lambda = task_mobility.damped.inverse()
    columns = task_mobility.factors.solve_columns(task_mobility.J)  # of M^-1 J^T
    return [[_dot(row, column) for column in Lambda] for row in zip(*columns, strict=True)]


def task_space_forces(
    model: Model,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    acceleration: Sequence[Scalar],
    task: Coordinates,
    damping: Scalar = 0,
    wrenches: Wrenches = None,
) -> tuple[list[Scalar], list[Scalar], Mobility]:
    """tau = J^T F with F = Lambda Vd + eta. LP 9.97; BP 7.4.2-7.4.5.

    Arguments are those of `task_space_dynamics`; `acceleration` is Vd, the rate of the
    components of the task's twist.

    Returns:
        tau, nv scalars; F, m scalars; the mobility.
    """
    bias = newton_euler(model, q, qd, (0,) * model.nv, wrenches)
    task_mobility = mobility(model, q, task, damping)
    return *forces_of(task_mobility, bias, acceleration, task.drift(model, q, qd)), task_mobility


def forces_of(
    task_mobility: Mobility, bias: Sequence[Scalar], acceleration: Sequence[Scalar], rate: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """tau and F, from joint forces at zero acceleration, Vd and Jd qd."""
    parts = (acceleration, task_mobility.accelerated(bias), rate)
    F = task_mobility.damped.solve([a + b - c for a, b, c in zip(*parts, strict=True)])
    return [_dot(column, F) for column in zip(*task_mobility.J, strict=True)], F


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a . b without the terms where a is zero by the structure of the tree."""
    return sum(x * y for x, y in zip(a, b, strict=True) if not (isinstance(x, int) and x == 0))
