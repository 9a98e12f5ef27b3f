"""The robots that the benchmark runs on, from the package example-robot-data, and their states."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import revolute

__all__ = ["CASES", "Case", "States"]

Array = NDArray[Any]


@dataclass(frozen=True)
class States:
    """Rows of joint positions, velocities and accelerations, in Revolute's order and units."""

    q: Array
    qd: Array
    qdd: Array

    @property
    def rows(self) -> int:
        return len(self.q)

    def astype(self, dtype: Any) -> States:
        return States(self.q.astype(dtype), self.qd.astype(dtype), self.qdd.astype(dtype))


@dataclass(frozen=True)
class Case:
    """A robot of the benchmark.

    Attributes:
        key, label: short name, and the name in tables.
        description: end of the path of its URDF file in example-robot-data.
        base: "fixed" or "free".
        least_ratio: times that a row must be faster than Pinocchio's, if that is asked for.
    """

    key: str
    label: str
    description: str
    base: str = "fixed"
    least_ratio: float | None = None

    @cached_property
    def file(self) -> Path:
        """The URDF file."""
        found = [x for x in distribution("example_robot_data").files or () if str(x).endswith(self.description)]
        if not found:
            raise FileNotFoundError(f"example-robot-data has no {self.description}; `pip install example-robot-data`")
        return Path(str(found[0].locate()))

    @cached_property
    def robot(self) -> revolute.Robot:
        """The robot as Revolute loads it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", revolute.ModelWarning)  # files say what they say
            return revolute.load(self.file, self.base)

    def states(self, rows: int, seed: int = 0) -> States:
        """Random states: angles within +-pi, unit quaternions, standard normal velocities."""
        rng = np.random.default_rng(seed)
        q = rng.uniform(-np.pi, np.pi, (rows, self.robot.nq))
        for body, at in zip(self.robot.bodies, self.robot.q_index, strict=True):
            if isinstance(body.joint, revolute.Free):
                q[:, at][:, 3:] /= np.linalg.norm(q[:, at][:, 3:], axis=1, keepdims=True)
        qd, qdd = rng.standard_normal((2, rows, self.robot.nv))
        return States(q, qd, qdd)


CASES = (
    Case("ur5", "UR5", "ur_description/urdf/ur5_robot.urdf", least_ratio=30),
    Case("panda", "Panda", "panda_description/urdf/panda.urdf"),
    Case("talos", "Talos", "talos_data/robots/talos_reduced.urdf", least_ratio=15),
    Case("talos-free", "Talos, free base", "talos_data/robots/talos_reduced.urdf", "free", least_ratio=12),
)
