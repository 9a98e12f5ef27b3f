"""Declarations of functions by methods without a body: recursion, input and output arrays, options.

    class Energies(...):
        @declared(functions.power, "q qd qdd -> P", on=reduced)
        def power(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: ..., threads: ...) -> Array:
            \"\"\"Power of the joint forces. ...\"\"\"

Parameters of the method that the declaration does not list as arrays are options of the recursion. Inputs named in
`own` are attributes of the machine: the method does not accept them. `wrenches` is a dict of arrays by link name,
{"tool0": (..., 6)}; `values` is a dict of numbers by symbol name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import getattr_static
from typing import Any, TypeVar, cast

import numpy as np

from revolute.arguments import nearest, wrenches_by_link
from revolute.compiler.bound import compiled
from revolute.errors import GraphError
from revolute.machine.function import Arrays, Function
from revolute.machine.standard_text import completed
from revolute.records import dataclass

Method = TypeVar("Method", bound=Callable[..., Any])
Declared = str | Callable[..., str]
_MISSING = object()  # marker of an argument without a default
_NO_OPTIONS = ("out", "threads", "values")


def declared(
    recursion: Callable[..., Any], arrays: Declared, *, optional: Mapping[str, str] | None = None,
    by_name: tuple[str, ...] = (), own: tuple[str, ...] = (), several: tuple[str, ...] = (), parametric: bool = False,
    **flags: Any,
) -> Callable[[Method], Method]:
    """Declare a function of machines by a method without a body.

    Args:
        recursion: see `Function`.
        arrays: a text as in `Arrays.of`, or a function of the options that returns this text.
        optional: {option: arrays} that may be None. If one is given, the kernel has the option, and others are zero.
        by_name: optional arrays in place of which a name may be given; the name is then an option.
        own: inputs that are attributes of the machine.
        several: options that may be a list of names; the key of the kernel contains them as a tuple.
        parametric: inertial parameters may be an input.
        **flags: on, check, driven, of_links, inverts, smooth, symbols_in: see `Function`.
    """

    def decorate(method: Method) -> Method:
        name, defaults = method.__name__, _defaults(method)
        names = tuple(defaults)
        shapes = _arrays(arrays)
        inputs = [x for x, _ in shapes().inputs]
        groups = {option: _zeros(Arrays.of(text)) for option, text in (optional or {}).items()}
        extra = [x for group in groups.values() for x in group]
        taken = [x for x in inputs if x not in own]
        if missing := {"out", "threads", *extra, *taken} - defaults.keys():
            raise GraphError(f"{name} has no parameter {', '.join(sorted(missing))}")
        if names[: len(taken)] != tuple(taken):
            raise GraphError(f"{name}: its first parameters must be {', '.join(taken)}, in this order")
        options = [x for x in names if x not in (*inputs, *extra, *_NO_OPTIONS)]
        own_options = (*options, *groups, *by_name, *(["parameters"] if parametric else []))
        function = _function(method, recursion, shapes, options, optional or {}, options=own_options, **flags)
        arguments = _Arguments(function, defaults, inputs, options, groups, by_name, own, several)
        plain = -1 if own or function.needed or function.symbols_in else len(inputs)

        @wraps(method)
        def run(machine: Any, *args: Any, **named: Any) -> Any:
            if len(args) == plain and not named:
                return machine._run(function, args, None, None, {})
            try:
                method(machine, *args, **named)  # raises Python's TypeError if the arguments do not match
            except TypeError as error:
                unknown = next((x for x in named if x not in defaults), None)
                said = str(error).partition(". Did you mean")[0]  # Python 3.14 asks this
                raise TypeError(f"{said}; {nearest(unknown, defaults)}" if unknown else str(error)) from None
            values = {**defaults, **dict(zip(names, args, strict=False)), **named}
            return machine._run(function, *arguments.read(machine, values))

        vars(run).update(function=function, has_no_body=True)
        run.__doc__ = _document(function, method, names)
        return cast(Method, compiled(run))

    return decorate


@dataclass(frozen=True)
class _Arguments:
    """Conversion of a method's arguments to arrays and options: see `declared`."""

    function: Function
    defaults: Mapping[str, Any]
    inputs: Sequence[str]
    options: Sequence[str]
    groups: Mapping[str, Mapping[str, Any]]
    by_name: tuple[str, ...]
    own: tuple[str, ...]
    several: tuple[str, ...]

    def read(self, machine: Any, values: dict[str, Any]) -> tuple[Any, ...]:
        """Arrays, out, threads, options and constants: the arguments of `Machine._run`."""
        for x in ("frame", *self.several):  # a function of one frame refuses a tuple with the right call
            values[x] = tuple(values[x]) if isinstance(values.get(x), list) else values.get(x)
        changed = (x for x in self.options if x != "wrenches" and not _is_default(values[x], self.defaults[x]))
        chosen = {x: values[x] for x in changed}
        arrays = [values.get(x) for x in self.inputs]
        constants = {k: getattr(machine, x) for k, x in enumerate(self.inputs) if x in self.own} if self.own else {}
        if values.get("wrenches") is not None:
            links, loads = wrenches_by_link(values["wrenches"])
            arrays += loads
            if links:
                chosen["wrenches"] = links
        for x in self.by_name:
            if isinstance(values[x], str):
                chosen[x], values[x] = values[x], None
        for option, group in self.groups.items():
            if any([values[x] is not None for x in group]):
                chosen[option] = True
                for x, zero in group.items():
                    if values[x] is None:
                        constants[len(arrays)] = zero
                    arrays.append(values[x])
        if self.function.symbols_in:
            arrays += machine._values(self.function, values["values"])
        return tuple(arrays), values["out"], values["threads"], chosen, constants


