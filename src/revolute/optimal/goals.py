"""Goals and weights of costs, as the parameters of all nodes."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import broadcasts_to, by_names, float_copy, nearest
from revolute.errors import InputError, ShapeError, UnknownNameError
from revolute.optimal.costs.cost import Cost, Goal
from revolute.optimal.costs.joints import LimitCost
from revolute.optimal.kernels.setting import Setting
from revolute.optimal.shooting import Array


def weight_of(what: str, cost: Cost, count: int) -> Array:
    """Check the weights of a cost's errors, and return them as (count,)."""
    weight = float_copy(f"{what}: the weight of '{cost.called()}'", cost.weight)
    if weight.shape not in ((), (count,)):
        raise ShapeError(f"{what}: the weight of '{cost.called()}' has shape {weight.shape}, not () or ({count},)")
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise InputError(f"{what}: the weight of '{cost.called()}' must be finite, and zero or more, not {cost.weight}")
    return np.broadcast_to(weight, (count,))


class Goals:
    """Fill the parameters of nodes from weights and goals; `names` are the names of the costs.

    `sides` are the costs of running nodes and of the end, in the order of the setting; None where a cost is missing.
    """

    def __init__(self, setting: Setting, sides: Sequence[Sequence[Cost | None]], dt: Array) -> None:
        self._setting, self._dt, self._ends = setting, dt, sides[1]
        self._running, self._ending = (
            [weight_of("OptimalControl", x, n) if x else np.zeros(n) for x, n in zip(side, setting.counts, strict=True)]
            for side in sides
        )
        self.names = tuple(cost.called() for cost in setting.costs)
        self.places = dict(zip(self.names, setting.places, strict=True))
        self._costs = dict(zip(self.names, setting.costs, strict=True))
        robot, costs = setting.dynamics, self._costs.items()
        self._needy = [name for name, x in costs if x.goal_size(robot) and x.default_goal(robot) is None]

    def fill(self, p: Array, batch: tuple[int, ...], goal: Goal, weights: Mapping[str, ArrayLike] | None) -> None:
        """Set all parameters in p, (nodes + 1, *batch, parameters): see `OptimalControl.solve`."""
        given, factors = self.by_name(goal), self.factors(weights, batch)
        p[:] = self._usual.reshape(len(p), *(1,) * len(batch), -1)
        for name, scale in factors.items():
            p[..., self.places[name].weight] *= scale
        for name in self.names:
            if given.get(name) is not None or name in self._needy:
                p[..., self.places[name].goal] = self._finite_rows(name, given.get(name), batch)

    @cached_property
    def _usual(self) -> Array:
        """Parameters with default goals and weights: (nodes + 1, parameters)."""
        p = np.zeros((len(self._dt) + 1, self._setting.parameters))
        for name, place, running, ending, end in zip(
            self.names, self._setting.places, self._running, self._ending, self._ends, strict=True
        ):
            p[:-1, place.weight], p[-1, place.weight] = running * self._dt[:, None], ending
            for first, side in ((0, self._costs[name]), (-1, end)):  # the default of the end may differ
                if side is not None and name not in self._needy and place.goal.stop > place.goal.start:
                    p[first:, place.goal] = self._finite_rows(name, side.default_goal(self._setting.dynamics), ())
        return p

    def _finite_rows(self, name: str, goal: Goal, batch: tuple[int, ...]) -> Array:
        rows, known = self.rows(name, goal, batch)
        if not known:
            raise InputError(f"the goal of '{name}' is not finite")
        return rows

    def by_name(self, goal: Goal) -> dict[str, Any]:
        """Goals by the names of their costs; a single goal belongs to the only cost that requires one."""
        if goal is None:
            return {}
        if not isinstance(goal, Mapping):
            if len(self._needy) != 1:
                dynamics, count = self._setting.dynamics, len(self._needy)
                names = self._needy or [name for name, x in self._costs.items() if x.goal_size(dynamics)]
                listed = ", ".join(f"'{name}'" for name in names) or "there are none"
                raise InputError(f"goal must be a dict {{name: goal}}, as {count} costs require goals; names: {listed}")
            return {self._needy[0]: goal}
        return self._known("goal", goal)

    def _known(self, what: str, named: Mapping[Any, Any]) -> dict[str, Any]:
        """The entries as a dict; raise `UnknownNameError` if a name is not the name of a cost."""
        for name in named:
            if name not in self.names:
                raise UnknownNameError(f"{what}: there is no cost '{name}'; {nearest(str(name), self.names)}")
        return dict(named)

    def rows(self, name: str, goal: Goal, batch: tuple[int, ...]) -> tuple[Array, bool]:
        """Goals of a cost, broadcastable to (nodes + 1, *batch, size), and whether they are finite (limits: no NaN)."""
        what, cost, nodes = f"the goal of '{name}'", self._costs[name], len(self._dt)
        shape = cost.goal_shape(self._setting.dynamics)
        if goal is None:
            raise InputError(f"{what} is missing; give it as goal={{'{name}': ...}}, an array {shape}")
        values = float_copy(what, by_names(what, cost.converted_goal(what, goal), None))
        rows = _by_node(values, shape, batch, nodes)
        if rows is None:
            raise ShapeError(
                f"{what} has shape {values.shape}, but {shape} is needed. A goal may have the leading axes {batch} of "
                f"the states, to differ by row, and then an axis of {nodes + 1}, to differ by node"
            )
        if not isinstance(cost, LimitCost):
            return rows, bool(np.isfinite(rows).all())
        low, high = np.split(rows, 2, axis=-1)
        if (low > high).any():
            raise InputError(f"{what}: a lower limit is above its upper limit")
        return rows, not np.isnan(rows).any()

    def reweigh(self, p: Array, factors: Mapping[str, Array]) -> None:
        """Set the weights of these costs in p, (nodes + 1, parameters), to `factors` times the problem's weights."""
        for name, scale in factors.items():
            at = self.places[name].weight
            for k in range(at.start, at.stop):  # NumPy needs no memory for columns
                np.multiply(self._usual[:, k], scale[:, 0], out=p[:, k])

    def factors(self, weights: Any, batch: tuple[int, ...]) -> dict[str, Array]:
        """Weight factors by the name of the cost, each (nodes + 1, *batch, 1)."""
        factors: dict[str, Array] = {}
        nodes = len(self._dt)
        if weights is not None and not isinstance(weights, Mapping):
            raise InputError(f"weights must be a dict {{name: factor}}, not {weights!r}")
        for name, given in self._known("weights", weights or {}).items():
            what = f"the factor of the weight of '{name}'"
            values = float_copy(what, given)
            if not (np.isfinite(values) & (values >= 0)).all():
                raise InputError(f"{what} must be finite, and zero or more")
            by_node = _by_node(values, (), batch, nodes)
            if by_node is None:
                raise ShapeError(f"{what} has shape {values.shape}, but (), {batch} or {(*batch, nodes + 1)} is needed")
            factors[name] = np.broadcast_to(by_node, (nodes + 1, *batch, 1))
        return factors


def _by_node(values: Array, shape: tuple[int, ...], batch: tuple[int, ...], nodes: int) -> Array | None:
    """Values with core axes `shape`, broadcastable to (nodes + 1, *batch, size); None if their axes do not fit."""
    leading = values.shape[: values.ndim - len(shape)]
    if values.shape[len(leading) :] != shape:
        return None
    if not leading:
        return values.reshape(*(1,) * len(batch), 1, -1)
    if broadcasts_to(leading, batch):
        return np.broadcast_to(values, (*batch, *shape)).reshape(1, *batch, -1)
    if broadcasts_to(leading, (*batch, nodes + 1)):
        return np.moveaxis(np.broadcast_to(values, (*batch, nodes + 1, *shape)).reshape(*batch, nodes + 1, -1), -2, 0)
    return None
