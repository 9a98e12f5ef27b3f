"""Regressors of joint forces, M and C with respect to the inertial parameters, for any scalar type. GOA 8-16.

C is the matrix of Christoffel symbols; for the C of GOA 6b see `goa_regressor`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from revolute.dynamics.kinematics import in_child, poses_in_parents
from revolute.dynamics.large_regressors import coriolis_matrix_regressor_in_loops, is_large, regressor_in_loops
from revolute.dynamics.motions import Acceleration, reference_accelerations
from revolute.model.model import Model
from revolute.spatial import ZERO, Scalar, Scalars, Transform, Twist, Vector, cross, dot


def regressor(
    model: Model, q: Scalars, qd: Scalars, qdr: Scalars, qddr: Scalars, *, loops: bool = False
) -> list[Scalar]:
    """The Slotine-Li regressor; qdr = qd yields that of inverse dynamics. GOA 16, with the C of Christoffel symbols.

        Y pi = M(q) qddr + C(q, qd) qdr + g(q)

    The block of body i is J_i^T A_i, with A_i pi_i the wrench that its motion needs and J_i its Jacobian, both
    expressed in its frame. Only the rows of joints that carry the body are nonzero.

    Args:
        model: kinematic tree; its inertias are not used.
        q, qd, qdr, qddr: see `reference_accelerations`.
        loops: compute the rows of each body in loops, which are slower, but compile fast.

    Returns:
        nv rows of 10 n scalars, one after the other, for n bodies without the base.
    """
    X, A = reference_accelerations(model, q, qd, qdr, qddr)
    if loops:
        return regressor_in_loops(model, X, A, parameter_powers)
    width = 10 * (len(model.bodies) - 1)
    Y: list[Scalar] = [0] * (model.nv * width)
    for i, J in enumerate(body_jacobians(model, X)[1:]):
        for k, V in J.items():
            Y[k * width + 10 * i : k * width + 10 * i + 10] = parameter_powers(V, A[i + 1])
    return Y


def mass_matrix_regressor(model: Model, q: Scalars) -> list[Scalar]:
    """dM/dpi: entry (j, k, 10 i + p) is M_jk if parameter p of body i + 1 is one and all others are zero. GOA 13a.

        M_jk = sum_i J_ij^T M_i(pi_i) J_ik

    The result is an array (nv, nv, 10 n) as scalars in C order.
    """
    n, width = model.nv, 10 * (len(model.bodies) - 1)
    dM: list[Scalar] = [0] * (n * n * width)
    for i, J in enumerate(body_jacobians(model, poses_in_parents(model, q))[1:]):
        for j, V in J.items():
            for k, W in J.items():
                at = (j * n + k) * width + 10 * i
                dM[at : at + 10] = _product(V, W)
    return dM


def coriolis_matrix_regressor(
    model: Model, q: Scalars, qd: Scalars, slotine_li: Callable[..., list[Scalar]] = regressor
) -> list[Scalar]:
    """dC/dpi: entry (j, k, 10 i + p) is C_jk if parameter p of body i + 1 is one and all others are zero.

    Column k is the regressor for unit reference velocity of joint k, without gravity: `regressor` for the C of the
    Christoffel symbols, or `goa_regressor` for the C of GOA 6b (then this is GOA 13b). Scalars are in C order.
    """
    if slotine_li is regressor and is_large(model):
        return coriolis_matrix_regressor_in_loops(model, q, qd, parameter_powers)
    n, still = model.nv, (0,) * model.nv
    floating = replace(model, gravity=ZERO)
    columns = [slotine_li(floating, q, qd, [int(k == j) for j in range(n)], still) for k in range(n)]
    width = 10 * (len(model.bodies) - 1)
    return [x for j in range(n) for Y in columns for x in Y[j * width : (j + 1) * width]]


def body_jacobians(model: Model, X: Sequence[Transform]) -> list[dict[int, Twist]]:
    """For every body, the nonzero columns of its Jacobian, expressed in its frame, by index in qd. GOA 27."""
    J: list[dict[int, Twist]] = [{}]
    for i, body in enumerate(model.bodies[1:], 1):
        columns = {k: in_child(X[i], V) for k, V in J[body.parent].items()}
        J.append(columns | dict(enumerate(body.joint.columns(), model.v_index[i].start)))
    return J


def parameter_powers(V: Twist, A: Acceleration) -> tuple[Scalar, ...]:
    """V^T A with the 6x10 matrix A of GOA 8-12: per parameter, the power at V if it is one and all others are zero."""
    u, e, O = V.ang, A.e, A.Omega
    (_, Bxy, Bxz), (_, _, Byz), _ = A.B
    Bxx, Byy, Bzz = (A.B[k][k] for k in range(3))
    h = O.T @ V.lin + cross(A.a, u)
    return (
        dot(V.lin, A.a),
        *h,
        dot(u, Vector((e[0], Bxz, -Bxy))),
        dot(u, Vector((-Byz, e[1], Bxy))),
        dot(u, Vector((Byz, -Bxz, e[2]))),
        dot(u, Vector((-O[2][0], O[2][1], Bxx - Byy))),
        dot(u, Vector((O[1][0], Bzz - Bxx, -O[1][2]))),
        dot(u, Vector((Byy - Bzz, -O[0][1], O[0][2]))),
    )


def _product(V: Twist, W: Twist) -> tuple[Scalar, ...]:
    """For each parameter, V^T M W if this parameter is one and all others are zero."""
    (ax, ay, az), (bx, by, bz) = V.ang, W.ang
    h = cross(V.lin, W.ang) + cross(W.lin, V.ang)
    crossed = (ax * by + ay * bx, ax * bz + az * bx, ay * bz + az * by)
    return (dot(V.lin, W.lin), *h, ax * bx, ay * by, az * bz, *crossed)
