"""Graphs as human-readable text."""

from revolute.graph.graph import Graph
from revolute.graph.loop import Loop
from revolute.graph.node import Node
from revolute.graph.ops import OPS


def text(graph: Graph) -> str:
    """One line per operation, in order of evaluation: `t4 = q[1] * t3`. The body of a loop is printed below it."""
    names = _names(graph)
    inputs = ", ".join(f"{x.name}{list(x.shape)}" for x in graph.inputs)
    outputs = ", ".join(f"{x.name}{list(x.shape)}" for x in graph.outputs)
    lines = [f"{graph.name}({inputs}) -> {outputs}"]
    for node in graph.nodes:
        if node.op in OPS:
            lines.append(f"  {names[node]} = {OPS[node.op].text.format(*(names[arg] for arg in node.args))}")
        elif node.op == "loop":
            lines += _loop(node, names)
    for output in graph.outputs:
        lines += [f"  {output.name}[{k}] = {names[node]}" for k, node in enumerate(output.nodes)]
    return "\n".join(lines)


def _loop(node: Node, names: dict[Node, str]) -> list[str]:
    """Text of a loop: the number of steps, its operands by name, and its body."""
    loop: Loop = node.value
    steps = f"{loop.steps} steps{' from the last' if loop.backward else ''}"
    if loop.solution is not None:
        steps = f"steps while again, at most {loop.steps}{', none for rows that wait' * loop.waits}"
    arrays = zip((x.name for x in loop.body.inputs), loop.operands, strict=True)
    operands = [f"{name} = [{', '.join(names[x] for x in node.args[part])}]" for name, part in arrays]
    body = text(loop.body).splitlines()[1:]
    return [f"  {names[node]} = {steps} of", *(f"      {x}" for x in operands), *(f"    {line}" for line in body)]


def _names(graph: Graph) -> dict[Node, str]:
    names: dict[Node, str] = {}
    operations = 0
    for node in graph.nodes:
        if node.op == "const":
            # 17 decimal digits determine a double
            names[node] = f"{node.value:.17g}"
        elif node.op == "input":
            names[node] = f"{node.value[0]}[{node.value[1]}]"
        elif node.op == "entry":
            names[node] = f"{names[node.args[0]]}[{node.value}]"
        else:
            names[node] = f"t{operations}"
            operations += 1
    return names
