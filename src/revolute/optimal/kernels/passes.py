"""The passes over the nodes of a plan, as loops in machine code: Riccati's from the end, a policy's from the start.

Loops run over time, so the Riccati pass sees its arrays in reverse order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from revolute.compiler.recurrence import TimeLoop
from revolute.compiler.signature import Signature, flat
from revolute.dynamics.optimal.box import Box, clamped
from revolute.dynamics.optimal.riccati import (
    Quadratic,
    boxed_value,
    dot,
    least,
    node_model,
    step_of_policy,
    symmetric,
    symplectic_model,
    through_motors,
    value,
)
from revolute.dynamics.optimal.shooting import kept, moved_on
from revolute.graph import Input
from revolute.optimal.kernels.derivatives import derivative_shapes, step_rows
from revolute.optimal.kernels.evaluation import node_cost
from revolute.optimal.kernels.setting import Setting
from revolute.spatial.scalar import Scalar, select
from revolute.targets.llvm.recurrence import LoopForm, Recurrence, Stage, following, joined

__all__ = ["backward", "forward", "sampled"]

HUGE = 1e200
"""In place of costs that are larger, or not finite."""

Vec = Sequence[Scalar]
Shapes = Mapping[str, tuple[int, ...]]


def _loop(
    setting: Setting, name: str, states: Shapes, loads: Shapes, stores: Shapes, body: Callable[..., list[Vec]]
) -> TimeLoop:
    """The loop of a body that takes states and loads, in this order, and gives the next states and stores."""
    form, owner = LoopForm(states, loads, stores), setting.dynamics.model.name
    inputs = {**states, **loads}
    results = {**{following(x): shape for x, shape in states.items()}, **stores}
    signature = Signature(name, tuple(Input(*x) for x in inputs.items()), tuple(results.items()), body)

    def trace() -> Recurrence:
        return joined(form, [Stage(signature.graph(), tuple(inputs), tuple(results))])

    return TimeLoop(name, owner, setting.identity(name), form, trace)


def backward(setting: Setting) -> TimeLoop:
    """From Vx and V of node t + 1 to those of node t, with what the policy and the expected change of cost need.

    Stores: `expected` has slope, curvature and least pivot of all nodes from the end to this one; the state `totals`
    is that of the node after. `bent` is V times the gap into the node. The policy is K
    and k where forces have bounds; else L, DY and Dy, of which the kernel `gains` makes it.
    """
    _, N, n, m = setting.sizes
    shapes, lean = derivative_shapes(setting), setting.dynamics.lean
    loads = {x: shape for x, shape in shapes.items() if x not in ("M", "P")}
    loads |= {"gap": (N,), "mu": (1,), "h": (1,)} | ({"low": (m,), "high": (m,), "tau": (n,)} if setting.boxed else {})
    states = {"Vx": (N,), "V": (N * (N + 1) // 2,), "totals": (3,)}
    made = {"K": (m, N), "k": (m,)} if setting.boxed else factor_shapes(setting)
    names = (*states, *loads)

    def body(*arrays: Vec) -> list[Vec]:
        x = dict(zip(names, arrays, strict=True))
        Vx, V, h = x["Vx"], symmetric(x["V"]), x["h"][0]
        Q = Quadratic(x["gx"], x["gc"], symmetric(x["Hxx"]), _rows(x["Hcx"], len(x["gc"])), symmetric(x["Hcc"]))
        if lean:
            Q = symplectic_model(Vx, V, Q, *step_rows(setting, x.get("Fq", ()), x.get("Fv", ()), h), h)
        else:
            Q = node_model(Vx, V, Q, _rows(x["F"], N), _rows(x["G"], N))
        if lean and setting.motors is not None:
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
        return [V.x, [y for i, row in enumerate(V.xx) for y in row[: i + 1]], totals, totals, V.bent, *policy]

    return _loop(setting, "backward", states, loads, {"expected": (3,), "bent": (N,), **made}, body)


def factor_shapes(setting: Setting) -> dict[str, tuple[int, ...]]:
    """What is left of the policy where forces have no bounds: see `value`."""
    _, N, _, m = setting.sizes
    return {"L": (max(m * (m - 1) // 2, 1),), "DY": (m, N), "Dy": (m,)}


def forward(setting: Setting) -> TimeLoop:
    """From a state along the policy: forces, accelerations, gaps that remain, and what each node costs.

    Stores: `scored`, sums up to each node: the cost, the part of the expected change that depends on the way from the
    plan before, 1 or more where a state was given up, and the largest gap. The state `totals` is that of the node
    before.
    """
    dynamics, (nx, N, n, m), boxed = setting.dynamics, setting.sizes, setting.boxed
    policy = {"K": (m, N), "k": (m,), "low": (m,), "high": (m,)} if boxed else factor_shapes(setting)
    loads = {"near": (nx,), "before": (n,), "bent": (N,), "between": (N,), "p": (setting.parameters,)}
    loads |= {"share": (1,), "h": (1,), **policy}

    def body(
        x: Vec, totals: Vec, near: Vec, before: Vec, bent: Vec, gap: Vec, p: Vec, shares: Vec, hs: Vec, *policy: Vec
    ) -> list[Vec]:
        (share,), (h,), (q, qd, _) = shares, hs, dynamics.parts(x)
        dx = dynamics.difference(near, x)
        if boxed:
            changes = [share * k + dot(row, dx) for row, k in zip(_rows(policy[0], m), policy[1], strict=True)]
        else:
            changes = step_of_policy(policy[0], _rows(policy[1], m), policy[2], dx, share)
        if setting.motors is None:
            qdd = [a + b for a, b in zip(before, changes, strict=True)]
            tau = dynamics.forces(q, qd, qdd)
        else:
            chosen = [before[k] + c for k, c in zip(setting.motors, changes, strict=True)]
            tau = list(before)
            for k, y in zip(setting.motors, clamped(chosen, Box(*policy[2:])) if boxed else chosen, strict=True):
                tau[k] = y
            qdd = dynamics.accelerations(q, qd, tau)
        after, left, lost = moved_on(dynamics, x, tau, qdd, gap, share, h)
        cost = node_cost(setting, x, qdd, tau, p, h)
        way = sum(a * b for a, b in zip(bent, dx, strict=True))
        cost, way = (select(abs(y) <= HUGE, y, HUGE) for y in (cost, way))  # a loop ends for all rows at infinity
        widest = totals[3]
        for y in left:
            widest = widest.maximum(abs(y))
        scored = [totals[0] + cost, totals[1] + way, totals[2] + lost, widest]
        return [after, scored, tau, qdd, left, scored]

    stores = {"tau": (n,), "qdd": (n,), "gap": (N,), "scored": (4,)}
    return _loop(setting, "forward", {"x": (nx,), "totals": (4,)}, loads, stores, body)


def sampled(setting: Setting, motors: Sequence[int]) -> TimeLoop:
    """From a state under given forces: the sum of costs up to each node, `whole`; huge where a state was given up."""
    (nx, _, n, _), m = setting.sizes, len(motors)
    loads = {"nominal": (m,), "noise": (m,), "low": (m,), "high": (m,), "p": (setting.parameters,), "h": (1,)}

    def body(x: Vec, totals: Vec, nominal: Vec, noise: Vec, low: Vec, high: Vec, p: Vec, h: Vec) -> list[Vec]:
        forces: list[Scalar] = [0.0] * n
        chosen = clamped([a + b for a, b in zip(nominal, noise, strict=True)], Box(low, high))
        for k, y in zip(motors, chosen, strict=True):
            forces[k] = y
        q, qd, _ = setting.dynamics.parts(x)
        qdd = setting.dynamics.accelerations(q, qd, forces)
        after, lost = kept(setting.dynamics, setting.dynamics.step(x, forces, qdd, h[0]))
        cost = node_cost(setting, x, qdd, forces, p, h[0])
        whole = totals[0] + select(abs(cost) <= HUGE, cost, HUGE) + HUGE * lost
        return [after, [whole], [whole]]

    return _loop(setting, "sampled", {"x": (nx,), "totals": (1,)}, loads, {"whole": (1,)}, body)


def _rows(x: Vec, count: int) -> list[Vec]:
    """A matrix of so many rows."""
    columns = len(x) // count
    return [x[i * columns : (i + 1) * columns] for i in range(count)]
