"""Straight-line code as assembly: the bits of LLVM's code, whatever registers, arrays and lanes it needs."""

import itertools
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from llvmlite.binding import FeatureMap, get_host_cpu_features
from numpy.typing import NDArray

import revolute
from revolute.compiler.ufunc import generalized_ufunc
from revolute.graph import Graph, Input, Node, Place, trace
from revolute.spatial.scalar import select, sqrt
from revolute.targets.llvm import Lanes, compile_parts, host, kernel, load_object, module_parts
from revolute.targets.llvm.assembly import StraightLine, assembles, straight_steps
from revolute.targets.llvm.steps import planned

pytestmark = pytest.mark.skipif(not assembles(host(), Lanes(1)), reason="code is LLVM IR alone on this machine")
ARRAYS, SIZE = 11, 4
OPERATIONS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "add": lambda a, b, c, d: a + b,
    "sub": lambda a, b, c, d: a - b,
    "mul": lambda a, b, c, d: a * b,
    "div": lambda a, b, c, d: a / (b * b + 1.5),
    "fma": lambda a, b, c, d: a * b + c,
    "fms": lambda a, b, c, d: a * b - c,
    "fnma": lambda a, b, c, d: c - a * b,
    "square": lambda a, b, c, d: a * a + a,
    "neg": lambda a, b, c, d: -a,
    "abs": lambda a, b, c, d: abs(a),
    "sqrt": lambda a, b, c, d: sqrt(a),
    "less": lambda a, b, c, d: select(a < b, c, d),
    "up to": lambda a, b, c, d: select(a <= b, 0.5, a),
}


def mixed(seed: int, arrays: int = ARRAYS, length: int = 300) -> Graph:
    """A graph of operations on earlier values, recent ones more often: more of them than registers are needed."""
    rng = random.Random(seed)

    def function(*inputs: Any) -> Any:
        values = [x for array in inputs for x in array]
        for _ in range(length):
            a, b, c, d = (rng.choice(values[-40:] if rng.random() < 0.8 else values) for _ in range(4))
            values.append(rng.choice([*OPERATIONS.values()])(a, b, rng.choice([c, rng.uniform(-1, 1)]), d))
        return [(f"y{k}", (SIZE,), values[-SIZE * (k + 1) :][:SIZE]) for k in range(2)]

    return trace("mixed", function, [Input(f"x{k}", (SIZE,)) for k in range(arrays)])


def outputs(graph: Graph, lanes: Lanes, chunk: int) -> tuple[list[NDArray[Any]], str]:
    """The results of compiled code for rows with NaN, infinity and zeros of both signs, and the LLVM IR."""
    (part,) = module_parts(graph, lanes, chunk, 0)
    loaded = load_object(compile_parts([part], host()), host())
    dtype = np.dtype(f"f{lanes.element_bytes}")
    shapes = [x.shape for x in graph.inputs]
    call = generalized_ufunc(loaded, "mixed", "", dtype, shapes, [y.shape for y in graph.outputs])
    x = np.random.default_rng(0).standard_normal((len(shapes), 37, SIZE)).astype(dtype)
    for k, special in enumerate((np.nan, np.inf, -np.inf, 0.0, -0.0)):
        x[k::5, 20 + k, :] = special
    return call(*x), part.text


@pytest.mark.parametrize("chunk", [40, 500])
@pytest.mark.parametrize("bits", [64, 32])
def test_assembly_has_the_bits_of_llvms_code(monkeypatch: pytest.MonkeyPatch, bits: int, chunk: int) -> None:
    widths = [128 // bits, 256 // bits, host().vector_bits // bits]
    for seed, width in enumerate(sorted({1, *widths})):
        graph, lanes, found = mixed(seed), Lanes(width, bits, host().fma), list[Any]()
        for on in (True, False):
            with monkeypatch.context() as context:
                context.setattr(kernel, "assembles", lambda *_, on=on: on and assembles(*_))
                results, text = outputs(graph, lanes, chunk)
            assert ("module asm" in text) is on and ("fmul" in text) is not on
            found.append(np.concatenate(results, axis=-1))
        assert np.isnan(found[0][20]).any() and np.isfinite(found[0][:20]).any()
        numbers = [np.where(np.isnan(x), np.nan, x) for x in found]
        assert numbers[0].tobytes() == numbers[1].tobytes()


def test_functions_of_very_many_arrays_are_not_assembled() -> None:
    for arrays, on in ((11, True), (12, False)):  # beside two results and the workspace
        inputs = [Input(f"x{k}", (2,)) for k in range(arrays + 2)]
        total = trace("total", lambda *x: [("y", (), [sum(a[0] * a[1] for a in x)])], inputs)
        (part,) = module_parts(total, Lanes(1), 500, 0)
        assert ("module asm" in part.text) is on


def test_kernels_for_other_processors_are_not_assembled() -> None:
    here, x86 = host(), host().lanes()
    assert assembles(here, x86) and not assembles(here, Lanes(3)) and not assembles(here, Lanes(4, 64, False))
    for change in ({"vector_bits": 128}, {"fma": False}, {"triple": "aarch64-linux-gnu"}, {"triple": "x86_64-windows"}):
        other = type(here)(**{**{f: getattr(here, f) for f in here.__dataclass_fields__}, **change})
        assert not assembles(other, Lanes(1))


def test_avx512_without_short_registers_counts_as_avx2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REVOLUTE_CPU", raising=False)
    for short, bits in ((False, 256), (True, 512)):
        features = FeatureMap(get_host_cpu_features(), avx512f=True, avx512vl=short)
        monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda x=features: x)
        assert host.__wrapped__().vector_bits == bits


@pytest.mark.parametrize("masks", [False, True])
def test_code_for_single_rows_reads_single_numbers(masks: bool) -> None:
    """More would be beyond the end of an array. Masks of signs are as long as a register."""
    for bits, seed in itertools.product((32, 64), range(5)):
        graph = mixed(seed, length=100)
        (steps,) = planned(graph, 500).parts
        arrays = [*(x.name for x in graph.inputs), "out0", "out1"]
        code = StraightLine(steps, arrays, lambda x: None if x.op == "const" else x.value, {}, bits, masks)
        lines = [x for x in code.text("f", Lanes(1, bits)).split("\\0A") if x.startswith("v") and ".LW" in x]
        assert len(lines) > 20 and all(re.match(r"v\w+s[sd] ", x) for x in lines)


def test_few_values_are_loaded_or_stored_twice() -> None:
    """Of the instructions for 16 registers, 0.32 are moves; 0.38 if any register is taken, not the one read last.

    Values that no later step reads leave their places of the stack to others: 1024 bytes, in place of 1920.
    """
    graph = revolute.robots.ur5()._signature("forward_dynamics", {}).graph()
    plan = planned(graph, 500)
    instructions = moves = 0
    for steps in map(straight_steps, plan.parts):
        arrays = [*(x.name for x in graph.inputs), "out0", "work"]

        def place(node: Node, arrays: list[str] = arrays) -> Place | None:
            if node.op == "const":
                return None
            return node.value if node.op == "input" else ("work", plan.slots[node])

        text = StraightLine(steps, arrays, place, plan.slots, 64, False).text("f", Lanes(4))
        lines = [line for line in text.split("\\0A") if line.startswith("v")]
        instructions, moves = instructions + len(lines), moves + sum(line.startswith("vmov") for line in lines)
        assert [int(x) for x in re.findall(r"subq \$(\d+), %rsp", text)] <= [1024]
    assert instructions > 500 and moves < 0.33 * instructions, (moves, instructions)
