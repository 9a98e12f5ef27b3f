"""Surfaces of simple solids, as quadrangles with counterclockwise corners as seen from outside."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array

__all__ = ["ball", "normals", "tube"]

SIDES = 16
"""Number of sides of round solids."""


def tube(start: ArrayLike, end: ArrayLike, radius: float, rings: int = 1, sides: int = SIDES) -> Array:
    """(k, 4, 3) surface of a cylinder from one point to another, with its ends; four sides make a box.

    Args:
        start, end: (3,) centres of the ends.
        radius: of the circle through the corners.
        rings: number of pieces along the axis: short quadrangles are sorted better by depth.
        sides: number of sides, even.
    """
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    along = (end - start) / np.linalg.norm(end - start)
    across = np.cross(along, np.eye(3)[np.argmin(abs(along))])
    across /= np.linalg.norm(across)
    angles = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    circle = radius * (np.outer(np.cos(angles), across) + np.outer(np.sin(angles), np.cross(along, across)))
    levels = np.linspace(start, end, rings + 1)[:, None] + circle  # (rings + 1, sides, 3)
    after = np.roll(levels, -1, axis=1)
    wall = np.stack([levels[:-1], after[:-1], after[1:], levels[1:]], axis=2).reshape(-1, 4, 3)
    fan = np.array([(0, k, k + 1, k + 2) for k in range(1, sides - 2, 2)])
    return np.concatenate([wall, levels[-1][fan], levels[0][fan[:, ::-1]]])


def ball(center: ArrayLike, axes: ArrayLike, sides: int = SIDES) -> Array:
    """(k, 4, 3) surface of an ellipsoid.

    Args:
        center: (3,) its centre.
        axes: (3, 3) its semi-axes as columns, right-handed; or a radius.
        sides: number along the equator; half as many from pole to pole.
    """
    axes = np.asarray(axes, dtype=float)
    frame = axes if axes.ndim else axes * np.eye(3)
    along, down = np.linspace(0, 2 * np.pi, sides + 1), np.linspace(0, np.pi, sides // 2 + 1)
    unit = np.stack(
        [
            np.outer(np.sin(down), np.cos(along)),
            np.outer(np.sin(down), np.sin(along)),
            np.outer(np.cos(down), np.ones_like(along)),
        ],
        axis=-1,
    )
    grid = np.asarray(center, dtype=float) + unit @ frame.T
    quads = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2)
    surface: Array = quads.reshape(-1, 4, 3)
    return surface


def normals(quads: Array) -> Array:
    """(..., 3) outward unit normals of (..., 4, 3) quadrangles; zero for a quadrangle without area."""
    across = np.cross(quads[..., 2, :] - quads[..., 0, :], quads[..., 3, :] - quads[..., 1, :])
    length = np.linalg.norm(across, axis=-1, keepdims=True)
    unit: Array = np.divide(across, length, out=np.zeros_like(across), where=length > 0)
    return unit
