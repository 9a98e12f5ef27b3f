"""Methods of `DrivenRobot`: joints and their independent coordinates."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from revolute.errors import InputError
from revolute.machine.declare import declared
from revolute.machine.driven.base import Array, DrivenGroup
from revolute.machine.driven.couplings import followed
from revolute.machine.functions import drives as functions

__all__ = ["DrivenCoordinates"]

ALLOWED = 1e-6
"""Largest distance of a joint from the position that its coupling gives, in `independent` [rad, m]."""


class DrivenCoordinates(DrivenGroup):
    """Joints and their independent coordinates."""

    @cached_property
    def coupling(self) -> Array:
        """(robot.nv, nv) matrix A of qd = A pd; joint forces act as A^T tau on the coordinates."""
        matrix = np.zeros((self.robot.nv, self.nv))
        for k, row in enumerate(self._numeric("coupling").A[: self.robot.nv]):
            for column, factor in row:
                matrix[k, column] = factor
        matrix.flags.writeable = False
        return matrix

    @declared(functions.positions, "p -> q: nq")
    def positions(self, p: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """The robot's joint positions q = A p + b.

        Args:
            p: (..., np) independent positions [rad, m].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nq) joint positions [rad, m].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.positions([0.5, 0.75])
            array([0.5 , 0.25])
        """

    @declared(functions.velocities, "pd -> qd: robot.nv")
    def velocities(self, pd: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
        """The robot's joint velocities qd = A pd; of accelerations pdd the accelerations A pdd.

        Args:
            pd: (..., nv) independent velocities [rad/s, m/s].
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., robot.nv) joint velocities [rad/s, m/s].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.velocities([1.0, 1.0])
            array([1., 0.])
        """

    def independent(self, q: ArrayLike) -> Array:
        """Independent positions p of given joint positions: the inverse of `positions`.

        Args:
            q: (..., nq) joint positions of the robot [rad, m].

        Returns:
            (..., np) independent positions [rad, m].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: the couplings do not allow q; the message names the joint.

        Example:
            >>> import revolute
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.independent([0.5, 0.25]).round(9)
            array([0.5 , 0.75])
        """
        joints = self.robot.normalize(q)
        b = np.array(self._numeric("independent").b[: self.robot.nv], dtype=float)
        p = followed(self.robot, self.space, self.coupling, b, joints)
        distance = np.abs(self.positions(p) - joints).max(axis=tuple(range(joints.ndim - 1)), initial=0)
        if np.any(distance > ALLOWED * (1 + np.abs(joints).max(initial=0))):
            names = [body.joint_name for body in self.robot.bodies for _ in range(body.joint.nq)]
            k = int(np.argmax(distance))
            raise InputError(
                f"independent: joint '{names[k]}' of '{self.robot.name}' is {distance[k]:.3g} away from where the "
                "couplings put it"
            )
        return p
