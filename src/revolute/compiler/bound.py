"""Functions of a machine as its attributes: one callable each, the same before and after the first call.

`robot.inverse_dynamics` is a `BoundFunction`. It starts with Python code that checks arguments and finds the kernel.
From each new way of calling it learns: the next such call goes straight to machine code.
"""

from __future__ import annotations

import ctypes
import inspect
import os
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial, update_wrapper
from types import MethodType
from typing import Any, TypeVar, cast

import numpy as np

from revolute.compiler.arrange import Pattern, arranged, pattern
from revolute.compiler.kernel import Kernel

__all__ = ["BoundFunction", "compiled", "note"]

MOST = 16
"""Ways of calling a function that are learned. Calls ask them one after the other."""

Method = TypeVar("Method", bound=Callable[..., Any])


def compiled(method: Method) -> Method:
    """Mark a method that gives back what the kernel of its own name computes: see `BoundFunction`."""
    return cast(Method, _Compiled(method))


class _Compiled:
    """A method in its class. An instance gets a `BoundFunction`, and keeps it."""

    follows_from_fields = True
    """The bound function that an instance stores is not part of its content: see `revolute.model.identity`."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        update_wrapper(cast(Any, self), method)

    def __get__(self, machine: Any, kind: type | None = None) -> Any:
        if machine is None:
            return self.method
        name = self.method.__name__
        if next(vars(base)[name] for base in type(machine).__mro__ if name in vars(base)) is not self:
            return MethodType(self.method, machine)  # a subclass has its own, and asks for this one by `super`
        bound = BoundFunction(machine, self.method)
        return machine.__dict__.setdefault(name, bound)  # of threads, the first


class BoundFunction(partial[Any]):
    """A function of a machine: `robot.inverse_dynamics`.

    Learned calls form a chain, newest first, each for the very same options as a call before. A call that none accepts
    falls through to Python code, which takes every call.

    Options are told apart by identity: truth values, None, and interned strings, as those in source code are. A string
    that is put together anew in every call is another object each time, and such calls take the slower way.

    A `partial` without arguments adds a few nanoseconds to a call, and what it calls can be changed.
    """

    def __new__(cls, machine: Any, method: Callable[..., Any]) -> BoundFunction:
        learner = _Learner(machine, method)
        bound = learner.bound = super().__new__(cls, learner.call)
        bound.__dict__.update(
            __self__=machine,
            __func__=method,
            __name__=method.__name__,
            __qualname__=f"{type(machine).__name__}.{method.__name__}",
            __module__=method.__module__,
            __doc__=method.__doc__,
        )
        return bound

    @property
    def __signature__(self) -> inspect.Signature:
        method, machine = self.__dict__["__func__"], self.__dict__["__self__"]
        return inspect.signature(method.__get__(machine))

    def __get__(self, instance: object, owner: type | None = None) -> BoundFunction:
        """It is bound already: as an attribute of another class it gets no instance, as it would by Python 3.14."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return getattr, (self.__dict__["__self__"], self.__dict__["__name__"])

    def __repr__(self) -> str:
        return f"<{self.__dict__['__name__']}{self.__signature__} of {self.__dict__['__self__']!r}>"

    def put(self, call: Callable[..., Any]) -> None:
        """Have calls go to another callable first. It must own the one before, which may be running."""
        self.__setstate__((call, (), {}, self.__dict__))  # type: ignore[attr-defined]


class _Call:
    """A call of a function while it runs, and the kernel whose result it may give back.

    Attributes:
        kernel: what ran; None as long as there is none.
        inputs: the kernel's arrays.
        constants: those of them that are the machine's own, whatever the call.
        result: what the kernel gave.
    """

    __slots__ = ("constants", "inputs", "kernel", "machine", "name", "result")

    def __init__(self, machine: Any, name: str) -> None:
        self.machine, self.name = machine, name
        self.kernel: Kernel | None = None
        self.inputs: tuple[Any, ...] = ()
        self.constants: tuple[Any, ...] = ()
        self.result: Any = None


class _Innermost(threading.local):
    """The call that runs in this thread; None outside of any. Other threads have their own."""

    call: _Call | None = None


_innermost = _Innermost()


