"""Objects by the names that rows and pages of the texts print: "published.spong", 'robot.kernel("power")'."""

from importlib import import_module
from typing import Any

import revolute

ROBOT = revolute.robots.ur5()


def evaluated(name: str) -> Any:
    """The object of a name below `revolute`, as an attribute or by an import, or the kernel of a robot.

    Raises:
        AttributeError, ImportError, UnknownNameError: it does not exist.
    """
    if name.startswith("robot."):
        return eval(name, {"robot": ROBOT})
    place, module = revolute, "revolute"
    for word in name.split("."):
        module = f"{module}.{word}"
        place = getattr(place, word) if hasattr(place, word) else import_module(module)
    return place
