"""Groups of methods of `OperationalSpace`: its data and singular states; forces of motions, and linear models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from revolute.dynamics.invertible import require_invertible
from revolute.errors import SingularityError
from revolute.machine.declare import has_kernel
from revolute.machine.function import Function, MachineData
from revolute.machine.functions import operational_space as functions
from revolute.machine.functions.operational_coordinates import OperationalCoordinates
from revolute.machine.machine import Array, LinkWrenches, Machine, Threads
from revolute.machine.robot.base import sizes
from revolute.machine.task_space import (
    LinearTaskModel,
    TaskSpaceDynamics,
    TaskSpaceForces,
    damped_results,
    singular_rows,
)
from revolute.model import exact_text, numeric

if TYPE_CHECKING:
    from revolute.machine.robot import Robot

DAMPED: dict[str, Any] = {"optional": {"damped": "damping[]"}}
CHECKS = "check: r 4; regularity"


class OperationalGroup(Machine):
    """A group of methods of `OperationalSpace`, with its data."""

    _kind = "robot in operational space"
    _elsewhere = ". See `robot.kernel` for those of joint space"

    def __init__(self, robot: Robot, definition: OperationalCoordinates) -> None:
        self.robot = robot
        self.definition = definition
        self.names = definition.names

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.robot, self.definition)

    def __repr__(self) -> str:
        return f"<OperationalSpace of {self.robot.name!r}: {', '.join(self.names)}>"

    def _labels(self) -> Mapping[str, Sequence[str]]:
        return {"nq": self.robot.position_names, "nv": self.robot.coordinate_names}

    def _machine_data(self, function: Function, options: Mapping[str, Any]) -> MachineData:
        model, x = numeric(self.robot, function.name), self.definition
        if function.inverts:
            require_invertible(model)
        extents = sizes(model) | {"m": len(x.names), "r": len(x.row_names)}
        words = {"m": "coordinates"}
        return MachineData(self.robot.name, (model, x), extents, exact_text((model.digest, x)), words=words)

    def _countable(self) -> Self:
        return type(self)(self.robot._countable(), self.definition)

    def _kinematic(self, function: str, arrays: tuple[ArrayLike, ...], threads: Threads) -> Array:
        """The result of a function that inverts no matrix; NaN where coordinates are singular."""
        result, regularity = self._evaluate(function, arrays, threads)
        self._irregular(function, (result,), regularity, arrays[0])
        return np.asarray(result)

    def _dynamic(
        self, function: str, arrays: tuple[ArrayLike, ...], damping: ArrayLike, wrenches: LinkWrenches, threads: Threads
    ) -> tuple[tuple[Array, ...], Array]:
        (*results, check, regularity), values = damped_results(self, function, arrays, damping, wrenches, threads)
        irregular = self._irregular(function, results, regularity, arrays[0])
        where = f"{function}: {self._of()}'{self.robot.name}'"
        check[irregular] = np.nan  # singular coordinates raise a separate error
        return tuple(results), singular_rows(results, check, values, arrays[0], where, self.definition.row_names)

    def _irregular(self, function: str, results: Sequence[Array], regularity: Array, q: ArrayLike) -> Array:
        """Find states with singular coordinates: set their results to NaN, or raise for a single state."""
        least = 1e-10 if regularity.dtype == np.float64 else 1e-5
        irregular: Array = np.asarray(regularity <= least)
        if irregular.ndim == 0 and irregular:
            sequence = getattr(self.definition, "sequence", "")
            raise SingularityError(
                f"{function}: the Euler angles '{sequence}' of {self._of()}'{self.robot.name}' are singular: their "
                f"first and last axis are parallel, at q = {np.array2string(np.asarray(q), precision=4, threshold=20)}"
                "; use another sequence, or 'quaternion'"
            )
        for result in results if irregular.any() else ():
            result[irregular] = np.nan
        return irregular

    def _of(self) -> str:
        frame = getattr(self.definition, "frame", None)
        return "" if frame is None else f"link '{frame}' of "


class Loads(OperationalGroup):
    """Forces of motions under wrenches, and linear models."""

    @has_kernel(functions.bias_forces, f"q qd -> eta: m; {CHECKS}", options=("wrenches",), inverts=True, **DAMPED)
    def bias_forces(
        self, q: ArrayLike, qd: ArrayLike, *, singularity_damping: ArrayLike = 0.0,
        wrenches: LinkWrenches = None, threads: Threads = None,
    ) -> Array:
        """The forces eta(q, qd) at zero acceleration, due to velocities and gravity, minus wrenches. LP 9.99.

        Returns:
            (..., m) forces; NaN for singular states of a batch.

        Example:
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
        """Joint forces tau = J^T F, F = Lambda xdd + eta, that produce xdd. LP 9.97; BP 7.4.2, 7.4.4-7.4.5.

        Args:
            acceleration: (..., m) the desired xdd.

        Returns:
            tau, wrench F, and singular: a `revolute.machine.task_space.TaskSpaceForces`.

        Example:
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
            InputError: the number of coordinates is not the robot's number of degrees of freedom.
            SingularityError: as in `bias_forces`.

        Example:
            >>> pendulum = revolute.robots.planar(1).operational_space("tip", rows=(0,))
            >>> model = pendulum.linearize([-1.5708], [0.0], [0.0])  # hanging
            >>> print(model.D.round(3), model.P.round(3))
            [[0.333]] [[4.905]]
        """
        (D, V, P), singular = self._dynamic("linearize", (q, qd, qdd), 0.0, wrenches, threads)
        return LinearTaskModel(D, V, P, singular)
