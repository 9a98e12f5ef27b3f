"""Methods of `Robot`: accelerations of given forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from revolute.errors import InputError
from revolute.face.base import Array, Face

__all__ = ["ForwardDynamics"]


class ForwardDynamics(Face):
    """Accelerations of given forces."""

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: Mapping[str, ArrayLike] | None = None,
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        """Joint accelerations that the joint forces `tau` produce. LP 9.89; BP 6.1; RBDA 7.3.

            qdd = M(q)^-1 (tau - C(q, qd) qd - g(q) + sum_i J_i(q)^T wrench_i)

        Friction, damping and rotor inertia are not part of it: subtract such forces from
        `tau`. A joint that can move without moving any mass has no acceleration of its own:
        M is singular, and that row alone comes out as inf and NaN, or, where rounding hides
        the singularity, huge. No error is raised.

        Args:
            q: (..., nq) joint positions [rad, m]; a free joint has its position [m] in the
                base frame and its quaternion (x, y, z, w).
            qd: (..., nv) joint velocities [rad/s, m/s]; of a free joint its twist (w, v)
                along the body's own axes, which is not the time derivative of q.
            tau: (..., nv) joint forces [N m, N]; of a free joint the wrench (m, f) on its
                body, along the body's axes, zero where nothing drives it.
            wrenches: {link name: (..., 6)} wrenches (m, f) [N m, N] that the environment
                applies to the robot, about the link frame's origin, along its axes.
            out: array for the result.
            threads: threads for a large batch; by default all cores where it pays.

        Returns:
            (..., nv) rates of the components of `qd` [rad/s^2, m/s^2].

        Raises:
            ShapeError: an array does not fit the robot.
            DtypeError: an array is not real numbers.
            UnknownNameError: no link of that name.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> robot.forward_dynamics([0.0, 0.0], [0.0, 0.0], [19.62, 4.905]).round(3) + 0.0
            array([0., 0.])
        """
        arrays: tuple[ArrayLike, ...] = (q, qd, tau)
        options: dict[str, Any] = {}
        if wrenches is not None and not isinstance(wrenches, Mapping):
            raise InputError(f"wrenches must be {{link name: (..., 6) array}}, not {type(wrenches).__name__}")
        if wrenches:
            options["wrenches"] = tuple(wrenches)
            arrays += tuple(wrenches.values())
        qdd: Array = self._run("forward_dynamics", arrays, out, threads, options)
        return qdd
