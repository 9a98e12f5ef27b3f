"""Rows of least squares, of some instants."""

from __future__ import annotations

from typing import NamedTuple

from revolute.identification.samples import Array

__all__ = ["Chunk"]


class Chunk(NamedTuple):
    """Y (m, nv, b) and tau (m, nv) of some instants; tau is NaN where nothing was measured.

    `continues`: whether the first instant follows the last one of the chunk before.
    """

    Y: Array
    tau: Array
    continues: bool
