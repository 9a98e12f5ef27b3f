"""Methods of `Robot`: properties of the equations of motion for control."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from revolute.machine.function import Function
from revolute.machine.functions.control import CONTROL_LAWS
from revolute.machine.passivity import Passivity, passivity_check
from revolute.machine.robot.base import Group

if TYPE_CHECKING:
    from revolute.machine.inertia_bounds import InertiaBounds
    from revolute.machine.robot import Robot


class Structure(Group):
    """Properties of the equations of motion for control."""

    _parts: ClassVar[tuple[Function, ...]] = CONTROL_LAWS
    """Declarations of the controllers of `revolute.control`, compiled by `robot.kernel("computed_torque")`."""

    def inertia_bounds(self, samples: int = 2000, *, rng: np.random.Generator | int | None = 0) -> InertiaBounds:
        """Bounds of the mass matrix over the joint limits: lambda_m 1 <= M(q) <= lambda_M 1. SHV 6.120-6.121.

        The bounds are extreme eigenvalues of M at random configurations, improved along gradients, so M attains them.
        Proved bounds, often a few times smaller and larger, are also returned: for the proofs see `floor` and `ceiling`
        in `revolute.machine.inertia_bounds`. With both revolute and prismatic joints, M and its eigenvalues have mixed
        units.

        Args:
            samples: number of random configurations within the limits. Prismatic joints without limits, for which no
                bound exists, are within +-1 m: see `random_configuration`.
            rng: a NumPy generator, or a seed for one.

        Returns:
            lowest, highest, their configurations, and the proved floor and ceiling: a
            `revolute.machine.inertia_bounds.InertiaBounds`.

        Raises:
            InputError: samples is not a positive number, or the robot has no joints.

        Example:
            >>> bounds = revolute.robots.planar(2).inertia_bounds()
            >>> found = bounds.floor, bounds.lowest, bounds.highest, bounds.ceiling
            >>> [round(x, 4) for x in found]
            [0.0391, 0.0663, 2.9337, 3.0]
        """
        from revolute.machine.inertia_bounds import inertia_bounds

        return inertia_bounds(cast("Robot", self), samples, rng)

    def passivity_check(
        self, t: ArrayLike, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, held: bool = False, tolerance: float = 1e-6
    ) -> Passivity:
        """Test whether a motion's energy changes by exactly the work of its joint forces. SHV 6.115-6.119.

            H(t) - H(0) = integral of qd^T tau,    qd^T (Mdot - 2 C) qd = 0

        This holds for every motion of the rigid robot under only `tau`: such a robot is passive. In a measured or
        simulated motion, friction and contacts appear as losses in `residual`; so do missing forces, a wrong model, or
        time steps that are too long.

        Args:
            t: (T,) increasing times [s], at least three.
            q: (..., T, nq) joint positions [rad, m].
            qd: (..., T, nv) joint velocities [rad/s, m/s].
            tau: (..., T, nv) joint forces [N m, N].
            held: whether tau is constant from each time to the next, as in fixed-step simulations. Otherwise tau is
                assumed to vary smoothly.
            tolerance: tolerance of the balance, relative to the sum of all work in both directions or to the maximum
                kinetic energy, whichever is larger. The uncertainty of the work between the times is added.

        Returns:
            whether the balance holds, with its terms: a `revolute.machine.passivity.Passivity`.

        Raises:
            InputError, ShapeError: arrays do not fit each other or the robot, or are not finite.

        Example:
            >>> arm, t = revolute.robots.planar(2), np.linspace(0, 1, 201)
            >>> motion = arm.simulate([0.0, 0.5], [0.0, 0.0], [5.0, 1.0], t)
            >>> print(arm.passivity_check(t, motion.q, motion.qd, motion.tau, held=True).holds)
            True
        """
        return passivity_check(cast("Robot", self), t, q, qd, tau, held, tolerance)
