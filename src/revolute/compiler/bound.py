"""Compiled functions as attributes of a machine: each is one callable, the same object before and after compilation.

`robot.inverse_dynamics` is a `BoundFunction`. At first, it runs Python code that checks arguments and finds the kernel.
Each new call pattern is recorded, and the next call with this pattern runs machine code directly.
"""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable, Mapping
from functools import partial, update_wrapper
from types import MethodType
from typing import Any, TypeVar, cast

import numpy as np

from revolute.compiler.batch import plain_array
from revolute.compiler.kernel import Kernel
from revolute.compiler.patterns import LATER, Pattern, is_names, pattern

MOST = 16  # maximum number of call patterns recorded per function: each call is compared with all of them in order
Method = TypeVar("Method", bound=Callable[..., Any])


def compiled(method: Method) -> Method:
    """Mark a method that returns the result of the kernel of the same name: see `BoundFunction`."""
    return cast(Method, _Compiled(method))


class _Compiled:
    """Descriptor of a compiled method in its class. On first access, an instance stores a new `BoundFunction`."""

    follows_from_fields = True
    """The bound function stored in an instance is not part of the instance's content: see `revolute.model.identity`."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        update_wrapper(cast(Any, self), method)

    def __get__(self, machine: Any, kind: type | None = None) -> Any:
        if machine is None:
            return self.method
        name = self.method.__name__
        # the class in which attribute lookup on the instance finds the method; a call by `super` skips this class
        if next(vars(base)[name] for base in type(machine).__mro__ if name in vars(base)) is not self:
            return MethodType(self.method, machine)  # a subclass overrides this method and calls it by `super`
        bound = BoundFunction(machine, self.method)
        return machine.__dict__.setdefault(name, bound)  # concurrent threads all use the first bound function


class BoundFunction(partial[Any]):
    """A compiled function of a machine, such as `robot.inverse_dynamics`.

    Recorded call patterns form a chain, newest first. Each accepts the calls that have the same options as the
    recorded call. A call that no pattern accepts falls through to Python code, which handles every call.

    Options are compared by identity. They are truth values, None, interned strings (such as literals in source code),
    and tuples of names, once the same tuple is passed again. A string, list or tuple that is built anew for every call
    is a new object each time, and such calls are slower.

    The base class is `partial` because its callable can be replaced, and because it adds only a few nanoseconds to a
    call (some 40 in Python 3.11, which copies the arguments of a subclass to a tuple).
    """

    def __new__(cls, machine: Any, method: Callable[..., Any]) -> BoundFunction:
        learner = _Learner(machine, method)
        bound = learner.bound = super().__new__(cls, learner.call)
        bound.__dict__.update(
            __self__=machine, __func__=method, __name__=method.__name__,
            __qualname__=f"{type(machine).__name__}.{method.__name__}", __module__=method.__module__,
            __doc__=method.__doc__,
        )
        return bound

    @property
    def __signature__(self) -> inspect.Signature:
        method, machine = self.__dict__["__func__"], self.__dict__["__self__"]
        return inspect.signature(method.__get__(machine))

    def __get__(self, instance: object, owner: type | None = None) -> BoundFunction:
        """Return this function, which is already bound: since Python 3.14, `partial` would bind it once more."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return getattr, (self.__dict__["__self__"], self.__dict__["__name__"])

    def __repr__(self) -> str:
        return f"<{self.__dict__['__name__']}{self.__signature__} of {self.__dict__['__self__']!r}>"

    def put(self, call: Callable[..., Any]) -> None:
        """Put another callable first in the chain. It must keep alive the previous one, which may be running.

        All other parts remain the same objects, because another thread may be reading them.
        """
        self.__setstate__((call, (), self.keywords, self.__dict__))  # type: ignore[attr-defined]


class _Call:
    """A running call of a function, with the last kernel that it ran, and that kernel's inputs and result.

    Before a kernel has run, `kernel` and `result` are None, and `inputs` is empty. `constants` are inputs that
    belong to the machine: they are the same in every call.
    """

    __slots__ = ("constants", "inputs", "kernel", "machine", "name", "result")

    def __init__(self, machine: Any, name: str) -> None:
        self.machine, self.name = machine, name
        self.kernel: Kernel | None = None
        self.inputs: tuple[Any, ...] = ()
        self.constants: tuple[Any, ...] = ()
        self.result: Any = None


