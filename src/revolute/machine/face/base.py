"""What the groups of methods need of the robot that they belong to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from revolute.machine.robot import Robot
    from revolute.model.model import Model

__all__ = ["Array", "Face"]

Array = NDArray[Any]


class Face(ABC):
    """A group of methods of `Robot`."""

    if TYPE_CHECKING:

        @classmethod
        def of(cls, model: Model) -> Robot:
            """The robot of a model: see `Robot.of`."""

    @property
    @abstractmethod
    def _robot(self) -> Robot:
        """The robot that has these methods: itself."""

    @abstractmethod
    def _run(
        self,
        name: str,
        args: tuple[ArrayLike, ...],
        out: Any,
        threads: int | None,
        options: dict[str, Any],
        constants: tuple[Any, ...] = (),
    ) -> Any:
        """What the kernel of a function gives, for the method of that name to give back as it is.

        `constants` are arrays among `args` that calls do not give.

        From then on calls like it may go straight to the kernel: see `BoundFunction`.
        """

    @abstractmethod
    def _evaluate(
        self, name: str, args: tuple[ArrayLike, ...], out: Any, threads: int | None, options: dict[str, Any]
    ) -> Any:
        """What the kernel of a function with these options gives, for methods that go on from there."""
