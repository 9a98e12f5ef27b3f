"""The LLVM instructions of each operation of a graph, on rows in lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from revolute.graph.ops import column
from revolute.targets.llvm.exponential import exp, tanh
from revolute.targets.llvm.lanes import Lanes
from revolute.targets.llvm.trigonometry import fused, sincos
from revolute.targets.llvm.writer import IRWriter

Emit = Callable[[IRWriter, Lanes, Sequence[str]], str]


def _binary(instruction: str) -> Emit:
    return lambda w, lanes, x: w.let(f"{instruction} {lanes.real} {x[0]}, {x[1]}")


def _intrinsic(name: str) -> Emit:
    return lambda w, lanes, x: w.call(lanes.real, f"llvm.{name}.{lanes.suffix}", [(lanes.real, v) for v in x])


def _sign(w: IRWriter, lanes: Lanes, x: Sequence[str]) -> str:
    """-1 for x < 0, 1 for x > 0, else x: zeros and NaN."""
    t, zero = lanes.real, lanes.const(0.0)
    below = w.let(f"fcmp olt {t} {x[0]}, {zero}")
    above = w.let(f"fcmp ogt {t} {x[0]}, {zero}")
    low = w.let(f"select {lanes.truth} {below}, {t} {lanes.const(-1.0)}, {t} {x[0]}")
    return w.let(f"select {lanes.truth} {above}, {t} {lanes.const(1.0)}, {t} {low}")


def _library(name: str) -> Emit:
    """A function of the C library, row by row, in double."""

    def emit_calls(w: IRWriter, lanes: Lanes, x: Sequence[str]) -> str:
        t, e, result = lanes.real, lanes.scalar, "poison"
        # for each row, extract the arguments, call the function and insert the result
        # one call per row, because not every C library has a vector version of the function
        for k in range(lanes.width):
            args = [v if lanes.width == 1 else w.let(f"extractelement {t} {v}, i64 {k}") for v in x]
            if lanes.bits == 32:
                args = [w.let(f"fpext float {v} to double") for v in args]
            value = w.call("double", name, [("double", v) for v in args])
            if lanes.bits == 32:
                value = w.let(f"fptrunc double {value} to float")
            result = value if lanes.width == 1 else w.let(f"insertelement {t} {result}, {e} {value}, i64 {k}")
        return result

    return emit_calls


def _tan(w: IRWriter, lanes: Lanes, x: Sequence[str]) -> str:
    s, c = sincos(w, lanes, x[0])
    return w.let(f"fdiv {lanes.real} {s}, {c}")


CELLS: dict[str, Emit] = column(
    "llvm",
    {
        "add": _binary("fadd"),
        "sub": _binary("fsub"),
        "mul": _binary("fmul"),
        "div": _binary("fdiv"),
        "neg": lambda w, lanes, x: w.let(f"fneg {lanes.real} {x[0]}"),
        "sqrt": _intrinsic("sqrt"),
        "sin": lambda w, lanes, x: sincos(w, lanes, x[0])[0],
        "cos": lambda w, lanes, x: sincos(w, lanes, x[0])[1],
        "tan": _tan,
        "atan2": _library("atan2"),
        "exp": lambda w, lanes, x: exp(w, lanes, x[0]),
        "log": _library("log"),
        "tanh": lambda w, lanes, x: tanh(w, lanes, x[0]),
        "abs": _intrinsic("fabs"),
        "sign": _sign,
        "min": _intrinsic("minimum"),
        "max": _intrinsic("maximum"),
        "lt": lambda w, lanes, x: w.let(f"fcmp olt {lanes.real} {x[0]}, {x[1]}"),
        "le": lambda w, lanes, x: w.let(f"fcmp ole {lanes.real} {x[0]}, {x[1]}"),
        "select": lambda w, lanes, x: w.let(f"select {lanes.truth} {x[0]}, {lanes.real} {x[1]}, {lanes.real} {x[2]}"),
    },
)


def _negated(w: IRWriter, lanes: Lanes, x: str) -> str:
    return w.let(f"fneg {lanes.real} {x}")


EMITTED: dict[str, Emit] = {
    **CELLS,
    "fma": lambda w, lanes, x: fused(w, lanes, *x),
    "fms": lambda w, lanes, x: fused(w, lanes, x[0], x[1], _negated(w, lanes, x[2])),
    "fnma": lambda w, lanes, x: fused(w, lanes, _negated(w, lanes, x[0]), x[1], x[2]),
}
"""Emitters of all operations, including the fused operations of `fused.py`."""
