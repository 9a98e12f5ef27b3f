"""The passes over the nodes of a plan, as loops in machine code: backward Riccati pass, forward pass of a policy.

Loops run forward, so the arrays of the Riccati pass are reversed in time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from revolute.compiler.kernel import Kernel
from revolute.compiler.recurrence import TimeLoop
from revolute.compiler.signature import Signature, flat
from revolute.dynamics.coordinate_rates import parent_axes_rates
from revolute.dynamics.optimal import riccati
from revolute.dynamics.optimal.box import Box, clamped
from revolute.dynamics.optimal.products import dot, is_large, padded, plus_product, rows_of, symmetric, total
from revolute.dynamics.optimal.velocity_model import velocity_model
from revolute.graph import Input
from revolute.optimal.kernels.derivatives import derivative_shapes, step_rows
from revolute.optimal.kernels.setting import Setting
from revolute.spatial.scalar import Scalars, select
from revolute.targets.llvm.recurrence import LoopForm, Recurrence, Stage, following, joined

HUGE = 1e200  # value that replaces costs that are larger than it, or not finite
WIDE = 1e9  # value of a force bound that is never active

Arrays = Mapping[str, Scalars]
Shapes = Mapping[str, tuple[int, ...]]


def _loop(
    setting: Setting, name: str, states: Shapes, loads: Shapes, stores: Shapes,
    node: Callable[[Setting, Arrays], Arrays], passing: frozenset[str] = frozenset(),
) -> TimeLoop:
    """The loop over nodes of a function that maps states and loads to the next states and stores, all by name."""
    form, owner = LoopForm(states, loads, stores, passing), setting.dynamics.model.name
    inputs = {**states, **loads}
    results = {**{following(x): shape for x, shape in states.items()}, **stores}

    def body(*arrays: Scalars) -> list[Scalars]:
        found = node(setting, dict(zip(inputs, arrays, strict=True)))
        return [found[x] for x in (*states, *stores)]

    def trace() -> Recurrence:
        signature = Signature(name, tuple(Input(*x) for x in inputs.items()), tuple(results.items()), body)
        return joined(form, [Stage(signature.graph(), tuple(inputs), tuple(results))])

    return TimeLoop(name, owner, setting.identity(name), form, trace)


def backward(setting: Setting) -> TimeLoop:
    """The Riccati pass: see `riccati_node`."""
    _, N, n, m = setting.sizes
    loads = {x: shape for x, shape in derivative_shapes(setting).items() if x not in ("M", "P")}
    loads |= {"gap": (N,), "mu": (1,), "h": (1,)}
    loads |= {"low": (m,), "high": (m,), "free": (1,), "tau": (n,)} if setting.boxed else {}
    states = {"Vx": (N,), "V": (N, N) if is_large(N, N) else (N * (N + 1) // 2,), "totals": (4,)}
    stores = {"expected": (4,), "bent": (N,), **policy_shapes(setting)}
    return _loop(setting, "backward", states, loads, stores, riccati_node, frozenset({"V"}))


def riccati_node(setting: Setting, x: Arrays) -> Arrays:
    """From Vx and V of node t + 1 to those of node t, with the data for the policy and the expected change of cost.

    `expected` contains slope, curvature, smallest excess of a pivot and minus the largest entry of Q_cc, over all nodes
    from this one on; the state `totals` has these values for the following node. `bent` is V times the gap into the
    node. The policy is K and k if forces have bounds; otherwise it is L, DY and Dy, from which the kernel `gains`
    computes K and k.
    """
    _, N, n, _ = setting.sizes
    lean, motors = setting.dynamics.lean, setting.motors
    Vx, h, gap = x["Vx"], x["h"][0], x["gap"]
    mu = select(h > 0, x["mu"][0], 1.0)  # the last node's controls have no cost
    large = is_large(N, N)
    Vxx, Hxx = (rows_of(x["V"], N), padded(x["Hxx"])) if large else (symmetric(x["V"]), symmetric(x["Hxx"]))
    Hcc = padded(x["Hcc"]) if large and lean and not ("Zx" in x and setting.boxed) else symmetric(x["Hcc"])
    Q = riccati.Quadratic(x["gx"], x["gc"], Hxx, rows_of(x["Hcx"], len(x["gc"])), Hcc)
    if "Zx" in x:
        Q = velocity_model(Vx, Vxx, Q, rows_of(x["Zx"], n), rows_of(x["Zc"], n), h, *step_rows(setting, x, h))
    elif lean:
        Q = riccati.symplectic_model(Vx, Vxx, Q, h, *step_rows(setting, x, h))
    else:
        Q = riccati.node_model(Vx, Vxx, Q, rows_of(x["F"], N), rows_of(x["G"], N))
    if setting.passive:
        Wx, Wc = (rows_of(x[name], len(setting.passive)) for name in ("Wx", "Wc"))
        Q = riccati.through_joints(Q, Wx, Wc, motors or ())
    elif "Wx" in x:
        Q = riccati.through_motors(Q, rows_of(x["Wx"], n), rows_of(x["Wc"], n))
    if setting.boxed and motors is not None:
        tau = [x["tau"][k] for k in motors]
        free, sides = x["free"][0] > 0, (("low", -WIDE), ("high", WIDE))
        box = Box(*([select(free, far, a) - b for a, b in zip(x[side], tau, strict=True)] for side, far in sides))
        V, K, k = riccati.boxed_value(Q, mu, gap, box)
        laws = {"K": flat(K), "k": k}
    else:
        V, factors, DY, Dy = riccati.value(Q, mu, gap)
        laws = {"L": flat(factors.L) or [0.0], "DY": flat(DY), "Dy": Dy}
    slope, curvature, smallest, largest = x["totals"]
    largest = riccati.least([largest, *(-row[i] for i, row in enumerate(Q.cc))])
    totals = [slope + V.slope, curvature + V.curvature, riccati.least([smallest, V.least]), largest]
    own = flat(V.xx) if large else [y for i, row in enumerate(V.xx) for y in row[: i + 1]]
    return {"Vx": V.x, "V": own, "totals": totals, "expected": totals, "bent": V.bent, **laws}


def gains(setting: Setting) -> Kernel:
    """Kernel of the gains K and offsets k of forces, from the factors of the Riccati pass: see `riccati.policy`."""
    _, N, _, m = setting.sizes
    inputs = {**policy_shapes(setting), **motion_shapes(setting)}
    body = partial(gains_node, setting)
    return setting.kernel("gains", inputs, {"K": (m, N), "k": (m,)}, body, partial(gains, setting))


def gains_node(setting: Setting, L: Scalars, DY: Scalars, Dy: Scalars, *motion: Scalars) -> list[Scalars]:
    """K and k; `motion` contains the arrays of `motion_shapes`, if the controls of the policy are accelerations."""
    m, passive = setting.sizes[3], setting.passive
    K, k = riccati.policy(L, rows_of(DY, m), Dy)
    if motion:  # convert accelerations to forces: du = M w + P dx
        M, P = (rows_of(x, m) for x in motion[:2])
        if passive:
            Wx, Wc = (rows_of(x, len(passive)) for x in motion[2:])
            K, k = setting.joined(plus_product(Wx, Wc, K), K), setting.joined([dot(row, k) for row in Wc], k)
        K, k = plus_product(P, M, K), [dot(row, k) for row in M]
    return [flat(K), k]


def motion_shapes(setting: Setting) -> dict[str, tuple[int, ...]]:
    """Shapes of the arrays that convert the policy's controls to forces; empty if the controls are forces."""
    names = ("M", "P", *(("Wx", "Wc") if setting.passive else ()))
    return {name: derivative_shapes(setting)[name] for name in names} if setting.accelerated else {}


