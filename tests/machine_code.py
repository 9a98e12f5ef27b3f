"""Graphs compiled for chosen lanes and hosts, outside of the kernel cache; what a method has learned."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import BuiltinFunctionType
from typing import Any

import llvmlite.binding as llvm
import mpmath
import numpy as np

import revolute
from revolute.compiler.ufunc import generalized_ufunc
from revolute.graph import Graph, Input, Node, Output, count
from revolute.machine.machine import Machine
from revolute.targets.llvm import Host, Lanes, compile_object, host, load_object, module_text

BASELINE = replace(host(), cpu="x86-64" if "x86" in host().triple else "generic", features="", fma=False)
"""The least processor of this host's family: two doubles at once, no fused multiply-add."""

MACHINES: dict[str, Callable[[], Any]] = {
    "arm": lambda: revolute.robots.planar(2),
    "floating": lambda: revolute.robots.random_tree(2, rng=1, base="free"),
    "driven": lambda: revolute.robots.planar(2).with_drives(
        {"joint1": revolute.Drive((0.1,), (0.5,), None, (1.0,), stribeck=(0.2,), stribeck_speed=(0.1,))}, smoothing=0.01
    ),
    "closed": lambda: revolute.robots.planar(3).with_closures(revolute.AxisClosure("tip", at_b=(1.5, 0.0, 0.0))),
    "elastic": lambda: revolute.robots.planar(2).with_elastic_joints([100.0, 80.0], rotor_inertia=0.2),
}
"""A machine of each kind, whose functions are tested in every target and bridge."""


def compiled(graph: Graph, lanes: Lanes, target: Host | None = None, chunk: int = 1000) -> np.ufunc:
    """A graph's loop as a generalised ufunc."""
    text = module_text(graph, lanes, chunk)
    llvm.parse_assembly(text).verify()  # that every value is defined where it is used, what compiling takes on trust
    loaded = load_object(compile_object(text, target or host()), target or host())
    dtype = np.dtype(np.float64 if lanes.bits == 64 else np.float32)
    return generalized_ufunc(
        loaded, graph.name, "", dtype, [x.shape for x in graph.inputs], [y.shape for y in graph.outputs]
    )


def widths(bits: int = 64) -> list[int]:
    """Scalar code and the widths of all processors: LLVM splits vectors that are wider than this one's registers."""
    return [w for w in (1, 2, 4, 8, 16) if w == 1 or 128 <= w * bits <= 512]


def functions(machine: Any) -> dict[str, dict[str, Any]]:
    """Functions of a machine with the options that they need, but for those of arms that are not redundant."""
    table = type(machine).functions().items()
    chosen = {x: f.needed for x, f in table if not f.internal and not x.startswith("linearize_task")}
    of_links = machine if hasattr(machine, "link_names") else getattr(machine, "robot", None)
    links = getattr(of_links, "link_names", ("",))[-1:]
    values = {"frame": links[0], "contacts": links, "independent": ("joint1",)}
    return {x: {option: values[option] for option in needed} for x, needed in chosen.items()}


def graphs(machine: Machine, largest: int, unrolled: bool = False) -> dict[str, Graph]:
    """The graph of every function of a machine that is not too long; with `unrolled`, nor when its loops are steps."""
    found = {name: machine._signature(name, options).graph() for name, options in functions(machine).items()}
    short = {name: graph for name, graph in found.items() if len(graph.nodes) <= largest}
    return {name: graph for name, graph in short.items() if not unrolled or count(graph).arithmetic <= 2 * largest}


@cache
def unary(name: str, lanes: Lanes, target: Host | None = None) -> np.ufunc:
    """An operation of one argument as a compiled function of shape (1,) -> (1,)."""
    from revolute.graph import Builder

    (x,) = Builder().input("x", 1)
    y: Node = x.builder.make(name, x)
    return compiled(Graph(name, (Input("x", (1,)),), (Output("y", (1,), (y,)),)), lanes, target)


@cache
def exact(name: str, x: bytes, dtype: np.dtype[Any]) -> tuple[list[mpmath.mpf], list[float]]:
    """The exact results, and units in their last place."""
    results = [getattr(mpmath, name)(v) for v in np.frombuffer(x, dtype).astype(float).tolist()]
    return results, np.spacing(np.abs(np.array([float(y) for y in results], dtype))).tolist()


def ulps(found: np.ndarray, name: str, x: np.ndarray) -> float:
    """The largest error in units in the last place of the exact result, in the result's format."""
    with mpmath.workdps(50):
        results = zip(found.tolist(), *exact(name, x.tobytes(), x.dtype), strict=True)
        return max(float(abs(f - y) / unit) for f, y, unit in results)


def fast_calls(method: Callable[..., Any]) -> int:
    """How many fast calls a method has learned: each hands what it does not take to the one before."""
    count, method = 0, method.func  # type: ignore[attr-defined]
    while isinstance(method, BuiltinFunctionType):
        count, method = count + 1, method.__self__[0]  # type: ignore[index]
    return count


class Slow:
    """Stands behind a fast call, and keeps the calls that come through."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self, *args: Any, **named: Any) -> str:
        self.calls.append((args, named))
        return "slow"
