"""Control laws of joint forces, and the simplest one: an affine function of the state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_array
from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.dynamics.control.joint_space import state_feedback
from revolute.errors import InputError, ShapeError, SimulationError
from revolute.graph import Input
from revolute.spatial.scalar import Scalars


class ReferenceStopped(SimulationError):
    """Raised if the reference trajectory of a controller fails after `count` instants."""

    def __init__(self, message: str, count: int) -> None:
        super().__init__(message)
        self.count = count


class Controller(Protocol):
    """A source of joint forces; `simulate` accepts any object with the method `torque`."""

    def torque(self, t: float, q: Array, qd: Array, /) -> ArrayLike:
        """(..., nv) joint forces [N m, N] at a time [s] and a state; the arrays of the state are read-only."""


@dataclass(frozen=True)
class Plant:
    """A machine, such as "robot 'panda'", that moves under n joint forces, at (T,) times t.

    `entries` are names of the forces, such as "joint 'elbow'", and `batch` the leading axes of a state. `table(what,
    given, n)` checks (n,) or (..., T, n) numbers and returns them as a source; `what` names them in messages.
    """

    owner: str
    entries: Sequence[str]
    n: int
    nq: int
    nv: int
    t: Array
    batch: tuple[int, ...]
    table: Callable[[str, Any, int], Any]


class Law(ABC):
    """A controller whose forces are a function of the state; it is compiled into the loop of fixed-step methods."""

    @abstractmethod
    def _feedback(self, plant: Plant) -> Feedback:
        """The law with its gains and references for one motion; raise an error if their shapes do not fit."""


@dataclass(frozen=True, eq=False)
class StateFeedback(Law):
    """Joint forces by feedback of the state, for `simulate`: tau - K_p (q - q_ref) - K_d (qd - qd_ref).

    With fixed steps, forces are constant during each step, and the whole motion runs in machine code. q - q_ref is a
    vector difference, so a robot with quaternions needs a function of the state instead.

    Attributes:
        position_gains: K_p, (nv,) the diagonal, or (nv, nv) [N m/rad, N/m].
        velocity_gains: K_d, (nv,) the diagonal, or (nv, nv) [N m s/rad, N s/m]; zero by default.
        q_ref: (nq,) or (..., T, nq) reference positions, constant until the next instant [rad, m]; zero by default.
        qd_ref: (nv,) or (..., T, nv) reference velocities [rad/s, m/s]; zero by default.
        tau: (nv,) or (..., T, nv) forces to which the feedback is added [N m, N]; zero by default.

    Raises:
        DtypeError, InputError: an array does not contain finite real numbers.

    Example:
        >>> import numpy as np, revolute
        >>> arm, goal = revolute.robots.planar(2), np.array([0.5, -0.3])
        >>> law = revolute.StateFeedback(
        ...     [400.0, 100.0], [80.0, 20.0], goal, tau=arm.gravity_forces(goal)
        ... )
        >>> motion = arm.simulate(
        ...     [0.0, 0.0], [0.0, 0.0], law, np.linspace(0, 5, 5001), "semi_implicit_euler"
        ... )
        >>> bool(np.abs(motion.q[-1] - goal).max() < 1e-3)
        True
    """

    position_gains: ArrayLike
    velocity_gains: ArrayLike = 0.0
    q_ref: ArrayLike | None = None
    qd_ref: ArrayLike | None = None
    tau: ArrayLike | None = None

    def __post_init__(self) -> None:
        for name in ("position_gains", "velocity_gains", "q_ref", "qd_ref", "tau"):
            if (given := getattr(self, name)) is None:
                continue
            values = finite_array(f"StateFeedback: {name}", given)
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    def _feedback(self, plant: Plant) -> Feedback:
        sizes = (plant.n, plant.nq, plant.nv)
        K_p, K_d = checked_gains(self, *sizes, plant.owner)
        tables = {
            name: plant.table(f"StateFeedback: {label}", np.zeros(n) if x is None else x, n)
            for name, label, x, n in (
                ("feedforward", "tau", self.tau, sizes[0]),
                ("q_ref", "q_ref", self.q_ref, sizes[1]),
                ("qd_ref", "qd_ref", self.qd_ref, sizes[2]),
            )
        }
        form, kernel = law(*sizes, diagonal=K_p.ndim == 1)
        arrays = {**tables, "position gains": K_p, "velocity gains": K_d}
        return Feedback("StateFeedback", form, arrays, kernel, plant)


class Feedback:
    """A control law bound to one motion: a source of its joint forces.

    A law may have its own state, such as adapted parameters. Then its results are the forces and the state at the next
    instant. An input named "h" is the length of the step.

    Attributes:
        arrays: inputs by name, except q, qd, the law's state and h: functions of (k, time), or constants.
        state: {name: (T, ..., *core)} states of the law, created from their initial values (..., *core).
        advice: end of the message about forces that are not finite.
    """

    def __init__(
        self, name: str, form: Signature, arrays: Mapping[str, Any], kernel: Kernel, plant: Plant,
        state: Mapping[str, Array] | None = None, advice: str = "",
    ) -> None:
        self.advice = advice
        self.name, self.form, self.arrays, self._kernel, self.batch = name, form, dict(arrays), kernel, plant.batch
        self._entries, self._times = plant.entries, plant.t
        with np.errstate(over="ignore"):
            self._steps = np.append(np.diff(plant.t), 0.0)
        self.state: dict[str, Array] = {}
        for label, first in (state or {}).items():
            self.state[label] = np.empty((len(plant.t), *first.shape))
            self.state[label][0] = first

    def __call__(self, k: int, time: float, q: Array, qd: Array) -> Array:
        """Return the forces, and store the law's next state in row k + 1."""
        forces, following = self.evaluated(k, time, q, qd)
        self.require_finite(time, forces)
        if k + 1 < len(self._steps):
            for rows, row in zip(self.state.values(), following, strict=True):
                rows[k + 1] = row
        return forces

    def evaluated(self, k: int, time: float, q: Array, qd: Array) -> tuple[Array, list[Array]]:
        """The forces, and the state at the next instant, one array for each entry of `state`."""
        given = {name: x(k, time) if callable(x) else x for name, x in self.arrays.items()}
        given |= {"q": q, "qd": qd, "h": self._steps[k], **{name: x[k] for name, x in self.state.items()}}
        results = self._kernel(*[given[x.name] for x in self.form.inputs])
        forces, *following = results if self.state else (results,)
        return forces, following

    def require_finite(self, time: float, forces: Array) -> None:
        """Raise `SimulationError` if forces are not finite."""
        if not np.isfinite(forces).all():
            entry = self._entries[int(np.argwhere(~np.isfinite(forces))[0, -1])]
            message = f"simulate: {self.name} returns no finite force for {entry} at t={time:g} s"
            raise SimulationError(f"{message}; {self.advice}" if self.advice else message)

    def require_finite_state(self, time: float) -> None:
        """Raise `SimulationError` if the law's state at an instant is not finite."""
        k = int(np.searchsorted(self._times, time))
        for name, x in self.state.items():
            if not np.isfinite(x[k]).all():
                raise SimulationError(
                    f"simulate: {self.name}: its {name} diverge at t={time:g} s; use smaller gains or steps"
                )

    def states_at(self, t: Array) -> dict[str, Array]:
        """{name: (..., T, *core)} states of the law at these times; between instants, those of the previous instant."""
        places = np.searchsorted(self._times, t, side="right") - 1
        return {name: np.moveaxis(x[places], 0, len(self.batch)) for name, x in self.state.items()}


