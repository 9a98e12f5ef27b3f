"""The interface of robots for views."""

from collections.abc import Callable

from revolute.arguments import Array
from revolute.model.model import Model
from revolute.records import dataclass

__all__ = ["Array", "Movable"]


@dataclass(frozen=True, eq=False)
class Movable:
    """A robot's data and compiled functions.

    Attributes:
        links: the model with the shapes.
        space: the model whose joints have the coordinates q.
        lower, upper: (nq,) limits of the positions; infinite without one.
        effort: (nv,) rated forces; infinite without one.
        poses: q -> (..., links, 4, 4) poses of `links.frames` in the base frame.
        gravity: q -> (..., nv) joint forces that hold the robot still.
        settled: (q, fixed indices of q) -> the nearest configuration with closed loops, or None; None without loops.
    """

    links: Model
    space: Model
    lower: Array
    upper: Array
    effort: Array
    poses: Callable[[Array], Array]
    gravity: Callable[[Array], Array]
    settled: Callable[[Array, Array], Array | None] | None = None
