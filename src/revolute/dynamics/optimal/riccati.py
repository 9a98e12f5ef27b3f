"""One step of the Riccati recursion of a plan, from node t + 1 to node t, for any scalar type.

Differential dynamic programming with gaps between nodes: Mayne 1966; Mastalli et al. 2020 (FDDP). With dx' = F dx + G c
and V = V_xx of node t + 1, the quadratic model of node t is

    Q_x = l_x + F^T V_x,    Q_xx = l_xx + F^T V F,    Q_cx = l_cx + G^T V F,    Q_cc = l_cc + G^T V G
"""

from collections.abc import Mapping, Sequence
from functools import partial, reduce

from revolute.dynamics.optimal.box import Box, bounded_minimum
from revolute.dynamics.optimal.products import dot, is_large, plus_lower_product, plus_product, symmetric, total
from revolute.dynamics.positive_definite import Triangular, triangular
from revolute.records import dataclass
from revolute.spatial.loop import mapped, repeated
from revolute.spatial.scalar import Scalar, Scalars, mirrored, transposed

Rows = Sequence[Sequence[Scalar]]
Sparse = Sequence[Mapping[int, Scalar]]
Columns = Sequence[Sequence[tuple[int, Scalar]]]

SIDE = 8  # rows of the blocks in which large systems are solved
NO_CURVATURE = 1e-15  # pivot of Q_cc, relative to its diagonal entry, below which the cost counts as flat in a control


@dataclass(frozen=True)
class Quadratic:
    """Q(dx, c) = Q_x dx + Q_c c + (dx^T Q_xx dx + 2 c^T Q_cx dx + c^T Q_cc c) / 2."""

    # x, c: gradients Q_x and Q_c
    x: Scalars
    c: Scalars
    # xx, cx, cc: rows of Q_xx, Q_cx and Q_cc; Q_xx and Q_cc are symmetric
    xx: Rows
    cx: Rows
    cc: Rows


@dataclass(frozen=True)
class Value:
    """V(dx) = V_x dx + dx^T V_xx dx / 2, and the scalars that check the policy c = -(k + K dx)."""

    # x, xx: gradient V_x and rows of V_xx
    x: Scalars
    xx: Rows
    # slope, curvature: first and second derivatives of the decrease in cost along the policy's step c = -k
    slope: Scalar
    curvature: Scalar
    least: Scalar  # smallest pivot of Q_cc less `NO_CURVATURE` times its diagonal entry; positive if the step is valid
    bent: Scalars  # V_xx times the gap before the node


def node_model(Vx: Scalars, V: Rows, cost: Quadratic, F: Rows, G: Rows) -> Quadratic:
    """The quadratic model of node t from V_x and V_xx of node t + 1, the cost of node t, and the rows of F and G."""
    down_F, down_G = transposed(F), transposed(G)
    VF, VG = plus_product(None, V, F), plus_product(None, V, G)
    return Quadratic(
        [a + dot(f, Vx) for a, f in zip(cost.x, down_F, strict=True)],
        [a + dot(g, Vx) for a, g in zip(cost.c, down_G, strict=True)],
        plus_product(cost.xx, down_F, VF),
        plus_product(cost.cx, down_G, VF),
        plus_product(cost.cc, down_G, VG),
    )


def symplectic_model(
    Vx: Scalars, V: Rows, cost: Quadratic, h: Scalar, F_q: Sparse, F_v: Sparse, T: Sparse
) -> Quadratic:
    """The quadratic model of node t with a small acceleration w as its control, for steps of `semi_implicit_euler`:

        u = dqd + h w,    dq' = F_q dq + F_v u,    dqd' = T u

    w is a rate along axes fixed to the parent: see `parent_axes_rates`. F_q = 1, F_v = h and T = 1, except for
    joints with several coordinates. Derivatives of forward dynamics are not needed: with the columns B = (F_v; T) and
    W = (F_q 0; B)^T V (F_q 0; B), Q_cx = l_cx + h W_v, Q_cc = l_cc + h^2 W_vv. Rows of F_q, F_v and T are
    {column: entry}.
    """
    n = len(cost.c)
    columns_q, columns_v = columns_of(F_q, F_v, T)
    before, along = (along_columns(Vx, columns) for columns in (columns_q, columns_v))
    gradients = [a + b for a, b in zip(cost.x, [*before, *along], strict=True)], [
        a + h * b for a, b in zip(cost.c, along, strict=True)
    ]
    if is_large(len(V), len(V)):
        return Quadratic(*gradients, *_large_hessians(V, cost, h, columns_q, columns_v))
    # rows of (F_q; 0)^T V and of B^T V, then the lower triangle of W
    half = [_combined(V, column) for column in (*columns_q, *columns_v)]
    lower: list[Scalar] = []
    for i, row in enumerate(half):
        lower += along_columns(row, (*columns_q, *columns_v)[: i + 1])
    W = symmetric(lower)
    hW = [[h * x for x in row] for row in W[n:]]
    return Quadratic(
        *gradients,
        [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(cost.xx, W, strict=True)],
        [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(cost.cx, hW, strict=True)],
        [[a + h * b for a, b in zip(row, scaled[n:], strict=True)] for row, scaled in zip(cost.cc, hW, strict=True)],
    )


