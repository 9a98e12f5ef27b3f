"""Methods of `Robot`: inertial parameters, and regressors."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from revolute.dynamics import driven_regressor as of_drives
from revolute.dynamics import regressor as recursions
from revolute.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from revolute.machine.declare import by_kernel, declared
from revolute.machine.function import WithDrives
from revolute.machine.functions import regressors as functions
from revolute.machine.functions.joint_space import check_kind
from revolute.machine.robot.base import Array, Out, Shared, Threads
from revolute.model.parameters import MEANINGS, NAMES, to_vector
from revolute.model.symbols import numeric

if TYPE_CHECKING:
    from revolute.machine.base_parameters import BaseParameters
    from revolute.machine.driven import DrivenRobot
    from revolute.machine.robot import Robot


class Regressors(Shared):
    """Joint forces, momenta and energies as linear functions of the inertial parameters. GOA 8-16.

    The 10 n parameters pi are those of the moving bodies 1 ... n, in their order: see `inertial_parameters` and
    `parameter_names`. For a robot with drives pi are its `parameters`, which begin with these.
    """

    @cached_property
    def inertial_parameters(self) -> Array:
        """(n, 10) m, mx, my, mz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz of the bodies 1 ... n. GOA 9.

        Mass [kg], first moment [kg m] and inertia matrix [kg m^2] about the body frame's origin, in the body frame; Ixy
        is the matrix entry, -∫xy dm. Links on fixed joints are part of the body. Flattened by `ravel()`, the parameters
        are in the order of `parameter_names`, and regressors are multiplied by them.

        Example:
            >>> revolute.robots.planar(1).inertial_parameters[0, :3]
            array([1. , 0.5, 0. ])
        """
        robot = numeric(self._links, "inertial_parameters")
        rows = np.array([to_vector(body.inertia) for body in robot.bodies[1:]], dtype=float).reshape(-1, 10)
        rows.flags.writeable = False
        return rows

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """A symbol and a description for each of the 10 n columns of a regressor.

        Example:
            >>> print(revolute.robots.planar(1).parameter_names[1])
            link1.mx: first moment of link1 along x, mass times centre of mass [kg m]
        """
        return tuple(
            f"{body.name}.{name}: {meaning.format(body.name)}"
            for body in self._links.bodies[1:]
            for name, meaning in zip(NAMES, MEANINGS, strict=True)
        )

    @declared(
        lambda model, q, qd, qdd: recursions.regressor(model, q, qd, qd, qdd), "q qd qdd -> Y: nv 10n",
        driven=WithDrives(of_drives.driven_regressor),
    )
    def regressor(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """The matrix Y of joint forces Y pi, linear in the inertial parameters pi. GOA 15-16; SHV 6.122.

            Y(q, qd, qdd) pi = M(q) qdd + C(q, qd) qd + g(q)

        Y does not depend on the robot's own parameters, `inertial_parameters.ravel()`. A least-squares fit to many
        measured torques identifies these, as far as the motion excites them.

        For a robot with drives pi is `parameters`. The link parameters are followed by the drive parameters that enter
        the forces linearly: armature, damping and friction of every joint velocity; `friction_backward` where a joint
        has it; `stribeck` of joints with a stribeck_speed; stiffness of joints with a spring; the inertia of rotors
        that are bodies.

        Returns:
            (..., nv, 10 n) joint forces per parameter; column 10 (i - 1) + k belongs to
            parameter k of body i; with drives (..., nv, 10 n + d).

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> q, qd, qdd = np.random.default_rng(1).standard_normal((3, 50, 2))
            >>> tau = robot.inverse_dynamics(q, qd, qdd)
            >>> Y = robot.regressor(q, qd, qdd)
            >>> np.allclose(Y @ robot.inertial_parameters.ravel(), tau)
            True
        """

    @declared(
        functions.regressor_gradient, "q qd qdd weights[nv,10n] -> by_q: nv; by_qd: nv; by_qdd: nv",
        driven=WithDrives(functions.driven_regressor_gradient, smooth=True),
    )
    def regressor_gradient(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, weights: ArrayLike, *, out: tuple[Array, ...] | None = None,
        threads: Threads = None,
    ) -> tuple[Array, Array, Array]:
        """Gradients of the sum of weights * Y with respect to q, qd and qdd, by reverse mode.

        For a function f of many regressors Y_t, such as log det(sum_t Y_t^T Y_t), weights_t = df/dY_t yield df/dq_t,
        df/dqd_t and df/dqdd_t. All three gradients together need about as many operations as three regressors.

        Args:
            weights: (..., nv, columns) a factor for each entry of `regressor`.

        Returns:
            three (..., nv) gradients; the one for q is along joint velocities, as in `inverse_dynamics_partials`.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> q, qd, qdd, lever = np.random.default_rng(1).standard_normal((4, 2))
            >>> weights = np.outer(lever, robot.inertial_parameters)  # the sum is lever @ tau
            >>> by_q, by_qd, by_qdd = robot.regressor_gradient(q, qd, qdd, weights)
            >>> np.allclose(by_qdd, lever @ robot.mass_matrix(q))
            True
        """

    @declared(
        lambda *state, kind="christoffel": functions.OF_KINDS[kind](*state), "q qd qdr qddr -> Y: nv 10n",
        check=check_kind, driven=WithDrives(functions.of_kind(of_drives.driven_slotine_li_regressor)),
    )
    def slotine_li_regressor(
        self, q: ArrayLike, qd: ArrayLike, qdr: ArrayLike, qddr: ArrayLike, *, kind: str = "christoffel",
        out: Out = None, threads: Threads = None,
    ) -> Array:
        """The regressor of adaptive control, with a reference velocity. GOA 15-16 for kind="goa".

            Y(q, qd, qdr, qddr) pi = M(q) qddr + C(q, qd) qdr + g(q)

        C follows from the Christoffel symbols, or with kind="goa" from GOA 6b and 15. For both, Mdot - 2 C is
        skew-symmetric, and both regressors agree if qdr = qd. With drives, the friction at qd and the forces of springs
        are added.

        Args:
            qdr: (..., nv) reference velocities.
            qddr: (..., nv) time derivatives of the components of `qdr`.

        Returns:
            (..., nv, 10 n) joint forces per parameter.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> Y = robot.slotine_li_regressor([0.0, 1.0], [1.0, 2.0], [3.0, 4.0], [0.0, 0.0])
            >>> (Y @ robot.inertial_parameters.ravel()).round(3)
            array([9.792, 3.912])
        """

    @by_kernel
    @declared(
        lambda model, q: recursions.regressor(model, q, *3 * ((0,) * model.nv,)), "q -> Y: nv 10n",
        driven=WithDrives(of_drives.driven_gravity_regressor),
    )
    def gravity_regressor(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The matrix Y of gravity forces g(q) = Y(q) pi, linear in the inertial parameters pi. GOA 13c.

        Returns:
            (..., nv, 10 n) joint forces per parameter; the columns of inertias are zero.

        Example:
            >>> regressor = revolute.robots.planar(1).kernel("gravity_regressor")
            >>> regressor([0.0])[0, :3].round(3) + 0.0
            array([0.  , 9.81, 0.  ])
        """

    @declared(functions.momentum_regressor, "q qd -> Y: nv 10n", driven=WithDrives(of_drives.driven_momentum_regressor))
    def momentum_regressor(self, q: ArrayLike, qd: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The matrix Y of generalized momenta M qd = Y(q, qd) pi, linear in the parameters pi. GOA 8.

        Fitting momenta instead of torques needs no accelerations.

        Returns:
            (..., nv, 10 n) momenta per parameter.

        Example:
            >>> revolute.robots.planar(1).momentum_regressor([0.0], [6.0])[0, 4:7].round(3) + 0.0
            array([0., 0., 6.])
        """

    @by_kernel
    @declared(
        recursions.mass_matrix_regressor, "q -> dM_dpi: nv nv 10n",
        driven=WithDrives(of_drives.driven_mass_matrix_regressor),
    )
    def mass_matrix_regressor(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """Derivatives of the mass matrix with respect to the inertial parameters, dM/dpi: M = (dM/dpi) pi. GOA 13a.

        Returns:
            (..., nv, nv, 10 n): entry (j, k, p) is M[j, k] per unit of parameter p.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> dM = robot.kernel("mass_matrix_regressor")([0.3, 0.5])
            >>> (dM @ robot.inertial_parameters.ravel()).round(3)
            array([[2.544, 0.772],
                   [0.772, 0.333]])
        """

    @by_kernel
    @declared(
        functions.of_kind(recursions.coriolis_matrix_regressor), "q qd -> dC_dpi: nv nv 10n", check=check_kind,
        driven=WithDrives(functions.of_kind(of_drives.driven_coriolis_matrix_regressor)),
    )
    def coriolis_matrix_regressor(
        self, q: ArrayLike, qd: ArrayLike, *, kind: str = "christoffel", out: Out = None, threads: Threads = None
    ) -> Array:
        """Derivatives dC/dpi of the Coriolis matrix, with C = (dC/dpi) pi. GOA 13b for kind="goa".

        Returns:
            (..., nv, nv, 10 n): entry (j, k, p) is C[j, k] per unit of parameter p.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> regressor = robot.kernel("coriolis_matrix_regressor")
            >>> dC = regressor([0.3, 1.5708], [1.0, 2.0])
            >>> (dC @ robot.inertial_parameters.ravel()).round(3) + 0.0
            array([[-1. , -1.5],
                   [ 0.5,  0. ]])
        """

    @by_kernel
    @declared(
        lambda model, q, qd: (kinetic_energy_regressor(model, q, qd), potential_energy_regressor(model, q)),
        "q qd -> T: 10n; U: 10n", driven=WithDrives(of_drives.driven_energy_regressor),
    )
    def energy_regressor(
        self, q: ArrayLike, qd: ArrayLike, *, out: tuple[Array, Array] | None = None, threads: Threads = None
    ) -> tuple[Array, Array]:
        """The rows y_T and y_U of kinetic and potential energy, which are linear in the inertial parameters pi.

            T = y_T(q, qd) pi,    U = y_U(q) pi

        Returns:
            (..., 10 n) kinetic and (..., 10 n) potential energy per parameter.

        Example:
            >>> robot = revolute.robots.planar(1)
            >>> kinetic, potential = robot.kernel("energy_regressor")([0.0], [6.0])
            >>> print((kinetic @ robot.inertial_parameters.ravel()).round(6))
            6.0
        """

    def base_parameters(self, *, tolerance: float = 1e-9, rng: np.random.Generator | int | None = 0) -> BaseParameters:
        """The combinations of inertial parameters and drive parameters that joint forces determine.

        Columns of the regressor at random states, regardless of limits, are selected one after the other, from the base
        outwards. A column that depends on the previous ones, within `tolerance` times the norm of the largest, is
        omitted, and its combination of those is stored. Gautier 1991.

        Args:
            tolerance: relative size that is treated as zero.
            rng: a NumPy generator for the random states, or a seed for one.

        Returns:
            independent `columns` of the regressor, the `matrix` that maps the parameters to the base parameters, their
            `values` for this robot, and their `names`.

        Raises:
            InputError: the tolerance is not between 0 and 1.

        Example:
            >>> print(revolute.robots.planar(2).base_parameters().names[2])
            link1.Izz + link2.m
        """
        from revolute.machine.base_parameters import base_parameters

        return base_parameters(cast("Robot | DrivenRobot", self), tolerance, rng)
