"""Checks of the arguments of controllers and filters: arrays, gains, weights, names."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_array, float_copy, instance, instances, nearest
from revolute.dynamics.drivetrain import Drivetrain
from revolute.errors import InputError, ShapeError, UnknownNameError
from revolute.machine.constrained import ConstrainedRobot
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model import Closure, Model, limit_column, numeric
from revolute.model.joints import Free
from revolute.trajectory.limits import coupled_of

ROUNDING = 1e-12  # fraction of a matrix's norm below which eigenvalues and differences count as rounding errors
UNMET = ("raise", "slack", "last")  # ways to treat limits that contradict each other


def machine(what: str, robot: object, *kinds: type) -> Any:
    """Return the robot; raise `InputError` unless it has one of these types, by default `Robot` or `DrivenRobot`."""
    if isinstance(robot, ConstrainedRobot):
        raise InputError(
            f"{what}: closed loops couple the joints of '{robot.robot.name}': use its tree, `robot.robot`, for "
            "controllers, and `robot.linearize` for linear models in independent coordinates"
        )
    return instance(f"{what}: robot", robot, kinds or (Robot, DrivenRobot))


def open_tree(what: str, robot: Any) -> tuple[Any, Model, Drivetrain | None, tuple[Closure, ...]]:
    """The tree of a robot with or without closed loops; its numeric model; its drives, or None; and its closures.

    Raise `InputError` if joints follow several coordinates: their limits are not bounds of single coordinates.
    """
    closed = isinstance(robot, ConstrainedRobot)
    tree: Any = instance(f"{what}: robot", robot.model if closed else robot, (Robot, DrivenRobot))
    if coupled_of(tree):
        raise InputError(f"{what} does not support limits of joints that follow several coordinates")
    if tree.symbols:
        raise InputError(f"{what}: '{tree.name}' has symbols; substitute values first: subs({{...}})")
    model, drives = (tree.tree, tree.drivetrain) if isinstance(tree, DrivenRobot) else (tree, None)
    return tree, numeric(model, what), drives, robot.closures if closed else ()


def row(what: str, x: ArrayLike, n: int) -> Array:
    """(n,) finite numbers; a single number applies to all."""
    values = finite_array(what, x)
    if values.shape not in ((), (n,)):
        raise ShapeError(f"{what} has shape {values.shape}, but ({n},) or one number is required")
    return np.broadcast_to(values, (n,)).copy()


def table(what: str, x: ArrayLike, shape: tuple[int, ...], owner: str) -> Array:
    """An array of finite numbers of this shape."""
    values = finite_array(what, x)
    if values.shape != shape:
        raise ShapeError(f"{what} has shape {values.shape}, but robot '{owner}' needs {shape}")
    return values


def positive_semidefinite(what: str, x: ArrayLike, n: int) -> Array:
    """A symmetric matrix (n, n) without negative eigenvalues, given as the matrix or as its diagonal (n,)."""
    return _symmetric(what, x, n, "positive semi-definite", lambda lowest, size: lowest >= -ROUNDING * size)


def positive_definite(what: str, x: ArrayLike, n: int) -> Array:
    """A symmetric matrix (n, n) with positive eigenvalues, given as the matrix or as its diagonal (n,)."""
    return _symmetric(what, x, n, "positive definite", lambda lowest, size: lowest > 0)


def _symmetric(what: str, x: ArrayLike, n: int, kind: str, allowed: Any) -> Array:
    values = finite_array(what, x)
    if values.shape not in ((n,), (n, n)):
        raise ShapeError(f"{what} has shape {values.shape}, but ({n},), a diagonal, or ({n}, {n}) is needed")
    if values.ndim == 1:
        lowest = float(values.min(initial=math.inf))
        matrix = np.diag(values)
    else:
        size = float(np.abs(values).max(initial=0.0))
        if np.abs(values - values.T).max(initial=0.0) > 1e3 * ROUNDING * size:
            raise InputError(f"{what} is not symmetric; pass (X + X.T) / 2 if that is intended")
        matrix = (values + values.T) / 2
        lowest = float(np.linalg.eigvalsh(matrix).min(initial=math.inf))
    if not allowed(lowest, float(np.abs(matrix).max(initial=0.0))):
        raise InputError(f"{what} is not {kind}: its lowest eigenvalue is {lowest:.3g}")
    return matrix


def coordinates(what: str, names: Sequence[str] | None, known: Sequence[str]) -> list[int]:
    """The indices of the named coordinates; None: all coordinates. Duplicates are not allowed."""
    if names is None:
        return list(range(len(known)))
    wanted = instances(what, names, str)
    for name in wanted:
        if name not in known:
            raise UnknownNameError(f"{what}: no coordinate '{name}'; {nearest(name, known)}")
    if not wanted or len(set(wanted)) < len(wanted):
        raise InputError(f"{what} must name at least one coordinate, without duplicates, not {names!r}")
    return [list(known).index(name) for name in wanted]


def gains(what: str, given: ArrayLike, entries: Sequence[str], *, full: bool = False, zero: bool = False) -> Array:
    """Check a controller's gains for the n coordinates `entries`: one number for all, or (..., n) diagonals.

    With `full`, gains are (..., n, n) matrices, with positive definite symmetric parts. With `zero`, 0 is allowed.
    """
    n, values = len(entries), finite_array(what, given)
    if values.ndim == 0:
        values = values * np.eye(n) if full else np.full(n, float(values))
    core = (n, n) if full else (n,)
    if values.shape[-len(core) :] != core:
        hint = "" if full else "; for matrices use full=True"
        raise ShapeError(f"{what} has shape {values.shape}, but (..., {', '.join(map(str, core))}) is needed{hint}")
    if full:
        lowest = float(np.linalg.eigvalsh((values + np.swapaxes(values, -1, -2)) / 2).min(initial=np.inf))
        if not lowest > 0:
            raise InputError(
                f"{what} must be positive definite, but its symmetric part has the eigenvalue {lowest:g}: the closed "
                "loop would be unstable"
            )
    elif (bad := np.argwhere((values < 0) if zero else (values <= 0))).size:
        kind = "zero or more" if zero else "positive"
        value, entry = values[tuple(bad[0])], entries[int(bad[0, -1])]
        raise InputError(f"{what} must be {kind}, but is {value:g} for {entry}: the closed loop could be unstable")
    return values


def motors(what: str, robot: Any, actuated: Sequence[str] | None) -> list[int]:
    """Indices of the coordinates with a motor: by default all except those of free joints."""
    space = robot._space
    if actuated is None:
        free = [at for body, at in zip(space.bodies, space.v_index, strict=True) if isinstance(body.joint, Free)]
        return [k for k in range(robot.nv) if not any(at.start <= k < at.stop for at in free)]
    return sorted(coordinates(f"{what}: actuated", actuated, robot.coordinate_names))


def position_bounds(space: Model) -> tuple[Array, Array]:
    """(2, nv) lower and upper positions, infinite for joints with several coordinates; and (nv,) indices in q."""
    bounds, places = np.tile([[-np.inf], [np.inf]], space.nv), np.zeros(space.nv, int)
    columns = [limit_column(space, x, "nq", y) for x, y in (("lower", -np.inf), ("upper", np.inf))]
    for body, at, to in zip(space.bodies, space.q_index, space.v_index, strict=True):
        if body.joint.nq == body.joint.nv == 1:
            bounds[:, to], places[to] = [column[at] for column in columns], at.start
    return bounds, places


def effort_bounds(what: str, effort_limits: Any, robot: Any, motors: list[int]) -> Array:
    """(2, m) lower and upper forces of the motors; infinite without bounds."""
    what = f"{what}: effort_limits"
    if effort_limits is None:
        return np.array([[-np.inf], [np.inf]]) * np.ones(len(motors))
    pairs = isinstance(effort_limits, tuple) and [np.ndim(side) for side in effort_limits] == [1, 1]
    if pairs:
        pair = [float_copy(what, side) for side in effort_limits]
    else:
        largest = float_copy(what, effort_limits)
        pair = [-largest, largest]
    sides = []
    for values in pair:
        if values.shape not in ((), (robot.nv,)):
            raise ShapeError(f"{what} has shape {values.shape}, but ({robot.nv},) or a pair of these is needed")
        sides.append(np.broadcast_to(values, (robot.nv,))[motors])
    low, high = sides
    if not (low < high).all():
        k = int(np.argmin(low < high))
        raise InputError(
            f"{what}: the bounds of '{robot.coordinate_names[motors[k]]}' cross: {low[k]:g} to {high[k]:g}; "
            "omit joints without a motor from actuated=[...]"
        )
    return np.array(sides)
