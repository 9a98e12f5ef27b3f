"""The arrays of a problem for some rows at once, and the steps of an iteration on them, each a call of machine code.

Arrays have the axes (nodes, rows, ...), so that a loop over nodes goes over rows that lie side by side. This file alone
knows how the passes over nodes run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.kernel import Kernel
from revolute.compiler.recurrence import Loop
from revolute.optimal.kernels.nodes import derivatives, evaluation, gains
from revolute.optimal.kernels.passes import backward, forward
from revolute.optimal.kernels.setting import Setting

__all__ = ["Code", "Shooting"]

Array = NDArray[np.float64]


class Code:
    """The compiled functions of a setting."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.evaluation: Kernel = evaluation(setting)
        self.derivatives: Kernel = derivatives(setting)
        self.gains: Kernel | None = None if setting.boxed else gains(setting)
        self.backward: Loop = backward(setting)
        self.forward: Loop = forward(setting)


class Shooting:
    """Nodes 0 ... T of some problems: node T is the end, whose length of time is zero.

    Attributes:
        x, tau, qdd: states, forces and accelerations of the plan.
        p, h: parameters of the costs, and lengths of the steps.
        gap: into each node, from where the step before it arrives; one more than nodes.
        mu: (rows) regularization.
        share: (rows) length of the next step, 0 ... 1.
        cost: (rows) of the plan.
        low, high: (rows, m) bounds of forces, where there are some.
        tried: what `forward` makes: x, tau, qdd, gap, and cost (rows).
        expected: (3, rows) slope and curvature of the cost along the step, and the least pivot.
        bend: (rows) the part of them that depends on the way.
    """

    def __init__(self, code: Code, nodes: int, rows: int, threads: int | None = 1) -> None:
        setting, T, R = code.setting, nodes, rows
        nx, n, m = setting.sizes
        self.setting, self.nodes, self.rows, self._threads = setting, nodes, rows, threads
        of = lambda *shape, more=1: np.zeros((T + more, R, *shape))  # noqa: E731
        self.x, self.tau, self.qdd, self.p = of(nx), of(n), of(n), of(setting.parameters)
        self.gap, self.h = of(2 * n, more=2), of(1)
        self.mu, self.share, self.cost = np.zeros(R), np.ones(R), np.zeros(R)
        self.low, self.high = np.full((R, m), -np.inf), np.full((R, m), np.inf)
        outputs = {name: of(*shape) for name, shape in code.derivatives.outputs}
        self._derivatives = self._over_nodes(code.derivatives, ("x", "tau", "qdd", "p", "h"), outputs)
        self.parts = {name: of(*shape) for name, shape in code.evaluation.outputs if name not in ("qdd", "gap")}
        after = of(nx)
        self._after = after
        results = {"qdd": self.qdd, "gap": self.gap[1:], **self.parts}
        self._evaluation = self._over_nodes(code.evaluation, ("x", "after", "tau", "p", "h"), results, after=after)
        # the Riccati pass: instant j is node T - j
        constant = lambda x: np.broadcast_to(x, (T + 1, *x.shape))  # noqa: E731
        bounds = {"low": constant(self.low), "high": constant(self.high)}
        stores = {name: of(*shape) for name, shape in code.backward.form.stores.items()}
        values = {name: of(*shape, more=2)[1:] for name, shape in code.backward.form.states.items()}
        loads = {**outputs, "gap": self.gap[:-1], "h": self.h, "tau": self.tau, **bounds}
        loads["mu"] = constant(self.mu[:, None])
        self._backward = self._pass(code.backward, {**values, **loads, **stores}, reverse=True)
        self._expected, self._bent = stores["expected"], stores["bent"]
        if code.gains is None:
            self.K, self.k = stores["K"], stores["k"]
            self._gains = None
        else:
            self.K, self.k = of(m, 2 * n), of(m)
            self._gains = self._over_nodes(
                code.gains, tuple(x.name for x in code.gains.inputs), {"K": self.K, "k": self.k}, **outputs, **stores
            )
        # the policy's pass
        made = {name: of(*shape) for name, shape in code.forward.form.stores.items()}
        self._scored, self._states = made["scored"], of(nx)
        loads = {"near": self.x, "before": self.tau, "K": self.K, "k": self.k, "bent": self._bent, "p": self.p}
        loads |= {"between": self.gap[1:], "share": constant(self.share[:, None]), "h": self.h, **bounds}
        self._forward = self._pass(code.forward, {"x": self._states, **loads, **made})
        self.tried = {"x": self._states, "tau": made["tau"], "qdd": made["qdd"], "gap": made["gap"]}
        self.tried_cost, self.bend, self.lost = np.zeros(R), np.zeros(R), np.zeros(R)
        self.expected = np.zeros((3, R))
        self._sums = np.zeros((T + 1, R, 3))
        self._pairs = [(self.x, self._states), (self.tau, made["tau"]), (self.qdd, made["qdd"])]
        self._pairs.append((self.gap[1:], made["gap"]))

    def _over_nodes(self, kernel: Kernel, inputs: tuple[str, ...], outputs: Mapping[str, Array], **more: Array) -> Any:
        """A call of a kernel for all nodes of all rows."""
        flat = lambda x: x.reshape(-1, *x.shape[2:])  # noqa: E731
        arrays = [flat(more[name] if name in more else getattr(self, name)) for name in inputs]
        out, threads = tuple(flat(outputs[name]) for name, _ in kernel.outputs), self._threads
        return lambda: kernel(*arrays, out=out, threads=threads)

    def _pass(self, loop: Loop, arrays: Mapping[str, Array], reverse: bool = False) -> Any:
        """A run of a loop over all nodes."""
        chosen = {name: arrays[name][::-1] if reverse else arrays[name] for name in loop.form.arrays}
        return loop.prepared(chosen, self._threads)

    def evaluate(self) -> None:
        """Accelerations, gaps and costs of the states and forces as they are."""
        self._after[:-1], self._after[-1] = self.x[1:], self.x[-1]
        self._evaluation()
        self.gap[-1] = 0
        np.cumsum(self.parts["costs"].sum(axis=-1), axis=0, out=self._sums[..., 0])
        self.cost[:] = self._sums[-1, :, 0]

    def linearize(self) -> None:
        """Derivatives at all nodes."""
        self._derivatives()

    def riccati(self) -> bool:
        """The policy K, k from the derivatives, and the change of cost that it expects; whether numbers are finite."""
        finite: bool = self._backward() > self.nodes
        if finite and self._gains is not None:
            self._gains()
        np.cumsum(self._expected[..., :2], axis=0, out=self._sums[..., :2])
        self.expected[:2] = self._sums[-1, :, :2].T
        np.min(self._expected[..., 2], axis=0, out=self.expected[2])
        return finite

    def rollout(self) -> None:
        """Follow the policy by `share` of its step."""
        self._states[0] = self.x[0]
        self._forward()
        np.cumsum(self._scored, axis=0, out=self._sums)
        last = self._sums[-1]
        self.tried_cost[:], self.bend[:], self.lost[:] = last[:, 0], last[:, 1], last[:, 2]
        self.tried_cost[self.lost > 0] = np.inf

    def accept(self, rows: Array) -> None:
        """Take what `rollout` made, in these rows."""
        for kept, made in self._pairs:
            if self.rows == 1:
                kept[:] = made
            else:
                kept[:, rows] = made[:, rows]
        self.cost[rows] = self.tried_cost[rows]

    @property
    def gaps(self) -> Array:
        """(rows) the largest gap."""
        largest: Array = np.abs(self.gap).max(axis=(0, 2))
        return largest
