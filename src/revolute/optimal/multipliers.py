"""Hard costs by an augmented Lagrangian, around the iterations. Hestenes 1969; Rockafellar 1973.

A hard error e with the weight w has the term w |e + s|^2 / 2, where s = multiplier / w: see `within`. After each run of
the iterations the residual e + s is the next shift s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from revolute.optimal.fddp import CONVERGED, EXHAUSTED, STUCK, VIOLATED, ProblemRow
from revolute.optimal.kernels.setting import ParameterPlace
from revolute.optimal.shooting import Shooting

__all__ = ["Multipliers", "hard_errors"]

ROUNDS = 30
"""Maximum number of updates of multipliers."""

FALLS, GROWS, MOST = 0.25, 10.0, 1e8
"""If the largest error did not fall to this fraction, weights grow by this factor, to at most this multiple."""


class Multipliers:
    """The multipliers of the hard costs of one row.

    Args:
        nodes: the arrays.
        violation: largest permitted error.
    """

    def __init__(self, nodes: Shooting, violation: float) -> None:
        self._nodes, self._violation = nodes, violation
        self._before, self._scale, self._rounds = math.inf, 1.0, 0

    def again(self, row: ProblemRow) -> bool:
        """Whether a finished row must continue with new multipliers; otherwise it is marked if errors remain."""
        if row.state not in (CONVERGED, EXHAUSTED, STUCK):
            return False
        nodes, k = self._nodes, row.place
        nodes.evaluate([k])
        worst = max(hard_errors(nodes, k).values())
        if worst <= self._violation:
            return False
        self._rounds += 1
        if self._rounds > ROUNDS:
            row.state = VIOLATED if row.state == CONVERGED else row.state
            return False
        grow = GROWS if worst > FALLS * self._before and self._scale < MOST else 1.0
        self._scale, self._before = self._scale * grow, worst
        for _, place, at in hard_costs(nodes):
            nodes.p[:, k, place.shift] = nodes.parts["shifted"][:, k, at] / grow
            nodes.p[:, k, place.weight] *= grow
        return True


def hard_costs(nodes: Shooting) -> Iterator[tuple[str, ParameterPlace, slice]]:
    """The name of each hard cost, its parameters, and its indices among all hard errors."""
    setting, at = nodes.setting, 0
    for cost, place, n in zip(setting.costs, setting.places, setting.counts, strict=True):
        if cost.hard:
            yield cost.called(), place, slice(at, at + n)
            at += n


def hard_errors(nodes: Shooting, row: int) -> dict[str, float]:
    """The largest error of each hard cost, at nodes where it has a weight, without the fixed first state."""
    errors = nodes.parts["errors"][1:, row]
    return {
        name: float(np.abs(errors[:, at] * (nodes.p[1:, row, place.weight] > 0)).max())
        for name, place, at in hard_costs(nodes)
    }
