"""Machines whose simulations run as loops in machine code; what prints and compiles loops is loaded with the first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from revolute.compiler.signature import Signature
from revolute.machine.machine import Array, Machine

if TYPE_CHECKING:
    from revolute.compiler.recurrence import TimeLoop

__all__ = ["StepLoops"]


class StepLoops(Machine):
    """A machine with the functions of a motion: steps, `state_rate` and energies of its state."""

    def _motion_loop(
        self, method: str, feedback: Signature | None, options: Mapping[str, Any]
    ) -> tuple[TimeLoop, Mapping[str, Array]]:
        """See `simulate.run.Mechanism`."""
        from revolute.machine.motion_loop import kept_loop, motion_forms

        forms = partial(motion_forms, self, method, options)
        return kept_loop(self, method, feedback, options, forms), {}
