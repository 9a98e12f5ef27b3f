"""Generated C: compiled without a warning, it gives what the reference target gives; its files are whole and legal."""

import ctypes
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_stack import stack_of
from comparing import assert_each, assert_raises
from machine_code import MACHINES, compiled, graphs

import revolute
from revolute import InputError
from revolute.control import ComputedTorque
from revolute.graph import Builder, Graph, Input, Output
from revolute.graph.loop import with_bodies
from revolute.targets.c import Described, Style, files, identifiers, numbers_of
from revolute.targets.c.sincos import sine_and_cosine
from revolute.targets.llvm import host
from revolute.targets.llvm.cross import object_for, processor
from revolute.targets.llvm.plain import plain_module
from revolute.targets.numpy import evaluate
from tests.loop_examples import columns_graph, nested_graph, newton_graph, riccati_graph, waiting_graph

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
COMPILERS = [x for x in ("gcc", "clang") if shutil.which(x)]
WITH_COMPILER = pytest.mark.skipif(not COMPILERS, reason="no compiler of C is installed")

LARGEST = 500
"""Nodes of a graph that is compiled here: gcc takes a second for some thousands of them."""


def run(*words: Any) -> str:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def library(folder: Path, stem: str, *flags: str) -> ctypes.CDLL:
    path = folder / f"{stem}.so"
    run(COMPILERS[0], *STRICT, "-O1", "-fPIC", "-shared", *flags, "-o", path, folder / f"{stem}.c", "-lm")
    return ctypes.CDLL(str(path))


def write(folder: Path, stem: str, described: list[Described], style: Style, **options: bool) -> dict[str, str]:
    """Files of functions, written to a folder."""
    made = files(stem, "some functions", described, style, {}, **options)
    for name, text in made.items():
        (folder / name).write_text(text)
    return made


def style_of(dtype: Any = float, layout: str = "row", own: bool = False) -> Style:
    return Style(numbers_of(np.dtype(dtype)), layout, own, "M_RESTRICT")


def count_right(folder: Path, code: str, test: str) -> int:
    """Number of functions that a program for tests finds right."""
    run(COMPILERS[0], *STRICT, "-O1", "-o", folder / "test", folder / code, folder / test, "-lm")
    return run(folder / "test").count("right")


