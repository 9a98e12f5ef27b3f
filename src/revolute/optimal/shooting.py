"""The arrays of several problems, one per row, and the parts of an iteration, each one call of machine code.

Arrays have the axes (nodes, rows, ...), so that rows are adjacent in a loop over nodes. Only this file defines how the
passes over nodes run.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.kernel import Kernel
from revolute.compiler.recurrence import TimeLoop, reached
from revolute.optimal.fddp import FIELDS, LARGEST, RUNNING, SINGULAR, UNBOUNDED, UNDEFINED
from revolute.optimal.kernels.derivatives import derivatives, evaluation
from revolute.optimal.kernels.driver import CALL, CHANGED, LOST, driver
from revolute.optimal.kernels.passes import backward, forward, gains
from revolute.optimal.kernels.setting import Setting
from revolute.targets.llvm import host

Array = NDArray[np.float64]

_LOOP = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)  # such calls release the GIL

CHANGE = 1e-4  # relative change of times for central differences, which are exact for steps of `semi_implicit_euler`

LONGEST = 1e8  # maximum number of operations of some iterations in one call: signals wait until it ends


class Code:
    """The compiled functions of a setting."""

    def __init__(self, setting: Setting) -> None:
        self.setting, self.gains = setting, None if setting.boxed else gains(setting)
        self.evaluation, self.derivatives = evaluation(setting), derivatives(setting)
        self.backward, self.forward = backward(setting), forward(setting)


class Shooting:
    """The nodes 0, 1, ..., T of several problems; node T is the end, with a step length of zero.

    Attributes:
        x, tau, qdd: states, forces and accelerations of the plan; qdd ends with the forces of contacts and closures.
        p, h: parameters of the costs, and lengths of the steps.
        gap: gaps from the end of the previous step to each node; one more than nodes.
        low, high: (rows, m) bounds of forces, if any.
        K, k: gains and offsets of the policy, for motor forces, from the last call of `policy`.
        parts: values of all costs, and errors of hard costs, from the last call of `evaluate`.
        linearize, evaluate_costs: functions that compute the derivatives, or `parts`, at all nodes.
    """

    def __init__(self, code: Code, nodes: int, rows: int) -> None:
        setting, T, R = code.setting, nodes, rows
        nx, N, n, m = setting.sizes
        self.setting, self.nodes, self.rows = setting, nodes, rows
        width = host().lanes().width

        def of(*shape: int, more: int = 1) -> Array:
            whole = -(-(T + more) * R // width) * width  # pad the array after the last node
            return np.zeros((whole, *shape))[: (T + more) * R].reshape(T + more, R, *shape)

        def constant(x: Array) -> Array:
            return np.broadcast_to(x, (T + 1, *x.shape))

        self.x, self.tau, self.qdd, self.p = of(nx), of(n), of(setting.motions), of(setting.parameters)
        self.gap, self.h = of(N, more=2), of(1)
        self._records = np.zeros((R, len(FIELDS)))
        self.fields = dict(zip(FIELDS, self._records.T, strict=True))
        self.low, self.high = np.full((R, m), -np.inf), np.full((R, m), np.inf)
        self._after, self._qdd, self._gap = of(nx), of(setting.motions), of(N)
        self._costs, self._sums = np.zeros((2, T + 1, R))
        self._sizes, self._widest = np.zeros_like(self.gap), np.zeros(R)
        self.parts = {name: of(*shape) for name, shape in code.evaluation.outputs if name not in ("qdd", "gap")}
        inputs = {"x": self.x, "after": self._after, "tau": self.tau, "qdd": self.qdd, "p": self.p, "h": self.h}
        outputs = {name: of(*shape) for name, shape in code.derivatives.outputs}
        self.linearize = _over_nodes(code.derivatives, inputs, outputs)
        self.evaluate_costs = _over_nodes(code.evaluation, inputs, {"qdd": self._qdd, "gap": self._gap, **self.parts})
        # the Riccati pass runs backwards: its instant j is node T - j
        bounds = {"low": constant(self.low), "high": constant(self.high)}
        damping, free, share = (constant(self.fields[name][:, None]) for name in ("damping", "free", "share"))
        stores = {name: of(*shape) for name, shape in code.backward.form.stores.items()}
        form = code.backward.form
        values = {name: of(*form.states[name], more=2)[1:] for name in form.recorded}
        first = {name: constant(np.zeros((R, *form.states[name]))) for name in form.passing}
        loads = {**outputs, "gap": self.gap[:-1], "h": self.h, "tau": self.tau, **bounds, "free": free, "mu": damping}
        self._derivatives, self._values = list(outputs.values()), list(values.values())
        back, table, pieces, work = _pass(code.backward, {**values, **first, **loads, **stores}, reverse=True)
        values["totals"][-1, :, 2] = np.inf
        self.K, self.k = (stores["K"], stores["k"]) if code.gains is None else (of(m, N), of(m))
        self._gains = code.gains and _over_nodes(code.gains, {**outputs, **stores}, {"K": self.K, "k": self.k})
        # the forward pass with the policy
        made = {name: of(*shape) for name, shape in code.forward.form.stores.items()}
        states = {name: of(*shape) for name, shape in code.forward.form.states.items()}
        self._states = states["x"]
        before = self.qdd if setting.motors is None else self.tau
        loads = {"near": self.x, "before": before, "bent": stores["bent"], "p": self.p, "between": self.gap[1:]}
        loads |= {"share": share, "h": self.h, **bounds, **outputs, **stores}
        ahead, other, _, more = _pass(code.forward, {**states, **loads, **made})
        self._tables = table, other
        pairs = [(self.x, self._states), (self.tau, made["tau"]), (self.qdd, made["qdd"]), (self.gap[1:], made["gap"])]
        parts = T + 1 if R > 1 else 1
        kernel, _, arguments = self.linearize.uses  # type: ignore[attr-defined]
        words = [
            R, self._records, stores["expected"], made["scored"][-1], 1, kernel.address, *arguments, back, table,
            ahead, other, T + 1, pieces, parts, *(y for x in pairs for y in (*x, x[0].nbytes // R // parts)),
        ]  # fmt: skip
        self._words = np.array([x.ctypes.data if isinstance(x, np.ndarray) else x for x in words], np.int64)
        self._iterate = partial(CALL(driver().function("iterate")), self._words.ctypes.data)
        self._uses = code, states, stores, made, first  # the machine code has their addresses
        self._most = max(int(LONGEST / ((T + 1) * R * (code.derivatives.operations + work + more))), 1)

    def rest(self, row: int) -> None:
        """Put a finished row into a state of rest, so that all its numbers are finite."""
        self.x[:, row] = self.setting.dynamics.rest()
        self.tau[:, row], self.qdd[:, row], self.gap[:, row] = 0, 0, 0

    def evaluate(self, rows: Sequence[int]) -> tuple[Array, Array]:
        """Compute accelerations and gaps of the plans in these rows; return the costs and largest gaps of all rows."""
        self._after[:-1], self._after[-1] = self.x[1:], self.x[-1]
        self.tau[-1] = 0  # the last node has no forces: rollouts would let them grow from plan to plan
        self.evaluate_costs()
        _copy_rows(self.qdd, self._qdd, rows)
        _copy_rows(self.gap[1:-1], self._gap[:-1], rows)
        self.gap[-1] = 0
        np.add.accumulate(np.add.reduce(self.parts["costs"], -1, out=self._costs), out=self._sums)
        np.maximum.reduce(np.abs(self.gap, out=self._sizes), (0, 2), out=self._widest)
        return self._sums[-1], self._widest

    def slopes_by_time(self, row: int) -> Array:
        """(nodes,) derivatives of the least cost of a finished row with respect to step lengths: see `free_time`."""
        h, soft = self.h[:-1, row, 0].copy(), [not cost.hard for cost in self.setting.costs]
        p = self.p[:-1, row].copy()
        self._after[:-1], self._after[-1] = self.x[1:], self.x[-1]
        found = []
        for share in (1 + CHANGE, 1 - CHANGE):
            self.h[:-1, row, 0] = h * share
            self.setting.stretch(self.p[:-1, row], share)
            self.evaluate_costs()
            self.p[:-1, row] = p
            found.append((self._gap[:-1, row].copy(), self.parts["costs"][:-1, row].copy()))
        self.h[:-1, row, 0] = h
        (gap, cost), (gap_before, cost_before) = found
        following = self._values[0][:-1, row]  # V_x of the next node
        moved = ((gap - gap_before) * following).sum(axis=-1) + (cost - cost_before).sum(axis=-1)
        weighted = (0.5 * (cost + cost_before))[:, soft].sum(axis=-1)  # weights of costs are proportional to h
        slopes: Array = (moved / (2 * CHANGE) + weighted) / h
        return slopes

    def start(self, rows: Sequence[int], iterations: int, tolerance: float) -> None:
        """Start, or restart, the iterations from the plans in these rows."""
        costs, gaps = self.evaluate(rows)
        self._states[0] = self.x[0]
        for k in rows:
            state = RUNNING if costs[k] < LARGEST and gaps[k] < LARGEST else UNBOUNDED
            self._records[k, :8] = state, iterations, 0, costs[k], gaps[k], math.inf, tolerance, 0
        self._words[CHANGED] = 1

    def iterate(self, most: int | None = None) -> None:
        """Run iterations of all running rows, at most `most`, until a row has ended."""
        states = self.fields["state"]
        while self._iterate(most or self._most) == LOST:
            instant, _ = (reached(table, "optimal control") for table in self._tables)
            known = [np.isfinite(x[-1 - instant]).reshape(self.rows, -1).all(axis=-1) for x in self._values]
            lost = ~np.all(known, axis=0)
            states[lost & (states == RUNNING)] = SINGULAR
            self._explain()
            for x in self._derivatives:  # these rows must not affect others
                x[:, lost] = 0
        self._explain()

    def _explain(self) -> None:
        """Mark rows that ended because a derivative is not finite."""
        for k in np.flatnonzero(self.fields["state"] == SINGULAR):
            if not all(np.isfinite(x[:, k]).all() for x in self._derivatives):
                self.fields["state"][k] = UNDEFINED

    def policy(self) -> None:
        """Compute K and k from the factors of the Riccati pass."""
        if self._gains is not None:
            self._gains()


def _over_nodes(kernel: Kernel, inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> Callable[[], None]:
    """A function that calls a kernel for all nodes of all rows, including padding, on one thread."""
    arrays = [_flat(inputs[x.name]) for x in kernel.inputs] + [_flat(outputs[name]) for name, _ in kernel.outputs]
    strides = [x.strides[0] for x in arrays] + [step for x in arrays for step in x.strides[1:]]
    tables = [np.array(x, np.int64) for x in ([x.ctypes.data for x in arrays], [len(arrays[0])], strides)]
    run = partial(_LOOP(kernel.address), *[table.ctypes.data for table in tables], None)
    run.uses = kernel, arrays, tables  # type: ignore[attr-defined]  # they live as long as `run`
    return run


def _pass(loop: TimeLoop, arrays: Mapping[str, Array], reverse: bool = False) -> tuple[int, Array, int, int]:
    """A loop over all nodes: see `TimeLoop.for_code`."""
    return loop.for_code({name: arrays[name][::-1] if reverse else arrays[name] for name in loop.form.arrays})


def _copy_rows(kept: Array, made: Array, rows: Sequence[int]) -> None:
    """Copy these rows at all nodes; if these are all rows, without a temporary array."""
    if len(rows) == kept.shape[1]:
        kept[:] = made
    else:
        kept[:, rows] = made[:, rows]


def _flat(x: Array) -> Array:
    """The nodes of all rows on one axis, including padding."""
    whole = x.base
    assert whole is not None
    return whole
