"""The base class of all groups of methods of `Robot`: its data, and how its functions are compiled."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from revolute.arguments import instance
from revolute.compiler.signature import Signature
from revolute.dynamics.invertible import require_invertible
from revolute.errors import UnknownNameError
from revolute.machine.function import Function, Subject
from revolute.machine.functions.parametric import parametric, without_inertias
from revolute.machine.machine import Array, Machine
from revolute.model.model import Model
from revolute.model.symbols import numeric, substituted, with_irregular_numbers

__all__ = ["BASE", "Array", "Group", "Shared", "sizes"]

BASE = {"base_motion": "base_twist[6] base_acceleration[6]"}
"""In declarations: the motion of a base that is moved."""


class Shared(Machine):
    """A group of methods that robots have without drives and with them.

    Recursions are those of a tree. With drives its joints follow the positions q and velocities qd of the machine, and
    some functions have more terms: see `machine.functions.driven`.
    """

    name: str

    @property
    @abstractmethod
    def _space(self) -> Model:
        """The model whose joints are the coordinates q."""

    @property
    @abstractmethod
    def _links(self) -> Model:
        """The model of the links."""


class Group(Model, Shared):
    """A group of methods of `Robot`, with the robot's data."""

    @property
    def _space(self) -> Model:
        return self

    @property
    def _links(self) -> Model:
        return self

    @classmethod
    def of(cls, model: Model) -> Self:
        """The robot of a model, which was checked when it was made.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> revolute.Robot.of(robot) == robot
            True

        Raises:
            InputError: something else than a model.
        """
        robot = object.__new__(cls)
        robot.__setstate__(instance("Robot.of: model", model, Model).__getstate__())
        return robot

    def _subject(self, function: Function, options: Mapping[str, Any]) -> Subject:
        model: Model = self
        if model.symbols and "parameters" in options:
            model = without_inertias(model)
        model = numeric(model, function.name)
        if function.inverts and "parameters" not in options:
            require_invertible(model)
        return Subject(self.name, (model,), sizes(model), model.digest)

    def _function(self, name: str) -> Function:
        try:
            return super()._function(name)
        except UnknownNameError as error:
            from revolute.machine.functions.formulations import formulation
            from revolute.published import FORMULATIONS

            if name in FORMULATIONS:
                return formulation(name)
            raise UnknownNameError(f"{error}; and the formulations {', '.join(FORMULATIONS)}") from None

    def _form(self, function: Function, subject: Subject, options: Mapping[str, Any]) -> Signature:
        if "parameters" not in options:
            return function.signature(subject, options)
        return parametric(function, subject, **options)

    def _countable(self) -> Self:
        if not self.symbols:
            return self
        return with_irregular_numbers(self.symbols, lambda values: numeric(substituted(self, values), "counting"))


def sizes(model: Model) -> dict[str, int]:
    """Sizes of a robot's arrays, by their names in declarations."""
    nv, n = model.nv, model.n_joints
    of_bodies = {"n": n, "10n": 10 * n, "6n": 6 * n, "6n+6": 6 * n + 6}
    return {"nq": model.nq, "nv": nv, "2nv": 2 * nv, **of_bodies, "links": len(model.frames)}
