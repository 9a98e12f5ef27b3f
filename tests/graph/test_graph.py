"""Graphs: interning, rewrite rules, verification, derivatives, counts, printing."""

import dataclasses
import math

import numpy as np
import pytest
from comparing import assert_raises
from hypothesis import strategies as st
from robots import every

from revolute.errors import GraphError
from revolute.graph import (
    NO_RULES,
    OPS,
    RULES,
    Builder,
    Counts,
    Graph,
    Input,
    Node,
    Output,
    Rules,
    count,
    evaluated,
    gradient,
    jacobian,
    pushforward,
    text,
    trace,
    verify,
)
from revolute.graph.node import NewNode
from revolute.graph.ops import COMPARISONS, column
from revolute.graph.rules import EXACT, FINITE, ROUNDING, Rule
from revolute.targets.numpy import CELLS, evaluate

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -3.75, 1e-300, 1e300, math.inf, -math.inf, math.nan]
FINITE_VALUES = [x for x in SPECIAL if math.isfinite(x)]


def numbers(graph: Graph, **inputs: object) -> np.ndarray:
    """The flat first output of a graph by the reference target."""
    (result,) = evaluate(graph, inputs).values()
    return result


def test_equal_expressions_are_one_node() -> None:
    x, y = Builder().input("x", 2)
    assert x * y + x is y * x + x
    assert x.sin() is x.sin()
    assert x - y is not y - x


def test_constants_are_kept_apart_by_their_bits() -> None:
    builder = Builder()
    assert builder.const(0.0) is not builder.const(-0.0)
    assert builder.const(math.nan) is builder.const(math.nan)
    assert builder.const(1) is builder.const(1.0)
    assert builder.const(2.0) is not builder.const(-2.0)


def test_nodes_are_immutable_and_have_no_truth() -> None:
    (x,) = Builder().input("x", 1)
    with pytest.raises(AttributeError, match="immutable"):
        x.op = "add"
    assert_raises(GraphError, "truth value", bool, x < 1)
    assert_raises(GraphError, "not a number yet", float, x)


def test_outputs_fill_their_shapes() -> None:
    with pytest.raises(GraphError, match=r"twice: output 'y' has 1 scalars, which do not fill its shape \(2,\)"):
        trace("twice", lambda x: [("y", (2,), [x[0] + x[0]])], [Input("x", (1,))])


def test_traces_do_not_mix() -> None:
    (x,), (y,) = Builder().input("x", 1), Builder().input("y", 1)
    with pytest.raises(GraphError, match="another trace"):
        x + y
    with pytest.raises(GraphError, match="cannot be combined with str"):
        x + "1"


def test_a_long_chain_needs_no_recursion() -> None:
    (x,) = Builder().input("x", 1)
    y = x
    for k in range(20_000):
        y = (y + k).sin()
    graph = Graph("chain", (Input("x", (1,)),), (Output("y", (1,), (y,)),))
    verify(graph)
    assert len(text(graph).splitlines()) > 20_000
    assert gradient(y, [x])[0].op == "mul"
    assert numbers(graph, x=[0.5]).shape == (1,)


def pattern_node(pattern: object, nodes: dict[str, Node]) -> Node:
    """A side of a rule, with these nodes for its letters."""
    if isinstance(pattern, str):
        return nodes[pattern] < 2.0 if pattern == "c" else nodes[pattern]
    builder = nodes["x"].builder
    if isinstance(pattern, float):
        return builder.const(pattern)
    assert isinstance(pattern, tuple)
    return builder.make(pattern[0], *(pattern_node(part, nodes) for part in pattern[1:]))


def pattern_value(pattern: object, letters: dict[str, float]) -> float:
    """A side of a rule, evaluated without any rule."""
    builder = Builder(NO_RULES)
    node = pattern_node(pattern, {name: builder.input(name, 1)[0] for name in letters})
    graph = Graph("side", tuple(Input(n, (1,)) for n in letters), (Output("y", (1,), (node,)),))
    return float(numbers(graph, **{n: [v] for n, v in letters.items()})[0])


def all_rules() -> list[tuple[str, str]]:
    blocks = {"exact": EXACT, "rounding": ROUNDING, "finite": FINITE}
    return [(kind, line) for kind, block in blocks.items() for line in block.strip().splitlines()]


