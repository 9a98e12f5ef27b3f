"""Limits of excitation: of positions, velocities, accelerations, joint forces, and frame origins."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy, instance, mapping, number
from revolute.errors import InputError, UnknownNameError
from revolute.identification.samples import Array
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.columns import limit_column
from revolute.trajectory.limits import LimitsLike, given_limits, rate_limits, unit

Box = Mapping[str, tuple[ArrayLike, ArrayLike]]
Slopes = tuple[Array | None, Array | None, Array | None]


@dataclass(frozen=True, eq=False)
class Limit:
    """A limit lower <= values(q, qd, qdd) <= upper, which holds at all times."""

    # names, units: (r,) names and units of the values
    names: tuple[str, ...]
    units: tuple[str, ...]
    # lower, upper: (r,) limits; infinite where there is none
    lower: Array
    upper: Array
    values: Callable[[Array, Array, Array], Array]  # function that returns (T, r) values of (T, nv) motions
    slopes: Callable[[Array, Array, Array], Slopes]  # their (T, r, nv) derivatives by q, qd and qdd; None for zero
    # values without the smoothing used in the search; None if there is no smoothing
    exact: Callable[[Array, Array, Array], Array] | None = None

    @property
    def size(self) -> Array:
        """(r,) half-width of the range, or 1 for a one-sided limit: the unit of excesses."""
        both = np.isfinite(self.lower) & np.isfinite(self.upper)
        return np.asarray(np.where(both, (np.where(both, self.upper, 1.0) - np.where(both, self.lower, -1.0)) / 2, 1.0))

    def excess(self, motion: tuple[Array, Array, Array]) -> Array:
        """(T, 2, r) distances of values beyond lower and upper, divided by `size`; -inf without a limit."""
        values = (self.exact or self.values)(*motion)
        return np.stack([self.lower - values, values - self.upper], axis=1) / self.size


def position_range(space: Robot, given: Mapping[str, tuple[float, float]] | None) -> tuple[Array, Array]:
    """(nq,) lower and upper limits of positions: those of the robot, narrowed by {joint: (low, high)}."""
    lower = limit_column(space, "lower", "nq", -math.inf).copy()
    upper = limit_column(space, "upper", "nq", math.inf).copy()
    for joint, ends in mapping("excite: position", given or {}).items():
        if joint not in space.position_names:
            known = ", ".join(space.position_names)
            raise UnknownNameError(f"excite: position: there is no joint '{joint}'; available: {known}")
        k = space.position_names.index(joint)
        low, high = _ends(f"excite: position of '{joint}'", ends, ())
        lower[k], upper[k] = max(lower[k], float(low)), min(upper[k], float(high))
    for name, low, high in zip(space.position_names, lower, upper, strict=True):
        if not low < high:
            raise InputError(
                f"excite: '{name}' cannot move: its limits are {low:g} and {high:g}; lock it by robot.lock({{...}}), "
                "or widen them"
            )
    return lower, upper


def _linear(
    names: Sequence[str], units: Sequence[str], lower: Array, upper: Array, place: int, A: Array, b: ArrayLike = 0.0
) -> Limit:
    """The limit lower <= A x + b <= upper, where x is q, qd or qdd for `place` 0, 1 or 2."""

    def values(*motion: Array) -> Array:
        return np.asarray(motion[place] @ A.T + b)

    def slopes(*motion: Array) -> Slopes:
        rows = np.broadcast_to(A, (len(motion[0]), *A.shape))
        return tuple(rows if k == place else None for k in range(3))  # type: ignore[return-value]

    return Limit(tuple(names), tuple(units), lower, upper, values, slopes)


def joint_limits(robot: DrivenRobot) -> list[Limit]:
    """Limits of positions and velocities of joints that follow several coordinates."""
    coupled = robot.coupled_limits
    if coupled is None:
        return []
    most, ends = np.array(coupled.velocity), (np.array(coupled.lower), np.array(coupled.upper))
    positions, speeds = ([f"{kind} of '{x}'" for x in coupled.names] for kind in ("position", "velocity"))
    return [
        _linear(positions, coupled.units, *ends, 0, coupled.A, coupled.offsets),
        _linear(speeds, [f"{x}/s" for x in coupled.units], -most, most, 1, coupled.A),
    ]


def motion_limits(space: Robot, position: tuple[Array, Array], **given: LimitsLike) -> list[Limit]:
    """Limits of q, qd and qdd; `given` contains the limits of `velocity` and `acceleration`."""
    symmetric = {kind: given_limits("excite", space, kind, x) for kind, x in given.items()}
    ranges = [("position", *position), *((kind, -most, most) for kind, most in symmetric.items())]
    limits = []
    for place, (kind, lower, upper) in enumerate(ranges):
        names = [f"{kind} of '{x}'" for x in space.coordinate_names]
        units = [unit(space, kind, k) for k in range(space.nv)]
        limits.append(_linear(names, units, lower, upper, place, np.eye(space.nv)))
    return limits


def torques(robot: DrivenRobot, smooth: DrivenRobot, given: LimitsLike) -> Limit:
    """Limits of joint forces, computed with the robot's masses and drives; friction is smoothed for the search."""
    most = rate_limits("excite", robot, robot.space, "torque", given)
    names = tuple(f"torque of '{x}'" for x in most.names)

    def values(*motion: Array) -> Array:
        return most.of(smooth.inverse_dynamics(*motion))

    def slopes(*motion: Array) -> Slopes:
        dq, dqd, dqdd = (np.swapaxes(x, 1, 2) for x in smooth.inverse_dynamics_partials(*motion))
        return np.swapaxes(most.of(dq), 1, 2), np.swapaxes(most.of(dqd), 1, 2), np.swapaxes(most.of(dqdd), 1, 2)

    def exact(*motion: Array) -> Array:
        return most.of(robot.inverse_dynamics(*motion))

    return Limit(names, most.units, -most.limits, most.limits, values, slopes, exact)


