"""Kernels of nodes: accelerations, gaps and costs, and derivatives of costs and steps by differentiation of graphs.

Second derivatives of errors are neglected (Gauss-Newton), so the Hessians of costs are positive semidefinite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from revolute.compiler.kernel import Kernel
from revolute.compiler.signature import flat
from revolute.dynamics.coordinate_rates import parent_axes_rates
from revolute.dynamics.optimal.closures import Closing
from revolute.dynamics.optimal.holding import Holding
from revolute.dynamics.optimal.products import dot, plus_product
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.dynamics.positive_definite import triangular
from revolute.dynamics.sparse_factorization import factors_of, filled, groups
from revolute.graph import Node, pushforward
from revolute.optimal.costs.cost import within
from revolute.optimal.kernels.setting import Setting, half_squares
from revolute.spatial.scalar import Scalar, transposed

Vec = Sequence[Scalar]
Rows = Sequence[Vec]
MANY = 20_000  # multiplications of dense algebra at a node from which it consists of loops
Rates = dict[int, Any]  # derivatives of a scalar as {direction: derivative}; missing directions have derivative zero


def evaluation(setting: Setting) -> Kernel:
    """Kernel from a state, the next node's state, forces and a step length to accelerations and the step's gap.

    It also returns the value of each cost, and the errors and shifted errors of hard costs.
    """
    dynamics, (nx, N, n, _) = setting.dynamics, setting.sizes

    def body(x: Vec, after: Vec, tau: Vec, p: Vec, h: Vec) -> list[Vec]:
        qdd = setting.accelerations(x, tau, p, h[0])
        node = setting.node(x, qdd, tau, p, h[0])
        costs = [half_squares(r, w) for r, w in setting.residuals(node, p)]
        errors: list[Scalar] = []
        shifted: list[Scalar] = []
        for cost, found, place in zip(setting.costs, setting.errors(node, p), setting.places, strict=True):
            if cost.hard:
                errors += [within(e, 0) for e in found]
                shifted += [within(e, s) for e, s in zip(found, p[place.shift], strict=True)]
        hard = [errors, shifted] if setting.hard else []
        return [qdd, dynamics.difference(after, dynamics.step(x, tau, qdd, h[0])), costs, *hard]

    outputs = {"qdd": (setting.motions,), "gap": (N,), "costs": (len(setting.costs),)}
    if setting.hard:
        outputs |= {"errors": (setting.hard,), "shifted": (setting.hard,)}
    inputs = {"x": (nx,), "after": (nx,), "tau": (n,), "p": (setting.parameters,), "h": (1,)}
    return setting.kernel("evaluation", inputs, outputs, body, partial(evaluation, setting))


def derivative_shapes(setting: Setting) -> dict[str, tuple[int, ...]]:
    """Outputs of `derivatives`, with their core shapes."""
    _, N, n, m = setting.sizes
    c = n if setting.dynamics.lean and not setting.dynamics.holds else m
    shapes = {"gx": (N,), "gc": (c,), "Hxx": (N * (N + 1) // 2,), "Hcx": (c, N), "Hcc": (c * (c + 1) // 2,)}
    if not setting.dynamics.lean:
        return {**shapes, "F": (N, N), "G": (N, m)}
    motors: dict[str, tuple[int, ...]] = {"M": (m, n), "P": (m, N)} if setting.accelerated else {}
    if setting.dynamics.holds:
        motors |= {"Zx": (n, N), "Zc": (n, m)}
    elif setting.motors is not None:
        others = len(setting.passive) or n
        motors |= {"Wx": (others, N), "Wc": (others, m)}
    steps = dict.fromkeys(("Fq", "Fv", "T"), (setting.step_entries,)) if setting.turning else {}
    return {**shapes, **motors, **steps}


def derivatives(setting: Setting) -> Kernel:
    """Kernel of the gradient and Hessian of a node's cost, and of the derivatives of the step after it.

    In steps of `semi_implicit_euler`, controls are accelerations w along axes fixed to the parents: see
    `parent_axes_rates`. Forces change by P dx + M w, from the derivatives of inverse dynamics. Coordinates without a
    motor have accelerations Wx dx + Wc c, where c are the other accelerations. With bounds, controls are motor forces
    c: w = Wx dx + Wc c. With contacts or loops, the velocities after the step, in the axes at its start, are
    Zx dx + Zc c.
    Other steps are dx' = F dx + G c.
    """
    nx, _, n, _ = setting.sizes
    inputs = {"x": (nx,), "tau": (n,), "qdd": (setting.motions,), "p": (setting.parameters,), "h": (1,)}
    body = partial(expanded, setting)
    return setting.kernel("derivatives", inputs, derivative_shapes(setting), body, partial(derivatives, setting))


def expanded(setting: Setting, x: Vec, tau: Vec, qdd: Vec, p: Vec, h: Vec) -> list[Vec]:
    """The arrays of `derivative_shapes`, with graph nodes as entries."""
    dynamics, (_, N, n, m), motors = setting.dynamics, setting.sizes, setting.motors
    (q, qd, _), forces = dynamics.parts(x), qdd[n:]
    residuals, qdd = setting.residuals(setting.node(x, qdd, tau, p, h[0]), p), qdd[:n]
    P, M = _force_rows(dynamics, q, qd, qdd)
    along = _along_state(dynamics, x)
    if dynamics.lean or forces:
        # at constant rates along axes fixed to the parent, accelerations change by -turns dx
        turns = _rates(parent_axes_rates(dynamics.space, qd, qdd), along)
        along |= {y: {j: -rate for j, rate in turn.items()} for y, turn in zip(qdd, turns, strict=True)}
        for i, k in product(range(n), range(n)):
            for j, rate in turns[k].items():
                P[i][j] = P[i][j] - M[i][k] * rate
        step = dynamics.step(x, tau, qdd, h[0])
        if forces:
            return _with_forces(setting, along, residuals, step, x, tau, [*qdd, *forces], p, h[0], (P, M))
        blocks = _step_blocks(setting, along, step) if setting.turning else ()
        along |= {y: {**along[y], N + k: 1.0} for k, y in enumerate(qdd)}
        driven = range(n) if motors is None else motors  # other forces are zero
        along |= {tau[i]: _joined(N, P[i], M[i]) for i in driven}
        found = _cost_model(residuals, along, N, n)
        if setting.accelerated:
            found += [flat([A[i] for i in driven]) for A in (M, P)]
        if motors is not None:
            found += _responses(P, M, motors, setting.passive)
        return [*found, *blocks]
    assert motors is not None
    Wx, Wc = _responses(P, M, motors, ())
    along |= {tau[k]: {N + j: 1.0} for j, k in enumerate(motors)}
    along |= {y: _joined(N, Wx[i * 2 * n : (i + 1) * 2 * n], Wc[i * m : i * m + m]) for i, y in enumerate(qdd)}
    found = _cost_model(residuals, along, N, m)
    stages = _Stages(setting, tau, qdd, along)
    return [*found, *_dense_step(setting, stages.along, dynamics.step(x, tau, qdd, h[0], stages.accelerate))]


def _with_forces(
    setting: Setting, along: dict[Any, Rates], residuals: Sequence[tuple[Vec, Vec]], step: Vec, x: Vec, tau: Vec,
    motions: Vec, p: Vec, h: Scalar, partials: tuple[list[list[Scalar]], list[list[Scalar]]],
) -> list[Vec]:
    """The arrays of `derivative_shapes` with contacts or loops, from rates `along` motions with constant w."""
    dynamics, (_, N, n, m), motors = setting.dynamics, setting.sizes, setting.motors or ()
    (q, qd, _), qdd, f, (P, M) = dynamics.parts(x), motions[:n], motions[n:], partials
    held, drifts, turns = Holding(dynamics, q, p[setting.contact_numbers]), list[Vec](), [along[y] for y in qdd]
    if dynamics.gains and not dynamics.closures:  # rows have qdd in place of w
        for rates, row in zip(_rates(held.drifts(qd), along), held.rows, strict=True):
            for a, turn in zip(row, turns, strict=True):
                rates |= {j: rates.get(j, 0.0) + a * rate for j, rate in turn.items()}
            drifts.append([-rates[j] if j in rates else 0 for j in range(2 * n)])
    of_forces = [row[:n] for row in P], [row[n:] for row in P], M
    changes: tuple[Rows, Rows]
    if dynamics.closures:
        changes = _with_closures(Closing(held, h), along, (qd, qdd, f), of_forces, motors, N)
    else:
        changes = held.changes(qd, qdd, f, of_forces, motors, drifts)
    W, F = changes
    blocks = [*_step_blocks(setting, along, step)] if dynamics.lean and setting.turning else []
    places = [*range(2 * n), *range(N, N + m)]
    along |= {y: dict(zip(places, row, strict=True)) for y, row in zip(f, F, strict=True)}
    along |= {tau[k]: {N + j: 1.0} for j, k in enumerate(motors)}
    for y, of_w, turn in zip(qdd, W, turns, strict=True):
        along[y] = {j: rate + turn[j] if j in turn else rate for j, rate in zip(places, of_w, strict=True)}
    found = _cost_model(residuals, along, N, m)
    if dynamics.lean:
        Z = [[h * x for x in row] for row in W]
        for k, row in enumerate(Z):
            row[n + k] = row[n + k] + 1
        return [*found, flat(row[: 2 * n] for row in Z), flat(row[2 * n :] for row in Z), *blocks]
    return [*found, *_dense_step(setting, along, step)]


def _with_closures(
    closing: Closing, along: Mapping[Any, Rates], motion: Sequence[Vec], partials: tuple[Rows, Rows, Rows],
    motors: Sequence[int], N: int,
) -> tuple[Rows, Rows]:
    """W and F of `Closing.changes`, from rates `along` motions with constant w."""
    (qd, qdd, f), n = motion, len(motion[0])
    pushed = {y: {**along[y], N + k: 1.0} for k, y in enumerate(qdd)}
    slopes = _rates(closing.residuals(qd, qdd), {**along, **pushed})
    turned = _rates(closing.pulled(f), along)
    places = *range(2 * n), *range(N, N + n)
    rows, by_q = ([[rate.get(j, 0.0) for j in at] for rate in x] for x, at in ((slopes, places), (turned, range(n))))
    return closing.changes(rows, by_q, partials, motors)


def _dense_step(setting: Setting, along: Mapping[Any, Rates], step: Vec) -> Iterator[Vec]:
    """F and G of dx' = F dx + G c."""
    rates, (_, N, _, m) = _tangent(setting.dynamics, along, step), setting.sizes
    for part in (range(N), range(N, N + m)):
        yield [row.get(j, 0.0) for row in rates for j in part]


