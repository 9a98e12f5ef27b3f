"""One node of a plan, by numbers of Python and by the graph of its derivatives, for tests of contacts and loops."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from comparing import SLOPE_STEPS, SLOPE_WEIGHTS

from revolute.compiler.signature import Signature
from revolute.dynamics.optimal.holding import Holding
from revolute.graph import Input
from revolute.optimal import OptimalControl
from revolute.optimal.kernels.derivatives import derivative_shapes, expanded
from revolute.targets.numpy import evaluate


class PlanNode:
    """The first node of a problem, with parameters p, in a state x under random forces of the motors."""

    def __init__(self, problem: OptimalControl, x: Any, p: np.ndarray, rng: np.random.Generator) -> None:
        self.problem, self.setting, self.x, self.p, self.h = problem, problem._setting, x, p, float(problem._dt[0])
        self.dynamics, self.motors = self.setting.dynamics, list(problem._motors)
        _, self.N, self.n, _ = self.setting.sizes
        self.tau = np.zeros(self.n)
        self.tau[self.motors] = rng.standard_normal(len(self.motors))

    def motions(self, x: Any, tau: Any, h: float | None = None) -> np.ndarray:
        """Accelerations, then forces of contacts and closures."""
        state = ([*map(float, y)] for y in (x, tau, self.p))
        return np.array(self.setting.accelerations(*state, self.h if h is None else h), float)

    def step(self, x: Any, tau: Any, h: float | None = None) -> list[float]:
        """The state after a step."""
        state = ([*map(float, y)] for y in (x, tau, self.motions(x, tau, h)))
        return self.dynamics.step(*state, self.h if h is None else h)

    @property
    def directions(self) -> np.ndarray:
        """Motions of the state and changes of forces of motors, by rows: all of small robots, else random ones."""
        every = np.eye(self.N + len(self.motors))
        some = np.random.default_rng(1).standard_normal((6, len(every)))
        return every if len(every) < 12 else some / np.linalg.norm(some, axis=1)[:, None]

    def slopes(self, f: Any) -> np.ndarray:
        """Derivatives of f(x, tau) along `directions`, by differences of fourth order."""
        columns = []
        for e in self.directions:
            ends = []
            for h in SLOPE_STEPS:
                tau = self.tau.copy()
                tau[self.motors] += h * e[self.N :]
                ends.append(f(np.array(self.dynamics.moved(self.x.tolist(), (h * e[: self.N]).tolist()), float), tau))
            columns.append(np.tensordot(SLOPE_WEIGHTS, ends, 1))
        return np.array(columns).T

    def derivatives(self) -> Mapping[str, np.ndarray]:
        """The arrays of `derivative_shapes`."""
        arrays = {"x": self.x, "tau": self.tau, "qdd": self.motions(self.x, self.tau), "p": self.p}
        arrays |= {"h": np.array([self.h])}
        inputs, outputs = [Input(name, x.shape) for name, x in arrays.items()], derivative_shapes(self.setting)
        graph = Signature("derivatives", tuple(inputs), tuple(outputs.items()), partial(expanded, self.setting)).graph()
        return evaluate(graph, {name: x[None] for name, x in arrays.items()})

    def assert_derivatives(self, names: tuple[str, str], f: Any, near: float = 1e-8) -> None:
        """Those of f(x, tau) by states and by controls, and of the cost, are differences; `near` of their largest."""
        found = self.derivatives()
        for function, parts in ((f, names), (self.cost, ("gx", "gc"))):
            wanted = np.atleast_2d(self.slopes(function))
            given = np.hstack([found[name][0].reshape(len(wanted), -1) for name in parts]) @ self.directions.T
            np.testing.assert_allclose(given, wanted, atol=near * np.abs(wanted).max(), err_msg=str(parts))

    def assert_derivatives_of_step(self) -> None:
        """F and G of dx' = F dx + G c, and gradients of the cost."""
        end = self.step(self.x, self.tau)
        self.assert_derivatives(("F", "G"), lambda x, tau: self.dynamics.difference(end, self.step(x, tau)))

    def cost(self, x: np.ndarray, tau: np.ndarray) -> float:
        """The cost of the node."""
        given = x.tolist(), self.motions(x, tau).tolist(), tau.tolist(), self.p.tolist()
        return float(self.setting.cost(*given, self.h))

    @property
    def holding(self) -> Holding:
        """The contacts of the node."""
        q = self.x[: self.dynamics.space.nq].tolist()
        return Holding(self.dynamics, q, self.p[self.setting.contact_numbers].tolist())
