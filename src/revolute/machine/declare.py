"""The declaration of a compiled function: recursion, arrays in and out, options; the rest is a method without a body.

    class Energies(...):
        @declared(functions.power, "q qd qdd -> P", on=reduced)
        def power(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: ..., threads: ...) -> Array:
            \"\"\"Power of the joint forces. ...\"\"\"

Parameters of the method that are no arrays of the declaration are options of the recursion. `wrenches` is a dict of
arrays by the names of links: {"tool0": (..., 6)}.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

from revolute.arguments import instances, wrenches_by_link
from revolute.compiler.bound import compiled
from revolute.compiler.cache import SOURCES
from revolute.compiler.signature import Function, Shape, Signature
from revolute.errors import GraphError
from revolute.graph import Input
from revolute.machine.functions import FUNCTIONS
from revolute.model.model import Model
from revolute.spatial import Force, Motion, Transform

__all__ = ["Arrays", "declared"]

Method = TypeVar("Method", bound=Callable[..., Any])

_JOINT_SPACE = {"q": ("nq",)} | dict.fromkeys(("qd", "qdd", "qddd", "qdddd", "qdr", "qddr", "tau"), ("nv",))
"""Sizes of arrays that need none in a declaration."""


@dataclass(frozen=True)
class Arrays:
    """Inputs and outputs of a function, with their sizes: numbers, "nq", "nv", "10n" parameters of n joints, "links".

    Attributes:
        inputs, outputs: (name, sizes).
    """

    inputs: tuple[tuple[str, tuple[str, ...]], ...]
    outputs: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, text: str) -> Arrays:
        """From "q qd x[6] h[] -> c: 3; J: 3 nv; T": inputs of joints need no sizes; h and T are single numbers.

        Raises:
            GraphError: an input without a size.
        """
        given, _, found = text.partition(" -> ")
        inputs = []
        for word in given.split():
            name, bracket, sizes = word.removesuffix("]").partition("[")
            if not bracket and name not in _JOINT_SPACE:
                raise GraphError(f"'{text}': the input {name} has no size; write {name}[6], or {name}[] of a number")
            inputs.append((name, tuple(sizes.split(",") if sizes else ()) if bracket else _JOINT_SPACE[name]))
        outputs = []
        for part in found.split("; "):
            name, _, sizes = part.partition(": ")
            outputs.append((name, tuple(sizes.split())))
        return cls(tuple(inputs), tuple(outputs))

    def signature(
        self, name: str, model: Model, recursion: Callable[..., Any], wrenches: Sequence[str] = ()
    ) -> Signature:
        """The function of one model, with wrenches of these names after the inputs.

        `recursion` takes the arrays alone, and nests its results as it likes.
        """
        known = {"nq": model.nq, "nv": model.nv, "10n": 10 * model.n_joints, "links": len(model.frames)}

        def shape(sizes: Sequence[str]) -> Shape:
            return tuple(known[size] if size in known else int(size) for size in sizes)

        inputs = tuple(Input(x, shape(sizes), ", ".join(known.keys() & set(sizes))) for x, sizes in self.inputs)
        loads = tuple(Input(x, (6,), "m, f") for x in wrenches)
        outputs = tuple((x, shape(sizes)) for x, sizes in self.outputs)

        def body(*arrays: Any) -> Any:
            results = recursion(*arrays)
            if len(outputs) == 1:
                return _filled(name, *outputs[0], results)
            return [_filled(name, *output, result) for output, result in zip(outputs, results, strict=True)]

        return Signature(name, (*inputs, *loads), outputs, body)


def declared(
    recursion: Callable[..., Any],
    arrays: str | Callable[..., str],
    *,
    on: Callable[[Any], Any] | None = None,
    check: Callable[..., None] | None = None,
    inverts: bool = False,
    parametric: bool = False,
) -> Callable[[Method], Method]:
    """Declare a function of robots by a method without a body.

    Args:
        recursion: `recursion(model, *arrays, **options)`, in one of `SOURCES`, by which kernels are known.
        arrays: see `Arrays.of`; or a function of the options that gives it.
        on: makes the model that the recursion gets, such as `reduced`.
        check: `check(model, **options)` raises what is wrong with options, before anything is traced.
        inverts: it needs the inverse of the mass matrix.
        parametric: inertial parameters may be an input.
    """
    room = recursion.__module__.removeprefix("revolute.").replace(".", "/")
    if not any(f"{room}/".startswith(f"{source}/") for source in SOURCES):
        raise GraphError(f"{recursion.__module__} is no source of kernels, so they would outlive its changes")

    def shapes(**options: Any) -> Arrays:
        return Arrays.of(arrays if isinstance(arrays, str) else arrays(**options))

    def decorate(method: Method) -> Method:
        name = method.__name__
        _, *given = inspect.signature(method).parameters.values()
        defaults = {p.name: p.default for p in given}
        names, inputs = tuple(defaults), [x for x, _ in shapes().inputs]
        if missing := {*inputs, "out", "threads"} - defaults.keys():
            raise GraphError(f"{name} has no parameter {', '.join(sorted(missing))}")
        options = [x for x in names if x not in (*inputs, "wrenches", "out", "threads")]

        def make(model: Model, wrenches: tuple[str, ...] = (), **chosen: Any) -> Signature:
            if check:
                check(model, **chosen)
            for link in instances("kernel: wrenches", wrenches, str):
                model.frame(link)

            def body(*arrays: Any) -> Any:
                loads = dict(zip(wrenches, arrays[len(inputs) :], strict=True))
                more = {"wrenches": loads} if wrenches else {}
                return recursion(on(model) if on else model, *arrays[: len(inputs)], **more, **chosen)

            return shapes(**chosen).signature(name, model, body, [f"wrench on '{link}'" for link in wrenches])

        @wraps(method)
        def run(machine: Any, *args: Any, **named: Any) -> Any:
            method(machine, *args, **named)  # Python's own error, if the arguments do not fit
            values = {**defaults, **dict(zip(names, args, strict=False)), **named}
            chosen = {x: values[x] for x in options if not _is_default(values[x], defaults[x])}
            links, loads = wrenches_by_link(values.get("wrenches"))
            if links:
                chosen["wrenches"] = links
            arrays = (*[values[x] for x in inputs], *loads)
            return machine._run(name, arrays, values["out"], values["threads"], chosen)

        more = {"wrenches"} & defaults.keys() | ({"parameters"} if parametric else set())
        needed = frozenset(x for x in options if defaults[x] is inspect.Parameter.empty)
        FUNCTIONS[name] = Function(make, frozenset(options) | more, inverts, needed=needed)
        return cast(Method, compiled(run))

    return decorate


def _is_default(x: Any, default: Any) -> bool:
    return x is default or (isinstance(x, (str, bool)) and type(x) is type(default) and bool(x == default))


def _filled(name: str, output: str, shape: Shape, result: Any) -> list[Any]:
    """The scalars of a result, row by row; they fill its shape."""
    scalars = list(_scalars(result))
    if len(scalars) != math.prod(shape):
        raise GraphError(f"{name}: {output} has shape {shape}, but the recursion gives {len(scalars)} scalars")
    return scalars


def _scalars(x: Any) -> Iterator[Any]:
    if isinstance(x, (Motion, Force)):
        yield from (*x.ang, *x.lin)
    elif isinstance(x, Transform):
        yield from _scalars(x.matrix())
    elif isinstance(x, (tuple, list)):
        for part in x:
            yield from _scalars(part)
    else:
        yield x
