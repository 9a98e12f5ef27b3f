"""Coordinates x = h(q): Euler angles or quaternion of a link frame, or a user's function. BP sections 2.2, 7.4."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from revolute.compiler.signature import flat
from revolute.dynamics import orientation
from revolute.dynamics.frame_motion import frame_acceleration, frame_velocity
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.linear_models import product, total
from revolute.dynamics.mobility import Coordinates, TwistRows
from revolute.machine.functions.traced import along_motion, by_positions
from revolute.model import Model, aligned
from revolute.spatial.scalar import Rows, Scalar, Scalars


class OperationalCoordinates(ABC):
    """m coordinates x = h(q) of a task.

    The equations of motion are derived in the coordinates `task(model)`. If the rates V of that task are not xd,
    `lifts` returns E with V = E xd and E^+ E = 1.
    """

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Names of the m coordinates, for messages."""

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the task's rates."""
        return self.names

    @abstractmethod
    def values(self, model: Model, q: Scalars) -> Scalars:
        """h(q)."""

    def regularity(self, model: Model, q: Scalars) -> Scalar:
        """0 where the coordinates themselves are singular, and up to 1 elsewhere."""
        return 1

    @abstractmethod
    def task(self, model: Model) -> Coordinates:
        """The task coordinates in which the equations of motion are expressed."""

    def jacobian(self, model: Model, q: Scalars) -> Rows:
        """J_a = dh/dq, with respect to joint velocities: xd = J_a qd."""
        return self.task(model).jacobian(model, q)[0]

    def jacobian_rate(self, model: Model, q: Scalars, qd: Scalars) -> Rows:
        """dJ_a/dt."""
        return self.task(model).jacobian_rate(model, q, qd)

    def lifts(self, model: Model, q: Scalars, qd: Scalars = (), qdd: Scalars = ()) -> list[Rows]:
        """E, then dE/dt if qd is given, then d2E/dt2 if qdd is given; empty if the task's rates are xd."""
        return []


