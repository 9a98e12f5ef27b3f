"""What the groups of methods need of the driven robot that they belong to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike, NDArray

__all__ = ["Array", "DrivenFace"]

Array = NDArray[Any]


class DrivenFace(ABC):
    """A group of methods of `DrivenRobot`."""

    @abstractmethod
    def _run(
        self,
        name: str,
        args: tuple[ArrayLike, ...],
        out: Any,
        threads: int | None,
        wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> Any:
        """Call the kernel of a function."""
