"""All rules on a robot, or on the file that describes it."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from revolute.examine import inertias, motions
from revolute.examine.finding import Finding
from revolute.examine.part import Part
from revolute.io import read_once
from revolute.io.description import Remark
from revolute.io.plain import need_numbers
from revolute.machine.robot import Robot
from revolute.model.assemble import Link

__all__ = ["Examination", "examine"]

NEGLIGIBLE = 1e-3
"""Links with less than this part of all mass may have any size: sensors, and frames with a token of mass."""

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
    remarks: list[Remark] = []
    parts: list[Part] | None = None
    if isinstance(source, Robot):
        robot = source
    else:
        model, said = read_once(source, base, remarks.append)
        robot = Robot.of(model)
        if said is not None and said.parts is not None:
            parts = [Part(*part) for part in said.parts(meshes)]
    need_numbers(robot, "what is examined")
    if parts is None:
        parts = [Part(Link(body.name, body.inertia)) for body in robot.bodies[1:]]  # the base cannot move
    suspicions = [remark.text for remark in remarks if not remark.kept]
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