class _Innermost(threading.local):
    """The innermost running call of each thread; None outside calls."""

    call: _Call | None = None


_innermost = _Innermost()


def note(
    machine: Any, name: str, kernel: Kernel, inputs: tuple[Any, ...], result: Any, constants: tuple[Any, ...] = ()
) -> None:
    """Record the kernel that a method ran, its inputs and its result.

    `constants` are inputs that are not arguments: the same in every call of this method of this machine.
    """
    call = _innermost.call
    if call is not None and call.machine is machine and call.name == name:
        call.kernel, call.inputs, call.result, call.constants = kernel, inputs, result, constants


class _Learner:
    """Python code behind a bound function: it handles every call, and records call patterns for machine code."""

    bound: BoundFunction

    def __init__(self, machine: Any, method: Callable[..., Any]) -> None:
        self._machine, self._method, self._name = machine, method, method.__name__
        self._learned: dict[Any, Pattern] = {}  # keeps options alive: keys contain their identities
        self._calls: list[Callable[..., Any]] = []  # a recorded call returns NotImplemented for unsupported arguments
        self._names: Any = None  # the tuple of names in the last call

    def call(self, *args: Any, **named: Any) -> Any:
        """Call the method. If it returns a kernel's result, record the pattern, so that such calls run it directly."""
        # recorded calls accept only plain arrays: convert lists, numbers and other objects
        plain = [plain_array(x) for x in args] if self._calls else []
        by_name = {name: x if name in LATER else plain_array(x) for name, x in named.items()} if self._calls else {}
        for learned in self._calls:
            if (result := learned(*plain, **by_name)) is not NotImplemented:
                return result
        args, named = _apart(args, named)
        # methods call other methods: record the innermost call and the kernel that it evaluates
        outer, call = _innermost.call, _Call(self._machine, self._name)
        _innermost.call = call
        try:
            result = self._method(self._machine, *args, **named)
        finally:
            _innermost.call = outer
        kernel = call.kernel
        if kernel is None or call.result is not result or len(self._learned) >= MOST:
            return result
        # a tuple of names is recognized by identity, which works only if the caller keeps the tuple
        names = next(filter(is_names, (*args, *named.values())), self._names)
        if names is not self._names:
            self._names = names  # the next call shows whether the caller keeps the tuple or creates a new one
            return result
        how = pattern(args, named, call.inputs, call.constants)
        if how is not None and _learning.acquire(blocking=False):  # another thread may be recording a call
            try:
                self._learn(kernel, how)
            finally:
                _learning.release()
        return result

    def _learn(self, kernel: Kernel, how: Pattern) -> None:
        """Record a pattern, so that later calls with it run the kernel directly."""
        key = kernel.dtype, how.names, how.codes, how.keys, tuple(map(id, how.options))
        if key in self._learned:
            return
        self.bound.put(kernel.fast_call(self.bound.func, how))
        self._calls.append(kernel.fast_call(_refuse, how))
        self._learned[key] = how  # set last: a child process forked before this line records the pattern again


def _refuse(*args: Any, **named: Any) -> Any:
    return NotImplemented


def _apart(args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Copy arguments that are passed twice, so that an object's identity determines its input of the kernel."""
    seen: set[int] = set()

    def one(x: Any) -> Any:
        if type(x) is dict:
            return {key: one(value) for key, value in x.items()}
        if type(x) not in (np.ndarray, list, tuple):
            return x
        if id(x) in seen:
            x = x.view() if type(x) is np.ndarray else type(x)([*x])
        seen.add(id(x))
        return x

    return tuple([one(x) for x in args]), {name: x if name in LATER else one(x) for name, x in named.items()}


# --- threads and processes -------------------------------------------------------------------

_learning = threading.Lock()  # the thread that records a call holds this lock; other threads do not wait for it


def _renew() -> None:
    """A new lock in the child of a fork: the thread that holds the old lock may not exist there."""
    global _learning
    _learning = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
