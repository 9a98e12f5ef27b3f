"""Motions through singular positions of closed loops, where branches of the motion cross."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from revolute.errors import InputError
from revolute.machine.constrained.loops import RANK
from revolute.machine.machine import Array
from revolute.simulate.watching import State

if TYPE_CHECKING:
    from revolute.machine.constrained.constrained_robot import ConstrainedRobot

WEAK = 10.0
"""Ratio of a row's singular value to the largest one, over `width`, below which the row may vanish within the width."""

VANISHED = 1e-6
"""Length of a row, relative to the largest singular value, below which the row counts as zero."""

AT_REST = 0.01
"""Distance within which loops at rest can stop, as a fraction of the width."""

NEARBY = (0.1, 0.5)
"""Maximum displacements of joints [rad, m] in the search for the usual rank of the closures."""

NEWTON = 3
"""Number of Newton steps to a singular position; each step squares the relative distance to it."""


class Undetermined(InputError):
    """Raised if loops are at rest in a singular position q."""

    def __init__(self, q: Array) -> None:
        super().__init__("the loops are at rest in a singular position")
        self.q = q


class SingularPassage:
    """Accelerations and projections for a motion that may pass singular positions.

    There a combination u of the rows vanishes, u^T J = 0, so u^T J qdd = -u^T Jd qd does not determine the
    acceleration. The motion is smooth, because no impulse acts. So the derivative of that equation also holds:

        u^T (3 dJ/dt qdd + d2J/dt2 qd) = 0,    as u^T J qddd = 0    (dJ/dt, d2J/dt2 at qdd = 0)

    Within a width both equations are used. Their rows are parallel there: if y is the left side of the second over
    3 |qd|, they are x y = b1 and y = b2, where x is the distance to the singular position along the motion. In

        (x^2 + w^2) y = x b1 + w^2 b2,    w = width (1 - (x / width)^2)^2

    errors of b1 are divided by at least the width, not by x. So the velocity is continuous, and the motion stays on its
    branch. The omitted term u^T J qddd is odd in x, and cancels.

    Args:
        linkage: the robot with its loops.
        q: (..., nq) initial positions of the motion [rad, m].
        width: maximum x [rad, m].
        aside: maximum distance from the singular position of a motion that passes through it [rad, m].
        open_by: maximum error of loops that are treated as closed [m, cosines]. If the loops have a larger error at a
            singular position, the branches do not cross there, and the motion stays on one branch.
        projected: whether accelerations are those of the nearest closed positions.
    """

    def __init__(
        self, linkage: ConstrainedRobot, q: Array, width: float, aside: float, open_by: float, projected: bool
    ) -> None:
        self._linkage, self._width, self._aside, self._open_by = linkage, width, aside, open_by
        self._projected = projected
        self.nearby = _closed_nearby(linkage, q.reshape(-1, q.shape[-1]))
        """(n, nq) closed positions near the initial ones, at which the closures have their usual rank."""
        self._usual = int(self._ranks(self.nearby).max(initial=0))

    def rates(
        self, q: Array, qd: Array, tau: Array, stabilization: float, wrenches: Mapping[str, Array], strict: bool = True
    ) -> State:
        """dq/dt and qdd: those of `ConstrainedRobot.forward_dynamics` unless a singular position is near.

        `strict`: raise `Undetermined` for loops at rest there; if false, use only the rows that do not vanish.
        """
        linkage = self._linkage
        kind = "projected" if self._projected and not stabilization else "stabilized"
        options = {kind: True, "wrenches": tuple(wrenches)} if wrenches else {kind: True}
        rate = () if kind == "projected" else (np.asarray(stabilization),)
        way, qdd = linkage.kernel("state_rate", **options)(q, qd, tau, *wrenches.values(), *rate)
        lost = np.isfinite(qdd).all(axis=-1) & (self._ranks(q) < self._usual)
        for row in map(tuple, np.argwhere(lost)):
            loads = {link: load[row] for link, load in wrenches.items()}
            J, factor, free, required = linkage._equations(q[row], qd[row], tau[row], stabilization, loads)
            qdd[row] = free + factor @ self._change(q[row], qd[row], J @ factor, factor, free, required, strict)
        return way, qdd

    def _ranks(self, q: Array) -> Array:
        """(...) number of singular values of J, in the metric of M, that cannot vanish within the width."""
        A = self._linkage.kernel("mobility")(q)
        squares = np.linalg.eigvalsh(A if np.isfinite(A).all() else np.where(np.isfinite(A), A, 0.0))
        return np.asarray((squares > (WEAK * self._width) ** 2 * squares[..., -1:]).sum(axis=-1))

    def project(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """`ConstrainedRobot.project` without rows that vanish within the width: they do not determine the branch."""
        linkage = self._linkage
        lost = self._ranks(q) < self._usual
        if not lost.any():
            return linkage._closed(linkage.kernel("newton")(q), qd)
        least = np.full((*q.shape[:-1], 1), RANK)
        for row in map(tuple, np.argwhere(lost)):
            factor = linkage._factor(q[row])
            found = self._rows(q[row], qd[row], linkage.jacobian(q[row]) @ factor, factor)
            least[row] = max(RANK, 1.1 * found.s[found.near].max(initial=0.0) / found.s[0])
        return linkage._closed(q, qd, least=least if (least > RANK).any() else None)

    def _rows(self, q: Array, qd: Array, A: Array, factor: Array) -> _Rows:
        """The rows of A = J L for one state, and which of them vanish within the width."""
        U, s, Vt = np.linalg.svd(A)
        s = np.append(s, np.zeros(len(U) - len(s)))
        found = _Rows(U, s, Vt, s <= WEAK * self._width * s[0], np.zeros(len(s), bool), np.zeros_like(A), s * 0)
        speed = float(np.linalg.norm(qd))
        if not speed:
            return found
        rates, rows_q, rows_qd = self._partials(q, qd)
        by_qdd = rates + rows_qd  # three times dJ/dt, up to multiples of J
        derivatives, b2 = U.T @ by_qdd / (3 * speed), -U.T @ rows_q @ qd / (3 * speed)
        near = found.vanish(derivatives @ factor, self._width)
        if near.any() and not (self._meets(found, A, derivatives @ factor, near) and self._crosses(q, U[:, near])):
            near[:] = False
        return found._replace(near=near, derivatives=derivatives, b2=b2)

    def _change(
        self, q: Array, qd: Array, A: Array, factor: Array, free: Array, required: Array, strict: bool
    ) -> Array:
        """z with qdd = free + L z, for one state; A = J L, with the rows A z = required."""
        rows = self._rows(q, qd, A, factor)
        U, s, near = rows.U, rows.s, rows.near
        b1 = U.T @ required
        start = free + factor @ rows.solved(b1, ~rows.weak)[1]
        size = float(np.linalg.norm(start))
        if strict and qd @ qd < 2 * size * AT_REST * self._width:
            rates = U.T @ self._partials(q, start)[0] @ factor / size
            if rows.vanish(rates, AT_REST * self._width).any():
                raise Undetermined(q)
        V, z = rows.solved(b1, ~near & (s > RANK * s[0]))
        if not near.any():
            return z
        N1, N2 = (U.T @ A)[near], rows.derivatives[near] @ factor
        b1, b2 = b1[near] - N1 @ z, rows.b2[near] - rows.derivatives[near] @ free - N2 @ z
        N1, N2 = _across(N1, V), _across(N2, V)
        x = N1 @ np.linalg.pinv(N2, rcond=VANISHED)
        w2 = (self._width * (1 - (s[near] / (self._width * np.linalg.norm(N2, axis=-1))) ** 2) ** 2) ** 2
        N, b = x.T @ N1 + w2[:, None] * N2, x.T @ b1 + w2 * b2
        return np.asarray(z + np.linalg.pinv(N, rcond=VANISHED) @ b)

    def _meets(self, rows: _Rows, A: Array, derivatives: Array, near: Array) -> bool:
        """Whether the motion passes through the singular position, where rows vanish: then x N2 = N1."""
        N1, N2 = (rows.U.T @ A)[near], _across(derivatives[near], rows.Vt[np.flatnonzero(~rows.weak)])
        aside = np.linalg.norm(N1 - N1 @ np.linalg.pinv(N2, rcond=VANISHED) @ N2, axis=-1)
        return bool((aside < self._aside * np.linalg.norm(N2, axis=-1)).all())

    def _crosses(self, q: Array, vanishing: Array) -> bool:
        """Whether the loops are closed where combinations of rows vanish, (m, k), near q."""
        linkage, still = self._linkage, np.zeros(self._linkage.robot.nv)
        for _ in range(NEWTON):
            e, J = linkage.error(q), linkage.jacobian(q)
            U, s, Vt = np.linalg.svd(J)
            rank = int(_rank(s, WEAK * self._width))
            vanishing = np.linalg.qr(vanishing - U[:, :rank] @ (U[:, :rank].T @ vanishing))[0]
            slopes = [Vt[rank:] @ linkage.kernel("closure_partials")(q, still, still, u)[0] for u in vanishing.T]
            A = np.concatenate([U[:, :rank].T @ J, *slopes])
            b = np.concatenate([U[:, :rank].T @ e, *(vanishing.T @ J @ Vt[rank:].T)])
            q = linkage.robot.integrate(q, -np.linalg.pinv(A, rcond=VANISHED) @ b)
        return bool(np.abs(self._linkage.error(q)).max() <= self._open_by)

    def _partials(self, q: Array, qd: Array) -> tuple[Array, Array, Array]:
        """d(J qd)/dq, and derivatives of J qdd + Jd qd by q and qd at qdd = 0."""
        linkage = self._linkage
        no_forces = np.zeros(len(linkage.row_names))
        _, rates, rows_q, rows_qd, _ = linkage.kernel("closure_partials")(q, qd, np.zeros_like(qd), no_forces)
        return rates, rows_q, rows_qd


class _Rows(NamedTuple):
    """Rows of J L in the basis of their left singular vectors.

    Attributes:
        U, s, Vt: singular value decomposition; s has zeros for rows beyond the columns.
        weak: rows that may vanish within the width.
        near: rows that vanish within it, where branches cross.
        derivatives: of the rows of J, with respect to the distance along the motion.
        b2: required value of derivatives @ qdd.
    """

    U: Array
    s: Array
    Vt: Array
    weak: Array
    near: Array
    derivatives: Array
    b2: Array

    def vanish(self, derivatives: Array, x: float) -> Array:
        """Mask of rows that vanish within a distance."""
        size = np.linalg.norm(_across(derivatives, self.Vt[np.flatnonzero(~self.weak)]), axis=-1)
        return np.asarray(self.weak & (size > VANISHED * self.s[0]) & (self.s < x * size))

    def solved(self, b: Array, kept: Array) -> tuple[Array, Array]:
        """Retained right singular vectors, and the solution z of only their rows."""
        V = self.Vt[np.flatnonzero(kept)]
        return V, (b[kept] / self.s[kept]) @ V


def _closed_nearby(linkage: ConstrainedRobot, q: Array) -> Array:
    """(n, nq) closed positions near those of q, (k, nq), or q itself."""
    still = np.zeros(linkage.robot.nv)
    found = [q]
    for distance in NEARBY:
        moves = distance * np.cos(np.arange(1, 4)[:, None] * np.arange(1, len(still) + 1) ** 2)
        for near in linkage.robot.integrate(q[:, None], moves).reshape(-1, q.shape[-1]):
            try:
                found.append(linkage._closed(near, still)[0][None])
            except InputError:
                continue
    return np.concatenate(found)


def _across(rows: Array, V: Array) -> Array:
    """Rows minus their components along the rows of V."""
    return np.asarray(rows - rows @ V.T @ V)


def _rank(s: Array, part: float) -> Array:
    """(...) rank: number of singular values above a fraction of the largest; infinite values are treated as zero."""
    finite = np.where(np.isfinite(s), s, 0.0)
    return np.asarray((finite > part * finite.max(axis=-1, keepdims=True, initial=0)).sum(axis=-1))