def call(function: Any, graph: Graph, arrays: dict[str, np.ndarray], dtype: Any, order: str) -> dict[str, np.ndarray]:
    """Results of a function in C."""

    def laid_out(x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray((x.reshape(len(x), -1) if x.ndim > 1 else x).ravel(order), dtype=dtype)

    given = [laid_out(arrays[x.name]) for x in graph.inputs if x.size]
    results = {y.name: np.full(y.size, np.nan, dtype) for y in graph.outputs if y.size}
    function(*[ctypes.c_void_p(x.ctypes.data) for x in (*given, *results.values())])
    shapes = {y.name: y.shape for y in graph.outputs}
    found = {}
    for name, x in results.items():
        shape = shapes[name]
        matrix = x.reshape(shape[0], -1, order=order) if len(shape) > 1 else x  # type: ignore[call-overload]
        found[name] = matrix.reshape(shape)
    return found


SINGLE = [
    pytest.param(kind, "float32", "column", True, marks=[] if kind == "arm" else [pytest.mark.slow])
    for kind in MACHINES
]


@WITH_COMPILER
@pytest.mark.parametrize(("kind", "dtype", "layout", "own"), [(x, "float64", "row", False) for x in MACHINES] + SINGLE)
def test_every_function_compiles_without_warnings_and_is_right(
    tmp_path: Path, kind: str, dtype: str, layout: str, own: bool
) -> None:
    chosen = graphs(MACHINES[kind](), LARGEST)
    if dtype == "float32":
        chosen.pop("impact", None)  # redundant rows of a planar arm in space: float32 does not determine impulses
    described = [Described(f"m_{name}", graph, name, {}) for name, graph in chosen.items()]
    write(tmp_path, "m", described, style_of(dtype, layout, own), batch=True)
    built = library(tmp_path, "m")
    code = tmp_path / ("m.c" if len(COMPILERS) > 1 else "m.so")
    run(COMPILERS[-1], *STRICT, "-O1", "-o", tmp_path / "test", tmp_path / "m_test.c", code, "-lm")
    assert run(tmp_path / "test").count("right") == len(chosen) > 1
    rng = np.random.default_rng(2)
    # some hundred operations, whose results may be a hundred times smaller than what they are made of
    tolerance = 1e4 * np.finfo(dtype).eps
    for name, graph in chosen.items():
        arrays = {x.name: rng.uniform(0.2, 0.9, x.shape).astype(dtype).astype(float) for x in graph.inputs}
        wanted = evaluate(graph, arrays)
        for label, x in call(built[f"m_{name}"], graph, arrays, dtype, "C" if layout == "row" else "F").items():
            scale = max(1.0, float(np.abs(wanted[label]).max(initial=0)))
            np.testing.assert_allclose(x, wanted[label], rtol=0, atol=tolerance * scale, err_msg=name)


@WITH_COMPILER
def test_a_long_graph_is_cut_and_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("revolute.targets.c.function.LONG", 40)
    revolute.robots.planar(3).to_c(["forward_dynamics", "mass_matrix_inverse"], tmp_path / "arm.c")
    assert "static void arm_forward_dynamics_3(" in (tmp_path / "arm.c").read_text()
    assert count_right(tmp_path, "arm.c", "arm_test.c") == 2


STEPS = ["semi_implicit_euler_step", "runge_kutta_4_step", "implicit_midpoint_step"]


@WITH_COMPILER
def test_steps_are_functions_of_a_state_and_the_next_one(tmp_path: Path) -> None:
    """An implicit one has a loop, in an array whose size the header says."""
    arm = revolute.robots.planar(2)
    arm.to_c(STEPS, tmp_path / "arm.c", batch=True)
    header = (tmp_path / "arm.h").read_text(encoding="ascii")
    assert header.count("double *ARM_RESTRICT q_out, double *ARM_RESTRICT qd_out") == 2 * len(STEPS)
    assert header.count("Its local arrays take ") == 1
    assert count_right(tmp_path, "arm.c", "arm_test.c") == len(STEPS)
    graph = arm.kernel("implicit_midpoint_step").graph
    state = {"q": np.array([0.3, -0.4]), "qd": np.array([1.0, 2.0]), "tau": np.array([0.5, 0.1]), "h": np.array(0.01)}
    found = call(library(tmp_path, "arm").arm_implicit_midpoint_step, graph, state, float, "C")
    assert_each(np.testing.assert_allclose, found.values(), evaluate(graph, state).values(), rtol=1e-13)


@WITH_COMPILER
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
def test_steps_with_contacts_and_stops_are_those_of_a_stepper(tmp_path: Path, dtype: str) -> None:
    """A hopper that falls, lands and slides: 200 steps of a closed loop in C, beside those of the stepper."""
    leg = revolute.robots.planar(3).with_gravity((0, -9.81, 0))
    limits = {name: revolute.Limits(-1.2, 0.41, compliance=1e-5, damping=5.0) for name in leg.joint_names}
    floor = revolute.Plane((0, 1, 0), -0.9)
    contacts = [revolute.Contact(link, friction=0.4, surface=floor) for link in ("link3", "tip")]
    stepper = leg.stepper(1e-3, contacts=contacts, stops=limits)
    leg.to_c(stepper.kernel, tmp_path / "leg.c", dtype=dtype)
    assert count_right(tmp_path, "leg.c", "leg_test.c") == 1
    function, graph = library(tmp_path, "leg").leg_touching_step, stepper.kernel.graph
    numbers = [x.numbers for x in contacts]
    ends = [(-1.2, 0.41, 0.0, 1e-5, 5.0)] * 3
    given = {"contacts": np.array(numbers), "limits": np.array(ends), "h": np.array(1e-3)}
    q, qd, tau, touched = np.array([-0.3, -0.2, 0.4]), np.zeros(3), np.array([0.2, 0.1, 0.5]), 0
    for _ in range(200):
        found = call(function, graph, {"q": q, "qd": qd, "tau": tau} | given, np.dtype(dtype).type, "C")
        step = stepper.step(q, qd, tau)  # from the same state
        # gaps of 1 m are rounded; a step of h = 1 ms divides them by h in velocities, and by h^2 in forces of 1 kg
        gap = 8 * np.finfo(dtype).eps
        for name, scale in {"q": 1.0, "qd": 1e3, "contact_forces": 1e6}.items():
            np.testing.assert_allclose(found[name], getattr(step, name), rtol=0, atol=gap * scale, err_msg=name)
        touched += bool(np.abs(step.contact_forces).max() > 1)
    assert touched > 50


def test_implicit_steps_of_float32_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'implicit_midpoint_step' solves equations to 1e-9, which float32 cannot"):
        revolute.robots.planar(2).to_c(STEPS, tmp_path / "arm.c", dtype="float32")
    assert not list(tmp_path.iterdir())


@WITH_COMPILER
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_operation_is_that_of_the_reference(tmp_path: Path, dtype: str) -> None:
    """NaN, infinities and signed zeros too."""
    x, y = (b := Builder()).input("x", 2)
    nodes = [
        x + y, x - y, x * y, x / y, -x, b.make("sqrt", x), x.sin(), x.cos(), x.tan(), x.atan2(y), x.exp(), x.log(),
        x.tanh(), abs(x), x.sign(), x.minimum(y), x.maximum(y), (x < y).select(x, y), (x <= y).select(y, x),
        x - (y - x), x / (y / x), x * (y * (x + y)), b.make("neg", -(x * y)), x - (-y),
    ]
    graph = Graph("every", (Input("x", (2,)),), (Output("z", (len(nodes),), tuple(nodes)),))
    write(tmp_path, "e", [Described("e_every", graph, "", {})], style_of(dtype), test=False)
    built = library(tmp_path, "e")
    special = [0.0, -0.0, 1.0, -1.5, 0.3, math.inf, -math.inf, math.nan]
    for u in special:
        for v in special:
            given = {"x": np.array([u, v], dtype).astype(float)}
            with np.errstate(all="ignore"):
                wanted = evaluate(graph, given)["z"]
            found = call(built["e_every"], graph, given, dtype, "C")["z"]
            np.testing.assert_allclose(found, wanted, rtol=8 * np.finfo(dtype).eps, err_msg=f"{u}, {v}")
            plain = (wanted == 0) & (np.arange(len(nodes)) < 14)  # sign, min and max of zeros may have either
            np.testing.assert_array_equal(np.signbit(found[plain]), np.signbit(wanted[plain]), err_msg=f"{u}, {v}")


@WITH_COMPILER
@pytest.mark.parametrize(("dtype", "limit"), [("float64", 1e5), ("float32", 8192.0)])
def test_our_sine_is_within_two_units_in_the_last_place(tmp_path: Path, dtype: str, limit: float) -> None:
    numbers = numbers_of(np.dtype(dtype))
    code = sine_and_cosine(numbers).replace("static void", "void")
    declared = f"void sine_and_cosine({numbers.type} x, {numbers.type} *sine, {numbers.type} *cosine);"
    (tmp_path / "s.c").write_text(f"{declared}\n{code}\n")
    function = library(tmp_path, "s").sine_and_cosine
    real = ctypes.c_double if dtype == "float64" else ctypes.c_float
    rng = np.random.default_rng(0)
    angles = np.concatenate([rng.uniform(-7, 7, 2000), rng.uniform(-limit, limit, 4000), [0.0, -0.0, 1e-300, limit]])
    worst = 0.0
    for x in angles.astype(dtype):
        s, c = real(), real()
        function(real(x), ctypes.byref(s), ctypes.byref(c))
        for found, wanted in ((s.value, np.sin(np.longdouble(x))), (c.value, np.cos(np.longdouble(x)))):
            unit = np.spacing(np.dtype(dtype).type(abs(wanted)))
            worst = max(worst, float(abs(np.longdouble(found) - wanted) / np.longdouble(unit)))
    # near multiples of pi/2 a float's error counts in units of the small result
    assert worst < (2 if dtype == "float64" else 40)


@WITH_COMPILER
def test_rows_headers_for_cpp_and_names_that_are_none_in_c(tmp_path: Path) -> None:
    arm = revolute.robots.planar(2)
    made = arm.to_c(
        ["inverse_dynamics", "mass_matrix"], tmp_path / "arm.c", batch=True, cpp=True,
        options={"inverse_dynamics": {"wrenches": ["tip"]}},
    )
    assert sorted(x.name for x in made) == ["arm.c", "arm.h", "arm.hpp", "arm_test.c"]
    built = library(tmp_path, "arm")
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.standard_normal((3, 5, 2))
    wrench, tau = rng.standard_normal((5, 6)), np.empty((5, 2))
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (q, qd, qdd, wrench, tau)]
    built.arm_inverse_dynamics_batch(ctypes.c_size_t(5), *pointers)
    np.testing.assert_allclose(tau, arm.inverse_dynamics(q, qd, qdd, wrenches={"tip": wrench}), rtol=1e-12, atol=1e-12)
    if shutil.which("g++"):
        (tmp_path / "use.cpp").write_text(
            '#include "arm.hpp"\nint main() { const double q[2] = {0.1, 0.2}; double M[4]; arm::mass_matrix(q, M);'
            " return M[1] == M[2] ? 0 : 1; }\n"
        )
        flags = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
        run("g++", *flags, "-c", "-o", tmp_path / "use.o", tmp_path / "use.cpp")
        run("gcc", "-c", "-o", tmp_path / "arm.o", tmp_path / "arm.c")
        run("g++", "-o", tmp_path / "use", tmp_path / "use.o", tmp_path / "arm.o", "-lm")
        run(tmp_path / "use")


