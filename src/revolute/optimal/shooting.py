"""The arrays of a problem for several rows, and the steps of an iteration on them, each a call of machine code.

Arrays have the axes (nodes, rows, ...), so that rows are adjacent in a loop over nodes. Only this file defines how the
passes over nodes run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.kernel import Kernel
from revolute.compiler.recurrence import TimeLoop
from revolute.optimal.kernels.derivatives import derivatives, evaluation
from revolute.optimal.kernels.passes import backward, forward, gains
from revolute.optimal.kernels.setting import Setting
from revolute.targets.llvm import host

Array = NDArray[np.float64]

_LOOP = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)  # such calls release the GIL

WIDE = 1e9
"""Value of a force bound that is never active."""


class Code:
    """The compiled functions of a setting."""

    def __init__(self, setting: Setting) -> None:
        self.setting, self.gains = setting, None if setting.boxed else gains(setting)
        self.evaluation, self.derivatives = evaluation(setting), derivatives(setting)
        self.backward, self.forward = backward(setting), forward(setting)


class Shooting:
    """Nodes 0 ... T of several problems: node T is the end, with a step length of zero.

    Attributes:
        x, tau, qdd: states, forces and accelerations of the plan.
        p, h: parameters of the costs, and lengths of the steps.
        gap: into each node, from the end of the previous step; one more than nodes.
        low, high: (rows, m) bounds of forces, if any.
        K, k: gains and offsets of the policy, for motor forces, from the last call of `policy`.
        parts: costs by kind, and errors of hard costs, from the last call of `evaluate`.
        linearize, evaluate_costs: compute the derivatives, and `parts`, at all nodes.
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

        self.x, self.tau, self.qdd, self.p = of(nx), of(n), of(n), of(setting.parameters)
        self.gap, self.h = of(N, more=2), of(1)
        self._share, self._mu = np.ones(R), np.ones((T + 1, R, 1))  # the last node's controls have no cost
        self.low, self.high = np.full((R, m), -np.inf), np.full((R, m), np.inf)
        self._after, self._qdd, self._gap = of(nx), of(n), of(N)
        self._costs, self._sums = np.zeros((2, T + 1, R))
        self._sizes, self._widest = np.zeros_like(self.gap), np.zeros(R)
        self.parts = {name: of(*shape) for name, shape in code.evaluation.outputs if name not in ("qdd", "gap")}
        inputs = {"x": self.x, "after": self._after, "tau": self.tau, "qdd": self.qdd, "p": self.p, "h": self.h}
        outputs = {name: of(*shape) for name, shape in code.derivatives.outputs}
        self.linearize = _over_nodes(code.derivatives, inputs, outputs)
        self.evaluate_costs = _over_nodes(code.evaluation, inputs, {"qdd": self._qdd, "gap": self._gap, **self.parts})
        # the Riccati pass runs backwards: its instant j is node T - j
        bounds = {"low": constant(self.low), "high": constant(self.high)}
        self._policy_low, self._policy_high = self.low.copy(), self.high.copy()
        policy_bounds = {"low": constant(self._policy_low), "high": constant(self._policy_high)}
        stores = {name: of(*shape) for name, shape in code.backward.form.stores.items()}
        values = {name: of(*shape, more=2)[1:] for name, shape in code.backward.form.states.items()}
        loads = {**outputs, "gap": self.gap[:-1], "h": self.h, "tau": self.tau, **policy_bounds, "mu": self._mu}
        self._derivatives, self._values = list(outputs.values()), list(values.values())
        self._backward = _pass(code.backward, {**values, **loads, **stores}, reverse=True)
        self._expected = stores["expected"]
        values["totals"][-1, :, 2] = np.inf
        self.K, self.k = (stores["K"], stores["k"]) if code.gains is None else (of(m, N), of(m))
        self._gains = code.gains and _over_nodes(code.gains, {**outputs, **stores}, {"K": self.K, "k": self.k})
        # the forward pass with the policy
        made = {name: of(*shape) for name, shape in code.forward.form.stores.items()}
        states = {name: of(*shape) for name, shape in code.forward.form.states.items()}
        self._scored, self._states = made["scored"], states["x"]
        before = self.qdd if setting.motors is None else self.tau
        loads = {"near": self.x, "before": before, "bent": stores["bent"], "p": self.p, "between": self.gap[1:]}
        loads |= {"share": constant(self._share[:, None]), "h": self.h, **bounds, **outputs, **stores}
        self._forward = _pass(code.forward, {**states, **loads, **made})
        self._pairs = [(self.x, self._states), (self.tau, made["tau"]), (self.qdd, made["qdd"])]
        self._pairs.append((self.gap[1:], made["gap"]))

    def rest(self, row: int) -> None:
        """Put a finished row into a state of rest, so that all its numbers are finite."""
        self.x[:, row] = self.setting.dynamics.rest()
        self.tau[:, row], self.qdd[:, row], self.gap[:, row] = 0, 0, 0

    def evaluate(self, rows: Sequence[int]) -> tuple[list[float], list[float]]:
        """Compute accelerations and gaps of the current plans in these rows; return costs and largest gaps of all."""
        self._after[:-1], self._after[-1] = self.x[1:], self.x[-1]
        self.evaluate_costs()
        _copy_rows(self.qdd, self._qdd, rows)
        _copy_rows(self.gap[1:-1], self._gap[:-1], rows)
        self.gap[-1] = 0
        costs = np.sum(self.parts["costs"], axis=-1, out=self._costs)
        np.cumsum(costs, axis=0, out=self._sums)
        np.max(np.abs(self.gap, out=self._sizes), axis=(0, 2), out=self._widest)
        return self._sums[-1].tolist(), self._widest.tolist()

    def riccati(self, mu: Sequence[float], free: Sequence[bool]) -> list[list[float]]:
        """Compute the policy from the derivatives.

        Each row has its own mu, which is added to the Hessian with respect to the controls, and may ignore bounds.
        Return `expected` of `riccati_node` for each row; zeros for rows with numbers that are not finite, which do not
        affect other rows.
        """
        if self.setting.boxed:
            for k, unbounded in enumerate(free):
                self._policy_low[k], self._policy_high[k] = (-WIDE, WIDE) if unbounded else (self.low[k], self.high[k])
        self._mu[:-1, :, 0] = mu
        lost: Any = False
        for _ in range(self.rows):
            if (reached := self._backward()) > self.nodes:
                break
            # the pass stops where the value of a row is not finite
            lost = lost | ~np.all([np.isfinite(x[-1 - reached]).all(axis=-1) for x in self._values], axis=0)
            for x in self._derivatives:
                x[:, lost] = 0
            self._mu[:, lost] = 1
        if lost is not False:
            self.linearize()
            self._expected[0, lost] = 0
        expected: list[list[float]] = self._expected[0].tolist()
        return expected

    def differentiable(self, row: int) -> bool:
        """Whether all derivatives of a row are finite."""
        return all(np.isfinite(x[:, row]).all() for x in self._derivatives)

    def policy(self) -> None:
        """Compute K and k from the factors of the Riccati pass."""
        if self._gains is not None:
            self._gains()

    def rollout(self, share: float) -> list[list[float]]:
        """Follow the policies with a fraction of their steps, into `tried`.

        Return for each row the cost, the part of the expected change that depends on the deviation, 1 if states were
        abandoned as too large, and the largest remaining gap.
        """
        self._share.fill(share)
        self._states[0] = self.x[0]
        self._forward()
        scored: list[list[float]] = self._scored[-1].tolist()
        return scored

    def accept(self, rows: Sequence[int]) -> None:
        """Accept the result of `rollout` in these rows."""
        for kept, made in self._pairs:
            _copy_rows(kept, made, rows)


