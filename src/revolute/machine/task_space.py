"""Results in task space, and the treatment of singular states."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import real_array, wrenches_by_link
from revolute.errors import InputError, SingularityError
from revolute.machine.machine import Array, LinkWrenches, Machine, Threads

TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")  # names of the six rows of a twist


class TaskSpaceDynamics(NamedTuple):
    """F = inertia @ acceleration + bias: m equations for m rows of a link's twist, or for m coordinates. LP 9.97.

    Attributes:
        inertia: (..., m, m) Lambda, symmetric [kg m^2, kg m, kg].
        bias: (..., m) eta = coriolis + gravity + external [N m, N].
        coriolis: (..., m) velocity-dependent forces mu [N m, N].
        gravity: (..., m) gravity forces p [N m, N].
        singular: (...) whether the undamped inertia does not exist in this state.
        external: (..., m) forces e that balance wrenches of the environment [N m, N]; negative where these assist.
    """

    inertia: Array
    bias: Array
    coriolis: Array
    gravity: Array
    singular: Array
    external: Array


class TaskSpaceForces(NamedTuple):
    """Joint forces, and the equivalent wrench on the link frame, or forces of the coordinates.

    Attributes:
        tau: (..., nv) joint forces J^T F [N m, N].
        wrench: (..., m) wrench F on the frame, or forces of the coordinates [N m, N].
        singular: (...) whether the undamped inertia does not exist in this state.
    """

    tau: Array
    wrench: Array
    singular: Array


class LinearTaskModel(NamedTuple):
    """dtau = D d2/dt2 dx + V d/dt dx + P dx. BP 7.4.18.

    Attributes:
        D, V, P: (..., nv, m) matrices; m is nv, and 7 for a quaternion.
        singular: (...) whether the Jacobian has no inverse in this state.
    """

    D: Array
    V: Array
    P: Array
    singular: Array


def damped_results(
    machine: Machine, function: str, arrays: tuple[ArrayLike, ...], damping: ArrayLike, wrenches: LinkWrenches,
    threads: Threads, options: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Any, Array | None]:
    """Results of a function with wrenches and damping; and the damping in the dtype of the first array, or None."""
    links, loads = wrenches_by_link(wrenches)
    chosen = {**options, "wrenches": links} if links else {**options}
    values = real_array("singularity_damping", damping)
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise InputError(f"singularity_damping must be finite numbers, zero or more, not {damping!r}")
    if not values.any():
        return machine._evaluate(function, (*arrays, *loads), threads, chosen), None
    single = isinstance(arrays[0], np.ndarray) and arrays[0].dtype.char == "f"
    values = values.astype(np.float32 if single else np.float64)
    return machine._evaluate(function, (*arrays, *loads, values), threads, {**chosen, "damped": True}), values


def singular_rows(
    results: Sequence[Array], check: Array, damping: Array | None, q: ArrayLike, where: str, names: Sequence[str]
) -> Array:
    """(...) whether each state is singular. Undamped results of singular states become NaN; raise `SingularityError`
    for a single singular state without damping.

    `check` is (..., m, 4), the result of `Mobility.check`: squares of sines and lengths. At the limit, an angle of
    1e-5 rad, Lambda still has six correct digits in float64; in float32, at 3e-3 rad, two. `names`: m row names.
    """
    least = 1e-10 if check.dtype == np.float64 else 1e-5
    independent = (check[..., 0] > least * check[..., 1]) & (check[..., 2] > least * check[..., 3])
    dependent = ~independent  # the comparison is false for NaN, from a singular mass matrix or a NaN in the state
    singular: Array = np.asarray(dependent.any(axis=-1))
    lost = singular if damping is None else singular & (damping == 0)
    if lost.ndim == 0 and lost and np.isfinite(check[..., 1:]).all():
        name = names[int(np.argmax(dependent))]
        others = " independently of the other rows" if len(names) > 1 else ""
        raise SingularityError(
            f"{where} cannot be accelerated along {name}{others}, at "
            f"q = {np.array2string(np.asarray(q), precision=4, threshold=20)}; omit rows, or give "
            "singularity_damping"
        )
    if lost.any():
        for result in results:
            result[lost] = np.nan
    return singular