def law_input(name: str) -> str:
    """Name of a law's input in a loop, distinct from the names of the machine's inputs."""
    return name if name in ("q", "qd", "h") else f"law: {name}"


@cache
def law(n: int, nq: int, nv: int, diagonal: bool) -> tuple[Signature, Kernel]:
    """Signature and kernel of state feedback for n forces, with gain matrices or their diagonals."""
    shapes = [(n,)] * 2 if diagonal else [(n, nq), (n, nv)]
    inputs = (
        Input("feedforward", (n,)),
        Input("position gains", shapes[0]),
        Input("velocity gains", shapes[1]),
        Input("q", (nq,)),
        Input("q_ref", (nq,)),
        Input("qd", (nv,)),
        Input("qd_ref", (nv,)),
    )

    def rows(gains: Sequence[Any], columns: int) -> list[dict[int, Any]]:
        if diagonal:
            return [{k: x} for k, x in enumerate(gains)]
        return [{k: gains[row * columns + k] for k in range(columns)} for row in range(n)]

    def body(tau: Scalars, K_p: Scalars, K_d: Scalars, *state: Scalars) -> Scalars:
        return state_feedback(tau, rows(K_p, nq), rows(K_d, nv), *state)

    form = Signature("state_feedback", inputs, (("tau", (n,)),), body)
    return form, compiled("robot", "any", form, np.float64, None, partial(_kernel, n, nq, nv, diagonal))


def _kernel(n: int, nq: int, nv: int, diagonal: bool) -> Kernel:
    return law(n, nq, nv, diagonal)[1]


def checked_gains(given: StateFeedback, n: int, nq: int, nv: int, owner: str) -> tuple[Array, Array]:
    """Both gains as inputs of `law`: two matrices, or two diagonals."""
    if nq != nv:
        raise InputError(
            f"simulate: StateFeedback does not support {owner}: its {nq} positions contain quaternions, whose "
            "difference is not a vector; give a function of (t, q, qd) that returns the forces"
        )
    gains = [np.asarray(given.position_gains), np.asarray(given.velocity_gains)]
    for k, name in enumerate(("position_gains", "velocity_gains")):
        if gains[k].ndim == 0 and not gains[k]:
            gains[k] = np.zeros(n if n == nv else (n, nv))
        allowed = [(n, nv), *([(n,)] if n == nv else [])]
        if gains[k].shape not in allowed:
            needed = " or ".join(map(str, reversed(allowed)))
            raise ShapeError(f"simulate: {name} has shape {gains[k].shape}, but {owner} needs {needed}")
    if all(x.ndim == 1 for x in gains):
        return gains[0], gains[1]
    K_p, K_d = (np.diag(x) if x.ndim == 1 else x for x in gains)
    return K_p, K_d
