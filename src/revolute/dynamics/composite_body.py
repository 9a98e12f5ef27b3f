"""Forward dynamics from the mass matrix and its sparse factors, for any scalar type."""

from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.sparse_factorization import Factors, factorized
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar, Scalars, Wrenches


def composite_body(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None,
    base_twist: Scalars = (0, 0, 0, 0, 0, 0), base_acceleration: Scalars = (0, 0, 0, 0, 0, 0),
) -> list[Scalar]:
    """Forward dynamics: the solution qdd of M(q) qdd = tau - bias. LP 9.89; BP section 6.2, Table 6.3 (iii).

    M is computed from composite bodies (BP Alg. 6.2), the bias by Newton-Euler with qdd = 0 (BP Alg. 5.7), and qdd by
    M = L^T D L. For arguments and result see `articulated_body`. The operation count grows with the square of the
    tree's depth, but for short arms it is lower than that of `articulated_body`.
    """
    bias = newton_euler(model, q, qd, (0,) * model.nv, wrenches, base_twist, base_acceleration)
    return mass_matrix_factors(model, q).solve([force - b for force, b in zip(tau, bias, strict=True)])


def mass_matrix_factors(model: Model, q: Scalars) -> Factors:
    """L and D of M(q) = L^T D L."""
    return factorized(model, mass_matrix(model, q))
