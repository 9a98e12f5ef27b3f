"""Traced scalars: derivatives along motions and for small motions of each joint, and operation counts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from revolute.dynamics.coordinate_rates import coordinate_rates
from revolute.errors import GraphError
from revolute.graph import Graph, Node, Output, count, gradient, pushforward
from revolute.model.model import Model
from revolute.spatial.scalar import Rows, Scalar, Scalars


class NotTraced(GraphError):
    """Raised if derivatives of plain numbers are requested, which have no graph."""


def along_motion(model: Model, outputs: Scalars, q: Scalars, *rates: Scalars) -> list[Scalar]:
    """d/dt of scalars that were computed from the nodes q and qd, by the chain rule through the graph."""
    # Each of the rates qd, qdd, ... is the time derivative of the one before. The last may be omitted if no scalar
    # depends on the one before it.
    return along(model, outputs, (q, *rates[:-1]), rates)


def along(model: Model, outputs: Scalars, states: Sequence[Scalars], directions: Sequence[Scalars]) -> list[Scalar]:
    """The derivatives of scalars along one direction, in which q moves along joint velocities.

    `states` are the nodes q, qd, ... from which the scalars were computed; `directions` contains a rate of each state.
    """
    moving: dict[Node, dict[int, Any]] = {}
    rates = (coordinate_rates(model, states[0], directions[0]), *directions[1:])
    for state, rate in zip(states, rates, strict=True):
        moving |= {x: {0: xd} for x, xd in zip(state, rate, strict=True)}
    return [row.get(0, 0) for row in _derivatives(outputs, moving)]


def by_positions(model: Model, outputs: Scalars, q: Scalars, wanted: Sequence[Iterable[int]] = ()) -> Rows:
    """The nv derivatives of each output along joint velocities; for a free joint along the twist of its body.

    `wanted` contains, for each output, the indices of the derivatives that are needed; other entries are unspecified.
    """
    moving: dict[Node, dict[int, Any]] = {x: {} for x in q}
    for body, at, rate_at in zip(model.bodies, model.q_index, model.v_index, strict=True):
        for k in range(body.joint.nv):
            rates = body.joint.coordinate_rate(q[at], [int(k == other) for other in range(body.joint.nv)])
            for x, rate in zip(q[at], rates, strict=True):
                moving[x][rate_at.start + k] = rate
    return [[row.get(k, 0) for k in range(model.nv)] for row in _derivatives(outputs, moving, wanted)]


def gradient_by_positions(model: Model, output: Scalar, q: Scalars) -> list[Scalar]:
    """The row of `by_positions` for one scalar, by reverse mode, whose cost does not grow with nv."""
    require_traced(q)
    if not isinstance(output, Node):
        return [0] * model.nv
    slopes = gradient(output, q)
    row: list[Scalar] = []
    for body, at in zip(model.bodies, model.q_index, strict=True):
        for k in range(body.joint.nv):
            rates = body.joint.coordinate_rate(q[at], [int(k == other) for other in range(body.joint.nv)])
            row.append(sum(slope * rate for slope, rate in zip(slopes[at], rates, strict=True)))
    return row


def by_rates(outputs: Scalars, rates: Scalars) -> Rows:
    """For each output its derivatives with respect to the nodes qd, or qdd."""
    moving = {x: {k: 1} for k, x in enumerate(rates)}
    return [[row.get(k, 0) for k in range(len(rates))] for row in _derivatives(outputs, moving)]


def _derivatives(
    outputs: Scalars, moving: Mapping[Node, Mapping[int, Any]], wanted: Sequence[Iterable[int]] = ()
) -> list[dict[int, Any]]:
    """{direction: derivative} for each output; empty for outputs that are numbers."""
    require_traced(moving)
    nodes = [y for y in outputs if isinstance(y, Node)]
    if wanted:
        wanted = [directions for y, directions in zip(outputs, wanted, strict=True) if isinstance(y, Node)]
    derivatives = iter(pushforward(nodes, moving, wanted))
    return [next(derivatives) if isinstance(y, Node) else {} for y in outputs]


def require_traced(states: Iterable[Any]) -> None:
    """Raise `NotTraced` if all states are numbers."""
    if {isinstance(x, Node) for x in states} == {False}:
        raise NotTraced("derivatives require traced scalars; for numbers call the compiled function")


_DIVISION = 8  # cost of a division, in multiplications; in a pipelined vector unit it is 8 to 16


def cost(scalars: Scalars) -> int:
    """Number of operations of the scalars; a division counts as several, a constant as none."""
    nodes = tuple(x for x in scalars if isinstance(x, Node))
    counts = count(Graph("cost", (), (Output("all", (len(nodes),), nodes),)))
    return counts.arithmetic + _DIVISION * counts.divisions
