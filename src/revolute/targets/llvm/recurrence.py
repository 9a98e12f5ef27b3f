"""A loop over time as data: x[k+1] = f(x[k], u[k]), recorded with y[k] = g(x[k], u[k])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from revolute.graph.graph import Graph, Input, Output
from revolute.graph.node import Node
from revolute.targets.llvm.steps import fused_products

__all__ = ["LoopForm", "Recurrence", "Shape", "Stage", "alike", "following"]

Shape = tuple[int, ...]


def following(state: str) -> str:
    """The buffer of a state at the next instant."""
    return f"next {state}"


@dataclass(frozen=True, eq=False)
class Stage:
    """A graph that is evaluated at each instant, from buffers into buffers, by their names."""

    graph: Graph
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class LoopForm:
    """The arrays of a loop in memory, with their core shapes: recorded states, inputs, and other results."""

    states: Mapping[str, Shape]
    loads: Mapping[str, Shape]
    stores: Mapping[str, Shape]

    @property
    def arrays(self) -> dict[str, Shape]:
        """All of them, in the order of their words."""
        return {**self.states, **self.loads, **self.stores}


@dataclass(frozen=True, eq=False)
class Recurrence:
    """A loop over time.

    Attributes:
        form: its arrays.
        stages: in the order of evaluation; they fill `following(state)` for each state.
    """

    form: LoopForm
    stages: tuple[Stage, ...]

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """Core shapes of all buffers."""
        shapes: dict[str, Shape] = self.form.arrays
        for stage in self.stages:
            arrays: tuple[Input | Output, ...] = (*stage.graph.inputs, *stage.graph.outputs)
            shapes |= {name: x.shape for name, x in zip((*stage.inputs, *stage.outputs), arrays, strict=True)}
        return shapes


def alike(a: Graph, b: Graph, outputs_a: Sequence[int], outputs_b: Sequence[int]) -> bool:
    """Whether these outputs of two graphs have the same bits: by the same operations, with the same products fused."""
    fused_a, fused_b = fused_products(a), fused_products(b)
    waiting = [
        pair
        for i, j in zip(outputs_a, outputs_b, strict=True)
        for pair in zip(a.outputs[i].nodes, b.outputs[j].nodes, strict=True)
    ]
    seen = set(waiting)
    while waiting:
        x, y = waiting.pop()
        if x.op != y.op or len(x.args) != len(y.args) or _own(x) != _own(y):
            return False
        for pair in zip(x.args, y.args, strict=True):
            if (fused_a.get(x) is pair[0]) != (fused_b.get(y) is pair[1]):
                return False
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return True


def _own(node: Node) -> str:
    """What determines a node besides its operation and arguments."""
    return node.value.text if node.op == "loop" else repr(node.value)
