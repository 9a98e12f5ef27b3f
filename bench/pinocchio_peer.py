"""Pinocchio: the same robots and states, in its orders.

Pinocchio sorts sibling joints by name, takes (cos, sin) for continuous joints and (v, w)
for a free joint's velocity. All of that is mapped before the clock starts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

from bench.robots import Array, Case, States

__all__ = ["Pinocchio"]


class Pinocchio:
    """A robot of the benchmark in Pinocchio.

    Attributes:
        model, data: Pinocchio's, for `pin.rnea`.
        order: (nv,) index in Revolute's order of each of Pinocchio's velocities.
    """

    def __init__(self, case: Case) -> None:
        root = [pin.JointModelFreeFlyer()] if case.base == "free" else []
        self.model = pin.buildModelFromUrdf(str(case.file), *root)
        self.data = self.model.createData()
        self._robot = robot = case.robot
        self.order = np.zeros(self.model.nv, dtype=int)
        for i, theirs in self._joints():
            velocities = np.arange(robot.nv)[robot.v_index[i]]
            own = np.roll(velocities, 3) if theirs.nv == 6 else velocities
            self.order[theirs.idx_v : theirs.idx_v + theirs.nv] = own

    def _joints(self) -> list[tuple[int, Any]]:
        names = enumerate(self._robot.joint_names, 1)
        return [(i, self.model.joints[self.model.getJointId(name)]) for i, name in names]

    def pool(self, threads: int) -> Any:
        """Room for `pin.rneaInParallel`."""
        return pin.ModelPool(self.model, threads)

    def states(self, states: States) -> tuple[Array, Array, Array]:
        """(nq, N), (nv, N), (nv, N) in Pinocchio's order, Fortran-ordered as it wants them."""
        q = np.zeros((states.rows, self.model.nq))
        for i, theirs in self._joints():
            ours = states.q[:, self._robot.q_index[i]]
            if theirs.nq == 2:
                ours = np.concatenate([np.cos(ours), np.sin(ours)], axis=1)
            q[:, theirs.idx_q : theirs.idx_q + theirs.nq] = ours
        return q.T, self._columns(states.qd), self._columns(states.qdd)

    def _columns(self, rows: Array) -> Array:
        return np.ascontiguousarray(rows[:, self.order]).T

    def result(self, rows: int) -> Array:
        """(nv, N) room for joint forces."""
        return np.zeros((rows, self.model.nv)).T

    def torques(self, tau: Array) -> Array:
        """(N, nv) joint forces in Revolute's order, from (nv, N) in Pinocchio's."""
        ours = np.empty(tau.T.shape)
        ours[:, self.order] = tau.T
        return ours

    def inverse_dynamics(self, states: States) -> Array:
        """(N, nv) joint forces in Revolute's order."""
        return self.torques(pin.rneaInParallel(1, self.pool(1), *self.states(states)))
