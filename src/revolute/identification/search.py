"""Parameters that forces are not linear in: searched, while all others are fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError
from revolute.identification.base import base_columns, random_samples
from revolute.identification.equations import BaseEquations
from revolute.identification.force_model import ForceModel
from revolute.identification.least_squares import Sums, added, solve, weighted
from revolute.identification.samples import Samples
from revolute.identification.terms import Term

__all__ = ["Search", "searched"]

Array = NDArray[Any]

POINTS = 9
"""Values that are tried in one pass."""

ROUNDS = 4
"""Passes; each is between the neighbours of the best value of the one before."""


@dataclass(frozen=True)
class Search:
    """A number that terms depend on in any way.

    Attributes:
        name: of the number.
        terms: gives the terms for a value of it.
        lower, upper: between which it is searched, both positive; in equal ratios.
    """

    name: str
    terms: Callable[[float], Sequence[Term]]
    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not 0 < self.lower < self.upper < np.inf:
            raise InputError(f"search of '{self.name}': needs 0 < lower < upper, not {self.lower} and {self.upper}")


def searched(
    model: ForceModel, searches: Sequence[Search], log: Samples | Iterable[Samples], every: int = 1
) -> dict[str, float]:
    """The values with the smallest weighted residual. Golub & Pereyra 1973: variable projection, on a grid.

    The columns of all values of a grid are part of one triangular factor, so each pass over the log tells the residual
    of any choice. Coordinates are weighted by the noise of the model without the searched terms' best values.

    Args:
        model: of the other forces.
        searches: what is searched.
        log, every: see `BaseEquations`.
    """
    if model.gains:
        raise InputError("searched: gains must be known, as the residual of currents says nothing without a scale")
    ranges = {search.name: (search.lower, search.upper) for search in searches}
    best = {name: np.sqrt(low * high) for name, (low, high) in ranges.items()}
    for _ in range(ROUNDS):
        grids = {name: np.geomspace(low, high, POINTS) for name, (low, high) in ranges.items()}
        chosen = _on_grids(model, searches, grids, log, every)
        for search in searches:
            grid, k = grids[search.name], chosen[search.name]
            best[search.name] = float(grid[k])
            ranges[search.name] = (float(grid[max(k - 1, 0)]), float(grid[min(k + 1, POINTS - 1)]))
    return best


def _on_grids(
    model: ForceModel, searches: Sequence[Search], grids: dict[str, Array], log: Samples | Iterable[Samples], every: int
) -> dict[str, int]:
    """The best place on each grid: one after the other, until none changes."""
    groups: dict[str, list[list[int]]] = {}
    terms: list[Term] = []
    base = base_columns(model)
    for search in searches:
        groups[search.name] = []
        for x in grids[search.name]:
            new = search.terms(float(x))
            groups[search.name].append([len(base) + len(terms) + k for k in range(len(new))])
            terms += [Term(f"{term.name} at {x:.17g}", term.factor, term.value) for term in new]
    sums = _sums(model, terms, log, every)
    chosen = dict.fromkeys(groups, POINTS // 2)

    def kept(choice: dict[str, int]) -> list[int]:
        return sorted([*range(len(base)), *(k for name, at in choice.items() for k in groups[name][at])])

    weights = weighted(sums.only(kept(chosen)), np.zeros(len(kept(chosen))))[1]
    R = sums.triangle(weights)
    for _ in range(10):
        before = dict(chosen)
        for name in groups:
            costs = [_residual(R[:, [*kept({**chosen, name: at}), -1]]) for at in range(POINTS)]
            chosen[name] = int(np.argmin(costs))
        if chosen == before:
            break
    return chosen


def _sums(model: ForceModel, terms: Sequence[Term], log: Samples | Iterable[Samples], every: int) -> Sums:
    """The triangular factors of the base parameters and of all terms."""
    base, wide = base_columns(model), model.with_terms(terms)
    states = random_samples(model, 50)
    reach = np.stack([np.any(np.nan_to_num(wide.column(term, states)) != 0, axis=0) for term in terms], axis=-1)
    all_columns = base.widened(len(model.names) + np.arange(len(terms)), reach)
    return added(BaseEquations(wide, all_columns, log, every), all_columns.active)


def _residual(R: Array) -> float:
    """Sum of squares that the columns of R but the last do not explain of the last."""
    solution = solve(R, np.zeros(R.shape[1] - 1))
    return float(np.sum((R[:, -1] - R[:, :-1] @ solution.values) ** 2))
