"""Sines and cosines of many angles, by a loop over a table of their offsets.

As straight-line code, a sine with its cosine takes about sixty instructions and a branch: for thirty joints, these are
most of a short kernel's code and compile time. A loop also keeps its constants in registers.
"""

from collections.abc import Iterable, Mapping, Sequence

from revolute.graph.node import Node
from revolute.targets.llvm.entries import table_text
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.trigonometry import sincos
from revolute.targets.llvm.writer import IRWriter

FEWEST = 4  # minimum number of angles for which a loop is faster than straight-line code


class AngleLoop(tuple[Node, ...]):
    """The nodes that a loop computes: sine and cosine of each angle in turn. All angles are in one array."""

    __slots__ = ()

    @property
    def angles(self) -> list[Node]:
        """The angles, in the order of the loop."""
        return [sine.args[0] for sine in self[::2]]

    @property
    def of_inputs(self) -> bool:
        """Whether the angles are inputs; otherwise they are in the workspace."""
        return self[0].args[0].op == "input"


def loops(nodes: Sequence[Node]) -> dict[Node, AngleLoop]:
    """{node: its loop}, for the sines and cosines that loops compute: those of angles of which both are needed.

    A loop contains all such angles of an input array, or all that are computed before the first node that needs one.
    """
    # angles of which only the sine or only the cosine is used remain straight-line code
    pairs = _pairs(nodes)
    groups: dict[str, list[Node]] = {}
    for angle in pairs:
        if angle.op == "input":
            groups.setdefault(angle.value[0], []).append(angle)
    found: dict[Node, AngleLoop] = {}
    for angles in groups.values():
        _add_loop(found, angles, pairs)
    # computed angles: one loop for all angles known when the first one is needed, then another loop for the others
    computed: dict[Node, None] = {}
    for node in nodes:
        if node.op in ("sin", "cos") and node.args[0] in computed:
            _add_loop(found, computed, pairs)
            computed = {}
        if node in pairs and node.op != "input":
            computed[node] = None
    return found


def _pairs(nodes: Iterable[Node]) -> dict[Node, tuple[Node, Node]]:
    """{angle: (sine, cosine)}, for the angles of which both are nodes."""
    sines = {node.args[0]: node for node in nodes if node.op == "sin"}
    cosines = {node.args[0]: node for node in nodes if node.op == "cos"}
    return {angle: (sine, cosines[angle]) for angle, sine in sines.items() if angle in cosines}


def _add_loop(found: dict[Node, AngleLoop], angles: Iterable[Node], pairs: dict[Node, tuple[Node, Node]]) -> None:
    loop = AngleLoop(node for angle in angles for node in pairs[angle])
    if len(loop) >= 2 * FEWEST:
        found.update(dict.fromkeys(loop, loop))


def emit_loop(w: IRWriter, lanes: Lanes, loop: AngleLoop, table: str, source: str, slots: Mapping[Node, int]) -> str:
    """Emit a loop over angles in the array `source`; `slots` are indices of nodes in the workspace.

    Returns the definition of its table: for each angle the byte offsets of the angle, its sine and its cosine.
    """
    angles = [x.value[1] if loop.of_inputs else slots[x] for x in loop.angles]
    places = zip(angles, [slots[x] for x in loop[::2]], [slots[x] for x in loop[1::2]], strict=True)
    with w.counted(str(len(angles))) as k:
        # indices of an angle, of its sine and of its cosine
        row = w.let(f"getelementptr [3 x i32], ptr @{table}, i64 {k}")
        pointers = []
        for place, array in enumerate((source, "work", "work")):
            offset = w.let(f"zext i32 {w.item('i32', row, place)} to i64")
            pointers.append(w.at(f"%{array}", offset))
        angle = w.let(f"load {lanes.real}, ptr {pointers[0]}, align {lanes.bytes}")
        for value, pointer in zip(sincos(w, lanes, angle), pointers[1:], strict=True):
            w.do(f"store {lanes.real} {value}, ptr {pointer}, align {lanes.bytes}")
    return table_text(table, [[lanes.bytes * place for place in row] for row in places], "<i4")