class _Stages:
    """Accelerations at the stages of a step, and their derivatives from the derivatives of inverse dynamics.

    For joints with several coordinates, stages may be off the manifold, where no tangent space exists; forward
    dynamics is then differentiated directly.

    Attributes:
        along: directional derivatives of graph nodes, including accelerations.
    """

    def __init__(self, setting: Setting, tau: Vec, qdd: Vec, along: dict[Any, Rates]) -> None:
        self._dynamics, self._tau, self._first, self.along = setting.dynamics, tau, [qdd], along
        self._turning = bool(setting.turning)

    def accelerate(self, q: Vec, qd: Vec) -> Vec:
        """The accelerations at a stage; the first stage is the node itself."""
        if self._first:
            return self._first.pop()
        qdd = self._dynamics.accelerations(q, qd, self._tau)
        if self._turning:
            return qdd
        P, M = _force_rows(self._dynamics, q, qd, qdd)
        moves, forces = _rates([*q, *qd], self.along), _rates(self._tau, self.along)
        F = triangular(M)
        for k in sorted({k for row in (*moves, *forces) for k in row}):
            direction = [row.get(k, 0.0) for row in moves]
            needed = [force.get(k, 0.0) - dot(row, direction) for force, row in zip(forces, P, strict=True)]
            for y, rate in zip(qdd, F.solve(needed), strict=True):
                self.along.setdefault(y, {})[k] = rate
        return qdd


