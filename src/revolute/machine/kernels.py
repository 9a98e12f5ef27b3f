"""The kernels of a robot's functions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from revolute.compiler.kernel import Kernel, compiled, real_dtype
from revolute.machine.functions import signature
from revolute.machine.functions.parametric import without_inertias
from revolute.model.identity import exact_text
from revolute.model.model import Model
from revolute.model.symbols import numeric

if TYPE_CHECKING:
    from revolute.machine.robot import Robot

__all__ = ["kernel"]


def kernel(robot: Robot, function: str, dtype: Any, options: Mapping[str, Any]) -> Kernel:
    """The kernel of a robot's function: see `Robot.kernel`. Equal robots share it.

    Raises:
        DtypeError: neither float64 nor float32.
        UnknownNameError, InputError: no such function or option, or a robot with symbols other than of inertias
            that are an input.
    """
    number = real_dtype(dtype)
    again = partial(robot.kernel, function, dtype=number, **options)
    model: Model = robot
    if model.symbols and "parameters" in options:
        model = without_inertias(model)
    model = numeric(model, function)
    form = signature(model, function, dict(options))
    identity = exact_text((model.digest, function, tuple(sorted(options.items())))) if model.digest else None
    return compiled("robot", model.name, form, number, identity, again)
