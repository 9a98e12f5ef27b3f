"""One tick of predictive control as one function over nodes of graphs, and the C code of this function.

The function does the same as `PlanStepper.step` with one iteration: it shifts the plan by one step, starts it at the
measured state, and improves it. It loops over nodes, regularizations and step lengths.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from revolute.compiler.kernel import real_dtype
from revolute.compiler.signature import Signature, flat
from revolute.dynamics.optimal.box import Box, clamped
from revolute.dynamics.optimal.holding import NUMBERS
from revolute.dynamics.optimal.products import dot, is_large, rows_of
from revolute.errors import InputError
from revolute.graph import Graph, Input
from revolute.machine.c_code import CCode, Written, write_c
from revolute.model.contact_inputs import contact_names
from revolute.optimal.fddp import LEAST, MOST, SHARES, TOLERANCE, progress
from revolute.optimal.kernels.derivatives import derivative_shapes, expanded
from revolute.optimal.kernels.passes import HUGE, gains_node, motion_shapes, policy_node, policy_shapes, riccati_node
from revolute.optimal.kernels.setting import Setting
from revolute.spatial.loop import converged, repeated
from revolute.spatial.scalar import Scalar, select

if TYPE_CHECKING:
    from revolute.optimal.problem import OptimalControl

Vec = Sequence[Scalar]
Rows = Sequence[Vec]
Arrays = Mapping[str, Rows]

MEANING = """One tick of predictive control: move the plan on to the measured state, and improve it.

If no better plan is found, the plan is only shifted, and its gains correct the forces. Pass the next plan to the next
call.

Args:
    q: measured positions [rad, m].
    qd: measured velocities [rad/s, m/s].
    x: states of the plan, node by node: q, qd, and with costs of torque rates the forces of the previous step.
    tau: forces of the plan [N m, N].
    K: gains of the plan: motor forces per small motion of the state.
    parameters: weights and goals of all nodes; see above.
    dt: lengths of the steps [s].
    low, high: bounds of the forces of motors [N m, N].
    applied: forces of this instant [N m, N].
    next_x, next_tau, next_K: the next plan.
    improved: 1 if the plan is better than before, else 0.
"""


def write_tick(problem: OptimalControl, path: str | os.PathLike[str], dtype: DTypeLike, **options: Any) -> list[Path]:
    """Write the files; see `OptimalControl.to_c`."""
    setting = problem._setting
    if setting.dynamics.closures and real_dtype(dtype) != np.float64:
        raise InputError("to_c: closed loops need dtype=float64: redundant rows are regularized by 1e-7")
    if len({contact.link for contact in problem.contacts}) < len(problem.contacts) and real_dtype(dtype) != np.float64:
        raise InputError("to_c: several contacts of a link need dtype=float64: redundant rows are regularized by 1e-7")
    nx, N, n, m = setting.sizes
    sizes = {"steps": problem.steps, "states": nx, "moves": N, "nv": n, "motors": m, "parameters": setting.parameters}
    function = Written("tick", tick_graph(setting, problem.steps), MEANING)
    macros = {name.upper(): size for name, size in sizes.items()}
    code = CCode(real_dtype(dtype), test=False, **options)
    return write_c(path, problem._tree.name, [function], macros, list(_notes(problem)), code)


def _notes(problem: OptimalControl) -> Iterator[str]:
    """Lines of text that document the layout of a node's parameters."""
    yield f"Motors: {', '.join(problem.actuated)}."
    yield "Parameters of a node; weights of nodes before the last are multiplied by dt:"
    for name, place in zip(problem.names, problem._setting.places, strict=True):
        for what, at in (("weights", place.weight), ("goal", place.goal)):
            if at.stop > at.start:
                yield f"{what} of '{name}': {at.start} to {at.stop - 1}."
    first = problem._setting.contact_numbers.start
    for k, name in enumerate(contact_names(problem.contacts)):
        yield f"contact '{name}': {first + 1 + NUMBERS * k} on: 1 if active, k_p and place along its axes."
    if problem.contacts:
        yield f"k_d of contacts: {first}."


