"""Patterns of calls: which arguments are inputs of a kernel, and which are options."""

import sys
from collections.abc import Mapping
from typing import Any

from revolute.records import dataclass
from revolute.targets.llvm.call_form import DICT, MOST_ARRAYS, OPTION

LATER = ("out", "threads")  # names of final arguments that are not part of a call's pattern


@dataclass(frozen=True, eq=False)
class Pattern:
    """How a call passes the inputs of a kernel, and options: see `targets.llvm.call_form`.

    Options are compared by identity: truth values, None, interned strings (such as literals), and tuples of names.
    """

    names: tuple[str, ...]  # names of the keyword arguments in order, without `LATER`
    codes: tuple[int, ...]  # for each argument, the index of an input, or a code for an option or a dict
    keys: tuple[Any, ...]  # keys of the dict that contains some of the kernel's inputs, in its order
    places: tuple[int, ...]  # for each key, the index of its input
    template: tuple[Any, ...]  # the kernel's inputs, with None for those that a call passes
    options: tuple[Any, ...]  # for each argument, the exact object that a call must pass; None if it is not an option


def plain_pattern(inputs: int) -> Pattern:
    """The pattern of calls that pass all inputs by position, without options."""
    nothing = (None,) * inputs
    return Pattern((), tuple(range(inputs)), (), (), nothing, nothing)


def pattern(
    args: tuple[Any, ...], named: Mapping[str, Any], inputs: tuple[Any, ...], constants: tuple[Any, ...] = ()
) -> Pattern | None:
    """The pattern by which a call's arguments became the inputs of a kernel; None if it cannot be determined.

    `constants` are inputs that are not arguments of calls.
    """
    if len(inputs) > MOST_ARRAYS:
        return None
    n = 0  # the leading arguments become the first inputs
    while n < min(len(args), len(inputs)) and args[n] is inputs[n]:
        n += 1
    # inputs are matched to arguments by identity: `_apart` in `bound.py` has made all arguments distinct objects
    place = {id(x): k for k, x in enumerate(inputs[n:], n)}
    if len(place) < len(inputs) - n:
        return None  # an object that is passed for two inputs cannot be matched to one of them
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
            codes.append(OPTION)
        elif type(x) is dict and x and not keys and all(id(value) in place for value in x.values()):
            codes.append(DICT)
            keys, places = tuple(x), tuple(place[id(value)] for value in x.values())
        else:
            return None
        options.append(x if codes[-1] == OPTION else None)
    from_call = [*(code for code in codes if code >= 0), *places]
    if len(set(from_call)) < len(from_call):
        return None  # the same object is passed for two arguments
    # inputs that are not arguments, such as arrays of the machine, must be identical in every call
    template = tuple(None if k in from_call else x for k, x in enumerate(inputs))
    constant_ids = {id(x) for x in constants}
    if any(x is not None and id(x) not in constant_ids for x in template):
        return None
    return Pattern(tuple(map(sys.intern, names)), tuple(codes), keys, places, template, tuple(options))


def _is_option(x: Any) -> bool:
    return x is None or isinstance(x, bool) or (type(x) is str and sys.intern(x) is x) or is_names(x)


def is_names(x: object) -> bool:
    """Whether an object is a tuple of names."""
    return type(x) is tuple and len(x) > 0 and all([type(name) is str for name in x])
