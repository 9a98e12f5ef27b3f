"""Write kernels as C files and object files: names and documentation for `targets.c` and `targets.llvm.plain`."""

import inspect
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from revolute.arguments import instance
from revolute.dynamics.steps import IMPLICIT
from revolute.errors import CompileError, InputError
from revolute.graph import Graph, count
from revolute.targets.c import Described, Style, files, identifier, numbers_of
from revolute.targets.llvm.cross import object_for, processor
from revolute.targets.llvm.own_functions import OWN_FUNCTIONS
from revolute.targets.llvm.plain import plain_module
from revolute.targets.llvm.wasm_module import PAGE, wasm_module
from revolute.whole_file import write_whole

LAYOUTS = ("row", "column")
SINES = ("math.h", "own")
UNROLLED = 30_000  # maximum number of operations of unrolled loops: more take minutes to compile

_MEANINGS = {
    "q": "joint positions [rad, m]",
    "qd": "joint velocities [rad/s, m/s]",
    "qdd": "joint accelerations [rad/s^2, m/s^2]",
    "tau": "joint forces [N m, N]",
    "h": "length of the step [s]",
    "inertial_parameters": "of every moving body: m, m r, Ixx, Iyy, Izz, Ixy, Ixz, Iyz about its origin [kg, m]",
}


class Written(NamedTuple):
    """A function to write: its name, graph and docstring."""

    name: str
    graph: Graph
    documentation: str


class CCode(NamedTuple):
    """Options of generated code: see `Machine.to_c`."""

    dtype: Any = np.float64
    layout: str = "row"
    sincos: str = "math.h"
    batch: bool = False
    test: bool = True
    casadi: bool = False
    cpp: bool = False
    target: str | None = None


def write_c(
    path: str | os.PathLike[str], owner: str, functions: Sequence[Written], sizes: Mapping[str, int],
    notes: Sequence[str], options: CCode,
) -> list[Path]:
    """Write C files for all functions, or no file on failure: see `Machine.to_c`. `notes` are lines of the header."""
    _check(options)
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise InputError(f"to_c: path must be a file or a folder, not {path!r}")
    if not functions:
        raise InputError("to_c: give at least one function, such as 'inverse_dynamics'")
    folder, stem = _place(Path(path), owner)
    numbers = numbers_of(np.dtype(options.dtype))
    for x in functions:
        if numbers.type == "float" and x.name in {f"{method}_step" for method in IMPLICIT}:
            raise InputError(f"to_c: '{x.name}' solves equations to 1e-9, which float32 cannot reach; use float64")
    style = Style(numbers, options.layout, options.sincos == "own", f"{stem.upper()}_RESTRICT")
    described = [
        Described(f"{stem}_{x.name}", x.graph, _summary(x.documentation, x.name), _meanings(x)) for x in functions
    ]
    chosen = {name: getattr(options, name) for name in ("batch", "test", "casadi", "cpp")}
    texts: dict[str, str | bytes] = {**files(stem, f"Functions of '{owner}'", described, style, sizes, notes, **chosen)}
    if options.target is not None:
        texts |= _for_processor(stem, described, options)
    return _written(folder, texts)