def _over_nodes(kernel: Kernel, inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> Callable[[], None]:
    """A function that calls a kernel for all nodes of all rows, including padding, on one thread."""
    arrays = [_flat(inputs[x.name]) for x in kernel.inputs] + [_flat(outputs[name]) for name, _ in kernel.outputs]
    strides = [x.strides[0] for x in arrays] + [step for x in arrays for step in x.strides[1:]]
    tables = [np.array(x, np.int64) for x in ([x.ctypes.data for x in arrays], [len(arrays[0])], strides)]
    run = partial(_LOOP(kernel.address), *[table.ctypes.data for table in tables], None)
    run.uses = kernel, arrays, tables  # type: ignore[attr-defined]  # they live as long as `run`
    return run


def _pass(loop: TimeLoop, arrays: Mapping[str, Array], reverse: bool = False) -> Any:
    """A function that runs a loop over all nodes."""
    chosen = {name: arrays[name][::-1] if reverse else arrays[name] for name in loop.form.arrays}
    return loop.prepared(chosen, 1)


def _copy_rows(kept: Array, made: Array, rows: Sequence[int]) -> None:
    """Copy these rows at all nodes; all of them without a temporary array."""
    if len(rows) == kept.shape[1]:
        kept[:] = made
    else:
        kept[:, rows] = made[:, rows]


def _flat(x: Array) -> Array:
    """The nodes of all rows on one axis, including padding."""
    whole = x.base
    assert whole is not None
    return whole
