"""Robots of the library by their names, with arguments as text."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_args

from revolute.errors import InputError
from revolute.machine.robot import Robot

__all__ = ["named_robot"]


def named_robot(text: str, robots: dict[str, Callable[..., Any]]) -> Robot:
    """The robot of a name such as "ur5", "planar:3" or "random_tree:20:7".

    Args:
        text: name and arguments.
        robots: functions that make robots, by name.

    Raises:
        InputError: wrong arguments.
    """
    name, *arguments = text.split(":")
    make = robots[name]
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


def _value(parameter: str, text: str, kind: Any) -> object:
    """The text converted to the type of the parameter; a seed is one for a generator."""
    kind = int if int in get_args(kind) else kind
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
