"""A loop over time as data: x[k+1] = f(x[k], u[k]), recorded with y[k] = g(x[k], u[k]).

Unlike in a loop of `graph.loop`, the number of steps is known only at run time, and arrays are in memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from revolute.graph import NO_RULES, Builder, Graph, Input, Node, Output, count
from revolute.targets.llvm.fused import fused_nodes

Shape = tuple[int, ...]


def following(state: str) -> str:
    """The name of a state at the next instant."""
    return f"next {state}"


@dataclass(frozen=True, eq=False)
class Stage:
    """A function that is evaluated at each instant: its graph, and names of its inputs and outputs in the loop."""

    graph: Graph
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class LoopForm:
    """The arrays of a loop in memory, with their core shapes: states, inputs (loads), and other results (stores).

    States are recorded, except those in `passing`: of these, only the first instant is read, and one call computes all
    instants.
    """

    states: Mapping[str, Shape]
    loads: Mapping[str, Shape]
    stores: Mapping[str, Shape]
    passing: frozenset[str] = frozenset()

    @property
    def recorded(self) -> tuple[str, ...]:
        """Names of the states that are recorded."""
        return tuple(name for name in self.states if name not in self.passing)

    @property
    def arrays(self) -> dict[str, Shape]:
        """Core shapes of all arrays, in the order of `march`'s table."""
        return {**self.states, **self.loads, **self.stores}


@dataclass(frozen=True, eq=False)
class Recurrence:
    """A loop over time: its arrays, its body, and the number of operations of an instant.

    The body maps states and loads to the next states, named by `following`, and to stores. Its products are fused.
    """

    form: LoopForm
    body: Graph
    operations: int

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """Core shapes of all buffers."""
        arrays: tuple[Input | Output, ...] = (*self.body.inputs, *self.body.outputs)
        return self.form.arrays | {x.name: x.shape for x in arrays}


def joined(form: LoopForm, stages: Sequence[Stage]) -> Recurrence:
    """The loop of functions that are evaluated one after the other at each instant.

    Common operations are evaluated once. Results are bitwise those of the separate functions: see `fused.py`.
    """
    builder = Builder(NO_RULES)
    given = {**form.states, **form.loads}
    inputs = [Input(name, shape) for name, shape in given.items()]
    arrays: dict[str, Sequence[Node]] = {x.name: builder.input(x.name, x.size) for x in inputs}
    for stage in stages:
        values = {x.name: arrays[name] for x, name in zip(stage.graph.inputs, stage.inputs, strict=True)}
        # operations of each stage are fused separately, so results keep their bits; one builder merges common values
        arrays |= zip(stage.outputs, fused_nodes(stage.graph, builder, values), strict=True)
    results = {following(name): shape for name, shape in form.states.items()} | dict(form.stores)
    outputs = tuple(Output(name, shape, tuple(arrays[name])) for name, shape in results.items())
    operations = sum(count(stage.graph, once=True).arithmetic for stage in stages)
    return Recurrence(form, Graph("instant", tuple(inputs), outputs), operations)