def has_kernel(
    recursion: Callable[..., Any], arrays: Declared, *, options: tuple[str, ...] = (),
    optional: Mapping[str, str] | None = None, **flags: Any,
) -> Callable[[Method], Method]:
    """Declare the kernel that a method with a body calls, under the method's name. For the arguments see `declared`.

    `options` are parameters of the method that are options of the recursion.
    """

    def decorate(method: Method) -> Method:
        defaults = _defaults(method)
        vars(method)["function"] = function = _function(
            method, recursion, _arrays(arrays), options, optional or {}, options=(*options, *(optional or {})), **flags
        )
        method.__doc__ = _document(function, method, tuple(defaults))
        return method

    return decorate


def _function(
    method: Callable[..., Any], recursion: Callable[..., Any], arrays: Callable[..., Arrays], named: Sequence[str],
    optional: Mapping[str, str], **flags: Any,
) -> Function:
    """The declaration of a method whose parameters `named` are options."""
    defaults, name = _defaults(method), method.__name__
    flags["needed"] = frozenset(x for x in named if defaults[x] is _MISSING)
    flags["optional"] = {option: Arrays.of(text) for option, text in optional.items()}
    return Function(name, recursion, arrays, known_as=_known_as(name, recursion, method), **flags)


def internal(
    name: str, recursion: Callable[..., Any], arrays: Declared, *, options: tuple[str, ...] = (), **flags: Any
) -> Function:
    """Declare a function that is used only by other functions and is not a method."""
    module = sys._getframe(1).f_globals["__name__"]  # the class that declares the function
    known_as = f"{module} {name}" if _are_ours(module, recursion.__module__) else None
    return Function(name, recursion, _arrays(arrays), options=options, internal=True, known_as=known_as, **flags)


class by_kernel:
    """Declare that this rarely needed function is available only as `robot.kernel(name)`, not as a member of robots."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method

    def __set_name__(self, owner: type, name: str) -> None:
        """Move the function from the members of the class to its `_by_kernel`, where bridges and `to_c` find it."""
        owner._by_kernel = {**vars(owner).get("_by_kernel", {}), name: self.method}  # type: ignore[attr-defined]
        delattr(owner, name)


def method_of(kind: type, name: str) -> Callable[..., Any] | None:
    """The method of class `kind` with that name, even if available only as a kernel; None for an internal function."""
    by_kernels = (vars(base).get("_by_kernel", {}).get(name) for base in kind.__mro__)
    found = next(filter(None, by_kernels), None) or getattr_static(kind, name, None)
    method: Callable[..., Any] | None = getattr(found, "method", found)
    return method


def _arrays(declared_arrays: Declared) -> Callable[..., Arrays]:
    if callable(declared_arrays):
        return lambda **options: Arrays.of(declared_arrays(**options))
    arrays = Arrays.of(declared_arrays)
    return lambda **_: arrays


def _document(function: Function, method: Callable[..., Any], parameters: Sequence[str]) -> str:
    smooth = function.driven is not None and function.driven.smooth
    return completed(method.__doc__ or "", parameters, inverts=function.inverts, smooth=smooth)


def _known_as(name: str, recursion: Callable[..., Any], method: Callable[..., Any]) -> str | None:
    """A name that identifies a declaration of this library; None for declarations in other code."""
    ours = _are_ours(method.__module__, recursion.__module__)
    return f"{method.__module__}.{method.__qualname__} {recursion.__module__} {name}" if ours else None


def _are_ours(*modules: str) -> bool:
    return all(module.startswith("revolute.") for module in modules)


def _defaults(method: Callable[..., Any]) -> dict[str, Any]:
    """{parameter: default} of a method, without `self`; ten times as fast as `inspect.signature`."""
    code, positional = method.__code__, method.__defaults__ or ()
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    defaults = dict.fromkeys(names, _MISSING)
    first = code.co_argcount - 1 - len(positional)
    return {**defaults, **dict(zip(names[first:], positional, strict=False)), **(method.__kwdefaults__ or {})}


def _zeros(arrays: Arrays) -> dict[str, Any]:
    """Zeros for the optional arrays of an option, whose sizes must be numbers; None if there is only one array."""
    if len(arrays.inputs) == 1:
        return dict.fromkeys(x for x, _ in arrays.inputs)
    if not all(size.isdigit() for _, sizes in arrays.inputs for size in sizes):
        raise GraphError(f"sizes of optional arrays must be numbers: {', '.join(x for x, _ in arrays.inputs)}")
    return {x: np.zeros([int(size) for size in sizes]) for x, sizes in arrays.inputs}


def _is_default(x: Any, default: Any) -> bool:
    return x is default or (isinstance(x, (str, bool)) and type(x) is type(default) and bool(x == default))
