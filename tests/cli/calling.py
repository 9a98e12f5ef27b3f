"""Commands of Revolute, called in this process, and robots, motions and tables for them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

import revolute
from revolute.cli.app import app
from revolute.io import trajectory

ARM = revolute.robots.planar(2)
DRIVES = {"joint1": revolute.Drive(damping=0.5, friction=1.0), "joint2": revolute.Drive(damping=0.2, friction=0.5)}
TRUE = ARM.with_drives(DRIVES)
"""An arm with friction, to be identified."""
NOISE = 0.05
"""Standard deviation of its measured forces [N m]."""

CART = """<robot name="cart"><link name="base"/>
  <joint name="rail" type="prismatic"><parent link="base"/> <child link="cart"/> <axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="30"/></joint>
  <link name="cart">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="cart"/> <child link="pole"/> <axis xyz="0 1 0"/></joint>
  <link name="pole"><inertial><origin xyz="0 0 0.5"/> <mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>"""


def driven_cart(damping: float, friction: float, multiplier: float) -> str:
    """`CART` with friction on its rail, and a pole that follows it."""
    friction_of_rail = f'effort="30"/> <dynamics damping="{damping}" friction="{friction}"/>'
    mimic = f'<axis xyz="0 1 0"/> <mimic joint="rail" multiplier="{multiplier}" offset="0.5"/>'
    return CART.replace('effort="30"/>', friction_of_rail).replace('<axis xyz="0 1 0"/>', mimic)


def run(*words: object, status: int = 0, given: str | bytes | None = None) -> tuple[str, str]:
    """What a command prints on stdout and stderr."""
    result = CliRunner().invoke(app, [str(word) for word in words], input=given)
    assert result.exit_code == status, result.output
    return result.stdout, result.stderr


def invoke(*words: object, status: int = 0, given: str | bytes | None = None) -> str:
    """What a command prints on stdout, or on stderr if it is meant to fail."""
    return run(*words, status=status, given=given)[status != 0]


def table(path: Path, names: str, *columns: np.ndarray) -> Path:
    """The path, at which a table with these columns is now."""
    trajectory.write(path, names.split(","), *columns)
    return path


def sines(seed: int, w: np.ndarray, size: float, joints: int = 2) -> Callable[[np.ndarray], list[np.ndarray]]:
    """q, qd and qdd as a function of time: sums of sines and cosines of frequencies w, with random amplitudes."""
    a, b = np.random.default_rng(seed).normal(0, size, (2, len(w), joints))

    def at(t: np.ndarray) -> list[np.ndarray]:
        s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
        return [s @ a + c @ b, c @ (a * w[:, None]) - s @ (b * w[:, None]), -(w**2 * s) @ a - (w**2 * c) @ b]

    return at
