"""Robots by name: robots of the library, with arguments as text, and of the package robot_descriptions."""

import inspect
import os
from importlib import import_module
from typing import Any, get_args

from revolute import library
from revolute.arguments import nearest
from revolute.errors import InputError, ModelError, extra, one_line
from revolute.machine.robot import Robot

__all__ = ["description", "is_description", "is_named", "named_robot", "no_such_robot"]


def is_named(text: str) -> bool:
    """Whether a text is the name of a robot of the library, with or without arguments."""
    return text.partition(":")[0] in library.__all__


def is_description(text: str) -> bool:
    """Whether a text has the form of a name of robot_descriptions, such as "panda_description", and is not a file."""
    return text.isidentifier() and text.endswith("_description") and not os.path.exists(text)


def no_such_robot(text: str) -> str:
    """The end of a message about a text that is neither a file nor the name of a robot, with the nearest name."""
    import difflib  # the import takes a millisecond and is needed only for errors

    near = difflib.get_close_matches(text.partition(":")[0], library.__all__, 1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    names = ", ".join(library.__all__)
    return f"{hint}there is no such file (looked in '{os.getcwd()}'), and the library has {names}"


def named_robot(text: str) -> Robot:
    """The robot of a name such as "ur5", "planar:3" or "random_tree:20:7"."""
    name, *arguments = text.split(":")
    make = getattr(library, name)
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
    """The text converted to the type of the parameter; for a generator the text is a seed."""
    kind = int if int in get_args(kind) else kind
    try:
        return kind(text)
    except ValueError:
        what = {int: "a whole number", float: "a number"}[kind]
        raise ValueError(f"{parameter} must be {what}, not '{text}'") from None


def _example(parameter: inspect.Parameter) -> str:
    """The text of a parameter in a message: its name, its default, and "=" if it is keyword-only."""
    by_name = parameter.kind is inspect.Parameter.KEYWORD_ONLY
    default = "" if parameter.default is inspect.Parameter.empty else f" ({parameter.default})"
    return f"{parameter.name}=...{default}" if by_name else f"{parameter.name}{default}"


def description(name: str) -> tuple[str, dict[str, str]]:
    """The file of a description, such as "panda_description", and arguments for xacro. Needs a network once."""
    with extra(f"'{name}': robots with such names are loaded from robot_descriptions", "robots"):
        from robot_descriptions import DESCRIPTIONS
    if name not in DESCRIPTIONS:
        raise ModelError(f"'{name}': robot_descriptions has no such robot; {nearest(name, DESCRIPTIONS)}")
    try:
        module: Any = import_module(f".{name}", "robot_descriptions")
    except ImportError as error:  # GitPython raises it if git is not installed
        raise ModelError(f"'{name}': robot_descriptions needs git: {one_line(str(error))}") from None
    except Exception as error:  # of GitPython, of many kinds
        raise ModelError(
            f"'{name}': robot_descriptions could not fetch it, which requires a network the first time: "
            f"{one_line(str(error))}"
        ) from error
    for path in ("URDF_PATH", "MJCF_PATH", "XACRO_PATH"):
        if hasattr(module, path):
            return getattr(module, path), dict(getattr(module, "XACRO_ARGS", {})) if path == "XACRO_PATH" else {}
    raise ModelError(f"'{name}': robot_descriptions has no URDF, MJCF or xacro file for it")
