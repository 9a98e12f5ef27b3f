"""Regions that contain the mass of a link: bounding boxes or ellipsoids. Wensing, Kim & Slotine 2018."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy, instance, number
from revolute.errors import InputError, UnknownNameError, warn_caller
from revolute.identification.bodies.entropic import HalfSpaces
from revolute.identification.bodies.scaled_problem import ScaledProblem, to_vector
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array
from revolute.io.solids import solid_of
from revolute.model import Frame, Model
from revolute.model.parameters import to_vector as ten_parameters
from revolute.model.pseudo_inertia import pseudo_inertia
from revolute.spatial import Inertia, Transform


@dataclass(frozen=True, eq=False)
class Region:
    """A region that contains the mass of a link, expressed in the frame of the link's body.

    The pseudo-inertia J of a mass distribution in the region satisfies tr(J Q) >= 0 for each Q. An ellipsoid has one
    Q, and every J > 0 that satisfies its condition is that of some density. For a box, each Q is the product of the
    inequalities of two faces; these conditions are necessary, and close to sufficient.

    Attributes:
        Q: (m, 4, 4) symmetric matrices with (x, 1)^T Q (x, 1) >= 0 for all x in the region.
        text: description of the region, for messages.

    Example:
        >>> from revolute.identification import Region
        >>> ball = Region.ellipsoid((0, 0, 0), (0.1, 0.1, 0.1))
        >>> shell = revolute.Inertia.from_com(
        ...     1.0, inertia=[[2 / 300, 0, 0], [0, 2 / 300, 0], [0, 0, 2 / 300]]
        ... )
        >>> ball.holds(shell), ball.holds(revolute.Inertia.sphere(1.0, 0.2))
        (True, False)
    """

    Q: Array
    text: str

    @classmethod
    def box(cls, lower: ArrayLike, upper: ArrayLike) -> Region:
        """Box between two corners [m], with edges parallel to the axes of the body frame."""
        low, high = _point("box: lower", lower), _point("box: upper", upper)
        if not (low < high).all():
            raise InputError(f"Region.box: lower {low.tolist()} must be below upper {high.tolist()}")
        lower_faces, upper_faces = np.column_stack([np.eye(3), -low]), np.column_stack([-np.eye(3), high])
        faces = np.concatenate([lower_faces, upper_faces])  # (x, 1) . face >= 0 for every point x inside the region
        pairs = np.array([np.outer(a, b) for a, b in combinations(faces, 2)])
        return cls((pairs + np.swapaxes(pairs, 1, 2)) / 2, f"box from {_text(low)} to {_text(high)} m")

    @classmethod
    def ellipsoid(cls, centre: ArrayLike, half_axes: ArrayLike, pose: Transform = Transform()) -> Region:
        """Ellipsoid about a centre [m], with semi-axes parallel to the axes of `pose`, a pose in the body frame."""
        c, r = _point("ellipsoid: centre", centre), _point("ellipsoid: half_axes", half_axes)
        if not (r > 0).all():
            raise InputError(f"Region.ellipsoid: half_axes must be positive, not {r.tolist()}")
        R = np.array(instance("Region.ellipsoid: pose", pose, Transform).R.matrix(), dtype=float)
        middle = R @ c + np.array(pose.p, dtype=float)
        A = R @ np.diag(r**-2.0) @ R.T
        Q = np.block([[-A, (A @ middle)[:, None]], [(A @ middle)[None], np.array([[1 - middle @ A @ middle]])]])
        return cls(Q[None], f"ellipsoid around {_text(middle)} with half axes {_text(r)} m")

    @staticmethod
    def of_shapes(model: Model, margin: float = 0.0) -> dict[str, Region]:
        """{link: box}: bounding boxes of the shapes of each moving link and of the links fixed to it.

        Args:
            model: a robot with visual or collision shapes.
            margin: margin on all sides, as a fraction of the box's edges, for parts that protrude, such as motors.

        Raises:
            InputError: the model is not a robot, or the margin is negative.
            MissingExtraError: the shapes are meshes, and the package trimesh is not installed.

        Warns:
            ModelWarning: a mesh is not found or cannot be read, so its link has no region.

        Example:
            >>> from revolute.identification import Region
            >>> rod = revolute.Shape("box", (1.0, 0.1, 0.1), revolute.Transform(p=(0.5, 0, 0)))
            >>> links = [
            ...     revolute.Link("base"),
            ...     revolute.Link("arm", revolute.Inertia.from_com(1.0), visuals=(rod,)),
            ... ]
            >>> hinge = revolute.Joint("hinge", "base", "arm", revolute.Revolute((0, 0, 1)))
            >>> pendulum = revolute.Robot.from_links("pendulum", links, [hinge])
            >>> print(Region.of_shapes(pendulum)["arm"].text)
            box from (0, -0.05, -0.05) to (1, 0.05, 0.05) m
        """
        if not isinstance(model, Model):
            raise InputError(f"Region.of_shapes needs a robot, not {type(model).__name__}")
        if not 0 <= number("Region.of_shapes: margin", margin) < np.inf:
            raise InputError(f"Region.of_shapes: margin must be zero or more, not {margin!r}")
        regions = {}
        for i, body in enumerate(model.bodies[1:], 1):
            corners = _corners([frame for frame in model.frames if frame.body == i], body.name)
            if len(corners):
                low, high = corners.min(axis=0), corners.max(axis=0)
                reach = margin * (high - low)
                regions[body.name] = Region.box(low - reach, high + reach + 1e-6 * (high == low))
        return regions

    def holds(self, inertia: Inertia | ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether a mass distribution in the region can have this inertia, an `Inertia` or ten parameters."""
        p = np.asarray(ten_parameters(inertia) if isinstance(inertia, Inertia) else inertia, dtype=float)
        J = pseudo_inertia(p)
        sizes = np.abs(self.Q).reshape(len(self.Q), -1) @ np.abs(J).ravel()
        inside = np.einsum("kij,ij->k", self.Q, J) >= -tolerance * sizes
        return bool(inside.all() and np.linalg.eigvalsh(J)[0] >= -tolerance * np.trace(J))


