"""Methods of `Robot`: pictures and animations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from revolute.machine.robot.base import Group

if TYPE_CHECKING:
    from revolute.plot import Animation
    from revolute.plot.figures import Figure

__all__ = ["Pictures"]


class Pictures(Group):
    """Pictures and animations. They need Matplotlib: the extra `plot`."""

    def _repr_html_(self) -> str:
        """For notebooks: picture, joints and tree."""
        from revolute.plot.html import page

        return page(self)

    def plot(
        self, q: ArrayLike | None = None, tau: ArrayLike | None = None, *, frames: Iterable[str] | None = None,
        com: bool = True, ellipsoids: bool = False, trace: str | None = None, title: str | None = None,
        axes: Any = None,
    ) -> Figure:
        """A picture of the robot: links as tubes between joints and frames. It needs no mesh.

        Cylinders are revolute joints, boxes prismatic ones, balls others; the dark cube is the base. Frames have a red
        x, a green y and a blue z axis. A batch is drawn as a fan of at most 24 configurations, from faint to solid. A
        robot that moves in a plane is drawn in two dimensions, seen along its joint axes, with the names of its links.

        The figure is Matplotlib's: `figure.savefig("ur5.pdf")`; turn it by `figure.axes[0].view_init(20, 45)`, and add
        to it by `figure.axes[0].plot(x, y, z)`, without z in a plane.

        Args:
            q: (..., nq) joint positions [rad, m]; `home` by default.
            tau: (..., nv) joint forces [N m, N], which colour the links: by their fraction of the rated efforts if all
                joints have one, otherwise by size. Joints with several coordinates are grey.
            frames: names of links whose frames are drawn, with their names; by default the base and the last link of
                each branch. `()` for no frames and no names.
            com: draw the centre of mass of all moving bodies, and a plumb line to the floor.
            ellipsoids: draw for each link the uniform ellipsoid that has its mass and inertia.
            trace: name of a link whose path through the rows of q is drawn.
            title: the robot's name by default.
            axes: Matplotlib's axes to draw in, of three dimensions, or two for a motion in a plane; a new figure by
                default.

        Returns:
            the figure. A notebook shows it.

        Raises:
            ShapeError: q or tau does not fit the robot.
            InputError: q or tau is not finite, the robot has symbols, or it moves in space and the axes have two
                dimensions.
            UnknownNameError: a link does not exist.
            MissingExtraError: Matplotlib is not installed.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.ur5()
            >>> q = [0, -1.2, 1.3, -0.6, -1.57, 0.4]
            >>> figure = robot.plot(q, robot.gravity_forces(q), frames=["tool0"])
            >>> figure.get_suptitle()
            'ur5'
        """
        from revolute.plot import robot

        return robot(self, q, tau, frames=frames, com=com, ellipsoids=ellipsoids, trace=trace, title=title, axes=axes)

    def animate(
        self, q: ArrayLike, t: ArrayLike, tau: ArrayLike | None = None, *, frames: Iterable[str] | None = None,
        com: bool = True, ellipsoids: bool = False, trace: str | None = None, title: str | None = None,
    ) -> Animation:
        """An animation of a motion: `save` writes it as .gif or .mp4.

        Args:
            q: (T, nq) joint positions [rad, m].
            t: (T,) increasing times [s].
            tau: (T, nv) joint forces [N m, N] that colour the links: see `plot`.
            frames, com, ellipsoids, trace, title: see `plot`. The path of `trace` is drawn whole.

        Returns:
            a `revolute.plot.Animation`; a notebook shows its first six seconds.

        Raises:
            ShapeError: q or tau does not fit the robot or the times, or is a batch of motions.
            InputError: numbers are not finite, times do not increase, or the robot has symbols.
            UnknownNameError: a link does not exist.

        Example:
            >>> import pathlib, tempfile, numpy as np, revolute
            >>> robot, t = revolute.robots.planar(2), np.linspace(0, 0.2, 21)
            >>> fall = robot.simulate([0.0, 0.5], [0.0, 0.0], None, t)
            >>> file = pathlib.Path(tempfile.mkdtemp(), "fall.gif")
            >>> robot.animate(fall.q, fall.t, trace="tip").save(file)
        """
        from revolute.plot import animation

        return animation(self, q, t, tau, frames=frames, com=com, ellipsoids=ellipsoids, trace=trace, title=title)