def tick_graph(setting: Setting, steps: int) -> Graph:
    """The graph of a tick of a plan with this number of steps: see `_Tick`."""
    nx, N, n, m = setting.sizes
    shapes = {"q": (setting.dynamics.space.nq,), "qd": (n,), "x": (steps + 1, nx), "tau": (steps, n)}
    shapes |= {"K": (steps, m, N), "parameters": (steps + 1, setting.parameters), "dt": (steps,)}
    shapes |= {"low": (m,), "high": (m,)} if setting.boxed else {}
    outputs = {"applied": (n,), "next_x": (steps + 1, nx), "next_tau": (steps, n), "next_K": (steps, m, N)}
    outputs |= {"improved": (1,)}

    def body(*arrays: Vec) -> list[Vec]:
        rows = {}
        for (name, shape), array in zip(shapes.items(), arrays, strict=True):
            rows[name] = rows_of(array, shape[0] if len(shape) > 1 else 1)
        return _Tick(setting, steps, rows).results()

    return Signature("tick", tuple(Input(*x) for x in shapes.items()), tuple(outputs.items()), body).graph()


class _Tick:
    """The parts of a tick: `arrays` are its inputs; x, tau and h have one row per node of the shifted plan."""

    def __init__(self, setting: Setting, steps: int, arrays: Arrays) -> None:
        self.setting, self.steps, self.arrays = setting, steps, arrays
        (q,), (qd,), x, tau, K = (arrays[name] for name in ("q", "qd", "x", "tau", "K"))
        still, before = [0.0] * setting.sizes[2], x[1][len(q) + len(qd) :]
        self.start = x[1]
        self.x: Rows = [[*q, *qd, *before], *x[2:], x[steps]]
        self.tau: Rows = [*tau[1:], tau[-1], still]
        self.K: Rows = [*K[1:], K[-1]]
        self.h: Rows = [*([y] for y in arrays["dt"][0]), [0.0]]
        self.bounds = {name: arrays[name][0] for name in ("low", "high") if setting.boxed}

    def results(self) -> list[Vec]:
        """Forces, the next plan and its gains, and whether it is better than the previous plan."""
        setting, T, p = self.setting, self.steps, self.arrays["parameters"]
        gap0 = [0.0] * setting.sizes[1]
        _, (qdd, gaps, costs) = repeated(self._evaluated, (), [self.x, [*self.x[1:], self.x[T]], self.tau, p, self.h])
        into: Rows = [gap0, *gaps[:T]]
        cost = sum(y for row in costs for y in row)
        policies = self._policies(qdd, into)
        controls = qdd if setting.motors is None else self.tau
        tried = [self.x, controls, [*into[1:], gap0], p, self.h]
        x, tau, taken = self._search(tried, policies, cost)
        motion = [policies[name] for name in motion_shapes(setting)]
        if setting.boxed:
            K: Rows = policies["K"][:T]
        else:
            parts = [policies[name] for name in ("L", "DY", "Dy")] + motion
            _, K = repeated(lambda _, *rows: ((), gains_node(setting, *rows)[0]), (), [part[:T] for part in parts])
        good = taken > 0.5
        old = [self.start, *self.x[1:]], self.tau[:T], self.K
        x, tau, K = (_chosen(good, *pair) for pair in zip((x, tau[:T], K), old, strict=True))
        return [self._applied(good, tau[0]), flat(x), flat(tau), flat(K), [taken]]

    def _evaluated(self, _: object, x: Vec, after: Vec, tau: Vec, p: Vec, h: Vec) -> tuple[tuple[()], tuple[Vec, ...]]:
        """Accelerations, the gap into the next node and the cost of a node."""
        dynamics = self.setting.dynamics
        qdd = self.setting.accelerations(x, tau, p, h[0])
        gap = dynamics.difference(after, dynamics.step(x, tau, qdd, h[0]))
        return (), (qdd, gap, [self.setting.cost(x, qdd, tau, p, h[0])])

    def _policies(self, qdd: Rows, into: Rows) -> dict[str, Rows]:
        """Results of the Riccati pass, with sufficient regularization."""
        setting, (_, N, _, _) = self.setting, self.setting.sizes
        shapes = derivative_shapes(setting)
        kept = [*policy_shapes(setting), "bent", *motion_shapes(setting)]
        given = [self.x, self.tau, qdd, self.arrays["parameters"], into, self.h]

        def backward(mu: Scalar) -> list[Rows]:
            def node(state: Rows, x: Vec, tau: Vec, w: Vec, p: Vec, gap: Vec, h: Vec) -> tuple[Rows, tuple[Vec, ...]]:
                found = dict(zip(shapes, expanded(setting, x, tau, w, p, h), strict=True))
                values = dict(zip(("Vx", "V", "totals"), state, strict=True))
                found |= {"gap": gap, "mu": [mu], "h": h, "tau": tau, **values, **self.bounds, "free": [0.0]}
                found |= riccati_node(setting, found)
                return [found[name] for name in values], tuple(found[name] for name in kept)

            first = [[0.0] * N, [0.0] * (N * N if is_large(N, N) else N * (N + 1) // 2), [0.0, 0.0, HUGE, 0.0]]
            (_, _, totals), records = repeated(node, first, given, backward=True)
            return [[totals], *records]

        def tried(state: tuple[Scalar, Scalar, list[Rows]], memory: tuple[()]) -> tuple[Any, Any, Any]:
            scale = -state[2][0][0][3]  # of the pass before
            found = backward(state[0] * select(scale > 0, scale, 1.0))
            more = select(found[0][0][2] > 0, 0.0, select(state[0] < MOST, 1.0, 0.0))
            return ((10.0 * state[0]).maximum(LEAST), more, found), memory, more > 0.5

        widths = {**shapes, **policy_shapes(setting), "bent": (N,)}
        nothing = [[[0.0] * 4], *([[0.0] * math.prod(widths[name])] * len(self.x) for name in kept)]
        (_, _, found), _ = converged(tried, (0.0 * self.h[0][0], 0.0, nothing), most=20)
        return {"expected": found[0], **dict(zip(kept, found[1:], strict=True))}

    def _search(self, tried: Sequence[Rows], policies: Arrays, cost: Scalar) -> tuple[Rows, Rows, Scalar]:
        """States, forces and 1 after the longest acceptable step; if none is acceptable, those of the plan and 0."""
        setting, (expected,) = self.setting, policies["expected"]
        names = [*policy_shapes(setting), "bent", *(motion_shapes(setting) if setting.passive else ())]
        loads = ["near", "before", "between", "p", "h", *names]
        arrays = [*tried, *(policies[name] for name in names)]

        def follow(share: Scalar) -> tuple[Rows, Rows, Vec]:
            def node(state: Rows, *rows: Vec) -> tuple[Rows, tuple[Vec, ...]]:
                given = dict(zip(loads, rows, strict=True)) | {"x": state[0], "totals": state[1]}
                found = policy_node(setting, {**given, "share": [share], **self.bounds})
                return [found["x"], found["totals"]], (state[0], found["tau"])

            (_, scored), (x, tau) = repeated(node, [self.x[0], [0.0] * 4], arrays)
            return x, tau, scored

        def step(state: tuple[Scalar, Scalar, Rows, Rows], memory: tuple[()]) -> tuple[Any, Any, Any]:
            share, _, *old = state
            x, tau, scored = follow(share)
            good = select(progress(expected, scored, cost, share, TOLERANCE)[0] > 0, 1.0, 0.0)
            new = [_chosen(good > 0.5, *pair) for pair in zip((x, tau), old, strict=True)]
            again = select(good > 0.5, 0.0, select(share > SHARES[-1], 1.0, 0.0))
            return (0.5 * share, good, *new), memory, again > 0.5

        first = (self.h[0][0] * 0.0 + 1.0, 0.0, self.x, self.tau)
        (_, taken, x, tau), _ = converged(step, first, most=len(SHARES))
        return x, tau, taken

    def _applied(self, good: Scalar, tau: Vec) -> Vec:
        """The forces to apply now; if no step was acceptable, those of the plan, corrected by its gains."""
        setting, (_, N, n, _) = self.setting, self.setting.sizes
        motors = range(n) if setting.motors is None else setting.motors
        dx = setting.dynamics.difference(self.start, self.x[0])
        known = sum(abs(y) for y in dx) <= HUGE
        away = [select(known, y, 0.0) for y in dx]
        corrected = [tau[k] + dot(self.K[0][i * N : i * N + N], away) for i, k in enumerate(motors)]
        if setting.boxed:
            corrected = clamped(corrected, Box(self.bounds["low"], self.bounds["high"]))
        applied = list(tau)
        for k, y in zip(motors, corrected, strict=True):
            applied[k] = select(good, tau[k], y)
        return applied


def _chosen(good: Scalar, new: Rows, old: Rows) -> Rows:
    """New rows if `good`, otherwise old rows."""

    def row(_: object, *pair: Vec) -> tuple[tuple[()], list[Scalar]]:
        return (), [select(good, a, b) for a, b in zip(*pair, strict=True)]

    rows: Rows = repeated(row, (), [new, old])[1]
    return rows
