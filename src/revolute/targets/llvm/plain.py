"""A graph as an LLVM function with C's calling convention: pointers to arrays, one state a call.

It is what `revolute.targets.c` prints, for processors without a compiler at hand. Sines, cosines and the like are
calls of the C library. Products that one sum uses may be fused, where the processor can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from revolute.graph.graph import Graph
from revolute.graph.node import Node
from revolute.graph.ops import column
from revolute.targets.llvm.lanes import Lanes, Writer

__all__ = ["plain_module"]

_LIBRARY = ("sin", "cos", "tan", "atan2", "exp", "log", "tanh")

CELLS: Mapping[str, str] = column(
    "plain llvm",
    {
        "add": "fadd contract {t} {0}, {1}",
        "sub": "fsub contract {t} {0}, {1}",
        "mul": "fmul contract {t} {0}, {1}",
        "div": "fdiv {t} {0}, {1}",
        "neg": "fneg {t} {0}",
        "sqrt": "call {t} @llvm.sqrt.{f}({t} {0})",
        **{name: f"call {{t}} @{name}{{suffix}}({{t}} {{0}})" for name in _LIBRARY},
        "atan2": "call {t} @atan2{suffix}({t} {0}, {t} {1})",
        "abs": "call {t} @llvm.fabs.{f}({t} {0})",
        "sign": "",
        "min": "call {t} @llvm.minimum.{f}({t} {0}, {t} {1})",
        "max": "call {t} @llvm.maximum.{f}({t} {0}, {t} {1})",
        "lt": "fcmp olt {t} {0}, {1}",
        "le": "fcmp ole {t} {0}, {1}",
        "select": "select i1 {0}, {t} {1}, {t} {2}",
    },
)


def plain_module(functions: Sequence[tuple[str, Graph]], bits: int) -> str:
    """The LLVM IR of functions `void name(inputs..., outputs...)`, in the order of the graph's arrays.

    Args:
        functions: names in C, and graphs.
        bits: of a number: 64 or 32.
    """
    lanes = Lanes(1, bits, False)
    t, f, suffix = lanes.real, f"f{bits}", "" if bits == 64 else "f"
    parts = [f"declare {t} @llvm.{name}.{f}({t})" for name in ("sqrt", "fabs")]
    parts += [f"declare {t} @llvm.{name}.{f}({t}, {t})" for name in ("minimum", "maximum", "copysign")]
    parts += [f"declare {t} @{name}{suffix}({t}) memory(none)" for name in _LIBRARY if name != "atan2"]
    parts.append(f"declare {t} @atan2{suffix}({t}, {t}) memory(none)")
    return "\n".join([*parts, *(_function(name, graph, lanes, f, suffix) for name, graph in functions), ""])


def _function(name: str, graph: Graph, lanes: Lanes, f: str, suffix: str) -> str:
    w, t = Writer(), lanes.real
    inputs = {x.name: f"%i{k}" for k, x in enumerate(graph.inputs)}
    values: dict[Node, str] = {}
    for node in graph.nodes:
        if node.op == "const":
            values[node] = lanes.const(node.value)
        elif node.op == "input":
            place = w.let(f"getelementptr {t}, ptr {inputs[node.value[0]]}, i32 {node.value[1]}")
            values[node] = w.let(f"load {t}, ptr {place}")
        elif node.op == "sign":
            values[node] = _sign(w, lanes, f, values[node.args[0]])
        else:
            values[node] = w.let(CELLS[node.op].format(*[values[x] for x in node.args], t=t, f=f, suffix=suffix))
    for k, y in enumerate(graph.outputs):
        for at, node in enumerate(y.nodes):
            w.do(f"store {t} {values[node]}, ptr {w.let(f'getelementptr {t}, ptr %o{k}, i32 {at}')}")
    given = [f"ptr noalias readonly {inputs[x.name]}" for x in graph.inputs if x.size]
    results = [f"ptr noalias writeonly %o{k}" for k, y in enumerate(graph.outputs) if y.size]
    head = f"define void @{name}({', '.join((*given, *results))}) nounwind {{"
    return "\n".join([head, "entry:", *w.lines, "  ret void", "}"])


def _sign(w: Writer, lanes: Lanes, f: str, x: str) -> str:
    """1 with the sign of x; x itself where it is zero or NaN."""
    t = lanes.real
    one = w.let(f"call {t} @llvm.copysign.{f}({t} {lanes.const(1.0)}, {t} {x})")
    return w.let(f"select i1 {w.let(f'fcmp one {t} {x}, {lanes.const(0.0)}')}, {t} {one}, {t} {x}")
