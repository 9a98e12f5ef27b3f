"""The costs of running nodes and of the end, without duplicates."""

from __future__ import annotations

from dataclasses import fields

from revolute.errors import InputError
from revolute.model.identity import OUTSIDE
from revolute.optimal.costs.cost import Cost

__all__ = ["merged"]


def merged(costs: tuple[Cost, ...], end: tuple[Cost, ...]) -> tuple[tuple[Cost, ...], list[list[Cost | None]]]:
    """Each cost once; and for each, the cost of running nodes and that of the end, or None.

    Raises:
        InputError: there is no cost, a name is duplicate, or the end has a cost of forces.
    """
    what = "OptimalControl"
    if not costs and not end:
        raise InputError(f"{what}: give it a cost, such as EffortCost(1e-3)")
    unique: dict[str, Cost] = {}
    sides: list[dict[str, Cost]] = [{}, {}]
    for side, listed in zip(sides, (costs, end), strict=True):
        for cost in listed:
            name = cost.called()
            if name in side or (name in unique and not _alike(unique[name], cost)):
                raise InputError(f"{what}: two costs are called '{name}'; give one of them another name: name='...'")
            if side is sides[1] and cost.of_forces:
                raise InputError(f"{what}: end: '{name}' needs forces, which the last node does not have")
            unique.setdefault(name, cost)
            side[name] = cost
    sides[1] = {x.called(): x for x in costs if x.hard and not x.of_forces} | sides[1]
    return tuple(unique.values()), [[side.get(name) for name in unique] for side in sides]


def _alike(a: Cost, b: Cost) -> bool:
    """Whether two costs have the same errors."""
    return type(a) is type(b) and all(
        getattr(a, x.name) == getattr(b, x.name) for x in fields(a) if x.metadata != OUTSIDE  # type: ignore[arg-type]
    )
