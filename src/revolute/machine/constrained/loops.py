"""Closed loops of a tree: their errors, the states that close them, and their equations in SymPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import by_names, finite_rows, float_copy, instance, number, whole_number
from revolute.dynamics.closures import Closure
from revolute.errors import InputError
from revolute.machine.declare import declared, internal
from revolute.machine.function import Arrays, Function, MachineData
from revolute.machine.functions import closures as functions
from revolute.machine.machine import Array, Machine, Out, Threads
from revolute.machine.on_robot import OnRobot
from revolute.machine.robot import Robot
from revolute.machine.row_products import times
from revolute.model.identity import exact_text
from revolute.simulate.request import start

if TYPE_CHECKING:
    from revolute.symbolic import ConstrainedEquations

RANK = 1e-9
"""Singular value, relative to the largest one, below which it counts as zero: the accuracy of joint positions."""

CLOSED = 1e-12  # maximum closure error of a loop that counts as closed [m, rad]
OPEN = 1e-5  # closure error from which a state must be projected first [m, cosines]
APPEARS_CLOSED = 1e-9  # maximum closure error of a loop that the sliders of a notebook show as closed [m, rad]
SWITCHED, LED = {"switched": "active[closures]"}, {"led": "target[rows]"}
MOVING = {**SWITCHED, "moving": "target_rate[rows]"}
DRIVEN = {**SWITCHED, "led": "path[path]"}
STRUCK = {"struck": "restitution[]", **MOVING}
STABILIZED = {"stabilized": "stabilization[]", **MOVING, **LED, "accelerated": "target_acceleration[rows]"}
"""Optional arrays: active closures, moving targets of their errors, the rate of Baumgarte's stabilization."""


def optional(texts: Mapping[str, str]) -> dict[str, Any]:
    """Keyword arguments of `internal` for a function with optional arrays, {option: arrays}."""
    return {"options": (*texts,), "optional": {name: Arrays.of(text) for name, text in texts.items()}}


STUCK = 1e-2  # part of an error that Newton's steps change, below which closures contradict each other

LONGEST, STEPS = 0.3, 60
"""Maximum length and number of Newton steps after a slider moves: longer steps may change the assembly mode."""


