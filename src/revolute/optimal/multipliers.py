"""Hard costs by an augmented Lagrangian: multipliers and penalties around the iterations. Hestenes 1969; Rockafellar 1973.

A hard error e with the weight w has the term w |e + s|^2 / 2, where s = multiplier / w: see `within`. After each run of
the iterations the residual e + s is the next shift s.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from revolute.optimal.fddp import CONVERGED, UNBOUNDED, VIOLATED, Iterations
from revolute.optimal.kernels.setting import Setting
from revolute.optimal.shooting import Array

__all__ = ["Multipliers"]

ROUNDS = 20
"""Updates of multipliers."""

FALLS, GROWS, MOST = 0.25, 10.0, 1e8
"""Where the largest error did not fall to this share, weights grow by this factor; to this multiple at most."""


class Multipliers:
    """The multipliers of all hard costs.

    Args:
        setting: of the problem.
        violation: largest error that is allowed.
    """

    def __init__(self, setting: Setting, violation: float) -> None:
        self._setting, self._violation = setting, violation

    def run(self, loop: Iterations, iterations: int, tell: Callable[[int], None] | None) -> None:
        """From a first solution on, until all hard errors are small."""
        nodes = loop.nodes
        before, scale = np.full(nodes.rows, np.inf), np.ones(nodes.rows)
        for _ in range(ROUNDS):
            worst = self._worst(loop)
            open_ = (worst > self._violation) & (loop.state != UNBOUNDED)
            if not open_.any():
                break
            grow = open_ & (worst > FALLS * before) & (scale < MOST)
            scale[grow] *= GROWS
            self._update(loop, open_, np.where(grow, GROWS, 1.0))
            before = worst
            kept = loop.state.copy()
            loop.start()
            loop.state[~open_] = kept[~open_]
            loop.run(iterations, tell)
        worst = self._worst(loop)
        loop.state[(worst > self._violation) & (loop.state == CONVERGED)] = VIOLATED

    def _worst(self, loop: Iterations) -> Array:
        """(rows) the largest hard error; the first state is as it is."""
        loop.nodes.evaluate()
        largest: Array = np.abs(loop.nodes.parts["errors"][1:]).max(axis=(0, 2))
        return largest

    def _update(self, loop: Iterations, rows: Array, growth: Array) -> None:
        """Residuals become shifts, which shrink as weights grow."""
        nodes, at = loop.nodes, 0
        for cost, place, n in zip(self._setting.costs, self._setting.places, self._setting.counts, strict=True):
            if cost.hard:
                shifted = nodes.parts["shifted"][..., at : at + n] / growth[:, None]
                nodes.p[:, rows, place.shift] = shifted[:, rows]
                nodes.p[..., place.weight] *= growth[:, None]
                at += n
