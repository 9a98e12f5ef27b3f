"""Revolute's time step as an action model of Crocoddyl, so that both plan over the same discrete dynamics.

Crocoddyl's own action moves a free base along a screw; Revolute's step `semi_implicit_euler` moves it along a straight
line and turns it by a Cayley map: see `revolute.dynamics.steps`. It is Python, so it compares plans, not times.
"""

from __future__ import annotations

from typing import Any

import crocoddyl
import numpy as np


def tilde(x: Any) -> Any:
    """The matrix of x cross."""
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


class Step(crocoddyl.ActionModelAbstract):  # type: ignore[misc]
    """A step of length dt, or the costs of the end if dt is zero, of a robot whose first joint is free.

    Crocoddyl's velocities of a free joint are (v, w) in axes of the body.
    """

    def __init__(self, differential: Any, dt: float) -> None:
        super().__init__(differential.state, differential.nu, 0)
        self.differential, self.dt = differential, dt

    def createData(self) -> Any:
        """Data of both."""
        data = super().createData()
        data.differential = self.differential.createData()
        return data

    def calc(self, data: Any, x: Any, u: Any = None) -> None:
        """The next state and the cost."""
        n, h, inner = self.state.nv, self.dt, data.differential
        self.differential.calc(inner, x, np.zeros(self.nu) if u is None else u)
        data.cost = inner.cost * (h or 1.0)
        data.xnext = x
        if h == 0 or u is None:
            return
        qd = x[-n:]
        rate = np.array(inner.xout)
        rate[:3] += np.cross(qd[3:6], qd[:3])
        v = qd + h * rate
        half = 0.5 * h * v[3:6]
        size = 1 + half @ half
        self.turn = np.eye(3) + (2 * tilde(half) + 2 * tilde(half) @ tilde(half)) / size
        a, b = x[3:6], x[6]
        quaternion = np.r_[a + b * half + np.cross(a, half), b - a @ half] / np.sqrt(size)
        R = np.eye(3) + 2 * b * tilde(a) + 2 * tilde(a) @ tilde(a)
        after = self.turn.T @ v[:3]
        self.v = v
        data.xnext = np.r_[x[:3] + h * R @ v[:3], quaternion, x[7:-n] + h * v[6:], after, v[3:]]

    def calcDiff(self, data: Any, x: Any, u: Any = None) -> None:
        """Derivatives along the tangent space."""
        self.calc(data, x, u)
        n, h, inner = self.state.nv, self.dt, data.differential
        self.differential.calcDiff(inner, x, np.zeros(self.nu) if u is None else u)
        weight = h or 1.0
        data.Lx, data.Lu = weight * inner.Lx, weight * inner.Lu
        data.Lxx, data.Lxu, data.Luu = weight * inner.Lxx, weight * inner.Lxu, weight * inner.Luu
        if h == 0 or u is None:
            return
        qd, v = x[-n:], self.v
        D = np.hstack([inner.Fx, inner.Fu]) * h  # of v
        D[:, n : 2 * n] += np.eye(n)
        D[:3, n : n + 3] += h * tilde(qd[3:6])
        D[:3, n + 3 : n + 6] -= h * tilde(qd[:3])
        half, down = 0.5 * h * v[3:6], self.turn.T
        spin = (np.eye(3) - tilde(half)) / (1 + half @ half) * h @ D[3:6]  # small rotation of the end by v
        after = down @ v[:3]
        F = np.zeros((2 * n, D.shape[1]))
        F[:n, :n] = np.eye(n)
        F[:3, :3], F[3:6, 3:6] = down, down
        F[:3, 3:6] = -down @ tilde(h * v[:3])
        F[:3] += h * down @ D[:3]
        F[3:6] += spin
        F[6:n] += h * D[6:]
        F[n:] = D
        F[n : n + 3] = down @ D[:3] + tilde(after) @ spin
        data.Fx, data.Fu = F[:, : 2 * n], F[:, 2 * n :]