class ClosedLoops(Machine):
    """Errors of the loops, and states that close them."""

    _kind = "robot with closed loops"
    _elsewhere = ". See `robot.kernel` for those of the tree"
    _parts: ClassVar[tuple[Function, ...]] = (
        internal("drift", functions.drift, "q qd -> Jd qd: rows"),
        internal(
            "least_velocity", functions.least_velocity, "q change[rows] -> v: nv", inverts=True, **optional(SWITCHED)
        ),
        internal("newton", functions.newton, "q -> near: nq", inverts=True, **optional({**SWITCHED, **LED})),
    )

    def __init__(self, robot: Robot, closures: Sequence[Closure], drives: bool = False, smoothing: float = 0.0) -> None:
        instance("ConstrainedRobot: robot", robot, Robot)
        nonempty = isinstance(closures, Sequence) and len(closures) > 0
        if not nonempty or not all(isinstance(closure, Closure) for closure in closures):
            raise InputError(f"with_closures: '{robot.name}' needs at least one closure, such as PointClosure(...)")
        if number("with_closures: smoothing", smoothing) and not drives:
            raise InputError("with_closures: smoothing applies to the friction of drives; set drives=True, too")
        self.robot = robot
        self.closures = tuple(closures)
        self.row_names = tuple(name for closure in closures for name in closure.row_names())
        loops = functions.Loops(self.closures)
        functions.error(robot, loops, robot.neutral().tolist())  # raises an error if a link or joint is unknown
        self.drives, self.smoothing = instance("with_closures: drives", drives, bool), smoothing
        self.model = _in_joints(robot).with_drives(smoothing=smoothing) if drives else robot

    def _machine_data(self, function: Function, options: Mapping[str, Any]) -> MachineData:
        data = self.model._machine_data(function, options)
        model, *drives = data.arguments
        content = exact_text((data.content, self.closures)) if data.content else None
        m = len(self.row_names)
        sizes = {**data.sizes, "rows": m, "closures": len(self.closures), "path": 4 * m}
        return replace(data, arguments=(model, functions.Loops(self.closures, *drives)), sizes=sizes, content=content)

    @declared(functions.error, "q -> e: rows")
    def error(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """(..., m) errors of the loops [m, cosines]; q: (..., nq)."""

    @declared(functions.jacobian, "q -> J: rows nv")
    def jacobian(self, q: ArrayLike, *, out: Out = None, threads: Threads = None) -> Array:
        """(..., m, nv) Jacobian of `error` with respect to joint velocities; q: (..., nq)."""

    def mobility(self, q: ArrayLike) -> Array:
        """(...) degrees of freedom at q: nv minus the rank of the constraints."""
        return np.asarray(self.robot.nv - inverse(self.jacobian(self._doubles("mobility", q)))[1])

    def project(
        self, q: ArrayLike, qd: ArrayLike | None = None, *, active: ArrayLike | None = None,
        target: ArrayLike | None = None, target_rate: ArrayLike | None = None, most: int = 50,
    ) -> tuple[Array, Array]:
        """The nearest state that closes the loops, in the metric of the kinetic energy, by Newton's method.

        Args:
            q: (..., nq) joint positions near a closed state.
            qd: (..., nv) joint velocities; zero if not given.
            active, target, target_rate: which closures hold, and targets of e and J qd: see `forward_dynamics`.
            most: maximum number of Newton steps.

        Returns:
            q and qd, with errors up to `CLOSED` and J qd = 0.

        Raises:
            InputError: no closed state is found, or closures contradict each other.
        """
        whole_number("project: most", most, 0)
        near, velocity = start(self.robot, q, np.zeros(self.robot.nv) if qd is None else qd, "project", ("q", "qd"))
        count = len(self.row_names)
        given = (("active", active, len(self.closures)), ("target", target, count), ("target_rate", target_rate, count))
        checked = {name: finite_rows("project", name, x, size) for name, x, size in given if x is not None}
        switched = {"switched": checked["active"]} if "active" in checked else {}
        inputs = {**switched, **({"led": checked["target"]} if "target" in checked else {})}
        held = np.repeat(checked["active"], self._sizes, axis=-1) if switched else 1.0
        for _ in range(most + 1):
            e = held * (self.error(near) - checked.get("target", 0.0))
            if np.abs(e).max(initial=0) <= CLOSED:
                break
            moved = self.kernel("newton", **dict.fromkeys(inputs, True))(near, *inputs.values())
            near = np.where(_are_closed(e, CLOSED), near, moved)
        else:
            raise InputError(f"project: {self._unsolved(near, e.reshape(-1, count))}")
        change = self._speeds(near, velocity) - checked.get("target_rate", 0.0)
        least_velocity = self.kernel("least_velocity", **dict.fromkeys(switched, True))
        return near, velocity - least_velocity(near, change, *switched.values())

    def _closed(
        self, q: Array, moving: list[int], most: int, enough: float, longest: float = np.inf
    ) -> tuple[Array, Array]:
        """q and loop errors after at most `most` Newton steps, each up to `longest`, of the coordinates `moving`."""
        for left in range(most, -1, -1):
            e = self.error(q)
            if not left or np.abs(e).max(initial=0) <= enough:
                break
            step = np.zeros((*e.shape[:-1], self.robot.nv))
            step[..., moving] = -times(inverse(self.jacobian(q)[..., moving])[0], e)
            size = np.linalg.norm(step, axis=-1, keepdims=True)
            moved = self.robot.integrate(q, step * np.minimum(1.0, longest / np.maximum(size, 1e-300)))
            q = np.where(_are_closed(e, enough), q, moved)
        return q, e

    def _doubles(self, what: str, q: ArrayLike) -> Array:
        """Positions as float64, because ranks are computed from them."""
        return float_copy(f"{what}: q", by_names(f"{what}: q", q, self.robot.position_names, "q."))

    @property
    def _sizes(self) -> list[int]:
        """Number of rows of every closure."""
        return [len(closure.row_names()) for closure in self.closures]

    def _unsolved(self, q: Array, e: Array) -> str:
        """The reason why loops with errors e, (n, m), do not close: closures contradict each other, or q is too far."""
        worst = int(np.abs(e).max(axis=1).argmax())
        left = self._speeds(q, self.kernel("least_velocity")(q, e.reshape(*q.shape[:-1], -1))).reshape(e.shape)[worst]
        sizes = np.array([np.linalg.norm(x) for x in np.split(e[worst], np.cumsum(self._sizes)[:-1])])
        first, *others = np.argsort(-sizes)
        if others and sizes[others[0]] > STUCK * sizes[first] and np.abs(left).max() < STUCK * np.abs(e[worst]).max():
            a, b = self.closures[first], self.closures[others[0]]
            return (
                f"closures of '{self.robot.name}' contradict each other: the {a} and the {b} cannot both hold, "
                f"they stay apart by {sizes[first] + sizes[others[0]]:.3g}; move or remove one"
            )
        row, size = self.row_names[np.abs(e[worst]).argmax()], np.abs(e[worst]).max()
        return (
            f"found no state near this one that closes the loops of '{self.robot.name}'; the error of '{row}' is still "
            f"{size:.3g}; start nearer to a closed state"
        )

    def _require_closed(self, caller: str, q: ArrayLike) -> None:
        """Raise `InputError` if loops are open by more than `OPEN`."""
        if np.any(np.abs(e := self.error(q)) > OPEN):
            name = self.row_names[int(np.abs(e).argmax()) % len(self.row_names)]
            opening = f"'{name}' by {np.abs(e).max():.3g}"
            raise InputError(f"{caller}: loops of '{self.robot.name}' are open, {opening}; `project` the state first")

    def _speeds(self, q: Array, qd: Array) -> Array:
        """J qd."""
        return times(self.jacobian(q), qd)


def _are_closed(e: Array, enough: float) -> Array:
    """(..., 1) whether each state closes the loops; steps for other states of the batch then do not change it."""
    return np.asarray(np.abs(e).max(axis=-1, keepdims=True, initial=0) <= enough)


def _in_joints(robot: Robot) -> Robot:
    """The robot without mimics, so that all joints are coordinates; closures represent the mimics."""
    bodies = (replace(body, drive=replace(body.drive, mimic=None)) for body in robot.bodies)
    return replace(robot, bodies=tuple(bodies))


def settled(linkage: ClosedLoops, q: Array, held: Array) -> Array | None:
    """(nq,) a closed configuration near q, equal to q at the indices `held`; None if none is found."""
    places, chosen = zip(linkage.robot.q_index, linkage.robot.v_index, strict=True), {*map(int, held)}
    moving = [k for at, to in places if chosen.isdisjoint(range(at.start, at.stop)) for k in range(to.start, to.stop)]
    near, e = linkage._closed(q, moving, STEPS, APPEARS_CLOSED, LONGEST)
    return near if np.abs(e).max(initial=0) <= APPEARS_CLOSED else None


class LoopEquations(OnRobot, ClosedLoops):
    """Methods for symbols instead of numbers, and for the equations of motion with multipliers."""

    @property
    def symbols(self) -> tuple[Any, ...]:
        """The SymPy symbols of the robot, by name."""
        return self.robot.symbols

    def _of(self, robot: Robot) -> Self:
        return type(self)(robot, self.closures, self.drives, self.smoothing)

    def _substituted(self, values: Mapping[Any, Any]) -> Self:
        return self._of(self.robot.subs(values))

    def equations(self, budget: float = 20.0) -> ConstrainedEquations:
        """The equations of motion in SymPy, with multipliers: M ddq + C dq + g = tau + J^T lambda. RBDA 8.

        Coordinates are named as in `Robot.equations`; multipliers are lambda1 ..., in the order of `row_names`.
        Closures have numeric positions; for symbolic positions use the frame of a link on a fixed joint.

        Returns:
            M, C, g, e, J, drift, tau, kinetic, potential and lagrangian, with drives also springs and friction: a
            `revolute.symbolic.ConstrainedEquations`. Arguments and errors: see `Robot.equations`.

        Example:
            >>> rod = revolute.robots.planar(1)
            >>> held = rod.with_closures(revolute.JointClosure("joint1", None, (0.5,)))
            >>> held.equations().tau
            Matrix([[0.333333333333333*ddq1 - lambda1 + 4.905*cos(q1)]])
        """
        from revolute.symbolic import ConstrainedEquations

        return ConstrainedEquations(self.robot, self.closures, self.row_names, self.drives, self.smoothing, budget)


def inverse(A: Array) -> tuple[Array, Array]:
    """The pseudo-inverse and the rank of A, (..., n, m). Singular values below `RANK` times the largest count as 0."""
    finite = np.asarray(np.isfinite(A).all(axis=(-2, -1), keepdims=True))
    U, s, Vt = np.linalg.svd(np.where(finite, A, 0.0), full_matrices=False)
    kept = s > RANK * s.max(axis=-1, keepdims=True, initial=0)
    # a NaN in one state must not affect other states of the batch
    shares = np.where(finite[..., 0], kept / np.where(kept, s, 1.0), np.nan)
    return np.asarray(Vt.mT * shares[..., None, :] @ U.mT), kept.sum(axis=-1)
