"""Methods of `Robot`: the equations of motion in the coordinates of a link frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from revolute.machine.declare import has_kernel
from revolute.machine.function import WithDrives
from revolute.machine.functions import drives
from revolute.machine.functions import task_space as functions
from revolute.machine.robot.base import Array, LinkWrenches, Shared, Threads
from revolute.machine.task_space import (
    TWIST,
    LinearTaskModel,
    TaskSpaceDynamics,
    TaskSpaceForces,
    damped_results,
    singular_rows,
)
from revolute.model.reduce import reduced

_TASK = ("frame", "reference", "rows")
_LOADED = (*_TASK, "wrenches")
_DAMPED = {"damped": "damping[]"}
_ALL = (0, 1, 2, 3, 4, 5)


def _of_rows(arrays: str) -> Callable[..., str]:
    """Declaration of `arrays`, in which {m} is replaced by the number of rows."""
    return lambda rows=_ALL, **_: arrays.format(m=len(rows))


class TaskSpace(Shared):
    """The equations of motion in the coordinates of a link frame.

    A task is the twist of a link frame, or some rows of it. Its inertia Lambda does not exist if a row of the Jacobian
    depends on the others: in singular states, and always if there are more rows than joints that move the frame. A
    single singular state raises a `SingularityError`; in a batch only its results are NaN. With damping every state has
    results; `singular` shows which states depend on the damping.
    """

    @has_kernel(
        functions.task_space_dynamics, _of_rows("q qd -> Lambda: {m} {m}; mu: {m}; p: {m}; e: {m}; check: {m} 4"),
        on=reduced, check=functions.check, options=_LOADED, optional=_DAMPED, inverts=True,
        driven=WithDrives(drives.task_space_dynamics),
    )
    def task_space_dynamics(
        self, q: ArrayLike, qd: ArrayLike, frame: str, reference: str = "body", *, rows: Sequence[int] | None = None,
        singularity_damping: ArrayLike = 0.0, wrenches: LinkWrenches = None, threads: Threads = None,
    ) -> TaskSpaceDynamics:
        """The dynamics of a link frame in operational space. LP 9.96-9.99; BP 7.4.4; Khatib 1987.

            F = Lambda(q) Vd + eta(q, qd),    tau = J^T F

        V = J qd is the frame's twist (w, v), Vd the time derivative of its components, F = (m, f) the wrench at the
        frame that is equivalent to the joint forces, and

            Lambda = (J M^-1 J^T)^-1
            eta    = Lambda (J M^-1 b - Jd qd) = mu + p + e

        where b is `bias_forces` minus the joint forces of wrenches; mu is due to its velocity terms, p to gravity, e to
        wrenches. For six joints these are LP's J^-T M J^-1 and J^-T b - Lambda Jd J^-1 V. A redundant arm, with more
        joints than rows, obeys the same equation; torques (1 - J^T Jbar^T) tau move its joints without accelerating the
        frame, with Jbar of `dynamically_consistent_inverse`. With drives, M includes rotors, mu friction and p springs.

        Args:
            reference: "body" for the twist in the link frame; "aligned" for base axes, and v of the link frame's
                origin; "world" for v of the point at the base's origin.
            rows: m of the six rows wx, wy, wz, vx, vy, vz, as numbers 0 ... 5; all if None. Motion along other rows is
                free.
            singularity_damping: (...) lambda >= 0, for Lambda = (J M^-1 J^T + lambda^2 1)^-1, and for eta with this
                Lambda. So no eigenvalue of Lambda exceeds 1 / lambda^2: lambda^2 is in 1/kg for v and in 1/(kg m^2) for
                w. Accelerations are then no longer exact, least of all in singular directions.

        Returns:
            inertia Lambda, bias eta, coriolis mu, gravity p, singular, external e: a
            `revolute.machine.task_space.TaskSpaceDynamics`. A state is singular if a row of J is
            within 1e-5 rad of the span of the rows before it, in the metric of the kinetic energy, or 1e-5 times as
            long as the three rows of its kind, angular or linear, together: then few digits of Lambda are correct.

        Example:
            >>> arm = revolute.robots.planar(2)  # rods of 1 kg and 1 m
            >>> q, qd = [0.0, 1.5708], [0.0, 0.0]
            >>> task = arm.task_space_dynamics(q, qd, "tip", "aligned", rows=(3, 4))
            >>> task.inertia.round(2) + 0.0
            array([[0.33, 0.  ],
                   [0.  , 1.33]])
            >>> task.bias.round(1) + 0.0
            array([ 0. , 14.7])
        """
        (inertia, coriolis, gravity, external), singular = self._task(
            "task_space_dynamics", (q, qd), frame, reference, rows, singularity_damping, wrenches, threads
        )
        bias = coriolis + gravity + external if wrenches else coriolis + gravity
        return TaskSpaceDynamics(inertia, bias, coriolis, gravity, singular, external)

    @has_kernel(
        functions.task_space_forces, _of_rows("q qd acceleration[{m}] -> tau: nv; F: {m}; check: {m} 4"), on=reduced,
        check=functions.check, options=_LOADED, optional=_DAMPED, inverts=True,
        driven=WithDrives(drives.task_space_forces),
    )
    def task_space_forces(
        self, q: ArrayLike, qd: ArrayLike, acceleration: ArrayLike, frame: str, reference: str = "body", *,
        rows: Sequence[int] | None = None, singularity_damping: ArrayLike = 0.0,
        wrenches: LinkWrenches = None, threads: Threads = None,
    ) -> TaskSpaceForces:
        """Joint forces for a desired acceleration of a link frame: computed torque in task space. LP 9.95-9.97.

            tau = J^T F,    F = Lambda Vd + eta

        For a redundant arm these forces have no component in the null space of the task. For this and for the other
        arguments see `task_space_dynamics`.

        Args:
            acceleration: (..., m) Vd, time derivatives of the selected rows of the frame's twist.

        Returns:
            tau, wrench F, and singular: a `revolute.machine.task_space.TaskSpaceForces`.

        Example:
            >>> arm = revolute.robots.planar(2)
            >>> q, qd, position = [0.0, 1.57], [0.0, 0.0], dict(reference="aligned", rows=(3, 4))
            >>> tau = arm.task_space_forces(q, qd, [0.0, 2.0], "tip", **position).tau
            >>> arm.forward_dynamics(q, qd, tau).round(3)  # the tip accelerates only upwards
            array([ 2., -2.])
        """
        arrays = (q, qd, acceleration)
        (tau, wrench), singular = self._task(
            "task_space_forces", arrays, frame, reference, rows, singularity_damping, wrenches, threads
        )
        return TaskSpaceForces(tau, wrench, singular)

    @has_kernel(
        functions.dynamically_consistent_inverse, _of_rows("q -> inverse: nv {m}; check: {m} 4"), on=reduced,
        check=functions.check, options=_TASK, optional=_DAMPED, inverts=True,
        driven=WithDrives(drives.dynamically_consistent_inverse),
    )
    def dynamically_consistent_inverse(
        self, q: ArrayLike, frame: str, reference: str = "body", *, rows: Sequence[int] | None = None,
        singularity_damping: ArrayLike = 0.0, threads: Threads = None,
    ) -> Array:
        """Jbar = M^-1 J^T Lambda, the inverse of the Jacobian with minimum kinetic energy. Khatib 1987.

            J Jbar = 1,    J M^-1 (1 - J^T Jbar^T) = 0

        Jbar V are the joint velocities of minimum kinetic energy that move the frame by V, and joint forces (1 - J^T
        Jbar^T) tau do not accelerate it. For six joints and six rows, Jbar is J^-1. With damping, J Jbar is no longer
        exactly 1.

        Returns:
            (..., nv, m) matrices; NaN for singular states of a batch without damping.

        Example:
            >>> arm = revolute.robots.planar(3)
            >>> inverse = arm.dynamically_consistent_inverse([0.3, 0.4, 0.5], "tip", rows=(4,))
            >>> inverse.round(3)
            array([[ 0.096],
                   [-0.394],
                   [ 1.499]])
        """
        (inverse,), _ = self._task(
            "dynamically_consistent_inverse", (q,), frame, reference, rows, singularity_damping, None, threads
        )
        return inverse

    @has_kernel(
        functions.linearize_task, "q qd qdd -> D: nv nv; V: nv nv; P: nv nv; check: nv 4", on=reduced,
        check=functions.check_square, options=_LOADED,
        driven=WithDrives(drives.linearize_task, smooth=True, check=drives.check_square),
    )
    def linearize_task(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str, reference: str = "body", *,
        rows: Sequence[int] | None = None, wrenches: LinkWrenches = None, threads: Threads = None,
    ) -> LinearTaskModel:
        """The linear model of joint forces in the coordinates of a link frame. BP 7.4.15-7.4.18.

            dtau = D d2/dt2 dx + V d/dt dx + P dx,    dx = J dq

        dx is the small displacement (rotation vector, then translation) of the link frame from its motion, expressed in
        the axes of its twist. d/dt are time derivatives of these components (BP 7.4.9, 7.4.10). Because the axes
        rotate, they are not differences of twist components, except for v of "aligned". The robot must not be
        redundant: there must be nv rows.

        Returns:
            D, V, P, each (..., nv, nv), and singular: a `revolute.machine.task_space.LinearTaskModel`.

        Raises:
            InputError: there are not as many rows as degrees of freedom, or other arguments do not fit.
            SingularityError: a single state is singular.

        Example:
            >>> pendulum = revolute.robots.planar(1)  # hanging, its tip slightly displaced
            >>> model = pendulum.linearize_task([-1.5708], [0.0], [0.0], "tip", rows=(4,))
            >>> print(model.D.round(3), model.P.round(3))
            [[0.333]] [[4.905]]
        """
        arrays = (q, qd, qdd)
        (D, V, P), singular = self._task("linearize_task", arrays, frame, reference, rows, 0.0, wrenches, threads)
        return LinearTaskModel(D, V, P, singular)

    def _task(
        self, function: str, arrays: tuple[ArrayLike, ...], frame: str, reference: str, rows: Sequence[int] | None,
        damping: ArrayLike, wrenches: LinkWrenches, threads: Threads,
    ) -> tuple[tuple[Array, ...], Array]:
        options: dict[str, Any] = {"frame": frame}
        if not isinstance(reference, str) or reference != "body":
            options["reference"] = reference
        if rows is not None:
            options["rows"] = functions.frame_rows(function, rows)
        (*results, check), values = damped_results(self, function, arrays, damping, wrenches, threads, options)
        where = f"{function}: link '{frame}' of '{self.name}'"
        names = [TWIST[row] for row in options.get("rows", range(6))]
        return tuple(results), singular_rows(results, check, values, arrays[0], where, names)