def halfspaces(problem: ScaledProblem, model: ForceModel, regions: Mapping[str, Region]) -> HalfSpaces:
    """Half-spaces of tr(J Q) >= 0 in scaled variables: with J = L K L^T, tr(K L^T Q L) >= 0."""
    bodies = [body.name for body in model.robot.robot.bodies[1:]]
    spaces = []
    for name, region in regions.items():
        if name not in bodies:
            raise UnknownNameError(f"physical: regions: no moving link '{name}'; available: {', '.join(bodies)}")
        if not isinstance(region, Region):
            raise InputError(f"physical: the region of '{name}' must be a Region, not {type(region).__name__}")
        if bodies.index(name) in problem.links:
            n = problem.links.index(bodies.index(name))
            L = np.linalg.cholesky(problem.prior[n])
            spaces += [(n, to_vector(Q)) for Q in L.T @ region.Q @ L]
    return spaces


def _corners(frames: Sequence[Frame], link: str) -> Array:
    """Corners of the bounding boxes of all shapes, expressed in the body frame; empty if a mesh is missing."""
    corners = [np.empty((0, 3))]
    for frame in frames:
        for shape in (*frame.visuals, *frame.collisions):
            solid = solid_of(replace(shape, placement=frame.placement @ shape.placement), meshes=True)
            if solid is not None:
                corners.append(np.array([solid.lower, solid.upper], dtype=float))
            elif shape.kind == "mesh":
                warn_caller(f"link '{link}': its mesh '{shape.file}' cannot be read, so the link has no region")
                return np.empty((0, 3))
    return np.concatenate(corners)


def _point(what: str, x: ArrayLike) -> Array:
    point = float_copy(f"Region.{what}", x)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise InputError(f"Region.{what} must be three finite numbers [m], not {x!r}")
    return point


def _text(x: Array) -> str:
    return f"({', '.join(f'{v:.4g}' for v in x + 0.0)})"
