"""Kernels of nodes: accelerations, the gap into the next node, and what each cost is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from revolute.compiler.kernel import Kernel
from revolute.compiler.signature import flat
from revolute.dynamics.optimal.products import dot, plus_product
from revolute.dynamics.optimal.riccati import policy
from revolute.optimal.costs.cost import within
from revolute.optimal.kernels.setting import Setting
from revolute.spatial.scalar import Scalar

__all__ = ["evaluation", "gains", "gains_node", "node_cost"]

Vec = Sequence[Scalar]


def evaluation(setting: Setting) -> Kernel:
    """Of a state, the next node's state, forces and a length of time: accelerations and the gap into the next node.

    Also the value of each cost, and errors and shifted errors of hard costs.
    """
    dynamics, (nx, N, n, _) = setting.dynamics, setting.sizes

    def body(x: Vec, after: Vec, tau: Vec, p: Vec, h: Vec) -> list[Vec]:
        q, qd, _ = dynamics.parts(x)
        qdd = dynamics.accelerations(q, qd, tau)
        node = setting.node(x, qdd, tau, h[0])
        costs = [half_squares(r, w) for r, w in setting.residuals(node, p)]
        errors: list[Scalar] = []
        shifted: list[Scalar] = []
        for cost, found, place in zip(setting.costs, setting.errors(node, p), setting.places, strict=True):
            if cost.hard:
                errors += [within(e, 0) for e in found]
                shifted += [within(e, s) for e, s in zip(found, p[place.shift], strict=True)]
        hard = [errors, shifted] if setting.hard else []
        return [qdd, dynamics.difference(after, dynamics.step(x, tau, qdd, h[0])), costs, *hard]

    outputs = {"qdd": (n,), "gap": (N,), "costs": (len(setting.costs),)}
    if setting.hard:
        outputs |= {"errors": (setting.hard,), "shifted": (setting.hard,)}
    inputs = {"x": (nx,), "after": (nx,), "tau": (n,), "p": (setting.parameters,), "h": (1,)}
    return setting.kernel("evaluation", inputs, outputs, body, partial(evaluation, setting))


def gains(setting: Setting) -> Kernel:
    """K and k in forces, from the factors of the Riccati pass: see `policy`."""
    _, N, n, m = setting.sizes
    inputs = {"L": (max(m * (m - 1) // 2, 1),), "DY": (m, N), "Dy": (m,)}
    inputs |= {"M": (n, n), "P": (n, N)} if setting.motors is None else {}
    body = partial(gains_node, setting)
    return setting.kernel("gains", inputs, {"K": (m, N), "k": (m,)}, body, partial(gains, setting))


def gains_node(setting: Setting, L: Vec, DY: Vec, Dy: Vec, *motion: Vec) -> list[Vec]:
    """K and k; `motion` has M and P where the policy is that of accelerations."""
    _, N, n, m = setting.sizes
    K, k = policy(L, [DY[i * N : i * N + N] for i in range(m)], Dy)
    if motion:  # from accelerations to forces: du = M w + P dx
        M, P = ([x[i * len(x) // n : (i + 1) * len(x) // n] for i in range(n)] for x in motion)
        K, k = plus_product(P, M, K), [dot(row, k) for row in M]
    return [flat(K), k]


def node_cost(setting: Setting, x: Vec, qdd: Vec, tau: Vec, p: Vec, h: Scalar) -> Scalar:
    """The cost of a node."""
    return sum(half_squares(r, w) for r, w in setting.residuals(setting.node(x, qdd, tau, h), p))


def half_squares(residuals: Vec, weights: Vec) -> Scalar:
    """Half the weighted sum of squares."""
    return 0.5 * sum(w * (r * r) for r, w in zip(residuals, weights, strict=True))
