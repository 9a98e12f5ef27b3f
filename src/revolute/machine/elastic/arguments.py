"""Checks of the arguments of robots with elastic joints."""

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import by_names, common_batch, finite_array, float_copy
from revolute.arguments.foreign import require_plain
from revolute.errors import DtypeError, InputError, ShapeError
from revolute.machine.machine import Array
from revolute.machine.robot import Robot


def joint_arrays(robot: Robot, function: str, **values: ArrayLike) -> list[Array]:
    """The values as float64 arrays, q (..., nq) and others (..., nv). Raise an error if batches do not broadcast."""
    arrays = []
    for name, value in values.items():
        names = robot.position_names if name == "q" else robot.coordinate_names
        try:
            array = np.asarray(by_names(f"{function}: {name}", value, names, f"{name}."))
        except ValueError:
            raise ShapeError(f"{function}: {name} is ragged; its rows must have equal lengths") from None
        if array.dtype.kind not in "fiub":
            raise DtypeError(f"{function}: {name} must hold real numbers, not {array.dtype}")
        size = robot.nq if name == "q" else robot.nv
        if array.shape[-1:] != (size,):
            needed = f"robot '{robot.name}' needs (..., {size})"
            raise ShapeError(f"{function}: {name} has shape {array.shape}, but {needed}")
        arrays.append(np.asarray(array, dtype=np.float64))
    common_batch(f"{function}: batch shapes", values, [array.shape[:-1] for array in arrays])
    return arrays


def first_state(robot: Robot, motors: int, **values: ArrayLike) -> list[Array]:
    """The first state q0, theta0, qd0, thetad0 of a simulation: finite arrays (..., n) with a common batch."""
    sizes = {"q0": robot.nq, "qd0": robot.nv}
    arrays = {}
    for name, value in values.items():
        array, size = finite_array(f"simulate: {name}", value), sizes.get(name, motors)
        if array.shape[-1:] != (size,):
            needed = f"robot '{robot.name}' needs (..., {size})"
            raise ShapeError(f"simulate: {name} has shape {array.shape}, but {needed}")
        arrays[name] = array
    batch = common_batch("simulate: batch shapes", arrays, [array.shape[:-1] for array in arrays.values()])
    return [np.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays.values()]


def finite_row(function: str, name: str, n: int, x: ArrayLike) -> Array:
    """x as an array of n finite numbers."""
    row = finite_array(f"{function}: {name}", x)
    if row.shape != (n,):
        raise ShapeError(f"{function}: {name} has shape {row.shape}, but ({n},) is needed")
    return row


def motor_column(robot: Robot, motors: tuple[str, ...], name: str, values: ArrayLike, least: str) -> Array:
    """One number or SymPy expression for each motor, read-only.

    `values` is one value for all motors, or one for each motor; `least` is "greater than zero" or "zero or more".
    """
    try:
        column = np.broadcast_to(_column(f"with_elastic_joints: {name}", values), (len(motors),)).copy()
    except DtypeError:
        raise
    except ValueError:
        which = f"one for each joint of '{robot.name}'" + (" with a motor" if len(motors) < robot.nv else "")
        raise ShapeError(f"with_elastic_joints: {name} must be a number or {len(motors)} numbers, {which}") from None
    for joint, x in zip(motors, column.tolist(), strict=True):
        if isinstance(x, float) and not (np.isfinite(x) and (x > 0 if least.startswith("greater") else x >= 0)):
            raise InputError(f"with_elastic_joints: {name} of joint '{joint}' must be {least}, not {x:g}")
    column.flags.writeable = False
    return column


def _column(what: str, values: ArrayLike) -> Array:
    """An array of floats, or of objects if any value is an expression with symbols."""
    require_plain(what, values)
    try:
        entries = np.array(values, dtype=object)
    except ValueError:
        return float_copy(what, values)
    if not any(getattr(x, "free_symbols", None) for x in entries.flat):
        return float_copy(what, values)
    import sympy

    for k, x in np.ndenumerate(entries):
        if not getattr(x, "free_symbols", None):
            entries[k] = float(float_copy(what, x))
        elif not isinstance(x, sympy.Expr):
            raise DtypeError(f"{what} must be real numbers or SymPy expressions, not {x!r}")
    return entries
