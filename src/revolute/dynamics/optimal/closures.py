"""Closed loops during a step of a plan: accelerations, forces and their derivatives, for any scalar type.

    M (v+ - v) / h = tau - bias + J^T f
    e(q+) / h^2 + mu f = 0 for closures,    q+ = q + h v+

So every step ends with closed loops, as in SHAKE. Ryckaert, Ciccotti & Berendsen 1977; Leimkuhler & Reich 2004, 7.
Newton's method finds f. The small term mu f divides forces between redundant rows; derivatives of forces remain exact.
Rows of contacts are those of `Holding`. Velocities are (q+ - q) / h, so J v is not zero, but of the order of h.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from revolute.dynamics.implicit_steps import solver
from revolute.dynamics.optimal.holding import SHARED, Holding
from revolute.dynamics.optimal.products import Rows, dot, plus_product
from revolute.dynamics.sparse_factorization import factors_of, filled, is_zero
from revolute.model.model import Closure
from revolute.records import dataclass
from revolute.spatial.dual import Dual, slopes_of
from revolute.spatial.loop import converged
from revolute.spatial.scalar import Scalar, Scalars, select, transposed

CLOSED, MOST = 1e-12, 20
"""Maximum length [rad, m] of the last Newton step, after which the error is about its square; and maximum number of
steps."""

LOST = 1e7  # velocity [rad/s, m/s] after a step that cannot close the loops: larger than `stepping.FAR`

SHORT = 1e-3  # length of the step after the last node, whose forces do not matter [s]


@dataclass(frozen=True)
class Closing:
    """The closures of a robot in a step of length h, in addition to its contacts."""

    contacts: Holding
    length: Scalar

    @cached_property
    def h(self) -> Scalar:
        """The length of the step; `SHORT` at the last node, where `length` is zero."""
        return select(self.length > 0, self.length, SHORT)

    @cached_property
    def rows(self) -> Rows:
        """J with respect to velocities of the coordinates: rows of contacts, then those of closures."""
        return [*self.contacts.rows, *self._rows(self.contacts.q)]

    @cached_property
    def damping(self) -> list[Scalar]:
        """mu of each row."""
        dynamics = self.contacts.dynamics
        count = dynamics.rows - 3 * len(dynamics.contacts)
        return [*self.contacts.damping, *(SHARED / dynamics.mass for _ in range(count))]

    def _rows(self, q: Scalars) -> list[list[Scalar]]:
        """J of closures; from dual numbers for a closure that defines only `error`."""
        dynamics, found = self.contacts.dynamics, list[list[Scalar]]()
        for closure in dynamics.closures:
            found += closure.jacobian(dynamics.tree, q) or self._differentiated(closure, q)
        return found

    def _differentiated(self, closure: Closure, q: Scalars) -> list[list[Scalar]]:
        dynamics = self.contacts.dynamics
        moves = [{k: y for k, y in enumerate(row) if not is_zero(y)} for row in dynamics.directions(q)]
        errors = closure.error(dynamics.tree, [*map(Dual, q, moves)])
        return [[slopes_of(x).get(k, 0) for k in range(dynamics.space.nv)] for x in errors]

    def _after(self, qd: Scalars, a: Scalars) -> list[Scalar]:
        """The positions q+ after the step."""
        dynamics, q = self.contacts.dynamics, self.contacts.q
        return dynamics.step([*q, *qd], (), a, self.h)[: len(q)]

    def residuals(self, qd: Scalars, a: Scalars) -> list[Scalar]:
        """Residuals of contacts, then e(q+) / h^2 of closures, without the terms mu f."""
        dynamics = self.contacts.dynamics
        found = self.contacts.residuals(qd, a) if dynamics.contacts else []
        after, often = self._after(qd, a), 1 / (self.h * self.h)
        return [*found, *(often * x for closure in dynamics.closures for x in closure.error(dynamics.tree, after))]

    def accelerations(self, qd: Scalars, tau: Scalars) -> list[Scalar]:
        """a, then f of contacts along their axes, then f of closures.

        If Newton's method fails, a is so large that the state after the step counts as lost: see `LOST`.
        """
        dynamics, q = self.contacts.dynamics, self.contacts.q
        factors, bias = dynamics.factors(q), dynamics.forces(q, qd, [0] * len(qd))
        free = factors.solve([x - y for x, y in zip(tau, bias, strict=True)])
        G, scale = transposed(factors.solve_columns(self.rows)), self.h * self.h

        def moved(f: Scalars) -> list[Scalar]:
            return [x + dot(row, f) for x, row in zip(free, G, strict=True)]

        def step(f: Scalars, _: Scalars) -> tuple[Any, Any, Any]:
            a = moved(f)
            missing = [x + mu * y for x, mu, y in zip(self.residuals(qd, a), self.damping, f, strict=True)]
            slopes = [*self.contacts.rows, *self._rows(self._after(qd, a))]
            change = solver(self._mobility(slopes, G))(missing)
            moves = [scale * dot(row, change) for row in G]
            return [x - y for x, y in zip(f, change, strict=True)], (size := dot(moves, moves),), size > CLOSED**2

        f, (size,) = converged(step, [0.0] * len(self.rows), (1.0,), most=MOST)
        found = size <= CLOSED**2
        return [*(select(found, x, LOST / self.h) for x in moved(f)), *(select(found, x, 0.0) for x in f)]

    def _mobility(self, slopes: Rows, G: Rows) -> list[list[Scalar]]:
        """R G + mu, for derivatives R of residuals with respect to accelerations and G = M^-1 J^T."""
        A = [[dot(row, g) for g in transposed(G)] for row in slopes]
        for k, mu in enumerate(self.damping):
            A[k][k] = A[k][k] + mu
        return A

    def pulled(self, f: Scalars) -> list[Scalar]:
        """The generalized forces J^T f."""
        return [dot(column, f) for column in transposed(self.rows)]

    def changes(
        self, slopes: Rows, turned: Rows, partials: tuple[Rows, Rows, Rows], motors: Sequence[int]
    ) -> tuple[Rows, Rows]:
        """W and F of dw = W (dq, dqd, dc) and df = F (dq, dqd, dc), for forces c of motors: see `Holding.changes`.

            M dw - J^T df = dc - (P_q - d(J^T f)/dq) dq - P_v dqd
            R dw + mu df = -R_x (dq, dqd)

        `slopes` are rows (R_x, R), derivatives of `residuals`; `turned` contains d(J^T f)/dq.
        """
        (by_q, by_v, M), n = partials, len(turned)
        inverse = factors_of(filled(M), M).inverse()
        loads = [
            [*(x - y for x, y in zip(t, p, strict=True)), *(-x for x in v), *(int(i == k) for k in motors)]
            for i, (t, p, v) in enumerate(zip(turned, by_q, by_v, strict=True))
        ]
        free, G = plus_product(None, inverse, loads), plus_product(None, inverse, transposed(self.rows))
        R = [row[2 * n :] for row in slopes]
        needed = plus_product([[*row[: 2 * n], *(0.0 for _ in motors)] for row in slopes], R, free)
        solve = solver(self._mobility(R, G))
        F = transposed([-x for x in solve(column)] for column in transposed(needed))
        return plus_product(free, G, F), F
