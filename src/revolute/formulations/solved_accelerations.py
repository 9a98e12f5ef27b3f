"""Forward dynamics by the inertia matrix and a system of linear equations, or by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from revolute.formulations.augmented_links import augmented_links
from revolute.formulations.generalized_links import generalized_links
from revolute.formulations.linear_equations import solve
from revolute.formulations.serial import serial
from revolute.formulations.spatial_composite_bodies import spatial_composite_bodies
from revolute.formulations.walker_orin import walker_orin
from revolute.robot import Robot
from revolute.scalar import Scalar

__all__ = ["generalized_links_accelerations", "spatial_composite_accelerations", "walker_orin_accelerations"]


def generalized_links_accelerations(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """D qdd = tau - b, D by Alg. 6.2, b by Alg. 5.7 without accelerations, solved by D = L D L^T. BP 6.4, Table 6.3.

    Args:
        robot: serial arm on a fixed base.
        q, qd, tau: (n,) positions, velocities, joint forces.

    Returns:
        n joint accelerations [rad/s^2, m/s^2].
    """
    n = serial(robot, "generalized_links_accelerations").n
    return _solved(n, generalized_links, robot, q, qd, tau)


def walker_orin_accelerations(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """The same with composite rigid bodies, method 3 of Walker & Orin 1982. BP 6.2.2-6.2.3, Alg. 6.1.

    Args:
        robot: serial arm on a fixed base.
        q, qd, tau: (n,) positions, velocities, joint forces.

    Returns:
        n joint accelerations [rad/s^2, m/s^2].
    """
    n = serial(robot, "walker_orin_accelerations").n
    return _solved(n, walker_orin, robot, q, qd, tau)


def spatial_composite_accelerations(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """The same with composite rigid bodies in spatial notation. BP 6.2, Table 6.3; Featherstone 1987.

    Args:
        robot: serial arm on a fixed base.
        q, qd, tau: (n,) positions, velocities, joint forces.

    Returns:
        n joint accelerations [rad/s^2, m/s^2].
    """
    n = serial(robot, "spatial_composite_accelerations").n
    return _solved(n, spatial_composite_bodies, robot, q, qd, tau)


def _solved(
    n: int,
    inertia_matrix: Callable[[Robot, Sequence[Scalar]], list[list[Scalar]]],
    robot: Robot,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
) -> list[Scalar]:
    """qdd of D qdd = tau - b, with b by Alg. 5.7 without accelerations."""
    b = augmented_links(robot, q, qd, (0,) * n)
    return solve(inertia_matrix(robot, q), [t - x for t, x in zip(tau, b, strict=True)])
