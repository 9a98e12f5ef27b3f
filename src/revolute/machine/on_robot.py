"""`OnRobot`: methods of machines that consist of a robot and drives, springs or closed loops."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from revolute.errors import InputError
from revolute.model.symbols import with_irregular_numbers

if TYPE_CHECKING:
    from revolute.machine.robot import Robot


class OnRobot:
    """Methods to substitute symbols, and to change inertial parameters of the links."""

    robot: Robot

    @property
    @abstractmethod
    def symbols(self) -> tuple[Any, ...]:
        """The SymPy symbols of the robot and of its drives, springs and rotors, by name."""

    @abstractmethod
    def _of(self, robot: Robot) -> Self:
        """The same drives, springs or loops with another robot."""

    @abstractmethod
    def _substituted(self, values: Mapping[Any, Any]) -> Self:
        """The machine with numbers in place of symbols, {symbol: value}."""

    def _countable(self) -> Self:
        return with_irregular_numbers(self.symbols, self.subs) if self.symbols else self

    def _require_values(self, what: str, parts: str, advice: str = "; or derive the equations: equations()") -> None:
        """Raise `InputError` if the robot or its parts, such as "drives", have symbols."""
        if self.symbols:
            names = ", ".join(symbol.name for symbol in self.symbols)
            raise InputError(
                f"{what} needs numbers, but '{self.robot.name}' with its {parts} has symbols: {names}. Substitute "
                f"values first: subs({{'{self.symbols[0].name}': ...}}){advice}"
            )

    def subs(self, values: Mapping[Any, Any]) -> Self:
        """The robot with values for some or all of its symbols: see `Robot.subs`."""
        return self._substituted(values)

    def with_inertial_parameters(self, parameters: Any, *, implausible: str = "warn") -> Self:
        """The same machine with other inertial parameters of the links: see `Robot.with_inertial_parameters`.

        The motor inertias of elastic joints, `rotor_inertia`, do not change.
        """
        return self._of(self.robot.with_inertial_parameters(parameters, implausible=implausible))
