"""Robots by name: of the library, with arguments as text, and of packages with robot files.

A name is looked up in the library, then in example-robot-data, then in robot_descriptions.
"""

import inspect
import os
from importlib import import_module
from typing import Any, get_args

from revolute import library
from revolute.arguments import nearest
from revolute.compiler.progress import progress_line
from revolute.errors import InputError, MissingExtraError, ModelError, one_line
from revolute.library import packaged
from revolute.machine.robot import Robot

__all__ = ["is_named", "is_of_package", "named_robot", "no_such_robot", "robot_file", "short_descriptions"]

_END = "_description"


def is_named(text: str) -> bool:
    """Whether a text is the name of a robot of the library, with or without arguments."""
    return text.partition(":")[0] in library.__all__


def is_of_package(text: str) -> bool:
    """Whether a text is a name in example-robot-data, or looks like one in robot_descriptions, and is not a file."""
    if not text.isidentifier() or os.path.exists(text):
        return False
    return text.endswith(_END) or packaged.has(text) or _description(text) in _descriptions()


def short_descriptions() -> list[str]:
    """The shortest names by which robots of robot_descriptions load; none if the package is not installed."""
    short = {full: full.removesuffix(_END).removesuffix("_mj") for full in _descriptions() if not packaged.has(full)}
    own = {full for full, name in short.items() if name in library.__all__ or _description(name) != full}
    return [full if full in own else name for full, name in short.items()]


def _descriptions() -> list[str]:
    try:
        from robot_descriptions import DESCRIPTIONS
    except ImportError:
        return []
    return list(DESCRIPTIONS)


def no_such_robot(text: str) -> str:
    """The end of a message about a text that is neither a file nor the name of a robot, with the nearest names."""
    near = nearest(text.partition(":")[0], [*library.__all__, *packaged.names(), *short_descriptions()])
    return f"there is no such file (looked in '{os.getcwd()}') and no such robot; {near}; `revolute robots` lists all"


def named_robot(text: str) -> Robot:
    """The library's robot with a name such as "ur5", "planar:3" or "random_tree:20:7"."""
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
    """The text converted to the type of the parameter; for a parameter that accepts a generator, to a seed."""
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


def robot_file(name: str) -> tuple[str, dict[str, str]]:
    """The file of a package's robot, and arguments for xacro. For robot_descriptions, git must fetch it once."""
    if (path := packaged.file_of(name)) is not None:
        return path, {}
    known = _descriptions()
    full = _description(name)
    if full in known:
        return _downloaded(full)
    if packaged.has(name):
        raise MissingExtraError(f"'{name}': this robot is in the package {packaged.PACKAGE} 6.0 or newer", "robots")
    if not known:
        raise MissingExtraError(f"'{name}': robots with such names are in robot_descriptions", "descriptions")
    raise ModelError(f"'{name}': robot_descriptions has no such robot; {nearest(name, known)}")


def _description(name: str) -> str:
    """The name of a robot in robot_descriptions: "spot" is "spot_mj_description", which has no URDF."""
    names = (name, f"{name}{_END}", f"{name}_mj{_END}")
    known = _descriptions()
    return next((full for full in names if full in known), name)


def _downloaded(name: str) -> tuple[str, dict[str, str]]:
    """The file of a description, which git fetches on first use, and its arguments for xacro."""
    with progress_line(f"{name} is in robot_descriptions, for which git fetches it on first use", at_once=True):
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
