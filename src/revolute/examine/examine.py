"""All rules on a robot, or on the file that describes it."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass

import numpy as np

from revolute.errors import ModelWarning
from revolute.examine import inertias, motions
from revolute.examine.finding import Finding
from revolute.examine.part import Part
from revolute.io.mjcf import read_solids
from revolute.io.plain import need_numbers
from revolute.io.urdf import read
from revolute.io.urdf_shapes import shapes
from revolute.io.xml import parse
from revolute.machine.files import load
from revolute.machine.robot import Robot
from revolute.model.assemble import Link

__all__ = ["Examination", "examine"]

NEGLIGIBLE = 1e-3
"""Links with less than this part of all mass may have any size: sensors, and frames with a token of mass."""

KNOWN = ("no body can have", "robot.with_drives()", "robot.with_closures()")
"""Words of warnings that are no findings: rules of their own find it, or the robot keeps it as data."""


@dataclass(frozen=True)
class Examination:
    """What was looked at, and what was found.

    Attributes:
        robot: the robot.
        findings: the impossible first.
        links: number of links, those that fixed joints hold included where a file tells them.
        sized: number of links whose shapes are known.
    """

    robot: Robot
    findings: tuple[Finding, ...]
    links: int
    sized: int


def examine(source: Robot | str | os.PathLike[str], base: str = "fixed", meshes: bool = False) -> Examination:
    """What is impossible or suspicious about a robot.

    Of a URDF file every link is looked at as it stands there, with its boxes, cylinders and
    spheres, and meshes if that is wanted. Of an MJCF file every body with its geoms. Of other
    files and of a robot, every body.

    Args:
        source: a robot, or what `revolute.load` takes.
        base: as `revolute.load` has it.
        meshes: open the meshes that a URDF file names, where they are found.

    Raises:
        ModelError, InputError: the source cannot be loaded.
        MissingExtraError: meshes, without the package trimesh.

    Example:
        >>> import revolute
        >>> from revolute.examine import examine
        >>> print(*examine(revolute.robots.panda()).findings)
        <BLANKLINE>
    """
    suspicions: list[str] = []
    if isinstance(source, Robot):
        robot = source
    else:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ModelWarning)
            robot = load(source, base=base)
        said = [str(warning.message) for warning in caught]
        suspicions = [words for words in said if not any(known in words for known in KNOWN)]
    need_numbers(robot, "what is examined")
    parts = _parts(robot) if isinstance(source, Robot) else _file_parts(robot, source, meshes)
    found = [Finding(False, *_split(said)) for said in suspicions]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # shapes may be of any size
        found += [finding for rule in inertias.RULES for part in parts for finding in rule(part)]
        masses = [part.mass for part in parts]
        least = NEGLIGIBLE * (sum(masses) - max(masses, default=0.0))  # that of one link may be wrong
        shaped = [part for part in parts if part.shapes and part.mass > least]
        found += [finding for rule in inertias.SHAPED for part in shaped for finding in rule(part)]
        between = {f"link '{body.name}'" for body in robot.bodies} - {part.place for part in parts}
        found += [finding for rule in motions.RULES for finding in rule(robot) if finding.place not in between]
    found.sort(key=lambda finding: not finding.impossible)
    return Examination(robot, tuple(found), len(parts), sum(bool(part.shapes) for part in parts))


def _split(said: str) -> tuple[str, str]:
    """Place and figures of a warning: "arm.urdf: joint 'hinge': ..."."""
    *_, place, figures = ["", *said.split(": ", 2)]
    return place, figures


def _parts(robot: Robot) -> list[Part]:
    """The bodies as links; of the base, that cannot move, nothing is asked."""
    return [Part(Link(body.name, body.inertia)) for body in robot.bodies[1:]]


def _file_parts(robot: Robot, source: str | os.PathLike[str], meshes: bool) -> list[Part]:
    root = None if os.fspath(source).lower().endswith(".toml") else parse(source, "URDF")
    if root is not None and root.tag == "mujoco":
        return [Part(*found) for found in read_solids(root, source)]
    if root is None or root.tag != "robot":
        return _parts(robot)
    description, solids = read(source), shapes(source, meshes)
    return [Part(link, solids.get(link.name, ())) for link in description.links]
