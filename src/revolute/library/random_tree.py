"""Random robots, for tests and for timing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from revolute.arguments import instances, number, whole_number
from revolute.errors import InputError
from revolute.machine.robot import Robot
from revolute.model.assemble import Joint, Link
from revolute.model.joints import Free, Helical, JointType, Planar, Prismatic, Revolute, Spherical
from revolute.model.joints.composed import Composed, Cylindrical, FreeEuler, SphericalEuler, Universal
from revolute.spatial import Inertia, Rotation, Transform, Vector

Make = Callable[["np.random.Generator", float], JointType | Composed]  # NumPy loads its module `random` on first use


def random_tree(
    n: int, rng: int | np.random.Generator | None = 0, *, base: str = "fixed", branching: float = 0.3,
    prismatic: float = 0.2, oblique: float = 0.5, types: Sequence[str] = (),
) -> Robot:
    """A random tree of n moving bodies on a base. The same seed gives the same tree on all machines.

    Every link is a box of random size, density and pose, so every inertia is physically consistent.
    Numbers are derived from uniform ones only by sums, products, quotients and square roots,
    which all machines round equally.

    Args:
        n: number of joints, without the free joint of the base; a composed joint counts as one.
        rng: nonnegative seed of the random numbers; or a NumPy generator, which draws the seed; None: a new seed for
            each call. The seed is part of the robot's name.
        base: "fixed" or "free".
        branching: probability that a body's parent is any earlier body instead of the last one; 0
            makes a serial chain.
        prismatic: probability of a prismatic joint; the others are revolute.
        oblique: probability that a joint axis has a random direction, and also that a
            placement has a random rotation; other axes are coordinate axes.
        types: names of joint types from `TYPES`, all equally probable, instead of revolute
            and prismatic ones.

    Raises:
        InputError: the number of joints or the seed is negative, a probability is outside 0 ... 1, or a joint type is
            unknown.

    Example:
        >>> revolute.robots.random_tree(5, rng=1) == revolute.robots.random_tree(5, rng=1)
        True
    """
    whole_number("random_tree: n, the number of joints,", n, 0)
    seed = _seed(rng)
    for name, value in (("branching", branching), ("prismatic", prismatic), ("oblique", oblique)):
        if not 0 <= number(name, value) <= 1:
            raise InputError(f"{name} must be a probability, between 0 and 1, not {value}")
    if unknown := [name for name in instances("random_tree: types", types, str) if name not in TYPES]:
        raise InputError(f"unknown joint type {unknown[0]!r}; available: {', '.join(TYPES)}")
    rng = np.random.default_rng(seed)
    links, joints = [Link("base", _box(rng))], []
    for k in range(1, n + 1):
        parent = int(rng.random() * k) if rng.random() < branching else k - 1
        placement = Transform(_rotation(rng, oblique), Vector(_uniform(rng, -0.5, 0.5) for _ in range(3)))
        name = types[int(rng.random() * len(types))] if types else ("revolute", "prismatic")[rng.random() < prismatic]
        joint = TYPES[name](rng, oblique)
        links.append(Link(f"link{k}", _box(rng)))
        joints.append(Joint(f"joint{k}", links[parent].name, f"link{k}", joint, placement))
    return Robot.from_links(f"random_tree{n}_{seed}", links, joints, base=base)


def _seed(rng: int | np.random.Generator | None) -> int:
    """The seed, or one that a generator draws."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(1 << 32))
    return whole_number("random_tree: rng, a seed or a NumPy generator,", rng, 0)


def _uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return low + (high - low) * float(rng.random())


def _direction(rng: np.random.Generator, dimension: int) -> list[float]:
    """A unit vector, uniform on the sphere: towards the first random point of a cube that is in the unit ball."""
    while True:
        x = [_uniform(rng, -1, 1) for _ in range(dimension)]
        square = 0.0
        for component in x:
            square += component * component
        if 0.01 < square < 1:
            return [component / math.sqrt(square) for component in x]


def _axis(rng: np.random.Generator, oblique: float) -> Vector:
    if rng.random() < oblique:
        return Vector(_direction(rng, 3))
    axis = [0, 0, 0]
    axis[int(rng.random() * 3)] = 1 if rng.random() < 0.5 else -1
    return Vector(axis)


def _rotation(rng: np.random.Generator, oblique: float) -> Rotation:
    if rng.random() < oblique:
        return Free().transform((0, 0, 0, *_direction(rng, 4))).R
    quarters = [int(rng.random() * 4) * (math.pi / 2) for _ in range(3)]
    return Rotation.from_rpy(*quarters)


def _box(rng: np.random.Generator) -> Inertia:
    """A box with edges of 5 to 40 cm, somewhere within 20 cm of the frame along each axis."""
    x, y, z = (_uniform(rng, 0.05, 0.4) for _ in range(3))
    mass = _uniform(rng, 300, 3000) * x * y * z
    xx, yy, zz = (mass / 12 * (a * a + b * b) for a, b in ((y, z), (z, x), (x, y)))
    com = [_uniform(rng, -0.2, 0.2) for _ in range(3)]
    return Inertia.from_com(mass, com, ((xx, 0, 0), (0, yy, 0), (0, 0, zz)), _rotation(rng, 1))


def _about(kind: Callable[[Vector], JointType | Composed]) -> Make:
    return lambda rng, oblique: kind(_axis(rng, oblique))


def _universal(first: Vector) -> Universal:
    """A universal joint. Its second axis is perpendicular to the first, and to z if possible."""
    x, y, z = first
    return Universal(first, (-y, x, 0) if x or y else (0, -z, 0))


TYPES: dict[str, Make] = {
    "revolute": _about(Revolute),
    "prismatic": _about(Prismatic),
    "helical": lambda rng, oblique: Helical(_axis(rng, oblique), _uniform(rng, -0.3, 0.3)),
    "planar": _about(Planar),
    "spherical": lambda rng, oblique: Spherical(),
    "free": lambda rng, oblique: Free(),
    "cylindrical": _about(Cylindrical),
    "universal": _about(_universal),
    "spherical_euler": lambda rng, oblique: SphericalEuler(),
    "free_euler": lambda rng, oblique: FreeEuler(),
}
"""Function that draws a random joint, for each type."""