def policy_shapes(setting: Setting) -> dict[str, tuple[int, ...]]:
    """Shapes of the policy that the Riccati pass returns."""
    _, N, _, m = setting.sizes
    return {"K": (m, N), "k": (m,)} if setting.boxed else {"L": (max(m * (m - 1) // 2, 1),), "DY": (m, N), "Dy": (m,)}


def forward(setting: Setting) -> TimeLoop:
    """The pass of the policy: see `policy_node`."""
    nx, N, n, m = setting.sizes
    loads: dict[str, tuple[int, ...]] = {"near": (nx,), "before": (n,), "bent": (N,), "between": (N,)}
    loads |= {"p": (setting.parameters,), "share": (1,), "h": (1,), **policy_shapes(setting)}
    loads |= motion_shapes(setting) if setting.passive else {}
    loads |= {"low": (m,), "high": (m,)} if setting.boxed else {}
    stores = {"tau": (n,), "qdd": (setting.motions,), "gap": (N,), "scored": (4,)}
    return _loop(setting, "forward", {"x": (nx,), "totals": (4,)}, loads, stores, policy_node)


def policy_node(setting: Setting, a: Arrays) -> Arrays:
    """One node of the forward pass: the policy's forces and accelerations, the next state, gaps, and total cost.

    `before` are the controls of the previous plan, accelerations or forces. `scored` contains totals of the nodes up to
    this one: the cost; the part of the expected change that depends on the deviation from the previous plan; the number
    of abandoned states; and the largest gap. The state `totals` contains the same values of the previous node.
    """
    dynamics, (_, _, _, m), x, totals = setting.dynamics, setting.sizes, a["x"], a["totals"]
    (share,), (h,), (q, qd, _) = a["share"], a["h"], dynamics.parts(x)
    dx = dynamics.difference(a["near"], x)
    if setting.boxed:
        changes = [share * k + dot(row, dx) for row, k in zip(rows_of(a["K"], m), a["k"], strict=True)]
    else:
        changes = riccati.step_of_policy(a["L"], rows_of(a["DY"], m), a["Dy"], dx, share)
        if setting.passive:
            changes = [*_changes_of_forces(setting, a, dx, changes)]
    if setting.motors is None:
        still = [0] * m  # the policy changes rates along axes fixed to the parent
        near, here = (parent_axes_rates(dynamics.space, v, still) for v in (dynamics.parts(a["near"])[1], qd))
        qdd = [y + c + (g - f) for y, c, g, f in zip(a["before"], changes, near, here, strict=True)]
        tau = dynamics.forces(q, qd, qdd)
    else:
        chosen = [a["before"][k] + c for k, c in zip(setting.motors, changes, strict=True)]
        tau = list(a["before"])
        bounded = clamped(chosen, Box(a["low"], a["high"])) if setting.boxed else chosen
        for k, y in zip(setting.motors, bounded, strict=True):
            tau[k] = y
        qdd = setting.accelerations(x, tau, a["p"], h)
    after, gap, lost = dynamics.along_plan(x, tau, qdd, a["between"], share, h)
    # infinite values would end the loop for all rows
    costs = setting.cost(x, qdd, tau, a["p"], h), dot(a["bent"], dx)
    cost, way = (select(abs(y) <= HUGE, y, HUGE) for y in costs)
    widest = totals[3]
    for y in gap:
        widest = widest.maximum(abs(y))
    scored = [totals[0] + cost, totals[1] + way, totals[2] + lost, widest]
    return {"x": after, "totals": scored, "tau": tau, "qdd": qdd, "gap": gap, "scored": scored}


def _changes_of_forces(setting: Setting, a: Arrays, dx: Scalars, w: Scalars) -> Scalars:
    """du = P dx + M w of motors from the accelerations w of motors, for passive coordinates without forces."""
    n, passive, related = setting.sizes[2], setting.passive, setting.dynamics.related
    Wx, Wc = (rows_of(a[name], len(passive)) for name in ("Wx", "Wc"))
    w = setting.joined([dot(b, dx) + dot(c, w) for b, c in zip(Wx, Wc, strict=True)], w)
    M, P = (rows_of(a[name], len(setting.motors or ())) for name in ("M", "P"))
    return [
        total(y for j in related[k] for y in (by_w[j] * w[j], by_x[j] * dx[j], by_x[n + j] * dx[n + j]))
        for k, by_w, by_x in zip(setting.motors or (), M, P, strict=True)
    ]


def sampled(setting: Setting, motors: Sequence[int]) -> TimeLoop:
    """The pass from a state under noisy forces: `whole`, the sum of costs, is huge once a state is abandoned."""
    dynamics, (nx, _, n, _), m = setting.dynamics, setting.sizes, len(motors)
    loads = {"nominal": (m,), "noise": (m,), "low": (m,), "high": (m,), "p": (setting.parameters,), "h": (1,)}

    def node(setting: Setting, a: Arrays) -> Arrays:
        x, h, tau = a["x"], a["h"][0], [0.0] * n
        noisy = [x + y for x, y in zip(a["nominal"], a["noise"], strict=True)]
        for k, y in zip(motors, clamped(noisy, Box(a["low"], a["high"])), strict=True):
            tau[k] = y
        qdd = setting.accelerations(x, tau, a["p"], h)
        after, lost = dynamics.kept(dynamics.step(x, tau, qdd, h))
        cost = setting.cost(x, qdd, tau, a["p"], h)
        whole = [a["totals"][0] + select(abs(cost) <= HUGE, cost, HUGE) + HUGE * lost]
        return {"x": after, "totals": whole, "whole": whole}

    return _loop(setting, "sampled", {"x": (nx,), "totals": (1,)}, loads, {"whole": (1,)}, node)
