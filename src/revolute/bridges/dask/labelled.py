"""A kernel evaluated on xarray arrays, whose axes are found by name, not by position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from revolute.bridges.dask.arrays import stands_for
from revolute.bridges.functions import Foreign
from revolute.errors import InputError, ShapeError, extra
from revolute.graph import Input

if TYPE_CHECKING:
    from revolute.bridges.dask import DaskFunction

JOINT = "joint"  # name of the array dimension along joint positions, velocities, forces ...


def labelled(function: DaskFunction, arrays: tuple[Any, ...]) -> Any:
    """Results with the dimension names and coordinates of the arguments; joints are along the dimension "joint".

    Arrays in memory are evaluated immediately, as in xarray. If any argument is a Dask array, the results are lazy.
    Raise `ShapeError` unless the coordinates of "joint" are the joints' names, and `InputError` for core axes in
    several chunks.
    """
    with extra("arrays with names need xarray", "dask"):
        import xarray
    function.checks.require_count(arrays)
    given = [_ordered(function, x, array) for x, array in zip(function.inputs, arrays, strict=True)]
    axes = [_axes(x, array) for x, array in zip(function.inputs, given, strict=True)]
    results = [_names(function, name, shape) for name, shape in function.outputs]

    def blocks(*plain: Foreign) -> Foreign:
        checked = function.checks.checked(plain)
        if any(stands_for(x, "Array") for x in checked):
            return function.blocks(checked)
        return function.kernel(*[x.dtype for x in checked])(*checked)

    try:
        found = xarray.apply_ufunc(
            blocks, *given, input_core_dims=axes, output_core_dims=[[name for name, _ in result] for result in results],
            exclude_dims={name for group in axes for name in group}, dask="allowed", join="exact", keep_attrs=False,
        )
    except ValueError as error:
        raise ShapeError(f"{function.__name__}: the arrays are not compatible: {error}") from None
    several = found if isinstance(found, tuple) else (found,)
    named = tuple(
        array.assign_coords({axis: list(names) for axis, names in result if names is not None}).rename(name)
        for array, result, (name, _) in zip(several, results, function.outputs, strict=True)
    )
    return named if len(named) > 1 else named[0]


def _ordered(function: DaskFunction, x: Input, array: Foreign) -> Foreign:
    """Reorder an argument along "joint" to the robot's order of joints."""
    names = next(iter(function.labels[0].get(x.name, ())), None)
    if not stands_for(array, "DataArray"):
        return array
    if names is None or len(x.shape) != 1:
        return array
    what = f"{function.__name__}: {x.name}"
    if JOINT not in array.dims:
        raise ShapeError(f"{what} has no dimension '{JOINT}'; it has: {', '.join(map(str, array.dims)) or 'none'}")
    if JOINT not in array.coords:
        return array
    labels = [str(label) for label in array.coords[JOINT].values]
    if sorted(labels) != sorted(names):
        raise ShapeError(f"{what} has the joints {', '.join(labels)}, but needs {', '.join(names)}, in any order")
    return array.isel({JOINT: [labels.index(name) for name in names]}) if labels != list(names) else array


def _axes(x: Input, array: Foreign) -> list[str]:
    """Names of an argument's core dimensions: "joint" for axes over joints, otherwise its last dimensions."""
    if not x.shape:
        return []
    if not stands_for(array, "DataArray"):
        raise InputError(f"{x.name} must be a DataArray, like the other arguments: its axes need names")
    if len(x.shape) == 1 and JOINT in array.dims:
        return [JOINT]
    return [str(name) for name in array.dims[-len(x.shape) :]]


def _names(function: DaskFunction, name: str, shape: tuple[int, ...]) -> list[tuple[str, Sequence[str] | None]]:
    """Dimensions of a result, and names along them. Dimensions are "joint", "joint_2", or else <result>_<axis>."""
    labels = function.labels[1].get(name, ())
    found: list[tuple[str, Sequence[str] | None]] = []
    for k in range(len(shape)):
        names = labels[k] if k < len(labels) else None
        joints = sum(x is not None for _, x in found)
        joint = JOINT if not joints else f"{JOINT}_{joints + 1}"
        found.append((f"{name}_{k}", None) if names is None else (joint, names))
    return found
