"""The steps of a graph's code, distributed over calls, and indices of the values passed between calls.

The plan is independent of the lanes: code for blocks and for single rows shares it.

One order of operations is that of the recursion, which groups operations of a link. The other computes the results one
after the other, each preceded by those of its operations that earlier results have not needed. For the partial
derivatives of a Coriolis matrix, the latter saves a quarter of all loads and stores of the workspace, and of LLVM's
time; for those of inverse dynamics, it adds half.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from revolute.graph import Graph, Node
from revolute.graph.loop import LINE, progressions, result_place
from revolute.graph.ops import COMPARISONS
from revolute.targets.llvm.angles import AngleLoop, loops
from revolute.targets.llvm.assembly import Step, Store, StraightLine, operands_of
from revolute.targets.llvm.entries import EntryForm, entries
from revolute.targets.llvm.fused import fused_graph
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.loop_node import LoopPlan

LONG = 8000  # minimum number of steps for which the order is optimized: shorter code and its values fit the caches
LONGEST = 100_000  # number of steps above which the order is not optimized, because that would take too long
CLEARLY = 0.9  # ratio of loads and stores below which the order of results is used, despite more instructions
SEVERAL = 8  # minimum number of results of a loop, at equal distances, that a loop copies
MANY = 20_000  # number of steps above which entries with equal operations become loops: see `entries.py`


@dataclass(frozen=True, eq=False)
class CallPlan:
    """The steps of each call of a graph's code, and indices of values in the workspace."""

    graph: Graph  # with fused products
    parts: Sequence[Sequence[Step]]  # the steps of each call, or a loop over angles, or the node of a loop alone
    forms: Sequence[EntryForm]  # entries of results that loops compute, after all parts
    # the index in the workspace of every value that a later call needs, and of results of loops
    slots: Mapping[Node, int]
    places: int  # their number
    loops: Mapping[Node, LoopPlan]  # the regions of loops in the workspace
    # code of calls for blocks, with these lanes and declarations, from which code for single rows is made
    printed: dict[str, tuple[Lanes, str, set[str]]] = field(default_factory=dict)
    # code of calls that is assembled
    assembled: dict[str, StraightLine] = field(default_factory=dict)


NO_PLAN = CallPlan(Graph("", (), ()), (), (), {}, 0, {})  # default for code without operations


