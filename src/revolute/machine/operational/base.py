"""The base class of groups of methods of `OperationalSpace`: its data, and the treatment of singular states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import wrenches_by_link
from revolute.dynamics.invertible import require_invertible
from revolute.errors import SingularityError
from revolute.machine.function import Function, Subject
from revolute.machine.functions.operational_coordinates import OperationalCoordinates
from revolute.machine.machine import Array, Machine
from revolute.machine.robot.base import LinkWrenches, Threads, sizes
from revolute.machine.task_space import damping_values, singular_rows
from revolute.model.identity import exact_text
from revolute.model.symbols import numeric

if TYPE_CHECKING:
    from revolute.machine.robot import Robot

__all__ = ["CHECKS", "DAMPED", "OperationalGroup"]

DAMPED: dict[str, Any] = {"optional": {"damped": "damping[]"}}
CHECKS = "check: r 4; regularity"


class OperationalGroup(Machine):
    """A group of methods of `OperationalSpace`, with its data."""

    _kind = "robot in operational space"
    _elsewhere = ". See `robot.kernel` for those of joint space"

    def __init__(self, robot: Robot, definition: OperationalCoordinates) -> None:
        self.robot = robot
        self.definition = definition
        self.names = definition.names

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.robot, self.definition)

    def __repr__(self) -> str:
        return f"<OperationalSpace of {self.robot.name!r}: {', '.join(self.names)}>"

    def _labels(self) -> Mapping[str, Sequence[str]]:
        return {"nq": self.robot.position_names, "nv": self.robot.coordinate_names}

    def _subject(self, function: Function, options: Mapping[str, Any]) -> Subject:
        model, x = numeric(self.robot, function.name), self.definition
        if function.inverts:
            require_invertible(model)
        extents = sizes(model) | {"m": len(x.names), "r": len(x.row_names)}
        words = {"m": "coordinates"}
        return Subject(self.robot.name, (model, x), extents, exact_text((model.digest, x)), words=words)

    def _countable(self) -> Self:
        return type(self)(self.robot._countable(), self.definition)

    # --- singular states -------------------------------------------------------------------

    def _kinematic(self, function: str, arrays: tuple[ArrayLike, ...], threads: Threads) -> Array:
        """The result of a function without an inverse; NaN where coordinates are singular."""
        result, regularity = self._evaluate(function, arrays, threads)
        self._irregular(function, (result,), regularity, arrays[0])
        return result  # type: ignore[no-any-return]

    def _dynamic(
        self, function: str, arrays: tuple[ArrayLike, ...], damping: ArrayLike, wrenches: LinkWrenches, threads: Threads
    ) -> tuple[tuple[Array, ...], Array]:
        """A function's results, and which states are singular."""
        links, loads = wrenches_by_link(wrenches)
        options: dict[str, Any] = {"wrenches": links} if links else {}
        arrays = (*arrays, *loads)
        values = damping_values(damping, arrays[0])
        if values is not None:
            options["damped"] = True
            arrays = (*arrays, values)
        *results, check, regularity = self._evaluate(function, arrays, threads, options)
        irregular = self._irregular(function, results, regularity, arrays[0])
        where = f"{function}: {self._of()}'{self.robot.name}'"
        check[irregular] = np.nan  # these states have their own error
        singular = singular_rows(results, check, values, arrays[0], where, self.definition.row_names)
        return tuple(results), singular

    def _irregular(self, function: str, results: Sequence[Array], regularity: Array, q: ArrayLike) -> Array:
        """Which states have singular coordinates. Set their results to NaN, or raise for a single state."""
        least = 1e-10 if regularity.dtype == np.float64 else 1e-5
        irregular: Array = np.asarray(regularity <= least)
        if irregular.ndim == 0 and irregular:
            sequence = getattr(self.definition, "sequence", "")
            raise SingularityError(
                f"{function}: the Euler angles '{sequence}' of {self._of()}'{self.robot.name}' are singular: their "
                f"first and last axis are parallel, at q = {np.array2string(np.asarray(q), precision=4, threshold=20)}"
                "; take another sequence, or 'quaternion'"
            )
        for result in results if irregular.any() else ():
            result[irregular] = np.nan
        return irregular

    def _of(self) -> str:
        frame = getattr(self.definition, "frame", None)
        return "" if frame is None else f"link '{frame}' of "
