"""Robots of the package robot_descriptions by name: it fetches them by git on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from revolute.arguments import nearest
from revolute.errors import ModelError, extra, one_line

__all__ = ["description"]


def description(name: str) -> tuple[str, dict[str, str]]:
    """The file of a description, and arguments for xacro.

    Args:
        name: such as "panda_description", or "ur5e_mj_description" of the MuJoCo Menagerie.

    Raises:
        MissingExtraError: the package, or git, is not installed.
        ModelError: the description does not exist, or cannot be fetched.
    """
    with extra(f"'{name}': robots by such names come from robot_descriptions", "robots"):
        from robot_descriptions import DESCRIPTIONS
    if name not in DESCRIPTIONS:
        raise ModelError(f"'{name}': robot_descriptions has no such robot; {nearest(name, DESCRIPTIONS)}")
    try:
        module: Any = import_module(f".{name}", "robot_descriptions")
    except ImportError as error:  # of GitPython, where there is no git
        raise ModelError(f"'{name}': robot_descriptions needs git: {one_line(str(error))}") from None
    except Exception as error:  # of GitPython, of many kinds
        raise ModelError(
            f"'{name}': robot_descriptions could not fetch it, which takes a network the first time: "
            f"{one_line(str(error))}"
        ) from error
    for path in ("URDF_PATH", "MJCF_PATH", "XACRO_PATH"):
        if hasattr(module, path):
            return getattr(module, path), dict(getattr(module, "XACRO_ARGS", {})) if path == "XACRO_PATH" else {}
    raise ModelError(f"'{name}': robot_descriptions has no URDF, MJCF or xacro file of it")
