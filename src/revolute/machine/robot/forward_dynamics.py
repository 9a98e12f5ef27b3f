"""Methods of `Robot`: accelerations due to given forces, and linear models about a state."""

from __future__ import annotations

from numpy.typing import ArrayLike

from revolute.compiler.bound import compiled
from revolute.dynamics import driven
from revolute.dynamics import forward_dynamics_partials as recursion
from revolute.dynamics import linear_models as recursions
from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.parameter_partials import (
    driven_forward_dynamics_parameter_partials,
    forward_dynamics_parameter_partials,
)
from revolute.machine.declare import by_kernel, declared, has_kernel
from revolute.machine.function import WithDrives
from revolute.machine.functions import drives
from revolute.machine.functions import forward_dynamics as functions
from revolute.machine.linear_models import linear_model
from revolute.machine.robot.base import BASE, Array, LinkWrenches, Out, Shared, Threads
from revolute.model.reduce import reduced


class ForwardDynamics(Shared):
    """Accelerations due to given forces."""

    @declared(
        functions.forward_dynamics, "q qd tau -> qdd: nv", on=reduced, check=functions.check_algorithm, inverts=True,
        optional=BASE, parametric=True, driven=WithDrives(drives.forward_dynamics, smooth=True),
    )
    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, wrenches: LinkWrenches = None,
        base_twist: ArrayLike | None = None, base_acceleration: ArrayLike | None = None, algorithm: str = "auto",
        out: Out = None, threads: Threads = None,
    ) -> Array:
        """Joint accelerations that the joint forces `tau` produce. LP 9.2, 9.89; BP 6.1.1, section 6.1; RBDA 7.3.

            qdd = M(q)^-1 (tau - C(q, qd) qd - g(q) + sum_i J_i(q)^T wrench_i)

        Friction, springs and rotors are included only in a robot with drives: see `with_drives`. M is singular in a
        state in which joints can move without moving any mass. Then no error is raised, and only the results of that
        state are inf and NaN, or huge if rounding hides the singularity. A robot with a singular M in every state
        raises a `ModelError`.

        Args:
            tau: (..., nv) joint forces [N m, N]; for a free joint the wrench (m, f) on its body, in the body frame,
                zero if nothing drives it.
            algorithm: "articulated_body", whose operations are proportional to the number of joints;
                "composite_body", which factorises the mass matrix and is cheaper for arms with few joints; "auto"
                selects the one with fewer operations for this robot, with a division counted as 8. The results differ
                only by rounding. Robots with drives support only "auto".

        Returns:
            (..., nv) time derivatives of the components of `qd` [rad/s^2, m/s^2].

        Raises:
            InputError: the algorithm does not exist.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.forward_dynamics([0.0, 0.0], [0.0, 0.0], [19.62, 4.905]).round(3) + 0.0
            array([0., 0.])
        """

    @declared(
        recursion.forward_dynamics_partials, "q qd tau -> dqdd_dq: nv nv; dqdd_dqd: nv nv; inverse_M: nv nv",
        on=reduced, inverts=True, parametric=True,
        driven=WithDrives(driven.driven_forward_dynamics_partials, smooth=True),
    )
    def forward_dynamics_partials(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, wrenches: LinkWrenches = None,
        out: tuple[Array, Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of the joint accelerations with respect to positions, velocities and forces. BP 7.2.1-7.2.3.

            dqdd = dqdd_dq dq + dqdd_dqd dqd + inverse_M dtau

        `dqdd_dq` is the derivative along joint velocities, at constant components qd and tau, with wrenches that rotate
        with their links: see `inverse_dynamics_partials`. At states with a singular M the results are not finite.

        Returns:
            dqdd_dq, dqdd_dqd and inverse_M, each (..., nv, nv): element [i, j] is the derivative of acceleration i with
            respect to coordinate j. inverse_M is `mass_matrix_inverse`.

        Example:
            >>> pendulum = revolute.robots.planar(1)
            >>> dq, dqd, inverse_M = pendulum.forward_dynamics_partials([1.5708], [0.0], [0.0])
            >>> dq.round(3), inverse_M.round(3)
            (array([[14.715]]), array([[3.]]))
        """

    @by_kernel
    @declared(
        forward_dynamics_parameter_partials, "q qd tau -> dqdd_dpi: nv 10n", inverts=True,
        driven=WithDrives(driven_forward_dynamics_parameter_partials, smooth=True),
    )
    def forward_dynamics_parameter_partials(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, wrenches: LinkWrenches = None,
        out: Out = None, threads: Threads = None,
    ) -> Array:
        """Derivatives of the accelerations with respect to the inertial parameters pi, at constant forces. GOA 13.

            dqdd/dpi = -M^-1 Y(q, qd, qdd)

        Y is the `regressor`. `simulate_sensitivities` integrates these derivatives along a motion. For a robot with
        drives pi are all its `parameters`; friction must be smooth.

        Returns:
            (..., nv, 10 n) derivatives, in the order of `inertial_parameters.ravel()`; with drives (..., nv, 10 n + d).

        Example:
            >>> pendulum = revolute.robots.planar(1)
            >>> partials = pendulum.kernel("forward_dynamics_parameter_partials")
            >>> slopes = partials([0.0], [0.0], [0.0])
            >>> slopes[0, [1, 6]].round(3)  # of the first moment, and of the moment of inertia
            array([-29.43 ,  44.145])
        """

    @declared(
        lambda model, q: mass_matrix_factors(model, q).inverse(), "q -> inverse_M: nv nv", on=reduced, inverts=True,
        parametric=True, driven=WithDrives(driven.driven_mass_matrix_inverse),
    )
    def mass_matrix_inverse(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The inverse of the mass matrix: accelerations due to unit joint forces. BP section 6.2; Featherstone 2005.

            dqdd = M(q)^-1 dtau

        It is computed from the sparse factors of `cholesky`, with sums over only common ancestors:
        entries of two branches of a fixed base that share no joint are exactly zero. For states
        with a singular M (see `forward_dynamics`) results are inf, NaN or huge numbers.

        Returns:
            (..., nv, nv) symmetric matrices, both triangles filled [1/(kg m^2), 1/kg].

        Example:
            >>> revolute.robots.planar(1).mass_matrix_inverse([0.0]).round(12)
            array([[3.]])
        """

    @by_kernel
    @declared(
        lambda model, q: mass_matrix_factors(model, q).cholesky(), "q -> L: nv nv", on=reduced, inverts=True,
        parametric=True, driven=WithDrives(lambda *tree_q: driven.driven_factors(*tree_q).cholesky()),
    )
    def cholesky(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The lower triangular L of M(q) = L^T L, with the sparsity of the tree. Featherstone 2005.

        L[i, j] is zero except for j = i and for the coordinates j between the base and i. The order of factors differs
        from that of NumPy and SciPy, which factorise M = L L^T from the first coordinate on, and so fill the factor of
        a branched robot; this factor is computed from the tips. So M qdd = f is solved by L^T y = f and then L qdd = y,
        the kinetic energy is |L qd|^2 / 2, and L^-1 times unit noise has the covariance M^-1. At states with a singular
        M the factor contains zeros on its diagonal, inf and NaN.

        Returns:
            (..., nv, nv) lower triangular matrices, with a positive diagonal [kg^(1/2) m, kg^(1/2)].

        Example:
            >>> L = revolute.robots.planar(2).kernel("cholesky")([0.0, 0.0])
            >>> (L.T @ L).round(3)
            array([[2.667, 0.833],
                   [0.833, 0.333]])
        """


class LinearModels(Shared):
    """Linear models about a state."""

    @compiled
    @has_kernel(
        recursions.linearize, "q qd tau -> A: 2nv 2nv; B: 2nv nv", on=reduced, inverts=True, options=("wrenches",),
        driven=WithDrives(driven.driven_linearize, smooth=True),
    )
    def linearize(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, step: ArrayLike | None = None,
        wrenches: LinkWrenches = None, out: tuple[Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """The linear model x' = A x + B u of small deviations from a motion. BP 7.2.2, 7.2.3.

            x = (dq, dqd),    u = dtau

        dq consists of nv small displacements along joint velocities. For a free joint it is a small motion (w, v) of
        its body in the body frame, q exp(w, v). Because this frame rotates, the upper left block of A is -ad of the
        body's twist instead of zero. The model linearizes `forward_dynamics`, with wrenches that rotate with their
        links. The state need not be at rest: deviations from a motion through it follow A and B as long as these hardly
        change.

        Args:
            step: (...) length h of a time step [s], for the discrete-time model
                x[k+1] = A x[k] + B u[k] with constant u during the step: the exact solution by the matrix exponential,
                with constant A and B. None for continuous time.
            out: two arrays for the results in continuous time.

        Returns:
            A (..., 2 nv, 2 nv) and B (..., 2 nv, nv).

        Example:
            >>> pendulum = revolute.robots.planar(1)
            >>> A, B = pendulum.linearize([1.5708], [0.0], [0.0])
            >>> A.round(3), B.round(3)
            (array([[ 0.   ,  1.   ],
                   [14.715,  0.   ]]), array([[0.],
                   [3.]]))
        """
        return linear_model(self, (q, qd, tau), wrenches, step, out, threads)
