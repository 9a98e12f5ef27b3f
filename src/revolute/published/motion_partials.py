"""Balafoutis and Patel's partial derivatives of the quantities of Algorithm 5.7. BP appendix C."""

from functools import reduce
from typing import Any

from revolute.errors import InputError
from revolute.model.model import Model
from revolute.published.augmented_links import nominal
from revolute.published.sensitivity import Z, generalized_moments
from revolute.published.serial import serial
from revolute.spatial import ZERO, Rotation, Scalars, Vector, cross, tilde

Partials = tuple[Any, Any, Any]  # derivatives with respect to q_j, qd_j and qdd_j: three matrices or three vectors
NONE = tilde(ZERO)


class MotionPartials:
    """Partial derivatives of quantities of link i with respect to the position, velocity and acceleration of joint j.

    For arms with revolute joints; links and joints are numbered 1 ... n, as in the book. All quantities, such as z_j
    and s_{j,i}, are expressed in frame i, and their derivatives are absolute.

    Args:
        model: serial arm with revolute joints on a fixed base.
        q, qd, qdd: (n,) positions [rad], velocities [rad/s], accelerations [rad/s^2].

    Raises:
        ModelError: the robot is not a serial arm with revolute joints.

    Example:
        >>> from revolute import robots
        >>> from revolute.published.motion_partials import MotionPartials
        >>> arm = robots.planar(2)
        >>> by_q, by_qd, by_qdd = MotionPartials(arm, [0, 0], [0, 0], [0, 0]).sdd(2, 1)
        >>> tuple(by_qdd)  # the second joint of the arm, 1 m from the first
        (0.0, 1.0, 0.0)
    """

    def __init__(self, model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> None:
        serial(model, "MotionPartials", ("revolute",))
        self.it = nominal(model, q, qd, qdd)
        self.moments = dict(generalized_moments(self.it))

    def turn(self, i: int, j: int) -> Rotation:
        """The rotation iW_j from frame j to frame i. BP C.3."""
        between = reduce(Rotation.__matmul__, self.it.A[min(i, j) + 1 : max(i, j) + 1], Rotation())
        return between if self._beyond(i, j) else between.T

    def axis(self, j: int, i: int) -> tuple[Vector, Vector, Vector]:
        """z_j and its first and second time derivatives, in frame i. BP C.8-C.11."""
        turn = self.turn(i, j)
        return turn @ Z, turn @ cross(self.it.w[j], Z), turn @ (self.it.Omega[j] @ Z)

    def way(self, j: int, i: int, along: int) -> tuple[Vector, Vector]:
        """s_{j,i} for j <= i and its first time derivative, expressed in frame `along`."""
        way, rate = ZERO, ZERO
        for k in range(j, i):
            turn = self.turn(along, k)
            way, rate = way + turn @ self.it.s[k + 1], rate + turn @ self.it.sd[k + 1]
        return way, rate

    def W(self, i: int, j: int) -> Partials:
        """W_i^T times partial derivatives of W_i and its first and second time derivatives. BP Lemma C-3-C-4, 5.4.8."""
        if self._beyond(i, j):
            return NONE, NONE, NONE
        z, zd, zdd = map(tilde, self.axis(j, i))
        w, Omega = tilde(self.it.w[i]), self.it.Omega[i]
        return z, zd + z @ w, zdd + zd @ w * 2 + z @ Omega

    def w(self, i: int, j: int) -> Partials:
        """Partial derivatives of the angular velocity. BP Lemma C-5."""
        if self._beyond(i, j):
            return ZERO, ZERO, ZERO
        z, zd, _ = self.axis(j, i)
        return zd, z, ZERO

    def Omega(self, i: int, j: int) -> Partials:
        """Partial derivatives of the angular-acceleration tensor. BP Lemma C-6."""
        if self._beyond(i, j):
            return NONE, NONE, NONE
        z, zd, zdd = map(tilde, self.axis(j, i))
        w = tilde(self.it.w[i])
        return zdd + zd @ w * 2, (zd + z @ w) * 2, z

    def wd(self, i: int, j: int) -> Partials:
        """Partial derivatives of the angular acceleration. BP Lemma C-7."""
        if self._beyond(i, j):
            return ZERO, ZERO, ZERO
        z, zd, zdd = self.axis(j, i)
        w = self.it.w[i]
        return zdd + cross(zd, w), zd * 2 + cross(z, w), z

    def mu(self, i: int, j: int) -> Partials:
        """Partial derivatives of the moment of the augmented link's rotation. BP Lemma C-8."""
        if self._beyond(i, j):
            return ZERO, ZERO, ZERO
        z, zd, zdd = self.axis(j, i)
        K, L = self.it.K[i], tilde(self.it.w[i]) @ self.it.K_hat[i]
        return K @ zdd - L @ zd * 2, (K @ zd - L @ z) * 2, K @ z

    def Udd(self, i: int, j: int) -> Partials:
        """Partial derivatives of the second time derivative of the generalised link's first moment. BP Lemma C-9."""
        beyond, k = self._beyond(i, j), max(i, j)
        z, zd, zdd = self.axis(j, i)
        U, Ud, Udd = (self.turn(i, k) @ x for x in (*self.moments[k][:2], self.it.Udd[k]))
        moved = cross(z, Udd) if beyond else ZERO
        return cross(zdd, U) + cross(zd, Ud) * 2 + moved, (cross(zd, U) + cross(z, Ud)) * 2, cross(z, U)

    def sdd_next(self, i: int, j: int) -> Partials:
        """Partial derivatives of the second time derivative of s_{i,i+1}. BP Lemma C-10."""
        if self._beyond(i, j):
            return ZERO, ZERO, ZERO
        return self._of_way(j, i, self.it.s[i + 1], self.it.sd[i + 1])

    def sdd(self, i: int, j: int) -> Partials:
        """Partial derivatives of the acceleration of o_i. BP Lemma C-11."""
        if self._beyond(i, j):
            return ZERO, ZERO, ZERO
        z = self.axis(j, i)[0]
        by_q, by_qd, by_qdd = self._of_way(j, i, *self.way(j, i, along=i))
        return by_q - cross(z, self.turn(i, j) @ self.it.sdd[j]), by_qd, by_qdd

    def eta(self, i: int, j: int) -> Partials:
        """Partial derivatives of the moment at joint i. BP Lemma C-12.

        Derivative dots are missing in print: in the terms of z and zd, U is multiplied by the derivative of s for j <=
        i, and s by the derivative of U for j > i; the last terms are U sdd and s Udd.
        """
        beyond, k = self._beyond(i, j), max(i, j)
        z, zd, zdd = self.axis(j, k)
        s, sd = map(tilde, self.way(min(i, j), k, along=k))
        first, rate, E, L = self.moments[k]
        U, Ud, Udd, sdd = map(tilde, (first, rate, self.it.Udd[k], self.turn(k, j) @ self.it.sdd[j]))
        if beyond:
            D, V, P = E - s @ U, L + s @ Ud, U @ sdd - s @ Udd - tilde(self.it.eta[j])
        else:
            D, V, P = E - U @ s, L + U @ sd, U @ sdd
        turn = self.turn(i, k)
        return turn @ (D @ zdd - V @ zd * 2 + P @ z), turn @ (D @ zd - V @ z) * 2, turn @ (D @ z)

    def _of_way(self, j: int, i: int, s: Vector, sd: Vector) -> Partials:
        """Partial derivatives of the second time derivative of a displacement that rotates with joint j."""
        z, zd, zdd = self.axis(j, i)
        return cross(zdd, s) + cross(zd, sd) * 2, (cross(zd, s) + cross(z, sd)) * 2, cross(z, s)

    def _beyond(self, i: int, j: int) -> bool:
        """Whether joint j does not move link i."""
        n = len(self.it.A) - 2
        if not (0 <= i <= n and 0 <= j <= n):
            raise InputError(f"MotionPartials: links and joints are numbered 1 ... {n}, not {i}, {j}")
        return j > i
