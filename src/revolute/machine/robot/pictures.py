"""Methods of robots: pictures and animations, and the view in a browser."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from revolute.machine.robot.base import Group

if TYPE_CHECKING:
    from revolute.plot import Animation
    from revolute.plot.figures import Figure
    from revolute.view import View
    from revolute.view.motion import Movable


class Pictures(Group):
    """Pictures and animations. They require Matplotlib, which the extra `plot` installs."""

    def _repr_html_(self) -> str:
        """HTML for notebooks: a picture, the joints and the tree."""
        from revolute.plot.html import page

        return page(self)

    def plot(
        self, q: ArrayLike | None = None, tau: ArrayLike | None = None, *, frames: Iterable[str] | None = None,
        com: bool = True, ellipsoids: bool = False, trace: str | None = None, title: str | None = None,
        axes: Any = None,
    ) -> Figure:
        """A picture of the robot: links as tubes between joints and frames. No meshes are needed.

        Cylinders show revolute joints, boxes prismatic joints and balls others; the dark cube is the base. Frames have
        a red x, a green y and a blue z axis. A batch is drawn as a fan of at most 24 configurations, from faint to
        solid. A robot that moves in a plane is drawn in two dimensions, seen along its joint axes, with the names of
        its links.

        The result is a figure of Matplotlib: save it by `figure.savefig("ur5.pdf")`, turn it by
        `figure.axes[0].view_init(20, 45)`, and add curves by `figure.axes[0].plot(x, y, z)`, without z in a plane.

        Args:
            q: (..., nq) joint positions [rad, m]; `home` by default.
            tau: (..., nv) joint forces [N m, N], which colour the links: by their ratio to the rated efforts if all
                joints have one, otherwise by magnitude. Joints with several coordinates are grey.
            frames: names of links whose frames are drawn, with their names; by default the base and the last link of
                each branch. `()` for no frames and no names.
            com: draw the centre of mass of all moving bodies, and a plumb line to the floor.
            ellipsoids: draw for each link the uniform ellipsoid that has its mass and inertia.
            trace: name of a link whose path through the rows of q is drawn.
            title: the robot's name by default.
            axes: Matplotlib's axes to draw in, with three dimensions, or two for a robot that moves in a plane; by
                default a new figure.

        Returns:
            the figure. A notebook shows it.

        Raises:
            ShapeError: q or tau does not fit the robot.
            InputError: q or tau is not finite, the robot has symbols, or it moves in space and the axes have two
                dimensions.
            UnknownNameError: a link does not exist.
            MissingExtraError: Matplotlib is not installed.

        Example:
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
            frames, com, ellipsoids, trace, title: see `plot`. The whole path of `trace` is drawn.

        Returns:
            a `revolute.plot.Animation`; a notebook shows its first six seconds.

        Raises:
            ShapeError: q or tau does not fit the robot or the times, or is a batch of motions.
            InputError: numbers are not finite, times do not increase, or the robot has symbols.
            UnknownNameError: a link does not exist.

        Example:
            >>> import pathlib, tempfile
            >>> robot, t = revolute.robots.planar(2), np.linspace(0, 0.2, 21)
            >>> fall = robot.simulate([0.0, 0.5], [0.0, 0.0], None, t)
            >>> file = pathlib.Path(tempfile.mkdtemp(), "fall.gif")
            >>> robot.animate(fall.q, fall.t, trace="tip").save(file)
        """
        from revolute.plot import animation

        return animation(self, q, t, tau, frames=frames, com=com, ellipsoids=ellipsoids, trace=trace, title=title)


class Viewing:
    """The robot in three dimensions. This requires viser, which the extra `view` installs."""

    def view(
        self, q: ArrayLike | None = None, t: ArrayLike | None = None, tau: ArrayLike | None = None, *,
        wrenches: Mapping[str, ArrayLike] | None = None, collisions: bool = False, host: str = "127.0.0.1",
        port: int = 8080,
    ) -> View:
        """Show the robot in a browser: meshes and primitives of its description, or capsules if it has none.

        Each joint has a slider, beside its force at rest and its rated force. Frames, centre of mass and ellipsoids of
        inertia can be switched on; a motion has a time slider. Only this machine can open the view, unless `host`
        allows others. `save` writes the scene and its motion as one HTML file, which needs no network. A mesh that
        cannot be shown is omitted with a warning; a very large one is shown with fewer triangles.

        Args:
            q: (..., nq) joint positions [rad, m]; `home` by default. At most 24 configurations of a batch are shown at
                once, from faint to solid. The sliders move the last one.
            t: (T,) times [s] of a motion, whose q is (..., T, nq).
            tau: (..., T, nv) joint forces [N m, N] to display beside the motion, instead of gravity forces.
            wrenches: {link name: (6,) or (T, 6)} wrenches (m, f) [N m, N] that the environment applies to the robot,
                about the origins of link frames and expressed in them. Arrows are red for forces, violet for moments.
            collisions: show the collision shapes.
            host: address to listen on. With an address other than this machine's own, other machines can open the view.
            port: port to listen on; if it is in use, the next free one.

        Returns:
            a `revolute.view.View`. A notebook shows it; a script calls its `wait`.

        Raises:
            ShapeError: q, tau or a wrench does not fit the robot or the times.
            InputError: numbers are not finite, times do not increase, the robot has symbols, or the address cannot be
                used.
            UnknownNameError: a link does not exist.
            MissingExtraError: viser is not installed.

        Example:
            >>> robot = revolute.robots.ur5()
            >>> view = robot.view([0, -1.2, 1.3, -0.6, -1.57, 0.4])  # doctest: +SKIP
            >>> view.show(com=True).save("ur5.html")  # doctest: +SKIP
        """
        from revolute.view import view

        return view(self, q, t=t, tau=tau, wrenches=wrenches, collisions=collisions, host=host, port=port)

    @abstractmethod
    def _movable(self) -> Movable:
        """The robot's data for the view."""
