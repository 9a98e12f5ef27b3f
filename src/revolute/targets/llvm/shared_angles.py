"""Stages of a loop that share the sines and cosines of their inputs: half of the time of some stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from revolute.graph.graph import Graph, Input, Output
from revolute.graph.node import Builder, Node
from revolute.graph.rules import NO_RULES
from revolute.targets.llvm.recurrence import Stage

__all__ = ["with_shared_angles"]

Angle = tuple[str, int]
"""A buffer, and the place of an angle in it."""


def with_shared_angles(stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The stages after one that evaluates sines and cosines of angles that several of them use; the same bits.

    Each sine is an input of its own, made where the sine was: so the order of all nodes, and of their arguments, stays.
    """
    uses = Counter(angle for stage in stages for angle in {angle for _, angle in _sines(stage).values()})
    shared = {angle for angle, count in uses.items() if count > 1}
    found = [{node: key for node, key in _sines(stage).items() if key[1] in shared} for stage in stages]
    keys = sorted({key for nodes in found for key in nodes.values()})
    if not keys:
        return tuple(stages)
    shapes = {name: x for stage in stages for name, x in zip(stage.inputs, stage.graph.inputs, strict=True)}
    return (_angles(keys, shapes), *(_given(stage, nodes) for stage, nodes in zip(stages, found, strict=True)))


def _sines(stage: Stage) -> dict[Node, tuple[str, Angle]]:
    """The sines and cosines of inputs of a stage."""
    buffers = {x.name: name for name, x in zip(stage.inputs, stage.graph.inputs, strict=True)}
    return {
        node: (node.op, (buffers[node.args[0].value[0]], node.args[0].value[1]))
        for node in stage.graph.nodes
        if node.op in ("sin", "cos") and node.args[0].op == "input"
    }


def _buffer(key: tuple[str, Angle]) -> str:
    """The name of a sine's buffer: "sin q[2]"."""
    op, (name, place) = key
    return f"{op} {name}[{place}]"


def _angles(keys: Sequence[tuple[str, Angle]], shapes: Mapping[str, Input]) -> Stage:
    """The stage that evaluates sines and cosines."""
    builder, names = Builder(NO_RULES), sorted({name for _, (name, _) in keys})
    inputs = tuple(Input(name, shapes[name].shape) for name in names)
    angles = {x.name: builder.input(x.name, x.size) for x in inputs}
    outputs = tuple(
        Output(_buffer((op, (name, place))), (), (builder.make(op, angles[name][place]),)) for op, (name, place) in keys
    )
    return Stage(Graph("angles", inputs, outputs), tuple(names), tuple(map(_buffer, keys)))


def _given(stage: Stage, sines: Mapping[Node, tuple[str, Angle]]) -> Stage:
    """A stage with these nodes as inputs."""
    builder, made = Builder(NO_RULES), {}
    for node in stage.graph.nodes:
        if node in sines:
            (made[node],) = builder.input(_buffer(sines[node]), 1)
        elif node.op == "const":
            made[node] = builder.const(node.value)
        elif node.op == "input":
            made[node] = builder.input(node.value[0], node.value[1] + 1)[-1]
        else:
            made[node] = builder.like(node, [made[arg] for arg in node.args])
    outputs = tuple(Output(x.name, x.shape, tuple(made[node] for node in x.nodes)) for x in stage.graph.outputs)
    names = tuple(dict.fromkeys(map(_buffer, sines.values())))
    inputs = (*stage.graph.inputs, *(Input(name, ()) for name in names))
    return Stage(Graph(stage.graph.name, inputs, outputs), (*stage.inputs, *names), stage.outputs)