def note(
    machine: Any, name: str, kernel: Kernel, inputs: tuple[Any, ...], result: Any, constants: tuple[Any, ...] = ()
) -> None:
    """Record the kernel that a method ran, its inputs and its result.

    Args:
        machine, name: of the method.
        kernel: what ran.
        inputs: its arrays.
        result: what it gave.
        constants: inputs that calls do not give: the same in every call of this method of this machine.
    """
    call = _innermost.call
    if call is not None and call.machine is machine and call.name == name:
        call.kernel, call.inputs, call.result, call.constants = kernel, inputs, result, constants


class _Learner:
    """Python code behind a bound function: it handles every call, and learns fast ones."""

    bound: BoundFunction

    def __init__(self, machine: Any, method: Callable[..., Any]) -> None:
        self._machine, self._method, self._name = machine, method, method.__name__
        self._known: dict[Any, Pattern] = {}  # patterns keep the options alive, whose identities are here

    def call(self, *args: Any, **named: Any) -> Any:
        """Call the method. If its result is that of a kernel, have calls like it go there."""
        outer, call = _innermost.call, _Call(self._machine, self._name)
        _innermost.call = call
        try:
            result = self._method(self._machine, *args, **named)
        finally:
            _innermost.call = outer
        kernel = call.kernel
        if kernel is None or call.result is not result or len(self._known) >= MOST:
            return result
        dtype, way = _type_of(call.inputs), _way(args, named)
        if dtype is None or dtype != kernel.dtype:  # NumPy takes None for float64
            return result
        if way is None or (dtype, way) in self._known:
            return result
        if _learning.acquire(blocking=False):  # else another thread learns; a later call will
            try:
                self._learn(kernel, way, pattern(args, named, call.inputs, call.constants))
            finally:
                _learning.release()
        return result

    def _learn(self, kernel: Kernel, way: tuple[Any, ...], how: Pattern | None) -> None:
        """Have calls of that way go straight to the kernel."""
        if how is None or (kernel.dtype, way) in self._known:
            return
        if how.in_order:
            call = kernel.fast_call(self.bound.func, how.options[len(how.template) :], how.names)
        else:
            call = arranged(kernel.fast_call(kernel), self.bound.func, how, kernel.dtype)
        self.bound.put(call)
        kernel.go_straight(self.bound)
        self._known[kernel.dtype, way] = how  # last: the child of a fork lacks the thread that would go on from here


def _type_of(inputs: tuple[Any, ...]) -> np.dtype[Any] | None:
    """The type of all inputs where all are arrays of one."""
    dtype = None
    for x in inputs:
        if type(x) is not np.ndarray or (dtype is not None and x.dtype is not dtype):
            return None
        dtype = x.dtype
    return dtype


def _way(args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """A key for calls of one pattern: names, places of arrays, keys of dicts, identities of options.

    None for calls with an argument that is nothing of these, such as a number of threads.
    """
    names = tuple([name for name in named if name != "out"])
    way: list[Any] = [names]
    for x in (*args, *[named[name] for name in names]):
        if type(x) is np.ndarray:
            way.append(None)
        elif x is None or type(x) is bool or type(x) is str:
            way.append(id(x))
        elif type(x) is dict:
            way.append(tuple(x))
        else:
            return None
    return tuple(way)


# --- threads and processes -------------------------------------------------------------------

_learning = threading.Lock()
"""One thread at a time learns."""


def _renew() -> None:
    """Forget, in the child of a fork, that another thread was learning: it is not there to release the lock."""
    global _learning
    _learning = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


# --- speed -----------------------------------------------------------------------------------

_VECTORCALL = 1 << 11  # Py_TPFLAGS_HAVE_VECTORCALL
_FLAGS = 168  # offset of tp_flags in PyTypeObject


def _take_vector_calls(kind: type) -> None:
    """Have calls of instances skip the tuple of arguments, as those of `partial` itself do.

    From Python 3.12 on classes inherit this. In 3.11 the flag is set by hand where it is seen to be.
    """
    if kind.__flags__ & _VECTORCALL or not partial.__flags__ & _VECTORCALL or sys.implementation.name != "cpython":
        return
    flags = ctypes.c_ulong.from_address(id(kind) + _FLAGS)
    if flags.value == kind.__flags__:
        flags.value |= _VECTORCALL


_take_vector_calls(BoundFunction)
