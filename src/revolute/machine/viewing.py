"""`Viewing`: the method of robots of all kinds that shows them in a browser."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from revolute.view import View
    from revolute.view.viewable import Movable

__all__ = ["Viewing"]


class Viewing:
    """The robot in three dimensions. Needs viser: the extra `view`."""

    def view(
        self, q: ArrayLike | None = None, t: ArrayLike | None = None, tau: ArrayLike | None = None, *,
        wrenches: Mapping[str, ArrayLike] | None = None, collisions: bool = False, host: str = "127.0.0.1",
        port: int = 8080,
    ) -> View:
        """Show the robot in a browser: meshes and primitives of its description, or capsules if it has none.

        Each joint has a slider, next to the joint forces at rest and the rated forces. Frames, centre of mass and
        ellipsoids of inertia can be switched on; a motion has a time slider. Only this machine can open the view,
        unless `host` says otherwise. `save` writes the scene and its motion as one HTML file, which needs no network. A
        mesh that cannot be shown is omitted with a warning; a very large one is shown with fewer triangles.

        Args:
            q: (..., nq) joint positions [rad, m]; `home` by default. A batch is shown at once, from faint to solid, at
                most 24 of its configurations. The sliders move the last one.
            t: (T,) times [s] of a motion, whose q is (..., T, nq).
            tau: (..., T, nv) joint forces [N m, N] to be written beside the motion, in place of those of gravity.
            wrenches: {link name: (6,) or (T, 6)} wrenches (m, f) [N m, N] that the environment applies to the robot,
                about the links' origins and along their axes: arrows, red for forces and violet for moments.
            collisions: show the collision shapes.
            host: address to listen on. Other addresses than this machine's own let others see the robot.
            port: to listen on; the next free one if it is taken.

        Returns:
            a `revolute.view.View`. A notebook shows it; a script calls its `wait`.

        Raises:
            ShapeError: q, tau or a wrench does not fit the robot or the times.
            InputError: numbers that are not finite, times that do not increase, a robot with symbols, or an address
                that cannot be used.
            UnknownNameError: a link does not exist.
            MissingExtraError: viser is not installed.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.ur5()
            >>> view = robot.view([0, -1.2, 1.3, -0.6, -1.57, 0.4])  # doctest: +SKIP
            >>> view.show(com=True).save("ur5.html")  # doctest: +SKIP
        """
        from revolute.view import view

        return view(self, q, t=t, tau=tau, wrenches=wrenches, collisions=collisions, host=host, port=port)

    @abstractmethod
    def _movable(self) -> Movable:
        """The robot's data for the view."""
