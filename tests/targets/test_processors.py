"""REVOLUTE_CPU: kernels for a named processor, which names are refused, and which processors give the same bits."""

import json
import os
import subprocess
import sys
import warnings

import llvmlite.binding as llvm
import numpy as np
import pytest

import revolute
from revolute.errors import InputError
from revolute.targets.llvm import host
from revolute.targets.llvm.processors import LEVELS, features, features_of, levels_of

HERE = llvm.get_host_cpu_features()
RUNNABLE = levels_of(HERE)
X86 = bool(RUNNABLE)
OF_X86 = pytest.mark.skipif(not X86, reason="processors of x86-64")

PROGRAM = """
import json, numpy as np, revolute
from revolute.compiler.stored import key_of
from revolute.targets.llvm import host
robot, rng, found = revolute.robots.random_tree(3, rng=4), np.random.default_rng(0), {}
for dtype in (np.float64, np.float32):
    x, y, z = rng.standard_normal((3, 9, 3)).astype(dtype)
    results = robot.inverse_dynamics(x, y, z), robot.forward_dynamics(x, y, z)
    found[dtype.__name__] = [a.astype(float).ravel().tolist() for a in results]
here = host()
print(json.dumps([here.cpu, here.vector_bits, here.fma, key_of("any"), found]))
"""


def run(name: str, program: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"REVOLUTE_CPU": name}
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def levels() -> dict[str, list]:
    """What the program prints for each level that this machine can run."""
    return {name: json.loads(run(name, PROGRAM).stdout) for name in RUNNABLE}


@OF_X86
def test_kernels_are_compiled_for_the_named_processor(levels: dict[str, list]) -> None:
    widths = {"x86-64": 128, "x86-64-v2": 128, "x86-64-v3": 256, "x86-64-v4": 512}
    for name, (cpu, vector_bits, fma, _, _) in levels.items():
        assert (cpu, vector_bits, fma) == (name, widths[name], name in ("x86-64-v3", "x86-64-v4"))
    keys = [result[3] for result in levels.values()]
    assert len(set(keys)) == len(keys) > 1


@OF_X86
def test_bits_depend_on_fused_multiply_add_alone(levels: dict[str, list]) -> None:
    """Between the two classes: each operation rounds once, relative to numbers as large as the largest result."""
    numbers = {name: result[4] for name, result in levels.items()}
    assert numbers["x86-64"] == numbers["x86-64-v2"]
    fused = [numbers[name] for name in levels if levels[name][2]]
    assert all(other == fused[0] for other in fused)
    robot = revolute.robots.random_tree(3, rng=4)
    for dtype in ("float64", "float32"):
        names = ("inverse_dynamics", "forward_dynamics")
        pairs = zip(names, numbers["x86-64"][dtype], fused[0][dtype] if fused else [], strict=bool(fused))
        for name, plain, other in pairs:
            bound = robot.kernel(name).operations * np.finfo(dtype).eps * np.abs(plain).max()
            np.testing.assert_allclose(other, plain, rtol=0, atol=bound)
            assert plain != other


@OF_X86
@pytest.mark.parametrize("name", LEVELS)
def test_the_table_of_levels_is_what_llvm_says(name: str) -> None:
    first = {"cmov", "cx8", "fxsr", "mmx", "sse", "sse2"}  # of all processors of 64 bits
    assert set(features(name)) - first == set(LEVELS[name])


UNKNOWN = "LLVM does not know this processor"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("znver33", ["REVOLUTE_CPU is 'znver33'", UNKNOWN, "znver3, "] if X86 else [UNKNOWN]),
        ("Cortex-A79", [UNKNOWN, "core-avx2" if X86 else "cortex-a7"]),
        ("'); import os; ä", [UNKNOWN, "Try one of: native"]),
        pytest.param("pentium4", ["cannot compile", "64-bit"], marks=OF_X86),
        pytest.param("knm", ["lacks avx512", "Use another processor: native, x86-64, x86-64-v2"], marks=OF_X86),
    ],
)
def test_other_names_are_refused(name: str, words: list[str]) -> None:
    available = {key: there and "avx512" not in key for key, there in HERE.items()}
    with pytest.raises(InputError) as error:
        features_of(name, available)
    assert all(word in str(error.value) for word in words)


def test_the_command_line_says_why_a_name_is_refused() -> None:
    program = "import sys; from revolute.cli.app import app; sys.argv = ['revolute', 'cache']; app()"
    done = run("nonsense", program)
    assert done.returncode == 1 and "REVOLUTE_CPU is 'nonsense'" in done.stderr and "Traceback" not in done.stderr


def test_versions_name_the_processor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVOLUTE_PROGRESS", "0")
    revolute.show_versions()
    printed = capsys.readouterr().out.replace("cache folder", "folder")
    lines = dict(line.split(maxsplit=1) for line in printed.splitlines())
    assert lines["revolute"] == revolute.__version__ and lines["numpy"] == np.__version__
    assert lines["processor"].startswith(host().cpu) and f"vectors of {host().vector_bits} bits" in lines["processor"]
    assert "REVOLUTE_PROGRESS=0" in lines["settings"]
    assert int(lines["threads"]) >= 1 and "folder" in lines and "llvmlite" in lines


def test_no_method_warns_of_numbers_that_are_not_finite() -> None:
    """Neither methods nor the ufunc, in rows that are used or not: NaN and infinity in the result say enough."""
    robot = revolute.robots.ur5()
    kernel = robot.kernel("forward_dynamics")
    rows = np.zeros((host().lanes().width + 1, 6))
    rows[0], rows[-1] = np.nan, 1e308
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for function in (kernel.ufunc, kernel, robot.forward_dynamics):
            result = function(rows, rows, rows)
            assert np.isnan(result[0]).all() and np.isfinite(result[1:-1]).all() and not np.isfinite(result[-1]).all()
        assert not np.isfinite(robot.forward_dynamics(rows[-1].astype(np.longdouble) * 10, rows[0], rows[0])).any()
