"""What inverse kinematics asks of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from revolute.compiler.kernel import Kernel
from revolute.compiler.signature import Signature
from revolute.machine.function import Function
from revolute.machine.machine import Array
from revolute.model.coupled_limits import CoupledLimits
from revolute.model.model import Model
from revolute.model.whole_turns import Turning

__all__ = ["PosedMachine"]


class PosedMachine(Protocol):
    """A machine with positions q that place link frames, and with the functions `pose_error` and `chord_error`."""

    @property
    def _space(self) -> Model:
        """The model whose joints are the coordinates q."""

    @property
    def _continuous(self) -> tuple[Turning, ...]:
        """Coordinates of continuous joints."""

    @property
    def lower_limits(self) -> Array:
        """(nq,) lowest positions."""

    @property
    def upper_limits(self) -> Array:
        """(nq,) highest positions."""

    @property
    def coupled_limits(self) -> CoupledLimits | None:
        """See `Robot.coupled_limits`."""

    @property
    def _plans(self) -> dict[Any, Any]:
        """What inverse kinematics has prepared."""

    @property
    def _loops(self) -> dict[Any, Any]:
        """Compiled loops."""

    def forward_kinematics(self, q: Any, frame: str, /) -> Array:
        """Poses of a frame."""

    def _function(self, name: str) -> Function:
        """A declaration."""

    def _kernel(self, function: Function, dtype: Any, options: Mapping[str, Any]) -> Kernel:
        """A compiled function."""

    def _identified(self, name: str, options: Mapping[str, Any]) -> tuple[Signature, str | None, str]:
        """A function to be traced, its identity, and the owner's name."""
