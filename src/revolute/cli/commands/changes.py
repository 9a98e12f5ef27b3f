"""Robots changed by command-line options: locked joints, payloads, wrenches; `revolute convert` and `lock`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from revolute.arguments import Array
from revolute.cli.commands import screen
from revolute.cli.commands.motion_options import TorqueOptions
from revolute.cli.commands.numbers import joint_numbers
from revolute.cli.commands.targets import check_robot
from revolute.errors import InputError
from revolute.files import save
from revolute.machine.robot import Robot
from revolute.spatial import Inertia

WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")


def changed(robot: Robot, options: TorqueOptions) -> tuple[Robot, dict[str, Array], list[str]]:
    """Return the robot with locked joints and payloads, (6,) wrenches by link, and remarks on these changes."""
    payloads, wrenches, joints = (texts or () for texts in (options.payload, options.wrench, options.lock))
    model = with_payloads(locked(robot, joints), payloads)
    texts = (("payload", payloads), ("wrench", wrenches), ("locked:", joints))
    return model, _wrenches(model, wrenches), [f"{name} {text}" for name, each in texts for text in each]


def locked(robot: Robot, texts: Sequence[str], option: str = "--lock") -> Robot:
    """Lock joints by texts: `elbow=0.5`, or `elbow` to lock it at zero or the nearest limit; commas separate joints.

    For a joint with several coordinates, give all of them, such as ball.qx=0,ball.qy=0 ...
    """
    q, rest = np.full(robot.nq, np.nan), np.clip(robot.neutral(), robot.lower_limits, robot.upper_limits)
    places = dict(zip(robot.joint_names, robot.q_index[1:], strict=True))
    for word in [word for text in texts for word in text.replace(",", " ").split()]:
        if word in places:
            q[places[word]] = rest[places[word]]
        else:
            q = joint_numbers(option, word if "=" in word else f"{word}=0", robot.position_names, q)
    held = {name: q[at] for name, at in places.items() if np.isfinite(q[at]).any()}
    for name, x in held.items():
        if not np.isfinite(x).all():
            raise InputError(f"{option}: give all {len(x)} coordinates of the joint '{name}', or only its name")
    return robot.lock({name: float(x[0]) if len(x) == 1 else x.tolist() for name, x in held.items()})


def with_payloads(robot: Robot, texts: Sequence[str]) -> Robot:
    """Attach point masses [kg] to links, by texts `tool0=2`, or `tool0=2,0,0,0.1` with a position in its frame [m]."""
    for text in texts:
        link, numbers = _on_link("--payload", text, ("mass", "x", "y", "z"), (1, 4))
        mass, *center = numbers.tolist()
        robot = robot.with_payload(link, Inertia.from_com(mass, center or (0, 0, 0)))
    return robot


def _wrenches(robot: Robot, texts: Sequence[str]) -> dict[str, Array]:
    """{link: (6,) wrench (m, f)} from texts such as `tool0=0,0,0,10,0,0`."""
    found: dict[str, Array] = {}
    for text in texts:
        link, wrench = _on_link("--wrench", text, WRENCH, (6,))
        robot.frame(link)
        if link in found:
            raise InputError(f"--wrench: two wrenches on the link '{link}'; give their sum")
        found[link] = wrench
    return found


def _on_link(option: str, text: str, names: Sequence[str], counts: Sequence[int]) -> tuple[str, Array]:
    """The link's name before "=", and the numbers after it."""
    link, equals, numbers = text.rpartition("=")
    count = numbers.count(",") + 1
    if not (link and equals and count in counts):
        forms = " or ".join(f"LINK={','.join(names[:n]).upper()}" for n in counts)
        raise InputError(f"{option}: '{text}' is not {forms}")
    return link, joint_numbers(option, numbers, names[:count], np.zeros(count))


def convert(robot: Robot, output: Path, console: Console) -> None:
    """Write a robot in the format that the file's suffix determines."""
    check_robot(output)
    save(robot, output)
    screen.say(console, f"Written to {output}: {robot.name}, {robot.n_joints} joints")


def lock(robot: Robot, joints: Sequence[str], output: Path, console: Console) -> None:
    """Write a robot with some joints locked: see `locked` and `convert`."""
    result = locked(robot, joints, "lock")
    if result.n_joints == robot.n_joints:
        raise InputError("lock: give at least one joint, such as elbow_joint=0.5")
    convert(result, output, console)
