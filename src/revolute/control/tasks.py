"""Tasks of differential inverse kinematics and whole-body control: errors of link frames and joints, with targets."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, broadcasts_to, float_copy, instances, nearest
from revolute.dynamics.center_of_mass import center_of_mass, com_jacobian
from revolute.dynamics.displacements import difference
from revolute.dynamics.mobility import ALL, TwistRows
from revolute.dynamics.momentum import centroidal_momentum_matrix, centroidal_momentum_rate
from revolute.dynamics.pose_error import screw_error
from revolute.dynamics.task_errors import (
    com_error,
    momentum_error,
    point_error,
    relative_drift,
    relative_error,
    relative_jacobian,
)
from revolute.errors import InputError, ShapeError, UnknownNameError
from revolute.model.identity import OUTSIDE
from revolute.model.joints import Free
from revolute.model.model import Model
from revolute.spatial.scalar import Rows, Scalar, Scalars, transposed


@dataclass(frozen=True, eq=False, kw_only=True)
class Task(ABC):
    """The error e(q) of a robot relative to a target, which may change in each step. The rate of the error is J v.

        velocities:       J v = -k e
        accelerations:    J vd + Jd v = -2 k J v - k^2 e

    If tasks contradict each other, the sum of their squared residuals, weighted by w, is minimized.

    Attributes:
        weight: w, zero or more: one number for all entries of the error, or one for each.
        gain: k, positive [1/s]. The error decays as exp(-k t); in steps of dt, a gain above 1 / dt acts as 1 / dt.
        name: name of the task and of its target; by default derived from the kind of task.
    """

    weight: ArrayLike = field(default=1.0, metadata=OUTSIDE)
    gain: float = field(default=10.0, metadata=OUTSIDE)
    name: str = field(default="", metadata=OUTSIDE)
    word: ClassVar[str]  # noun for the kind of task, from which default names are formed
    shape: ClassVar[tuple[int, ...]] = (3,)  # of the target, if it does not depend on the robot
    of_rate: ClassVar[bool] = False  # whether the target is one of J v; then the error is that at rest
    of_coordinates: ClassVar[bool] = False  # whether q are a driven robot's coordinates, not positions of its joints

    def called(self) -> str:
        """Name of the task."""
        frame = getattr(self, "frame", None)
        return self.name or (self.word if frame is None else f"{self.word} of {frame}")

    def check(self, model: Model) -> None:  # noqa: B027
        """Raise an error if the task does not fit a robot, for example if a link does not exist."""

    def target_shape(self, model: Model) -> tuple[int, ...]:
        """Shape of the target."""
        return self.shape

    def size(self, model: Model) -> int:
        """Number of scalars of the error."""
        return 6 if self.shape == (4, 4) else self.shape[0]

    def weights(self, model: Model) -> Array:
        """(size,) weights of the entries of the error; raise an error if they do not fit."""
        what, size = f"the weight of '{self.called()}'", self.size(model)
        w = float_copy(what, self.weight)
        if w.ndim > 1 or not broadcasts_to(w.shape, (size,)):
            raise ShapeError(f"{what} has shape {w.shape}, not () or ({size},)")
        if not (np.isfinite(w) & (w >= 0)).all():
            raise InputError(f"{what} must be finite, and zero or more, not {self.weight}")
        return np.broadcast_to(w, (size,)).copy()

    @abstractmethod
    def error(self, model: Model, q: Scalars, target: Scalars) -> list[Scalar]:
        """e: scalars that the task drives to zero. `target` contains the target's entries, row by row."""

    @abstractmethod
    def jacobian(self, model: Model, q: Scalars) -> Rows:
        """The Jacobian J, where J v is the rate of the error: a row of nv scalars for each entry of the error."""

    @abstractmethod
    def drift(self, model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        """Jd v: the second derivative of the error at zero accelerations."""


@dataclass(frozen=True, eq=False)
class _OfFrame(Task):
    """A task of a link frame, whose rate consists of some components of the frame's twist."""

    frame: str
    twist: ClassVar[tuple[str, tuple[int, ...]]] = ("body", ALL)  # reference and rows of `TwistRows`

    def check(self, model: Model) -> None:
        model.frame(self.frame)

    def jacobian(self, model: Model, q: Scalars) -> Rows:
        return TwistRows(self.frame, *self.twist).jacobian(model, q)[0]

    def drift(self, model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        return TwistRows(self.frame, *self.twist).drift(model, q, qd)


@dataclass(frozen=True, eq=False)
class PoseTask(_OfFrame):
    """Move a link frame to a pose, along a screw: six errors e = log(T_target^-1 T), angular part first [rad, m].

    J v is the twist in the link frame. The target is a (4, 4) matrix, or a `Transform`. The weight may be six
    numbers, rotations before displacements, along the axes of the link frame.

    Example:
        >>> from revolute.control import PoseTask
        >>> PoseTask("tool0", weight=[1, 1, 1, 10, 10, 10]).called()
        'pose of tool0'
    """

    word: ClassVar[str] = "pose"
    shape: ClassVar[tuple[int, ...]] = (4, 4)

    def error(self, model: Model, q: Scalars, target: Scalars) -> list[Scalar]:
        return screw_error(model, q, target, self.frame)


@dataclass(frozen=True, eq=False)
class RelativeTask(_OfFrame):
    """Move a link frame to a pose relative to another link frame, as for two hands that hold an object.

        e = log(T_target^-1 T_other^-1 T),    angular part first [rad, m]

    Attributes:
        frame, other: names of the links.
    """

    other: str
    shape: ClassVar[tuple[int, ...]] = (4, 4)

    def called(self) -> str:
        return self.name or f"pose of {self.frame} in {self.other}"

    def check(self, model: Model) -> None:
        super().check(model)
        model.frame(self.other)

    def error(self, model: Model, q: Scalars, target: Scalars) -> list[Scalar]:
        return relative_error(model, q, target, self.frame, self.other)

    def jacobian(self, model: Model, q: Scalars) -> Rows:
        return TwistRows(self.frame).of(relative_jacobian(model, q, self.frame, self.other))

    def drift(self, model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        A = relative_drift(model, q, qd, self.frame, self.other)
        return [*A.ang, *A.lin]


@dataclass(frozen=True, eq=False)
class PointTask(_OfFrame):
    """Move the origin of a link frame to a point: three errors in the base frame [m]. The target is (3,) [m]."""

    word: ClassVar[str] = "point"
    twist: ClassVar[tuple[str, tuple[int, ...]]] = ("aligned", (3, 4, 5))

    def error(self, model: Model, q: Scalars, target: Scalars) -> list[Scalar]:
        return point_error(model, q, target, self.frame)


@dataclass(frozen=True, eq=False)
class CenterOfMassTask(Task):
    """Move the centre of mass to a point: three errors in the base frame [m]. The target is (3,) [m]."""

    word: ClassVar[str] = "center of mass"

    def error(self, model: Model, q: Scalars, target: Scalars) -> list[Scalar]:
        return com_error(model, q, target)

    def jacobian(self, model: Model, q: Scalars) -> Rows:
        return transposed(com_jacobian(model, q))

    def drift(self, model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        return list(center_of_mass(model, q, qd)[2])


@dataclass(frozen=True, eq=False)
class MomentumTask(Task):
    """Move with a centroidal momentum: A v = (k, l), angular part about the centre of mass first. Orin & Goswami 2008.

        accelerations:    A vd + Ad v = rate - gain (A v - target)

    The target is (6,) in the base frame [kg m^2/s, kg m/s]; for `WholeBody` it may be a tuple (target, rate).
    `DifferentialIK` ignores the gain. The weight may be six numbers: [1, 1, 1, 0, 0, 0] for the angular part alone.
    """

    word: ClassVar[str] = "momentum"
    shape: ClassVar[tuple[int, ...]] = (6,)
    of_rate: ClassVar[bool] = True

    def error(self, model: Model, q: Scalars, target: Scalars) -> list[Scalar]:
        return momentum_error(model, q, [0] * model.nv, target)

    def jacobian(self, model: Model, q: Scalars) -> Rows:
        entries, n = centroidal_momentum_matrix(model, q), model.nv
        return [list(entries[k * n : (k + 1) * n]) for k in range(6)]

    def drift(self, model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        return centroidal_momentum_rate(model, q, qd, [0] * model.nv)


@dataclass(frozen=True, eq=False)
class PostureTask(Task):
    """Move all but free joints to a configuration: errors `difference(q_target, q)` [rad, m]. The target is (nq,).

    With a small weight, this task selects one of the motions that the other tasks allow.
    """

    word: ClassVar[str] = "posture"
    of_coordinates: ClassVar[bool] = True

    def target_shape(self, model: Model) -> tuple[int, ...]:
        return (model.nq,)

    def size(self, model: Model) -> int:
        return len(self.rows(model))

    def rows(self, model: Model) -> list[int]:
        """Indices of the task's coordinates in v."""
        places = zip(model.bodies, model.v_index, strict=True)
        return [k for body, at in places if self._moves(body) for k in range(at.start, at.stop)]

    def _moves(self, body: Any) -> bool:
        return not isinstance(body.joint, Free)

    def error(self, model: Model, q: Scalars, target: Scalars) -> list[Scalar]:
        d = difference(model, target, q)
        return [d[k] for k in self.rows(model)]

    def jacobian(self, model: Model, q: Scalars) -> Rows:
        return [[int(k == j) for j in range(model.nv)] for k in self.rows(model)]

    def drift(self, model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
        return [0] * self.size(model)


@dataclass(frozen=True, eq=False)
class JointTask(PostureTask):
    """Move some joints to positions: the errors of `PostureTask` for these joints.

    The target is a configuration (nq,), in which the positions of other joints are ignored.

    Attributes:
        joints: names of the joints.
    """

    joints: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", instances("JointTask: joints", self.joints, str))

    def called(self) -> str:
        return self.name or ", ".join(self.joints)

    def check(self, model: Model) -> None:
        known = [body.joint_name for body in model.bodies[1:]]
        for name in self.joints:
            if name not in known:
                raise UnknownNameError(f"JointTask: no joint '{name}'; {nearest(name, known)}")

    def _moves(self, body: Any) -> bool:
        return body.joint_name in self.joints
