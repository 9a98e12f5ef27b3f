"""The robot of the argument ROBOT: a file, or the name of a robot."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import revolute
from revolute.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from revolute.machine.robot import Robot


@dataclass(frozen=True)
class FileChoice:
    """Options of the robot's file, which are arguments of `revolute.load`."""

    arguments: Mapping[str, str]
    model: str | None
    trusted: bool = False

    @property
    def options(self) -> list[str]:
        """Names of the options that were given."""
        return ["--arg"] * bool(self.arguments) + ["--model"] * (self.model is not None) + ["--trusted"] * self.trusted


NONE = FileChoice(MappingProxyType({}), None)
CHOICE: ContextVar[FileChoice] = ContextVar("CHOICE", default=NONE)
"""Options of the robot's file on the current command line."""


def named_robot(text: str, base: str = "fixed") -> Robot:
    """The robot that an argument ROBOT names; `base` is for robots of the library and for URDF and SDF files.

    The argument is the path of a URDF, MJCF, SDF or TOML file, "-" for XML on standard input, or a name as in
    `revolute.load`, such as "ur5", "planar:3", "random_tree:20:7" or "talos".
    """
    source = named_source(text, base)
    return source if isinstance(source, revolute.Robot) else revolute.load(source, base, **vars(CHOICE.get()))


def named_source(text: str, base: str = "fixed") -> Robot | Path | str:
    """The robot that an argument ROBOT names, the path of its file, or the XML on standard input."""
    from revolute.library.named import is_named, is_of_package, no_such_robot

    if text == "-":
        return _standard_input()
    if is_named(text) or is_of_package(text):
        return revolute.Robot.from_model(revolute.load(text, base, **vars(CHOICE.get())))
    if Path(text).exists() or os.sep in text or Path(text).suffix:
        return Path(text)
    raise UnknownNameError(f"'{text}': {no_such_robot(text)}")


def _standard_input() -> str:
    """The XML on standard input; `InputError` if it is empty, not UTF-8, or not XML."""
    try:
        content = sys.stdin.buffer.read().decode().lstrip("\ufeff \t\r\n")
    except UnicodeDecodeError as error:
        raise InputError(f"standard input: byte {error.start} is not UTF-8") from None
    if not content.startswith("<"):
        raise InputError(f"standard input is {'not XML' if content else 'empty'}; '-' reads URDF, MJCF or SDF from it")
    return content


def robot_file(text: str) -> str | None:
    """The path in an argument ROBOT; None for the name of a robot, or standard input."""
    from revolute.library.named import is_named, is_of_package

    return None if text == "-" or is_named(text) or is_of_package(text) else text