def places(robot: DrivenRobot, box: Box | None, height: float | None) -> list[Limit]:
    """Limits of frames' origins in the base frame, from `box` and `height` of `ExcitationLimits`."""
    wanted: dict[str, tuple[Array, Array]] = {}
    if height is not None:
        floor = np.array([-math.inf, -math.inf, number("excite: height [m]", height)])
        wanted = {link: (floor, np.full(3, math.inf)) for link in _moving_frames(robot)}
    for link, ends in mapping("excite: box", box or {}).items():
        robot.robot.frame(instance("excite: box: a link", link, str))
        low, high = (np.asarray(x) for x in _ends(f"excite: box of '{link}'", ends, (3,)))
        if (~(low < high)).any():
            raise InputError(f"excite: box of '{link}': lowest must be below highest, not {low} and {high}")
        old = wanted.get(link, (low, high))
        wanted[link] = np.maximum(old[0], low), np.minimum(old[1], high)
    return [_place(robot, link, *ends) for link, ends in wanted.items()]


def _place(robot: DrivenRobot, link: str, lower: Array, upper: Array) -> Limit:
    used = np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))

    def values(q: Array, qd: Array, qdd: Array) -> Array:
        return robot.forward_kinematics(q, link)[:, used, 3]

    def slopes(q: Array, qd: Array, qdd: Array) -> Slopes:
        return robot.jacobian(q, link, "aligned")[:, 3 + used], None, None

    names = tuple(f"{'xyz'[k]} of '{link}'" for k in used)
    return Limit(names, ("m",) * len(used), lower[used], upper[used], values, slopes)


def _moving_frames(robot: DrivenRobot) -> Sequence[str]:
    """Links whose origins change height when a joint moves."""
    q = robot.space.random_configuration(4, rng=0)
    return [link for link in robot.link_names if np.abs(robot.jacobian(q, link, "aligned")[:, 5]).max() > 1e-12]


def _ends(what: str, ends: Any, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the two ends of a range; raise `InputError` if they are invalid."""
    if not isinstance(ends, Sequence | np.ndarray) or isinstance(ends, str) or len(ends) != 2:
        raise InputError(f"{what} must be (lowest, highest), not {ends!r}")
    low, high = (float_copy(what, x) for x in ends)
    if low.shape != shape or high.shape != shape or np.isnan([low, high]).any():
        count = "three numbers" if shape else "a number"
        raise InputError(f"{what}: lowest and highest must be {count} each, possibly infinite, not {ends!r}")
    return low, high
