"""Frozen dataclasses that are created quickly.

`dataclasses.dataclass` generates source text of up to six methods per class and compiles it, which takes most of the
time of an import. Here methods are closures, except for `__init__`, which is generated for the first instance.

Measured: of the 430 ms of `import revolute`, its 73 records take 7 ms; with `dataclasses.dataclass` they take 40 ms,
also in Python 3.13. In return, the first load of a URDF takes 0.5 ms longer, to generate nine `__init__` methods. Slots
are not used, because cached properties and `vars` need a `__dict__`.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields, is_dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["dataclass"]

Kind = TypeVar("Kind", bound=type[Any])
Read = Callable[[Any], tuple[Any, ...]]


def _frozen_dataclass(*, frozen: bool, init: bool = True, repr: bool = True, eq: bool = True) -> Callable[[Kind], Kind]:
    """A faster `dataclasses.dataclass` for frozen classes whose fields are all positional-or-keyword parameters.

    Methods that a class defines itself are kept, and bases may be dataclasses too.

    Raises:
        TypeError: the class is not frozen, or a field is not a parameter, or is keyword-only.
    """

    def decorate(kind: Kind) -> Kind:
        derived = any(map(is_dataclass, kind.__mro__[1:]))  # only frozen classes may inherit from frozen classes
        dataclasses.dataclass(init=False, repr=False, eq=False, frozen=derived)(kind)
        own = fields(kind)
        if not frozen or any(not field.init or field.kw_only for field in own):
            wanted = "must be frozen, without fields that are keyword-only or have init=False"
            raise TypeError(f"{kind.__qualname__} {wanted}; for other classes use dataclasses.dataclass")
        params: Any = vars(kind)["__dataclass_params__"]
        params.frozen, params.init, params.repr, params.eq = frozen, init, repr, eq
        methods: list[Callable[..., Any]] = []
        if not derived:
            methods += _refusals(kind, frozenset(field.name for field in own))
        if repr:
            methods.append(_shown(tuple(field.name for field in own if field.repr)))
        if eq:
            methods += _compared(_reader([field.name for field in own if field.compare]))
        for method in methods:
            if vars(kind).get(method.__name__) is None:  # `__hash__` is None in classes that define only `__eq__`
                method.__qualname__ = f"{kind.__qualname__}.{method.__name__}"
                setattr(kind, method.__name__, method)
        if init and "__init__" not in vars(kind):
            setattr(kind, "__init__", _Init(kind, own))  # noqa: B010
        return kind

    return decorate


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _frozen_dataclass


class _Init:
    """Placeholder for the `__init__` of a class; the first access generates the method."""

    def __init__(self, kind: type, own: tuple[Field[Any], ...]) -> None:
        self.kind, self.own = kind, own

    def __get__(self, it: object, _: type | None = None) -> Any:
        if vars(self.kind).get("__init__") is self:  # else another thread has already replaced it
            setattr(self.kind, "__init__", _written_init(self.kind, self.own))  # noqa: B010
        method = vars(self.kind)["__init__"]
        return method if it is None else method.__get__(it)


def _written_init(kind: type, own: tuple[Field[Any], ...]) -> Any:
    """Generate an `__init__` that sets all fields, and calls `__post_init__` if there is one."""
    names = [field.name for field in own]
    made = {f"_{field.name}": field.default_factory for field in own if field.default_factory is not MISSING}
    values = [f"_{name}() if {name} is _made else {name}" if f"_{name}" in made else name for name in names]
    steps = [f"_set(self, {name!r}, {value})" for name, value in zip(names, values, strict=True)]
    steps.append("self.__post_init__()" if hasattr(kind, "__post_init__") else "None")
    # each step returns None, so that "or" joins all; one expression compiles twice as fast as statements
    text = f"lambda {', '.join(['_set', '_made', *made])}: lambda {', '.join(['self', *names])}: {' or '.join(steps)}"
    method = eval(text, vars(sys.modules[kind.__module__]))(object.__setattr__, _MADE, *made.values())
    method.__defaults__ = tuple(x for x in map(_default, own) if x is not MISSING)
    method.__annotations__ = {**{field.name: field.type for field in own}, "return": None}
    method.__name__, method.__qualname__ = "__init__", f"{kind.__qualname__}.__init__"
    return method


class _Made:
    """Placeholder in signatures for a default value from a factory."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else _MADE


def _reader(names: list[str]) -> Read:
    """A function that returns these attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda it: tuple([getattr(it, name) for name in names])


def _compared(read: Read) -> list[Callable[..., Any]]:
    """Methods `__eq__` and `__hash__`, which compare and hash the values of the fields."""

    def __eq__(self: Any, other: object) -> Any:
        return read(self) == read(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(read(self))

    return [__eq__, __hash__]


def _shown(names: tuple[str, ...]) -> Callable[..., Any]:
    """Method `__repr__`, which returns the call that creates the object."""

    def __repr__(self: Any) -> str:
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def _refusals(kind: type[Any], names: frozenset[str]) -> list[Callable[..., Any]]:
    """Methods `__setattr__` and `__delattr__`, which raise for fields; in direct instances of `kind`, for all names."""

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is kind or name in names:
            hint = f"; dataclasses.replace(it, {name}=...) creates a changed copy" if name in names else ""
            raise FrozenInstanceError(f"cannot assign to field {name!r}: {kind.__name__} is immutable{hint}")
        super(kind, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is kind or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(kind, self).__delattr__(name)

    return [__setattr__, __delattr__]
