"""A robot in the scene: links with surfaces, frames and ellipsoids; wrenches as arrows; the centre of mass."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.model.model import Model
from revolute.plot.skeleton import half_axes, span
from revolute.view.mesh_files import Surface, trimesh
from revolute.view.motion import Movable
from revolute.view.surfaces import first_links

GRAY = (0.72, 0.75, 0.79, 1.0)  # default colour of mesh surfaces
FORCE, MOMENT, MASS, BALL = (214, 69, 65), (142, 68, 173), (217, 115, 13), (11, 110, 153)
ARROW = 0.25  # length of the longest force's arrow, as a fraction of the robot's span


class Figure:
    """A robot at one configuration.

    `node` is the robot's path in viser's scene, `surfaces` is the result of `link_surfaces`, `place` the (4, 4) pose of
    the base frame in the scene, and `largest` the force [N] and moment [N m] from which on arrows have full length.
    """

    def __init__(
        self, server: Any, node: str, robot: Movable, surfaces: Mapping[int, list[Surface]], place: Array,
        opacity: float, largest: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        self.robot, self.size, self.largest = robot, span(robot.links), largest
        self.server, self.scene, self.node, self.place = server, server.scene, node, place
        (turn,) = quaternions(place[None, :3, :3])
        self.root = server.scene.add_frame(node, show_axes=False, wxyz=turn, position=place[:3, 3])
        nodes = [f"{node}/link{k}" for k in range(len(robot.links.frames))]
        self.links = [server.scene.add_frame(link, show_axes=False) for link in nodes]
        self.meshes = [
            server.scene.add_mesh_simple(
                f"{node}/link{k}/surface{j}", np.asarray(part.vertices, np.float32), np.asarray(part.faces, np.uint32),
                color=tuple(round(255 * x) for x in (part.color or GRAY)[:3]),
                opacity=None if (alpha := opacity * (part.color or GRAY)[3]) >= 1 else alpha, flat_shading=False,
                side="double",
            )
            for k, parts in surfaces.items()
            for j, part in enumerate(parts)
        ]
        sizes = {"axes_length": 0.09 * self.size, "axes_radius": 0.0035 * self.size}
        self.axes = [server.scene.add_frame(f"{link}/axes", visible=False, **sizes) for link in nodes]
        self._boxes = {k: _box(np.concatenate([part.vertices for part in parts])) for k, parts in surfaces.items()}
        self.first_link = first_links(robot.links)
        self.masses = _masses(robot.links, self.first_link)
        self.com = server.scene.add_icosphere(f"{node}/com", radius=0.02 * self.size, color=MASS, visible=False)
        self.ellipsoids = [self._ellipsoid(i) for i in range(1, len(robot.links.bodies))]
        self.arrows: dict[str, Any] = {}

    def move(self, q: Array, wrenches: Mapping[str, Array] | None = None) -> None:
        """Move the links to joint positions, and draw wrenches (m, f) on links as arrows."""
        T = self.robot.poses(q)
        turns = quaternions(T[:, :3, :3])
        with self.server.atomic():
            for node, turn, pose in zip(self.links, turns, T, strict=True):
                node.wxyz, node.position = turn, pose[:3, 3]
            if self.masses:
                total = sum(m for _, m, _ in self.masses)
                self.com.position = sum(m * (T[k] @ x)[:3] for k, m, x in self.masses) / total
            self._draw("force", slice(3, 6), self.largest[0], FORCE, T, wrenches or {})
            self._draw("moment", slice(0, 3), self.largest[1], MOMENT, T, wrenches or {})

    def corners(self, q: Array) -> Array:
        """(k, 3) corners of the boxes around all links, and their origins, in the scene."""
        T = self.place @ self.robot.poses(q)
        boxes = [(box @ T[k].T)[:, :3] for k, box in self._boxes.items()]
        return np.concatenate([T[:, :3, 3], *boxes])

    def show(self, *, links: bool, frames: bool, com: bool, ellipsoids: bool) -> None:
        """Show or hide parts of the robot."""
        for mesh in self.meshes:
            mesh.visible = links
        for axes in self.axes:
            axes.visible = frames
        for ball in filter(None, self.ellipsoids):
            ball.visible = ellipsoids
        self.com.visible = com and bool(self.masses)

    def _draw(
        self, name: str, part: slice, largest: float, color: Any, T: Array, wrenches: Mapping[str, Array]
    ) -> None:
        """Draw forces or moments as arrows from the origins of the links' frames."""
        lines, names = [], [frame.name for frame in self.robot.links.frames]
        for link, wrench in wrenches.items():
            pose = T[names.index(link)]
            full = max(largest, float(np.linalg.norm(wrench[part])))
            way = pose[:3, :3] @ wrench[part] * (ARROW * self.size / full if full else 0)
            if np.linalg.norm(way) > 1e-4 * self.size:
                lines.append((pose[:3, 3], pose[:3, 3] + way))
        if name in self.arrows:
            self.arrows.pop(name).remove()
        if lines:
            shape = {"shaft_radius": 0.006, "head_radius": 0.014, "head_length": 0.035}
            sizes = {part: share * self.size for part, share in shape.items()}
            points = np.array(lines, dtype=np.float32)
            self.arrows[name] = self.scene.add_arrows(f"{self.node}/{name}", points, color, **sizes)

    def _ellipsoid(self, i: int) -> Any:
        """Draw the uniform ellipsoid with a body's mass and inertia, in the node of its link."""
        axes = half_axes(self.robot.links, i)
        if axes is None or i not in self.first_link:
            return None
        k = self.first_link[i]
        ball, (middle, half) = trimesh().creation.icosphere(subdivisions=2), axes
        place = np.linalg.inv(self.robot.links.frames[k].placement.matrix())
        vertices = (ball.vertices @ half.T + middle) @ place[:3, :3].T + place[:3, 3]
        return self.scene.add_mesh_simple(
            f"{self.node}/link{k}/ellipsoid{i}", vertices.astype(np.float32), np.asarray(ball.faces, np.uint32),
            color=BALL, opacity=0.25, side="double", visible=False,
        )


def quaternions(R: Array) -> Array:
    """(k, 4) unit quaternions w, x, y, z of (k, 3, 3) rotations."""
    from viser.transforms import SO3

    wxyz: Array = SO3.from_matrix(R).wxyz
    return wxyz


def _box(points: Array) -> Array:
    """(8, 4) corners of the bounding box of points, in homogeneous coordinates."""
    x, y, z = np.stack([points.min(axis=0), points.max(axis=0)], axis=1)
    return np.array([(a, b, c, 1.0) for a in x for b in y for c in z])


def _masses(model: Model, first_link: Mapping[int, int]) -> list[tuple[int, float, Array]]:
    """(link, mass, (4,) centre of mass in the link's frame) of moving bodies with mass."""
    found = []
    for i, body in enumerate(model.bodies):
        if i and i in first_link and float(body.inertia.m) > 0:
            k = first_link[i]
            com = np.array([*map(float, body.inertia.com()), 1.0])
            found.append((k, float(body.inertia.m), np.linalg.inv(model.frames[k].placement.matrix()) @ com))
    return found
