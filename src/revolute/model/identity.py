"""Exact text representations of models: equal texts mean equal machine code.

A text contains every number with all its bits, every string with its length, and every object of this library with its
class and all its fields, except for fields marked `OUTSIDE`, which no recursion reads. Classes from other packages, and
changed classes of this library, have no text, because their code is unknown. Functions of such models are keyed by
their traced graph. Limitation: a text does not show whether a function in a module of this library was replaced.
Programs that replace functions need a separate cache.
"""

import dataclasses
import hashlib
import reprlib
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from operator import attrgetter
from types import FunctionType
from typing import Any

from revolute import records
from revolute.spatial.vectors import Matrix, Vector

OUTSIDE = {"outside identity": True}  # metadata that mark fields which recursions do not read
_one, _three = struct.Struct(">d").pack, struct.Struct(">3d").pack
_NONE: tuple[()] = ()


class _Unknown(Exception):
    """Raised if an object has no exact text."""


def exact_text(x: Any) -> str | None:
    """The text of a model, a part of one, a plain number, a string, a SymPy expression, or tuples of these.

    Different contents have different texts. None if a part is not of this library, or its class was changed.
    """
    texts = _Texts()
    try:
        return texts.of(x) + "".join(map(_class_text, texts.classes))
    except _Unknown:
        return None


def digest(x: Any) -> str | None:
    """A hash of `exact_text`, equal in every process; None if there is no such text."""
    text = exact_text(x)
    return None if text is None else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Texts:
    """Texts of the parts of one model. Objects refer to classes by number; the texts of classes come at the end."""

    def __init__(self) -> None:
        self.classes: dict[type, tuple[str, Callable[[Any], tuple[Any, ...]], int]] = {}
        self.objects: dict[int, str] = {}

    def of(self, x: Any) -> str:
        """Exact text of x."""
        kind = type(x)
        if kind is Vector:
            a, b, c = x
            if type(a) is type(b) is type(c) is float:
                return f"v{_three(a, b, c).hex()}"
            if type(a) is type(b) is type(c) is int:
                return f"w{a:x} {b:x} {c:x} "
            return f"V({self.of(a)}{self.of(b)}{self.of(c)})"
        if kind is float:
            return f"f{_one(x).hex()}"
        if kind is int:
            return f"i{x:x} "
        if kind is str:
            return f"s{len(x)}:{x}"
        if kind is tuple or kind is Matrix:
            return f"{'M' if kind is Matrix else ''}({''.join([self.of(item) for item in x])})" if x else "()"
        if kind in self.classes or is_dataclass(x):
            text = self.objects.get(id(x))  # models may share field objects
            if text is None:
                text = self.objects[id(x)] = self._object(x, kind)
            return text
        if x is None or kind is bool:
            return f"{x} "
        if hasattr(x, "free_symbols"):
            return _expression(x)
        raise _Unknown

    def _object(self, x: Any, kind: type) -> str:
        """The text of an object: the number of its class, and its fields."""
        if kind not in self.classes:
            names = [field.name for field in fields(x) if field.metadata != OUTSIDE]
            read = attrgetter(*names) if len(names) > 1 else lambda x: tuple([getattr(x, name) for name in names])
            self.classes[kind] = f"C{len(self.classes)}", read, len(fields(x))
        label, read, count = self.classes[kind]
        values = read(x)
        if len(x.__dict__) != count:
            _require_derived(kind, x.__dict__.keys() - {field.name for field in fields(x)})
        inner = ["()" if value is _NONE else self.of(value) for value in values]
        return f"{label}({''.join(inner)})"


def _require_derived(kind: type, names: set[str]) -> None:
    """Require that these attributes follow from the object's fields, as cached properties do."""
    for name in names:
        attribute = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        if not isinstance(attribute, cached_property) and not getattr(type(attribute), "follows_from_fields", False):
            raise _Unknown


# --- classes -------------------------------------------------------------------------------

_MAKERS = records, dataclasses, reprlib
"""Modules that define methods of data classes; `reprlib` does since Python 3.14."""

_class_texts: dict[type, tuple[dict[str, Any], str]] = {}
"""Cache by class: the attributes of the class when its text was computed, and the text."""


def _class_text(kind: type) -> str:
    """Names and constants of a class of this library and of its bases."""
    # Bases in `revolute.machine` are left out: methods that users call do not change the code.
    bases = [(base, base.__module__) for base in kind.__mro__]
    return "".join(
        _cached_text(base)
        for base, module in bases
        if module not in ("builtins", "abc") and not module.startswith("revolute.machine.")
    )


def _cached_text(kind: type) -> str:
    """The text of a class without its bases; rebuilt if the class has changed."""
    entry = _class_texts.get(kind)
    if entry is None or not _same(entry[0], vars(kind)):
        entry = _class_texts[kind] = dict(vars(kind)), _new_text(kind)
    return entry[1]


def _same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether two mappings contain identical objects. Comparison by `==` is not sufficient: 0.0 == -0.0."""
    return len(a) == len(b) and all([x is b.get(name) for name, x in a.items()])


def _new_text(kind: type) -> str:
    """Name and constants of a class of this library; its functions must be defined in its own module."""
    module = kind.__module__
    if module.partition(".")[0] != "revolute" or getattr(sys.modules.get(module), kind.__qualname__, None) is not kind:
        raise _Unknown
    constants, defaults = [], {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    for name, x in vars(kind).items():
        if (code := _function(x)) is not None:
            # compare globals, because `functools.wraps` copies the module name of the wrapped function
            if not any(code.__globals__ is vars(home) for home in (sys.modules[module], *_MAKERS)):
                raise _Unknown
        elif name not in defaults and name != "_abc_impl" and not name.startswith("__"):  # built-in functions of Python
            constants.append(f"s{len(name)}:{name}{_Texts().of(x)}")
    return f"{module}.{kind.__qualname__}[{''.join(constants)}]"


def _function(x: Any) -> FunctionType | None:
    """The function behind a method or a property."""
    if isinstance(x, (staticmethod, classmethod)):
        x = x.__func__
    elif isinstance(x, property):
        x = x.fget
    elif isinstance(x, cached_property):
        x = x.func
    return x if isinstance(x, FunctionType) else None


# --- expressions ---------------------------------------------------------------------------


def _expression(x: Any) -> str:
    """The structure of a SymPy expression, with the assumptions of its symbols and all digits of its numbers."""
    import sympy

    for part in sympy.preorder_traversal(x):
        kind = type(part)
        if (kind.__module__ or "").partition(".")[0] != "sympy" or not isinstance(part, sympy.Basic):
            raise _Unknown
    text = sympy.srepr(x)
    return f"e{len(text)}:{text}"