def planned(graph: Graph, chunk: int, fuse: bool = True, known: dict[str, CallPlan] | None = None) -> CallPlan:
    """The plan of a graph; a call has at most `chunk` steps. `fuse=False`: products are fused already.

    `known` contains the existing plans of loop bodies, by text.
    """
    known = {} if known is None else known
    graph = fused_graph(graph) if fuse else graph
    looped = loops(graph.nodes)
    stores = _stores(graph)
    steps = _steps(graph.nodes, stores)
    operands = {step: operands_of(step) for step in steps}
    nested = [node for node in graph.nodes if node.op == "loop"]
    # entries of a large result that differ only in their operands are computed by loops
    forms = entries(graph) if len(steps) >= MANY and not nested else []
    if forms:
        taken = {node for form in forms for entry in form for node in entry.nodes}
        steps = [step for step in steps if (step if isinstance(step, Node) else step.node) not in taken]
    parts = _chunks(steps, looped, chunk)
    if not forms and LONG <= len(steps) < LONGEST and not nested:
        # a different order may pass fewer values between chunks
        others = _chunks(_steps(_by_results(graph, looped), stores), looped, chunk)
        if _carried(others, operands) < CLEARLY * _carried(parts, operands):
            parts = others
    regions: dict[Node, LoopPlan] = {}
    places = 0
    # loop regions come first in the workspace: offsets of regions are known when a loop and its body are emitted
    for node in nested:
        text = node.value.body_text
        if text not in known:
            known[text] = planned(node.value.body, chunk, known=known)
        regions[node] = LoopPlan(node, known[text], places)
        places = -(-regions[node].end // LINE) * LINE
    slots, places = _workspace_slots(parts, operands, forms, _reserved(graph, regions.values()), places)
    results = {node: regions[node.args[0]].entry(node.value) for node in graph.nodes if node.op == "entry"}
    return CallPlan(graph, parts, forms, slots | results, places, regions)


def _chunks(steps: Sequence[Step], looped: Mapping[Node, AngleLoop], chunk: int) -> list[Sequence[Step]]:
    """The steps of each call: loops, each before the first step that it replaces, and the steps between them."""
    # sines of inputs can be computed before all other steps
    parts: list[Sequence[Step]] = list(dict.fromkeys(loop for loop in looped.values() if loop.of_inputs))
    done = set(parts)
    straight: list[Step] = []
    for step in steps:
        loop = looped.get(step) if isinstance(step, Node) else None
        if isinstance(step, Node) and step.op == "loop":
            parts += [*_pieces(straight, chunk), [step]]
            straight = []
        elif loop is None:
            straight.append(step)
        elif loop not in done:
            done.add(loop)
            parts += [*_pieces(straight, chunk), loop]
            straight = []
    return [*parts, *_pieces(straight, chunk)] or [[]]


def _pieces(steps: list[Step], chunk: int) -> list[list[Step]]:
    return [steps[k : k + chunk] for k in range(0, len(steps), chunk)]


def _stores(graph: Graph) -> dict[Node, list[Step]]:
    """The steps that store results, by the node of their value."""
    stores: dict[Node, list[Step]] = {}
    several = any(node.op == "loop" for node in graph.nodes)
    for k, output in enumerate(graph.outputs):
        computed = [place for place, node in enumerate(output.nodes) if node.op != "const"]
        for first, stop in _ranges(computed) if several else ((place, place + 1) for place in computed):
            nodes = output.nodes[first:stop]
            spans = progressions([*map(result_place, nodes)], SEVERAL) if len(nodes) > 1 else [(0, 1, 1)]
            for at, count, stride in spans:
                stores.setdefault(nodes[at], []).append(Store(nodes[at], k, first + at, count, stride))
    return stores


def _ranges(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The ranges (first, stop) of consecutive numbers in an ascending sequence."""
    first = 0
    for k in range(1, len(places) + 1):
        if k == len(places) or places[k] != places[k - 1] + 1:
            yield places[first], places[k - 1] + 1
            first = k


def _steps(order: Iterable[Node], stores: Mapping[Node, list[Step]]) -> list[Step]:
    """Operations, each followed by the stores of its value; inputs have stores only."""
    # Comparisons are not steps: each chunk computes those that it needs, as the workspace cannot hold truth values.
    steps: list[Step] = []
    for node in order:
        if node.args and node.op not in COMPARISONS and node.op != "entry":
            steps.append(node)
        if node in stores:
            steps += stores[node]
    return steps


def _reserved(graph: Graph, regions: Iterable[LoopPlan]) -> dict[Node, int]:
    """Places in regions of loops for operands that are computed directly into them, so that they need no copies."""
    # The first state changes: only what nothing else uses can be computed there.
    reserved: dict[Node, int] = {}
    for region in regions:
        # an operand that is computed directly into the loop's region need not be copied
        for place, node in region.operands():
            if node.args and node.op != "entry" and (place >= region.place("given") or graph.uses[node] == 1):
                reserved.setdefault(node, place)
    return reserved


def _workspace_slots(
    chunks: Sequence[Sequence[Step]], operands: Mapping[Step, Sequence[Node]], forms: Sequence[EntryForm],
    reserved: Mapping[Node, int], size: int,
) -> tuple[dict[Node, int], int]:
    """An index in the workspace for every value that a later chunk needs, and the number of indices.

    An index is free again after the last chunk that reads its value. Entries are computed after all chunks. Values in
    `reserved` have these indices; the indices of all others are at least `size`.
    """
    # linear-scan allocation: a workspace slot is allocated at the first use and freed after the last use
    last: dict[Node, int] = {}  # the last chunk that reads a value of an earlier chunk
    for k, needed in enumerate(_values_of_others(chunks, operands)):
        last.update(dict.fromkeys(needed, k))
    last.update({x: len(chunks) for form in forms for entry in form for x in entry.values})
    slots: dict[Node, int] = {}
    free: list[int] = []
    ending: list[list[int]] = [[] for _ in (*chunks, forms)]
    for k, part in enumerate(chunks):
        for step in part:
            if isinstance(step, Node) and step in reserved:
                slots[step] = reserved[step]
            elif isinstance(step, Node) and step in last:
                if not free:
                    free, size = [size], size + 1
                slots[step] = free.pop()
                ending[last[step]].append(slots[step])
        # free slots only after the chunk: it may store a value before it loads another one from a slot
        free += ending[k]
    return slots, size


def _by_results(graph: Graph, looped: Mapping[Node, AngleLoop]) -> list[Node]:
    """All nodes, arguments first: those for the first result, then further ones for the second result, and so on."""
    # A node of a loop needs all of its angles.
    needs = {node: loop.angles for node, loop in looped.items()}
    order = dict.fromkeys([node for node in graph.nodes if not node.args])
    # the depth-first search uses an explicit stack, because graphs are too deep for recursion
    waiting = [root for output in reversed(graph.outputs) for root in reversed(output.nodes) if root.args]
    while waiting:
        node = waiting[-1]
        if node in order:
            waiting.pop()
            continue
        if missing := [arg for arg in needs.get(node, node.args) if arg not in order]:
            waiting += missing[::-1]
        else:
            order[waiting.pop()] = None
    return list(order)


def _carried(chunks: Sequence[Sequence[Step]], operands: Mapping[Step, Sequence[Node]]) -> int:
    """Number of loads and stores of values that one chunk computes and others read."""
    # each chunk loads values that other chunks computed; each of these values is stored once
    needed = list(_values_of_others(chunks, operands))
    return sum(map(len, needed)) + len(set().union(*needed))


def _values_of_others(chunks: Sequence[Sequence[Step]], operands: Mapping[Step, Sequence[Node]]) -> Iterator[set[Node]]:
    """For each chunk in turn, the values of earlier chunks that it needs."""
    made: set[Any] = set()
    for part in chunks:
        yield made.intersection(chain.from_iterable([operands[step] for step in part]))
        made.update(part)
