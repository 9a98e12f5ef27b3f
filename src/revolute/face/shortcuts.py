"""Calls of a robot's methods that go straight to machine code from the third time on."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from revolute.face.kernels import Kernels

__all__ = ["Shortcuts", "note"]

MOST = 16
"""Ways of calling a method that are learned: each is asked, one after the other, whether a call is its own."""

_Way = tuple[int, tuple[str, ...], tuple[Any, ...]]
"""Number of arrays, names of named options, and the options themselves."""

_learning = threading.Lock()
"""One thread at a time learns."""


def _renew() -> None:
    """Forget, in the child of a fork, that another thread was learning: it is not there to release the lock."""
    global _learning
    _learning = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class _Call:
    """A call of a method while it runs, and the kernel whose result it may give back.

    Attributes:
        options: those of the kernel; None as long as there is none.
        result: what the kernel gave.
    """

    __slots__ = ("name", "options", "result", "robot")

    def __init__(self, robot: Kernels, name: str) -> None:
        self.robot, self.name = robot, name
        self.options: Mapping[str, Any] | None = None
        self.result: Any = None


class _Innermost(threading.local):
    """The call that runs in this thread; None outside of any. Other threads have their own."""

    call: _Call | None = None


_innermost = _Innermost()


def note(robot: Kernels, name: str, options: Mapping[str, Any], result: Any) -> None:
    """Hear from a method which options its kernel has, and what came out."""
    call = _innermost.call
    if call is not None and call.robot is robot and call.name == name:
        call.options, call.result = options, result


class Shortcuts:
    """What a robot has in place of a method once that was called: it learns which options calls have.

    Instances look a method up in their own dictionary first. It holds a chain of fast calls, each
    for the very same options as a call before, newest first. A call that none of them accepts falls
    through to this object, which calls the method.

    Options are told apart by identity: truth values, None, and interned strings, as those in
    source code are; a string put together anew in every call is another object each time.
    """

    def __init__(self, robot: Kernels, name: str) -> None:
        self._robot, self._name = robot, name
        self._method = getattr(type(robot), name)
        self.__doc__, self.__signature__ = self._method.__doc__, signature(self._method.__get__(robot))
        self._known: set[Any] = set()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return getattr, (self._robot, self._name)

    def __call__(self, *args: Any, **named: Any) -> Any:
        outer, call = _innermost.call, _Call(self._robot, self._name)
        _innermost.call = call
        try:
            result = self._method(self._robot, *args, **named)
        finally:
            _innermost.call = outer
        if call.options is None or call.result is not result or len(self._known) >= MOST:
            return result
        way, learning = _way(args, named), _learning
        if way is not None and learning.acquire(blocking=False):  # else another thread learns; a later call will
            try:
                self._learn(way, call.options)
            finally:
                learning.release()
        return result

    def _learn(self, way: _Way, options: Mapping[str, Any]) -> None:
        """Have calls of that way go to the kernel of these options."""
        if way in self._known:
            return
        n, names, given = way
        kernel = self._robot.kernel(self._name, **options)
        if len(kernel.inputs) == n:
            before: Callable[..., Any] = self._robot.__dict__[self._name]
            self._robot.__dict__[self._name] = kernel.fast_call(before, given, names)
        self._known.add(way)  # last: the child of a fork lacks the thread that would go on from here


def _way(args: tuple[Any, ...], named: Mapping[str, Any]) -> _Way | None:
    """How a call gives its options, if machine code can take calls like it."""
    n = len(args)
    for k, x in enumerate(args):
        if type(x) is not np.ndarray or x.dtype != np.float64:
            n = k
            break
    names = tuple([name for name in named if name != "out"])
    given = (*args[n:], *[named[name] for name in names])
    return (n, names, given) if all(map(_is_option, given)) else None


def _is_option(x: Any) -> bool:
    return x is None or isinstance(x, bool) or (type(x) is str and sys.intern(x) is x)