def _for_processor(stem: str, functions: Sequence[Described], options: CCode) -> dict[str, bytes]:
    """{file name: content} of the object file or, for WebAssembly, of the module that a browser runs."""
    target, item = processor(str(options.target)), np.dtype(options.dtype).itemsize
    own = OWN_FUNCTIONS.keys() if target.is_wasm else {"sin", "cos"} if options.sincos == "own" else ()
    graphs = [x.graph for x in functions]
    for x in functions if target.is_wasm else ():
        if any(node.op == "loop" for node in x.graph.nodes) and (length := count(x.graph).arithmetic) > UNROLLED:
            raise InputError(
                f"to_c: '{x.graph.name}' has {length} operations without loops, and WebAssembly modules here have no "
                "loops; omit target, and compile the C code, by Emscripten for example"
            )
    text = plain_module(
        list(zip([x.name for x in functions], graphs, strict=True)), 8 * item,
        layout=options.layout, own=own, batch=options.batch, size=target.size, stack=not target.is_wasm,
    )
    code = object_for(text, target)
    if not target.is_wasm:
        return {f"{stem}.o": code}
    largest = max(sum(x.size for x in g.inputs) + sum(y.size for y in g.outputs) for g in graphs)
    return {f"{stem}.wasm": wasm_module(code, 1 + largest * item // PAGE)}


def _check(options: CCode) -> None:
    for name, allowed in (("layout", LAYOUTS), ("sincos", SINES)):
        if instance(f"to_c: {name}", getattr(options, name), str) not in allowed:
            raise InputError(f"to_c: {name} must be {' or '.join(map(repr, allowed))}, not {getattr(options, name)!r}")
    for name in ("batch", "test", "casadi", "cpp"):
        instance(f"to_c: {name}", getattr(options, name), bool)
    if options.target is not None:
        instance("to_c: target", options.target, str)
    if options.casadi and options.layout != "column":
        raise InputError("to_c: CasADi stores matrices column by column: casadi=True requires layout='column'")


def _place(path: Path, owner: str) -> tuple[Path, str]:
    """The output folder, and the common stem of file and function names."""
    try:
        if path.is_dir():
            return path, identifier(owner)
    except OSError as error:  # the name may be too long, for example
        raise InputError(f"to_c: {path} cannot be written: {error.strerror or error}") from None
    if path.suffix != ".c":
        raise InputError(f"to_c: {path} is neither a folder nor a .c file")
    if not path.parent.is_dir():
        raise InputError(f"to_c: {path} cannot be written: there is no folder {path.parent}")
    if identifier(path.stem) != path.stem:
        raise InputError(
            f"to_c: functions are named after the file, but '{path.stem}' is not a name in C; "
            f"use '{identifier(path.stem)}.c'"
        )
    return path.parent, path.stem


def _written(folder: Path, texts: Mapping[str, str | bytes]) -> list[Path]:
    done: list[Path] = []
    new = [folder / name for name in texts if not (folder / name).exists()]
    try:
        for name, text in texts.items():
            write_whole(folder / name, text)
            done.append(folder / name)
    except OSError as error:
        for path in done:
            if path in new:
                path.unlink(missing_ok=True)
        raise CompileError(f"to_c: {folder / name} cannot be written: {error.strerror or error}") from error
    return done


def _summary(documentation: str, name: str) -> str:
    return " ".join(inspect.cleandoc(documentation).partition("\n\n")[0].split()) or name


def _meanings(function: Written) -> dict[str, str]:
    results = [y.name for y in function.graph.outputs]
    said = result_meaning(function.documentation)
    usual, sizes = dict(_MEANINGS), {x.name: x.size for x in function.graph.inputs}
    if any(x.name == "inertial_parameters" and len(x.shape) == 1 for x in function.graph.inputs):
        usual["inertial_parameters"] += "; then those of drives, in the order of parameter_names"
    found = usual | meanings_in(function.documentation) | ({results[0]: said} if len(results) == 1 and said else {})
    quaternions = sizes.get("q", 0) > sizes.get("qd", sizes.get("q", 0))
    if quaternions and "quaternion" not in found["q"]:  # a quaternion has one more number than a rotation vector
        found["q"] += "; a free joint has its position [m] in the base frame and its quaternion (x, y, z, w)"
        found["qd"] += "; for a free joint its twist (w, v) in the body frame, not the time derivative of q"
    return found


def meanings_in(documentation: str) -> dict[str, str]:
    """{argument: description} from a docstring."""
    found: dict[str, str] = {}
    section = _section(inspect.cleandoc(documentation), "Args")
    for match in re.finditer(r"^(\w[\w, ]*): (.*(?:\n +.*)*)", section, re.MULTILINE):
        for name in match[1].split(", "):
            found[name] = _in_a_line(match[2])
    return found


def _section(text: str, title: str) -> str:
    match = re.search(rf"^{title}:\n((?:    .*\n?|\n)+)", text, re.MULTILINE)
    return inspect.cleandoc("\n" + match[1]) if match else ""


def result_meaning(documentation: str) -> str:
    """Description of the result, from a docstring."""
    return _in_a_line(_section(inspect.cleandoc(documentation), "Returns"))


def _in_a_line(text: str) -> str:
    """A description without its shape, "(..., nv)", and without a full stop."""
    return re.sub(r"^\(\.\.\.[^)]*\) ", "", " ".join(text.split())).rstrip(".")
