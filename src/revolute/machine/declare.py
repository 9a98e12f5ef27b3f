"""The declaration of a function: recursion, arrays in and out, options. The rest is a method without a body.

    class Energies(...):
        @declared(functions.power, "q qd qdd -> P", on=reduced)
        def power(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: ..., threads: ...) -> Array:
            \"\"\"Power of the joint forces. ...\"\"\"

Parameters of the method that are no arrays of the declaration are options of the recursion. Of inputs that the method
has no parameter for, the machine has the arrays itself. `wrenches` is a dict of arrays by the names of links,
{"tool0": (..., 6)}; `values` one of numbers by the names of symbols.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from revolute.arguments import wrenches_by_link
from revolute.compiler.bound import compiled
from revolute.errors import GraphError
from revolute.machine.function import Arrays, Function

__all__ = ["declared", "has_kernel", "internal"]

Method = TypeVar("Method", bound=Callable[..., Any])
Declared = str | Callable[..., str]

_NO_OPTIONS = ("out", "threads", "values")


def declared(
    recursion: Callable[..., Any],
    arrays: Declared,
    *,
    optional: Mapping[str, str] | None = None,
    by_name: tuple[str, ...] = (),
    parametric: bool = False,
    **flags: Any,
) -> Callable[[Method], Method]:
    """Declare a function of machines by a method without a body.

    Args:
        recursion: see `Function`.
        arrays: see `Arrays.of`; or a function of the options that gives such a text.
        optional: {option: arrays} that may be None: with one of them the kernel has the option, and others are zero.
        by_name: those of them that may be a name instead, which is an option then.
        parametric: inertial parameters may be an input.
        **flags: on, check, inverts, smooth, symbols_in: see `Function`.
    """

    def decorate(method: Method) -> Method:
        _, *parameters = inspect.signature(method).parameters.values()
        defaults = {p.name: p.default for p in parameters}
        names = tuple(defaults)
        function = _function(method.__name__, recursion, arrays, optional or {}, flags, method)
        inputs = [x for x, _ in function.arrays().inputs]
        groups = {option: extra.inputs for option, extra in function.optional.items()}
        extra = [x for group in groups.values() for x, _ in group]
        if missing := {"out", "threads", *extra} - defaults.keys():
            raise GraphError(f"{function.name} has no parameter {', '.join(sorted(missing))}")
        owned = {x for x in inputs if x not in defaults}
        if names[: len(inputs) - len(owned)] != tuple(x for x in inputs if x not in owned):
            raise GraphError(f"{function.name}: its first parameters must be {', '.join(inputs)}, in this order")
        options = [x for x in names if x not in (*inputs, *extra, *_NO_OPTIONS)]
        zeros = {x: np.zeros([int(size) for size in sizes]) for group in groups.values() for x, sizes in group}
        function = replace(
            function,
            options=(*options, *groups, *by_name, *(["parameters"] if parametric else [])),
            needed=frozenset(x for x in options if defaults[x] is inspect.Parameter.empty),
        )
        plain = -1 if owned or function.needed or function.symbols_in else len(inputs)

        @wraps(method)
        def run(machine: Any, *args: Any, **named: Any) -> Any:
            if len(args) == plain and not named:
                return machine._run(function.name, args, None, None, {})
            method(machine, *args, **named)  # Python's own error, if the arguments do not fit
            values = {**defaults, **dict(zip(names, args, strict=False)), **named}
            chosen = {x: values[x] for x in options if x != "wrenches" and not _is_default(values[x], defaults[x])}
            links, loads = wrenches_by_link(values.get("wrenches"))
            if links:
                chosen["wrenches"] = links
            given = [(x, values.get(x)) for x in inputs] + [("", load) for load in loads]
            for x in by_name:
                if isinstance(values[x], str):
                    chosen[x], values[x] = values[x], None
            for option, group in groups.items():
                if any(values[x] is not None for x, _ in group):
                    chosen[option] = True
                    given += [(x, values[x]) for x, _ in group]
            if function.symbols_in:
                given += [("", x) for x in machine._values(function, values["values"])]
            arrays = tuple([x for _, x in given])
            own = {k: getattr(machine, x) for k, (x, _) in enumerate(given) if x in owned}
            own |= {k: zeros[x] for k, (x, y) in enumerate(given) if x in zeros and y is None}
            return machine._run(function.name, arrays, values["out"], values["threads"], chosen, own)

        run.function = function  # type: ignore[attr-defined]
        return cast(Method, compiled(run))

    return decorate


def has_kernel(
    recursion: Callable[..., Any],
    arrays: Declared,
    *,
    options: tuple[str, ...] = (),
    optional: Mapping[str, str] | None = None,
    **flags: Any,
) -> Callable[[Method], Method]:
    """Declare the kernel that a method with a body asks for, by its own name; arguments as of `declared`.

    Args:
        options: parameters of the method that are options of the recursion.
    """

    def decorate(method: Method) -> Method:
        defaults = {p.name: p.default for p in inspect.signature(method).parameters.values()}
        function = _function(method.__name__, recursion, arrays, optional or {}, flags, method)
        needed = frozenset(x for x in options if defaults[x] is inspect.Parameter.empty)
        method.function = replace(function, options=(*options, *function.optional), needed=needed)  # type: ignore[attr-defined]
        return method

    return decorate


def internal(
    name: str, recursion: Callable[..., Any], arrays: Declared, *, options: tuple[str, ...] = (), **flags: Any
) -> Function:
    """A function that is part of others, and no method."""
    return replace(_function(name, recursion, arrays, {}, flags, recursion), options=options, internal=True)


def _function(
    name: str,
    recursion: Callable[..., Any],
    arrays: Declared,
    optional: Mapping[str, str],
    flags: Mapping[str, Any],
    declaration: Callable[..., Any],
) -> Function:
    """A function without its options."""

    def shapes(**options: Any) -> Arrays:
        return Arrays.of(arrays(**options) if callable(arrays) else arrays)

    ours = all(x.__module__.startswith("revolute.") for x in (recursion, declaration))
    known_as = f"{declaration.__module__}.{declaration.__qualname__} {name}" if ours else None
    extra = {option: Arrays.of(text) for option, text in optional.items()}
    return Function(name, recursion, shapes, optional=extra, known_as=known_as, **flags)


def _is_default(x: Any, default: Any) -> bool:
    return x is default or (isinstance(x, (str, bool)) and type(x) is type(default) and bool(x == default))
