"""Methods of `Robot`: properties of its equations that control laws rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from revolute.machine.robot.base import Group

if TYPE_CHECKING:
    from revolute.machine.inertia_bounds import InertiaBounds
    from revolute.machine.passivity import Passivity
    from revolute.machine.robot import Robot

__all__ = ["Structure"]


class Structure(Group):
    """Properties of the equations that control laws rest on."""

    def inertia_bounds(self, samples: int = 2000, rng: np.random.Generator | int | None = 0) -> InertiaBounds:
        """Bounds of the mass matrix over the joint limits: lambda_m 1 <= M(q) <= lambda_M 1. SHV 6.5.

        Eigenvalues of M at random configurations, the best of which are improved along
        gradients: values that M does have. Beside them stands a proved upper bound, often a
        few times larger. Units of M are mixed where there are revolute and prismatic joints,
        and so are its eigenvalues.

        Args:
            samples: how many random configurations (see `random_configuration`: within the
                limits; slides without limits within +-1 m, where no bound exists).
            rng: a NumPy generator, or a seed for one.

        Returns:
            lowest, highest, where they are, and the proved ceiling: a
            `revolute.machine.inertia_bounds.InertiaBounds`.

        Raises:
            InputError: samples that are no positive number, or a robot without joints.

        Example:
            >>> import revolute
            >>> bounds = revolute.robots.planar(2).inertia_bounds()
            >>> round(bounds.lowest, 4), round(bounds.highest, 4), round(bounds.ceiling, 4)
            (0.0663, 2.9337, 3.0)
        """
        from revolute.machine.inertia_bounds import inertia_bounds

        return inertia_bounds(cast("Robot", self), samples, rng)

    def passivity_check(
        self,
        t: ArrayLike,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        held: bool = False,
        tolerance: float = 1e-6,
    ) -> Passivity:
        """Whether a motion's energy changes by the work of its joint forces, no more and no less. SHV 6.5.

            H(t) - H(0) = integral of qd^T tau,    qd^T (Mdot - 2 C) qd = 0

        True of every motion of the rigid robot that `tau` alone drives: such a robot is
        passive. A motion that was measured or simulated shows friction and contacts by losses
        in `residual`, and forces that are missing, a wrong model or too long time steps.

        Args:
            t: (T,) increasing times [s], three at least.
            q: (..., T, nq) joint positions [rad, m].
            qd: (..., T, nv) joint velocities [rad/s, m/s].
            tau: (..., T, nv) joint forces [N m, N].
            held: every row of tau holds until the next instant, as in simulations of fixed
                step. Otherwise it varies smoothly.
            tolerance: what may be missing, over the sum of all work in both directions or the
                greatest kinetic energy. Added to it is what is unknown of the work between
                the instants.

        Returns:
            the verdict and its numbers: a `revolute.machine.passivity.Passivity`.

        Raises:
            InputError, ShapeError: arrays that do not fit each other or the robot, or are not
                finite.

        Example:
            >>> import numpy as np, revolute
            >>> arm, t = revolute.robots.planar(2), np.linspace(0, 1, 201)
            >>> motion = arm.simulate([0.0, 0.5], [0.0, 0.0], [5.0, 1.0], t)
            >>> print(arm.passivity_check(t, motion.q, motion.qd, motion.tau, held=True).holds)
            True
            >>> print(arm.passivity_check(t, motion.q, motion.qd, 0 * motion.tau).holds)
            False
        """
        from revolute.machine.passivity import passivity_check

        return passivity_check(cast("Robot", self), t, q, qd, tau, held, tolerance)
