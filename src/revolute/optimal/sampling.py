"""Predictive control by sampling (MPPI): random forces, weighted by their costs. Williams et al., ICRA 2017."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance, positive, random_generator, whole_number
from revolute.control.checks import row
from revolute.errors import InputError
from revolute.optimal.costs.cost import Goal
from revolute.optimal.first_plan import first_plan
from revolute.optimal.kernels.passes import sampled
from revolute.optimal.loop_inputs import Bounds, LoopInputs
from revolute.optimal.problem import OptimalControl
from revolute.optimal.shooting import Array

FAR = 1e300  # bound of forces that stands for an infinite one
LOST = 1e100  # cost above which a motion counts as diverged


class Sampling:
    """Predictive control by a weighted mean of random forces. It needs no derivatives of the problem's costs and steps.

        tau <- tau + sum_k w_k e_k,    e_k ~ N(0, noise^2)
        w_k ~ exp(-(J_k - min J) / temperature)

    J_k is the cost of the motion with the forces tau + e_k, clipped to their bounds. Costs need not be smooth.

    Attributes:
        problem: the problem, with its costs, steps and bounds.
        tau: (steps, nv) planned forces from the last call [N m, N].
        cost: minimum cost of the samples of the last call; infinite before the first call.
        failed: whether all samples of the last call failed; the forces are then those planned by the call before.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.optimal import TorqueCost, OptimalControl, Sampling, StateCost
        >>> arm = revolute.robots.planar(2)
        >>> problem = OptimalControl(
        ...     arm, [StateCost([10, 10, 1, 1]), TorqueCost(1e-4)], steps=25, dt=0.02
        ... )
        >>> options = {"samples": 256, "noise": 2.0, "temperature": 0.01}
        >>> sampler = Sampling(problem, rng=0, **options)
        >>> q, qd, tau = np.zeros(2), np.zeros(2), np.empty(2)
        >>> goal = {"state": [0.2, -0.3, 0, 0]}
        >>> costs = []
        >>> for _ in range(20):
        ...     tau = sampler.step(q, qd, goal, out=tau, elapsed=0.0)
        ...     costs.append(sampler.cost)
        >>> costs[-1] < costs[0]
        True
    """

    def __init__(
        self, problem: OptimalControl, *, samples: int = 1024, noise: ArrayLike = 1.0, temperature: float = 1.0,
        rng: Any = None, threads: int | None = None, delay: float = 0.0,
    ) -> None:
        """Prepare and compile the controller.

        Args:
            problem: the optimal control problem, without hard costs.
            samples: number of random motions per call.
            noise: standard deviation of the forces: a number, or (nv,) [N m, N].
            temperature: excess of a sample's cost over the minimum at which its weight is 1 / e.
            rng: a NumPy generator, or a seed.
            threads: number of threads for the samples; None: all cores if that is faster.
            delay: time from a call until its forces act [s]: see `OptimalControl.stepper`.

        Raises:
            ShapeError: noise does not fit.
            InputError: a number is not positive, or a cost is hard.
        """
        what = "Sampling"
        self.problem = instance(f"{what}: problem", problem, OptimalControl)
        setting, robot, T = problem._setting, problem._tree, problem.steps
        if setting.hard:
            raise InputError(f"{what}: hard costs are not supported; use a large weight instead of hard=True")
        K = whole_number(f"{what}: samples", samples, 1)
        spread = row(f"{what}: noise", noise, robot.nv)
        if not (spread > 0).all():
            raise InputError(f"{what}: noise must be positive, not {noise!r}")
        self._temperature = positive(f"{what}: temperature", temperature)
        self._rng = random_generator(what, rng)
        self._motors, m = problem._motors, len(problem._motors)
        self._spread = spread[self._motors]
        self.tau, self.cost, self.failed = np.zeros((T, robot.nv)), np.inf, False
        self._begun = False
        self._noise, self._nominal = np.zeros((T + 1, K, m)), np.zeros((T + 1, 1, m))
        self._p, self._h = np.zeros((T + 1, 1, setting.parameters)), np.zeros((T + 1, 1, 1))
        self._h[:-1, 0, 0] = problem._dt
        self._inputs = LoopInputs(what, problem, self._p[:, 0], delay)
        self._x, self._totals = np.zeros((T + 1, K, setting.sizes[0])), np.zeros((T + 1, K, 1))
        self._whole = np.zeros((T + 1, K, 1))
        self._limits = np.clip(problem._bounds, -FAR, FAR)[:, None, None]
        shared = {"nominal": self._nominal, "low": self._limits[0], "high": self._limits[1], "p": self._p, "h": self._h}
        arrays = {name: np.broadcast_to(x, (T + 1, K, x.shape[-1])) for name, x in shared.items()}
        arrays |= {"x": self._x, "totals": self._totals, "noise": self._noise, "whole": self._whole}
        loop = sampled(setting, self._motors)
        self._run = loop.prepared({name: arrays[name] for name in loop.form.arrays}, threads)

    def step(
        self, q: ArrayLike, qd: ArrayLike, goal: Goal = None, *, out: Array, elapsed: float | None = None,
        weights: Mapping[str, ArrayLike] | None = None, effort_limits: Bounds = None, active: ArrayLike | None = None,
        places: ArrayLike | None = None,
    ) -> Array:
        """Improve the planned forces from a measured state, and return the first ones.

        Args:
            q, qd: (nq,), (nv,) the measured state [rad, m; rad/s, m/s].
            goal: see `OptimalControl.solve`. Omitted goals are unchanged.
            out: (nv,) array of float64 for the forces [N m, N].
            elapsed: time since the last call [s], see `PlanStepper.step`; zero to improve the last forces.
            weights, effort_limits, active, places: changes from this call on: see `PlanStepper.step`.

        Returns:
            out itself.

        Raises:
            ShapeError, DtypeError: an array does not fit.
            UnknownNameError: no cost has this name.
            InputError: a goal is missing, a number is not finite, or elapsed is negative.
        """
        problem = self.problem
        start, finite, moved = self._inputs.read(q, qd, goal, out, elapsed, weights, effort_limits, active, places)
        np.clip(self._inputs.bounds, -FAR, FAR, out=self._limits[:, 0, 0])
        if not finite:
            raise InputError("Sampling: the state or the goal is not finite")
        if not self._begun:
            self._inputs.time = 0.0
            x, held = first_plan(problem, None, start, ())
            self._nominal[:-1, 0], self._begun = held[:, self._motors], True
            self._before = x[0, len(start) :]
        elif moved:
            last = self._nominal[-2].copy()
            self._before[:] = self.tau[moved - 1, : len(self._before)]
            self._nominal[:-moved] = self._nominal[moved:]
            self._nominal[max(len(self._nominal) - 1 - moved, 0) : -1] = last
        self._rng.standard_normal(out=self._noise)
        self._noise *= self._spread
        self._noise[:, 0] = 0  # sample 0 has no noise: it repeats the previous forces
        self._noise[-1] = 0
        self._x[0] = np.concatenate([start, self._before])
        complete = self._run() > problem.steps
        costs = self._whole[-1, :, 0]
        least = float(costs.min()) if complete else np.inf
        self.failed = not least < LOST
        if not self.failed:
            shares = np.exp((least - costs) / self._temperature)
            self.cost = least
            shares /= shares.sum()
            self._nominal[:, 0] += np.einsum("k,tkm->tm", shares, self._noise)
        np.clip(self._nominal[:-1, 0], *self._inputs.bounds, out=self._nominal[:-1, 0])
        self.tau[:, self._motors] = self._nominal[:-1, 0]
        out[:] = self.tau[0]
        self._inputs.sent(out)
        return out

    def __repr__(self) -> str:
        return f"<Sampling: {self._noise.shape[1]} samples of {self.problem!r}>"
