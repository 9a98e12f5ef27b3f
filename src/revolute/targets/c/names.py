"""C identifiers from arbitrary names: unique, and never a keyword."""

import re
from collections.abc import Iterable

_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
_Bool _Complex _Imaginary asm bool true false nullptr constexpr typeof alignas alignof thread_local static_assert
class new delete this template typename namespace operator private protected public virtual friend try catch
throw using and or not xor explicit export mutable
sin cos tan sqrt exp log tanh atan2 fabs main y0 y1 yn j0 j1 jn gamma signgam errno NAN INFINITY
"""
RESERVED = frozenset(_WORDS.split())  # keywords of C and C++, and names of <math.h> that generated functions may call


def identifier(name: str) -> str:
    """A name in C: letters, digits and underscores, not a keyword.

    Example:
        >>> from revolute.targets.c.names import identifier
        >>> identifier("wrench on 'tool-0'"), identifier("int"), identifier("2R")
        ('wrench_on_tool_0', 'int_', 'x_2R')
    """
    plain = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")
    if not plain[:1].isalpha():
        plain = f"x_{plain}".rstrip("_")
    return f"{plain}_" if plain in RESERVED else plain


def identifiers(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """An identifier for each name, all different and not in `taken`: duplicates get a number.

    Example:
        >>> from revolute.targets.c.names import identifiers
        >>> identifiers(["a-b", "a b", "c"])
        ['a_b', 'a_b_2', 'c']
    """
    used, found = set(taken), []
    for name in names:
        plain, count = identifier(name), 1
        new = plain
        while new in used:
            count += 1
            new = f"{plain}_{count}"
        used.add(new)
        found.append(new)
    return found
