"""All functions of a machine for another library: each as an attribute, or called for with its options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from importlib.util import find_spec
from typing import Any, ClassVar, Generic, TypeVar

from revolute.arguments import with_tuples
from revolute.errors import MissingExtraError

__all__ = ["Functions"]

Function = TypeVar("Function")


class Functions(ABC, Generic[Function]):
    """Functions of one machine: `robot.jax.inverse_dynamics`, or `robot.jax("jacobian", frame="tool0")`.

    Args:
        names: of all functions.
        owner: name of the machine.

    Raises:
        MissingExtraError: the library is not installed.
    """

    package: ClassVar[str]
    """The library's package, and its extra."""
    library: ClassVar[str]
    """The library's name."""

    def __init__(self, names: Iterable[str], owner: str) -> None:
        if find_spec(self.package) is None:
            raise MissingExtraError(f"functions for {self.library} need {self.library}", self.package)
        self._names, self._owner = tuple(names), owner
        self._made: dict[Any, Function] = {}

    @abstractmethod
    def _make(self, function: str, **options: Any) -> Function:
        """A new function with its options."""

    def __call__(self, function: str, **options: Any) -> Function:
        """A function with its options: see `Machine.kernel`. The same options give the same function.

        Raises:
            UnknownNameError: no such function.
            InputError: an option that the function does not have.
        """
        plain = with_tuples(options)
        key = function, tuple(sorted(plain.items()))
        if not all(isinstance(value, Hashable) for value in plain.values()):
            return self._make(function, **plain)  # which raises: no option is of such a type
        if key not in self._made:
            self._made[key] = self._make(function, **plain)
        return self._made[key]

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return self(name)

    def __dir__(self) -> list[str]:
        return sorted(self._names)

    def __repr__(self) -> str:
        return f"<functions of {self._owner!r} for {self.library}>"
