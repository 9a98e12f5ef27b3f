"""Constants of machine code lie beside it, on Linux for x86-64."""

from dataclasses import replace

import numpy as np
import pytest
from machine_code import compiled

from revolute.graph import Input, trace
from revolute.targets.llvm import compile_object, host, module_text
from revolute.targets.llvm.near import calls_by_table, close_together
from revolute.targets.numpy import evaluate

GRAPH = trace("f", lambda x: [("y", (2,), [1.25 * x[0] + 2.5, x[1].log() + x[0].atan2(x[1])])], [Input("x", (2,))])


@pytest.mark.skipif(not close_together(host().triple), reason="parts of an object file lie anywhere")
def test_no_instruction_loads_the_address_of_a_constant() -> None:
    text = module_text(GRAPH, host().lanes())
    assert b".ltext" not in compile_object(text, host())  # LLVM's name for code that is far from its constants


def test_functions_of_the_c_library_are_called_wherever_they_are() -> None:
    x = np.random.default_rng(4).uniform(0.5, 2, (3 * host().lanes().width + 1, 2))
    np.testing.assert_allclose(compiled(GRAPH, host().lanes())(x), evaluate(GRAPH, {"x": x})["y"], rtol=1e-15)


def test_only_functions_of_others_are_called_by_the_table() -> None:
    text = "declare double @atan2(double, double)\ndeclare i64 @llvm.umax.i64(i64, i64)\ndefine void @f() {\n"
    first, second, third, *_ = calls_by_table(text).splitlines()
    assert first == "declare double @atan2(double, double) nonlazybind"
    assert (second, third) == tuple(text.splitlines()[1:])


@pytest.mark.parametrize("triple", ["aarch64-unknown-linux-gnu", "x86_64-apple-darwin23", "x86_64-pc-windows-msvc"])
def test_other_systems_keep_what_llvmlite_chooses(triple: str) -> None:
    assert not close_together(replace(host(), triple=triple).triple)
