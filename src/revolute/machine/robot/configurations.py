"""Methods of `Robot`: configurations, and steps between them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import random_generator
from revolute.dynamics.coordinate_rates import normalized
from revolute.dynamics.displacements import integrated
from revolute.errors import InputError
from revolute.machine.declare import declared
from revolute.machine.functions import configurations as functions
from revolute.machine.robot.base import Array, Out, Shared, Threads
from revolute.model import CoupledLimits, limit_column
from revolute.model.configurations import neutral, random_configurations
from revolute.model.named_configurations import configuration, home, joint_values


class Configurations(Shared):
    """Configurations, and steps between them. With quaternions, q is not a vector."""

    @cached_property
    def lower_limits(self) -> Array:
        """(nq,) lower position limits [rad, m]; -inf without a limit. With drives, the limits that all joints allow."""
        self._require_positions()
        return limit_column(self._space, "lower", "nq", -math.inf)

    @cached_property
    def upper_limits(self) -> Array:
        """(nq,) upper position limits [rad, m]; inf without a limit. With drives, the limits that all joints allow."""
        self._require_positions()
        return limit_column(self._space, "upper", "nq", math.inf)

    @cached_property
    def velocity_limits(self) -> Array:
        """(nv,) maximum speeds [rad/s, m/s]; inf without a limit. With drives, the speeds that all joints allow."""
        return limit_column(self._space, "velocity", "nv", math.inf)

    @cached_property
    def effort_limits(self) -> Array:
        """(nv,) rated forces [N m, N]; inf without a limit. With drives, the forces that all joints allow."""
        return limit_column(self._space, "effort", "nv", math.inf)

    @property
    def coupled_limits(self) -> CoupledLimits | None:
        """Limits of joints that follow several coordinates; None without such joints.

        `lower_limits` and `upper_limits` are then a bounding box: not all positions in it satisfy all limits. Random
        positions, inverse kinematics, stops and trajectories satisfy all of them.

        Example:
            >>> import dataclasses
            >>> arm = revolute.robots.planar(2)
            >>> limits = revolute.Limits(lower=-1, upper=1)
            >>> base, *links = arm.bodies
            >>> links = [dataclasses.replace(link, limits=limits) for link in links]
            >>> arm = dataclasses.replace(arm, bodies=(base, *links))
            >>> robot = arm.with_drives(coupling=[[0.5, 0.5], [0.5, -0.5]])
            >>> robot.upper_limits, robot.coupled_limits.names
            (array([2., 2.]), ('joint1', 'joint2'))
        """
        return None

    def neutral(self) -> Array:
        """(nq,) the zero configuration; free and spherical joints have the identity quaternion.

        Example:
            >>> revolute.robots.random_tree(1, rng=0, base="free").neutral()
            array([0., 0., 0., 0., 0., 0., 1., 0.])
        """
        return np.array(neutral(self._space))

    def home(self) -> Array:
        """(nq,) the configuration named "home"; if there is none, `neutral`, with one-axis joints clipped to limits.

        Example:
            >>> revolute.robots.panda().home().round(2) + 0.0
            array([ 0.  , -0.79,  0.  , -2.36,  0.  ,  1.57,  0.79])
        """
        return home(self._space)

    def configuration(self, positions: str | Mapping[str, ArrayLike], *, others: ArrayLike | None = None) -> Array:
        """A named configuration, or one with given positions of some joints.

        Args:
            positions: a name in `configurations`; or {joint: position} [rad, m], with arrays (...) for a batch, and
                (..., n) for joints with n coordinates; each coordinate also has a name: "root_joint.x". For degrees
                write `90 * revolute.deg`.
            others: (..., nq) positions of all other joints; by default `neutral`.

        Returns:
            (..., nq) joint positions [rad, m].

        Raises:
            UnknownNameError: the configuration or joint does not exist.
            InputError, ShapeError, DtypeError: the positions do not fit, or are not real numbers.

        Example:
            >>> arm = revolute.robots.planar(3)
            >>> arm.configuration({"joint2": 90 * revolute.deg}).round(3)
            array([0.   , 1.571, 0.   ])
            >>> arm.configuration({"joint1": [0.1, 0.2], "joint3": 0.5})
            array([[0.1, 0. , 0.5],
                   [0.2, 0. , 0.5]])
        """
        return configuration(self._space, positions, others)

    def joint_values(self, q: ArrayLike) -> dict[str, Any]:
        """{joint: position} of a configuration: the inverse of `configuration`.

        Args:
            q: (..., nq) joint positions [rad, m].

        Returns:
            {joint: position}: a number, or for a batch an array of shape (...); (..., n) for joints with n coordinates.

        Raises:
            ShapeError, DtypeError: q does not fit, or is not real numbers.

        Example:
            >>> revolute.robots.planar(2).joint_values([0.1, 0.2])
            {'joint1': 0.1, 'joint2': 0.2}
        """
        return joint_values(self._space, q)

    def random_configuration(
        self, shape: int | tuple[int, ...] = (), *, rng: np.random.Generator | int | None = None
    ) -> Array:
        """(*shape, nq) random positions, uniform within the limits.

        A joint without limits gets an angle within +-pi or a position within +-1 m; a free or
        spherical joint a uniformly distributed orientation. With drives, all joints are within their limits, including
        those that follow one or several coordinates.

        A seed reproduces the same positions for the same shape. They are drawn joint by joint, 4096 rows at a time, so
        the first rows of a larger batch differ.

        Args:
            shape: batch shape; 1000 gives (1000, nq).
            rng: a NumPy generator, or a seed for one; by default the positions differ in each call.

        Raises:
            InputError: no position satisfies the limits, or an argument has the wrong type.

        Example:
            >>> revolute.robots.ur5().random_configuration((10, 3), rng=0).shape
            (10, 3, 6)
        """
        if isinstance(shape, np.random.Generator):
            raise InputError("random_configuration: the first argument is the shape; pass the generator as rng=...")
        generator = random_generator("random_configuration", rng)
        try:
            batch = np.empty(shape, np.void)[..., None].shape[:-1]  # elements of size zero take no memory
        except (TypeError, ValueError, IndexError):
            raise InputError(f"random_configuration: shape must be a size or a tuple of sizes, not {shape!r}") from None
        limits = self.lower_limits, self.upper_limits
        rows = random_configurations(
            "random_configuration", self._space, *limits, math.prod(batch), generator, self.coupled_limits
        )
        return rows.reshape(*batch, self._space.nq)

    @declared(integrated, "q d[nv] -> moved: nq", driven=functions.DRIVEN_INTEGRATE)
    def integrate(self, q: ArrayLike, d: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The configuration after a motion with velocity d for one unit of time: q exp(d). LP 3.88, section 3.2.3.

        For joints with one axis it is q + d. A spherical joint rotates by the rotation vector d, expressed in its own
        frame; a free joint moves along the screw of the twist d (w, v), and a planar joint along an arc. So d = qd * dt
        is an exact step of constant qd, for d of any size. Quaternions have unit length and a sign that is continuous
        along the motion: `integrate(q, 0)` preserves it.

        Args:
            d: (..., nv) steps along the velocities [rad, m].

        Returns:
            (..., nq) joint positions [rad, m].

        Example:
            >>> body = revolute.robots.random_tree(0, rng=0, base="free")
            >>> # turn left while going ahead: an arc of radius 1
            >>> quarter = [0, 0, np.pi / 2, np.pi / 2, 0, 0]
            >>> body.integrate(body.neutral(), quarter).round(4)
            array([1.    , 1.    , 0.    , 0.    , 0.    , 0.7071, 0.7071])
        """

    @declared(
        functions.integrate_partials, "q d[nv] -> moved_by_q: nv nv; moved_by_d: nv nv",
        driven=functions.DRIVEN_INTEGRATE_PARTIALS,
    )
    def integrate_partials(
        self, q: ArrayLike, d: ArrayLike, *, out: tuple[Array, Array] | None = None, threads: Threads = None
    ) -> tuple[Array, Array]:
        """Derivatives of `integrate` with respect to q and to d. LP section 3.2.3.

        `integrate(integrate(q, e), d + f)` is `integrate(integrate(q, d), by_q @ e + by_d @ f)` to first order. Changes
        of q are small motions along the joint velocities, so columns are twists in the frame of the result. For joints
        with one axis both matrices are 1; for others they are Ad(exp(-d)) and dexp, the right Jacobian of the
        exponential map, the same for all q.

        Args:
            d: (..., nv) steps along the velocities [rad, m].

        Returns:
            two (..., nv, nv) matrices: with respect to q and to d.

        Example:
            >>> import numpy as np, revolute
            >>> body = revolute.robots.random_tree(0, rng=0, base="free")
            >>> quarter = [0, 0, np.pi / 2, 0, 0, 0]
            >>> by_q, by_d = body.integrate_partials(body.neutral(), quarter)
            >>> by_q[3:, 3:].round(9) + 0.0  # a shift of the start, in the frame of the end
            array([[ 0.,  1.,  0.],
                   [-1.,  0.,  0.],
                   [ 0.,  0.,  1.]])
        """

    @declared(
        functions.difference, "q0[nq] q1[nq] -> d: nv", check=functions.check_wrap, driven=functions.DRIVEN_DIFFERENCE
    )
    def difference(
        self, q0: ArrayLike, q1: ArrayLike, *, wrap: bool = False, out: Out = None, threads: Threads = None
    ) -> Array:
        """The step d with integrate(q0, d) = q1: log(q0^-1 q1). LP 3.92, section 3.2.3.

        For joints with one axis it is q1 - q0. Free, spherical and planar joints use the shortest rotation, at most pi:
        a quaternion and its negative are equivalent, and angles of a planar joint are equivalent modulo 2 pi. At
        exactly pi both directions are equally short, and the signs of the quaternions decide. The difference is a twist
        in the frame of q0.

        With `wrap`, continuous joints (revolute joints without limits) also use the shortest rotation, as in Pinocchio,
        which represents them as (cos, sin): then integrate(q0, d) is q1 modulo 2 pi. Joints with limits do not. For
        a robot with drives, a coordinate is continuous if all joints that follow it are, with integer ratios.

        Args:
            q0, q1: (..., nq) joint positions [rad, m].
            wrap: whether differences of continuous joints are within -pi ... pi.

        Returns:
            (..., nv) steps along the velocities [rad, m].

        Raises:
            InputError: `wrap` is neither True nor False.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> robot.difference([0.1, 0.2], [0.4, 0.1]).round(9)
            array([ 0.3, -0.1])
            >>> robot.difference([0.0, 3.0], [0.0, -3.0], wrap=True).round(3)  # not -6
            array([0.   , 0.283])
        """

    @declared(
        functions.difference_partials, "q0[nq] q1[nq] -> d_by_q0: nv nv; d_by_q1: nv nv", check=functions.check_wrap,
        driven=functions.DRIVEN_DIFFERENCE_PARTIALS,
    )
    def difference_partials(
        self, q0: ArrayLike, q1: ArrayLike, *, wrap: bool = False, out: tuple[Array, Array] | None = None,
        threads: Threads = None,
    ) -> tuple[Array, Array]:
        """Derivatives of `difference` for small motions of q0 and q1 along joint velocities. LP section 3.2.3.

        `difference(integrate(q0, e), integrate(q1, f))` is `d + by_q0 @ e + by_q1 @ f` to first order. For joints with
        one axis they are -1 and 1. For others they are dlog: the inverses of the Jacobians of the exponential map.

        Args:
            q0, q1, wrap: see `difference`.

        Returns:
            two (..., nv, nv) matrices: dd/dq0 and dd/dq1.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> by_q0, by_q1 = arm.difference_partials([0.1, 0.2], [0.4, 0.1])
            >>> by_q0 + 0.0, by_q1
            (array([[-1.,  0.],
                   [ 0., -1.]]), array([[1., 0.],
                   [0., 1.]]))
        """

    @declared(normalized, "q -> unit: nq", driven=functions.DRIVEN_NORMALIZE)
    def normalize(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """The same configuration with unit quaternions; NaN for a zero quaternion.

        Returns:
            (..., nq) joint positions [rad, m].

        Example:
            >>> body = revolute.robots.random_tree(0, rng=0, base="free")
            >>> body.normalize([1, 2, 3, 0, 0, 3, 4]).round(9)
            array([1. , 2. , 3. , 0. , 0. , 0.6, 0.8])
        """
