"""Changes of a robot from options of the command line: joints that are locked, payloads, wrenches on links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.cli.commands.numbers import joint_numbers
from revolute.errors import InputError
from revolute.machine.robot import Robot
from revolute.spatial import Inertia

__all__ = ["locked", "resting", "with_payloads", "wrenches_of"]

Array = NDArray[Any]

WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")


def resting(robot: Robot) -> Array:
    """(nq,) positions at zero, or at the nearest limit."""
    return np.clip(robot.neutral(), robot.lower_limits, robot.upper_limits)


def locked(robot: Robot, texts: Sequence[str], option: str = "--lock") -> Robot:
    """The robot with joints locked: `elbow=0.5`, or `elbow` alone for zero or the nearest limit; with commas several.

    Args:
        robot: the robot.
        texts: of the command line; a joint with several coordinates needs all of them, such as ball.qx=0,ball.qy=0 ...
        option: its name, for messages.

    Raises:
        InputError: no such joint, a number that is none, or some coordinates of a joint alone.

    Example:
        >>> import revolute
        >>> from revolute.cli.commands.changes import locked
        >>> locked(revolute.robots.planar(3), ["joint1=0.5,joint3"]).joint_names
        ('joint2',)
    """
    q, rest = np.full(robot.nq, np.nan), resting(robot)
    places = dict(zip(robot.joint_names, robot.q_index[1:], strict=True))
    for word in [word for text in texts for word in text.replace(",", " ").split()]:
        if word in places:
            q[places[word]] = rest[places[word]]
        else:
            q = joint_numbers(option, word if "=" in word else f"{word}=0", robot.position_names, q)
    held = {name: q[at] for name, at in places.items() if np.isfinite(q[at]).any()}
    for name, x in held.items():
        if not np.isfinite(x).all():
            raise InputError(f"{option}: give all {len(x)} coordinates of the joint '{name}', or its name alone")
    return robot.lock({name: float(x[0]) if len(x) == 1 else x.tolist() for name, x in held.items()})


def with_payloads(robot: Robot, texts: Sequence[str]) -> Robot:
    """The robot with point masses on links: `tool0=2`, or `tool0=2,0,0,0.1` with the place in the link's frame [m].

    Raises:
        InputError: a text that is none of these, or a mass below zero.
        UnknownNameError: no such link.

    Example:
        >>> import revolute
        >>> from revolute.cli.commands.changes import with_payloads
        >>> loaded = with_payloads(revolute.robots.planar(1), ["tip=2"])
        >>> loaded.gravity_forces([0.0]).round(3)
        array([24.525])
    """
    for text in texts:
        link, numbers = _on_link("--payload", text, ("mass", "x", "y", "z"), (1, 4))
        mass, *center = numbers.tolist()
        robot = robot.with_payload(link, Inertia.from_com(mass, center or (0, 0, 0)))
    return robot


def wrenches_of(robot: Robot, texts: Sequence[str]) -> dict[str, Array]:
    """{link: (6,) wrench (m, f)} of texts `tool0=0,0,0,10,0,0`.

    Raises:
        InputError: a text that is no wrench, or two for one link.
        UnknownNameError: no such link.
    """
    found: dict[str, Array] = {}
    for text in texts:
        link, wrench = _on_link("--wrench", text, WRENCH, (6,))
        robot.frame(link)
        if link in found:
            raise InputError(f"--wrench: there are two for the link '{link}'; give their sum")
        found[link] = wrench
    return found


def _on_link(option: str, text: str, names: Sequence[str], counts: Sequence[int]) -> tuple[str, Array]:
    """A link, and the numbers behind "="."""
    link, equals, numbers = text.rpartition("=")
    count = numbers.count(",") + 1
    if not (link and equals and count in counts):
        forms = " or ".join(f"LINK={','.join(names[:n]).upper()}" for n in counts)
        raise InputError(f"{option}: '{text}' is not {forms}")
    return link, joint_numbers(option, numbers, names[:count], np.zeros(count))
