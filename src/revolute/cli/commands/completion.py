"""Completion in a shell by the Tab key: robots, their links and joints, functions, methods, processors.

The shell waits for completion after each Tab, so this module imports little. Names of the library are in `names.json`,
which `python tests/cli/test_completion.py` writes; links and joints are found in the text of a robot's file.
"""

import json
import os
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import typer

import revolute
from revolute.errors import RevoluteError

SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".toml")  # suffixes of robot files
NAMES = Path(__file__).with_name("names.json")
LONGEST = 20_000_000  # maximum size of a robot file that completion reads for names [bytes]
XML = {
    "links": re.compile(r"""<(?:link|frame|body|site)\b[^<>]*?\bname\s*=\s*["']([^"']*)["']"""),
    "joints": re.compile(r"""<(?:joint|freejoint)\b[^<>]*?\bname\s*=\s*["']([^"']*)["']"""),
}
TOML = {
    "links": re.compile(r'^\[\[frames\]\]\s+name = "([^"]*)"', re.MULTILINE),
    "joints": re.compile(r'^joint_name = "([^"]+)"', re.MULTILINE),
}
Offers = Callable[[typer.Context, str], list[str]]


@cache
def _names() -> Any:
    return json.loads(NAMES.read_text(encoding="utf-8"))


def known(kind: str) -> Offers:
    """Complete the names of one kind, which is a key of `names.json`."""

    def offer(ctx: typer.Context, incomplete: str) -> list[str]:
        return _beginning(_names()[kind], incomplete)

    return offer


def robots(incomplete: str) -> list[str]:
    """Complete robots of the library and of example-robot-data, and matching files and folders."""
    return _beginning([*_names()["robots"], *_names()["packaged"]], incomplete) + _files(incomplete)


def links(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the names of links and other frames of the robot on the command line."""
    return _beginning(_of_robot(ctx, "links"), incomplete)


def joints(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the names of the robot's joints on the command line."""
    return _beginning(_of_robot(ctx, "joints"), incomplete)


def links_and_joints(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the names of links and joints of the robot on the command line."""
    return links(ctx, incomplete) + joints(ctx, incomplete)


def joint_numbers(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete JOINT=, to be followed by a number, also after a comma."""
    return in_list(named_number(joints))(ctx, incomplete)


def in_list(offers: Offers) -> Offers:
    """Complete names after the last comma of a list."""

    def offer(ctx: typer.Context, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in offers(ctx, last)]

    return offer


def named_number(offers: Offers) -> Offers:
    """Complete NAME=, to be followed by a number."""

    def offer(ctx: typer.Context, incomplete: str) -> list[str]:
        return [f"{name}=" for name in offers(ctx, incomplete)]

    return offer


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _of_robot(ctx: typer.Context, kind: str) -> list[str]:
    """Links or joints of the argument ROBOT, in the order of its file; none if the file cannot be read."""
    text = str(ctx.params.get("robot") or next(iter(ctx.args), ""))  # `args` has ROBOT if an option lacks its value
    name, colon, _ = text.partition(":")
    try:
        if name in _names()["robots"]:
            if not colon:
                return list(_names()["robots"][name][kind])
            robot = revolute.load(text)
            return list(robot.link_names if kind == "links" else robot.joint_names)
        if os.path.getsize(text) > LONGEST:
            return []
        content = Path(text).read_text(encoding="utf-8", errors="replace")
    except (OSError, RevoluteError):
        return []
    return list(dict.fromkeys((TOML if text.lower().endswith(".toml") else XML)[kind].findall(content)))


def _files(incomplete: str) -> list[str]:
    folder, start = os.path.split(incomplete)
    try:
        entries = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    found = []
    for entry in entries:
        if entry.name.startswith(start) and (start or not entry.name.startswith(".")):
            place = os.path.join(folder, entry.name)
            if entry.is_dir():
                found.append(place + os.sep)
            elif entry.suffix.lower() in SUFFIXES:
                found.append(place)
    return found
