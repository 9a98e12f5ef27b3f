"""The linear model of a robot with closed loops, in independent coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from revolute.machine.constrained.least_squares import solve_columns
from revolute.machine.constrained.results import ConstrainedLinearModel
from revolute.machine.linear_models import zero_order_hold
from revolute.machine.machine import LinkWrenches

if TYPE_CHECKING:
    from revolute.machine.constrained.constrained_robot import ConstrainedRobot

__all__ = ["linearize"]


def linearize(
    linkage: ConstrainedRobot, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, free: list[int], step: ArrayLike | None,
    wrenches: LinkWrenches,
) -> ConstrainedLinearModel:
    """See `ConstrainedRobot.linearize`. The variation of the KKT equations, along motions that the loops allow.

        dq = T dy,    dqd = T dyd + W dy,    J W = -d(J qd)/dq T
        M dqdd - J^T df = dtau - (dID/dq - d(J^T f)/dq) dq - dID/dqd dqd
        J dqdd = -d(J qdd + Jd qd)/dq dq - d(Jd qd)/dqd dqd

    with ID the tree's inverse dynamics at qdd and f. Redundant rows leave f undetermined, but not J^T f and dqdd.
    """
    motion, J = linkage.forward_dynamics(q, qd, tau, wrenches=wrenches), linkage.jacobian(q)
    T = linkage._tangent(J, free, "linearize")
    loads_q, speeds_q, rows_q, rows_qd, ad = linkage._closure_partials(q, qd, motion.qdd, motion.forces)
    ID_q, ID_qd, _ = linkage.model.inverse_dynamics_partials(q, qd, motion.qdd, wrenches=wrenches)
    factor = linkage._factor(q)
    inverse_M = factor @ factor.mT

    batch, (nv, k) = motion.qdd.shape[:-1], T.shape[-2:]
    W, dependent = np.zeros((*batch, nv, k)), linkage._dependent(free)
    W[..., dependent, :] = -solve_columns(J[..., dependent], speeds_q @ T)
    T = np.broadcast_to(T, W.shape)
    nothing, forces = np.zeros_like(W), np.broadcast_to(np.eye(nv), (*batch, nv, nv))
    dq = np.concatenate([T, nothing, np.zeros_like(forces)], axis=-1)  # columns: dy, dyd, dtau
    dqd = np.concatenate([W, T, np.zeros_like(forces)], axis=-1)
    dtau = np.concatenate([nothing, nothing, forces], axis=-1)

    free_dqdd = inverse_M @ (dtau - (ID_q - loads_q) @ dq - ID_qd @ dqd)
    required = -(rows_q @ dq + rows_qd @ dqd) - J @ free_dqdd
    df = linkage._impulse(J[..., None, :, :], factor[..., None, :, :], required.mT)[0].mT
    dqdd = free_dqdd + inverse_M @ J.mT @ df

    A, B = np.zeros((*batch, 2 * k, 2 * k)), np.zeros((*batch, 2 * k, nv))
    A[..., :k, :k], A[..., :k, k:] = 0.0 - (ad @ T)[..., free, :], np.eye(k)
    A[..., k:, :], B[..., k:, :] = dqdd[..., free, : 2 * k], dqdd[..., free, 2 * k :]
    C = np.concatenate([np.concatenate([T, nothing], axis=-1), np.concatenate([W, T], axis=-1)], axis=-2)
    if step is not None:
        A, B = zero_order_hold(A, B, step)
    return ConstrainedLinearModel(A, B, C, tuple(free))
