"""Methods of `DrivenRobot`: forces of springs and friction."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.dynamics import driven
from revolute.machine.declare import declared
from revolute.machine.driven.base import Array, DrivenGroup, Out, Threads
from revolute.model.reduce import reduced

__all__ = ["DriveForces"]


class DriveForces(DrivenGroup):
    """Forces of springs and friction."""

    @declared(driven.driven_spring_forces, "q -> springs: nv", on=reduced)
    def spring_forces(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """A^T K (A q + b - rest): forces that balance the joint springs.

        Returns:
            (..., nv) forces [N m, N].

        Example:
            >>> import revolute
            >>> sprung = {"joint1": revolute.Drive(stiffness=(10.0,), rest=(0.5,))}
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
            >>> import revolute
            >>> drive = revolute.Drive(damping=0.5, friction=1, stribeck=0.2, stribeck_speed=0.1)
            >>> arm = revolute.robots.planar(1).with_drives({"joint1": drive})
            >>> arm.friction_forces([[-2.0], [0.0], [0.001], [2.0]]).round(3).ravel()
            array([-2. ,  0. ,  1.2,  2. ])
        """