@pytest.mark.parametrize(("kind", "line"), all_rules(), ids=lambda x: x)
def test_rule_is_an_identity(kind: str, line: str) -> None:
    rule = Rule.parse(line)
    rng = np.random.default_rng(7)
    specials = SPECIAL if kind == "exact" else FINITE_VALUES
    if kind == "finite" or kind == "rounding":
        specials = [x for x in specials if abs(x) in (0, 1, 2.5, 3.75)]
    if "/" in line and kind == "finite":
        specials = [x for x in specials if x != 0]
    for trial in range(40):
        letters = {v: float(rng.choice(specials)) if trial % 2 else rng.normal() for v in "xykm"}
        if letters["k"] == 0 and "/ k" in line:
            letters["k"] = 2.0
        letters["c"] = 1.0
        left, right = (pattern_value(side, letters) for side in (rule.left, rule.right))
        if kind == "exact":
            assert left == right or (math.isnan(left) and math.isnan(right)), (line, letters)
        else:  # two roundings a side, of the largest intermediate
            scale = (abs(letters["k"]) + abs(letters["m"]) + 1) * (abs(letters["x"]) + 1) + 1
            assert abs(left - right) <= 4 * np.finfo(float).eps * scale, (line, letters)


@pytest.mark.parametrize(("kind", "line"), all_rules(), ids=lambda x: x)
def test_rule_fires_and_saves(kind: str, line: str) -> None:
    """Each rule alone changes its own left side, and never adds an operation."""
    graphs = []
    for builder in (Builder(Rules([line])), Builder(NO_RULES)):
        nodes = {name: builder.input(name, 1)[0] for name in "xyc"}
        left = pattern_node(Rule.parse(line).left, nodes | {"k": builder.const(3.5), "m": builder.const(-1.25)})
        graphs.append(Graph("g", (), (Output("y", (1,), (left,)),)))
    simplified, unchanged = (sum(dataclasses.astuple(count(graph))) for graph in graphs)
    assert simplified <= unchanged and text(graphs[0]) != text(graphs[1])


def test_structural_zeros_vanish() -> None:
    (x,) = Builder().input("x", 1)
    assert (0 * x + 1 * x - 0) is x
    assert (x - x).value == 0.0
    assert (2 * (x * 3)).args[1].value == 6.0


def test_constants_fold_as_ieee_says() -> None:
    builder = Builder()
    one, zero = builder.const(1.0), builder.const(0.0)
    assert (one / zero).value == math.inf
    assert (one / -zero).value == -math.inf
    assert math.isnan((zero / zero).value)
    assert math.isnan((builder.const(math.nan) / zero).value)
    assert math.isnan((-one).sqrt().value) and math.isnan((-one).log().value)
    assert zero.log().value == -math.inf
    assert (builder.const(1000.0)).exp().value == math.inf


def test_comparisons_of_constants_stay_truth_values() -> None:
    """No number stands for them; and each way of writing one is the same node."""
    builder = Builder()
    one, two = builder.const(1.0), builder.const(2.0)
    for below, above, op in ((one < two, two > one, "lt"), (one <= two, two >= one, "le")):
        assert below is above and below.op == op and below.args == (one, two)
        chosen = below.select(builder.input("x", 1)[0], 3.0)
        verify(Graph("chosen", (Input("x", (1,)),), (Output("y", (1,), (chosen,)),)))


UNARY = [name for name, op in OPS.items() if op.arity == 1]
BINARY = [name for name, op in OPS.items() if op.arity == 2 and name not in COMPARISONS]
SMOOTH = ["add", "sub", "mul", "neg", "sin", "cos", "tanh"]  # what NumPy has for complex numbers


@st.composite
def programs(draw: st.DrawFn, names: list[str]) -> list[tuple[str, list[int]]]:
    """A random straight-line program on three inputs and two constants."""
    steps = []
    for k in range(draw(st.integers(1, 25))):
        name = draw(st.sampled_from(names))
        steps.append((name, [draw(st.integers(0, 4 + k)) for _ in range(OPS[name].arity)]))
    return steps


def run_program(steps: list[tuple[str, list[int]]], rules: Rules) -> Graph:
    def function(x: tuple[Node, ...]) -> list[tuple[str, tuple[int, ...], list[Node]]]:
        builder = x[0].builder
        values = [*x, builder.const(0.0), builder.const(-1.5)]
        for name, args in steps:
            values.append(builder.make(name, *(values[k] for k in args)))
        return [("y", (len(steps),), values[5:])]

    return trace("program", function, [Input("x", (3,))], rules)


