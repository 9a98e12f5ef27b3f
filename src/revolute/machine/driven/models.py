"""Methods of `DrivenRobot`: derivatives, linear models, regressor and its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from revolute.compiler.bound import compiled
from revolute.dynamics import driven
from revolute.dynamics.driven_regressor import drive_parameters, driven_regressor
from revolute.machine.declare import declared, has_kernel
from revolute.machine.driven.base import Array, DrivenGroup
from revolute.machine.functions.regressors import driven_regressor_gradient
from revolute.machine.linear_models import linear_model
from revolute.model.reduce import reduced

__all__ = ["DrivenModels"]

_MEANINGS = {
    "armature": "inertia of rotors as {} feels it [kg m^2, kg]",
    "damping": "viscous friction of {} [N m s/rad, N s/m]",
    "friction": "Coulomb friction of {} [N m, N]",
    "friction_backward": "Coulomb friction of {} at negative velocities [N m, N]",
    "stribeck": "friction at rest of {} beyond Coulomb friction [N m, N]",
    "stiffness": "stiffness of the spring at {} [N m/rad, N/m]",
    "rotor_inertia": "inertia of {} about its axis [kg m^2]",
}


class DrivenModels(DrivenGroup):
    """Derivatives of forces and accelerations."""

    @declared(
        driven.driven_inverse_dynamics_partials,
        "p pd pdd -> dtau_dp: nv nv; dtau_dpd: nv nv; M: nv nv",
        on=reduced,
        smooth=True,
    )
    def inverse_dynamics_partials(
        self,
        p: ArrayLike,
        pd: ArrayLike,
        pdd: ArrayLike,
        *,
        wrenches: Mapping[str, ArrayLike] | None = None,
        out: tuple[Array, ...] | None = None,
        threads: int | None = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of `inverse_dynamics`: dtau/dp, dtau/dpd and dtau/dpdd = M.

        Columns are derivatives along velocities, as in `Robot.inverse_dynamics_partials`.

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            pdd: (..., nv) rates of the components of `pd`.
            wrenches: {link name: (..., 6)} from the environment, turning with links: see `Robot.inverse_dynamics`.
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            three (..., nv, nv) matrices.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: Coulomb or Stribeck friction without `smoothing`.

        Example:
            >>> import revolute
            >>> sprung = {"joint1": revolute.Drive(damping=(3.0,), stiffness=(2.0,))}
            >>> arm = revolute.robots.planar(1).with_gravity((0, 0, 0)).with_drives(sprung)
            >>> by_p, by_pd, M = arm.inverse_dynamics_partials([0.1], [0.2], [0.3])
            >>> print(by_p.round(9), by_pd.round(9))
            [[2.]] [[3.]]
        """

    @declared(
        driven.driven_forward_dynamics_partials,
        "p pd tau -> dpdd_dp: nv nv; dpdd_dpd: nv nv; inverse_M: nv nv",
        on=reduced,
        inverts=True,
        smooth=True,
    )
    def forward_dynamics_partials(
        self,
        p: ArrayLike,
        pd: ArrayLike,
        tau: ArrayLike,
        *,
        wrenches: Mapping[str, ArrayLike] | None = None,
        out: tuple[Array, ...] | None = None,
        threads: int | None = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of `forward_dynamics`: dpdd/dp, dpdd/dpd and dpdd/dtau = M^-1.

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            tau: (..., nv) forces of the coordinates [N m, N].
            wrenches: {link name: (..., 6)} from the environment, turning with links: see `Robot.inverse_dynamics`.
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            three (..., nv, nv) matrices.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: Coulomb or Stribeck friction without `smoothing`.

        Example:
            >>> import revolute
            >>> geared = {"joint1": revolute.Drive(armature=(5 / 3,))}
            >>> arm = revolute.robots.planar(1).with_drives(geared)
            >>> arm.forward_dynamics_partials([0.0], [0.0], [0.0])[2].round(9)
            array([[0.5]])
        """

    @compiled
    @has_kernel(
        driven.driven_linearize,
        "p pd tau -> A: 2nv 2nv; B: 2nv nv",
        on=reduced,
        inverts=True,
        smooth=True,
        options=("wrenches",),
    )
    def linearize(
        self,
        p: ArrayLike,
        pd: ArrayLike,
        tau: ArrayLike,
        *,
        step: ArrayLike | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
        out: tuple[Array, ...] | None = None,
        threads: int | None = None,
    ) -> tuple[Array, Array]:
        """The linear model d/dt (dp, dpd) = A (dp, dpd) + B dtau about a state. BP 7.2.2, 7.2.3.

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            tau: (..., nv) forces of the coordinates [N m, N].
            wrenches: {link name: (..., 6)} from the environment, turning with links: see `Robot.inverse_dynamics`.
            step: (...) length of a time step [s], for a discrete-time model: see `Robot.linearize`.
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            A (..., 2 nv, 2 nv) and B (..., 2 nv, nv).

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: Coulomb or Stribeck friction without `smoothing`; a step that is not
                positive, or comes with `out`.

        Example:
            >>> import revolute
            >>> driven = revolute.robots.planar(1).with_drives(
            ...     {"joint1": revolute.Drive(stiffness=(3.0,))}
            ... )
            >>> A, B = driven.linearize([-1.5707963267948966], [0.0], [0.0])
            >>> A.round(3)  # -(3 + 9.81 / 2) / (1 / 3)
            array([[  0.   ,   1.   ],
                   [-23.715,   0.   ]])
        """
        return linear_model(self, (p, pd, tau), wrenches, step, out, threads)

    @declared(driven_regressor, "p pd pdd -> Y: nv parameters")
    def regressor(
        self, p: ArrayLike, pd: ArrayLike, pdd: ArrayLike, *, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """The matrix Y with tau = Y pi, by which forces depend on `parameters`. GOA 15-16.

        The links' inertial parameters come first, ten a body. Then come the parameters of drives
        that forces are linear in, so that a fit finds friction and rotors together with the
        masses: armature, damping and friction of every joint velocity, `friction_backward` of joints
        that have it, `stribeck` of joints with a stribeck_speed, stiffness of joints with a spring,
        the inertia of rotors that are bodies.

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            pdd: (..., nv) rates of the components of `pd`.
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            (..., nv, 10 n + d) forces per parameter.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import numpy as np, revolute
            >>> drive = revolute.Drive(damping=(0.5,), friction=(2.0,), armature=(0.1,))
            >>> arm = revolute.robots.planar(2).with_drives({"joint1": drive})
            >>> p, pd, pdd = np.random.default_rng(1).standard_normal((3, 50, 2))
            >>> Y = arm.regressor(p, pd, pdd).reshape(100, -1)
            >>> tau = arm.inverse_dynamics(p, pd, pdd).ravel()
            >>> fit = np.linalg.lstsq(Y, tau, rcond=1e-9)[0]
            >>> dict(
            ...     zip([name.partition(":")[0] for name in arm.parameter_names], fit.round(6))
            ... )["joint1.friction"]
            np.float64(2.0)
        """

    @declared(
        driven_regressor_gradient,
        "p pd pdd weights[nv,parameters] -> by_q: nv; by_qd: nv; by_qdd: nv",
        smooth=True,
    )
    def regressor_gradient(
        self,
        p: ArrayLike,
        pd: ArrayLike,
        pdd: ArrayLike,
        weights: ArrayLike,
        *,
        out: tuple[Array, ...] | None = None,
        threads: int | None = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of the sum of weights * Y(p, pd, pdd), entry by entry: see `Robot.regressor_gradient`.

        Args:
            p: (..., np) independent positions [rad, m].
            pd: (..., nv) independent velocities [rad/s, m/s].
            pdd: (..., nv) rates of the components of `pd`.
            weights: (..., nv, 10 n + d) a factor for each entry of `regressor`.
            out, threads: see `Robot.inverse_dynamics`.

        Returns:
            three (..., nv) gradients, by p, pd and pdd. Coulomb friction that jumps has no slope: give `smoothing`.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
            InputError: Coulomb or Stribeck friction without `smoothing`.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(1).with_drives(
            ...     {"joint1": revolute.Drive(damping=(3.0,))}
            ... )
            >>> # of the joint force
            >>> arm.regressor_gradient([0.1], [0.2], [0.3], arm.parameters[None])[1]
            array([3.])
        """

    @cached_property
    def parameters(self) -> Array:
        """(10 n + d,) the robot's own values of the parameters pi of `regressor`.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(1).with_drives(
            ...     {"joint1": revolute.Drive(friction=(2.0,))}
            ... )
            >>> arm.parameters[-3:]  # armature, damping, friction
            array([0., 0., 2.])
        """
        self._numeric("parameters")
        drives = [float(value) for _, _, value in drive_parameters(self.tree, self.drives)]
        column = np.concatenate([self.robot.inertial_parameters.ravel(), drives])
        column.flags.writeable = False
        return column

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """A symbol and a description for each column of `regressor`.

        Example:
            >>> import revolute
            >>> print(revolute.robots.planar(1).with_drives().parameter_names[-1])
            joint1.friction: Coulomb friction of joint1 [N m, N]
        """
        names = self.tree.coordinate_names
        drives = (
            f"{names[k]}.{kind}: {_MEANINGS[kind].format(names[k])}"
            for kind, k, _ in drive_parameters(self.tree, self.drives)
        )
        return (*self.robot.parameter_names, *drives)
