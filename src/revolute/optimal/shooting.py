"""The arrays of a problem for several rows, and the steps of an iteration on them, each a call of machine code.

Arrays have the axes (nodes, rows, ...), so that rows are adjacent in a loop over nodes. Only this file defines how the
passes over nodes run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.kernel import Kernel
from revolute.compiler.recurrence import TimeLoop
from revolute.optimal.kernels.nodes import derivatives, evaluation, gains
from revolute.optimal.kernels.passes import backward, forward
from revolute.optimal.kernels.setting import Setting

__all__ = ["Code", "Shooting"]

Array = NDArray[np.float64]

WIDE = 1e9
"""An unreachable bound of forces."""


class Code:
    """The compiled functions of a setting."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.evaluation: Kernel = evaluation(setting)
        self.derivatives: Kernel = derivatives(setting)
        self.gains: Kernel | None = None if setting.boxed else gains(setting)
        self.backward: TimeLoop = backward(setting)
        self.forward: TimeLoop = forward(setting)


class Shooting:
    """Nodes 0 ... T of several problems: node T is the end, with a step length of zero.

    Attributes:
        x, tau, qdd: states, forces and accelerations of the plan.
        p, h: parameters of the costs, and lengths of the steps.
        gap: into each node, from the end of the previous step; one more than nodes.
        low, high: (rows, m) bounds of forces, if any.
        K, k: the policy, in forces of motors.
        parts: costs by kind, and errors of hard costs, from `evaluate`.
    """

    def __init__(self, code: Code, nodes: int, rows: int, threads: int | None = 1) -> None:
        setting, T, R = code.setting, nodes, rows
        nx, n, m = setting.sizes
        self.setting, self.nodes, self.rows, self._threads = setting, nodes, rows, threads

        def of(*shape: int, more: int = 1) -> Array:
            return np.zeros((T + more, R, *shape))

        def constant(x: Array) -> Array:
            return np.broadcast_to(x, (T + 1, *x.shape))

        self.x, self.tau, self.qdd, self.p = of(nx), of(n), of(n), of(setting.parameters)
        self.gap, self.h = of(2 * n, more=2), of(1)
        self._share, self._mu = np.ones(R), np.ones((T + 1, R, 1))  # controls of the end have no cost of their own
        self.low, self.high = np.full((R, m), -np.inf), np.full((R, m), np.inf)
        outputs = {name: of(*shape) for name, shape in code.derivatives.outputs}
        self._derivatives = self._over_nodes(code.derivatives, ("x", "tau", "qdd", "p", "h"), outputs)
        self.parts = {name: of(*shape) for name, shape in code.evaluation.outputs if name not in ("qdd", "gap")}
        self._after, self._found = of(nx), {"qdd": of(n), "gap": of(2 * n)}
        self._evaluation = self._over_nodes(
            code.evaluation, ("x", "after", "tau", "p", "h"), {**self._found, **self.parts}, after=self._after
        )
        # the Riccati pass: instant j is node T - j
        bounds = {"low": constant(self.low), "high": constant(self.high)}
        self._policy_low, self._policy_high = self.low.copy(), self.high.copy()
        policy_bounds = {"low": constant(self._policy_low), "high": constant(self._policy_high)}
        stores = {name: of(*shape) for name, shape in code.backward.form.stores.items()}
        values = {name: of(*shape, more=2)[1:] for name, shape in code.backward.form.states.items()}
        loads = {**outputs, "gap": self.gap[:-1], "h": self.h, "tau": self.tau, **policy_bounds}
        loads["mu"] = self._mu
        self._backward = self._pass(code.backward, {**values, **loads, **stores}, reverse=True)
        self._expected, self._bent = stores["expected"], stores["bent"]
        values["totals"][-1, :, 2] = np.inf
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
        states = {name: of(*shape) for name, shape in code.forward.form.states.items()}
        self._scored, self._states = made["scored"], states["x"]
        loads = {"near": self.x, "before": self.tau, "K": self.K, "k": self.k, "bent": self._bent, "p": self.p}
        loads |= {"between": self.gap[1:], "share": constant(self._share[:, None]), "h": self.h, **bounds}
        self._forward = self._pass(code.forward, {**states, **loads, **made})
        self._pairs = [(self.x, self._states), (self.tau, made["tau"]), (self.qdd, made["qdd"])]
        self._pairs.append((self.gap[1:], made["gap"]))

    def _over_nodes(self, kernel: Kernel, inputs: tuple[str, ...], outputs: Mapping[str, Array], **more: Array) -> Any:
        """A call of a kernel for all nodes of all rows."""
        arrays = [_flat(more[name] if name in more else getattr(self, name)) for name in inputs]
        out, threads = tuple(_flat(outputs[name]) for name, _ in kernel.outputs), self._threads
        return lambda: kernel(*arrays, out=out, threads=threads)

    def _pass(self, loop: TimeLoop, arrays: Mapping[str, Array], reverse: bool = False) -> Any:
        """A run of a loop over all nodes."""
        chosen = {name: arrays[name][::-1] if reverse else arrays[name] for name in loop.form.arrays}
        return loop.prepared(chosen, self._threads)

    def rest(self, row: int) -> None:
        """Set a finished row to rest, so that all its numbers are finite."""
        self.x[:, row] = self.setting.dynamics.rest()
        self.tau[:, row], self.qdd[:, row], self.gap[:, row] = 0, 0, 0

    def evaluate(self, rows: Sequence[int]) -> tuple[list[float], list[float]]:
        """Compute accelerations and gaps of the current plans in these rows; return costs and largest gaps of all."""
        self._after[:-1], self._after[-1] = self.x[1:], self.x[-1]
        self._evaluation()
        self.qdd[:, rows] = self._found["qdd"][:, rows]
        self.gap[1:-1, rows] = self._found["gap"][:-1, rows]
        self.gap[-1, rows] = 0
        costs = self.parts["costs"].sum(axis=-1)
        return np.cumsum(costs, axis=0)[-1].tolist(), np.abs(self.gap).max(axis=(0, 2)).tolist()

    def linearize(self) -> None:
        """Derivatives at all nodes."""
        self._derivatives()

    def riccati(self, mu: Sequence[float], free: Sequence[bool]) -> tuple[bool, list[list[float]]]:
        """Compute the policy K, k from the derivatives; return whether all numbers are finite.

        Each row has its own mu, added to the curvature with respect to the controls, and may ignore bounds. Also
        return, for each row, slope and curvature of the cost along the policy's step, and the smallest pivot.
        """
        if self.setting.boxed:
            for k, unbounded in enumerate(free):
                self._policy_low[k], self._policy_high[k] = (-WIDE, WIDE) if unbounded else (self.low[k], self.high[k])
        self._mu[:-1, :, 0] = mu
        finite = self._backward() > self.nodes
        if finite and self._gains is not None:
            self._gains()
        return finite, self._expected[0].tolist()

    def rollout(self, share: float) -> list[list[float]]:
        """Follow the policies with a fraction of their steps, into `tried`.

        Return for each row the cost, the part of the expected change that depends on the deviation, 1 if states were
        abandoned as too large, and the largest remaining gap.
        """
        self._share[:] = share
        self._states[0] = self.x[0]
        self._forward()
        scores: list[list[float]] = self._scored[-1].tolist()
        return scores

    def accept(self, rows: Sequence[int]) -> None:
        """Accept the result of `rollout` in these rows."""
        for kept, made in self._pairs:
            if self.rows == len(rows):
                kept[:] = made
            else:
                kept[:, rows] = made[:, rows]


def _flat(x: Array) -> Array:
    """All nodes of all rows, along one axis."""
    return x.reshape(-1, *x.shape[2:])
