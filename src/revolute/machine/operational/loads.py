"""Methods of `OperationalSpace`: forces of motions, under wrenches, and their linear models."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.machine.declare import has_kernel
from revolute.machine.functions import operational_space as functions
from revolute.machine.machine import Array, LinkWrenches, Threads
from revolute.machine.operational.base import CHECKS, DAMPED, OperationalGroup
from revolute.machine.task_space import LinearTaskModel, TaskSpaceDynamics, TaskSpaceForces

__all__ = ["Loads"]


class Loads(OperationalGroup):
    """Forces of motions under wrenches, and linear models."""

    @has_kernel(functions.bias_forces, f"q qd -> eta: m; {CHECKS}", options=("wrenches",), inverts=True, **DAMPED)
    def bias_forces(
        self, q: ArrayLike, qd: ArrayLike, *, singularity_damping: ArrayLike = 0.0,
        wrenches: LinkWrenches = None, threads: Threads = None,
    ) -> Array:
        """The forces eta(q, qd) at zero acceleration: of velocities and gravity, minus wrenches. LP 9.99.

        Returns:
            (..., m); NaN for singular states of a batch.

        Raises:
            InputError, SingularityError: as in `mass_matrix`.

        Example:
            >>> import revolute
            >>> position = revolute.robots.planar(2).operational_space("tip", rows=(3, 4))
            >>> position.bias_forces([0.0, 1.5708], [0.0, 0.0]).round(2) + 0.0
            array([ 0.  , 14.72])
        """
        return self._dynamic("bias_forces", (q, qd), singularity_damping, wrenches, threads)[0][0]

    @has_kernel(
        functions.dynamics, f"q qd -> Lambda: m m; mu: m; p: m; e: m; {CHECKS}", options=("wrenches",), inverts=True,
        **DAMPED,
    )
    def dynamics(
        self, q: ArrayLike, qd: ArrayLike, *, singularity_damping: ArrayLike = 0.0,
        wrenches: LinkWrenches = None, threads: Threads = None,
    ) -> TaskSpaceDynamics:
        """Inertia and forces of F = Lambda xdd + mu + p + e, as separate terms. LP 9.90-9.99; BP 7.4.2-7.4.4.

        Arguments and errors: see `bias_forces`.

        Returns:
            inertia Lambda, bias eta, coriolis mu (C_chi of BP, a vector), gravity p, singular, external e:
            a `revolute.machine.task_space.TaskSpaceDynamics`.

        Example:
            >>> import revolute
            >>> reach = revolute.robots.planar(1).operational_space("tip", rows=(3,))
            >>> reach.dynamics([1.5708], [3.0]).coriolis.round(3) + 0.0
            array([0.])
        """
        (inertia, coriolis, gravity, external), singular = self._dynamic(
            "dynamics", (q, qd), singularity_damping, wrenches, threads
        )
        bias = coriolis + gravity + external if wrenches else coriolis + gravity
        return TaskSpaceDynamics(inertia, bias, coriolis, gravity, singular, external)

    @has_kernel(
        functions.inverse_dynamics, f"q qd acceleration[m] -> tau: nv; F: m; {CHECKS}", options=("wrenches",),
        inverts=True, **DAMPED,
    )
    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, acceleration: ArrayLike, *, singularity_damping: ArrayLike = 0.0,
        wrenches: LinkWrenches = None, threads: Threads = None,
    ) -> TaskSpaceForces:
        """Joint forces tau = J^T F that accelerate x by xdd, F = Lambda xdd + eta. LP 9.97; BP 7.4.5.

        Args:
            acceleration: (..., m) xdd.

        Returns:
            tau, wrench F, and singular: a `revolute.machine.task_space.TaskSpaceForces`.

        Raises:
            InputError, SingularityError: as in `bias_forces`.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(2)
            >>> q, qd = [0.0, 1.57], [0.0, 0.0]
            >>> position = arm.operational_space("tip", rows=(3, 4))
            >>> tau = position.inverse_dynamics(q, qd, [0.0, 2.0]).tau
            >>> arm.forward_dynamics(q, qd, tau).round(3)  # the tip rises
            array([ 2., -2.])
        """
        arrays = (q, qd, acceleration)
        (tau, F), singular = self._dynamic("inverse_dynamics", arrays, singularity_damping, wrenches, threads)
        return TaskSpaceForces(tau, F, singular)

    @has_kernel(
        functions.linearize, f"q qd qdd -> D: nv m; V: nv m; P: nv m; {CHECKS}", options=("wrenches",),
        check=functions.check_square,
    )
    def linearize(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, wrenches: LinkWrenches = None, threads: Threads = None
    ) -> LinearTaskModel:
        """The linear model dtau = D dxdd + V dxd + P dx of joint forces about a motion. BP 7.4.14-7.4.18.

            D = D_q J^-1,    V = (V_q - 2 D Jd) J^-1,    P = (P_q - V Jd - D Jdd) J^-1

        dx, dxd and dxdd are differences of the coordinates and of their time derivatives. The robot must not be
        redundant. For a quaternion, D, V and P hold for differences between unit quaternions.

        Returns:
            D, V, P, each (..., nv, m), and singular: a `revolute.machine.task_space.LinearTaskModel`.

        Raises:
            InputError: the number of coordinates is not the robot's degrees of freedom.
            SingularityError: as in `bias_forces`.

        Example:
            >>> import revolute
            >>> pendulum = revolute.robots.planar(1).operational_space("tip", rows=(0,))
            >>> model = pendulum.linearize([-1.5708], [0.0], [0.0])  # hanging
            >>> print(model.D.round(3), model.P.round(3))
            [[0.333]] [[4.905]]
        """
        (D, V, P), singular = self._dynamic("linearize", (q, qd, qdd), 0.0, wrenches, threads)
        return LinearTaskModel(D, V, P, singular)