def _cost_model(residuals: Sequence[tuple[Vec, Vec]], along: Mapping[Any, Rates], N: int, m: int) -> list[Vec]:
    """Gradients and Hessians with respect to N tangent components and m controls: gx, gc, Hxx, Hcx, Hcc."""
    g: list[Scalar] = [0.0] * (N + m)
    H: dict[tuple[int, int], Scalar] = {}
    for errors, weights in residuals:
        rates = _rates(errors, along)
        rows = [({a: w * d for a, d in row.items()}, row) for w, row in zip(weights, rates, strict=True)]
        for r, (scaled, _) in zip(errors, rows, strict=True):
            for a, d in scaled.items():
                g[a] = g[a] + d * r
        large = sum(len(row) ** 2 for row in rates) >= MANY
        for products in _products_in_loops(rows) if large else map(_products, rows):
            for (a, b), x in products:
                H[a, b] = H.get((a, b), 0.0) + x
    places = (
        [(i, j) for i in range(N) for j in range(i + 1)],
        [(N + i, j) for i in range(m) for j in range(N)],
        [(N + i, N + j) for i in range(m) for j in range(i + 1)],
    )
    return [g[:N], g[N:], *([H.get(place, 0.0) for place in block] for block in places)]


def _products(pair: tuple[Rates, Rates]) -> Iterator[tuple[tuple[int, int], Scalar]]:
    """Products of the entries of two rows, on the diagonal and below."""
    scaled, row = pair
    return (((a, b), d * e) for a, d in scaled.items() for b, e in row.items() if b <= a)


