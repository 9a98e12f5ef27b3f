"""Apply all rules to a robot, or to the file that describes it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.examine import inertias, motions
from revolute.examine.part import Finding, Part
from revolute.io import read_once
from revolute.io.description import Remark
from revolute.io.plain import need_numbers
from revolute.machine.robot import Robot
from revolute.model.assemble import Link

NEGLIGIBLE = 1e-3
"""Fraction of the total mass below which a link's size is not checked, such as for sensors and tiny frames."""


@dataclass(frozen=True)
class Examination:
    """The findings about a robot, and the number of examined links.

    Attributes:
        robot: the robot.
        findings: the findings, physically impossible data first.
        links: number of links; for a file, links at fixed joints are included.
        sized: number of links with known shapes.
    """

    robot: Robot
    findings: tuple[Finding, ...]
    links: int
    sized: int

    def __str__(self) -> str:
        """One line of counts, and one line per finding."""
        shapes = f"{self.sized} of them with known shapes" if self.sized else "none with known shapes"
        impossible = sum(finding.impossible for finding in self.findings)
        counts = f"{impossible} impossible, {len(self.findings) - impossible} suspicious"
        head = f"{self.links} links ({shapes}), {self.robot.n_joints} joints: "
        return "\n- ".join([head + (counts if self.findings else "nothing found"), *map(str, self.findings)])


def examine(
    source: Robot | str | os.PathLike[str], base: str = "fixed", meshes: bool = False,
    arguments: Mapping[str, Any] | None = None, model: str | None = None, trusted: bool = False,
) -> Examination:
    """Find impossible and suspicious data of a robot.

    The examined parts are the links of a URDF file, with their boxes, cylinders, spheres and optionally meshes; the
    bodies of an MJCF file, with their geoms; or the bodies of a robot or of another file.

    Args:
        source: a robot, or a source for `revolute.load`.
        base, arguments, model, trusted: see `revolute.load`.
        meshes: whether to load the meshes of a URDF file.

    Raises:
        ModelError, InputError: the source cannot be loaded.
        MissingExtraError: `meshes` requires the package trimesh.

    Example:
        >>> from revolute.examine import examine
        >>> print(examine(revolute.robots.panda()))
        7 links (none with known shapes), 7 joints: nothing found
    """
    remarks: list[Remark] = []
    parts: list[Part] | None = None
    if isinstance(source, Robot):
        robot = source
    else:
        described, description = read_once(source, base, remarks.append, False, arguments, model, trusted)
        robot = Robot.from_model(described)
        if description is not None and description.parts is not None:
            parts = [Part(*part) for part in description.parts(meshes)]
    need_numbers(robot, "what is examined")
    if parts is None:
        parts = [Part(Link(body.name, body.inertia)) for body in robot.bodies[1:]]  # omit the immobile base
    findings = [Finding(False, *_split(remark.text)) for remark in remarks if not remark.kept]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # extreme sizes may overflow
        findings += [finding for rule in inertias.RULES for part in parts for finding in rule(part)]
        masses = [part.mass for part in parts]
        least = NEGLIGIBLE * (sum(masses) - max(masses, default=0.0))  # the largest mass may be wrong, so it is omitted
        shaped = [part for part in parts if part.shapes and part.mass > least]
        findings += [finding for rule in inertias.SHAPED for part in shaped for finding in rule(part)]
        added = {f"link '{body.name}'" for body in robot.bodies} - {part.place for part in parts}  # added by the reader
        findings += [finding for rule in motions.RULES for finding in rule(robot) if finding.place not in added]
    findings.sort(key=lambda finding: not finding.impossible)
    return Examination(robot, tuple(findings), len(parts), sum(bool(part.shapes) for part in parts))


def _split(warning: str) -> tuple[str, str]:
    """Location and figures of a warning such as "arm.urdf: joint 'hinge': ..."."""
    *_, place, figures = ["", *warning.split(": ", 2)]
    return place, figures
