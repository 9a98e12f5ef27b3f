"""Recursions of M, C and g, and of their rates; the kinds of Coriolis matrix."""

from typing import Any

from revolute.compiler.signature import flat
from revolute.dynamics import equations_of_motion as recursion
from revolute.dynamics import mass_matrix as composite
from revolute.dynamics.goa_coriolis import goa_difference
from revolute.dynamics.linear_models import total
from revolute.dynamics.mass_matrix import mass_matrix_in_base
from revolute.dynamics.newton_euler import newton_euler
from revolute.errors import InputError
from revolute.machine.functions.traced import along_motion, cost
from revolute.model import Model, aligned, reduced, reduced_in_place
from revolute.spatial import Rows, Scalar, Scalars, Tree

DEEP = 5
"""Mean depth of the bodies in the tree above which momenta expressed in the base frame may need fewer operations."""

ENTRY = 20  # minimum number of operations of `mass_matrix` per entry of M that couples two bodies


def mass_matrix(model: Model, q: Scalars) -> Tree:
    """M, computed from body to body or in the base frame, whichever needs fewer operations."""
    entries = sum(_depths(model))
    if entries < DEEP * len(model.bodies):
        return composite.mass_matrix(model, q)
    in_base = mass_matrix_in_base(model, q)
    if ENTRY * entries > cost(flat(in_base)):
        return in_base
    return min(composite.mass_matrix(model, q), in_base, key=lambda M: cost(flat(M)))


def _depths(model: Model) -> list[int]:
    depths = [-1]
    for body in model.bodies[1:]:
        depths.append(depths[body.parent] + 1)
    return depths[1:]


def with_transpose(C: Rows) -> Rows:
    """C + C^T, the rate of the mass matrix."""
    n = range(len(C))
    return [[C[i][j] + C[j][i] for j in n] for i in n]


def equations_of_motion(
    model: Model, q: Scalars, qd: Scalars, mass_matrix_rate: bool = False, kind: str = "christoffel"
) -> Tree:
    """M, C, g, and dM/dt on request."""
    M, C, g = terms(model, q, qd, kind)
    return (M, C, g, with_transpose(C)) if mass_matrix_rate else (M, C, g)


def gravity_forces_rate(model: Model, q: Scalars, qd: Scalars) -> Tree:
    """dg/dt."""
    zeros = (0,) * model.nv
    return along_motion(model, newton_euler(reduced(model), q, zeros, zeros), q, qd)


def equations_of_motion_rates(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, kind: str = "christoffel") -> Tree:
    """M, C, g, dM/dt, dC/dt, dg/dt."""
    return with_rates(model, *terms(model, q, qd, kind), q, qd, qdd)


def with_rates(space: Model, M: Rows, C: Rows, g: Scalars, *motion: Scalars) -> Tree:
    """M, C and g with their rates along a motion of the joints of `space`."""
    rates, size = along_motion(space, [*flat(C), *g], *motion), len(g) ** 2
    return M, C, g, with_transpose(C), rates[:size], rates[size:]


def equations_of_motion_second_rates(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, qddd: Scalars, kind: str = "christoffel"
) -> Tree:
    """d2M/dt2, d2C/dt2, d2g/dt2."""
    _, C, g = terms(model, q, qd, kind)
    n, size = model.nv, model.nv**2
    first = along_motion(model, [*flat(C), *g], q, qd, qdd)
    second = along_motion(model, first, q, qd, qdd, qddd)
    return with_transpose([first[n * i : n * i + n] for i in range(n)]), second[:size], second[size:]


KINDS = {
    "christoffel": "of Christoffel's symbols, LP 9.87",
    "goa": "of Garofalo, Ott and Albu-Schaeffer's closed form, GOA 6b",
}
"""Algorithm and reference of each kind of Coriolis matrix, for docstrings and messages."""


def check_kind(*_: Any, kind: str = "christoffel", **others: Any) -> None:
    """Raise `InputError` unless `kind` is one of `KINDS`."""
    if not isinstance(kind, str) or kind not in KINDS:
        sources = "; ".join(f"'{name}' ({source})" for name, source in KINDS.items())
        raise InputError(f"kind: there is no kind {kind!r} of Coriolis matrix; available: {sources}")


def terms(model: Model, q: Scalars, qd: Scalars, kind: str = "christoffel") -> tuple[Any, Any, list[Scalar]]:
    """M, C and g. GOA's C must not be computed from the regrouped model, whose C is different."""
    if kind == "christoffel":
        return recursion.equations_of_motion(reduced(model), q, qd)
    M, C, g = recursion.equations_of_motion(reduced_in_place(model), q, qd)
    return M, total(C, goa_difference(aligned(model), q, qd)), g