def test_a_header_for_cpp_has_no_arrays_without_entries(tmp_path: Path) -> None:
    rigid = revolute.Robot.from_links("rigid", [revolute.Link("base", revolute.Inertia.sphere(1.0, 0.1))], [])
    rigid.to_c("potential_energy", tmp_path / "rigid.c", cpp=True)
    (wrapper,) = [x for x in (tmp_path / "rigid.hpp").read_text(encoding="utf-8").splitlines() if "inline" in x]
    assert "[0]" not in wrapper and "(&U)[1]" in wrapper


def test_identifiers_are_legal_and_differ() -> None:
    assert identifiers(["a-b", "a b", "int", "2", "", "wrench on 'x'"]) == [
        "a_b", "a_b_2", "int_", "x_2", "x", "wrench_on_x"
    ]
    assert identifiers(["q", "q"], taken=["q"]) == ["q_2", "q_3"]


def test_no_comment_ends_early() -> None:
    graph = revolute.robots.planar(1)._signature("potential_energy", {}).graph()
    described = [Described("x_f", graph, "ends */ int x; /*", {"q": "*/"})]
    header = files("x", "a */ robot", described, style_of(), {}, test=False)["x.h"]
    assert header.count("*/") == header.count("/*")


def test_kernels_are_written_beside_functions(tmp_path: Path) -> None:
    arm = revolute.robots.planar(1)
    arm.to_c(["mass_matrix", arm.kernel("gravity_forces")], tmp_path / "both.c")
    assert all(f" both_{x}(" in (tmp_path / "both.h").read_text() for x in ("mass_matrix", "gravity_forces"))
    made = arm.to_c(arm.kernel("gravity_forces"), tmp_path / "g.c", dtype="float32", sincos="own")
    assert "float" in made[0].read_text() and "sine_and_cosine(q[0]" in (tmp_path / "g.c").read_text()