def scattered(graph: Graph, x: list[float], size: float) -> np.ndarray:
    """Results of 64 runs in which every node errs by up to `size` of itself; NaN if any was not finite in any run."""
    rng, finite = np.random.default_rng(0), []

    def noisy(value: np.ndarray) -> np.ndarray:
        zero = np.where(value == 0, 1e-300, 0.0)  # which have signs too
        value = value * (1 + size * rng.uniform(-1, 1, 64)) + zero * rng.uniform(-1, 1, 64)
        finite.append(np.isfinite(value).all())
        return value

    def run(node: Node, args: list[np.ndarray]) -> np.ndarray:
        return noisy(CELLS[node.op](*args))

    with np.errstate(all="ignore"):
        inputs = {"x": [noisy(np.full(64, a)) for a in x]}
        (values,) = evaluated(graph, inputs, lambda c: noisy(np.full(64, c)), run)
    return np.stack(values, axis=-1) if all(finite) else np.full((64, len(values)), np.nan)


@every(programs(UNARY + BINARY), st.lists(st.floats(-3, 3), min_size=3, max_size=3), examples=150)
def test_passes_keep_graphs_sound_and_values_equal(steps: list[tuple[str, list[int]]], x: list[float]) -> None:
    plain = verify(run_program(steps, NO_RULES))
    before, after = numbers(plain, x=x), numbers(verify(run_program(steps, RULES)), x=x)
    # Errors of 1e-12 at every node are 5,000 times roundings. A fiftieth of what they do is 100 roundings a node.
    spread = np.abs(scattered(plain, x, 1e-12) - before).max(axis=0)
    tame = spread < 1e-6 * (1 + np.abs(before))  # others jump, or have been beyond all numbers
    np.testing.assert_array_less(np.abs(after[tame] - before[tame]), spread[tame] / 50 + 1e-300)


@every(programs(SMOOTH), st.lists(st.floats(0.2, 1.4), min_size=3, max_size=3), examples=80)
def test_forward_and_reverse_agree_with_complex_steps(steps: list[tuple[str, list[int]]], x: list[float]) -> None:
    graph = run_program(steps, NO_RULES)
    outputs = graph.outputs[0].nodes
    builder = outputs[0].builder
    arguments = builder.input("x", 3)
    rows = [[row.get(k, builder.const(0.0)) for k in range(3)] for row in jacobian(outputs, arguments)]
    flat = tuple(node for row in rows for node in row)
    J = numbers(verify(Graph("J", graph.inputs, (Output("J", (len(rows), 3), flat),))), x=x)
    back = tuple(node for y in outputs for node in gradient(y, arguments))
    K = numbers(verify(Graph("K", graph.inputs, (Output("K", (len(rows), 3), back),))), x=x)
    np.testing.assert_allclose(J, K, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(J).max()))
    # a complex step has no truncation error; what is left grows with the largest derivative
    for k in range(3):
        step = np.array(x) + 1e-30j * (np.arange(3) == k)
        (values,) = evaluated(graph, {"x": step}, complex, lambda node, args: CELLS[node.op](*args))
        exact = np.imag(values) / 1e-30
        np.testing.assert_allclose(J[:, k], exact, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(J).max()))


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("exchanged", [False, True])
def test_least_and_greatest_have_the_derivative_of_the_one_that_counts(name: str, exchanged: bool) -> None:
    """At ties the derivative of one of the two, the same one for both orders, and never of both or none."""
    builder = Builder()
    x = builder.input("x", 2)
    y = builder.make(name, *(x[::-1] if exchanged else x))
    forward, backward = jacobian([y], x)[0], gradient(y, x)
    nodes = (*(forward[k] for k in range(2)), *backward)
    graph = verify(Graph("slopes", (Input("x", (2,)),), (Output("J", (2, 2), nodes),)))
    points = [(1.0, 2.0), (2.0, 1.0), (-1.0, 1.0), (1.5, 1.5), (0.0, -0.0), (-0.0, 0.0), (-math.inf, 3.0)]
    for a, b in points:
        first = a <= b if name == "min" else a >= b
        np.testing.assert_array_equal(numbers(graph, x=[a, b]), [[first, not first]] * 2)


@every(programs(SMOOTH), st.lists(st.sets(st.integers(0, 2)), min_size=40, max_size=40), examples=60)
def test_derivatives_that_are_wanted_are_the_same_without_the_others(
    steps: list[tuple[str, list[int]]], sets: list[set[int]]
) -> None:
    outputs = run_program(steps, NO_RULES).outputs[0].nodes
    builder = outputs[0].builder
    moving = {x: {k: builder.const(1.0)} for k, x in enumerate(builder.input("x", 3))}
    wanted = sets[: len(outputs)]
    assert len(wanted) == len(outputs)
    for everything, some, directions in zip(
        pushforward(outputs, moving), pushforward(outputs, moving, wanted), wanted, strict=True
    ):
        assert {k: some.get(k) for k in directions} == {k: everything.get(k) for k in directions}


