"""Events that stop a motion: a sign change of a function, a contact of a point with a plane, a joint limit."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from revolute.arguments import Array, instance, number, scalars
from revolute.errors import InputError
from revolute.records import dataclass


@dataclass(frozen=True, eq=False)
class Event:
    """A function whose sign change stops a motion, for `simulate(events=...)`.

    The motion ends with the first state after the sign change. Two changes within one integration step are not
    detected.

    Attributes:
        function: (t, q, qd) -> a number; q (nq,) and qd (nv,) are read-only. With elastic joints, the arguments are
            (t, q, theta, qd, thetad).
        name: name of the event in `motion.event`; by default the name of the function.
        direction: 1 for only negative to positive, -1 for only positive to negative, 0 for both.

    Raises:
        InputError: the function is not callable, or the direction is invalid.

    Example:
        >>> import numpy as np, revolute
        >>> pendulum = revolute.robots.planar(1)
        >>> lowest = revolute.Event(lambda t, q, qd: q[0] + np.pi / 2, "lowest")
        >>> fall = pendulum.simulate(
        ...     [0.0], [0.0], None, np.linspace(0, 5, 501), events=[lowest]
        ... )
        >>> fall.event.name, bool(abs(fall.q[-1, 0] + np.pi / 2) < 1e-10)
        ('lowest', True)
    """

    function: Callable[..., Any]
    name: str = ""
    direction: int = 0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"Event: function must be a function of (t, q, qd), not {self.function!r}")
        if instance("Event: direction", self.direction, int) not in (-1, 0, 1):
            raise InputError(f"Event: direction must be -1, 0 or 1, not {self.direction!r}")
        own_name = getattr(self.function, "__name__", type(self.function).__name__)
        object.__setattr__(self, "name", instance("Event: name", self.name, str) or own_name)


@dataclass(frozen=True)
class ContactPlane:
    """A plane that a point of a link must not pass, for `simulate(events=...)`: normal . x >= offset.

    The motion ends with the last state before contact. Simulate a bounce or a grasp as the next motion.

    Attributes:
        link: name of the link.
        point: (3,) the point, in the link's frame [m].
        normal: (3,) normal of the plane, expressed in the base frame, towards the allowed side; any length.
        offset: distance of the plane from the origin of the base frame, along the normal [m].

    Raises:
        InputError: the normal is zero, or a number is not finite.

    Example:
        >>> import numpy as np, revolute
        >>> arm = revolute.robots.planar(2)
        >>> floor = revolute.ContactPlane("tip", normal=(0, 1, 0), offset=-1.5)
        >>> fall = arm.simulate(
        ...     [0.0, 0.0], [0.0, 0.0], None, np.linspace(0, 5, 501), events=[floor]
        ... )
        >>> fall.event.name, round(float(arm.forward_kinematics(fall.q[-1], "tip")[1, 3]), 9)
        ("contact of 'tip'", -1.5)
    """

    link: str
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    normal: tuple[float, ...] = (0.0, 0.0, 1.0)
    offset: float = 0.0

    def __post_init__(self) -> None:
        instance("ContactPlane: link", self.link, str)
        for name in ("point", "normal"):
            given = scalars(f"ContactPlane: {name}", getattr(self, name), 3)
            values = tuple(number(f"ContactPlane: {name}", x) for x in given)
            object.__setattr__(self, name, values)
        length = math.hypot(*self.normal)
        finite = map(math.isfinite, (*self.point, number("ContactPlane: offset", self.offset)))
        if not 0 < length < math.inf or not all(finite):
            raise InputError("ContactPlane: point, normal and offset must be finite, and the normal not zero")
        object.__setattr__(self, "normal", tuple(x / length for x in self.normal))


@dataclass(frozen=True, eq=False)
class Reached:
    """The event that stopped a motion.

    Attributes:
        name: name of the event: "lowest", "contact of 'tool0'", "lower limit of 'elbow_joint'".
        t: time of the event and of the motion's last state [s].
        event: the `Event` or `ContactPlane`; None if a joint limit was reached.
    """

    name: str
    t: float
    event: Any = None


class EventMethods(NamedTuple):
    """Methods of a machine that events call.

    Attributes:
        names: names of the joint positions with limits.
        lower, upper: (n,) limits of these positions [rad, m]; infinite where there is no limit.
        pose: (q, link) -> (..., 4, 4) pose of a link in the base frame; None for a system without links.
        parts: (q, qd) -> arguments that user functions receive after the time.
        joints: q -> (..., n) the joint positions with limits [rad, m].
    """

    names: Sequence[str]
    lower: Array
    upper: Array
    pose: Callable[[Array, str], Array] | None
    parts: Callable[[Array, Array], tuple[Array, ...]] = lambda q, qd: (q, qd)
    joints: Callable[[Array], Array] = lambda q: q
