"""What the groups of methods need of the robot that they belong to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike, NDArray

__all__ = ["Array", "Face"]

Array = NDArray[Any]


class Face(ABC):
    """A group of methods of `Robot`."""

    @abstractmethod
    def _run(
        self, name: str, args: tuple[ArrayLike, ...], out: Any, threads: int | None, options: dict[str, Any]
    ) -> Any:
        """Call the kernel of a function with these options; a function without options may become a fast call."""
