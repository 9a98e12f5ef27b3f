"""A loop is a node: its body, a graph, is evaluated repeatedly, each time with the state that it has just returned.

    state[k+1], records[k] = body(state[k], given, each[k])

The operands of a node "loop" are the first state, values shared by all steps, and inputs of each step. Its results are
ordinary scalars, nodes "entry": the last state, then the records of all steps. So passes and derivatives treat a loop
as one operation with many results, and the body of a loop may contain loops.

A loop has a fixed number of steps, from the first inputs to the last or from the last to the first. Or it has a
condition: a row of the batch executes the first step, unless it `waits`, and further steps while the body requests
them, up to a bound. Rows that have ended keep their state while others continue. A row with NaN ends, because
comparisons with NaN are false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

from revolute.errors import GraphError
from revolute.graph.exact import graph_text
from revolute.graph.graph import Graph, Input, Output, evaluated, reachable
from revolute.graph.node import Builder, Node
from revolute.graph.ops import COMPARISONS
from revolute.records import dataclass

Place = tuple[str, int]  # one array of a function, and an index into this array

LINE, LARGE = 8, 256  # numbers of a cache line; minimum size of loops whose parts begin on cache lines


@dataclass(frozen=True, eq=False)
class Loop:
    """The body and the number of steps of a loop; the loop's node contains the operands."""

    # inputs are the state, the shared values, and each array of inputs of a step. Outputs are the next state, each
    # array of records, and, with a condition, whether another step follows: 1 or 0.
    body: Graph
    steps: int  # number of steps, at least one; with a condition, the maximum number
    backward: bool = False  # the first step uses the last inputs and records
    # none for a fixed number of steps. With a condition, the number of leading scalars of the state to which the loop
    # converges: the others have no derivative. Such loops have neither inputs nor records of steps.
    solution: int | None = None
    waits: bool = False  # whether only rows take the first step whose last scalar of the state is positive

    @property
    def state(self) -> int:
        """Number of scalars in the state."""
        return self.body.inputs[0].size

    @property
    def given(self) -> int:
        """Number of scalars that are constant during the loop."""
        return self.body.inputs[1].size

    @cached_property
    def each(self) -> tuple[int, ...]:
        """Number of scalars in each array of inputs of a step."""
        return tuple(x.size for x in self.body.inputs[2:])

    @cached_property
    def records(self) -> tuple[int, ...]:
        """Number of scalars in each array of records of a step."""
        return tuple(y.size for y in self.body.outputs[1 : None if self.solution is None else -1])

    @cached_property
    def operands(self) -> tuple[slice, ...]:
        """Ranges of the operands: the state, the shared values, and each array of inputs of all steps."""
        return _slices((self.state, self.given, *(self.steps * size for size in self.each)))

    @cached_property
    def results(self) -> tuple[slice, ...]:
        """Ranges of the results: the state, and each array of records of all steps."""
        return _slices((self.state, *(self.steps * size for size in self.records)))

    @cached_property
    def places(self) -> dict[str, int]:
        """Memory layout for targets that store nodes in memory: the offset of each part, and "end".

        Parts of large loops begin on cache lines, so that vectors of adjacent numbers seldom straddle two cache lines.
        """
        sizes = {"state": self.state, "next": self.state, "given": self.given}
        sizes |= {f"each{k}": self.steps * size for k, size in enumerate(self.each)}
        sizes |= {f"record{k}": self.steps * size for k, size in enumerate(self.records)}
        sizes["again"] = 1
        unit = LINE if sum(sizes.values()) >= LARGE else 1
        ends = accumulate([-(-size // unit) * unit for size in sizes.values()], initial=0)
        return dict(zip((*sizes, "end"), ends, strict=True))

    def place(self, k: int) -> int:
        """Memory index of result k after the last step. Without a condition, the two states swap in every step."""
        # the two states swap in each step: after an odd number of steps the last state is in the second array
        if k < self.state:
            return int(self.places["next" if self.solution is None and self.steps % 2 else "state"]) + k
        part = next(j for j, part in enumerate(self.results) if k < part.stop)
        return int(self.places[f"record{part - 1}"]) + k - int(self.results[part].start)

    @property
    def order(self) -> range:
        """Step numbers, in order of execution."""
        return range(self.steps)[::-1] if self.backward else range(self.steps)

    @cached_property
    def text(self) -> str:
        """The lossless text of the loop: loops with equal text and operands are one node."""
        return f"{self.steps} {self.backward} {self.solution}{' waits' * self.waits}\n{self.body_text}"

    @cached_property
    def body_text(self) -> str:
        """The lossless text of the body: bodies with equal text share one plan and one code."""
        return graph_text(self.body)


def _slices(sizes: Sequence[int]) -> tuple[slice, ...]:
    ends = list(accumulate(sizes))
    return tuple(slice(end - size, end) for end, size in zip(ends, sizes, strict=True))


def entries(builder: Builder, loop: Loop, operands: Sequence[Any]) -> list[list[Node]]:
    """The results of a new loop: the last state, and each array of records of all steps."""
    node = builder.loop(loop, [x if isinstance(x, Node) else builder.const(x) for x in operands])
    return [[builder.entry(node, k) for k in range(part.start, part.stop)] for part in loop.results]


def new_loop(
    builder: Builder, step: Callable[..., tuple[Sequence[Any], Sequence[Sequence[Any]]]], state: Sequence[Any],
    each: Sequence[Sequence[Sequence[Any]]], steps: int, *, backward: bool = False, solution: int | None = None,
    waits: bool = False,
) -> list[list[Node]]:
    """The results of a new loop, traced from a function of scalars: the last state, and each array of records.

    The function may use any nodes of the builder, which become shared values. Expressions that do not depend on the
    state, or on inputs of a step, are computed once, before the loop.

    Args:
        step: called with the state and a row of each array; returns the next state and each array of records. For a
            loop with a condition, the only record is the comparison that determines whether another step follows.
        each: arrays with `steps` rows.
        steps, backward, solution, waits: see `Loop`.
    """
    # the body is traced in the outer builder, so that it may use outer nodes, and is then moved to a builder of its own
    variables, inputs = _variables(builder, len(state), [len(rows[0]) for rows in each])
    following, records = step(*variables)
    if len(following) != len(state):
        raise GraphError(f"loop: the state has {len(state)} scalars, but a step returns {len(following)}")
    if solution is not None:
        # a loop cannot store truth values, so a number replaces the comparison
        ((again,),) = records
        records = [[again.select(1.0, 0.0) if isinstance(again, Node) else float(again)]]
    groups = [[x if isinstance(x, Node) else builder.const(x) for x in group] for group in (following, *records)]
    given, outputs = _apart(groups, [x for group in variables for x in group], builder)
    names = ["next", *(f"record{k}" for k in range(len(records)))]
    if solution is not None:
        names[-1] = "again"
    shapes = [() if name == "again" else (len(nodes),) for name, nodes in zip(names, outputs, strict=True)]
    body = Graph(
        "body", (inputs[0], Input("given", (len(given),)), *inputs[1:]),
        tuple(Output(*parts) for parts in zip(names, shapes, map(tuple, outputs), strict=True)),
    )  # fmt: skip
    operands = [*state, *given, *(x for rows in each for row in rows for x in row)]
    return entries(builder, Loop(body, steps, backward, solution, waits), operands)


def _variables(builder: Builder, state: int, each: Sequence[int]) -> tuple[list[tuple[Node, ...]], list[Input]]:
    """Nodes that represent the state and inputs of a step while the body is traced, and their arrays in the body."""
    names = ["state", *(f"each{k}" for k in range(len(each)))]
    # nested loops are traced in one builder, so their variables need different names
    number, sizes = len(builder.nodes), (state, *each)  # unique among the loops of this builder
    nodes = [builder.input(f"{name} of loop {number}", size) for name, size in zip(names, sizes, strict=True)]
    return nodes, [Input(name, (size,)) for name, size in zip(names, sizes, strict=True)]


def _apart(groups: list[list[Node]], variables: list[Node], outer: Builder) -> tuple[list[Node], list[list[Node]]]:
    """Outer nodes that the groups use, and the groups rebuilt in a separate builder."""
    # nodes that depend on the variables stay in the body; other nodes are computed once, before the loop
    # no node older than the variables depends on them; of these only comparisons are needed
    oldest = min((x.index for x in variables), default=0)
    order = reachable([x for group in groups for x in group], lambda x: x.index >= oldest or x.op in COMPARISONS)
    inside = set(variables)
    for node in order:
        if not inside.isdisjoint(node.args):
            inside.add(node)
    # the body repeats comparisons of outer values, since a truth value cannot be passed to a loop
    inside |= {arg for node in order if node in inside for arg in node.args if arg.op in COMPARISONS}
    roots = {x: None for group in groups for x in group}
    # given values are outer values that the body reads, or returns unchanged
    needed = dict.fromkeys([*(arg for node in order if node in inside for arg in node.args), *roots])
    given = [x for x in sorted(needed, key=lambda x: x.index) if x not in inside and x.op != "const"]
    builder = Builder(outer.rules)
    new: dict[Node, Node] = {}
    # in the body, variables have the names of the body's inputs, without the number of the loop
    for node in variables:
        name, k = node.value
        new[node] = builder.input(name.partition(" ")[0], k + 1)[k]
    new.update(zip(given, builder.input("given", len(given)), strict=True))
    for node in order:
        if node in inside and node not in new:
            new[node] = builder.like(node, [new[arg] for arg in node.args])
        elif node.op == "const":
            new[node] = builder.const(node.value)
    return given, [[new[x] for x in group] for group in groups]


def inlined(graph: Graph, builder: Builder, *arrays: Sequence[Any]) -> list[list[Node]]:
    """The outputs of a graph, rebuilt in another builder, with `arrays` as the scalars of its inputs."""
    nodes = [[x if isinstance(x, Node) else builder.const(x) for x in array] for array in arrays]
    given = {x.name: array for x, array in zip(graph.inputs, nodes, strict=True)}
    return evaluated(graph, given, builder.const, builder.like)


def unrolled(graph: Graph) -> Graph:
    """The graph with all loops unrolled to their steps, for targets without loops.

    A loop with a condition is unrolled to its maximum number of steps.
    """
    if all(node.op != "loop" for node in graph.nodes):
        return graph
    builder = Builder(graph.nodes[0].builder.rules)

    def operation(node: Node, args: list[Any]) -> Any:
        if node.op == "loop":
            return _unrolled(node.value, builder, args)
        return args[0][node.value] if node.op == "entry" else builder.make(node.op, *args)

    inputs = {x.name: builder.input(x.name, x.size) for x in graph.inputs}
    found = evaluated(graph, inputs, builder.const, operation)
    outputs = tuple(Output(y.name, y.shape, tuple(nodes)) for y, nodes in zip(graph.outputs, found, strict=True))
    return Graph(graph.name, graph.inputs, outputs)


def _unrolled(loop: Loop, builder: Builder, operands: Sequence[Node]) -> Sequence[Node]:
    state, given, *each = (operands[part] for part in loop.operands)
    # whether a row continues; a number, because the graph has no constant truth values
    body, going = unrolled(loop.body), state[-1] if loop.waits else builder.const(1.0)
    records: dict[int, list[list[Node]]] = {}
    for k in loop.order:
        rows = [array[k * size : (k + 1) * size] for array, size in zip(each, loop.each, strict=True)]
        following, *records[k] = inlined(body, builder, state, given, *rows)
        if loop.solution is None:
            state = following
            continue
        ((again,),) = records.pop(k)
        # finished rows keep their state, as they do in the loop
        state = [(going > 0).select(new, old) for new, old in zip(following, state, strict=True)]
        going = (going > 0).select(again, 0.0)
    # records are results in the order of their rows, even if the steps run backward
    columns: Iterator[Sequence[list[Node]]] = zip(*(records[k] for k in sorted(records)), strict=True)
    return [*state, *(x for rows in columns for row in rows for x in row)]


def runs(nodes: Sequence[Node], place_of: Callable[[Node], Place | None]) -> Iterator[tuple[int, Place | None, int]]:
    """Runs of nodes at contiguous places: for each, the index of the first node, that node's place, and the length.

    A node without a place is a separate run.
    """
    at = 0
    while at < len(nodes):
        first, count = place_of(nodes[at]), 1
        if first is not None:
            array, place = first
            while at + count < len(nodes) and place_of(nodes[at + count]) == (array, place + count):
                count += 1
        yield at, first, count
        at += count


def progressions(places: Sequence[Place | None], several: int) -> Iterator[tuple[int, int, int]]:
    """Runs of places at equal distances: for each, the index of the first place, the length, and the distance.

    A column of a matrix is such a run. If a run of places that are not adjacent has fewer than `several` places, each
    of them is a run of length one.
    """
    at = 0
    while at < len(places):
        first, count, stride = places[at], 1, 1
        if first is not None:
            array, place = first
            after = places[at + 1] if at + 1 < len(places) else None
            if after is not None and after[0] == array and after[1] > place:
                stride = after[1] - place
            while at + count < len(places) and places[at + count] == (array, place + count * stride):
                count += 1
            if stride > 1 and count < several:
                count, stride = 1, 1
        yield at, count, stride
        at += count


def result_place(node: Node) -> Place | None:
    """Storage of a loop result: the array of results of its loop, and the index in it."""
    if node.op != "entry":
        return None
    part = next(j for j, part in enumerate(node.args[0].value.results) if node.value < part.stop)
    return f"{node.args[0].index} {part}", node.value


def with_bodies(graph: Graph) -> Iterator[Node]:
    """The nodes of a graph, and of the bodies of its loops."""
    for node in graph.nodes:
        yield node
        if node.op == "loop":
            yield from with_bodies(node.value.body)
