"""Calls with arguments by name, in a dict or in another order: machine code puts them in the kernel's order."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from revolute.compiler.stored import load_text
from revolute.compiler.ufunc import builtin, context_table
from revolute.records import dataclass
from revolute.targets.llvm import Loaded
from revolute.targets.llvm.arrange import ARRANGE_CONTEXT, MOST, arrange_text
from revolute.targets.llvm.objects import FREE_THREADED

__all__ = ["LATER", "Pattern", "arranged", "is_names", "pattern"]

LATER = ("out", "threads")
"""Names that a call may have after all others; they are no part of its pattern."""

_OPTION, _DICT = -1, -2


@dataclass(frozen=True, eq=False)
class Pattern:
    """How a call gives the inputs of a kernel, and options: see `targets.llvm.arrange`.

    Options are told apart by identity: truth values, None, interned strings, as those in source code are, and tuples of
    names.

    Attributes:
        names: of the named arguments in their order, without `LATER`.
        codes: one for each argument: the place of an input, an option, or a dict.
        keys: of the dict that holds some of the kernel's inputs, in its order.
        places: for each key, the input that it stands for.
        template: the kernel's inputs; None where a call gives them.
        options: for each argument, the very object that a call must have; None if it is no option.
    """

    names: tuple[str, ...]
    codes: tuple[int, ...]
    keys: tuple[Any, ...]
    places: tuple[int, ...]
    template: tuple[Any, ...]
    options: tuple[Any, ...]

    @property
    def in_order(self) -> bool:
        """The call has the kernel's inputs by place in their order, and then options."""
        inputs, options = len(self.template), len(self.codes) - len(self.template)
        return self.codes == (*range(inputs), *(_OPTION,) * options) and len(self.names) <= options


def pattern(
    args: tuple[Any, ...], named: Mapping[str, Any], inputs: tuple[Any, ...], constants: tuple[Any, ...] = ()
) -> Pattern | None:
    """The pattern by which a call's arguments became the inputs of a kernel; None if it is not certain.

    Args:
        args, named: of the call.
        inputs: the kernel's arguments.
        constants: inputs that no call gives.
    """
    if len(inputs) >= MOST:
        return None
    n = 0  # leading arguments are the first inputs
    while n < min(len(args), len(inputs)) and args[n] is inputs[n]:
        n += 1
    place = {id(x): k for k, x in enumerate(inputs[n:], n)}
    if len(place) < len(inputs) - n:
        return None  # one object for two inputs: which is which?
    names = [name for name in named if name not in LATER]
    if any(type(name) is not str for name in names):
        return None
    codes: list[int] = [*range(n)]
    options: list[Any] = [None] * n
    keys: tuple[Any, ...] = ()
    places: tuple[int, ...] = ()
    for x in (*args[n:], *(named[name] for name in names)):
        if id(x) in place:
            codes.append(place[id(x)])
        elif _is_option(x):
            codes.append(_OPTION)
        elif type(x) is dict and x and not keys and all(id(value) in place for value in x.values()):
            codes.append(_DICT)
            keys, places = tuple(x), tuple(place[id(value)] for value in x.values())
        else:
            return None
        options.append(x if codes[-1] == _OPTION else None)
    from_call = [*(code for code in codes if code >= 0), *places]
    if len(set(from_call)) < len(from_call):
        return None  # one object in two places
    template = tuple(None if k in from_call else x for k, x in enumerate(inputs))
    constant_ids = {id(x) for x in constants}
    if any(x is not None and id(x) not in constant_ids for x in template):
        return None
    return Pattern(tuple(map(sys.intern, names)), tuple(codes), keys, places, template, tuple(options))


def _is_option(x: Any) -> bool:
    return x is None or isinstance(x, bool) or (type(x) is str and sys.intern(x) is x) or is_names(x)


def is_names(x: Any) -> bool:
    """A tuple of names."""
    return type(x) is tuple and len(x) > 0 and all([type(name) is str for name in x])


def arranged(
    call: Callable[..., Any], fallback: Callable[..., Any], how: Pattern, dtype: np.dtype[Any]
) -> Callable[..., Any]:
    """A builtin function that calls another by a pattern; `fallback` gets every call that is not of the pattern.

    Args:
        call: a fast call of a kernel.
        fallback: takes the other calls.
        how: the pattern.
        dtype: of all arrays; calls with another type are not of the pattern.
    """
    if FREE_THREADED and how.keys:
        return fallback  # other threads may change the dict while it is read
    if type(call) is not BuiltinFunctionType:
        return fallback
    codes, places = (np.array(x, np.int64).tobytes() for x in (how.codes, how.places))
    parts = (fallback, call, how.names, how.keys, codes, how.template, how.options, places, np.dtype(dtype))
    return builtin("arranged", _loaded(), "arrange", parts)


@cache
def _loaded() -> Loaded:
    """The machine code of `arrange`, from the cache on disk if it is there."""
    loaded = load_text(arrange_text())
    context_table(loaded, ARRANGE_CONTEXT)
    return loaded
