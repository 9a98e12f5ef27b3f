"""The quadratic model of a node whose controls determine the velocity u after the step, for any scalar type.

    u = Z_x dx + Z_c c,    dq' = F_q dq + F_v u,    dqd' = T u

With V = V_xx of the next node, B = (F_v; T), D = B^T V (F_q; 0), S = B^T V B and G = S Z_x + (D 0),

    Q_xx = l_xx + (F_q; 0)^T V (F_q; 0) + Z_x^T G + (D 0)^T Z_x,    Q_cx = l_cx + Z_c^T G,    Q_cc = l_cc + Z_c^T S Z_c

Positions follow from velocities, so these matrices are half as large as those of the derivatives of a state.
"""

from revolute.dynamics.optimal.products import dot, plus_lower_product, plus_product
from revolute.dynamics.optimal.riccati import Quadratic, Rows, Sparse, along_columns, columns_of, swept_rows
from revolute.spatial.loop import mapped, repeated
from revolute.spatial.scalar import Scalar, Scalars, transposed


def velocity_model(
    Vx: Scalars, V: Rows, cost: Quadratic, Z_x: Rows, Z_c: Rows, h: Scalar, F_q: Sparse, F_v: Sparse, T: Sparse
) -> Quadratic:
    """The quadratic model of node t from V_x and V_xx of node t + 1, the cost of node t, and the rows of Z_x and Z_c.

    For F_q, F_v and T see `symplectic_model`. Only the lower triangles of l_xx and Q_xx are used.
    """
    n = len(Z_x)
    by_q, by_u = columns_of(F_q, F_v, T)
    rows, still = swept_rows(V, h, by_q, by_u), [0.0] * n

    def of_q(row: Scalars, xx: Scalars) -> list[Scalar]:
        return [a + b for a, b in zip(xx, along_columns(row, by_q), strict=True)]

    def of_u(_: Scalars, row: Scalars) -> tuple[tuple[()], tuple[list[Scalar], list[Scalar]]]:
        return (), ([*along_columns(row, by_q), *still], along_columns(row, by_u))

    D, S = repeated(of_u, (), [rows[n:]])[1]
    G = plus_product(D, S, Z_x)
    down_x, down_c, along = transposed(Z_x), transposed(Z_c), along_columns(Vx, by_u)
    above = plus_lower_product(mapped(of_q, rows[:n], [xx[:n] for xx in cost.xx[:n]]), down_x[:n], G)
    return Quadratic(
        [a + b + dot(z, along) for a, b, z in zip(cost.x, [*along_columns(Vx, by_q), *still], down_x, strict=True)],
        [a + dot(z, along) for a, z in zip(cost.c, down_c, strict=True)],
        [
            *plus_lower_product(above, transposed(row[:n] for row in D), Z_x),
            *plus_lower_product(cost.xx[n:], down_x[n:], G, before=n),
        ],
        plus_product(cost.cx, down_c, G),
        plus_product(cost.cc, down_c, plus_product(None, S, Z_c)),
    )