def _large_hessians(V: Rows, cost: Quadratic, h: Scalar, columns_q: Columns, columns_v: Columns) -> tuple[Rows, ...]:
    """Q_xx, Q_cx, Q_cc of `symplectic_model`, by loops over rows. Only lower triangles of l_xx, l_cc, Q_xx are used."""
    n, columns = len(cost.c), (*columns_q, *columns_v)
    half = swept_rows(V, h, columns_q, columns_v)

    def of_q(_: Scalars, row: Scalars, xx: Scalars) -> tuple[tuple[()], list[Scalar]]:
        return (), [a + b for a, b in zip(xx, along_columns(row, columns), strict=True)]

    def of_v(_: Scalars, row: Scalars, xx: Scalars, cx: Scalars, cc: Scalars) -> tuple[tuple[()], tuple[Scalars, ...]]:
        W = along_columns(row, columns)
        hW = [h * x for x in W]
        sums = zip((xx, cx, cc), (W, hW, [h * x for x in hW[n:]]), strict=True)
        return (), tuple([a + b for a, b in zip(*pair, strict=True)] for pair in sums)

    above: Rows = repeated(of_q, (), [half[:n], cost.xx[:n]])[1]
    below, cx, cc = repeated(of_v, (), [half[n:], cost.xx[n:], cost.cx, cost.cc])[1]
    return [*above, *below], cx, mirrored(cc)


def columns_of(F_q: Sparse, F_v: Sparse, T: Sparse) -> tuple[Columns, Columns]:
    """The columns of (F_q; 0) and of (F_v; T), as pairs (index of the row, entry)."""
    rows, n = (F_q, (*F_v, *T)), len(F_q)
    columns_q, columns_v = ([[(i, row[k]) for i, row in enumerate(F) if k in row] for k in range(n)] for F in rows)
    return columns_q, columns_v


def along_columns(x: Scalars, columns: Columns) -> list[Scalar]:
    """The products of a row and sparse columns."""
    return [total(_times(x[k], f) for k, f in column) for column in columns]


def swept_rows(V: Rows, h: Scalar, columns_q: Columns, columns_v: Columns) -> Rows:
    """The rows of (F_q; 0)^T V, then those of (F_v; T)^T V, computed in loops."""
    n, columns = len(columns_q), (*columns_q, *columns_v)
    plain = [k for k in range(n) if len(columns_q[k]) == 1]
    used = [k for k in range(2 * n) if k % n not in plain]
    turned = [[dict(columns[k]).get(i, 0) for i in used] for k in used]
    rows: list[Scalars] = [*V[:n], *([()] * n)]
    pairs = [V[k] for k in plain], [V[n + k] for k in plain]
    added = mapped(lambda a, b: [h * x + y for x, y in zip(a, b, strict=True)], *pairs) if plain else ()
    by_blocks = plus_product(None, turned, [V[k] for k in used]) if used else ()
    for k, row in zip([*(n + k for k in plain), *used], [*added, *by_blocks], strict=True):
        rows[k] = row
    return rows


def through_joints(Q: Quadratic, W_x: Rows, W_c: Rows, motors: Sequence[int]) -> Quadratic:
    """The quadratic model with accelerations c of motors as the control; other accelerations are W_x dx + W_c c."""
    others = [k for k in range(len(Q.c)) if k not in motors]
    cx, cc, c = ([A[k] for k in others] for A in (Q.cx, Q.cc, Q.c))
    by_others, by_motors = ([[row[k] for k in ks] for row in cc] for ks in (others, motors))
    halves = plus_product(cx, [[0.5 * x for x in row] for row in by_others], W_x)
    D = plus_product(by_motors, by_others, W_c)
    down_x, down_c = transposed(W_x), transposed(W_c)
    left = [[*a, *b] for a, b in zip(transposed(D), down_c, strict=True)]
    return Quadratic(
        [a + dot(w, c) for a, w in zip(Q.x, down_x, strict=True)],
        [Q.c[k] + dot(w, c) for k, w in zip(motors, down_c, strict=True)],
        plus_product(Q.xx, [[*a, *b] for a, b in zip(transposed(halves), down_x, strict=True)], [*W_x, *halves]),
        plus_product([Q.cx[k] for k in motors], left, [*W_x, *cx]),
        plus_product([[Q.cc[k][j] for j in motors] for k in motors], left, [*W_c, *by_motors]),
    )


