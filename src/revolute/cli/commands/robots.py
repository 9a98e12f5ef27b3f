"""The robot for the argument ROBOT of a command line: a file, or the name of a library robot."""

from __future__ import annotations

import difflib
import inspect
import os
from pathlib import Path

import revolute
from revolute.errors import InputError, UnknownNameError
from revolute.machine.robot import Robot

__all__ = ["named_robot", "named_source", "robot_file"]


def named_robot(text: str, base: str = "fixed") -> Robot:
    """The robot that a command line names.

    Args:
        text: path of a URDF, MJCF, SDF or TOML file, or `NAME[:ARGUMENT...]` of a library robot, such as
            "ur5", "planar:3" or "random_tree:20:7". A name wins over a file of the same
            name; "./ur5" is always a file.
        base: "fixed" or "free", for URDF files.

    Raises:
        UnknownNameError: neither a file nor a library robot.
        InputError: wrong arguments for the library robot.
        ModelError: the file cannot be used.

    Example:
        >>> from revolute.cli.commands.robots import named_robot
        >>> named_robot("planar:3").nq
        3
    """
    source = named_source(text, base)
    return source if isinstance(source, Robot) else revolute.load(source, base=base)


def named_source(text: str, base: str = "fixed") -> Robot | Path:
    """The library robot, or the path of the file, that a command line names: see `named_robot`."""
    name, *arguments = text.split(":")
    if name in revolute.robots.__all__:
        if base != "fixed":
            raise InputError(f"--base is for URDF files; '{name}' is a robot of the library")
        return _from_library(name, arguments)
    if Path(text).exists() or os.sep in text or Path(text).suffix:
        return Path(text)
    near = difflib.get_close_matches(name, revolute.robots.__all__, 1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    raise UnknownNameError(
        f"no robot '{text}': {hint}there is no such file, and the library has {', '.join(revolute.robots.__all__)}"
    )


def robot_file(text: str) -> str | None:
    """The path of the file that a command line names; None for a robot of the library."""
    return None if text.partition(":")[0] in revolute.robots.__all__ else text


def _from_library(name: str, arguments: list[str]) -> Robot:
    make = getattr(revolute.robots, name)
    signature = inspect.signature(make, eval_str=True)
    positional = [text for text in arguments if "=" not in text]
    keywords = dict(text.split("=", 1) for text in arguments if "=" in text)
    try:
        bound = signature.bind(*positional, **keywords)
        for parameter, text in bound.arguments.items():
            bound.arguments[parameter] = _value(parameter, text, signature.parameters[parameter].annotation)
    except (TypeError, ValueError) as error:
        takes = ", ".join(map(_example, signature.parameters.values())) or "no arguments"
        raise InputError(f"'{':'.join([name, *arguments])}': {error}; {name} takes {takes}") from None
    robot: Robot = make(*bound.args, **bound.kwargs)
    return robot


def _value(parameter: str, text: str, kind: type) -> object:
    """The text converted to the type of the parameter."""
    try:
        return kind(text)
    except ValueError:
        what = {int: "a whole number", float: "a number"}[kind]
        raise ValueError(f"{parameter} must be {what}, not '{text}'") from None


def _example(parameter: inspect.Parameter) -> str:
    """A parameter in a message: its name, its default, and "=" if it is keyword-only."""
    by_name = parameter.kind is inspect.Parameter.KEYWORD_ONLY
    default = "" if parameter.default is inspect.Parameter.empty else f" ({parameter.default})"
    return f"{parameter.name}=...{default}" if by_name else f"{parameter.name}{default}"
