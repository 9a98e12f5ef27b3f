"""Thinning of triangles: corners in one cell of a grid are merged."""

from __future__ import annotations

import numpy as np

from revolute.view.viewable import Array

__all__ = ["thinned"]


def thinned(vertices: Array, faces: Array, most: int) -> tuple[Array, Array]:
    """(k, 3) corners and at most `most` (m, 3) triangles, by increasingly coarse grids."""
    low = vertices.min(axis=0)
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    cells = 1024
    while len(faces) > most and cells > 1:
        corners, new = np.unique(
            np.floor((vertices - low) / size * cells).astype(np.int64), axis=0, return_inverse=True
        )
        new = new.reshape(-1)
        middles = np.zeros((len(corners), 3))
        np.add.at(middles, new, vertices)
        middles /= np.bincount(new, minlength=len(corners))[:, None]
        mapped = new[faces]
        whole = (
            (mapped[:, 0] != mapped[:, 1]) & (mapped[:, 1] != mapped[:, 2]) & (mapped[:, 2] != mapped[:, 0])
        )  # the others became lines
        mapped = np.unique(np.sort(mapped[whole], axis=1), axis=0, return_index=True)[1]
        candidate = new[faces][whole][mapped]
        if len(candidate) <= most:
            return middles, candidate
        cells = cells * 3 // 4
    return vertices, faces[:most]
