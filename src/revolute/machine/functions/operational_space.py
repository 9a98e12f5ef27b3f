"""Recursions of the equations of motion in coordinates x = h(q). BP section 7.4.

The equations of `dynamics.task_space` hold if the rates of all coordinates are independent. A quaternion has four
rates for three degrees of freedom: its equations are those of the twist V = E xd, with forces E^T F.
"""

from typing import Any

from revolute.compiler.signature import flat
from revolute.dynamics import linear_models
from revolute.dynamics import task_space as recursions
from revolute.dynamics.linear_models import product, total
from revolute.errors import InputError
from revolute.machine.functions.operational_coordinates import OperationalCoordinates
from revolute.model import Model, reduced
from revolute.spatial import Rows, Scalars, Tree, Wrenches, transposed


def check_square(model: Model, x: OperationalCoordinates, **_: Any) -> None:
    """Raise an error unless the task has as many rates as the robot has degrees of freedom."""
    if len(x.row_names) != model.nv:
        raise InputError(
            f"linearize: '{model.name}' has {model.nv} degrees of freedom and needs as many independent coordinates, "
            f"not {len(x.row_names)}: BP section 7.4 applies only to non-redundant arms"
        )


def coordinates(model: Model, x: OperationalCoordinates, q: Scalars) -> Tree:
    """x, and its regularity."""
    return x.values(model, q), x.regularity(model, q)


def jacobian(model: Model, x: OperationalCoordinates, q: Scalars) -> Tree:
    """J_a."""
    return x.jacobian(model, q), x.regularity(model, q)


def jacobian_rate(model: Model, x: OperationalCoordinates, q: Scalars, qd: Scalars) -> Tree:
    """dJ_a/dt."""
    return x.jacobian_rate(model, q, qd), x.regularity(model, q)


def mass_matrix(model: Model, x: OperationalCoordinates, q: Scalars, damping: Scalars = (0,)) -> Tree:
    """Lambda."""
    Lambda, mobility = recursions.task_inertia(reduced(model), q, x.task(model), damping[0])
    return _between(x.lifts(model, q), Lambda), mobility.check(), x.regularity(model, q)


def gravity_forces(model: Model, x: OperationalCoordinates, q: Scalars, damping: Scalars = (0,)) -> Tree:
    """p."""
    p, mobility = recursions.task_gravity_forces(reduced(model), q, x.task(model), damping[0])
    return _lifted(x.lifts(model, q), p), mobility.check(), x.regularity(model, q)


def bias_forces(
    model: Model, x: OperationalCoordinates, q: Scalars, qd: Scalars, damping: Scalars = (0,), wrenches: Wrenches = None
) -> Tree:
    """eta: the forces at zero acceleration."""
    still = (0,) * len(x.row_names)
    _, eta, mobility = recursions.task_space_forces(reduced(model), q, qd, still, x.task(model), damping[0], wrenches)
    return _lifted(x.lifts(model, q), eta), mobility.check(), x.regularity(model, q)


def dynamics(
    model: Model, x: OperationalCoordinates, q: Scalars, qd: Scalars, damping: Scalars = (0,), wrenches: Wrenches = None
) -> Tree:
    """Lambda, mu, p, e."""
    Lambda, *forces, mobility = recursions.task_space_dynamics(
        reduced(model), q, qd, x.task(model), damping[0], wrenches
    )
    E = x.lifts(model, q)
    return _between(E, Lambda), *(_lifted(E, f) for f in forces), mobility.check(), x.regularity(model, q)


def equations_of_motion(
    model: Model, x: OperationalCoordinates, q: Scalars, qd: Scalars, damping: Scalars = (0,)
) -> Tree:
    """D, C, G: with V = E xd, D = E^T Lambda E, C = E^T C_V E + E^T Lambda Ed, G = E^T p."""
    D, C, G, mobility = recursions.task_equations_of_motion(reduced(model), q, qd, x.task(model), damping[0])
    if lifts := x.lifts(model, q, qd):
        E, Ed = lifts
        C = _between([E], total(product(C, E), product(D, Ed)), once=True)
    E_only = lifts[:1]
    return _between(E_only, D), C, _lifted(E_only, G), mobility.check(), x.regularity(model, q)


def inverse_dynamics(
    model: Model, x: OperationalCoordinates, q: Scalars, qd: Scalars, acceleration: Scalars, damping: Scalars = (0,),
    wrenches: Wrenches = None,
) -> Tree:
    """tau and F; the task's acceleration is E xdd, because Ed xd = 0 for quaternions."""
    E = x.lifts(model, q)
    if E:
        acceleration = flat(product(E[0], [[a] for a in acceleration]))
    tau, F, mobility = recursions.task_space_forces(
        reduced(model), q, qd, acceleration, x.task(model), damping[0], wrenches
    )
    return tau, _lifted(E, F), mobility.check(), x.regularity(model, q)


def dynamically_consistent_inverse(
    model: Model, x: OperationalCoordinates, q: Scalars, damping: Scalars = (0,)
) -> Tree:
    """Jbar."""
    inverse, mobility = recursions.dynamically_consistent_inverse(reduced(model), q, x.task(model), damping[0])
    for E in x.lifts(model, q):
        inverse = product(inverse, E)
    return inverse, mobility.check(), x.regularity(model, q)


def linearize(
    model: Model, x: OperationalCoordinates, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches = None
) -> Tree:
    """D, V, P of x: for D, V, P of the twist and dV = E dx, they are D E, V E + 2 D Ed, P E + V Ed + D Edd."""
    D, V, P, mobility = linear_models.linearize_task(reduced(model), q, qd, qdd, x.task(model), wrenches)
    if lifts := x.lifts(model, q, qd, qdd):
        E, Ed, Edd = lifts
        D_Ed = product(D, Ed)
        P = total(product(P, E), product(V, Ed), product(D, Edd))
        D, V = product(D, E), total(product(V, E), D_Ed, D_Ed)
    return D, V, P, mobility.check(), x.regularity(model, q)


def _lifted(lifts: list[Rows], F: Scalars) -> Scalars:
    """E^T F; F itself if there are no lifts E."""
    return flat(product(transposed(lifts[0]), [[f] for f in F])) if lifts else F


def _between(lifts: list[Rows], A: Rows, once: bool = False) -> Rows:
    """E^T A E, or with `once` E^T A; A itself if there are no lifts E."""
    if not lifts:
        return A
    (E,) = lifts
    return product(transposed(E), A if once else product(A, E))