def test_derivatives_that_nobody_wants_are_not_made() -> None:
    builder = Builder()
    x, y = builder.input("x", 2)
    output = (x * y).sin()
    moving = {x: {0: builder.const(1.0)}, y: {1: builder.const(1.0)}}
    assert list(pushforward([output], moving, [[1]])[0]) == [1]


@pytest.mark.parametrize("name", sorted(set(OPS) - COMPARISONS - {"select"}))
def test_partials_of_every_operation(name: str) -> None:
    builder = Builder(NO_RULES)
    x = builder.input("x", OPS[name].arity)
    y = builder.make(name, *x)
    point = np.array([0.7, 1.3])[: len(x)]
    graph = Graph(name, (Input("x", (len(x),)),), (Output("d", (len(x),), tuple(gradient(y, x))),))
    value = Graph(name, graph.inputs, (Output("y", (1,), (y,)),))
    exact = numbers(verify(graph), x=point)
    for k in range(len(x)):
        step = 1e-6 * (np.arange(len(x)) == k)
        slope = (numbers(value, x=point + step) - numbers(value, x=point - step)) / 2e-6
        assert abs(slope[0] - exact[k]) < 1e-8


def test_select_takes_its_derivative_from_the_branch_taken() -> None:
    (x,) = Builder().input("x", 1)
    y = (x < 1).select(x * x, 3 * x)
    graph = Graph("d", (Input("x", (1,)),), (Output("d", (1,), tuple(gradient(y, [x]))),))
    assert numbers(graph, x=[0.5])[0] == 1.0
    assert numbers(graph, x=[2.0])[0] == 3.0


def test_verify_sees_broken_graphs() -> None:
    builder = Builder()
    x, y = builder.input("x", 2)
    inputs = (Input("x", (2,)),)
    good = Graph("good", inputs, (Output("s", (1,), (x + y,)),))
    assert verify(good) is good
    twin = NewNode(builder, "add", (x, y), None, 99)
    broken = {
        "stands twice": (twin, x + y),
        "unknown operation": (NewNode(builder, "hypot", (x, y), None, 99),),
        "younger": (NewNode(builder, "neg", (NewNode(builder, "neg", (x,), None, 50),), None, 10),),
        "truth values": (NewNode(builder, "neg", (x < y,), None, 99),),
        "truth value, not a number": (x < y,),
        "not among the declared inputs": (builder.input("z", 1)[0],),
        "fill its shape": (),
    }
    for complaint, nodes in broken.items():
        shape = (1,) if complaint == "fill its shape" else (len(nodes),)
        assert_raises(GraphError, complaint, verify, Graph("bad", inputs, (Output("y", shape, nodes),)))


def test_a_target_without_a_cell_fails_at_import() -> None:
    assert_raises(TypeError, "tanh", column, "half-made", {name: None for name in OPS if name != "tanh"})


def test_nodes_with_a_tangent_are_independent() -> None:
    """Also with the tangent zero: z = x y moves with x, unless it is held."""
    x, y = Builder().input("x", 2)
    z = x * y
    ((_, free), (_, held)) = (pushforward([z, x * z], moving) for moving in ({x: {0: 1.0}}, {x: {0: 1.0}, z: {0: 0}}))
    assert free[0] is z + x * y and held[0] is z


def test_counts_leave_dead_code_out() -> None:
    x, y = Builder().input("x", 2)
    (x * x).exp()  # dead
    used = (x * y - 1) / (x + 2).sqrt() + x.sin() * x.cos()
    graph = Graph("c", (Input("x", (2,)),), (Output("y", (1,), (used,)),))
    assert count(graph) == Counts(multiplications=2, additions=3, divisions=1, calls=3, others=0)
    assert count(graph).arithmetic == 5


def test_text_reads_well() -> None:
    x, y = Builder().input("q", 2)
    graph = Graph("f", (Input("q", (2,)),), (Output("tau", (1,), (x.sin() * 2 - y,)),))
    assert text(graph) == "f(q[2]) -> tau[1]\n  t0 = sin(q[0])\n  t1 = t0 * 2\n  t2 = t1 - q[1]\n  tau[0] = t2"
    assert str(graph) == text(graph)
