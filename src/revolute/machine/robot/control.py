"""Control laws of `Robot`, as parts of the controllers of `revolute.control`."""

from __future__ import annotations

from typing import ClassVar

from revolute.machine.function import Function
from revolute.machine.functions.control import CONTROL_LAWS
from revolute.machine.robot.base import Group

__all__ = ["ControlLaws"]


class ControlLaws(Group):
    """Compiled control laws, by name: `robot.kernel("computed_torque")`."""

    _parts: ClassVar[tuple[Function, ...]] = CONTROL_LAWS
