"""One step of the Riccati recursion of a plan, from node t + 1 to node t, over any scalar.

Differential dynamic programming with gaps between nodes: Mayne 1966; Mastalli et al. 2020 (FDDP).

The small motion of a node is dx = (dq, dqd), its control is a small acceleration w. A step of `semi_implicit_euler` is

    dqd' = dqd + h w,    dq' = F_q dq + F_v dqd'

where F_q = 1 and F_v = h except for joints with quaternions. So derivatives of forward dynamics are not needed: with

    V = Vxx of t + 1,    B = (F_v; 1),    S = B^T V (F_q; 0),    Z = B^T V B

the quadratic model of node t, with the cost's own l, is

    Q_ww = l_ww + h^2 Z,    Q_wx = l_wx + h (S, Z),    Q_xx = l_xx + (F_q^T V_qq F_q, S^T; S, Z)

If forces are bounded, or some joints have no motor, the controls are the motor forces c: w = W_x dx + W_c c.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from revolute.dynamics.optimal.box import Box, bounded_minimum
from revolute.dynamics.positive_definite import Triangular, triangular
from revolute.records import dataclass
from revolute.spatial.scalar import Scalar

__all__ = ["Quadratic", "Value", "at", "boxed_value", "node_model", "policy", "through_motors", "value"]

Vec = Sequence[Scalar]
Rows = Sequence[Sequence[Scalar]]
Sparse = Sequence[Mapping[int, Scalar]]


def at(i: int, j: int) -> int:
    """The index of entry i, j of a symmetric matrix that is stored as its lower triangle, row by row."""
    return max(i, j) * (max(i, j) + 1) // 2 + min(i, j)


@dataclass(frozen=True)
class Quadratic:
    """Q(dx, c) = Q_x dx + Q_c c + (dx^T Q_xx dx + 2 c^T Q_cx dx + c^T Q_cc c) / 2.

    Attributes:
        x, c: gradients.
        xx, cc: lower triangles, row by row.
        cx: rows of c.
    """

    x: Vec
    c: Vec
    xx: Vec
    cx: Rows
    cc: Vec


@dataclass(frozen=True)
class Value:
    """V(dx) = V_x dx + dx^T V_xx dx / 2, and the scalars that check the policy c = -(k + K dx).

    Attributes:
        x, xx: gradient and lower triangle.
        slope, curvature: of the cost along the policy's step c = -k.
        least: the smallest pivot of Q_cc; the step is meaningless unless it is positive.
        bent: V_xx times the gap into the node.
    """

    x: Vec
    xx: Vec
    slope: Scalar
    curvature: Scalar
    least: Scalar
    bent: Vec


def node_model(Vx: Vec, V: Vec, cost: Quadratic, F_q: Sparse, F_v: Sparse, h: Scalar) -> Quadratic:
    """The model of node t in accelerations: see above.

    Args:
        Vx, V: of node t + 1.
        cost: of node t.
        F_q, F_v: rows, {column: entry}.
        h: length of the step.
    """
    n = len(cost.c)
    columns_q, columns_v = (
        [[(i, row[k]) for i, row in enumerate(F) if k in row] for k in range(n)] for F in (F_q, F_v)
    )
    v = [[V[at(i, j)] for j in range(2 * n)] for i in range(2 * n)]
    # V (F_q; 0) and V (F_v; 1), each 2n rows of n
    VF = [[total(_times(v[r][k], f) for k, f in columns_q[j]) for j in range(n)] for r in range(2 * n)]
    VB = [[total(_times(v[r][k], f) for k, f in columns_v[j]) + v[r][n + j] for j in range(n)] for r in range(2 * n)]
    S = [[total(_times(VF[k][j], f) for k, f in columns_v[i]) + VF[n + i][j] for j in range(n)] for i in range(n)]
    Z = [[total(_times(VB[k][j], f) for k, f in columns_v[i]) + VB[n + i][j] for j in range(i + 1)] for i in range(n)]
    Z = [[Z[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    top = [[total(_times(VF[k][j], f) for k, f in columns_q[i]) for j in range(i + 1)] for i in range(n)]
    whole = [*top, *([*S[i], *Z[i]] for i in range(n))]
    along = [total(_times(Vx[k], f) for k, f in columns_v[i]) + Vx[n + i] for i in range(n)]
    before = [total(_times(Vx[k], f) for k, f in columns_q[i]) for i in range(n)]
    return Quadratic(
        [a + b for a, b in zip(cost.x, [*before, *along], strict=True)],
        [a + h * b for a, b in zip(cost.c, along, strict=True)],
        [cost.xx[at(i, j)] + whole[i][j] for i in range(2 * n) for j in range(i + 1)],
        [[cost.cx[i][j] + h * (S[i][j] if j < n else Z[i][j - n]) for j in range(2 * n)] for i in range(n)],
        [cost.cc[at(i, j)] + h * (h * Z[i][j]) for i in range(n) for j in range(i + 1)],
    )


def through_motors(Q: Quadratic, W_x: Rows, W_c: Rows) -> Quadratic:
    """The model in motor forces c, with accelerations w = W_x dx + W_c c."""
    n, N, m = len(Q.c), len(Q.x), len(W_c[0])
    every = range(n)
    A = [[row[j] + total(Q.cc[at(i, k)] * W_x[k][j] for k in every) for j in range(N)] for i, row in enumerate(Q.cx)]
    C = [[total(Q.cc[at(i, k)] * W_c[k][j] for k in every) for j in range(m)] for i in every]
    return Quadratic(
        [x + total(W_x[k][j] * Q.c[k] for k in every) for j, x in enumerate(Q.x)],
        [total(W_c[k][j] * Q.c[k] for k in every) for j in range(m)],
        [
            Q.xx[at(i, j)] + total(W_x[k][i] * A[k][j] + Q.cx[k][i] * W_x[k][j] for k in every)
            for i in range(N)
            for j in range(i + 1)
        ],
        [[total(W_c[k][i] * A[k][j] for k in every) for j in range(N)] for i in range(m)],
        [total(W_c[k][i] * C[k][j] for k in every) for i in range(m) for j in range(i + 1)],
    )


def value(Q: Quadratic, mu: Scalar, gap: Vec) -> tuple[Value, Triangular, Rows, Vec]:
    """The minimum of a model over c, with mu added to the diagonal of Q_cc: Q_cc = L D L^T.

        V_xx = Q_xx - Y^T D^-1 Y,    V_x = Q_x - Y^T D^-1 y + V_xx gap,    L (Y, y) = (Q_cx, Q_c)

    Returns:
        the value, the factors, D^-1 Y and D^-1 y.
    """
    m, N = len(Q.c), len(Q.x)
    F = triangular([[Q.cc[at(i, j)] + (mu if i == j else 0) for j in range(i + 1)] for i in range(m)])
    Y: list[list[Scalar]] = []
    y: list[Scalar] = []
    for i in range(m):
        Y.append([Q.cx[i][j] - total(F.L[i][k] * Y[k][j] for k in range(i)) for j in range(N)])
        y.append(Q.c[i] - total(F.L[i][k] * y[k] for k in range(i)))
    DY = [[share * x for x in row] for share, row in zip(F.inverse_D, Y, strict=True)]
    Dy = [share * x for share, x in zip(F.inverse_D, y, strict=True)]
    xx = [Q.xx[at(i, j)] - total(Y[k][i] * DY[k][j] for k in range(m)) for i in range(N) for j in range(i + 1)]
    x = [a - total(DY[k][i] * y[k] for k in range(m)) for i, a in enumerate(Q.x)]
    slope = total(a * b for a, b in zip(y, Dy, strict=True))
    return across_gap(x, xx, slope, -slope, least(F.D), gap), F, DY, Dy


def boxed_value(Q: Quadratic, mu: Scalar, gap: Vec, box: Box) -> tuple[Value, Rows, Vec]:
    """The minimum of a model over lower <= c <= upper: see `bounded_minimum`. Tassa, Mansard & Todorov 2014.

    Returns:
        the value, and K and k of the policy c = k + K dx: rows of K are zero where c is at a bound.
    """
    m, N = len(Q.c), len(Q.x)
    cc = [x + mu if i == j else x for i in range(m) for j, x in enumerate(Q.cc[at(i, 0) : at(i, i) + 1])]
    k, free, F = bounded_minimum(cc, Q.c, box)
    columns = [F.solve([free[i] * -Q.cx[i][j] for i in range(m)]) for j in range(N)]
    K = [[columns[j][i] for j in range(N)] for i in range(m)]
    force = [Q.c[i] + total(cc[at(i, j)] * k[j] for j in range(m)) for i in range(m)]
    # K^T Q_cc K = -K^T Q_cx, as rows of K are zero where c is not free
    xx = [Q.xx[at(i, j)] + total(Q.cx[c][i] * K[c][j] for c in range(m)) for i in range(N) for j in range(i + 1)]
    x = [a + total(Q.cx[c][i] * k[c] + K[c][i] * force[c] for c in range(m)) for i, a in enumerate(Q.x)]
    slope = -total(a * b for a, b in zip(k, Q.c, strict=True))
    bend = -total(a * (b - c) for a, b, c in zip(k, force, Q.c, strict=True))
    return across_gap(x, xx, slope, bend, least(F.D), gap), K, k


def across_gap(x: Vec, xx: Vec, slope: Scalar, curvature: Scalar, pivot: Scalar, gap: Vec) -> Value:
    """The value at the end of the gap into a node, where the previous step arrives."""
    N = len(gap)
    bent = [total(xx[at(i, j)] * gap[j] for j in range(N)) for i in range(N)]
    x = [a + b for a, b in zip(x, bent, strict=True)]
    slope = slope - total(a * b for a, b in zip(x, gap, strict=True))
    return Value(x, xx, slope, curvature + total(a * b for a, b in zip(bent, gap, strict=True)), pivot, bent)


def policy(L: Vec, DY: Rows, Dy: Vec) -> tuple[Rows, Vec]:
    """K and k of the minimizing policy, c = k + K dx, from the results of `value`: L^T (K, k) = -D^-1 (Y, y)."""
    rows = [[*(-x for x in row), -x] for row, x in zip(DY, Dy, strict=True)]
    for i in reversed(range(len(rows))):
        for j in range(i):
            rows[j] = [a - L[i * (i - 1) // 2 + j] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[:-1] for row in rows], [row[-1] for row in rows]


def least(pivots: Vec) -> Scalar:
    """The smallest of some numbers."""
    smallest, *others = pivots
    for x in others:
        smallest = smallest.minimum(x) if hasattr(smallest, "minimum") else min(smallest, x)
    return smallest


def total(terms: Iterable[Scalar]) -> Scalar:
    """The sum of some terms, without a zero before the first."""
    result: Scalar = None
    for x in terms:
        result = x if result is None else result + x
    return 0 if result is None else result


def _times(x: Scalar, factor: Scalar) -> Scalar:
    return x if isinstance(factor, int) and factor == 1 else x * factor