def through_motors(Q: Quadratic, W_x: Rows, W_c: Rows) -> Quadratic:
    """The quadratic model with motor forces c as the control, where accelerations are w = W_x dx + W_c c."""
    A, C = plus_product(Q.cx, Q.cc, W_x), plus_product(None, Q.cc, W_c)
    down_x, down_c = transposed(W_x), transposed(W_c)
    # W_x^T Q_cc W_x + W_x^T Q_cx + Q_cx^T W_x = X + X^T
    halves = [[0.5 * (a + b) for a, b in zip(*rows, strict=True)] for rows in zip(A, Q.cx, strict=True)]
    X = plus_product(None, down_x, halves)
    return Quadratic(
        [a + dot(w, Q.c) for a, w in zip(Q.x, down_x, strict=True)],
        [dot(w, Q.c) for w in down_c],
        symmetric([Q.xx[i][j] + (X[i][j] + X[j][i]) for i in range(len(X)) for j in range(i + 1)]),
        plus_product(None, down_c, A),
        plus_product(None, down_c, C),
    )


def value(Q: Quadratic, mu: Scalar, gap: Scalars) -> tuple[Value, Triangular, Rows, Scalars]:
    """The minimum of a model over c, with mu added to the diagonal of Q_cc: Q_cc = L D L^T.

        V_xx = Q_xx - Y^T D^-1 Y,    V_x = Q_x - Y^T D^-1 y + V_xx gap,    L (Y, y) = (Q_cx, Q_c)

    Return the value, the factors, -D^-1 Y and -D^-1 y.
    """
    m, N = len(Q.c), len(Q.x)
    cc, large = _damped(Q.cc, mu), is_large(N, N)
    F, Y = eliminated(cc, Q.cx, large)
    y: list[Scalar] = []
    for i in range(m):
        y.append(Q.c[i] - total(F.L[i][k] * y[k] for k in range(i)))
    minus = [-x for x in F.inverse_D]
    Dy = [share * x for share, x in zip(minus, y, strict=True)]
    excess = least([D - NO_CURVATURE * cc[i][i] for i, D in enumerate(F.D)])
    if large:
        DY = mapped(lambda share, row: [share[0] * x for x in row], [[x] for x in minus], Y)
        half, down, (x,) = N // 2, transposed(Y), plus_product([Q.x], [y], DY)
        above = plus_lower_product(Q.xx[:half], down[:half], DY)
        xx: Rows = above + plus_lower_product(Q.xx[half:], down[half:], DY, before=half)
    else:
        DY = [[share * x for x in row] for share, row in zip(minus, Y, strict=True)]
        xx = plus_product(mirrored(Q.xx), transposed(Y), DY)
        x = [a + total(DY[k][i] * y[k] for k in range(m)) for i, a in enumerate(Q.x)]
    slope = dot(y, Dy)
    return across_gap(x, xx, -slope, slope, excess, gap), F, DY, Dy


def eliminated(A: Rows, B: Rows, large: bool | None = None) -> tuple[Triangular, Rows]:
    """Factors of a symmetric A = L D L^T, and L^-1 B; computed in loops for large matrices."""
    Y: list[Scalars] = []
    if large or (large is None and is_large(len(B), len(B[0]))):
        return _large_solution(A, B, Y), Y
    F = triangular(A)
    for i, row in enumerate(B):
        Y.append([x - total(F.L[i][k] * Y[k][j] for k in range(i)) for j, x in enumerate(row)])
    return F, Y


def _large_solution(A: Rows, B: Rows, Y: list[Scalars]) -> Triangular:
    """Factors of A = L D L^T, by blocks of rows; rows of L^-1 B are appended to Y."""
    F, left = Triangular([], [], []), [list[Scalar]() for _ in A]
    while A:
        part = triangular([row[:SIDE] for row in A[:SIDE]])
        size, W = len(part.L), list[list[Scalar]]()  # the inverse of the diagonal block
        for k, row in enumerate(part.L):
            before = [-total(a * W[i][j] for i, a in enumerate(row) if i >= j) for j in range(k)]
            W.append([*before, 1, *([0] * (size - k - 1))])
        F.L.extend([*before, *row] for before, row in zip(left, part.L, strict=False))
        F.D.extend(part.D)
        F.inverse_D.extend(part.inverse_D)
        Y += plus_product(None, W, B[:size])
        if rest := A[size:]:
            scaled = plus_product(None, [row[:size] for row in rest], transposed(W))
            L, minus = repeated(partial(_signed, part.inverse_D), (), [scaled])[1]
            rest = plus_product([row[size:] for row in rest], minus, transposed(scaled))
            B = plus_product(B[size:], minus, Y[-size:])
            left = [[*before, *row] for before, row in zip(left[size:], L, strict=True)]
        A = rest
    return F


