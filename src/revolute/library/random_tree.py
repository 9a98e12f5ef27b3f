"""Random robots, for tests and for timing."""

from __future__ import annotations

import numpy as np

from revolute.assemble import Connection, Link
from revolute.errors import InputError
from revolute.joints import Joint, Prismatic, Revolute
from revolute.robot import Robot
from revolute.spatial import Inertia, Rotation, Transform, Vector

__all__ = ["random_tree"]


def random_tree(n: int, seed: int, *, base: str = "fixed", branching: float = 0.3, prismatic: float = 0.2) -> Robot:
    """A random tree of n moving bodies on a base, the same for the same seed everywhere.

    Axes and placements are oblique half of the time, and along coordinate axes otherwise.
    Every link is a box of random size, density and pose, so every inertia is possible.

    Args:
        n: number of joints besides the free one.
        seed: of the random numbers.
        base: "fixed" or "free".
        branching: probability that a body hangs on any earlier one instead of the last.
        prismatic: probability of a prismatic joint.

    Example:
        >>> import revolute
        >>> revolute.robots.random_tree(5, seed=1) == revolute.robots.random_tree(5, seed=1)
        True
    """
    if n < 0:
        raise InputError(f"a tree has no fewer than zero joints, not {n}")
    rng = np.random.default_rng(seed)
    links = [Link("base", _box(rng))]
    joints = []
    for k in range(1, n + 1):
        parent = int(rng.integers(k)) if rng.random() < branching else k - 1
        placement = Transform(_rotation(rng), Vector(rng.uniform(-0.5, 0.5, 3).tolist()))
        kind = Prismatic if rng.random() < prismatic else Revolute
        joint: Joint = kind(_axis(rng))
        links.append(Link(f"link{k}", _box(rng)))
        joints.append(Connection(f"joint{k}", links[parent].name, f"link{k}", joint, placement))
    return Robot.from_links(f"random_tree{n}_{seed}", links, joints, base=base)


def _axis(rng: np.random.Generator) -> Vector:
    direction = rng.standard_normal(3)
    if rng.random() < 0.5:
        direction = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    return Vector((direction / np.sqrt(direction @ direction)).tolist())


def _rotation(rng: np.random.Generator) -> Rotation:
    angles = rng.uniform(-np.pi, np.pi, 3)
    if rng.random() < 0.5:
        angles = rng.integers(-1, 3, 3) * (np.pi / 2)
    return Rotation.from_rpy(*(float(x) for x in angles))


def _box(rng: np.random.Generator) -> Inertia:
    """A box with edges of 5 to 40 cm, somewhere within 20 cm of the frame."""
    x, y, z = (float(v) for v in rng.uniform(0.05, 0.4, 3))
    mass = float(rng.uniform(300, 3000)) * x * y * z
    about_com = ((y * y + z * z, 0, 0), (0, x * x + z * z, 0), (0, 0, x * x + y * y))
    scaled = tuple(tuple(mass / 12 * entry for entry in row) for row in about_com)
    return Inertia.from_com(mass, rng.uniform(-0.2, 0.2, 3).tolist(), scaled, _rotation(rng))
