"""Robot descriptions in and out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from revolute.robot import Robot

__all__ = ["load"]


def load(source: str | Path, base: str = "fixed") -> Robot:
    """A robot from a URDF file or text: see `revolute.io.urdf.read`."""
    from revolute.io.urdf import read

    return read(source, base)
