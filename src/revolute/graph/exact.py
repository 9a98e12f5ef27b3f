"""A graph as lossless text: graphs with equal texts have equal machine code."""

import struct

from revolute.graph.graph import Graph


def graph_text(graph: Graph) -> str:
    """Text with the arrays of a graph, and with every node as its operation and the indices of its arguments."""
    # Constants are written with all their bits, so that 0.0 and -0.0, and unequal NaNs, differ.
    place = {node: k for k, node in enumerate(graph.nodes)}
    lines = [repr(graph.name)]
    lines += [f"in {x.name!r} {x.shape}" for x in graph.inputs]
    for node in graph.nodes:
        # decimal digits do not distinguish between NaNs with different bits
        if node.op == "const":
            lines.append(f"const {struct.pack('>d', node.value).hex()}")
        elif node.op == "input":
            lines.append(f"input {node.value!r}")
        elif node.op in ("loop", "entry"):
            own = node.value.text if node.op == "loop" else node.value
            lines.append(f"{node.op} {own} {' '.join([str(place[arg]) for arg in node.args])}")
        else:
            lines.append(f"{node.op} {' '.join([str(place[arg]) for arg in node.args])}")
    lines += [f"out {x.name!r} {x.shape} {' '.join([str(place[node]) for node in x.nodes])}" for x in graph.outputs]
    return "\n".join(lines)
