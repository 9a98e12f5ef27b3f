"""Expression graphs: nodes, rules, passes, derivatives, counts. They are independent of robots."""

from revolute.graph.count import Counts, code_length, count
from revolute.graph.derive import gradient, jacobian, pushforward
from revolute.graph.exact import graph_text
from revolute.graph.graph import Graph, Input, Output, evaluated, reachable, substituted, trace
from revolute.graph.loop import Loop, Place, unrolled
from revolute.graph.node import Builder, Node
from revolute.graph.ops import OPS, Op
from revolute.graph.rules import NO_RULES, RULES, STRUCTURE, Rule, Rules
from revolute.graph.show import text
from revolute.graph.verify import verify

__all__ = [
    "NO_RULES", "OPS", "RULES", "STRUCTURE", "Builder", "Counts", "Graph", "Input", "Loop", "Node", "Op", "Output",
    "Place", "Rule", "Rules", "code_length", "count", "evaluated", "gradient", "graph_text", "jacobian", "pushforward",
    "reachable", "substituted", "text", "trace", "unrolled", "verify",
]
