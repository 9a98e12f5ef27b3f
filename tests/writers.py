"""Everything in the library that writes a file, by the name of such a file."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import revolute
from revolute import plot
from revolute.io import trajectory
from revolute.whole_file import write_whole

__all__ = ["PLANAR", "WRITERS"]

PLANAR = revolute.robots.planar(1)
ROWS = 2000
"""More than a page of memory of every kind of table."""


def _picture(path: Path) -> None:
    figure = Figure(figsize=(1, 1))  # a large one takes its time
    figure.text(0, 0, "picture")
    plot.save(figure, path)


def _table(path: Path) -> None:
    trajectory.write(path, ["t", "a"], np.arange(ROWS) / 10, np.random.default_rng(1).standard_normal(ROWS))


@cache
def _tree() -> revolute.Robot:
    robot = revolute.robots.random_tree(20, rng=1)
    base, *others = robot.bodies
    return replace(robot, bodies=(replace(base, inertia=revolute.Inertia()), *others))  # MJCF has no mass of a base


def _robot(path: Path) -> None:
    revolute.save(_tree(), path)


@cache
def _equations() -> Any:
    return PLANAR.equations()


WRITERS: dict[str, Callable[[Path], object]] = {
    "whole.txt": lambda path: write_whole(path, "new\n" * 5000),
    "table.csv": _table,
    "table.parquet": _table,
    "robot.toml": _robot,
    "robot.urdf": _robot,
    "robot.xml": _robot,
    "picture.png": _picture,
    "picture.svg": _picture,
    "equations.md": lambda path: _equations().save(path),
    "equations.tex": lambda path: _equations().save(path),
}
