"""The passes over the nodes of a plan, as loops in machine code: backward Riccati pass, forward pass of a policy.

Loops run forward, so the arrays of the Riccati pass are reversed in time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from revolute.compiler.recurrence import TimeLoop
from revolute.compiler.signature import Signature, flat
from revolute.dynamics.optimal.box import Box, clamped
from revolute.dynamics.optimal.riccati import Quadratic, boxed_value, least, node_model, through_motors, value
from revolute.dynamics.optimal.shooting import kept, shoot
from revolute.graph import Input
from revolute.optimal.kernels.nodes import derivative_shapes, step_rows
from revolute.optimal.kernels.setting import Setting
from revolute.spatial.scalar import Scalar, select
from revolute.targets.llvm.recurrence import LoopForm, Recurrence, Stage, following, joined

__all__ = ["backward", "forward", "sampled"]

HUGE = 1e200
"""Replaces costs that are larger, or not finite."""

Vec = Sequence[Scalar]
Shapes = Mapping[str, tuple[int, ...]]


def _loop(
    setting: Setting, name: str, states: Shapes, loads: Shapes, stores: Shapes, body: Callable[..., list[Vec]]
) -> TimeLoop:
    """The loop of a body that maps states and loads, in this order, to the next states and stores."""
    form, owner = LoopForm(states, loads, stores), setting.dynamics.model.name
    inputs = {**states, **loads}
    results = {**{following(x): shape for x, shape in states.items()}, **stores}
    signature = Signature(name, tuple(Input(*x) for x in inputs.items()), tuple(results.items()), body)

    def trace() -> Recurrence:
        return joined(form, [Stage(signature.graph(), tuple(inputs), tuple(results))])

    return TimeLoop(name, owner, setting.identity(name), form, trace)


def backward(setting: Setting) -> TimeLoop:
    """From Vx and V of node t + 1 to those of node t, with the data for the policy and the expected change of cost.

    Stores: `expected` has slope, curvature and smallest pivot of all nodes from the end to this one; the state `totals`
    is that of the following node. `bent` is V times the gap into the node. The policy is K and k if forces have bounds;
    otherwise L, DY and Dy, from which the kernel `gains` computes it.
    """
    _, n, m = setting.sizes
    N = 2 * n
    shapes = derivative_shapes(setting)
    loads = {x: shape for x, shape in shapes.items() if x not in ("M", "P")}
    loads |= {"gap": (N,), "mu": (1,), "h": (1,)} | ({"low": (m,), "high": (m,), "tau": (n,)} if setting.boxed else {})
    states = {"Vx": (N,), "V": (N * (N + 1) // 2,), "totals": (3,)}
    made = {"K": (m, N), "k": (m,)} if setting.boxed else {"L": (max(m * (m - 1) // 2, 1),), "DY": (m, N), "Dy": (m,)}
    names = (*states, *loads)

    def body(*arrays: Vec) -> list[Vec]:
        x = dict(zip(names, arrays, strict=True))
        F_q, F_v = step_rows(setting, x.get("Fq", ()), x.get("Fv", ()), x["h"][0])
        cost = Quadratic(x["gx"], x["gw"], x["Hxx"], _rows(x["Hwx"], n), x["Hww"])
        Q = node_model(x["Vx"], x["V"], cost, F_q, F_v, x["h"][0])
        if setting.motors is not None:
            Q = through_motors(Q, _rows(x["Wx"], n), _rows(x["Wc"], n))
        if setting.boxed:
            assert setting.motors is not None
            tau = [x["tau"][k] for k in setting.motors]
            box = Box(*([a - b for a, b in zip(x[side], tau, strict=True)] for side in ("low", "high")))
            V, K, k = boxed_value(Q, x["mu"][0], x["gap"], box)
            policy = [flat(K), k]
        else:
            V, factors, DY, Dy = value(Q, x["mu"][0], x["gap"])
            policy = [flat(factors.L) or [0.0], flat(DY), Dy]
        slope, curvature, pivot = x["totals"]
        totals = [slope + V.slope, curvature + V.curvature, least([pivot, V.least])]
        return [V.x, V.xx, totals, totals, V.bent, *policy]

    return _loop(setting, "backward", states, loads, {"expected": (3,), "bent": (N,), **made}, body)


def forward(setting: Setting) -> TimeLoop:
    """From a state along the policy: forces, accelerations, remaining gaps, and the cost of each node.

    Stores: `scored`, sums up to each node: the cost, the part of the expected change that depends on the deviation from
    the previous plan, at least 1 if a state was abandoned, and the largest gap. The state `totals` is that of the
    previous node.
    """
    nx, n, m = setting.sizes
    N = 2 * n
    loads = {
        "near": (nx,), "before": (n,), "K": (m, N), "k": (m,), "bent": (N,), "between": (N,),
        "p": (setting.parameters,), "share": (1,), "h": (1,), **({"low": (m,), "high": (m,)} if setting.boxed else {}),
    }  # fmt: skip
    motors = range(n) if setting.motors is None else setting.motors

    def body(
        x: Vec, totals: Vec, near: Vec, tau: Vec, K: Vec, k: Vec, bent: Vec, gap: Vec, p: Vec, *rest: Vec
    ) -> list[Vec]:
        (share, *_), (h, *_), *bounds = rest
        rows: list[Vec] = [[0] * N] * n
        moves, box = [0] * n, None
        low, high = [-float("inf")] * n, [float("inf")] * n
        for i, place in enumerate(motors):
            rows[place], moves[place] = K[i * N : i * N + N], k[i]
            if bounds:
                low[place], high[place] = bounds[0][i], bounds[1][i]
        if bounds:
            box = Box(low, high)
        s = shoot(setting.dynamics, x, near, tau, rows, moves, gap, share, h, box)
        cost = node_cost(setting, x, s.qdd, s.tau, p)
        dx = setting.dynamics.difference(near, x)
        way = sum(a * b for a, b in zip(bent, dx, strict=True))
        cost, way = (select(abs(y) <= HUGE, y, HUGE) for y in (cost, way))  # a loop ends for all rows at infinity
        widest = totals[3]
        for y in s.gap:
            widest = widest.maximum(abs(y))
        scored = [totals[0] + cost, totals[1] + way, totals[2] + s.lost, widest]
        return [s.x, scored, s.tau, s.qdd, s.gap, scored]

    stores = {"tau": (n,), "qdd": (n,), "gap": (N,), "scored": (4,)}
    return _loop(setting, "forward", {"x": (nx,), "totals": (4,)}, loads, stores, body)


def sampled(setting: Setting, motors: Sequence[int]) -> TimeLoop:
    """From a state under given forces: the sum of costs up to each node, `whole`; huge where a state was abandoned."""
    nx, n, _ = setting.sizes
    m, nq = len(motors), setting.dynamics.space.nq
    loads = {"nominal": (m,), "noise": (m,), "low": (m,), "high": (m,), "p": (setting.parameters,), "h": (1,)}

    def body(x: Vec, totals: Vec, nominal: Vec, noise: Vec, low: Vec, high: Vec, p: Vec, h: Vec) -> list[Vec]:
        forces: list[Scalar] = [0.0] * n
        chosen = clamped([a + b for a, b in zip(nominal, noise, strict=True)], Box(low, high))
        for k, y in zip(motors, chosen, strict=True):
            forces[k] = y
        qdd = setting.dynamics.accelerations(x[:nq], x[nq:], forces)
        arrived = [y for part in setting.dynamics.step(x[:nq], x[nq:], qdd, h[0]) for y in part]
        after, lost = kept(setting.dynamics, arrived)
        cost = node_cost(setting, x, qdd, forces, p)
        whole = totals[0] + select(abs(cost) <= HUGE, cost, HUGE) + HUGE * lost
        return [after, [whole], [whole]]

    return _loop(setting, "sampled", {"x": (nx,), "totals": (1,)}, loads, {"whole": (1,)}, body)


def _rows(x: Vec, count: int) -> list[Vec]:
    """A matrix with a number of rows."""
    columns = len(x) // count
    return [x[i * columns : (i + 1) * columns] for i in range(count)]


def node_cost(setting: Setting, x: Vec, qdd: Vec, tau: Vec, p: Vec) -> Scalar:
    """The cost of a node."""
    residuals = setting.residuals(setting.node(x, qdd, tau), p)
    return sum(0.5 * w * (r * r) for rs, ws in residuals for r, w in zip(rs, ws, strict=True))