@dataclass(frozen=True)
class _AnalyticTask:
    """A task defined by its analytic Jacobian, whose time derivatives follow from the graph."""

    model: Model
    analytic: Callable[[Model, Scalars], tuple[Rows, Rows]]

    def jacobian(self, model: Model, q: Scalars) -> tuple[Rows, Rows]:
        return self.analytic(self.model, q)

    def jacobian_rate(self, model: Model, q: Scalars, qd: Scalars) -> Rows:
        return self._rows(along_motion(self.model, self._scalars(q), q, qd))

    def jacobian_second_rate(self, model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> Rows:
        return self._rows(along_motion(self.model, along_motion(self.model, self._scalars(q), q, qd), q, qd, qdd))

    def drift(self, model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        J, _ = self.analytic(self.model, q)
        return along_motion(self.model, flat(product(J, [[x] for x in qd])), q, qd)

    def _scalars(self, q: Scalars) -> list[Scalar]:
        return flat(self.analytic(self.model, q)[0])

    def _rows(self, scalars: list[Scalar]) -> Rows:
        n = self.model.nv
        return [scalars[k : k + n] for k in range(0, len(scalars), n)]


@dataclass(frozen=True)
class EulerCoordinates(OperationalCoordinates):
    """Euler angles, in a sequence such as "ZYX", and position of a link frame, or some `rows` of these six numbers."""

    frame: str
    sequence: str
    rows: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        every = (*(f"angle {k} of '{self.sequence}'" for k in (1, 2, 3)), "x", "y", "z")
        return tuple(every[row] for row in self.rows)

    def values(self, model: Model, q: Scalars) -> Scalars:
        pose = frame_pose(aligned(model), q, self.frame)
        every = [*orientation.euler_angles(pose.R.matrix(), self.sequence), *pose.p]
        return [every[row] for row in self.rows]

    def regularity(self, model: Model, q: Scalars) -> Scalar:
        if min(self.rows) > 2:
            return 1
        return orientation.euler_singularity(frame_pose(aligned(model), q, self.frame).R.matrix(), self.sequence)

    def task(self, model: Model) -> Coordinates:
        return _AnalyticTask(aligned(model), self._analytic)

    def _analytic(self, model: Model, q: Scalars) -> tuple[Rows, Rows]:
        """J_a = diag(B, 1) J with J in the base frame, and `lengths` of `Mobility`."""
        every = TwistRows(self.frame, "aligned").jacobian(model, q)[0]
        if min(self.rows) < 3:
            B = orientation.euler_rates(frame_pose(model, q, self.frame).R.matrix(), self.sequence)
            every[:3] = product([list(row) for row in B], every[:3])
        return TwistRows(self.frame, "aligned", self.rows).chosen(every)


@dataclass(frozen=True)
class QuaternionCoordinates(OperationalCoordinates):
    """Quaternion and position of a link frame: seven numbers for six degrees of freedom."""

    frame: str

    @property
    def names(self) -> tuple[str, ...]:
        return ("qx", "qy", "qz", "qw", "x", "y", "z")

    @property
    def row_names(self) -> tuple[str, ...]:
        return ("wx", "wy", "wz", "vx", "vy", "vz")

    def values(self, model: Model, q: Scalars) -> Scalars:
        pose = frame_pose(aligned(model), q, self.frame)
        return [*orientation.quaternion(pose.R.matrix()), *pose.p]

    def task(self, model: Model) -> Coordinates:
        return TwistRows(self.frame, "aligned")

    def jacobian(self, model: Model, q: Scalars) -> Rows:
        model = aligned(model)
        J, _ = self.task(model).jacobian(model, q)
        return [*product(_turn(self._quaternion(model, q)), J[:3]), *J[3:]]

    def jacobian_rate(self, model: Model, q: Scalars, qd: Scalars) -> Rows:
        model = aligned(model)
        J, Jd = self.task(model).jacobian(model, q)[0], self.task(model).jacobian_rate(model, q, qd)
        x, xd = self._motion(model, q, qd)
        return [*total(product(_turn(xd), J[:3]), product(_turn(x), Jd[:3])), *Jd[3:]]

    def lifts(self, model: Model, q: Scalars, qd: Scalars = (), qdd: Scalars = ()) -> list[Rows]:
        """E = diag(4 B(x)^T, 1), and its rates diag(4 B(xd)^T, 0) and diag(4 B(xdd)^T, 0): B is linear."""
        E, *rates = [_lift(x) for x in self._motion(aligned(model), q, qd, qdd)]
        for rate in rates:
            for row in rate[3:]:
                row[4:] = [0, 0, 0]
        return [E, *rates]

    def _quaternion(self, model: Model, q: Scalars) -> list[Scalar]:
        return orientation.quaternion(frame_pose(model, q, self.frame).R.matrix())

    def _motion(self, model: Model, q: Scalars, qd: Scalars = (), qdd: Scalars = ()) -> Rows:
        """The quaternion x; with qd, also xd = B(x) w; with qdd, also xdd = B(xd) w + B(x) wd."""
        motion = [self._quaternion(model, q)]
        if qd:
            w = [[y] for y in frame_velocity(model, q, qd, self.frame, "aligned").ang]
            motion.append(flat(product(_turn(motion[0]), w)))
        if qdd:
            wd = [[y] for y in frame_acceleration(model, q, qd, qdd, self.frame, "aligned").ang]
            motion.append(flat(total(product(_turn(motion[1]), w), product(_turn(motion[0]), wd))))
        return motion


@dataclass(frozen=True)
class UserCoordinates(OperationalCoordinates):
    """m coordinates h(model, q) that the user defines, for any scalar type."""

    h: Callable[[Model, Scalars], Any]
    m: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"h[{k}]" for k in range(self.m))

    def values(self, model: Model, q: Scalars) -> Scalars:
        return list(self.h(model, q))

    def task(self, model: Model) -> Coordinates:
        return _AnalyticTask(model, self._analytic)

    def _analytic(self, model: Model, q: Scalars) -> tuple[Rows, Rows]:
        """dh/dq, and `lengths` of `Mobility` with scale 1: one unit of a coordinate per rad or metre of a joint."""
        J = by_positions(model, self.values(model, q), q)
        return J, [[sum(x * x for x in row) for row in J], [1] * self.m]


def _turn(x: Scalars) -> Rows:
    """The matrix B(x) of a quaternion or of its rate, with xd = B(x) w."""
    return [list(row) for row in orientation.quaternion_rates(x)]


def _lift(x: Scalars) -> Rows:
    """The matrix diag(4 B(x)^T, 1) of a quaternion or of its rate."""
    turn = [[4 * y for y in row] + [0, 0, 0] for row in zip(*_turn(x), strict=True)]
    return turn + [[0, 0, 0, 0, *(int(r == s) for s in range(3))] for r in range(3)]
