"""WebAssembly: modules that run as they are, in Node, with the numbers of the reference target."""

import json
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from machine_code import MACHINES, functions, graphs

import revolute
from revolute.errors import CompileError
from revolute.targets.llvm.cross import object_for, processor
from revolute.targets.llvm.wasm_module import wasm_module
from revolute.targets.numpy import evaluate

WITH_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
DTYPES = ("float64", "float32")
RUN = """
const { readFileSync } = require("fs");
const { code, calls } = JSON.parse(readFileSync(0, "utf8"));
WebAssembly.instantiate(readFileSync(code)).then(({ module, instance }) => {
  const { memory } = instance.exports, results = [];
  for (const { name, reals, rows, inputs, sizes } of calls) {
    const Reals = reals === 8 ? Float64Array : Float32Array, numbers = [...inputs, ...sizes.map(n => Array(n).fill(7))];
    let at = 0;
    const places = numbers.map(x => { const place = at; at += x.length * reals; return place; });
    if (at > memory.buffer.byteLength) memory.grow(Math.ceil((at - memory.buffer.byteLength) / 65536));
    numbers.forEach((x, k) => new Reals(memory.buffer, places[k], x.length).set(x));
    instance.exports[name](...rows, ...places);
    results.push(sizes.map((n, k) => [...new Reals(memory.buffer, places[inputs.length + k], n)]));
  }
  console.log(JSON.stringify({ imports: WebAssembly.Module.imports(module), exports: Object.keys(instance.exports),
                               results }));
});
"""


def in_node(code: Path, calls: list[dict[str, Any]]) -> dict[str, Any]:
    given = json.dumps({"code": str(code), "calls": calls})
    done = subprocess.run(["node", "-e", RUN], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@WITH_NODE
@pytest.mark.parametrize(
    ("kind", "dtype", "largest"),
    [
        ("driven", "float64", 200),
        ("floating", "float32", 300),
        *(pytest.param(*case, 1500, marks=pytest.mark.slow) for case in product(("arm", "floating", "driven"), DTYPES)),
    ],
)
def test_every_function_is_right_and_imports_nothing(tmp_path: Path, kind: str, dtype: str, largest: int) -> None:
    machine, rng, item = MACHINES[kind](), np.random.default_rng(4), np.dtype(dtype).itemsize
    chosen = graphs(machine, largest, unrolled=True)
    options = {name: functions(machine)[name] for name in chosen}
    *_, code = machine.to_c(list(chosen), tmp_path / "m.c", dtype=dtype, target="wasm32", options=options)
    assert code.name == "m.wasm"
    calls, expected = [], []
    for name, graph in chosen.items():
        arrays = {x.name: rng.uniform(0.2, 0.9, x.shape).astype(dtype).astype(float) for x in graph.inputs}
        inputs = [arrays[x.name].ravel().tolist() for x in graph.inputs if x.size]
        sizes = [y.size for y in graph.outputs if y.size]
        calls.append({"name": f"m_{name}", "reals": item, "rows": [], "inputs": inputs, "sizes": sizes})
        wanted = evaluate(graph, arrays)
        expected.append([wanted[y.name].ravel() for y in graph.outputs if y.size])
    ran = in_node(code, calls)
    assert ran["imports"] == []
    assert ran["exports"] == ["memory", *(f"m_{name}" for name in chosen)]
    # some hundred operations, whose results may be a hundred times smaller than what they are made of
    tolerance = 1e4 * np.finfo(dtype).eps
    for name, found, wanted_ones in zip(chosen, ran["results"], expected, strict=True):
        for ours, theirs in zip(found, wanted_ones, strict=True):
            scale = max(1.0, float(np.abs(theirs).max(initial=0)))
            ours = np.array(ours, float)  # NaN is null in JSON
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale, err_msg=name)
    assert len(chosen) > 10


@WITH_NODE
def test_a_loop_over_more_rows_than_a_page_holds_and_matrices_column_by_column(tmp_path: Path) -> None:
    arm, rows = revolute.robots.planar(3), 3000
    q = np.random.default_rng(0).uniform(-9, 9, (rows, 3))
    options = {"jacobian": {"frame": "tip"}}
    *_, code = arm.to_c("jacobian", tmp_path / "a.c", target="wasm32", batch=True, layout="column", options=options)
    calls = [{"name": "a_jacobian_batch", "reals": 8, "rows": [rows], "inputs": [q.ravel().tolist()], "sizes": [54000]}]
    ((found,),) = in_node(code, calls)["results"]
    transposed = np.array(found).reshape(rows, 3, 6)
    np.testing.assert_allclose(transposed.swapaxes(1, 2), arm.jacobian(q, frame="tip"), atol=1e-13)


def test_loops_of_many_operations_are_refused(tmp_path: Path) -> None:
    """Contacts: their loops would take minutes to compile as steps."""
    options = {"contact_step": {"contacts": ("tip",)}}
    given = {"functions": "contact_step", "path": tmp_path / "a.c", "target": "wasm32", "options": options}
    message = r"'contact_step' has 1\d{5} operations without loops, and WebAssembly modules here have no loops; omit"
    assert_raises(revolute.InputError, message, revolute.robots.planar(2).to_c, **given)
    assert not list(tmp_path.iterdir())


def test_code_that_needs_more_than_memory_is_refused() -> None:
    wasm = processor("wasm32")
    needs = {
        "needs a function or a stack": "declare double @sin(double)\n"
        "define double @f(double %x) {\n  %y = call double @sin(double %x)\n  ret double %y\n}",
        "cannot contain data": "@table = constant [2 x double] [double 1.0, double 2.0]\n"
        "define double @f(i32 %k) {\n  %p = getelementptr double, ptr @table, i32 %k\n"
        "  %y = load double, ptr %p\n  ret double %y\n}",
    }
    for message, text in needs.items():
        assert_raises(CompileError, message, wasm_module, object_for(text, wasm), 1)
