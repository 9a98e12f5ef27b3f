"""The nv coordinates that are interpolated: joint positions, with a rotation vector in place of each quaternion.

Each piece of a trajectory has a base quaternion s for each joint with a quaternion. The orientation is s exp(phi), and
phi is interpolated like a position. LP section 3.2.3. With u = |phi|^2, the angular velocity in the joint's frame is

    w  = phi' - a phi x phi' + b phi x (phi x phi'),    a = (1 - cos |phi|)/u,    b = (|phi| - sin |phi|)/|phi|^3
"""

import math
from functools import cached_property

import numpy as np

from revolute.arguments import Array
from revolute.dynamics.coordinate_rates import normalized
from revolute.io.trajectory.rates import rates
from revolute.model.joints.one_axis import OneAxis
from revolute.model.model import Model
from revolute.spatial import quaternion

STEP = 1e-30  # step of complex-step differentiation, whose derivatives are exact to rounding


class PieceCoordinates:
    """The interpolation coordinates y (nv,) of a model's joints in a piece of a trajectory."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @cached_property
    def turns(self) -> tuple[tuple[slice, slice, slice], ...]:
        """For each quaternion, slices: its entries in q, its rotation vector in y, and its angular velocity in qd."""
        found = []
        for body, at, to in zip(self.model.bodies, self.model.q_index, self.model.v_index, strict=True):
            if (k := body.joint.quaternion_at) is not None:
                in_q, in_y = at.start + k, to.start + k
                found.append((slice(in_q, in_q + 4), slice(in_y, in_y + 3), slice(to.start, to.start + 3)))
        return tuple(found)

    @cached_property
    def positions(self) -> tuple[Array, Array]:
        """Indices in q and in y of coordinates other than quaternions."""
        in_q, in_y = np.ones(self.model.nq, bool), np.ones(self.model.nv, bool)
        for at, of, _ in self.turns:
            in_q[at], in_y[of] = False, False
        return np.flatnonzero(in_q), np.flatnonzero(in_y)

    @cached_property
    def trivial(self) -> bool:
        """Whether y, dy and ddy are q, qd and qdd, because all joints have one axis."""
        return all(isinstance(body.joint, OneAxis) for body in self.model.bodies[1:])

    def linked(self, waypoints: Array) -> tuple[Array, Array]:
        """For k waypoints: (k - 1, 2, nv) y at both ends of each piece, and (k - 1, turns, 4) base quaternions.

        From waypoint to waypoint, the shortest rotation is used.
        """
        q = waypoints if self.trivial else np.stack(normalized(self.model, [*waypoints.T]), axis=-1)
        ends = np.zeros((len(q) - 1, 2, self.model.nv))
        in_q, in_y = self.positions
        ends[:, 0, in_y], ends[:, 1, in_y] = q[:-1, in_q], q[1:, in_q]
        base = np.zeros((len(q) - 1, len(self.turns), 4))
        for j, (at, of, _) in enumerate(self.turns):
            s = q[:, at].copy()
            same = np.sum(s[1:] * s[:-1], axis=1) >= 0
            s[1:] *= np.cumprod(np.where(same, 1.0, -1.0))[:, None]
            base[:, j] = s[:-1]
            x, y, z, w = s[:-1].T
            ends[:, 1, of] = np.stack(quaternion.logarithm(quaternion.product((-x, -y, -z, w), [*s[1:].T])), axis=-1)
        return ends, base

    def ends(self, q: Array, qd: Array, qdd: Array) -> tuple[tuple[Array, ...], tuple[Array, ...], Array]:
        """y, dy and ddy at the starts and ends of the pieces between k states, and the pieces' base quaternions."""
        ends, base = self.linked(q)
        sides = []
        for y, rows in ((ends[:, 0], slice(None, -1)), (ends[:, 1], slice(1, None))):
            sides.append((y, *self.coordinate_rates(y, self.configuration(y, base), qd[rows], qdd[rows])))
        return sides[0], sides[1], base

    def configuration(self, y: Array, base: Array) -> Array:
        """(n, nq) joint positions of (n, nv) coordinates and (n, turns, 4) base quaternions."""
        if self.trivial:
            return y
        q = np.empty((len(y), self.model.nq))
        in_q, in_y = self.positions
        q[:, in_q] = y[:, in_y]
        for j, (at, of, _) in enumerate(self.turns):
            turned = quaternion.product([*base[:, j].T], quaternion.exponential([*y[:, of].T]))
            q[:, at] = np.stack(quaternion.normalized(turned), axis=-1)
        return q

    def motion(self, y: Array, dy: Array, ddy: Array, base: Array) -> tuple[Array, Array, Array]:
        """q, qd and qdd, from coordinates y and their time derivatives; shapes are those of `configuration`."""
        if self.trivial:
            return y, dy, ddy
        q = self.configuration(y, base)
        dq, ddq = np.empty((2, *q.shape))
        in_q, in_y = self.positions
        dq[:, in_q], ddq[:, in_q] = dy[:, in_y], ddy[:, in_y]
        for at, of, _ in self.turns:
            w, wd = spin(y[:, of], dy[:, of], ddy[:, of])
            s, ws, wds = [*q[:, at].T], [*w.T], [*wd.T]
            ds = quaternion.rate(s, ws)
            dq[:, at] = np.stack(ds, axis=-1)
            ddq[:, at] = np.stack(quaternion.rate(ds, ws), axis=-1) + np.stack(quaternion.rate(s, wds), axis=-1)
        return q, *rates(self.model, q, dq, ddq)

    def coordinate_rates(self, y: Array, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """(n, nv) dy and ddy, from joint velocities and accelerations: the inverse of `motion`."""
        if self.trivial:
            return qd, qdd
        dy, ddy = np.empty((2, *y.shape))
        in_q, in_y = self.positions
        dq, ddq = self._position_rates(q, qd, qdd)
        dy[:, in_y], ddy[:, in_y] = dq[:, in_q], ddq[:, in_q]
        for _, of, to in self.turns:
            phi, none = y[:, of], np.zeros_like(y[:, of])
            J = spin_matrix(phi)
            dy[:, of] = np.linalg.solve(J, qd[:, to, None])[..., 0]
            carried = spin(phi, dy[:, of], none)[1]
            ddy[:, of] = np.linalg.solve(J, (qdd[:, to] - carried)[..., None])[..., 0]
        return dy, ddy

    def _position_rates(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """First and second time derivatives of q: dq = G(q) qd, ddq = G qdd + dG/dt qd."""
        dq, ddq = np.empty((2, *q.shape))
        for body, at, to in zip(self.model.bodies[1:], self.model.q_index[1:], self.model.v_index[1:], strict=True):
            x, v, a = [*q[:, at].T], [*qd[:, to].T], [*qdd[:, to].T]
            rate = body.joint.coordinate_rate(x, v)
            moved = body.joint.coordinate_rate([xk + 1j * STEP * r for xk, r in zip(x, rate, strict=True)], v)
            driven = body.joint.coordinate_rate(x, a)
            dq[:, at] = np.stack(rate, axis=-1)
            ddq[:, at] = np.stack([d + np.imag(m) / STEP for d, m in zip(driven, moved, strict=True)], axis=-1)
        return dq, ddq


def spin(phi: Array, dphi: Array, ddphi: Array) -> tuple[Array, Array]:
    """(n, 3) angular velocity and acceleration of the rotation exp(phi), expressed in the rotating frame."""
    a, b, da, db = _factors(np.sum(phi * phi, axis=1), 2 * np.sum(phi * dphi, axis=1))
    once = np.cross(phi, dphi)
    twice = np.cross(phi, once)
    w = dphi - a * once + b * twice
    again = np.cross(phi, ddphi)
    grown = np.cross(dphi, once) + np.cross(phi, again)
    return w, ddphi - a * again + b * grown - da * once + db * twice


def spin_matrix(phi: Array) -> Array:
    """(n, 3, 3) matrices J with which w = J dphi is the angular velocity of exp(phi)."""
    a, b, _, _ = _factors(np.sum(phi * phi, axis=1), np.zeros(len(phi)))
    unit = np.broadcast_to(np.eye(3), (len(phi), 3, 3))
    once = np.cross(phi[:, None], unit)  # row k is phi x e_k
    twice = np.cross(phi[:, None], once)
    return np.swapaxes(unit - a[..., None] * once + b[..., None] * twice, 1, 2)


def _factors(u: Array, du: Array) -> tuple[Array, Array, Array, Array]:
    """The factors a and b of w, and their time derivatives, from u = |phi|^2 and du: (n, 1) columns."""
    # Below u = 1, where the closed forms suffer cancellation, by power series: a = sum (-u)^k/(2k + 2)!, b = sum
    # (-u)^k/(2k + 3)!; the tenth term is below 1e-18.
    small, big = np.minimum(u, 1), np.maximum(u, 1)
    x = np.sqrt(big)
    closed = [(1 - np.cos(x)) / big, (x - np.sin(x)) / (big * x)]
    closed += [(1 - closed[1] * big - 2 * closed[0]) / (2 * big), (closed[0] - 3 * closed[1]) / (2 * big)]
    series = []
    for derivative, n in ((0, 2), (0, 3), (1, 2), (1, 3)):
        powers = range(derivative, 10 + derivative)
        terms = [(-1) ** k * k**derivative / math.factorial(2 * k + n) for k in powers]
        series.append(np.polynomial.polynomial.polyval(small, terms))
    a, b, a_u, b_u = (np.where(u < 1, s, c) for s, c in zip(series, closed, strict=True))
    return a[:, None], b[:, None], (a_u * du)[:, None], (b_u * du)[:, None]
