"""Kernels of nodes: cost and next state of a node, and their derivatives by automatic differentiation of graphs.

Second derivatives of errors are neglected (Gauss-Newton), so the Hessians of costs are positive semidefinite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature, flat
from revolute.dynamics.optimal.riccati import policy
from revolute.dynamics.positive_definite import triangular
from revolute.graph import Input, Node, pushforward
from revolute.optimal.costs.cost import within
from revolute.optimal.kernels.setting import Setting
from revolute.spatial.scalar import Scalar

__all__ = ["derivatives", "evaluation", "gains"]

Vec = Sequence[Scalar]


def _kernel(setting: Setting, name: str, inputs: Mapping[str, tuple[int, ...]], outputs: Any, body: Any) -> Kernel:
    form = Signature(name, tuple(Input(*x) for x in inputs.items()), tuple(outputs.items()), body)
    again = partial(_again, setting, name)
    return compiled("robot", setting.dynamics.model.name, form, np.float64, setting.identity(name), again)


def _again(setting: Setting, name: str) -> Kernel:
    """The kernel in another process."""
    return {"evaluation": evaluation, "derivatives": derivatives, "gains": gains}[name](setting)


def evaluation(setting: Setting) -> Kernel:
    """Of a state, the next node's state, forces and a length of time: accelerations and the gap into the next node.

    Also the value of each cost, and errors and shifted errors of hard costs.
    """
    dynamics, (nx, n, _) = setting.dynamics, setting.sizes

    def body(x: Vec, after: Vec, tau: Vec, p: Vec, h: Vec) -> list[Vec]:
        nq = dynamics.space.nq
        qdd = dynamics.accelerations(x[:nq], x[nq:], tau)
        arrived = [y for part in dynamics.step(x[:nq], x[nq:], qdd, h[0]) for y in part]
        node = setting.node(x, qdd, tau)
        costs = [_half_squares(r, w) for r, w in setting.residuals(node, p)]
        errors: list[Scalar] = []
        shifted: list[Scalar] = []
        for cost, found, place in zip(setting.costs, setting.errors(node, p), setting.places, strict=True):
            if cost.hard:
                errors += [within(e, 0) for e in found]
                shifted += [within(e, s) for e, s in zip(found, p[place.shift], strict=True)]
        hard = [errors, shifted] if setting.hard else []
        return [qdd, dynamics.difference(after, arrived), costs, *hard]

    outputs = {"qdd": (n,), "gap": (2 * n,), "costs": (len(setting.costs),)}
    if setting.hard:
        outputs |= {"errors": (setting.hard,), "shifted": (setting.hard,)}
    inputs = {"x": (nx,), "after": (nx,), "tau": (n,), "p": (setting.parameters,), "h": (1,)}
    return _kernel(setting, "evaluation", inputs, outputs, body)


def derivative_shapes(setting: Setting) -> dict[str, tuple[int, ...]]:
    """Outputs of `derivatives`, with their core shapes."""
    _, n, m = setting.sizes
    N, tri = 2 * n, n * (n + 1) // 2
    shapes = {"gx": (N,), "gw": (n,), "Hxx": (N * (N + 1) // 2,), "Hwx": (n, N), "Hww": (tri,)}
    motors = {"Wx": (n, N), "Wc": (n, m)} if setting.motors is not None else {"M": (n, n), "P": (n, N)}
    steps = {"Fq": (setting.step_entries,), "Fv": (setting.step_entries,)} if setting.turning else {}
    return {**shapes, **motors, **steps}


def derivatives(setting: Setting) -> Kernel:
    """Gradient and Hessian of a node's cost by dx = (dq, dqd) and accelerations w, and derivatives of forces.

    Along dx and w, forces change by P dx + M w: the derivatives of inverse dynamics. For joints without motors, and for
    bounded forces, the controls are forces c: w = Wx dx + Wc c.
    """
    nx, n, _ = setting.sizes
    shapes = derivative_shapes(setting)

    def body(x: Vec, tau: Vec, qdd: Vec, p: Vec, h: Vec) -> list[Vec]:
        nq, N = setting.dynamics.space.nq, 2 * n
        Pq, Pv, M = setting.dynamics.force_partials(x[:nq], x[nq:], qdd)
        P = [[*a, *b] for a, b in zip(Pq, Pv, strict=True)]
        along = _along_state(setting, x)
        along |= {y: {N + k: 1.0} for k, y in enumerate(qdd)}
        along |= {
            y: {**dict(enumerate(P[i])), **{N + k: M[i][k] for k in range(n)}} for i, y in enumerate(tau)
        }
        g: list[Scalar] = [0.0] * (N + n)
        H: dict[tuple[int, int], Scalar] = {}
        for residuals, weights in setting.residuals(setting.node(x, qdd, tau), p):
            for r, w, row in zip(residuals, weights, _rates(residuals, along), strict=True):
                scaled = {a: w * d for a, d in row.items()}
                for a, d in scaled.items():
                    g[a] = g[a] + d * r
                    for b, e in row.items():
                        if b <= a:
                            H[a, b] = H.get((a, b), 0.0) + d * e
        places = (
            [(i, j) for i in range(N) for j in range(i + 1)],
            [(N + i, j) for i in range(n) for j in range(N)],
            [(N + i, N + j) for i in range(n) for j in range(i + 1)],
        )
        results = [g[:N], g[N:], *([H.get(place, 0.0) for place in block] for block in places)]
        if setting.motors is None:
            results += [flat(M), flat(P)]
        else:
            F = triangular(M)
            states = [F.solve([-row[j] for row in P]) for j in range(N)]
            motors = [F.solve([int(i == k) for i in range(n)]) for k in setting.motors]
            results += [[c[i] for i in range(n) for c in columns] for columns in (states, motors)]
        return [*results, *(_step_blocks(setting, x, qdd, h[0]) if setting.turning else [])]

    inputs = {"x": (nx,), "tau": (n,), "qdd": (n,), "p": (setting.parameters,), "h": (1,)}
    return _kernel(setting, "derivatives", inputs, shapes, body)


def gains(setting: Setting) -> Kernel:
    """K and k in forces, from the factors of the Riccati pass: see `policy`."""
    _, n, m = setting.sizes
    N = 2 * n

    def body(L: Vec, DY: Vec, Dy: Vec, *motion: Vec) -> list[Vec]:
        K, k = policy(L, [DY[i * N : i * N + N] for i in range(m)], Dy)
        if motion:  # from accelerations to forces: du = M w + P dx
            M, P = motion
            rows = range(n)
            K, k = (
                [[P[i * N + j] + _dot(M[i * n : i * n + n], [row[j] for row in K]) for j in range(N)] for i in rows],
                [_dot(M[i * n : i * n + n], k) for i in rows],
            )
        return [flat(K), k]

    inputs = {"L": (max(m * (m - 1) // 2, 1),), "DY": (m, N), "Dy": (m,)}
    inputs |= {"M": (n, n), "P": (n, N)} if setting.motors is None else {}
    return _kernel(setting, "gains", inputs, {"K": (m, N), "k": (m,)}, body)


def _along_state(setting: Setting, x: Vec) -> dict[Any, dict[int, Any]]:
    """Derivatives of the state along dq, in the tangent space, and dqd."""
    nq, n = setting.dynamics.space.nq, setting.dynamics.space.nv
    rows = setting.dynamics.directions(x[:nq])
    return {
        **{y: {k: rate for k, rate in enumerate(row) if _present(rate)} for y, row in zip(x[:nq], rows, strict=True)},
        **{y: {n + k: 1.0} for k, y in enumerate(x[nq:])},
    }


def _step_blocks(setting: Setting, x: Vec, qdd: Vec, h: Scalar) -> list[Vec]:
    """The blocks of F_q and F_v of joints with several coordinates: dq' = F_q dq + F_v dqd', in tangent spaces.

    The component of dq' along column B_k of `directions` at q' is B_k . dq' / B_k . B_k: the columns are orthogonal.
    """
    dynamics = setting.dynamics
    nq, n = dynamics.space.nq, dynamics.space.nv
    after, _ = dynamics.step(x[:nq], x[nq:], qdd, h)
    rates = _rates(after, _along_state(setting, x))
    columns = list(zip(*dynamics.directions(after), strict=True))
    blocks: tuple[list[Scalar], list[Scalar]] = [], []
    for place in setting.turning:
        for k in range(place.start, place.stop):
            column = [(i, b) for i, b in enumerate(columns[k]) if _present(b)]
            share = 1 / sum(b * b for _, b in column)
            for block, offset in zip(blocks, (0, n), strict=True):
                for j in range(place.start, place.stop):
                    block.append(share * sum(b * rates[i].get(offset + j, 0.0) for i, b in column))
    return list(blocks)


def step_rows(setting: Setting, Fq: Vec, Fv: Vec, h: Scalar) -> tuple[list[dict[int, Scalar]], list[dict[int, Scalar]]]:
    """F_q and F_v as rows, {column: entry}."""
    n = setting.dynamics.space.nv
    rows: tuple[list[dict[int, Scalar]], ...] = [{k: 1} for k in range(n)], [{k: h} for k in range(n)]
    for entries, block in zip((iter(Fq), iter(Fv)), rows, strict=True):
        for place in setting.turning:
            for i in range(place.start, place.stop):
                block[i] = {j: next(entries) for j in range(place.start, place.stop)}
    return rows[0], rows[1]


def _rates(outputs: Sequence[Any], along: Mapping[Any, Mapping[int, Any]]) -> list[dict[int, Any]]:
    """`pushforward` of outputs, some of which may be numbers."""
    nodes = [y for y in outputs if isinstance(y, Node)]
    found = iter(pushforward(nodes, along))
    return [next(found) if isinstance(y, Node) else {} for y in outputs]


def _half_squares(residuals: Vec, weights: Vec) -> Scalar:
    return 0.5 * sum(w * (r * r) for r, w in zip(residuals, weights, strict=True))


def _present(x: Any) -> bool:
    """Whether a rate is not the number zero."""
    return bool(x.op != "const" or x.value != 0) if isinstance(x, Node) else bool(x != 0)


def _dot(a: Vec, b: Vec) -> Scalar:
    return sum(x * y for x, y in zip(a, b, strict=True))