def _signed(shares: Scalars, _: Scalars, row: Scalars) -> tuple[tuple[()], tuple[Scalars, Scalars]]:
    """The products of `shares` and the entries of a row, and their negatives."""
    products = [share * x for share, x in zip(shares, row, strict=True)]
    return (), (products, [-x for x in products])


def boxed_value(Q: Quadratic, mu: Scalar, gap: Scalars, box: Box) -> tuple[Value, Rows, Scalars]:
    """The minimum of a model over lower <= c <= upper: see `bounded_minimum`. Tassa, Mansard & Todorov 2014.

    Return the value, and K and k of the policy c = k + K dx: rows of K are zero where c is at a bound.
    """
    cc = _damped(Q.cc, mu)
    k, free, F = bounded_minimum(cc, Q.c, box)
    down = transposed(Q.cx)

    def solved(column: Scalars) -> list[Scalar]:
        return F.solve([-f * x for f, x in zip(free, column, strict=True)])

    K = transposed(mapped(solved, down) if is_large(len(down), len(down)) else map(solved, down))
    force = [a + dot(row, k) for a, row in zip(Q.c, cc, strict=True)]
    # K^T Q_cc K = -K^T Q_cx, as rows of K are zero where c is not free
    xx = plus_product(mirrored(Q.xx), down, K)
    x = [a + dot(c, k) + dot(g, force) for a, c, g in zip(Q.x, down, transposed(K), strict=True)]
    slope = -dot(k, Q.c)
    excess = least([D - NO_CURVATURE * free[i] * cc[i][i] for i, D in enumerate(F.D)])
    bend = -total(a * (b - c) for a, b, c in zip(k, force, Q.c, strict=True))
    return across_gap(x, xx, slope, bend, excess, gap), K, k


def across_gap(x: Scalars, xx: Rows, slope: Scalar, curvature: Scalar, excess: Scalar, gap: Scalars) -> Value:
    """The value function at the state where the previous step arrives, at the other end of the gap."""
    if is_large(len(x), len(x)):  # of xx, the lower triangle counts
        xx = mapped(lambda row: [*row], mirrored(xx))
        (bent,) = plus_product(None, [gap], xx)
    else:
        bent = [dot(row, gap) for row in xx]
    x = [a + b for a, b in zip(x, bent, strict=True)]
    return Value(x, xx, slope - dot(x, gap), curvature + dot(bent, gap), excess, bent)


def policy(L: Scalars, DY: Rows, Dy: Scalars) -> tuple[Rows, Scalars]:
    """K and k of the minimizing policy c = k + K dx, from the results of `value`: L^T (K, k) = -D^-1 (Y, y)."""
    if is_large(len(DY[0]), len(DY[0])):
        columns = mapped(lambda y: _upwards(L, [*y]), transposed(DY))
        return transposed(columns), _upwards(L, [*Dy])
    rows = [[*row, x] for row, x in zip(DY, Dy, strict=True)]
    for i in reversed(range(len(rows))):
        for j in range(i):
            rows[j] = [a - L[i * (i - 1) // 2 + j] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[:-1] for row in rows], [row[-1] for row in rows]


def step_of_policy(L: Scalars, DY: Rows, Dy: Scalars, dx: Scalars, share: Scalar) -> list[Scalar]:
    """share k + K dx, without forming K and k: the solution c of L^T c = -(share D^-1 y + D^-1 Y dx)."""
    return _upwards(L, [share * y + dot(row, dx) for row, y in zip(DY, Dy, strict=True)])


def _upwards(L: Scalars, c: list[Scalar]) -> list[Scalar]:
    """L^-T c, where L is given by its rows to the left of the unit diagonal."""
    for i in reversed(range(len(c))):
        for j in range(i):
            c[j] = c[j] - L[i * (i - 1) // 2 + j] * c[i]
    return c


def least(pivots: Scalars) -> Scalar:
    """The smallest of the pivots."""
    return reduce(lambda x, y: x.minimum(y) if hasattr(x, "minimum") else min(x, y), pivots)


def _damped(cc: Rows, mu: Scalar) -> Rows:
    return [[x + mu if i == j else x for j, x in enumerate(row)] for i, row in enumerate(cc)]


def _combined(V: Rows, column: Sequence[tuple[int, Scalar]]) -> list[Scalar]:
    """The sum of the rows of V, each weighted by its entry of a sparse column."""
    return [total(_times(V[k][j], f) for k, f in column) for j in range(len(V))]


def _times(x: Scalar, factor: Scalar) -> Scalar:
    return x if isinstance(factor, int) and factor == 1 else x * factor
