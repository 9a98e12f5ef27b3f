"""Derivatives of the dynamics of a constrained robot, and its equations in independent coordinates."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from revolute.arguments import wrenches_by_link
from revolute.machine.constrained.independent import IndependentCoordinates
from revolute.machine.constrained.loops import STABILIZED, STRUCK, SWITCHED
from revolute.machine.constrained.results import ConstrainedLinearModel, ReducedDynamics
from revolute.machine.declare import declared, has_kernel
from revolute.machine.functions import closures as functions
from revolute.machine.functions import constrained_partials as partials
from revolute.machine.linear_models import zero_order_hold
from revolute.machine.machine import Array, LinkWrenches, Threads


class ConstrainedDerivatives(IndependentCoordinates):
    """Partial derivatives along joint velocities, and models in independent coordinates."""

    @declared(
        partials.forward_dynamics_partials, "q qd tau -> dqdd_dq: nv nv; dqdd_dqd: nv nv; dqdd_dtau: nv nv",
        inverts=True, smooth=True, optional=STABILIZED,
    )
    def forward_dynamics_partials(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, stabilization: ArrayLike | None = None,
        active: ArrayLike | None = None, target: ArrayLike | None = None, target_rate: ArrayLike | None = None,
        target_acceleration: ArrayLike | None = None, wrenches: LinkWrenches = None,
        out: tuple[Array, Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of `forward_dynamics` with respect to positions (along joint velocities), velocities and forces.

        Wrenches rotate with their links. If rows are redundant, the derivatives hold only for changes of the state that
        keep the loops closed.

        Args:
            q, qd, tau, stabilization, active, target, target_rate, target_acceleration: as in `forward_dynamics`.

        Returns:
            dqdd_dq, dqdd_dqd and dqdd_dtau, each (..., nv, nv): see `Robot.forward_dynamics_partials`.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> straight = arm.with_closures(revolute.JointClosure("joint2", None, (0.0,)))
            >>> q, still = [1.5708, 0.0], [0.0, 0.0]
            >>> slopes = straight.forward_dynamics_partials(q, still, still)
            >>> slopes[2].round(3) + 0.0  # one rod of 2 kg and 2 m
            array([[0.375, 0.   ],
                   [0.   , 0.   ]])
        """

    @declared(
        partials.inverse_dynamics_partials, "q qd qdd -> dtau_dq: nv nv; dtau_dqd: nv nv; dtau_dqdd: nv nv",
        smooth=True, check=functions.check_motors, several=("motors",), optional=SWITCHED,
    )
    def inverse_dynamics_partials(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, motors: Sequence[str] | None = None,
        active: ArrayLike | None = None, wrenches: LinkWrenches = None,
        out: tuple[Array, Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of `inverse_dynamics` with respect to positions (along joint velocities), qd and qdd.

        They hold for changes of the motion that keep the loops closed, with wrenches that rotate with their links.

        Args:
            q, qd, qdd, motors, active: as in `inverse_dynamics`.

        Returns:
            dtau_dq, dtau_dqd and dtau_dqdd, each (..., nv, nv); rows of coordinates without a motor are zero.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> held = arm.with_closures(revolute.JointClosure("joint2", None, (0.0,)))
            >>> still = [0.0, 0.0]  # one rod of 2 kg and 2 m
            >>> slopes = held.inverse_dynamics_partials(still, still, still, motors=["joint1"])
            >>> slopes[2].round(3)[0, 0]
            np.float64(2.667)
        """

    @declared(partials.impulse_partials, "q qd -> dqd_dq: nv nv; dqd_dqd: nv nv", inverts=True, optional=STRUCK)
    def impulse_partials(
        self, q: ArrayLike, qd: ArrayLike, *, restitution: ArrayLike | None = None, active: ArrayLike | None = None,
        target_rate: ArrayLike | None = None, out: tuple[Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """Derivatives of `impulse`'s qd_after with respect to positions (along joint velocities) and velocities.

        Args:
            q, qd, restitution, active, target_rate: as in `impulse`.

        Returns:
            dqd_dq and dqd_dqd, each (..., nv, nv).

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> caught = arm.with_closures(revolute.JointClosure("joint2", None, (0.0,)))
            >>> caught.impulse_partials([0.0, 0.0], [0.0, 1.0])[1].round(4) + 0.0
            array([[1.    , 0.3125],
                   [0.    , 0.    ]])
        """

    @has_kernel(
        partials.reduced_dynamics, partials.reduced_arrays, options=("independent", "wrenches"),
        check=functions.check_independent,
    )
    def reduced_dynamics(
        self, q: ArrayLike, qd: ArrayLike, independent: Sequence[str], *, wrenches: LinkWrenches = None
    ) -> ReducedDynamics:
        """The equations of motion in independent coordinates, without constraint forces.

            qd = T yd,    M_y = T^T M T,    bias_y = T^T (M drift + b)

        Args:
            q, qd: (..., nq), (..., nv) a state that keeps the loops closed.
            independent: names of coordinates, as many as the robot's mobility.
            wrenches: as in `forward_dynamics`; they are part of the bias.

        Raises:
            InputError: a coordinate does not exist, or the coordinates do not determine the others.
        """
        (M, bias, T, drift), free = self._reduced("reduced_dynamics", (q, qd), independent, wrenches)
        return ReducedDynamics(M, bias, T, drift, free)

    def _reduced(
        self, name: str, state: tuple[ArrayLike, ...], independent: Sequence[str], wrenches: LinkWrenches
    ) -> tuple[Any, tuple[int, ...]]:
        """Results of a kernel in independent coordinates at a closed state, and the indices of these coordinates."""
        free = self._coordinates(independent)
        self._require_closed(name, state[0])
        self._tangent(self.jacobian(self._doubles(name, state[0])), free, name)
        links, loads = wrenches_by_link(wrenches)
        options = {"independent": tuple(independent), **({"wrenches": links} if links else {})}
        return self._evaluate(name, (*state, *loads), None, options), tuple(free)

    @has_kernel(
        partials.linearize, partials.linear_arrays, options=("independent", "wrenches"),
        check=functions.check_independent, inverts=True, smooth=True,
    )
    def linearize(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, independent: Sequence[str], *, step: ArrayLike | None = None,
        wrenches: LinkWrenches = None,
    ) -> ConstrainedLinearModel:
        """The linear model d/dt x = A x + B dtau of small deviations that keep the loops closed. BP 7.2.2; RBDA 8.

            x = (dy, dyd),    (dq, dqd) = C x

        y are independent coordinates; dy is a tangent vector: see `Robot.linearize`. The model linearizes
        `forward_dynamics` at states that close the loops. Permanently redundant rows are allowed.

        Args:
            q, qd, tau: as in `forward_dynamics`.
            independent: names of coordinates, as many as the robot's mobility.
            step: (...) length of a time step [s], for a discrete-time model: see `Robot.linearize`.
            wrenches: {link name: (..., 6)} from the environment, which rotate with their links.

        Returns:
            A, B and C: a `ConstrainedLinearModel`.

        Raises:
            InputError: a coordinate does not exist, coordinates do not determine the others, a step is not positive, or
                drives have friction without `smoothing`.

        Example:
            >>> straight = revolute.JointClosure("joint2", None, (0.0,))
            >>> arm = revolute.robots.planar(2).with_closures(straight)
            >>> down = [-1.5708, 0.0]  # one rod of 2 m: A21 = -3 g / (2 * 2)
            >>> arm.linearize(down, [0.0, 0.0], [0.0, 0.0], ["joint1"]).A.round(4) + 0.0
            array([[ 0.    ,  1.    ],
                   [-7.3575,  0.    ]])
        """
        (A, B, C), free = self._reduced("linearize", (q, qd, tau), independent, wrenches)
        C = C.reshape(*C.shape[:-3], 2 * self.robot.nv, C.shape[-1])
        if step is not None:
            A, B = zero_order_hold(A, B, step)
        return ConstrainedLinearModel(A, B, C, free)