@WITH_COMPILER
def test_a_law_whose_errors_wrap_is_right_in_c(tmp_path: Path) -> None:
    """The shortest way of continuous joints, by the operations of the table: no loop and no rounding function."""
    arm, rng = revolute.robots.planar(2), np.random.default_rng(0)
    law = ComputedTorque(arm, np.zeros(2), 10.0, wrap=True)
    arm.to_c(law.kernel, tmp_path / "law.c")
    function = library(tmp_path, "law").law_computed_torque
    for q in rng.uniform(-20, 20, (20, 2)):
        x = [q, *rng.uniform(-1, 1, (4, 2)), np.full(2, 10.0), np.full(2, 6.0)]
        graph = law.kernel.form.graph()
        given = dict(zip([x.name for x in graph.inputs], x, strict=True))
        np.testing.assert_allclose(
            call(function, graph, given, np.float64, "C")["tau"], law.kernel(*x), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("target", ["native", "cortex-m4", "cortex-m7", "aarch64", "riscv32", "wasm32"])
def test_object_files_for_processors(tmp_path: Path, target: str) -> None:
    dtype = "float32" if target in ("cortex-m4", "riscv32") else "float64"
    made = revolute.robots.planar(2).to_c("forward_dynamics", tmp_path / "arm.c", target=target, dtype=dtype)
    machine = {"cortex-m4": 40, "cortex-m7": 40, "aarch64": 183, "riscv32": 243}.get(target)
    data = made[-1].read_bytes()
    assert b"arm_forward_dynamics" in data and data[:4] == (b"\0asm" if target == "wasm32" else data[:4])
    assert machine is None or (data[:4] == b"\x7fELF" and data[18] == machine)


@WITH_COMPILER
@pytest.mark.parametrize(("dtype", "layout", "sincos"), [("float64", "row", "math.h"), ("float32", "column", "own")])
def test_the_object_for_this_processor_gives_what_the_source_gives(
    tmp_path: Path, dtype: str, layout: str, sincos: str
) -> None:
    arm = revolute.robots.planar(3).with_drives({"joint2": revolute.Drive(friction=(0.5,))}, smoothing=0.1)
    names, options = ["forward_dynamics", "inverse_dynamics", "jacobian"], {"jacobian": {"frame": "tip"}}
    *_, made = arm.to_c(
        names, tmp_path / "arm.c", target="native", dtype=dtype, layout=layout, sincos=sincos, options=options
    )
    assert count_right(tmp_path, made.name, "arm_test.c") == 3
    assert (b"sinf" in made.read_bytes()) == (sincos == "math.h" and dtype == "float32")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"path": "no/a.c"}, "there is no folder"),
        ({"path": "int.c"}, "'int' is not a name in C; use 'int_.c'"),
        ({"path": "a.txt"}, "neither a folder nor a .c file"),
        ({"path": "a" * 300 + ".c"}, r"aa\.[ch] cannot be written"),
        ({"path": ".c"}, "neither a folder nor a .c file"),
        ({"path": ""}, "path must be a file or a folder, not ''"),
        ({"path": "no\0name.c"}, "is not a name in C; use 'no_name.c'"),
        ({"functions": ""}, "no function '' of a robot; available: inverse_dynamics"),
        ({"functions": "mas_matrix"}, "no function 'mas_matrix' of a robot; near: mass_matrix, [a-z_]*, [a-z_]*"),
        ({"functions": []}, "give at least one function"),
        ({"functions": ["mass_matrix", 3]}, "functions: each must be of the type str or Kernel, not 3"),
        ({"functions": "jacobian", "options": {"jacobian": {"frame": "tipp"}}}, "has no link 'tipp'; near: tip"),
        ({"dtype": "int32"}, "float64 or float32, not int32"),
        ({"target": "cortex-m5"}, "unknown processor 'cortex-m5'; near: cortex-m"),
        ({"layout": "diagonal"}, "layout must be 'row' or 'column', not 'diagonal'"),
        ({"sincos": "mine"}, "sincos must be"),
        ({"casadi": True}, "requires layout='column'"),
        ({"target": "z80"}, "unknown processor 'z80'; available: native, cortex-m4"),
        ({"options": {"com": {}}}, "options of 'com', which is not one of the functions"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_written(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    given = {"functions": "mass_matrix", "path": "a.c"} | given
    if given["path"]:  # which is not the folder of the process
        given["path"] = tmp_path / given["path"]
    errors = InputError, revolute.UnknownNameError, revolute.CompileError
    assert_raises(errors, message, revolute.robots.planar(1).to_c, **given)
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_written_leave_none_behind(tmp_path: Path) -> None:
    (tmp_path / "a_test.c").mkdir()
    with pytest.raises(revolute.CompileError, match=r"a_test\.c cannot be written"):
        revolute.robots.planar(1).to_c("mass_matrix", tmp_path / "a.c")
    assert [x.name for x in tmp_path.iterdir()] == ["a_test.c"]


@WITH_COMPILER
@pytest.mark.parametrize("layout", ["row", "column"])
@pytest.mark.parametrize("make", [newton_graph, riccati_graph, nested_graph, columns_graph, waiting_graph])
def test_loops_are_loops_in_c_with_the_numbers_of_the_machine_code(tmp_path: Path, make: Any, layout: str) -> None:
    graph = make()
    texts = write(tmp_path, "loops", [Described("loops", graph, "a loop", {})], style_of(layout=layout), batch=True)
    assert texts["loops.c"].count("for (") < 20
    assert f"Its local arrays take {8 * stack_of(texts['loops.c'], 'loops')} bytes of stack" in texts["loops.h"]
    loaded = library(tmp_path, "loops")
    code, rng = compiled(graph, host().lanes()), np.random.default_rng(4)
    for _ in range(3):
        arrays = {x.name: 0.3 + 0.5 * rng.random(x.shape) for x in graph.inputs}
        machine_code = code(*arrays.values())
        found = call(loaded.loops, graph, arrays, np.float64, "C" if layout == "row" else "F")
        for y, x in zip(found.values(), machine_code if len(found) > 1 else [machine_code], strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-12)  # products are fused there
    assert count_right(tmp_path, "loops.c", "loops_test.c") == 1


@WITH_COMPILER
@pytest.mark.parametrize("layout", ["row", "column"])
@pytest.mark.parametrize("make", [newton_graph, riccati_graph, nested_graph, columns_graph, waiting_graph])
def test_loops_are_loops_in_object_files(tmp_path: Path, make: Any, layout: Any) -> None:
    graph = make()
    text = plain_module([("loops", graph)], 64, layout=layout)
    assert text.count("phi i32") == sum(node.op == "loop" for node in with_bodies(graph))
    (tmp_path / "loops.o").write_bytes(object_for(text, processor("native")))
    run("gcc", "-shared", "-o", tmp_path / "loops.so", tmp_path / "loops.o", "-lm")
    loaded, rng = ctypes.CDLL(str(tmp_path / "loops.so")), np.random.default_rng(4)
    for k in range(3):
        arrays = {x.name: 0.3 + 0.5 * rng.random(x.shape) - (k == 2) * 0.8 for x in graph.inputs}  # some rows wait
        found = call(loaded.loops, graph, arrays, np.float64, "C" if layout == "row" else "F")
        assert_each(np.testing.assert_allclose, found.values(), evaluate(graph, arrays).values(), rtol=1e-12)


@WITH_COMPILER
def test_an_object_file_with_contacts_has_the_length_of_one_step_of_its_loops(tmp_path: Path) -> None:
    """Loops that were unrolled took 1.2 MB, and minutes to compile."""
    options = {"contact_step": {"contacts": ("tip",)}}
    *_, made = revolute.robots.planar(2).to_c("contact_step", tmp_path / "arm.c", target="native", options=options)
    assert made.stat().st_size < 50_000
    assert count_right(tmp_path, made.name, "arm_test.c") == 1


@WITH_COMPILER
def test_loops_in_a_graph_that_is_cut_into_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("revolute.targets.c.function.LONG", 7)
    graph = nested_graph()
    texts = write(tmp_path, "loops", [Described("loops", graph, "a loop", {})], style_of())
    assert f"Its local arrays take {8 * stack_of(texts['loops.c'], 'loops')} bytes of stack" in texts["loops.h"]
    arrays = {x.name: np.linspace(0.4, 0.9, x.size).reshape(x.shape) for x in graph.inputs}
    found = call(library(tmp_path, "loops").loops, graph, arrays, np.float64, "C")
    assert_each(np.testing.assert_allclose, found.values(), evaluate(graph, arrays).values(), rtol=1e-13)
