"""Christoffel symbols of the mass matrix, and coefficients of velocity products, for any scalar type."""

from revolute.dynamics.inverse_dynamics_partials import mass_matrix_partials
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.model.model import Model
from revolute.spatial.scalar import Cube, Scalar, Scalars
from revolute.spatial.vectors import dot


def christoffel_symbols(model: Model, q: Scalars) -> Cube:
    """Gamma_ijk with C_ij = sum_k Gamma_ijk qd_k. LP 9.13, 9.86; JIN 46; SHV 6.63-6.68.

        2 Gamma_ijk = dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i + b_ijk - b_jik - b_kij

    b_ijk = S_i . I (S_k x S_j) for columns j and k of the same joint. It is zero for columns of different joints, and
    for joints with one coordinate. The columns S of a free joint do not commute: b makes C the matrix that
    `equations_of_motion` returns (Koszul's formula in a noncoordinate frame), with Gamma_ijk - Gamma_ikj = b_ijk.
    """
    D, b = mass_matrix_partials(model, q), _brackets(model, q)
    nv = range(model.nv)
    symbols: Cube = [[[(D[i][j][k] + D[i][k][j] - D[j][k][i]) * 0.5 for k in nv] for j in nv] for i in nv]
    for (j, k), column in b.items():
        for i, x in enumerate(column):
            symbols[i][j][k] += x * 0.5
            symbols[j][i][k] -= x * 0.5
            symbols[j][k][i] -= x * 0.5
    return symbols


def quadratic_velocity_coefficients(model: Model, q: Scalars) -> Cube:
    """h_ijk with (C qd)_i = sum_jk h_ijk qd_j qd_k. JIN 40-41.

        h_ijk = dM_ij/dq_k - dM_jk/dq_i / 2 - b_jik

    h is not symmetric in j and k: h_ijk + h_ikj = Gamma_ijk + Gamma_ikj. The term b of `christoffel_symbols` accounts
    for the rotation of a free joint's body frame. In JIN, qd is the time derivative of q, so b is zero.
    """
    D, nv = mass_matrix_partials(model, q), range(model.nv)
    h = [[[D[i][j][k] - D[j][k][i] * 0.5 for k in nv] for j in nv] for i in nv]
    for (i, k), column in _brackets(model, q).items():
        for j, x in enumerate(column):
            h[i][j][k] -= x
    return h


def centrifugal_and_coriolis_forces(model: Model, q: Scalars, qd: Scalars) -> tuple[list[Scalar], list[Scalar]]:
    """The terms of C qd with squares of velocities, and those with other products. JIN 40-41; SHV 6.63-6.68.

        centrifugal_i = sum_j Gamma_ijj qd_j^2
        Coriolis_i    = sum_j sum_{k<j} (Gamma_ijk + Gamma_ikj) qd_k qd_j
    """
    return squares_and_products(christoffel_symbols(model, q), qd)


def squares_and_products(symbols: Cube, qd: Scalars) -> tuple[list[Scalar], list[Scalar]]:
    """Centrifugal and Coriolis forces from Christoffel symbols: see `centrifugal_and_coriolis_forces`."""
    squares = [x * x for x in qd]
    centrifugal: list[Scalar] = []
    coriolis: list[Scalar] = []
    for G in symbols:
        centrifugal.append(sum(G[j][j] * x for j, x in enumerate(squares)))
        rows = [sum((G[j][k] + G[k][j]) * qd[k] for k in range(j)) for j in range(len(squares))]
        coriolis.append(sum(row * x for row, x in zip(rows, qd, strict=True)))
    return centrifugal, coriolis


def _brackets(model: Model, q: Scalars) -> dict[tuple[int, int], list[Scalar]]:
    """{(j, k): b_ijk for i = 0 ... nv - 1}, without zero columns."""
    columns: dict[tuple[int, int], list[Scalar]] = {}
    several = [i for i, body in enumerate(model.bodies) if body.joint.nv > 1]
    M = mass_matrix(model, q) if several else []
    for i in several:
        joint, start = model.bodies[i].joint, model.v_index[i].start
        S = joint.columns()
        for j, T in enumerate(S):
            for k, U in enumerate(S):
                bracket = U.cross(T)
                parts = [dot(V.ang, bracket.ang) + dot(V.lin, bracket.lin) for V in S]  # columns of S are orthonormal
                if any(x != 0 for x in parts):
                    columns[start + j, start + k] = [
                        sum(m * x for m, x in zip(row[start : start + joint.nv], parts, strict=True)) for row in M
                    ]
    return columns
