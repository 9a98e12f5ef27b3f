"""Events that stop a motion: a sign change of a function, a contact of a link with a surface, a joint limit."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from revolute.arguments import Array, instance
from revolute.errors import InputError
from revolute.model.contact import Contact
from revolute.records import dataclass


@dataclass(frozen=True, eq=False)
class Event:
    """A function whose sign change stops a motion, for `simulate(events=...)`.

    The motion ends with the first state after the sign change. Two changes within one step are not detected.

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


@dataclass(frozen=True, eq=False)
class Reached:
    """The event that stopped a motion.

    Attributes:
        name: name of the event: "lowest", "contact of 'tool0'", "lower limit of 'elbow_joint'".
        t: time of the event and of the motion's last state [s].
        event: the `Event` or `Contact`; None if a joint limit was reached.
    """

    name: str
    t: float
    event: Any = None


class EventMethods(NamedTuple):
    """Methods of a machine that events call."""

    names: Sequence[str]  # names of the joint positions with limits
    # lower, upper: (n,) limits of these positions [rad, m]; infinite where there is no limit
    lower: Array
    upper: Array
    # (q, contacts) -> (..., contacts) distances from their surfaces; None for a system without links
    gaps: Callable[[Array, Sequence[Contact]], Array] | None
    # (q, qd) -> arguments that user functions receive after the time
    parts: Callable[[Array, Array], tuple[Array, ...]] = lambda q, qd: (q, qd)
    joints: Callable[[Array], Array] = lambda q: q  # q -> (..., n) the joint positions with limits [rad, m]
