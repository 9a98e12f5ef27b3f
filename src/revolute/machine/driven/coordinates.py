"""Methods of `DrivenRobot`: independent coordinates of its joints; forces of springs and friction."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import by_names, float_copy
from revolute.dynamics import driven
from revolute.errors import InputError, ShapeError
from revolute.machine.declare import declared
from revolute.machine.driven.base import Array, DrivenGroup, Out, Threads
from revolute.machine.driven.couplings import followed
from revolute.machine.functions import drives as functions
from revolute.model.reduce import reduced

ALLOWED = 1e-6
"""Tolerance of `independent`: maximum deviation of a joint from the position given by its coupling [rad, m]."""


class DrivenCoordinates(DrivenGroup):
    """Conversion between joints and their independent coordinates."""

    @cached_property
    def coupling(self) -> Array:
        """(robot.nv, nv) matrix A: joint velocities are A qd, and joint forces act on the coordinates as A^T tau."""
        matrix = np.zeros((self.robot.nv, self.nv))
        for k, row in enumerate(self._numeric("coupling").A[: self.robot.nv]):
            for column, factor in row:
                matrix[k, column] = factor
        matrix.flags.writeable = False
        return matrix

    @declared(functions.positions, "q -> joint_positions: robot.nq")
    def joint_positions(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Positions of the tree's joints, A q + b.

        Returns:
            (..., robot.nq) joint positions [rad, m].

        Example:
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.joint_positions([0.5, 0.75])
            array([0.5 , 0.25])
        """

    @declared(functions.velocities, "qd -> joint_velocities: robot.nv")
    def joint_velocities(self, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Velocities of the tree's joints, A qd; with qdd as the argument, joint accelerations A qdd.

        Returns:
            (..., robot.nv) joint velocities [rad/s, m/s].

        Example:
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.joint_velocities([1.0, 1.0])
            array([1., 0.])
        """

    def independent(self, joint_positions: ArrayLike) -> Array:
        """The independent positions that lead to given joint positions: the inverse of `joint_positions`.

        Args:
            joint_positions: (..., robot.nq) positions of the tree's joints [rad, m].

        Returns:
            (..., nq) independent positions [rad, m].

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: the positions violate the couplings; the message names the joint.

        Example:
            >>> elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
            >>> elbow.independent([0.5, 0.25]).round(9)
            array([0.5 , 0.75])
        """
        what, n = "independent: joint_positions", self.robot.nq
        joints = float_copy(what, by_names(what, joint_positions, self.robot.position_names))
        if joints.shape[-1:] != (n,):
            raise ShapeError(f"{what} has shape {joints.shape}, but robot '{self.robot.name}' needs (..., {n})")
        joints = self.robot.normalize(joints)
        b = np.array(self._numeric("independent").b[: self.robot.nv], dtype=float)
        with np.errstate(invalid="ignore"):  # infinity less infinity
            q = followed(self.robot, self.space, self.coupling, b, joints)
            distance = np.abs(self.joint_positions(q) - joints).max(axis=tuple(range(joints.ndim - 1)), initial=0)
        if np.any(distance > ALLOWED * (1 + np.abs(joints).max(initial=0))):
            names = [body.joint_name for body in self.robot.bodies for _ in range(body.joint.nq)]
            k = int(np.argmax(distance))
            raise InputError(
                f"independent: joint '{names[k]}' of '{self.robot.name}' is {distance[k]:.3g} away from its position "
                "according to the couplings"
            )
        return q


class DriveForces(DrivenGroup):
    """Forces of springs and friction."""

    @declared(driven.driven_spring_forces, "q -> springs: nv", on=reduced)
    def spring_forces(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """A^T K (A q + b - rest_position): forces that balance the joint springs.

        Returns:
            (..., nv) forces [N m, N].

        Example:
            >>> sprung = {"joint1": revolute.Drive(stiffness=(10.0,), rest_position=(0.5,))}
            >>> revolute.robots.planar(1).with_drives(sprung).spring_forces([0.7]).round(9)
            array([2.])
        """

    @declared(driven.driven_friction_forces, "qd -> friction: nv", on=reduced)
    def friction_forces(self, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """A^T (D v + (F_c + F_s exp(-(v/v_s)^2)) sgn(v)): forces that overcome friction at joint velocities v = A qd.

        sgn(v) is tanh(v/smoothing), or the sign itself without smoothing. F_c is `Drive.friction`, or with a
        `friction_backward` the mean of both plus half of their difference times sgn(v). The power dissipated by
        friction is qd . friction_forces(qd).

        Returns:
            (..., nv) forces [N m, N].

        Example:
            >>> drive = revolute.Drive(damping=0.5, friction=1, stribeck=0.2, stribeck_speed=0.1)
            >>> arm = revolute.robots.planar(1).with_drives({"joint1": drive})
            >>> arm.friction_forces([[-2.0], [0.0], [0.001], [2.0]]).round(3).ravel()
            array([-2. ,  0. ,  1.2,  2. ])
        """