def _products_in_loops(rows: Sequence[tuple[Rates, Rates]]) -> Iterator[Iterable[tuple[tuple[int, int], Scalar]]]:
    """Sums of `_products`, one for each group of rows whose entries are nonzero in nearly the same places."""
    places = [tuple(sorted(row)) for _, row in rows]
    for at, group in groups(places, {row: len(row) ** 2 for row in places}):
        left, right = ([[rows[k][side].get(a, 0.0) for a in at] for k in group] for side in (0, 1))
        sums = plus_product(None, transposed(left), right)
        yield (((a, b), x) for a, row in zip(at, sums, strict=True) for b, x in zip(at, row, strict=True) if b <= a)


def _force_rows(dynamics: Dynamics, q: Vec, qd: Vec, qdd: Vec) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """P and M of dtau = P (dq, dqd) + M dqdd."""
    Pq, Pv, M = dynamics.force_partials(q, qd, qdd)
    return [[*a, *b] for a, b in zip(Pq, Pv, strict=True)], M


def _responses(P: Rows, M: Rows, motors: Sequence[int], passive: Sequence[int]) -> list[list[Scalar]]:
    """Rows of Wx and Wc in w = Wx (dq, dqd) + Wc c: c are motor forces; with `passive`, motor accelerations."""
    at, count = passive or range(len(M)), len(P[0])
    A = [[M[i][k] for k in at] for i in at]
    columns = [[-P[i][j] for i in at] for j in range(count)]
    columns += [[-M[i][k] if passive else int(i == k) for i in at] for k in motors]
    large = len(A) ** 2 * len(columns) >= MANY
    solved = factors_of(filled(A), A).solve_columns(columns) if large else [*map(triangular(A).solve, columns)]
    return [flat(zip(*part, strict=True)) for part in (solved[:count], solved[count:])]


def _joined(N: int, by_state: Vec, by_control: Vec) -> Rates:
    return {**dict(enumerate(by_state)), **{N + k: x for k, x in enumerate(by_control)}}


def _along_state(dynamics: Dynamics, x: Vec) -> dict[Any, Rates]:
    """Derivatives of the state along each tangent direction: dq first, then the other components."""
    nq, n = dynamics.space.nq, dynamics.space.nv
    rows = dynamics.directions(x[:nq])
    return {
        **{y: {k: rate for k, rate in enumerate(row) if _present(rate)} for y, row in zip(x[:nq], rows, strict=True)},
        **{y: {n + k: 1.0} for k, y in enumerate(x[nq:])},
    }


def _tangent(dynamics: Dynamics, along: Mapping[Any, Rates], x: Vec) -> list[Rates]:
    """Rates of a state in its tangent space.

    Along column B_k of `directions` at q, a rate dq of positions has the component B_k^T dq / B_k^T B_k, since the
    columns are orthogonal.
    """
    nq = dynamics.space.nq
    rates = _rates(x, along)
    found: list[Rates] = []
    for column in zip(*dynamics.directions(x[:nq]), strict=True):
        present = [(rates[i], b) for i, b in enumerate(column) if _present(b)]
        if len(present) == 1:
            found.append(present[0][0])
            continue
        share = 1 / sum(b * b for _, b in present)
        wanted = sorted({k for row, _ in present for k in row})
        found.append({k: share * sum(b * row.get(k, 0.0) for row, b in present) for k in wanted})
    return [*found, *rates[nq:]]


def _step_blocks(setting: Setting, along: Mapping[Any, Rates], after: Vec) -> Iterator[Vec]:
    """The blocks of F_q, F_v and T of joints with several coordinates: see `symplectic_model`."""
    rows, n = _tangent(setting.dynamics, along, after), setting.sizes[2]
    for down, right in ((0, 0), (0, n), (n, n)):
        yield [rows[down + i].get(right + j, 0.0) for at in setting.turning for i in _range(at) for j in _range(at)]


def step_rows(setting: Setting, arrays: Mapping[str, Vec], h: Scalar) -> Iterator[list[Rates]]:
    """F_q, F_v and T as rows, {column: entry}."""
    for name, diagonal in (("Fq", 1), ("Fv", h), ("T", 1)):
        block: list[Rates] = [{k: diagonal} for k in range(setting.sizes[2])]
        entries = iter(arrays.get(name, ()))
        for at in setting.turning:
            for i in _range(at):
                block[i] = {j: next(entries) for j in _range(at)}
        yield block


def _range(at: slice) -> range:
    return range(at.start, at.stop)


def _rates(outputs: Sequence[Any], along: Mapping[Any, Rates]) -> list[Rates]:
    """`pushforward` of outputs, some of which may be numbers."""
    nodes = [y for y in outputs if isinstance(y, Node)]
    found = iter(pushforward(nodes, along))
    return [next(found) if isinstance(y, Node) else {} for y in outputs]


def _present(x: Any) -> bool:
    """Whether a rate can be nonzero: it is not the constant zero."""
    return bool(x.op != "const" or x.value != 0) if isinstance(x, Node) else bool(x != 0)
